//! `petstore config`: shows, checks and begins the configuration.

mod check;

use std::io::{self, Write as _};
use std::os::unix::ffi::OsStrExt as _;
use std::path::Path;

use clap::Subcommand;

use super::launch::read_keymap;
use crate::config::settings::all;
use crate::config::{Choices, Env, Paths, SCHEMA, file_path, write_schema};
use crate::local::atomic_file;
use crate::model::display_safe;

use super::error::{Exit, Failed};
use super::output::{note, write};
use super::render::FormatArg;
use super::status::{columns, objects};

pub use check::check;

pub(super) const CONFIG_HELP: &str =
    "Examples:\n  petstore config show --origin\n  petstore config check\n  petstore config init";

#[derive(Debug, Subcommand)]
#[command(defer = true)]
pub enum ConfigCommand {
    /// Print the path of the configuration file, even if it does not exist yet.
    #[command(after_help = "Example:\n  petstore config path")]
    Path,
    /// Print the current settings. API keys are not read, and never printed.
    #[command(after_help = "Examples:\n  petstore config show\n  petstore config show --origin\n  \
        petstore -p branch config show --format json")]
    Show {
        /// Also show where each comes from: option, variable, file and line, or default.
        #[arg(long)]
        origin: bool,
        #[command(flatten)]
        output: FormatArg,
    },
    /// Check the configuration, its profiles and the key map. Errors name line and column.
    #[command(
        after_help = "Examples:\n  petstore config check\n  petstore --config .config/petstore/config.toml config check"
    )]
    Check,
    /// Write a configuration file with every key, its default and an explanation. An existing file is not changed.
    #[command(after_help = "Example:\n  petstore config init")]
    Init,
    /// Print the keyboard shortcuts in the format of keymap.toml, with your changes.
    #[command(after_help = "Example:\n  petstore config keys > keymap.toml")]
    Keys,
    /// Print the JSON schema of the configuration file, for editors.
    #[command(after_help = "Example:\n  petstore config schema > config.schema.json")]
    Schema,
}

/// Runs `command`.
pub fn run(command: &ConfigCommand, choices: &Choices, env: &Env) -> Result<Exit, Failed> {
    let path = file_path(choices, env).map_err(Failed::config)?;
    match command {
        ConfigCommand::Path => {
            write(|out| out.write_all(path.as_os_str().as_bytes()).and_then(|()| out.write_all(b"\n")))?;
            if !path.exists() {
                note("the file does not exist yet; to create it: petstore config init");
            }
        }
        ConfigCommand::Show { origin, output } => {
            let all = all(choices, env)?;
            output.write(|out| columns(out, &all, *origin), || objects(&all))?;
        }
        ConfigCommand::Check => return check::run(&path, choices, env),
        ConfigCommand::Init => {
            begin(&path, env).map_err(|error| match error.kind() {
                io::ErrorKind::AlreadyExists => {
                    Failed::new(Exit::Failure, format!("{} already exists and was not changed", path.display()))
                }
                _ => Failed::cannot("write", &path)(error),
            })?;
            note(&format!("wrote {}", display_safe(&path.display().to_string())));
        }
        ConfigCommand::Keys => {
            let (keymap, complaints) = read_keymap(env);
            complaints.iter().for_each(|complaint| note(&display_safe(complaint)));
            write(|out| out.write_all(keymap.file().as_bytes()))?;
        }
        ConfigCommand::Schema => {
            write(|out| out.write_all(SCHEMA.as_bytes()))?;
        }
    }
    Ok(Exit::Done)
}

/// Creates the configuration file with every key, and the schema beside it. The default directory is created if needed;
/// another one must exist.
fn begin(path: &Path, env: &Env) -> io::Result<()> {
    if let Ok(paths) = Paths::new(env)
        && path.parent() == Some(&paths.config)
    {
        atomic_file::create_private(&paths.config)?;
    }
    atomic_file::write(path, include_str!("../../config.example.toml"), false)?;
    write_schema(path)
}
