//! Holds the `use` lines of `src` against the rooms of the crate documentation: who may import whom.

use std::fs;
use std::path::{Path, PathBuf};

/// What a room may import of ours, and which crates it must not.
const ROOMS: &[(&str, &[&str], &[&str])] = &[
    ("model", &[], &["tokio", "reqwest", "axum", "rusqlite", "tokio_postgres", "ratatui", "crossterm", "rustix"]),
    ("config", &["model"], &["tokio", "reqwest", "axum", "rusqlite", "tokio_postgres", "ratatui", "crossterm"]),
    ("api", &["model"], &["axum", "rusqlite", "tokio_postgres", "ratatui", "crossterm"]),
    ("domains", &["model"], &["axum", "rusqlite", "tokio_postgres", "ratatui", "crossterm", "reqwest"]),
    (
        "transfer",
        &["api", "config", "model"],
        &["axum", "rusqlite", "tokio_postgres", "ratatui", "crossterm", "clap", "indicatif"],
    ),
    ("store", &["model"], &["axum", "hyper", "reqwest", "ratatui", "crossterm"]),
    ("server", &["model", "store"], &["reqwest", "rusqlite", "tokio_postgres", "ratatui", "crossterm"]),
    ("tui", &["api", "config", "domains", "model", "transfer"], &["axum", "rusqlite", "tokio_postgres"]),
    ("cli", &["api", "config", "domains", "model", "server", "store", "transfer", "tui"], &[]),
];

/// Files of the app by their part, and what that part must not touch.
const PURE: &[&str] = &["ratatui", "crossterm", "tokio", "reqwest", "rustix"];
const PAINT: &[&str] = &["crossterm", "tokio", "reqwest", "rustix"];
const HANDS: &[&str] = &["ratatui", "crossterm", "rustix"];

fn part_of_the_app(file: &str) -> &'static [&'static str] {
    let name = file.trim_start_matches("tui/");
    match name {
        "terminal.rs" | "event_loop.rs" | "test_kit.rs" => &[],
        _ if name.starts_with("terminal/") || name.starts_with("pictures/") => &[],
        "worker.rs" => HANDS,
        _ if name.starts_with("worker/") => HANDS,
        "view.rs" | "theme.rs" | "widgets.rs" => PAINT,
        _ if name.starts_with("view/")
            || name.starts_with("theme/")
            || name.ends_with("/view.rs")
            || name.contains("/view/") =>
        {
            PAINT
        }
        _ => PURE,
    }
}

fn sources(directory: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(directory).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            sources(&path, found);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            found.push(path);
        }
    }
}

/// The parts of a line of code that follow `prefix`, up to the end of the word.
fn words_after<'a>(code: &'a str, prefix: &'a str) -> impl Iterator<Item = &'a str> {
    code.split(prefix).skip(1).map(|rest| rest.split(|c: char| !c.is_alphanumeric() && c != '_').next().unwrap())
}

#[test]
fn nothing_is_imported_upwards_or_sideways() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut files = Vec::new();
    sources(&root, &mut files);
    assert!(files.len() > 50, "the sources were not found");
    let mut wrong = Vec::new();
    for path in files {
        let file = path.strip_prefix(&root).unwrap().to_str().unwrap().replace('\\', "/");
        let Some((room, may, must_not)) =
            ROOMS.iter().find(|(room, ..)| file == format!("{room}.rs") || file.starts_with(&format!("{room}/")))
        else {
            continue;
        };
        let must_not = must_not.iter().chain(if *room == "tui" { part_of_the_app(&file) } else { &[] });
        let must_not: Vec<_> = must_not.collect();
        let text = fs::read_to_string(&path).unwrap();
        // Tests may use anything.
        let code = text.split("#[cfg(test)]\nmod tests {").next().unwrap();
        for (number, line) in code.lines().enumerate().filter(|(_, line)| !line.trim_start().starts_with("//")) {
            for other in words_after(line, "crate::") {
                let ours = ROOMS.iter().any(|(room, ..)| *room == other);
                if ours && other != *room && !may.contains(&other) {
                    wrong.push(format!("src/{file}:{}: {room} must not import {other}", number + 1));
                }
            }
            for name in &must_not {
                if line.contains(&format!("{name}::")) || line.trim() == format!("use {name};") {
                    wrong.push(format!("src/{file}:{}: must not touch {name}", number + 1));
                }
            }
            if file != "clock.rs" && (line.contains("Instant::now") || line.contains("Timestamp::now")) {
                wrong.push(format!("src/{file}:{}: only clock.rs reads the clock", number + 1));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
