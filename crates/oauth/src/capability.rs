//! What the authorization server can do. Discovery advertises these lists and the endpoints obey
//! them, so that neither can say what the other does not.

use portico_declaration::{Declaration, Lifetime, Server};
use portico_model::Issuer;

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

capability! {
    GrantType { AuthorizationCode = "authorization_code", RefreshToken = "refresh_token" }
}

impl GrantType {
    /// Those that an issuer's servers give tokens by: one whose tokens live until they are revoked
    /// has nothing to renew them with.
    pub fn of_issuer(issuer: &Issuer, declaration: &Declaration) -> &'static [Self] {
        let expires = |server: &Server| match server.access_token {
            Lifetime::Expires(_) => true,
            Lifetime::UntilRevoked => false,
        };
        // At a vanity host, the root is the one server's address.
        let is_refreshed = match issuer.address("") {
            Some(address) => declaration.server(address.server).is_some_and(expires),
            None => declaration.servers.iter().any(expires),
        };
        if is_refreshed { Self::ALL } else { &[Self::AuthorizationCode] }
    }
}

capability! { ResponseType { Code = "code" } }

capability! {
    /// RFC 7636 §4.2; `plain` proves nothing and is left out.
    ChallengeMethod { S256 = "S256" }
}

capability! {
    /// How clients prove who they are: every client is public.
    ClientAuthentication { None = "none" }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixture::Acme;

    // pre:O8, sec:A13
    #[test]
    fn an_issuer_promises_to_renew_what_one_of_its_servers_lets_run_out() {
        let acme = Acme::with_servers(&["boards", "archive"]);
        let mut declaration = acme.tenant().declaration.clone();
        declaration.servers[1].access_token = Lifetime::UntilRevoked;
        let origin = "https://h.example";
        let code_alone: &[GrantType] = &[GrantType::AuthorizationCode];
        for (issuer, expected) in [
            (Issuer::of_origin(origin), GrantType::ALL),
            (Issuer::of_tenant(origin, "acme"), GrantType::ALL),
            (Issuer::of_host(origin, "boards.acme.example", "boards"), GrantType::ALL),
            (Issuer::of_host(origin, "archive.acme.example", "archive"), code_alone),
        ] {
            let found = GrantType::of_issuer(&issuer, &declaration);
            assert_eq!(found, expected, "{}", issuer.as_str());
        }
        declaration.servers.remove(0);
        let found = GrantType::of_issuer(&Issuer::of_origin(origin), &declaration);
        assert_eq!(found, code_alone);
    }
}
