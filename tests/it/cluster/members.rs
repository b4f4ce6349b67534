//! A cluster that fails over by itself: three PostgreSQL servers under Patroni, with etcd, in strict synchronous mode.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use petstore::api::client::install_tls_provider;
use petstore::clock;
use reqwest::Client;
use rustix::process::{Pid, Signal, kill_process};
use serde_json::Value;
use tempfile::TempDir;
use tokio::time::{sleep, timeout};
use tokio_postgres::NoTls;

use crate::instances::{Running, free_address};
use crate::postgres::{as_owner, programs, skipped};

/// How long a member may take to come up, or to come back.
const PATIENCE: Duration = Duration::from_secs(240);

/// How long members take to come back on their own.
const SOON: Duration = Duration::from_secs(30);

pub struct Cluster {
    members: Vec<Member>,
    http: Client,
    _etcd: Running,
    directory: TempDir,
}

struct Member {
    name: String,
    patroni: Option<Running>,
    rest: String,
    pub postgres: String,
}

impl Cluster {
    /// Nothing where a program is missing.
    pub async fn start() -> Option<Self> {
        install_tls_provider();
        let directory = tempfile::Builder::new().prefix("petstore-cluster-").tempdir().unwrap();
        let (clients, peers) = (free_address(), free_address());
        let mut etcd = as_owner("etcd", directory.path());
        etcd.args(["--name", "etcd", "--enable-v2", "--unsafe-no-fsync", "--data-dir"])
            .arg(directory.path().join("etcd"));
        etcd.args(["--listen-client-urls", &format!("http://{clients}")]);
        etcd.args(["--advertise-client-urls", &format!("http://{clients}")]);
        etcd.args(["--listen-peer-urls", &format!("http://{peers}")]);
        let (Some(programs), Some(etcd)) = (programs(), Running::start(&mut etcd)) else {
            skipped("PostgreSQL or etcd is not installed (Debian: apt-get install postgresql etcd-server)");
            return None;
        };
        let members = (1..=3).map(|number| Member {
            name: format!("member{number}"),
            patroni: None,
            rest: free_address(),
            postgres: free_address(),
        });
        let mut cluster = Self { members: members.collect(), http: Client::new(), _etcd: etcd, directory };
        cluster
            .until("etcd answers", async |cluster| {
                cluster.http.get(format!("http://{clients}/health")).send().await.is_ok()
            })
            .await;
        for member in &cluster.members {
            fs::write(
                cluster.configuration(member),
                member.configuration(&clients, cluster.directory.path(), &programs),
            )
            .unwrap();
        }
        for number in 0..cluster.members.len() {
            if !cluster.revive(number) {
                skipped("Patroni is not installed (Debian: apt-get install patroni)");
                return None;
            }
        }
        cluster.until("all members replicate", async |cluster| cluster.is_whole().await).await;
        Some(cluster)
    }

    fn configuration(&self, member: &Member) -> PathBuf {
        self.directory.path().join(format!("{}.yml", member.name))
    }

    /// Where each server accepts connections, in an order that never changes.
    pub fn addresses(&self) -> impl Iterator<Item = &str> {
        self.members.iter().map(|member| member.postgres.as_str())
    }

    /// Waits until `holds` does.
    async fn until(&self, what: &str, holds: impl AsyncFn(&Self) -> bool) {
        let waited = timeout(PATIENCE, async {
            while !holds(self).await {
                sleep(Duration::from_millis(100)).await;
            }
        });
        assert!(waited.await.is_ok(), "not in time: {what}; {:?}", self.roles().await);
    }

    /// What Patroni says of each member: its role and state.
    async fn roles(&self) -> BTreeMap<String, (String, String)> {
        for member in &self.members {
            let asked = self.http.get(format!("http://{}/cluster", member.rest)).timeout(Duration::from_secs(1)).send();
            let Ok(answer) = asked.await else { continue };
            let Ok(body) = answer.bytes().await else { continue };
            let Ok(cluster) = serde_json::from_slice::<Value>(&body) else { continue };
            let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
            let members = cluster["members"].as_array().cloned().unwrap_or_default();
            return members
                .iter()
                .map(|member| (text(&member["name"]), (text(&member["role"]), text(&member["state"]))))
                .collect();
        }
        BTreeMap::new()
    }

    /// Whether a leader, a synchronous standby and a replica are all running.
    async fn is_whole(&self) -> bool {
        let roles = self.roles().await;
        let mut running: Vec<_> =
            roles.values().filter(|(_, state)| state == "running").map(|(role, _)| role.as_str()).collect();
        running.sort_unstable();
        running == ["leader", "replica", "sync_standby"]
    }

    async fn leader(&self) -> usize {
        let roles = self.roles().await;
        let is_leader = |member: &Member| roles.get(&member.name).is_some_and(|(role, _)| role == "leader");
        self.members.iter().position(is_leader).expect("a leader")
    }

    /// Starts Patroni, which starts the server; whether it is installed.
    fn revive(&mut self, number: usize) -> bool {
        let mut command = as_owner("patroni", self.directory.path());
        command.arg(self.configuration(&self.members[number])).current_dir(self.directory.path());
        self.members[number].patroni = Running::start(&mut command);
        self.members[number].patroni.is_some()
    }

    /// The process of the server, and those that it has made.
    fn processes(&self, number: usize) -> Vec<Pid> {
        let file = self.directory.path().join(&self.members[number].name).join("postmaster.pid");
        let text = fs::read_to_string(file).unwrap_or_default();
        let Some(postmaster) = text.lines().next().and_then(|line| line.parse().ok()).and_then(Pid::from_raw) else {
            return Vec::new();
        };
        let children = fs::read_to_string(format!("/proc/{0}/task/{0}/children", postmaster.as_raw_nonzero()));
        let children = children.unwrap_or_default();
        let children = children.split_whitespace().filter_map(|id| Pid::from_raw(id.parse().ok()?));
        std::iter::once(postmaster).chain(children).collect()
    }

    fn signal(&self, number: usize, signal: Signal) {
        for process in self.processes(number) {
            let _ = kill_process(process, signal);
        }
    }

    async fn post(&self, number: usize, path: &str, body: Value) {
        let address = format!("http://{}/{path}", self.members[number].rest);
        let _ = self.http.post(address).body(body.to_string()).timeout(Duration::from_secs(20)).send().await;
    }

    /// Does this to the member that leads.
    pub async fn inflict(&mut self, fault: Fault) {
        let leader = self.leader().await;
        match fault {
            Fault::KillServer => self.signal(leader, Signal::KILL),
            Fault::KillMember => {
                self.members[leader].patroni = None;
                self.signal(leader, Signal::KILL);
            }
            Fault::Freeze => {
                self.members[leader].patroni.as_ref().expect("it runs").signal(Signal::STOP);
                self.signal(leader, Signal::STOP);
            }
            Fault::SwitchOver => {
                let body = serde_json::json!({ "leader": self.members[leader].name });
                self.post(leader, "switchover", body).await;
            }
            Fault::Restart => self.post(leader, "restart", serde_json::json!({})).await,
        }
    }

    /// Undoes what is left of a fault, and waits until the cluster is whole.
    pub async fn heal(&mut self) {
        for number in 0..self.members.len() {
            match &self.members[number].patroni {
                Some(patroni) => {
                    self.signal(number, Signal::CONT);
                    patroni.signal(Signal::CONT);
                }
                None => _ = self.revive(number),
            }
        }
        let whole = timeout(SOON, self.until("the cluster is whole", async |cluster| cluster.is_whole().await)).await;
        if whole.is_err() {
            self.copy_anew().await;
            self.until("the cluster is whole", async |cluster| cluster.is_whole().await).await;
        }
    }

    /// Replaces each member that waits for what no member has any more, as an operator would.
    async fn copy_anew(&self) {
        let roles = self.roles().await;
        for (number, member) in self.members.iter().enumerate() {
            if roles.get(&member.name).is_none_or(|(_, state)| state != "running") {
                self.post(number, "reinitialize", serde_json::json!({ "force": true })).await;
            }
        }
    }

    /// Reports each commit that a member acknowledges, without end.
    pub async fn watch_commits(address: String, acknowledged: impl Fn(Instant)) {
        let mut line = None;
        loop {
            match timeout(Duration::from_millis(400), commit(&address, &mut line)).await {
                Ok(true) => acknowledged(clock::now().mono),
                _ => line = None,
            }
            sleep(Duration::from_millis(50)).await;
        }
    }

    pub async fn admin(address: &str, database: &str) -> Result<tokio_postgres::Client, tokio_postgres::Error> {
        let url = format!("postgres://admin@{address}/{database}?connect_timeout=1&target_session_attrs=read-write");
        let (client, connection) = tokio_postgres::connect(&url, NoTls).await?;
        tokio::spawn(connection);
        Ok(client)
    }
}

/// Whether a commit was acknowledged; the connection is kept for the next one.
async fn commit(address: &str, line: &mut Option<tokio_postgres::Client>) -> bool {
    if line.is_none() {
        *line = Cluster::admin(address, "postgres").await.ok();
    }
    let Some(line) = line else { return false };
    line.batch_execute("CREATE TABLE IF NOT EXISTS probe (n INT); INSERT INTO probe VALUES (1)").await.is_ok()
}

/// What happens to the member that leads.
#[derive(Clone, Copy, Debug)]
pub enum Fault {
    /// `kill -9` of the server; Patroni starts it again, or another one takes over.
    KillServer,
    /// `kill -9` of all of it.
    KillMember,
    /// Nothing of it runs until the cluster is healed, when it believes for a moment that it still leads.
    Freeze,
    SwitchOver,
    Restart,
}

impl Fault {
    pub const ALL: [Self; 5] = [Self::KillServer, Self::KillMember, Self::Freeze, Self::SwitchOver, Self::Restart];
}

impl Member {
    fn configuration(&self, etcd: &str, directory: &Path, programs: &Path) -> String {
        let Self { name, rest, postgres, .. } = self;
        let (directory, programs) = (directory.display(), programs.display());
        format!(
            "scope: pets\nname: {name}\n\
             restapi: {{listen: '{rest}', connect_address: '{rest}'}}\n\
             etcd: {{host: '{etcd}'}}\n\
             watchdog: {{mode: 'off'}}\n\
             bootstrap:\n  dcs:\n    ttl: 10\n    loop_wait: 1\n    retry_timeout: 3\n    maximum_lag_on_failover: 0\n    \
                 synchronous_mode: true\n    synchronous_mode_strict: true\n    \
                 postgresql: {{use_pg_rewind: true, parameters: {{max_connections: 100, fsync: 'off', wal_log_hints: 'on', wal_keep_size: 1GB}}}}\n  \
               initdb: [encoding: UTF8, auth: trust, no-locale, no-sync]\n  \
               pg_hba: ['host all all 127.0.0.1/32 trust', 'host replication all 127.0.0.1/32 trust']\n\
             postgresql:\n  listen: '{postgres}'\n  connect_address: '{postgres}'\n  data_dir: {directory}/{name}\n  \
               bin_dir: {programs}\n  pgpass: {directory}/{name}.pgpass\n  \
               authentication: {{superuser: {{username: admin}}, replication: {{username: replicator}}, rewind: {{username: admin}}}}\n  \
               parameters: {{unix_socket_directories: '{directory}'}}\n"
        )
    }
}

impl Drop for Cluster {
    /// The servers are children of nobody once their Patroni is gone.
    fn drop(&mut self) {
        for number in 0..self.members.len() {
            self.members[number].patroni = None;
            self.signal(number, Signal::KILL);
        }
    }
}
