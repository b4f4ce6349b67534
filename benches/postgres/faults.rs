//! What clients meet while PostgreSQL is away, frozen, or loses connections in the middle of its answers.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};
use tokio::runtime;
use tokio::time::sleep;

use super::common::Limit::{AtMost, MoreIsBetter};
use super::common::{Served, report};
use super::load::scattered;
use super::server::{Server, url};
use super::writers::{Outcomes, Writers, faults};

/// How long all is well before a trouble and after it.
const WELL: Duration = Duration::from_secs(3);
const AFTER: Duration = Duration::from_secs(10);

const AWAY: Duration = Duration::from_secs(4);
const FROZEN: Duration = Duration::from_secs(8);
const CUT: Duration = Duration::from_secs(6);

/// The most bytes that come over a connection that is cut.
const MOST_BYTES: u64 = 20_000;

/// In which adds are counted.
const WINDOW: Duration = Duration::from_millis(250);

pub fn measure(server: &mut Server) {
    runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build().unwrap().block_on(async {
        let line = Line::start(server.port()).await;
        for trouble in ["away for 4 s", "frozen for 8 s", "connections cut"] {
            let database = server.new_database();
            let served = Served::on(&url(line.port, &database), 0);
            let writers = Writers::start(&[served.address().to_owned()], &served.key, 16, 16);
            let begun = Instant::now();
            sleep(WELL).await;
            match trouble {
                "away for 4 s" => {
                    server.stop_at_once();
                    sleep(AWAY).await;
                    server.start_again();
                }
                "frozen for 8 s" => {
                    server.freeze();
                    sleep(FROZEN).await;
                    server.thaw();
                }
                _ => {
                    line.cut(true);
                    sleep(CUT).await;
                    line.cut(false);
                }
            }
            let ended = Instant::now();
            sleep(AFTER).await;
            let outcomes = writers.stop().await;
            let (lost, doubled) = faults(&outcomes, &server.url(&database)).await;
            say(trouble, &outcomes, begun, ended, lost, doubled);
        }
    });
}

fn say(trouble: &str, outcomes: &[Outcomes], begun: Instant, ended: Instant, lost: usize, doubled: usize) {
    let answers = || outcomes.iter().flat_map(|outcomes| &outcomes.answers);
    let slowest = answers().map(|answer| answer.took.as_secs_f64()).fold(0.0, f64::max);
    let added = answers().filter(|answer| answer.status == 201).count();
    let refused = answers().filter(|answer| answer.status == 503).count();
    // While the first request is still running, a repeated one is answered 409.
    let others = answers().filter(|answer| ![201, 409, 503].contains(&answer.status)).count();
    let without: usize = outcomes.iter().map(|outcomes| outcomes.broken + outcomes.unanswered).sum();
    report(&format!("{trouble}: added"), MoreIsBetter, "pets", vec![added as f64]);
    report(&format!("{trouble}: answered 503"), MoreIsBetter, "times", vec![refused as f64]);
    report(&format!("{trouble}: slowest answer"), AtMost(20.0), "s", vec![slowest]);
    report(
        &format!("{trouble}: no answer, or neither 201 nor 503"),
        AtMost(0.0),
        "times",
        vec![(others + without) as f64],
    );
    report(&format!("{trouble}: until adds flow again"), AtMost(6.0), "s", vec![recovery(outcomes, begun, ended)]);
    report(&format!("{trouble}: lost"), AtMost(0.0), "pets", vec![lost as f64]);
    report(&format!("{trouble}: doubled"), AtMost(0.0), "pets", vec![doubled as f64]);
}

/// The seconds from the end of the trouble to the end of the first window with half as many adds as before.
fn recovery(outcomes: &[Outcomes], begun: Instant, ended: Instant) -> f64 {
    let added: Vec<Instant> = outcomes
        .iter()
        .flat_map(|outcomes| &outcomes.answers)
        .filter(|answer| answer.status == 201)
        .map(|answer| answer.began + answer.took)
        .collect();
    let within = |from: Instant| added.iter().filter(|at| (from..from + WINDOW).contains(*at)).count();
    let windows = (WELL - WINDOW).as_secs_f64() / WINDOW.as_secs_f64();
    let before = added.iter().filter(|at| (begun + WINDOW..begun + WELL).contains(*at)).count() as f64 / windows;
    let first = (0..)
        .map(|number| ended + WINDOW * number)
        .find(|from| within(*from) as f64 >= before / 2.0 || *from > ended + AFTER);
    first.map_or(f64::INFINITY, |from| (from + WINDOW - ended).as_secs_f64())
}

/// A line to the server that can be cut.
struct Line {
    port: u16,
    is_cut: Arc<AtomicBool>,
}

impl Line {
    async fn start(server: u16) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let port = listener.local_addr().unwrap().port();
        let is_cut = Arc::<AtomicBool>::default();
        let cut = Arc::clone(&is_cut);
        tokio::spawn(async move {
            let mut most = scattered(u64::MAX, MOST_BYTES);
            while let Ok((client, _)) = listener.accept().await {
                tokio::spawn(forward(client, server, Arc::clone(&cut), most.next().unwrap_or_default()));
            }
        });
        Self { port, is_cut }
    }

    fn cut(&self, is_cut: bool) {
        self.is_cut.store(is_cut, Ordering::Relaxed);
    }
}

/// Until either side ends, or `most` bytes have come from the server while the line is cut.
async fn forward(mut client: TcpStream, server: u16, is_cut: Arc<AtomicBool>, most: u64) {
    let Ok(mut server) = TcpStream::connect(("127.0.0.1", server)).await else { return };
    let ((mut from_client, mut to_client), (mut from_server, mut to_server)) = (client.split(), server.split());
    let answers = async {
        let (mut bytes, mut left) = ([0; 8192], most as usize);
        loop {
            let Ok(read @ 1..) = from_server.read(&mut bytes).await else { return };
            let read = if is_cut.load(Ordering::Relaxed) { read.min(left) } else { read };
            if to_client.write_all(&bytes[..read]).await.is_err() {
                return;
            }
            if is_cut.load(Ordering::Relaxed) {
                left -= read;
                if left == 0 {
                    return;
                }
            }
        }
    };
    tokio::select! {
        () = answers => {}
        _ = tokio::io::copy(&mut from_client, &mut to_server) => {}
    }
}
