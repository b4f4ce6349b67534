//! `petstore completions`, and the candidates that a shell asks this program for.

use std::ffi::OsString;
use std::io::Write as _;

use clap::{Args, Command, ValueEnum};
use clap_complete::CompleteEnv;
use clap_complete::engine::{ArgValueCandidates as Candidates, CompletionCandidate as Candidate};
use clap_complete::env::Shells;

use super::{Exit, Failed, Result};
use crate::config::file::is_plain_name;
use crate::config::{Choices, Env, File, Paths, Profiles, View, settings};
use crate::domains::RegistryFile;
use crate::model::columns::SortOrder;
use crate::model::export::Column;
use crate::model::{PetStatus, display_safe, safe_text};

use super::render::print;

/// Set by the scripts when they ask for candidates, to the name of the shell.
const VARIABLE: &str = "PETSTORE_COMPLETE";

/// zsh reads the script from its directory of functions when petstore is completed for the first time, and takes it as the
/// body of the function: without this, the first Tab would only define what completes.
const ZSH_FIRST_CALL: &str = "
if [[ ${funcstack[1]} == _petstore ]]; then
    _clap_dynamic_completer_petstore
fi
";

#[derive(Debug, Args)]
#[command(after_help = "Examples:
  petstore completions bash > petstore.bash
  petstore completions zsh > _petstore
  petstore completions fish > petstore.fish

To load it in every session: bash: source <(petstore completions bash) in ~/.bashrc. zsh: source <(petstore completions zsh) in \
~/.zshrc, after compinit. fish: petstore completions fish | source in ~/.config/fish/config.fish. elvish: eval (petstore \
completions elvish | slurp) in rc.elv. PowerShell: petstore completions powershell | Out-String | Invoke-Expression in \
$PROFILE.")]
pub struct CompletionsArgs {
    /// The shell.
    #[arg(value_enum)]
    pub shell: Shell,
}

/// The supported shells.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Shell {
    Bash,
    Zsh,
    Fish,
    Elvish,
    #[value(name = "powershell", alias = "pwsh")]
    Pwsh,
}

/// Prints the script.
pub fn run(args: &CompletionsArgs) -> Result<Exit> {
    let shells = Shells::builtins();
    let name = args.shell.to_possible_value().unwrap_or_default();
    let name = name.get_name();
    let writer =
        shells.completer(name).ok_or_else(|| Failed::new(Exit::Failure, format!("there is no script for {name}")))?;
    print(|out| {
        writer.write_registration(VARIABLE, "petstore", "petstore", "petstore", out)?;
        if args.shell == Shell::Zsh { out.write_all(ZSH_FIRST_CALL.as_bytes()) } else { Ok(()) }
    })?;
    Ok(Exit::Done)
}

/// Answers a script that asks for candidates of `command`, and returns the exit status. `None` for an ordinary call.
pub fn answer(command: fn() -> Command, arguments: &[OsString], env: &Env) -> Option<Exit> {
    env.get(VARIABLE)?;
    let directory = std::env::current_dir().ok();
    // Under one heading, the command's own options come before those of all commands.
    let command = || command().mut_args(|arg| arg.help_heading(None));
    let answered =
        CompleteEnv::with_factory(command).var(VARIABLE).try_complete(arguments.to_vec(), directory.as_deref());
    match answered {
        Ok(true) => Some(Exit::Done),
        Ok(false) => None,
        // A shell that completes has no place for an error message.
        Err(_) => Some(Exit::Failure),
    }
}

/// The names of the profiles.
pub fn profiles() -> Candidates {
    Candidates::new(|| {
        let profiles = Profiles::read(&Choices::default(), &Env::from_process()).map(|profiles| profiles.entries);
        let plain = profiles.unwrap_or_default().into_iter().filter(|entry| is_plain_name(&entry.name));
        plain.map(|entry| Candidate::new(entry.name).help(Some(safe_text(&entry.place).into()))).collect()
    })
}

/// The three statuses.
pub fn statuses() -> Candidates {
    Candidates::new(|| PetStatus::ALL.map(|status| Candidate::new(status.as_str())).into())
}

/// The columns to sort by, in both directions.
pub fn sort_orders() -> Candidates {
    Candidates::new(|| {
        let orders = [false, true].map(|descending| Column::OF_PETS.map(|column| SortOrder { column, descending }));
        orders.into_iter().flatten().map(|order| Candidate::new(order.to_string())).collect()
    })
}

/// The columns of a list.
pub fn columns() -> Candidates {
    Candidates::new(|| Column::ALL.map(|column| Candidate::new(column.as_str())).into())
}

/// The configuration by default; where it cannot be read, that without one.
fn configured() -> File {
    settings::configuration(&Choices::default(), &Env::from_process()).unwrap_or_default()
}

/// The names of categories in the configuration.
pub fn categories() -> Candidates {
    Candidates::new(|| {
        let file = configured();
        let plain = file.categories.iter().filter(|(_, name)| is_plain_name(name));
        plain.map(|(id, name)| Candidate::new(name).help(Some(id.to_string().into()))).collect()
    })
}

/// The names of the views in the configuration.
pub fn views() -> Candidates {
    Candidates::new(|| {
        let file = configured();
        let help = |view: &View| view.searched().map(|search| display_safe(search).into_owned().into());
        let plain = file.views.iter().filter(|view| is_plain_name(&view.name));
        plain.map(|view| Candidate::new(&view.name).help(help(view))).collect()
    })
}

/// The names of the saved domains.
pub fn domains() -> Candidates {
    Candidates::new(|| {
        let list =
            Paths::new(&Env::from_process()).ok().and_then(|paths| RegistryFile::new(paths.domains_file()).read().ok());
        let domains = list.map(|list| list.domains).unwrap_or_default();
        domains.into_iter().map(|entry| Candidate::new(entry.name.as_str().to_owned())).collect()
    })
}
