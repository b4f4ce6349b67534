//! The arguments of `pets import` and `pets export`.

use std::io::{IsTerminal as _, stderr};
use std::iter;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use clap::{Args as ClapArgs, ValueEnum};

use crate::cli::args::{RequestArgs, formats, parse_duration, statuses};
use crate::cli::completions;
use crate::model::export::Kind;
use crate::model::{Categories, Field, PetStatus};
use crate::transfer::import::Patience;
use crate::transfer::{ColumnMapping, FileFormat, ImportOptions, Journal};

pub const IMPORT_HELP: &str = "Columns are found by name, in any case: name or pet name; categoryId, category or cat; \
status or state. Spaces around a value are removed, except in names from JSON and from petstore's own exports. The ' that \
export puts before a name such as '=1 is removed. Workbooks (first sheet, up to 32 MiB) are held in memory; everything \
else is streamed, with about 100 bytes a row while it is compared with the report of an earlier import.

Examples:
  petstore pets import new-arrivals.csv --dry-run
  petstore pets import new-arrivals.csv --map categoryId=kind --set status=available
  petstore pets import new-arrivals.csv --resume
  petstore pets import new-arrivals.csv --dry-run --rejects bad.csv
  petstore pets export - | petstore -p branch pets import - --report branch.ndjson

Every row has an Idempotency-Key that stays the same when the row is sent again. The report beside the file \
(FILE.petstore-import.ndjson) records what happened to each row. The next import of the file reads it, even after the \
file was edited. An unfinished import continues with the rows that were fixed or are new. If none of the reported rows \
are in the file, a new import begins, and the old report is kept under its date. If only some rows match, as in next \
week's list, nothing is sent until you choose: --resume skips those rows, --again adds all of them.

Exit status: 0 all added, 3 some not added, 4 key refused, 6 no answer, \
7 all refused, 10 unknown.";

pub const EXPORT_HELP: &str =
    "In CSV, a cell that a spreadsheet would run as a formula gets a ' before it, which import \
removes again; --raw leaves it as it is. JSON is one array, an object a line, and keeps every name byte for byte.

Examples:
  petstore pets export pets.csv
  petstore pets export --format ndjson | grep Rex
  petstore pets export sold.json --status sold --require-complete

A service without pages returns at most 100 pets of each status; a line on standard error then says that there may be \
more. With --require-complete that is an error (exit status 3), and no file is written.";

/// How long an import waits for the service if nobody is there to stop it.
const UNATTENDED: Duration = Duration::from_secs(5 * 60);

#[derive(Debug, ClapArgs)]
pub struct ImportArgs {
    /// File to import; `-` is standard input.
    #[arg(value_name = "FILE|-")]
    pub file: PathBuf,
    /// Format of the file.
    #[arg(long, default_value = "auto", value_parser = file_formats())]
    pub format: DetectedFormat,
    /// Column of a field: --map categoryId=cat.
    #[arg(long, value_name = "FIELD=COLUMN", value_parser = parse_pair)]
    pub map: Vec<(Field, String)>,
    /// One value for all rows: --set status=available.
    #[arg(long, value_name = "FIELD=VALUE", value_parser = parse_pair)]
    pub set: Vec<(Field, String)>,
    /// Keep a ' before a value that begins like a formula.
    #[arg(long)]
    pub raw: bool,
    /// Check every row and send nothing.
    #[arg(long, conflicts_with = "resume")]
    pub dry_run: bool,
    /// Rows sent at a time, 1 to 16.
    #[arg(long, value_name = "N", default_value_t = 4, value_parser = clap::value_parser!(u8).range(1..=16))]
    pub concurrency: u8,
    /// What to do after a row that was not added; `stop` also sends nothing from a file with bad rows.
    #[arg(long, value_enum, default_value_t = OnErrorArg::Continue)]
    pub on_error: OnErrorArg,
    /// How long to wait for a service that takes no rows. [default: 5m without a terminal, otherwise until Ctrl-C]
    #[arg(long, value_name = "TIME", value_parser = parse_duration)]
    pub wait: Option<Duration>,
    /// Report file, written row by row. [default: beside the file; none for standard input]
    #[arg(long, value_name = "REPORT")]
    pub report: Option<PathBuf>,
    /// Continue an import from its report; rows that match rows it added are not sent again.
    #[arg(long)]
    pub resume: bool,
    /// Add every row, even those that an earlier import of this file added; its report is kept under its date.
    #[arg(long, conflicts_with_all = ["resume", "dry_run"])]
    pub again: bool,
    /// With --resume: what to do with rows that may have been added, if sending them again could add them twice.
    #[arg(long, value_enum, default_value_t = UnknownArg::Ask)]
    pub unknown: UnknownArg,
    /// Write the rows that were not added to this CSV file, with the reason; fix them there and import that file.
    #[arg(long, alias = "mend", value_name = "CSV")]
    pub rejects: Option<PathBuf>,
    /// Overwrite the file of --rejects.
    #[arg(long, requires = "rejects")]
    pub force: bool,
    /// Do not ask before adding to a protected profile.
    #[arg(short, long)]
    pub yes: bool,
}

impl ImportArgs {
    pub(super) fn is_stdin(&self) -> bool {
        self.file.as_os_str() == "-"
    }

    /// The file that records what happened to each row.
    pub fn journal(&self) -> Option<PathBuf> {
        self.report.clone().or_else(|| (!self.is_stdin()).then(|| Journal::beside(&self.file)))
    }

    pub fn reading(&self, categories: &Arc<Categories>) -> ColumnMapping {
        let of = |pairs: &[(Field, String)]| {
            Field::ALL.map(|field| pairs.iter().rev().find(|pair| pair.0 == field).map(|pair| pair.1.clone()))
        };
        ColumnMapping {
            format: self.format,
            raw: self.raw,
            map: of(&self.map),
            set: of(&self.set),
            categories: Arc::clone(categories),
            ..ColumnMapping::default()
        }
    }

    pub fn how(&self) -> ImportOptions {
        ImportOptions {
            concurrency: self.concurrency.into(),
            stop_on_error: self.on_error == OnErrorArg::Stop,
            send_unknown: self.unknown == UnknownArg::Send,
            patience: Patience {
                give_up: self.wait.or((!stderr().is_terminal()).then_some(UNATTENDED)),
                ..Patience::default()
            },
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum OnErrorArg {
    /// Continue with the other rows.
    #[value(alias = "go-on")]
    Continue,
    /// Send no more rows.
    Stop,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum UnknownArg {
    /// Ask at the end; without a terminal, skip them.
    Ask,
    /// Do not send them.
    Skip,
    /// Send them again.
    Send,
}

#[derive(Debug, ClapArgs)]
pub struct ExportArgs {
    /// File to write; `-` is standard output.
    #[arg(value_name = "FILE|-", default_value = "-")]
    pub file: PathBuf,
    /// Only pets with this status.
    #[arg(short, long, value_parser = statuses())]
    pub status: Option<PetStatus>,
    /// Only pets of a view of the configuration, in its columns. Its sort and its limit are not used.
    #[arg(long, value_name = "NAME", add = completions::views())]
    pub view: Option<String>,
    /// Output format. [default: by the ending of the file name, or else CSV]
    #[arg(short = 'o', long, value_parser = formats(&[Kind::Csv, Kind::Json, Kind::Ndjson, Kind::Tsv]))]
    pub format: Option<Kind>,
    /// Write CSV cells as they are, even those that a spreadsheet would run as formulas.
    #[arg(long)]
    pub raw: bool,
    /// Fail unless the export is known to be complete.
    #[arg(long)]
    pub require_complete: bool,
    /// Also write who added each pet and when, as the columns by and at. The key needs the scope audit.
    #[arg(long)]
    pub provenance: bool,
    /// Overwrite an existing file.
    #[arg(long)]
    pub force: bool,
    #[command(flatten)]
    pub request: RequestArgs,
}

impl ExportArgs {
    pub(super) fn is_stdout(&self) -> bool {
        self.file.as_os_str() == "-"
    }

    /// The output format; `None` if the ending of the file name is unknown.
    pub fn kind(&self) -> Option<Kind> {
        self.format.or_else(|| Kind::of_name(&self.file))
    }
}

/// `None` detects it.
type DetectedFormat = Option<FileFormat>;

fn file_formats() -> impl TypedValueParser<Value = DetectedFormat> {
    let auto = PossibleValue::new("auto").help("By the ending of the file name, or else by the first bytes");
    let others = FileFormat::value_variants().iter().filter_map(FileFormat::to_possible_value);
    PossibleValuesParser::new(iter::once(auto).chain(others)).map(|word| FileFormat::from_str(&word, false).ok())
}

fn parse_pair(text: &str) -> Result<(Field, String), String> {
    let (field, value) = text.split_once('=').ok_or("write it as FIELD=VALUE, for example categoryId=cat")?;
    let field = ColumnMapping::field(field).ok_or("the fields are name, categoryId and status")?;
    Ok((field, value.to_owned()))
}
