//! `portico connections import`: tokens of an earlier system, from a file of their hashes.

use std::io::{self, Write as _};
use std::path::PathBuf;

use portico_model::Address;
use portico_oauth::import::{self, Imported};
use portico_storage as storage;

use crate::app::modules;
use crate::cli::Import;
use crate::tenant::{self, Origin};
use crate::tenants::Tenants;

#[derive(Debug, thiserror::Error)]
pub enum Error {
    #[error("{} cannot be read", path.display())]
    File { path: PathBuf, source: io::Error },
    #[error("there is no tenant {0}, or its declaration does not hold")]
    NoTenant(String),
    #[error(
        "say whose the origin is, as `serve` is told: --bound TENANT where one has it for itself, \
         or --shared where each is below /v/TENANT"
    )]
    NobodysOrigin,
    #[error("the origin is {0}'s alone, so that nobody else's tokens are good there")]
    Elsewhere(String),
    #[error(transparent)]
    Refused(#[from] import::Refusal),
    #[error(transparent)]
    Tenant(#[from] tenant::Error),
    #[error("the database cannot be used")]
    Storage(#[from] storage::Error),
    #[error("what was done could not be printed")]
    Print(#[from] io::Error),
}

impl Error {
    /// What a script learns: 4 is out of reach, 5 did not hold, 6 is not there, 2 makes no sense.
    pub fn exit_code(&self) -> u8 {
        let or_outage = |is_outage: bool| if is_outage { 4 } else { 1 };
        match self {
            Self::File { .. } | Self::NoTenant(_) => 6,
            Self::NobodysOrigin | Self::Elsewhere(_) => 2,
            Self::Refused(import::Refusal::Lines(_)) => 5,
            Self::Refused(import::Refusal::Storage(error)) | Self::Storage(error) => {
                or_outage(error.is_outage())
            }
            Self::Tenant(error) => or_outage(error.is_outage()),
            Self::Print(_) => 1,
        }
    }
}

pub async fn import(options: Import) -> Result<(), Error> {
    let bound = match options.bound {
        Some(other) if other != options.tenant => return Err(Error::Elsewhere(other)),
        None if !options.shared => return Err(Error::NobodysOrigin),
        bound => bound,
    };
    let file = std::fs::read_to_string(&options.file)
        .map_err(|source| Error::File { path: options.file, source })?;
    let pool = storage::connect(&options.database_url, 1).await?;
    tenant::check_role(&pool).await?;
    let origin = Origin { url: options.public_url, bound };
    let tenants = Tenants::load(&pool, origin, modules()).await?;
    let tenant = tenants.last_seen(&options.tenant).ok_or(Error::NoTenant(options.tenant))?;
    let imported = import::import(&pool, tenant.authority(), &file).await?;
    let has_prefix = !tenant.declaration.legacy_token_prefixes.is_empty();
    print(imported, &tenant.issuer.resource(&Address::of("SERVER")), has_prefix)?;
    pool.close().await;
    Ok(())
}

fn print(imported: Imported, address: &str, has_prefix: bool) -> io::Result<()> {
    let Imported { tokens, known } = imported;
    let mut out = io::stdout().lock();
    writeln!(out, "Imported {tokens}; {known} were there already.")?;
    writeln!(out, "They are good at {address}, each at its own server, or at its own host.")?;
    if !has_prefix {
        writeln!(out, "None is let in until oauth.legacy_token_prefixes says how they begin.")?;
    }
    out.flush()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn a_database_that_is_away_ends_with_4_wherever_it_was_asked_for() {
        let away =
            async || storage::connect("postgres://127.0.0.1:1/nowhere", 1).await.unwrap_err();
        let (own, imports, tenants) = tokio::join!(away(), away(), away());
        for error in [
            Error::from(own),
            Error::from(import::Refusal::from(imports)),
            Error::from(tenant::Error::from(tenants)),
        ] {
            assert_eq!(error.exit_code(), 4, "{error:?}");
        }
        assert_eq!(Error::from(tenant::Error::ClosedTables).exit_code(), 1);
    }
}
