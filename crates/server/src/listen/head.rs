//! What the HTTP library no longer tells once it has read a request's head: lengths that contradict
//! each other, and lines that end as no client ends them. Each is how a request is hidden behind
//! another one, where the proxy before us counts differently.

/// The longest name that matters, `transfer-encoding`, and one more.
const LONGEST: usize = 18;

/// Of a request line, as much as it takes to know whose words to use.
const LONGEST_LINE: usize = 256;

/// Looks at a head's bytes as they come in.
#[derive(Debug)]
pub(super) struct Head {
    line: [u8; LONGEST_LINE],
    line_length: usize,
    name: [u8; LONGEST],
    /// Of the name; larger than the buffer is some other name.
    length: usize,
    place: Place,
    lengths: usize,
    encodings: usize,
    /// What Content-Length says; with two of them it does not matter.
    stated: u64,
    has_bare_newline: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Place {
    /// Before the first byte.
    Outside,
    RequestLine,
    Name,
    Value,
    /// After a carriage return in the request line or a value; a name has none.
    Return,
    /// After one at the beginning of a line, where the head ends.
    LastReturn,
    Ended,
}

impl Default for Head {
    fn default() -> Self {
        Self {
            line: [0; LONGEST_LINE],
            line_length: 0,
            name: [0; LONGEST],
            length: 0,
            place: Place::Outside,
            lengths: 0,
            encodings: 0,
            stated: 0,
            has_bare_newline: false,
        }
    }
}

impl Head {
    /// The request line from its beginning, if it is text.
    pub(super) fn line(&self) -> &str {
        let line = self.line.get(..self.line_length).unwrap_or_default();
        std::str::from_utf8(line).unwrap_or_default()
    }

    pub(super) fn has_begun(&self) -> bool {
        self.place != Place::Outside
    }

    /// Whether proxies may have read this head in another way than we do.
    pub(super) fn is_ambiguous(&self) -> bool {
        self.lengths > 1
            || self.encodings > 1
            || (self.lengths > 0 && self.encodings > 0)
            || self.has_bare_newline
    }

    pub(super) fn has_ended(&self) -> bool {
        self.place == Place::Ended
    }

    /// How long the body is, once the head has ended; `None`: it says so by itself, in chunks.
    pub(super) fn body(&self) -> Option<u64> {
        (self.encodings == 0).then_some(self.stated)
    }

    /// Answers what comes after the head's end.
    pub(super) fn read<'b>(&mut self, bytes: &'b [u8]) -> &'b [u8] {
        for (at, byte) in bytes.iter().enumerate() {
            if self.has_ended() {
                return &bytes[at..];
            }
            self.step(*byte);
        }
        &[]
    }

    fn step(&mut self, byte: u8) {
        if matches!(self.place, Place::Outside | Place::RequestLine)
            && byte >= b' '
            && let Some(place) = self.line.get_mut(self.line_length)
        {
            *place = byte;
            self.line_length += 1;
        }
        self.place = match (self.place, byte) {
            (Place::Ended, _) | (Place::LastReturn, b'\n') => Place::Ended,
            // Empty lines before a request are skipped by everyone.
            (Place::Outside, b'\r' | b'\n') => Place::Outside,
            (Place::Outside, _) => Place::RequestLine,
            (Place::Return, b'\n') => self.next_line(),
            (Place::Name, b'\n') => {
                self.has_bare_newline = true;
                if self.length == 0 { Place::Ended } else { self.next_line() }
            }
            (Place::RequestLine | Place::Value, b'\n') => {
                self.has_bare_newline = true;
                self.next_line()
            }
            (Place::Name, b'\r') if self.length == 0 => Place::LastReturn,
            (Place::RequestLine | Place::Value | Place::Return, b'\r') => Place::Return,
            (Place::Name, b':') => {
                self.count();
                Place::Value
            }
            (Place::Name, byte) => {
                if let Some(place) = self.name.get_mut(self.length) {
                    *place = byte.to_ascii_lowercase();
                }
                self.length += 1;
                Place::Name
            }
            (Place::Return | Place::LastReturn, _) => Place::Value,
            (Place::Value, digit @ b'0'..=b'9') if self.is_length() => {
                self.stated =
                    self.stated.saturating_mul(10).saturating_add(u64::from(digit - b'0'));
                Place::Value
            }
            (place @ (Place::RequestLine | Place::Value), _) => place,
        };
    }

    fn next_line(&mut self) -> Place {
        self.length = 0;
        Place::Name
    }

    fn is_length(&self) -> bool {
        self.name.get(..self.length) == Some(b"content-length")
    }

    fn count(&mut self) {
        match self.name.get(..self.length) {
            Some(b"content-length") => self.lengths += 1,
            Some(b"transfer-encoding") => self.encodings += 1,
            Some(_) | None => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn is_ambiguous(head: &str) -> bool {
        let mut whole = Head::default();
        whole.read(head.as_bytes());
        let mut in_pieces = Head::default();
        for byte in head.as_bytes() {
            in_pieces.read(&[*byte]);
        }
        assert_eq!(in_pieces.is_ambiguous(), whole.is_ambiguous(), "{head:?}");
        whole.is_ambiguous()
    }

    // sec:M-2
    #[test]
    fn a_head_that_can_be_read_in_two_ways_is_known() {
        for (lines, expected) in [
            ("Content-Length: 3\r\n\r\n", false),
            ("Transfer-Encoding: chunked\r\n\r\n", false),
            ("Content-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n", true),
            ("Transfer-Encoding: chunked\r\nX: y\r\ncontent-length: 3\r\n\r\n", true),
            ("Content-Length: 3\r\nCONTENT-LENGTH: 3\r\n\r\n", true),
            ("Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n\r\n", true),
            ("X-Content-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n", false),
            ("X: Content-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n", false),
            ("Content-Length: 3\r\n\r\nTransfer-Encoding: chunked\r\n\r\n", false),
            ("Host: a\nX: y\r\n\r\n", true),
            ("Host: a\r\n\n", true),
            ("\r\n", false),
        ] {
            assert_eq!(is_ambiguous(&format!("POST / HTTP/1.1\r\n{lines}")), expected, "{lines:?}");
        }
        assert!(is_ambiguous("POST / HTTP/1.1\nHost: a\r\n\r\n"));
        assert!(!is_ambiguous("\r\nPOST / HTTP/1.1\r\nHost: a\r\n\r\n"));
    }

    // sec:N05
    #[test]
    fn the_beginning_of_a_request_line_is_kept() {
        let long = format!("GET /{} HTTP/1.1\r\nHost: a\r\n\r\n", "a".repeat(1_000));
        let kept = format!("GET /{}", "a".repeat(LONGEST_LINE - 5));
        for (head, line) in [
            ("", ""),
            ("\r\n", ""),
            ("GET / HTTP/1.1\r\nHost: a\r\n\r\n", "GET / HTTP/1.1"),
            (&long, &kept),
            ("GET /\u{e9}", "GET /\u{e9}"),
        ] {
            let mut read = Head::default();
            read.read(head.as_bytes());
            assert_eq!(read.line(), line);
        }
        let mut torn = Head::default();
        torn.read(b"GET /\xff");
        assert_eq!(torn.line(), "");
    }

    // sec:M-2
    #[test]
    fn a_head_says_where_the_next_request_begins() {
        for (lines, body) in [
            ("", Some(0)),
            ("Content-Length: 12\r\nX: 3\r\n", Some(12)),
            ("X-Content-Length: 4\r\n", Some(0)),
            ("Content-Length: 99999999999999999999999\r\n", Some(u64::MAX)),
            ("Transfer-Encoding: chunked\r\n", None),
        ] {
            let mut head = Head::default();
            let text = format!("POST / HTTP/1.1\r\n{lines}\r\nthe rest");
            assert_eq!(head.read(text.as_bytes()), b"the rest", "{lines:?}");
            assert_eq!((head.has_ended(), head.body()), (true, body), "{lines:?}");
        }
    }
}
