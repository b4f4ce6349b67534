//! `petstore man`: a manual page for each command, from the same text as its help.

use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use clap::builder::Resettable;
use clap::{Args, Command};
use clap_mangen::Man;
use clap_mangen::roff::{Roff, bold, roman};

use crate::model::text::short;

use super::error::{Exit, Failed};
use super::output::{note, write};
use crate::model::suggest::did_you_mean;

#[derive(Debug, Args)]
#[command(after_help = "Examples:
  petstore man > petstore.1
  petstore man pets list > petstore-pets-list.1
  petstore man --dir man1

To read one: petstore man pets list | man -l -")]
pub struct ManArgs {
    /// The command. [default: petstore itself]
    #[arg(conflicts_with = "dir")]
    pub command: Vec<String>,
    /// Write the pages of all commands to this directory, which is created if needed.
    #[arg(long)]
    pub dir: Option<PathBuf>,
}

/// Prints the page of a command below `root`, or writes them all.
pub fn run(root: Command, args: &ManArgs) -> Result<Exit, Failed> {
    let mut all = root.disable_help_subcommand(true);
    all.build();
    if let Some(directory) = &args.dir {
        let wrong = format!("cannot write to {}", directory.display());
        let count = pages(&all, directory).map_err(Failed::because(wrong))?;
        note(&format!("wrote {count} pages to {}", directory.display()));
        return Ok(Exit::Done);
    }
    let mut command = &all;
    for word in &args.command {
        command = command.find_subcommand(word).ok_or_else(|| {
            let suggestion = did_you_mean(word, command.get_subcommands().map(Command::get_name));
            let what = format!("there is no command \"{}\".{suggestion}", short(word));
            Failed::new(Exit::Usage, what).hint("for all commands: petstore --help")
        })?;
    }
    write(|out| page(command, out))?;
    Ok(Exit::Done)
}

/// Writes the pages of a command and its subcommands, and returns their number.
fn pages(command: &Command, directory: &Path) -> io::Result<usize> {
    fs::create_dir_all(directory)?;
    let mut count = 1;
    for below in command.get_subcommands().filter(|command| !command.is_hide_set()) {
        count += pages(below, directory)?;
    }
    let mut text = Vec::new();
    page(command, &mut text)?;
    fs::write(directory.join(Man::new(command.clone()).get_filename()), text)?;
    Ok(count)
}

/// Sections that every page ends with: their name, and the page and heading of the documentation that has their text.
const SHARED: [(&str, &str, &str); 3] = [
    ("EXIT STATUS", include_str!("../../docs/scripting.md"), "## Exit statuses"),
    ("ENVIRONMENT", include_str!("../../docs/configuration.md"), "## Environment variables"),
    ("FILES", include_str!("../../docs/configuration.md"), "## Files"),
];

fn page(command: &Command, out: &mut dyn Write) -> io::Result<()> {
    let bare = command.clone().after_help(Resettable::Reset).version(Resettable::Reset);
    let source = concat!("petstore ", env!("CARGO_PKG_VERSION"));
    // The date: an empty argument would be left out, and the next would take its place.
    Man::new(bare).date(" ").source(source).manual("Petstore Manual").render(out)?;

    let help = command.get_after_help().map(ToString::to_string).unwrap_or_default();
    let of_examples = |paragraph: &&str| paragraph.starts_with("Example");
    let of_statuses = |paragraph: &&str| paragraph.starts_with("Exit status");
    let (examples, rest): (Vec<_>, Vec<_>) = help.split("\n\n").partition(of_examples);
    let (statuses, notes): (Vec<_>, Vec<_>) = rest.into_iter().partition(of_statuses);

    let mut roff = Roff::new();
    if !notes.is_empty() {
        roff.control("SH", ["NOTES"]);
        notes.iter().for_each(|paragraph| as_it_is(&mut roff, paragraph.lines()));
    }
    roff.control("SH", ["EXAMPLES"]);
    examples.iter().for_each(|paragraph| as_it_is(&mut roff, paragraph.lines().skip(1)));
    for (name, document, heading) in SHARED {
        roff.control("SH", [name]);
        if name == "EXIT STATUS" && command.get_name() != "petstore" {
            statuses.iter().for_each(|paragraph| as_it_is(&mut roff, paragraph.lines()));
        }
        from_markdown(&mut roff, section(document, heading));
    }
    roff.to_writer(out)
}

/// A paragraph of a help; its indented lines are commands, which are not filled.
fn as_it_is<'a>(roff: &mut Roff, lines: impl Iterator<Item = &'a str>) {
    roff.control("PP", []);
    for line in lines {
        let is_command = line.starts_with("  ");
        roff.text([roman(line)]);
        if is_command {
            roff.control("br", []);
        }
    }
}

/// What is below a heading, up to the next one.
fn section<'a>(document: &'a str, heading: &str) -> &'a str {
    let below = document.split_once(heading).map_or("", |(_, below)| below);
    below.split_once("\n## ").map_or(below, |(section, _)| section)
}

/// Paragraphs, and tables of two columns: a term and what it is.
fn from_markdown(roff: &mut Roff, text: &str) {
    for block in text.trim().split("\n\n") {
        let plain = block.replace('`', "");
        let rows = plain.lines().filter_map(|line| line.strip_prefix("| ")?.strip_suffix(" |")?.split_once(" | "));
        // The first row names the columns.
        for (term, meaning) in rows.clone().skip(1) {
            roff.control("TP", []).text([bold(term)]).text([roman(meaning)]);
        }
        if rows.count() == 0 {
            roff.control("PP", []).text([roman(plain.replace('\n', " "))]);
        }
    }
}
