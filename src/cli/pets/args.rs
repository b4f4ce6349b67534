//! The arguments of `petstore pets`, except for import and export.

use std::ffi::OsString;
use std::path::PathBuf;
use std::time::Duration;

use clap::{Args as ClapArgs, Subcommand, ValueEnum};

use crate::cli::args::{Output, RequestArgs, parse_duration, statuses};
use crate::cli::completions;
use crate::cli::render::FormatArg;
use crate::cli::transfer::args::{EXPORT_HELP, ExportArgs, IMPORT_HELP, ImportArgs};
use crate::model::columns::SortOrder;
use crate::model::{Limit, PetId, PetStatus};

pub const PETS_HELP: &str = "Examples:
  petstore pets list --status available --limit 50
  petstore pets list --all --format csv > pets.csv
  petstore pets add --name Biscuit --category-id 3
  petstore -p branch pets list --format ids | head -3";

const LIST_HELP: &str = "Examples:
  petstore pets list --status available --limit 50
  petstore pets list --all --sort name --columns name,status
  petstore pets list --all --require-complete --format json > pets.json
  petstore pets list --status available --json --with-total
  petstore pets list --search whis --status available --status pending
  petstore pets list --all --columns id,name:30,by,age
  petstore pets list --watch

--search understands what the search field of the screen does: words, \"exact words\", cat:3,7, id:1002, is:sold, by:till, by:\"till 2\", \
and - before what must not match. It searches the whole inventory.

The columns by, at and age, and by: in a search, are about who added a pet, and when. They need a service that reports it, as \
petstore serve does, and a key with the scope audit.

In CSV and TSV, a cell that a spreadsheet would run as a formula gets a leading '; --raw leaves it unchanged. JSON keeps \
every name byte for byte.

--sort sorts what is listed: with --all the whole inventory, otherwise the first pets. With --all, NDJSON, CSV, TSV and \
ids are written as they arrive; an exit status other than 0 means that the list is incomplete. A service without pages \
returns at most 100 pets of each status. Then a line on standard error says that there may be more; with \
--require-complete, nothing is listed and the exit status is 3.";

const COUNT_HELP: &str = "Examples:
  petstore pets count
  petstore pets count --status available
  petstore pets count --search 'cat:3 -is:sold'

Prints a number. A service that counts, as petstore serve does, is asked for it; of others, and with --search, the whole \
inventory is read. If the service may not list all pets, a line on standard error says so; with --require-complete, nothing \
is printed and the exit status is 3.";

const ADD_HELP: &str = "Examples:
  petstore pets add --name Biscuit --category-id 3
  petstore pets add --name Rex --category-id 1 --status sold --dry-run

To add many, see petstore pets import --help. Exit status: 10 if the pet may or may not have been added.";

const SET_HELP: &str = "Examples:
  petstore pets set 17 --status sold --if-status available
  petstore pets set 17 18 19 --status pending
  petstore pets set 17 --name Biscuit --category-id 3
  petstore pets list --search whis --format ids | xargs petstore pets set --status sold --dry-run
  petstore pets set --file stock-take.csv --dry-run

Prints the pets as they are now. Each pet is changed as a whole or not at all; with --if-status, one that somebody else was \
faster with stays as it is. It needs a service that offers changes, as petstore serve does.

--file reads what petstore pets import reads. Each row changes the pet with its id; empty cells change nothing. The changes \
are listed before you are asked; scripts need --yes. If a row needs fixing, nothing is changed, and a pet that somebody else \
is faster with stays as it is.

Exit status: 3 if only some were \
changed; 10 if a pet may or may not have been changed.";

const HISTORY_HELP: &str = "Example:
  petstore pets history 17

Needs a service that keeps the history of pets, as petstore serve does, and a key with the scope audit.";

const GET_HELP: &str = "Examples:
  petstore pets get 17
  petstore pets get 17 18 19 --format json
  petstore pets list --format ids | head -3 | xargs petstore pets get

The operation that gets a single pet is deprecated and will be removed on 5 December 2030. petstore searches the lists of \
the three statuses first, and uses that operation only if they do not show the pet.";

const WATCH_HELP: &str = "Examples:
  petstore pets watch
  petstore pets watch --status available --interval 1m
  petstore pets watch --format ndjson --timeout 8h
  petstore pets watch --from 1042 --exec print-label --copies 2

Prints a line for each new or changed pet; with --format ndjson, an object with `at`, `change`, `pet` and, for a change, \
`before` and, for a key with the scope audit, `by`. A service that offers events reports them at once, and none is missed while the connection or the service is \
down. Otherwise, and with --interval, petstore asks again and again, and also prints pets that are gone; an unchanged list \
costs next to nothing if the service supports entity tags. While the service is down, petstore retries at growing \
intervals.

--exec runs a command for each new or changed pet, one after another, instead of printing a line. The command gets the pet as JSON on \
its standard input; no shell is involved, and it has no terminal. If it fails, that is reported, and the next pet follows. \
It is stopped when petstore is, or when --timeout is over. To continue an earlier watch, give its last id as --from. Exit \
status: 130 on Ctrl-C, 9 when --timeout is over.";

#[derive(Debug, Subcommand)]
#[command(defer = true)]
pub enum PetsCommand {
    /// List pets.
    #[command(after_help = LIST_HELP)]
    List(ListArgs),
    /// Count pets.
    #[command(after_help = COUNT_HELP)]
    Count(CountArgs),
    /// Count the pets of each status.
    #[command(after_help = "Example:\n  petstore pets stats")]
    Stats(CountArgs),
    /// Add a pet.
    #[command(after_help = ADD_HELP)]
    Add(AddArgs),
    /// Change pets: sell, reserve, return, rename.
    #[command(after_help = SET_HELP)]
    Set(SetArgs),
    /// Show what was done to a pet, and by whom.
    #[command(after_help = HISTORY_HELP)]
    History(HistoryArgs),
    /// Get pets by id.
    #[command(after_help = GET_HELP)]
    Get(GetArgs),
    /// Stream changes as they happen.
    #[command(after_help = WATCH_HELP)]
    Watch(WatchArgs),
    /// Add pets from a file: CSV, NDJSON, JSON or XLSX.
    #[command(after_help = IMPORT_HELP)]
    Import(ImportArgs),
    /// Write the whole inventory to a file or standard output.
    #[command(after_help = EXPORT_HELP)]
    Export(ExportArgs),
}

impl PetsCommand {
    /// Whether it sends one request after another, so that more threads would only cost time.
    pub const fn asks_one_by_one(&self) -> bool {
        !matches!(self, Self::Import(_) | Self::Export(_))
    }

    /// How long a request may take.
    pub fn timeout(&self) -> Option<Duration> {
        match self {
            Self::List(args) => args.output.request.timeout,
            Self::Count(args) | Self::Stats(args) => args.request.timeout,
            Self::Add(args) => args.output.request.timeout,
            Self::Set(args) => args.output.request.timeout,
            Self::History(args) => args.request.timeout,
            Self::Get(args) => args.output.request.timeout,
            // Watching and importing have their own limits.
            Self::Watch(_) | Self::Import(_) => None,
            Self::Export(args) => args.request.timeout,
        }
    }
}

// Which pets of the inventory a command is about.
#[derive(Debug, Default, ClapArgs)]
pub struct FilterArgs {
    /// Only pets with this status; can be repeated.
    #[arg(short, long, value_delimiter = ',', value_parser = statuses())]
    pub status: Vec<PetStatus>,
    /// Only pets that match: letters in this order (whis), "exact words", cat:3, id:17, by:till, -is:sold.
    #[arg(long, value_name = "TEXT", allow_hyphen_values = true)]
    pub search: Option<String>,
    /// Use a view of the configuration; other options override it.
    #[arg(long, value_name = "NAME", add = completions::views())]
    pub view: Option<String>,
}

#[derive(Debug, ClapArgs)]
pub struct ListArgs {
    #[command(flatten)]
    pub filter: FilterArgs,
    /// Maximum number of pets, 1 to 100. [default: 20, or pets.limit of the configuration; with --search, all]
    #[arg(short = 'n', long, value_name = "N", value_parser = parse_limit, conflicts_with = "all")]
    pub limit: Option<Limit>,
    /// List the whole inventory: all pages or, if the service has none, the lists of the three statuses.
    #[arg(short, long)]
    pub all: bool,
    /// Fail unless the list is known to be complete.
    #[arg(long, requires = "all")]
    pub require_complete: bool,
    /// In JSON, print an object with `total`, how many there are in all (null if the service does not say), and `pets`.
    #[arg(long, conflicts_with = "watch")]
    pub with_total: bool,
    /// Sort by id, name, categoryId or status. Descending with a leading - or a trailing :desc.
    #[arg(long, value_name = "COLUMN", allow_hyphen_values = true, add = completions::sort_orders())]
    pub sort: Option<SortOrder>,
    /// Leave formulas in cells of CSV and TSV unchanged.
    #[arg(long)]
    pub raw: bool,
    /// After the list, print changes as they happen, like petstore pets watch.
    #[arg(short, long, conflicts_with_all = ["search", "columns"])]
    pub watch: bool,
    #[command(flatten)]
    pub output: Output,
}

#[derive(Debug, ClapArgs)]
pub struct CountArgs {
    #[command(flatten)]
    pub filter: FilterArgs,
    /// Fail unless the number is known to be exact.
    #[arg(long)]
    pub require_complete: bool,
    #[command(flatten)]
    pub request: RequestArgs,
    #[command(flatten)]
    pub output: FormatArg,
}

#[derive(Debug, ClapArgs)]
pub struct AddArgs {
    // All three are read together, so that every fault is reported at once.
    /// The pet's name, 1 to 255 characters.
    #[arg(long, allow_hyphen_values = true)]
    pub name: Option<String>,
    /// The category's id, a 64-bit whole number, or its name in the configuration.
    #[arg(long, alias = "category", value_name = "ID", allow_hyphen_values = true, add = completions::categories())]
    pub category_id: Option<String>,
    /// The status: available, pending or sold. [default: chosen by the service]
    #[arg(short, long, add = completions::statuses())]
    pub status: Option<String>,
    /// Send nothing; print a curl command that does, with the key in PETSTORE_API_KEY.
    #[arg(long)]
    pub dry_run: bool,
    /// Do not ask before adding to a protected profile.
    #[arg(short, long)]
    pub yes: bool,
    #[command(flatten)]
    pub output: Output,
}

#[derive(Debug, ClapArgs)]
#[group(id = "change", multiple = true, required = true, args = ["name", "category_id", "status", "file"])]
pub struct SetArgs {
    /// The pets' ids.
    #[arg(value_name = "ID", required_unless_present = "file", allow_negative_numbers = true, value_parser = parse_id)]
    pub ids: Vec<PetId>,
    /// Change the pets in this file, each by the id in its row; `-` is standard input.
    #[arg(long, value_name = "FILE", conflicts_with_all = ["ids", "name", "category_id", "status", "if_status"])]
    pub file: Option<PathBuf>,
    /// The new status.
    #[arg(short, long, value_parser = statuses())]
    pub status: Option<PetStatus>,
    /// The new name, 1 to 255 characters.
    #[arg(long, allow_hyphen_values = true)]
    pub name: Option<String>,
    /// The new category: its id, or its name in the configuration.
    #[arg(long, alias = "category", value_name = "ID", allow_hyphen_values = true, add = completions::categories())]
    pub category_id: Option<String>,
    /// Change only pets that have this status.
    #[arg(long, value_name = "STATUS", value_parser = statuses())]
    pub if_status: Option<PetStatus>,
    /// Change nothing; print the pets as they would become.
    #[arg(long)]
    pub dry_run: bool,
    /// Do not ask before changing pets of a protected profile, or by a file.
    #[arg(short, long)]
    pub yes: bool,
    #[command(flatten)]
    pub output: Output,
}

#[derive(Debug, ClapArgs)]
pub struct HistoryArgs {
    /// The pet's id.
    #[arg(value_name = "ID", allow_negative_numbers = true, value_parser = parse_id)]
    pub id: PetId,
    #[command(flatten)]
    pub request: RequestArgs,
    #[command(flatten)]
    pub output: FormatArg,
}

#[derive(Debug, ClapArgs)]
pub struct GetArgs {
    /// The pets' ids.
    #[arg(value_name = "ID", required = true, allow_negative_numbers = true, value_parser = parse_id)]
    pub ids: Vec<PetId>,
    #[command(flatten)]
    pub output: Output,
}

#[derive(Debug, Default, ClapArgs)]
pub struct WatchArgs {
    /// Only pets with this status.
    #[arg(short, long, value_parser = statuses())]
    pub status: Option<PetStatus>,
    /// Only pets of a view of the configuration.
    #[arg(long, value_name = "NAME", add = completions::views())]
    pub view: Option<String>,
    /// Ask again and again, with this time between, at least 1s. [default: 5s if the service offers no events]
    #[arg(short, long, value_name = "TIME", value_parser = parse_interval)]
    pub interval: Option<Duration>,
    /// Stop after this time, such as 90s, 30m or 48h. [default: until Ctrl-C]
    #[arg(long, value_name = "TIME", value_parser = parse_duration)]
    pub timeout: Option<Duration>,
    /// Stop after the first new or changed pet.
    #[arg(long)]
    pub once: bool,
    /// Output format.
    #[arg(short = 'o', long, value_enum, default_value_t = WatchFormat::Lines)]
    pub format: WatchFormat,
    /// Begin after the pet with this id. [default: with the next pet that is added]
    #[arg(long, value_name = "ID", allow_negative_numbers = true, conflicts_with = "interval", value_parser = parse_id)]
    pub from: Option<PetId>,
    /// Run a command for each new or changed pet, with the pet as JSON on standard input. What follows belongs to the command.
    #[arg(long, value_name = "CMD", num_args = 1.., allow_hyphen_values = true, conflicts_with = "format")]
    pub exec: Vec<OsString>,
}

/// The format of changes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum WatchFormat {
    /// One line per change, for people.
    #[default]
    #[value(alias = "table")]
    Lines,
    /// One JSON object per line.
    #[value(aliases = ["json", "jsonl"])]
    Ndjson,
}

/// The time between checks, if none is given.
pub const DEFAULT_INTERVAL: Duration = Duration::from_secs(5);

/// The shortest time between checks.
const LEAST_INTERVAL: Duration = Duration::from_secs(1);

fn parse_interval(text: &str) -> Result<Duration, String> {
    let interval = parse_duration(text)?;
    if interval >= LEAST_INTERVAL { Ok(interval) } else { Err("the minimum is 1s".to_owned()) }
}

fn parse_id(text: &str) -> Result<PetId, String> {
    text.parse().map_err(|_| "an id is a 64-bit whole number, such as 17".to_owned())
}

fn parse_limit(text: &str) -> Result<Limit, String> {
    text.parse().map_err(|error| format!("{error}; for more than 100 use --all"))
}
