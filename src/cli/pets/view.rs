//! The views of the configuration as lists: what a command's own options leave open, its view decides.

use super::args::FilterArgs;
use crate::cli::error::{Exit, Failed};
use crate::config::{Settings, file::View};
use crate::model::suggest::did_you_mean;
use crate::model::text::short;

/// The view of this name, if one is named.
pub fn view<'a>(name: Option<&str>, settings: &'a Settings) -> Result<Option<&'a View>, Failed> {
    let Some(name) = name else { return Ok(None) };
    let names = || settings.views.iter().map(|view| view.name.as_str());
    if let Some(view) = settings.views.iter().find(|view| view.name == name) {
        return Ok(Some(view));
    }
    let failed =
        Failed::new(Exit::Usage, format!("there is no view \"{}\".{}", short(name), did_you_mean(name, names())));
    Err(match names().collect::<Vec<_>>() {
        none if none.is_empty() => failed.hint("add it to [[views]] in the configuration file: petstore config path"),
        names => failed.hint(format!("the views are {}", names.join(", "))),
    })
}

impl FilterArgs {
    /// What is asked for, with what its view adds.
    pub fn with_view(&self, settings: &Settings) -> Result<Self, Failed> {
        let mut filter = Self { status: self.status.clone(), search: self.search.clone(), view: None };
        if let Some(view) = view(self.view.as_deref(), settings)? {
            if filter.status.is_empty() {
                filter.status.extend(view.status);
            }
            filter.search = filter.search.or_else(|| view.searched().map(str::to_owned));
        }
        Ok(filter)
    }
}
