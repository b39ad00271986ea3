//! The address of a server below its issuer: which server, for which workspace, only to read or
//! not. It knows no origin; `Issuer` puts one in front.

use std::borrow::Cow;
use std::fmt::Write as _;

use crate::issuer::SERVERS;

/// Longer than any id or alias.
const LONGEST_WORKSPACE: usize = 255;

const READ_ONLY: &str = "readonly";
const WORKSPACE: &str = "w";

/// A server, and what its address narrows it to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Address<'a> {
    pub server: &'a str,
    /// An id or alias, without percent signs.
    pub workspace: Option<Cow<'a, str>>,
    pub is_read_only: bool,
}

impl<'a> Address<'a> {
    /// The whole of a server.
    pub const fn of(server: &'a str) -> Self {
        Self { server, workspace: None, is_read_only: false }
    }

    /// Reads `/mcp/<server>[/w/<workspace>][/readonly]`, with or without a slash at its end.
    pub fn parse(path: &'a str) -> Option<Self> {
        let path = path.strip_prefix(SERVERS)?;
        let (server, narrowed) = path.split_at(path.find('/').unwrap_or(path.len()));
        Self::below(server, narrowed)
    }

    /// Reads what follows the server's own address: nothing, or what it is narrowed to.
    pub fn below(server: &'a str, narrowed: &'a str) -> Option<Self> {
        if server.is_empty() {
            return None;
        }
        let whole = Self::of(server);
        let narrowed = match narrowed {
            "" | "/" => return Some(whole),
            narrowed => narrowed.strip_prefix('/')?,
        };
        let narrowed = narrowed.strip_suffix('/').unwrap_or(narrowed);
        let mut parts = narrowed.split('/');
        match (parts.next(), parts.next(), parts.next(), parts.next()) {
            (Some(READ_ONLY), None, None, None) => Some(Self { is_read_only: true, ..whole }),
            (Some(WORKSPACE), Some(name), None, None) => {
                Some(Self { workspace: Some(decode(name)?), ..whole })
            }
            (Some(WORKSPACE), Some(name), Some(READ_ONLY), None) => {
                Some(Self { workspace: Some(decode(name)?), is_read_only: true, ..whole })
            }
            _ => None,
        }
    }

    /// The path below a raw origin's issuer, in its one spelling.
    pub fn path(&self) -> String {
        format!("{SERVERS}{}{}", self.server, self.narrowed())
    }

    /// What follows the server's own address.
    pub fn narrowed(&self) -> String {
        let mut text = String::new();
        if let Some(workspace) = &self.workspace {
            text.push('/');
            text.push_str(WORKSPACE);
            text.push('/');
            encode(workspace, &mut text);
        }
        if self.is_read_only {
            text.push('/');
            text.push_str(READ_ONLY);
        }
        text
    }
}

/// Takes percent signs away once. `None`: no workspace is called so.
fn decode(part: &str) -> Option<Cow<'_, str>> {
    let decoded =
        if part.contains('%') { Cow::Owned(unescape(part)?) } else { Cow::Borrowed(part) };
    let is_name = !matches!(&*decoded, "" | "." | "..")
        && decoded.len() <= LONGEST_WORKSPACE
        && !decoded.chars().any(char::is_control);
    is_name.then_some(decoded)
}

fn unescape(part: &str) -> Option<String> {
    let mut bytes = Vec::with_capacity(part.len());
    let mut rest = part.bytes();
    while let Some(byte) = rest.next() {
        bytes.push(match byte {
            b'%' => digit(rest.next()?)? * 16 + digit(rest.next()?)?,
            plain => plain,
        });
    }
    String::from_utf8(bytes).ok()
}

const fn digit(byte: u8) -> Option<u8> {
    match byte {
        b'0'..=b'9' => Some(byte - b'0'),
        b'a'..=b'f' => Some(byte - b'a' + 10),
        b'A'..=b'F' => Some(byte - b'A' + 10),
        _ => None,
    }
}

fn encode(name: &str, text: &mut String) {
    for byte in name.bytes() {
        // RFC 3986 §2.3
        if byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'.' | b'_' | b'~') {
            text.push(char::from(byte));
        } else {
            let written = write!(text, "%{byte:02X}");
            debug_assert!(written.is_ok(), "a string takes everything");
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn address(workspace: Option<&str>, is_read_only: bool) -> Address<'_> {
        Address { server: "boards", workspace: workspace.map(Cow::Borrowed), is_read_only }
    }

    #[test]
    fn an_address_is_read_as_it_is_written() {
        for (path, expected) in [
            ("/mcp/boards", address(None, false)),
            ("/mcp/boards/readonly", address(None, true)),
            ("/mcp/boards/w/docs.example", address(Some("docs.example"), false)),
            ("/mcp/boards/w/docs.example/readonly", address(Some("docs.example"), true)),
            ("/mcp/boards/w/readonly", address(Some("readonly"), false)),
            ("/mcp/boards/w/w/readonly", address(Some("w"), true)),
            ("/mcp/boards/w/a%20b%2Fc", address(Some("a b/c"), false)),
            ("/mcp/boards/w/%C3%A9t%C3%A9", address(Some("été"), false)),
            ("/mcp/boards/w/100%2525", address(Some("100%25"), false)),
        ] {
            assert_eq!(Address::parse(path).as_ref(), Some(&expected), "{path}");
            assert_eq!(Address::parse(&format!("{path}/")), Some(expected.clone()), "{path}/");
            assert_eq!(expected.path(), path);
        }
        let spelled = Address::parse("/mcp/boards/w/%64ocs%2eexample").unwrap();
        assert_eq!(spelled, address(Some("docs.example"), false));
    }

    #[test]
    fn what_is_no_address_is_none() {
        let long = format!("/mcp/boards/w/{}", "x".repeat(LONGEST_WORKSPACE + 1));
        for path in [
            "",
            "/",
            "/mcp",
            "/mcp/",
            "/mcp//",
            "/mcp/boards//",
            "/mcp/boards/w",
            "/mcp/boards/w/",
            "/mcp/boards/w//",
            "/mcp/boards/w//readonly",
            "/mcp/boards/w/a/b",
            "/mcp/boards/w/a/readonly/b",
            "/mcp/boards/w/..",
            "/mcp/boards/w/%2e%2E",
            "/mcp/boards/w/%00",
            "/mcp/boards/w/%0a",
            "/mcp/boards/w/%ff",
            "/mcp/boards/w/%4",
            "/mcp/boards/w/%zz",
            "/mcp/boards/readonly/w/a",
            "/mcp/boards/readonly//",
            "/mcp/boards/other",
            "/MCP/boards",
            "mcp/boards",
            &long,
        ] {
            assert_eq!(Address::parse(path), None, "{path}");
        }
    }
}
