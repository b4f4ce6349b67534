//! Keys into the real loop, against the real service: what a person does, from the first row to the last message.

use crate::prelude::*;

use std::convert::Infallible;
use std::future::Future;

use jiff::tz::TimeZone;
use petstore::app::clipboard::ClipboardBackend;
use petstore::app::connections::{Connect, Services};
use petstore::app::domain_service::DomainSetup;
use petstore::config::file::{File, Ui};
use petstore::config::{Accent, Choices, Depth, Env, KeyOrigin, LinkSpeed, Remote, Service, Settings};
use petstore::domains::check_options::CheckOptions as DomainSettings;
use petstore::domains::registry::RegistryFile;
use petstore::server::ServerHandle;
use petstore::tui::event_loop::{self, LoopError, LoopIo};
use petstore::tui::frame_pacer::Pacing;
use petstore::tui::msg::{Key, KeyPress, Msg, Size};
use petstore::tui::state::App;
use petstore::tui::terminal::writer_thread::Traffic;
use petstore::tui::theme::{Appearance, Theme};
use petstore::tui::worker::{self, WorkerContext};
use ratatui::Terminal;
use ratatui::backend::{Backend, ClearType, TestBackend, WindowSize};
use ratatui::buffer::Cell;
use ratatui::layout::{Position, Size as CellSize};
use tokio::task::JoinHandle;

use crate::stub;

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
struct TestApp {
    keys: mpsc::Sender<Msg>,
    screen: watch::Receiver<String>,
    ended: JoinHandle<Result<App, LoopError>>,
    _signals: mpsc::Sender<Msg>,
}

fn remote(base_url: &str, key: &str) -> Service {
    let key = Some(ApiKey::new(key).unwrap());
    Service::Remote(Remote { base_url: base_url.parse().unwrap(), key, key_origin: KeyOrigin::Typed, ca_file: None })
}

/// A client with this key.
fn client(base_url: &str, key: &str, timeouts: Timeouts) -> Client {
    install_tls_provider();
    Client::new(base_url.parse().unwrap(), Some(ApiKey::new(key).unwrap()), timeouts).unwrap()
}

/// What the domains panel works with, where a test is not about it.
fn no_domains() -> Arc<DomainService> {
    let settings = DomainSettings { resolvers: Vec::new(), ..DomainSettings::new(Expectation::default(), Vec::new()) };
    let list = RegistryFile::new("/nonexistent/domains.json");
    Arc::new(DomainService::new(list, "/nonexistent/config.toml".into(), settings))
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

impl TestApp {
    fn open(base_url: &str, key: &str, timeouts: Timeouts) -> Self {
        let client = client(base_url, key, timeouts);
        Self::start(remote(base_url, key), client, DomainSetup::default(), context(no_domains()))
    }

    fn start(service: Service, client: Client, setup: DomainSetup, context: WorkerContext) -> Self {
        Self::start_with(service, client, setup, context, |_| {})
    }

    fn start_with(
        service: Service,
        client: Client,
        setup: DomainSetup,
        context: WorkerContext,
        prepare: impl FnOnce(&mut App),
    ) -> Self {
        let services = services(move |_| Ok(client.clone()));
        Self::run(settings(service), setup, WorkerContext { services, ..context }, prepare)
    }

    /// The app with these settings.
    fn run(settings: Settings, setup: DomainSetup, context: WorkerContext, prepare: impl FnOnce(&mut App)) -> Self {
        let mut state =
            App::new(&settings, setup, Size { columns: 80, rows: 24 }, IdempotencyKeys::new(Uuid::new_v4()));
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
                clock: clock::now,
            };
            let run = event_loop::run(&mut terminal, &mut state, &look, wires).await;
            worker_ended.await.unwrap();
            run.map(|()| state)
        });
        Self { keys, screen, ended, _signals: signals }
    }

    /// Presses keys by name; a word in quotes is typed.
    fn press(&mut self, keys: &str) -> &mut Self {
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
        self
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
            let seen = timeout(PATIENCE, self.screen.wait_for(has)).await;
            let seen = seen.ok().and_then(Result::ok).map(|screen| screen.clone());
            seen.unwrap_or_else(|| panic!("{caller}: {wanted:?} not on screen:\n{}", *self.screen.borrow()))
        }
    }

    async fn quit(self) -> App {
        self.key(Key::Char('q'));
        timeout(PATIENCE, self.ended).await.unwrap().unwrap().unwrap()
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
        let server = server::start(Config::default(), store.clone(), vec![listener]).unwrap();
        Self { server, key, store, _directory: directory }
    }

    fn client(&self) -> Client {
        client(&self.server.base_url(), &self.key, Timeouts::default())
    }

    fn open(&self) -> TestApp {
        self.open_in(context(no_domains()))
    }

    fn open_in(&self, context: WorkerContext) -> TestApp {
        TestApp::start(remote(&self.server.base_url(), &self.key), self.client(), DomainSetup::default(), context)
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn browse_filter_limit_page_open_add_be_refused_correct_add() {
    let real = Real::with_samples(250).await;
    let mut app = real.open();
    app.shows(&["> 1 ", "Rex", "Row 1 of 250. No more rows.", "available 175", "pending 50", "sold 25", "All 250"])
        .await;

    app.press("Right Right").shows(&["[~ pending 50]", "> 2 ", "Mr. Whiskers", "Row 1 of 50."]).await;
    app.press("0 L \"7\" Enter").shows(&["[All 250]", "limit 7 (max 100)", "Row 1 of 250."]).await;
    app.press("End k").shows(&["Row 249 of 250.", "> 249 "]).await;
    app.press("# \"8\" Enter").shows(&["Pet 8 ", "Category   "]).await;

    app.press("a \"Biscuit\" Tab \"3rd\" F2");
    app.shows(&["\"3rd\" is not a number.", "Fix 1 field first. Nothing was sent."]).await;
    app.press("\"3\" F2").shows(&["Added Biscuit, id 251."]).await;
    app.press("\"Mochi\" Tab Tab Down Down F2").shows(&["Added Mochi, id 252."]).await;
    app.press("Esc").shows(&["x sold 26"]).await;

    let state = app.quit().await;
    assert_eq!(state.added, [251, 252]);
    let stored = real.store.get(252).await.unwrap().unwrap();
    assert_eq!((stored.name.as_str(), stored.category_id), ("Mochi", 3));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_empty_store_says_what_to_do_and_takes_samples() {
    let real = Real::with_samples(0).await;
    let mut app = real.open();
    app.shows(&["No pets yet.", "add the first one", "[All 0]"]).await;
    app.press("S").shows(&["Add 25 samples to"]).await;
    // Keys that were under way when the box opened are no answer.
    let answered = |screen: &String| !screen.contains("Add 25 samples to");
    while timeout(Duration::from_millis(20), app.screen.wait_for(answered)).await.is_err() {
        app.press("y");
    }
    app.shows(&["25 samples added.", "[All 25]"]).await;
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
    let mut app = real.open_in(context(Arc::clone(&domains_context)));
    app.press("3").shows(&["No domains yet."]).await;
    app.press("a \"docs.acme-pets.com\" Tab \"sites.petplatform.net\" F2").shows(&["Type    CNAME"]).await;
    app.press("s").shows(&["Record saved "]).await;
    app.press("Esc");
    let state = app.quit().await;
    // What was not written yet is written on the way out.
    domains_context.apply(&state.domains.changes).unwrap();

    let reported = RegistryFile::new(&list).read().unwrap().domains[0].reported();
    assert!(reported.saved.is_some() && reported.value.is_some());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_lost_service_leaves_the_rows_and_comes_back() {
    let Real { server, key, store, _directory } = Real::with_samples(5).await;
    let address = server.local_addr();
    let mut app = TestApp::open(&server.base_url(), &key, Timeouts::default());
    app.shows(&["Row 1 of 5. No more rows."]).await;
    server.shutdown().await;
    app.press("r");
    app.shows(&["OFFLINE", "No connection to 127.0.0.1", "Retry in 0:0", "Rex"]).await;
    app.press("Down");
    app.shows(&["Row 2 of 5."]).await;
    let listener = TcpListener::bind(address).await.unwrap();
    let _server = server::start(Config::default(), store, vec![listener]).unwrap();
    app.shows(&["answers again.", "| ok, "]).await;
    app.quit().await;
}
