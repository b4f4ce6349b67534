//! A private PostgreSQL server, from the programs of a Debian installation. It belongs to this process: it is started
//! for the first test that asks, and stopped and removed when the process ends, however that happens.

use crate::prelude::*;

use std::error::Error;
use std::ffi::OsString;
use std::os::unix::fs::{PermissionsExt, chown};
use std::sync::OnceLock;
use std::sync::atomic::AtomicU32;

use rcgen::{BasicConstraints, CertificateParams, DnType, IsCa, Issuer, KeyPair};
use tokio_postgres::Client;

use crate::skipped::skipped;

/// How long the server may take to start.
const START: Duration = Duration::from_secs(60);

const CERTIFICATES: &str = "certificates";

pub struct Server {
    directory: PathBuf,
    port: u16,
    /// Stops the server when its stdin, which this process holds, is closed.
    _guard: Child,
}

/// What the server of this process is, or why there is none.
static SERVER: OnceLock<Result<Server, String>> = OnceLock::new();

/// The server; nothing, after a line on stderr, where there is none.
pub fn server() -> Option<&'static Server> {
    SERVER.get_or_init(Server::start).as_ref().map_err(|why| skipped(why)).ok()
}

impl Server {
    /// One whose settings a test may change: nobody else uses it.
    pub fn of_its_own() -> Option<Self> {
        Self::start().map_err(|why| skipped(&why)).ok()
    }

    /// Has commits wait for a standby that never comes, from when this returns on.
    pub async fn lose_standby(&self) {
        let admin = self.admin("postgres").await;
        Self::name_standby(&admin, "nobody").await;
        let cancel = "SELECT pg_cancel_backend(pid) FROM pg_stat_activity WHERE wait_event = 'SyncRep'";
        // The server finds out in its own time.
        loop {
            let probe = self.admin("postgres").await;
            let commit = tokio::spawn(async move { probe.batch_execute("COMMENT ON ROLE admin IS 'waits'").await });
            while !commit.is_finished() {
                if !admin.query(cancel, &[]).await.unwrap().is_empty() {
                    return;
                }
            }
        }
    }

    /// Has those that wait go on, and later ones not wait.
    pub async fn need_no_standby(&self) {
        let admin = self.admin("postgres").await;
        Self::name_standby(&admin, "").await;
    }

    async fn name_standby(admin: &Client, name: &str) {
        admin.batch_execute(&format!("ALTER SYSTEM SET synchronous_standby_names = '{name}'")).await.unwrap();
        admin.batch_execute("SELECT pg_reload_conf()").await.unwrap();
    }

    fn start() -> Result<Self, String> {
        let programs = programs().ok_or("no initdb and pg_ctl of PostgreSQL (Debian: apt-get install postgresql)")?;
        let user = unprivileged_user()?;
        let directory = tempfile::Builder::new().prefix("petstore-pg-").tempdir().map_err(|error| error.to_string())?;
        if let Some((_, id)) = user {
            chown(directory.path(), Some(id), Some(id)).map_err(|error| error.to_string())?;
        }
        fs::set_permissions(directory.path(), Permissions::from_mode(0o700)).map_err(|error| error.to_string())?;
        let port = free_port()?;
        let data = directory.path().join("data");
        let certificates = directory.path().join(CERTIFICATES);
        make_certificates(&certificates, user).map_err(|error| error.to_string())?;
        let run = |command: &mut Command| {
            let output = command.current_dir(directory.path()).output().map_err(|error| error.to_string())?;
            let said = String::from_utf8_lossy(&output.stderr).into_owned();
            if output.status.success() { Ok(()) } else { Err(format!("{command:?}: {said}")) }
        };
        run(as_user(user, &programs.join("initdb"))
            .args(["--auth=trust", "--username=admin", "--encoding=UTF8", "--no-locale", "--no-sync", "-D"])
            .arg(&data))?;
        let mut settings =
            fs::OpenOptions::new().append(true).open(data.join("postgresql.conf")).map_err(|e| e.to_string())?;
        writeln!(
            settings,
            "listen_addresses = '127.0.0.1'\nport = {port}\nunix_socket_directories = '{}'\nmax_connections = 300\n\
             log_min_messages = fatal\nfsync = off\n\
             ssl = on\nssl_cert_file = '{}'\nssl_key_file = '{}'",
            directory.path().display(),
            certificates.join("server.pem").display(),
            certificates.join("server.key").display(),
        )
        .map_err(|error| error.to_string())?;
        let guard = guard(user, &programs, &data, directory.path()).map_err(|error| error.to_string())?;
        let server = Self { directory: directory.keep(), port, _guard: guard };
        server.wait_until_ready()?;
        server.sql("postgres", "CREATE ROLE petstore LOGIN NOSUPERUSER");
        Ok(server)
    }

    fn wait_until_ready(&self) -> Result<(), String> {
        let begun = clock::now().mono;
        while begun.elapsed() < START {
            if blocking(async { tokio_postgres::connect(&self.address("admin", "postgres"), NoTls).await.is_ok() }) {
                return Ok(());
            }
            thread::yield_now();
        }
        Err("the server did not start".to_owned())
    }

    fn address(&self, user: &str, database: &str) -> String {
        format!("postgres://{user}@127.0.0.1:{}/{database}", self.port)
    }

    pub fn port(&self) -> u16 {
        self.port
    }

    /// Has `authority.pem`, which has signed the server's certificate for `localhost`, and `stranger.pem`, which has not.
    pub fn certificates(&self) -> PathBuf {
        self.directory.join(CERTIFICATES)
    }

    /// Runs statements as the one who may do everything.
    pub fn sql(&self, database: &str, sql: &str) {
        blocking(async { self.admin(database).await.batch_execute(sql).await }).unwrap();
    }

    /// A connection that may do everything. It ends with the runtime.
    pub async fn admin(&self, database: &str) -> Client {
        let (client, connection) = tokio_postgres::connect(&self.address("admin", database), NoTls).await.unwrap();
        tokio::spawn(async { drop(connection.await) });
        client
    }

    /// A new empty database of a role without any privileges, by its name.
    pub fn new_database(&self) -> String {
        static COUNT: AtomicU32 = AtomicU32::new(0);
        let name = format!("pets_{}", COUNT.fetch_add(1, Ordering::Relaxed));
        self.sql("postgres", &format!("CREATE DATABASE {name} OWNER petstore"));
        name
    }
}

/// In a thread and a runtime of its own, so that it can be called from anywhere.
fn blocking<T: Send>(work: impl Future<Output = T> + Send) -> T {
    let run = || tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(work);
    thread::scope(|scope| scope.spawn(run).join().unwrap())
}

fn make_certificates(directory: &Path, user: Option<(&str, u32)>) -> Result<(), Box<dyn Error>> {
    fs::create_dir(directory)?;
    let mut authority = CertificateParams::new([])?;
    authority.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
    for name in ["stranger", "authority"] {
        authority.distinguished_name.push(DnType::CommonName, name);
        let key = KeyPair::generate()?;
        let certificate = authority.self_signed(&key)?;
        fs::write(directory.join(format!("{name}.pem")), certificate.pem())?;
        let (key_of_server, issuer) = (KeyPair::generate()?, Issuer::from_params(&authority, &key));
        let server = CertificateParams::new(["localhost".to_owned()])?.signed_by(&key_of_server, &issuer)?;
        fs::write(directory.join("server.pem"), server.pem())?;
        fs::write(directory.join("server.key"), key_of_server.serialize_pem())?;
    }
    let key = directory.join("server.key");
    fs::set_permissions(&key, Permissions::from_mode(0o600))?;
    if let Some((_, id)) = user {
        chown(&key, Some(id), Some(id))?;
    }
    Ok(())
}

/// Where initdb and pg_ctl are; the newest of several versions.
pub fn programs() -> Option<PathBuf> {
    let mut all: Vec<PathBuf> =
        fs::read_dir("/usr/lib/postgresql").ok()?.flatten().map(|at| at.path().join("bin")).collect();
    all.sort();
    all.into_iter().rev().find(|at| at.join("initdb").exists() && at.join("pg_ctl").exists())
}

/// PostgreSQL refuses to run as root: then it is the user that Debian's package makes.
fn unprivileged_user() -> Result<Option<(&'static str, u32)>, String> {
    if !rustix::process::geteuid().is_root() {
        return Ok(None);
    }
    let users = fs::read_to_string("/etc/passwd").map_err(|error| error.to_string())?;
    let user = users.lines().find_map(|line| line.strip_prefix("postgres:")?.split(':').nth(1)?.parse().ok());
    user.map(|id| Some(("postgres", id))).ok_or("this is root, and there is no user postgres".to_owned())
}

/// `program` as a user who is not root and to whom everything in `directory` belongs.
pub fn as_owner(program: &str, directory: &Path) -> Command {
    let user = unprivileged_user().unwrap();
    if let Some((_, id)) = user {
        let inside = fs::read_dir(directory).unwrap().map(|at| at.unwrap().path());
        inside.chain([directory.to_owned()]).for_each(|path| chown(path, Some(id), Some(id)).unwrap());
    }
    as_user(user, Path::new(program))
}

/// Without `setpriv` where `program` is missing, so that to start it fails as it does for others.
#[expect(clippy::disallowed_methods, reason = "where programs are is asked of the system")]
fn as_user(user: Option<(&str, u32)>, program: &Path) -> Command {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let is_there = std::env::split_paths(&path).any(|folder| folder.join(program).exists());
    match user {
        Some((name, _)) if is_there => {
            let mut command = Command::new("setpriv");
            command.args([format!("--reuid={name}"), format!("--regid={name}"), "--clear-groups".into(), "--".into()]);
            command.arg(program);
            command
        }
        _ => Command::new(program),
    }
}

/// The server, in the hands of a shell that stops it at the end of its input.
fn guard(user: Option<(&str, u32)>, programs: &Path, data: &Path, directory: &Path) -> io::Result<Child> {
    let mut postgres = vec![as_user(user, &programs.join("postgres")).get_program().to_owned()];
    postgres.extend(as_user(user, &programs.join("postgres")).get_args().map(OsString::from));
    postgres.extend(["-D".into(), data.into()]);
    Command::new("sh")
        .args(["-c", r#"directory=$1; shift; "$@" & cat; kill -QUIT $!; wait; rm -rf "$directory""#, "sh"])
        .arg(directory)
        .args(postgres)
        .current_dir(directory)
        .stdin(Stdio::piped())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
}

fn free_port() -> Result<u16, String> {
    let listener = std::net::TcpListener::bind("127.0.0.1:0").map_err(|error| error.to_string())?;
    Ok(listener.local_addr().map_err(|error| error.to_string())?.port())
}
