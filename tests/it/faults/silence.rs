//! A database behind a network that loses every packet, until another one takes its place. The
//! connections to the first are never told.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::SeqCst};
use std::time::{Duration, Instant};

use futures_util::future::join_all;
use portico_testkit::{Client, Connection, Database, Portico, Scratch, Tenant};
use serde_json::json;
use tokio::io::{AsyncRead, AsyncReadExt as _, AsyncWrite, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream, UnixStream};
use url::Url;

const PATIENCE: Duration = Duration::from_secs(30);
const PAUSE: Duration = Duration::from_millis(20);

/// The network between the program and its database.
struct Network {
    url: String,
    is_silent: Arc<AtomicBool>,
}

impl Network {
    async fn to(database: &str) -> Self {
        let mut url = Url::parse(database).unwrap();
        let target = Target::parse(&url);
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        url.set_host(Some("127.0.0.1")).unwrap();
        url.set_port(Some(listener.local_addr().unwrap().port())).unwrap();
        let is_silent = Arc::new(AtomicBool::new(false));
        let silent = Arc::clone(&is_silent);
        #[expect(clippy::disallowed_methods, reason = "ends with the runtime of its test")]
        tokio::spawn(async move {
            loop {
                let (near, _) = listener.accept().await.unwrap();
                let (near, far) = (split(near), target.connect().await);
                for (from, to) in [(near.0, far.1), (far.0, near.1)] {
                    tokio::spawn(carry(from, to, Arc::clone(&silent)));
                }
            }
        });
        Self { url: url.into(), is_silent }
    }
}

type From = Box<dyn AsyncRead + Send + Unpin>;
type To = Box<dyn AsyncWrite + Send + Unpin>;

fn split(stream: impl AsyncRead + AsyncWrite + Send + 'static) -> (From, To) {
    let (from, to) = tokio::io::split(stream);
    (Box::new(from), Box::new(to))
}

enum Target {
    Address(String),
    Socket(String),
}

impl Target {
    fn parse(url: &Url) -> Self {
        let (host, port) = (url.host_str().unwrap(), url.port().unwrap_or(5432));
        // Where a host would stand, the directory of a socket may.
        let host = url::form_urlencoded::parse(host.as_bytes()).next().unwrap().0;
        if host.starts_with('/') {
            Self::Socket(format!("{host}/.s.PGSQL.{port}"))
        } else {
            Self::Address(format!("{host}:{port}"))
        }
    }

    async fn connect(&self) -> (From, To) {
        match self {
            Self::Address(address) => split(TcpStream::connect(address).await.unwrap()),
            Self::Socket(path) => split(UnixStream::connect(path).await.unwrap()),
        }
    }
}

/// Until the network is silent. What was connected then stays so for good, and hears nothing.
async fn carry(mut from: From, mut to: To, is_silent: Arc<AtomicBool>) {
    let mut bytes = vec![0; 64 * 1024];
    loop {
        let read = from.read(&mut bytes).await.unwrap_or(0);
        if is_silent.load(SeqCst) {
            std::future::pending::<()>().await;
        }
        if read == 0 || to.write_all(&bytes[..read]).await.is_err() {
            return;
        }
    }
}

async fn list(app: &Connection) -> u16 {
    app.call("list_workspaces", json!({})).await.0.status.as_u16()
}

// sec:R04
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn connections_that_are_never_told_of_their_end_are_given_up_in_time() {
    let (db, scratch) = (Database::new().await, Scratch::new());
    let acme = Tenant::new(&db).await;
    let ada = acme.person("ada").member_of("docs").await;
    let app = ada.connect(Client::claude()).await;
    let network = Network::to(db.url()).await;
    let portico = Portico::serve_acme(&scratch, &network.url, &[]);
    let gateway = portico.gateway(db.url()).await;
    let app = app.before(&gateway);
    let document = acme.url("/.well-known/oauth-authorization-server");
    assert_eq!(join_all((0..20).map(|_| list(&app))).await, [200; 20]);

    network.is_silent.store(true, SeqCst);
    // As many as there are connections wait on them, and nobody will tell them either.
    let calls = join_all((0..50).map(|_| list(&app)));
    let (calls, found) = tokio::join!(calls, gateway.fetch(&document));
    assert_eq!(calls, [503; 50]);
    // Who asks for the way is told what was known last.
    assert_eq!(found.status, 200, "{}", found.body);
    let deadline = Instant::now() + PATIENCE;
    while !portico.log().contains("was given up") {
        assert!(Instant::now() < deadline, "{}", portico.log());
        tokio::time::sleep(PAUSE).await;
    }

    network.is_silent.store(false, SeqCst);
    while list(&app).await != 200 {
        assert!(Instant::now() < deadline, "{}", portico.log());
        tokio::time::sleep(PAUSE).await;
    }
    assert_eq!(join_all((0..50).map(|_| list(&app))).await, [200; 50]);
    // The record did not wait for them either.
    db.wait_for_calls(71).await;
}
