//! What people send who log in with SSH.

use petstore::cli::args::StartScreen;
use petstore::cli::command::{Args, Command};
use petstore::cli::pets::args::PetsCommand;
use petstore::cli::ssh::SshStart;
use petstore::cli::ssh::person::{People, Person};
use petstore::config::{Choices, Env};
use tempfile::TempDir;

use super::directory;

const BASE_URL: &str = "http://127.0.0.1:8080/v1";

thread_local!(static HOME: TempDir = {
    let home = directory();
    let person = Person {
        api_key: "4fT9qLx2".to_owned(),
        scopes: "read write".to_owned(),
        base_url: BASE_URL.to_owned(),
        insecure_http: false,
        ca_file: None,
        idle_seconds: None,
    };
    let people = People::new(&Env::from_iter([("HOME", home.path())])).unwrap();
    std::fs::create_dir_all(people.directory("till-2")).unwrap();
    people.save("till-2", &person).unwrap();
    home
});

/// A command that may be run names no file, no program and no other service.
pub fn ssh(bytes: &[u8]) {
    let Ok(line) = str::from_utf8(bytes) else { return };
    let home = HOME.with(|home| home.path().to_owned());
    let env = Env::from_iter([("HOME", home.as_os_str()), ("SSH_ORIGINAL_COMMAND", line.as_ref())]);
    let Ok((arguments, start)) = SshStart::new("till-2", &env) else { return };
    let Ok(args) = <Args as clap::Parser>::try_parse_from(arguments) else { return };
    let Ok(Args { shared, command }) = start.confine(args) else { return };
    let Choices { demo, base_url, profile, config, key_file, key_command, ca_file, insecure_http, ssh, .. } =
        shared.choices;
    assert!(
        !demo && !insecure_http && profile.is_none() && config.is_none() && key_command.is_none() && ca_file.is_none()
    );
    assert!(base_url.as_deref() == Some(BASE_URL) && ssh.is_some_and(|session| session.name == "till-2"));
    assert!(key_file.is_some_and(|file| file.starts_with(home) && file.ends_with("ssh/till-2/key")));
    match command {
        None | Some(Command::Ui { place: None | Some(StartScreen::Pets | StartScreen::Add) }) => {}
        Some(Command::Pets(PetsCommand::Import(import))) => {
            assert!(import.journal().is_none() && import.rejects.is_none())
        }
        Some(Command::Pets(PetsCommand::Export(export))) => assert_eq!(export.file.as_os_str(), "-"),
        Some(Command::Pets(PetsCommand::Set(set))) => assert!(set.file.is_none_or(|file| file.as_os_str() == "-")),
        Some(Command::Pets(PetsCommand::Watch(watch))) => assert!(watch.exec.is_empty()),
        Some(Command::Pets(_)) => {}
        Some(other) => panic!("{other:?}"),
    }
}
