//! The Postgres that the tests of a run share: the one that `cargo xtask test` started, else one
//! of ours, which is left running for the next run.

use std::sync::OnceLock;

use portico_embedded::{self as embedded, Durability, Options, Server};
use url::Url;

use crate::setting;

/// Kept for as long as this process lives, so that nobody stops it meanwhile.
static SERVER: OnceLock<Server> = OnceLock::new();

/// The address of one of the cluster's databases.
pub(super) fn url(database: &str) -> String {
    match setting::text("PORTICO_TEST_DATABASE_URL") {
        Some(url) => {
            let mut url = Url::parse(&url).unwrap();
            url.set_path(database);
            url.into()
        }
        None => SERVER.get_or_init(start).url(database),
    }
}

/// The database from which others are made.
pub(super) fn maintenance_url() -> String {
    url(embedded::DATABASE)
}

fn start() -> Server {
    let home = setting::os("HOME");
    let data_home = setting::os("XDG_DATA_HOME");
    let directory = embedded::home(data_home.as_deref(), home.as_deref()).unwrap().join("test");
    let options = Options {
        data_dir: directory,
        binaries: setting::path("PORTICO_TEST_PG_BIN").or_else(|| setting::path("PG_BIN")),
        path: setting::os("PATH"),
        durability: Durability::Throwaway,
        statistics: true,
    };
    embedded::start(&options).unwrap_or_else(|error| panic!("no Postgres for the tests: {error}"))
}
