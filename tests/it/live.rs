//! Streams of added pets while things fail: every listener ends with every pet, once and in order.

mod proxies;

use crate::prelude::*;

use tokio::net::TcpSocket;

use crate::instances::{Clients, balancer, faults, free_address, instance};
use crate::service::fixture::{JSON, Service, exchange_at, head};
use crate::skipped::skipped;
use crate::sse::{Events, LAST, difference, follow};
use crate::store::fixture::{Database, Kind, rex, till_key};
use crate::store::list::all;
use crate::store::proxy::{Line, Proxy};

const EVENTS: &str = "/v1/pets/events";

/// Longer than anything here may take.
const PATIENCE: Duration = Duration::from_secs(60);

const WRITERS: usize = 16;

/// Follows by asking for one page after another.
async fn follow_pages(front: SocketAddr, key: String) -> Vec<Pet> {
    let mut seen: Vec<Pet> = Vec::new();
    let bearer = format!("Bearer {key}");
    while seen.last().is_none_or(|pet| pet.name != LAST) {
        let after = seen.last().map_or(0, |pet| pet.id);
        let target = format!("/v1/pets?limit=100&after={after}");
        let answer = exchange_at(front, "GET", &target, &[("Authorization", &bearer)], b"").await;
        if answer.status == 200 {
            seen.extend(serde_json::from_slice::<Vec<Pet>>(&answer.body).unwrap());
        }
    }
    seen
}

/// Three instances behind HAProxy, of which one is killed and comes back again and again while `count` pets are added.
async fn nothing_is_missed(count: usize, listeners: usize, patience: Duration) {
    let Some(database) = Database::new(Kind::Postgres) else { return };
    let store = Store::open(&database.url).await.unwrap();
    let (_, key) = till_key(&store).await;
    let [front, one, two, three] = [free_address(), free_address(), free_address(), free_address()];
    let directory = tempfile::tempdir().unwrap();
    let Some(_balancer) = balancer(&front, [&one, &two, &three], &directory).await else {
        return skipped("there is no haproxy (Debian: apt-get install haproxy)");
    };
    let url = database.address("");
    let mut victim = Some(instance(&one, &url));
    let _others = [instance(&two, &url), instance(&three, &url)];
    let mut followers = JoinSet::new();
    for number in 0..listeners + 3 {
        let (front, key) = (front.parse().unwrap(), key.expose_secret().to_owned());
        if number < listeners {
            followers.spawn(follow(vec![front], key));
        } else {
            followers.spawn(follow_pages(front, key));
        }
    }
    let clients = Clients::start(&front, &ApiKey::new(key.expose_secret()).unwrap(), WRITERS);
    while *clients.added().borrow() < count {
        clients.go_on().await;
        drop(victim.take());
        clients.go_on().await;
        victim = Some(instance(&one, &url));
    }
    let told = clients.stop().await;
    store.add(NewPet { name: LAST.to_owned(), ..rex() }, clock::now()).await.unwrap();
    let pets = all(&store).await;
    assert_eq!(faults(&told, &pets), Vec::<String>::new());
    let seen = timeout(patience, followers.join_all()).await.expect("every pet comes");
    assert_eq!(seen.len(), listeners + 3);
    for seen in seen {
        assert_eq!(difference(&seen, &pets), None);
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn fifty_listeners_get_every_pet_once_while_an_instance_is_killed_again_and_again() {
    nothing_is_missed(1500, 50, PATIENCE).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
#[ignore = "takes minutes: cargo test --release --test it -- --ignored hundred_thousand"]
async fn fifty_listeners_get_each_of_a_hundred_thousand_pets_once() {
    nothing_is_missed(100_000, 50, 10 * PATIENCE).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_database_that_is_away_is_noted_in_the_stream_which_then_goes_on_without_a_gap() {
    let Some(database) = Database::new(Kind::Postgres) else { return };
    let elsewhere = database.open().await;
    let (_, key) = till_key(&elsewhere).await;
    let line = Proxy::start(database.server().port()).await;
    let url = format!("postgres://petstore@127.0.0.1:{}/{}", line.port, database.name());
    let store = Store::open(&url.parse().unwrap()).await.unwrap();
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let server = server::start(Service::config(), store.clone(), vec![listener]).unwrap();
    let open = async |target: &str| Events::open(server.local_addr(), key.expose_secret(), target, &[]).await;
    let add = async || elsewhere.add(rex(), clock::now()).await.unwrap().id;

    let first = add().await;
    let mut streams = [open(EVENTS).await, open("/v1/pets/events?after=0").await];
    assert_eq!(streams[1].pet().await.unwrap().id, first);
    for trouble in [Line::Refused, Line::Cut] {
        line.set(trouble);
        let missed = [add().await, add().await];
        for events in &mut streams {
            let noted = async { while !events.comment().await.unwrap().contains("cannot be read now") {} };
            timeout(PATIENCE, noted).await.expect("it is noted");
        }
        line.set(Line::Whole);
        for events in &mut streams {
            for id in missed {
                let pet = timeout(PATIENCE, events.pet()).await.expect("the stream goes on").unwrap();
                assert_eq!(pet.id, id);
            }
        }
    }
    let last = add().await;
    for events in &mut streams {
        assert_eq!(events.pet().await.unwrap().id, last);
    }
    drop(streams);
    server.shutdown().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_instance_that_nobody_follows_reports_what_it_adds_to_those_who_follow_another() {
    let Some(database) = Database::new(Kind::Postgres) else { return };
    let (followed, other) = (database.open().await, database.open().await);
    let (_, key) = till_key(&followed).await;
    let start = async |store: &Store| {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        server::start(Service::config(), store.clone(), vec![listener]).unwrap()
    };
    let (followed, _other) = (start(&followed).await, start(&other).await);
    let mut events = Events::open(followed.local_addr(), key.expose_secret(), EVENTS, &[]).await;
    // Without reports each of them would take two seconds.
    let all = async {
        for _ in 0..20 {
            let pet = other.add(rex(), clock::now()).await.unwrap();
            assert_eq!(events.pet().await.unwrap(), pet);
        }
    };
    timeout(Duration::from_secs(60), all).await.expect("it is reported");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_reader_that_falls_too_far_behind_is_let_go_and_goes_on_where_it_was() {
    // It may take its time to read; only what is kept for it is bounded.
    let config = Config { write_time: Duration::from_secs(600), ..Service::config() };
    let service = Service::with(config).await;
    let socket = TcpSocket::new_v4().unwrap();
    // So that little is on the way.
    socket.set_recv_buffer_size(4096).unwrap();
    let stream = socket.connect(service.server.local_addr()).await.unwrap();
    let mut slow = Events::over(stream, service.key(), EVENTS, &[]).await.unwrap();
    slow.block().await.unwrap();
    let many = 200_000;
    service.store.insert_samples(many, clock::now()).await.unwrap();
    let mut seen = 0;
    let mut times = 0;
    while seen < many as PetId {
        if let Some(pet) = slow.pet().await {
            assert_eq!(pet.id, seen + 1);
            seen = pet.id;
            continue;
        }
        times += 1;
        let last = slow.last.unwrap().to_string();
        slow = Events::open(service.server.local_addr(), service.key(), EVENTS, &[("Last-Event-ID", &last)]).await;
    }
    assert_eq!(times, 1, "it was let go once");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn two_thousand_streams_that_nobody_reads_keep_no_request_waiting() {
    let directory = tempfile::tempdir().unwrap();
    let url = format!("sqlite:{}", directory.path().join("store.db").display());
    let store = Store::open(&url.parse().unwrap()).await.unwrap();
    let (_, one) = till_key(&store).await;
    let (_, other) = till_key(&store).await;
    let address = free_address();
    let _instance = instance(&address, &url);
    let address: SocketAddr = address.parse().unwrap();
    let bearers = [one, other].map(|key| format!("Bearer {}", key.expose_secret()));
    let alone = medians(address, &bearers[0]).await;
    let mut open = Vec::new();
    for bearer in &bearers {
        let ask = format!("{}\r\n", head("GET", EVENTS, &[("Authorization", bearer)]));
        for number in 0..1200 {
            let mut stream = TcpStream::connect(address).await.unwrap();
            // The last ones do not even ask to the end.
            let asked = if number < 1000 { ask.len() } else { ask.len() - 1 };
            stream.write_all(&ask.as_bytes()[..asked]).await.unwrap();
            open.push(stream);
        }
    }
    let beside = medians(address, &bearers[0]).await;
    // Other tests, and other programs, keep both waiting.
    let is_kept = |(alone, beside): (&Duration, &Duration)| *beside > *alone * 20 + Duration::from_millis(500);
    assert!(!alone.iter().zip(&beside).any(is_kept), "{alone:?} {beside:?}");
}

/// How long half of the adds take, and half of the lists.
async fn medians(address: SocketAddr, bearer: &str) -> Vec<Duration> {
    let mut medians = Vec::new();
    for (method, target, body) in [("POST", "/v1/pets", REX), ("GET", "/v1/pets", "")] {
        let mut took = Vec::new();
        for _ in 0..50 {
            let begun = clock::now().mono;
            let answer =
                exchange_at(address, method, target, &[("Authorization", bearer), JSON], body.as_bytes()).await;
            assert!([200, 201].contains(&answer.status), "{answer:?}");
            took.push(begun.elapsed());
        }
        took.sort();
        medians.push(took[25]);
    }
    medians
}
