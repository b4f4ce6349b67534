//! A change as a line: for people, or as a JSON object.

use std::io::{self, Write};

use jiff::Timestamp;
use jiff::tz::TimeZone;
use serde::Serialize;

use super::changes::{ChangeKind, WatchedChange};
use crate::cli::colour::Ink;
use crate::cli::pets::args::WatchFormat;
use crate::cli::render::json;
use crate::model::export::Column;
use crate::model::{Pet, display_safe};

pub(super) fn write_change(
    out: &mut impl Write,
    change: &WatchedChange,
    at: Timestamp,
    zone: &TimeZone,
    format: WatchFormat,
    coloured: bool,
) -> io::Result<()> {
    match format {
        WatchFormat::Lines => {
            let time = at.to_zoned(zone.clone()).strftime("%H:%M:%S");
            writeln!(out, "{time}  {}", sentence(change, coloured))
        }
        WatchFormat::Ndjson => json(out, &Object { at: at.to_string(), change }, false),
    }
}

fn sentence(change: &WatchedChange, coloured: bool) -> String {
    let is = |pet: &Pet| {
        let status = if pet.status.is_some() { Column::Status.of(pet) } else { "-".into() };
        format!("{}  {}  {}  {}", pet.id, display_safe(&pet.name), pet.category_id, display_safe(&status))
    };
    let (ink, sign) = match change.change {
        ChangeKind::New => (Ink::Green, "+"),
        ChangeKind::Gone => (Ink::Red, "-"),
        ChangeKind::Changed => (Ink::Yellow, "*"),
    };
    let was = change.before.as_ref().map_or_else(String::new, |before| {
        let other = Column::ALL.into_iter().filter(|column| column.of(before) != column.of(&change.pet));
        let was = other.map(|column| format!("{} was {}", column.as_str(), quoted(&column.of(before))));
        format!("  ({})", was.collect::<Vec<_>>().join(", "))
    });
    format!("{} {}{was}", ink.paint(sign, coloured), is(&change.pet))
}

fn quoted(text: &str) -> String {
    if text.is_empty() { "not set".to_owned() } else { display_safe(text).into_owned() }
}

/// A change for programs.
#[derive(Serialize)]
struct Object<'a> {
    at: String,
    #[serde(flatten)]
    change: &'a WatchedChange,
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::PetStatus;

    fn written(change: &WatchedChange, format: WatchFormat) -> String {
        let mut out = Vec::new();
        let at = "2026-11-21T14:03:07Z".parse().unwrap();
        write_change(&mut out, change, at, &TimeZone::UTC, format, false).unwrap();
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn a_line_shows_what_a_pet_is_and_what_it_was() {
        let pet = Pet { id: 31, name: "Rex\u{1b}".into(), category_id: 3, status: Some(PetStatus::Sold.into()) };
        let before = Pet { status: None, ..pet.clone() };
        let change = |change, pet: &Pet| WatchedChange { change, pet: pet.clone(), before: None };
        let changed = WatchedChange { before: Some(before.clone()), ..change(ChangeKind::Changed, &pet) };
        let lines = |change: &WatchedChange| written(change, WatchFormat::Lines);
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
