//! The parts of the configuration file that the app writes. Everything else in it stays as it is, comments included.

mod document;
mod profiles;

use std::path::Path;

use toml_edit::{Array, ArrayOfTables, Item, Table, value};

use super::file::View;
use super::file::view::{is_taken, name_fault};
use super::ui;
pub use document::{EditError, SCHEMA, write_schema};
use document::{by_hand, edit, set, table};
pub use profiles::{add_profile, exists, no_name, remove_key, remove_profile, set_first_profile, set_key, set_profile};

/// Sets `ui.theme` in the file at `path`, which is created if needed.
pub fn set_theme(path: &Path, theme: &str) -> Result<(), EditError> {
    edit(path, |wanted, document| {
        wanted.ui.theme = ui::theme(theme);
        set(table(document, "ui", path)?, "theme", theme.into());
        Ok(())
    })
}

/// Sets `domains.resolvers` in the file at `path`, which is created if needed.
pub fn set_resolvers(path: &Path, resolvers: &[String]) -> Result<(), EditError> {
    edit(path, |wanted, document| {
        wanted.domains.resolvers = resolvers.to_vec();
        set(table(document, "domains", path)?, "resolvers", toml_edit::Value::from_iter(resolvers));
        Ok(())
    })
}

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
    table
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::os::unix::fs::PermissionsExt as _;

    use toml_edit::DocumentMut;

    use super::super::file::{File, Profile};
    use super::document::SCHEMA_LINE;
    use super::*;
    use crate::model::PetStatus;

    #[test]
    fn a_file_that_cannot_be_read_is_not_changed() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("config.toml");
        fs::write(&path, "[domains\n").unwrap();
        let error = set_theme(&path, "mono").unwrap_err().to_string();
        assert!(error.contains("config.toml is no longer a valid configuration"), "{error}");
        assert_eq!(fs::read_to_string(&path).unwrap(), "[domains\n");
        assert_eq!(fs::read_dir(directory.path()).unwrap().count(), 1, "no temporary file is left");
    }

    #[test]
    fn changes_at_the_same_time_lose_nothing_of_each_other() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("config.toml");
        let new = |name: &str| {
            let base_url = format!("https://{name}.example/v1");
            add_profile(&path, name, &Profile::at(&base_url))
        };
        std::thread::scope(|scope| {
            for thread in 0..4 {
                scope.spawn(move || (0..5).for_each(|number| new(&format!("p{thread}-{number}")).unwrap()));
            }
        });
        let file = File::parse(&fs::read_to_string(&path).unwrap(), &path).unwrap();
        assert_eq!(file.profiles.keys().filter(|name| name.starts_with('p')).count(), 20);
    }

    #[test]
    fn a_text_with_another_meaning_is_not_written() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("config.toml");
        fs::write(&path, "[pets]\nlimit = 5\n").unwrap();
        let changes: [fn(&mut File, &mut DocumentMut); 2] =
            [|wanted, _| wanted.pets.live = 5, |_, document| document["pets"]["limit"] = value(500)];
        for change in changes {
            let change = |wanted: &mut File, document: &mut DocumentMut| {
                change(wanted, document);
                Ok(())
            };
            let error = edit(&path, change).unwrap_err();
            assert!(matches!(&error, EditError::ByHand { .. }), "{error}");
            assert_eq!(fs::read_to_string(&path).unwrap(), "[pets]\nlimit = 5\n");
        }
    }

    #[test]
    fn a_file_keeps_its_permissions_and_line_ends_and_a_link_stays_one() {
        let directory = tempfile::tempdir().unwrap();
        let (real, link) = (directory.path().join("dotfiles.toml"), directory.path().join("config.toml"));
        fs::write(&real, "# mine\r\nprofile = \"embedded\"\r\n").unwrap();
        fs::set_permissions(&real, fs::Permissions::from_mode(0o640)).unwrap();
        std::os::unix::fs::symlink(&real, &link).unwrap();
        set_theme(&link, "mono").unwrap();
        assert!(fs::symlink_metadata(&link).unwrap().is_symlink());
        assert_eq!(fs::metadata(&real).unwrap().permissions().mode() & 0o777, 0o640);
        let expected = "# mine\r\nprofile = \"embedded\"\r\n\r\n[ui]\r\ntheme = \"mono\"\r\n";
        assert_eq!(fs::read_to_string(&real).unwrap(), expected);
    }

    #[test]
    fn the_theme_is_set_in_every_way_of_writing() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("deep/config.toml");
        set_theme(&path, "high-contrast").unwrap();
        let new = format!("{SCHEMA_LINE}[ui]\ntheme = \"high-contrast\"\n");
        assert_eq!(fs::read_to_string(&path).unwrap(), new);
        for (before, after) in [
            ("[ui]\n# dark\ntheme = \"mono\" # now\n", "[ui]\n# dark\ntheme = \"light\" # now\n"),
            ("ui = { theme = \"mono\" }\n", "ui = { theme = \"light\" }\n"),
            ("ui.theme = 'mono'\n", "ui.theme = \"light\"\n"),
            ("[pets] # rows\nlimit = 5\n", "[pets] # rows\nlimit = 5\n\n[ui]\ntheme = \"light\"\n"),
        ] {
            fs::write(&path, before).unwrap();
            set_theme(&path, "light").unwrap();
            assert_eq!(fs::read_to_string(&path).unwrap(), after);
        }
    }

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
