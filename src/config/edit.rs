//! Writing the project's domains into the configuration file: everything else in it stays as it is, comments included.

use std::fs;
use std::io::{self, Write as _};
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};

use tempfile::NamedTempFile;
use toml_edit::{Array, DocumentMut, InlineTable, Item, Table, Value};

use super::file::{File, Redirect};

/// The project's domains, as the file has them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ProjectDomains {
    /// `domains.primary`; empty where there is none.
    pub primary: String,
    /// `domains.redirects`.
    pub redirects: Vec<Redirect>,
}

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
    /// What is in it is no configuration any more.
    #[error("{} is not a configuration any more: {why}.", path.display())]
    Syntax {
        /// Which file.
        path: PathBuf,
        /// Why.
        why: String,
    },
    /// Somebody else has changed the domains in it.
    #[error("the domains in {} were changed meanwhile.", path.display())]
    Changed {
        /// Which file.
        path: PathBuf,
        /// What is there now.
        there: Box<ProjectDomains>,
    },
}

/// Sets `domains.primary` and `domains.redirects` in the file at `path`, which is created where there is none, from what
/// they `were` to what they are `to` be. The file is replaced as a whole or not at all.
pub fn set_domains(path: &Path, were: &ProjectDomains, to: &ProjectDomains) -> Result<(), EditError> {
    let io = |source| EditError::Io { path: path.to_owned(), source };
    let syntax = |why: String| EditError::Syntax { path: path.to_owned(), why };
    // A link stays one: the file behind it is replaced.
    let target = match fs::symlink_metadata(path) {
        Ok(metadata) if metadata.is_symlink() => fs::canonicalize(path).map_err(io)?,
        _ => path.to_owned(),
    };
    let text = match fs::read_to_string(&target) {
        Ok(text) => text,
        Err(error) if error.kind() == io::ErrorKind::NotFound => String::new(),
        Err(source) => return Err(io(source)),
    };
    let domains = File::parse(&text, path).map_err(|error| syntax(error.to_string()))?.domains;
    let there = ProjectDomains { primary: domains.primary, redirects: domains.redirects };
    if there != *were && there != *to {
        return Err(EditError::Changed { path: path.to_owned(), there: Box::new(there) });
    }
    let mut edited = with_domains(&text, &there, to).map_err(syntax)?;
    if text.contains("\r\n") {
        edited = edited.replace('\n', "\r\n");
    }
    replace(&target, &edited).map_err(io)
}

/// The text of a configuration file with these domains. What stays the same is left as it was written.
fn with_domains(text: &str, there: &ProjectDomains, to: &ProjectDomains) -> Result<String, String> {
    let mut document: DocumentMut = text.parse().map_err(|error: toml_edit::TomlError| error.message().to_owned())?;
    let domains = document.entry("domains").or_insert(Item::Table(Table::new()));
    let domains = domains.as_table_like_mut().ok_or("domains is not a table")?;
    if there.primary != to.primary || text.is_empty() {
        set(domains, "primary", to.primary.as_str().into());
    }
    if there.redirects != to.redirects {
        let mut kept: Vec<(&Redirect, Value)> = match domains.get("redirects") {
            Some(Item::Value(Value::Array(lines))) => there.redirects.iter().zip(lines.iter().cloned()).collect(),
            _ => Vec::new(),
        };
        let mut array = Array::new();
        for redirect in &to.redirects {
            // A line that stays keeps its comments.
            let old = kept.iter().position(|(old, _)| *old == redirect).map(|at| kept.swap_remove(at).1);
            array.push_formatted(old.unwrap_or_else(|| line(redirect)));
        }
        if !to.redirects.is_empty() {
            array.set_trailing_comma(true);
            array.set_trailing("\n");
        }
        set(domains, "redirects", Value::Array(array));
    }
    Ok(document.to_string())
}

fn line(redirect: &Redirect) -> Value {
    let mut line = InlineTable::new();
    line.insert("from", redirect.from.as_str().into());
    line.insert("to", redirect.to.as_str().into());
    line.insert("status", i64::from(redirect.status).into());
    let mut line = Value::InlineTable(line);
    line.decor_mut().set_prefix("\n    ");
    line
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
fn replace(path: &Path, text: &str) -> io::Result<()> {
    let file = beside(path, text)?;
    if let Ok(metadata) = fs::metadata(path) {
        file.as_file().set_permissions(metadata.permissions())?;
    }
    file.persist(path).map_err(|error| error.error)?;
    Ok(())
}

/// Writes `text` to a new file at `path`; with `replace`, also where there is one.
pub fn write(path: &Path, text: &str, replace: bool) -> io::Result<()> {
    if path.is_dir() {
        return Err(io::ErrorKind::IsADirectory.into());
    }
    if replace {
        return self::replace(&fs::canonicalize(path).unwrap_or_else(|_| path.to_owned()), text);
    }
    beside(path, text)?.persist_noclobber(path).map_err(|error| error.error)?;
    Ok(())
}

/// A file that is to take its place at `path`, already on disk.
fn beside(path: &Path, text: &str) -> io::Result<NamedTempFile> {
    let directory = match path.parent() {
        Some(parent) if !parent.as_os_str().is_empty() => parent,
        _ => Path::new("."),
    };
    fs::create_dir_all(directory)?;
    // As any new file: what the umask leaves.
    let permissions = fs::Permissions::from_mode(0o666);
    let mut file = tempfile::Builder::new().prefix(".petstore-").permissions(permissions).tempfile_in(directory)?;
    file.write_all(text.as_bytes())?;
    file.as_file().sync_all()?;
    Ok(file)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn redirect(from: &str, to: &str) -> Redirect {
        Redirect { from: from.into(), to: to.into(), status: 301 }
    }

    fn domains(primary: &str, redirects: &[Redirect]) -> ProjectDomains {
        ProjectDomains { primary: primary.into(), redirects: redirects.to_vec() }
    }

    fn parsed(text: &str) -> ProjectDomains {
        let domains = File::parse(text, Path::new("config.toml")).unwrap().domains;
        ProjectDomains { primary: domains.primary, redirects: domains.redirects }
    }

    fn edited(text: &str, to: &ProjectDomains) -> String {
        let after = with_domains(text, &parsed(text), to).unwrap();
        assert_eq!(parsed(&after), *to, "{after}");
        after
    }

    #[test]
    fn everything_else_stays_comments_included() {
        let before = "# mine\nprofile = \"embedded\"\n\n[domains] # ours\n# the main one\nprimary = \"a.com\" # yes\n\
                      redirects = [\n    # for the old shop\n    { from = \"x.com\", to = \"b.com\", status = 301 }, # kept\n]\n\
                      resolvers = [\"system\"]\n\n[pets]\nlimit = 50 # rows\n";
        let to = domains("b.com", &[redirect("old.com", "b.com"), redirect("x.com", "b.com")]);
        let after = edited(before, &to);
        let kept =
            ["# mine", "[domains] # ours", "# the main one\n", "# yes", "# for the old shop", "limit = 50 # rows"];
        assert!(kept.iter().all(|kept| after.contains(kept)), "{after}");
        assert_eq!(edited(&after, &to), after);
    }

    #[test]
    fn redirects_of_any_shape_are_replaced_and_an_empty_file_is_begun() {
        for before in [
            "",
            "[domains]\nprimary = \"a.com\"\n[[domains.redirects]]\nfrom = \"x.com\"\nto = \"a.com\"\nstatus = 302\n",
            "domains = { primary = \"a.com\", redirects = [] }\n",
            "domains.primary = \"a.com\"\n",
        ] {
            edited(before, &domains("b.com", &[redirect("old.com", "b.com")]));
            edited(before, &domains("b.com", &[]));
        }
    }

    #[test]
    fn what_somebody_else_changed_is_not_written_over() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("deep/config.toml");
        let (none, mine, other) = (ProjectDomains::default(), domains("mine.com", &[]), domains("other.com", &[]));
        set_domains(&path, &none, &other).unwrap();
        let error = set_domains(&path, &none, &mine).unwrap_err();
        assert!(matches!(&error, EditError::Changed { there, .. } if **there == other), "{error}");
        assert_eq!(parsed(&fs::read_to_string(&path).unwrap()), other);
        set_domains(&path, &other, &mine).unwrap();
        assert_eq!(parsed(&fs::read_to_string(&path).unwrap()), mine);
    }

    #[test]
    fn what_cannot_be_read_is_left_as_it_is() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("config.toml");
        fs::write(&path, "[domains\n").unwrap();
        let none = ProjectDomains::default();
        let error = set_domains(&path, &none, &domains("a.com", &[])).unwrap_err().to_string();
        assert!(error.contains("config.toml is not a configuration any more"), "{error}");
        assert_eq!(fs::read_to_string(&path).unwrap(), "[domains\n");
        assert_eq!(fs::read_dir(directory.path()).unwrap().count(), 1, "no temporary file is left");
    }

    #[test]
    fn a_file_keeps_its_permissions_and_line_ends_and_a_link_stays_one() {
        let directory = tempfile::tempdir().unwrap();
        let (real, link) = (directory.path().join("dotfiles.toml"), directory.path().join("config.toml"));
        fs::write(&real, "profile = \"embedded\"\r\n").unwrap();
        fs::set_permissions(&real, fs::Permissions::from_mode(0o640)).unwrap();
        std::os::unix::fs::symlink(&real, &link).unwrap();
        set_domains(&link, &ProjectDomains::default(), &domains("a.com", &[])).unwrap();
        assert!(fs::symlink_metadata(&link).unwrap().is_symlink());
        assert_eq!(fs::metadata(&real).unwrap().permissions().mode() & 0o777, 0o640);
        let text = fs::read_to_string(&real).unwrap();
        assert!(text.contains("primary = \"a.com\"\r\n") && !text.replace("\r\n", "").contains('\n'), "{text:?}");
    }

    #[test]
    fn a_file_that_is_there_is_replaced_only_on_demand() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("record.txt");
        write(&path, "one", false).unwrap();
        assert_eq!(write(&path, "two", false).unwrap_err().kind(), io::ErrorKind::AlreadyExists);
        write(&path, "two", true).unwrap();
        assert_eq!(fs::read_to_string(&path).unwrap(), "two");
        assert_eq!(write(directory.path(), "three", true).unwrap_err().kind(), io::ErrorKind::IsADirectory);
    }
}
