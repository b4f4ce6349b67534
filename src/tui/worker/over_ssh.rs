//! What a session over SSH cannot do, whatever is typed, pasted or chosen in it: a real worker has nothing of the server
//! to give, and changes nothing there.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::path::Path;
use std::sync::Arc;

use super::*;
use crate::api::client::install_tls_provider;
use crate::app::connections::tests::services;
use crate::config::SshSession;
use crate::transfer::preview::RowCounts;
use crate::transfer::{ColumnMapping, ImportOptions, ImportRun, ImportSource, Start};
use crate::tui::Place;
use crate::tui::command::Run;
use crate::tui::job::AnyJob;
use crate::tui::key::KeyPress;
use crate::tui::keymap::GLOBAL;
use crate::tui::msg::Msg;
use crate::tui::screens::add_pet::import::RunImport;
use crate::tui::screens::add_pet::import::jobs::CheckFile;
use crate::tui::state::Link;
use crate::tui::testing::of_kind;
use crate::tui::testing::{TestApp, no_domains_context, remote, settings};

/// What is in files of the server, and in the name of one.
const SECRET: &str = "CANARY";

/// The app in a session, with a request in its log.
fn session() -> TestApp {
    let mut app = TestApp::loaded(80, 24);
    let ssh = Some(SshSession { name: "till-2".to_owned(), ..SshSession::default() });
    app.state.link = Link { health: app.state.link.health.clone(), ..Link::of(&settings_of(ssh)) };
    app.effects.clear();
    app
}

fn settings_of(ssh: Option<SshSession>) -> Settings {
    Settings { ssh, ..settings(remote()) }
}

/// What the worker of a session has, which keeps its files in `home`; nobody listens where its service is.
fn context(home: &Path) -> (tempfile::TempDir, WorkerContext) {
    let nobody = Failure::NotSent { why: "nobody listens".into() };
    let (configuration, services) = services(Arc::new(move |_| Box::pin(std::future::ready(Err(nobody.clone())))));
    let context = WorkerContext {
        domains_context: no_domains_context(),
        copying: Vec::new(),
        home: Some(home.to_owned()),
        config: Err("a session over SSH changes no settings."),
        kept: None,
        pasted: Some(home.join("person/imports")),
        queues: Arc::default(),
        drafts: None,
        services: Arc::new(services),
        over_ssh: true,
    };
    (configuration, context)
}

/// A server with files that are nobody's business, and a worker for a session of a person there.
struct Server {
    home: tempfile::TempDir,
    worker: Handle,
    _configuration: tempfile::TempDir,
}

impl Server {
    fn start() -> Self {
        install_tls_provider();
        let home = tempfile::tempdir().unwrap();
        let file = |name: &str, text: &str| std::fs::write(home.path().join(name), text).unwrap();
        file("authorized_keys", &format!("ssh-ed25519 {SECRET}\n"));
        file("config.toml", &format!("# {SECRET}\n"));
        file("pets.csv", &format!("name,categoryId,{SECRET}\n{SECRET},3,x\n"));
        file(&format!("{SECRET}.csv"), &format!("{SECRET}\n"));
        let (_configuration, context) = context(home.path());
        let (worker, _) = spawn(Some(settings_of(Some(SshSession::default()))), Arc::new(context));
        Self { home, worker, _configuration }
    }

    /// Every file with its content.
    fn files(&self) -> BTreeMap<std::path::PathBuf, String> {
        let files = std::fs::read_dir(self.home.path()).unwrap().map(|entry| entry.unwrap().path());
        files.map(|path| (path.clone(), std::fs::read_to_string(&path).unwrap_or_default())).collect()
    }

    /// Has the worker do what the app asks for, until it asks for nothing more. Imports are only checked.
    async fn answer(&mut self, app: &mut TestApp) {
        while let Some(effect) = app.effects.pop() {
            let Effect::Job(job) = effect else { continue };
            if asks_about_pets(&job) || sends_pasted_rows(&job) {
                continue;
            }
            let id = job.id;
            self.worker.effects.send(Effect::Job(job)).unwrap();
            loop {
                let reply = self.worker.replies.recv().await.unwrap();
                let shown = format!("{reply:?}");
                assert!(!shown.contains(SECRET), "{shown}");
                let ends = reply.id == id && !reply.goes_on;
                app.send(Msg::Reply(reply));
                if ends {
                    break;
                }
            }
        }
    }
}

fn asks_about_pets(job: &Started) -> bool {
    use Slot::{ById, Follow, Inventory, List, Provenance, Samples};
    matches!(job.job.slot(), List | Inventory | ById | Follow | Provenance | Samples)
}

/// Whether this sends rows that were pasted, which waits for the service.
fn sends_pasted_rows(job: &Started) -> bool {
    of_kind(job).is_some_and(|run: &RunImport| run.source.is_pasted())
}

/// The ways into the places of a session: each with the keys of the way.
async fn places(server: &mut Server) -> Vec<(&'static Place, Vec<Step>)> {
    let lines = Step::Paste("name,categoryId\nRex,3\n,4\n".into());
    let starts = [vec![], vec![Step::Keys("a"), lines], vec![Step::Keys("a F6")], vec![Step::Field]];
    let mut waiting: VecDeque<Vec<Step>> = starts.into();
    let (mut seen, mut found) = (BTreeSet::new(), Vec::new());
    while let Some(way) = waiting.pop_front() {
        let app = walked(server, &way).await;
        let place = app.state.place();
        if app.state.quitting.is_some() || !seen.insert(place.name) {
            continue;
        }
        for key in keys(&app) {
            waiting.push_back([way.clone(), vec![Step::Press(key)]].concat());
        }
        found.push((place, way));
    }
    found
}

#[derive(Clone, Debug)]
enum Step {
    Keys(&'static str),
    Press(KeyPress),
    Paste(String),
    /// The field for the file to import, as an unfinished import leaves it.
    Field,
}

async fn walked(server: &mut Server, way: &[Step]) -> TestApp {
    let mut app = session();
    for step in way {
        match step {
            Step::Keys(keys) => app.keys(keys),
            Step::Press(key) => app.send(Msg::Key(*key)),
            Step::Paste(text) => app.send(Msg::Paste(text.clone())),
            Step::Field => {
                app.keys("a").state.add.import.on = true;
                &mut app
            }
        };
        server.answer(&mut app).await;
    }
    app
}

/// The keys that are bound where the app is.
fn keys(app: &TestApp) -> Vec<KeyPress> {
    let here = app.state.place().name;
    let bound = [here, GLOBAL].into_iter().flat_map(|place| app.state.keymap.of(place));
    bound.filter(|line| !matches!(line.command.run, Run::Edit(_))).flat_map(|line| line.keys.clone()).collect()
}

#[tokio::test]
async fn no_command_and_no_paste_reaches_a_file_of_the_server() {
    let mut server = Server::start();
    let (before, at) = (server.files(), server.home.path().display().to_string());
    let places = places(&mut server).await;
    assert!(places.len() >= 12, "{places:?}");
    let named = ["pets.csv", "authorized_keys", "new.csv", "", "person/imports/../../pets.csv"];
    let pastes: Vec<_> =
        named.map(|name| format!("{at}/{name}")).into_iter().chain(["~/pets.csv".to_owned()]).collect();
    for (place, way) in &places {
        for paste in pastes.iter().take(if place.is_text { pastes.len() } else { 1 }) {
            let pasted = [way.clone(), vec![Step::Paste(paste.clone())]].concat();
            for key in keys(&walked(&mut server, &pasted).await) {
                let mut app = walked(&mut server, &[pasted.clone(), vec![Step::Press(key)]].concat()).await;
                // What is asked for next is confirmed.
                for key in ["Enter", "Enter", "Tab", "F2"] {
                    app.keys(key);
                    server.answer(&mut app).await;
                }
                assert!(!app.screen().contains(SECRET), "{place:?}, {paste}, {key:?}: {}", app.screen());
            }
        }
        assert_eq!(server.files(), before, "{place:?}");
    }
}

#[test]
fn an_import_of_pasted_rows_is_continued_and_no_other() {
    let (_configuration, context) = context(Path::new("/home/shop"));
    let check = |path: &str| {
        let source = ImportSource::File(path.to_owned());
        AnyJob::is_allowed_over_ssh(&CheckFile { source, reading: ColumnMapping::default() }, &context)
    };
    let run = |path: &str, report: Option<&str>| {
        let run = ImportRun {
            reading: ColumnMapping::default(),
            counts: Some(RowCounts { good: 1, bad: 0 }),
            start: Start::GoOn,
            report: report.map(Into::into),
            how: ImportOptions::default(),
        };
        let run = RunImport { source: ImportSource::File(path.to_owned()), run };
        AnyJob::is_allowed_over_ssh(&run, &context)
    };
    let own = "/home/shop/person/imports/pasted-1.csv";
    assert!(check(own) && run(own, None) && run(own, Some("/home/shop/person/imports/pasted-1.ndjson")));
    assert!(!run(own, Some("/home/shop/.bashrc")));
    for path in ["pasted-1.csv", "/home/shop/person/imports/..", "/home/shop/person/imports/../key", "~/a.csv", ""] {
        assert!(!check(path) && !run(path, None), "{path}");
    }
}
