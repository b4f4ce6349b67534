//! Sample pets for the demo and for benchmarks: the same ones each time.

use std::sync::LazyLock;

use super::{NewPet, PetStatus};

/// One pet per line: category id, tab, name.
const TEXT: &str = include_str!("../../assets/samples.tsv");

static TEMPLATES: LazyLock<Vec<(i64, &'static str)>> = LazyLock::new(|| {
    let parse = |line: &'static str| line.split_once('\t').and_then(|(id, name)| Some((id.parse().ok()?, name)));
    TEXT.lines().filter_map(parse).collect()
});

/// The sample of this index, from 0: names in file order, numbered from their second use on; of ten consecutive pets,
/// seven are available, two pending and one sold.
pub fn sample(index: usize) -> NewPet {
    let (category_id, name) = TEMPLATES[index % TEMPLATES.len()];
    let name = match index / TEMPLATES.len() {
        0 => name.to_owned(),
        round => format!("{name} {}", round + 1),
    };
    let status = match index * 7 % 10 {
        0..7 => PetStatus::Available,
        7 | 8 => PetStatus::Pending,
        _ => PetStatus::Sold,
    };
    NewPet { name, category_id, status: Some(status) }
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;
    use crate::model::draft::check_name;

    #[test]
    fn every_line_is_a_valid_pet_and_names_are_unique() {
        assert_eq!(TEMPLATES.len(), TEXT.lines().count());
        assert!(TEMPLATES.len() >= 250, "the demo shows 250");
        for (_, name) in TEMPLATES.iter() {
            assert_eq!(check_name(name), Ok(()), "{name:?}");
        }
        assert_eq!(TEMPLATES.iter().map(|(_, name)| name).collect::<HashSet<_>>().len(), TEMPLATES.len());
        assert!(TEMPLATES.iter().map(|(category, _)| category).collect::<HashSet<_>>().len() >= 5);
    }

    #[test]
    fn the_demo_has_every_status_and_repeated_names_are_numbered() {
        let statuses: Vec<_> = (0..250).map(|index| sample(index).status).collect();
        let count = |status| statuses.iter().filter(|found| **found == Some(status)).count();
        assert_eq!(PetStatus::ALL.map(count), [175, 50, 25]);
        assert_eq!(sample(TEMPLATES.len()).name, format!("{} 2", TEMPLATES[0].1));
    }
}
