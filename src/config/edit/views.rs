//! Writing views: a new one, another name or place, and removal.

use std::path::Path;

use toml_edit::{Array, ArrayOfTables, DocumentMut, Item, Table, value};

use super::super::file::View;
use super::super::file::view::{is_taken, name_fault};
use super::document::{EditError, by_hand, edit, set};

/// A change of the views.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ViewChange {
    /// A new one comes last.
    Add(Box<View>),
    /// The first name becomes the second.
    Rename(String, String),
    /// This one changes places with its neighbour: with the next one, or with the one before.
    Move(String, Direction),
    /// This one goes.
    Remove(String),
}

/// Where a view goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Direction {
    /// Towards the first.
    Earlier,
    /// Towards the last.
    Later,
}

/// Changes the views in the file at `path`, which is created if needed, and returns them.
pub fn change_views(path: &Path, change: &ViewChange) -> Result<Vec<View>, EditError> {
    let mut views = Vec::new();
    edit(path, |wanted, document| {
        let find = |name: &str, views: &[View]| {
            let missing = || EditError::Refused(format!("there is no view \"{name}\" any more."));
            views.iter().position(|view| view.name == name).ok_or_else(missing)
        };
        let allowed = |name: &str, views: &[View]| match name_fault(name) {
            Some(fault) => Err(EditError::Refused(fault)),
            None if views.iter().any(|view| view.name == name) => Err(EditError::Refused(is_taken(name))),
            None => Ok(()),
        };
        let tables = tables(document, path)?;
        match change {
            ViewChange::Add(view) => {
                allowed(&view.name, &wanted.views)?;
                tables.push(table_of(view));
                wanted.views.push((**view).clone());
            }
            ViewChange::Rename(from, to) => {
                let at = find(from, &wanted.views)?;
                allowed(to, &wanted.views)?;
                if let Some(table) = tables.get_mut(at) {
                    set(table, "name", to.as_str().into());
                }
                wanted.views[at].name.clone_from(to);
            }
            ViewChange::Move(name, direction) => {
                let at = find(name, &wanted.views)?;
                let other = match direction {
                    Direction::Earlier => at.checked_sub(1),
                    Direction::Later => Some(at + 1).filter(|other| *other < wanted.views.len()),
                };
                if let Some(other) = other {
                    wanted.views.swap(at, other);
                    swap(tables, at.min(other));
                }
            }
            ViewChange::Remove(name) => {
                let at = find(name, &wanted.views)?;
                wanted.views.remove(at);
                tables.remove(at);
            }
        }
        views.clone_from(&wanted.views);
        Ok(())
    })?;
    Ok(views)
}

/// The tables `[[views]]`.
fn tables<'a>(document: &'a mut DocumentMut, path: &Path) -> Result<&'a mut ArrayOfTables, EditError> {
    let views = document.entry("views").or_insert(Item::ArrayOfTables(ArrayOfTables::new()));
    views.as_array_of_tables_mut().ok_or_else(|| by_hand(path, "views is not written as [[views]]"))
}

/// Swaps a table and the next one; each takes its comments along, and the place in the file of the other.
fn swap(tables: &mut ArrayOfTables, at: usize) {
    let mut pair = tables.iter_mut().skip(at);
    if let (Some(one), Some(next)) = (pair.next(), pair.next()) {
        let (first, second) = (one.position(), next.position());
        std::mem::swap(one, next);
        one.set_position(first);
        next.set_position(second);
    }
}

/// Only what differs from the defaults.
fn table_of(view: &View) -> Table {
    let mut table = Table::new();
    table.insert("name", value(&view.name));
    if let Some(search) = view.searched() {
        table.insert("search", value(search));
    }
    if let Some(status) = view.status {
        table.insert("status", value(status.as_str()));
    }
    if let Some(sort) = view.sort {
        table.insert("sort", value(sort.to_string()));
    }
    if !view.columns.is_empty() {
        table.insert("columns", value(view.columns.iter().map(ToString::to_string).collect::<Array>()));
    }
    if let Some(limit) = view.limit {
        table.insert("limit", value(i64::from(limit.get())));
    }
    table
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;
    use crate::model::PetStatus;

    const FILE: &str = "# mine\n[[views]] # first\nname = \"a\" # A\nsearch = \"cat:1\"\n\n# about b\n[[views]]\n\
                        name = \"b\"\n\n[pets]\nlimit = 5 # rows\n";

    fn changed(before: &str, change: &ViewChange) -> Result<String, String> {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("config.toml");
        fs::write(&path, before).unwrap();
        let changed = change_views(&path, change).map_err(|error| error.to_string());
        changed.map(|_| fs::read_to_string(&path).unwrap())
    }

    #[test]
    fn a_view_is_added_renamed_moved_and_removed_and_comments_stay() {
        let new = View { name: "c".into(), search: "rex".into(), status: Some(PetStatus::Sold), ..View::default() };
        let added = changed(FILE, &ViewChange::Add(Box::new(new.clone()))).unwrap();
        let table = "\n[[views]]\nname = \"c\"\nsearch = \"rex\"\nstatus = \"sold\"\n";
        assert_eq!(added, FILE.replace("name = \"b\"\n", &format!("name = \"b\"\n{table}")));
        let renamed = changed(FILE, &ViewChange::Rename("a".into(), "cats".into())).unwrap();
        assert_eq!(renamed, FILE.replace("name = \"a\" # A", "name = \"cats\" # A"));
        for (name, direction) in [("a", Direction::Later), ("b", Direction::Earlier)] {
            let moved = changed(FILE, &ViewChange::Move(name.into(), direction)).unwrap();
            let [about_b, a, kept] = ["# about b", "name = \"a\" # A", "limit = 5 # rows"].map(|text| moved.find(text));
            assert!(about_b.is_some() && about_b < a && a < kept, "{moved}");
        }
        assert_eq!(changed(FILE, &ViewChange::Move("b".into(), Direction::Later)).unwrap(), FILE);
        let removed = changed(FILE, &ViewChange::Remove("b".into())).unwrap();
        assert!(removed.contains("# mine") && !removed.contains("\"b\"") && removed.contains("# rows"), "{removed}");
        let alone = changed("", &ViewChange::Add(Box::new(new))).unwrap();
        assert_eq!(alone, table.trim_start());
    }

    #[test]
    fn a_view_with_a_wrong_name_or_in_another_notation_is_not_written() {
        let add = |name: &str| ViewChange::Add(Box::new(View { name: name.into(), ..View::default() }));
        assert!(changed(FILE, &add("a")).unwrap_err().contains("there is a view \"a\" already"));
        assert!(changed(FILE, &add("Sold")).unwrap_err().contains("is the name of a tab"));
        assert!(changed(FILE, &add("")).unwrap_err().contains("is not a name for a view"));
        assert!(
            changed(FILE, &ViewChange::Remove("x".into())).unwrap_err().contains("there is no view \"x\" any more")
        );
        let inline = changed("views = [{ name = \"a\" }]\n", &add("b")).unwrap_err();
        assert!(inline.contains("views is not written as [[views]]"), "{inline}");
    }
}
