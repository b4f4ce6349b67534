//! The fields of the add form.

use crate::model::Field as PetField;
use crate::model::draft::check_name;
use crate::model::text::{cut, width};
use crate::tui::widgets::form::{Field, Form, Kind};

pub static NAME: Field = Field::new("name", "Name *", Kind::Text)
    .columns(48)
    .check(|name, _| check_name(name).err().map(|error| error.to_string()));
pub static CATEGORY: Field = Field::new("category", "Category *", Kind::Text)
    .columns(21)
    .advice(|category, known, room| {
        let categories = known.categories;
        let (hint, brief) = match categories.parse(category) {
            Ok(id) if id < 0 => ("negative: is it right?".to_owned(), "negative".to_owned()),
            Ok(id) if categories.name(id).is_some() => (categories.label(id), cut(&categories.label(id), room)),
            _ if categories.is_empty() => ("a whole number, e.g. 3".to_owned(), "e.g. 3".to_owned()),
            _ => (format!("a number, or {}", categories.names()), "a number or name".to_owned()),
        };
        Some(if width(&hint) <= room { hint } else { brief })
    })
    .check(|category, known| known.categories.parse(category).err().map(|error| error.to_string()));
pub static STATUS: Field = Field::new(
    "status",
    "Status",
    Kind::Choice(&[
        ("", "not set (the service decides)"),
        ("available", "available"),
        ("pending", "pending"),
        ("sold", "sold"),
    ]),
);

/// The form, empty.
pub fn form() -> Form {
    Form::new(&[&NAME, &CATEGORY, &STATUS])
}

/// The one field that a reason names. A heuristic, not part of the API.
pub(super) fn named_in(reason: &str) -> Option<PetField> {
    let words: Vec<String> = reason.split(|c: char| !c.is_alphanumeric()).map(str::to_ascii_lowercase).collect();
    let names = |field: PetField| match field {
        PetField::Name => ["name", "names"].as_slice(),
        PetField::CategoryId => &["categoryid", "category"],
        PetField::Status => &["status"],
    };
    let mut named =
        PetField::ALL.into_iter().filter(|field| words.iter().any(|word| names(*field).contains(&word.as_str())));
    named.next().filter(|_| named.next().is_none())
}
