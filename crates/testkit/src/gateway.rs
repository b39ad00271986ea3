//! A gateway to speak to: the real routes without a socket, or a process behind one. Keeps every
//! answer that was JSON, so that a test can look at all of them at its end.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use axum::Router;
use axum::body::Body;
use http::{HeaderMap, Method, Request, StatusCode, header};
use http_body_util::BodyExt as _;
use portico_bridge::{Leases, Recorder};
use portico_identity::Hasher;
use portico_model::Issuer;
use portico_server::app::{App, modules};
use portico_server::edge::Edge;
use portico_server::router::router;
use portico_server::tenant::Origin;
use portico_server::tenants::Tenants;
use portico_storage::Pool;
use serde_json::Value;
use tower::ServiceExt as _;

use crate::Database;

/// Where a gateway without a socket believes itself to be.
pub const ORIGIN: &str = "https://gateway.example";

/// Passwords that one test may have checked at once.
const HASHES_AT_ONCE: usize = 4;

/// Cheap to clone. The database belongs to the test, which keeps it longer.
#[derive(Clone)]
pub struct Gateway {
    wire: Wire,
    pool: Pool,
    origin: Origin,
    transcript: Arc<Transcript>,
}

#[derive(Clone)]
enum Wire {
    Routes(Router),
    /// Where the process listens, which need not be the origin.
    Socket(reqwest::Client, String),
}

/// What was asked, and the JSON that came back.
#[derive(Debug, Default)]
struct Transcript(Mutex<Vec<(String, Value)>>);

impl Gateway {
    /// One that serves its tenants below `/v/<tenant>`.
    pub async fn shared(db: &Database) -> Self {
        Self::on(db.pool().await, None, Arc::default()).await
    }

    /// One whose origin is the tenant's alone.
    pub async fn bound(db: &Database, slug: &str) -> Self {
        Self::on(db.pool().await, Some(slug.to_owned()), Arc::default()).await
    }

    /// Another instance on the same database, for which it is so much later.
    pub async fn later(&self, db: &Database, passed: Duration) -> Self {
        self.with_pool(db.pool_later(passed).await).await
    }

    /// Another instance, with connections that the test chose.
    pub async fn with_pool(&self, pool: Pool) -> Self {
        Self::on(pool, self.origin.bound.clone(), Arc::clone(&self.transcript)).await
    }

    /// A process that listens at `address` and says that it is at `origin`.
    pub(crate) fn behind(address: String, origin: Origin, pool: Pool) -> Self {
        let client = reqwest::Client::builder()
            .redirect(reqwest::redirect::Policy::none())
            .no_proxy()
            .build()
            .unwrap();
        Self { wire: Wire::Socket(client, address), pool, origin, transcript: Arc::default() }
    }

    #[expect(clippy::disallowed_methods, reason = "ends with the runtime of its test")]
    async fn on(pool: Pool, bound: Option<String>, transcript: Arc<Transcript>) -> Self {
        let origin = Origin { url: ORIGIN.to_owned(), bound };
        let tenants = Tenants::load(&pool, origin.clone(), modules()).await.unwrap();
        let (recorder, journal) = Recorder::new();
        tokio::spawn(journal.run(pool.clone(), std::future::pending()));
        let hasher = Hasher::new(HASHES_AT_ONCE);
        let leases = Leases::default();
        let edge = Edge::new(Vec::new(), Vec::new());
        let app = App { pool: pool.clone(), tenants, recorder, leases, hasher, edge };
        Self { wire: Wire::Routes(router(app)), pool, origin, transcript }
    }

    pub fn pool(&self) -> &Pool {
        &self.pool
    }

    /// Scheme, host and port.
    pub fn origin(&self) -> &str {
        &self.origin.url
    }

    pub fn issuer(&self, slug: &str) -> Issuer {
        self.origin.issuer(slug)
    }

    /// Sends one request. The address may be whole or begin at its path.
    pub async fn send(&self, request: Request<Body>) -> Answer {
        let asked = format!("{} {}", request.method(), request.uri());
        let answer = match &self.wire {
            Wire::Routes(router) => self.route(router.clone(), request).await,
            Wire::Socket(client, address) => self.over(client, address, request).await,
        };
        if answer.is_json() {
            self.transcript.0.lock().unwrap().push((asked, answer.json()));
        }
        answer
    }

    async fn route(&self, router: Router, request: Request<Body>) -> Answer {
        let (mut parts, body) = request.into_parts();
        self.name_host(&mut parts);
        parts.uri = path(&parts.uri).parse().unwrap();
        let response = router.oneshot(Request::from_parts(parts, body)).await.unwrap();
        let (parts, body) = response.into_parts();
        let body = body.collect().await.unwrap().to_bytes();
        let body = String::from_utf8(body.to_vec()).unwrap();
        Answer { status: parts.status, headers: parts.headers, body }
    }

    async fn over(
        &self,
        client: &reqwest::Client,
        address: &str,
        request: Request<Body>,
    ) -> Answer {
        let (mut parts, body) = request.into_parts();
        self.name_host(&mut parts);
        let body = body.collect().await.unwrap().to_bytes();
        let response = client
            .request(parts.method, format!("{address}{}", path(&parts.uri)))
            .headers(parts.headers)
            .body(body)
            .send()
            .await
            .unwrap();
        let (status, headers) = (response.status(), response.headers().clone());
        Answer { status, headers, body: response.text().await.unwrap() }
    }

    /// The one that the address has, or the gateway's own. A test may have put in another.
    fn name_host(&self, parts: &mut http::request::Parts) {
        let own = || self.origin.url.split("://").last().unwrap();
        let host = parts.uri.authority().map_or_else(own, http::uri::Authority::as_str);
        let host = host.parse().unwrap();
        parts.headers.entry(header::HOST).or_insert(host);
    }

    pub async fn fetch(&self, url: &str) -> Answer {
        self.send(Request::get(url).body(Body::empty()).unwrap()).await
    }

    pub async fn post_json(&self, url: &str, body: &Value) -> Answer {
        let request = Request::post(url).header(header::CONTENT_TYPE, "application/json");
        self.send(request.body(Body::from(body.to_string())).unwrap()).await
    }

    pub async fn post_form(&self, url: &str, fields: &[(&str, &str)]) -> Answer {
        let request = Request::builder()
            .method(Method::POST)
            .uri(url)
            .header(header::CONTENT_TYPE, "application/x-www-form-urlencoded");
        self.send(request.body(Body::from(form(fields))).unwrap()).await
    }

    /// Every JSON answer so far, with what was asked.
    pub fn answers(&self) -> Vec<(String, Value)> {
        self.transcript.0.lock().unwrap().clone()
    }
}

fn path(uri: &http::Uri) -> String {
    uri.path_and_query().map_or("/", |it| it.as_str()).to_owned()
}

/// Fields as a form sends them.
pub fn form(fields: &[(&str, &str)]) -> String {
    url::form_urlencoded::Serializer::new(String::new()).extend_pairs(fields).finish()
}

#[derive(Clone, Debug)]
pub struct Answer {
    pub status: StatusCode,
    pub headers: HeaderMap,
    pub body: String,
}

impl Answer {
    /// An answer to HEAD says so too, and has no body.
    pub fn is_json(&self) -> bool {
        !self.body.is_empty()
            && self.header("content-type").is_some_and(|it| it.starts_with("application/json"))
    }

    pub fn json(&self) -> Value {
        serde_json::from_str(&self.body).unwrap_or_else(|error| panic!("{error}: {}", self.body))
    }

    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.get(name).map(|value| value.to_str().unwrap())
    }

    /// Status and body in one line, for comparing refusals whole.
    pub fn brief(&self) -> String {
        format!("{} {}", self.status.as_u16(), self.body)
    }
}
