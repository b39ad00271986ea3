//! What bodies are, by their content type, and how large a form may be. The framework's own
//! refusals are plain text, which no caller here expects.

use axum::http::{HeaderMap, header};

pub(crate) const FORM: &str = "application/x-www-form-urlencoded";
pub(crate) const JSON: &str = "application/json";

/// Far above what any form of a page or of the protocol holds.
pub(crate) const LARGEST_FORM: usize = 16 * 1024;

/// Whether the body is of that type, whatever parameters follow it. Two types are none.
pub(crate) fn is(headers: &HeaderMap, expected: &str) -> bool {
    let mut values = headers.get_all(header::CONTENT_TYPE).iter();
    let value = values.next().and_then(|value| value.to_str().ok());
    let essence = value.and_then(|value| value.split(';').next());
    essence.is_some_and(|essence| essence.trim().eq_ignore_ascii_case(expected))
        && values.next().is_none()
}

#[cfg(test)]
mod tests {
    use axum::http::HeaderValue;

    use super::*;

    // mcp:H8, sec:J22
    #[test]
    fn a_body_has_one_type_whatever_its_parameters() {
        for (values, is_json) in [
            (&["application/json"][..], true),
            (&["Application/JSON; charset=utf-8"], true),
            (&["text/plain"], false),
            (&["application/x-www-form-urlencoded"], false),
            (&["application/jsonp"], false),
            (&["text/plain, application/json"], false),
            (&["application/json", "text/plain"], false),
            (&[], false),
        ] {
            let mut headers = HeaderMap::new();
            for value in values {
                headers.append(header::CONTENT_TYPE, HeaderValue::from_static(value));
            }
            assert_eq!(is(&headers, JSON), is_json, "{values:?}");
        }
    }
}
