//! A running server: begun, used by several processes, ended with its last user or with its cluster.

use std::fs::{File, TryLockError};
use std::io;
use std::os::unix::process::CommandExt;
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};

use crate::find::{self, Binaries};
use crate::launch;
use crate::lock_file::LockFile;
use crate::owner::{self, Owner};
use crate::place::Place;
use crate::{Error, Options, USER};

/// A running server. Dropping it leaves the server running, and the next start uses it again.
#[derive(Debug)]
pub struct Server {
    place: Place,
    owner: Owner,
    binaries: Binaries,
    socket_dir: PathBuf,
    /// Locked shared as long as this process uses the server, so that nobody stops it meanwhile.
    user: File,
    child: Option<Child>,
}

/// Starts the cluster in `options.data_dir`, which is made at the first start. Blocks until it answers.
pub fn start(options: &Options) -> Result<Server, Error> {
    let owner = Owner::current()?;
    let place = Place::prepare(&options.data_dir, &owner)?;
    let _starting = place.lock_exclusively()?;
    let user = place.lock_as_user()?;

    let version = place.data_version()?;
    let binaries = find::binaries(options.binaries.as_deref(), options.path.as_deref(), version)?;
    if version.is_none() {
        launch::create_cluster(options, &place, &owner, &binaries)?;
    }

    let (socket_dir, child) = if let Some(socket_dir) = launch::running(&place)? {
        (socket_dir, None)
    } else {
        let child = launch::serve(options, &place, &owner, &binaries)?;
        (place.socket_dir().to_owned(), Some(child))
    };
    Ok(Server { place, owner, binaries, socket_dir, user, child })
}

impl Server {
    /// For sqlx and libpq alike: the socket's directory stands, percent-encoded, where a host would.
    pub fn url(&self, database: &str) -> String {
        let host = percent_encoded(&self.socket_dir.to_string_lossy());
        format!("postgres://{USER}@{host}/{}", percent_encoded(database))
    }

    /// Runs a script with `psql`, whole or not at all.
    pub fn execute(&self, database: &str, script: &str) -> Result<(), Error> {
        let psql = self.binaries.directory.join("psql");
        let mut command = self.owner.command(&psql, self.place.directory());
        command.args(["--no-psqlrc", "--quiet", "--single-transaction", "--set=ON_ERROR_STOP=1"]);
        command.arg(self.url(database));
        owner::run_with_input(&mut command, script)
    }

    /// Major version.
    pub fn version(&self) -> u32 {
        self.binaries.version
    }

    /// Kills the server and deletes the cluster as soon as this process has ended, whatever ends it,
    /// or the answer is dropped.
    pub fn delete_when_this_process_ends(&self) -> Result<Watch, Error> {
        let Some(postmaster) = LockFile::read(&self.place.data()) else {
            return Err(self.place.died());
        };
        // The pipe closes with this process, even if it is killed; only then does `read` return.
        let script = r#"read -r _; kill -QUIT "$1"; n=0
            while [ -e "$2/postmaster.pid" ] && [ $n -lt 100 ]; do n=$((n+1)); sleep 0.1; done
            rm -rf "$3" "$4""#;
        let mut command = Command::new("/bin/sh");
        command.args(["-c", script, "sh"]).arg(postmaster.pid.to_string());
        command.arg(self.place.data()).arg(self.place.directory()).arg(&self.socket_dir);
        command.current_dir("/").process_group(0);
        command.stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::null());
        let program = PathBuf::from("/bin/sh");
        command.spawn().map(Watch).map_err(|source| Error::Run { program, source })
    }

    /// Stops the server, unless another process still uses it.
    pub fn stop(self) -> Result<(), Error> {
        let _starting = self.place.lock_exclusively()?;
        drop(self.user);
        match self.place.user_file()?.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => return Ok(()),
            Err(TryLockError::Error(source)) => return Err(self.place.failure(source)),
        }
        if LockFile::read(&self.place.data()).is_some() {
            let mut stop =
                self.owner.command(&self.binaries.directory.join("pg_ctl"), self.place.directory());
            stop.arg("-D").arg(self.place.data()).args(["-m", "fast", "-w", "-s", "stop"]);
            owner::run(&mut stop)?;
        }
        // Nobody else reaps a child, and its zombie would keep the lock file alive.
        if let Some(mut child) = self.child {
            child.wait().map_err(|source| self.place.failure(source))?;
        }
        Ok(())
    }
}

/// Ends what [`Server::delete_when_this_process_ends`] began, sooner.
#[derive(Debug)]
pub struct Watch(Child);

impl Watch {
    /// Returns when the cluster is gone.
    pub fn end(mut self) -> io::Result<()> {
        drop(self.0.stdin.take());
        self.0.wait().map(drop)
    }
}

fn percent_encoded(text: &str) -> String {
    let digit = |value: u8| char::from(b"0123456789ABCDEF"[usize::from(value)]);
    let mut encoded = String::with_capacity(text.len());
    for byte in text.bytes() {
        if byte.is_ascii_alphanumeric() || b"-._~".contains(&byte) {
            encoded.push(char::from(byte));
        } else {
            encoded.extend(['%', digit(byte >> 4), digit(byte & 15)]);
        }
    }
    encoded
}

#[cfg(test)]
mod tests;
