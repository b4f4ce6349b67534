//! The domains panel in a pseudo-terminal: two hundred domains watched, and keys while fifty are checked.

use std::fs;
use std::time::{Duration, Instant};

use crate::simulator::{Plan, ZoneData};
use jiff::Timestamp;
use petstore::domains::DnsName;
use petstore::domains::registry::{Registry, RegistryError, RegistryFile};
use petstore::domains::reported::{Dated, Event};

use crate::common::{Limit, milliseconds, part, process_status, processor, report};
use crate::harness::{Start, Terminal};
use crate::{Room, slow};

/// How long the watched domains are measured: their checks come 1, 3 and 7 minutes after the first ones.
const WATCHED: Duration = Duration::from_secs(480);
/// Keys of one round.
const KEYS: usize = 30;

/// Both measurements.
pub async fn panel() {
    part("panel");
    watched().await;
    keys().await;
}

/// Domains whose record is right, and which wait for somebody to choose Verify.
async fn waiting(count: usize) -> (Room, Terminal) {
    let names: Vec<String> = (0..count).map(|number| format!("d{number:03}.{}", Plan::ZONE)).collect();
    let plan = Plan::healthy(Timestamp::now()).with(|plan| {
        for name in &names {
            plan.zone(Plan::ZONE).add(name, Plan::TTL, ZoneData::cname(Plan::PLATFORM_HOST));
        }
    });
    let room = Room::new(slow(plan)).await;
    let home = room.directory.path();
    let reported = |list: &mut Registry| {
        for name in names.iter().map(|name| DnsName::new(name)) {
            let host = DnsName::new(Plan::PLATFORM_HOST);
            for event in [Event::Added, Event::Value { host }, Event::Saved] {
                list.note(&name, Dated { at: Timestamp::now(), event });
            }
        }
        Ok::<_, RegistryError>(())
    };
    RegistryFile::new(home.join("petstore/domains.json")).change(reported).unwrap();
    fs::write(home.join("config.toml"), configuration(&room)).unwrap();
    let config = home.join("config.toml");
    let app =
        Start::petstore(&["--config", config.to_str().unwrap()]).env("XDG_DATA_HOME", home.to_str().unwrap()).open();
    app.shows(&["No pets yet."]);
    let mut app = app;
    app.send("3");
    app.shows(&[&format!("{count} waiting"), "ready to verify"]);
    (room, app)
}

/// The world as `[domains]` of a configuration.
fn configuration(room: &Room) -> String {
    let world = &room.world;
    let resolvers: Vec<String> = world.resolvers().iter().map(|address| format!("\"{address}\"")).collect();
    let servers = world.name_servers().into_iter().map(|(host, address)| format!("\"{host}\" = \"{address}\""));
    format!(
        "[domains]\nresolvers = [{}]\nname_servers = {{ {} }}\nhttp_port = {}\nhttps_port = {}\ntrust = \"{}\"\n\
         ca_identities = [\"{}\"]\nallow_private = true\nnotify = \"off\"\n",
        resolvers.join(", "),
        servers.collect::<Vec<_>>().join(", "),
        world.http_port(),
        world.https_port(),
        room.trust().display(),
        Plan::CA,
    )
}

async fn watched() {
    let (room, app) = waiting(200).await;
    // The first checks came all at once; what comes then is watching.
    std::thread::sleep(Duration::from_secs(5));
    room.world.forget();
    let (bytes, spent, begin) = (app.bytes().len(), processor(app.process_id()), Instant::now());
    std::thread::sleep(WATCHED);
    let share = (processor(app.process_id()) - spent) / begin.elapsed().as_secs_f64() * 100.0;
    let bytes = (app.bytes().len() - bytes) as f64;
    assert!(!room.world.questions().is_empty(), "nobody looked");
    report("200 watched, nothing changes: written", Limit::AtMost(0.0), "bytes", vec![bytes]);
    report("200 watched: of one processor", Limit::AtMost(1.0), "%", vec![share]);
    let peak = process_status(app.process_id(), "VmHWM:") / 1024.0;
    report("200 watched: peak of resident memory", Limit::AtMost(40.0), "MiB", vec![peak]);
}

async fn keys() {
    let (_room, mut app) = waiting(50).await;
    let (mut quiet, mut busy, mut ratios) = (Vec::new(), Vec::new(), Vec::new());
    for _ in 0..9 {
        app.wait_until("rest", |screen, _| screen.contents().contains("Watching."));
        let alone = round(&mut app);
        app.send("r");
        app.wait_until("the check", |screen, _| screen.contents().contains("Looking: "));
        let during = round(&mut app);
        ratios.push(median(&during) / median(&alone));
        quiet.extend(alone);
        busy.extend(during);
    }
    report("key to screen without a check: yardstick", Limit::LessIsBetter, "ms", quiet);
    report("key to screen while 50 domains are checked", Limit::LessIsBetter, "ms", busy);
    report("while / without", Limit::AtMost(1.2), "ratio", ratios);
}

/// Moves the cursor down and up; how long each step takes until it is on screen.
fn round(app: &mut Terminal) -> Vec<f64> {
    let step = |at: usize| {
        let (key, row) = if at.is_multiple_of(2) { ("j", "> d001") } else { ("k", "> d000") };
        let begin = Instant::now();
        app.send(key);
        app.wait_until(row, |screen, _| screen.contents().contains(row));
        let time = milliseconds(begin.elapsed());
        std::thread::sleep(Duration::from_millis(25));
        time
    };
    (0..KEYS).map(step).collect()
}

fn median(values: &[f64]) -> f64 {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    sorted[sorted.len() / 2]
}
