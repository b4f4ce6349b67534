//! The binary in a home of its own, and services for it.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::TcpStream;
use std::process::{Child, Command, Output, Stdio};
use std::time::Duration;

use rustix::process::{Pid, Signal, kill_process};
use tempfile::TempDir;

use crate::stub::{self, Stub};

pub const PETSTORE: &str = env!("CARGO_BIN_EXE_petstore");

/// The binary with a home of its own and nothing else in its environment.
pub fn petstore(home: &TempDir, arguments: &[&str]) -> Command {
    let mut command = Command::new(PETSTORE);
    command.args(arguments).env_clear().env("HOME", home.path()).env("LANG", "C.UTF-8").env("TZ", "UTC");
    command.stdin(Stdio::null());
    command
}

pub fn run(home: &TempDir, arguments: &[&str]) -> Output {
    petstore(home, arguments).output().unwrap()
}

pub fn with_stdin(mut command: Command, text: &str) -> Output {
    let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    child.stdin.take().unwrap().write_all(text.as_bytes()).unwrap();
    child.wait_with_output().unwrap()
}

pub fn signal(child: &Child, signal: Signal) {
    kill_process(Pid::from_child(child), signal).unwrap();
}

pub fn stdout(output: &Output) -> String {
    String::from_utf8(output.stdout.clone()).unwrap()
}

pub fn stderr(output: &Output) -> String {
    String::from_utf8(output.stderr.clone()).unwrap()
}

/// Exit status, and the failure is one to three clean lines on stderr and nothing on stdout.
#[track_caller]
pub fn fails_cleanly(output: &Output, status: i32, says: &str) {
    let text = stderr(output);
    assert_eq!(output.status.code(), Some(status), "{text}");
    assert!(text.contains(says), "{text}");
    assert!((1..=3).contains(&text.lines().count()), "{text}");
    assert!(text.starts_with("petstore: ") && !text.chars().any(|c| c.is_control() && c != '\n'), "{text:?}");
    assert_eq!(stdout(output), "");
}

pub fn home() -> TempDir {
    tempfile::tempdir().unwrap()
}

/// A running `petstore serve` with a key; killed when dropped.
pub struct Served {
    pub child: Child,
    pub base_url: String,
    pub key: String,
    pub home: TempDir,
}

impl Served {
    pub fn start() -> Self {
        let home = home();
        let database = format!("sqlite:{}", home.path().join("store.db").display());
        let made = run(&home, &["keys", "create", "--database", &database, "--name", "test"]);
        let key = stdout(&made);
        assert!(stderr(&made).starts_with("created key "), "{}", stderr(&made));
        let serve = ["serve", "--listen", "127.0.0.1:0", "--database", &database, "--sample", "30"];
        let mut child = petstore(&home, &serve).stderr(Stdio::piped()).spawn().unwrap();
        let mut line = String::new();
        BufReader::new(child.stderr.take().unwrap()).read_line(&mut line).unwrap();
        let base_url = line.trim().strip_prefix("listening on ").unwrap_or_else(|| panic!("{line}")).to_owned();
        Self { child, base_url, key: key.trim().to_owned(), home }
    }

    pub fn petstore(&self, arguments: &[&str]) -> Command {
        let mut command = petstore(&self.home, arguments);
        command.env("PETSTORE_BASE_URL", &self.base_url).env("PETSTORE_API_KEY", &self.key);
        command
    }

    pub fn run(&self, arguments: &[&str]) -> Output {
        self.petstore(arguments).output().unwrap()
    }
}

impl Drop for Served {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// The binary against a service elsewhere.
pub async fn against(base_url: &str, key: &str, arguments: &[&str]) -> Output {
    let home = home();
    let mut command = petstore(&home, arguments);
    command.env("PETSTORE_BASE_URL", base_url).env("PETSTORE_API_KEY", key);
    tokio::task::spawn_blocking(move || command.output().unwrap()).await.unwrap()
}

/// A process that ends with the test, however that ends.
pub struct Running(pub Child);

impl Drop for Running {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// A connection that sends just the bytes that a test wants. No answer is waited for longer than a minute.
pub struct Wire(BufReader<TcpStream>);

impl Wire {
    pub fn to(address: &str) -> Self {
        let stream = TcpStream::connect(address).unwrap();
        stream.set_read_timeout(Some(Duration::from_secs(60))).unwrap();
        Self(BufReader::new(stream))
    }

    pub fn send(&mut self, text: &str) {
        self.0.get_mut().write_all(text.as_bytes()).unwrap();
    }

    /// Status and body of the next answer.
    pub fn answer(&mut self) -> (u16, String) {
        let (mut status, mut length) = (None, 0);
        loop {
            let mut line = String::new();
            self.0.read_line(&mut line).unwrap();
            let line = line.trim_end().to_ascii_lowercase();
            if let Some(rest) = line.strip_prefix("http/1.1 ") {
                status = Some(rest[..3].parse().unwrap());
            } else if let Some(rest) = line.strip_prefix("content-length: ") {
                length = rest.parse().unwrap();
            } else if line.is_empty() {
                break;
            }
        }
        let mut body = vec![0; length];
        self.0.read_exact(&mut body).unwrap();
        (status.expect("an answer"), String::from_utf8(body).unwrap())
    }

    pub fn ask(&mut self, request: &str) -> (u16, String) {
        self.send(request);
        self.answer()
    }
}

/// A key as services make them.
pub const KEY: &str = "petk_0123456789abcdef77d0";

/// The binary against a service that always answers so.
pub async fn against_answer(answer: Vec<u8>, arguments: &[&str]) -> Output {
    let stub: Stub = stub::always(answer).await;
    against(&stub.base_url, KEY, arguments).await
}

/// How the program ended, what it said on stdout, and what on stderr.
pub fn all(output: &Output) -> (Option<i32>, String, String) {
    (output.status.code(), stdout(output), stderr(output))
}
