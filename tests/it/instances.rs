//! Several instances of the real binary on one database, behind HAProxy with the configuration of `assets/`. While one
//! of them is killed, frozen or cut off from the database, clients that repeat with their Idempotency-Key lose nothing
//! and double nothing.

use crate::prelude::*;

use std::net::{TcpListener, TcpStream};
use std::sync::atomic::AtomicU16;

use petstore::api::client::Client;

use crate::service::fixture::until;
use crate::store::fixture::{Database, Kind, till_key};
use crate::store::list::all;
use crate::store::proxy::{Line, Proxy};

const CONFIGURATION: &str = include_str!("../../assets/haproxy.cfg");

/// Clients at once, and how many pets they have to add between one trouble and the next.
const CLIENTS: usize = 16;
const A_WHILE: usize = 300;

/// Longer than anything here may take.
const PATIENCE: Duration = Duration::from_secs(60);

/// A program that is killed when dropped.
pub struct Running(pub Child);

impl Running {
    /// A program that says nothing; nothing where it is not installed.
    pub fn start(command: &mut Command) -> Option<Self> {
        command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).spawn().ok().map(Self)
    }

    pub fn signal(&self, signal: Signal) {
        kill_process(Pid::from_child(&self.0), signal).unwrap();
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// An instance that accepts requests.
pub fn instance(listen: &str, database: &str) -> Running {
    let mut command = Command::new(env!("CARGO_BIN_EXE_petstore"));
    command.args(["serve", "--listen", listen, "--proxy", "127.0.0.1", "--log-level", "error"]).env_clear();
    command.env("PETSTORE_DATABASE", database).stdin(Stdio::null()).stderr(Stdio::piped());
    let mut child = command.spawn().unwrap();
    let mut stderr = BufReader::new(child.stderr.take().unwrap());
    let mut line = String::new();
    stderr.read_line(&mut line).unwrap();
    assert!(line.starts_with("listening on http://"), "{line}");
    thread::spawn(move || io::copy(&mut stderr, &mut io::sink()));
    Running(child)
}

/// HAProxy in front of three instances, once it listens; nothing where it is not installed.
pub async fn balancer(listen: &str, instances: [&str; 3], directory: &TempDir) -> Option<Running> {
    let examples = ["127.0.0.1:8080", "127.0.0.1:8081", "127.0.0.1:8082", "127.0.0.1:8083"];
    let ours = [listen, instances[0], instances[1], instances[2]];
    let text = examples.iter().zip(ours).fold(CONFIGURATION.to_owned(), |text, (example, ours)| {
        assert!(text.contains(example), "{example}");
        text.replace(example, ours)
    });
    let file = directory.path().join("haproxy.cfg");
    fs::write(&file, text).unwrap();
    let running = Running::start(Command::new("haproxy").arg("-db").arg("-f").arg(&file))?;
    until(async || TcpStream::connect(listen).is_ok()).await;
    Some(running)
}

/// Where nobody listens, also when what listened there was killed: below the ports that the system gives to others.
pub fn free_address() -> String {
    static NEXT: AtomicU16 = AtomicU16::new(0);
    let begin = std::process::id() as u16 % 10_000;
    loop {
        let port = 20_000 + begin.wrapping_add(NEXT.fetch_add(1, Ordering::Relaxed)) % 10_000;
        if TcpListener::bind(("127.0.0.1", port)).is_ok() {
            return format!("127.0.0.1:{port}");
        }
    }
}

/// Clients that add pets, each as often as it takes with the same key, until they are told to stop.
pub struct Clients {
    tasks: JoinSet<Vec<(String, PetId)>>,
    added: watch::Sender<usize>,
    enough: Arc<AtomicBool>,
}

impl Clients {
    pub fn start(balancer: &str, key: &ApiKey, count: usize) -> Self {
        install_tls_provider();
        let (added, enough) = (watch::Sender::new(0), Arc::<AtomicBool>::default());
        let mut tasks = JoinSet::new();
        for _ in 0..count {
            let base = format!("http://{balancer}/v1").parse().unwrap();
            let client = Client::new(base, Some(key.clone()), Timeouts::default()).unwrap();
            let (added, enough) = (added.clone(), Arc::clone(&enough));
            tasks.spawn(async move {
                let name = Uuid::new_v4();
                let mut keys = IdempotencyKeys::new(name);
                let mut told = Vec::new();
                while !enough.load(Ordering::Relaxed) {
                    let new = NewPet { name: format!("{name}-{}", told.len()), category_id: 1, status: None };
                    let key = keys.make();
                    let pet = loop {
                        match client.create_pet(&new, &key).await {
                            Ok(pet) => break pet,
                            Err(error) => expect_trouble(&error),
                        }
                    };
                    told.push((pet.name, pet.id));
                    added.send_modify(|added| *added += 1);
                }
                told
            });
        }
        Self { tasks, added, enough }
    }

    /// How many pets were added.
    pub fn added(&self) -> watch::Receiver<usize> {
        self.added.subscribe()
    }

    /// Until some more pets have been added.
    pub async fn go_on(&self) {
        let goal = *self.added.borrow() + A_WHILE;
        let mut added = self.added.subscribe();
        timeout(PATIENCE, added.wait_for(|added| *added >= goal)).await.expect("the clients cannot go on").unwrap();
    }

    pub async fn stop(self) -> Vec<(String, PetId)> {
        self.enough.store(true, Ordering::Relaxed);
        let told = timeout(PATIENCE, self.tasks.join_all()).await.expect("a client waits for ever");
        told.into_iter().flatten().collect()
    }
}

/// That nothing else went wrong than what an instance or its database that is away brings with it.
pub fn expect_trouble(error: &Failure) {
    match error {
        Failure::Refused { status: 409 | 502 | 503 | 504, .. } => {}
        Failure::NotSent { .. } | Failure::NoAnswer { .. } | Failure::Broken { .. } => {}
        other => panic!("{other:?}"),
    }
}

/// What is wrong with a store that has `pets` after its clients were `told` of theirs.
pub fn faults(told: &[(String, PetId)], pets: &[Pet]) -> Vec<String> {
    let mut by_name: HashMap<&str, Vec<PetId>> = HashMap::new();
    pets.iter().for_each(|pet| by_name.entry(&pet.name).or_default().push(pet.id));
    let doubled = by_name.iter().filter(|(_, ids)| ids.len() > 1).map(|(name, ids)| format!("{name} is {ids:?}"));
    let lost = told.iter().filter(|(name, id)| by_name.get(name.as_str()) != Some(&vec![*id]));
    doubled.chain(lost.map(|(name, id)| format!("{name} was to be {id}"))).collect()
}

#[test]
fn the_balancer_has_room_for_all_that_its_instances_serve() {
    let places: usize = CONFIGURATION
        .lines()
        .find_map(|line| line.trim().strip_prefix("maxconn "))
        .and_then(|number| number.parse().ok())
        .expect("a limit");
    let config = Config::default();
    assert!(places > 3 * (config.streams + config.connections), "{places}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn killed_frozen_or_cut_off_instances_lose_and_double_nothing_behind_a_load_balancer() {
    let Some(database) = Database::new(Kind::Postgres) else { return };
    let store = Store::open(&database.url).await.unwrap();
    let (_, key) = till_key(&store).await;
    let key = ApiKey::new(key.expose_secret()).unwrap();
    let line = Proxy::start(database.server().port()).await;
    let url = |port: u16| format!("postgres://petstore@127.0.0.1:{port}/{}", database.name());
    let (direct, over_a_line) = (url(database.server().port()), url(line.port));
    let [front, one, two, three] = [free_address(), free_address(), free_address(), free_address()];
    let directory = tempfile::tempdir().unwrap();
    let Some(_balancer) = balancer(&front, [&one, &two, &three], &directory).await else {
        return crate::skipped::skipped("there is no haproxy (Debian: apt-get install haproxy)");
    };
    let (first, second, _third) = (instance(&one, &direct), instance(&two, &direct), instance(&three, &over_a_line));
    let clients = Clients::start(&front, &key, CLIENTS);
    clients.go_on().await;

    drop(first);
    clients.go_on().await;
    let _first = instance(&one, &direct);
    clients.go_on().await;

    second.signal(Signal::STOP);
    clients.go_on().await;
    second.signal(Signal::CONT);
    clients.go_on().await;

    for trouble in [Line::Frozen, Line::LosesAnswerTo("COMMIT")] {
        line.set(trouble);
        clients.go_on().await;
        line.set(Line::Whole);
        clients.go_on().await;
    }

    let told = clients.stop().await;
    assert!(told.len() > 8 * A_WHILE);
    let pets = all(&store).await;
    assert_eq!(faults(&told, &pets), Vec::<String>::new());
    assert_eq!(pets.len(), told.len());
}

#[tokio::test]
async fn behind_a_load_balancer_lists_go_on_while_the_database_is_read_only() {
    let Some(database) = Database::new(Kind::Postgres) else { return };
    let (_, key) = till_key(&Store::open(&database.url).await.unwrap()).await;
    let [front, one] = [free_address(), free_address()];
    let directory = tempfile::tempdir().unwrap();
    let Some(_balancer) = balancer(&front, [&one, &one, &one], &directory).await else {
        return crate::skipped::skipped("there is no haproxy (Debian: apt-get install haproxy)");
    };
    let _instance = instance(&one, &database.address(""));
    let key = ApiKey::new(key.expose_secret()).unwrap();
    install_tls_provider();
    let client = Client::new(format!("http://{front}/v1").parse().unwrap(), Some(key), Timeouts::default()).unwrap();
    let new = NewPet { name: "Rex".to_owned(), category_id: 1, status: None };
    let mut keys = IdempotencyKeys::new(Uuid::nil());
    let first = keys.make();
    let added = async { while client.create_pet(&new, &first).await.is_err() {} };
    timeout(PATIENCE, added).await.expect("the load balancer does not pass requests on");

    let (server, name) = (database.server(), database.name());
    server.sql("postgres", &format!("ALTER DATABASE {name} SET default_transaction_read_only = on"));
    server.sql("postgres", &format!("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '{name}'"));
    // Until the load balancer answers itself: it has taken the instance out of those that add.
    let taken_out = async {
        while !matches!(
            client.create_pet(&new, &keys.make()).await,
            Err(Failure::Refused { status: 503, code: None, .. })
        ) {}
    };
    timeout(PATIENCE, taken_out).await.expect("the load balancer still lets pets be added");
    assert_eq!(client.list_pets(&PetQuery::default()).await.unwrap().pets.len(), 1);
}
