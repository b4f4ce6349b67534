//! `petstore config`: where the configuration is, what it says, whether it is right, and changing it by hand.

mod check;
mod edit;

use std::io::{self, Write as _};
use std::os::unix::ffi::OsStrExt as _;

use clap::Subcommand;

use super::launch::read_keymap;
use crate::config::settings::all;
use crate::config::{Choices, Env, ThemeChoice, file_path};
use crate::model::display_safe;

use super::error::{Exit, Failed};
use super::output::{note, write};
use super::render::FormatArg;
use super::status::{columns, objects};

pub use check::check;
use edit::{EXAMPLE, begin, cannot_write};

pub(super) const CONFIG_HELP: &str =
    "Examples:\n  petstore config show --origin\n  petstore config check\n  petstore config edit";

#[derive(Debug, Subcommand)]
pub enum ConfigCommand {
    /// Print where the configuration file is, or would be.
    #[command(after_help = "Example:\n  petstore config path")]
    Path,
    /// Print the settings in force. Keys are not read, and never printed.
    #[command(
        after_help = "Examples:\n  petstore config show\n  petstore config show --origin\n  \
        petstore -p branch config show --format json",
        visible_alias = "list"
    )]
    Show {
        /// And where each comes from: option, variable, file and line, or default.
        #[arg(long)]
        origin: bool,
        #[command(flatten)]
        output: FormatArg,
    },
    /// Find what is wrong with the configuration, its profiles and the key map, with line and column.
    #[command(
        after_help = "Examples:\n  petstore config check\n  petstore --config .config/petstore/config.toml config check"
    )]
    Check,
    /// Write a configuration file with every key, its default and what it means. One that is there stays as it is.
    #[command(after_help = "Example:\n  petstore config init")]
    Init,
    /// Open the configuration file in $VISUAL or $EDITOR, and check it before it takes effect.
    #[command(after_help = "Example:\n  petstore config edit")]
    Edit,
    /// Print the keys of the screen in the form of keymap.toml, with your changes.
    #[command(after_help = "Example:\n  petstore config keys > keymap.toml")]
    Keys,
    /// List the themes.
    #[command(after_help = "Example:\n  petstore config themes")]
    Themes,
}

/// Does what `command` says.
pub fn run(command: &ConfigCommand, choices: &Choices, env: &Env) -> Result<Exit, Failed> {
    let path = file_path(choices, env).map_err(Failed::config)?;
    match command {
        ConfigCommand::Path => {
            write(|out| out.write_all(path.as_os_str().as_bytes()).and_then(|()| out.write_all(b"\n")))?;
            if !path.exists() {
                note("there is no such file yet: petstore config init writes one");
            }
        }
        ConfigCommand::Show { origin, output } => {
            let all = all(choices, env)?;
            output.write(|out| columns(out, &all, *origin), || objects(&all))?;
        }
        ConfigCommand::Check => return check::run(&path, choices, env),
        ConfigCommand::Init => {
            begin(&path, EXAMPLE, env).map_err(|error| match error.kind() {
                io::ErrorKind::AlreadyExists => {
                    let what = format!("{} is there already, and stays as it is", path.display());
                    Failed::new(Exit::Failure, what).hint(choices.command("config edit"))
                }
                _ => cannot_write(&path)(error),
            })?;
            note(&format!("wrote {}", display_safe(&path.display().to_string())));
        }
        ConfigCommand::Edit => return edit::run(&path, env),
        ConfigCommand::Keys => {
            let (keymap, complaints) = read_keymap(env);
            complaints.iter().for_each(|complaint| note(&display_safe(complaint)));
            write(|out| out.write_all(keymap.file().as_bytes()))?;
        }
        ConfigCommand::Themes => {
            write(|out| ThemeChoice::ALL.iter().try_for_each(|one| writeln!(out, "{one:14}{}", one.title())))?;
        }
    }
    Ok(Exit::Done)
}
