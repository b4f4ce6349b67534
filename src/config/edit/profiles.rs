//! Writing profiles: a new one, the place of a key, and the default profile.

use std::path::Path;

use toml_edit::{Array, DocumentMut, InlineTable, Item, Table, TableLike, Value, value};

use crate::model::BaseUrl;
use crate::model::text::short;

use super::super::file::{File, KeySource, Profile, is_plain_name};
use super::super::{Env, Paths};
use super::document::{EditError, by_hand, edit, set, table};

/// Adds the profile `name` to the file at `path`, which is created if needed. Refuses a name that is taken or not
/// [plain](is_plain_name), and an invalid address.
pub fn add_profile(path: &Path, name: &str, new: &Profile) -> Result<(), EditError> {
    if !is_plain_name(name) {
        return Err(no_name(name));
    }
    let base_url = new.base_url.as_deref().unwrap_or_default();
    base_url.parse::<BaseUrl>().map_err(|why| EditError::Refused(format!("base_url: {why}")))?;
    edit(path, |wanted, document| {
        if wanted.profiles.contains_key(name) {
            return Err(exists(name));
        }
        wanted.profiles.insert(name.to_owned(), new.clone());
        let mut profile = Table::new();
        profile.insert("base_url", value(base_url));
        if let Some(source) = &new.key {
            profile.insert("key", value(key(source, path)?));
        }
        if let Some(file) = &new.ca_file {
            profile.insert("ca_file", value(text(file, path)?));
        }
        if let Some(label) = &new.label {
            profile.insert("label", value(label));
        }
        for (key, _) in [("insecure_http", new.insecure_http), ("protect", new.protect)].iter().filter(|(_, set)| *set)
        {
            profile.insert(key, value(true));
        }
        // Without its own header: each profile has one.
        let mut begun = Table::new();
        begun.set_implicit(true);
        let profiles = document.entry("profiles").or_insert(Item::Table(begun));
        let item = match profiles {
            Item::Value(_) => value(profile.into_inline_table()),
            Item::None | Item::Table(_) | Item::ArrayOfTables(_) => Item::Table(profile),
        };
        table(document, "profiles", path)?.insert(name, item);
        Ok(())
    })
}

/// Sets the place of a profile's key, in the file at `path`.
pub fn set_key(path: &Path, profile: &str, source: &KeySource) -> Result<(), EditError> {
    edit(path, |wanted, document| {
        let changed = wanted.profiles.get_mut(profile).ok_or_else(|| missing(profile, path))?;
        if changed.embedded {
            let why = format!("the profile \"{profile}\" is the embedded store and needs no key.");
            return Err(EditError::Refused(why));
        }
        changed.key = Some(source.clone());
        set(profile_table(document, profile, path)?, "key", key(source, path)?);
        Ok(())
    })
}

/// Removes the place of a profile's key from the file at `path`.
pub fn remove_key(path: &Path, profile: &str) -> Result<(), EditError> {
    edit(path, |wanted, document| {
        wanted.profiles.get_mut(profile).ok_or_else(|| missing(profile, path))?.key = None;
        profile_table(document, profile, path)?.remove("key");
        Ok(())
    })
}

/// Removes the profile `name` from the file at `path`.
pub fn remove_profile(path: &Path, name: &str) -> Result<(), EditError> {
    edit(path, |wanted, document| {
        // A built-in profile is in no file.
        profile_table(document, name, path)?;
        wanted.profiles.remove(name);
        table(document, "profiles", path)?.remove(name);
        Ok(())
    })
}

/// Sets the default profile in the file at `path`, which is created if needed.
pub fn set_profile(path: &Path, name: &str) -> Result<(), EditError> {
    edit(path, |wanted, document| {
        if !wanted.profiles.contains_key(name) {
            return Err(missing(name, path));
        }
        choose(name, wanted, document);
        Ok(())
    })
}

/// Sets the default profile if there is no other, and none was chosen before, in the file or by using the embedded store.
/// Whether it did.
pub fn set_first_profile(path: &Path, name: &str, env: &Env) -> Result<bool, EditError> {
    if Paths::new(env).is_ok_and(|paths| paths.embedded_database().exists()) {
        return Ok(false);
    }
    let mut is_first = false;
    edit(path, |wanted, document| {
        let is_alone = wanted.profiles.iter().all(|(other, profile)| other == name || profile.embedded);
        is_first = is_alone && !document.contains_key("profile");
        if is_first {
            choose(name, wanted, document);
        }
        Ok(())
    })?;
    Ok(is_first)
}

fn choose(name: &str, wanted: &mut File, document: &mut DocumentMut) {
    wanted.profile = name.to_owned();
    set(document.as_table_mut() as &mut dyn TableLike, "profile", name.into());
}

/// The error for a name that is not allowed.
pub fn no_name(name: &str) -> EditError {
    let rule = "is not a valid profile name. Use 1 to 40 letters, digits, - and _.";
    EditError::Refused(format!("\"{}\" {rule}", short(name)))
}

/// The error for a name that is taken.
pub fn exists(name: &str) -> EditError {
    EditError::Refused(format!("profile \"{name}\" already exists. Choose another name."))
}

fn profile_table<'a>(
    document: &'a mut DocumentMut,
    name: &str,
    path: &Path,
) -> Result<&'a mut dyn TableLike, EditError> {
    let profile = table(document, "profiles", path)?.get_mut(name).and_then(Item::as_table_like_mut);
    profile.ok_or_else(|| missing(name, path))
}

fn missing(name: &str, path: &Path) -> EditError {
    EditError::NoSuchProfile { path: path.to_owned(), name: name.to_owned() }
}

fn text<'a>(file: &'a Path, path: &Path) -> Result<&'a str, EditError> {
    file.to_str().ok_or_else(|| by_hand(path, &format!("{} is not Unicode", file.display())))
}

fn key(source: &KeySource, path: &Path) -> Result<Value, EditError> {
    let (name, value) = match source {
        KeySource::Env(variable) => ("env", variable.as_str().into()),
        KeySource::File(file) => ("file", text(file, path)?.into()),
        KeySource::Command(words) => ("command", Value::Array(words.iter().map(String::as_str).collect::<Array>())),
    };
    let mut table = InlineTable::new();
    table.insert(name, value);
    Ok(Value::InlineTable(table))
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::path::PathBuf;

    use super::super::document::SCHEMA_LINE;
    use super::*;

    struct Written {
        _directory: tempfile::TempDir,
        path: PathBuf,
    }

    fn written(text: &str) -> Written {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("config.toml");
        fs::write(&path, text).unwrap();
        Written { path, _directory: directory }
    }

    impl Written {
        fn text(&self) -> String {
            fs::read_to_string(&self.path).unwrap()
        }
    }

    fn shop() -> Profile {
        Profile::at("https://shop.example/v1")
    }

    #[test]
    fn a_profile_is_added_and_everything_else_is_unchanged() {
        let before = "# mine\nprofile = \"a\" # first\n\n[profiles.a] # old\nbase_url = \"https://a.example/v1\"\n\n\
                      [pets]\nlimit = 50 # rows\n";
        let file = written(before);
        let words = ["op", "read", "op://shop/\"key\""].map(str::to_owned).to_vec();
        let new = Profile { key: Some(KeySource::Command(words)), label: Some("SHOP".into()), protect: true, ..shop() };
        add_profile(&file.path, "shop", &new).unwrap();
        let added = "[profiles.shop]\nbase_url = \"https://shop.example/v1\"\n\
                     key = { command = [\"op\", \"read\", 'op://shop/\"key\"'] }\nlabel = \"SHOP\"\nprotect = true\n\n";
        assert_eq!(file.text(), before.replace("[pets]", &format!("{added}[pets]")));
    }

    #[test]
    fn a_profile_is_added_to_a_file_in_any_notation() {
        for before in [
            "",
            "# nothing yet\n",
            "profiles = { a = { base_url = \"https://a.example/v1\" } }\n",
            "profiles.a.base_url = \"https://a.example/v1\"\n",
            "[profiles]\na = { base_url = \"https://a.example/v1\" }\n",
        ] {
            let file = written(before);
            add_profile(&file.path, "shop", &shop()).unwrap();
            set_key(&file.path, "shop", &KeySource::Env("SHOP_KEY".into())).unwrap();
            set_profile(&file.path, "shop").unwrap();
            assert!(file.text().contains("# nothing yet") || !before.contains('#'), "{}", file.text());
        }
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("deep/config.toml");
        add_profile(&path, "shop", &shop()).unwrap();
        let new = format!("{SCHEMA_LINE}[profiles.shop]\nbase_url = \"https://shop.example/v1\"\n");
        assert_eq!(fs::read_to_string(path).unwrap(), new);
    }

    #[test]
    fn an_invalid_profile_is_refused_and_nothing_is_written() {
        let before = "[profiles.a]\nbase_url = \"https://a.example/v1\"\n";
        let file = written(before);
        let refused = |name: &str, new: &Profile| add_profile(&file.path, name, new).unwrap_err().to_string();
        assert_eq!(refused("a", &shop()), "profile \"a\" already exists. Choose another name.");
        assert!(refused("embedded", &shop()).contains("already exists"));
        let odd = "\"../a\" is not a valid profile name. Use 1 to 40 letters, digits, - and _.";
        assert_eq!(refused("../a", &shop()), odd);
        let keyed = Profile::at("https://me:petk_secret@shop.example/v1");
        let error = refused("b", &keyed);
        assert!(
            error.starts_with("base_url: The address must not contain a user") && !error.contains("petk"),
            "{error}"
        );
        let silent = Profile { key: Some(KeySource::Command(Vec::new())), ..shop() };
        assert!(refused("b", &silent).contains("command must name a program"));
        assert_eq!(file.text(), before);
    }

    #[test]
    fn the_source_of_a_key_is_set_and_the_comment_after_it_stays() {
        let key = "key = { env = \"A\" } # secret\nprotect = true\n";
        let before = format!("[profiles.a]\nbase_url = \"https://a.example/v1\"\n{key}");
        let file = written(&before);
        let source = KeySource::File("~/keys/a".into());
        set_key(&file.path, "a", &source).unwrap();
        assert_eq!(file.text(), before.replace("{ env = \"A\" }", "{ file = \"~/keys/a\" }"));
        let table =
            written("[profiles.a]\nbase_url = \"https://a.example/v1\"\n[profiles.a.key]\nenv = \"A\"\n[pets]\n");
        set_key(&table.path, "a", &source).unwrap();
        let missing = set_key(&file.path, "b", &source).unwrap_err();
        assert!(matches!(&missing, EditError::NoSuchProfile { name, .. } if name == "b"), "{missing}");
        let inside = set_key(&file.path, "embedded", &source).unwrap_err().to_string();
        assert_eq!(inside, "the profile \"embedded\" is the embedded store and needs no key.");
    }

    #[test]
    fn the_source_of_a_key_is_removed_and_everything_else_is_unchanged() {
        let before = "# mine\n[profiles.a] # old\nbase_url = \"https://a.example/v1\" # here\n";
        let file = written(&format!("{before}key = {{ env = \"A\" }}\nprotect = true\n"));
        for _ in 0..2 {
            remove_key(&file.path, "a").unwrap();
            assert_eq!(file.text(), format!("{before}protect = true\n"));
        }
        let missing = remove_key(&file.path, "b").unwrap_err();
        assert!(matches!(&missing, EditError::NoSuchProfile { name, .. } if name == "b"), "{missing}");
    }

    #[test]
    fn the_default_profile_must_exist() {
        let tables = "# about a\n[profiles.a]\nbase_url = \"https://a.example/v1\"\n";
        let file = written(tables);
        set_profile(&file.path, "a").unwrap();
        assert_eq!(file.text(), format!("profile = \"a\"\n{tables}"));
        set_profile(&file.path, "embedded").unwrap();
        assert_eq!(file.text(), format!("profile = \"embedded\"\n{tables}"));
        let error = set_profile(&file.path, "b").unwrap_err();
        assert!(matches!(&error, EditError::NoSuchProfile { name, .. } if name == "b"), "{error}");
        assert_eq!(file.text(), format!("profile = \"embedded\"\n{tables}"));
    }
}
