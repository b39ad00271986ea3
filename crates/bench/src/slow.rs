//! Those who begin a request and do not finish it, while others are served.

use std::net::SocketAddr;
use std::time::Duration;

use anyhow::{Context as _, Result, bail};
use rustix::process::{Resource, getrlimit, setrlimit};
use tokio::net::TcpStream;
use tokio::task::JoinSet;
use tokio::time::interval;

/// As many as there are where this process may have the files.
const MOST: usize = 2_000;

/// What else the bench has open.
const OTHER_FILES: usize = 200;

const BEGINNING: &[u8] = b"GET / HTTP/1.1\r\nHost: a\r\nX: ";

/// Each of them says one byte of its head in that time.
const PAUSE: Duration = Duration::from_secs(1);

/// It hangs up where it is dropped.
pub(crate) struct Crowd(JoinSet<Result<()>>);

/// How many can be had. Raises the limit of this process as far as it may.
pub(crate) fn size() -> Result<usize> {
    let mut limit = getrlimit(Resource::Nofile);
    limit.current = limit.maximum;
    setrlimit(Resource::Nofile, limit).context("the limit of open files cannot be raised")?;
    let files = limit.maximum.and_then(|it| usize::try_from(it).ok()).unwrap_or(usize::MAX);
    Ok(files.saturating_sub(OTHER_FILES).min(MOST))
}

impl Crowd {
    /// Each of them has begun when this returns.
    pub(crate) async fn gather(address: SocketAddr, size: usize) -> Result<Self> {
        let mut conns = Vec::new();
        for _ in 0..size {
            let conn = TcpStream::connect(address).await?;
            say(&conn, BEGINNING).await?;
            conns.push(conn);
        }
        let mut all = JoinSet::new();
        all.spawn(trickle(conns));
        Ok(Self(all))
    }

    /// An error if one of them was hung up on.
    pub(crate) fn check_there(&mut self) -> Result<()> {
        match self.0.try_join_next() {
            None => Ok(()),
            Some(ended) => ended?,
        }
    }
}

/// Ends with the first that is hung up on.
async fn trickle(conns: Vec<TcpStream>) -> Result<()> {
    let size = u32::try_from(conns.len().max(1))?;
    let mut ticks = interval(PAUSE / size);
    for conn in conns.iter().cycle() {
        ticks.tick().await;
        say(conn, b"y").await?;
        if conn.try_read(&mut [0]).is_ok() {
            bail!("one of those who are slow was answered");
        }
    }
    Ok(())
}

async fn say(conn: &TcpStream, words: &[u8]) -> Result<()> {
    conn.writable().await?;
    let said = conn.try_write(words).context("one of those who are slow was hung up on")?;
    if said < words.len() {
        bail!("one of those who are slow is not heard");
    }
    Ok(())
}
