//! `petstore status`: which service is meant, by what settings, and whether it answers and accepts the key.

use std::io::{self, Write};
use std::time::Duration;

use serde_json::{Value, json};

use crate::api::ApiError;
use crate::app::connections;
use crate::config::{Choices, Env, Origin, Service, Settings, Sourced};
use crate::model::{display_safe, table};

use super::error::{Exit, Failed};
use super::render::FormatArg;
use super::service;

/// What came of asking the service.
#[derive(Debug, Default)]
pub struct ServiceAnswer {
    /// How long the answer took; `None` where there was none.
    pub took: Option<Duration>,
    /// Whether the key was accepted; `None` where nobody could say.
    pub accepted: Option<bool>,
    /// What went wrong.
    pub failed: Option<Failed>,
}

impl ServiceAnswer {
    fn failed(failed: Failed) -> Self {
        Self { failed: Some(failed), ..Self::default() }
    }
}

/// Shows it; the exit status is that of the request.
pub async fn run(output: FormatArg, choices: &Choices, env: &Env) -> Result<Exit, Failed> {
    // What cannot be read of the key should not hide the rest.
    let known = Settings::without_key(choices, env)?;
    let (settings, asked) = match Settings::resolve(choices, env) {
        Ok(settings) => {
            let asked = ask(&settings).await;
            (settings, asked)
        }
        Err(error) => (known, ServiceAnswer::failed(error.into())),
    };
    output.write(|out| lines(out, &settings, &asked), || object(&settings, &asked))?;
    asked.failed.map_or(Ok(Exit::Done), Err)
}

/// Asks the service of these settings for one animal. One inside the program that was never used is left unmade: looking
/// must not end the first start. Then there is neither an answer nor a failure.
pub async fn ask(settings: &Settings) -> ServiceAnswer {
    if let Service::Embedded { database } = &settings.service
        && !database.exists()
    {
        return ServiceAnswer::default();
    }
    let (client, embedded) = match service::connect(settings).await {
        Ok(connected) => connected,
        Err(failed) => return ServiceAnswer::failed(failed),
    };
    let (answer, took) = connections::ask(&client, "status").await;
    let took = Some(took);
    if let Some(embedded) = embedded {
        embedded.stop().await;
    }
    let Err(error) = answer else { return ServiceAnswer { took, accepted: Some(true), failed: None } };
    let failed = match (&settings.service, &error) {
        (Service::Remote(remote), ApiError::Refused { status: 401, .. }) if remote.key.is_none() => {
            Failed::new(Exit::Unauthorized, format!("no API key for {}", remote.base_url))
                .hint(super::error::GIVE_A_KEY)
        }
        _ => Failed::request(&error, &settings.service.name(), false),
    };
    let is_answer = matches!(error, ApiError::Refused { .. } | ApiError::Malformed(_));
    let is_refused = matches!(error, ApiError::Refused { status: 401, .. });
    ServiceAnswer {
        took: took.filter(|_| is_answer),
        accepted: is_refused.then_some(false),
        ..ServiceAnswer::failed(failed)
    }
}

/// Settings with their values and where these come from, in columns.
pub fn columns(out: &mut impl Write, settings: &[Sourced], origins: bool) -> io::Result<()> {
    let row = |sourced: &Sourced| {
        let mut row = vec![sourced.name.to_owned(), display_safe(&sourced.value).into_owned()];
        row.extend(origins.then(|| origin(&sourced.origin)));
        row
    };
    table::write(out, &settings.iter().map(row).collect::<Vec<_>>())
}

/// Settings with their values and where these come from, for programs.
pub fn objects(settings: &[Sourced]) -> Value {
    let object = |sourced: &Sourced| {
        let mut object = json!({ "name": sourced.name, "value": sourced.value, "origin": origin(&sourced.origin) });
        if let Origin::File { path, line } = &sourced.origin {
            object["file"] = path.display().to_string().into();
            object["line"] = (*line).into();
        }
        object
    };
    settings.iter().map(object).collect()
}

fn origin(origin: &Origin) -> String {
    display_safe(&origin.to_string()).into_owned()
}

fn lines(out: &mut impl Write, settings: &Settings, asked: &ServiceAnswer) -> io::Result<()> {
    columns(out, &settings.origins, true)?;
    let answers = match (asked.took, &asked.failed) {
        (Some(took), _) => format!("answers in {} ms", took.as_millis()),
        (None, Some(_)) => "no answer".to_owned(),
        (None, None) => "is begun by its first use".to_owned(),
    };
    let key = match asked.accepted {
        Some(true) => ", key accepted",
        Some(false) => ", key not accepted",
        None => "",
    };
    writeln!(out, "\nservice    {answers}{key}")
}

fn object(settings: &Settings, asked: &ServiceAnswer) -> Value {
    json!({
        "profile": settings.name,
        "settings": objects(&settings.origins),
        "reachable": (asked.took.is_some() || asked.failed.is_some()).then_some(asked.took.is_some()),
        "milliseconds": asked.took.map(|took| u64::try_from(took.as_millis()).unwrap_or(u64::MAX)),
        "keyAccepted": asked.accepted,
        "failure": asked.failed.as_ref().map(Failed::what),
    })
}
