//! Instances of the service on a PostgreSQL cluster that fails over: nothing acknowledged is lost or doubled, writes and
//! lists are back soon, and `/readyz` never says ready where nothing can be written.

mod members;

use std::sync::Arc;
use std::time::{Duration, Instant};

use parking_lot::Mutex;
use petstore::api::client::{Client, Timeouts};
use petstore::clock;
use petstore::model::{ApiKey, PetQuery};
use petstore::store::Store;
use secrecy::ExposeSecret as _;
use tokio::task::JoinSet;
use tokio::time::{sleep, timeout};

use self::members::{Cluster, Fault};
use crate::instances::{Clients, faults, free_address, instance};
use crate::store::fixture::till_key;
use crate::store::list::all;

/// After the cluster takes commits again, the service must too.
const WRITES_BACK: Duration = Duration::from_secs(3);
const LISTS_BACK: Duration = Duration::from_secs(1);

/// `/readyz` may rest on a commit of this age, and takes its time to answer.
const EVIDENCE: Duration = Duration::from_millis(2500);

/// Ten of each instance, and some that the server has not seen the end of yet.
const BACKENDS: i64 = 2 * 10 + 12;

/// When something last worked.
#[derive(Clone)]
struct Last(Arc<Mutex<Instant>>);

impl Last {
    fn new() -> Self {
        Self(Arc::new(Mutex::new(clock::now().mono)))
    }

    fn note(&self, at: Instant) {
        *self.0.lock() = at;
    }

    fn get(&self) -> Instant {
        *self.0.lock()
    }

    /// When it works after `since`.
    async fn after(&self, since: Instant) -> Instant {
        loop {
            let last = self.get();
            if last > since {
                return last;
            }
            sleep(Duration::from_millis(5)).await;
        }
    }
}

#[expect(clippy::print_stdout, reason = "it reports what it measured")]
async fn run(rounds: usize) {
    let Some(mut cluster) = Cluster::start().await else { return };
    let addresses: Vec<String> = cluster.addresses().map(str::to_owned).collect();
    let hosts = addresses.join(",");
    for address in &addresses {
        if let Ok(admin) = Cluster::admin(address, "postgres").await {
            admin.batch_execute("CREATE ROLE petstore LOGIN").await.unwrap();
            admin.batch_execute("CREATE DATABASE shop OWNER petstore").await.unwrap();
        }
    }
    let url = format!("postgres://petstore@{hosts}/shop");
    let store = Store::open(&url.parse().unwrap()).await.unwrap();
    let (_, key) = till_key(&store).await;
    let key = ApiKey::new(key.expose_secret()).unwrap();
    let services = [free_address(), free_address()];
    let _instances = [instance(&services[0], &url), instance(&services[1], &url)];
    let clients = services.each_ref().map(|service| Clients::start(service, &key, 8));

    let (commits, writes, lists) = (Last::new(), Last::new(), Last::new());
    let unready: Arc<Mutex<Vec<String>>> = Arc::default();
    let mut watchers = JoinSet::new();
    for address in &addresses {
        let commits = commits.clone();
        watchers.spawn(Cluster::watch_commits(address.clone(), move |at| commits.note(at)));
    }
    for clients in &clients {
        let (mut added, writes) = (clients.added(), writes.clone());
        watchers.spawn(async move {
            while added.changed().await.is_ok() {
                writes.note(clock::now().mono);
            }
        });
    }
    for service in &services {
        let client =
            Client::new(format!("http://{service}/v1").parse().unwrap(), Some(key.clone()), Timeouts::default());
        let (client, lists) = (client.unwrap(), lists.clone());
        watchers.spawn(async move {
            loop {
                let asked = clock::now().mono;
                if client.list_pets(&PetQuery::default()).await.is_ok() {
                    lists.note(asked);
                }
                sleep(Duration::from_millis(50)).await;
            }
        });
        let (commits, writes, unready) = (commits.clone(), writes.clone(), Arc::clone(&unready));
        let address = format!("http://{service}/readyz");
        watchers.spawn(async move {
            let http = reqwest::Client::new();
            loop {
                let before = commits.get().max(writes.get());
                let ready = http.get(&address).timeout(Duration::from_secs(5)).send().await;
                let is_ready = ready.is_ok_and(|answer| answer.status() == 204);
                let silent = before.elapsed();
                if is_ready && silent > EVIDENCE && commits.get().max(writes.get()) == before {
                    unready.lock().push(format!("ready {silent:?} after the last commit"));
                }
                sleep(Duration::from_millis(100)).await;
            }
        });
    }

    let mut figures = Vec::new();
    for round in 0..rounds {
        let fault = Fault::ALL[round % Fault::ALL.len()];
        for clients in &clients {
            clients.go_on().await;
        }
        let begun = clock::now().mono;
        cluster.inflict(fault).await;
        let took = async {
            // The last commit before the fault may be noted after it.
            let before = commits.get().max(begun);
            let accepts = commits.after(before + Duration::from_millis(500)).await;
            let written = writes.after(accepts).await;
            let listed = lists.after(accepts).await;
            (accepts - begun, written.saturating_duration_since(accepts), listed.saturating_duration_since(accepts))
        };
        let (outage, writes, reads) = timeout(Duration::from_secs(240), took).await.expect("the service comes back");
        figures.push(format!("{fault:?}: commits after {outage:?}, writes {writes:?} later, lists {reads:?} later"));
        assert!(writes < WRITES_BACK && reads < LISTS_BACK, "{}", figures.join("\n"));
        cluster.heal().await;
        for address in &addresses {
            let Ok(admin) = Cluster::admin(address, "shop").await else { continue };
            let count = "SELECT COUNT(*) FROM pg_stat_activity WHERE usename = 'petstore'";
            let backends: i64 = admin.query_one(count, &[]).await.unwrap().get(0);
            assert!(backends <= BACKENDS, "{backends} backends after {fault:?}");
        }
    }
    for clients in &clients {
        clients.go_on().await;
    }
    let mut told = Vec::new();
    for clients in clients {
        told.extend(clients.stop().await);
    }
    drop(watchers);
    let pets = all(&Store::open(&url.parse().unwrap()).await.unwrap()).await;
    println!("{}\n{} acknowledged, {} in the database", figures.join("\n"), told.len(), pets.len());
    assert_eq!(faults(&told, &pets), Vec::<String>::new());
    assert_eq!(pets.len(), told.len());
    assert_eq!(*unready.lock(), Vec::<String>::new());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_failover_loses_and_doubles_nothing_and_the_service_is_back_soon() {
    run(5).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
#[ignore = "takes ten minutes"]
async fn thirty_failovers_lose_and_double_nothing() {
    run(30).await;
}
