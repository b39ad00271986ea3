//! One run: a database and three servers, asked in turn, so that whatever else the machine does
//! falls on all of them alike.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use anyhow::{Context as _, Result, bail};
use portico_embedded::{self as embedded, Durability, Server};
use portico_storage as storage;
use tokio::signal::unix::{SignalKind, signal};
use tokio::time::sleep;

use crate::case::{Case, Reference};
use crate::load::{self, WIDE};
use crate::options::Bench;
use crate::process::{self, Process};
use crate::report::{Figures, Measured, Ratios, Report, Rounds, Slow};
use crate::slow::{self, Crowd};
use crate::world::{SERVER, TENANT, World};

/// After each server's turn, so that the record that it still writes is its own cost and nobody
/// else's.
const REST: Duration = Duration::from_millis(250);

/// The parts of the run.
struct Scene {
    world: World,
    data_dir: PathBuf,
    gateway: Process,
    floor: Process,
    constant: Process,
}

#[derive(Clone, Copy)]
enum Which {
    Gateway,
    Floor,
    Constant,
}

pub(crate) async fn bench(options: Bench) -> Result<()> {
    let data_dir = std::env::temp_dir().join(format!("portico-bench-{}", std::process::id()));
    let server = embedded::start(&embedded::Options {
        data_dir: data_dir.clone(),
        binaries: options.pg_bin.clone(),
        path: options.path.clone(),
        durability: Durability::Durable,
        statistics: false,
    })?;
    let watch = server.delete_when_this_process_ends()?;
    let measured = tokio::select! {
        measured = measure(&options, &server, data_dir) => measured,
        stopped = told_to_stop() => stopped,
    };
    watch.end()?;
    let report = measured?;
    if options.json {
        report.print_json()?;
    } else {
        report.print();
    }
    Ok(())
}

/// What is started here ends where its future is dropped.
async fn told_to_stop() -> Result<Report> {
    let mut terminate = signal(SignalKind::terminate())?;
    tokio::select! {
        _ = terminate.recv() => {}
        told = tokio::signal::ctrl_c() => told?,
    }
    bail!("told to stop")
}

async fn measure(options: &Bench, server: &Server, data_dir: PathBuf) -> Result<Report> {
    let scene = Scene::set(&options.portico, server, data_dir).await?;
    let cases = if options.quick { Case::quick() } else { Case::all() };
    let mut measured = Vec::new();
    for case in cases {
        say(&format!("{case:?}"));
        measured.push(scene.rounds(options, case).await?);
    }
    say("slow heads");
    let slow = scene.among_the_slow(options).await?;
    let memory = [
        ("gateway", scene.gateway.memory()?),
        ("floor", scene.floor.memory()?),
        ("constant", scene.constant.memory()?),
    ];
    Ok(Report {
        ratios: Ratios::of(&measured, &slow),
        memory: memory.into_iter().collect(),
        rounds: options.rounds,
        cases: measured,
        slow,
    })
}

impl Scene {
    async fn set(portico: &Path, server: &Server, data_dir: PathBuf) -> Result<Self> {
        let database_url = &server.url(embedded::DATABASE);
        let port = process::free_port()?;
        let origin = format!("http://127.0.0.1:{port}");
        storage::migrate(database_url).await?;
        let pool = storage::connect(database_url, 1).await?;
        let mut conn = storage::acquire(&pool).await?;
        let world = World::make(&mut conn, &origin, WIDE).await?;
        drop(conn);
        pool.close().await;
        // As a database is that has been there for a while: it knows what is in its tables.
        server.execute(embedded::DATABASE, "analyze;")?;
        let mut gateway = Command::new(portico);
        gateway.args(["serve", "--tenant", TENANT, "--listen", &format!("127.0.0.1:{port}")]);
        gateway.env("DATABASE_URL", database_url);
        let gateway = Process::start(&mut gateway, port).await?;
        let plan = serde_json::to_string(&world)?;
        let floor = start_floor("statements", database_url, &plan).await?;
        let constant = start_floor("constant", database_url, &plan).await?;
        Ok(Self { world, data_dir, gateway, floor, constant })
    }

    async fn rounds(&self, options: &Bench, case: Case) -> Result<Measured> {
        let order = [Which::Gateway, Which::Floor, Which::Constant];
        let mut figures = [Vec::new(), Vec::new(), Vec::new()];
        for round in 0..=options.rounds {
            for turn in 0..order.len() {
                let at = (round + turn) % order.len();
                let measured = self.ask(options, case, order[at]).await?;
                // The first round warms up.
                if round > 0 {
                    figures[at].push(measured);
                }
            }
        }
        let [gateway, floor, constant] = figures;
        Ok(Measured::new(case, &Rounds { gateway, floor, constant }))
    }

    /// The gateway alone, with and without those who do not finish their heads.
    async fn among_the_slow(&self, options: &Bench) -> Result<Slow> {
        let connections = slow::size()?;
        let case = Case::SIMPLE;
        let (mut alone, mut among) = (Vec::new(), Vec::new());
        for _ in 0..options.rounds {
            alone.push(self.ask(options, case, Which::Gateway).await?);
            let mut crowd = Crowd::gather(self.gateway.address, connections).await?;
            among.push(self.ask(options, case, Which::Gateway).await?);
            crowd.check_there()?;
            drop(crowd);
            // That they left is no cost of the next round.
            sleep(REST).await;
        }
        Ok(Slow::new(connections, &alone, &among))
    }

    async fn ask(&self, options: &Bench, case: Case, which: Which) -> Result<Figures> {
        let (process, path) = match which {
            Which::Gateway => (&self.gateway, format!("/mcp/{SERVER}")),
            Which::Floor => (&self.floor, floor_path(case)),
            Which::Constant => (&self.constant, floor_path(case)),
        };
        let host = process.address.to_string();
        let workspace = self.world.named(case.reference);
        let tokens = self.world.tokens(case).context("nobody has such a roster")?;
        let requests = tokens
            .iter()
            .map(|token| case.request(&host, &path, token, workspace.as_deref()))
            .collect::<Result<Vec<_>, _>>()?;
        let (own, postgres) = (process.processor_time()?, self.postgres_time()?);
        let sample = load::put(process.address, &requests, options.time).await?;
        sleep(REST).await;
        let own = process.processor_time()?.saturating_sub(own);
        let postgres = self.postgres_time()?.saturating_sub(postgres);
        Ok(Figures::of(&sample, own, postgres))
    }

    fn postgres_time(&self) -> Result<std::time::Duration> {
        process::postgres_time(&self.data_dir)
    }
}

fn floor_path(case: Case) -> String {
    match case.reference {
        Reference::Id => "/id".to_owned(),
        Reference::Alias => "/alias".to_owned(),
        Reference::None => "/none".to_owned(),
    }
}

async fn start_floor(kind: &str, database_url: &str, plan: &str) -> Result<Process> {
    let port = process::free_port()?;
    let mut command = Command::new(std::env::current_exe()?);
    command.args(["floor", kind, &port.to_string(), database_url, plan]);
    Process::start(&mut command, port).await
}

#[expect(clippy::print_stderr, reason = "this is a command line")]
fn say(line: &str) {
    eprintln!("bench: {line}");
}
