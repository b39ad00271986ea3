//! Which account the server runs as: Postgres refuses root, so that root's servers run as somebody else.

use std::fs;
use std::io::{self, Write};
use std::os::unix::fs::MetadataExt;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use crate::Error;

/// Names libpq and the server would listen to instead of our arguments.
const FOREIGN_SETTINGS: [&str; 9] = [
    "PGDATA",
    "PGDATABASE",
    "PGHOST",
    "PGHOSTADDR",
    "PGOPTIONS",
    "PGPASSWORD",
    "PGPORT",
    "PGSERVICE",
    "PGUSER",
];

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Owner {
    /// Who runs this process.
    Myself { uid: u32 },
    /// We are root, and this account is not.
    Account { name: String, uid: u32, gid: u32 },
}

impl Owner {
    pub(crate) fn current() -> Result<Self, Error> {
        let uid = my_uid()?;
        if uid != 0 {
            return Ok(Self::Myself { uid });
        }
        let path = PathBuf::from("/etc/passwd");
        let accounts = fs::read_to_string(&path).map_err(|source| Error::File { path, source })?;
        ["postgres", "nobody"]
            .iter()
            .find_map(|name| account(&accounts, name))
            .ok_or(Error::NoAccount)
    }

    pub(crate) fn uid(&self) -> u32 {
        match self {
            Self::Myself { uid } | Self::Account { uid, .. } => *uid,
        }
    }

    /// A command as this account, in a process group of its own so that Ctrl-C passes it by.
    pub(crate) fn command(&self, program: &Path, directory: &Path) -> Command {
        let mut command = Command::new(program);
        command.current_dir(directory).process_group(0).env("LC_ALL", "C");
        for name in FOREIGN_SETTINGS {
            command.env_remove(name);
        }
        match self {
            Self::Myself { .. } => {}
            Self::Account { uid, gid, .. } => {
                command.uid(*uid).gid(*gid);
            }
        }
        command
    }

    /// Gives a file or directory that root made to the account.
    pub(crate) fn take(&self, path: &Path) -> io::Result<()> {
        match self {
            Self::Myself { .. } => Ok(()),
            Self::Account { uid, gid, .. } => {
                std::os::unix::fs::chown(path, Some(*uid), Some(*gid))
            }
        }
    }

    /// Whether the account can get to `directory`, all of whose parents exist.
    pub(crate) fn check_reach(&self, directory: &Path) -> Result<(), Error> {
        let Self::Account { name, uid, gid } = self else {
            return Ok(());
        };
        let closed = directory.ancestors().skip(1).find(|parent| {
            fs::metadata(parent).is_ok_and(|it| {
                let execute = match (it.uid() == *uid, it.gid() == *gid) {
                    (true, _) => 0o100,
                    (false, true) => 0o010,
                    (false, false) => 0o001,
                };
                it.mode() & execute == 0
            })
        });
        match closed {
            Some(closed) => {
                Err(Error::Unreachable { account: name.clone(), closed: closed.to_owned() })
            }
            None => Ok(()),
        }
    }
}

/// Runs to the end; what it printed is in the error.
pub(crate) fn run(command: &mut Command) -> Result<(), Error> {
    run_with_input(command, "")
}

pub(crate) fn run_with_input(command: &mut Command, input: &str) -> Result<(), Error> {
    let program = PathBuf::from(command.get_program());
    let failure = |source| Error::Run { program: program.clone(), source };
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().map_err(failure)?;
    if let Some(mut stdin) = child.stdin.take() {
        stdin.write_all(input.as_bytes()).map_err(failure)?;
    }
    let output = child.wait_with_output().map_err(failure)?;
    if output.status.success() {
        return Ok(());
    }
    let text = [output.stdout, output.stderr].concat();
    Err(Error::Unsuccessful {
        program: program.clone(),
        output: String::from_utf8_lossy(&text).trim_end().to_owned(),
    })
}

/// Whether servers that this process starts run as another account.
pub fn is_root() -> Result<bool, Error> {
    my_uid().map(|uid| uid == 0)
}

/// Without libc: Linux tells it by the owner of our own folder, others by a command.
pub(crate) fn my_uid() -> Result<u32, Error> {
    if let Ok(process) = fs::metadata("/proc/self") {
        return Ok(process.uid());
    }
    let program = PathBuf::from("/usr/bin/id");
    let failure = |source| Error::Run { program: program.clone(), source };
    let output = Command::new(&program).arg("-u").output().map_err(failure)?;
    let text = String::from_utf8_lossy(&output.stdout);
    text.trim().parse().map_err(|_| Error::Unsuccessful {
        program: program.clone(),
        output: text.trim().to_owned(),
    })
}

fn account(accounts: &str, name: &str) -> Option<Owner> {
    let line = accounts.lines().find(|line| line.split(':').next() == Some(name))?;
    let mut fields = line.split(':').skip(2);
    let uid = fields.next()?.parse().ok()?;
    let gid = fields.next()?.parse().ok()?;
    Some(Owner::Account { name: name.to_owned(), uid, gid })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_account_is_found_by_its_whole_name() {
        let accounts = "root:x:0:0:root:/root:/bin/bash\n\
                        postgresql:x:7:7::/:/bin/sh\n\
                        postgres:x:101:104:PostgreSQL:/var/lib/postgresql:/bin/bash\n";
        let postgres = Owner::Account { name: "postgres".to_owned(), uid: 101, gid: 104 };
        assert_eq!(account(accounts, "postgres"), Some(postgres));
        assert_eq!(account(accounts, "nobody"), None);
    }
}
