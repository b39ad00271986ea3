//! Making a cluster, finding the server that runs on it, starting one.

use std::fs::{self, File};
use std::path::PathBuf;
use std::process::{Child, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use crate::find::Binaries;
use crate::lock_file::{LockFile, Postmaster};
use crate::owner::{self, Owner};
use crate::place::Place;
use crate::{DATABASE, Durability, Error, Options, USER};

const PATIENCE: Duration = Duration::from_mins(1);
const PAUSE: Duration = Duration::from_millis(10);

/// Initialised beside its place and then renamed: a killed initdb leaves no half cluster.
pub(crate) fn create_cluster(
    options: &Options,
    place: &Place,
    owner: &Owner,
    binaries: &Binaries,
) -> Result<(), Error> {
    let unfinished = place.unfinished_data();
    place.remove_unfinished_data()?;

    let mut initdb = owner.command(&binaries.directory.join("initdb"), place.directory());
    initdb.arg("-D").arg(&unfinished).args(["-U", USER, "-E", "UTF8", "--locale=C"]);
    initdb.args(["--auth-local=trust", "--auth-host=reject"]);
    // Ordered by bytes everywhere, and yet `lower('É')` is `é`.
    initdb.arg(if cfg!(target_os = "macos") { "--lc-ctype=UTF-8" } else { "--lc-ctype=C.UTF-8" });
    if options.durability == Durability::Throwaway {
        initdb.arg("--no-sync");
    }
    owner::run(&mut initdb)?;

    let mut single = owner.command(&binaries.directory.join("postgres"), place.directory());
    single.args(["--single", "-D"]).arg(&unfinished).arg(USER);
    owner::run_with_input(&mut single, &format!("create database {DATABASE}\n"))?;

    fs::rename(&unfinished, place.data()).map_err(|source| place.failure(source))
}

/// The socket directory of a server that already runs on this cluster. One that is just starting or
/// stopping is waited for; the lock file of one that died is removed.
pub(crate) fn running(place: &Place) -> Result<Option<PathBuf>, Error> {
    let deadline = Instant::now() + PATIENCE;
    while let Some(lock_file) = LockFile::read(&place.data()) {
        match lock_file.postmaster() {
            Postmaster::Dead => {
                lock_file.remove(&place.data()).map_err(|source| place.failure(source))?;
                return Ok(None);
            }
            Postmaster::Ready => return Ok(lock_file.socket_dir),
            Postmaster::Busy if Instant::now() > deadline => return Err(place.slow()),
            Postmaster::Busy => thread::sleep(PAUSE),
        }
    }
    Ok(None)
}

/// Returns when it answers.
pub(crate) fn serve(
    options: &Options,
    place: &Place,
    owner: &Owner,
    binaries: &Binaries,
) -> Result<Child, Error> {
    let log = File::create(place.log()).map_err(|source| place.failure(source))?;
    let errors = log.try_clone().map_err(|source| place.failure(source))?;

    let mut command = owner.command(&binaries.directory.join("postgres"), place.directory());
    command.arg("-D").arg(place.data()).arg("-k").arg(place.socket_dir());
    for setting in settings(options, binaries) {
        command.arg("-c").arg(setting);
    }
    command.stdin(Stdio::null()).stdout(log).stderr(errors);
    let program = PathBuf::from(command.get_program());
    let mut child = command.spawn().map_err(|source| Error::Run { program, source })?;

    let deadline = Instant::now() + PATIENCE;
    while Instant::now() < deadline {
        if child.try_wait().map_err(|source| place.failure(source))?.is_some() {
            return Err(place.died());
        }
        let ours = LockFile::read(&place.data()).filter(|it| it.pid == child.id());
        if ours.is_some_and(|it| it.postmaster() == Postmaster::Ready) {
            return Ok(child);
        }
        thread::sleep(PAUSE);
    }
    child.kill().map_err(|source| place.failure(source))?;
    Err(place.slow())
}

fn settings(options: &Options, binaries: &Binaries) -> Vec<&'static str> {
    let mut settings = vec!["listen_addresses=", "unix_socket_permissions=0700", "timezone=UTC"];
    if options.durability == Durability::Throwaway {
        settings.extend(["fsync=off", "synchronous_commit=off", "full_page_writes=off"]);
        settings.push("max_connections=400");
    }
    if options.statistics && binaries.has_library("pg_stat_statements") {
        settings.push("shared_preload_libraries=pg_stat_statements");
    }
    settings
}
