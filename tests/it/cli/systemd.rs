//! `petstore serve` under systemd: sockets that are passed on, what is reported to the service manager, and the unit.

use crate::prelude::*;

use std::net::{TcpListener, UdpSocket};
use std::os::fd::OwnedFd;
use std::os::unix::net::UnixDatagram;

use rusqlite::Connection;

use super::fixture::*;

/// `petstore serve` with two sockets, as systemd passes them: they are descriptors 3 and 4, and two variables say so.
fn passing(first: impl Into<OwnedFd>, second: impl Into<OwnedFd>, home: &TempDir) -> Command {
    let script = r#"exec 3<&0 4<&1 </dev/null >/dev/null; LISTEN_PID=$$ LISTEN_FDS=2 exec "$0" serve "$@""#;
    let mut command = Command::new("sh");
    command.args(["-c", script, PETSTORE]).env("HOME", home.path()).stdin(first.into()).stdout(second.into());
    command
}

#[test]
fn every_socket_that_systemd_passes_on_is_served() {
    let (home, listeners) = (home(), [(); 2].map(|()| TcpListener::bind("127.0.0.1:0").unwrap()));
    let addresses = listeners.each_ref().map(|listener| listener.local_addr().unwrap().to_string());
    let [first, second] = listeners;
    let mut service = Running(passing(first, second, &home).stderr(Stdio::piped()).spawn().unwrap());
    let mut lines = BufReader::new(service.0.stderr.take().unwrap()).lines().map(Result::unwrap);
    for address in &addresses {
        assert_eq!(lines.next().unwrap(), format!("listening on http://{address}/v1"));
    }
    for address in addresses {
        let (status, _) = Wire::to(&address).ask("GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n");
        assert_eq!(status, 204, "{address}");
    }
}

#[test]
fn a_socket_of_systemd_that_is_not_for_connections_is_refused() {
    let home = home();
    let (tcp, udp) = (TcpListener::bind("127.0.0.1:0").unwrap(), UdpSocket::bind("127.0.0.1:0").unwrap());
    let refused = passing(tcp, udp, &home).stderr(Stdio::piped()).spawn().unwrap().wait_with_output().unwrap();
    assert_eq!(refused.status.code(), Some(1));
    assert!(
        stderr(&refused).starts_with("petstore: a socket passed by systemd cannot be used"),
        "{}",
        stderr(&refused)
    );
}

/// Hears what systemd would.
struct Manager {
    home: TempDir,
    socket: UnixDatagram,
}

impl Manager {
    fn new() -> Self {
        let home = home();
        let socket = UnixDatagram::bind(home.path().join("notify")).unwrap();
        socket.set_read_timeout(Some(Duration::from_secs(60))).unwrap();
        Self { home, socket }
    }

    /// `petstore serve` on `database`, watched by a watchdog.
    fn serve(&self, database: &str) -> Command {
        let serve = ["serve", "--listen", "127.0.0.1:0", "--log-format", "json", "--database", database];
        let mut command = petstore(&self.home, &serve);
        command.env("NOTIFY_SOCKET", self.home.path().join("notify")).env("WATCHDOG_USEC", "20000");
        command
    }

    fn next(&self) -> String {
        let mut state = [0; 1024];
        let length = self.socket.recv(&mut state).unwrap();
        str::from_utf8(&state[..length]).unwrap().to_owned()
    }

    /// The next state that does not begin with `repeated`.
    fn after(&self, repeated: &str) -> String {
        std::iter::repeat_with(|| self.next()).find(|state| !state.starts_with(repeated)).unwrap()
    }
}

#[test]
fn systemd_learns_that_the_service_is_ready_once_pets_can_be_added() {
    let manager = Manager::new();
    let file = manager.home.path().join("store.db");
    let database = format!("sqlite:{}", file.display());
    assert!(run(&manager.home, &["keys", "create", "--database", &database, "--name", "till"]).status.success());
    let lock = Connection::open(&file).unwrap();
    lock.execute_batch("BEGIN IMMEDIATE").unwrap();
    let mut service = Running(manager.serve(&database).stderr(Stdio::null()).spawn().unwrap());
    assert_eq!(manager.next(), "STATUS=opening the database");
    assert!(manager.next().starts_with("STATUS=not ready, no pets can be added: "));
    drop(lock);
    let ready = manager.after("STATUS=not ready, ");
    assert!(ready.starts_with("READY=1\nSTATUS=listening on http://127.0.0.1:"), "{ready}");
    assert_eq!(manager.next(), "WATCHDOG=1");
    kill_process(Pid::from_child(&service.0), Signal::TERM).unwrap();
    assert_eq!(manager.after("WATCHDOG=1"), "STOPPING=1\nSTATUS=finishing requests");
    assert_eq!(service.0.wait().unwrap().code(), Some(0));
}

#[test]
fn a_database_that_is_away_is_tried_again_and_a_wrong_address_is_not() {
    let manager = Manager::new();
    // The unit has systemd try again after every status but 2.
    for (database, status, why) in [
        ("postgres://petstore@127.0.0.1:1/pets", 1, "no connection to postgres://petstore@127.0.0.1:1/pets"),
        ("postgres://petstore", 2, "--database: "),
    ] {
        let failed = manager.serve(database).output().unwrap();
        let logged: Value = serde_json::from_str(&stderr(&failed)).unwrap();
        assert_eq!((failed.status.code(), &logged["level"]), (Some(status), &"ERROR".into()), "{logged}");
        assert!(logged["message"].as_str().unwrap().contains(why), "{logged}");
    }
    assert_eq!(manager.next(), "STATUS=opening the database");
    assert!(manager.next().starts_with("STATUS=no connection to postgres://petstore@127.0.0.1:1/pets"));
}

#[test]
fn the_unit_starts_the_service_with_flags_that_it_has() {
    let unit = include_str!("../../../assets/petstore.service");
    let commands: Vec<_> = unit
        .lines()
        .filter_map(|line| line.trim_start_matches('#').strip_prefix("ExecStart=/usr/bin/petstore "))
        .collect();
    assert_eq!(commands.len(), 2);
    for command in commands {
        let output = Command::new(PETSTORE).args(command.split(' ')).arg("--help").output().unwrap();
        assert!(output.status.success(), "{command}: {}", stderr(&output));
    }
}
