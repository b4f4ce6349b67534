use std::fs;

use super::*;

fn print() -> Print {
    Print { size: Some(1), modified: Some(2), head: "a".into(), whole: None }
}

fn target() -> Target {
    Target { service: "http://127.0.0.1/v1".into(), key: "secret".into() }
}

fn head() -> Head {
    Head::new(print(), &target(), Reading::default(), Some(9), Timestamp::UNIX_EPOCH)
}

fn new(name: &str) -> NewPet {
    NewPet { name: name.into(), category_id: 3, status: None }
}

fn answer() -> Answer {
    Answer { status: Some(400), code: Some("invalid_name".into()), message: "No.".into() }
}

fn sending(journal: &Journal, row: u64, at: i64) {
    let at = Timestamp::from_second(at).unwrap();
    let row = Row { row, line: row + 1, new: new("Rex"), mended: false };
    journal.sending([&row].into_iter(), at).unwrap();
}

/// A journal with a row of each kind.
fn written(path: &Path) -> Journal {
    let journal = Journal::create(path, &head()).unwrap();
    for row in 1..=6 {
        sending(&journal, row, 1000);
    }
    for (row, outcome) in [
        (1, Outcome::Added(7)),
        (2, Outcome::Refused(answer())),
        (3, Outcome::Unknown(answer())),
        (4, Outcome::NotSent(answer())),
        (7, Outcome::Invalid("No.".into())),
    ] {
        journal.outcome(row, row + 1, &outcome).unwrap();
    }
    journal
}

fn resume(path: &Path) -> Result<(Journal, Past), String> {
    Journal::resume(path, &print(), &target(), &Reading::default()).map_err(|error| error.to_string())
}

fn states(past: &Past) -> Vec<State> {
    (1..=8).map(|row| past.state(row)).collect()
}

#[test]
fn what_was_written_is_known_again() {
    use State::{Added, InDoubt, Open, Refused};
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("a.ndjson");
    drop(written(&path));
    let (journal, past) = resume(&path).unwrap();
    assert_eq!(states(&past), [Added, Refused, InDoubt, Open, InDoubt, InDoubt, Refused, Open]);
    let mut doubts: Vec<_> = past.doubts.iter().map(|(row, doubt)| (*row, *doubt)).collect();
    doubts.sort_unstable_by_key(|(row, _)| *row);
    let doubt = |row| (row, Doubt { line: row + 1, hash: hash(&new("Rex")), sent: 1000 });
    assert_eq!(doubts, [doubt(3), doubt(5), doubt(6)]);
    assert!(past.same_key);
    sending(&journal, 3, 5000);
    drop(journal);
    assert_eq!(resume(&path).unwrap().1.doubts[&3].sent, 1000, "the first time counts");
}

#[test]
fn a_journal_that_was_cut_anywhere_goes_on() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("a.ndjson");
    drop(written(&path));
    let whole = fs::read(&path).unwrap();
    let first = whole.iter().position(|octet| *octet == b'\n').unwrap();
    for cut in first + 1..whole.len() {
        fs::write(&path, &whole[..cut]).unwrap();
        let (journal, past) = resume(&path).unwrap();
        assert!(past.whole <= cut as u64);
        journal.outcome(8, 9, &Outcome::Added(1)).unwrap();
        drop(journal);
        assert_eq!(resume(&path).unwrap().1.state(8), State::Added, "cut at {cut}");
    }
}

#[test]
fn another_file_service_or_reading_is_refused_and_named() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("a.ndjson");
    drop(written(&path));
    let with = |print: Print, service: &str, reading: Reading| {
        let target = Target { service: service.to_owned(), ..target() };
        Journal::resume(&path, &print, &target, &reading).map(|_| ()).map_err(|error| error.to_string())
    };
    let here = target().service;
    let says = |result: Result<(), String>, what: &str| assert!(result.unwrap_err().contains(what));
    says(with(Print { size: Some(3), ..print() }, &here, Reading::default()), "size of the file was 1 octets and is 3");
    says(with(Print { head: "b".into(), ..print() }, &here, Reading::default()), "the content of the file");
    says(with(Print { modified: Some(3), ..print() }, &here, Reading::default()), "last change was 2 and is 3");
    says(
        with(print(), "https://other/v1", Reading::default()),
        "the service was http://127.0.0.1/v1 and is https://oth",
    );
    says(with(print(), &here, Reading { raw: true, ..Reading::default() }), "the reading");
    let other_key = Target { key: "other".into(), ..target() };
    assert!(!Journal::resume(&path, &print(), &other_key, &Reading::default()).unwrap().1.same_key);
}

#[test]
fn beginning_again_over_a_journal_is_refused() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("a.ndjson");
    assert!(Journal::guard(&path).is_ok());
    let journal = written(&path);
    let refused = |path: &Path| Journal::guard(path).unwrap_err().to_string();
    assert!(refused(&path).contains("is not finished. Go on with it by --resume, or remove it"), "{}", refused(&path));
    assert!(resume(&path).unwrap_err().contains("another import is at work"));
    journal.end(Timestamp::UNIX_EPOCH).unwrap();
    drop(journal);
    assert!(refused(&path).contains("has ended"));
    let other = directory.path().join("b");
    fs::write(&other, "name,cat\nRex,3\n").unwrap();
    assert!(refused(&other).contains("is no report of an import"));
    assert!(resume(&directory.path().join("c")).unwrap_err().contains("Begin without --resume"));
}

#[test]
fn a_journal_that_names_rows_beyond_its_size_takes_no_memory() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("a.ndjson");
    let journal = written(&path);
    journal.outcome(u64::MAX, 1, &Outcome::Added(1)).unwrap();
    drop(journal);
    assert!(resume(&path).unwrap_err().contains("there is no such row"));
}

#[test]
fn the_journal_is_beside_its_file() {
    assert_eq!(Journal::beside(Path::new("a/b.csv")), Path::new("a/b.csv.petstore-import.ndjson"));
    assert_eq!(Journal::beside(Path::new("b")), Path::new("b.petstore-import.ndjson"));
}

proptest::proptest! {
    #[test]
    fn no_octets_make_it_stumble(octets: Vec<u8>) {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("a");
        fs::write(&path, &octets).unwrap();
        let _ = (resume(&path), Journal::guard(&path));
        let head = serde_json::to_vec(&head()).unwrap();
        fs::write(&path, [&head, &b"\n"[..], &octets].concat()).unwrap();
        let _ = (resume(&path), Journal::guard(&path));
    }
}
