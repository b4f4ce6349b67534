//! `petstore status`: which service is used, by which settings, and whether it answers and accepts the key.

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

/// The result of a test request.
#[derive(Debug, Default)]
pub struct ServiceAnswer {
    /// How long the answer took; `None` without an answer.
    pub took: Option<Duration>,
    /// Whether the key was accepted; `None` if unknown.
    pub accepted: Option<bool>,
    /// What went wrong.
    pub failed: Option<Failed>,
}

impl ServiceAnswer {
    fn failed(failed: Failed) -> Self {
        Self { failed: Some(failed), ..Self::default() }
    }
}

/// Shows the status; the exit status is that of the request.
pub async fn run(output: FormatArg, choices: &Choices, env: &Env) -> Result<Exit, Failed> {
    // A key that cannot be read must not hide the rest.
    let known = Settings::without_key(choices, env)?;
    let (settings, answer) = match Settings::resolve(choices, env) {
        Ok(settings) => {
            let answer = ask(&settings).await;
            (settings, answer)
        }
        Err(error) => (known, ServiceAnswer::failed(error.into())),
    };
    output.write(|out| lines(out, &settings, &answer), || object(&settings, &answer))?;
    answer.failed.map_or(Ok(Exit::Done), Err)
}

/// Sends a test request to the service of these settings. An embedded store that does not exist yet is not created, since
/// that would end the first start; then there is neither an answer nor a failure.
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
        _ => Failed::request(&error, &settings.service.name(), false).with_key_of(settings),
    };
    let is_answer = matches!(error, ApiError::Refused { .. } | ApiError::Malformed(_));
    let is_refused = matches!(error, ApiError::Refused { status: 401, .. });
    ServiceAnswer {
        took: took.filter(|_| is_answer),
        accepted: is_refused.then_some(false),
        ..ServiceAnswer::failed(failed)
    }
}

/// The settings with their values and origins, in columns.
pub fn columns(out: &mut impl Write, settings: &[Sourced], origins: bool) -> io::Result<()> {
    let row = |sourced: &Sourced| {
        let mut row = vec![sourced.name.to_owned(), display_safe(&sourced.value).into_owned()];
        row.extend(origins.then(|| origin(&sourced.origin)));
        row
    };
    table::write(out, &settings.iter().map(row).collect::<Vec<_>>())
}

/// The settings with their values and origins, for programs.
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

fn lines(out: &mut impl Write, settings: &Settings, answer: &ServiceAnswer) -> io::Result<()> {
    columns(out, &settings.origins, true)?;
    let answers = match (answer.took, &answer.failed) {
        (Some(took), _) => format!("answers in {} ms", took.as_millis()),
        (None, Some(_)) => "no answer".to_owned(),
        (None, None) => "created at first use".to_owned(),
    };
    let key = match answer.accepted {
        Some(true) => ", key accepted",
        Some(false) => ", key not accepted",
        None => "",
    };
    writeln!(out, "\nservice    {answers}{key}")
}

fn object(settings: &Settings, answer: &ServiceAnswer) -> Value {
    json!({
        "profile": settings.name,
        "settings": objects(&settings.origins),
        "reachable": (answer.took.is_some() || answer.failed.is_some()).then_some(answer.took.is_some()),
        "milliseconds": answer.took.map(|took| u64::try_from(took.as_millis()).unwrap_or(u64::MAX)),
        "keyAccepted": answer.accepted,
        "failure": answer.failed.as_ref().map(Failed::what),
    })
}
