//! The parts of the configuration file that the app and commands write. Everything else in it stays as it is, comments
//! included.

use std::io;
use std::path::Path;

use serde::Serialize;
use toml_edit::ser::ValueSerializer;
use toml_edit::{Array, ArrayOfTables, DocumentMut, InlineTable, Item, Table, TableLike, Value, value};

use super::ConfigError::{self, NotChanged};
use super::file::{is_plain_name, is_taken, name_fault, theme_named};
use super::{Env, File, KeySource, Paths, Profile, Result, View};
use crate::local::atomic_file;
use crate::model::{BaseUrl, short};

/// Sets `ui.theme` in the file at `path`, which is created if needed.
pub fn set_theme(path: &Path, theme: &str) -> Result<()> {
    edit(path, |wanted, document| {
        wanted.ui.theme = theme_named(theme);
        set(table(document, "ui", path)?, "theme", theme.into());
        Ok(())
    })
}

/// Sets `domains.resolvers` in the file at `path`, which is created if needed.
pub fn set_resolvers(path: &Path, resolvers: &[String]) -> Result<()> {
    edit(path, |wanted, document| {
        wanted.domains.resolvers = resolvers.to_vec();
        set(table(document, "domains", path)?, "resolvers", Value::from_iter(resolvers));
        Ok(())
    })
}

/// Adds a view to the file at `path`, which is created if needed. It comes last.
pub fn add_view(path: &Path, view: &View) -> Result<()> {
    edit(path, |wanted, document| {
        if let Some(fault) = name_fault(&view.name) {
            return Err(NotChanged(fault));
        }
        if wanted.views.iter().any(|known| known.name == view.name) {
            return Err(NotChanged(is_taken(&view.name)));
        }
        let views = document.entry("views").or_insert(Item::ArrayOfTables(ArrayOfTables::new()));
        let views = views.as_array_of_tables_mut();
        views.ok_or_else(|| by_hand(path, "views is not written as [[views]]"))?.push(table_of_view(view));
        wanted.views.push(view.clone());
        Ok(())
    })
}

/// Only what differs from the defaults.
fn table_of_view(view: &View) -> Table {
    let columns: Array = view.columns.iter().map(ToString::to_string).collect();
    let values = [
        ("name", Some(value(&view.name))),
        ("search", view.searched().map(value)),
        ("status", view.status.map(|status| value(status.as_str()))),
        ("sort", view.sort.map(|sort| value(sort.to_string()))),
        ("columns", Some(columns).filter(|columns| !columns.is_empty()).map(value)),
    ];
    values.into_iter().filter_map(|(key, value)| Some((key, value?))).collect()
}

/// Changes the file at `path`, which is created if needed. `change` changes the meaning and the document in the same way;
/// the file is replaced only if both agree in the end.
fn edit(path: &Path, change: impl FnOnce(&mut File, &mut DocumentMut) -> Result<()>) -> Result<()> {
    let io = |why: io::Error| NotChanged(format!("cannot write {}: {why}.", path.display()));
    let target = atomic_file::target(path).map_err(io)?;
    // Other writers wait, so that they read what this writes.
    let _alone = atomic_file::alone(&target).map_err(io)?;
    let there = atomic_file::read(&target).map_err(io)?;
    let mut edited = edited(there.as_deref().unwrap_or_default(), path, change)?;
    // Where the first table was, toml_edit writes a first setting before the comments above that table.
    if there.as_deref().is_none_or(|text| text.starts_with(SCHEMA_LINE)) {
        edited = format!("{SCHEMA_LINE}{}", edited.replacen(SCHEMA_LINE, "", 1));
    }
    if there.is_none() {
        write_schema(&target).map_err(io)?;
    }
    // Others must not be able to write it under any umask: it names programs to run.
    let written = match there {
        None => atomic_file::replace_private(&target, &edited),
        Some(_) => atomic_file::replace(&target, &edited),
    };
    written.map_err(io)
}

/// The text of a configuration file after `change`. Everything else is left as it was written.
fn edited(text: &str, path: &Path, change: impl FnOnce(&mut File, &mut DocumentMut) -> Result<()>) -> Result<String> {
    let syntax = |why: &str| NotChanged(format!("{} is no longer a valid configuration: {why}.", path.display()));
    let mut wanted = File::parse(text, path).map_err(|error| syntax(&error.to_string()))?;
    let mut document: DocumentMut = text.parse().map_err(|error: toml_edit::TomlError| syntax(error.message()))?;
    change(&mut wanted, &mut document)?;
    let mut edited = document.to_string();
    if text.contains("\r\n") {
        edited = edited.replace("\r\n", "\n").replace('\n', "\r\n");
    }
    match File::parse(&edited, path) {
        Ok(file) if file == wanted => Ok(edited),
        Ok(_) => Err(by_hand(path, "it uses an unusual notation")),
        Err(error) => Err(by_hand(path, &error.to_string())),
    }
}

fn by_hand(path: &Path, why: &str) -> ConfigError {
    let path = path.display();
    NotChanged(format!("{path} was not changed, because its notation is not supported here: {why}. Edit it by hand."))
}

/// The table `name`, which is added if needed.
fn table<'a>(document: &'a mut DocumentMut, name: &str, path: &Path) -> Result<&'a mut dyn TableLike> {
    let table = document.entry(name).or_insert(Item::Table(Table::new()));
    table.as_table_like_mut().ok_or_else(|| by_hand(path, &format!("{name} is not a table")))
}

/// Sets a value, and keeps the comment after the old one.
fn set(table: &mut dyn TableLike, key: &str, mut value: Value) {
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

/// The schema.
pub const SCHEMA: &str = include_str!("../../assets/config.schema.json");

/// The first line of every configuration file that petstore writes: where editors find the schema.
pub const SCHEMA_LINE: &str = "#:schema config.schema.json\n";

/// Writes the schema beside the configuration file at `path`.
pub fn write_schema(path: &Path) -> io::Result<()> {
    atomic_file::replace_private(&path.with_file_name("config.schema.json"), SCHEMA)
}

/// Adds the profile `name` to the file at `path`, which is created if needed. Refuses a name that is taken or not
/// [plain](is_plain_name), and an invalid address.
pub fn add_profile(path: &Path, name: &str, new: &Profile) -> Result<()> {
    if !is_plain_name(name) {
        return Err(no_name(name));
    }
    let base_url = new.base_url.as_deref().unwrap_or_default();
    base_url.parse::<BaseUrl>().map_err(|why| NotChanged(format!("base_url: {why}")))?;
    edit(path, |wanted, document| {
        if wanted.profiles.contains_key(name) {
            return Err(exists(name));
        }
        wanted.profiles.insert(name.to_owned(), new.clone());
        let usual = table_of(&Profile::default(), path)?;
        let mut profile = table_of(new, path)?;
        profile.retain(|key, value| usual.get(key).is_none_or(|usual| usual.to_string() != value.to_string()));
        // Without its own header: each profile has one.
        let mut begun = Table::new();
        begun.set_implicit(true);
        let profiles = document.entry("profiles").or_insert(Item::Table(begun));
        let item = match profiles {
            Item::Value(_) => value(profile),
            Item::None | Item::Table(_) | Item::ArrayOfTables(_) => Item::Table(profile.into_table()),
        };
        table(document, "profiles", path)?.insert(name, item);
        Ok(())
    })
}

/// Sets the place of a profile's key, in the file at `path`.
pub fn set_key(path: &Path, profile: &str, source: &KeySource) -> Result<()> {
    edit(path, |wanted, document| {
        let changed = wanted.profiles.get_mut(profile).ok_or_else(|| missing(profile, path))?;
        if changed.embedded {
            let why = format!("the profile \"{profile}\" is the embedded store and needs no key.");
            return Err(NotChanged(why));
        }
        changed.key = Some(source.clone());
        set(profile_table(document, profile, path)?, "key", Value::InlineTable(table_of(source, path)?));
        Ok(())
    })
}

/// Removes the place of a profile's key from the file at `path`.
pub fn remove_key(path: &Path, profile: &str) -> Result<()> {
    edit(path, |wanted, document| {
        wanted.profiles.get_mut(profile).ok_or_else(|| missing(profile, path))?.key = None;
        profile_table(document, profile, path)?.remove("key");
        Ok(())
    })
}

/// Removes the profile `name` from the file at `path`.
pub fn remove_profile(path: &Path, name: &str) -> Result<()> {
    edit(path, |wanted, document| {
        // A built-in profile is in no file.
        profile_table(document, name, path)?;
        wanted.profiles.remove(name);
        table(document, "profiles", path)?.remove(name);
        Ok(())
    })
}

/// Sets the default profile in the file at `path`, which is created if needed.
pub fn set_profile(path: &Path, name: &str) -> Result<()> {
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
pub fn set_first_profile(path: &Path, name: &str, env: &Env) -> Result<bool> {
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
pub fn no_name(name: &str) -> ConfigError {
    let rule = "is not a valid profile name. Use 1 to 40 letters, digits, - and _.";
    NotChanged(format!("\"{}\" {rule}", short(name)))
}

/// The error for a name that is taken.
pub fn exists(name: &str) -> ConfigError {
    NotChanged(format!("profile \"{name}\" already exists. Choose another name."))
}

fn profile_table<'a>(document: &'a mut DocumentMut, name: &str, path: &Path) -> Result<&'a mut dyn TableLike> {
    let profile = table(document, "profiles", path)?.get_mut(name).and_then(Item::as_table_like_mut);
    profile.ok_or_else(|| missing(name, path))
}

fn missing(name: &str, path: &Path) -> ConfigError {
    ConfigError::NotInFile { name: name.to_owned(), path: path.to_owned() }
}

/// `value` in the notation of TOML.
fn table_of(value: &impl Serialize, path: &Path) -> Result<InlineTable> {
    let written = value.serialize(ValueSerializer::new()).map_err(|error| by_hand(path, &error.to_string()))?;
    Ok(written.as_inline_table().cloned().unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::os::unix::fs::PermissionsExt as _;
    use std::path::PathBuf;

    use toml_edit::DocumentMut;

    use super::*;
    use crate::config::file::{File, Profile};
    use crate::model::PetStatus;

    #[test]
    fn a_file_that_cannot_be_read_is_not_changed() {
        let file = written("[domains\n");
        let error = set_theme(&file.path, "mono").unwrap_err().to_string();
        assert!(error.contains("config.toml is no longer a valid configuration"), "{error}");
        assert_eq!(file.text(), "[domains\n");
        assert_eq!(fs::read_dir(file.directory.path()).unwrap().count(), 1, "no temporary file is left");
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
        let file = written("[pets]\nlimit = 5\n");
        let changes: [fn(&mut File, &mut DocumentMut); 2] =
            [|wanted, _| wanted.add.scan_tab = true, |_, document| document["pets"]["limit"] = value(500)];
        for change in changes {
            let change = |wanted: &mut File, document: &mut DocumentMut| {
                change(wanted, document);
                Ok(())
            };
            let error = edit(&file.path, change).unwrap_err();
            assert!(error.to_string().contains("was not changed, because its notation"), "{error}");
            assert_eq!(file.text(), "[pets]\nlimit = 5\n");
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
        let file = written(before);
        add_view(&file.path, view).map_err(|error| error.to_string())?;
        Ok(file.text())
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

    struct Written {
        directory: tempfile::TempDir,
        path: PathBuf,
    }

    fn written(text: &str) -> Written {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("config.toml");
        fs::write(&path, text).unwrap();
        Written { path, directory }
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
        assert!(matches!(&missing, ConfigError::NotInFile { name, .. } if name == "b"), "{missing}");
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
        assert!(matches!(&missing, ConfigError::NotInFile { name, .. } if name == "b"), "{missing}");
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
        assert!(matches!(&error, ConfigError::NotInFile { name, .. } if name == "b"), "{error}");
        assert_eq!(file.text(), format!("profile = \"embedded\"\n{tables}"));
    }
}
