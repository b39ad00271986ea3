//! What a tool, or a declaration about it, says of itself to clients, under MCP's names. Nobody
//! decides anything by it.

/// An absent hint is not said.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Hints {
    pub read_only: Option<bool>,
    pub destructive: Option<bool>,
    pub idempotent: Option<bool>,
    pub open_world: Option<bool>,
}

impl Hints {
    /// What is said here, else what is said there.
    #[must_use]
    pub const fn or(self, other: Self) -> Self {
        Self {
            read_only: or(self.read_only, other.read_only),
            destructive: or(self.destructive, other.destructive),
            idempotent: or(self.idempotent, other.idempotent),
            open_world: or(self.open_world, other.open_world),
        }
    }
}

const fn or(said: Option<bool>, other: Option<bool>) -> Option<bool> {
    if said.is_some() { said } else { other }
}

#[cfg(test)]
mod tests {
    use super::*;

    // pre:O15
    #[test]
    fn what_is_said_first_counts_even_where_it_denies() {
        let first = Hints { destructive: Some(false), ..Hints::default() };
        let second = Hints { destructive: Some(true), idempotent: Some(true), ..Hints::default() };

        let both = Hints { destructive: Some(false), idempotent: Some(true), ..Hints::default() };
        assert_eq!(first.or(second), both);
    }
}
