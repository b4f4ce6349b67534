//! Writing a new view.

use std::path::Path;

use toml_edit::{Array, ArrayOfTables, Item, Table, value};

use super::super::file::View;
use super::super::file::view::{is_taken, name_fault};
use super::document::{EditError, by_hand, edit};

/// Adds a view to the file at `path`, which is created if needed. It comes last.
pub fn add_view(path: &Path, view: &View) -> Result<(), EditError> {
    edit(path, |wanted, document| {
        if let Some(fault) = name_fault(&view.name) {
            return Err(EditError::Refused(fault));
        }
        if wanted.views.iter().any(|known| known.name == view.name) {
            return Err(EditError::Refused(is_taken(&view.name)));
        }
        let views = document.entry("views").or_insert(Item::ArrayOfTables(ArrayOfTables::new()));
        let views = views.as_array_of_tables_mut();
        views.ok_or_else(|| by_hand(path, "views is not written as [[views]]"))?.push(table_of(view));
        wanted.views.push(view.clone());
        Ok(())
    })
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

    fn added(before: &str, view: &View) -> Result<String, String> {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("config.toml");
        fs::write(&path, before).unwrap();
        add_view(&path, view).map_err(|error| error.to_string())?;
        Ok(fs::read_to_string(&path).unwrap())
    }

    #[test]
    fn a_view_is_added_and_comments_stay() {
        let new = View { name: "c".into(), search: "rex".into(), status: Some(PetStatus::Sold), ..View::default() };
        let table = "\n[[views]]\nname = \"c\"\nsearch = \"rex\"\nstatus = \"sold\"\n";
        let expected = FILE.replace("name = \"b\"\n", &format!("name = \"b\"\n{table}"));
        assert_eq!(added(FILE, &new).unwrap(), expected);
        assert_eq!(added("", &new).unwrap(), table.trim_start());
    }

    #[test]
    fn a_view_with_a_wrong_name_or_in_another_notation_is_not_written() {
        let add = |before: &str, name: &str| added(before, &View { name: name.into(), ..View::default() }).unwrap_err();
        assert!(add(FILE, "a").contains("there is a view \"a\" already"));
        assert!(add(FILE, "Sold").contains("is the name of a tab"));
        assert!(add(FILE, "").contains("is not a name for a view"));
        let inline = add("views = [{ name = \"a\" }]\n", "b");
        assert!(inline.contains("views is not written as [[views]]"), "{inline}");
    }
}
