//! More clients of `petstore serve` than it has file descriptors for.

use crate::prelude::*;

use std::net::TcpStream;

use rustix::process::{Resource, Rlimit, getrlimit, prlimit, setrlimit};

use super::fixture::*;

const HEALTH: &str = "GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n";

/// A service whose descriptors are limited as `ulimit` says.
struct Limited {
    service: Running,
    address: String,
    home: TempDir,
}

impl Limited {
    fn start(ulimit: &str) -> Self {
        // This process has the other end of each connection.
        let own = getrlimit(Resource::Nofile);
        setrlimit(Resource::Nofile, Rlimit { current: own.maximum, ..own }).unwrap();
        let home = home();
        let database = database(&home);
        let mut shell = Command::new("sh");
        shell.args(["-c", &format!("ulimit {ulimit}; exec \"$0\" \"$@\""), PETSTORE, "serve"]);
        shell.args(["--listen", "127.0.0.1:0", "--database", &database]).env_clear().env("HOME", home.path());
        let (service, mut said) = started(shell);
        let address = listening(&mut said).strip_prefix("http://").unwrap().strip_suffix("/v1").unwrap().to_owned();
        Self { service, address, home }
    }

    fn key(&self) -> String {
        new_key(&self.home, &[])
    }

    fn add(&self, key: &str) -> u16 {
        Wire::to(&self.address).ask(&format!("{}{REX}", post(key))).0
    }
}

/// The head of a request that adds [`REX`].
fn post(key: &str) -> String {
    let length = REX.len();
    format!(
        "POST /v1/pets HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer {key}\r\nContent-Type: application/json\r\n\
         Content-Length: {length}\r\n\r\n"
    )
}

#[test]
fn the_soft_limit_on_descriptors_is_raised_to_the_hard_one() {
    let limited = Limited::start("-Sn 64; ulimit -Hn 512");
    let limits = fs::read_to_string(format!("/proc/{}/limits", limited.service.0.id())).unwrap();
    let files = limits.lines().find(|line| line.starts_with("Max open files")).unwrap();
    assert_eq!(files.split_whitespace().filter(|word| *word == "512").count(), 2, "{files}");
}

#[test]
fn idle_connections_without_a_key_keep_nobody_out() {
    let limited = Limited::start("-n 1024");
    let key = limited.key();
    let _strangers: Vec<_> = (0..1200).map(|_| TcpStream::connect(&limited.address).unwrap()).collect();
    for _ in 0..8 {
        assert_eq!(limited.add(&key), 201);
    }
    assert_eq!(Wire::to(&limited.address).ask(HEALTH).0, 204);
}

#[test]
fn bodies_that_do_not_arrive_keep_nobody_out() {
    let limited = Limited::start("-n 1024");
    let (slow, other) = (limited.key(), limited.key());
    let half = format!("{}{{\"name\"", post(&slow));
    let _slow: Vec<_> = (0..1030)
        .map(|_| {
            let mut wire = Wire::to(&limited.address);
            wire.send(&half);
            wire
        })
        .collect();
    for _ in 0..8 {
        assert_eq!(Wire::to(&limited.address).ask(HEALTH).0, 204);
        assert_eq!(limited.add(&other), 201);
    }
}

#[test]
fn room_is_made_also_where_descriptors_end_before_places() {
    let limited = Limited::start("-n 1024");
    let key = limited.key();
    let pid = Pid::from_child(&limited.service.0);
    prlimit(Some(pid), Resource::Nofile, Rlimit { current: Some(64), maximum: Some(64) }).unwrap();
    let _strangers: Vec<_> = (0..100).map(|_| TcpStream::connect(&limited.address).unwrap()).collect();
    for _ in 0..8 {
        assert_eq!(limited.add(&key), 201);
    }
}
