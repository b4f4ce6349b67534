//! The selected service: its address, its key, and where both came from.

use std::ops::Range;
use std::path::{Path, PathBuf};

use derive_more::Display;
use toml_edit::{Document, Item, Table};

use super::paths::in_home;
use super::sources::{KeyLines, Origin, Sources};
use super::{ConfigError, Env, File, KeySource, Paths, Profile, Result, secrets};
use crate::model::text::without_keys;
use crate::model::{ApiKey, BaseUrl, EndpointError, short};

/// The selected service.
pub enum Target {
    /// The demo.
    Demo,
    /// An address given directly.
    Direct {
        /// As it was written.
        address: String,
        /// The option or variable that contains it.
        place: &'static str,
        /// The same as an origin.
        origin: Origin,
    },
    Profile {
        name: String,
        /// Where it was named.
        origin: Origin,
    },
}

/// A service with its settings.
pub struct Resolved {
    pub name: String,
    /// Its profile in the file; the defaults if it is not a profile.
    pub profile: Profile,
    pub service: Service,
    /// Whether it is a profile: the demo and an address may have the name of one.
    pub is_profile: bool,
    pub profile_origin: Origin,
    pub address_origin: Origin,
    pub key_origin: Origin,
}

impl Target {
    /// The service selected by flags, environment and file.
    pub fn at_start(sources: &Sources<'_>) -> Self {
        let direct = |address: &str, place, origin| Self::Direct { address: address.to_owned(), place, origin };
        let profile = |name: &str, origin| Self::Profile { name: name.to_owned(), origin };
        if sources.choices.demo {
            Self::Demo
        } else if let Some(address) = &sources.choices.base_url {
            direct(address, "--base-url", Origin::Flag("--base-url"))
        } else if let Some(name) = &sources.choices.profile {
            profile(name, Origin::Flag("--profile"))
        } else if let Some(name) = sources.env.get("PETSTORE_PROFILE") {
            profile(name, Origin::Environment("PETSTORE_PROFILE"))
        } else if let Some(address) = sources.env.get("PETSTORE_BASE_URL") {
            direct(address, "PETSTORE_BASE_URL", Origin::Environment("PETSTORE_BASE_URL"))
        } else {
            profile(&sources.file.profile, sources.origin(&["profile"]))
        }
    }

    /// A profile chosen in the app.
    pub fn by_hand(name: &str) -> Self {
        Self::Profile { name: name.to_owned(), origin: Origin::ByHand }
    }

    /// The name of the service.
    pub fn name(&self) -> Result<String> {
        match self {
            Self::Demo => Ok("demo".to_owned()),
            Self::Direct { address, place, .. } => Ok(base_url(address, place, true)?.authority()),
            Self::Profile { name, .. } => Ok(name.clone()),
        }
    }

    /// Resolves its settings. Reads its key.
    pub fn resolve(self, sources: &Sources<'_>) -> Result<Resolved> {
        let name = self.name()?;
        let is_profile = matches!(self, Self::Profile { .. });
        let allow_http = sources.choices.insecure_http;
        let (profile, base_url, profile_origin) = match self {
            Self::Demo => (Profile::default(), None, Origin::Flag("--demo")),
            Self::Direct { address, place, origin } => {
                (Profile::default(), Some(base_url(&address, place, allow_http)?), origin)
            }
            Self::Profile { origin, .. } => {
                let profile = sources.file.profile(&name)?.clone();
                let base_url = address(&name, &profile, allow_http || profile.insecure_http)?;
                (profile, base_url, origin)
            }
        };
        let address_origin = match (is_profile, &base_url) {
            (true, Some(_)) => sources.origin(&["profiles", &name, "base_url"]),
            (true, None) => sources.origin(&["profiles", &name, "embedded"]),
            (false, _) => profile_origin.clone(),
        };
        let (service, key_origin) = match base_url {
            Some(base_url) => remote(base_url, &name, &profile, sources)?,
            None if is_profile => {
                (Service::Embedded { database: Paths::new(sources.env)?.embedded_database() }, Origin::Default)
            }
            None => (Service::Demo, Origin::Default),
        };
        Ok(Resolved { name, profile, service, is_profile, profile_origin, address_origin, key_origin })
    }
}

/// The valid address of a profile; `None` for the embedded store.
pub fn address(name: &str, profile: &Profile, allow_http: bool) -> Result<Option<BaseUrl>> {
    match (&profile.base_url, profile.embedded) {
        (None, true) => Ok(None),
        (Some(text), false) => base_url(text, &format!("profile {name}, base_url"), allow_http).map(Some),
        (None, false) | (Some(_), true) => {
            let either = "needs either base_url = \"https://...\" or embedded = true.";
            Err(ConfigError::Unusable(format!("profile \"{name}\" {either}")))
        }
    }
}

/// The label of a profile in the header.
pub fn label(name: &str, profile: &Profile) -> String {
    profile.label.as_deref().filter(|label| !label.trim().is_empty()).unwrap_or(name).to_owned()
}

/// The address `text`, set at this place.
fn base_url(text: &str, place: &str, allow_http: bool) -> Result<BaseUrl> {
    let wrong = |why| unusable(place, &why);
    let base_url: BaseUrl = text.parse().map_err(wrong)?;
    base_url.guard_clear_text(allow_http).map_err(wrong)?;
    Ok(base_url)
}

/// The error for an invalid value at this place.
fn unusable(place: &str, why: &EndpointError) -> ConfigError {
    ConfigError::Unusable(format!("{place}: {why}"))
}

fn remote(base_url: BaseUrl, name: &str, profile: &Profile, sources: &Sources<'_>) -> Result<(Service, Origin)> {
    // The flags apply only to the service of the start: no other one may get this key, or be trusted because of them.
    let is_of_start = match Target::at_start(sources) {
        Target::Profile { name: started, .. } => started == name,
        Target::Direct { address, .. } => address.parse().is_ok_and(|started: BaseUrl| started == base_url),
        Target::Demo => false,
    };
    let flag = sources.choices.key().filter(|_| is_of_start);
    let source = flag.as_ref().or(profile.key.as_ref()).cloned().or_else(|| key_of_environment(sources.env));
    let origin = match (flag, &profile.key, &source) {
        (Some(KeySource::Command(_)), ..) => Origin::Flag("--key-command"),
        (Some(_), ..) => Origin::Flag("--key-file"),
        (None, Some(_), _) => sources.origin(&["profiles", name, "key"]),
        (None, None, Some(KeySource::File(_))) => Origin::Environment(KEY_FILE),
        (None, None, Some(_)) => Origin::Environment(KEY),
        (None, None, None) => Origin::Default,
    };
    let (key, key_origin) = match &source {
        Some(source) if sources.reads_key => read(source, sources)?,
        source => (None, source.as_ref().map_or(KeyOrigin::Absent, KeyOrigin::from)),
    };
    let ca_file = sources.choices.ca_file.clone().filter(|_| is_of_start);
    let own = || Some(in_home(profile.ca_file.as_deref()?, sources.env));
    let ca_file = ca_file.or_else(own);
    Ok((Service::Remote(Remote { base_url, key, key_origin, ca_file }), origin))
}

const KEY: &str = "PETSTORE_API_KEY";
const KEY_FILE: &str = "PETSTORE_API_KEY_FILE";

/// The key in the environment, for a service that does not name its own. So it is never sent to another host.
pub(super) fn key_of_environment(env: &Env) -> Option<KeySource> {
    let key = env.get(KEY).map(|_| KeySource::Env(KEY.to_owned()));
    key.or_else(|| env.path(KEY_FILE).map(KeySource::File))
}

fn read(source: &KeySource, sources: &Sources<'_>) -> Result<(Option<ApiKey>, KeyOrigin)> {
    let (key, origin) = match source {
        KeySource::Env(name) => {
            let Some(key) = sources.env.get(name) else { return Ok((None, KeyOrigin::Absent)) };
            (ApiKey::new(key).map_err(|why| unusable(name, &why))?, source.into())
        }
        KeySource::File(path) => {
            let path = in_home(path, sources.env);
            (secrets::read_key_file(&path)?, KeyOrigin::File(path))
        }
        KeySource::Command(words) => {
            // A command of the command line was not written by others.
            if sources.choices.key_command.as_ref() != Some(source) {
                secrets::refuse_where_others_write(&sources.path)?;
            }
            (secrets::run_key_command(words)?, source.into())
        }
    };
    Ok((Some(key), origin))
}

/// The errors of the configuration `text`, which came from `path`: each wrong key, and each profile that cannot be used; of
/// errors of notation the first one. Each with its line, counted from 1, unless it says where it is. Reads no keys.
pub fn faults(text: &str, path: &Path) -> Vec<(Option<usize>, ConfigError)> {
    let (mut faults, mut rest) = (Vec::new(), text.to_owned());
    let file = loop {
        let error = match File::parse(&rest, path) {
            Ok(file) => break file,
            Err(error) => error,
        };
        let right = without_place(&rest, &error);
        faults.push((None, error));
        let Some(right) = right.filter(|_| faults.len() < MOST_FAULTS) else { return faults };
        rest = right;
    };
    let lines = KeyLines::of(text);
    if let Err(error) = file.profile(&file.profile) {
        faults.push((lines.line_of(&["profile"]), error));
    }
    for (name, profile) in &file.profiles {
        if let Err(error) = address(name, profile, profile.insecure_http) {
            let line = lines.line_of(&["profiles", name, "base_url"]).or_else(|| lines.line_of(&["profiles", name]));
            faults.push((line, error));
        }
    }
    faults
}

/// The most wrong keys that are reported at once.
const MOST_FAULTS: usize = 20;

/// `text` without what is wrong in it: a key with its value, or a whole table. Everything else stays in its place.
fn without_place(text: &str, error: &ConfigError) -> Option<String> {
    let ConfigError::Syntax { line, column, .. } = error else { return None };
    let begin: usize = text.split_inclusive('\n').take(line - 1).map(str::len).sum();
    let at = begin + text[begin..].chars().take(column - 1).map(char::len_utf8).sum::<usize>();
    let wrong = entry_at(Document::parse(text).ok()?.as_table(), at)?;
    let blank = text[wrong.clone()].replace(|c| c != '\n', " ");
    let rest = format!("{}{blank}{}", &text[..wrong.start], &text[wrong.end..]);
    // Without a part of them, some notations mean something else.
    Document::parse(&rest).is_ok().then_some(rest)
}

/// Where the key with its value is that holds this byte; the table, if it is one of several or has it in its header.
fn entry_at(table: &Table, at: usize) -> Option<Range<usize>> {
    table.iter().find_map(|(name, item)| {
        let key = table.key(name)?.span()?;
        let whole = |table: &Table| {
            let header = table.span()?;
            let ends = table.iter().filter_map(|(_, item)| item.as_value()?.span());
            Some(header.start..ends.map(|value| value.end).chain([header.end]).max()?)
        };
        match item {
            Item::Table(table) if !table.is_implicit() && key.contains(&at) => whole(table),
            Item::Table(table) => entry_at(table, at),
            Item::ArrayOfTables(tables) => tables.iter().filter_map(whole).find(|table| table.contains(&at)),
            Item::Value(value) => Some(key.start..value.span()?.end).filter(|entry| entry.contains(&at)),
            Item::None => None,
        }
    })
}

/// The service in use.
#[derive(Clone, Debug, PartialEq)]
pub enum Service {
    /// The embedded store with samples, in a temporary directory.
    Demo,
    /// The embedded store, with this database.
    Embedded {
        /// The SQLite file; created when absent.
        database: PathBuf,
    },
    /// A remote service.
    Remote(Remote),
}

impl Service {
    /// Its name in a sentence.
    pub fn name(&self) -> String {
        match self {
            Self::Demo | Self::Embedded { .. } => "the embedded store".to_owned(),
            Self::Remote(remote) => remote.base_url.authority(),
        }
    }
}

/// A remote service.
#[derive(Clone, Debug, PartialEq)]
pub struct Remote {
    /// Its address.
    pub base_url: BaseUrl,
    /// The key, if one was found.
    pub key: Option<ApiKey>,
    /// Where the key came from, or would come from.
    pub key_origin: KeyOrigin,
    /// A PEM file of CA certificates to trust instead of the system's.
    pub ca_file: Option<PathBuf>,
}

/// Where a key came from.
#[derive(Clone, Debug, Default, PartialEq, Eq, Display)]
pub enum KeyOrigin {
    /// An environment variable.
    #[display("from environment {}", without_keys(_0))]
    Environment(String),
    #[display("from the file {}", without_keys(&_0.to_string_lossy()))]
    File(PathBuf),
    /// A program and its arguments, separated by spaces.
    #[display("from the command {}", short(&without_keys(_0)))]
    Command(String),
    /// Created for the embedded store.
    #[display("created for this session")]
    Embedded,
    /// Typed in this session.
    #[display("typed in this session")]
    Typed,
    /// None is set.
    #[display("none")]
    #[default]
    Absent,
}

impl From<&KeySource> for KeyOrigin {
    fn from(source: &KeySource) -> Self {
        match source {
            KeySource::Env(name) => Self::Environment(name.clone()),
            KeySource::File(path) => Self::File(path.clone()),
            KeySource::Command(words) => Self::Command(words.join(" ")),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::secrets::write_key_file;
    use crate::config::settings::tests::{CONFIG, remote, resolve};
    use crate::config::sources::Choices;

    #[test]
    fn a_profile_with_its_own_key_never_uses_the_one_in_the_environment() {
        let profile = Choices { profile: Some("staging".into()), ..Choices::default() };
        let vars = [("PETSTORE_API_KEY", "petk_of_production"), ("STAGING_KEY", "petk_of_staging_1")];
        let settings = resolve(&profile, &vars, CONFIG).unwrap();
        assert_eq!(remote(&settings).key, Some(ApiKey::new("petk_of_staging_1").unwrap()));
        let settings = resolve(&profile, &vars[..1], CONFIG).unwrap();
        assert_eq!((&remote(&settings).key, &remote(&settings).key_origin), (&None, &KeyOrigin::Absent));
    }

    #[test]
    fn the_path_of_a_key_file_may_start_with_a_tilde() {
        let directory = tempfile::tempdir().unwrap();
        let key = ApiKey::new("petk_0123456789").unwrap();
        write_key_file(&directory.path().join("keys/shop"), &key).unwrap();
        let vars = [("PETSTORE_API_KEY_FILE", "~/keys/shop"), ("HOME", directory.path().to_str().unwrap())];
        let settings = resolve(&Choices::default(), &vars, CONFIG).unwrap();
        let origin = KeyOrigin::File(directory.path().join("keys/shop"));
        assert_eq!((&remote(&settings).key, &remote(&settings).key_origin), (&Some(key), &origin));
    }

    #[test]
    fn a_clear_text_address_is_refused_unless_allowed() {
        let mut choices = Choices { base_url: Some("http://shop.example/v1".into()), ..Choices::default() };
        let error = resolve(&choices, &[], "").unwrap_err().to_string();
        assert!(
            error.starts_with("--base-url: http:// would send the API key to shop.example in clear text."),
            "{error}"
        );
        choices.insecure_http = true;
        assert!(resolve(&choices, &[], "").is_ok());
    }

    #[test]
    fn the_error_for_an_unknown_profile_names_the_known_ones() {
        let choices = Choices { profile: Some("prod".into()), ..Choices::default() };
        let error = resolve(&choices, &[], CONFIG).unwrap_err().to_string();
        assert!(error.contains("\"prod\". Known: embedded, shop, staging."), "{error}");
    }

    #[test]
    fn each_invalid_profile_is_found_with_its_line() {
        let text = "profile = \"shpo\"\n[profiles.shop]\nbase_url = \"https://shop.example/v1\"\n[profiles.clear]\n\
                    protect = true\nbase_url = \"http://shop.example/v1\"\n[profiles.none]\n";
        let found: Vec<_> =
            faults(text, Path::new("c.toml")).iter().map(|(line, error)| (*line, error.to_string())).collect();
        let [profile, clear, none] = found.as_slice() else { panic!("{found:?}") };
        assert!(profile.0 == Some(1) && profile.1.starts_with("there is no profile \"shpo\""), "{profile:?}");
        assert!(clear.0 == Some(6) && clear.1.starts_with("profile clear, base_url: http://"), "{clear:?}");
        assert!(none.0 == Some(7) && none.1.starts_with("profile \"none\" needs either"), "{none:?}");
        assert!(faults("", Path::new("c.toml")).is_empty());
        let wrong = faults("[pets]\nlimitt = 1\n", Path::new("c.toml"));
        assert!(wrong[0].1.to_string().starts_with("c.toml:2:1: unknown field `limitt`"), "{wrong:?}");
    }
}
