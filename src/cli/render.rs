//! A result as lines for people, or as one JSON value for programs.

use std::io::{self, Write};

use clap::{Args, ValueEnum};
use serde::Serialize;

use super::Result;
use super::output::{Content, Out, is_terminal, write_as};

/// The format of a result.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum ResultFormat {
    /// Lines for people.
    #[default]
    Table,
    /// One JSON value.
    Json,
}

#[derive(Clone, Copy, Debug, Default, Args)]
pub struct FormatArg {
    /// Output format.
    #[arg(short = 'o', long, value_enum, default_value_t = ResultFormat::Table)]
    format: ResultFormat,
    /// Same as --format json.
    #[arg(long, conflicts_with = "format")]
    json: bool,
}

impl FormatArg {
    /// The chosen format.
    pub const fn chosen(self) -> ResultFormat {
        if self.json { ResultFormat::Json } else { self.format }
    }

    /// Writes the result to stdout in the chosen format.
    pub fn write<T: Serialize>(
        self,
        lines: impl FnOnce(&mut Out<io::Stdout>) -> io::Result<()>,
        value: impl FnOnce() -> T,
    ) -> Result<()> {
        match self.chosen() {
            ResultFormat::Table => print(lines),
            ResultFormat::Json => print_json(&value()),
        }
    }
}

/// Writes lines to stdout. A reader that has gone is not a failure.
pub fn print(lines: impl FnOnce(&mut Out<io::Stdout>) -> io::Result<()>) -> Result<()> {
    write_as(Content::Lines, lines).map(drop)
}

/// Writes a JSON value to stdout.
pub fn print_json(value: &impl Serialize) -> Result<()> {
    write_as(Content::Json, |out| json(out, value, is_terminal())).map(drop)
}

/// Writes a JSON value, on several lines if `pretty`.
pub fn json(out: &mut impl Write, value: &impl Serialize, pretty: bool) -> io::Result<()> {
    if pretty {
        serde_json::to_writer_pretty(&mut *out, value)?;
    } else {
        serde_json::to_writer(&mut *out, value)?;
    }
    writeln!(out)
}
