//! The columns to show and to sort by.

use std::cmp::Reverse;
use std::str::FromStr;

use clap_complete::engine::{ArgValueCandidates, CompletionCandidate};

use crate::cli::suggest::did_you_mean;
use crate::model::Pet;
use crate::model::export::{Column, HEADER};
use crate::model::text::short;

/// Reads the name of a column, ignoring case.
pub fn parse_column(word: &str) -> Result<Column, String> {
    let lower = word.trim().to_lowercase();
    let lower = if lower == "category" { "categoryid" } else { lower.as_str() };
    Column::ALL.into_iter().find(|column| column.as_str().to_lowercase() == lower).ok_or_else(|| {
        let suggestion = did_you_mean(lower, HEADER);
        format!("\"{}\" is not a column (id, name, categoryId, status).{suggestion}", short(word))
    })
}

/// The order of a list.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SortOrder {
    column: Column,
    descending: bool,
}

impl FromStr for SortOrder {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let (word, descending) = match (text.strip_prefix('-'), text.rsplit_once(':')) {
            (Some(word), None) => (word, true),
            (None, Some((word, "desc"))) => (word, true),
            (None, Some((word, "asc"))) => (word, false),
            (None, None) => (text, false),
            (_, Some(_)) => return Err("write it as name, -name, name:asc or name:desc".to_owned()),
        };
        Ok(Self { column: parse_column(word)?, descending })
    }
}

impl SortOrder {
    /// Sorts; equal rows are sorted by id. Names ignore case; a missing status comes last.
    pub fn apply(self, pets: &mut [Pet]) {
        match self.column {
            Column::Id => self.by(pets, |pet| pet.id),
            Column::Name => self.by(pets, |pet| (pet.name.to_lowercase(), pet.name.clone())),
            Column::CategoryId => self.by(pets, |pet| pet.category_id),
            Column::Status => self.by(pets, |pet| (pet.status.is_none(), pet.status.clone())),
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

/// The candidates for `--sort`, for shell completion.
pub(super) fn to_sort_by() -> ArgValueCandidates {
    ArgValueCandidates::new(|| {
        let words = Column::ALL.map(Column::as_str);
        let down = words.map(|word| format!("{word}:desc"));
        words.into_iter().map(CompletionCandidate::new).chain(down.map(CompletionCandidate::new)).collect()
    })
}

/// The candidates for `--columns`.
pub fn to_show() -> ArgValueCandidates {
    ArgValueCandidates::new(|| Column::ALL.map(|column| CompletionCandidate::new(column.as_str())).into())
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
