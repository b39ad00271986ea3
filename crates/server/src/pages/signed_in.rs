//! Who sits at the browser, for the routes that need to know.

use axum::extract::{FromRequestParts, Query};
use axum::http::Method;
use axum::http::request::Parts;
use axum::response::{IntoResponse as _, Redirect, Response};
use portico_identity::session;
use portico_model::RequestId;
use portico_pages::path;
use portico_storage::person::Person;
use serde::Deserialize;

use super::{cookie, failed, refusal, to};
use crate::app::App;
use crate::tenant::{Snapshot, Tenant};

/// A person who may be here. Anyone else is sent to sign in, and comes back to the request that
/// waits for them or to their connections: never to an address that the browser names.
pub(super) struct SignedIn(pub(super) Person);

#[derive(Deserialize)]
struct Asked {
    request: Option<RequestId>,
}

impl FromRequestParts<App> for SignedIn {
    type Rejection = Response;

    async fn from_request_parts(parts: &mut Parts, app: &App) -> Result<Self, Response> {
        let Ok(Tenant(tenant)) = Tenant::from_request_parts(parts, app).await;
        let person = match cookie::session(&tenant).read(&parts.headers) {
            Some(held) => session::find(&app.pool, tenant.id, &held)
                .await
                .map_err(|error| failed(&tenant)(error).into_response())?,
            None => None,
        };
        match person {
            Some(person) if person.disabled => Err(refusal::disabled(&tenant).into_response()),
            Some(person) => Ok(Self(person)),
            // A form cannot be sent again after signing in.
            None if parts.method == Method::POST => {
                Err(refusal::signed_out(&tenant).into_response())
            }
            None => Err(to_sign_in(&tenant, parts).into_response()),
        }
    }
}

fn to_sign_in(tenant: &Snapshot, parts: &Parts) -> Redirect {
    match Query::<Asked>::try_from_uri(&parts.uri) {
        Ok(Query(Asked { request: Some(request) })) => {
            to(tenant, &format!("{}?request={request}", path::SIGN_IN))
        }
        Ok(_) | Err(_) => to(tenant, path::SIGN_IN),
    }
}
