//! What is done with changes: each becomes a line, or a command is run for each new pet.

use std::ffi::OsString;
use std::io::{self, Write};

use jiff::tz::TimeZone;

use crate::app::inventory::changes::{Change, ChangeKind};
use crate::cli::colour::Ink;
use crate::cli::error::{Exit, Failed};
use crate::cli::output::{note, write_as};
use crate::cli::pets::args::{WatchArgs, WatchFormat};
use crate::cli::render::json;
use crate::clock::time_zone;
use crate::local::log::line;
use crate::local::program::{command, feed};
use crate::model::export::Column;
use crate::model::search::Query;
use crate::model::text::short;
use crate::model::{Pet, display_safe};

/// What becomes of the changes of the pets that are searched for.
pub(super) struct Delivery<'a> {
    search: Option<Query>,
    way: Way<'a>,
}

enum Way<'a> {
    Lines { format: WatchFormat, zone: TimeZone, coloured: bool },
    Command { program: &'a OsString, args: &'a [OsString] },
}

impl<'a> Delivery<'a> {
    pub(super) fn new(args: &'a WatchArgs, search: Option<Query>, coloured: bool) -> Self {
        let way = match args.exec.split_first() {
            Some((program, args)) => Way::Command { program, args },
            None => Way::Lines { format: args.format, zone: time_zone(), coloured },
        };
        Self { search, way }
    }

    /// Whether a change is about a pet that is, or was, searched for.
    fn wants(&self, change: &Change) -> bool {
        let fits = |search: &Query| {
            [Some(&change.pet), change.before.as_ref()].into_iter().flatten().any(|pet| search.fits(pet))
        };
        self.search.as_ref().is_none_or(fits)
    }

    /// Delivers these changes; returns `false` if the reader of the output has gone.
    pub(super) async fn deliver(&self, changes: &[Change]) -> Result<bool, Failed> {
        let mut wanted = changes.iter().filter(|change| self.wants(change));
        match &self.way {
            Way::Lines { format, zone, coloured } => write_as(format.content(), |out| {
                wanted.try_for_each(|change| write_change(out, change, zone, *format, *coloured))
            }),
            Way::Command { program, args } => {
                for Change { pet, .. } in wanted.filter(|change| change.kind == ChangeKind::New) {
                    let name = short(&program.to_string_lossy());
                    let status = run(program, args, pet).await.map_err(|error| {
                        let what = format!("cannot run {name} for pet {}: {error}", pet.id);
                        Failed::new(Exit::Usage, display_safe(&what))
                    })?;
                    if !status.success() {
                        note(&format!("pet {}: {name} failed ({status})", pet.id));
                    }
                }
                Ok(true)
            }
        }
    }
}

/// Runs a command to its end, without a shell. A command that cannot be started is an error.
async fn run(program: &OsString, args: &[OsString], pet: &Pet) -> io::Result<std::process::ExitStatus> {
    let mut command = command(program);
    command.args(args);
    feed(command, line(pet)?.as_bytes()).await
}

pub(super) fn write_change(
    out: &mut impl Write,
    change: &Change,
    zone: &TimeZone,
    format: WatchFormat,
    coloured: bool,
) -> io::Result<()> {
    match format {
        WatchFormat::Lines => {
            let time = change.at.to_zoned(zone.clone()).strftime("%H:%M:%S");
            writeln!(out, "{time}  {}", sentence(change, coloured))
        }
        WatchFormat::Ndjson => json(out, change, false),
    }
}

fn sentence(change: &Change, coloured: bool) -> String {
    let is = |pet: &Pet| {
        let status = if pet.status.is_some() { Column::Status.of(pet) } else { "-".into() };
        format!("{}  {}  {}  {}", pet.id, display_safe(&pet.name), pet.category_id, display_safe(&status))
    };
    let ink = match change.kind {
        ChangeKind::New => Ink::Green,
        ChangeKind::Gone => Ink::Red,
        ChangeKind::Changed => Ink::Yellow,
    };
    let was = change.differences().map(|(column, before)| {
        let word = column.word(before);
        format!("{} was {}", column.as_str(), display_safe(&word))
    });
    let was = was.collect::<Vec<_>>().join(", ");
    let was = if was.is_empty() { was } else { format!("  ({was})") };
    format!("{} {}{was}", ink.paint(change.kind.sign(), coloured), is(&change.pet))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::PetStatus;

    fn written(change: &Change, format: WatchFormat) -> String {
        let mut out = Vec::new();
        write_change(&mut out, change, &TimeZone::UTC, format, false).unwrap();
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn a_line_shows_what_a_pet_is_and_what_it_was() {
        let pet = Pet { id: 31, name: "Rex\u{1b}".into(), category_id: 3, status: Some(PetStatus::Sold.into()) };
        let before = Pet { status: None, ..pet.clone() };
        let at = "2026-11-21T14:03:07Z".parse().unwrap();
        let change = |kind, pet: &Pet| Change { at, kind, pet: pet.clone(), before: None };
        let changed = Change { before: Some(before.clone()), ..change(ChangeKind::Changed, &pet) };
        let lines = |change: &Change| written(change, WatchFormat::Lines);
        assert_eq!(lines(&change(ChangeKind::New, &before)), "14:03:07  + 31  Rex⟨U+001B⟩  3  -\n");
        assert_eq!(lines(&change(ChangeKind::Gone, &pet)), "14:03:07  - 31  Rex⟨U+001B⟩  3  sold\n");
        assert_eq!(lines(&changed), "14:03:07  * 31  Rex⟨U+001B⟩  3  sold  (status was not set)\n");
        assert_eq!(
            written(&changed, WatchFormat::Ndjson),
            "{\"at\":\"2026-11-21T14:03:07Z\",\"change\":\"changed\",\"pet\":{\"id\":31,\"name\":\"Rex\\u001b\",\
             \"categoryId\":3,\"status\":\"sold\"},\"before\":{\"id\":31,\"name\":\"Rex\\u001b\",\"categoryId\":3}}\n"
        );
    }
}
