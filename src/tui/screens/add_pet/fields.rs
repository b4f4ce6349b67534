//! The fields of the add form.

use crate::model::draft::check_name;
use crate::model::text::{cut, width};
use crate::model::{Field as PetField, FieldError};
use crate::tui::widgets::form::{Field, Form, Kind, Known};

pub static NAME: Field = Field::new("name", "Name *", Kind::Text)
    .columns(48)
    .check(|name, known| fault(PetField::Name, check_name(name), known));
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
    .check(|category, known| fault(PetField::CategoryId, known.categories.parse(category), known));
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
static BUTTON: Field = Field::new("save", "", Kind::Button);

/// The form, empty.
pub fn form() -> Form {
    Form::new(&[&NAME, &CATEGORY, &STATUS, &BUTTON])
}

/// What is wrong with a field, here or for the service.
fn fault<T>(field: PetField, checked: Result<T, FieldError>, known: &Known<'_>) -> Option<String> {
    let refused = known.refused.filter(|(of, _)| *of == field);
    let refused = refused.map(|(_, message)| format!("The service refused this field: \"{message}\""));
    checked.err().map(|error| error.to_string()).or(refused)
}
