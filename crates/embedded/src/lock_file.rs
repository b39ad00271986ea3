//! `postmaster.pid`: who serves a cluster, where, and whether it still lives.

use std::fs;
use std::io;
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};
use std::process::Command;

const NAME: &str = "postmaster.pid";
const SOCKET: &str = ".s.PGSQL.5432";

#[derive(Debug, PartialEq, Eq)]
pub(crate) struct LockFile {
    pub(crate) pid: u32,
    /// Missing while the server is only just starting.
    pub(crate) socket_dir: Option<PathBuf>,
    ready: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Postmaster {
    /// Gone, a zombie that nobody reaped, or another program that got its process id.
    Dead,
    /// Starting, recovering or stopping.
    Busy,
    Ready,
}

impl LockFile {
    /// `None`: nobody serves the cluster.
    pub(crate) fn read(data: &Path) -> Option<Self> {
        Self::parse(&fs::read_to_string(data.join(NAME)).ok()?)
    }

    /// Lines: process id, data directory, start time, port, socket directory, address, shared memory, status.
    fn parse(text: &str) -> Option<Self> {
        let lines: Vec<_> = text.lines().map(str::trim).collect();
        Some(Self {
            pid: lines.first()?.parse().ok()?,
            socket_dir: lines.get(4).filter(|it| !it.is_empty()).map(PathBuf::from),
            ready: lines.get(7) == Some(&"ready"),
        })
    }

    pub(crate) fn postmaster(&self) -> Postmaster {
        if !is_alive(self.pid) {
            return Postmaster::Dead;
        }
        let answers = self
            .socket_dir
            .as_ref()
            .is_some_and(|directory| UnixStream::connect(directory.join(SOCKET)).is_ok());
        if self.ready && answers { Postmaster::Ready } else { Postmaster::Busy }
    }

    /// A zombie would otherwise hold its lock files for ever.
    pub(crate) fn remove(&self, data: &Path) -> io::Result<()> {
        if let Some(directory) = &self.socket_dir {
            remove_if_there(&directory.join(SOCKET))?;
            remove_if_there(&directory.join(format!("{SOCKET}.lock")))?;
        }
        remove_if_there(&data.join(NAME))
    }
}

/// Length of the socket's path below its directory.
pub(crate) const fn socket_length() -> usize {
    "/".len() + SOCKET.len()
}

fn remove_if_there(path: &Path) -> io::Result<()> {
    match fs::remove_file(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
        other => other,
    }
}

/// Whether it is a Postgres that runs.
fn is_alive(pid: u32) -> bool {
    if Path::new("/proc/self").exists() {
        return fs::read_to_string(format!("/proc/{pid}/stat")).is_ok_and(|it| runs_postgres(&it));
    }
    let listed = Command::new("ps").args(["-o", "stat=", "-p", &pid.to_string()]).output();
    listed.is_ok_and(|it| it.stdout.first().is_some_and(|state| *state != b'Z'))
}

/// `4711 (postgres) S 1 …`
fn runs_postgres(stat: &str) -> bool {
    stat.split_once(' ')
        .and_then(|(_, rest)| rest.strip_prefix("(postgres) "))
        .is_some_and(|state| !state.starts_with(['Z', 'X']))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_lock_file_grows_while_the_server_starts() {
        let begun = LockFile { pid: 4711, socket_dir: None, ready: false };
        assert_eq!(LockFile::parse("4711\n/data\n1790000000\n5432\n"), Some(begun));

        let starting = LockFile { pid: 4711, socket_dir: Some("/run/pg".into()), ready: false };
        let text = "4711\n/data\n1790000000\n5432\n/run/pg\n\n  1 2\nstarting\n";
        assert_eq!(LockFile::parse(text), Some(starting));

        let ready = LockFile { pid: 4711, socket_dir: Some("/run/pg".into()), ready: true };
        let text = "4711\n/data\n1790000000\n5432\n/run/pg\n\n  1 2\nready   \n";
        assert_eq!(LockFile::parse(text), Some(ready));

        assert_eq!(LockFile::parse(""), None);
    }

    #[test]
    fn zombies_and_strangers_do_not_serve_a_cluster() {
        let cases = [
            ("4711 (postgres) S 1 4711", true),
            ("4711 (postgres) Z 1 4711", false),
            ("4711 (nginx) S 1 4711", false),
            ("", false),
        ];
        for (stat, alive) in cases {
            assert_eq!(runs_postgres(stat), alive, "{stat}");
        }
    }
}
