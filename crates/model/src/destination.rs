//! Where a browser goes with an answer, as far as a person can be told.

/// The place that a redirect leads to. It is the only thing about a client that is known.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Destination<'r> {
    /// A web site, with its port if it has an odd one, in punycode.
    Site { host: &'r str },
    /// Some client on the person's computer.
    Computer { host: &'r str },
    /// Whichever client opens links of this scheme.
    Scheme { scheme: &'r str },
}
