//! Runs the recipes of `docs/recipes.md`, each where its programs are installed.

use crate::prelude::*;

use std::net::TcpListener;

use petstore::config::{CustomAction, File, KeySource};
use petstore::local::program::{command, output_of};

use crate::documents::text;

/// What a recipe gets: a name that a printer, a shell or a spreadsheet would take for more than a name.
const PET: &str = "{\"id\":7,\"name\":\"=Mo^XZ~ \\\"; $(touch trap) ß\",\"categoryId\":3,\"status\":\"sold\"}\n";

/// The actions of the page, with each of `changes` made in it.
fn recipes(changes: &[(&str, &str)]) -> Vec<CustomAction> {
    let page = text("docs/recipes.md");
    let blocks = page.split("```toml\n").skip(1).filter_map(|rest| rest.split_once("```"));
    let mut all: String = blocks.map(|(block, _)| block).collect();
    for (from, to) in changes {
        assert!(all.contains(from), "{from}");
        all = all.replace(from, to);
    }
    File::parse(&all, Path::new("docs/recipes.md")).unwrap().actions.to_vec()
}

/// Whether all of these are installed; says what is skipped otherwise.
fn has(recipe: &str, programs: &[&str]) -> bool {
    let found = |program: &&str| {
        let mut command = Command::new("sh");
        command.args(["-c", "command -v \"$1\"", "sh", program]).stdout(Stdio::null()).status().unwrap().success()
    };
    let missing: Vec<_> = programs.iter().filter(|program| !found(program)).collect();
    if !missing.is_empty() {
        // None of them belongs to the project, nor is a test of it.
        let _ = writeln!(io::stderr(), "{recipe}: skipped, {missing:?} are not installed");
    }
    missing.is_empty()
}

async fn run(name: &str, changes: &[(&str, &str)], input: &str) -> Result<String, String> {
    let actions = recipes(changes);
    let action = actions.iter().find(|action| action.name == name).unwrap();
    let (program, arguments) = action.command.get_ref().split_first().unwrap();
    let mut command = command(program);
    command.args(arguments).env("PETSTORE_IDS", "7");
    output_of(command, input.as_bytes(), Duration::from_secs(60)).await
}

/// What the first connection sends, as far as `enough` says; answered with `answer`.
fn received(listener: TcpListener, answer: &'static str, enough: fn(&str) -> bool) -> thread::JoinHandle<String> {
    thread::spawn(move || {
        let (mut stream, _) = listener.accept().unwrap();
        let (mut got, mut part) = (Vec::new(), [0; 4096]);
        while !enough(&String::from_utf8_lossy(&got)) {
            match stream.read(&mut part).unwrap() {
                0 => break,
                count => got.extend_from_slice(&part[..count]),
            }
        }
        stream.write_all(answer.as_bytes()).unwrap();
        String::from_utf8(got).unwrap()
    })
}

/// An earlier petstore kept keys under these names.
#[test]
fn the_keyring_is_asked_for_the_profile_at_the_host_of_its_address() {
    let page = text("docs/recipes.md");
    let block = page.split("```toml\n").find(|block| block.starts_with("[profiles.shop]")).unwrap();
    let file = File::parse(block.split("```").next().unwrap(), Path::new("docs/recipes.md")).unwrap();
    let words = ["secret-tool", "lookup", "service", "petstore", "username", "shop@api.shop.example"];
    assert_eq!(file.profiles["shop"].key, Some(KeySource::Command(words.map(str::to_owned).to_vec())));
}

#[tokio::test]
async fn a_pet_is_shown_by_jq() {
    if has("as JSON", &["jq"]) {
        assert!(run("as JSON", &[], PET).await.unwrap().contains("\n  \"categoryId\": 3,\n"));
    }
}

#[tokio::test]
async fn a_label_is_printed_on_a_port() {
    if !has("label", &["bash", "jq"]) {
        return;
    }
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let place = format!("127.0.0.1/{}", listener.local_addr().unwrap().port());
    let printed = received(listener, "", |got| got.ends_with('\n'));
    run("label", &[("192.0.2.9/9100", &place)], PET).await.unwrap();
    let expected = "^XA^CI28^FO30,30^A0N,40^FD7  =Mo XZ  \"; $(touch trap) ß^FS^XZ\n";
    assert_eq!(printed.join().unwrap(), expected, "the name has no commands");
}

#[tokio::test]
async fn a_new_pet_is_posted_to_a_chat() {
    if !has("chat", &["bash", "jq", "curl"]) {
        return;
    }
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let place = format!("http://{}/hooks/123", listener.local_addr().unwrap());
    let answer = "HTTP/1.1 200 OK\r\ncontent-length: 0\r\nconnection: close\r\n\r\n";
    let posted = received(listener, answer, |got| got.trim_end().ends_with('}'));
    let page = text("docs/recipes.md");
    let line = page.lines().find_map(|line| line.strip_prefix("petstore pets watch --exec ")).unwrap();
    let words = shell_words::split(&line.replace("https://chat.example/hooks/123", &place)).unwrap();
    let mut command = command(&words[0]);
    command.args(&words[1..]);
    output_of(command, PET.as_bytes(), Duration::from_secs(60)).await.unwrap();
    let posted = posted.join().unwrap();
    assert!(posted.starts_with("POST /hooks/123 HTTP/1.1\r\n"), "{posted}");
    assert!(posted.trim_end().ends_with("{\"text\":\"New pet 7: =Mo^XZ~ \\\"; $(touch trap) ß\"}"), "{posted}");
}

#[tokio::test]
async fn rows_are_appended_to_a_spreadsheet() {
    if !has("to spreadsheet", &["bash", "jq"]) {
        return;
    }
    let directory = tempfile::tempdir().unwrap();
    let file = directory.path().join("pets.csv");
    let place = [("/home/ada/pets.csv", file.to_str().unwrap())];
    run("to spreadsheet", &place, PET).await.unwrap();
    run("to spreadsheet", &place, &PET.repeat(2)).await.unwrap();
    let line = "7,\"'=Mo^XZ~ \"\"; $(touch trap) ß\",3,\"sold\"\n";
    assert_eq!(fs::read_to_string(&file).unwrap(), line.repeat(3));
}

#[tokio::test]
async fn a_label_is_printed_by_cups_queues() {
    if !has("print", &["bash", "jq", "lp"]) {
        return;
    }
    // No such queue: it is reported, and not by the end of the pipe that succeeded.
    let why = run("print", &[("-d front", "-d no-such-queue-of-petstore")], PET).await.unwrap_err();
    assert!(why.starts_with("it failed"), "{why}");
}

#[tokio::test]
async fn a_label_is_printed_by_a_printer_in_the_network() {
    if !has("print directly", &["bash", "jq", "ipptool", "ippeveprinter"]) {
        return;
    }
    let port = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
    let directory = tempfile::tempdir().unwrap();
    let spool = directory.path().join("spool");
    fs::create_dir(&spool).unwrap();
    let mut printer = Command::new("ippeveprinter");
    printer.args(["-f", "text/plain", "-r", "off", "-k", "-n", "localhost", "-d"]).arg(&spool);
    printer.args(["-p", &port.to_string(), "front"]).stdout(Stdio::null()).stderr(Stdio::null());
    let mut printer = printer.spawn().unwrap();
    while std::net::TcpStream::connect(("localhost", port)).is_err() {
        if printer.try_wait().unwrap().is_some() {
            let _ = writeln!(io::stderr(), "print directly: skipped, ippeveprinter does not start without D-Bus");
            return;
        }
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    let result = run("print directly", &[("localhost:8631", &format!("localhost:{port}"))], PET).await;
    printer.kill().unwrap();
    printer.wait().unwrap();
    result.unwrap();
    let kept = fs::read_dir(&spool).unwrap().map(|entry| fs::read_to_string(entry.unwrap().path()).unwrap());
    assert!(kept.into_iter().any(|text| text == "7  =Mo^XZ~ \"; $(touch trap) ß\n"), "the spool has the job");
}
