//! Clients that add pets during failures, record the outcomes, and compare the store with them.

use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use petstore::model::{Limit, PetQuery};
use petstore::store::Store;
use tokio::task::JoinSet;
use tokio::time::{sleep, timeout};

use super::load::{Connection, Request};

/// Longer than anybody waits for an answer.
const PATIENCE: Duration = Duration::from_secs(60);

/// How long a client waits before it asks again.
const PAUSE: Duration = Duration::from_millis(20);

/// One POST that was answered.
pub struct Answer {
    pub status: u16,
    pub began: Instant,
    pub took: Duration,
}

/// What one client has seen.
#[derive(Default)]
pub struct Outcomes {
    pub answers: Vec<Answer>,
    /// POSTs whose connection broke or was refused.
    pub broken: usize,
    /// POSTs without any end.
    pub unanswered: usize,
    /// Names that were acknowledged.
    added: Vec<String>,
    /// Names that were refused, and never sent again.
    refused: Vec<String>,
}

pub struct Writers {
    tasks: JoinSet<Outcomes>,
    enough: Arc<AtomicBool>,
}

impl Writers {
    /// As many clients that send each pet with an Idempotency-Key until it is acknowledged, at the next of
    /// `addresses` each time, and as many that send each pet once.
    pub fn start(addresses: &[String], key: &str, with_key: usize, without: usize) -> Self {
        let (mut tasks, enough) = (JoinSet::new(), Arc::<AtomicBool>::default());
        for number in 0..with_key + without {
            let client = Client {
                addresses: addresses.to_vec(),
                turn: number,
                connection: None,
                key: key.to_owned(),
                outcomes: Outcomes::default(),
            };
            tasks.spawn(client.run(number, number < with_key, Arc::clone(&enough)));
        }
        Self { tasks, enough }
    }

    pub async fn stop(self) -> Vec<Outcomes> {
        self.enough.store(true, Ordering::Relaxed);
        self.tasks.join_all().await
    }
}

struct Client {
    addresses: Vec<String>,
    turn: usize,
    connection: Option<Connection>,
    key: String,
    outcomes: Outcomes,
}

impl Client {
    async fn run(mut self, number: usize, has_key: bool, enough: Arc<AtomicBool>) -> Outcomes {
        for pet in 0.. {
            if enough.load(Ordering::Relaxed) {
                break;
            }
            let name = format!("{number}-{pet}");
            let header = if has_key { format!("idempotency-key: {name}\r\n") } else { String::new() };
            let request = Request::add(&header, &name, &self.key);
            let mut status = self.post(&request).await;
            while has_key && status != Some(201) {
                sleep(PAUSE).await;
                status = self.post(&request).await;
            }
            match status {
                Some(201) => self.outcomes.added.push(name),
                Some(_) => self.outcomes.refused.push(name),
                None => sleep(PAUSE).await,
            }
        }
        self.outcomes
    }

    async fn post(&mut self, request: &Request) -> Option<u16> {
        let began = Instant::now();
        let exchange = async {
            let mut connection = match self.connection.take() {
                Some(connection) => connection,
                None => Connection::open(&self.addresses[self.turn % self.addresses.len()]).await?,
            };
            let answer = connection.exchange(request).await?;
            self.connection = Some(connection);
            std::io::Result::Ok(answer)
        };
        match timeout(PATIENCE, exchange).await {
            Ok(Ok((status, _))) => {
                self.outcomes.answers.push(Answer { status, began, took: began.elapsed() });
                return Some(status);
            }
            Ok(Err(_)) => self.outcomes.broken += 1,
            Err(_) => self.outcomes.unanswered += 1,
        }
        self.turn += 1;
        None
    }
}

/// How many pets are lost, and how many are there too often.
pub async fn faults(outcomes: &[Outcomes], database: &str) -> (usize, usize) {
    let store = Store::open(&database.parse().unwrap()).await.unwrap();
    let mut times: HashMap<String, usize> = HashMap::new();
    let mut query = PetQuery { limit: Limit::MAX, ..PetQuery::default() };
    loop {
        let page = store.list(&query).await.unwrap();
        page.pets.into_iter().for_each(|pet| *times.entry(pet.name).or_default() += 1);
        query.after = page.next;
        if query.after.is_none() {
            break;
        }
    }
    store.close().await;
    let there = |name: &String| times.get(name).copied().unwrap_or_default();
    let lost = outcomes.iter().flat_map(|outcomes| &outcomes.added).filter(|name| there(name) == 0).count();
    let names = outcomes.iter().flat_map(|outcomes| outcomes.added.iter().chain(&outcomes.refused));
    (lost, names.filter(|name| there(name) > 1).count())
}
