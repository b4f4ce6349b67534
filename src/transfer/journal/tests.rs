use std::fs;
use std::ops::ControlFlow;

use super::*;
use crate::model::{IdempotencyKey, NewPet};
use crate::transfer::input::Print;
use crate::transfer::preview::RowCounts;
use crate::transfer::rows;

fn input() -> Input {
    Input::stream("a", io::Cursor::new("name,cat\nRex,3\n")).unwrap()
}

fn print() -> Print {
    input().print().unwrap()
}

fn target() -> Target {
    Target { service: "http://127.0.0.1/v1".into(), key: "secret".into() }
}

fn head() -> Head {
    Head::new(print(), &target(), ColumnMapping::default(), Some(RowCounts { good: 9, bad: 0 }), Timestamp::UNIX_EPOCH)
}

fn new(name: &str) -> NewPet {
    NewPet { name: name.into(), category_id: 3, status: None }
}

fn answer() -> RowAnswer {
    RowAnswer { status: Some(400), code: Some("invalid_name".into()), message: "No.".into() }
}

fn sending(journal: &Journal, row: u64, at: i64) {
    let at = Timestamp::from_second(at).unwrap();
    let row = Row { row, line: row + 1, new: new("Rex"), change: None, corrected: false };
    journal.sending(&row, at).unwrap();
}

/// A journal with a row of each kind.
fn written(path: &Path) -> Journal {
    let journal = Journal::create(path, &head()).unwrap();
    for row in 1..=6 {
        sending(&journal, row, 1000);
    }
    for (row, outcome) in [
        (1, RowOutcome::Added(7)),
        (2, RowOutcome::Refused(answer())),
        (3, RowOutcome::Unknown(answer())),
        (4, RowOutcome::NotSent(answer())),
        (7, RowOutcome::Invalid("No.".into())),
    ] {
        journal.outcome(row, row + 1, &outcome).unwrap();
    }
    journal
}

fn resume(path: &Path) -> Result<(Journal, Past), String> {
    resume_as(path, &target()).map_err(|error| error.to_string())
}

fn resume_as(path: &Path, target: &Target) -> Result<(Journal, Past), TransferError> {
    Journal::resume(path, &input(), target, &ColumnMapping::default())
}

fn states(past: &Past) -> Vec<RowState> {
    (1..=8).map(|row| past.state(row)).collect()
}

#[test]
fn a_written_journal_is_read_back() {
    use RowState::{Added, Invalid, NotSent, Refused, Unknown};
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("a.ndjson");
    drop(written(&path));
    let (journal, past) = resume(&path).unwrap();
    assert_eq!(states(&past), [Added, Refused, Unknown, NotSent, Unknown, Unknown, Invalid, NotSent]);
    let mut unknown_rows: Vec<_> = past.unknown_rows.iter().map(|(row, unknown)| (*row, unknown.clone())).collect();
    unknown_rows.sort_unstable_by_key(|(row, _)| *row);
    let unknown = |row| (row, UnknownRow { sent: 1000, ours: true, key: None });
    assert_eq!(unknown_rows, [unknown(3), unknown(5), unknown(6)]);
    sending(&journal, 3, 5000);
    drop(journal);
    assert_eq!(resume(&path).unwrap().1.unknown_rows[&3].sent, 1000, "the first time counts");
}

#[test]
fn a_journal_cut_anywhere_can_be_resumed() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("a.ndjson");
    drop(written(&path));
    let whole = fs::read(&path).unwrap();
    let first = whole.iter().position(|byte| *byte == b'\n').unwrap();
    for cut in first + 1..whole.len() {
        fs::write(&path, &whole[..cut]).unwrap();
        let (journal, past) = resume(&path).unwrap();
        assert!(past.whole <= cut as u64);
        journal.outcome(8, 9, &RowOutcome::Added(1)).unwrap();
        drop(journal);
        assert_eq!(resume(&path).unwrap().1.state(8), RowState::Added, "cut at {cut}");
    }
}

#[test]
fn another_stream_service_or_reading_is_refused_and_named() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("a.ndjson");
    drop(written(&path));
    let with = |text: &'static str, service: &str, reading: ColumnMapping| {
        let (input, target) =
            (Input::stream("a", io::Cursor::new(text)).unwrap(), Target { service: service.to_owned(), ..target() });
        let resumed = Journal::resume(&path, &input, &target, &reading);
        resumed.map(|_| ()).map_err(|error| error.to_string())
    };
    let (here, same) = (target().service, "name,cat\nRex,3\n");
    let says = |result: Result<(), String>, what: &str| assert!(result.unwrap_err().contains(what));
    says(with("name,cat\nTom,3\n", &here, ColumnMapping::default()), "the content of the file");
    says(
        with(same, "https://other/v1", ColumnMapping::default()),
        "the service was http://127.0.0.1/v1 and is now https://oth",
    );
    says(with(same, &here, ColumnMapping { raw: true, ..ColumnMapping::default() }), "the column mapping");
}

#[test]
fn what_differs_between_two_files_is_named() {
    let file = Print { size: Some(1), modified: Some(2), head: "a".into(), whole: None };
    let differs = |now: Print| file.difference(&now).unwrap();
    assert_eq!(file.difference(&file), None);
    assert_eq!(differs(Print { size: Some(3), ..file.clone() }).2, "3 bytes");
    assert_eq!(differs(Print { head: "b".into(), ..file.clone() }).0, "the content of the file (SHA-256)");
    assert_eq!(differs(Print { modified: Some(3), ..file.clone() }).0, "the time of the file's last change");
}

#[test]
fn a_row_sent_with_another_api_key_is_not_ours() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("a.ndjson");
    drop(written(&path));
    let other = Target { key: "other".into(), ..target() };
    let (journal, past) = resume_as(&path, &other).unwrap();
    assert!(!past.unknown_rows[&3].ours);
    // One of them is also sent with the other key, and a new one only with that.
    sending(&journal, 3, 5000);
    sending(&journal, 8, 5000);
    drop(journal);
    let ours = |target: &Target| {
        let past = resume_as(&path, target).unwrap().1;
        [3, 5, 8].map(|row| past.unknown_rows[&row].ours)
    };
    assert_eq!((ours(&target()), ours(&other)), ([false, true, false], [false, false, true]));
}

/// A journal of this file of names: every row was sent, and the first ones have these outcomes.
fn of_file(directory: &Path, names: &[&str], outcomes: &[Option<RowOutcome>]) -> (PathBuf, PathBuf) {
    let (file, path) = (directory.join("a.csv"), directory.join("a.csv.petstore-import.ndjson"));
    names_in(&file, names);
    let print = Input::file(&file).unwrap().print().unwrap();
    let head = Head::new(
        print,
        &target(),
        ColumnMapping::default(),
        Some(RowCounts { good: names.len() as u64, bad: 0 }),
        Timestamp::UNIX_EPOCH,
    );
    let journal = Journal::create(&path, &head).unwrap();
    for ((row, name), outcome) in (1..).zip(names).zip(outcomes) {
        let sent = Row { row, line: row + 1, new: new(name), change: None, corrected: false };
        journal.sending(&sent, Timestamp::from_second(1000).unwrap()).unwrap();
        if let Some(outcome) = outcome {
            journal.outcome(row, row + 1, outcome).unwrap();
        }
    }
    (file, path)
}

fn names_in(file: &Path, names: &[&str]) {
    fs::write(file, format!("name,cat\n{}", names.iter().map(|name| format!("{name},3\n")).collect::<String>()))
        .unwrap();
}

/// The numbers of the rows of a file.
fn numbers(file: &Path, past: &Past) -> Vec<u64> {
    let (mut numbers, mut found) = (RowNumbers::of(past, false), Vec::new());
    let read = rows::read(Input::file(file).unwrap(), &ColumnMapping::default(), |row| {
        found.extend(row.ok().map(|row| numbers.take(&row)));
        ControlFlow::Continue(())
    });
    read.unwrap();
    found
}

#[test]
fn in_a_changed_file_rows_are_matched_by_content_and_the_journal_only_grows() {
    use RowState::{Added, NotSent, Refused, Unknown};
    let directory = tempfile::tempdir().unwrap();
    let outcomes = [
        Some(RowOutcome::Added(7)),
        Some(RowOutcome::Added(8)),
        None,
        Some(RowOutcome::Refused(answer())),
        Some(RowOutcome::Added(9)),
    ];
    let (file, path) = of_file(directory.path(), &["Rex", "Rex", "Tom", "Max", "Gone"], &outcomes);
    let before = fs::read(&path).unwrap();
    // Three of one name now, where two were. Another order, and a bad row first.
    names_in(&file, &["", "Tom", "Rex", "Max", "Rex", "Rex", "New"]);
    let resume = |target: &Target| {
        let input = Input::file(&file).unwrap();
        Journal::resume(&path, &input, target, &ColumnMapping::default()).unwrap()
    };
    let (journal, past) = resume(&target());
    // The third one and the new one get new numbers; the one that is gone stays known.
    assert_eq!(numbers(&file, &past), [3, 1, 4, 2, 6, 7]);
    assert_eq!(states(&past)[..7], [Added, Added, Unknown, Refused, Added, NotSent, NotSent]);
    assert_eq!((past.head.good, past.head.bad, past.rows()), (Some(6), Some(1), 7));
    let unknown = &past.unknown_rows[&3];
    assert_eq!((unknown.sent, unknown.ours), (1000, true));
    // It is the same creation for the service.
    let first = read_head(&path).unwrap().id;
    assert_eq!(past.key_of(3), IdempotencyKey::numbered(first, 3));
    // The numbers of others may have been in use, and lost in a power cut.
    let new = past.key_of(6);
    assert_ne!(new, IdempotencyKey::numbered(first, 6));
    sending(&journal, 6, 1000);
    journal.outcome(6, 7, &RowOutcome::Added(10)).unwrap();
    drop(journal);
    assert!(fs::read(&path).unwrap().starts_with(&before));
    // Restored, it is recognized again, including the row that was gone in between.
    names_in(&file, &["Gone", "Tom", "Rex", "Rex", "Rex"]);
    let (journal, past) = resume(&Target { key: "other".into(), ..target() });
    assert_eq!(past.key_of(6), new);
    let seen: Vec<_> = numbers(&file, &past).into_iter().map(|number| past.state(number)).collect();
    assert_eq!((seen, past.unknown_rows[&3].ours), (vec![Added, Unknown, Added, Added, Added], false));
    drop(journal);
    names_in(&file, &["Fay"]);
    let resumed = Journal::resume(&path, &Input::file(&file).unwrap(), &target(), &ColumnMapping::default());
    assert!(matches!(resumed, Err(TransferError::Unrelated(_))), "{resumed:?}");
}

#[test]
fn after_a_power_cut_a_row_has_the_number_and_the_key_that_it_had() {
    let directory = tempfile::tempdir().unwrap();
    let outcomes = [Some(RowOutcome::Added(7)), Some(RowOutcome::Invalid("No.".into())), None, None];
    let (file, path) = of_file(directory.path(), &["Rex", "", "Tom", "Max"], &outcomes);
    // The lines of what was sent last are lost.
    let text = fs::read_to_string(&path).unwrap();
    let kept = text.lines().filter(|line| !line.contains("\"row\":3") && !line.contains("\"row\":4"));
    fs::write(&path, kept.map(|line| format!("{line}\n")).collect::<String>()).unwrap();
    let input = Input::file(&file).unwrap();
    let (_, past) = Journal::resume(&path, &input, &target(), &ColumnMapping::default()).unwrap();
    assert_eq!(numbers(&file, &past), [1, 3, 4]);
    assert_eq!(past.key_of(4), IdempotencyKey::numbered(past.head.id, 4));
}

#[test]
fn a_journal_of_version_2_is_continued() {
    let directory = tempfile::tempdir().unwrap();
    let (file, path) = of_file(directory.path(), &["Rex", "Tom"], &[Some(RowOutcome::Added(7)), None]);
    let (text, key) = (fs::read_to_string(&path).unwrap(), Uuid::new_v4());
    // As it was rewritten for an edited file: a row had the key of another number, and the API key was not known.
    let text = text.replacen("\"petstore_import\":3", "\"petstore_import\":2", 1);
    let text = text.replace("\"sent\":1000}", &format!("\"sent\":1000,\"key\":\"{key}\",\"by\":\"\"}}"));
    fs::write(&path, format!("{text}{{\"row\":0,\"end\":\"1970-01-01T00:00:00Z\"}}\n")).unwrap();
    let resume = || Journal::resume(&path, &Input::file(&file).unwrap(), &target(), &ColumnMapping::default()).unwrap();
    let (journal, past) = resume();
    let unknown = &past.unknown_rows[&2];
    assert_eq!((past.key_of(2).to_string(), unknown.ours), (key.to_string(), false));
    assert!(!past.is_finished());
    journal.outcome(2, 3, &RowOutcome::Added(8)).unwrap();
    journal.end(Timestamp::UNIX_EPOCH, 0).unwrap();
    drop(journal);
    assert!(resume().1.is_finished());
}

#[test]
fn a_replaced_journal_is_never_lost() {
    let directory = tempfile::tempdir().unwrap();
    let (file, path) = of_file(directory.path(), &["Rex"], &[Some(RowOutcome::Added(7))]);
    let before = fs::read(&path).unwrap();
    let head = Head::new(print(), &target(), ColumnMapping::default(), None, Timestamp::UNIX_EPOCH);
    let first = Journal::replace(&path, &head, None).unwrap().kept.unwrap();
    assert_eq!(first.file_name().unwrap(), "a.csv.petstore-import.19700101-000000.ndjson");
    // All within one second: every name is unique.
    let second = Journal::replace(&path, &head, None).unwrap();
    assert_ne!(second.kept.as_ref(), Some(&first));
    assert_eq!(fs::read(&first).unwrap(), before);
    assert_eq!(kept(&path).len(), 2);
    drop(second);
    // If nothing was sent, the replaced one is restored.
    Journal::replace(&path, &head, None).unwrap().discard();
    assert_eq!(kept(&path).len(), 2);
    // The journal that was seen must still be there.
    let other = Journal::replace(&path, &head, Some(Uuid::new_v4()));
    assert!(matches!(other, Err(TransferError::JournalExists(_))), "{other:?}");
    // While one is in use, no other replaces it.
    let input = Input::file(&file).unwrap();
    let held = Journal::replace(&path, &head, None).unwrap();
    assert!(matches!(Journal::replace(&path, &head, None), Err(TransferError::JournalInUse(_))));
    let resumed = Journal::resume(&path, &input, &target(), &ColumnMapping::default());
    assert!(matches!(resumed, Err(TransferError::JournalInUse(_))), "{resumed:?}");
    drop(held);
}

#[test]
fn overwriting_a_journal_is_refused() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("a.ndjson");
    assert!(Journal::guard(&path).is_ok());
    let journal = written(&path);
    let refused = |path: &Path| Journal::guard(path).unwrap_err().to_string();
    assert!(refused(&path).contains("--resume continues it and sends nothing twice"), "{}", refused(&path));
    assert!(resume(&path).unwrap_err().contains("another import is using"));
    drop(journal);
    let other = directory.path().join("b");
    fs::write(&other, "name,cat\nRex,3\n").unwrap();
    assert!(refused(&other).contains("is not an import report"));
    assert!(resume(&directory.path().join("c")).unwrap_err().contains("Run without --resume"));
}

#[test]
fn a_journal_that_names_rows_beyond_its_size_takes_no_memory() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("a.ndjson");
    let journal = written(&path);
    journal.outcome(u64::MAX, 1, &RowOutcome::Added(1)).unwrap();
    drop(journal);
    assert!(resume(&path).unwrap_err().contains("this row cannot exist"));
}

#[test]
fn the_journal_is_beside_its_file() {
    assert_eq!(Journal::beside(Path::new("a/b.csv")), Path::new("a/b.csv.petstore-import.ndjson"));
    assert_eq!(Journal::beside(Path::new("b")), Path::new("b.petstore-import.ndjson"));
}

proptest::proptest! {
    #[test]
    fn arbitrary_bytes_do_not_panic(bytes: Vec<u8>) {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("a");
        fs::write(&path, &bytes).unwrap();
        let _ = (resume(&path), Journal::guard(&path));
        let head = serde_json::to_vec(&head()).unwrap();
        fs::write(&path, [&head, &b"\n"[..], &bytes].concat()).unwrap();
        let _ = (resume(&path), Journal::guard(&path));
    }
}
