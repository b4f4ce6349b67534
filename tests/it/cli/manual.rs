//! Makes and checks the manual pages: one for each command, from the same text as its help.
//!
//! `PETSTORE_MAN=DIR cargo test --test it cli::manual::` writes them to a directory, as the package does.

use crate::prelude::*;

use std::io::Write;

use clap::Command;
use clap::builder::Resettable;
use clap_mangen::Man;
use clap_mangen::roff::{Roff, bold, roman};

use super::helps::commands;

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
    ("EXIT STATUS", include_str!("../../../docs/scripting.md"), "## Exit statuses"),
    ("ENVIRONMENT", include_str!("../../../docs/configuration.md"), "## Environment variables"),
    ("FILES", include_str!("../../../docs/configuration.md"), "## Files"),
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

#[test]
#[expect(clippy::disallowed_methods, reason = "only the package says where")]
fn every_command_has_a_manual_page_with_all_its_sections() {
    let own = tempfile::tempdir().unwrap();
    let directory = std::env::var_os("PETSTORE_MAN").map_or_else(|| own.path().join("man"), PathBuf::from);
    let mut all = petstore::cli::command().disable_help_subcommand(true);
    all.build();
    let commands = commands();
    assert_eq!(pages(&all, &directory).unwrap(), commands.len());
    for command in commands {
        let name: String = ["petstore".to_owned()].iter().chain(&command).cloned().collect::<Vec<_>>().join("-");
        let page = fs::read_to_string(directory.join(format!("{name}.1"))).unwrap();
        assert!(page.contains(".SH NAME") && page.contains(".SH SYNOPSIS"), "{name}");
        let title = format!(".TH {name} 1 \" \" \"petstore {}\" ", env!("CARGO_PKG_VERSION"));
        assert!(page.contains(&title), "{name}: {}", page.lines().nth(2).unwrap());
        let section = |heading: &str| page.split_once(heading).unwrap().1.split("\n.SH").next().unwrap();
        for (heading, holds) in
            [(".SH \"EXIT STATUS\"", "130"), (".SH ENVIRONMENT", "PETSTORE_API_KEY"), (".SH FILES", "config.toml")]
        {
            assert!(section(heading).contains(holds), "{name}: {heading}");
        }
        let examples = section(".SH EXAMPLES");
        assert!(examples.lines().any(|line| line.trim_start().starts_with("petstore ")), "{name}: {examples}");
    }
}
