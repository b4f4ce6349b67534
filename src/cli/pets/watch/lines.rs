//! A change as a line: for people, or as a JSON object.

use std::io::{self, Write};

use jiff::tz::TimeZone;

use crate::app::inventory::changes::{Change, ChangeKind};
use crate::cli::colour::Ink;
use crate::cli::pets::args::WatchFormat;
use crate::cli::render::json;
use crate::model::export::Column;
use crate::model::{Pet, display_safe};

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
