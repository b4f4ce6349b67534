//! Talks in plain lines, from the first question to the last: lines go in, and the whole transcript is compared.

mod domains;
mod files;
mod pets;

use crate::prelude::*;

use std::io::{Cursor, Write};

use petstore::app::domain_service::DomainSetup;
use petstore::config::{Choices, Env, Settings};
use petstore::dialogue::prompt::{Dialogue, Leave};
use petstore::dialogue::{DialogueSetup, Session};
use petstore::domains::check_options::CheckOptions as DomainSettings;
use petstore::domains::practice::Practice;
use petstore::domains::registry::RegistryFile;

use crate::service::fixture::Service;

/// The time in all talks; it stands still.
static NOW: LazyLock<Now> = LazyLock::new(|| Now { wall: "2026-11-21T12:00:00Z".parse().unwrap(), ..clock::now() });

/// What every talk begins with: [`Person::says`] gives "(the main menu)" for it, and `help_back_and_quit` has it as it is.
const MENU: &str = "1: browse pets\n2: search pets\n3: add pets\n4: find a pet by its id\n\
    5: sell, reserve or return a pet\n6: import a file of pets\n7: count pets\n8: export pets to a file\n\
    9: check a domain\n10: set up a domain, step by step\n11: quit\n";

/// Where a talk is written to.
#[derive(Clone, Default)]
struct Paper(Arc<Mutex<Vec<u8>>>);

impl Write for Paper {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        Write::write(&mut *self.0.lock().unwrap(), bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// Somebody at a keyboard, with a directory of their own.
struct Person {
    settings: Settings,
    setup: DialogueSetup,
    directory: TempDir,
    /// What is written otherwise than it comes, since it differs from run to run.
    masks: Vec<(String, &'static str)>,
    interrupt: mpsc::Sender<()>,
    interrupts: mpsc::Receiver<()>,
}

impl Person {
    /// At a service with this address and key; `config` is in the configuration file.
    fn at(base_url: &str, key: &str, timeouts: Timeouts, config: &str) -> Self {
        install_tls_provider();
        let directory = tempfile::tempdir().unwrap();
        let file = directory.path().join("config.toml");
        fs::write(&file, config.replace("ADDRESS", base_url)).unwrap();
        let home = directory.path().to_str().unwrap().to_owned();
        let env: Env = [("HOME", home.as_str()), ("PETSTORE_API_KEY", key)].into_iter().collect();
        let base_url_choice = config.is_empty().then(|| base_url.to_owned());
        let choices = Choices { config: Some(file), base_url: base_url_choice, ..Choices::default() };
        let settings = Settings::resolve(&choices, &env).unwrap();
        let key = ApiKey::new(key).unwrap();
        let client = Client::new(base_url.parse().unwrap(), Some(key), timeouts).unwrap();
        let nobody =
            DomainSettings { resolvers: Vec::new(), ..DomainSettings::new(Expectation::default(), Vec::new()) };
        let list = RegistryFile::new(directory.path().join("domains.json"));
        let domain_service = DomainService::new(list, directory.path().join("config.toml"), nobody);
        let host = base_url.split('/').nth(2).unwrap().to_owned();
        // Imports begin by the real clock, and the day may end meanwhile.
        let today = clock::now().wall.to_zoned(clock::time_zone());
        let days =
            [today.clone(), today.tomorrow().unwrap()].map(|day| (day.strftime("%Y-%m-%d").to_string(), "TODAY"));
        let masks = [(host, "HOST"), (home, "HOME")].into_iter().chain(days).collect();
        let home = Some(directory.path().to_owned());
        let setup = DialogueSetup {
            client,
            domains: DomainSetup::default(),
            domain_service,
            home,
            unfinished: None,
            queues: Queues::default(),
            clock: || *NOW,
        };
        let (interrupt, interrupts) = mpsc::channel(4);
        Self { settings, setup, directory, masks, interrupt, interrupts }
    }

    /// At the real service.
    fn of(service: &Service) -> Self {
        Self::at(&service.server.base_url(), service.key(), Timeouts::default(), "")
    }

    /// In practice of domains.
    fn practising(mut self, clock: fn() -> Now) -> Self {
        let practice = Practice::new(NOW.wall);
        self.setup.domain_service = DomainService::practice(&practice);
        self.setup.domains = DomainSetup { practice: Some(practice), ..DomainSetup::default() };
        self.setup.clock = clock;
        self
    }

    /// With a state directory, in which an earlier session may have left pets.
    fn keeping(mut self, state: &Path) -> Self {
        self.setup.queues = Queues::new(Some(Arc::new(Claims::new(state.to_owned()))));
        // Each session is at another port.
        self.settings.name = "shop".to_owned();
        if let petstore::config::Service::Remote(remote) = &mut self.settings.service {
            remote.base_url = "http://shop.example/v1".parse().unwrap();
        }
        self
    }

    /// Writes a file into the home directory.
    fn file(&self, name: &str, text: &str) {
        fs::write(self.directory.path().join(name), text).unwrap();
    }

    /// Says these lines one after another, until the end of them; gives the transcript, which must be plain.
    async fn says(self, lines: &[&str]) -> String {
        self.says_in_full(lines).await.replace(MENU, "(the main menu)\n")
    }

    async fn says_in_full(self, lines: &[&str]) -> String {
        let (leave, transcript) = self.talks(Cursor::new(said(lines))).await;
        assert!(matches!(leave, Leave::Quit | Leave::Back | Leave::Stopped), "{leave:?} {transcript}");
        transcript
    }

    async fn talks(self, lines: impl tokio::io::AsyncBufRead + Unpin + 'static) -> (Leave, String) {
        let Self { settings, setup, directory: _directory, masks, interrupt: _interrupt, interrupts } = self;
        let paper = Paper::default();
        let talk = Dialogue::new(lines, paper.clone(), interrupts, true);
        let leave = timeout(Duration::from_secs(60), Session::new(settings, setup, talk).run()).await;
        let text = String::from_utf8(paper.0.lock().unwrap().clone()).unwrap();
        is_plain(&text);
        let masked = masks.iter().fold(text, |text, (from, to)| text.replace(from, to));
        (leave.unwrap_or_else(|_| panic!("it does not end:\n{masked}")), masked)
    }
}

fn said(lines: &[&str]) -> Vec<u8> {
    lines.iter().flat_map(|line| format!("{line}\n").into_bytes()).collect()
}

/// No escape, no box, no long line; and each prompt ends as one.
#[track_caller]
fn is_plain(transcript: &str) {
    for line in transcript.lines() {
        assert!(line.chars().count() <= 200, "too long: {line}");
        for letter in line.chars() {
            assert!(!letter.is_control(), "a control character in {line:?}");
            assert!(!('\u{2500}'..='\u{259f}').contains(&letter), "a box in {line}");
        }
    }
}
