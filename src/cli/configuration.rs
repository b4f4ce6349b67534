//! `petstore config`: shows, checks and begins the configuration. A check finds errors before they get in the way.

use std::io::{self, Write as _};
use std::os::unix::ffi::OsStrExt as _;
use std::path::Path;

use clap::Subcommand;

use super::domains::args::ProbeArgs;
use super::domains::settings::resolve;
use super::error::suggestion;
use super::launch::read_keymap;
use super::render::{FormatArg, print};
use super::service::{columns, objects};
use super::{Exit, Failed, Result, note};
use crate::config::secrets::refuse_where_others_write;
use crate::config::settings::{all, configuration};
use crate::config::{
    Choices, ConfigError, Env, File, KeySource, Paths, Profile, SCHEMA, Themes, faults, file_path, write_schema,
};
use crate::local::atomic_file;
use crate::model::{display_safe, safe_text};

pub const CONFIG_HELP: &str =
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
pub fn run(command: &ConfigCommand, choices: &Choices, env: &Env) -> Result<Exit> {
    use ConfigCommand::*;
    let path = file_path(choices, env).map_err(Failed::config)?;
    match command {
        Path => {
            print(|out| out.write_all(path.as_os_str().as_bytes()).and_then(|()| out.write_all(b"\n")))?;
            if !path.exists() {
                note("the file does not exist yet; to create it: petstore config init");
            }
        }
        Show { origin, output } => {
            let all = all(choices, env)?;
            output.write(|out| columns(out, &all, *origin), || objects(&all))?;
        }
        Check => return report(&path, choices, env),
        Init => {
            let shown = path.display();
            begin(&path, env).map_err(|error| match error.kind() {
                io::ErrorKind::AlreadyExists => {
                    Failed::new(Exit::Failure, format!("{shown} already exists and was not changed"))
                }
                _ => Failed::cannot("write", &path)(error),
            })?;
            note(&format!("wrote {}", safe_text(&shown)));
        }
        Keys => {
            let (keymap, complaints) = read_keymap(env);
            complaints.iter().for_each(|complaint| note(&display_safe(complaint)));
            print(|out| out.write_all(keymap.file().as_bytes()))?;
        }
        Schema => print(|out| out.write_all(SCHEMA.as_bytes()))?,
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

/// Reports that the configuration is valid, or each error on a line.
fn report(path: &Path, choices: &Choices, env: &Env) -> Result<Exit> {
    let found = check(path, choices, env)?;
    if !found.is_empty() {
        return Err(Failed::config(found.join("\n")));
    }
    Themes::beside(path).broken.iter().for_each(|(_, why)| note(&display_safe(why)));
    let (shown, is_there) = (path.display(), path.exists());
    print(|out| match is_there {
        true => writeln!(out, "{shown} is valid"),
        false => writeln!(out, "{shown} does not exist; the defaults are used"),
    })?;
    Ok(Exit::Done)
}

/// The errors of the configuration at `path` and of the files that belong to it, one per line, safe to show.
pub fn check(path: &Path, choices: &Choices, env: &Env) -> Result<Vec<String>> {
    let text = atomic_file::read(path).map_err(|source| ConfigError::Read { path: path.to_owned(), source })?;
    let in_words = |(line, error): (Option<usize>, ConfigError)| {
        let place = line.map_or(String::new(), |line| format!("{}:{line}: ", path.display()));
        safe_text(&format_args!("{place}{error}{}", suggestion(&error)))
    };
    let mut found: Vec<String> = faults(&text.unwrap_or_default(), path).into_iter().map(in_words).collect();
    match configuration(choices, env) {
        Ok(file) => found.extend(around(path, &file, env)),
        Err(error) if found.is_empty() => return Err(error.into()),
        Err(_) => {}
    }
    Ok(found)
}

/// The errors of the domain settings and of the files beside the configuration or named by it.
fn around(path: &Path, file: &File, env: &Env) -> Vec<String> {
    let (keymap, mut found) = read_keymap(env);
    if let Err((number, why)) = keymap.with_actions(&file.actions) {
        let (line, column) = file.actions[number].place;
        found.push(format!("{}:{line}:{column}: {why}", path.display()));
    }
    let runs = |profile: &Profile| matches!(profile.key, Some(KeySource::Command(_)));
    if !file.actions.is_empty() || file.profiles.values().any(runs) {
        found.extend(refuse_where_others_write(path).err().map(|error| error.to_string()));
    }
    let domains = resolve(&ProbeArgs::default(), &file.domains);
    found.extend(domains.err().map(|failed| failed.what));
    found.iter().map(safe_text).collect()
}
