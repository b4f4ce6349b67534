//! Instances of the service on a PostgreSQL cluster that fails over: nothing acknowledged is lost or doubled, writes and
//! lists are back soon, and `/readyz` never says ready where nothing can be written. One instance has all hosts in its
//! address, the other reaches them through HAProxy.

mod members;

use crate::prelude::*;

use futures_util::future::join;
use parking_lot::Mutex;
use petstore::api::client::Client;
use tokio::time::sleep;

use self::members::{Cluster, Fault};
use crate::instances::{Clients, faults, free_address, instance};
use crate::sse::{LAST, difference, follow};
use crate::store::fixture::{rex, till_key};
use crate::store::list::all;

/// After the cluster takes commits again, the service must too.
const WRITES_BACK: Duration = Duration::from_secs(3);
const LISTS_BACK: Duration = Duration::from_secs(1);

/// `/readyz` may rest on a commit of this age, and takes its time to answer.
const EVIDENCE: Duration = Duration::from_millis(2500);

/// How long the cluster may take until it accepts commits again, before an operator helps.
const BY_ITSELF: Duration = Duration::from_secs(40);

/// How long others may take to commit something, too.
const FIRST_SEEN: Duration = Duration::from_millis(500);

/// From the moment on when nothing can be written.
const NOT_READY: Duration = Duration::from_secs(3);

/// Where it is sure from the start that nothing can be written, a write is refused in this time, and a list answered.
const AT_ONCE: Duration = Duration::from_secs(1);

/// Ten of each instance, and some that the server has not seen the end of yet.
const BACKENDS: i64 = 2 * 10 + 12;

/// The rounds of each run of `.ci/run`.
const IN_CI: usize = 5;

/// The worst of all rounds.
#[derive(Debug, Default)]
struct Figures {
    writes_back: Duration,
    lists_back: Duration,
    backends: i64,
    /// While both standbys are away.
    not_ready: Duration,
    refused: Duration,
    listed: Duration,
}

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

fn client(service: &str, key: &ApiKey) -> Client {
    Client::new(format!("http://{service}/v1").parse().unwrap(), Some(key.clone()), Timeouts::default()).unwrap()
}

async fn is_ready(http: &reqwest::Client, service: &str) -> bool {
    let asked = http.get(format!("http://{service}/readyz")).timeout(Duration::from_secs(5)).send();
    asked.await.is_ok_and(|answer| answer.status() == 204)
}

/// A pet that cannot be added at a service as long as no standby is there.
struct Refused {
    client: Client,
    pet: NewPet,
    key: IdempotencyKey,
}

impl Refused {
    /// What the service says from the moment on when the standbys have gone.
    async fn by(service: &str, key: &ApiKey, worst: &Mutex<Figures>) -> Self {
        let (begun, http) = (clock::now().mono, reqwest::Client::new());
        while is_ready(&http, service).await {
            sleep(Duration::from_millis(20)).await;
        }
        let not_ready = begun.elapsed();
        let (mut slowest_add, mut slowest_list) = (Duration::ZERO, Duration::ZERO);
        let name = Uuid::new_v4();
        let pet = NewPet { name: name.to_string(), category_id: 1, status: None };
        let refused = Self { client: client(service, key), pet, key: IdempotencyKeys::new(name).make() };
        for _ in 0..10 {
            let asked = clock::now().mono;
            let answer = refused.client.create_pet(&refused.pet, &refused.key).await;
            assert!(matches!(answer, Err(Failure::Refused { status: 503, .. })), "{answer:?}");
            slowest_add = slowest_add.max(asked.elapsed());
            let asked = clock::now().mono;
            refused.client.list_pets(&PetQuery::default()).await.unwrap();
            slowest_list = slowest_list.max(asked.elapsed());
        }
        let mut worst = worst.lock();
        worst.not_ready = worst.not_ready.max(not_ready);
        worst.refused = worst.refused.max(slowest_add);
        worst.listed = worst.listed.max(slowest_list);
        refused
    }

    async fn add(self) -> (String, PetId) {
        loop {
            if let Ok(pet) = self.client.create_pet(&self.pet, &self.key).await {
                return (pet.name, pet.id);
            }
        }
    }
}

#[expect(clippy::print_stdout, reason = "it reports what it measured")]
async fn run(rounds: usize) {
    let Some(mut cluster) = Cluster::start().await else { return };
    let Some((_balancer, front)) = cluster.balancer().await else { return };
    let addresses: Vec<String> = cluster.addresses().collect();
    for address in &addresses {
        if let Ok(admin) = Cluster::admin(address, "postgres").await {
            admin.batch_execute("CREATE ROLE petstore LOGIN").await.unwrap();
            admin.batch_execute("CREATE DATABASE shop OWNER petstore").await.unwrap();
        }
    }
    let urls = [addresses.join(","), front].map(|hosts| format!("postgres://petstore@{hosts}/shop"));
    let store = Store::open(&urls[0].parse().unwrap()).await.unwrap();
    let (_, text) = till_key(&store).await;
    let key = ApiKey::new(text.expose_secret()).unwrap();
    let services = [free_address(), free_address()];
    let _instances = [instance(&services[0], &urls[0]), instance(&services[1], &urls[1])];
    let clients = services.each_ref().map(|service| Clients::start(service, &key, 8));
    let mut followers = JoinSet::new();
    for [first, second] in [[0, 1], [1, 0]] {
        let services = [&services[first], &services[second]].map(|service| service.parse().unwrap());
        followers.spawn(follow(services.to_vec(), text.expose_secret().to_owned()));
    }

    let (commits, writes, lists) = (Last::new(), [Last::new(), Last::new()], [Last::new(), Last::new()]);
    let unready: Arc<Mutex<Vec<String>>> = Arc::default();
    let mut watchers = JoinSet::new();
    for address in &addresses {
        let commits = commits.clone();
        watchers.spawn(Cluster::watch_commits(address.clone(), move |at| commits.note(at)));
    }
    for (clients, writes) in clients.iter().zip(&writes) {
        let (mut added, writes) = (clients.added(), writes.clone());
        watchers.spawn(async move {
            while added.changed().await.is_ok() {
                writes.note(clock::now().mono);
            }
        });
    }
    for (number, service) in services.iter().enumerate() {
        let (client, lists) = (client(service, &key), lists[number].clone());
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
        let service = service.clone();
        watchers.spawn(async move {
            let http = reqwest::Client::new();
            let last = || writes.iter().chain([&commits]).map(Last::get).max().unwrap();
            loop {
                let before = last();
                let is_ready = is_ready(&http, &service).await;
                let silent = before.elapsed();
                if is_ready && silent > EVIDENCE && last() == before {
                    // It may have done the first commit itself.
                    sleep(FIRST_SEEN).await;
                }
                if is_ready && silent > EVIDENCE && last() == before {
                    unready.lock().push(format!("ready {silent:?} after the last commit"));
                }
                sleep(Duration::from_millis(100)).await;
            }
        });
    }

    let (worst, mut told) = (Mutex::<Figures>::default(), Vec::new());
    for round in 0..rounds {
        // After the round before.
        cluster.heal().await;
        for address in &addresses {
            let Ok(admin) = Cluster::admin(address, "shop").await else { continue };
            let count = "SELECT COUNT(*) FROM pg_stat_activity WHERE usename = 'petstore'";
            let backends: i64 = admin.query_one(count, &[]).await.unwrap().get(0);
            let mut worst = worst.lock();
            worst.backends = worst.backends.max(backends);
        }
        let fault = Fault::ALL[round % Fault::ALL.len()];
        for clients in &clients {
            clients.go_on().await;
        }
        let begun = clock::now().mono;
        cluster.inflict(fault).await;
        let mut refused = Vec::new();
        if fault == Fault::StandbysAway {
            refused = join_all(services.iter().map(|service| Refused::by(service, &key, &worst))).await;
            cluster.mend_lines();
        }
        let mut took = pin!(async {
            // The last commit before the fault may be noted after it.
            let before = commits.get().max(begun);
            let accepts = commits.after(before + Duration::from_millis(500)).await;
            let (mut written, mut listed) = (accepts, accepts);
            for (writes, lists) in writes.iter().zip(&lists) {
                written = written.max(writes.after(accepts).await);
                listed = listed.max(lists.after(accepts).await);
            }
            (accepts - begun, written - accepts, listed - accepts)
        });
        let (outage, writes, reads) = match timeout(BY_ITSELF, took.as_mut()).await {
            Ok(took) => took,
            // The only standby that is left may be ahead of its new primary, and unable to follow it.
            Err(_) => {
                let took = timeout(Duration::from_secs(240), took);
                join(cluster.heal(), took).await.1.expect("the service comes back")
            }
        };
        println!("{fault:?}: commits after {outage:?}, writes {writes:?} later, lists {reads:?} later");
        {
            let mut worst = worst.lock();
            worst.writes_back = worst.writes_back.max(writes);
            worst.lists_back = worst.lists_back.max(reads);
        }
        for refused in refused {
            told.push(timeout(WRITES_BACK, refused.add()).await.expect("it is added in the end"));
        }
    }
    for clients in &clients {
        clients.go_on().await;
    }
    for clients in clients {
        told.extend(clients.stop().await);
    }
    drop(watchers);
    let store = Store::open(&urls[0].parse().unwrap()).await.unwrap();
    let mut pets = all(&store).await;
    let (faults, unready, worst) = (faults(&told, &pets), unready.lock().clone(), worst.into_inner());
    println!("{} acknowledged, {} in the database, {} lost or doubled", told.len(), pets.len(), faults.len());
    println!("falsely ready {} times; {worst:#?}", unready.len());
    assert_eq!(faults, Vec::<String>::new());
    assert_eq!(pets.len(), told.len());
    pets.push(store.add(NewPet { name: LAST.to_owned(), ..rex() }, clock::now()).await.unwrap());
    let followed = timeout(Duration::from_secs(60), followers.join_all()).await.expect("every pet comes");
    for seen in followed {
        assert_eq!(difference(&seen, &pets), None);
    }
    assert_eq!(unready, Vec::<String>::new());
    assert!(worst.writes_back < WRITES_BACK && worst.lists_back < LISTS_BACK, "{worst:?}");
    assert!(worst.backends <= BACKENDS, "{worst:?}");
    assert!(worst.not_ready < NOT_READY && worst.refused < AT_ONCE && worst.listed < AT_ONCE, "{worst:?}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
#[ignore = "starts a cluster; .ci/run does it as a step of its own"]
async fn a_failover_loses_and_doubles_nothing_and_the_service_is_back_soon() {
    run(IN_CI).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
#[ignore = "takes ten minutes"]
async fn thirty_failovers_lose_and_double_nothing() {
    run(30).await;
}
