//! What the authorization server can do. Discovery advertises these lists and the endpoints obey
//! them, so that neither can say what the other does not.

macro_rules! capability {
    ($(#[$doc:meta])* $name:ident { $($variant:ident = $word:literal),+ $(,)? }) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize)]
        pub enum $name {
            $(#[serde(rename = $word)] $variant),+
        }

        impl $name {
            pub const ALL: &[Self] = &[$(Self::$variant),+];

            pub const fn as_str(self) -> &'static str {
                match self {
                    $(Self::$variant => $word),+
                }
            }

            /// The words of all, as messages list them.
            pub fn served() -> String {
                Self::ALL.iter().map(|it| it.as_str()).collect::<Vec<_>>().join(", ")
            }

            /// Reads the protocol's word. `None`: not served.
            pub fn find(word: &str) -> Option<Self> {
                match word {
                    $($word => Some(Self::$variant),)+
                    _ => None,
                }
            }
        }
    };
}

capability! { GrantType { AuthorizationCode = "authorization_code" } }

capability! { ResponseType { Code = "code" } }

capability! {
    /// RFC 7636 §4.2; `plain` proves nothing and is left out.
    ChallengeMethod { S256 = "S256" }
}

capability! {
    /// How clients prove who they are: every client is public.
    ClientAuthentication { None = "none" }
}
