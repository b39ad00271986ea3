//! How the types of this crate are declared so that they can also be columns. The one place that
//! names the database's types, and only behind the feature `sqlx`.

/// Declares identifiers, each a type of its own, so that two of them cannot be swapped.
macro_rules! ids {
    ($($(#[$doc:meta])* $name:ident),+ $(,)?) => {$(
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, serde::Serialize, serde::Deserialize)]
        #[cfg_attr(feature = "sqlx", derive(sqlx::Type), sqlx(transparent))]
        #[serde(transparent)]
        pub struct $name(uuid::Uuid);

        impl $name {
            pub const fn from_uuid(id: uuid::Uuid) -> Self {
                Self(id)
            }

            pub const fn as_uuid(&self) -> &uuid::Uuid {
                &self.0
            }
        }

        impl std::fmt::Display for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                self.0.fmt(f)
            }
        }

        impl std::str::FromStr for $name {
            type Err = uuid::Error;

            /// Only the hyphenated form is read: what we print is what comes back.
            fn from_str(text: &str) -> Result<Self, uuid::Error> {
                uuid::fmt::Hyphenated::from_str(text).map(|id| Self(id.into_uuid()))
            }
        }
    )+};
}

/// Declares an enum whose variants are words: in columns, in JSON, in logs.
macro_rules! words {
    ($(#[$doc:meta])* $name:ident { $($(#[$variant_doc:meta])* $variant:ident = $word:literal),+ $(,)? }) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, serde::Serialize, serde::Deserialize)]
        pub enum $name {
            $(
                $(#[$variant_doc])*
                #[serde(rename = $word)]
                $variant
            ),+
        }

        impl $name {
            pub const ALL: &[Self] = &[$(Self::$variant),+];

            pub const fn as_str(self) -> &'static str {
                match self {
                    $(Self::$variant => $word),+
                }
            }
        }

        impl std::fmt::Display for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str(self.as_str())
            }
        }

        impl std::str::FromStr for $name {
            type Err = $crate::word::UnknownWord;

            fn from_str(text: &str) -> Result<Self, $crate::word::UnknownWord> {
                match text {
                    $($word => Ok(Self::$variant),)+
                    _ => Err($crate::word::UnknownWord),
                }
            }
        }

        // By hand: the derived form looks its type up in the catalogue of every new connection.
        #[cfg(feature = "sqlx")]
        const _: () = {
            use sqlx::postgres::{PgArgumentBuffer, PgHasArrayType, PgTypeInfo, PgValueRef, Postgres};

            impl sqlx::Type<Postgres> for $name {
                fn type_info() -> PgTypeInfo {
                    <str as sqlx::Type<Postgres>>::type_info()
                }

                fn compatible(other: &PgTypeInfo) -> bool {
                    <str as sqlx::Type<Postgres>>::compatible(other)
                }
            }

            impl PgHasArrayType for $name {
                fn array_type_info() -> PgTypeInfo {
                    <&str as PgHasArrayType>::array_type_info()
                }
            }

            impl sqlx::Encode<'_, Postgres> for $name {
                fn encode_by_ref(
                    &self,
                    buffer: &mut PgArgumentBuffer,
                ) -> Result<sqlx::encode::IsNull, sqlx::error::BoxDynError> {
                    <&str as sqlx::Encode<'_, Postgres>>::encode(self.as_str(), buffer)
                }
            }

            impl<'r> sqlx::Decode<'r, Postgres> for $name {
                fn decode(value: PgValueRef<'r>) -> Result<Self, sqlx::error::BoxDynError> {
                    Ok(<&str as sqlx::Decode<'r, Postgres>>::decode(value)?.parse()?)
                }
            }
        };
    };
}

pub(crate) use {ids, words};

// A set is a column of words, `text[]`. A word that is no scope is a mistake of ours, and said.
#[cfg(feature = "sqlx")]
const _: () = {
    use sqlx::postgres::{PgArgumentBuffer, PgTypeInfo, PgValueRef, Postgres};

    use crate::{Scope, Scopes};

    impl sqlx::Type<Postgres> for Scopes {
        fn type_info() -> PgTypeInfo {
            <Vec<Scope> as sqlx::Type<Postgres>>::type_info()
        }

        fn compatible(other: &PgTypeInfo) -> bool {
            <Vec<Scope> as sqlx::Type<Postgres>>::compatible(other)
        }
    }

    impl sqlx::Encode<'_, Postgres> for Scopes {
        fn encode_by_ref(
            &self,
            buffer: &mut PgArgumentBuffer,
        ) -> Result<sqlx::encode::IsNull, sqlx::error::BoxDynError> {
            let scopes: Vec<Scope> = self.iter().collect();
            sqlx::Encode::<Postgres>::encode_by_ref(&scopes, buffer)
        }
    }

    impl<'r> sqlx::Decode<'r, Postgres> for Scopes {
        fn decode(value: PgValueRef<'r>) -> Result<Self, sqlx::error::BoxDynError> {
            let scopes = <Vec<Scope> as sqlx::Decode<'r, Postgres>>::decode(value)?;
            Ok(scopes.into_iter().collect())
        }
    }
};
