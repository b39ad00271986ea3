//! The gateway's own origin, as a request's Host is compared with it.

use crate::Host;

/// Which of our addresses a Host may be.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Origin {
    host: Host,
    default_port: u16,
}

impl Origin {
    /// From `https://mcp.example.com`. `None`: nobody could ever name it.
    pub fn parse(url: &str) -> Option<Self> {
        let (scheme, authority) = url.split_once("://")?;
        let default_port = match scheme {
            "https" => 443,
            "http" => 80,
            _ => return None,
        };
        Some(Self { host: Host::parse(authority.trim_end_matches('/'))?, default_port })
    }

    /// Whether the Host is the origin's own.
    pub fn is(&self, host: &Host) -> bool {
        self.host.name() == host.name() && self.has_port_of(host)
    }

    /// Whether the Host has the origin's port, as vanity hosts have, too.
    pub fn has_port_of(&self, host: &Host) -> bool {
        self.port(&self.host) == self.port(host)
    }

    fn port(&self, host: &Host) -> u16 {
        host.port().unwrap_or(self.default_port)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_usual_port_need_not_be_named() {
        for (origin, host, is_raw, may_be_vanity) in [
            ("https://h.example", "h.example", true, true),
            ("https://h.example", "H.example:443", true, true),
            ("https://h.example", "h.example:80", false, false),
            ("https://h.example", "other.example", false, true),
            ("https://h.example", "other.example:443", false, true),
            ("http://h.example/", "h.example:80", true, true),
            ("http://127.0.0.1:8700", "127.0.0.1:8700", true, true),
            ("http://127.0.0.1:8700", "127.0.0.1", false, false),
            ("http://127.0.0.1:8700", "localhost:8700", false, true),
            ("http://[::1]:8700", "[::1]:8700", true, true),
        ] {
            let (origin, host) = (Origin::parse(origin).unwrap(), Host::parse(host).unwrap());
            let found = (origin.is(&host), origin.has_port_of(&host));
            assert_eq!(found, (is_raw, may_be_vanity), "{origin:?} {host:?}");
        }
    }
}
