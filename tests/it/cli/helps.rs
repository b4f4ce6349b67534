//! Help and the version.

use super::fixture::{home, run, stderr, stdout};

/// Every command, as the words that call it, found by what each help lists.
pub fn commands() -> Vec<Vec<String>> {
    let mut found = vec![Vec::new()];
    let mut next = 0;
    while let Some(command) = found.get(next).cloned() {
        let text = help(&command, "--help");
        let listed = text.lines().skip_while(|line| *line != "Commands:").skip(1).take_while(|line| !line.is_empty());
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
    let output = run(&home(), &words);
    assert_eq!((output.status.code(), stderr(&output).as_str()), (Some(0), ""), "{words:?}");
    stdout(&output)
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
