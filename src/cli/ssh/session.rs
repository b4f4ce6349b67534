//! `petstore ssh-session`: what sshd starts for a person. The full screen or, if a command was sent, one of those that
//! need no file and no program of this machine. No shell is involved, and only the variables named here count.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

#[cfg(target_os = "linux")]
use super::landlock;
use super::person::{COMMAND, People, Person, known, may_not_log_in};
use crate::cli::args::{GlobalArgs, OVER_SSH, StartScreen};
use crate::cli::command::{Args, Command};
use crate::cli::pets::args::PetsCommand;
use crate::cli::{Failed, Result};
use crate::config::{Choices, Env, Paths, SshSession, settings};
use crate::local::{atomic_file, program};

/// The longest command, in bytes.
const MOST: usize = 64 * 1024;

/// Starts the program again as it was started, but with the known variables alone, if this is a session and there are
/// others: sshd may accept any from the client, and libraries read some on their own (proxies, CA certificates).
///
/// # Errors
/// It cannot be started.
pub fn leave_variables(arguments: &[OsString], env: &Env) -> Result<()> {
    let kept = known(env);
    if arguments.get(1).is_none_or(|command| command != "ssh-session") || kept == *env {
        return Ok(());
    }
    let found = std::env::current_exe().map_err(Failed::because("it is not known where this program is"))?;
    let error = program::replace(&found, arguments, kept.iter());
    Err(Failed::because("cannot start the session")(error))
}

/// What a session starts with.
pub struct SshStart {
    /// The environment: the places of this person, and harmless variables.
    pub env: Env,
    /// The directory of this person.
    own: PathBuf,
    person: Person,
    key_file: PathBuf,
    session: SshSession,
}

impl SshStart {
    /// The arguments that were sent, after the name of the program, and the session of the person.
    ///
    /// # Errors
    /// Nobody of this name is authorized, or what was sent cannot be split into arguments.
    pub fn new(name: &str, env: &Env) -> Result<(Vec<OsString>, Self)> {
        let env = known(env);
        let paths = Paths::new(&env).map_err(Failed::config)?;
        let people = People::new(&env).map_err(Failed::config)?;
        let person = people.get(name)?.filter(|_| !people.is_revoked(name)).ok_or_else(|| may_not_log_in(name))?;
        let own = people.directory(name);
        let configuration = paths.config.parent().map(Path::to_owned).unwrap_or_default();
        let places =
            [("XDG_CONFIG_HOME", configuration), ("XDG_DATA_HOME", own.clone()), ("XDG_STATE_HOME", own.clone())];
        let arguments = arguments(env.get(COMMAND).unwrap_or_default())?;
        let start = Self {
            env: env.with(places),
            own,
            session: person.session(name, people.mark(name)),
            key_file: people.key_file(name),
            person,
        };
        Ok((arguments, start))
    }

    /// Has the kernel refuse what a session does not need, where it can. Before the first thread.
    #[cfg(target_os = "linux")]
    pub fn restrict(&self, choices: &Choices) {
        let Ok(Paths { config, state, .. }) = Paths::new(&self.env) else { return };
        // The programs of the account need what they need.
        if settings::configuration(choices, &self.env).is_ok_and(|file| file.ssh.actions && !file.actions.is_empty()) {
            return;
        }
        let _ = atomic_file::create_private(&state);
        // The files may be links that lead out of their directory.
        let configuration = ["config.toml", "keymap.toml", "themes"].map(|name| config.join(name));
        let readable = configuration.iter().chain([&config, &self.own]).chain(&self.person.ca_file);
        landlock::restrict(&state, &readable.map(PathBuf::as_path).collect::<Vec<_>>());
    }

    /// The same command with the service and the key of the session.
    ///
    /// # Errors
    /// It is not one of those that may be run.
    pub fn confine(&self, args: Args) -> Result<Args> {
        let refused = |what: &str| Failed::config(format!("{what} over SSH")).hint(OVER_SSH);
        let Args { shared, command } = args;
        let choices = &shared.choices;
        let given = [
            ("--demo", choices.demo),
            ("--base-url", choices.base_url.is_some()),
            ("--profile", choices.profile.is_some()),
            ("--config", choices.config.is_some()),
            ("--key-file", choices.key_file.is_some()),
            ("--key-command", choices.key_command.is_some()),
            ("--ca-file", choices.ca_file.is_some()),
            ("--insecure-http", choices.insecure_http),
        ];
        if let Some((option, _)) = given.iter().find(|(_, given)| *given) {
            return Err(refused(&format!("there is no {option}")));
        }
        match &command {
            Some(Command::Ui { place: Some(StartScreen::Domains) }) => {
                return Err(refused("there are no custom domains"));
            }
            None | Some(Command::Ui { .. }) => {}
            Some(Command::Pets(pets)) => permit(pets).map_err(refused)?,
            Some(_) => return Err(refused("that command cannot be run")),
        }
        let Person { base_url, ca_file, insecure_http, .. } = self.person.clone();
        let choices = Choices {
            base_url: Some(base_url),
            key_file: Some(self.key_file.clone()),
            ca_file,
            insecure_http,
            ssh: Some(self.session.clone()),
            ..shared.choices
        };
        Ok(Args { shared: GlobalArgs { choices, ..shared }, command })
    }
}

/// Says what cannot be done if a command names a file or a program.
fn permit(command: &PetsCommand) -> Result<(), &'static str> {
    use PetsCommand::*;
    let is_named = |file: &PathBuf| file.as_os_str() != "-";
    let refuse = |is_refused: bool, why| if is_refused { Err(why) } else { Ok(()) };
    match command {
        List(_) | Count(_) | Stats(_) | Add(_) | History(_) | Get(_) => Ok(()),
        Set(args) => {
            refuse(args.file.as_ref().is_some_and(is_named), "only standard input can change pets (set --file -)")
        }
        Watch(args) => refuse(!args.exec.is_empty(), "no program can be run"),
        Import(args) => refuse(is_named(&args.file), "only standard input can be imported (import -)")
            .and(refuse(args.report.is_some() || args.rejects.is_some(), "no report or rejects can be written"))
            .and(refuse(args.resume || args.again, "without a report no import can be continued")),
        Export(args) => refuse(is_named(&args.file), "only standard output can be exported to (export -)"),
    }
}

/// Splits what was sent as a shell does; nothing else of a shell is understood. The name of the program may come first.
fn arguments(line: &str) -> Result<Vec<OsString>> {
    let refused = |why: &str| Failed::config(why).hint(OVER_SSH);
    if line.len() > MOST {
        return Err(refused("the command is too long"));
    }
    let words = shell_words::split(line).map_err(|_| refused("a quote is not closed"))?;
    let rest = words.iter().skip(usize::from(words.first().is_some_and(|word| word == "petstore")));
    Ok(std::iter::once("petstore").chain(rest.map(String::as_str)).map(OsString::from).collect())
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use clap::Parser as _;

    use super::*;
    use crate::cli::Exit;

    fn start(line: &str) -> Result<Args> {
        let session = SshStart {
            env: Env::default(),
            own: PathBuf::new(),
            person: Person {
                api_key: "4fT9qLx2".to_owned(),
                scopes: "read write".to_owned(),
                base_url: "http://127.0.0.1:8080/v1".to_owned(),
                insecure_http: false,
                ca_file: None,
                idle_seconds: None,
            },
            key_file: "/srv/key".into(),
            session: SshSession { name: "till-2".to_owned(), ..SshSession::default() },
        };
        let args = Args::try_parse_from(arguments(line)?).map_err(Failed::config)?;
        session.confine(args)
    }

    #[test]
    fn what_needs_no_file_and_no_program_may_be_run() {
        for line in [
            "",
            "petstore",
            "ui add",
            "--accessible",
            "pets list -s available --json",
            "petstore pets list --search 'two words; $(reboot)'",
            "pets get 1 2",
            "pets count",
            "pets stats",
            "pets add --name Rex --category-id 3",
            "pets watch --timeout 1h --from 3",
            "pets export",
            "pets export - --format ndjson",
            "pets import - --format csv --set status=sold",
            "pets set --file - --yes",
        ] {
            let args = start(line).unwrap_or_else(|failed| panic!("{line}: {failed}"));
            assert_eq!(args.shared.choices.key_file.as_deref(), Some(Path::new("/srv/key")), "{line}");
            assert_eq!(args.shared.choices.ssh.map(|session| session.name).as_deref(), Some("till-2"), "{line}");
        }
    }

    /// A new one may name a file, a program or another service: it is refused, if it does, and then named here.
    #[test]
    fn every_option_that_a_session_may_have_was_looked_at() {
        let mut root = crate::cli::command();
        root.build();
        let pets =
            root.find_subcommand("pets").unwrap().get_subcommands().filter(|command| command.get_name() != "help");
        let known = root.get_arguments().chain(pets.flat_map(clap::Command::get_arguments));
        let known: BTreeSet<_> = known.map(|argument| argument.get_id().as_str()).collect();
        let looked_at = "accessible again all ascii base_url ca_file category_id color columns concurrency config demo dry_run \
                         exec file force format from help id ids if_status insecure_http interval json key_command key_file \
                         limit map name no_header no_input on_error once profile provenance quiet raw rejects report \
                         require_complete resume search set sort status timeout unknown verbose version view wait watch \
                         with_total yes";
        assert_eq!(Vec::from_iter(known).join(" "), looked_at);
    }

    #[test]
    fn whatever_names_a_file_a_program_or_a_service_is_refused() {
        let lines = "sh, sh -c id, pets list; sh, pets list | sh, pets export pets.csv, pets export /dev/tty, \
             pets export ./-, pets import /etc/passwd, pets set --file /etc/passwd --dry-run, \
             pets import - --report /tmp/x, pets import - --rejects /tmp/x --force, pets import - --resume, \
             pets watch --exec id, --config /etc/passwd pets list, --config=/etc/passwd, \
             pets list --key-file /etc/shadow, pets list --key-command 'sh -c id', --ca-file /etc/passwd pets list, \
             -p other, --base-url https://evil.example/v1 pets list, --insecure-http, --demo, ssh-session ada, \
             ssh authorize x y --database sqlite:x.db, serve, keys list --database sqlite:store.db, \
             backup --database sqlite:store.db x, database backup --database sqlite:store.db x, config show, \
             ui domains, domains check localhost, doctor, login, logout, profiles list, completions bash, \
             pets list 'a, \\, pets list\nreboot";
        for line in lines.split(", ") {
            let failed = start(line).err().unwrap_or_else(|| panic!("{line} may be run"));
            assert_eq!(failed.exit, Exit::Usage, "{line}");
        }
    }
}
