//! A socket on which a test says what no client library would.

use std::io::{self, Read as _, Write as _};
use std::net::{Shutdown, TcpStream};
use std::time::{Duration, Instant};

use rustix::process::{Resource, getrlimit, setrlimit};

/// Longer than any deadline of the product.
const PATIENCE: Duration = Duration::from_secs(100);

/// What a test has open beside its sockets.
const OTHER_FILES: usize = 200;

#[derive(Debug)]
pub struct Wire {
    stream: TcpStream,
    read: Vec<u8>,
    opened_at: Instant,
}

impl Wire {
    /// How many may be open at once, once this process may have as many as it is allowed at all.
    pub fn most() -> usize {
        let mut limit = getrlimit(Resource::Nofile);
        limit.current = limit.maximum;
        setrlimit(Resource::Nofile, limit).unwrap();
        let files = limit.current.map_or(usize::MAX, |it| usize::try_from(it).unwrap());
        files - OTHER_FILES
    }

    pub fn to(address: &str) -> Self {
        Self::try_to(address).unwrap()
    }

    pub fn try_to(address: &str) -> io::Result<Self> {
        let stream = TcpStream::connect(address)?;
        stream.set_read_timeout(Some(PATIENCE))?;
        stream.set_write_timeout(Some(PATIENCE))?;
        stream.set_nodelay(true)?;
        Ok(Self { stream, read: Vec::new(), opened_at: Instant::now() })
    }

    /// One exchange on a connection of its own.
    pub fn ask(address: &str, request: &str) -> String {
        let mut wire = Self::to(address);
        wire.send(request);
        wire.answer()
    }

    /// As much as the other side takes.
    pub fn send(&mut self, bytes: impl AsRef<[u8]>) {
        // The other side may have answered and gone.
        let _cut = self.stream.write_all(bytes.as_ref());
    }

    pub fn has_nothing_more(&self) {
        self.stream.shutdown(Shutdown::Write).unwrap();
    }

    /// Status and body of the next answer: `400 {"error": …}`; nothing if the other side hung up.
    pub fn answer(&mut self) -> String {
        let Some(end) = self.until(|read| read.windows(4).position(|it| it == b"\r\n\r\n")) else {
            return String::new();
        };
        let head = String::from_utf8(self.read.drain(..end + 4).collect()).unwrap();
        let status = head.split(' ').nth(1).unwrap();
        let length = head.lines().find_map(|line| line.strip_prefix("content-length: "));
        let length: usize = length.map_or(0, |it| it.parse().unwrap());
        self.until(|read| (read.len() >= length).then_some(()));
        let body = self.read.drain(..length.min(self.read.len())).collect();
        format!("{status} {}", String::from_utf8(body).unwrap()).trim_end().to_owned()
    }

    /// After how long, counted from its beginning, the other side hung up.
    pub fn closed_after(mut self) -> Duration {
        let opened_at = self.opened_at;
        while self.more() {}
        opened_at.elapsed()
    }

    fn until<T>(&mut self, found: impl Fn(&[u8]) -> Option<T>) -> Option<T> {
        loop {
            if let Some(found) = found(&self.read) {
                return Some(found);
            }
            if !self.more() {
                return None;
            }
        }
    }

    /// Whether more came, or the other side hung up.
    fn more(&mut self) -> bool {
        let mut bytes = [0; 16 * 1024];
        match self.stream.read(&mut bytes) {
            Ok(0) => false,
            Ok(read) => {
                self.read.extend_from_slice(&bytes[..read]);
                true
            }
            Err(error) if error.kind() == io::ErrorKind::ConnectionReset => false,
            Err(error) => panic!("neither an answer nor an end: {error}"),
        }
    }
}
