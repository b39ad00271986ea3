//! The load: a number of connections that stay open, each of which asks again as soon as it was
//! answered.

use std::net::SocketAddr;
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result, bail};
use bytes::Bytes;
use http::{Request, StatusCode};
use http_body_util::{BodyExt as _, Full};
use hyper::client::conn::http1::{SendRequest, handshake};
use hyper_util::rt::TokioIo;
use tokio::net::TcpStream;
use tokio::task::JoinSet;

/// Connections of the load, and calls that are under way at once.
pub(crate) const WIDE: usize = 16;

const REFUSED: &[u8] = br#""isError":true"#;

/// What one server did in one round.
#[derive(Debug)]
pub(crate) struct Sample {
    pub(crate) calls: usize,
    pub(crate) elapsed: Duration,
    /// Of each call, in microseconds, the shortest first.
    pub(crate) latencies: Vec<u32>,
}

/// Asks for that long. Each request is one connection's own.
pub(crate) async fn put(
    address: SocketAddr,
    requests: &[Request<Full<Bytes>>],
    time: Duration,
) -> Result<Sample> {
    let started = Instant::now();
    let mut callers = JoinSet::new();
    for request in requests {
        callers.spawn(call(address, request.clone(), started + time));
    }
    let mut latencies = Vec::new();
    while let Some(done) = callers.join_next().await {
        latencies.extend(done??);
    }
    let elapsed = started.elapsed();
    latencies.sort_unstable();
    Ok(Sample { calls: latencies.len(), elapsed, latencies })
}

async fn call(
    address: SocketAddr,
    request: Request<Full<Bytes>>,
    until: Instant,
) -> Result<Vec<u32>> {
    let mut sender = open(address).await?;
    let mut latencies = Vec::new();
    while Instant::now() < until {
        let began = Instant::now();
        let response = sender.send_request(request.clone()).await?;
        let status = response.status();
        let body = response.into_body().collect().await?.to_bytes();
        latencies.push(u32::try_from(began.elapsed().as_micros()).unwrap_or(u32::MAX));
        // A refusal is quick, and would be the best result of all.
        if status != StatusCode::OK || contains(&body, REFUSED) {
            bail!("answered {status} {}", String::from_utf8_lossy(&body));
        }
        sender.ready().await?;
    }
    Ok(latencies)
}

fn contains(body: &[u8], part: &[u8]) -> bool {
    body.windows(part.len()).any(|window| window == part)
}

/// Ends with the sender, whose error is what went wrong here.
#[expect(clippy::disallowed_methods, reason = "nothing is left to shut down")]
fn drive(connection: impl Future + Send + 'static) {
    drop(tokio::spawn(async { drop(connection.await) }));
}

async fn open(address: SocketAddr) -> Result<SendRequest<Full<Bytes>>> {
    let stream = TcpStream::connect(address).await.context("nobody listens")?;
    stream.set_nodelay(true)?;
    let (sender, connection) = handshake(TokioIo::new(stream)).await?;
    drive(connection);
    Ok(sender)
}
