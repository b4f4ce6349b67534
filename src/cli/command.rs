//! The root command: every command and option of the command line.

use std::sync::LazyLock;

use clap::{CommandFactory as _, Parser, Subcommand};

use super::args::{GlobalArgs, StartScreen};
use super::completions::{self, CompletionsArgs};
use super::configuration::{CONFIG_HELP, ConfigCommand};
use super::domains::args::{DOMAINS_HELP, DomainsCommand};
use super::keys::{KEYS_HELP, KeysCommand};
use super::maintenance::{DATABASE_HELP, DatabaseCommand};
use super::pets::args::{PETS_HELP, PetsCommand};
use super::profiles::{LoginArgs, PROFILES_HELP, ProfilesCommand};
use super::render::FormatArg;
use super::serve::ServeArgs;
use super::ssh::args::{SSH_HELP, SshCommand};

/// The version, the kind of build, and the commit if the build knew it.
pub static VERSION: LazyLock<String> = LazyLock::new(|| {
    let build = if cfg!(debug_assertions) { "debug" } else { "release" };
    let commit = option_env!("PETSTORE_COMMIT").filter(|commit| !commit.is_empty());
    let commit = commit.map(|commit| format!(", commit {commit:.12}")).unwrap_or_default();
    format!("{} ({build} build{commit})", env!("CARGO_PKG_VERSION"))
});

const HELP: &str = "Examples:
  petstore --demo
  petstore --demo pets list --status available
  petstore -p branch pets list --all --format csv
  petstore serve --listen 127.0.0.1:8080 --database sqlite:store.db

petstore COMMAND --help has examples. Programs and their exit statuses: petstore help agents";

/// The page for programs.
pub const AGENTS: &str = include_str!("../../docs/agents.md");

const UI_HELP: &str = "Examples:
  petstore ui
  petstore ui domains
  petstore --demo ui add";

/// The commands as the help lists them. Any other is understood, and shown nowhere.
const GROUPS: [(&str, &[&str]); 4] = [
    ("Everyday", &["ui", "pets", "domains"]),
    ("Connection", &["login", "logout", "status", "profiles", "config", "doctor"]),
    ("Service", &["serve", "keys", "ssh", "database"]),
    ("Your shell", &["completions"]),
];

/// The whole command line. The template of the help has the groups, which clap does not have.
pub fn root() -> clap::Command {
    let is_listed = |command: &clap::Command| GROUPS.iter().any(|(_, names)| names.contains(&command.get_name()));
    let root = Args::command().mut_arg("profile", |profile| profile.add(completions::profiles()));
    let root = root.mut_subcommands(|command| {
        let hidden = !is_listed(&command);
        command.hide(hidden)
    });
    let (heading, literal) = (*root.get_styles().get_header(), *root.get_styles().get_literal());
    let mut template = "{about-with-newline}\n{usage-heading} {usage}\n".to_owned();
    for (group, names) in GROUPS {
        template += &format!("\n{heading}{group}:{heading:#}\n");
        for command in names.iter().filter_map(|name| root.find_subcommand(name)) {
            let (name, about) = (command.get_name(), command.get_about().map(ToString::to_string).unwrap_or_default());
            template += &format!("  {literal}{name:11}{literal:#}  {about}\n");
        }
    }
    template += &format!("\n{heading}Options:{heading:#}\n{{options}}{{after-help}}");
    root.help_template(template)
}

/// Manage a pet store's inventory from the terminal. Without a command, petstore opens the full screen.
#[derive(Debug, Parser)]
#[command(name = "petstore", version = VERSION.as_str(), about, max_term_width = 100, subcommand_required = false, after_help = HELP)]
pub struct Args {
    #[command(flatten)]
    pub shared: GlobalArgs,
    #[command(subcommand)]
    pub command: Option<Command>,
}

#[derive(Debug, Subcommand)]
#[command(defer = true)]
pub enum Command {
    /// Open the full screen.
    #[command(after_help = UI_HELP)]
    Ui {
        /// The screen to start on. [default: pets, or where you were typing]
        #[arg(value_enum)]
        place: Option<StartScreen>,
    },
    /// List, add, get and watch pets; import and export files.
    #[command(subcommand, after_help = PETS_HELP)]
    Pets(PetsCommand),
    /// Set up custom domains and find out what is wrong with them.
    #[command(subcommand, after_help = DOMAINS_HELP)]
    Domains(Box<DomainsCommand>),
    #[command(flatten)]
    Access(AccessCommand),
    /// Saved services, and the default one.
    #[command(subcommand, after_help = PROFILES_HELP)]
    Profiles(ProfilesCommand),
    /// Show and check the configuration.
    #[command(subcommand, after_help = CONFIG_HELP)]
    Config(ConfigCommand),
    /// Find out what is wrong with this setup, and how to fix it.
    ///
    /// Checks terminal, configuration, keys, network and database. Exits with 0 if nothing fails, and with 1 otherwise. Changes nothing, and never prints a key.
    #[command(after_help = "Examples:\n  petstore doctor\n  petstore -p branch doctor --format json")]
    Doctor(FormatArg),
    /// Run a service with the Petstore Animals API.
    Serve(ServeArgs),
    /// Manage the API keys of a service.
    #[command(subcommand, after_help = KEYS_HELP)]
    Keys(KeysCommand),
    /// Let people use petstore by logging in with SSH.
    #[command(subcommand, after_help = SSH_HELP)]
    Ssh(SshCommand),
    /// Start the session of a person: for the lines of authorized_keys that `petstore ssh authorize` prints.
    SshSession {
        /// Whose session it is.
        name: String,
    },
    /// Back up, restore, check, copy and update a service's database.
    #[command(subcommand, after_help = DATABASE_HELP)]
    Database(DatabaseCommand),
    // Earlier versions had these without the word before them.
    #[command(flatten)]
    Older(DatabaseCommand),
    /// Print a script with which your shell completes commands and names.
    ///
    /// It completes commands, options, profiles, statuses and your domains. The script asks petstore each time, so it knows
    /// new profiles and domains at once. Reload it after an update of petstore.
    Completions(CompletionsArgs),
    #[command(override_help = AGENTS)]
    Agents,
}

/// Logging in and out.
#[derive(Debug, Subcommand)]
#[command(defer = true)]
pub enum AccessCommand {
    /// Test the API key of a profile, and save it.
    ///
    /// A key that the service does not accept is not saved. The key is typed at a prompt without being shown, or read from standard input. It is never an argument: other users
    /// see those in the list of processes, and the shell saves them in its history. The place of the key is written to the
    /// configuration; everything else in that file stays, comments included.
    Login(LoginArgs),
    /// Remove the saved API key of a profile.
    ///
    /// It is removed from where petstore keeps it and from the configuration. The service still accepts the key. To revoke it: petstore keys revoke.
    #[command(after_help = "Example:\n  petstore logout -p branch")]
    Logout,
    /// Show which service is used, and test the connection and the key.
    ///
    /// Also shows where each setting comes from. Exits with 0 if all is well, 4 if the key is missing or not accepted, 6 if there is no answer.
    #[command(after_help = "Examples:\n  petstore status\n  petstore status -p branch --format json")]
    Status(FormatArg),
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_commands_are_consistent() {
        root().debug_assert();
    }

    /// The options of a command are only made when it is used. A documentation comment on their struct would then replace
    /// the one of the variant.
    #[test]
    fn the_description_of_a_command_is_that_of_its_variant() {
        fn compare(listed: &clap::Command, built: &mut clap::Command) {
            for command in listed.get_subcommands() {
                let about = command.get_about().map(ToString::to_string);
                let built = built.find_subcommand_mut(command.get_name()).unwrap();
                assert!(about.is_some() || command.is_hide_set(), "{}", built.get_name());
                assert_eq!(about, built.get_about().map(ToString::to_string), "{}", built.get_name());
            }
        }
        let mut built = root();
        built.build();
        compare(&root(), &mut built);
        for group in root().get_subcommands() {
            compare(group, built.find_subcommand_mut(group.get_name()).unwrap());
        }
    }

    /// What help does not show.
    #[test]
    fn no_program_gets_a_variable_whose_value_is_a_secret() {
        fn check(command: &clap::Command) {
            for argument in command.get_arguments().filter(|argument| argument.is_hide_env_values_set()) {
                let variable = argument.get_env().and_then(|name| name.to_str()).unwrap();
                assert!(crate::local::program::SECRETS.contains(&variable), "{variable}");
            }
            command.get_subcommands().for_each(check);
        }
        let mut built = root();
        built.build();
        check(&built);
    }

    #[test]
    fn options_may_come_before_or_after_the_command() {
        for line in ["petstore --demo pets list -n 5", "petstore pets list --limit=5 --demo"] {
            let args = Args::try_parse_from(line.split(' ')).unwrap();
            assert!(args.shared.choices.demo, "{line}");
        }
    }

    #[test]
    fn a_refused_database_address_is_not_shown() {
        for url in [
            "postgres://ada:secret@host",
            "postgres://ada:secret@host/pets?sslmode=off",
            "mysql://ada:secret@host/pets",
        ] {
            let error = Args::try_parse_from(["petstore", "serve", "--database", url]).unwrap_err().to_string();
            assert!(error.contains("--database: ") && !error.contains("secret"), "{error}");
        }
    }

    #[test]
    fn every_command_that_the_screen_offers_is_understood() {
        use crate::tui::testing::TestApp;
        let mut app = TestApp::loaded(80, 24);
        let mut understood = 0;
        for screen in ["1", "2", "Esc 3"] {
            app.keys(screen);
            for binding in app.state.keymap.clone().bindings() {
                let Some(line) = binding.command.line(&app.state) else { continue };
                let words = line.split(' ').filter(|word| *word != ">");
                let parsed = Args::try_parse_from(words.map(|word| word.replace("ID", "7")));
                assert!(parsed.is_ok(), "{line}: {}", parsed.unwrap_err());
                understood += 1;
            }
        }
        assert!(understood > 10, "{understood}");
    }
}
