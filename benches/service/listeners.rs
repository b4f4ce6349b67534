//! Clients that follow added pets, all on one thread, and how soon they learn of them.

use std::collections::HashMap;
use std::io::{self, Write as _};
use std::sync::mpsc::{Sender, channel};
use std::sync::{Arc, Mutex};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;
use tokio::runtime;
use tokio::task::JoinSet;
use tokio::time::sleep_until;
use tokio_util::sync::CancellationToken;

use super::common::Limit::{AtLeast, AtMost, LessIsBetter};
use super::common::{milliseconds, report};
use super::load::{Connection, Load, Request};

/// How long the last event may take.
const PATIENCE: Duration = Duration::from_secs(10);

/// When each pet came, by its name.
type Arrivals = Arc<Mutex<HashMap<String, Instant>>>;

/// Open streams, until this is dropped.
pub struct Listeners {
    enough: CancellationToken,
    thread: Option<JoinHandle<()>>,
}

impl Listeners {
    /// So many streams of the service at `address`, all of which have begun.
    pub fn open(address: &str, key: &str, count: usize) -> Self {
        Self::start(vec![address.to_owned(); count], key, None)
    }

    fn start(addresses: Vec<String>, key: &str, arrivals: Option<Arrivals>) -> Self {
        let (enough, key, count) = (CancellationToken::new(), key.to_owned(), addresses.len());
        let (begun, begins) = channel();
        let end = enough.clone();
        let thread = thread::spawn(move || {
            runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(async move {
                let mut streams = JoinSet::new();
                for address in addresses {
                    streams.spawn(follow(address, key.clone(), begun.clone(), arrivals.clone()));
                }
                end.cancelled().await;
            });
        });
        (0..count).for_each(|_| begins.recv_timeout(PATIENCE).expect("the stream begins"));
        Self { enough, thread: Some(thread) }
    }
}

impl Drop for Listeners {
    fn drop(&mut self) {
        self.enough.cancel();
        let _ = self.thread.take().map(JoinHandle::join);
    }
}

/// So many streams that are never read.
pub fn deaf(address: &str, key: &str, count: usize) -> Vec<std::net::TcpStream> {
    let open = |_| {
        let mut stream = std::net::TcpStream::connect(address).unwrap();
        stream.write_all(ask(key).as_bytes()).unwrap();
        stream
    };
    (0..count).map(open).collect()
}

fn ask(key: &str) -> String {
    format!("GET /v1/pets/events HTTP/1.1\r\nhost: localhost\r\nauthorization: Bearer {key}\r\n\r\n")
}

/// Reads to the end, and notes what comes where that is asked for.
async fn follow(address: String, key: String, begun: Sender<()>, arrivals: Option<Arrivals>) -> io::Result<()> {
    let mut stream = TcpStream::connect(&address).await?;
    stream.write_all(ask(&key).as_bytes()).await?;
    let (mut bytes, mut text, mut has_begun) = (vec![0; 16 * 1024], String::new(), false);
    loop {
        let read = stream.read(&mut bytes).await?;
        let now = Instant::now();
        if read == 0 {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        if !has_begun || arrivals.is_some() {
            text.push_str(&String::from_utf8_lossy(&bytes[..read]));
        }
        if !has_begun && text.contains("\nid: ") {
            has_begun = true;
            // The receiver is gone if it has waited for too long.
            let _ = begun.send(());
        }
        if let Some(arrivals) = &arrivals {
            let whole = text.rfind('\n').map_or(0, |end| end + 1);
            let mut arrivals = arrivals.lock().unwrap();
            for name in text[..whole].split("\"name\":\"").skip(1).filter_map(|rest| rest.split('"').next()) {
                arrivals.insert(name.to_owned(), now);
            }
            text.drain(..whole);
        }
    }
}

/// Adds `count` pets, `rate` in a second, at one of `addresses` after another, and returns how many milliseconds after its 201
/// each came to who follows at the last address, in ascending order; and how many did not come.
pub fn latencies(addresses: &[&str], key: &str, count: usize, rate: u32) -> (Vec<f64>, usize) {
    let (arrivals, last) = (Arrivals::default(), addresses[addresses.len() - 1].to_owned());
    let _listener = Listeners::start(vec![last], key, Some(Arc::clone(&arrivals)));
    let addresses: Vec<_> = addresses.iter().map(|address| (*address).to_owned()).collect();
    let added = runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(async move {
        let begin = Instant::now();
        let mut writers = JoinSet::new();
        let step = addresses.len();
        for (first, address) in addresses.into_iter().enumerate() {
            let key = key.to_owned();
            writers.spawn(async move {
                let (mut connection, mut added) = (Connection::open(&address).await.unwrap(), Vec::new());
                for number in (first..count).step_by(step) {
                    sleep_until((begin + number as u32 * Duration::from_secs(1) / rate).into()).await;
                    let name = format!("pet {number}");
                    let is_added = connection.ask(&Request::add("", &name, &key)).await.unwrap();
                    assert!(is_added, "{name}");
                    added.push((name, Instant::now()));
                }
                added
            });
        }
        writers.join_all().await.concat()
    });
    let end = Instant::now() + PATIENCE;
    while arrivals.lock().unwrap().len() < count && Instant::now() < end {
        thread::sleep(Duration::from_millis(10));
    }
    let arrivals = arrivals.lock().unwrap();
    let came = added.iter().filter_map(|(name, at)| Some(arrivals.get(name)?.saturating_duration_since(*at)));
    let mut latencies: Vec<f64> = came.map(milliseconds).collect();
    latencies.sort_by(f64::total_cmp);
    let missed = added.len() - latencies.len();
    (latencies, missed)
}

/// Reports how soon each of 10,000 pets comes `to` who follows at the last address, 500 added in a second, three times.
pub fn report_latencies(to: &str, most: f64, addresses: &[&str], key: &str) {
    let rounds = [(); 3].map(|()| latencies(addresses, key, 10_000, 500));
    let medians = rounds.iter().map(|(round, _)| round[round.len() / 2]).collect();
    report(&format!("from the 201 to {to}: median"), LessIsBetter, "ms", medians);
    let p99 = rounds.iter().map(|(round, _)| p99(round)).collect();
    report(&format!("from the 201 to {to}: 99 in 100"), AtMost(most), "ms", p99);
    report("missed", AtMost(0.0), "pets", rounds.iter().map(|(_, missed)| *missed as f64).collect());
}

/// Reports what is added in a second while so many follow at each address, as a part of what is added without them.
pub fn report_adds(each: usize, addresses: &[&str], key: &str) {
    let requests = [Request::add("", "Biscuit", key)].into();
    let load = Load { requests, connections: 64, time: Duration::from_secs(1), every: None };
    let (mut ratios, mut errors) = (Vec::new(), 0);
    load.run_on(addresses);
    for _ in 0..9 {
        let without = load.run_on(addresses);
        let listeners: Vec<_> = addresses.iter().map(|address| Listeners::open(address, key, each)).collect();
        let with = load.run_on(addresses);
        drop(listeners);
        ratios.push(with.per_second() / without.per_second());
        errors += without.errors + with.errors;
    }
    let what = format!("adds, 64 connections: with {} listeners / with none", each * addresses.len());
    report(&what, AtLeast(0.9), "ratio", ratios);
    report("errors", AtMost(0.0), "times", vec![errors as f64]);
}

/// What 99 in 100 keep to.
pub fn p99(latencies: &[f64]) -> f64 {
    latencies.get(latencies.len() * 99 / 100).copied().unwrap_or(f64::INFINITY)
}
