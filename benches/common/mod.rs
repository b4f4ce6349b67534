//! What the benchmarks share: one line for each measurement, and a service in a separate process.

use std::cell::Cell;
use std::fs::{self, OpenOptions};
use std::io::{self, BufRead as _, BufReader, Read as _, Write};
use std::net::TcpStream;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::rc::Rc;
use std::thread;
use std::time::{Duration, Instant};

use jiff::Zoned;
use rustix::process::{Pid, Signal, kill_process};
use tempfile::TempDir;

/// The release binary.
pub const PETSTORE: &str = env!("CARGO_BIN_EXE_petstore");

/// The variable that asks for a record of the results in `benches/results`.
const RECORD: &str = "PETSTORE_BENCH_RECORD";

/// What the median of a measurement is compared with.
#[derive(Clone, Copy)]
pub enum Limit {
    AtMost(f64),
    AtLeast(f64),
    /// Without a limit; the largest value is the worst.
    LessIsBetter,
    /// Without a limit; the smallest value is the worst.
    MoreIsBetter,
}

/// What was asked for on the command line: options, and the names of parts; nothing under `cargo test --benches`, where
/// nothing is measured.
pub fn asked() -> Option<(Vec<String>, Vec<String>)> {
    let (options, names): (Vec<_>, Vec<_>) = std::env::args().skip(1).partition(|word| word.starts_with('-'));
    options.iter().any(|option| option == "--bench").then_some((options, names))
}

/// Measures the parts that were asked for by name, or all.
pub fn run<P: Copy>(parts: &[(&'static str, P)], mut measure: impl FnMut(P)) {
    let Some((_, names)) = asked() else { return };
    let all: Vec<_> = parts.iter().map(|(part, _)| *part).collect();
    if let Some(unknown) = names.iter().find(|name| !all.contains(&name.as_str())) {
        println!("there is no part {unknown:?}; there are {all:?}");
        return;
    }
    heading();
    for (name, chosen) in parts {
        if names.is_empty() || names.iter().any(|asked| asked == name) {
            part(name);
            measure(*chosen);
        }
    }
}

pub fn heading() {
    println!("{:<62} {:>9} {:>9} {:>9}", "measurement", "limit", "median", "worst");
    let (bench, processors) = (env!("CARGO_CRATE_NAME"), thread::available_parallelism().unwrap());
    let machine = format!("{}, {}, {processors} processors", std::env::consts::OS, std::env::consts::ARCH);
    let at = Zoned::now().strftime("%H:%M");
    record(&format!(
        "\n## {bench}\n\nAt {at}; {machine}.\n\n| measurement | limit | median | worst |\n|---|---|---|---|"
    ));
}

/// Prints the name of the part that begins.
pub fn part(name: &str) {
    println!("{name}");
    record(&format!("| **{name}** | | | |"));
}

/// Appends to the results of today, if asked for.
fn record(line: &str) {
    if std::env::var_os(RECORD).is_none() {
        return;
    }
    let today = Zoned::now().date();
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("benches/results/{today}.md"));
    let mut results = OpenOptions::new().create(true).append(true).open(path).unwrap();
    if results.metadata().unwrap().len() == 0 {
        writeln!(results, "# Results of {today}").unwrap();
    }
    writeln!(results, "{line}").unwrap();
}

/// Prints one measurement, marked if it misses its limit, and returns its median.
pub fn report(what: &str, limit: Limit, unit: &str, mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    if matches!(limit, Limit::AtLeast(_) | Limit::MoreIsBetter) {
        values.reverse();
    }
    let (median, worst) = (values[values.len() / 2], values[values.len() - 1]);
    let (missed, limit) = match limit {
        Limit::AtMost(most) => (median > most, most.to_string()),
        Limit::AtLeast(least) => (median < least, format!(">= {least}")),
        Limit::LessIsBetter | Limit::MoreIsBetter => (false, "-".to_owned()),
    };
    let verdict = if missed { " (missed)" } else { "" };
    record(&format!("| {what}, {unit} | {limit} | {median:.2}{verdict} | {worst:.2} |"));
    let mark = if missed { "!" } else { " " };
    println!("{mark} {:<60} {limit:>9} {median:>9.2} {worst:>9.2}", format!("{what}, {unit}"));
    median
}

pub fn milliseconds(time: Duration) -> f64 {
    time.as_secs_f64() * 1000.0
}

/// A field of `/proc/PID/status`, in its own unit.
pub fn process_status(process_id: u32, field: &str) -> f64 {
    number(&fs::read_to_string(format!("/proc/{process_id}/status")).unwrap(), field)
}

/// Waits for its end. Its peak of resident memory, in MiB, as it was seen last: one that has just ended has none.
pub fn peak(child: &mut Child) -> f64 {
    let mut peak: f64 = 0.0;
    while child.try_wait().unwrap().is_none() {
        let status = fs::read_to_string(format!("/proc/{}/status", child.id())).unwrap_or_default();
        if status.contains("VmHWM:") {
            peak = peak.max(number(&status, "VmHWM:") / 1024.0);
        }
        thread::sleep(Duration::from_millis(5));
    }
    peak
}

/// The first number after `field` in a file of `/proc`.
pub fn number(text: &str, field: &str) -> f64 {
    let line = text.lines().find_map(|line| line.strip_prefix(field)).unwrap();
    line.split_whitespace().next().unwrap().parse().unwrap()
}

/// Seconds of processor time that it has used so far, threads that have ended included.
pub fn processor(process_id: u32) -> f64 {
    let stat = fs::read_to_string(format!("/proc/{process_id}/stat")).unwrap();
    let fields: Vec<&str> = stat.rsplit(") ").next().unwrap().split(' ').collect();
    let ticks: f64 = fields[11..=12].iter().map(|ticks| ticks.parse::<f64>().unwrap()).sum();
    ticks / 100.0
}

/// A new key of this database.
pub fn new_key(database: &str) -> String {
    let made = Command::new(PETSTORE).args(["keys", "create", "--name", "bench", "--database", database]).output();
    String::from_utf8(made.unwrap().stdout).unwrap().trim().to_owned()
}

/// In the target directory: `/tmp` may be memory, where an fsync costs nothing.
pub fn directory() -> TempDir {
    tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap()
}

/// A service in a separate process, killed when this is dropped.
pub struct Served {
    child: Child,
    /// Just before its process was started.
    pub began: Instant,
    /// The address of the API, with `/v1`.
    pub base_url: String,
    /// A key that it takes.
    pub key: String,
    /// Removed with the service.
    directory: Option<TempDir>,
}

impl Served {
    /// On a new database of this many sample pets.
    pub fn start(pets: u64) -> Self {
        let directory = directory();
        let database = format!("sqlite:{}", directory.path().join("store.db").display());
        let mut served = Self::on(&database, pets);
        served.directory = Some(directory);
        served
    }

    /// On this database, with this many sample pets added to it.
    pub fn on(database: &str, pets: u64) -> Self {
        let key = new_key(database);
        let serve = ["serve", "--listen", "127.0.0.1:0", "--database", database, "--sample", &pets.to_string()];
        let mut served = Self::spawn(Command::new(PETSTORE).args(serve));
        served.key = key;
        served
    }

    /// Any program that says on its standard error where it listens, as ours does.
    pub fn spawn(command: &mut Command) -> Self {
        let began = Instant::now();
        let mut child = command.stderr(Stdio::piped()).spawn().unwrap();
        // A warning may come before.
        let mut lines = BufReader::new(child.stderr.take().unwrap()).lines().map_while(Result::ok);
        let base_url = lines.find_map(|line| line.strip_prefix("listening on ").map(str::to_owned));
        let base_url = base_url.expect("it says where it listens");
        Self { child, began, base_url, key: String::new(), directory: None }
    }

    /// Host and port.
    pub fn address(&self) -> &str {
        self.base_url.trim_start_matches("http://").trim_end_matches("/v1")
    }

    pub fn process_id(&self) -> u32 {
        self.child.id()
    }

    /// One GET with the key, on a new connection: how long it took, from before the connection to its end.
    pub fn round_trip(&self, path: &str, status: u16) -> Duration {
        let (address, key) = (self.address(), &self.key);
        let begin = Instant::now();
        let mut socket = TcpStream::connect(address).unwrap();
        let request = format!(
            "GET {path} HTTP/1.1\r\nhost: {address}\r\nauthorization: Bearer {key}\r\nconnection: close\r\n\r\n"
        );
        socket.write_all(request.as_bytes()).unwrap();
        let mut answer = String::new();
        socket.read_to_string(&mut answer).unwrap();
        assert!(answer.starts_with(&format!("HTTP/1.1 {status} ")), "{answer}");
        begin.elapsed()
    }

    /// Ends it as an administrator would, and waits: the database is then one file again.
    pub fn stop(mut self) {
        kill_process(Pid::from_child(&self.child), Signal::TERM).unwrap();
        self.child.wait().unwrap();
    }
}

impl Drop for Served {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// A terminal of which only the bytes matter.
pub struct Counter(pub Rc<Cell<usize>>);

impl Write for Counter {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.set(self.0.get() + bytes.len());
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
