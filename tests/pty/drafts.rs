//! What is typed survives whatever happens to the program: killed, hung up, without a terminal.

use crate::prelude::*;
use crate::served::Served;

use std::io::Read as _;
use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::mpsc::{Sender, channel};

use petstore::tui::drafts::{Drafts, Ending, TypedText};

use crate::adding::taken;
use crate::foreign;

const KEY: &str = "petk_0123456789abcdef77d0";

/// A service of one pet.
fn service() -> String {
    let pets = r#"[{"id":7,"name":"Rex","categoryId":1,"status":"available"}]"#;
    foreign::service(vec![("200 OK", pets.to_owned())])
}

/// The head of a message and, where a length is given, its body; what came of it where the other side is gone.
fn whole(stream: &mut TcpStream) -> Vec<u8> {
    let mut message = Vec::new();
    let mut more = [0; 4096];
    loop {
        if let Some(end) = message.windows(4).position(|bytes| bytes == b"\r\n\r\n") {
            let head = String::from_utf8_lossy(&message[..end]).to_lowercase();
            let length = head.lines().find_map(|line| line.strip_prefix("content-length: ")?.parse().ok());
            if message.len() >= end + 4 + length.unwrap_or(0) {
                return message;
            }
        }
        match stream.read(&mut more) {
            Ok(0) | Err(_) => return message,
            Ok(count) => message.extend_from_slice(&more[..count]),
        }
    }
}

fn start(base_url: &str, state: &Path) -> Start {
    let start = Start::petstore(&["--base-url", base_url]).env("PETSTORE_API_KEY", KEY);
    start.env("XDG_STATE_HOME", state.to_str().unwrap())
}

fn files(state: &Path, ending: &str) -> Vec<PathBuf> {
    let directory = state.join("petstore/drafts");
    let files = fs::read_dir(directory).into_iter().flatten().map(|file| file.unwrap().path());
    files.filter(|path| path.extension().is_some_and(|found| found == ending)).collect()
}

/// The drafts on disk.
fn drafts(state: &Path) -> Vec<Drafts> {
    let read = |path: PathBuf| serde_json::from_str(&fs::read_to_string(path).ok()?).ok();
    files(state, "json").into_iter().filter_map(read).collect()
}

/// The names that are typed on disk, sorted.
fn names(state: &Path) -> Vec<String> {
    let name = |drafts: Drafts| Some(drafts.typed.form?["name"].value().to_owned());
    let mut names: Vec<String> = drafts(state).into_iter().filter_map(name).collect();
    names.sort();
    names
}

#[track_caller]
fn wait_for(what: &str, condition: impl Fn() -> bool) {
    let begun = Instant::now();
    while !condition() {
        assert!(begun.elapsed() < PATIENCE, "{what} never came");
        std::thread::yield_now();
    }
}

#[test]
fn killed_at_any_moment_it_has_all_but_the_last_keys() {
    let state = tempfile::tempdir().unwrap();
    let base_url = service();
    let mut chance = std::process::id();
    let mut typed = String::new();
    for round in 0..33_u8 {
        let mut app = start(&base_url, state.path()).open();
        if typed.is_empty() {
            app.shows(&["Rex"]);
            app.send("a");
        } else {
            // The field shows its end.
            let end = &typed[typed.len().saturating_sub(40)..];
            app.shows(&["The last session ended unexpectedly at", &format!("{end}_")]);
        }
        chance = chance.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        let (first, last) = (1 + (chance >> 28) % 3, (chance >> 24) % 4);
        let letter = char::from(b'a' + round % 26);
        let sure = typed.clone() + &letter.to_string().repeat(first as usize);
        app.send(&sure[typed.len()..]);
        wait_for("what was typed first", || names(state.path()) == [sure.clone()]);
        app.send(letter.to_string().repeat(last as usize));
        app.end_by("KILL");
        let kept = names(state.path());
        assert!(kept.len() == 1 && kept[0].starts_with(&sure), "{kept:?} of {sure} and {last} more");
        typed.clone_from(&kept[0]);
    }
}

#[test]
fn a_signal_that_ends_it_leaves_everything_typed() {
    let base_url = service();
    for (signal, status, ended) in [("HUP", 129, Ending::Hangup), ("TERM", 143, Ending::Signal)] {
        let state = tempfile::tempdir().unwrap();
        let mut app = start(&base_url, state.path()).open();
        app.shows(&["Rex"]);
        app.send("aCaptain Fluff\t1\t").shows(&["[Captain Fluff_", "[1_", "> Status"]);
        app.signal(signal);
        assert_eq!(app.ended().0, status);
        let left = drafts(state.path()).remove(0);
        let form = left.typed.form.unwrap();
        assert_eq!((form["name"].value(), form["category"].value(), left.ended), ("Captain Fluff", "1", Some(ended)));
        let app = start(&base_url, state.path()).open();
        app.shows(&["[Captain Fluff_", "> Status", "None of it was sent."]);
    }
}

#[test]
fn a_terminal_that_goes_leaves_everything_typed() {
    let state = tempfile::tempdir().unwrap();
    let mut terminal = Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "drafts::types_and_is_gone", "--nocapture"])
        .env("PETSTORE_TEST_DRAFTS", state.path())
        .env("PETSTORE_TEST_SERVICE", service())
        .stdout(Stdio::null())
        .spawn()
        .unwrap();
    assert_eq!(terminal.wait().unwrap().code(), Some(0));
    wait_for("the drafts", || drafts(state.path()).iter().any(|left| left.ended == Some(Ending::Hangup)));
    assert_eq!(names(state.path()), ["Biscuit"]);
}

/// Run only by the test above: a terminal of its own, whose end closes every handle of the other side.
#[test]
fn types_and_is_gone() {
    let Some(state) = std::env::var_os("PETSTORE_TEST_DRAFTS") else { return };
    let script = format!("trap '' HUP; exec {PETSTORE} --base-url {}", std::env::var("PETSTORE_TEST_SERVICE").unwrap());
    let start = Start::program("/bin/sh", &["-c", &script]).env("PETSTORE_API_KEY", KEY);
    let mut app = start.env("XDG_STATE_HOME", state.to_str().unwrap()).open();
    app.shows(&["Rex"]);
    app.send("aBiscuit").shows(&["[Biscuit_"]);
    std::process::exit(0);
}

/// Passes requests on to `service` and answers back, but keeps back the answers to creations while `holding`; tells of
/// each creation that was carried out.
fn proxy(service: SocketAddr, holding: Arc<AtomicBool>, carried_out: Sender<()>) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    std::thread::spawn(move || {
        for stream in listener.incoming() {
            let mut stream = stream.unwrap();
            let (holding, carried_out) = (Arc::clone(&holding), carried_out.clone());
            std::thread::spawn(move || {
                let request = whole(&mut stream);
                let mut service = TcpStream::connect(service).unwrap();
                service.write_all(&request).unwrap();
                let answer = whole(&mut service);
                if request.starts_with(b"POST") {
                    let _ = carried_out.send(());
                    if holding.load(Ordering::SeqCst) {
                        // Until the other side is gone.
                        let _ = stream.read(&mut [0; 1]);
                        return;
                    }
                }
                let _ = stream.write_all(&answer);
            });
        }
    });
    format!("http://{address}/v1")
}

#[test]
fn killed_between_sending_and_the_answer_it_adds_the_pet_once() {
    let directory = tempfile::tempdir().unwrap();
    let served = Served::with_samples(5);
    let address = served.url().strip_prefix("http://").unwrap().split('/').next().unwrap();
    let (holding, (carried_out, creations)) = (Arc::new(AtomicBool::new(true)), channel());
    let base_url = proxy(address.parse().unwrap(), Arc::clone(&holding), carried_out);
    let state = directory.path().join("state");
    let open = || {
        let start = Start::petstore(&["--base-url", &base_url]).env("PETSTORE_API_KEY", served.key());
        start.env("XDG_STATE_HOME", state.to_str().unwrap()).open()
    };
    let mut app = open();
    app.shows(&["[All 5]"]);
    app.send("aBiscuit\t3\x1bOQ");
    creations.recv_timeout(PATIENCE).unwrap();
    app.end_by("KILL");
    assert_eq!(taken(&state), ["Biscuit"]);

    holding.store(false, Ordering::SeqCst);
    let mut app = open();
    app.shows(&["Added Biscuit, id 6."]);
    creations.recv_timeout(PATIENCE).unwrap();
    wait_for("the empty draft", || files(&state, "json").is_empty());
    app.shows(&["[All 6]", "Biscuit"]);
    app.quit();
    let looked = AtomicUsize::new(0);
    every_file(&state, &|path, bytes| {
        looked.fetch_add(1, Ordering::SeqCst);
        let has = bytes.windows(served.key().len()).any(|window| window == served.key().as_bytes());
        assert!(!has, "the key is in {}", path.display());
    });
    assert!(looked.into_inner() > 0);
}

fn every_file(directory: &Path, look: &dyn Fn(&Path, &[u8])) {
    for entry in fs::read_dir(directory).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            every_file(&path, look);
        } else {
            look(&path, &fs::read(&path).unwrap());
        }
    }
}

/// How to a field, and what is typed there on disk.
type Field = (&'static str, fn(TypedText) -> Option<String>);

#[test]
fn a_kill_right_after_a_key_loses_at_most_that_key() {
    const FIELDS: [Field; 3] = [
        ("a", |typed| Some(typed.form?["name"].value().to_owned())),
        ("Pn", |typed| Some(typed.profile?["address"].value().to_owned())),
        ("/", |typed| Some(typed.search.value().to_owned())),
    ];
    let base_url = service();
    let mut took = Vec::new();
    for ((way, field), text) in FIELDS.into_iter().flat_map(|field| ["q", "qz", "qzx"].map(|text| (field, text))) {
        let state = tempfile::tempdir().unwrap();
        let on_disk = || drafts(state.path()).pop().and_then(|drafts| field(drafts.typed));
        let mut app = start(&base_url, state.path()).open();
        app.shows(&["Rex"]);
        app.send(way);
        let (before, last) = text.split_at(text.len() - 1);
        // One key after the other, as people type.
        for typed in (1..=before.len()).map(|end| &before[..end]) {
            app.send(&typed[typed.len() - 1..]);
            let sent = Instant::now();
            wait_for("the key before", || on_disk().as_deref() == Some(typed));
            took.push(sent.elapsed());
        }
        app.send(last);
        app.shows(&[text]);
        app.signal("KILL");
        app.ended();
        let kept = on_disk().unwrap_or_default();
        assert!(kept == before || kept == text, "{kept} of {text}");
    }
    took.sort_unstable();
    let median = took[took.len() / 2];
    assert!(median < Duration::from_millis(300), "a key is on disk after {median:?}");
}
