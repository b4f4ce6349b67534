use crate::tui::testing::prelude::*;
use crate::tui::testing::unauthorized;
use std::io::Cursor;
use std::path::Path;

use super::update::dropped;
use super::*;
use crate::transfer::journal::{RowAnswer, RowOutcome as Fate};
use crate::tui::paste_detection::Expected;
use crate::tui::screens::add_pet::NAME;
use crate::tui::screens::pets::popups::LookupBox;
use crate::tui::update::expected;

pub const FILE: &str = "pet_name,cat,state,notes\nBiscuit,3,available,came Tuesday\n,3,available,\nRex,three,sold,\n\
                    Biscuit,3,available,\nLuna,12, Pending,\n";

fn opened(columns: u16, rows: u16) -> TestApp {
    let mut app = TestApp::loaded_from(remote(), columns, rows, &animals(3));
    app.state.link.label = "PRODUCTION".into();
    app.keys("I \"new-arrivals.csv\" Enter");
    app
}

/// What a worker finds in `text`, as read by the newest job.
fn find(app: &mut TestApp, text: &'static str, before: Option<EarlierImport>) {
    let (_, reading) = look(app);
    let seen = preview(Input::stream("a", Cursor::new(text)).unwrap(), &reading, |_, _| true);
    let reading = before.as_ref().map_or(reading, |before| before.reading.clone());
    app.answer::<CheckFile>(match seen {
        Ok(preview) => Ok(CheckedFile { path: Some("/home/ada/new-arrivals.csv".into()), preview, before, reading }),
        Err(error) => Err(UnusableFile { why: error.to_string(), missing: None }),
    });
}

pub fn looked(columns: u16, rows: u16, text: &'static str) -> TestApp {
    opened(columns, rows).and(|app| find(app, text, None))
}

fn begun(app: &TestApp) -> Option<RunImport> {
    app.asked()
}

/// The source and column mapping of the newest check.
fn look(app: &TestApp) -> (ImportSource, ColumnMapping) {
    let CheckFile { source, reading } = app.asked().expect("nothing is checked");
    (source, reading)
}

fn row(line: u64, name: &str, outcome: Fate) -> ImportedRow {
    ImportedRow { line, name: name.into(), outcome, was_sent: true }
}

fn refused() -> Fate {
    let message = "categoryId 99 is unknown".to_owned();
    Fate::Refused(RowAnswer { status: Some(400), code: Some("INVALID_CATEGORY".into()), message })
}

fn unknown() -> Fate {
    Fate::Unknown(RowAnswer { message: "no answer in 30 s".into(), ..RowAnswer::default() })
}

/// An import of 1,237 rows, of which 612 are done.
pub fn running(columns: u16, rows: u16) -> TestApp {
    let mut app = looked(columns, rows, "name,cat\nBiscuit,3\n");
    app.state.add.import.looked_mut().unwrap().found = Some(Ok(many(1_237)));
    app.keys("F2");
    let files = ("/home/ada/new-arrivals.csv".into(), "/home/ada/new-arrivals.csv.petstore-import.ndjson".into());
    app.say::<RunImport>(ImportPart::Started(files.0, files.1));
    let progress = ImportProgress { added: 1, ..ImportProgress::default() };
    app.say::<RunImport>(ImportPart::Progress { progress, rows: Vec::new(), added: Vec::new() });
    app.wait(Duration::from_secs(60));
    let progress = ImportProgress { added: 606, refused: 5, unknown: 1, under_way: 4, ..ImportProgress::default() };
    let outcomes = vec![
        row(402, "Pepper", refused()),
        row(571, "Luna", unknown()),
        row(598, "Tank", refused()),
        row(611, "Moss", Fate::Added(100_862)),
        row(612, "Ziggy", Fate::Added(100_863)),
    ];
    app.say::<RunImport>(ImportPart::Progress { progress, rows: outcomes, added: Vec::new() });
    app
}

fn many(good: u64) -> CheckedFile {
    let mut preview =
        preview(Input::stream("a", Cursor::new("name,cat\nBiscuit,3\n")).unwrap(), &Default::default(), |_, _| true)
            .unwrap();
    preview.good = good;
    let reading = ColumnMapping::default();
    CheckedFile { path: Some("/home/ada/new-arrivals.csv".into()), preview, before: None, reading }
}

fn end(app: &mut TestApp, progress: ImportProgress, left: u64, ended: ImportEnded) {
    let end = Summary { progress, left: Some(left), ended, report: None };
    app.answer::<RunImport>(Ok(Ok(end)));
}

#[test]
fn tab_completes_the_path_as_far_as_it_is_certain_and_lists_the_rest() {
    let mut app = TestApp::loaded_from(remote(), 80, 24, &animals(3)).after("I \"new\" Tab");
    assert_eq!(app.asked(), Some(CompletePath("new".into())));
    let completed = |more: &str, names: &[&str]| {
        let names = names.iter().map(|name| (*name).to_owned()).collect();
        Ok(Completion { more: more.to_owned(), names })
    };
    let names = ["new-1.csv", "new-2.csv"];
    app.answer::<CompletePath>(completed("-", &names));
    assert_eq!(app.state.add.import.path.value(), "new-");
    // A reply for text that has changed since is ignored.
    app.keys("Tab \"2\"").answer::<CompletePath>(completed("-", &names));
    assert_eq!(app.state.add.import.path.value(), "new-2");
    app.keys("C-u \"new\" Tab").answer::<CompletePath>(completed("", &names)).shows("new-1.csv and new-2.csv.");
    app.keys("Tab").answer::<CompletePath>(completed("", &[])).shows("No file begins like this.");
}

#[test]
fn up_and_down_move_between_the_lines_and_change_no_column() {
    let mut app = looked(80, 24, "name,cat\nRex,3\n");
    app.effects.clear();
    for keys in ["Down", "j", "Up", "k", "Down Down Down Down Down"] {
        app.keys(keys);
        assert_eq!((app.effects.as_slice(), app.job(Slot::CheckFile)), (&[][..], None), "{keys}");
    }
    app.keys("F2");
    assert_eq!(begun(&app).unwrap().run.reading, ColumnMapping::default());
}

#[test]
fn a_column_named_after_another_field_is_asked_about_before_anything_is_sent() {
    let mut app = looked(80, 24, "name,category\nRex,3\n").after("Right");
    find(&mut app, "name,category\nRex,3\n", None);
    app.keys("F2");
    assert_eq!(begun(&app), None);
    app.shows("Nothing was sent. Is it right to read name from \"category\"? Then press Space");
    app.keys("F2");
    assert_eq!(begun(&app), None);
    app.keys("Space F2");
    assert_eq!(begun(&app).unwrap().run.reading.map, [Some("category".into()), None, None]);
}

#[test]
fn choices_of_a_column_go_round_once_and_a_typed_value_keeps_its_arrows() {
    let mut app = looked(80, 24, "name,cat\nRex,3\n").after("Down");
    let mut seen = Vec::new();
    for _ in 0..3 {
        app.keys("Left");
        let looked = app.state.add.import.looked_mut().unwrap();
        seen.push((looked.reading().map[1].clone(), looked.reading().set[1].clone()));
    }
    assert_eq!(seen, [(Some("name".into()), None), (None, Some(String::new())), (None, None)]);
    app.keys("Right \"17\" Left \"0\"");
    assert_eq!(app.state.add.import.looked_mut().unwrap().reading().set[1].as_deref(), Some("107"));
}

#[test]
fn with_bad_rows_nothing_is_sent_before_that_is_chosen() {
    let mut app = looked(80, 24, FILE).after("F2");
    assert_eq!(begun(&app), None);
    app.shows("2 rows cannot be sent. Choose to send only the others, or fix the file");
    app.keys("Space").shows("This adds 3 pets to PRODUCTION and cannot be undone.").keys("F2");
    let run = begun(&app).unwrap();
    let expected = (3, Start::New, ImportSource::File("new-arrivals.csv".into()));
    assert_eq!((run.run.counts.unwrap().good, run.run.start, run.source), expected);
}

#[test]
fn another_column_or_one_value_for_all_is_read_at_once() {
    let mut app = looked(80, 24, FILE).after("Tab Right");
    let (_, reading) = look(&app);
    assert_eq!(reading.map, [None, Some("state".into()), None]);
    // Past the last column to one value, which is checked once it is typed.
    find(&mut app, FILE, None);
    app.keys("Right Right").keys("\"7\"");
    assert_eq!(app.state.place().name, "import-value");
    app.keys("F2").shows("Still checking the file. Press F2 once that is done.");
    find(&mut app, FILE, None);
    app.shows("same for all").keys("F2 Space F2");

    assert_eq!(begun(&app).unwrap().run.reading.set, [None, Some("7".into()), None]);
}

#[test]
fn a_missing_column_is_asked_for() {
    let mut app = opened(80, 24);
    let not_seen = UnusableFile {
        why: "No column is named categoryId. Choose one.".into(),
        missing: Some((Field::CategoryId, vec!["a".into(), "b".into()])),
    };
    app.answer::<CheckFile>(Err(not_seen)).shows("No column is named categoryId").shows("> (none)");
    app.keys("Right Right");
    let (_, reading) = look(&app);
    assert_eq!(reading.map, [None, Some("b".into()), None]);
}

#[test]
fn a_file_that_cannot_be_read_has_an_error_at_its_name() {
    let mut app = opened(80, 24);
    let not_seen = UnusableFile { why: "cannot read new-arrivals.csv: No such file.".into(), missing: None };
    app.answer::<CheckFile>(Err(not_seen)).shows("cannot read new-arrivals.csv: No such file.");
    assert_eq!((app.state.place().name, app.state.add.import.path.value()), ("import-file", "new-arrivals.csv"));
}

#[test]
fn an_import_that_was_started_before_is_continued() {
    let mut app = opened(80, 24);
    let reading = ColumnMapping { set: [None, None, Some("sold".into())], ..ColumnMapping::default() };
    let before = EarlierImport { reading, ..earlier() };
    find(&mut app, "name,cat\nRex,3\n", Some(before));
    app.shows("This import was started before. F2 continues it").keys("F2");
    let run = begun(&app).unwrap();
    assert_eq!((run.run.start, run.run.reading.set), (Start::GoOn, [None, None, Some("sold".into())]));
}

/// An import of the same file that was stopped after its first row.
fn earlier() -> EarlierImport {
    EarlierImport {
        report: "/home/ada/new-arrivals.csv.petstore-import.ndjson".into(),
        began: "2026-11-13T11:30:00Z".parse().unwrap(),
        reading: ColumnMapping::default(),
        seen: Seen { file: Input::stream("a", Cursor::new("a")).unwrap().print().unwrap(), import: uuid::Uuid::nil() },
        same_file: true,
        finished: false,
        replaced: false,
        added: 1,
        here: 1,
        new: 2,
        bad: 0,
        unknown: 0,
        rows_then: 3,
    }
}

const THREE: &str = "name,cat\nRex,3\nMax,3\nLuna,3\n";

fn looked_after(before: EarlierImport) -> TestApp {
    opened(80, 24).and(|app| find(app, THREE, Some(before)))
}

#[test]
fn of_a_file_that_was_corrected_only_the_rest_is_sent() {
    let mut app = looked_after(EarlierImport { same_file: false, ..earlier() });
    let message = "The file has changed since its import began on 2026-11-13: 1 of 3 rows were added then and are not sent \
                again. F2 sends the other 2 rows.";
    app.shows(message).keys("F2");
    assert_eq!(begun(&app).unwrap().run.start, Start::GoOn);
}

#[test]
fn another_file_of_the_same_name_starts_over() {
    let before = EarlierImport { same_file: false, finished: true, here: 0, new: 3, ..earlier() };
    let anew = before.anew();
    let mut app = looked_after(before);
    app.shows("was of another file. Its report is kept.").shows("This adds 3 pets").keys("F2");
    assert_eq!(begun(&app).unwrap().run.start, anew);
}

#[test]
fn a_finished_file_is_added_again_only_if_that_is_chosen() {
    let before = EarlierImport { finished: true, added: 3, here: 3, new: 0, ..earlier() };
    let anew = before.anew();
    let mut app = looked_after(before);
    app.shows("every row was added.").lacks("This adds").keys("F2");
    assert_eq!(begun(&app), None);
    app.shows("Nothing was sent: every row was added before.").keys("Space F2");
    assert_eq!(begun(&app).unwrap().run.start, anew);
}

#[test]
fn rows_that_match_added_ones_are_skipped_or_added_as_chosen() {
    let before = EarlierImport { same_file: false, finished: true, added: 5, ..earlier() };
    let anew = before.anew();
    for (keys, start, pets) in [("Space", Start::GoOn, 2), ("Space Space", anew, 3)] {
        let mut app = looked_after(before.clone());
        app.state.link.protect = true;
        app.shows("1 of 3 rows match rows that the import of 2026-11-13 added").keys("F2");
        assert_eq!(begun(&app), None);
        app.shows("Choose what to do with the rows added before");
        app.keys(keys).keys("F2").shows(&format!("Import {pets} pets into"));
        app.wait(Duration::from_secs(1)).keys("y");
        assert_eq!(begun(&app).unwrap().run.start, start, "{keys}");
    }
}

#[test]
fn a_list_whose_rows_may_all_be_edited_is_added_only_if_that_is_chosen() {
    let before = EarlierImport { same_file: false, added: 2, here: 0, new: 3, ..earlier() };
    let anew = before.anew();
    let mut app = looked_after(before);
    app.shows("None of the 2 rows that the import of 2026-11-13 added is in the file unchanged.");
    app.keys("F2");
    assert_eq!(begun(&app), None);
    app.shows("If this is another list, press Space to add all its rows.").keys("Space F2");
    assert_eq!(begun(&app).unwrap().run.start, anew);
}

#[test]
fn an_import_with_bad_rows_continues_with_a_preview_of_the_fixed_file() {
    let mut app = running(80, 24);
    end(&mut app, ImportProgress { added: 1_237, invalid: 2, ..ImportProgress::default() }, 0, ImportEnded::Complete);
    app.shows("1237 added, 2 not sent (f shows them). Correct the file and press F2, or press w to write");
    app.keys("F2");
    assert_eq!(look(&app).0, ImportSource::File("/home/ada/new-arrivals.csv".into()));
    assert_eq!(app.state.place().name, "import-preview");
}

#[test]
fn the_report_of_an_import_before_the_last_is_named_in_its_command() {
    let kept = "/home/ada/new-arrivals.csv.petstore-import.20261113-093000.ndjson";
    let mut app = looked_after(EarlierImport { replaced: true, report: kept.into(), ..earlier() }).after("F2 Space F2");
    assert_eq!(begun(&app).unwrap().run.report.as_deref(), Some(Path::new(kept)));
    app.say::<RunImport>(ImportPart::Started("/home/ada/new-arrivals.csv".into(), kept.into()));
    let line = update::command_line(&app.state, " --resume");
    assert!(line.ends_with(&format!("'/home/ada/new-arrivals.csv' --report '{kept}' --resume")), "{line}");
}

#[test]
fn pasted_lines_are_offered_as_pets_and_can_become_one_name() {
    let mut app = TestApp::loaded(80, 24).after("a Tab \"3\" S-Tab");
    app.send(Msg::Paste("Rex\rLuna, the \"cat\"\r\n\nMax\r".into()));
    assert_eq!(app.state.place().name, "import-preview", "{}", app.screen());
    let (ImportSource::Pasted(text), reading) = look(&app) else { panic!("a file is checked") };
    assert_eq!(&*text, "name\n\"Rex\"\n\"Luna, the \"\"cat\"\"\"\n\n\"Max\"\n");
    assert_eq!(reading.set, [None, Some("3".into()), Some("available".into())]);
    find(&mut app, "name\nRex\nLuna\nMax\n", None);
    app.shows("This adds 3 pets").keys("Esc").wait(DEAF).keys("Enter");
    assert_eq!(app.state.place().name, "import-preview");
    app.keys("Esc").shows("Pasted and not added: 3 lines.").shows("They become one name in the form.");
    app.wait(DEAF).keys("y");
    assert_eq!((app.state.place().name, app.state.add.form[&NAME].value()), ("form", "Rex Luna, the \"cat\"  Max"));
}

/// The preview of two pasted names.
fn pasted() -> TestApp {
    let mut app = TestApp::loaded_from(remote(), 80, 24, &animals(3)).after("a Tab \"3\" S-Tab");
    app.send(Msg::Paste("Gus\rHal\r".into()));
    find(&mut app, "name\nGus\nHal\n", None);
    app
}

#[test]
fn the_program_does_not_end_with_pasted_rows_before_that_was_asked() {
    for keys in ["q", "1 q", "C-c C-c"] {
        let mut app = pasted().after(keys);
        assert_eq!((app.state.quitting, app.state.place().name), (None, "confirm"), "{keys}");
        assert!(app.says("Pasted and not added: 2 lines."), "{keys}: {}", app.screen());
        assert!(app.says("They are offered again at the next start."), "{keys}: {}", app.screen());
        app.wait(DEAF).keys("Enter");
        assert_eq!((app.state.quitting, app.state.place().name), (None, "import-preview"), "{keys}");
        app.keys(keys).wait(DEAF).keys("y");
        assert_eq!(app.state.quitting, Some(QuitReason::User), "{keys}");
    }
    let app = pasted().after("q C-c C-c");
    assert_eq!(app.state.quitting, Some(QuitReason::User), "Ctrl-C always ends it");
    let mut app = pasted();
    app.state.link.identity = None;
    app.keys("q").shows("They will be lost.");
}

#[test]
fn further_lines_are_rows_of_the_paste_whatever_is_open_over_it() {
    for keys in ["", "Esc", "q", "l", "F1", "Tab"] {
        let mut app = pasted().after(keys);
        assert_eq!(expected(&app.state), Expected::Rows, "{keys}");
        app.send(Msg::Paste("quill\r".into()));
        let (ImportSource::Pasted(text), reading) = look(&app) else { panic!("a file is checked") };
        assert_eq!(&*text, "name\n\"Gus\"\n\"Hal\"\n\"quill\"\n", "{keys}");
        assert_eq!(reading.set, [None, Some("3".into()), Some("available".into())]);
        app.shows("3 lines pasted, one pet each.");
        assert!(app.state.popups.get::<Question>().is_none() && app.state.quitting.is_none(), "{keys}");
    }
    // The value of a field is typed or pasted as before, and so is what is asked for in a box.
    let mut app = pasted();
    app.keys("Tab").send(Msg::Paste("4".into()));
    assert_eq!(app.state.add.import.looked_mut().unwrap().reading().set[1].as_deref(), Some("34"));
    app.keys("F4");
    assert_eq!(expected(&app.state), Expected::Keys);
    // From the form, too.
    let mut app = pasted();
    app.keys("a").send(Msg::Paste("Tom\nMax\n".into())).shows("4 lines pasted, one pet each.");
}

#[test]
fn pasted_rows_that_were_not_added_are_not_left_without_a_question() {
    let mut app = pasted().after("F2");
    let run = begun(&app).unwrap();
    assert_eq!(run.run.reading.set[1].as_deref(), Some("3"));
    assert!(app.state.add.import.draft().is_some(), "no file has them yet");
    app.say::<RunImport>(ImportPart::Started("/tmp/pasted-1.csv".into(), "/tmp/pasted-1.ndjson".into()));
    assert!(app.state.add.import.draft().is_none());
    end(&mut app, ImportProgress { added: 2, invalid: 1, ..ImportProgress::default() }, 0, ImportEnded::Complete);
    for keys in ["Esc", "q"] {
        app.keys(keys).shows("Pasted and not added: 1 line.").shows("They will be lost.");
        app.wait(DEAF).keys("Esc");
        assert_eq!((app.state.place().name, app.state.quitting), ("import-run", None));
    }
    app.keys("F2").shows("Nothing left to send.").keys("Esc").wait(DEAF).keys("y");
    assert_eq!(app.state.screen, Screen::Pets);
    app.keys("a").shows("So far: 2 saved");
    // What was refused is sent again, and is still pasted.
    let mut app = pasted().after("F2");
    app.say::<RunImport>(ImportPart::Started("/tmp/pasted-1.csv".into(), "/tmp/pasted-1.ndjson".into()));
    end(&mut app, ImportProgress { added: 1, refused: 1, ..ImportProgress::default() }, 0, ImportEnded::Complete);
    app.keys("F2");
    assert!(matches!(begun(&app).unwrap().source, ImportSource::Pasted(_)));
    app.say::<RunImport>(ImportPart::Started("/tmp/pasted-1.csv".into(), "/tmp/pasted-1.ndjson".into()));
    end(
        &mut app,
        ImportProgress { added_before: 1, refused: 1, ..ImportProgress::default() },
        0,
        ImportEnded::Complete,
    );
    app.keys("Esc");
    assert_eq!(app.state.place().name, "confirm");
    // With all of them added, or kept in their file, nothing is asked.
    for (added, left, ended) in [(2, 0, ImportEnded::Complete), (1, 1, ImportEnded::Stopped)] {
        let mut app = pasted().after("F2");
        app.say::<RunImport>(ImportPart::Started("/tmp/pasted-1.csv".into(), "/tmp/pasted-1.ndjson".into()));
        end(&mut app, ImportProgress { added, ..ImportProgress::default() }, left, ended);
        app.keys("Esc");
        assert_eq!(app.state.screen, Screen::Pets);
    }
}

#[test]
fn of_pasted_rows_nothing_is_offered_that_only_a_file_has() {
    let mut app = TestApp::loaded(80, 24).after("a");
    app.send(Msg::Paste("Rex\t3\n\tx\n".into()));
    find(&mut app, "name\tcategoryId\nRex\t3\n\tx\n", None);
    app.shows("line 2").lacks("line 3").shows("send none").shows("Paste them again, corrected.");
    app.keys("F2").shows("1 row cannot be sent. Choose to send only the others (Space).");
    app.lacks("file first").lacks("F5").keys("l").shows("line 2: column name");
}

#[test]
fn cells_from_a_spreadsheet_need_no_header() {
    let mut app = TestApp::loaded(80, 24).after("a");
    app.send(Msg::Paste("Rex\t3\tsold\nLuna\t4\tpending\n".into()));
    let (ImportSource::Pasted(text), _) = look(&app) else { panic!("a file is checked") };
    assert_eq!(&*text, "name\tcategoryId\tstatus\nRex\t3\tsold\nLuna\t4\tpending\n");
}

#[test]
fn a_file_dropped_on_the_name_is_previewed() {
    let mut app = TestApp::loaded(80, 24).after("a");
    app.send(Msg::Paste("'/home/ada/new arrivals.csv'".into()));
    let (source, _) = look(&app);
    assert_eq!(source, ImportSource::File("/home/ada/new arrivals.csv".into()));
}

#[test]
fn esc_asks_once_and_stops_and_f2_sends_the_rest() {
    let mut app = running(80, 24);
    let before = app.effects.len();
    app.keys("Esc").shows("625 rows left. Stop sending to").wait(Duration::from_secs(1)).keys("n");
    assert_eq!((app.state.place().name, app.effects.len()), ("import-run", before));
    app.keys("Esc").wait(Duration::from_secs(1)).keys("y");
    assert_eq!(app.effects.last(), Some(&Effect::StopImport));
    app.shows("Stopping after the rows being sent.");
    let progress = ImportProgress { added: 610, refused: 5, unknown: 1, ..ImportProgress::default() };
    end(&mut app, progress, 621, ImportEnded::Stopped);
    app.shows("Stopped: 610 added, 5 refused, 1 unknown, 621 left.");
    app.effects.clear();
    app.keys("F2");
    let run = begun(&app).unwrap();
    assert_eq!((run.run.start, run.source), (Start::GoOn, ImportSource::File("/home/ada/new-arrivals.csv".into())));
}

#[test]
fn an_import_that_ends_takes_back_the_question_whether_to_stop_it() {
    for help in ["", "F1"] {
        let mut app = running(80, 24).after("Esc");
        assert_eq!(app.state.place().name, "confirm");
        app.keys(help);
        end(&mut app, ImportProgress { added: 1237, ..ImportProgress::default() }, 0, ImportEnded::Complete);
        app.shows("Import finished: 1237 added.").keys(if help.is_empty() { "" } else { "Esc" });
        assert_eq!(app.state.place().name, "import-run");
    }
}

#[test]
fn it_continues_while_other_screens_show_it_and_what_it_has_added_so_far() {
    let mut app = running(80, 24);
    app.effects.clear();
    app.keys("1");
    assert!(app.job(Slot::List).is_some() && app.says("importing 49%"), "{}", app.screen());
    app.keys("2");
    assert_eq!(app.state.place().name, "import-run");
}

#[test]
fn numbers_from_before_an_import_are_not_called_exact() {
    let mut app = running(80, 24);
    let progress = || ImportProgress { added: 1, ..ImportProgress::default() };
    app.keys("1").shows("[All 3]");
    app.say::<RunImport>(ImportPart::Progress { progress: progress(), rows: Vec::new(), added: vec![100_234] });
    end(&mut app, progress(), 0, ImportEnded::Complete);
    app.shows("[All 3+]").answer_lists(&animals(4)).shows("[All 4]");
}

#[test]
fn an_import_that_ended_early_is_kept_in_mind_until_it_is_dropped() {
    let mut app = running(80, 24);
    let progress = ImportProgress { added: 606, ..ImportProgress::default() };
    end(&mut app, progress, 631, ImportEnded::NoAnswer(Failure::NoAnswer { after: Duration::from_secs(30) }));
    app.keys("Esc").shows("The import of new-arrivals.csv is not finished. I shows it again.");
    app.keys("j").shows("import not finished").keys("I");
    assert_eq!(look(&app).0, ImportSource::File("/home/ada/new-arrivals.csv".into()));
    find(&mut app, "name,cat\nRex,3\n", Some(earlier()));
    app.shows("This import is not finished. F2 continues it, F8 drops it.");
    app.keys("F8").shows("The import of new-arrivals.csv is dropped. Its report is kept");
    app.keys("1").lacks("not finished");
}

#[test]
fn what_the_line_above_the_keys_promises_is_true_in_each_state() {
    let ended = |progress, left, ended| running(80, 24).and(|app| end(app, progress, left, ended)).after("j");
    let some = |added, refused, invalid| ImportProgress { added, refused, invalid, ..ImportProgress::default() };
    for (app, line) in [
        (ended(some(1_237, 0, 0), 0, ImportEnded::Complete), "Finished. Esc closes."),
        (ended(some(1_236, 1, 0), 0, ImportEnded::Complete), "Finished. F2 sends the refused rows again; Esc closes."),
        (ended(some(1_237, 0, 1), 0, ImportEnded::Complete), "Finished. F2 checks the file again; Esc closes."),
        (
            ended(some(9, 0, 0), 1_228, ImportEnded::OnError),
            "Not finished. F2 sends the rest; Esc leaves it for later.",
        ),
        (looked(80, 24, "name,cat\nRex,3\n"), "Nothing has been sent yet."),
        (looked_after(earlier()), "Nothing more has been sent yet."),
    ] {
        let mut app = app;
        assert!(app.says(line), "{line}\n{}", app.screen());
    }
}

#[test]
fn another_service_gets_no_row_of_it() {
    let app = running(80, 24);
    let why = update::why_not_switch(&app.state).unwrap();
    assert_eq!(why, "An import into PRODUCTION is running, with 625 rows left. Stop it first (2, Esc).");
}

#[test]
fn an_outage_or_a_refused_key_ends_it_and_names_the_next_step() {
    let mut app = running(80, 24);
    let progress = ImportProgress { added: 606, ..ImportProgress::default() };
    end(&mut app, progress.clone(), 631, ImportEnded::NoAnswer(Failure::NoAnswer { after: Duration::from_secs(30) }));
    app.shows("606 added, 631 left; y copies the command to continue.").keys("y");
    let line = "petstore --base-url https://api.example.com/v1 pets import '/home/ada/new-arrivals.csv' --resume";
    assert_eq!(app.asked().map(|CopyText { text, .. }| text), Some(line.into()));
    let mut app = running(80, 24);
    end(&mut app, progress, 631, ImportEnded::Unauthorized(unauthorized()));
    assert!(app.state.key_refused() && app.says("F4 enters another."), "{}", app.screen());
}

#[test]
fn if_nothing_was_sent_the_preview_is_back_and_f2_tries_again() {
    let mut app = looked(80, 24, "name,cat\nRex,3\n").after("Tab Tab F2");
    let first = begun(&app).unwrap();
    let why = ImportEnded::NoAnswer(Failure::NotSent { why: "connection refused".into() });
    app.answer::<RunImport>(Ok(Err(why)));
    assert_eq!(app.state.place().name, "import-preview");
    app.shows("Nothing was sent. No connection").shows("F2 tries again.").keys("F2");
    assert_eq!(begun(&app).unwrap(), first);
    assert!(
        first.run.start == Start::New
            && app
                .effects
                .iter()
                .filter(|effect| matches!(effect, Effect::Job(job) if job.job.slot() == Slot::Import))
                .count()
                == 2
    );
    app.answer::<RunImport>(Ok(Err(ImportEnded::Unauthorized(unauthorized()))));
    assert!(app.state.key_refused() && app.says("1, F4: enter another"), "{}", app.screen());
}

#[test]
fn rejects_are_named_beside_their_file() {
    for (file, name) in [
        ("/home/ada/new.arrivals.csv", "/home/ada/new.arrivals-rejects.csv"),
        ("/data/v1.2/arrivals", "/data/v1.2/arrivals-rejects.csv"),
        ("./arrivals", "./arrivals-rejects.csv"),
        ("~/.arrivals", "~/.arrivals-rejects.csv"),
    ] {
        assert_eq!(update::rejects_name(&ImportSource::File(file.to_owned())), name);
    }
}

#[test]
fn rejects_are_written_and_rows_are_searched_for() {
    let mut app = running(80, 24).after("w");
    let write = app.state.popups.get::<WriteBox>().unwrap_or_else(|| panic!("no box"));
    assert_eq!(write.path.value(), "new-arrivals-rejects.csv");
    let Contents::Rejects(what) = &write.text else { panic!("other rows") };
    assert_eq!(what.report.as_deref(), Some(Path::new("/home/ada/new-arrivals.csv.petstore-import.ndjson")));
    app.keys("Enter");
    let write = app.asked().unwrap();
    assert!(matches!(write, WriteFile { what: Contents::Rejects(_), replace: false, .. }));
    app.keys("Esc f Down Enter");
    assert_eq!((app.state.screen, app.state.pets.search.value()), (Screen::Pets, "Luna"));
    assert!(app.job(Slot::List).is_some());
}

#[test]
fn esc_leads_from_the_file_back_to_the_screen_on_which_it_was_asked_for() {
    for (key, screen) in [("I", Screen::Pets), ("a F7", Screen::AddPet)] {
        let app = TestApp::loaded(80, 24).after(&format!("{key} Esc"));
        assert_eq!((app.state.screen, app.state.add.import.on), (screen, false), "{key}");
    }
}

#[test]
fn a_row_of_the_report_leads_to_its_pet_or_says_why_there_is_none() {
    let app = running(80, 24).after("Enter");
    assert_eq!((app.state.screen, app.state.place().name), (Screen::Pets, "by-id"));
    assert_eq!(app.state.popups.get::<LookupBox>().unwrap().field.input.value(), "100863");
    assert!(app.job(Slot::ById).is_some());
    let mut app = running(80, 24).after("f Enter");
    app.shows("Line 598: 400 INVALID_CATEGORY categoryId 99 is unknown");
    assert_eq!(app.state.screen, Screen::AddPet);
}

#[test]
fn rows_without_an_answer_are_asked_about_only_if_there_are_any() {
    let mut app = looked_after(earlier());
    app.lacks("Rows without an answer");
    let mut app = looked_after(EarlierImport { unknown: 1, ..earlier() });
    app.shows("Rows without an answer");
}

#[test]
fn rows_added_to_the_file_of_an_unfinished_import_are_asked_about() {
    let mut app = looked_after(EarlierImport { same_file: false, rows_then: 2, ..earlier() });
    let message = "The file has 1 row more than when its import began on 2026-11-13, which added 1 of its 3 rows.";
    app.shows(message).keys("F2");
    assert_eq!(begun(&app), None);
    app.keys("Space F2");
    assert_eq!(begun(&app).unwrap().run.start, Start::GoOn);
}

#[test]
fn a_protected_service_is_asked_about_with_the_number() {
    let mut app = looked(80, 24, FILE);
    app.state.link.protect = true;
    app.keys("F2 Space F2").shows("Import 3 pets into https://api.example.com/v1?");
    app.wait(Duration::from_secs(1)).keys("Enter");
    assert_eq!((begun(&app), app.state.place().name), (None, "import-preview"));
    app.keys("F2").wait(Duration::from_secs(1)).keys("y");
    assert_eq!(begun(&app).unwrap().run.counts.unwrap().good, 3);
}

#[test]
fn names_that_move_the_cursor_stay_in_their_cells() {
    let mut app = looked(80, 24, "name,cat,\u{1b}[2J\n\u{1b}[31mRex,3,x\nRex\u{202e},3,\nMax,3,\n");
    let screen = app.screen();
    assert!(!screen.chars().any(|c| c.is_control() && c != '\n') && !screen.contains('\u{202e}'), "{screen:?}");
    app.keys("F2 Space F2");
    app.say::<RunImport>(ImportPart::Started("/tmp/\u{1b}[2J.csv".into(), "/tmp/\u{1b}.ndjson".into()));
    let screen = app.screen();
    assert!(!screen.chars().any(|c| c.is_control() && c != '\n'), "{screen:?}");
}

#[test]
fn looks() {
    let mut looks = Looks::default();
    looks.state("file", |columns, rows| {
        TestApp::loaded_from(remote(), columns, rows, &animals(3)).after("I \"new-arrivals.csv\"")
    });
    looks.wide_state("preview", |columns, rows| looked(columns, rows, FILE));
    looks.state("value", |columns, rows| {
        looked(columns, rows, FILE).after("Tab Left Left \"7\" Tab").and(|app| find(app, FILE, None)).after("S-Tab")
    });
    whole_at_every_size("doubts", |columns, rows| {
        let mut app = looked(columns, rows, "name,category\nRex,3\n").after("Right");
        find(&mut app, "name,category\nRex,3\n", None);
        app.keys("F2");
        app
    });
    whole_at_every_size("unfinished", |columns, rows| {
        let mut app = TestApp::loaded_from(remote(), columns, rows, &animals(3));
        app.state.add.import.unfinished = Some("/home/ada/new-arrivals.csv".into());
        app
    });
    looks.state("running", running);
    looks.state("ended", |columns, rows| {
        let mut app = running(columns, rows);
        let progress = ImportProgress { added: 1_231, refused: 5, unknown: 1, ..ImportProgress::default() };
        end(&mut app, progress, 0, ImportEnded::Complete);
        app.keys("f");
        app
    });
    insta::assert_snapshot!(looks);
}

#[test]
fn the_pets_of_an_own_import_are_not_announced_as_changes() {
    let mut app = running(80, 24);
    let mut pets = animals(12);
    let now = app.now;
    app.state.pets.take(pets[..10].to_vec(), now);
    app.state.pets.store.finish(Coverage::ALL, now);
    app.state.pets.store.begin(true);
    let added = vec![pets[10].id, pets[11].id];
    let progress = ImportProgress { added: 2, ..Default::default() };
    app.say::<RunImport>(ImportPart::Progress { progress, rows: Vec::new(), added });
    pets[0].name = "Renamed elsewhere".into();
    app.state.pets.take(pets.clone(), now);
    let is_marked = |pet: &&Pet| app.state.pets.store.mark(pet.id).is_some();
    assert_eq!(pets.iter().filter(is_marked).map(|pet| pet.id).collect::<Vec<_>>(), [pets[0].id]);
}

#[test]
fn a_dropped_file_is_distinguished_from_a_name() {
    let path = |text: &str| dropped(text);
    assert_eq!(path("/home/ada/new arrivals.csv"), Some("/home/ada/new arrivals.csv".into()));
    assert_eq!(path("'/home/ada/new arrivals.XLSX' "), Some("/home/ada/new arrivals.XLSX".into()));
    assert_eq!(path("/home/ada/new\\ arrivals.json\n"), Some("/home/ada/new arrivals.json".into()));
    assert_eq!(path("file:///tmp/a.ndjson"), Some("/tmp/a.ndjson".into()));
    for name in ["Rex", "/etc/passwd", "pets.csv", "/a.csv\n/b.csv"] {
        assert_eq!(path(name), None, "{name}");
    }
}

#[test]
fn rows_with_ids_change_those_pets_after_a_question_that_says_what() {
    let text = "id,name,categoryId,status\n100231,,,sold\n100232,,,sold\n99,,,sold\n";
    let mut app = looked(80, 24, text);
    // The question is the one that such a profile asks, too.
    app.state.link.protect = true;
    app.shows("These rows have ids: c changes the pets").keys("c");
    find(&mut app, text, None);
    let pets: Vec<Pet> = app.state.pets.rows_from(0).take(2).cloned().collect();
    let change = format!("{} (#{}): status", pets[0].name, pets[0].id);
    app.shows("2 to change, 1 not found.").shows(&change).shows("-> sold").wait(DEAF).keys("n");
    assert_eq!((app.state.add.outbox.changes().count(), app.state.place().name), (0, "import-preview"));
    app.keys("c");
    find(&mut app, text, None);
    app.wait(DEAF).keys("y");
    for pet in pets {
        while app.state.pending.is_running(Slot::Queue) {
            app.answer::<WriteLines>(Ok(()));
        }
        let sold = Pet { status: Some(PetStatus::Sold.into()), ..pet };
        app.answer_in::<SendLine>(Slot::Line(0), Ok(LineSent::Saved(sold)));
    }
    assert!(app.says("2 sold. u undoes it.") && app.state.screen == Screen::Pets, "{}", app.screen());
}

#[test]
fn rows_that_cannot_change_pets_say_why() {
    let mut app = looked(80, 24, "name,cat\nRex,3\n");
    app.keys("c").shows("Only rows with a column id");
    let mut app = opened(80, 24);
    let missing = Some((Field::Name, vec!["id".into(), "status".into()]));
    app.answer::<CheckFile>(Err(UnusableFile { why: "No name.".into(), missing })).shows("c changes the pets");
    for (text, why) in [
        ("id,status\nx,sold\n", "Nothing was changed: 1 row to fix. line 2: column id:"),
        ("id,status\n99,sold\n", "Nothing was changed: 1 not found."),
    ] {
        app.keys("c");
        find(&mut app, text, None);
        app.shows(why);
    }
    app.state.pets.offers_changes = Some(false);
    app.lacks("c changes");
}
