//! The operations that are counted, as their users know them.

use std::any::Any;
use std::cell::Cell;
use std::hint::black_box;
use std::io;
use std::net::Ipv4Addr;
use std::ops::ControlFlow;
use std::rc::Rc;
use std::sync::Arc;
use std::time::Duration;

use jiff::tz::TimeZone;
use petstore::api::Offers;
use petstore::api::inventory::Coverage;
use petstore::api::list::{List, ListAnswer};
use petstore::app::domain_service::DomainSetup;
use petstore::app::inventory::search::{Query, Search, fitting};
use petstore::clock::{self, Now};
use petstore::config::file::{File, Pets, Ui};
use petstore::config::{Accent, Depth, LinkSpeed, Service, Settings};
use petstore::model::sample;
use petstore::model::{Categories, IdempotencyKeys, Limit, Pet, PetQuery};
use petstore::server::{self, Config, ServerHandle};
use petstore::store::Store;
use petstore::transfer::Input;
use petstore::transfer::column_mapping::ColumnMapping;
use petstore::transfer::rows;
use petstore::tui::effect::Effect;
use petstore::tui::event_loop::frame;
use petstore::tui::job::{Answered, Job, Outcome, Reply, Started};
use petstore::tui::msg::{Key, KeyPress, Msg, Size};
use petstore::tui::screens::pets::reading::ListPets;
use petstore::tui::screens::pets::reading::ReadInventory;
use petstore::tui::start::start;
use petstore::tui::state::App;
use petstore::tui::terminal::DiffBackend;
use petstore::tui::theme::{Appearance, Theme};
use petstore::tui::update::update;
use ratatui::Terminal;
use ratatui::layout::Size as CellSize;
use secrecy::ExposeSecret as _;
use tempfile::TempDir;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};
use uuid::Uuid;

use super::common::Counter;

/// What is done by its name.
pub struct Operation {
    pub name: &'static str,
    pub way: Way,
}

pub enum Way {
    /// Prepares it, and gives what does it once and tells the bytes that it wrote; how often it is counted.
    Inside(fn() -> Box<dyn FnMut() -> usize>, u64),
    /// The binary, from its start to its end, with these arguments and variables.
    Program(&'static [&'static str], &'static [(&'static str, &'static str)]),
}

const fn inside(name: &'static str, prepare: fn() -> Box<dyn FnMut() -> usize>) -> Operation {
    Operation { name, way: Way::Inside(prepare, 30) }
}

/// Its threads do not take turns in the same order each time, which many requests even out.
const fn served(name: &'static str, prepare: fn() -> Box<dyn FnMut() -> usize>) -> Operation {
    Operation { name, way: Way::Inside(prepare, 1_000) }
}

const fn program(
    name: &'static str,
    words: &'static [&'static str],
    variables: &'static [(&'static str, &'static str)],
) -> Operation {
    Operation { name, way: Way::Program(words, variables) }
}

const COMPLETE: &[(&str, &str)] = &[("PETSTORE_COMPLETE", "fish")];

pub const OPERATIONS: &[Operation] = &[
    inside("cursor down and up, 80x24", || keys((80, 24), &[], &[Key::Down, Key::Up])),
    inside("cursor down and up, 120x40", || keys((120, 40), &[], &[Key::Down, Key::Up])),
    inside("cursor down and up, 200x60", || keys((200, 60), &[], &[Key::Down, Key::Up])),
    inside("cursor down and up, 300x100", || keys((300, 100), &[], &[Key::Down, Key::Up])),
    inside("page down and up, 120x40", || keys((120, 40), &[], &[Key::PageDown, Key::PageUp])),
    inside("the next tab, 80x24", || keys((80, 24), &[], &[Key::Right])),
    inside("help and back, 80x24", || keys((80, 24), &[], &[Key::Char('?'), Key::Esc])),
    inside("a letter of a search and its removal, 80x24", || {
        keys((80, 24), &[Key::Char('/'), Key::Char('r')], &[Key::Char('e'), Key::Backspace])
    }),
    inside("a letter of a name and its removal, 80x24", || {
        keys((80, 24), &[Key::Char('a'), Key::Char('R')], &[Key::Char('e'), Key::Backspace])
    }),
    inside("from the settings to rows, 80x24", || first_screen((80, 24))),
    inside("from the settings to rows, 120x40", || first_screen((120, 40))),
    inside("from the settings to rows, 200x60", || first_screen((200, 60))),
    served("the service: a list of 20", || request("GET", "/v1/pets?limit=20", "", "")),
    served("the service: a list of 20 of a status", || request("GET", "/v1/pets?limit=20&status=sold", "", "")),
    served("the service: one pet", || request("GET", "/v1/pets/77", "", "")),
    served("the service: an add", || {
        let body = r#"{"name":"Rex","categoryId":1}"#;
        request("POST", "/v1/pets", "content-type: application/json\r\ncontent-length: 29\r\n", body)
    }),
    inside("a search of 10,000 pets", search),
    inside("1,000 rows of CSV", csv),
    program("petstore --version", &["--version"], &[]),
    program("a Tab of completion", &["--", "petstore", "pets", "li"], COMPLETE),
];

/// How many pets there are.
const PETS: usize = 1000;

fn pets() -> Vec<Pet> {
    let pet = |at: usize| {
        let new = sample(at);
        Pet { id: at as i64 + 1, name: new.name, category_id: new.category_id, status: new.status.map(Into::into) }
    };
    (0..PETS).map(pet).collect()
}

type TellSize = Box<dyn Fn() -> io::Result<CellSize>>;

/// The app on a terminal that counts what it gets.
struct Screen {
    state: App,
    terminal: Terminal<DiffBackend<Counter, TellSize>>,
    appearance: Appearance,
    written: Rc<Cell<usize>>,
    pets: Arc<Vec<Pet>>,
    now: Now,
}

impl Screen {
    /// With rows on it.
    fn new((columns, rows): (u16, u16), pets: &Arc<Vec<Pet>>) -> Self {
        let now = clock::now();
        let (size, keys) = (Size { columns, rows }, IdempotencyKeys::new(Uuid::nil()));
        let mut state = App::new(&settings(), DomainSetup::default(), size, keys);
        let theme = Theme::built_in("default");
        let appearance = Appearance { ascii: false, theme, depth: Depth::TwoFiftySix, zone: TimeZone::UTC };
        start(&mut state, now);
        let effects = state.take_effects();
        let written = Rc::<Cell<usize>>::default();
        let size: TellSize = Box::new(move || Ok(CellSize::new(columns, rows)));
        let terminal = Terminal::new(DiffBackend::new(Counter(Rc::clone(&written)), size, false).unwrap()).unwrap();
        let mut screen = Self { state, terminal, appearance, written, pets: Arc::clone(pets), now };
        screen.answer(effects);
        screen.draw();
        screen
    }

    fn press(&mut self, key: Key) {
        let effects = update(&mut self.state, Msg::Key(KeyPress::from(key)), self.now);
        self.answer(effects);
        self.draw();
    }

    fn draw(&mut self) {
        frame(&mut self.terminal, &mut self.state, &self.appearance, self.now).unwrap();
    }

    /// Lists are answered at once, and nothing else.
    fn answer(&mut self, effects: Vec<Effect>) {
        for effect in effects {
            let Effect::Job(Started { id, job }) = effect else { continue };
            let job: Arc<dyn Any + Send + Sync> = job;
            let outcome: Box<dyn Outcome> = match job.downcast::<ListPets>() {
                Ok(job) => Box::new(Answered { answer: Ok(self.list(&job.query)), job, done: Job::done }),
                Err(job) => {
                    let Ok(job) = job.downcast::<ReadInventory>() else { continue };
                    let part = Reply::part(id, &job, self.pets.to_vec());
                    let effects = update(&mut self.state, Msg::Reply(part), self.now);
                    self.answer(effects);
                    Box::new(Answered { answer: Ok(Coverage::ALL), job, done: Job::done })
                }
            };
            let effects = update(&mut self.state, Msg::Reply(Reply::end(id, outcome)), self.now);
            self.answer(effects);
        }
    }

    fn list(&self, query: &PetQuery) -> ListAnswer {
        let wanted = query.status.map(Into::into);
        let pets = self.pets.iter().filter(|pet| wanted.is_none() || pet.status == wanted);
        let pets = pets.take(query.limit.get().into()).cloned().collect();
        let (list, took) = (Some(List::of(pets, None)), Duration::from_millis(12));
        ListAnswer { list, took, there: None, offers: Offers::default() }
    }
}

/// Each key is drawn before the next one.
fn keys(size: (u16, u16), before: &[Key], keys: &'static [Key]) -> Box<dyn FnMut() -> usize> {
    let mut screen = Screen::new(size, &Arc::new(pets()));
    before.iter().for_each(|key| screen.press(*key));
    Box::new(move || {
        screen.written.set(0);
        keys.iter().for_each(|key| screen.press(*key));
        screen.written.get()
    })
}

fn first_screen(size: (u16, u16)) -> Box<dyn FnMut() -> usize> {
    let pets = Arc::new(pets().into_iter().take(100).collect());
    Box::new(move || Screen::new(size, &pets).written.get())
}

fn settings() -> Settings {
    Settings {
        name: "demo".into(),
        label: "demo".into(),
        accent: Accent::None,
        protect: false,
        read_only: false,
        ssh: None,
        service: Service::Demo,
        config: File {
            pets: Pets { limit: Limit::MAX, ..Pets::default() },
            ui: Ui { link: LinkSpeed::Fast, ..Ui::default() },
            ..File::default()
        },
        categories: Arc::default(),
        ascii: false,
        accessible: false,
        origins: Vec::new(),
    }
}

/// The service on a kept connection, in the same thread as far as it can be.
fn request(method: &str, path: &str, headers: &str, body: &str) -> Box<dyn FnMut() -> usize> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let directory = tempfile::tempdir().unwrap();
    let url = format!("sqlite:{}", directory.path().join("store.db").display()).parse().unwrap();
    let (server, key) = runtime.block_on(async {
        let store = Store::open(&url).await.unwrap();
        store.insert_samples(PETS, clock::now()).await.unwrap();
        let key = store.session_key().unwrap().expose_secret().to_owned();
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await.unwrap();
        (server::start(Config::default(), store, vec![listener]).unwrap(), key)
    });
    let address = server.local_addr();
    let request =
        format!("{method} {path} HTTP/1.1\r\nhost: {address}\r\nauthorization: Bearer {key}\r\n{headers}\r\n{body}");
    let mut socket = runtime.block_on(TcpStream::connect(address)).unwrap();
    let mut buffer = [0; 16 * 1024];
    let kept: (ServerHandle, TempDir) = (server, directory);
    Box::new(move || {
        let _ = &kept;
        let got = runtime.block_on(async {
            socket.write_all(request.as_bytes()).await.unwrap();
            socket.read(&mut buffer).await.unwrap()
        });
        assert!(buffer.starts_with(b"HTTP/1.1 20"), "{}", String::from_utf8_lossy(&buffer[..got]));
        got
    })
}

fn search() -> Box<dyn FnMut() -> usize> {
    let pets: Vec<Pet> = (0..10).flat_map(|_| pets()).collect();
    let query = Query::parse("ell", &Categories::default());
    Box::new(move || {
        black_box(Search::default().best_first(&query, &pets, fitting(&query, &pets)));
        0
    })
}

fn csv() -> Box<dyn FnMut() -> usize> {
    let line = |pet: Pet| format!("{},{},available\n", pet.name, pet.category_id);
    let text: String =
        ["name,category_id,status\n".to_owned()].into_iter().chain(pets().into_iter().map(line)).collect();
    Box::new(move || {
        let input = Input::stream("rows.csv", io::Cursor::new(text.clone())).unwrap();
        let mut good = 0;
        rows::read(input, &ColumnMapping::default(), |row| {
            good += usize::from(row.is_ok());
            ControlFlow::Continue(())
        })
        .unwrap();
        assert_eq!(good, PETS);
        0
    })
}
