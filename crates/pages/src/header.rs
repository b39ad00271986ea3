//! The headers that every page carries, as names and values. Whoever serves a page sets them.

/// No `form-action`: Chromium applies it to the redirect that follows Allow, and the person is
/// left on a dead button. Nothing but our own stylesheet and images is ever loaded.
pub const CONTENT_SECURITY_POLICY: &str = "default-src 'none'; style-src 'self'; img-src 'self' data:; base-uri 'none'; frame-ancestors 'none'";

/// All of them, lower case. There is no `cross-origin-opener-policy`: it cuts off clients that
/// open consent in a popup. `no-referrer` would make a form's `Origin` null, so it is
/// `same-origin`.
pub const ALL: [(&str, &str); 6] = [
    ("content-type", "text/html; charset=utf-8"),
    ("content-security-policy", CONTENT_SECURITY_POLICY),
    ("x-frame-options", "DENY"),
    ("x-content-type-options", "nosniff"),
    ("referrer-policy", "same-origin"),
    ("cache-control", "no-store"),
];
