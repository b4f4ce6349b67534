//! Sample animals, for a first look and for measurements: the same ones each time.

use sqlx::{QueryBuilder, Sqlite, Transaction};

use crate::model::{PetId, PetStatus};

/// One animal a line: category id, tab, name.
const SAMPLES: &str = include_str!("../../assets/samples.tsv");

/// Rows in one statement; four values each must stay below SQLite's limit of 32,766.
const CHUNK: usize = 1000;

/// Adds `count` animals and returns the last id, 0 for none.
pub(super) async fn insert(
    transaction: &mut Transaction<'_, Sqlite>,
    count: usize,
    created_at: i64,
) -> Result<PetId, sqlx::Error> {
    let templates = templates();
    let mut last = 0;
    for first in (0..count).step_by(CHUNK) {
        let chunk = (first..count.min(first + CHUNK)).map(|index| sample(&templates, index));
        let mut insert = QueryBuilder::new("INSERT INTO pets (name, category_id, status, created_at) ");
        insert.push_values(chunk, |mut row, (name, category_id, status)| {
            row.push_bind(name).push_bind(category_id).push_bind(status.as_str()).push_bind(created_at);
        });
        last = insert.build().persistent(false).execute(&mut **transaction).await?.last_insert_rowid();
    }
    Ok(last)
}

fn templates() -> Vec<(i64, &'static str)> {
    let parse = |line: &'static str| line.split_once('\t').and_then(|(id, name)| Some((id.parse().ok()?, name)));
    SAMPLES.lines().filter_map(parse).collect()
}

/// The animal of this index, from 0: names in file order, numbered from their second use on; of ten animals in a row
/// seven are available, two pending and one sold.
fn sample(templates: &[(i64, &str)], index: usize) -> (String, i64, PetStatus) {
    let (category_id, name) = templates[index % templates.len()];
    let name = match index / templates.len() {
        0 => name.to_owned(),
        round => format!("{name} {}", round + 1),
    };
    let status = match index * 7 % 10 {
        0..7 => PetStatus::Available,
        7 | 8 => PetStatus::Pending,
        _ => PetStatus::Sold,
    };
    (name, category_id, status)
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;
    use crate::model::draft::check_name;

    #[test]
    fn every_line_is_an_animal_that_may_be_added_and_no_name_comes_twice() {
        let templates = templates();
        assert_eq!(templates.len(), SAMPLES.lines().count());
        assert!(templates.len() >= 250, "the demo shows 250");
        for (_, name) in &templates {
            assert_eq!(check_name(name), Ok(()), "{name:?}");
        }
        assert_eq!(templates.iter().map(|(_, name)| name).collect::<HashSet<_>>().len(), templates.len());
        assert!(templates.iter().map(|(category, _)| category).collect::<HashSet<_>>().len() >= 5);
    }

    #[test]
    fn the_demo_has_every_status_and_numbers_names_that_come_again() {
        let templates = templates();
        let statuses: Vec<_> = (0..250).map(|index| sample(&templates, index).2).collect();
        let count = |status| statuses.iter().filter(|found| **found == status).count();
        assert_eq!(PetStatus::ALL.map(count), [175, 50, 25]);
        let again = sample(&templates, templates.len()).0;
        assert_eq!(again, format!("{} 2", templates[0].1));
    }
}
