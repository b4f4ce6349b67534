//! A Saturday in the shop: many tills add, sell, reserve, return and undo on the same pets, at three instances of the real
//! binary on one database, behind HAProxy with the configuration of `assets/`. Meanwhile instances are killed and lines are
//! cut. What each till was told is compared with what is kept, and so is what those who listened have seen.

use crate::prelude::*;

use std::fmt::Debug;

use parking_lot::Mutex;
use petstore::api::client::Client;
use petstore::model::{PetHistoryEntry, PetMembers};
use petstore::store::ChangedPet;
use serde::Deserialize;

use crate::instances::{Running, balancer, expect_trouble, free_address, instance};
use crate::sse::{Events, LAST};
use crate::store::fixture::{Database, Kind};
use crate::store::list::all;
use crate::store::proxy::{Line, Proxy};

/// Each has a key of its own, so that what is kept tells which of them made a change.
const TILLS: usize = 16;

/// Some of them stand beside an instance, so that several instances change the same pets at the same time: HAProxy leads to
/// one while it can.
const AT_AN_INSTANCE: usize = 6;

/// How many pets are in everybody's hands: few, so that tills meet.
const SHELF: usize = 10;

/// How many changes have to be made between one trouble and the next, and in all how long it goes on.
const A_WHILE: usize = 30;
const USUAL: Duration = Duration::from_secs(20);

/// Longer than anything here may take.
const PATIENCE: Duration = Duration::from_secs(60);

/// A change of a pet: what a till was told, or what a listener saw.
#[derive(Clone, Debug, PartialEq)]
struct Made {
    pet: PetId,
    from: PetMembers,
    to: PetMembers,
}

/// What all tills have in common.
#[derive(Default)]
struct Shop {
    /// Pets as they were when they were put here.
    shelf: Mutex<Vec<Pet>>,
    conflicts: AtomicUsize,
    repeats: AtomicUsize,
    is_closed: AtomicBool,
}

/// What a till asks for.
enum Sent {
    Add(NewPet),
    Change(PetId, PetPatch),
}

/// A person at a till, and what they were told.
struct Till {
    number: usize,
    /// The same service at several addresses. What fails at one is sent again at the next.
    clients: Vec<Client>,
    keys: IdempotencyKeys,
    dice: u64,
    /// The pets as this screen shows them, which may be long ago.
    screen: HashMap<PetId, Pet>,
    /// What `undo` would undo.
    last: Option<(Pet, Pet)>,
    added: Vec<Pet>,
    made: Vec<Made>,
    /// When the service had confirmed each of these.
    made_at: Vec<Instant>,
}

impl Till {
    /// A number below `below`, the same ones each time.
    fn roll(&mut self, below: usize) -> usize {
        self.dice = self.dice.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.dice >> 33) as usize % below
    }

    async fn work(mut self, shop: Arc<Shop>, made: watch::Sender<usize>) -> Self {
        while !shop.is_closed.load(Ordering::Relaxed) {
            if self.roll(10) == 0 {
                self.add(&shop).await;
                continue;
            }
            let (seen, wanted) = match self.last.take() {
                Some(undone) if self.roll(4) == 0 => undone,
                _ => self.choose(&shop),
            };
            if self.change(&shop, seen, wanted).await {
                made.send_modify(|made| *made += 1);
            }
        }
        self
    }

    /// Sends it as often as it takes, with the same key. A change that was refused is the pet as it is now.
    async fn sent(&mut self, shop: &Shop, what: &Sent) -> Result<Pet, Pet> {
        let key = self.keys.make();
        loop {
            let answer = match what {
                Sent::Add(new) => self.clients[0].create_pet(new, &key).await,
                Sent::Change(id, patch) => self.clients[0].change_pet(*id, patch, &key).await,
            };
            match answer {
                Ok(pet) => return Ok(pet),
                Err(error) => match error.changed() {
                    Some(pet) => return Err(pet),
                    None => expect_trouble(&error),
                },
            }
            shop.repeats.fetch_add(1, Ordering::Relaxed);
            self.clients.rotate_left(1);
        }
    }

    async fn add(&mut self, shop: &Shop) {
        let name = format!("{}-{}", self.number, self.added.len());
        let new = Sent::Add(NewPet { name, category_id: 1, status: None });
        let pet = self.sent(shop, &new).await.expect("it is added");
        self.added.push(pet.clone());
        let place = self.roll(SHELF);
        let mut shelf = shop.shelf.lock();
        if place < shelf.len() && shelf.len() == SHELF { shelf[place] = pet } else { shelf.push(pet) }
    }

    /// A pet as it is seen here, and what to make of it.
    fn choose(&mut self, shop: &Shop) -> (Pet, Pet) {
        let place = self.roll(SHELF);
        let pet = {
            let shelf = shop.shelf.lock();
            shelf[place % shelf.len()].clone()
        };
        let seen = self.screen.get(&pet.id).cloned().unwrap_or(pet);
        let mut wanted = seen.clone();
        let others: Vec<_> =
            PetStatus::ALL.into_iter().filter(|status| seen.status != Some((*status).into())).collect();
        wanted.status = Some(others[self.roll(others.len())].into());
        match self.roll(8) {
            0 => wanted.name = format!("{} {}", self.number, self.made.len()),
            1 => wanted.category_id += 1,
            _ => {}
        }
        (seen, wanted)
    }

    /// Whether it was changed.
    async fn change(&mut self, shop: &Shop, seen: Pet, wanted: Pet) -> bool {
        let (id, patch) = (seen.id, PetPatch::between(&seen, &wanted));
        match self.sent(shop, &Sent::Change(id, patch.clone())).await {
            Ok(pet) => {
                let (from, to) = PetMembers::of_change(&seen, &wanted);
                self.made.push(Made { pet: id, from, to });
                self.made_at.push(clock::now().mono);
                self.screen.insert(id, pet);
                self.last = Some((wanted, seen));
                true
            }
            Err(pet) => {
                shop.conflicts.fetch_add(1, Ordering::Relaxed);
                self.screen.insert(id, pet);
                false
            }
        }
    }
}

/// What a listener has seen, in its order.
#[derive(Debug, Default)]
struct Heard {
    added: Vec<Pet>,
    changes: Vec<(i64, Made)>,
    /// When each change came.
    at: Vec<Instant>,
}

#[derive(Deserialize)]
struct ChangedEvent {
    id: PetId,
    from: PetMembers,
    to: PetMembers,
}

/// Listens at one instance, from the first pet until the last one is changed, and goes on where it was whenever its stream
/// ends.
async fn listen(port: u16, key: String) -> (u16, Heard) {
    let (mut heard, mut place) = (Heard::default(), "0".to_owned());
    loop {
        yield_now().await;
        let headers = [("Last-Event-ID", place.as_str())];
        let opened = Events::try_open(([127, 0, 0, 1], port).into(), &key, "/v1/pets/events", &headers).await;
        let Some(mut events) = opened.filter(Events::is_ok) else { continue };
        while let Some(block) = events.block().await {
            match block.event.as_deref() {
                Some("pet.changed") => {
                    let ChangedEvent { id, from, to } = serde_json::from_str(&block.data.unwrap()).unwrap();
                    let change = block.raw_id.as_deref().unwrap().split('.').nth(1).unwrap().parse().unwrap();
                    let pet = heard.added.iter().find(|pet| pet.id == id);
                    let is_last = pet.expect("a pet comes before its changes").name == LAST;
                    heard.changes.push((change, Made { pet: id, from, to }));
                    heard.at.push(clock::now().mono);
                    if is_last {
                        return (port, heard);
                    }
                }
                _ => {
                    assert_eq!(block.lost(), None, "nothing was lost");
                    heard.added.extend(block.pet());
                }
            }
            place = block.raw_id.unwrap_or(place);
        }
    }
}

/// An instance, and the lines that lead to it and from it to the database.
struct Instance {
    address: String,
    database: String,
    running: Option<Running>,
    front: Proxy,
    back: Proxy,
}

impl Instance {
    async fn start(database: &Database) -> Self {
        let address = free_address();
        let front = Proxy::start(address.rsplit(':').next().unwrap().parse().unwrap()).await;
        let back = Proxy::start(database.server().port()).await;
        let database = format!("postgres://petstore@127.0.0.1:{}/{}", back.port, database.name());
        let running = Some(instance(&address, &database));
        Self { address, database, running, front, back }
    }

    fn front(&self) -> String {
        format!("127.0.0.1:{}", self.front.port)
    }
}

/// What happens to an instance.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Trouble {
    Killed,
    Frozen,
    /// What it answers does not arrive, then the connections end.
    AnswersLost,
    CommitsLost,
    CutOff,
    DatabaseRefused,
}

impl Trouble {
    /// Between two others, somebody is killed.
    const ALL: [Self; 10] = [
        Self::Killed,
        Self::AnswersLost,
        Self::Killed,
        Self::CommitsLost,
        Self::Killed,
        Self::CutOff,
        Self::Killed,
        Self::DatabaseRefused,
        Self::Killed,
        Self::Frozen,
    ];

    /// Makes it, lets the tills work meanwhile, and ends it.
    async fn befall(self, instance: &mut Instance, meanwhile: impl AsyncFn()) {
        match self {
            Self::Killed => {
                drop(instance.running.take());
                meanwhile().await;
                let (address, database) = (instance.address.clone(), instance.database.clone());
                let started = tokio::task::spawn_blocking(move || crate::instances::instance(&address, &database));
                instance.running = Some(started.await.unwrap());
            }
            Self::Frozen => {
                let running = instance.running.as_ref().expect("it runs");
                running.signal(Signal::STOP);
                meanwhile().await;
                running.signal(Signal::CONT);
            }
            Self::AnswersLost => {
                instance.front.set(Line::Frozen);
                meanwhile().await;
                instance.front.set(Line::Refused);
                yield_now().await;
                instance.front.set(Line::Whole);
            }
            Self::CommitsLost => instance.back.set(Line::LosesAnswerTo("COMMIT")),
            Self::CutOff => instance.back.set(Line::Cut),
            Self::DatabaseRefused => instance.back.set(Line::Refused),
        }
        if matches!(self, Self::CommitsLost | Self::CutOff | Self::DatabaseRefused) {
            meanwhile().await;
            instance.back.set(Line::Whole);
        }
    }
}

/// All changes that are kept, in their order.
async fn kept(store: &Store) -> Vec<ChangedPet> {
    let mut kept: Vec<ChangedPet> = Vec::new();
    loop {
        let change = kept.last().map_or(0, |change| change.change);
        let next = store.news_after(Position { pet: PetId::MAX, change }, 500).await.unwrap().changes;
        if next.is_empty() {
            return kept;
        }
        kept.extend(next);
    }
}

/// What a listener knows in the end of the pets that it has heard of.
fn known(heard: &Heard) -> Vec<Pet> {
    let mut pets: HashMap<PetId, Pet> = heard.added.iter().map(|pet| (pet.id, pet.clone())).collect();
    for (_, Made { pet, to, .. }) in &heard.changes {
        let pet = pets.get_mut(pet).unwrap();
        *pet = to.over(pet);
    }
    let mut pets: Vec<_> = pets.into_values().collect();
    pets.sort_by_key(|pet| pet.id);
    pets
}

/// Whether `pet` has all these values.
fn has(pet: &Pet, members: &PetMembers) -> bool {
    members.over(pet) == *pet
}

/// A line of the history of a pet.
fn of_history(pet: PetId) -> impl Fn(PetHistoryEntry) -> Made {
    move |PetHistoryEntry { from, to, .. }| Made { pet, from: from.unwrap_or_default(), to }
}

/// Where two that should be the same begin to differ.
fn different<T: PartialEq + Debug>(told: &[T], kept: &[T]) -> Option<String> {
    let at = (0..told.len().max(kept.len())).find(|at| told.get(*at) != kept.get(*at))?;
    Some(format!("of {} and {}, at {at}: told {:?}, kept {:?}", told.len(), kept.len(), told.get(at), kept.get(at)))
}

/// How long the shop is open. Longer: `PETSTORE_TEST_SATURDAY=10 cargo test --test it saturday -- --nocapture`, in minutes.
#[expect(clippy::disallowed_methods, reason = "only the person who runs the test knows how long it may take")]
fn opening_time() -> Duration {
    let minutes = std::env::var("PETSTORE_TEST_SATURDAY").ok().map(|minutes| minutes.parse::<u64>().expect("minutes"));
    minutes.map_or(USUAL, |minutes| Duration::from_secs(60 * minutes))
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
#[expect(clippy::print_stdout, reason = "it reports what it did")]
async fn a_saturday_of_sixteen_tills_loses_doubles_and_overwrites_nothing() {
    let Some(database) = Database::new(Kind::Postgres) else { return };
    let store = Store::open(&database.url).await.unwrap();
    let mut instances = Vec::new();
    for _ in 0..3 {
        instances.push(Instance::start(&database).await);
    }
    let (front, directory) = (free_address(), tempfile::tempdir().unwrap());
    let fronts: Vec<_> = instances.iter().map(Instance::front).collect();
    let Some(_balancer) = balancer(&front, [&fronts[0], &fronts[1], &fronts[2]], &directory).await else {
        return crate::skipped::skipped("there is no haproxy (Debian: apt-get install haproxy)");
    };
    install_tls_provider();
    let (shop, made) = (Arc::<Shop>::default(), watch::Sender::new(0));
    let (mut tills, mut listeners, mut holders) = (JoinSet::new(), JoinSet::new(), Vec::new());
    for number in 0..TILLS {
        let scopes = "read write audit".parse().unwrap();
        let new = NewKey { name: format!("till {number}"), scopes, expires_at: None };
        let (id, key) = store.create_key(new, "ada", clock::now()).await.unwrap();
        let mut addresses = if number < AT_AN_INSTANCE { fronts.clone() } else { vec![front.clone()] };
        let own = number % addresses.len();
        addresses.rotate_left(own);
        let key = ApiKey::new(key.expose_secret()).unwrap();
        let client = |address: String| {
            let base = format!("http://{address}/v1").parse().unwrap();
            Client::new(base, Some(key.clone()), Timeouts::default()).unwrap()
        };
        let mut till = Till {
            number,
            clients: addresses.into_iter().map(client).collect(),
            keys: IdempotencyKeys::new(Uuid::new_v4()),
            dice: number as u64,
            screen: HashMap::new(),
            last: None,
            added: Vec::new(),
            made: Vec::new(),
            made_at: Vec::new(),
        };
        // Everybody brings a pet, so that there is one for whoever begins.
        till.add(&shop).await;
        tills.spawn(till.work(Arc::clone(&shop), made.clone()));
        holders.push(id);
    }
    let (_, listener) = store.create_key(crate::store::fixture::till(), "ada", clock::now()).await.unwrap();
    let balanced: SocketAddr = front.parse().unwrap();
    for port in instances.iter().map(|instance| instance.front.port).chain([balanced.port()]) {
        listeners.spawn(listen(port, listener.expose_secret().to_owned()));
    }

    let meanwhile = async || {
        let mut made = made.subscribe();
        let goal = *made.borrow() + A_WHILE;
        timeout(PATIENCE, made.wait_for(|made| *made >= goal)).await.expect("the tills cannot go on").unwrap();
    };
    let (begun, mut troubles) = (clock::now().mono, 0);
    while troubles < Trouble::ALL.len() || begun.elapsed() < opening_time() {
        meanwhile().await;
        // Each befalls each instance in turn.
        let trouble = Trouble::ALL[troubles % Trouble::ALL.len()];
        trouble.befall(&mut instances[troubles % 3], &meanwhile).await;
        troubles += 1;
    }
    let kills = (0..troubles).filter(|at| Trouble::ALL[at % Trouble::ALL.len()] == Trouble::Killed).count();
    meanwhile().await;
    shop.is_closed.store(true, Ordering::Relaxed);
    let tills = timeout(PATIENCE, tills.join_all()).await.expect("a till waits for ever");
    let took = begun.elapsed();
    let last = store.add(NewPet { name: LAST.to_owned(), category_id: 1, status: None }, clock::now()).await.unwrap();
    let sold = Pet { status: Some(PetStatus::Sold.into()), ..last.clone() };
    store.change(last.id, PetPatch::between(&last, &sold), None, holders[0], clock::now()).await.unwrap();
    let listeners = timeout(PATIENCE, listeners.join_all()).await.expect("every change is heard");

    let (pets, kept) = (all(&store).await, kept(&store).await);
    let told: usize = tills.iter().map(|till| till.made.len()).sum();
    println!(
        "{told} changes and {} adds in {took:?}, {} conflicts, {} sent again, {kills} kills among {troubles} troubles",
        tills.iter().map(|till| till.added.len()).sum::<usize>(),
        shop.conflicts.load(Ordering::Relaxed),
        shop.repeats.load(Ordering::Relaxed),
    );
    // Each pet that was added is there once.
    let mut added: Vec<_> = tills.iter().flat_map(|till| &till.added).chain([&last]).cloned().collect();
    added.sort_by_key(|pet| pet.id);
    assert_eq!(added.iter().map(|pet| pet.id).collect::<Vec<_>>(), pets.iter().map(|pet| pet.id).collect::<Vec<_>>());
    // Each change goes on from the one before it, and the last ones are what the list shows.
    let mut state: HashMap<PetId, Pet> = added.iter().map(|pet| (pet.id, pet.clone())).collect();
    for ChangedPet { pet, from, to, change, .. } in &kept {
        let pet = state.get_mut(&pet.id).unwrap();
        assert!(has(pet, from), "change {change} overwrites {pet:?}, which it takes for {from:?}");
        *pet = to.over(pet);
    }
    assert_eq!(pets.iter().map(|pet| &state[&pet.id]).collect::<Vec<_>>(), pets.iter().collect::<Vec<_>>());
    // What each till was told is kept, once and in its order, and nothing else.
    let made_of =
        |ChangedPet { pet, from, to, .. }: &ChangedPet| Made { pet: pet.id, from: from.clone(), to: to.clone() };
    let mut confirmed = Vec::new();
    for till in &tills {
        let key = holders[till.number].to_string();
        let is_theirs = |change: &&ChangedPet| {
            change.pet.id != last.id && change.provenance.added_by.as_ref().is_some_and(|by| by.key == key)
        };
        let theirs: Vec<_> = kept.iter().filter(is_theirs).map(made_of).collect();
        assert_eq!(different(&till.made, &theirs), None, "till {}", till.number);
        let changes = kept.iter().enumerate().filter(|(_, change)| is_theirs(change)).map(|(at, _)| at);
        confirmed.extend(changes.zip(&till.made_at));
    }
    // Who listens behind HAProxy need not wait until an instance is there again.
    let (_, heard) = listeners.iter().find(|(port, _)| *port == balanced.port()).unwrap();
    let late = |(change, at): &(usize, &Instant)| heard.at[*change].saturating_duration_since(**at);
    let mut delays: Vec<_> = confirmed.iter().map(late).collect();
    delays.sort();
    let [half, p99] = [50, 99].map(|percent| delays[delays.len() * percent / 100]);
    println!("others see a change {half:?} (median), {p99:?} (p99) after it was confirmed");
    assert_eq!(kept.len(), told + 1);
    // The history of each pet says the same.
    for pet in &pets {
        let history = store.history(pet.id).await.unwrap().unwrap();
        let of_pet: Vec<_> = kept.iter().filter(|change| change.pet.id == pet.id).map(made_of).collect();
        // Of many changes it has the last ones.
        let of_pet = &of_pet[of_pet.len().saturating_sub(1000)..];
        assert_eq!(different(&history.into_iter().skip(1).map(of_history(pet.id)).collect::<Vec<_>>(), of_pet), None);
    }
    for (_, heard) in listeners {
        assert_eq!(
            heard.added.iter().map(|pet| pet.id).collect::<Vec<_>>(),
            added.iter().map(|pet| pet.id).collect::<Vec<_>>()
        );
        let changes: Vec<_> = kept.iter().map(|change| (change.change, made_of(change))).collect();
        assert_eq!(different(&heard.changes, &changes), None);
        assert_eq!(known(&heard), pets);
    }
}
