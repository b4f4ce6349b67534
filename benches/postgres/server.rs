//! A private PostgreSQL with the settings of a new installation, on the disk of this project.

use std::fs;
use std::net::TcpListener;
use std::os::unix::fs::chown;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process};
use tempfile::TempDir;

use super::common::directory;

/// How long it may take to start.
const START: Duration = Duration::from_secs(30);

pub struct Server {
    directory: TempDir,
    programs: PathBuf,
    port: u16,
    databases: u32,
    /// Ended by the system if these measurements end in any way.
    child: Child,
}

impl Server {
    /// Nothing where Debian's package is not installed.
    pub fn start() -> Option<Self> {
        let versions = fs::read_dir("/usr/lib/postgresql").ok()?.flatten().map(|at| at.path().join("bin"));
        let programs = versions.filter(|at| at.join("initdb").exists()).max()?;
        let directory = directory();
        let user = rustix::process::geteuid().is_root().then(postgres_user).flatten();
        if user.is_some() {
            chown(directory.path(), user, user).unwrap();
        }
        let data = directory.path().join("data");
        let initdb = ["--auth=trust", "--username=petstore", "--encoding=UTF8", "--no-locale", "-D"];
        let mut made = as_user(user, &programs.join("initdb"));
        assert!(made.args(initdb).arg(&data).stdout(Stdio::null()).status().unwrap().success());
        let port = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
        let child = run(user, &programs, directory.path(), port);
        let server = Self { directory, programs, port, databases: 0, child };
        server.wait_until_ready();
        Some(server)
    }

    /// A program of PostgreSQL's, for this server.
    fn program(&self, name: &str) -> Command {
        let mut command = Command::new(self.programs.join(name));
        command.args(["-h", "127.0.0.1", "-U", "petstore", "-p", &self.port.to_string()]);
        command
    }

    fn wait_until_ready(&self) {
        let begin = Instant::now();
        while !self.program("pg_isready").arg("-q").status().unwrap().success() {
            assert!(begin.elapsed() < START, "PostgreSQL does not start");
        }
    }

    /// The name of a new empty database.
    pub fn new_database(&mut self) -> String {
        self.databases += 1;
        let name = format!("pets_{}", self.databases);
        assert!(self.program("createdb").arg(&name).status().unwrap().success());
        name
    }

    pub fn url(&self, database: &str) -> String {
        format!("postgres://petstore@127.0.0.1:{}/{database}", self.port)
    }

    /// Transactions a second of `script`, by as many connections; nothing where there is no `pgbench`.
    pub fn pgbench(&self, database: &str, script: &str, connections: usize, time: Duration) -> Option<f64> {
        let file = self.directory.path().join("script.sql");
        fs::write(&file, script).unwrap();
        let mut pgbench = self.program("pgbench");
        pgbench.args(["--no-vacuum", "--protocol=prepared", "--jobs=1", "-f"]).arg(&file);
        pgbench.args(["-c", &connections.to_string(), "-T", &time.as_secs().to_string(), database]);
        let output = String::from_utf8(pgbench.output().ok()?.stdout).unwrap();
        output.lines().find_map(|line| line.strip_prefix("tps = ")?.split(' ').next()?.parse().ok())
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        kill_process(Pid::from_child(&self.child), Signal::QUIT).unwrap();
        let _ = self.child.wait();
    }
}

/// PostgreSQL refuses to run as root; this is the user that Debian's package makes.
fn postgres_user() -> Option<u32> {
    let users = fs::read_to_string("/etc/passwd").ok()?;
    users.lines().find_map(|line| line.strip_prefix("postgres:")?.split(':').nth(1)?.parse().ok())
}

fn as_user(user: Option<u32>, program: &Path) -> Command {
    let mut command = Command::new("setpriv");
    command.args(["--pdeathsig=QUIT"]);
    if let Some(id) = user {
        command.args([&format!("--reuid={id}"), &format!("--regid={id}"), "--clear-groups"]);
    }
    command.arg("--").arg(program).current_dir("/").stdin(Stdio::null()).stderr(Stdio::null());
    command
}

fn run(user: Option<u32>, programs: &Path, directory: &Path, port: u16) -> Child {
    let mut postgres = as_user(user, &programs.join("postgres"));
    postgres.arg("-D").arg(directory.join("data")).args(["-p", &port.to_string(), "-h", "127.0.0.1"]);
    postgres.args(["-c", "max_connections=200", "-c", "log_min_messages=fatal", "-k"]).arg(directory);
    postgres.stdout(Stdio::null()).spawn().unwrap()
}
