//! Listening: who is let in, for how long, and how everybody leaves. Knows HTTP only as something
//! that a router answers.

mod connection;
mod descriptors;
mod guests;
mod head;
mod lent;
mod link;
mod patient;
mod unread;

use std::future::poll_fn;
use std::io;
use std::net::SocketAddr;
use std::pin::pin;
use std::task::Poll;
use std::time::Duration;

use axum::Router;
use tokio::net::{TcpListener, TcpStream};
use tokio::time::sleep;

pub(crate) use self::connection::{Ambiguous, Peer};
pub(crate) use self::descriptors::make_room;
use self::guests::Guests;
pub(crate) use self::unread::Unreadable;

/// How long the other side of a connection has.
#[derive(Clone, Copy, Debug)]
pub struct Patience {
    /// To send a request's head, from its first byte; a new connection, from its beginning.
    pub head: Duration,
    /// Between an answer and the next request.
    pub idle: Duration,
    /// To take some of what it is sent.
    pub write: Duration,
    /// To be answered after the listeners have closed.
    pub leave: Duration,
}

impl Patience {
    pub const USUAL: Self = Self {
        head: Duration::from_secs(10),
        idle: Duration::from_secs(75),
        write: Duration::from_secs(30),
        leave: Duration::from_secs(10),
    };
}

/// How many may be connected at once.
#[derive(Clone, Copy, Debug)]
pub struct Room {
    pub in_all: usize,
    /// From one address, which may be a proxy or an office.
    pub from_one: usize,
}

impl Room {
    /// Nobody has more than half of it.
    pub fn of(in_all: usize) -> Self {
        Self { in_all, from_one: in_all.div_ceil(2) }
    }
}

/// How those who are connected are treated.
#[derive(Clone, Copy, Debug)]
pub struct Manner {
    pub room: Room,
    pub patience: Patience,
}

/// Connections that were cut off in the middle of an answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Cut(pub usize);

/// While the system has no file left for another connection.
const PAUSE: Duration = Duration::from_millis(50);

/// Answers until `told`; then nobody else is let in, whoever only waits is sent away, and whoever
/// is being answered has until the patience ends, or until `at_once`.
pub async fn serve(
    listeners: Vec<TcpListener>,
    router: Router,
    manner: Manner,
    told: impl Future<Output = ()>,
    at_once: impl Future<Output = ()>,
) -> Cut {
    let mut told = pin!(told);
    let mut guests = Guests::new(router, manner);
    loop {
        tokio::select! {
            // First, or a flood of new connections would keep us from seeing that others ended.
            biased;
            () = &mut told => break,
            () = guests.one_left() => {}
            accepted = accept(&listeners), if guests.has_room() => match accepted {
                Ok((stream, from)) => guests.welcome(stream, from),
                Err(error) => refused(&mut guests, &error).await,
            },
        }
    }
    drop(listeners);
    guests.send_off(at_once).await
}

/// The next connection at any of them.
async fn accept(listeners: &[TcpListener]) -> io::Result<(TcpStream, SocketAddr)> {
    poll_fn(|cx| {
        for listener in listeners {
            if let Poll::Ready(accepted) = listener.poll_accept(cx) {
                return Poll::Ready(accepted);
            }
        }
        Poll::Pending
    })
    .await
}

/// Whatever went wrong with one connection, the next is waited for.
async fn refused(guests: &mut Guests, error: &io::Error) {
    let hung_up = [
        io::ErrorKind::ConnectionAborted,
        io::ErrorKind::ConnectionRefused,
        io::ErrorKind::ConnectionReset,
        io::ErrorKind::Interrupted,
    ];
    if hung_up.contains(&error.kind()) {
        return;
    }
    tracing::warn!(%error, connections = guests.count(), "no other connection can be taken now");
    guests.make_room();
    sleep(PAUSE).await;
}
