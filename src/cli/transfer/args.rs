//! The words of `pets import` and `pets export`.

use std::path::PathBuf;

use clap::{Args as ClapArgs, ValueEnum};

use crate::cli::args::statuses;
use crate::model::export::Kind;
use crate::model::{Field, PetStatus};
use crate::transfer::import::{ImportOptions, OnError};
use crate::transfer::journal::Journal;
use crate::transfer::{ColumnMapping, FileFormat};

pub const IMPORT_HELP: &str = "Columns are found by their names, whatever the case: name or pet name; categoryId, \
category or cat; status or state. Blanks around a value are cut, except in names of JSON and of our own exports. A name \
like '=1 loses the ' that export puts there. Workbooks (first sheet, up to 32 MiB) are held in memory; everything else \
is read in constant memory, and takes about 100 bytes a row where it is compared with the report of an earlier import.

Examples:
  petstore pets import new-arrivals.csv --dry-run
  petstore pets import new-arrivals.csv --map categoryId=kind --set status=available
  petstore pets import new-arrivals.csv --resume
  petstore pets import new-arrivals.csv --dry-run --mend bad.csv
  petstore pets export - | petstore -p branch pets import - --report branch.ndjson

Every row has an Idempotency-Key, the same whenever it is sent again, and the report beside the file \
(FILE.petstore-import.ndjson) says what became of it. By it the next import of the file knows its rows, also after the \
file was changed: an import that is not finished goes on with what was corrected or is new; a file with none of its rows \
begins anew, and the report before is kept under its date. If only some rows are equal, as in next week's list, nothing is \
sent until you choose: --resume leaves those rows out, --again adds all of them.

Exit status: 0 all added, 3 some not, 4 key refused, 6 no answer, \
7 all refused, 10 unknown.";

pub const EXPORT_HELP: &str =
    "A cell of CSV that a spreadsheet would run as a formula gets a ' before it, which import \
takes off again; --raw leaves it. JSON has every name byte for byte.

Examples:
  petstore pets export pets.csv
  petstore pets export --format ndjson | grep Rex
  petstore pets export sold.json --status sold --require-complete

A service without pages gives at most 100 animals of each status; then a line on standard error says that there may be \
more, and with --require-complete it is an error (exit status 3) and no file is left.";

#[derive(Debug, ClapArgs)]
pub struct ImportArgs {
    /// The file; `-` is standard input.
    #[arg(value_name = "FILE|-")]
    pub file: PathBuf,
    /// What kind of file it is.
    #[arg(long, value_enum, default_value_t = FormatArg::Auto)]
    pub format: FormatArg,
    /// The column of a field: --map categoryId=cat.
    #[arg(long, value_name = "FIELD=COLUMN", value_parser = parse_pair)]
    pub map: Vec<(Field, String)>,
    /// One value for all rows instead of a column: --set status=available.
    #[arg(long, value_name = "FIELD=VALUE", value_parser = parse_pair)]
    pub set: Vec<(Field, String)>,
    /// Leave a ' before what begins like a formula.
    #[arg(long)]
    pub raw: bool,
    /// Check every row, and send nothing.
    #[arg(long, conflicts_with_all = ["resume", "retry_refused"])]
    pub dry_run: bool,
    /// How many rows are sent at a time, 1 to 16.
    #[arg(long, value_name = "N", default_value_t = 4, value_parser = clap::value_parser!(u8).range(1..=16))]
    pub concurrency: u8,
    /// After a row that was not added; where rows are bad, `stop` sends none.
    #[arg(long, value_enum, default_value_t = OnErrorArg::GoOn)]
    pub on_error: OnErrorArg,
    /// Stop once so many rows were not added.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    pub max_errors: Option<u64>,
    /// The report, written row by row. [default: beside the file; none for standard input]
    #[arg(long, value_name = "REPORT")]
    pub report: Option<PathBuf>,
    /// Go on with an import by its report; rows equal to rows that it added are not sent again.
    #[arg(long)]
    pub resume: bool,
    /// Add every row, also those that an earlier import of this file added; its report is kept under its date.
    #[arg(long, conflicts_with_all = ["resume", "dry_run"])]
    pub again: bool,
    /// With --resume: send again what the service refused.
    #[arg(long, requires = "resume")]
    pub retry_refused: bool,
    /// With --resume: rows that may have been added, where sending again could add them twice.
    #[arg(long, value_enum, default_value_t = UnknownArg::Ask)]
    pub unknown: UnknownArg,
    /// At the end, write the rows that were not added to this CSV file, with the reason; it can be imported once mended.
    #[arg(long, value_name = "CSV")]
    pub mend: Option<PathBuf>,
    /// Replace the file of --mend.
    #[arg(long, requires = "mend")]
    pub force: bool,
    /// Do not ask before adding to a protected profile.
    #[arg(short, long)]
    pub yes: bool,
}

impl ImportArgs {
    pub(super) fn is_stdin(&self) -> bool {
        self.file.as_os_str() == "-"
    }

    /// Where what becomes of each row is written.
    pub fn journal(&self) -> Option<PathBuf> {
        self.report.clone().or_else(|| (!self.is_stdin()).then(|| Journal::beside(&self.file)))
    }

    pub fn reading(&self) -> ColumnMapping {
        let of = |pairs: &[(Field, String)]| {
            Field::ALL.map(|field| pairs.iter().rev().find(|pair| pair.0 == field).map(|pair| pair.1.clone()))
        };
        let format = match self.format {
            FormatArg::Auto => None,
            FormatArg::Csv => Some(FileFormat::Csv),
            FormatArg::Ndjson | FormatArg::Jsonl => Some(FileFormat::Ndjson),
            FormatArg::Json => Some(FileFormat::Json),
            FormatArg::Xlsx => Some(FileFormat::Xlsx),
        };
        ColumnMapping { format, raw: self.raw, map: of(&self.map), set: of(&self.set) }
    }

    pub fn how(&self) -> ImportOptions {
        ImportOptions {
            concurrency: self.concurrency.into(),
            on_error: match self.on_error {
                OnErrorArg::GoOn => OnError::GoOn,
                OnErrorArg::Stop => OnError::Stop,
            },
            max_errors: self.max_errors,
            send_unknown: self.unknown == UnknownArg::Send,
            retry_refused: self.retry_refused,
            ..ImportOptions::default()
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum FormatArg {
    /// By the ending of the name, then by the first octets.
    Auto,
    /// Cells parted by commas, semicolons or tabs, whichever it is.
    Csv,
    /// One JSON object a line.
    Ndjson,
    /// The same.
    Jsonl,
    /// One JSON array of objects.
    Json,
    /// A workbook.
    Xlsx,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum OnErrorArg {
    /// Go on with the others.
    GoOn,
    /// Send no more.
    Stop,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum UnknownArg {
    /// Ask at the end; without a terminal, leave them.
    Ask,
    /// Leave them.
    Skip,
    /// Send them again.
    Send,
}

#[derive(Debug, ClapArgs)]
pub struct ExportArgs {
    /// The file; `-` is standard output.
    #[arg(value_name = "FILE|-", default_value = "-")]
    pub file: PathBuf,
    /// Only animals of this status.
    #[arg(short, long, value_parser = statuses())]
    pub status: Option<PetStatus>,
    /// How they are written. [default: by the ending of the file's name, CSV where it has none]
    #[arg(short = 'o', long, value_enum)]
    pub format: Option<KindArg>,
    /// Leave cells of CSV that a spreadsheet would run as they are.
    #[arg(long)]
    pub raw: bool,
    /// Fail where it cannot be known that these are all animals.
    #[arg(long)]
    pub require_complete: bool,
    /// Replace a file that is there.
    #[arg(long)]
    pub force: bool,
}

impl ExportArgs {
    pub(super) fn is_stdout(&self) -> bool {
        self.file.as_os_str() == "-"
    }

    /// How the animals are written; `None` where the file's name asks for what is not written.
    pub fn kind(&self) -> Option<Kind> {
        match self.format {
            None => Kind::of_name(&self.file),
            Some(KindArg::Csv) => Some(Kind::Csv),
            Some(KindArg::Json) => Some(Kind::Json),
            Some(KindArg::Ndjson) => Some(Kind::Ndjson),
            Some(KindArg::Tsv) => Some(Kind::Tsv),
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum KindArg {
    /// RFC 4180, with a header.
    Csv,
    /// One JSON array, an object a line.
    Json,
    /// One JSON object a line.
    Ndjson,
    /// Tabs, with a header.
    Tsv,
}

fn parse_pair(text: &str) -> Result<(Field, String), String> {
    let (field, value) = text.split_once('=').ok_or("write it as FIELD=VALUE, for example categoryId=cat")?;
    let field = ColumnMapping::field(field).ok_or("the fields are name, categoryId and status")?;
    Ok((field, value.to_owned()))
}
