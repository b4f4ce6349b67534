//! Runs every command line of the helps, the README and `docs`, in a home where the files that they name exist.

use crate::prelude::*;

use std::os::unix::process::CommandExt as _;
use std::sync::mpsc;

use rustix::process::kill_process_group;

use super::fixture::*;
use super::helps::{commands, help};
use crate::documents::{documents, text};
use crate::skipped::skipped;

/// How long a command may go on before it counts as one that does not end by itself.
const PATIENCE: Duration = Duration::from_secs(60);

/// What goes on, or is patient with resolvers that do not answer.
const GOES_ON: [&str; 4] = ["watch", " serve", "domains check", "domains report"];

/// A home with a profile `branch`, files of pets and of SSH keys, a database and a configuration of domains. Nothing in it
/// reaches beyond this machine.
fn prepare(served: &Served) -> TempDir {
    let home = tempfile::tempdir().unwrap();
    let write = |name: &str, text: &str| {
        let path = home.path().join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    };
    // One that may see who added pets.
    let database = served.database();
    let create = format!("petstore keys create --database {database} --name branch --scopes read,write,audit");
    write("key", stdout(&shell(&home, &create).output().unwrap()).trim());
    fs::set_permissions(home.path().join("key"), Permissions::from_mode(0o600)).unwrap();
    let address = &served.base_url;
    let config = format!(
        "[profiles.branch]\nbase_url = \"{address}\"\nkey = {{ file = \"{}\" }}\n\
         [domains]\nplatform_host = \"sites.platform.example\"\nresolvers = [\"127.0.0.1:1\"]\n",
        home.path().join("key").display()
    );
    write(".config/petstore/config.toml", &config);
    write("pets.ndjson", "{\"name\":\"Rex\",\"categoryId\":1}\n");
    write("new-arrivals.csv", "name,categoryId,kind\nBiscuit,3,3\n");
    write("bin/print-label", "#!/bin/sh\nexec cat\n");
    fs::set_permissions(home.path().join("bin/print-label"), Permissions::from_mode(0o700)).unwrap();
    write("domains.toml", "[domains]\nprimary = \"docs.example.com\"\n");
    let ssh_key = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAA";
    write("till-2.pub", &format!("{ssh_key}IK+uG1UD5UkxXBl7di7d7gQQ7qkpANw/4CSstb/oPx/7 till-2\n"));
    write("display.pub", &format!("{ssh_key}IOu2+7TahhNYilRvPkVV++uDYIvAaLrJotD74SZkR+iq display\n"));
    for command in ["petstore keys create --database sqlite:store.db --name till", "petstore pets count"] {
        let made = shell(&home, command).output().unwrap();
        assert!(made.status.success(), "{}", stderr(&made));
    }
    home
}

fn shell(home: &TempDir, line: &str) -> Command {
    let mut command = Command::new("/bin/sh");
    let programs = Path::new(PETSTORE).parent().unwrap().display().to_string();
    command.args(["-c", line]).current_dir(home.path()).env_clear().env("HOME", home.path()).env("LANG", "C.UTF-8");
    command.env("PATH", format!("{programs}:{}:/usr/bin:/bin", home.path().join("bin").display()));
    // In a group of its own, so that what a shell has started ends with it.
    command.process_group(0).stdin(Stdio::null());
    command
}

/// How a line ended, and what it said on stderr; nothing for one that went on, and was ended here.
fn outcome(home: &TempDir, line: &str, patience: Duration) -> Option<(Option<i32>, String)> {
    let child = shell(home, line).stdout(Stdio::null()).stderr(Stdio::piped()).spawn().unwrap();
    let group = Pid::from_child(&child);
    let (tell, told) = mpsc::channel();
    let waits = thread::spawn(move || tell.send(child.wait_with_output().unwrap()));
    let output = told.recv_timeout(patience).ok();
    if output.is_none() {
        let _ = kill_process_group(group, Signal::KILL);
    }
    let _ = waits.join().unwrap();
    output.map(|output| (output.status.code(), stderr(&output)))
}

/// Whether a command ended because this test has no terminal, and nobody to ask.
fn needs_more(errors: &str) -> bool {
    let begins = ["the full screen needs a terminal", "a key is needed, and it cannot be asked for"];
    begins.iter().any(|begin| errors.starts_with(&format!("petstore: {begin}")))
}

/// The examples of a help: what begins with two blanks and the name of the program.
fn examples(command: &[String]) -> Vec<String> {
    let text = help(command, "--help");
    let mut found: Vec<String> = Vec::new();
    let mut was_example = false;
    for line in text.lines() {
        let is_example = line.starts_with("  petstore");
        assert!(is_example || !was_example || line.is_empty(), "an example is too long for one line: {line}");
        was_example = is_example;
        if is_example {
            found.push(line.trim().to_owned());
        }
    }
    assert!(!found.is_empty(), "{command:?}");
    found
}

#[test]
fn every_example_is_a_line_that_works() {
    let served = Served::start();
    let home = prepare(&served);
    let mut lines: Vec<String> = commands().iter().flat_map(|command| examples(command)).collect();
    lines.sort();
    lines.dedup();
    // The names of others are not asked for from here.
    let lines: Vec<String> = lines.iter().map(|line| line.replace("db.shop.example", "127.0.0.1:1")).collect();
    assert!(lines.len() > 60, "{lines:#?}");
    // These run at the same time as the others, and are ended.
    let (going_on, ending): (Vec<_>, Vec<_>) =
        lines.into_iter().partition(|line| GOES_ON.iter().any(|words| line.contains(words)));
    let mut wrong = Vec::new();
    let home = &home;
    thread::scope(|scope| {
        let watches =
            going_on.iter().map(|line| scope.spawn(move || (line, outcome(home, line, Duration::from_secs(3)))));
        let watches: Vec<_> = watches.collect();
        let ended = ending.iter().map(|line| (line, outcome(home, line, PATIENCE)));
        let ended: Vec<_> = ended.collect();
        for (line, outcome) in ended.into_iter().chain(watches.into_iter().map(|watch| watch.join().unwrap())) {
            if let Some((status, said)) = outcome
                && (status.is_none_or(|status| matches!(status, 2 | 101)) && !needs_more(&said))
            {
                wrong.push(format!("{line}: {status:?}: {said}"));
            }
        }
    });
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn the_examples_of_pets_do_what_they_say() {
    let served = Served::start();
    let home = prepare(&served);
    for command in ["list", "add", "get"] {
        for line in examples(&["pets".to_owned(), command.to_owned()]) {
            let line = line.replace("petstore pets", "petstore -p branch pets");
            if !line.contains("--watch") {
                let (status, said) = outcome(&home, &line, PATIENCE).unwrap();
                assert_eq!(status, Some(0), "{line}: {said}");
            }
        }
    }
}

/// The lines of a document's shell blocks without their comments, and what is in backquotes in its text.
fn of_a_document(text: &str) -> (Vec<String>, Vec<String>) {
    let (mut lines, mut words, mut language) = (Vec::new(), String::new(), None);
    for line in text.lines() {
        match (line.trim_start().strip_prefix("```"), language) {
            (Some(name), None) => language = Some(name),
            (Some(_), Some(_)) => language = None,
            (None, Some("sh")) => lines.push(line.split(" # ").next().unwrap().trim().to_owned()),
            (None, Some(_)) => {}
            (None, None) => {
                words.push_str(line);
                words.push(' ');
            }
        }
    }
    let mentioned =
        words.split('`').skip(1).step_by(2).map(|words| words.split_whitespace().collect::<Vec<_>>().join(" "));
    (lines.into_iter().filter(|line| !line.is_empty()).collect(), mentioned.collect())
}

/// Whether a line needs another program that is not installed here.
fn is_skipped(home: &TempDir, line: &str) -> bool {
    let missing = ["jq", "column", "fzf", "curl"].into_iter().find(|program| {
        line.split(' ').any(|word| word == *program)
            && !shell(home, &format!("command -v {program}")).stdout(Stdio::null()).status().unwrap().success()
    });
    if let Some(program) = missing {
        skipped(&format!("{program} is not installed: {line}"));
    }
    missing.is_some()
}

/// The lines of one document that do not work, each with its status and its errors; they are run one after another.
fn wrong_lines(lines: Vec<String>, served: &Served) -> Vec<String> {
    let home = prepare(served);
    let key = fs::read_to_string(home.path().join("key")).unwrap();
    let certificate = rcgen::generate_simple_self_signed(["localhost".to_owned()]).unwrap();
    fs::write(home.path().join("chain.pem"), certificate.cert.pem()).unwrap();
    fs::write(home.path().join("key.pem"), certificate.signing_key.serialize_pem()).unwrap();
    let mut around = format!("export PETSTORE_PROFILE=branch PETSTORE_API_KEY={key}; ");
    // Where nobody can choose, fzf takes what matches.
    around.push_str("export FZF_DEFAULT_OPTS='--filter a'; ");
    let mut wrong = Vec::new();
    for line in lines {
        if is_skipped(&home, &line) {
            continue;
        }
        // What the reader has to fill in, and addresses that this machine does not have.
        let line = line.replace(" ID", " ab12cd34").replace("10.0.0.7:8080", "127.0.0.1:0");
        let line = line.replace("0.0.0.0:8443", "127.0.0.1:0").replace("127.0.0.1:8080", "127.0.0.1:0");
        let line =
            line.replace("db.shop.example", "127.0.0.1:1").replace("https://api.shop.example", "http://127.0.0.1:1");
        if line.starts_with("export ") {
            around.push_str(&format!("{line}; "));
            continue;
        }
        let goes_on = GOES_ON.iter().any(|words| line.contains(words));
        let patience = if goes_on { Duration::from_secs(2) } else { PATIENCE };
        // There is no such domain, server or key. A command that reports that has understood the line.
        if let Some((status, errors)) = outcome(&home, &format!("{around}{line}"), patience)
            && status.is_none_or(|status| matches!(status, 2 | 101 | 127))
            && !needs_more(&errors)
        {
            wrong.push(format!("{line}: {status:?}: {errors}"));
        }
        if line.starts_with("petstore login -p shop") {
            // There was nobody to ask for the key.
            let config = home.path().join(".config/petstore/config.toml");
            let shop = "\n[profiles.shop]\nbase_url = \"http://127.0.0.1:1/v1\"\n";
            fs::write(&config, fs::read_to_string(&config).unwrap() + shop).unwrap();
        }
    }
    wrong
}

#[test]
fn every_line_of_the_documents_is_one_that_works() {
    let served = Served::start();
    let documents: Vec<_> = documents().iter().map(|page| (page.clone(), of_a_document(&text(page)))).collect();
    let all: Vec<_> = documents.iter().flat_map(|(_, (lines, _))| lines).collect();
    let cargo: Vec<_> = all.iter().filter(|line| line.starts_with("cargo ")).collect();
    // The first runs the app, the second runs all tests, this one too, the third installs it.
    assert_eq!(cargo, [&"cargo run -- --demo", &"cargo test", &"cargo install --path . --locked"]);
    // A package of this crate has no such file.
    if let Ok(runs) = fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/.ci/run")) {
        assert!(runs.lines().any(|line| line.starts_with(cargo[1].as_str())), "{runs}");
    }
    assert!(all.len() > 70, "{all:#?}");
    let mut wrong = Vec::new();
    thread::scope(|scope| {
        let served = &served;
        let runs = documents.iter().map(|(page, (lines, _))| {
            let lines = lines.iter().filter(|line| !line.starts_with("cargo ")).cloned().collect();
            (page, scope.spawn(move || wrong_lines(lines, served)))
        });
        for (page, run) in runs.collect::<Vec<_>>() {
            wrong.extend(run.join().unwrap().into_iter().map(|line| format!("{page}: {line}")));
        }
    });
    // What is mentioned in the text may be incomplete: its help has to exist.
    let home = prepare(&served);
    let mentioned: BTreeSet<_> = documents.iter().flat_map(|(_, (_, mentioned))| mentioned).collect();
    let commands = mentioned.iter().filter(|words| words.starts_with("petstore ") && !words.contains("COMMAND"));
    for words in commands {
        let (status, errors) = outcome(&home, &format!("{words} --help"), PATIENCE).unwrap();
        if status != Some(0) {
            wrong.push(format!("{words}: {status:?}: {errors}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
