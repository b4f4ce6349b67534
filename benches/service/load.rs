//! The load: HTTP/1.1 on kept connections, all on one thread.
//!
//! It shares the processor with what it measures, so it does little: a request is ready in bytes, and of an answer only
//! the status and the length are read. Both are checked, always.

use std::io::{self, ErrorKind};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;
use tokio::runtime;
use tokio::time::{sleep_until, timeout};

use super::common::milliseconds;

/// How long an answer is waited for after the end of the load.
const PATIENCE: Duration = Duration::from_secs(10);

/// More than any answer has.
const ANSWER_BYTES: usize = 16 * 1024;

/// A request, and what its answer must be.
pub struct Request {
    bytes: Vec<u8>,
    status: u16,
    /// The least length of the body, in bytes.
    body: usize,
}

impl Request {
    /// A list of 20 pets; `query` goes on from there. No pet is shorter than 50 bytes.
    pub fn list(query: &str, key: &str) -> Self {
        Self { bytes: head("GET", &format!("?limit=20{query}"), key, "\r\n"), status: 200, body: 20 * 50 }
    }

    pub fn get(id: u64, key: &str) -> Self {
        Self { bytes: head("GET", &format!("/{id}"), key, "\r\n"), status: 200, body: 50 }
    }

    /// Whether the service is there: no key, no database.
    pub fn probe() -> Self {
        Self { bytes: b"GET /healthz HTTP/1.1\r\nhost: localhost\r\n\r\n".to_vec(), status: 204, body: 0 }
    }

    /// A pet; `headers`, each with its line end, come with it.
    pub fn add(headers: &str, name: &str, key: &str) -> Self {
        let body = format!(r#"{{"name":"{name}","categoryId":1,"status":"available"}}"#);
        let rest = format!("{headers}content-type: application/json\r\ncontent-length: {}\r\n\r\n{body}", body.len());
        Self { bytes: head("POST", "", key, &rest), status: 201, body: 50 }
    }

    /// Another status of a pet.
    pub fn change(id: u64, status: &str, key: &str) -> Self {
        let body = format!(r#"[{{"op":"replace","path":"/status","value":"{status}"}}]"#);
        let rest = format!("content-type: application/json-patch+json\r\ncontent-length: {}\r\n\r\n{body}", body.len());
        Self { bytes: head("PATCH", &format!("/{id}"), key, &rest), status: 200, body: 50 }
    }
}

fn head(method: &str, path: &str, key: &str, rest: &str) -> Vec<u8> {
    format!("{method} /v1/pets{path} HTTP/1.1\r\nhost: localhost\r\nauthorization: Bearer {key}\r\n{rest}").into_bytes()
}

/// `count` numbers from 1 to `most`, spread over all of them in no order; the same ones each time.
pub fn scattered(count: u64, most: u64) -> impl Iterator<Item = u64> {
    // Steps of the golden ratio, of a circle of 2^64, leave neither gaps nor heaps.
    const STEP: u64 = 0x9E37_79B9_7F4A_7C15;
    let part = move |index: u64| u128::from(index.wrapping_mul(STEP)) * u128::from(most);
    (0..count).map(move |index| (part(index) >> 64) as u64 + 1)
}

/// Pages of 20 pets from anywhere in a store of this many: more of them than a cache of answers would hold. Each of
/// `filters`, such as `&status=sold` or nothing, is used, one after another.
pub fn pages(pets: u64, filters: &[&str], key: &str) -> Arc<[Request]> {
    // Not from the last tenth, so that each page is full.
    let after = scattered(10_000, pets / 10 * 9);
    let query = after.zip(filters.iter().cycle()).map(|(after, filter)| format!("&after={after}{filter}"));
    query.map(|query| Request::list(&query, key)).collect()
}

/// What is asked, by how many, for how long.
#[derive(Clone)]
pub struct Load {
    /// Sent one after another, and then again from the first one.
    pub requests: Arc<[Request]>,
    pub connections: usize,
    pub time: Duration,
    /// The time from the beginning of one request to that of the next, whether or not the answers come; nothing: each
    /// connection asks again as soon as it is answered.
    pub every: Option<Duration>,
}

/// What came of it.
pub struct Outcome {
    /// Of the right answers, in milliseconds, in ascending order.
    latencies: Vec<f64>,
    /// Wrong answers, and connections that broke.
    pub errors: usize,
    time: Duration,
}

impl Outcome {
    /// Right answers in a second.
    pub fn per_second(&self) -> f64 {
        self.latencies.len() as f64 / self.time.as_secs_f64()
    }

    /// The longest latency, in milliseconds.
    pub fn slowest(&self) -> f64 {
        self.latencies.last().copied().unwrap_or(f64::INFINITY)
    }

    /// The latency, in milliseconds, that this part of the answers keeps to: 0.5 for the median. Without any answer it
    /// is infinite.
    pub fn latency(&self, part: f64) -> f64 {
        let place = (self.latencies.len() as f64 * part) as usize;
        self.latencies.get(place).copied().unwrap_or(f64::INFINITY)
    }
}

impl Load {
    /// Puts the load on the service at `address`. Connecting does not count.
    pub fn run(&self, address: &str) -> Outcome {
        self.run_on(&[address])
    }

    /// The same on several instances, each of which gets as many of the connections.
    pub fn run_on(&self, addresses: &[&str]) -> Outcome {
        runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(async {
            let mut connections = Vec::with_capacity(self.connections);
            for address in addresses.iter().cycle().take(self.connections) {
                connections.push(Connection::open(address).await.unwrap());
            }
            let (turn, begin) = (Arc::new(AtomicUsize::new(0)), Instant::now());
            let running = connections.into_iter().map(|connection| {
                let client = Client { load: self.clone(), turn: Arc::clone(&turn), begin, connection };
                tokio::spawn(client.run())
            });
            let mut outcome = Outcome { latencies: Vec::new(), errors: 0, time: Duration::ZERO };
            for client in running.collect::<Vec<_>>() {
                let ended = timeout(self.time + PATIENCE, client).await.expect("the service does not answer");
                let (latencies, errors) = ended.unwrap();
                outcome.latencies.extend(latencies);
                outcome.errors += errors;
            }
            outcome.time = begin.elapsed();
            outcome.latencies.sort_by(f64::total_cmp);
            outcome
        })
    }
}

struct Client {
    load: Load,
    /// How many requests all clients have made.
    turn: Arc<AtomicUsize>,
    begin: Instant,
    connection: Connection,
}

impl Client {
    /// Latencies in milliseconds, and the number of errors.
    async fn run(mut self) -> (Vec<f64>, usize) {
        let (mut latencies, mut errors) = (Vec::new(), 0);
        loop {
            let turn = self.turn.fetch_add(1, Ordering::Relaxed);
            // A request that is sent late is as slow as it is for who wanted to send it in time. The timer is late by up
            // to a millisecond, and that counts too.
            let due = self.load.every.map_or_else(Instant::now, |every| self.begin + every * turn as u32);
            if due >= self.begin + self.load.time {
                return (latencies, errors);
            }
            if self.load.every.is_some() {
                sleep_until(due.into()).await;
            }
            match self.connection.ask(&self.load.requests[turn % self.load.requests.len()]).await {
                Ok(true) => latencies.push(milliseconds(due.elapsed())),
                Ok(false) => errors += 1,
                Err(_) => {
                    errors += 1;
                    self.connection = Connection::open(&self.connection.address).await.unwrap();
                }
            }
        }
    }
}

/// A connection that is kept.
pub struct Connection {
    address: String,
    stream: TcpStream,
    answer: Box<[u8; ANSWER_BYTES]>,
}

impl Connection {
    pub async fn open(address: &str) -> io::Result<Self> {
        let stream = TcpStream::connect(address).await?;
        stream.set_nodelay(true)?;
        Ok(Self { address: address.to_owned(), stream, answer: Box::new([0; ANSWER_BYTES]) })
    }

    /// Whether the answer was right.
    pub async fn ask(&mut self, request: &Request) -> io::Result<bool> {
        let (status, body) = self.exchange(request).await?;
        Ok(status == request.status && body >= request.body)
    }

    /// The status of the answer, and the length of its body.
    pub async fn exchange(&mut self, request: &Request) -> io::Result<(u16, usize)> {
        self.stream.write_all(&request.bytes).await?;
        let mut filled = 0;
        loop {
            match self.stream.read(&mut self.answer[filled..]).await? {
                0 => return Err(ErrorKind::UnexpectedEof.into()),
                read => filled += read,
            }
            if let Some(answer) = whole(&self.answer[..filled]) {
                return Ok(answer);
            }
        }
    }
}

/// The status and the length of the body, once all of the answer is there.
fn whole(answer: &[u8]) -> Option<(u16, usize)> {
    let head = answer.windows(4).position(|window| window == b"\r\n\r\n")?;
    let lines = str::from_utf8(&answer[..head]).ok()?;
    let (status, headers) = lines.strip_prefix("HTTP/1.1 ")?.split_once(' ')?;
    let length = headers.lines().find_map(|line| {
        let (name, value) = line.split_once(": ")?;
        name.eq_ignore_ascii_case("content-length").then(|| value.parse().ok())?
    });
    // 204 has no body.
    let length = length.or_else(|| status.starts_with("204").then_some(0))?;
    (answer.len() == head + 4 + length).then_some((status.parse().ok()?, length))
}
