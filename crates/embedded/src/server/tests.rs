//! A cluster's life with the installed Postgres.

use std::fs;
use std::os::unix::fs::PermissionsExt;

use super::*;
use crate::Durability;

/// Deleted at the end; outside of the workspace, which the server's account may not be able to enter.
struct Directory(PathBuf);

impl Directory {
    fn new(name: &str) -> Self {
        let name = format!("portico-embedded-{name}-{}", std::process::id());
        Self(std::env::temp_dir().join(name))
    }

    #[expect(
        clippy::disallowed_methods,
        reason = "which Postgres to test with is the caller's choice"
    )]
    fn options(&self) -> Options {
        Options {
            data_dir: self.0.join("cluster"),
            binaries: std::env::var_os("PORTICO_TEST_PG_BIN").map(PathBuf::from),
            path: std::env::var_os("PATH"),
            durability: Durability::Throwaway,
            statistics: true,
        }
    }
}

impl Drop for Directory {
    fn drop(&mut self) {
        fs::remove_dir_all(&self.0).unwrap();
    }
}

fn postmaster(server: &Server) -> u32 {
    LockFile::read(&server.place.data()).unwrap().pid
}

#[test]
fn a_server_is_shared_until_its_last_user_stops_it() {
    let directory = Directory::new("shared");
    let options = directory.options();

    let first = start(&options).unwrap();
    let second = start(&options).unwrap();
    assert_eq!(postmaster(&first), postmaster(&second));
    assert_eq!(first.url("a b"), second.url("a b"));

    let socket_dir = second.socket_dir.clone();
    assert_eq!(fs::metadata(&socket_dir).unwrap().permissions().mode() & 0o777, 0o700);

    first.stop().unwrap();
    assert!(launch::running(&second.place).unwrap().is_some());

    let place = options.data_dir.join("data");
    second.stop().unwrap();
    assert_eq!(LockFile::read(&place), None);

    start(&options).unwrap().stop().unwrap();
}

#[test]
fn the_lock_file_of_a_dead_server_does_not_stop_the_next() {
    let directory = Directory::new("stale");
    let options = directory.options();
    start(&options).unwrap().stop().unwrap();

    // A process that ended and that nobody reaps.
    let mut zombie = Command::new("true").spawn().unwrap();
    let stale = format!("{}\n{}\n1\n5432\n\n\n\nready\n", zombie.id(), options.data_dir.display());
    fs::write(options.data_dir.join("data/postmaster.pid"), stale).unwrap();

    let server = start(&options).unwrap();
    assert_ne!(postmaster(&server), zombie.id());
    server.stop().unwrap();
    zombie.wait().unwrap();
}

#[test]
fn a_half_made_cluster_is_made_again() {
    let directory = Directory::new("half");
    let options = directory.options();
    fs::create_dir_all(&directory.0).unwrap();
    let owner = Owner::current().unwrap();
    let place = Place::prepare(&options.data_dir, &owner).unwrap();
    fs::create_dir(place.unfinished_data()).unwrap();
    fs::write(place.unfinished_data().join("PG_VERSION"), "15\n").unwrap();

    start(&options).unwrap().stop().unwrap();
}

#[test]
fn data_of_another_version_is_refused_and_both_are_named() {
    let directory = Directory::new("version");
    let options = directory.options();
    let server = start(&options).unwrap();
    let version = server.version();
    let binaries = server.binaries.directory.clone();
    server.stop().unwrap();
    fs::write(options.data_dir.join("data/PG_VERSION"), "9999\n").unwrap();

    let refusal = start(&Options { binaries: Some(binaries.clone()), ..options }).unwrap_err();
    assert_eq!(
        refusal.to_string(),
        format!(
            "the data was made by Postgres 9999, and only {} of version {version} was found; \
             install Postgres 9999, set PG_BIN to it, or move the data away",
            binaries.display()
        )
    );
}

#[test]
fn a_watched_cluster_is_gone_when_the_watch_ends() {
    let directory = Directory::new("watched");
    let options = directory.options();

    let mut server = start(&options).unwrap();
    server.delete_when_this_process_ends().unwrap().end().unwrap();

    assert!(!options.data_dir.exists());
    server.child.take().unwrap().wait().unwrap();
}
