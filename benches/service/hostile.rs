//! Clients that only hold on to the service: what an ordinary request meets meanwhile, and what they cost.
//!
//! They are more than the service takes at once, and come back as soon as they are cut off.

use std::io;
use std::iter::repeat;
use std::sync::Arc;
use std::time::{Duration, Instant};

use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;
use tokio::runtime;
use tokio::time::{sleep, sleep_until, timeout};

use super::common::Limit::{AtMost, LessIsBetter};
use super::common::{Served, milliseconds, process_status, report};
use super::load::{Connection, Load, Request};

/// How many there are of each kind.
const CLIENTS: [(Hostile, usize); 3] = [(Hostile::Slow, 200), (Hostile::Idle, 900), (Hostile::Endless, 1)];

/// The ordinary requests: the time from one to the next, and how many there are.
const EVERY: Duration = Duration::from_millis(50);
const ORDINARY: u32 = 400;

/// How long an ordinary client waits before it gives up.
const PATIENCE: Duration = Duration::from_secs(15);

pub fn measure() {
    let served = Served::start(1000);
    // Only now: the service must live with the limit that it finds.
    let files = getrlimit(Resource::Nofile);
    setrlimit(Resource::Nofile, Rlimit { current: files.maximum, ..files }).unwrap();
    let request = || Request::list("", &served.key);
    // What ordinary clients take is not what the hostile ones add.
    let ordinary = Load { requests: [request()].into(), connections: 16, time: Duration::from_secs(1), every: None };
    ordinary.run(served.address());
    let before = memory(&served);

    let (mut latencies, mut given_up, mut peak) = (Vec::new(), 0, before);
    runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(async {
        let (address, key): (Arc<str>, Arc<str>) = (served.address().into(), served.key.as_str().into());
        for (kind, count) in CLIENTS {
            for _ in 0..count {
                tokio::spawn(kind.come_back_for_ever(Arc::clone(&address), Arc::clone(&key)));
                // All at once, many would be lost in the system's queue and hold nothing.
                sleep(Duration::from_millis(1)).await;
            }
        }
        let (begin, mut running) = (Instant::now(), Vec::new());
        for turn in 0..ORDINARY {
            let due = begin + EVERY * turn;
            sleep_until(due.into()).await;
            running.push(tokio::spawn(timeout(PATIENCE, ask(Arc::clone(&address), request(), due))));
            peak = peak.max(memory(&served));
        }
        for request in running {
            let latency = request.await.unwrap().unwrap_or_else(|_| {
                given_up += 1;
                PATIENCE
            });
            latencies.push(milliseconds(latency));
        }
    });
    let slowest = latencies.iter().copied().fold(0.0, f64::max);
    report("ordinary requests", LessIsBetter, "ms", latencies);
    report("the slowest ordinary request", AtMost(500.0), "ms", vec![slowest]);
    report("ordinary clients that gave up", AtMost(0.0), "times", vec![f64::from(given_up)]);
    report("growth of resident memory", AtMost(5.0), "MiB", vec![peak - before]);
}

/// Resident memory in MiB.
fn memory(served: &Served) -> f64 {
    process_status(served.process_id(), "VmRSS:") / 1024.0
}

/// The time from `due` to a right answer, on a new connection.
async fn ask(address: Arc<str>, request: Request, due: Instant) -> Duration {
    let right = Connection::open(&address).await.unwrap().ask(&request).await.unwrap();
    assert!(right, "an ordinary request was refused");
    due.elapsed()
}

#[derive(Clone, Copy)]
enum Hostile {
    /// Sends one byte a second.
    Slow,
    /// Sends nothing.
    Idle,
    /// Sends a body without an end, as fast as it is taken.
    Endless,
}

impl Hostile {
    async fn come_back_for_ever(self, address: Arc<str>, key: Arc<str>) {
        loop {
            // However it ended: it was cut off.
            let _ = self.hold_on(&address, &key).await;
            tokio::task::yield_now().await;
        }
    }

    async fn hold_on(self, address: &str, key: &str) -> io::Result<()> {
        let mut stream = TcpStream::connect(address).await?;
        match self {
            Self::Slow => {
                for byte in b"GET /v1/pets HTTP/1.1\r\nx-slow: ".iter().chain(repeat(&b'.')) {
                    stream.write_all(&[*byte]).await?;
                    sleep(Duration::from_secs(1)).await;
                }
            }
            Self::Idle => {
                stream.read_exact(&mut [0]).await?;
            }
            Self::Endless => {
                let head = format!(
                    "POST /v1/pets HTTP/1.1\r\nhost: localhost\r\nauthorization: Bearer {key}\r\n\
                     content-type: application/json\r\ntransfer-encoding: chunked\r\n\r\n"
                );
                stream.write_all(head.as_bytes()).await?;
                let chunk = format!("4000\r\n{:16384}\r\n", "");
                loop {
                    stream.write_all(chunk.as_bytes()).await?;
                }
            }
        }
        Ok(())
    }
}
