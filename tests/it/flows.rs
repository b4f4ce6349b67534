//! Keys into the real loop, against the real service: what a person does, from the first row to the last message.

use std::convert::Infallible;
use std::future::Future;
use std::sync::{Arc, Mutex, OnceLock};
use std::time::Duration;

use jiff::tz::TimeZone;
use petstore::api::client::{Timeouts, install_tls_provider};
use petstore::api::{Client, Failure};
use petstore::app::clipboard::ClipboardBackend;
use petstore::app::connections::{Connect, Services};
use petstore::app::domain_service::{DomainService, DomainSetup};
use petstore::app::inventory::store::PetStore;
use petstore::clock::{self, Now};
use petstore::config::file::{File, LoadLimit, Ui};
use petstore::config::{Accent, Choices, Depth, Env, KeyOrigin, LinkSpeed, Remote, Service, Settings};
use petstore::domains::check_options::CheckOptions as DomainSettings;
use petstore::domains::diagnosis::Expectation;
use petstore::domains::registry::RegistryFile;
use petstore::domains::sandbox::Sandbox;
use petstore::model::{ApiKey, IdempotencyKeys};
use petstore::server::{self, ServerHandle};
use petstore::store::keys::{NewKey, Scopes};
use petstore::store::{DatabaseUrl, Store};
use petstore::tui::event_loop::{self, LoopError, LoopIo};
use petstore::tui::frame_pacer::Pacing;
use petstore::tui::msg::{Key, KeyPress, Msg, QuitReason, Size};
use petstore::tui::state::AppState;
use petstore::tui::terminal::writer_thread::Traffic;
use petstore::tui::theme::{Appearance, Theme};
use petstore::tui::worker::{self, WorkerContext};
use ratatui::Terminal;
use ratatui::backend::{Backend, ClearType, TestBackend, WindowSize};
use ratatui::buffer::Cell;
use ratatui::layout::{Position, Size as CellSize};
use secrecy::ExposeSecret as _;
use tempfile::TempDir;
use tokio::net::TcpListener;
use tokio::sync::{mpsc, watch};
use tokio::task::JoinHandle;
use uuid::Uuid;

use crate::stub::{self, json, serve};

mod adding;
mod browsing;
mod drafts;
mod import;
mod profiles;
mod requests;

/// How long a test waits for what it expects.
const PATIENCE: Duration = Duration::from_secs(60);

/// A screen that tells after each frame what is on it.
struct Shown {
    inner: TestBackend,
    screen: watch::Sender<String>,
}

impl Backend for Shown {
    type Error = Infallible;

    fn draw<'a, I: Iterator<Item = (u16, u16, &'a Cell)>>(&mut self, content: I) -> Result<(), Infallible> {
        self.inner.draw(content)
    }
    fn hide_cursor(&mut self) -> Result<(), Infallible> {
        self.inner.hide_cursor()
    }
    fn show_cursor(&mut self) -> Result<(), Infallible> {
        self.inner.show_cursor()
    }
    fn get_cursor_position(&mut self) -> Result<Position, Infallible> {
        self.inner.get_cursor_position()
    }
    fn set_cursor_position<P: Into<Position>>(&mut self, position: P) -> Result<(), Infallible> {
        self.inner.set_cursor_position(position)
    }
    fn clear(&mut self) -> Result<(), Infallible> {
        self.inner.clear()
    }
    fn clear_region(&mut self, region: ClearType) -> Result<(), Infallible> {
        self.inner.clear_region(region)
    }
    fn size(&self) -> Result<CellSize, Infallible> {
        self.inner.size()
    }
    fn window_size(&mut self) -> Result<WindowSize, Infallible> {
        self.inner.window_size()
    }
    fn flush(&mut self) -> Result<(), Infallible> {
        self.inner.flush()?;
        self.screen.send_replace(self.inner.to_string());
        Ok(())
    }
}

/// The app on such a screen.
struct App {
    keys: mpsc::Sender<Msg>,
    screen: watch::Receiver<String>,
    ended: JoinHandle<Result<AppState, LoopError>>,
    _signals: mpsc::Sender<Msg>,
}

fn remote(base_url: &str, key: &str) -> Service {
    let key = Some(ApiKey::new(key).unwrap());
    Service::Remote(Remote { base_url: base_url.parse().unwrap(), key, key_origin: KeyOrigin::Typed, ca_file: None })
}

/// What the domains panel works with, where a test is not about it.
fn no_domains() -> (DomainSetup, Arc<DomainService>) {
    let settings = DomainSettings { resolvers: Vec::new(), ..DomainSettings::new(Expectation::default(), Vec::new()) };
    (
        DomainSetup::default(),
        Arc::new(DomainService::new(
            RegistryFile::new("/nonexistent/domains.json"),
            "/nonexistent/config.toml".into(),
            settings,
        )),
    )
}

/// The hands of an app that writes nothing but what it is told to.
fn context(domains_context: Arc<DomainService>) -> WorkerContext {
    let services = services(|_| Err(Failure::NotStarted { why: "this test has no service".into() }));
    WorkerContext {
        domains_context,
        copying: vec![ClipboardBackend::Terminal],
        home: None,
        config: Err("not here"),
        kept: None,
        pasted: None,
        drafts: None,
        queues: Arc::default(),
        services,
        over_ssh: false,
    }
}

/// What it takes to change services, where there is no configuration.
fn services(connect: impl Fn(Settings) -> Result<Client, Failure> + Send + Sync + 'static) -> Arc<Services> {
    let connect: Connect = Arc::new(move |settings| Box::pin(std::future::ready(connect(settings))));
    Arc::new(Services { connect, choices: Choices::default(), env: Env::default() })
}

/// The settings of a session with this service.
fn settings(service: Service) -> Settings {
    Settings {
        name: "test".into(),
        label: "test".into(),
        accent: Accent::None,
        protect: false,
        read_only: false,
        ssh: None,
        service,
        config: File { ui: Ui { link: LinkSpeed::Fast, ..Ui::default() }, ..File::default() },
        categories: Arc::default(),
        ascii: true,
        accessible: false,
        origins: Vec::new(),
    }
}

impl App {
    fn open(base_url: &str, key: &str, timeouts: Timeouts) -> Self {
        Self::open_with(base_url, key, timeouts, no_domains(), clock::now)
    }

    fn open_with(
        base_url: &str,
        key: &str,
        timeouts: Timeouts,
        domains: (DomainSetup, Arc<DomainService>),
        clock: fn() -> Now,
    ) -> Self {
        install_tls_provider();
        let client = Client::new(base_url.parse().unwrap(), Some(ApiKey::new(key).unwrap()), timeouts).unwrap();
        let (setup, domains_context) = domains;
        Self::start(remote(base_url, key), client, setup, context(domains_context), clock)
    }

    fn start(service: Service, client: Client, setup: DomainSetup, context: WorkerContext, clock: fn() -> Now) -> Self {
        Self::start_with(service, client, setup, context, clock, |_| {})
    }

    fn start_with(
        service: Service,
        client: Client,
        setup: DomainSetup,
        context: WorkerContext,
        clock: fn() -> Now,
        prepare: impl FnOnce(&mut AppState),
    ) -> Self {
        let settings = settings(service);
        let services = services(move |_| Ok(client.clone()));
        Self::run_with(settings, setup, WorkerContext { services, ..context }, clock, prepare)
    }

    /// The app with these settings.
    fn run(settings: Settings, setup: DomainSetup, context: WorkerContext, clock: fn() -> Now) -> Self {
        Self::run_with(settings, setup, context, clock, |_| {})
    }

    fn run_with(
        settings: Settings,
        setup: DomainSetup,
        context: WorkerContext,
        clock: fn() -> Now,
        prepare: impl FnOnce(&mut AppState),
    ) -> Self {
        let mut state =
            AppState::new(&settings, setup, Size { columns: 80, rows: 24 }, IdempotencyKeys::new(Uuid::new_v4()));
        if let (Some(files), Some(identity)) = (&context.drafts, &state.link.identity) {
            let opened = petstore::tui::drafts::Drafts::open(files, identity);
            petstore::tui::drafts::on_opened(&mut state, opened);
        }
        prepare(&mut state);
        let look = Appearance {
            ascii: true,
            theme: Theme::built_in("default"),
            depth: Depth::TrueColour,
            zone: TimeZone::UTC,
        };
        let (screen_sender, screen) = watch::channel(String::new());
        let (keys, events) = mpsc::channel(10_000);
        let (signals, asked) = mpsc::channel(1);
        let ended = tokio::spawn(async move {
            let backend = Shown { inner: TestBackend::new(80, 24), screen: screen_sender };
            let mut terminal = Terminal::new(backend).unwrap();
            let (worker, worker_ended) = worker::spawn(Some(settings), Arc::new(context));
            let wires = LoopIo {
                input: events,
                worker,
                signals: asked,
                tell: Box::new(|_| Ok(())),
                traffic: watch::channel(Traffic::default()).1,
                pacing: Pacing::new(LinkSpeed::Fast),
                clock,
            };
            let run = event_loop::run(&mut terminal, &mut state, &look, wires).await;
            worker_ended.await.unwrap();
            run.map(|()| state)
        });
        Self { keys, screen, ended, _signals: signals }
    }

    /// Presses keys by name; a word in quotes is typed.
    fn press(&self, keys: &str) {
        for word in keys.split(' ') {
            let key = match word {
                "Enter" => Key::Enter,
                "Esc" => Key::Esc,
                "Tab" => Key::Tab,
                "Down" => Key::Down,
                "Right" => Key::Right,
                "Left" => Key::Left,
                "Home" => Key::Home,
                "End" => Key::End,
                "BS" => Key::Backspace,
                "F2" => Key::F(2),
                "F4" => Key::F(4),
                "F5" => Key::F(5),
                "F6" => Key::F(6),
                "F7" => Key::F(7),
                "F8" => Key::F(8),
                "Space" => Key::Char(' '),
                word if word.starts_with("C-") => {
                    let key = Key::Char(word.chars().last().unwrap());
                    self.event(Msg::Key(KeyPress { ctrl: true, ..key.into() }));
                    continue;
                }
                word if word.len() == 1 => Key::Char(word.chars().next().unwrap()),
                word => {
                    for c in word.trim_matches('"').chars() {
                        self.key(Key::Char(c));
                    }
                    continue;
                }
            };
            self.key(key);
        }
    }

    fn event(&self, event: Msg) {
        self.keys.try_send(event).unwrap();
    }

    fn key(&self, key: Key) {
        self.event(Msg::Key(key.into()));
    }

    /// Waits until the screen says all of this.
    #[track_caller]
    fn shows<'a>(&'a mut self, wanted: &'a [&'a str]) -> impl Future<Output = String> + 'a {
        let caller = std::panic::Location::caller();
        async move {
            let has = |screen: &String| wanted.iter().all(|text| screen.contains(text));
            let seen = tokio::time::timeout(PATIENCE, self.screen.wait_for(has)).await;
            let seen = seen.ok().and_then(Result::ok).map(|screen| screen.clone());
            seen.unwrap_or_else(|| panic!("{caller}: {wanted:?} not on screen:\n{}", *self.screen.borrow()))
        }
    }

    async fn quit(self) -> AppState {
        self.key(Key::Char('q'));
        tokio::time::timeout(PATIENCE, self.ended).await.unwrap().unwrap().unwrap()
    }
}

/// The real service on a real file.
struct Real {
    server: ServerHandle,
    key: String,
    store: Store,
    _directory: TempDir,
}

impl Real {
    async fn with_samples(count: usize) -> Self {
        let directory = tempfile::tempdir().unwrap();
        let store = Store::open(&DatabaseUrl::Sqlite(directory.path().join("store.db"))).await.unwrap();
        store.insert_samples(count, clock::now()).await.unwrap();
        let new = NewKey { name: "flow".into(), scopes: Scopes::default(), expires_at: None };
        let key = store.create_key(new, "flow", clock::now()).await.unwrap().1.expose_secret().to_owned();
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let server = server::start(server::Config::default(), store.clone(), vec![listener]).unwrap();
        Self { server, key, store, _directory: directory }
    }

    fn open(&self) -> App {
        App::open(&self.server.base_url(), &self.key, Timeouts::default())
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn browse_filter_limit_page_open_add_be_refused_correct_add() {
    let real = Real::with_samples(250).await;
    let mut app = real.open();
    app.shows(&["> 1 ", "Rex", "Row 1 of 250. No more rows.", "available 175", "pending 50", "sold 25", "All 250"])
        .await;

    app.press("Right Right");
    app.shows(&["[~ pending 50]", "> 2 ", "Mr. Whiskers", "Row 1 of 50."]).await;
    app.press("0 L \"7\" Enter");
    app.shows(&["[All 250]", "limit 7 (max 100)", "Row 1 of 250."]).await;
    app.press("End k");
    app.shows(&["Row 249 of 250.", "> 249 "]).await;
    app.press("# \"8\" Enter");
    app.shows(&["Pet 8 ", "Category   "]).await;

    app.press("a \"Biscuit\" Tab \"3rd\" F2");
    app.shows(&["\"3rd\" is not a number.", "Fix 1 field first. Nothing was sent."]).await;
    app.press("\"3\" F2");
    app.shows(&["Added Biscuit, id 251."]).await;
    app.press("\"Mochi\" Tab Tab Down Down F2");
    app.shows(&["Added Mochi, id 252."]).await;
    app.press("Esc");
    app.shows(&["x sold 26"]).await;

    let state = app.quit().await;
    assert_eq!(state.added, [251, 252]);
    let stored = real.store.get(252).await.unwrap().unwrap();
    assert_eq!((stored.name.as_str(), stored.category_id), ("Mochi", 3));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn more_keys_at_once_than_a_frame_waits_for_all_arrive() {
    let real = Real::with_samples(1).await;
    let mut app = real.open();
    app.shows(&["> 1 "]).await;
    app.press("a");
    app.shows(&["> Name"]).await;
    let name: String = ('a'..='z').cycle().take(1_000).collect();
    app.press(&format!("\"{name}\" Esc"));
    app.shows(&["[1 Pets]"]).await;
    let state = app.quit().await;
    assert_eq!(state.add.draft().name, name);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_empty_store_says_what_to_do_and_takes_samples() {
    let real = Real::with_samples(0).await;
    let mut app = real.open();
    app.shows(&["No pets yet.", "add the first one", "[All 0]"]).await;
    app.press("S");
    app.shows(&["Add 25 samples to"]).await;
    // Keys that were under way when the box opened are no answer.
    let answered = |screen: &String| !screen.contains("Add 25 samples to");
    while tokio::time::timeout(Duration::from_millis(20), app.screen.wait_for(answered)).await.is_err() {
        app.press("y");
    }
    app.shows(&["25 samples added.", "[All 25]"]).await;
    app.quit().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_wrong_key_is_asked_for_and_the_right_one_goes_on() {
    let real = Real::with_samples(5).await;
    let mut app = App::open(&real.server.base_url(), "petk_a_wrong_key_0123456789", Timeouts::default());
    app.shows(&["The service needs another API key", "ends in 6789"]).await;
    // The box takes no keys that were under way when it opened.
    tokio::time::timeout(PATIENCE, async {
        while !app.screen.borrow().contains("****") {
            app.press("*");
            let _ = tokio::time::timeout(Duration::from_millis(20), app.screen.changed()).await;
        }
    })
    .await
    .unwrap();
    for _ in 0..64 {
        app.press("BS");
    }
    app.event(Msg::Paste(format!("Bearer {}\n", real.key)));
    app.press("Enter");
    let screen = app.shows(&["Key accepted.", "Rex", "[All 5]"]).await;
    assert!(!screen.contains(&real.key));
    app.quit().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_lost_service_leaves_the_rows_and_comes_back() {
    let Real { server, key, store, _directory } = Real::with_samples(5).await;
    let address = server.local_addr();
    let mut app = App::open(&server.base_url(), &key, Timeouts::default());
    app.shows(&["Row 1 of 5. No more rows."]).await;
    server.shutdown().await;
    app.press("r");
    app.shows(&["OFFLINE", "No connection to 127.0.0.1", "Retry in 0:0", "Rex"]).await;
    app.press("Down");
    app.shows(&["Row 2 of 5."]).await;
    let listener = TcpListener::bind(address).await.unwrap();
    let _server = server::start(server::Config::default(), store, vec![listener]).unwrap();
    app.shows(&["answers again.", "| ok, "]).await;
    app.quit().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_refusal_of_a_service_is_shown_at_its_field_and_corrected() {
    let strict = serve(|_, request, mut socket| async move {
        use tokio::io::AsyncWriteExt as _;
        let answer = match () {
            () if request.starts_with("GET") => json("200 OK", "[]"),
            () if request.contains("\"categoryId\":9") => {
                let body = r#"{"code":"INVALID_CATEGORY","message":"categoryId 9 does not exist","status":400}"#;
                json("400 Bad Request", body)
            }
            () => json("201 Created", r#"{"id":77,"name":"Biscuit","categoryId":3}"#),
        };
        let _ = socket.write_all(&answer).await;
    })
    .await;
    let mut app = App::open(&strict.base_url, "petk_0123456789abcdef77d0", Timeouts::default());
    app.shows(&["No pets yet."]).await;
    app.press("a \"Biscuit\" Tab \"9\" F2");
    app.shows(&["Biscuit was refused: ", "\"categoryId 9 does not exist\"", "refused (400)"]).await;
    app.press("F6 Enter");
    app.shows(&["> Category *   [9"]).await;
    app.press("\"3\" F2");
    app.shows(&["Added Biscuit, id 77."]).await;
    app.press("Esc");
    app.quit().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_add_without_an_answer_is_looked_for_and_never_repeated() {
    use std::sync::atomic::{AtomicUsize, Ordering};
    let posts = Arc::new(AtomicUsize::new(0));
    let counted = Arc::clone(&posts);
    let mute = serve(move |_, request, mut socket| {
        let posts = Arc::clone(&counted);
        async move {
            use tokio::io::AsyncWriteExt as _;
            if request.starts_with("POST") {
                posts.fetch_add(1, Ordering::SeqCst);
                std::future::pending::<()>().await;
            }
            let there = posts.load(Ordering::SeqCst) > 0;
            let body = if there { r#"[{"id":77,"name":"Biscuit","categoryId":3}]"# } else { "[]" };
            let _ = socket.write_all(&json("200 OK", body)).await;
        }
    })
    .await;
    let mut app = App::open(&mute.base_url, "petk_0123456789abcdef77d0", stub::impatient());
    app.shows(&["No pets yet."]).await;
    app.press("a \"Biscuit\" Tab \"3\" F2");
    app.shows(&["No answer for Biscuit; it may have been added. F6, then Enter searches for it."]).await;
    app.press("F6 Enter");
    app.shows(&["Pet 77 has this name and category."]).await;
    app.press("Enter");
    app.shows(&["Biscuit is pet 77."]).await;
    assert_eq!(posts.load(Ordering::SeqCst), 1);
    app.press("Esc Esc");
    app.quit().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_answer_that_got_lost_is_asked_for_again_and_the_pet_is_there_once() {
    let real = Real::with_samples(0).await;
    let lossy = stub::losing_answers(real.server.local_addr(), 1).await;
    let mut app = App::open(&lossy.base_url, &real.key, Timeouts::default());
    app.shows(&["No pets yet."]).await;
    app.press("a \"Biscuit\" Tab \"3\" F2");
    app.shows(&["Added Biscuit, id 1."]).await;
    app.press("\"Mochi\" F2");
    app.shows(&["Added Mochi, id 2."]).await;
    app.press("Esc");
    app.shows(&["[All 2]"]).await;
    app.quit().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn after_a_time_limit_it_is_sent_again_with_its_key() {
    use tokio::io::AsyncWriteExt as _;
    let keys = Arc::new(Mutex::new(Vec::new()));
    let seen = Arc::clone(&keys);
    let slow = serve(move |_, request, mut socket| {
        let keys = Arc::clone(&seen);
        async move {
            let mut answer = json("200 OK", "[]");
            if request.starts_with("POST") {
                let key = stub::header(&request, "idempotency-key").unwrap().to_owned();
                keys.lock().unwrap().push(key);
                if keys.lock().unwrap().len() == 1 {
                    std::future::pending::<()>().await;
                }
                answer = json("201 Created", r#"{"id":77,"name":"Biscuit","categoryId":3}"#);
            }
            let text = String::from_utf8(answer).unwrap();
            let text = text.replacen("\r\n", "\r\nidempotency-key-retention: 86400\r\n", 1);
            let _ = socket.write_all(text.as_bytes()).await;
        }
    })
    .await;
    let mut app = App::open(&slow.base_url, "petk_0123456789abcdef77d0", stub::impatient());
    app.shows(&["No pets yet."]).await;
    app.press("a \"Biscuit\" Tab \"3\" F2");
    app.shows(&["Added Biscuit, id 77."]).await;
    let keys = keys.lock().unwrap().clone();
    assert_eq!((keys.len(), &keys[0]), (2, &keys[1]));
    app.press("Esc");
    app.quit().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn q_ends_the_app_while_a_request_hangs() {
    let silent = serve(|_, _, socket| async move {
        std::future::pending::<()>().await;
        drop(socket);
    })
    .await;
    let mut app = App::open(&silent.base_url, "petk_0123456789abcdef77d0", Timeouts::default());
    app.shows(&["Loading pets from 127.0.0.1"]).await;
    let state = tokio::time::timeout(PATIENCE, app.quit()).await.unwrap();
    assert_eq!(state.quitting, Some(QuitReason::User));
}

/// The wall clock, eight times as fast: practice, which runs at sixty times the wall, gets through half an hour in four
/// seconds.
fn fast_clock() -> Now {
    static BEGIN: OnceLock<Now> = OnceLock::new();
    let now = clock::now();
    let begin = *BEGIN.get_or_init(|| now);
    Now { wall: begin.wall + now.wall.duration_since(begin.wall) * 8, ..now }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_sandbox_domain_goes_from_draft_to_live_to_removed() {
    let real = Real::with_samples(5).await;
    let sandbox = Sandbox::new(fast_clock().wall);
    let domains_context = Arc::new(DomainService::sandbox(&sandbox));
    let configuration = sandbox.configuration();
    let setup = DomainSetup { sandbox: Some(sandbox), configuration, ..DomainSetup::default() };
    let mut app =
        App::open_with(&real.server.base_url(), &real.key, Timeouts::default(), (setup, domains_context), fast_clock);
    app.shows(&["[All 5]"]).await;
    app.press("3");
    app.shows(&["SANDBOX", "help.acme-pets.com", "FAIL", "www.acme-pets.com", "OK    live"]).await;

    // The wizard: what must be so, the name out of an address, the value of the dashboard.
    app.press("a \"https://docs.acme-cats.com/guide\"");
    app.shows(&[
        "Before you start: a paid plan",
        "the domain is docs.acme-cats.com",
        "subdomain \"docs\" of acme-cats.com",
    ])
    .await;
    app.press("Tab C-o");
    app.shows(&["> dashboard add docs.acme-cats.com; the value: sites.petplatform.net"]).await;
    app.press("Enter \"sites.petplatform.net\" F2");

    // The record, and what is in its way.
    app.shows(&["Type    CNAME", "Name    docs", "Value   sites.petplatform.net", "has A 203.0.113.2"]).await;
    app.press("o");
    app.shows(&["> provider  delete A 203.0.113.2 at docs.acme-cats.com"]).await;
    app.press("Enter o");
    app.shows(&["> provider  add CNAME docs.acme-cats.com -> sites.petplatform.net"]).await;
    app.press("Enter");

    // It is seen, and CAA forbids the platform's CA.
    app.shows(&["FAIL CAA forbids the platform's CA", "add a CAA record at acme-cats.com"]).await;
    app.press("o");
    app.shows(&["> provider  add CAA 0 issue \"letsencrypt.org\""]).await;
    app.press("Enter");
    app.shows(&["WAIT propagating", "A 203.0.113.2", "WAIT until"]).await;

    // Caches forget, without a key.
    app.shows(&["YOU ready to verify", "Choose Verify in the dashboard, then press V."]).await;
    app.press("o");
    app.shows(&["> dashboard choose Verify for docs.acme-cats.com"]).await;
    app.press("Enter V");
    app.shows(&["WAIT certificate", "Verify chosen"]).await;

    // The certificate is late: rule 2.
    app.shows(&["FAIL no certificate", "t: three checks"]).await;
    app.press("t");
    app.shows(&["[2 Certificate]", "No certificate after 30 minutes", "yours to do", "Nothing blocks the certificate"])
        .await;
    app.press("o");
    app.shows(&["> dashboard choose Re-verify for docs.acme-cats.com"]).await;
    app.press("Enter V Esc");
    app.shows(&["OK live", "days left"]).await;

    // The redirect that loops.
    app.press("Esc R Down");
    app.shows(&["> help.acme-pets.com", "The redirect loo", "FAIL  https://help.acme-pets.com/"]).await;
    app.press("o");
    app.shows(&["redirect help.acme-pets.com to www.acme-pets.com"]).await;
    app.press("Enter");
    app.shows(&["> help.acme-pets.com", "OK    The redirect is"]).await;

    // Out again: the redirect first, then Remove, then the record.
    app.press("Esc U");
    app.shows(&["Remove docs.acme-cats.com", "1 [ ] A redirect to another domain"]).await;
    app.press("o");
    app.shows(&["> dashboard redirect docs.acme-cats.com to www.acme-pets.com"]).await;
    app.press("Enter");
    app.shows(&["1 [x] A redirect to another domain is set and works"]).await;
    app.press("Space");
    app.shows(&["[ Call it off ]"]).await;
    app.press("o");
    app.shows(&["> dashboard choose Remove for docs.acme-cats.com"]).await;
    app.press("Enter");
    app.shows(&["3 [x] In the dashboard", "still there: anyone who adds this name"]).await;
    app.press("o");
    app.shows(&["> provider  delete CNAME docs.acme-cats.com"]).await;
    app.press("Enter");
    app.shows(&["4 [x] At your DNS provider delete CNAME", "nothing points to the platform"]).await;
    app.press("Tab \"docs.acme-cats.com\" Enter");
    app.shows(&["2 fine."]).await;
    app.quit().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_is_reported_is_on_disk() {
    let real = Real::with_samples(5).await;
    let directory = tempfile::tempdir().unwrap();
    let (list, config) = (directory.path().join("domains.json"), directory.path().join("config.toml"));
    // Nobody answers there, so that every check ends by itself and knows nothing.
    let nobody = std::net::UdpSocket::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    let settings = DomainSettings {
        resolvers: vec![petstore::domains::check_options::resolver(nobody)],
        ..DomainSettings::new(Expectation::default(), Vec::new())
    };
    let domains_context = Arc::new(DomainService::new(RegistryFile::new(&list), config, settings));
    let domains = (DomainSetup::default(), Arc::clone(&domains_context));
    let mut app = App::open_with(&real.server.base_url(), &real.key, Timeouts::default(), domains, clock::now);
    app.press("3");
    app.shows(&["No domains yet."]).await;
    app.press("a \"docs.acme-pets.com\" Tab \"sites.petplatform.net\" F2");
    app.shows(&["Type    CNAME"]).await;
    app.press("s");
    app.shows(&["Record saved "]).await;
    app.press("Esc");
    let state = app.quit().await;
    // What was not written yet is written on the way out.
    domains_context.apply(&state.domains.changes).unwrap();

    let reported = RegistryFile::new(&list).read().unwrap().domains[0].reported();
    assert!(reported.saved.is_some() && reported.value.is_some());
}
