//! Measures the domains checker against a world on loopback, in the same run as the world's own answers.
//!
//! `cargo bench --bench domains`, or some parts of it by name: `cargo bench --bench domains -- healthy`. Reports
//! and never fails: the machine may be shared. `cargo bench --bench domains -- world DNS-A-BLOCKS` starts the world of a
//! row of the catalogue instead, and prints the command that checks it. See `benches/README.md`.

#![allow(clippy::disallowed_methods, clippy::unwrap_used, clippy::print_stdout, reason = "it measures and reports")]

#[path = "../common/mod.rs"]
#[allow(dead_code, reason = "shared with the other measurements")]
mod common;
#[path = "../../tests/simulator/mod.rs"]
#[allow(dead_code, unused_imports, reason = "shared with the tests")]
mod simulator;
#[path = "../../tests/it/domains/worlds/mod.rs"]
#[allow(dead_code, reason = "shared with the tests")]
mod worlds;

use std::io::{BufRead as _, BufReader};
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use crate::simulator::{IssuedCertificate, Plan, ServerFault, Simulator, ZoneData};
use common::{Limit, PETSTORE, milliseconds, report};
use jiff::Timestamp;
use petstore::domains::Code;
use petstore::domains::DnsName;
use petstore::domains::check_options::resolver;
use petstore::domains::dns::exchange;
use petstore::domains::observation::{Question, RecordType};
use tempfile::TempDir;

/// How long each DNS answer of the slow world takes.
const DELAY: Duration = Duration::from_millis(60);
/// The domains of the part `scale`.
const SCALE: [usize; 5] = [1, 10, 50, 200, 2000];

struct Room {
    world: Simulator,
    directory: TempDir,
}

impl Room {
    async fn new(plan: Plan) -> Self {
        let world = Simulator::start(plan).await.unwrap();
        let directory = common::directory();
        std::fs::write(directory.path().join("roots.pem"), world.trust_pem()).unwrap();
        Self { world, directory }
    }

    fn trust(&self) -> PathBuf {
        self.directory.path().join("roots.pem")
    }

    /// `petstore domains check`, with nothing of this machine.
    fn check(&self, names: &[String], format: &str) -> Command {
        let mut command = Command::new(PETSTORE);
        command
            .args(["domains", "check", "--format", format])
            .args(names)
            .args(worlds::arguments(&self.world, &self.trust()));
        command.env_clear().env("HOME", self.directory.path()).stdout(Stdio::piped()).stderr(Stdio::null());
        command
    }
}

fn main() {
    let Some((_, names)) = common::asked() else { return };
    petstore::api::client::install_tls_provider();
    let runtime = tokio::runtime::Runtime::new().unwrap();
    if let [world, code] = names.as_slice()
        && world == "world"
    {
        return runtime.block_on(show(code));
    }
    type Measure = fn(&tokio::runtime::Runtime);
    let parts: [(&str, Measure); 2] =
        [("healthy", |runtime| runtime.block_on(healthy())), ("scale", |runtime| runtime.block_on(scale()))];
    common::run(&parts, |measure| measure(&runtime));
}

/// A world to check by hand.
async fn show(code: &str) {
    let now = Timestamp::now();
    let plan = match code.parse::<Code>() {
        Ok(code) => worlds::showing(now, code),
        Err(_) => Some(Plan::healthy(now)),
    };
    let Some(plan) = plan else { return println!("there is no world for {code}") };
    let room = Room::new(plan).await;
    println!("{PETSTORE} domains check {} {}", Plan::DOMAIN, worlds::arguments(&room.world, &room.trust()).join(" "));
    std::future::pending::<()>().await;
}

fn slow(mut plan: Plan) -> Plan {
    plan.name_servers.iter_mut().for_each(|server| server.faults.push(ServerFault::Slow(DELAY)));
    plan.resolvers.iter_mut().for_each(|resolver| resolver.faults.push(ServerFault::Slow(DELAY)));
    plan
}

/// One healthy domain whose servers take their time, against the longest chain of answers that depend on each other.
async fn healthy() {
    let room = Room::new(slow(Plan::healthy(Timestamp::now()))).await;
    let (mut chains, mut checks, mut ratios, mut questions) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
    for _ in 0..15 {
        let chain = chain(&room.world).await;
        room.world.forget();
        let begin = Instant::now();
        let output = room.check(&[Plan::DOMAIN.to_owned()], "json").output().unwrap();
        let time = begin.elapsed();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stdout));
        questions.push(room.world.questions().len() as f64);
        chains.push(milliseconds(chain));
        checks.push(milliseconds(time));
        ratios.push((milliseconds(time) - 50.0) / milliseconds(chain));
    }
    report("longest chain of dependent answers: yardstick", Limit::LessIsBetter, "ms", chains);
    report("one check, from exec to exit", Limit::LessIsBetter, "ms", checks);
    report("(one check - 50 ms) / chain", Limit::AtMost(1.2), "ratio", ratios);
    report("questions", Limit::AtMost(40.0), "questions", questions);
}

/// Three answers, one after another: a resolver names the servers above the zone, one of those names the zone's, one of those
/// answers.
async fn chain(world: &Simulator) -> Duration {
    let begin = Instant::now();
    for (name, kind) in [("com", RecordType::NS), (Plan::ZONE, RecordType::NS), (Plan::DOMAIN, RecordType::CNAME)] {
        let question = Question::new(DnsName::new(name), kind);
        let lookup = exchange::ask(resolver(world.resolver(0)), question, Timestamp::now()).await;
        assert!(lookup.reply().is_some());
    }
    begin.elapsed()
}

fn names(count: usize) -> Vec<String> {
    (0..count).map(|number| format!("d{number}.{}", Plan::ZONE)).collect()
}

/// Each with its record, and a certificate for it.
fn with_all(names: &[String]) -> Plan {
    Plan::healthy(Timestamp::now()).with(|plan| {
        for name in names {
            plan.zone(Plan::ZONE).add(name, Plan::TTL, ZoneData::cname(Plan::PLATFORM_HOST));
            let certificate = IssuedCertificate::new(plan.now, &[name.as_str()]);
            plan.site(Plan::PLATFORM_ADDRESS).show(certificate);
        }
    })
}

/// How a check grows with its domains. `cargo bench --bench charts` draws it.
async fn scale() {
    for count in SCALE {
        let names = names(count);
        let room = Room::new(with_all(&names)).await;
        // Certificates are made at their first use.
        room.check(&names, "json").output().unwrap();
        let (mut times, mut peaks) = (Vec::new(), Vec::new());
        for _ in 0..3 {
            let begin = Instant::now();
            peaks.push(peak_of(room.check(&names, "table")));
            times.push(begin.elapsed().as_secs_f64());
        }
        report(&format!("one check of all at {count} domains"), Limit::LessIsBetter, "s", times);
        report(&format!("peak of resident memory at {count} domains"), Limit::AtMost(40.0), "MiB", peaks);
    }
}

/// Runs a command to its end; the peak of its resident memory in MiB.
fn peak_of(mut command: Command) -> f64 {
    let mut child = command.spawn().unwrap();
    let output = child.stdout.take().unwrap();
    let reader = std::thread::spawn(move || BufReader::new(output).lines().count());
    let peak = common::peak(&mut child);
    reader.join().unwrap();
    peak
}
