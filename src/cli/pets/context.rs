//! What the commands on pets share.

use std::sync::Arc;

use clap::ValueEnum as _;

use crate::api::follow::ProvenanceReader;
use crate::api::inventory::Selection;
use crate::api::{Client, Failure};
use crate::cli::args::Output;
use crate::cli::format::Layout;
use crate::cli::output::{Verbosity, columns};
use crate::cli::{Exit, Failed, Result};
use crate::clock;
use crate::config::{Env, Settings, View};
use crate::model::export::Kind;
use crate::model::search::Query;
use crate::model::words::did_you_mean;
use crate::model::{Pet, PetId, PetStatus, Provenances, short};

/// What a command needs.
pub struct Context<'a> {
    pub client: &'a Client,
    /// The name of the service in error messages.
    pub service: &'a str,
    pub settings: &'a Settings,
    pub env: &'a Env,
    pub verbosity: Verbosity,
    pub coloured: bool,
}

impl Context<'_> {
    pub fn failed(&self, error: &Failure) -> Failed {
        Failed::request(error, self.service, false)
    }

    /// Why something that is about one pet failed; `changing` if it may have changed it.
    pub fn failed_of(&self, id: PetId, error: &Failure, changing: bool) -> Failed {
        // Without a code, it is the address that leads nowhere.
        if matches!(error, Failure::Refused { status: 404, code: Some(_), .. }) {
            let what = format!("{} has no pet {id}", self.service);
            return Failed::new(Exit::NotFound, what).hint("to see all pets: petstore pets list --all");
        }
        Failed::request(error, self.service, changing)
    }

    /// Who added these pets and when, if a column shows it.
    pub async fn provenances(&self, layout: &Layout, pets: &[Pet]) -> Result<Provenances> {
        if !layout.is_about_addition() {
            return Ok(Provenances::new());
        }
        let read = ProvenanceReader::new(self.client).read(pets.iter().map(|pet| pet.id)).await;
        read.map_err(|error| Failed::provenance(&error, self.service))
    }

    /// The view of this name, if one is named.
    pub fn view(&self, name: Option<&str>) -> Result<Option<&View>> {
        let Some(name) = name else { return Ok(None) };
        let views = &self.settings.config.views;
        let view = views.iter().find(|view| view.name == name);
        if view.is_some() {
            return Ok(view);
        }
        let names: Vec<_> = views.iter().map(|view| view.name.as_str()).collect();
        let suggestion = did_you_mean(name, names.iter().copied());
        let hint = match names.as_slice() {
            [] => "add it to [[views]] in the configuration file: petstore config path".to_owned(),
            names => format!("the views are {}", names.join(", ")),
        };
        Err(Failed::config(format!("there is no view \"{}\".{suggestion}", short(name))).hint(hint))
    }

    /// The pets that are asked for, with what a view adds.
    pub fn wanted(&self, statuses: &[PetStatus], search: Option<&str>, view: Option<&View>) -> Selection {
        let of_view = view.and_then(|view| view.status);
        let statuses = if statuses.is_empty() { of_view.into_iter().collect() } else { statuses.to_vec() };
        let search = search.or_else(|| view?.searched());
        let search = search.map(|text| Query::parse(text, &self.settings.categories));
        Selection::of(statuses, search)
    }

    /// How pets are written.
    pub fn layout(&self, output: &Output) -> Result<Layout> {
        let format = format(output, self.env)?;
        if format == Kind::Ids && !output.columns.is_empty() {
            let what = "--columns cannot be used with --format ids, which has only one column";
            return Err(Failed::config(what).hint("use another format, such as --format tsv"));
        }
        Ok(Layout {
            format,
            columns: output.columns.clone(),
            header: !output.no_header,
            raw: false,
            width: columns(),
            coloured: self.coloured,
            categories: Arc::clone(&self.settings.categories),
            now: clock::now().wall,
        })
    }
}

/// The format from the flags, or PETSTORE_OUTPUT.
pub fn format(output: &Output, env: &Env) -> Result<Kind> {
    match (output.format, output.json, env.get("PETSTORE_OUTPUT")) {
        (Some(format), ..) => Ok(format),
        (None, true, _) => Ok(Kind::Json),
        (None, false, Some(word)) => Kind::from_str(word, false).map_err(|_| {
            let known: Vec<_> = Kind::value_variants().iter().filter_map(Kind::to_possible_value).collect();
            let known: Vec<_> = known.iter().map(|value| value.get_name()).collect();
            let suggestion = did_you_mean(word, known.iter().copied());
            Failed::config(format!("PETSTORE_OUTPUT: \"{}\" is not a format.{suggestion}", short(word)))
                .hint(format!("the formats are {}", known.join(", ")))
        }),
        (None, false, None) => Ok(Kind::Table),
    }
}
