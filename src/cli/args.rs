//! Arguments that several commands share.

use std::ffi::OsStr;
use std::mem;
use std::time::Duration;

use clap::builder::{PossibleValuesParser, TypedValueParser};
use clap::error::ErrorKind;
use clap::{Arg, Args as ClapArgs, ColorChoice, ValueEnum};
use jiff::Timestamp;

use super::completions;
use super::output::Verbosity;
use crate::config::Choices;
use crate::model::columns::ShownColumn;
use crate::model::export::Kind;
use crate::model::{PetStatus, safe_causes};
use crate::store::DatabaseUrl;

// Options of every command.
#[derive(Debug, ClapArgs)]
#[command(next_help_heading = "Global options", next_display_order = 100)]
pub struct GlobalArgs {
    #[command(flatten)]
    pub choices: Choices,
    /// Use colours. [default: auto, or PETSTORE_COLOR]
    #[arg(long, global = true, value_enum, value_name = "WHEN")]
    pub color: Option<ColorChoice>,
    /// Never ask; what would need an answer fails instead.
    #[arg(long, global = true)]
    pub no_input: bool,
    /// With pets: print only errors on standard error.
    #[arg(short, long, global = true)]
    pub quiet: bool,
    /// With pets: log each request on standard error, without the key.
    #[arg(short, long, global = true)]
    pub verbose: bool,
}

impl GlobalArgs {
    /// How much is printed on standard error.
    pub const fn verbosity(&self) -> Verbosity {
        match self {
            Self { quiet: true, .. } => Verbosity::Quiet,
            Self { verbose: true, .. } => Verbosity::Verbose,
            Self { .. } => Verbosity::Normal,
        }
    }
}

/// Leaves the global options out of the help of a command and of those below it, which says where they are instead.
pub fn hide_global_options(command: &mut clap::Command) {
    command.get_subcommands_mut().for_each(hide_global_options);
    let rest = command.get_after_help().map(ToString::to_string).unwrap_or_default();
    *command = mem::take(command)
        .mut_args(|arg| if arg.is_global_set() { arg.hide(true) } else { arg })
        .after_help(format!("{rest}\n\nOptions of every command: petstore --help"));
}

/// What may be run in a session over SSH.
pub const OVER_SSH: &str = "over SSH there are: pets list, get, count, stats, add, set, history, watch, export - and \
                            import -; or no command, for the full screen";

/// Why a session ended.
pub const IDLE_ENDED: &str = "nothing was typed for the idle limit of this session";

// The database of a service.
#[derive(Debug, ClapArgs)]
pub struct DatabaseArg {
    /// The service's database, sqlite:FILE or postgres://USER@HOST/DATABASE. It may be in use.
    #[arg(long = "database", value_name = "URL", env = DATABASE_VARIABLE, hide_env_values = true, value_parser = DatabaseParser)]
    pub url: DatabaseUrl,
}

/// Reads the address of a database. Unlike clap's own parser, its error does not repeat the address, which may contain
/// a password.
#[derive(Clone, Copy, Debug)]
pub struct DatabaseParser;

impl TypedValueParser for DatabaseParser {
    type Value = DatabaseUrl;

    fn parse_ref(&self, command: &clap::Command, arg: Option<&Arg>, value: &OsStr) -> Result<DatabaseUrl, clap::Error> {
        let name = arg.and_then(Arg::get_long).unwrap_or("database");
        let refused =
            |why: String| clap::Error::raw(ErrorKind::ValueValidation, format!("--{name}: {why}\n")).with_cmd(command);
        let text = value.to_str().ok_or_else(|| refused("the address of a database must be valid UTF-8".to_owned()))?;
        text.parse().map_err(|error| refused(safe_causes(&error)))
    }
}

/// Other users see arguments, but not this variable: the place for an address with a password.
pub const DATABASE_VARIABLE: &str = "PETSTORE_DATABASE";

// How long to wait for pets, and how they are printed.
#[derive(Debug, ClapArgs)]
pub struct Output {
    #[command(flatten)]
    pub request: RequestArgs,
    /// Output format. [default: table, or PETSTORE_OUTPUT]
    #[arg(short = 'o', long, value_enum)]
    pub format: Option<Kind>,
    /// Same as --format json.
    #[arg(long, conflicts_with = "format")]
    pub json: bool,
    /// Show only these columns, in this order: id, name, categoryId, status, by (who added the pet), at (when), age. In a
    /// table, name:30 sets a width.
    #[arg(long, value_name = "COLUMNS", value_delimiter = ',', add = completions::columns())]
    pub columns: Vec<ShownColumn>,
    /// Omit the header.
    #[arg(long)]
    pub no_header: bool,
}

// How long a request may take.
#[derive(Clone, Copy, Debug, Default, ClapArgs)]
pub struct RequestArgs {
    /// How long to wait for each answer. [default: 30s]
    #[arg(long, value_name = "TIME", value_parser = parse_duration)]
    pub timeout: Option<Duration>,
}

/// Reads one of some formats of pets.
pub fn formats(of: &'static [Kind]) -> impl TypedValueParser<Value = Kind> {
    PossibleValuesParser::new(of.iter().filter_map(Kind::to_possible_value))
        .try_map(|word| Kind::from_str(&word, false))
}

/// Reads one of the three statuses.
pub fn statuses() -> impl TypedValueParser<Value = PetStatus> {
    PossibleValuesParser::new(PetStatus::ALL.map(PetStatus::as_str)).try_map(|word| word.parse::<PetStatus>())
}

/// A moment, such as `2026-11-21T08:30:00Z`.
pub fn parse_time(text: &str) -> Result<Timestamp, String> {
    text.parse().map_err(|_| "write a time in RFC 3339, such as 2026-11-21T08:30:00Z".to_owned())
}

/// `90s`, `30m`, `48h`, `2d`.
pub fn parse_duration(text: &str) -> Result<Duration, String> {
    let wrong = || "write a duration such as 90s, 30m or 48h".to_owned();
    let split = text.find(|c: char| !c.is_ascii_digit()).ok_or_else(wrong)?;
    let (number, unit) = text.split_at(split);
    let number: u64 = number.parse().map_err(|_| wrong())?;
    let seconds = match unit {
        "s" => 1,
        "m" | "min" => 60,
        "h" => 3600,
        "d" => 86_400,
        _ => return Err(wrong()),
    };
    // Nothing here waits longer than a year.
    number.checked_mul(seconds).filter(|total| *total <= 31_536_000).map(Duration::from_secs).ok_or_else(wrong)
}

/// A screen that the app can start on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum StartScreen {
    /// The list of pets.
    Pets,
    /// The form for a new pet.
    Add,
    /// Custom domains.
    Domains,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn durations_are_read_or_refused_with_an_example() {
        assert_eq!(parse_duration("90s"), Ok(Duration::from_secs(90)));
        assert_eq!(parse_duration("48h"), Ok(Duration::from_secs(172_800)));
        for wrong in ["", "5", "h", "-3s", "99999999999h", "5 weeks"] {
            assert!(parse_duration(wrong).unwrap_err().contains("48h"), "{wrong}");
        }
    }
}
