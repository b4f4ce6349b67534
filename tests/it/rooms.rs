//! Holds the imports of `src` against the map in the crate documentation: which room may import which, and no circles.

mod imports;

use crate::prelude::*;

use imports::Imports;

use crate::documents::text;

/// What a room may import of ours, and which crates it must not.
const ROOMS: &[(&str, &[&str], &[&str])] = &[
    ("model", &[], &["tokio", "reqwest", "axum", "rusqlite", "tokio_postgres", "ratatui", "crossterm", "rustix"]),
    ("local", &["model"], &["reqwest", "axum", "rusqlite", "tokio_postgres", "ratatui", "crossterm"]),
    (
        "config",
        &["local", "model"],
        &["tokio", "reqwest", "axum", "rusqlite", "tokio_postgres", "ratatui", "crossterm"],
    ),
    ("api", &["model"], &["axum", "rusqlite", "tokio_postgres", "ratatui", "crossterm"]),
    ("domains", &["local", "model"], &["axum", "rusqlite", "tokio_postgres", "ratatui", "crossterm", "reqwest"]),
    (
        "transfer",
        &["api", "config", "local", "model"],
        &["axum", "rusqlite", "tokio_postgres", "ratatui", "crossterm", "clap", "indicatif"],
    ),
    (
        "app",
        &["api", "config", "domains", "local", "model", "transfer"],
        &["axum", "rusqlite", "tokio_postgres", "ratatui", "crossterm", "clap", "indicatif"],
    ),
    ("store", &["model"], &["axum", "hyper", "reqwest", "ratatui", "crossterm"]),
    ("server", &["model", "store"], &["reqwest", "rusqlite", "tokio_postgres", "ratatui", "crossterm"]),
    (
        "tui",
        &["api", "app", "config", "domains", "local", "model", "transfer"],
        &["axum", "rusqlite", "tokio_postgres"],
    ),
    (
        "dialogue",
        &["api", "app", "config", "domains", "local", "model", "transfer"],
        &["axum", "rusqlite", "tokio_postgres", "ratatui", "crossterm", "clap", "indicatif"],
    ),
    (
        "cli",
        &["api", "app", "config", "dialogue", "domains", "local", "model", "server", "store", "transfer", "tui"],
        &[],
    ),
];

/// Files of the app by their part, and what that part must not touch.
const PURE: &[&str] = &["ratatui", "crossterm", "tokio", "reqwest", "rustix"];
const PAINT: &[&str] = &["crossterm", "tokio", "reqwest", "rustix"];
const HANDS: &[&str] = &["ratatui", "crossterm", "rustix"];

fn part_of_the_app(file: &str) -> &'static [&'static str] {
    let name = file.trim_start_matches("tui/");
    match name {
        "terminal.rs" | "event_loop.rs" | "testing.rs" => &[],
        _ if name.starts_with("terminal/") || name.starts_with("testing/pictures/") => &[],
        "worker.rs" => HANDS,
        _ if name.starts_with("worker/") => HANDS,
        // What waits for disks and clocks beside the loop.
        "job.rs" => HANDS,
        _ if name.ends_with("/jobs.rs") => HANDS,
        // What a popup holds, its keys and its looks share a file.
        "view.rs" | "theme.rs" | "widgets.rs" | "widgets/page.rs" => PAINT,
        _ if name.starts_with("theme/")
            || name.starts_with("popups/")
            || name.contains("/popups/")
            || name.ends_with("/view.rs")
            || name.contains("/view/") =>
        {
            PAINT
        }
        _ => PURE,
    }
}

fn room_of(file: &str) -> Option<&'static (&'static str, &'static [&'static str], &'static [&'static str])> {
    ROOMS.iter().find(|(room, ..)| file == format!("{room}.rs") || file.starts_with(&format!("{room}/")))
}

/// The folder of the screen that a file belongs to.
fn screen_of(file: &str) -> Option<&str> {
    let name = file.strip_prefix("tui/screens/")?;
    name.split(['/', '.']).next()
}

fn imports() -> Imports {
    Imports::of(&Path::new(env!("CARGO_MANIFEST_DIR")).join("src"))
}

/// rustdoc follows links into the library only.
#[test]
fn the_map_names_files_that_exist() {
    let library = text("src/lib.rs");
    let quoted =
        library.lines().filter_map(|line| line.strip_prefix("//!")).flat_map(|line| line.split('`').skip(1).step_by(2));
    let paths: Vec<_> =
        quoted.filter(|name| name.contains("::")).map(|name| name.split("::").collect::<Vec<_>>()).collect();
    assert!(paths.len() > 20, "{paths:?}");
    for path in paths {
        let modules: Vec<_> = path.into_iter().filter(|part| part.starts_with(char::is_lowercase)).collect();
        let file = format!("src/{}.rs", modules.join("/"));
        let parent = format!("src/{}.rs", modules[..modules.len() - 1].join("/"));
        let exists = Path::new(env!("CARGO_MANIFEST_DIR")).join(&file).exists();
        assert!(exists || text(&parent).contains(&format!("fn {}(", modules[modules.len() - 1])), "{file}");
    }
}

#[test]
fn nothing_is_imported_upwards_or_sideways() {
    let imports = imports();
    let edges = imports.edges();
    let mut wrong = Vec::new();
    for file in imports.files() {
        let Some((room, may, must_not)) = room_of(&file.name) else { continue };
        for other in &edges[file.name.as_str()] {
            if let Some((there, ..)) = room_of(other)
                && there != room
                // Of all commands only the one that starts the full screen knows it.
                && (!may.contains(there) || *room == "cli" && *there == "tui" && file.name != "cli/launch.rs")
            {
                wrong.push(format!("src/{}: {room} must not import {other}", file.name));
            }
        }
        let part = if *room == "tui" { part_of_the_app(&file.name) } else { &[] };
        let forbidden = must_not.iter().chain(part).filter(|name| file.crates.contains(**name));
        wrong.extend(forbidden.map(|name| format!("src/{}: must not use {name}", file.name)));
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// What a command does, and what follows from a job, are functions of the state, which knows its keys and the boxes that
/// are open, and begins jobs.
const APP: [&str; 6] =
    ["tui/command.rs", "tui/effect.rs", "tui/job.rs", "tui/keymap.rs", "tui/popups/stack.rs", "tui/state.rs"];

#[test]
fn no_files_import_each_other_in_a_circle_but_inside_a_screen_and_the_app_with_its_commands() {
    let imports = imports();
    let edges = imports.edges();
    let mut wrong = Vec::new();
    for circle in imports.circles() {
        if screen_of(circle[0]).is_some_and(|screen| circle.iter().all(|file| screen_of(file) == Some(screen))) {
            continue;
        }
        if circle.iter().all(|file| APP.contains(file)) {
            continue;
        }
        for file in &circle {
            let to: Vec<_> = edges[file].iter().filter(|to| circle.contains(to)).copied().collect();
            wrong.push(format!("{file} -> {}", to.join(" ")));
        }
        wrong.push(String::new());
    }
    assert!(wrong.is_empty(), "circles:\n{}", wrong.join("\n"));
}

/// They get a part of the environment only.
#[test]
fn programs_are_started_in_one_place() {
    let src = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    for file in imports().files() {
        let text = fs::read_to_string(src.join(&file.name)).unwrap();
        let code = text.split("#[cfg(test)]\nmod tests {").next().unwrap();
        let names = |line: &str| line.contains("process::") && line.contains("Command");
        assert_eq!(code.lines().any(names), file.name == "local/program.rs", "{}", file.name);
    }
}
