//! Who asks, at the endpoints where clients speak for themselves. They are public: an id is all
//! that one shows, and what it presents with it proves the rest.

use portico_model::{ClientId, TenantId};
use portico_storage::{Conn, client};

use crate::ErrorCode;
use crate::parameter::{Malformed, Parameters};

#[derive(Debug, thiserror::Error)]
pub enum Stranger {
    #[error(transparent)]
    Malformed(#[from] Malformed),
    #[error("the client has no secret and must not send one")]
    Secret,
    #[error("the client is not registered here")]
    Unknown,
    #[error(transparent)]
    Storage(#[from] portico_storage::Error),
}

impl Stranger {
    /// `Err`: a failure of ours, which says nothing about the request.
    pub const fn code(&self) -> Result<ErrorCode, &portico_storage::Error> {
        match self {
            Self::Malformed(malformed) => Ok(malformed.code()),
            Self::Secret | Self::Unknown => Ok(ErrorCode::InvalidClient),
            Self::Storage(error) => Err(error),
        }
    }
}

impl Parameters {
    /// The registered client that `client_id` names.
    pub(crate) async fn public_client(
        &self,
        conn: &mut Conn,
        tenant: TenantId,
    ) -> Result<ClientId, Stranger> {
        let id = self.required("client_id")?;
        if self.get("client_secret").is_some() {
            return Err(Stranger::Secret);
        }
        let id = id.parse().map_err(|_| Stranger::Unknown)?;
        let client = client::find(conn, tenant, id).await?.ok_or(Stranger::Unknown)?;
        Ok(client.id)
    }
}
