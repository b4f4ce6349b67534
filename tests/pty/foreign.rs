//! What others wrote on a terminal: it is shown, and acts on nothing. In a pipe it stays as it is.

use crate::prelude::*;

use std::process::Output;

use serde_json::{Value, json};

const KEY: &str = "petk_0123456789abcdef77d0";

/// Sets a title, clears the screen (in both ways to write it), reverses, forges a row, and hides.
const NAME: &str = "Rex\u{1b}]0;owned\u{7}\u{1b}[2J\u{9b}2J\u{1b}[1;31m\u{202e}\u{200b}\n2,Fake,1,sold\tx\ry";

fn rows(status: &str) -> String {
    json!([{ "id": 1, "name": NAME, "categoryId": 3, "status": status }, { "id": 7, "name": "Zoë", "categoryId": 3 }])
        .to_string()
}

/// A service that answers request after request with the next of these, and with the last one from then on.
pub fn service(answers: Vec<(&'static str, String)>) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}/v1", listener.local_addr().unwrap());
    std::thread::spawn(move || {
        let last = answers.last().cloned();
        for (socket, (status, body)) in
            listener.incoming().zip(answers.into_iter().chain(std::iter::repeat(last.unwrap())))
        {
            let _ = answer(socket.unwrap(), status, &body);
        }
    });
    url
}

fn answer(mut socket: TcpStream, status: &str, body: &str) -> std::io::Result<()> {
    let mut lines = BufReader::new(socket.try_clone()?).lines();
    while lines.next().transpose()?.is_some_and(|line| !line.is_empty()) {}
    let length = body.len();
    write!(
        socket,
        "HTTP/1.1 {status}\r\ncontent-type: application/json\r\ncontent-length: {length}\r\nconnection: close\r\n\r\n{body}"
    )
}

fn start(url: &str, words: &[&str]) -> Start {
    Start::petstore(words).env("PETSTORE_BASE_URL", url).env("PETSTORE_API_KEY", KEY)
}

/// All that a command writes on a terminal, line ends as they were written. Nothing in it acts but our own colours.
#[track_caller]
fn shown(url: &str, words: &[&str]) -> String {
    harmless(&start(url, words).open().ended().1)
}

#[track_caller]
fn harmless(bytes: &[u8]) -> String {
    let text = String::from_utf8(bytes.to_vec()).unwrap().replace("\r\n", "\n");
    let mut plain = text.clone();
    for ours in ["\r\x1b[K", "\x1b[0m", "\x1b[1m", "\x1b[2m", "\x1b[32m", "\x1b[33m", "\x1b[1;31mpetstore:"] {
        plain = plain.replace(ours, "");
    }
    let acts = |c: char| c.is_control() && !"\n\t".contains(c) || "\u{202e}\u{200b}".contains(c);
    assert!(!plain.contains(acts) && !plain.contains("\n2,Fake") && !plain.contains("\tx"), "{plain:?}");
    text
}

fn piped(url: &str, words: &[&str]) -> Output {
    let home = tempfile::tempdir().unwrap();
    let mut command = Command::new(PETSTORE);
    command.args(words).env_clear().env("HOME", home.path()).env("LANG", "C.UTF-8");
    command.env("PETSTORE_BASE_URL", url).env("PETSTORE_API_KEY", KEY).output().unwrap()
}

#[test]
fn foreign_names_act_on_no_terminal_in_any_format_and_are_exact_in_a_pipe() {
    let url = service(vec![("200 OK", rows("re\u{1b}served"))]);
    for command in [&["pets", "list"][..], &["pets", "list", "--all"], &["pets", "get", "1"], &["pets", "export", "-"]]
    {
        let is_export = command[1] == "export";
        for format in ["csv", "tsv", "ndjson", "json", "table", "ids"].into_iter().take(if is_export { 4 } else { 6 }) {
            let words = [command, &["--format", format]].concat();
            let (shown, exact) = (shown(&url, &words), String::from_utf8(piped(&url, &words).stdout).unwrap());
            match format {
                "csv" | "tsv" => {
                    assert!(exact.contains(&format!("\"{NAME}\"")), "{words:?}: {exact:?}");
                    assert!(shown.contains("\"Rex⟨U+001B⟩]0;owned⟨U+0007⟩⟨U+001B⟩[2J⟨U+009B⟩2J"), "{words:?}: {shown}");
                    assert!(
                        shown.contains("⟨U+202E⟩⟨U+200B⟩⟨U+000A⟩2,Fake,1,sold⟨U+0009⟩x⟨U+000D⟩y\""),
                        "{words:?}: {shown}"
                    );
                }
                "json" | "ndjson" => {
                    for text in [&shown, &exact] {
                        let begin = text.find(['[', '{']).unwrap();
                        let value = serde_json::Deserializer::from_str(&text[begin..]).into_iter::<Value>();
                        let value = value.into_iter().next().unwrap().unwrap();
                        assert_eq!(value.get(0).unwrap_or(&value)["name"], NAME, "{words:?}: {text}");
                    }
                    assert!(shown.contains("\\u202e") && exact.contains('\u{202e}'), "{words:?}: {shown}");
                }
                _ => assert!(exact.starts_with(if format == "ids" { "1\n" } else { "ID" }), "{words:?}: {exact}"),
            }
        }
    }
}

#[test]
fn changes_that_are_watched_act_on_no_terminal() {
    for format in ["ndjson", "lines"] {
        let url = service(vec![("200 OK", rows("sold")), ("200 OK", rows("pending"))]);
        let watch = start(&url, &["pets", "watch", "--interval", "1s", "--format", format]).open();
        watch.wait_until("a change", |_, bytes| {
            String::from_utf8_lossy(bytes).contains("pending") && bytes.ends_with(b"\n")
        });
        harmless(&watch.bytes());
    }
}

#[test]
fn what_a_service_a_file_or_its_name_says_acts_on_no_terminal_in_any_message() {
    let refusal = json!({ "code": "no\u{1b}[2J", "message": NAME, "status": 403 }).to_string();
    let url = service(vec![("403 Forbidden", refusal)]);
    let home = tempfile::tempdir().unwrap();
    let path = home.path().join("\u{1b}]0;owned\u{7}\u{9b}2J\u{202e}.toml");
    let path = path.to_str().unwrap();
    for words in [
        &["pets", "list", "-o", "json", "-v"][..],
        &["status"],
        &["doctor"],
        &["--config", path, "pets", "list"],
        &["--config", path, "config", "path"],
        &["--ca-file", path, "--base-url", "https://127.0.0.1:1/v1", "pets", "list"],
        &["pets", "import", path],
        &["pets", "export", &format!("{path}/x.csv")],
        &["domains", "add", "\u{1b}[2J\u{202e}.example"],
        &["domains", "redirects", "--offline", "--file", path],
        &["man", "--dir", &format!("{path}.pages")],
        &["database", "check", "--database", &format!("sqlite:{path}")],
        &["keys", "list", "--database", &format!("sqlite:{path}")],
    ] {
        let text = shown(&url, words);
        assert!(!text.is_empty(), "{words:?}");
    }
    let text = "[profiles.x]\nlabel = \"a\\u001b[2J\\u202e\"\nbase_url = \"http://127.0.0.1:1/v1\"\n\
                [profiles.\"y\\u001b[2J\"]\nbase_url = \"http://127.0.0.1:1/\\u009b2J\"\nembedded = true\n";
    fs::write(path, text).unwrap();
    for (words, says) in [
        (&["config", "show"][..], "a⟨U+001B⟩[2J⟨U+202E⟩"),
        (&["config", "show", "-o", "json"], "a\\u001b[2J\\u202e"),
        (&["config", "check"], "y⟨U+001B⟩[2J"),
        (&["config", "path"], "⟨U+001B⟩]0;owned⟨U+0007⟩⟨U+009B⟩2J⟨U+202E⟩.toml"),
        (&["profiles", "list"], "y⟨U+001B⟩[2J"),
    ] {
        let text = shown(&url, &[&["--config", path, "-p", "x"], words].concat());
        assert!(text.contains(says), "{words:?}: {text}");
    }
}

#[test]
fn what_we_print_of_our_own_is_the_same_on_a_terminal() {
    for words in [&["completions", "bash"][..], &["completions", "zsh"], &["completions", "fish"], &["config", "keys"]]
    {
        let exact = String::from_utf8(piped("http://127.0.0.1:1/v1", words).stdout).unwrap();
        assert_eq!(shown("http://127.0.0.1:1/v1", words), exact, "{words:?}");
    }
}
