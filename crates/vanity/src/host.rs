//! A Host header as it must be written, so that everyone reads it the same way. Refuses to know
//! which hosts there are.

use std::net::Ipv6Addr;

/// As long as a name may be (RFC 1035 §2.3.4), and a port.
const LONGEST: usize = 255;
const LONGEST_LABEL: usize = 63;

/// A name or an address in lower case, and perhaps a port.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Host {
    name: String,
    port: Option<u16>,
}

impl Host {
    /// `None`: it is no host, or one that others would read differently, such as a name with a dot
    /// at its end.
    pub fn parse(text: &str) -> Option<Self> {
        if text.len() > LONGEST {
            return None;
        }
        let (name, port) = match text.rfind(':') {
            Some(at) if !text[at..].contains(']') => (&text[..at], Some(&text[at + 1..])),
            Some(_) | None => (text, None),
        };
        let port = match port {
            Some(port) if port.bytes().all(|it| it.is_ascii_digit()) => Some(port.parse().ok()?),
            Some(_) => return None,
            None => None,
        };
        (is_name(name) || is_address(name)).then(|| Self { name: name.to_ascii_lowercase(), port })
    }

    /// Without the port.
    pub fn name(&self) -> &str {
        &self.name
    }

    pub const fn port(&self) -> Option<u16> {
        self.port
    }
}

fn is_name(host: &str) -> bool {
    let is_label = |label: &str| {
        (1..=LONGEST_LABEL).contains(&label.len())
            && label.bytes().all(|it| it.is_ascii_alphanumeric() || matches!(it, b'-' | b'_'))
            && !label.starts_with('-')
            && !label.ends_with('-')
    };
    host.split('.').all(is_label)
}

fn is_address(host: &str) -> bool {
    let inner = host.strip_prefix('[').and_then(|it| it.strip_suffix(']'));
    inner.is_some_and(|inner| inner.parse::<Ipv6Addr>().is_ok())
}

#[cfg(test)]
mod tests {
    use super::*;

    // sec:A05
    #[test]
    fn a_host_is_a_name_or_an_address_and_perhaps_a_port() {
        let long = format!("{}.example", "a.".repeat(130));
        for (text, expected) in [
            ("mcp.vendor.test", Some(("mcp.vendor.test", None))),
            ("MCP.VENDOR.TEST", Some(("mcp.vendor.test", None))),
            ("mcp.vendor.test:8080", Some(("mcp.vendor.test", Some(8080)))),
            ("127.0.0.1:80", Some(("127.0.0.1", Some(80)))),
            ("[::1]:80", Some(("[::1]", Some(80)))),
            ("[::1]", Some(("[::1]", None))),
            ("localhost", Some(("localhost", None))),
            ("", None),
            (":80", None),
            ("a/b@c", None),
            ("a/b", None),
            ("u@evil", None),
            ("u:p@evil", None),
            ("mcp.vendor.test:99999", None),
            ("mcp.vendor.test:", None),
            ("mcp.vendor.test:+80", None),
            ("mcp.vendor.test:80:80", None),
            ("mcp.vendor.test.", None),
            ("mcp..test", None),
            ("-a.test", None),
            ("mcp.vendor.test\t", None),
            (" mcp.vendor.test", None),
            ("a b", None),
            ("a,b", None),
            ("a%2eb", None),
            ("ä.example", None),
            ("::1", None),
            ("[::1", None),
            ("[::1]80", None),
            ("[vendor]", None),
            (&long, None),
        ] {
            let found = Host::parse(text);
            let found = found.as_ref().map(|it| (it.name(), it.port()));
            assert_eq!(found, expected, "{text:?}");
        }
    }

    proptest::proptest! {
        #[test]
        fn what_is_read_once_is_read_again(text in "[A-Za-z0-9.:@/_\\[\\]-]{0,40}") {
            if let Some(host) = Host::parse(&text) {
                let port = host.port().map(|port| format!(":{port}")).unwrap_or_default();
                let written = format!("{}{port}", host.name());
                proptest::prop_assert_eq!(Host::parse(&written), Some(host));
            }
        }
    }
}
