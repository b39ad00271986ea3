//! Leave for scripts of any site to read what is for every client. Never with credentials, and
//! never where a person is asked something.

use axum::extract::Request;
use axum::http::{HeaderMap, HeaderValue, Method, StatusCode, header};
use axum::middleware::Next;
use axum::response::{IntoResponse as _, Response};

/// What client libraries send; they put the protocol's headers on discovery too.
const HEADERS: &str = "authorization, content-type, mcp-protocol-version, mcp-method, mcp-name, \
                       mcp-session-id, last-event-id";
const METHODS: &str = "GET, POST, DELETE, OPTIONS";
const EXPOSED: &str = "retry-after, www-authenticate, mcp-session-id, mcp-protocol-version";
const A_DAY: &str = "86400";

/// For `middleware::from_fn`: answers a preflight and marks every other answer as readable.
pub(crate) async fn open(request: Request, next: Next) -> Response {
    if request.method() == Method::OPTIONS {
        let mut response = StatusCode::NO_CONTENT.into_response();
        let headers = response.headers_mut();
        allow_any(headers);
        headers.insert(header::ACCESS_CONTROL_ALLOW_METHODS, HeaderValue::from_static(METHODS));
        headers.insert(header::ACCESS_CONTROL_ALLOW_HEADERS, HeaderValue::from_static(HEADERS));
        headers.insert(header::ACCESS_CONTROL_MAX_AGE, HeaderValue::from_static(A_DAY));
        return response;
    }
    let mut response = next.run(request).await;
    mark(&mut response);
    response
}

/// Lets scripts of any site read the answer.
pub(crate) fn mark(response: &mut Response) {
    let headers = response.headers_mut();
    allow_any(headers);
    headers.insert(header::ACCESS_CONTROL_EXPOSE_HEADERS, HeaderValue::from_static(EXPOSED));
}

fn allow_any(headers: &mut HeaderMap) {
    headers.insert(header::ACCESS_CONTROL_ALLOW_ORIGIN, HeaderValue::from_static("*"));
}
