//! A random walk over keys, pastes, sizes, times and replies: nothing panics, and nothing waits for a job that was never
//! started.

use crate::tui::testing::prelude::*;
use std::sync::Arc;

use proptest::prelude::*;
use proptest::test_runner::TestCaseError;

use crate::api::Exchange;
use crate::transfer::journal::{RowAnswer, RowOutcome as Fate};
use crate::tui::Job;
use crate::tui::custom_actions::Run;
use crate::tui::drafts::{Drafts, WriteDrafts};
use crate::tui::job::{Reply, Started};
use crate::tui::msg::{Key, KeyPress, MouseEvent, Recorded};
use crate::tui::popups::themes::SetTheme;
use crate::tui::screens::domains::tests::fixture;
use crate::tui::testing::{
    changed_meanwhile, ids_of, job_of, listed, of_kind, profiles, provenance, refused_with, settings,
};

/// One step, chosen by two numbers.
fn step(app: &mut TestApp, what: u8, which: u16) {
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
            let pasted = ["Rex\r\nMochi", "12", "\u{1b}[2J\u{202e}", "petk_0123456789abcdef"][which % 4];
            app.send(Msg::Paste(pasted.into()));
        }
        10 if which % 3 > 0 => {
            let (column, row) = ((which / 3 % 130) as u16, (which / 390 % 45) as u16);
            let wheel = MouseEvent::Wheel { down: row.is_multiple_of(2) };
            app.send(Msg::Mouse(if which % 3 == 1 { MouseEvent::Click { column, row } } else { wheel }));
        }
        10 => drop(app.send(Msg::Resize(Size { columns: (which % 150) as u16, rows: (which % 50) as u16 }))),
        11 => drop(app.wait(Duration::from_millis((which as u64 % 64) * 1000))),
        12..15 => reply(app, which),
        _ if which.is_multiple_of(2) => drop(app.send(Msg::Exchanged(exchange(which)))),
        _ => drop(app.screen()),
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
fn reply(app: &mut TestApp, which: usize) {
    let jobs: Vec<Started> = app.effects.iter().rev().take(8).filter_map(job_of).cloned().collect();
    let Some(job) = jobs.get(which % jobs.len().max(1)) else { return };
    let failure = &|| match which % 5 {
        0 => Failure::NotSent { why: "connection refused".into() },
        1 => Failure::NoAnswer { after: Duration::from_secs(30) },
        2 => Failure::Malformed { why: "cut".into(), excerpt: "<html>".into() },
        status => refused_with([400, 401, 503][(which / 5 + status) % 3], "invalid_name", "name"),
    };
    if which.is_multiple_of(11) {
        let failed = Arc::clone(&job.job).failed(failure());
        app.send(Msg::Reply(Reply::end(job.id, failed)));
        return;
    }
    let answered = about_pets(app, job, which, failure)
        || about_additions(app, job, which, failure)
        || about_imports(app, job, which, failure)
        || about_domains(app, job, which)
        || about_connections(app, job, which, failure)
        || about_files(app, job, which);
    assert!(answered, "{job:?}");
}

/// Answers the job if it is of this kind; whether it is.
fn answered<J: Job>(app: &mut TestApp, job: &Started, answer: impl FnOnce(&J) -> J::Answer) -> bool {
    let Some(kind) = of_kind::<J>(job) else { return false };
    app.answer_to::<J>(job.id, answer(kind));
    true
}

/// What comes of what adds pets.
fn about_additions(app: &mut TestApp, job: &Started, which: usize, failure: impl Fn() -> Failure + Copy) -> bool {
    let pet = || Pet { id: 7, name: "Rex".into(), category_id: 3, status: None };
    answered::<SearchForLine>(app, job, |_| {
        let found = SearchedPets { matches: vec![pet()], complete: which.is_multiple_of(2) };
        if which.is_multiple_of(3) { Err(failure()) } else { Ok(found) }
    }) || answered::<WriteLines>(app, job, |_| written(which))
        || answered::<SendLine>(app, job, |SendLine { line, .. }| {
            let id = line.patch.as_ref().map_or(7, |(id, _)| *id);
            Ok(match which % 5 {
                0 | 1 => LineSent::Saved(Pet { id, name: line.new.name.clone(), ..pet() }),
                2 if line.patch.is_some() && which.is_multiple_of(2) => {
                    LineSent::Failed(changed_meanwhile(&Pet { id, ..pet() }))
                }
                2 => LineSent::Failed(failure()),
                3 => LineSent::NotSent(failure()),
                _ => LineSent::NotRepeatable,
            })
        })
}

fn written(which: usize) -> Result<(), String> {
    if which.is_multiple_of(3) { Err("no room".to_owned()) } else { Ok(()) }
}

fn is<J: Job>(job: &Started) -> bool {
    of_kind::<J>(job).is_some()
}

/// A pet as it is reported; every third one to a key that may not see who added it.
fn added(pet: Pet) -> AddedPet {
    let provenance = (pet.id % 3 > 0).then(|| provenance(pet.id));
    AddedPet { pet, provenance }
}

/// What comes of a job of the screen of pets.
fn about_pets(app: &mut TestApp, job: &Started, which: usize, failure: impl Fn() -> Failure + Copy) -> bool {
    let fails = which.is_multiple_of(3);
    if let Some(FollowPets { after }) = of_kind(job).filter(|_| !fails) {
        let followed = match which % 5 {
            0 => Followed::Connected(after.clone().unwrap_or(EventPosition::after(0)), which.is_multiple_of(2)),
            1 => Followed::Lost(None),
            2 => Followed::PetsLost(which as i64),
            _ => Followed::Added(animals(which % 40).into_iter().map(added).collect()),
        };
        app.say_to::<FollowPets>(job.id, (followed, None));
        return true;
    }
    if is::<ReadInventory>(job) && which.is_multiple_of(2) {
        app.say_to::<ReadInventory>(job.id, animals(which % 2_000));
        return true;
    }
    answered::<ListPets>(app, job, |_| match which {
        _ if fails => Err(failure()),
        // The service says that nothing has changed.
        _ if which.is_multiple_of(7) => {
            let (took, offers) = (Duration::from_millis(5), Offers { events: true, order: false, changes: true });
            Ok(ListAnswer { list: None, took, there: None, offers })
        }
        _ => listed(animals(which % 130), None),
    }) || answered::<AddSamples>(app, job, |AddSamples { count, .. }| {
        Ok((ids_of(&animals(*count)), fails.then(failure)))
    }) || answered::<FollowPets>(app, job, |_| Err(failure()))
        || answered::<ReadHistory>(app, job, |_| if fails { Err(failure()) } else { Ok(Vec::new()) })
        || answered::<AskProvenance>(app, job, |AskProvenance(ids)| {
            let found = ids.iter().map(|id| (*id, provenance(*id))).collect();
            let found = Some(found).filter(|_| !which.is_multiple_of(5));
            if fails { Err(failure()) } else { Ok(found) }
        })
        || answered::<ReadInventory>(app, job, |_| {
            let (complete, is_cut) = (which.is_multiple_of(5), which.is_multiple_of(7));
            let from = which.is_multiple_of(14).then_some(100_300);
            let coverage = Coverage { requests: 4, complete, full: vec![PetStatus::Sold], is_cut, from };
            if fails { Err(failure()) } else { Ok(coverage) }
        })
        || answered::<FindPet>(app, job, |_| {
            let pet = Pet { id: 7, name: "Rex".into(), category_id: 3, status: None };
            let found = LookupResult { pet: which.is_multiple_of(2).then_some(pet), ..LookupResult::default() };
            if fails { Err(failure()) } else { Ok(found) }
        })
}

/// What comes of a job about files, of what is copied, and of what is only written or run.
fn about_files(app: &mut TestApp, job: &Started, which: usize) -> bool {
    let fails = which.is_multiple_of(3);
    answered::<CopyText>(app, job, |_| {
        Ok(match which % 5 {
            0 => Ok(ClipboardBackend::Tmux),
            1 => Ok(ClipboardBackend::Desktop("pbcopy", &[])),
            2 => Ok(ClipboardBackend::File("copied.txt".into())),
            3 => Ok(ClipboardBackend::Terminal),
            _ => Err("no clipboard".into()),
        })
    }) || answered::<WriteFile>(app, job, |WriteFile { path, replace, .. }| match (fails, replace) {
        (true, false) => Err(NotWritten::Exists(path.clone())),
        (true, true) => Err(NotWritten::Failed("no room".into())),
        (false, _) => Ok(path.clone()),
    }) || answered::<CompletePath>(app, job, |_| {
        let names = vec!["a.csv".into(), "b/".into()];
        Ok(Completion { more: ["", "ny"][which % 2].into(), names })
    }) || answered::<SetTheme>(app, job, |_| written(which).map(|()| "config.toml".into()))
        || answered::<AddView>(app, job, |_| written(which))
        || answered::<WriteDrafts>(app, job, |_| written(which))
        || answered::<SessionCache>(app, job, |_| written(which))
        || answered::<Run>(app, job, |_| written(which).map(|()| "two\nlines".to_owned()))
}

/// Drafts as they were written before, maybe long ago.
fn left(app: &TestApp, which: usize) -> Option<Drafts> {
    let writes = app.effects.iter().rev().filter_map(job_of).filter_map(of_kind::<WriteDrafts>);
    let mut drafts = writes.map(|write| (*write.drafts).clone()).nth(which % 7)?;
    drafts.at -= Duration::from_secs(which as u64 * 1_000);
    Some(drafts)
}

/// What comes of a job about the import of a file.
fn about_imports(app: &mut TestApp, job: &Started, which: usize, failure: impl Fn() -> Failure) -> bool {
    let progress = |added: usize| ImportProgress {
        added: added as u64,
        refused: which as u64 % 3,
        unknown: which as u64 % 2,
        waiting: None,
        ..ImportProgress::default()
    };
    match (of_kind(job), which % 4) {
        (Some(CheckFile { .. }), 0) => app.say_to::<CheckFile>(job.id, which as u64),
        (Some(CheckFile { .. }), 1) => {
            let columns = vec!["a".into(), "name".into()];
            let missing = which.is_multiple_of(3).then_some((Field::Name, columns));
            app.answer_to::<CheckFile>(job.id, Err(UnusableFile { why: "No name.".into(), missing }));
        }
        (Some(CheckFile { source, reading }), _) => {
            let text = match source {
                ImportSource::Pasted(text) => text.as_bytes().to_vec(),
                ImportSource::File(_) => b"name,cat,x\nRex,3,\n,3,\nRex,3,\nMax,\x1b,\n".to_vec(),
            };
            let input = Input::stream("a", std::io::Cursor::new(text)).unwrap();
            let before = which.is_multiple_of(5).then(|| earlier(reading, which));
            let checked = match preview(input, reading, |_, _| true) {
                Ok(preview) => {
                    Ok(CheckedFile { path: Some("/tmp/a.csv".into()), preview, before, reading: reading.clone() })
                }
                Err(error) => Err(UnusableFile { why: error.to_string(), missing: None }),
            };
            app.answer_to::<CheckFile>(job.id, checked);
        }
        (None, _) if !is::<RunImport>(job) => return false,
        (None, 0) if which.is_multiple_of(3) => {
            app.answer_to::<RunImport>(job.id, Ok(Err(ImportEnded::NoAnswer(failure()))));
        }
        (None, 0) => {
            let started = ImportPart::Started("/tmp/a.csv".into(), "/tmp/a.ndjson".into());
            app.say_to::<RunImport>(job.id, started);
        }
        (None, 1 | 2) => {
            let row = which as u64 + 1;
            let [added, unknown] = [Fate::Added(which as i64), Fate::Unknown(RowAnswer::default())];
            let rows = [(added, true), (unknown, false)].map(|(outcome, was_sent)| ImportedRow {
                line: row,
                name: "Rex".into(),
                outcome,
                was_sent,
            });
            let added = vec![which as i64];
            app.say_to::<RunImport>(
                job.id,
                ImportPart::Progress { progress: progress(which), rows: rows.into(), added },
            );
        }
        (None, _) => {
            let ended = match which % 6 {
                0 => ImportEnded::Complete,
                1 => ImportEnded::Stopped,
                2 => ImportEnded::OnError,
                3 => ImportEnded::Unauthorized(failure()),
                4 => ImportEnded::NoAnswer(failure()),
                _ => ImportEnded::Failed("no room.".into()),
            };
            let left = which.is_multiple_of(2).then_some(which as u64 % 5);
            let summary = Summary { progress: progress(3), left, ended, report: None };
            app.answer_to::<RunImport>(job.id, Ok(Ok(summary)));
        }
    }
    true
}

/// What comes of a job about profiles and keys.
fn about_connections(app: &mut TestApp, job: &Started, which: usize, failure: impl Fn() -> Failure) -> bool {
    let fails = which.is_multiple_of(3);
    let tested = || match which % 4 {
        0 => Tested::Unusable("no such key".into()),
        1 => Tested::Failed(Failure::NotSent { why: "connection refused".into() }),
        _ => Tested::Answered(Duration::from_millis(12)),
    };
    let drafts = Ok(left(app, which));
    answered::<ReadProfiles>(app, job, |_| written(which).map(|()| profiles()))
        || answered::<UseProfile>(app, job, |UseProfile(name)| {
            let service = if which.is_multiple_of(2) { remote() } else { Service::Demo };
            let settings = Arc::new(Settings { name: name.clone(), label: name.clone(), ..settings(service) });
            written(which).map(|()| Used { settings, kept: None, left: Ok(Unfinished::default()), drafts })
        })
        || answered::<TestProfile>(app, job, |_| Ok(tested()))
        || answered::<TryProfile>(app, job, |_| Ok(tested()))
        || answered::<TestKey>(app, job, |_| if fails { Err(failure()) } else { Ok(()) })
        || answered::<FindKeyFile>(app, job, |_| Ok((!fails).then(|| "~/keys/shop".to_owned())))
        || answered::<KeepKey>(app, job, |_| written(which).map(|()| KeyOrigin::File("~/keys/shop".into())))
        || answered::<AddProfile>(app, job, |_| {
            let key_lost = which.is_multiple_of(2).then(|| "no room.".to_owned());
            written(which).map(|()| AddedProfile { file: "config.toml".into(), is_default: false, key_lost })
        })
}

/// What comes of a job about domains.
fn about_domains(app: &mut TestApp, job: &Started, which: usize) -> bool {
    let fails = which.is_multiple_of(3);
    if is::<CheckDomain>(job) && which.is_multiple_of(5) {
        app.say_to::<CheckDomain>(job.id, fixture::so_far());
        return true;
    }
    answered::<KeepRegistry>(app, job, |KeepRegistry(changes)| {
        let mut list = fixture::list();
        changes.iter().for_each(|change| change.apply(&mut list));
        written(which).map(|()| list)
    }) || answered::<CheckDomain>(app, job, |CheckDomain { request, .. }| Ok(fixture::seen(&request.entry.name, which)))
        || answered::<FollowRedirects>(app, job, |FollowRedirects { redirects, .. }| {
            Ok(redirects.iter().cloned().map(|redirect| fixture::followed(redirect, !fails)).collect())
        })
        || answered::<ChooseResolvers>(app, job, |_| Ok(Default::default()))
}

/// Whether this would ask the service in use, or write something unnamed.
fn asks_the_service(effect: &Effect) -> bool {
    match effect {
        Effect::Job(job) => {
            let is_text = of_kind(job).is_some_and(|write: &WriteFile| !matches!(write.what, Contents::Rejects(_)));
            let is_about_profiles = matches!(
                job.job.slot(),
                Slot::Profiles
                    | Slot::UseProfile
                    | Slot::TestProfile
                    | Slot::TryProfile
                    | Slot::WriteProfile
                    | Slot::KeyFile
            );
            !(is_text || is_about_profiles || is::<CopyText>(job) || is::<CompletePath>(job))
        }
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
    job_of(effect).is_some_and(is::<UseProfile>)
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
        Start::Inside => TestApp::started(Service::Demo, 80, 24),
        Start::Elsewhere => TestApp::started(remote(), 80, 24),
        Start::Rapid => TestApp::started(remote(), 80, 24).after("a Tab \"3\" Enter"),
        Start::First => TestApp::first_start(80, 24),
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
        // Before pasted lines are given up, and before an import stops, a question is seen first.
        if let Some(asked) = app.state.popups.get::<Question>() {
            let answer = if asked.title == "Pasted rows" { "y" } else { "Esc" };
            app.wait(Duration::from_secs(1)).keys(answer);
        }
    }
    let place = app.state.place().name;
    app.keys("q");
    if app.state.popups.get::<Question>().is_some() {
        app.wait(Duration::from_secs(1)).keys("y");
    }
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
