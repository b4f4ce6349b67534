//! A saved search in the configuration file, which is a tab of the app and a list of the command line.

use serde::de::Error as _;
use serde::{Deserialize, Deserializer};

use crate::model::columns::{ShownColumn, SortOrder};
use crate::model::search::Query;
use crate::model::text::{short, width};
use crate::model::{Categories, Limit, PetStatus};

/// One view. What it leaves out is as in the tabs that are always there.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
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
pub(super) fn fault(views: &[View], categories: &Categories) -> Option<(usize, &'static str, String)> {
    views.iter().enumerate().find_map(|(at, view)| {
        let is_second = views[..at].iter().any(|other| other.name == view.name);
        let search = || Query::fault(&view.search, categories).map(|why| (at, "search", why));
        if is_second { Some((at, "name", is_taken(&view.name))) } else { search() }
    })
}

/// `all` or one of the three states.
pub(super) fn status<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<PetStatus>, D::Error> {
    match String::deserialize(deserializer)?.as_str() {
        "all" => Ok(None),
        word => word.parse().map(Some).map_err(|_| D::Error::unknown_variant(word, &STATUSES)),
    }
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
