//! Processes that are measured: started, waited for, ended; and what they have cost so far.

use std::fs;
use std::net::{Ipv4Addr, SocketAddr, TcpListener};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result, bail};

const PATIENCE: Duration = Duration::from_secs(30);
const PAUSE: Duration = Duration::from_millis(20);

/// Linux counts processor time in hundredths of a second.
const TICK: Duration = Duration::from_millis(10);

/// Ended when it is dropped.
pub(crate) struct Process {
    child: Child,
    pub(crate) address: SocketAddr,
}

/// A port that was free a moment ago.
pub(crate) fn free_port() -> Result<u16> {
    Ok(TcpListener::bind((Ipv4Addr::LOCALHOST, 0))?.local_addr()?.port())
}

impl Process {
    /// Starts it, and waits until it takes connections.
    pub(crate) async fn start(command: &mut Command, port: u16) -> Result<Self> {
        let program = command.get_program().to_owned();
        let child = command.stdin(Stdio::null()).stdout(Stdio::null()).spawn();
        let child = child.with_context(|| format!("{} cannot be run", program.display()))?;
        let address = SocketAddr::from((Ipv4Addr::LOCALHOST, port));
        let mut process = Self { child, address };
        let deadline = Instant::now() + PATIENCE;
        while tokio::net::TcpStream::connect(address).await.is_err() {
            if let Some(status) = process.child.try_wait()? {
                bail!("{} ended: {status}", program.display());
            }
            if Instant::now() > deadline {
                bail!("{} does not listen", program.display());
            }
            tokio::time::sleep(PAUSE).await;
        }
        Ok(process)
    }

    pub(crate) fn processor_time(&self) -> Result<Duration> {
        Ok(Stat::of(self.child.id())?.own)
    }

    /// Resident memory, in bytes.
    pub(crate) fn memory(&self) -> Result<u64> {
        let status = fs::read_to_string(format!("/proc/{}/status", self.child.id()))?;
        let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"));
        let kilobytes = line.and_then(|line| line.split_whitespace().next());
        Ok(kilobytes.context("no VmRSS")?.parse::<u64>()? * 1024)
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        // It may have ended by itself, which is an error elsewhere.
        drop(self.child.kill());
        drop(self.child.wait());
    }
}

/// The whole of a Postgres: the process of this data directory, and all that it started.
pub(crate) fn postgres_time(data_dir: &Path) -> Result<Duration> {
    let lock = fs::read_to_string(data_dir.join("data/postmaster.pid"))?;
    let postmaster: u32 = lock.lines().next().context("an empty lock file")?.trim().parse()?;
    let stat = Stat::of(postmaster)?;
    let mut time = stat.own + stat.ended_children;
    for entry in fs::read_dir("/proc")? {
        let name = entry?.file_name();
        let Some(pid) = name.to_str().and_then(|name| name.parse().ok()) else { continue };
        // One that ends meanwhile is counted by its parent the next time.
        if let Ok(stat) = Stat::of(pid)
            && stat.parent == postmaster
        {
            time += stat.own;
        }
    }
    Ok(time)
}

struct Stat {
    parent: u32,
    own: Duration,
    ended_children: Duration,
}

impl Stat {
    fn of(pid: u32) -> Result<Self> {
        let text = fs::read_to_string(format!("/proc/{pid}/stat"))?;
        // The second field is a name in brackets, which may have anything in it.
        let (_, fields) = text.rsplit_once(") ").context("no name in brackets")?;
        let fields: Vec<&str> = fields.split_whitespace().collect();
        let ticks = |at: usize| -> Result<u32> {
            Ok(fields.get(at).context("too few fields")?.parse::<u32>()?)
        };
        Ok(Self {
            parent: ticks(1)?,
            own: TICK * (ticks(11)? + ticks(12)?),
            ended_children: TICK * (ticks(13)? + ticks(14)?),
        })
    }
}
