//! A result that is one thing: lines for people, or one JSON value for programs.

use std::io::{self, Write};

use clap::{Args, ValueEnum};
use serde::Serialize;

use super::error::Failed;
use super::output::{Content, Out, is_terminal, write, write_as};

/// How results are written.
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
    /// How the result is written.
    #[arg(short = 'o', long, value_enum, default_value_t = ResultFormat::Table)]
    format: ResultFormat,
    /// The same as --format json.
    #[arg(long, conflicts_with = "format")]
    json: bool,
}

impl FormatArg {
    /// What was asked for.
    pub const fn chosen(self) -> ResultFormat {
        if self.json { ResultFormat::Json } else { self.format }
    }

    /// Writes what was asked for to stdout.
    pub fn write<T: Serialize>(
        self,
        lines: impl FnOnce(&mut Out<io::Stdout>) -> io::Result<()>,
        value: impl FnOnce() -> T,
    ) -> Result<(), Failed> {
        match self.chosen() {
            ResultFormat::Table => print(lines),
            ResultFormat::Json => print_json(&value()),
        }
    }
}

/// Writes lines to stdout at once. That whoever read them has gone is no failure.
pub fn print(lines: impl FnOnce(&mut Out<io::Stdout>) -> io::Result<()>) -> Result<(), Failed> {
    write(lines).map(drop)
}

/// Writes a JSON value to stdout.
pub(super) fn print_json(value: &impl Serialize) -> Result<(), Failed> {
    write_as(Content::Json, |out| json(out, value, is_terminal())).map(drop)
}

/// Writes a JSON value: spread over lines where it is `looked_at`, on one line otherwise.
pub fn json(out: &mut impl Write, value: &impl Serialize, looked_at: bool) -> io::Result<()> {
    if looked_at {
        serde_json::to_writer_pretty(&mut *out, value)?;
    } else {
        serde_json::to_writer(&mut *out, value)?;
    }
    writeln!(out)
}
