//! `petstore --accessible` with a screen reader for terminals: what yasr speaks in five tasks.
//!
//! `INSTA_UPDATE=always cargo test --test pty spoken` updates the transcript.

use crate::prelude::*;

use std::os::unix::fs::PermissionsExt as _;

use crate::terminals::is_there;

/// Answers to the questions, and the end of what is spoken then.
const TALK: &[(&str, &str, &str)] = &[
    ("The start", "", "Main menu, 1 to 12:"),
    ("See pets", "1", "Status, 1 to 4, press Enter for all:"),
    ("", "", "Pets at a time, 1 to 100, press Enter for 20:"),
    ("", "5", "Press Enter for the next 5, or type back:"),
    ("The next page", "", "Press Enter for the next 5, or type back:"),
    ("", "back", "Main menu, 1 to 12:"),
    ("Add a pet, with a mistake", "3", "Name, or press Enter to end:"),
    ("", "Biscuit", "Category, a number or dog, cat, bird, rabbit, fish and 3 more:"),
    ("", "three", "Category, a number or dog, cat, bird, rabbit, fish and 3 more:"),
    ("", "3", "Status, 1 to 4, press Enter to leave it unset:"),
    ("", "sold", "Name, or press Enter to end:"),
    ("", "", "Main menu, 1 to 12:"),
    ("Find one by its id", "4", "Id:"),
    ("", "251", "Another id, or press Enter to end:"),
    ("", "", "Main menu, 1 to 12:"),
    ("Leave", "quit", "Goodbye."),
];

/// What a speech synthesiser in the protocol of Emacspeak was sent to speak.
fn pieces(sent: &str) -> Vec<String> {
    sent.lines().filter_map(|line| Some(line.strip_prefix("q {")?.strip_suffix('}')?.to_owned())).collect()
}

/// The lines of these pieces: yasr may speak a line in several, after the blanks between its words.
fn lines(pieces: &[String]) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for piece in pieces {
        match lines.last_mut() {
            Some(line) if line.ends_with(' ') => line.push_str(piece),
            _ => lines.push(piece.clone()),
        }
    }
    lines.iter().map(|line| line.trim().to_owned()).collect()
}

#[test]
fn a_screen_reader_speaks_each_line_once_and_in_order() {
    if !is_there("yasr") {
        return;
    }
    let start = Start::program("yasr", &[]);
    let (voice, sent, settings) =
        (start.home().join("voice"), start.home().join("sent"), start.home().join("yasr.conf"));
    fs::write(&voice, format!("#!/bin/sh\nexec cat >>{}\n", sent.display())).unwrap();
    fs::set_permissions(&voice, fs::Permissions::from_mode(0o755)).unwrap();
    // Debian's settings, with another voice.
    let debian = fs::read_to_string("/etc/yasr/yasr.conf").unwrap();
    let others: String = debian.split_inclusive('\n').filter(|line| !line.starts_with("synthesizer")).collect();
    let ours = format!("[options]\nsynthesizer=emacspeak server\nsynthesizer port=|{}\n", voice.display());
    fs::write(&settings, others.replace("[options]\n", &ours)).unwrap();
    let words = ["-C", settings.to_str().unwrap(), "--", PETSTORE, "--accessible", "--demo"];
    let mut talk = start.arguments(&words).open();

    let (mut transcript, mut heard) = (String::new(), 0);
    for (at, (task, answer, last)) in TALK.iter().enumerate() {
        if at > 0 {
            talk.send(format!("{answer}\r"));
        }
        let new = || pieces(&fs::read_to_string(&sent).unwrap_or_default()).split_off(heard);
        talk.wait_until(&format!("{last:?} in what is spoken"), |_, _| {
            lines(&new()).last().is_some_and(|line| line.ends_with(last))
        });
        let new = new();
        heard += new.len();
        if !task.is_empty() {
            transcript += &format!("\n== {task} ==\n");
        }
        transcript.extend((at > 0).then(|| format!("[types {answer:?}, Enter]\n")));
        // What it makes of the echo of the keys depends on the pieces in which it reads that.
        let is_echo = |line: &&String| match *answer {
            "" => *line == "blank",
            typed => typed.contains(line.as_str()),
        };
        transcript.extend(lines(&new).iter().skip_while(is_echo).map(|line| format!("{line}\n")));
    }
    assert_eq!(talk.ended().0, 0);
    insta::assert_snapshot!(transcript);
}
