//! Help and the version.

use super::fixture::*;

/// The headings of the groups of commands.
const GROUPS: [&str; 4] = ["Everyday:", "Connection:", "Service:", "Your shell:"];

/// Every command, as the words that call it, found by what each help lists.
pub fn commands() -> Vec<Vec<String>> {
    let mut found = vec![Vec::new()];
    let mut next = 0;
    while let Some(command) = found.get(next).cloned() {
        let text = help(&command, "--help");
        let listed = text.lines().skip_while(|line| *line != "Commands:" && !GROUPS.contains(line));
        let listed = listed.take_while(|line| !line.ends_with("ptions:"));
        // What a long help spreads over lines is further in.
        let names = listed.filter_map(|line| line.strip_prefix("  ")).filter(|line| !line.starts_with(' '));
        let names = names.filter_map(|line| line.split(' ').next()).filter(|name| *name != "help");
        found.extend(names.map(|name| [command.clone(), vec![name.to_owned()]].concat()));
        next += 1;
    }
    found
}

/// The help of a command.
pub fn help(command: &[String], flag: &str) -> String {
    let words: Vec<&str> = command.iter().map(String::as_str).chain([flag]).collect();
    prints(&run(&home(), &words))
}

#[test]
fn every_command_has_a_help_with_examples_on_stdout() {
    let commands = commands();
    assert!(commands.len() > 35, "{commands:?}");
    for command in commands {
        for flag in ["-h", "--help"] {
            let text = help(&command, flag);
            let example = format!("\n  petstore {}", command.first().map_or("", String::as_str));
            assert!(text.contains("Usage: petstore") && text.contains(example.trim_end()), "{command:?}\n{text}");
            assert!(text.contains("Example"), "{command:?}\n{text}");
        }
    }
}

#[test]
fn the_commands_are_listed_in_four_groups_that_fit_in_80_columns() {
    for flag in ["-h", "--help"] {
        let text = help(&[], flag);
        let listed: Vec<_> =
            text.lines().take_while(|line| *line != "Options:").skip_while(|line| *line != GROUPS[0]).collect();
        let groups: Vec<_> = listed.iter().filter(|line| line.ends_with(':')).copied().collect();
        assert_eq!(groups, GROUPS);
        assert!(listed.iter().all(|line| line.chars().count() <= 80), "{text}");
        assert_eq!(listed.iter().filter(|line| line.starts_with("  ")).count(), 14, "{text}");
    }
}

#[test]
fn the_page_for_programs_is_printed_and_not_listed() {
    for words in [&["help", "agents"][..], &["agents"]] {
        let output = run(&home(), words);
        let page = crate::documents::text("docs/agents.md");
        assert_eq!((output.status.code(), stdout(&output).trim()), (Some(0), page.trim()), "{words:?}");
    }
    assert!(!help(&[], "--help").contains("\n  agents "));
}

/// What a program reads before its first task.
#[test]
fn the_help_and_the_page_for_programs_are_six_kilobytes() {
    let read = help(&[], "--help").len() + prints(&run(&home(), &["help", "agents"])).len();
    assert!(read <= 6_000, "{read}");
}

#[test]
fn the_options_of_every_command_are_listed_once() {
    assert!(help(&[], "--help").contains("  --insecure-http "));
    for command in commands().iter().filter(|command| !command.is_empty()) {
        for flag in ["-h", "--help"] {
            let text = help(command, flag);
            assert!(!text.contains("--insecure-http"), "{command:?}");
            assert!(text.ends_with("Options of every command: petstore --help\n"), "{command:?}");
        }
    }
}

#[test]
fn the_older_words_for_a_database_work_and_are_not_listed() {
    let home = home();
    let database = database(&home);
    for (word, arguments) in [
        ("migrate", &["--database", &database][..]),
        ("check", &["--database", &database]),
        ("backup", &["--database", &database, "monday.db"]),
        ("restore", &["monday.db", "--database", &database, "--force"]),
        ("copy", &["--from", &database, "--to", "sqlite:other.db"]),
    ] {
        let output = petstore(&home, &[&[word], arguments].concat()).current_dir(home.path()).output().unwrap();
        assert_eq!(output.status.code(), Some(0), "{word}: {}", stderr(&output));
        assert!(!help(&[], "--help").contains(&format!("\n  {word} ")), "{word}");
        assert!(help(&["database".to_owned()], "--help").contains(&format!("\n  {word} ")), "{word}");
    }
}

#[test]
fn the_version_names_the_commit_where_it_is_known_and_the_build() {
    let version = run(&home(), &["--version"]);
    assert_eq!((version.status.code(), stderr(&version).as_str()), (Some(0), ""));
    let text = stdout(&version);
    let rest = text.strip_prefix(concat!("petstore ", env!("CARGO_PKG_VERSION"), " (")).unwrap();
    let build = rest.strip_suffix(")\n").unwrap();
    let (build, commit) = build.split_once(", commit ").unwrap_or((build, "0123456789ab"));
    assert!(["debug build", "release build"].contains(&build), "{text}");
    assert!(commit.len() >= 12 && commit.bytes().all(|byte| byte.is_ascii_hexdigit()), "{text}");
    assert_eq!(stdout(&run(&home(), &["-V"])), text);
}
