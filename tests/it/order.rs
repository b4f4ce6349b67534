//! Ids become visible in their order, whichever instance gives them: who follows them misses nothing.

use crate::prelude::*;

use crate::store::fixture::{Database, Kind, added_after, once, rex, till_key};

/// Instances on one database, and clients that add at them.
const INSTANCES: usize = 3;
const WRITERS: usize = 16;

/// The ids that followers at each instance saw, reading all the time until they have seen as many as are added.
async fn followed(kind: Kind, count: usize) -> Option<Vec<Vec<PetId>>> {
    let database = Database::new(kind)?;
    let mut stores = Vec::new();
    for _ in 0..INSTANCES {
        stores.push(database.open().await);
    }
    let (key, _) = till_key(&stores[0]).await;
    let left = Arc::new(AtomicUsize::new(count));
    let mut writers = JoinSet::new();
    for number in 0..WRITERS {
        let (store, left) = (stores[number % INSTANCES].clone(), Arc::clone(&left));
        writers.spawn(async move {
            let take = |left: usize| left.checked_sub(1);
            while let Ok(left) = left.fetch_update(Ordering::Relaxed, Ordering::Relaxed, take) {
                // Both kinds of adding, each alone and together with others.
                let name = format!("{left}");
                let new = NewPet { name: name.clone(), ..rex() };
                match left % 2 {
                    0 => drop(store.add(new, clock::now()).await.unwrap()),
                    _ => drop::<CreateOutcome>(store.add_once(new, once(key, &name), clock::now()).await.unwrap()),
                }
            }
        });
    }
    let mut followers = JoinSet::new();
    for store in &stores {
        followers.spawn(by_feed(store.clone(), count));
        followers.spawn(by_pages(store.clone(), count));
    }
    timeout(Duration::from_secs(600), writers.join_all()).await.expect("the writers end");
    let seen = timeout(Duration::from_secs(60), followers.join_all()).await.expect("every pet is seen");
    for store in stores {
        store.close().await;
    }
    Some(seen)
}

async fn by_feed(store: Store, count: usize) -> Vec<PetId> {
    let mut seen: Vec<PetId> = Vec::new();
    while seen.len() < count {
        let pets = added_after(&store, seen.last().copied().unwrap_or_default()).await;
        seen.extend(pets.iter().map(|added| added.pet.id));
        yield_now().await;
    }
    seen
}

async fn by_pages(store: Store, count: usize) -> Vec<PetId> {
    let mut seen: Vec<PetId> = Vec::new();
    while seen.len() < count {
        let query = PetQuery { limit: Limit::MAX, after: seen.last().copied(), ..PetQuery::default() };
        seen.extend(store.list(&query).await.unwrap().pets.iter().map(|Pet { id, .. }| *id));
        yield_now().await;
    }
    seen
}

/// What followers missed, saw twice, and saw out of order.
fn faults(seen: &[Vec<PetId>]) -> [usize; 3] {
    let mut all: Vec<PetId> = seen.concat();
    all.sort_unstable();
    all.dedup();
    let of = |seen: &Vec<PetId>| {
        let mut sorted = seen.clone();
        sorted.sort_unstable();
        sorted.dedup();
        let behind = seen.windows(2).filter(|pair| pair[0] > pair[1]).count();
        [all.len() - sorted.len(), seen.len() - sorted.len(), behind]
    };
    seen.iter().map(of).fold([0; 3], |sum, faults| std::array::from_fn(|place| sum[place] + faults[place]))
}

async fn followers_miss_nothing(kind: Kind, count: usize) {
    let Some(seen) = followed(kind, count).await else { return };
    assert_eq!(faults(&seen), [0; 3], "missed, doubled, out of order");
    assert!(seen.iter().all(|seen| seen.len() == count));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn followers_of_three_instances_miss_nothing_on_postgresql() {
    followers_miss_nothing(Kind::Postgres, 3000).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn followers_of_three_processes_miss_nothing_on_one_file() {
    followers_miss_nothing(Kind::Sqlite, 1000).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
#[ignore = "takes minutes: cargo test --release --test it -- --ignored hundred_thousand"]
async fn followers_of_a_hundred_thousand_pets_miss_nothing() {
    followers_miss_nothing(Kind::Postgres, 100_000).await;
}

/// As an older version of this program adds: an id of the sequence, without a turn.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_older_instance_that_still_adds_gets_ids_that_no_other_has() {
    let Some(database) = Database::new(Kind::Postgres) else { return };
    let store = database.open().await;
    let (server, name) = (database.server(), database.name().to_owned());
    let older = tokio::task::spawn_blocking(move || {
        server.sql(
            &name,
            "DO $$ BEGIN FOR number IN 1..300 LOOP
                INSERT INTO pets (name, category_id, status, created_at) VALUES ('old', 1, 'sold', 0);
                COMMIT;
            END LOOP; END $$",
        );
    });
    for _ in 0..100 {
        store.add(rex(), clock::now()).await.unwrap();
    }
    older.await.unwrap();
    let pets = by_feed(store, 400).await;
    assert_eq!(faults(&[pets]), [0; 3]);
}
