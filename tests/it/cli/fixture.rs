//! The binary in a home of its own, and services for it.

use crate::prelude::*;

use std::net::TcpStream;

pub use crate::instances::Running;
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
    // It may end before it has read everything.
    let _ = child.stdin.take().unwrap().write_all(text.as_bytes());
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

/// What it printed; it ended well and said nothing else.
#[track_caller]
pub fn prints(output: &Output) -> String {
    assert_eq!((output.status.code(), stderr(output).as_str()), (Some(0), ""));
    stdout(output)
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

/// A home with this configuration.
pub fn configured(text: &str) -> TempDir {
    let home = home();
    configure(&home, text);
    home
}

/// Writes the configuration of a home; gives its file.
pub fn configure(home: &TempDir, text: &str) -> PathBuf {
    let file = home.path().join(".config/petstore/config.toml");
    fs::create_dir_all(file.parent().unwrap()).unwrap();
    fs::write(&file, text).unwrap();
    file
}

/// The address of the database of services in this home.
pub fn database(home: &TempDir) -> String {
    format!("sqlite:{}", home.path().join("store.db").display())
}

/// A new key for it, with these further words of `keys create`.
pub fn new_key(home: &TempDir, words: &[&str]) -> String {
    let create = ["keys", "create", "--database", &database(home), "--name", "test"];
    let made = run(home, &[&create, words].concat());
    assert!(stderr(&made).starts_with("created key "), "{}", stderr(&made));
    stdout(&made).trim().to_owned()
}

/// What a program says, line by line.
pub type Lines = Box<dyn Iterator<Item = String>>;

pub fn lines(pipe: impl io::Read + 'static) -> Lines {
    Box::new(BufReader::new(pipe).lines().map(Result::unwrap))
}

/// `petstore serve` on the database of this home, on a free port, and what it says on stderr.
pub fn serve(home: &TempDir, options: &[&str]) -> (Running, Lines) {
    let serve = ["serve", "--listen", "127.0.0.1:0", "--database", &database(home)];
    started(petstore(home, &[&serve, options].concat()))
}

/// This program, and what it says on stderr.
pub fn started(mut program: Command) -> (Running, Lines) {
    let mut running = Running(program.stderr(Stdio::piped()).spawn().unwrap());
    let said = lines(running.0.stderr.take().unwrap());
    (running, said)
}

/// The address that a service says first.
#[track_caller]
pub fn listening(said: &mut Lines) -> String {
    let line = said.next().unwrap();
    line.strip_prefix("listening on ").unwrap_or_else(|| panic!("{line}")).to_owned()
}

/// Ends a service as an administrator would.
pub fn stop(mut service: Running) {
    service.signal(Signal::TERM);
    assert!(service.0.wait().unwrap().success());
}

/// A running `petstore serve` with a key; killed when dropped.
pub struct Served {
    _service: Running,
    pub base_url: String,
    pub key: String,
    pub home: TempDir,
}

impl Served {
    pub fn start() -> Self {
        let home = home();
        let key = new_key(&home, &[]);
        let (_service, mut said) = serve(&home, &["--sample", "30"]);
        Self { _service, base_url: listening(&mut said), key, home }
    }

    pub fn petstore(&self, arguments: &[&str]) -> Command {
        let mut command = petstore(&self.home, arguments);
        command.env("PETSTORE_BASE_URL", &self.base_url).env("PETSTORE_API_KEY", &self.key);
        command
    }

    pub fn run(&self, arguments: &[&str]) -> Output {
        self.petstore(arguments).output().unwrap()
    }

    pub fn database(&self) -> String {
        database(&self.home)
    }

    /// In a profile `shop` for it with these lines.
    pub fn run_in_shop(&self, lines: &str, words: &[&str]) -> Output {
        configure(&self.home, &format!("[profiles.shop]\nbase_url = \"{}\"\n{lines}\n", self.base_url));
        let mut command = petstore(&self.home, &[&["-p", "shop", "pets"], words].concat());
        command.env("PETSTORE_API_KEY", &self.key).current_dir(self.home.path()).output().unwrap()
    }
}

/// The binary against a service elsewhere.
pub async fn against(base_url: &str, key: &str, arguments: &[&str]) -> Output {
    let home = home();
    let mut command = petstore(&home, arguments);
    command.env("PETSTORE_BASE_URL", base_url).env("PETSTORE_API_KEY", key);
    tokio::task::spawn_blocking(move || command.output().unwrap()).await.unwrap()
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
