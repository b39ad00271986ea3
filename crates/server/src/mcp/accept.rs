//! What a client says it can read. Refuses to hold anybody to more than that: many send half of
//! what the protocol wants, or nothing.

use axum::http::{HeaderMap, StatusCode, header};
use portico_mcp::{Code, Rejection};

/// What an answer is, or could be for all that its reader knows.
const READABLE: [&str; 4] = ["application/json", "text/event-stream", "application/*", "*/*"];

/// Refuses a client that can read none of it.
pub(super) fn check(headers: &HeaderMap) -> Result<(), Rejection> {
    let mut values = headers.get_all(header::ACCEPT).iter().peekable();
    if values.peek().is_none() {
        return Ok(());
    }
    let read = |range: &str| {
        let essence = range.split(';').next().unwrap_or_default().trim();
        essence.is_empty() || READABLE.iter().any(|it| it.eq_ignore_ascii_case(essence))
    };
    if values.filter_map(|value| value.to_str().ok()).any(|value| value.split(',').any(read)) {
        return Ok(());
    }
    let words = "Invalid request: accept application/json";
    Err(Rejection::new(StatusCode::NOT_ACCEPTABLE, Code::InvalidRequest, words))
}

#[cfg(test)]
mod tests {
    use axum::http::HeaderValue;

    use super::*;

    // cli:70, mcp:H7
    #[test]
    fn only_who_cannot_read_json_at_all_is_refused() {
        for (values, is_served) in [
            (&[][..], true),
            (&["application/json, text/event-stream"], true),
            (&["text/event-stream, application/json"], true),
            (&["text/event-stream,application/json;q=0.9"], true),
            (&["application/json"], true),
            (&["text/event-stream"], true),
            (&["*/*"], true),
            (&["Application/*"], true),
            (&["text/html", "application/json"], true),
            (&["text/html, */*;q=0.1"], true),
            (&[""], true),
            (&["text/html"], false),
            (&["text/html, application/xhtml+xml"], false),
            (&["application/jsonp"], false),
        ] {
            let mut headers = HeaderMap::new();
            for value in values {
                headers.append(header::ACCEPT, HeaderValue::from_static(value));
            }
            assert_eq!(check(&headers).is_ok(), is_served, "{values:?}");
        }
    }
}
