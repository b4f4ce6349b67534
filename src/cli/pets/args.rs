//! The words of `petstore pets`, but for those of import and export.

use std::time::Duration;

use clap::{Args as ClapArgs, Subcommand, ValueEnum};

use crate::cli::args::{Output, parse_duration, statuses};
use crate::cli::output::Content;
use crate::cli::transfer::args::{EXPORT_HELP, ExportArgs, IMPORT_HELP, ImportArgs};
use crate::model::{Limit, PetId, PetStatus};

use super::column::{self, SortOrder};

pub const PETS_HELP: &str = "Examples:
  petstore pets list --status available --limit 50
  petstore pets list --all --format csv > animals.csv
  petstore pets add --name Biscuit --category-id 3
  petstore -p branch pets list --format ids | head -3";

const LIST_HELP: &str = "Examples:
  petstore pets list --status available --limit 50
  petstore pets list --all --sort name --columns name,status
  petstore pets list --all --require-complete --format json > animals.json
  petstore pets list --format ids | head -3

A cell of CSV or TSV that a spreadsheet would run as a formula gets a ' before it; --raw leaves it. JSON has every name \
byte for byte.

What is sorted is what is listed: with --all the whole inventory, otherwise the first animals. With --all, NDJSON, CSV, \
TSV and ids are written as they come; an exit status other than 0 says that they are not all. A service without pages \
gives at most 100 animals of each status: then a line on standard error says that there may be more, and with \
--require-complete nothing is listed and the exit status is 3.";

const ADD_HELP: &str = "Examples:
  petstore pets add --name Biscuit --category-id 3
  petstore pets add --name Rex --category-id 1 --status sold --dry-run
  petstore pets add - < animals.ndjson

`add -` reads JSON objects one after another, on one line each or spread over several, and ignores members it does not \
know. A wrong one is named and left out. Exit status: 0 all added, 3 some not, 7 refused, 10 one may have been added.";

const GET_HELP: &str = "Examples:
  petstore pets get 17
  petstore pets get 17 18 19 --format json
  petstore pets list --format ids | head -3 | xargs petstore pets get

The operation that gets one animal is deprecated, and removed on 5 December 2030. `auto` looks through the lists of the \
three statuses, and asks for the animal itself only where they do not show it; `list` never does, `get` does at once.";

const WATCH_HELP: &str = "Examples:
  petstore pets watch
  petstore pets watch --status available --interval 1m
  petstore pets watch --format ndjson --timeout 8h

A line for each animal that is new, has changed or is gone; with --format ndjson an object with `at`, `change`, `pet` and, \
for a change, `before`. An unchanged list costs next to nothing where the service knows entity tags. While the service is \
away it is asked less and less often. Exit status: 130 on Ctrl-C, 9 when the time is up.";

#[derive(Debug, Subcommand)]
pub enum PetsCommand {
    /// List animals.
    #[command(after_help = LIST_HELP, visible_alias = "ls")]
    List(ListArgs),
    /// Add an animal, or those of a JSON stream on standard input.
    #[command(after_help = ADD_HELP, visible_aliases = ["create", "new"])]
    Add(AddArgs),
    /// Get animals by their ids.
    #[command(after_help = GET_HELP, visible_alias = "view")]
    Get(GetArgs),
    /// Say what changes, as it happens.
    #[command(after_help = WATCH_HELP)]
    Watch(WatchArgs),
    /// Add the animals of a file: CSV, NDJSON, JSON or XLSX.
    #[command(after_help = IMPORT_HELP)]
    Import(ImportArgs),
    /// Write the whole inventory to a file or to standard output.
    #[command(after_help = EXPORT_HELP)]
    Export(ExportArgs),
}

impl PetsCommand {
    /// Whether it asks one thing after another, so that further threads would only cost time.
    pub const fn asks_one_by_one(&self) -> bool {
        match self {
            Self::List(_) | Self::Add(_) | Self::Get(_) | Self::Watch(_) => true,
            Self::Import(_) | Self::Export(_) => false,
        }
    }
}

#[derive(Debug, ClapArgs)]
pub struct ListArgs {
    /// Only animals of this status.
    #[arg(short, long, value_parser = statuses())]
    pub status: Option<PetStatus>,
    /// The most animals, 1 to 100. [default: 20, or that of the configuration]
    #[arg(short = 'n', long, value_name = "N", value_parser = parse_limit, conflicts_with = "all")]
    pub limit: Option<Limit>,
    /// The whole inventory: page by page, or without pages what the lists of the three statuses hold together.
    #[arg(short, long)]
    pub all: bool,
    /// Fail where it cannot be known that these are all animals.
    #[arg(long, requires = "all")]
    pub require_complete: bool,
    /// Sort what is listed: by id, name, categoryId or status; the other way round with a - before it or :desc after it.
    #[arg(long, value_name = "COLUMN", allow_hyphen_values = true, add = column::to_sort_by())]
    pub sort: Option<SortOrder>,
    /// Leave cells of CSV and TSV that a spreadsheet would run as they are.
    #[arg(long)]
    pub raw: bool,
    #[command(flatten)]
    pub output: Output,
}

#[derive(Debug, ClapArgs)]
pub struct AddArgs {
    /// `-` reads JSON objects {"name", "categoryId", "status"} from standard input.
    #[arg(value_parser = ["-"], conflicts_with_all = ["name", "category_id", "status"])]
    pub stdin: Option<String>,
    /// The animal's name, 1 to 255 characters.
    #[arg(long, required_unless_present = "stdin", allow_hyphen_values = true)]
    pub name: Option<String>,
    /// The category's id, a whole number of 64 bits.
    #[arg(long, alias = "category", value_name = "ID", allow_hyphen_values = true, required_unless_present = "stdin")]
    pub category_id: Option<String>,
    /// The status; when not given the service decides.
    #[arg(short, long, value_parser = statuses())]
    pub status: Option<PetStatus>,
    /// Send nothing; print a curl line that does, with the key left in PETSTORE_API_KEY.
    #[arg(long)]
    pub dry_run: bool,
    /// Do not ask before adding to a protected profile.
    #[arg(short, long)]
    pub yes: bool,
    #[command(flatten)]
    pub output: Output,
}

#[derive(Debug, ClapArgs)]
pub struct GetArgs {
    /// The animals' ids.
    #[arg(value_name = "ID", required = true, allow_negative_numbers = true, value_parser = parse_id)]
    pub ids: Vec<PetId>,
    /// How they are looked for.
    #[arg(long, value_enum, default_value_t = Via::Auto)]
    pub via: Via,
    #[command(flatten)]
    pub output: Output,
}

/// How an animal is looked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Via {
    /// In the lists, then by the deprecated operation.
    Auto,
    /// In the lists only.
    List,
    /// By the deprecated operation only.
    Get,
}

#[derive(Debug, ClapArgs)]
pub struct WatchArgs {
    /// Only animals of this status.
    #[arg(short, long, value_parser = statuses())]
    pub status: Option<PetStatus>,
    /// The pause between two looks, at least 1s.
    #[arg(short, long, value_name = "TIME", default_value = "5s", value_parser = parse_interval)]
    pub interval: Duration,
    /// The longest time, such as 90s, 30m or 48h. [default: until Ctrl-C]
    #[arg(long, value_name = "TIME", value_parser = parse_duration)]
    pub timeout: Option<Duration>,
    /// How changes are written.
    #[arg(short = 'o', long, value_enum, default_value_t = WatchFormat::Lines)]
    pub format: WatchFormat,
}

/// How changes are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum WatchFormat {
    /// A line for people.
    #[value(alias = "table")]
    Lines,
    /// A JSON object a line.
    #[value(alias = "json")]
    Ndjson,
}

impl WatchFormat {
    /// What it is for [`write_as`](crate::cli::output::write_as).
    pub const fn content(self) -> Content {
        match self {
            Self::Lines => Content::Lines,
            Self::Ndjson => Content::Json,
        }
    }
}

/// The least pause between two looks.
const LEAST_INTERVAL: Duration = Duration::from_secs(1);

fn parse_interval(text: &str) -> Result<Duration, String> {
    let interval = parse_duration(text)?;
    if interval >= LEAST_INTERVAL { Ok(interval) } else { Err("the least is 1s".to_owned()) }
}

fn parse_id(text: &str) -> Result<PetId, String> {
    text.parse().map_err(|_| "an id is a whole number of 64 bits, such as 17".to_owned())
}

fn parse_limit(text: &str) -> Result<Limit, String> {
    text.parse().map_err(|error| format!("{error}; --all lists more than 100"))
}
