//! A random walk over keys, pastes, sizes, times and replies: nothing panics, and nothing waits for a job that was never
//! started.

use std::sync::Arc;
use std::time::Duration;

use proptest::prelude::*;
use proptest::test_runner::TestCaseError;

use crate::api::find::LookupResult;
use crate::api::follow::AddedPet;
use crate::api::inventory::Coverage;
use crate::api::list::ListAnswer;
use crate::api::{Exchange, Failure};
use crate::app::clipboard::Copied;
use crate::app::outbox::queue::{LineSent, Unfinished};
use crate::app::outbox::send::NotCreated;
use crate::app::outbox::unknown_outcome::SearchedPets;
use crate::config::{KeyOrigin, Service, Settings};
use crate::local::complete::Completion;
use crate::model::{Field, Pet, PetStatus};
use crate::transfer::earlier_import::EarlierImport;
use crate::transfer::import::{ImportEnded, ImportEvent, ImportProgress, Seen, Summary};
use crate::transfer::journal::RowOutcome as Fate;
use crate::transfer::preview::preview;
use crate::transfer::{ColumnMapping, Input};
use crate::tui::custom_actions::run::{Ran, Run};
use crate::tui::drafts::Drafts;
use crate::tui::effect::{Effect, Job, Task};
use crate::tui::msg::{Key, KeyPress, MouseEvent, Msg, Outcome, Recorded, Size};
use crate::tui::popups::jobs::{Exported, FileContents, NotWritten, PopupReply, PopupTask, WriteFile};
use crate::tui::screens::add_pet::import::jobs::{CheckedFile, ImportReply, ImportSource, ImportTask, UnusableFile};
use crate::tui::screens::add_pet::jobs::{AddReply, AddTask};
use crate::tui::screens::add_pet::rapid::jobs::{RapidReply, RapidTask};
use crate::tui::screens::domains::jobs::{DomainReply, DomainTask};
use crate::tui::screens::domains::tests::fixture;
use crate::tui::screens::pets::jobs::{Followed, PetsReply, PetsTask};
use crate::tui::screens::profiles::jobs::{AddedProfile, ProfileReply, ProfileTask, Tested, Used};
use crate::tui::testing::{App, animals, profiles, provenance, remote, rows, settings};

/// One step, chosen by two numbers.
fn step(app: &mut App, what: u8, which: u16) {
    let which = usize::from(which);
    match what % 16 {
        0..7 => {
            let keymap = Arc::clone(&app.state.keymap);
            let keys: Vec<KeyPress> = keymap.bindings().flat_map(|binding| &binding.keys).copied().collect();
            app.send(Msg::Key(keys[which % keys.len()]));
        }
        7 | 8 => {
            let key = KeyPress::from(Key::Char(char::from(b' ' + (which % 95) as u8)));
            app.send(Msg::Key(KeyPress { alt: which % 4 == 3, ..key }));
        }
        9 => {
            app.send(Msg::Paste(["Rex\r\nMochi", "12", "\u{1b}[2J\u{202e}", "petk_0123456789abcdef"][which % 4].into()))
        }
        10 if which % 3 > 0 => {
            let (column, row) = ((which / 3 % 130) as u16, (which / 390 % 45) as u16);
            let wheel = MouseEvent::Wheel { down: row.is_multiple_of(2) };
            app.send(Msg::Mouse(if which % 3 == 1 { MouseEvent::Click { column, row } } else { wheel }));
        }
        10 => app.send(Msg::Resize(Size { columns: (which % 150) as u16, rows: (which % 50) as u16 })),
        11 => {
            app.wait(Duration::from_millis((which as u64 % 64) * 1000));
        }
        12..15 => reply(app, which),
        _ if which.is_multiple_of(2) => app.send(Msg::Exchanged(exchange(which))),
        _ => {
            app.screen();
        }
    }
}

/// An earlier import, of one kind or another.
fn earlier(reading: &ColumnMapping, which: usize) -> EarlierImport {
    let file = Input::stream("a", std::io::Cursor::new("a")).unwrap().print().unwrap();
    EarlierImport {
        report: "/tmp/a.ndjson".into(),
        began: jiff::Timestamp::UNIX_EPOCH,
        reading: reading.clone(),
        seen: Seen { file, import: uuid::Uuid::nil() },
        same_file: which.is_multiple_of(2),
        finished: which.is_multiple_of(3),
        replaced: which.is_multiple_of(7),
        added: 3,
        here: which as u64 % 4,
        new: which as u64 % 3,
        bad: 0,
        unknown: which as u64 % 2,
        rows_then: which as u64 % 4,
    }
}

/// A request that has ended, well or not.
fn exchange(which: usize) -> Recorded {
    let status = [Some(200), Some(304), Some(401), Some(503), None][which / 2 % 5];
    let exchange = Exchange {
        what: "list",
        method: ["GET", "POST"][which / 10 % 2].into(),
        path_and_query: "/v1/pets?limit=20".into(),
        sent: ["", "{\"name\":\"Rex\"}"][which / 10 % 2].into(),
        answer: ["[]", "{\"code\":\"x\"}", "<html>"][which / 20 % 3].repeat(which % 40),
        failure: status.is_none().then(|| "cancelled".into()),
        status,
        size: which,
        ..Exchange::default()
    };
    Recorded { exchange: Box::new(exchange), missed: u64::from(which.is_multiple_of(100)) }
}

/// Answers one of the jobs that were asked for, late, twice or not as hoped.
fn reply(app: &mut App, which: usize) {
    let jobs: Vec<Job> = app
        .effects
        .iter()
        .rev()
        .take(8)
        .filter_map(|effect| if let Effect::Job(job) = effect { Some(job.clone()) } else { None })
        .collect();
    let Some(Job { id, task }) = jobs.get(which % jobs.len().max(1)).cloned() else { return };
    let failure = || match which % 5 {
        0 => Failure::NotSent { why: "connection refused".into() },
        1 => Failure::NoAnswer { after: Duration::from_secs(30) },
        2 => Failure::Malformed { why: "cut".into(), excerpt: "<html>".into() },
        status => Failure::Refused {
            status: [400, 401, 503][(which / 5 + status) % 3],
            code: Some("invalid_name".into()),
            message: "name".into(),
            retry_after: None,
        },
    };
    let fails = which.is_multiple_of(3);
    let pet = Pet { id: 7, name: "Rex".into(), category_id: 3, status: None };
    let written = || if fails { Err("no room".to_owned()) } else { Ok(()) };
    let outcome = match task {
        _ if which.is_multiple_of(11) => Outcome::failed(task.slot(), failure()),
        Task::Pets(task) => about_pets(task, which, failure).into(),
        Task::Add(AddTask::Create(..)) => {
            let repeatable = which.is_multiple_of(2);
            AddReply::Created(if fails { Err(NotCreated { failure: failure(), repeatable }) } else { Ok(pet) }).into()
        }
        Task::Add(AddTask::Settle(..)) if which.is_multiple_of(2) => AddReply::NotSettled.into(),
        Task::Add(AddTask::Settle(..)) => {
            let not_created = NotCreated { failure: failure(), repeatable: true };
            AddReply::Created(if fails { Err(not_created) } else { Ok(pet) }).into()
        }
        Task::Add(AddTask::SearchFor(_)) => AddReply::SearchedFor(searched(pet, which, failure)).into(),
        Task::Rapid(RapidTask::SearchFor(_)) => RapidReply::SearchedFor(searched(pet, which, failure)).into(),
        Task::Rapid(RapidTask::Write(_)) => RapidReply::Written(written()).into(),
        Task::Rapid(RapidTask::Send(lane, line)) => {
            let sent = match which % 5 {
                0 | 1 => LineSent::Saved(Pet { name: line.new.name, ..pet }),
                2 => LineSent::Failed(failure()),
                3 => LineSent::NotSent(failure()),
                _ => LineSent::NotRepeatable,
            };
            RapidReply::Sent(lane, sent).into()
        }
        Task::Action(Run { number, .. }) => Ran { number, result: written().map(|()| "two\nlines".to_owned()) }.into(),
        Task::Import(task) => about_imports(task, which, failure).into(),
        Task::Popups(task) => about_popups(task, which, failure).into(),
        Task::Domains(task) => about_domains(task, which).into(),
        Task::Profiles(task) => about_profiles(task, which, left(app, which)).into(),
        Task::WriteCache(_) => Outcome::CacheWritten(written()),
        Task::CompletePath(typed) => {
            let names = vec!["a.csv".into(), "b/".into()];
            Outcome::PathCompleted(typed, Completion { more: ["", "ny"][which % 2].into(), names })
        }
        Task::Drafts(_) => Outcome::DraftsWritten(written()),
    };
    app.reply_to(id, outcome);
}

/// A pet as it is reported; every third one to a key that may not see who added it.
fn added(pet: Pet) -> AddedPet {
    let provenance = (pet.id % 3 > 0).then(|| provenance(pet.id));
    AddedPet { pet, provenance }
}

/// What comes of a job of the screen of pets.
fn about_pets(task: PetsTask, which: usize, failure: impl Fn() -> Failure) -> PetsReply {
    let fails = which.is_multiple_of(3);
    let rows = || match which {
        _ if fails => Err(failure()),
        // The service says that nothing has changed.
        _ if which.is_multiple_of(7) => Ok(ListAnswer {
            list: None,
            took: Duration::from_millis(5),
            there: None,
            keeps_keys: false,
            offers_events: true,
        }),
        _ => rows(animals(which % 130), None),
    };
    match task {
        PetsTask::List { .. } => PetsReply::Listed(rows()),
        PetsTask::More(_) => PetsReply::More(rows()),
        PetsTask::Count { status, .. } => PetsReply::Counted(status, rows()),
        PetsTask::AddSamples(count, _) => PetsReply::SamplesAdded(count, fails.then(failure)),
        PetsTask::Follow { .. } if fails => PetsReply::NotFollowed(failure()),
        PetsTask::Follow { after } => PetsReply::Followed(match which % 5 {
            0 => Followed::Connected(after.unwrap_or(0)),
            1 => Followed::Lost,
            2 => Followed::PetsLost(which as i64),
            _ => Followed::Added(animals(which % 40).into_iter().map(added).collect()),
        }),
        PetsTask::Provenance(_) if fails => PetsReply::Provenance(Err(failure())),
        PetsTask::Provenance(ids) => {
            let found = ids.into_iter().map(|id| (id, provenance(id))).collect();
            PetsReply::Provenance(Ok(Some(found).filter(|_| !which.is_multiple_of(5))))
        }
        PetsTask::ReadInventory if which.is_multiple_of(2) => PetsReply::InventoryPart(animals(which % 2_000)),
        PetsTask::ReadInventory if fails => PetsReply::InventoryRead(Err(failure())),
        PetsTask::ReadInventory => {
            PetsReply::InventoryRead(Ok(Coverage { requests: 4, complete: fails, full: vec![PetStatus::Sold] }))
        }
        PetsTask::Find(..) if fails => PetsReply::Found(Err(failure())),
        PetsTask::Find(..) => {
            let pet = Pet { id: 7, name: "Rex".into(), category_id: 3, status: None };
            PetsReply::Found(Ok(LookupResult { pet: which.is_multiple_of(2).then_some(pet), steps: Vec::new() }))
        }
    }
}

fn searched(pet: Pet, which: usize, failure: impl Fn() -> Failure) -> Result<SearchedPets, Failure> {
    if which.is_multiple_of(3) {
        Err(failure())
    } else {
        Ok(SearchedPets { matches: vec![pet], complete: which.is_multiple_of(2) })
    }
}

/// What comes of a job of a box.
fn about_popups(task: PopupTask, which: usize, failure: impl Fn() -> Failure) -> PopupReply {
    let fails = which.is_multiple_of(3);
    match task {
        PopupTask::TestKey(_) => PopupReply::KeyTested(if fails { Err(failure()) } else { Ok(()) }),
        PopupTask::SetTheme(_) => {
            PopupReply::ThemeWritten(if fails { Err("no room".into()) } else { Ok("config.toml".into()) })
        }
        PopupTask::AddView(view) => PopupReply::ViewAdded(if fails { Err("no room".into()) } else { Ok(view) }),
        PopupTask::Copy(_) => PopupReply::Copied(match which % 5 {
            0 => Copied::Tmux,
            1 => Copied::Desktop,
            2 => Copied::File("copied.txt".into()),
            3 => Copied::Terminal,
            _ => Copied::Nowhere("no clipboard".into()),
        }),
        PopupTask::Write(WriteFile { path, replace, what }) => {
            let not_written = match replace {
                false => NotWritten::Exists(path.clone()),
                true => NotWritten::Failed("no room".into()),
            };
            match what {
                FileContents::Text(_) => PopupReply::Written(if fails { Err(not_written) } else { Ok(path) }),
                FileContents::Rejects(_) if which.is_multiple_of(4) => {
                    PopupReply::Written(Err(NotWritten::Exists(path)))
                }
                FileContents::Rejects(_) => PopupReply::Written(Ok(path)),
                FileContents::Inventory if fails => PopupReply::Exported(Err(not_written)),
                FileContents::Inventory if which.is_multiple_of(2) => PopupReply::Exporting(which as u64),
                FileContents::Inventory => {
                    let complete = which.is_multiple_of(5);
                    let coverage = Coverage { requests: 4, complete, full: vec![PetStatus::Sold] };
                    PopupReply::Exported(Ok(Exported { path, count: which as u64, coverage }))
                }
            }
        }
    }
}

/// Drafts as they were written before, maybe long ago.
fn left(app: &App, which: usize) -> Option<Drafts> {
    let written = |effect: &Effect| match effect {
        Effect::Job(Job { task: Task::Drafts(write), .. }) => Some((*write.drafts).clone()),
        _ => None,
    };
    let mut drafts = app.effects.iter().rev().filter_map(written).nth(which % 7)?;
    drafts.at -= Duration::from_secs(which as u64 * 1_000);
    Some(drafts)
}

/// What comes of a job about the import of a file.
fn about_imports(task: ImportTask, which: usize, failure: impl Fn() -> Failure) -> ImportReply {
    let progress = |added: usize| ImportProgress {
        added: added as u64,
        refused: which as u64 % 3,
        unknown: which as u64 % 2,
        waiting: None,
        ..ImportProgress::default()
    };
    match (task, which % 4) {
        (ImportTask::CheckFile(..), 0) => ImportReply::Checking(which as u64),
        (ImportTask::CheckFile(..), 1) => {
            let columns = vec!["a".into(), "name".into()];
            ImportReply::Checked(Err(UnusableFile {
                why: "No name.".into(),
                missing: which.is_multiple_of(3).then_some((Field::Name, columns)),
            }))
        }
        (ImportTask::CheckFile(source, reading), _) => {
            let text = match source {
                ImportSource::Pasted(text) => text.as_bytes().to_vec(),
                ImportSource::File(_) => b"name,cat,x\nRex,3,\n,3,\nRex,3,\nMax,\x1b,\n".to_vec(),
            };
            let input = Input::stream("a", std::io::Cursor::new(text)).unwrap();
            let before = which.is_multiple_of(5).then(|| earlier(&reading, which));
            ImportReply::Checked(match preview(input, &reading, |_| true) {
                Ok(preview) => Ok(Box::new(CheckedFile { path: Some("/tmp/a.csv".into()), preview, before })),
                Err(error) => Err(UnusableFile { why: error.to_string(), missing: None }),
            })
        }
        (ImportTask::Run(_), 0) if which.is_multiple_of(3) => ImportReply::NotStarted(ImportEnded::NoAnswer(failure())),
        (ImportTask::Run(_), 0) => ImportReply::Started("/tmp/a.csv".into(), "/tmp/a.ndjson".into()),
        (ImportTask::Run(_), 1 | 2) => {
            let row = which as u64 + 1;
            let outcome = Fate::Added(which as i64);
            let rows = vec![
                ImportEvent::Row { line: row, name: "Rex".into(), outcome },
                ImportEvent::UnknownOutcome { line: row },
            ];
            ImportReply::Progress { progress: progress(which), events: rows, added: vec![which as i64] }
        }
        (ImportTask::Run(_), _) => {
            let ended = match which % 6 {
                0 => ImportEnded::Complete,
                1 => ImportEnded::Stopped,
                2 => ImportEnded::OnError,
                3 => ImportEnded::Unauthorized(failure()),
                4 => ImportEnded::NoAnswer(failure()),
                _ => ImportEnded::Failed("no room.".into()),
            };
            let left = which.is_multiple_of(2).then_some(which as u64 % 5);
            ImportReply::Ended(Box::new(Summary { progress: progress(3), left, ended, report: None }))
        }
    }
}

/// What comes of a job about profiles.
fn about_profiles(task: ProfileTask, which: usize, drafts: Option<Drafts>) -> ProfileReply {
    let no = || "no room.".to_owned();
    let fails = which.is_multiple_of(3);
    let tested = || match which % 4 {
        0 => Tested::Unusable("no such key".into()),
        1 => Tested::Failed(Failure::NotSent { why: "connection refused".into() }),
        _ => Tested::Answered(Duration::from_millis(12)),
    };
    match task {
        ProfileTask::Read => ProfileReply::Read(if fails { Err(no()) } else { Ok(profiles()) }),
        ProfileTask::Use(_) if fails => ProfileReply::Used(Err(no())),
        ProfileTask::Use(name) => {
            let service = if which.is_multiple_of(2) { remote() } else { Service::Demo };
            let settings = Settings { name: name.clone(), label: name, ..settings(service) };
            ProfileReply::Used(Ok(Box::new(Used {
                settings,
                kept: None,
                left: Ok(Unfinished::default()),
                drafts: Ok(drafts),
            })))
        }
        ProfileTask::Test { .. } => ProfileReply::Tested(tested()),
        ProfileTask::Try(_) => ProfileReply::Tried(tested()),
        ProfileTask::Add { .. } if fails => ProfileReply::Added(Err(no())),
        ProfileTask::Add { .. } => {
            let key_lost = which.is_multiple_of(2).then(no);
            ProfileReply::Added(Ok(AddedProfile { file: "config.toml".into(), is_default: false, key_lost }))
        }
        ProfileTask::FindKeyFile(_) => ProfileReply::KeyFile((!fails).then(|| "~/keys/shop".to_owned())),
        ProfileTask::KeepKey { .. } => {
            ProfileReply::KeyStored(if fails { Err(no()) } else { Ok(KeyOrigin::File("~/keys/shop".into())) })
        }
    }
}

/// What comes of a job about domains.
fn about_domains(task: DomainTask, which: usize) -> DomainReply {
    let fails = which.is_multiple_of(3);
    match task {
        DomainTask::Keep(_) if fails => DomainReply::RegistryWritten(Err("the disk is full".into())),
        DomainTask::Keep(changes) => {
            let mut list = fixture::list();
            changes.iter().for_each(|change| change.apply(&mut list));
            DomainReply::RegistryWritten(Ok(list))
        }
        DomainTask::Check(lane, _) if which.is_multiple_of(5) => DomainReply::CheckProgress(lane, fixture::so_far()),
        DomainTask::Check(lane, at) => DomainReply::Checked(lane, Ok(Box::new(fixture::seen(&at.entry.name, which)))),
        DomainTask::FollowRedirects { redirects, .. } => {
            let walked = redirects.into_iter().map(|redirect| fixture::walked(redirect, !fails));
            DomainReply::RedirectsFollowed(Ok(walked.collect()))
        }
        DomainTask::ChooseResolvers { .. } => DomainReply::ResolversChosen(Ok(Default::default())),
    }
}

/// Whether this would ask the service in use, or write something unnamed.
fn asks_the_service(effect: &Effect) -> bool {
    match effect {
        Effect::Job(job) => !matches!(
            job.task,
            Task::Popups(PopupTask::Copy(_) | PopupTask::Write(WriteFile { what: FileContents::Text(_), .. }))
                | Task::Profiles(_)
                | Task::CompletePath(_)
        ),
        Effect::Cancel(_)
        | Effect::StopImport
        | Effect::Suspend
        | Effect::Resume
        | Effect::Redraw
        | Effect::Mouse(_)
        | Effect::Notify(..)
        | Effect::Clipboard(_) => false,
    }
}

/// Whether from then on there is a service that may be asked.
fn chooses_a_service(effect: &Effect) -> bool {
    matches!(effect, Effect::Job(Job { task: Task::Profiles(ProfileTask::Use(_)), .. }))
}

/// From where a walk sets out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Start {
    Inside,
    Elsewhere,
    Rapid,
    First,
}

fn starts() -> impl Strategy<Value = Start> {
    prop::sample::select(vec![Start::Inside, Start::Elsewhere, Start::Rapid, Start::First])
}

type Steps = Vec<(u8, u16)>;

fn steps() -> impl Strategy<Value = Steps> {
    prop::collection::vec((any::<u8>(), any::<u16>()), 1..300)
}

/// Takes the steps, and holds what must be so after each of them and at the end.
fn walk(steps: Steps, from: Start) -> Result<(), TestCaseError> {
    let mut app = match from {
        Start::Inside => App::started(Service::Demo, 80, 24),
        Start::Elsewhere => App::started(remote(), 80, 24),
        Start::Rapid => {
            let mut app = App::started(remote(), 80, 24);
            app.keys("a F6 \"3\" Enter");
            app
        }
        Start::First => App::first_start(80, 24),
    };
    app.state.mouse = true;
    for (what, which) in steps {
        step(&mut app, what, which);
        for (slot, _) in app.state.pending.running() {
            prop_assert!(app.job(slot).is_some(), "{slot:?}");
        }
        let may_ask = from != Start::First || app.effects.iter().any(chooses_a_service);
        prop_assert!(may_ask || !app.effects.iter().any(asks_the_service), "{:?}", app.effects);
        let deadline = crate::tui::deadline::next_deadline(&app.state, app.now);
        prop_assert!(deadline.is_none_or(|at| at > app.now.mono));
    }
    app.send(Msg::Resize(Size { columns: 80, rows: 24 }));
    app.screen();
    // However it went: Esc leads back, and q ends it.
    app.state.quitting = None;
    app.wait(Duration::from_secs(1));
    for _ in 0..12 {
        app.keys("Esc");
    }
    // Esc stops an import after a question, which is seen first.
    if app.state.context() == crate::tui::context::Context::Confirm {
        app.wait(Duration::from_secs(1)).keys("Esc");
    }
    let place = app.state.context();
    app.keys("q");
    prop_assert!(app.state.quitting.is_some(), "stuck in {place:?}:\n{}", app.screen());
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 200, max_shrink_iters: 400, ..ProptestConfig::default() })]

    #[test]
    fn no_walk_panics_or_gets_stuck_or_waits_for_a_job_that_was_never_started(steps in steps(), from in starts()) {
        walk(steps, from)?;
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 7_000, max_shrink_iters: 400, ..ProptestConfig::default() })]

    /// `cargo test --lib a_million -- --ignored`
    #[test]
    #[ignore = "takes minutes"]
    fn a_million_steps_neither_panic_nor_get_stuck(steps in steps(), from in starts()) {
        walk(steps, from)?;
    }
}
