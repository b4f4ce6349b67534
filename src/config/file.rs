//! The configuration file: its shape, its defaults, and errors that name the line.
//!
//! The user's own actions: programs that run for a pet or for the rows, `[[actions]]` in the configuration file.

use std::collections::BTreeMap;
use std::fmt::Display;
use std::ops::RangeInclusive;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use smart_default::SmartDefault;
use toml::Spanned;

use super::ConfigError;
use super::theme::Themes;
use crate::model::columns::{ShownColumn, SortOrder};
use crate::model::search::Query;
use crate::model::text::{KEY_PREFIX, holds_key};
use crate::model::{Categories, Limit, PetStatus, short, width};

/// The whole file. Unknown keys are errors. It is written only to be shown: lists as texts, in the order of the fields.
#[derive(Clone, Debug, PartialEq, SmartDefault, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct File {
    /// The profile used when neither flag nor environment names one.
    #[serde(skip_serializing)]
    #[default("embedded".into())]
    pub profile: String,
    /// The pets screen.
    pub pets: Pets,
    /// Saved searches, in the order of their tabs.
    #[serde(serialize_with = "texts")]
    pub views: Vec<View>,
    /// The names of categories.
    #[serde(serialize_with = "category_names")]
    pub categories: Arc<Categories>,
    /// The appearance of the screen.
    pub ui: Ui,
    /// The saved services, by name. `embedded` always exists.
    #[default(BTreeMap::from([("embedded".into(), Profile { embedded: true, ..Profile::default() })]))]
    pub profiles: BTreeMap<String, Profile>,
    /// Adding pets.
    pub add: Add,
    /// Sessions over SSH.
    pub ssh: Ssh,
    /// Custom domains.
    pub domains: Domains,
    /// Programs that run for pets.
    #[serde(serialize_with = "texts")]
    pub actions: Arc<[CustomAction]>,
    /// The themes that `ui.theme` may name.
    #[serde(skip)]
    pub themes: Arc<Themes>,
}

/// The pets screen.
#[derive(Clone, Debug, PartialEq, SmartDefault, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Pets {
    /// Rows per request, 1 to 100.
    pub limit: Limit,
    /// The most pets that the app loads.
    #[serde(deserialize_with = "load_limit")]
    #[default(LOAD_LIMIT)]
    pub load_limit: usize,
    /// The status tab at start.
    #[serde(deserialize_with = "status", serialize_with = "status_word")]
    pub status: Option<PetStatus>,
    /// The pause between automatic refreshes, if there are any.
    #[serde(deserialize_with = "live", serialize_with = "live_words")]
    pub live: Option<Duration>,
}

/// Adding pets.
#[derive(Clone, Debug, PartialEq, SmartDefault, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Add {
    /// The prefix that the scanner adds to each code.
    pub scan_strip: String,
    /// Whether the scanner ends each code with Tab instead of Enter.
    pub scan_tab: bool,
    /// How many pets the form sends at once.
    #[serde(alias = "at_once", deserialize_with = "concurrency")]
    #[default(8)]
    pub concurrency: usize,
}

/// Sessions over SSH.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Ssh {
    /// What is shown at the start of each session; empty for nothing.
    pub message: String,
    /// Whether `[[actions]]` run in sessions, as programs of this account.
    pub actions: bool,
}

/// The most pets that are loaded by default.
pub const LOAD_LIMIT: usize = 20_000;

fn load_limit<'de, D: Deserializer<'de>>(deserializer: D) -> Result<usize, D::Error> {
    whole(deserializer, "load_limit", 100..=100_000)
}

fn concurrency<'de, D: Deserializer<'de>>(deserializer: D) -> Result<usize, D::Error> {
    whole(deserializer, "concurrency", 1..=8)
}

/// A whole number in this range, for this key.
fn whole<'de, D: Deserializer<'de>>(from: D, key: &str, range: RangeInclusive<usize>) -> Result<usize, D::Error> {
    let number = usize::deserialize(from)?;
    let why = || format!("{key} must be a whole number from {} to {}", range.start(), range.end());
    if range.contains(&number) { Ok(number) } else { Err(D::Error::custom(why())) }
}

/// Custom domains: the configuration of the project, and how they are checked.
#[derive(Clone, Debug, PartialEq, SmartDefault, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Domains {
    /// The project's main domain (API description, `domains.primary`).
    pub primary: String,
    /// Domains that redirect to others (API description, `domains.redirects`).
    #[serde(serialize_with = "texts")]
    pub redirects: Vec<Redirect>,
    /// The record value that the dashboard shows.
    pub platform_host: String,
    /// The CAA identities of the platform's certificate authority.
    pub ca_identities: Vec<String>,
    /// The recursive resolvers to query: `system`, ADDRESS or ADDRESS:PORT, tls://ADDRESS or https://ADDRESS/PATH.
    #[default(["system", "1.1.1.1", "8.8.8.8", "9.9.9.9"].map(str::to_owned).to_vec())]
    pub resolvers: Vec<String>,
    /// The addresses of name servers, by host name: ADDRESS:PORT.
    #[serde(serialize_with = "name_servers")]
    pub name_servers: BTreeMap<String, String>,
    /// The port of `http://`.
    #[default(80)]
    pub http_port: u16,
    /// The port of `https://`.
    #[default(443)]
    pub https_port: u16,
    /// A PEM file of additional CA certificates; empty for none.
    pub trust: PathBuf,
    /// Also connect to addresses that are not public.
    pub allow_private: bool,
    /// How the app announces that a domain needs action.
    pub notify: Notify,
}

/// How the app announces that a domain needs action, for example that it is ready to verify.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Notify {
    /// Not at all.
    Off,
    /// With the terminal's bell.
    #[default]
    Bell,
    /// With a desktop notification in iTerm2, WezTerm, foot and Windows Terminal (OSC 9).
    Osc9,
    /// With a desktop notification in rxvt-unicode, foot and VTE terminals (OSC 777).
    Osc777,
}

/// One redirect of the project.
#[derive(Clone, Debug, PartialEq, Eq, derive_more::Display, Deserialize)]
#[display("{from} to {to} ({status})")]
#[serde(deny_unknown_fields)]
pub struct Redirect {
    /// The domain that redirects.
    pub from: String,
    /// Where it redirects to.
    pub to: String,
    /// The HTTP status, usually `301`.
    pub status: u16,
}

impl File {
    /// The profile of this name.
    pub fn profile(&self, name: &str) -> Result<&Profile, ConfigError> {
        self.profiles.get(name).ok_or_else(|| ConfigError::NoSuchProfile {
            name: name.to_owned(),
            known: Vec::from_iter(self.profiles.keys().map(String::as_str)).join(", "),
        })
    }

    /// Reads `text`, which came from `path`.
    pub fn parse(text: &str, path: &Path) -> Result<Self, ConfigError> {
        // Before parsing, since parse errors quote the text.
        if let Some(at) = key_itself(text) {
            return Err(ConfigError::at(path, text, at, KEY_ITSELF));
        }
        let mut file: Self = toml::from_str(text).map_err(|error| ConfigError::of_toml(path, text, &error))?;
        if let Some((at, key, why)) = fault(&file.views, &file.categories) {
            return Err(ConfigError::at(path, text, place_of_view(text, at, key), &why));
        }
        for (name, profile) in Self::default().profiles {
            file.profiles.entry(name).or_insert(profile);
        }
        check_actions(Arc::make_mut(&mut file.actions), path, text)?;
        file.themes = Arc::new(Themes::beside(path));
        let theme = &file.ui.theme;
        if let Some(why) = file.themes.why_not(theme.get_ref()) {
            return Err(ConfigError::at(path, text, theme.span().start, why));
        }
        Ok(file)
    }
}

/// The position of a value of view number `at`, from 0.
fn place_of_view(text: &str, at: usize, key: &str) -> usize {
    let document = toml_edit::Document::parse(text).ok();
    let place = document.and_then(|document| document.get("views")?.get(at)?.get(key)?.span());
    place.map_or(0, |place| place.start)
}

/// The position of something that looks like an API key in `text`. Comments are never quoted.
fn key_itself(text: &str) -> Option<usize> {
    let mut at = 0;
    text.split_inclusive('\n').find_map(|line| {
        let begin = at;
        at += line.len();
        let is_comment = line.trim_start().starts_with('#');
        let key = line.find(KEY_PREFIX).filter(|_| !is_comment && holds_key(line))?;
        Some(begin + key)
    })
}

/// One service.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Profile {
    /// The embedded store; excludes `base_url`.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub embedded: bool,
    /// The service's address, including `/v1`.
    pub base_url: Option<String>,
    /// Where the API key comes from.
    #[serde(deserialize_with = "key")]
    pub key: Option<KeySource>,
    /// A PEM file of CA certificates to trust instead of the system's.
    pub ca_file: Option<PathBuf>,
    /// Allow `http://` to another machine. The key then travels in clear text.
    pub insecure_http: bool,
    /// The label in the header, instead of the profile's name.
    pub label: Option<String>,
    /// The colour of the label.
    pub accent: Accent,
    /// Ask before the first change, and again after each switch to it.
    pub protect: bool,
    /// Refuse every change: nothing is ever added with this profile.
    pub read_only: bool,
}

impl Profile {
    /// A remote service at this address.
    pub fn at(base_url: &str) -> Self {
        Self { base_url: Some(base_url.trim().to_owned()), ..Self::default() }
    }
}

/// Where a key is read from. The file never contains keys themselves.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum KeySource {
    /// An environment variable.
    Env(String),
    /// A file that only its owner can read; its first line is the key.
    File(PathBuf),
    /// A program and its arguments, run without a shell; the first line of its output is the key.
    #[serde(deserialize_with = "command")]
    Command(Vec<String>),
}

impl KeySource {
    /// Splits a command as a shell does, with quotes; nothing else of a shell is understood.
    pub fn command(text: &str) -> Result<Self, String> {
        match shell_words::split(text) {
            Ok(words) if name_program(&words) => Ok(Self::Command(words)),
            Ok(_) => Err("name a program, for example 'op read op://shop/key'".to_owned()),
            Err(_) => Err("a quote is not closed".to_owned()),
        }
    }
}

/// The colour that distinguishes a service from others.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, strum::Display, strum::EnumIter)]
#[serde(rename_all = "lowercase")]
#[strum(serialize_all = "lowercase")]
pub enum Accent {
    #[default]
    None,
    Red,
    Yellow,
    Green,
    Blue,
    Magenta,
    Cyan,
}

/// Whether a new profile may have this name: 1 to 40 ASCII letters, digits, `-` and `_`. It is also used as a file name.
pub fn is_plain_name(name: &str) -> bool {
    (1..=40).contains(&name.len()) && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-_".contains(&byte))
}

/// The error for an API key in the file.
const KEY_ITSELF: &str = "an API key must not be in the configuration itself. Remove it, then run petstore \
                                     login, or set its place: key = { env = \"NAME\" }, key = { file = \"PATH\" } or \
                                     key = { command = [\"PROGRAM\"] }";

/// A table; anything else may be a key, and is not quoted.
fn key<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<KeySource>, D::Error> {
    match toml::Value::deserialize(deserializer)? {
        table @ toml::Value::Table(_) => {
            KeySource::deserialize(table).map(Some).map_err(|error| D::Error::custom(error.message()))
        }
        _ => Err(D::Error::custom(KEY_ITSELF)),
    }
}

fn command<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<String>, D::Error> {
    let words = Vec::<String>::deserialize(deserializer)?;
    let why = "command must name a program, for example command = [\"op\", \"read\", \"op://shop/key\"]";
    if name_program(&words) { Ok(words) } else { Err(D::Error::custom(why)) }
}

fn name_program(words: &[String]) -> bool {
    words.first().is_some_and(|program| !program.is_empty())
}

/// One view. What it leaves out is as in the tabs that are always there.
#[derive(Clone, Debug, Default, PartialEq, Eq, derive_more::Display, Deserialize)]
#[display("{name}")]
#[serde(deny_unknown_fields)]
pub struct View {
    /// Its name, on the tab and after `--view`.
    #[serde(deserialize_with = "name")]
    pub name: String,
    /// What is searched for; empty for all.
    #[serde(default)]
    pub search: String,
    /// Only pets with this status.
    #[serde(default, deserialize_with = "status")]
    pub status: Option<PetStatus>,
    /// The order of its rows.
    #[serde(default, deserialize_with = "sort")]
    pub sort: Option<SortOrder>,
    /// Its columns; empty for the usual ones.
    #[serde(default)]
    pub columns: Vec<ShownColumn>,
    /// Rows per request.
    #[serde(default)]
    pub limit: Option<Limit>,
}

impl View {
    /// What is searched for, if anything is.
    pub fn searched(&self) -> Option<&str> {
        Some(self.search.trim()).filter(|search| !search.is_empty())
    }
}

/// The widest name.
const WIDEST_NAME: usize = 24;

/// Why this is not a name of a view, but for another view of the name.
pub fn name_fault(name: &str) -> Option<String> {
    let is_plain = !name.is_empty() && name.trim() == name && width(name) <= WIDEST_NAME;
    if !is_plain || name.chars().any(char::is_control) {
        let rule = format!("Use 1 to {WIDEST_NAME} characters, without spaces around them.");
        return Some(format!("\"{}\" is not a name for a view. {rule}", short(name)));
    }
    let is_built_in = STATUSES.iter().any(|tab| tab.eq_ignore_ascii_case(name));
    is_built_in.then(|| format!("\"{name}\" is the name of a tab that is always there. Choose another name."))
}

/// Why a name cannot be used twice.
pub fn is_taken(name: &str) -> String {
    format!("there is a view \"{}\" already. Choose another name.", short(name))
}

/// The first fault that only shows among all views: the number of the view, the key, and why.
fn fault(views: &[View], categories: &Categories) -> Option<(usize, &'static str, String)> {
    views.iter().enumerate().find_map(|(at, view)| {
        let is_second = views[..at].iter().any(|other| other.name == view.name);
        let search = || Query::fault(&view.search, categories).map(|why| (at, "search", why));
        if is_second { Some((at, "name", is_taken(&view.name))) } else { search() }
    })
}

/// `all` or one of the three states.
fn status<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<PetStatus>, D::Error> {
    match String::deserialize(deserializer)?.as_str() {
        "all" => Ok(None),
        word => word.parse().map(Some).map_err(|_| D::Error::unknown_variant(word, &STATUSES)),
    }
}

fn status_word<S: Serializer>(status: &Option<PetStatus>, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(status.map_or("all", PetStatus::as_str))
}

/// The shortest pause between automatic refreshes, in seconds.
const LEAST_LIVE: u32 = 5;

fn live<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<Duration>, D::Error> {
    let seconds = u32::deserialize(deserializer)?;
    Ok((seconds > 0).then(|| Duration::from_secs(seconds.max(LEAST_LIVE).into())))
}

fn live_words<S: Serializer>(live: &Option<Duration>, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(&live.map_or("off".to_owned(), |live| format!("{} s", live.as_secs())))
}

fn texts<S: Serializer, T: Display>(list: &[T], serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_seq(list.iter().map(T::to_string))
}

fn category_names<S: Serializer>(categories: &Categories, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_seq(categories.iter().map(|(id, name)| format!("{id} {name}")))
}

fn name_servers<S: Serializer>(servers: &BTreeMap<String, String>, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_seq(servers.iter().map(|(name, address)| format!("{name} at {address}")))
}

/// Those words, which are also the names of the tabs that are always there.
const STATUSES: [&str; 4] = ["all", "available", "pending", "sold"];

fn name<'de, D: Deserializer<'de>>(deserializer: D) -> Result<String, D::Error> {
    let name = String::deserialize(deserializer)?;
    name_fault(&name).map_or(Ok(name), |why| Err(D::Error::custom(why)))
}

fn sort<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<SortOrder>, D::Error> {
    String::deserialize(deserializer)?.parse().map(Some).map_err(D::Error::custom)
}

/// The name and the width of a column as one text.
impl<'de> Deserialize<'de> for ShownColumn {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        String::deserialize(deserializer)?.parse().map_err(D::Error::custom)
    }
}

/// The appearance of the screen.
#[derive(Clone, Debug, PartialEq, SmartDefault, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Ui {
    /// Which colours are used: the name of a theme.
    #[default(theme_named("default"))]
    pub theme: Spanned<String>,
    /// Characters for lines and marks.
    pub glyphs: Glyphs,
    /// How text is copied.
    pub clipboard: Clipboard,
    /// The speed of the connection to the terminal.
    pub link: LinkSpeed,
    /// Use the mouse, instead of leaving it to the terminal.
    pub mouse: bool,
}

/// The name of a theme that is at no place in a file.
pub(super) fn theme_named(name: &str) -> Spanned<String> {
    Spanned::new(0..0, name.to_owned())
}

/// Characters for lines and marks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Glyphs {
    /// Depending on the locale.
    #[default]
    Auto,
    /// Unicode.
    Unicode,
    /// ASCII only.
    Ascii,
}

/// How text is copied.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Clipboard {
    /// Whatever is available.
    #[default]
    Auto,
    /// Into a buffer of tmux.
    Tmux,
    /// With the desktop's program.
    Native,
    /// Through the terminal (OSC 52).
    Osc52,
    /// Into a file.
    File,
    /// Not at all.
    Off,
}

/// The speed of the connection to the terminal.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum LinkSpeed {
    /// Measured over SSH; fast otherwise.
    #[default]
    Auto,
    /// No savings.
    Fast,
    /// No animation, and clocks update every ten seconds.
    Slow,
}

/// The widest name, in columns: it fits the help.
const WIDEST_ACTION: usize = 24;

/// What stands for the id of the pet in a command.
pub const ID: &str = "{id}";

/// A program that runs for a pet or for the rows.
#[derive(Clone, Debug, PartialEq, derive_more::Display, Deserialize)]
#[display("{name}")]
#[serde(deny_unknown_fields)]
pub struct CustomAction {
    /// The key among the pets; without one only the list of all commands has it.
    pub key: Option<Spanned<String>>,
    #[serde(deserialize_with = "action_name")]
    pub name: String,
    /// The program and its arguments.
    #[serde(deserialize_with = "action_command")]
    pub command: Spanned<Vec<String>>,
    /// What it runs for.
    #[serde(default)]
    pub on: On,
    /// Ask before each run.
    #[serde(default)]
    pub confirm: bool,
    /// It changes the service: refused with a read-only profile, and asked about with a protected one.
    #[serde(default)]
    pub writes: bool,
    /// Where its key is in the file: line and column.
    #[serde(skip)]
    pub place: (usize, usize),
}

/// What an action runs for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum On {
    /// The pet under the cursor.
    #[default]
    Pet,
    /// All rows shown.
    Rows,
}

/// A short name.
fn action_name<'de, D: Deserializer<'de>>(deserializer: D) -> Result<String, D::Error> {
    let name = String::deserialize(deserializer)?;
    let fits = (1..=WIDEST_ACTION).contains(&width(name.trim())) && !name.contains(char::is_control);
    fits.then_some(name)
        .ok_or_else(|| D::Error::custom(format!("name must have 1 to {WIDEST_ACTION} visible characters")))
}

/// A program and its arguments.
fn action_command<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Spanned<Vec<String>>, D::Error> {
    let words = Spanned::<Vec<String>>::deserialize(deserializer)?;
    let runs = name_program(words.get_ref()) && !words.get_ref().iter().any(|word| word.contains('\0'));
    runs.then_some(words).ok_or_else(|| D::Error::custom("command must name a program, for example [\"jq\", \".\"]"))
}

/// Checks what the parts of the actions in `text` mean together, and notes where their keys are.
fn check_actions(actions: &mut [CustomAction], path: &Path, text: &str) -> Result<(), ConfigError> {
    for action in actions {
        let command = &action.command;
        if action.on == On::Rows && command.get_ref().iter().any(|word| word.contains(ID)) {
            let why = "{id} needs one pet: on = \"pet\". The ids of the rows are in PETSTORE_IDS";
            return Err(ConfigError::at(path, text, command.span().start, why));
        }
        action.place = action.key.as_ref().map_or((0, 0), |key| ConfigError::place(text, key.span().start));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;

    fn error(text: &str) -> String {
        File::parse(text, Path::new("config.toml")).unwrap_err().to_string()
    }

    #[test]
    fn the_example_has_exactly_the_defaults() {
        let example = include_str!("../../config.example.toml");
        assert_eq!(File::parse(example, Path::new("config.example.toml")).unwrap(), File::default());
    }

    #[test]
    fn the_commented_profiles_of_the_example_are_valid_too() {
        let example = include_str!("../../config.example.toml").replace("\n#:", "\n");
        let file = File::parse(&example, Path::new("config.example.toml")).unwrap();
        let words = ["op", "read", "op://shop/petstore/key"].map(str::to_owned).to_vec();
        let at = |host: &str, key| Profile {
            base_url: Some(format!("https://{host}/v1")),
            key: Some(key),
            ..Profile::default()
        };
        let expected = [
            ("embedded", Profile { embedded: true, ..Profile::default() }),
            (
                "laboratory",
                Profile {
                    ca_file: Some("~/lab-ca.pem".into()),
                    ..at("lab.api.example.com", KeySource::File("~/.config/petstore/keys/laboratory".into()))
                },
            ),
            (
                "production",
                Profile {
                    label: Some("PRODUCTION".into()),
                    accent: Accent::Red,
                    protect: true,
                    ..at("api.example.com", KeySource::Env("PETSTORE_API_KEY".into()))
                },
            ),
            ("staging", at("staging.api.example.com", KeySource::File("~/.config/petstore/keys/staging".into()))),
            ("training", at("training.api.example.com", KeySource::Command(words))),
        ];
        assert_eq!(file.profiles, expected.map(|(name, profile)| (name.to_owned(), profile)).into());
    }

    #[test]
    fn the_old_name_of_a_key_is_still_read() {
        let read = |text| File::parse(text, Path::new("config.toml")).unwrap().add.concurrency;
        assert_eq!((read("[add]\nat_once = 3\n"), read("[add]\nconcurrency = 3\n")), (3, 3));
    }

    #[test]
    fn wrong_keys_and_values_name_line_and_column() {
        assert!(error("profile = \"x\"\n[pets]\nlimitt = 3\n").starts_with("config.toml:3:1: unknown field `limitt`"));
        assert_eq!(error("[pets]\nlimit = 150\n"), "config.toml:2:9: limit must be a whole number from 1 to 100");
        let wanted = "config.toml:2:15: concurrency must be a whole number from 1 to 8";
        assert_eq!(error("[add]\nconcurrency = 9\n"), wanted);
        for wrong in [99, 100_001] {
            let wanted = "config.toml:2:14: load_limit must be a whole number from 100 to 100000";
            assert_eq!(error(&format!("[pets]\nload_limit = {wrong}\n")), wanted);
        }
        assert!(error("[pets]\nstatus = \"SOLD\"\n").starts_with("config.toml:2:10: unknown variant"));
        assert!(error("profile = \n").starts_with("config.toml:1:"));
        let view = "[[views]]\nname = \"cats\"\n";
        let after = |line: &str| error(&format!("{view}{line}"));
        assert!(after("serch = 1\n").starts_with("config.toml:3:1: unknown field `serch`"));
        assert!(after("sort = \"price\"\n").starts_with("config.toml:3:8: \"price\" is not a column"));
        assert!(after("columns = [\"id\", \"nmae\"]\n").starts_with("config.toml:3:11: \"nmae\" is not a column"));
        assert!(after("limit = 101\n").starts_with("config.toml:3:9: limit must be"));
        assert!(after("status = \"gone\"\n").starts_with("config.toml:3:10: unknown variant `gone`"));
        assert!(after(view).starts_with("config.toml:4:8: there is a view \"cats\" already"));
        assert!(error("[[views]]\nsearch = \"a\"\n").starts_with("config.toml:1:1: missing field `name`"));
        assert!(error("[[views]]\nname = \"Sold\"\n").starts_with("config.toml:2:8: \"Sold\" is the name of a tab"));
        assert!(error("[[views]]\nname = \" a\"\n").starts_with("config.toml:2:8: \" a\" is not a name for a view"));
        for (search, why) in [
            ("cat:", "the term \"cat:\" searches for nothing"),
            ("cat:3,dog", "\"dog\" is not a category"),
            ("id:x", "\"id:x\" is not an id"),
            ("rex \"mr w", "the quotation mark before \"mr w\" is not closed"),
            ("a b c d e f g h i j k l m n o p q", "a search has at most 16 terms"),
        ] {
            let text = format!("{view}search = {}\n", toml_edit::Value::from(search));
            assert!(error(&text).starts_with(&format!("config.toml:3:10: {why}")), "{}", error(&text));
        }
        let inline = "views = [{ name = \"a\" }, { name = \"a\" }]\n";
        assert!(error(inline).starts_with("config.toml:1:35: there is a view \"a\" already"), "{}", error(inline));
        assert!(error("[profiles.x]\naccent = \"pink\"\n").starts_with("config.toml:2:10: unknown variant `pink`"));
    }

    #[test]
    fn an_invalid_source_of_a_key_is_refused_with_the_remedy() {
        let key = |source: &str| error(&format!("[profiles.x]\nkey = {source}\n"));
        let gone = key("{ keyring = true }");
        assert!(gone.starts_with("config.toml:2:7: petstore does not read the keyring itself any more."), "{gone}");
        for source in ["{ command = [] }", "{ command = [\"\", \"x\"] }"] {
            assert!(key(source).starts_with("config.toml:2:7: command must name a program, for example command = ["));
        }
        assert!(key("{ env = \"A\", file = \"b\" }").starts_with("config.toml:2:7: "));
    }

    #[test]
    fn a_key_in_the_file_is_refused_with_its_position_and_is_not_quoted() {
        for key in ["\"of_another_service\"", "\"\"", "1234567890", "[\"secret\"]"] {
            let wanted = format!("config.toml:2:7: {KEY_ITSELF}");
            assert_eq!(error(&format!("[profiles.x]\nkey = {key}\n")), wanted, "{key}");
        }
        for (text, place) in [
            ("[profiles.x]\nkey = \"petk_0123456789abcdef\"\n", "2:8"),
            ("[profiles.x]\nkey = petk_0123456789abcdef\n", "2:7"),
            ("[profiles.x]\nkey = { env = \"petk_0123456789abcdef\" }\n", "2:16"),
            ("[profiles.x]\nkey = { command = [\"echo\", \"petk_0123456789abcdef\"] }\n", "2:29"),
            ("[profiles.x]\nbase_url = \"https://petk_0123456789abcdef@x/v1\"\n", "2:21"),
            ("petk_0123456789abcdef = 1\n", "1:1"),
            ("# mine\r\n[profiles.petk_0123456789abcdef]\n", "2:11"),
            ("[[[\nprofile = 'Bearer petk_0123456789abcdef", "2:19"),
        ] {
            assert_eq!(error(text), format!("config.toml:{place}: {KEY_ITSELF}"), "{text}");
        }
        assert!(File::parse("  # petk_0123456789abcdef\n", Path::new("config.toml")).is_ok());
    }

    #[test]
    fn a_plain_name_can_be_a_file_name() {
        let long = "a".repeat(40);
        assert!(["staging", "eu-1_b", "X", &long].iter().all(|name| is_plain_name(name)));
        let longer = "a".repeat(41);
        assert!(!["", "..", "a/b", "my shop", "caf\u{e9}", "a\n", &longer].iter().any(|name| is_plain_name(name)));
    }

    #[test]
    fn names_match_the_file() {
        use Clipboard::{Auto, File, Native, Off, Osc52, Tmux};
        for clipboard in [Auto, Tmux, Native, Osc52, File, Off] {
            let written = Ui { clipboard, ..Ui::default() };
            assert_eq!(toml::from_str::<Ui>(&toml::to_string(&written).unwrap()).unwrap(), written);
        }
        for link in [LinkSpeed::Auto, LinkSpeed::Fast, LinkSpeed::Slow] {
            let written = Ui { link, ..Ui::default() };
            assert_eq!(toml::from_str::<Ui>(&toml::to_string(&written).unwrap()).unwrap(), written);
        }
    }

    #[test]
    fn an_action_that_cannot_work_is_refused_with_its_place() {
        let error = |lines: &str| error(&format!("[[actions]]\n{lines}"));
        let fine = "name = \"label\"\ncommand = [\"lp\"]\n";
        for (lines, expected) in [
            (format!("{fine}keys = \"P\"\n"), "config.toml:4:1: unknown field `keys`"),
            ("name = \"label\"\ncommand = []\n".to_owned(), "config.toml:3:11: command must name a program"),
            ("name = \"label\"\ncommand = [\"\"]\n".to_owned(), "config.toml:3:11: command must name a program"),
            ("name = \"label\"\n".to_owned(), "config.toml:1:1: missing field `command`"),
            ("name = \"\"\ncommand = [\"lp\"]\n".to_owned(), "config.toml:2:8: name must have 1 to 24"),
            (format!("{fine}on = \"row\"\n"), "config.toml:4:6: unknown variant `row`"),
            (format!("{fine}on = \"added\"\n"), "config.toml:4:6: actions do not run for added pets any more"),
            (
                "name = \"x\"\non = \"rows\"\ncommand = [\"lp\", \"{id}\"]\n".to_owned(),
                "config.toml:4:11: {id} needs one pet",
            ),
        ] {
            assert!(error(&lines).starts_with(expected), "{lines}: {}", error(&lines));
        }
    }
}
