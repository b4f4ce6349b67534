//! A private sshd on loopback in front of a service, and people who may log in.

use crate::prelude::*;

use std::fs::OpenOptions;
use std::process::Output;

use crate::served::Served;
use crate::skipped::skipped;

const SSHD: &str = "/usr/sbin/sshd";

/// What these tests need of a Debian installation.
const CLIENTS: [&str; 8] = [
    SSHD,
    "/usr/bin/ssh",
    "/usr/bin/ssh-keygen",
    "/usr/bin/dbclient",
    "/usr/bin/plink",
    "/usr/bin/dropbearconvert",
    "/usr/bin/puttygen",
    "/usr/lib/python3/dist-packages/paramiko",
];

/// A service, an sshd in front of it, and people who may log in.
pub struct Store {
    pub served: Served,
    /// The home of the account that people log in to, their private keys, and the host's.
    pub home: tempfile::TempDir,
    sshd: Child,
    pub port: u16,
}

impl Drop for Store {
    fn drop(&mut self) {
        let _ = self.sshd.kill();
        let _ = self.sshd.wait();
    }
}

impl Store {
    /// Nothing, after a line that says so, where a program is missing.
    pub fn start() -> Option<Self> {
        if let Some(missing) = CLIENTS.iter().find(|program| !Path::new(program).exists()) {
            skipped(&format!(
                "there is no {missing} (Debian: apt-get install openssh-server openssh-client \
                 dropbear-bin putty-tools python3-paramiko)"
            ));
            return None;
        }
        let home = tempfile::tempdir().unwrap();
        keygen(&home.path().join("host"));
        // sshd has no option for a port of its own choice.
        let port = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
        let at = home.path().display();
        let config = format!(
            "Port {port}\nListenAddress 127.0.0.1\nHostKey {at}/host\nAuthorizedKeysFile {at}/.ssh/authorized_keys\n\
             SetEnv HOME={at}\nAcceptEnv *\nPidFile none\nUsePAM no\nStrictModes no\nSubsystem sftp internal-sftp\n\
             MaxStartups 200:30:400\nMaxSessions 200\n"
        );
        fs::write(home.path().join("sshd_config"), config).unwrap();
        // As a package does it; sshd refuses to start without this directory.
        let _ = fs::create_dir_all("/run/sshd");
        let arguments = ["-D", "-e", "-f"];
        let mut command = Command::new(SSHD);
        command.args(arguments).arg(home.path().join("sshd_config")).stderr(Stdio::null());
        let store = Self { served: Served::start(), sshd: command.spawn().unwrap(), home, port };
        let deadline = Instant::now() + PATIENCE;
        while TcpStream::connect(("127.0.0.1", port)).is_err() {
            assert!(Instant::now() < deadline, "sshd does not listen");
            std::thread::yield_now();
        }
        Some(store)
    }

    /// petstore as the account that people log in to.
    pub fn petstore(&self, arguments: &[&str]) -> Output {
        self.command(arguments).output().unwrap()
    }

    /// The same, to be run.
    pub fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(PETSTORE);
        command.env_clear().env("HOME", self.home.path()).env("PETSTORE_DATABASE", self.served.database());
        command.args(arguments);
        command
    }

    /// Lets a person log in; gives the private key.
    pub fn authorize(&self, name: &str, more: &[&str]) -> PathBuf {
        let key = self.home.path().join(name);
        keygen(&key);
        self.add_line(name, &key, more);
        key
    }

    /// Adds the line for a key of this person to authorized_keys.
    pub fn add_line(&self, name: &str, key: &Path, more: &[&str]) {
        let public = key.with_extension("pub");
        let mut arguments = vec!["ssh", "authorize", name, public.to_str().unwrap(), "--base-url", self.served.url()];
        arguments.extend(more);
        let done = self.petstore(&arguments);
        assert!(done.status.success(), "{}", text(&done));
        let lines = self.home.path().join(".ssh/authorized_keys");
        fs::create_dir_all(lines.parent().unwrap()).unwrap();
        OpenOptions::new().create(true).append(true).open(lines).unwrap().write_all(&done.stdout).unwrap();
    }

    /// The directory of a person.
    pub fn person(&self, name: &str) -> PathBuf {
        self.home.path().join(".local/share/petstore/ssh").join(name)
    }

    /// The id of a person's API key.
    pub fn key_id(&self, name: &str) -> String {
        fs::read_to_string(self.person(name).join("key")).unwrap()["petk_".len()..][..8].to_owned()
    }

    /// The options of OpenSSH's client for this server.
    pub fn options(&self, key: &Path) -> Vec<String> {
        let known = format!("UserKnownHostsFile={}/known_hosts", self.home.path().display());
        let port = self.port.to_string();
        let key = key.to_str().unwrap();
        let fixed = ["-F", "none", "-i", key, "-p", &port, "-o", &known, "-o", "StrictHostKeyChecking=no"];
        let fixed =
            fixed.into_iter().chain(["-o", "BatchMode=yes", "-o", "LogLevel=ERROR", "-o", "IdentitiesOnly=yes"]);
        fixed.map(str::to_owned).collect()
    }

    /// OpenSSH's client with more options, then the command.
    pub fn ssh(&self, key: &Path, options: &[&str], command: &[&str]) -> Command {
        let mut ssh = Command::new("/usr/bin/ssh");
        ssh.args(self.options(key)).args(options).args([&address(), "--"]).args(command).stdin(Stdio::null());
        ssh
    }

    /// The full screen by OpenSSH's client with more options, or what a command shows.
    pub fn screen(&self, key: &Path, more: &[&str], command: &[&str]) -> Terminal {
        let options = self.options(key);
        let mut arguments: Vec<&str> = options.iter().map(String::as_str).collect();
        let address = address();
        arguments.extend(more);
        arguments.extend(["-t", &address, "--"]);
        arguments.extend(command);
        Start::program("/usr/bin/ssh", &arguments).open()
    }
}

/// The account that runs these tests.
pub fn address() -> String {
    let id = Command::new("id").arg("-un").output().unwrap();
    format!("{}@127.0.0.1", String::from_utf8(id.stdout).unwrap().trim())
}

pub fn keygen(path: &Path) {
    let mut keygen = Command::new("/usr/bin/ssh-keygen");
    keygen.args(["-q", "-t", "ed25519", "-N", "", "-f"]).arg(path);
    assert!(keygen.status().unwrap().success());
}

pub fn text(output: &Output) -> String {
    format!("{}{}", String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr))
}
