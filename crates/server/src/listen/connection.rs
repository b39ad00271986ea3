//! One connection from its first byte to its last. HTTP/1.1 and nothing else: no second protocol is
//! agreed on, and none is upgraded to.

use std::convert::Infallible;
use std::net::{IpAddr, SocketAddr};
use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::extract::Request;
use axum::http::{HeaderValue, header};
use axum::response::Response;
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::{TokioIo, TokioTimer};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;
use tower::ServiceExt as _;

use super::link::{Link, Sent};
use super::patient::Patient;
use super::{Patience, lent};

/// Who is at the other end of the connection, which may be a proxy.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Peer(pub(crate) IpAddr);

/// The head could be read in two ways. Whoever answers says so; nobody acts on such a request.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Ambiguous;

/// Above what we refuse in the words of the address, so that those words are what is seen.
const MOST_HEADERS: usize = 256;

/// Holds a head that is refused for its length alone, and the longest address that the library
/// still reads.
const LARGEST_BUFFER: usize = 128 * 1024;

/// A sender whose body nobody wanted is listened to for so long, since hanging up at once would
/// tear the answer out of its hands.
const LINGER: Duration = Duration::from_secs(2);
const LARGEST_REST: usize = 4 * 1024 * 1024;

pub(super) async fn serve(
    stream: TcpStream,
    from: SocketAddr,
    link: Arc<Link>,
    router: Router,
    patience: Patience,
) {
    // Whoever waits for an answer waits for its last small piece.
    if stream.set_nodelay(true).is_err() {
        return;
    }
    let io = Patient::new(stream, Arc::clone(&link), patience.head, patience.write);
    let peer = Peer(from.ip().to_canonical());
    let service = {
        let (link, router) = (Arc::clone(&link), router.clone());
        service_fn(move |request| {
            Box::pin(answer(router.clone(), Arc::clone(&link), peer, request))
        })
    };
    let mut conn = http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(patience.idle)
        .max_headers(MOST_HEADERS)
        .max_buf_size(LARGEST_BUFFER)
        // A sender that is done sending is answered all the same.
        .half_close(true)
        .serve_connection(TokioIo::new(io), service);

    let mut asked = pin!(link.asked_to_leave());
    let mut is_leaving = false;
    let ended = loop {
        tokio::select! {
            ended = std::future::poll_fn(|cx| conn.poll_without_shutdown(cx)) => break ended,
            () = &mut asked, if !is_leaving => {
                // The library would wait for the rest of it.
                if link.owes_a_head() {
                    return;
                }
                is_leaving = true;
                Pin::new(&mut conn).graceful_shutdown();
            }
        }
    };
    if let Err(error) = ended {
        tracing::debug!(peer = %peer.0, error = &error as &dyn std::error::Error, "a connection broke off");
        let mut io = conn.into_parts().io.into_inner();
        let Some(unread) = io.take_unread() else { return };
        if let Some(stream) = unread.answer(io.into_stream(), router, peer, patience.write).await {
            hang_up(stream, true).await;
        }
        return;
    }
    let io = conn.into_parts().io.into_inner();
    let still_sends = !is_leaving && !io.has_ended();
    hang_up(io.into_stream(), still_sends).await;
}

async fn answer(
    router: Router,
    link: Arc<Link>,
    peer: Peer,
    request: Request<Incoming>,
) -> Result<Response<Sent>, Infallible> {
    let (busy, is_ambiguous) = link.begin();
    let (head, body) = request.into_parts();
    let (body, home) = lent::lend(body);
    let mut request = Request::from_parts(head, body);
    request.extensions_mut().insert(peer);
    if is_ambiguous {
        request.extensions_mut().insert(Ambiguous);
    }
    let mut response = router.oneshot(request).await?;
    if !home.read_to_its_end().await || link.is_early() {
        // A client that knows does not send its next request after the rest of this one.
        response.headers_mut().insert(header::CONNECTION, HeaderValue::from_static("close"));
    }
    Ok(response.map(|body| busy.until_sent(body)))
}

/// Ends our side, and takes what the other side is still sending, which nobody reads.
async fn hang_up(mut stream: TcpStream, still_sends: bool) {
    if stream.shutdown().await.is_err() || !still_sends {
        return;
    }
    let rest = async {
        let mut waste = vec![0; 16 * 1024];
        let mut taken = 0;
        while let Ok(read @ 1..) = stream.read(&mut waste).await {
            taken += read;
            if taken > LARGEST_REST {
                break;
            }
        }
    };
    // Late or not, it is over.
    match tokio::time::timeout(LINGER, rest).await {
        Ok(()) | Err(_) => {}
    }
}
