//! Where the pages are, below an issuer. Templates and routes both read it here.

pub const HOME: &str = "/";
pub const SIGN_IN: &str = "/sign-in";
pub const SIGN_OUT: &str = "/sign-out";
pub const CONSENT: &str = "/consent";
pub const CONNECTIONS: &str = "/connections";
pub const STYLESHEET: &str = "/portico.css";
