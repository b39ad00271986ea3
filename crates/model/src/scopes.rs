//! A set of scopes, in the order in which the enum lists them.

use std::fmt;

use crate::Scope;

/// Which scopes a connection has, or an application asks for.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Scopes(Vec<Scope>);

impl Scopes {
    /// Reads a space-separated list (RFC 6749 §3.3). Names we do not know are left out: clients
    /// ask for what other servers offer.
    pub fn parse(text: &str) -> Self {
        text.split(' ').filter_map(|word| word.parse().ok()).collect()
    }

    pub fn contains(&self, scope: Scope) -> bool {
        self.0.contains(&scope)
    }

    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub fn iter(&self) -> impl Iterator<Item = Scope> + '_ {
        self.0.iter().copied()
    }

    /// What both sets have.
    #[must_use]
    pub fn intersection(&self, other: &Self) -> Self {
        self.iter().filter(|scope| other.contains(*scope)).collect()
    }
}

impl FromIterator<Scope> for Scopes {
    fn from_iter<I: IntoIterator<Item = Scope>>(scopes: I) -> Self {
        let mut scopes: Vec<Scope> = scopes.into_iter().collect();
        scopes.sort_unstable();
        scopes.dedup();
        Self(scopes)
    }
}

impl fmt::Display for Scopes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, scope) in self.iter().enumerate() {
            if index > 0 {
                f.write_str(" ")?;
            }
            f.write_str(scope.as_str())?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    // cli:24
    #[test]
    fn unknown_scopes_are_left_out_and_the_rest_keep_one_order() {
        for (text, kept) in [
            ("", ""),
            (" offline_access", ""),
            ("write read", "read write"),
            ("openid read email read", "read"),
        ] {
            assert_eq!(Scopes::parse(text).to_string(), kept, "{text:?}");
        }
    }
}
