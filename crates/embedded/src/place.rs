//! The directories of one cluster: what is in them, whose they are, and a socket path short enough.

use std::ffi::OsStr;
use std::fs::{self, DirBuilder, File};
use std::io;
use std::os::unix::fs::{DirBuilderExt, MetadataExt, PermissionsExt};
use std::path::{Path, PathBuf};

use crate::Error;
use crate::lock_file::socket_length;
use crate::owner::{self, Owner};

/// `sun_path` has 108 bytes on Linux and 104 elsewhere, one of them for the end.
const LONGEST_SOCKET: usize = 103;
const LINES_OF_LOG: usize = 10;

/// Where clusters are kept unless the caller knows better. `xdg_data_home` and `user_home` are the
/// variables `XDG_DATA_HOME` and `HOME`.
pub fn home(xdg_data_home: Option<&OsStr>, user_home: Option<&OsStr>) -> Result<PathBuf, Error> {
    home_of(owner::my_uid()?, xdg_data_home, user_home)
}

/// Not root's own home: the account that its servers run as cannot enter that.
fn home_of(
    uid: u32,
    xdg_data_home: Option<&OsStr>,
    user_home: Option<&OsStr>,
) -> Result<PathBuf, Error> {
    if uid == 0 {
        return Ok(PathBuf::from("/var/lib/portico"));
    }
    let absolute = |it: &&OsStr| Path::new(it).is_absolute();
    let data_home = match (xdg_data_home.filter(absolute), user_home.filter(absolute)) {
        (Some(data_home), _) => PathBuf::from(data_home),
        (None, Some(user_home)) => Path::new(user_home).join(".local/share"),
        (None, None) => return Err(Error::Homeless),
    };
    Ok(data_home.join("portico"))
}

#[derive(Debug)]
pub(crate) struct Place {
    directory: PathBuf,
    socket_dir: PathBuf,
}

impl Place {
    /// Makes what is missing, private to the server's account.
    pub(crate) fn prepare(directory: &Path, owner: &Owner) -> Result<Self, Error> {
        let directory = std::path::absolute(directory).map_err(|it| failure(directory, it))?;
        if let Some(parent) = directory.parent() {
            fs::create_dir_all(parent).map_err(|it| failure(parent, it))?;
        }
        owner.check_reach(&directory)?;
        make_private(&directory, owner)?;

        let socket_dir = socket_dir(&directory);
        make_private(&socket_dir, owner)?;
        Ok(Self { directory, socket_dir })
    }

    pub(crate) fn directory(&self) -> &Path {
        &self.directory
    }

    pub(crate) fn socket_dir(&self) -> &Path {
        &self.socket_dir
    }

    pub(crate) fn data(&self) -> PathBuf {
        self.directory.join("data")
    }

    pub(crate) fn unfinished_data(&self) -> PathBuf {
        self.directory.join("data.new")
    }

    pub(crate) fn log(&self) -> PathBuf {
        self.directory.join("postgres.log")
    }

    /// The major version that made the data; `None` if there is no data.
    pub(crate) fn data_version(&self) -> Result<Option<u32>, Error> {
        let path = self.data().join("PG_VERSION");
        match fs::read_to_string(&path) {
            Ok(text) => {
                let version = text.trim().parse().map_err(|_| {
                    let source = io::Error::new(io::ErrorKind::InvalidData, "not a version");
                    failure(&path, source)
                })?;
                Ok(Some(version))
            }
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
            Err(error) => Err(failure(&path, error)),
        }
    }

    pub(crate) fn remove_unfinished_data(&self) -> Result<(), Error> {
        let directory = self.unfinished_data();
        match fs::remove_dir_all(&directory) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => {
                Err(failure(&directory, error))
            }
            _ => Ok(()),
        }
    }

    /// Held by whoever starts or stops the server.
    pub(crate) fn lock_exclusively(&self) -> Result<File, Error> {
        let file = self.open("starting.lock")?;
        file.lock().map_err(|source| self.failure(source))?;
        Ok(file)
    }

    pub(crate) fn lock_as_user(&self) -> Result<File, Error> {
        let file = self.user_file()?;
        file.lock_shared().map_err(|source| self.failure(source))?;
        Ok(file)
    }

    pub(crate) fn user_file(&self) -> Result<File, Error> {
        self.open("users.lock")
    }

    fn open(&self, name: &str) -> Result<File, Error> {
        let path = self.directory.join(name);
        let options = File::options().create(true).truncate(false).write(true).open(&path);
        options.map_err(|source| failure(&path, source))
    }

    pub(crate) fn failure(&self, source: io::Error) -> Error {
        failure(&self.directory, source)
    }

    pub(crate) fn slow(&self) -> Error {
        Error::Slow { log: self.log() }
    }

    pub(crate) fn died(&self) -> Error {
        match fs::read_to_string(self.log()) {
            Ok(text) => {
                let lines: Vec<_> = text.lines().collect();
                let tail = lines[lines.len().saturating_sub(LINES_OF_LOG)..].join("\n");
                Error::Died { log: self.log(), tail }
            }
            Err(source) => failure(&self.log(), source),
        }
    }
}

fn failure(path: &Path, source: io::Error) -> Error {
    Error::File { path: path.to_owned(), source }
}

/// Beside the data, or under /tmp if the socket's path would be too long there.
fn socket_dir(directory: &Path) -> PathBuf {
    let beside = directory.join("socket");
    if beside.as_os_str().len() + socket_length() <= LONGEST_SOCKET {
        return beside;
    }
    PathBuf::from(format!("/tmp/portico-{:016x}", fingerprint(beside.as_os_str())))
}

/// FNV-1a: the same for every build of this program, which the standard hasher does not promise.
fn fingerprint(text: &OsStr) -> u64 {
    text.as_encoded_bytes().iter().fold(0xcbf2_9ce4_8422_2325, |hash, byte| {
        (hash ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3)
    })
}

/// Made 0700, or checked: under /tmp anybody could have made it before us.
fn make_private(directory: &Path, owner: &Owner) -> Result<(), Error> {
    match DirBuilder::new().mode(0o700).create(directory) {
        Ok(()) => owner.take(directory).map_err(|it| failure(directory, it))?,
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
        Err(error) => return Err(failure(directory, error)),
    }
    let made = fs::symlink_metadata(directory).map_err(|it| failure(directory, it))?;
    let private = made.is_dir() && made.permissions().mode().trailing_zeros() >= 6;
    if private && made.uid() == owner.uid() {
        Ok(())
    } else {
        Err(Error::ForeignDirectory(directory.to_owned()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_socket_fits_its_address_however_deep_the_data_is() {
        assert_eq!(
            socket_dir(Path::new("/var/lib/portico/dev")),
            Path::new("/var/lib/portico/dev/socket")
        );

        let deep = socket_dir(Path::new(&format!("/{}", "deep/".repeat(30))));
        assert!(deep.as_os_str().len() + socket_length() <= LONGEST_SOCKET);
        assert_eq!(deep, socket_dir(Path::new(&format!("/{}", "deep/".repeat(30)))));
        assert_ne!(deep, socket_dir(Path::new(&format!("/{}", "deep/".repeat(31)))));
    }

    #[test]
    fn root_keeps_its_clusters_outside_of_its_home() {
        let home = |uid, data_home: Option<&'static str>, user_home: Option<&'static str>| {
            home_of(uid, data_home.map(OsStr::new), user_home.map(OsStr::new))
                .map_err(|error| error.to_string())
        };

        assert_eq!(home(0, None, Some("/root")), Ok("/var/lib/portico".into()));
        assert_eq!(
            home(1000, None, Some("/home/ada")),
            Ok("/home/ada/.local/share/portico".into())
        );
        assert_eq!(home(1000, Some("/data"), Some("/home/ada")), Ok("/data/portico".into()));
        assert_eq!(
            home(1000, Some("relative"), Some("/home/ada")),
            home(1000, None, Some("/home/ada"))
        );
        assert_eq!(
            home(1000, None, None),
            Err("there is no home directory to keep the data in; set XDG_DATA_HOME or HOME"
                .to_owned())
        );
    }
}
