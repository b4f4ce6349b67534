//! Writing the project's domains into the configuration file: everything else in it stays as it is, comments included.

use std::fs;
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

use toml_edit::{Array, DocumentMut, InlineTable, Item, Table, Value};

/// Why the file was not written. It is as it was.
#[derive(Debug, thiserror::Error)]
pub enum EditError {
    /// It cannot be read or written.
    #[error("{} could not be written: {source}.", path.display())]
    Io {
        /// Which file.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// What is in it is no configuration.
    #[error("{} is not valid TOML any more: {why}.", path.display())]
    Syntax {
        /// Which file.
        path: PathBuf,
        /// Why.
        why: String,
    },
}

/// One of `domains.redirects`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RedirectLine {
    /// The domain that redirects.
    pub from: String,
    /// Where it leads.
    pub to: String,
    /// The status.
    pub status: u16,
}

/// Sets `domains.primary` and `domains.redirects` in the file at `path`, which is created where there is none. It is
/// replaced as a whole or not at all.
pub fn set_domains(path: &Path, primary: &str, redirects: &[RedirectLine]) -> Result<(), EditError> {
    let io = |source| EditError::Io { path: path.to_owned(), source };
    // A link stays one: the file behind it is replaced.
    let target = fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
    let text = match fs::read_to_string(&target) {
        Ok(text) => text,
        Err(error) if error.kind() == io::ErrorKind::NotFound => String::new(),
        Err(source) => return Err(io(source)),
    };
    let edited =
        with_domains(&text, primary, redirects).map_err(|why| EditError::Syntax { path: path.to_owned(), why })?;
    replace(&target, &edited).map_err(io)
}

/// The text of a configuration file with these domains.
fn with_domains(text: &str, primary: &str, redirects: &[RedirectLine]) -> Result<String, String> {
    let mut document: DocumentMut = text.parse().map_err(|error: toml_edit::TomlError| error.message().to_owned())?;
    let domains = document.entry("domains").or_insert(Item::Table(Table::new()));
    let domains = domains.as_table_like_mut().ok_or("domains is not a table")?;
    set(domains, "primary", primary.into());
    let mut array = Array::new();
    for RedirectLine { from, to, status } in redirects {
        let mut line = InlineTable::new();
        line.insert("from", from.as_str().into());
        line.insert("to", to.as_str().into());
        line.insert("status", i64::from(*status).into());
        let mut line = Value::InlineTable(line);
        line.decor_mut().set_prefix("\n    ");
        array.push_formatted(line);
    }
    if !redirects.is_empty() {
        array.set_trailing_comma(true);
        array.set_trailing("\n");
    }
    // Written as [[domains.redirects]] it would be another kind of item; one kind is enough.
    set(domains, "redirects", Value::Array(array));
    Ok(document.to_string())
}

/// Sets a value, and keeps the comment behind the one that was there.
fn set(table: &mut dyn toml_edit::TableLike, key: &str, mut value: Value) {
    match table.get_mut(key) {
        Some(Item::Value(old)) => {
            *value.decor_mut() = old.decor().clone();
            *old = value;
        }
        Some(item) => *item = Item::Value(value),
        None => {
            table.insert(key, Item::Value(value));
        }
    }
}

/// Puts `text` in the place of the file at `path`, whole or not at all, with the same permissions.
pub fn replace(path: &Path, text: &str) -> io::Result<()> {
    let directory = match path.parent() {
        Some(parent) if !parent.as_os_str().is_empty() => parent,
        _ => Path::new("."),
    };
    fs::create_dir_all(directory)?;
    let mut file = tempfile::Builder::new().prefix(".petstore-").tempfile_in(directory)?;
    file.write_all(text.as_bytes())?;
    if let Ok(metadata) = fs::metadata(path) {
        file.as_file().set_permissions(metadata.permissions())?;
    }
    file.as_file().sync_all()?;
    file.persist(path).map_err(|error| error.error)?;
    Ok(())
}

/// Writes `text` to a new file at `path`; with `replace`, also where there is one.
pub fn write(path: &Path, text: &str, replace: bool) -> io::Result<()> {
    if !replace && path.try_exists()? {
        return Err(io::ErrorKind::AlreadyExists.into());
    }
    self::replace(path, text)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::file::File;

    fn line(from: &str, to: &str) -> RedirectLine {
        RedirectLine { from: from.into(), to: to.into(), status: 301 }
    }

    #[test]
    fn everything_else_stays_comments_included() {
        let before = "# mine\nprofile = \"embedded\"\n\n[domains] # ours\n# the main one\nprimary = \"a.com\" # yes\n\
                      resolvers = [\"system\"]\n\n[pets]\nlimit = 50 # rows\n";
        let after = with_domains(before, "b.com", &[line("old.com", "b.com"), line("x.com", "b.com")]).unwrap();
        for kept in
            ["# mine", "[domains] # ours", "# the main one\n", "# yes", "resolvers = [\"system\"]", "limit = 50 # rows"]
        {
            assert!(after.contains(kept), "{kept} in\n{after}");
        }
        let file = File::parse(&after, Path::new("config.toml")).unwrap();
        assert_eq!(file.domains.primary, "b.com");
        assert_eq!(file.domains.redirects.len(), 2);
        assert_eq!(with_domains(&after, "b.com", &[line("old.com", "b.com"), line("x.com", "b.com")]).unwrap(), after);
    }

    #[test]
    fn redirects_of_any_shape_are_replaced_and_an_empty_file_is_begun() {
        for before in [
            "",
            "[domains]\nprimary = \"a.com\"\n[[domains.redirects]]\nfrom = \"x.com\"\nto = \"a.com\"\nstatus = 302\n",
            "domains = { primary = \"a.com\", redirects = [] }\n",
        ] {
            let after = with_domains(before, "b.com", &[line("old.com", "b.com")]).unwrap();
            let domains = File::parse(&after, Path::new("config.toml")).unwrap().domains;
            assert_eq!((domains.primary.as_str(), domains.redirects.len()), ("b.com", 1), "{after}");
            assert_eq!(domains.redirects[0].from, "old.com");
        }
        let none = with_domains("", "b.com", &[]).unwrap();
        assert!(File::parse(&none, Path::new("config.toml")).unwrap().domains.redirects.is_empty());
    }

    #[test]
    fn what_cannot_be_read_is_left_as_it_is() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("config.toml");
        fs::write(&path, "[domains\n").unwrap();
        let error = set_domains(&path, "a.com", &[]).unwrap_err().to_string();
        assert!(error.contains("config.toml is not valid TOML"), "{error}");
        assert_eq!(fs::read_to_string(&path).unwrap(), "[domains\n");
        assert_eq!(fs::read_dir(directory.path()).unwrap().count(), 1, "no temporary file is left");
    }

    #[test]
    fn a_file_keeps_its_permissions_and_a_link_stays_one() {
        use std::os::unix::fs::PermissionsExt as _;
        let directory = tempfile::tempdir().unwrap();
        let (real, link) = (directory.path().join("dotfiles.toml"), directory.path().join("config.toml"));
        fs::write(&real, "profile = \"embedded\"\n").unwrap();
        fs::set_permissions(&real, fs::Permissions::from_mode(0o640)).unwrap();
        std::os::unix::fs::symlink(&real, &link).unwrap();
        set_domains(&link, "a.com", &[]).unwrap();
        assert!(fs::symlink_metadata(&link).unwrap().is_symlink());
        assert_eq!(fs::metadata(&real).unwrap().permissions().mode() & 0o777, 0o640);
        assert!(fs::read_to_string(&real).unwrap().contains("primary = \"a.com\""));
    }

    #[test]
    fn a_file_that_is_there_is_replaced_only_on_demand() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("record.txt");
        write(&path, "one", false).unwrap();
        assert_eq!(write(&path, "two", false).unwrap_err().kind(), io::ErrorKind::AlreadyExists);
        write(&path, "two", true).unwrap();
        assert_eq!(fs::read_to_string(&path).unwrap(), "two");
    }
}
