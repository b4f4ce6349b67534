//! A cluster that fails over by itself: three PostgreSQL servers under Patroni, with etcd, in strict synchronous mode.
//! Whatever goes from one of them to another, and to it from its clients, goes over lines that can be cut.

use crate::prelude::*;

use reqwest::Client;
use tokio::time::sleep;

use crate::instances::{Running, free_address};
use crate::postgres::{as_owner, programs};
use crate::skipped::skipped;
use crate::store::proxy::{Line, Proxy};

/// How long a member may take to come up, or to come back.
const PATIENCE: Duration = Duration::from_secs(240);

/// How long members take to come back on their own, or after what an operator did.
const SOON: Duration = Duration::from_secs(30);

/// How many waits are cancelled, and how long that may take: others take over when the leader is silent for longer. Adds
/// take turns, so that few wait at the same time.
const MANY: usize = 50;
const CANCELLING: Duration = Duration::from_secs(5);

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
    postgres: String,
    lines: Lines,
}

/// Between a member and all others.
struct Lines {
    clients: Proxy,
    replication: Proxy,
    rest: Proxy,
    etcd: Proxy,
}

impl Lines {
    async fn start(postgres: &str, rest: &str, etcd: &str) -> Self {
        let line = async |to: &str| Proxy::start(to.rsplit(':').next().unwrap().parse().unwrap()).await;
        Self {
            clients: line(postgres).await,
            replication: line(postgres).await,
            rest: line(rest).await,
            etcd: line(etcd).await,
        }
    }

    fn set(&self, line: Line) {
        [&self.clients, &self.replication, &self.rest, &self.etcd].into_iter().for_each(|proxy| proxy.set(line));
    }
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
        let mut members = Vec::new();
        for number in 1..=3 {
            let (rest, postgres) = (free_address(), free_address());
            let lines = Lines::start(&postgres, &rest, &clients).await;
            members.push(Member { name: format!("member{number}"), patroni: None, rest, postgres, lines });
        }
        let mut cluster = Self { members, http: Client::new(), _etcd: etcd, directory };
        cluster
            .until("etcd answers", async |cluster| {
                cluster.http.get(format!("http://{clients}/health")).send().await.is_ok()
            })
            .await;
        for member in &cluster.members {
            let text = member.configuration(cluster.directory.path(), &programs);
            fs::write(cluster.configuration(member), text).unwrap();
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

    /// Where clients reach each server, in an order that never changes.
    pub fn addresses(&self) -> impl Iterator<Item = String> {
        self.members.iter().map(|member| address(&member.lines.clients))
    }

    /// HAProxy, and where it leads to the server that can be written; nothing where it is not installed.
    pub async fn balancer(&self) -> Option<(Running, String)> {
        let front = free_address();
        let mut text = format!(
            "defaults\n  mode tcp\n  timeout connect 1s\n  timeout client 30m\n  timeout server 30m\n\
             listen primary\n  bind {front}\n  option httpchk OPTIONS /primary\n  http-check expect status 200\n  \
               default-server inter 500ms fastinter 200ms fall 2 rise 1 on-marked-down shutdown-sessions\n"
        );
        for member in &self.members {
            let (name, server, rest) = (&member.name, address(&member.lines.clients), member.lines.rest.port);
            text += &format!("  server {name} {server} check port {rest}\n");
        }
        let file = self.directory.path().join("haproxy.cfg");
        fs::write(&file, text).unwrap();
        let Some(balancer) = Running::start(Command::new("haproxy").arg("-db").arg("-f").arg(&file)) else {
            skipped("HAProxy is not installed (Debian: apt-get install haproxy)");
            return None;
        };
        // One after another, until it has found out about each.
        let leads_to_the_primary = async |_: &Self| {
            for _ in 0..=self.members.len() {
                if Self::admin(&front, "postgres").await.is_err() {
                    return false;
                }
            }
            true
        };
        self.until("HAProxy leads to the primary", leads_to_the_primary).await;
        Some((balancer, front))
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

    /// What the Patroni of `member` says of each member: its role and state.
    async fn roles_at(&self, member: &Member) -> Option<BTreeMap<String, (String, String)>> {
        let asked = self.http.get(format!("http://{}/cluster", member.rest)).timeout(Duration::from_secs(1)).send();
        let cluster: Value = serde_json::from_slice(&asked.await.ok()?.bytes().await.ok()?).ok()?;
        let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
        let role = |member: &Value| (text(&member["name"]), (text(&member["role"]), text(&member["state"])));
        Some(cluster["members"].as_array()?.iter().map(role).collect())
    }

    /// The same of the first that answers.
    async fn roles(&self) -> BTreeMap<String, (String, String)> {
        for member in &self.members {
            if let Some(roles) = self.roles_at(member).await {
                return roles;
            }
        }
        BTreeMap::new()
    }

    /// Whether a leader, a synchronous standby and a replica are all running, by the word of each: one that was cut off
    /// knows only what was.
    async fn is_whole(&self) -> bool {
        let first = self.roles().await;
        for member in &self.members {
            if self.roles_at(member).await.as_ref() != Some(&first) {
                return false;
            }
        }
        let mut running: Vec<_> =
            first.values().filter(|(_, state)| state == "running").map(|(role, _)| role.as_str()).collect();
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
            Fault::CutOff => self.members[leader].lines.set(Line::Cut),
            Fault::StandbysAway => self.members[leader].lines.replication.set(Line::Cut),
            Fault::CancelledWaits => {
                // Otherwise it notices that its standby is away, and does not let that take over.
                self.members[leader].patroni.as_ref().expect("it runs").signal(Signal::STOP);
                self.members[leader].lines.replication.set(Line::Refused);
                self.cancel_waits(leader).await;
                self.members[leader].patroni = None;
                self.signal(leader, Signal::KILL);
                self.mend_lines();
            }
        }
    }

    /// Has commits of petstore no longer wait for the standby of `leader`, many times.
    async fn cancel_waits(&self, leader: usize) {
        let admin = Self::admin(&self.members[leader].postgres, "postgres").await.unwrap();
        let cancel = "SELECT pg_cancel_backend(pid) FROM pg_stat_activity \
            WHERE usename = 'petstore' AND wait_event = 'SyncRep'";
        let mut cancelled = 0;
        let cancelling = async {
            while cancelled < MANY {
                cancelled += admin.query(cancel, &[]).await.unwrap().len();
                sleep(Duration::from_millis(10)).await;
            }
        };
        let in_time = timeout(CANCELLING, cancelling).await;
        assert!(in_time.is_ok(), "only {cancelled} waits were cancelled");
    }

    /// Everything gets through again.
    pub fn mend_lines(&self) {
        self.members.iter().for_each(|member| member.lines.set(Line::Whole));
    }

    /// Undoes what is left of a fault, and waits until the cluster is whole.
    pub async fn heal(&mut self) {
        self.mend_lines();
        let begun = clock::now().mono;
        loop {
            for member in &mut self.members {
                member.patroni.take_if(|patroni| patroni.0.try_wait().is_ok_and(|ended| ended.is_some()));
            }
            for number in 0..self.members.len() {
                match &mut self.members[number].patroni {
                    Some(patroni) => {
                        patroni.signal(Signal::CONT);
                        self.signal(number, Signal::CONT);
                    }
                    None => _ = self.revive(number),
                }
            }
            let whole = self.until("the cluster is whole", async |cluster| cluster.is_whole().await);
            if timeout(SOON, whole).await.is_ok() {
                return;
            }
            assert!(begun.elapsed() < PATIENCE, "the cluster is not whole: {:?}", self.roles().await);
            self.copy_anew().await;
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
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fault {
    /// `kill -9` of the server; Patroni starts it again, or another one takes over.
    KillServer,
    /// `kill -9` of all of it.
    KillMember,
    /// Nothing of it runs until the cluster is healed, when it believes for a moment that it still leads.
    Freeze,
    SwitchOver,
    Restart,
    /// From clients, the other members and etcd.
    CutOff,
    /// Both, until the lines are mended.
    StandbysAway,
    /// Commits that wait for a standby do so no longer, though it does not have them; then the member is killed.
    CancelledWaits,
}

impl Fault {
    /// The most different ones first.
    pub const ALL: [Self; 8] = [
        Self::StandbysAway,
        Self::CancelledWaits,
        Self::CutOff,
        Self::KillServer,
        Self::SwitchOver,
        Self::Freeze,
        Self::KillMember,
        Self::Restart,
    ];
}

impl Member {
    fn configuration(&self, directory: &Path, programs: &Path) -> String {
        let Self { name, rest, postgres, lines, .. } = self;
        let [replication, rest_line, etcd] = [&lines.replication, &lines.rest, &lines.etcd].map(address);
        let (directory, programs) = (directory.display(), programs.display());
        format!(
            "scope: pets\nname: {name}\n\
             restapi: {{listen: '{rest}', connect_address: '{rest_line}'}}\n\
             etcd: {{hosts: ['{etcd}'], use_proxies: true}}\n\
             watchdog: {{mode: 'off'}}\n\
             bootstrap:\n  dcs:\n    ttl: 10\n    loop_wait: 1\n    retry_timeout: 3\n    maximum_lag_on_failover: 0\n    \
                 synchronous_mode: true\n    synchronous_mode_strict: true\n    \
                 postgresql: {{use_pg_rewind: true, parameters: {{max_connections: 100, fsync: 'off', wal_log_hints: 'on', wal_keep_size: 1GB}}}}\n  \
               initdb: [encoding: UTF8, auth: trust, no-locale, no-sync]\n  \
               pg_hba: ['host all all 127.0.0.1/32 trust', 'host replication all 127.0.0.1/32 trust']\n\
             postgresql:\n  listen: '{postgres}'\n  connect_address: '{replication}'\n  data_dir: {directory}/{name}\n  \
               bin_dir: {programs}\n  basebackup: [checkpoint: fast]\n  pgpass: {directory}/{name}.pgpass\n  \
               authentication: {{superuser: {{username: admin}}, replication: {{username: replicator}}, rewind: {{username: admin}}}}\n  \
               parameters: {{unix_socket_directories: '{directory}'}}\n"
        )
    }
}

fn address(line: &Proxy) -> String {
    format!("127.0.0.1:{}", line.port)
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
