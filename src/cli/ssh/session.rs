//! `petstore ssh-session`: what sshd starts for a person. The full screen or, if a command was sent, one of those that
//! need no file and no program of this machine. No shell is involved, and only the variables named here count.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use super::args::SessionArgs;
#[cfg(target_os = "linux")]
use super::landlock;
use super::person::{COMMAND, People, Person, known, may_not_log_in};
use crate::cli::args::{GlobalArgs, OVER_SSH, StartScreen};
use crate::cli::command::{Args, Command, UiArgs};
use crate::cli::pets::args::{PetsCommand, SetArgs, WatchArgs};
use crate::cli::transfer::args::{ExportArgs, ImportArgs};
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
    pub fn new(SessionArgs { name }: &SessionArgs, env: &Env) -> Result<(Vec<OsString>, Self)> {
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
            session: SshSession { mark: people.mark(name), ..person.session(name) },
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
        // In full, so that a new option must be sorted: it may name a file, a program or another service.
        let GlobalArgs { choices, color: _, no_input: _, quiet: _, verbose: _ } = &shared;
        let Choices {
            demo,
            base_url,
            profile,
            config,
            key_file,
            key_command,
            ca_file,
            insecure_http,
            ascii: _,
            accessible: _,
            ssh: _,
        } = choices;
        let given = [
            ("--demo", *demo),
            ("--base-url", base_url.is_some()),
            ("--profile", profile.is_some()),
            ("--config", config.is_some()),
            ("--key-file", key_file.is_some()),
            ("--key-command", key_command.is_some()),
            ("--ca-file", ca_file.is_some()),
            ("--insecure-http", *insecure_http),
        ];
        if let Some((option, _)) = given.iter().find(|(_, given)| *given) {
            return Err(refused(&format!("there is no {option}")));
        }
        match &command {
            Some(Command::Ui(UiArgs { place: Some(StartScreen::Domains) })) => {
                return Err(refused("there are no custom domains"));
            }
            None | Some(Command::Ui(_)) => {}
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
    let is_named = |file: &PathBuf| file.as_os_str() != "-";
    let refuse = |is_refused: bool, why| if is_refused { Err(why) } else { Ok(()) };
    match command {
        PetsCommand::List(_) | PetsCommand::Count(_) | PetsCommand::Stats(_) => Ok(()),
        PetsCommand::Add(_) | PetsCommand::History(_) | PetsCommand::Get(_) => Ok(()),
        PetsCommand::Set(SetArgs {
            ids: _,
            file,
            status: _,
            name: _,
            category_id: _,
            if_status: _,
            dry_run: _,
            yes: _,
            output: _,
        }) => refuse(file.as_ref().is_some_and(is_named), "only standard input can change pets (set --file -)"),
        PetsCommand::Watch(WatchArgs { status: _, interval: _, timeout: _, format: _, from: _, exec, view: _ }) => {
            refuse(!exec.is_empty(), "no program can be run")
        }
        PetsCommand::Import(ImportArgs {
            file,
            report,
            rejects,
            format: _,
            map: _,
            set: _,
            raw: _,
            dry_run: _,
            concurrency: _,
            on_error: _,
            wait: _,
            resume,
            again,
            unknown: _,
            force: _,
            yes: _,
        }) => refuse(is_named(file), "only standard input can be imported (import -)")
            .and(refuse(report.is_some() || rejects.is_some(), "no report or rejects can be written"))
            .and(refuse(*resume || *again, "without a report no import can be continued")),
        PetsCommand::Export(ExportArgs {
            file,
            status: _,
            view: _,
            format: _,
            raw: _,
            require_complete: _,
            provenance: _,
            force: _,
            request: _,
        }) => refuse(is_named(file), "only standard output can be exported to (export -)"),
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
