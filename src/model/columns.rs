//! The columns of a table by their names: which to show, how wide, and by which to sort.

use std::cmp::Reverse;
use std::str::FromStr;

use super::export::Column;
use super::words::did_you_mean;
use super::{Pet, short};

/// Which of `columns` a word names, in any case.
fn named(word: &str, columns: &[Column]) -> Result<Column, String> {
    let lower = word.trim().to_lowercase();
    // Another name of it.
    let lower = if lower == "category" { "categoryid" } else { lower.as_str() };
    columns.iter().copied().find(|column| column.as_str().to_lowercase() == lower).ok_or_else(|| {
        let suggestion = did_you_mean(lower, Column::OF_PETS.map(Column::as_str));
        let names: Vec<_> = columns.iter().map(|column| column.as_str()).collect();
        format!("\"{}\" is not a column ({}).{suggestion}", short(word), names.join(", "))
    })
}

/// A column of a table for people, such as `name` or `name:30`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, derive_more::Display)]
#[display("{}{}", column.as_str(), width.map_or(String::new(), |width| format!(":{width}")))]
pub struct ShownColumn {
    /// Which.
    pub column: Column,
    /// Its width; as wide as its contents if absent.
    pub width: Option<u16>,
}

/// The widest column that can be asked for.
const WIDEST: u16 = 255;

impl From<Column> for ShownColumn {
    fn from(column: Column) -> Self {
        Self { column, width: None }
    }
}

impl FromStr for ShownColumn {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let Some((word, digits)) = text.split_once(':') else { return Ok(named(text, &Column::ALL)?.into()) };
        let column = named(word, &Column::ALL)?;
        let width = digits.trim().parse().ok().filter(|width| (1..=WIDEST).contains(width));
        let wrong = || format!("\"{}\" is not a width: write 1 to {WIDEST}, as in name:30", short(digits));
        Ok(Self { column, width: Some(width.ok_or_else(wrong)?) })
    }
}

/// The order of a list: `name` or `name:desc`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, derive_more::Display)]
#[display("{}{}", column.as_str(), if *descending { ":desc" } else { "" })]
pub struct SortOrder {
    /// By this column, one of the pets.
    pub column: Column,
    /// The largest first.
    pub descending: bool,
}

impl FromStr for SortOrder {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let (word, descending) = match (text.strip_prefix('-'), text.rsplit_once(':')) {
            (Some(word), None) | (None, Some((word, "desc"))) => (word, true),
            (None, Some((word, "asc"))) => (word, false),
            (None, None) => (text, false),
            (_, Some(_)) => return Err("write it as name, -name, name:asc or name:desc".to_owned()),
        };
        Ok(Self { column: named(word, &Column::OF_PETS)?, descending })
    }
}

impl SortOrder {
    /// Sorts; equal rows are sorted by id. Names ignore case; a missing status comes last.
    pub fn apply(self, pets: &mut [Pet]) {
        use Column::*;
        match self.column {
            Id | By | At | Age => self.by(pets, |pet| pet.id),
            Name => self.by(pets, |pet| (pet.name.to_lowercase(), pet.name.clone())),
            CategoryId => self.by(pets, |pet| pet.category_id),
            Status => self.by(pets, |pet| (pet.status.is_none(), pet.status.clone())),
        }
    }

    fn by<K: Ord>(self, pets: &mut [Pet], key: impl Fn(&Pet) -> K) {
        if self.descending {
            pets.sort_by_cached_key(|pet| (Reverse(key(pet)), pet.id));
        } else {
            pets.sort_by_cached_key(|pet| (key(pet), pet.id));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::PetStatus;

    #[test]
    fn an_order_is_a_column_and_a_direction() {
        let sort = |column, descending| Ok(SortOrder { column, descending });
        for (text, expected) in [
            ("id", sort(Column::Id, false)),
            ("-id", sort(Column::Id, true)),
            ("name:desc", sort(Column::Name, true)),
            ("Category:asc", sort(Column::CategoryId, false)),
        ] {
            assert_eq!(text.parse::<SortOrder>(), expected, "{text}");
        }
        let nearest = "\"nmae\" is not a column (id, name, categoryId, status). Did you mean name?";
        assert_eq!("-nmae".parse::<SortOrder>(), Err(nearest.to_owned()));
        for wrong in ["name:up", "-name:desc", "", "price"] {
            assert!(wrong.parse::<SortOrder>().is_err(), "{wrong}");
        }
    }

    #[test]
    fn a_column_has_a_name_and_may_have_a_width() {
        let column = |text: &str| text.parse::<ShownColumn>();
        for (text, written) in [("ID", "id"), (" category:9", "categoryId:9"), ("age", "age"), ("by:14", "by:14")] {
            assert_eq!(column(text).unwrap().to_string(), written);
            assert_eq!(column(written), column(text));
        }
        let known = "is not a column (id, name, categoryId, status, by, at, age).";
        assert_eq!(column("price").unwrap_err(), format!("\"price\" {known}"));
        assert_eq!(column("nmae:3").unwrap_err(), format!("\"nmae\" {known} Did you mean name?"));
        for wrong in ["name:", "name:0", "name:256", "name:-1", "name:wide"] {
            assert!(column(wrong).unwrap_err().ends_with("is not a width: write 1 to 255, as in name:30"), "{wrong}");
        }
    }

    #[test]
    fn equal_rows_are_sorted_by_id_in_both_directions() {
        let pet = |id, name: &str, status: Option<PetStatus>| Pet {
            id,
            name: name.into(),
            category_id: -id,
            status: status.map(Into::into),
        };
        let pets = [
            pet(3, "rex", Some(PetStatus::Sold)),
            pet(1, "Rex", None),
            pet(4, "ada", Some(PetStatus::Available)),
            pet(2, "Zoë", Some(PetStatus::Sold)),
        ];
        let ids = |sort: &str| {
            let mut pets = pets.clone();
            sort.parse::<SortOrder>().unwrap().apply(&mut pets);
            pets.map(|pet| pet.id)
        };
        assert_eq!(ids("id"), [1, 2, 3, 4]);
        assert_eq!(ids("category"), [4, 3, 2, 1]);
        assert_eq!(ids("name"), [4, 1, 3, 2]);
        assert_eq!(ids("status"), [4, 2, 3, 1]);
        assert_eq!(ids("-status"), [1, 2, 3, 4]);
    }
}
