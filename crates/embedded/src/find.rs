//! Where Postgres is installed, and which of several to take.

use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::{Error, OLDEST};

/// Parents of a version's folder, and what is below that folder.
const PACKAGES: [(&str, &str); 5] = [
    ("/usr/lib/postgresql", "bin"),
    ("/usr", "bin"),
    ("/opt/homebrew/opt", "bin"),
    ("/usr/local/opt", "bin"),
    ("/Applications/Postgres.app/Contents/Versions", "bin"),
];

/// The programs of one installation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Binaries {
    pub(crate) directory: PathBuf,
    pub(crate) version: u32,
}

impl Binaries {
    /// `None`: the programs are not there, or do not run.
    fn of(directory: &Path) -> Option<Self> {
        // A link such as /usr/local/bin/postgres leads to where its companions are.
        let program = fs::canonicalize(directory.join("postgres")).ok()?;
        let directory = program
            .parent()
            .filter(|it| is_complete(it))
            .or_else(|| is_complete(directory).then_some(directory))?;
        let output = Command::new(&program).arg("--version").output().ok()?;
        let version = major_version(&String::from_utf8_lossy(&output.stdout))?;
        Some(Self { directory: directory.to_owned(), version })
    }

    pub(crate) fn has_library(&self, name: &str) -> bool {
        let Some(installation) = self.directory.parent() else {
            return false;
        };
        let file = format!("{name}.{}", if cfg!(target_os = "macos") { "dylib" } else { "so" });
        ["lib", "lib/postgresql", "lib64/pgsql"]
            .iter()
            .any(|folder| installation.join(folder).join(&file).exists())
    }
}

/// Whether [`start`](crate::start) would find Postgres: its major version.
pub fn installed(binaries: Option<&Path>, path: Option<&OsStr>) -> Result<u32, Error> {
    self::binaries(binaries, path, None).map(|it| it.version)
}

/// `wanted` is the version that made the data, if there is any.
pub(crate) fn binaries(
    explicit: Option<&Path>,
    path: Option<&OsStr>,
    wanted: Option<u32>,
) -> Result<Binaries, Error> {
    if let Some(directory) = explicit {
        let found =
            Binaries::of(directory).ok_or_else(|| Error::NoBinaries(directory.to_owned()))?;
        return choose(vec![found], wanted);
    }
    let on_path = path.map(std::env::split_paths).into_iter().flatten();
    let found = on_path.chain(packaged()).filter_map(|it| Binaries::of(&it)).collect();
    choose(found, wanted)
}

/// The version that made the data, else the first that is new enough.
fn choose(found: Vec<Binaries>, wanted: Option<u32>) -> Result<Binaries, Error> {
    let fits = |it: &&Binaries| wanted.map_or(it.version >= OLDEST, |data| it.version == data);
    if let Some(fitting) = found.iter().find(fits) {
        return Ok(fitting.clone());
    }
    let Some(Binaries { directory, version: found }) = found.into_iter().next() else {
        return Err(Error::NotInstalled);
    };
    Err(match wanted {
        Some(data) => Error::OtherVersion { data, directory, found },
        None => Error::TooOld { directory, found },
    })
}

/// Where packages put Postgres, newest first.
fn packaged() -> Vec<PathBuf> {
    let mut found = Vec::new();
    for (parent, below) in PACKAGES {
        // Most of these do not exist on a given machine.
        let Ok(folders) = fs::read_dir(parent) else {
            continue;
        };
        for folder in folders.flatten() {
            if let Some(version) = folder_version(&folder.file_name().to_string_lossy()) {
                found.push((version, folder.path().join(below)));
            }
        }
    }
    found.sort_by_key(|(version, _)| std::cmp::Reverse(*version));
    found.into_iter().map(|(_, directory)| directory).collect()
}

/// `17`, `pgsql-17`, `postgresql@17`; a bare `postgresql` or `latest` is last choice.
fn folder_version(name: &str) -> Option<u32> {
    match name {
        "postgresql" | "latest" => Some(0),
        _ => {
            let number = ["pgsql-", "postgresql@"]
                .iter()
                .find_map(|prefix| name.strip_prefix(prefix))
                .unwrap_or(name);
            number.parse().ok()
        }
    }
}

fn is_complete(directory: &Path) -> bool {
    ["postgres", "initdb", "pg_ctl"].iter().all(|program| directory.join(program).exists())
}

/// `postgres (PostgreSQL) 15.18 (Debian 15.18-0+deb12u1)` is 15, `18beta1` is 18.
fn major_version(text: &str) -> Option<u32> {
    let (_, version) = text.split_once("(PostgreSQL) ")?;
    let digits = version.find(|it: char| !it.is_ascii_digit()).unwrap_or(version.len());
    version[..digits].parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_major_version_is_read_from_what_postgres_prints() {
        let cases = [
            ("postgres (PostgreSQL) 15.18 (Debian 15.18-0+deb12u1)\n", Some(15)),
            ("postgres (PostgreSQL) 18beta1\n", Some(18)),
            ("postgres (PostgreSQL) 17\n", Some(17)),
            ("bash: postgres: command not found", None),
        ];
        for (text, version) in cases {
            assert_eq!(major_version(text), version, "{text}");
        }
    }

    #[test]
    fn folders_of_packages_are_told_from_others() {
        let cases = [
            ("17", Some(17)),
            ("pgsql-16", Some(16)),
            ("postgresql@17", Some(17)),
            ("latest", Some(0)),
            ("share", None),
            ("python@3.12", None),
        ];
        for (name, version) in cases {
            assert_eq!(folder_version(name), version, "{name}");
        }
    }

    #[test]
    fn the_version_that_made_the_data_is_taken_before_a_newer_one() {
        let of = |version| Binaries { directory: PathBuf::from(format!("/{version}")), version };
        let chosen = |found: &[u32], wanted| {
            choose(found.iter().copied().map(of).collect(), wanted)
                .map(|it| it.version)
                .map_err(|error| error.to_string())
        };

        assert_eq!(chosen(&[17, 15], Some(15)), Ok(15));
        assert_eq!(chosen(&[14, 16, 17], None), Ok(16));
        assert_eq!(
            chosen(&[17], Some(15)),
            Err("the data was made by Postgres 15, and only /17 of version 17 was found; \
                 install Postgres 15, set PG_BIN to it, or move the data away"
                .to_owned())
        );
        assert_eq!(
            chosen(&[13], None),
            Err("/13 is Postgres 13, and at least 15 is needed".to_owned())
        );
    }
}
