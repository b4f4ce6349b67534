//! Jobs of the boxes: texts to copy, files to write, the theme, a typed key.

use std::io::ErrorKind;
use std::path::Path;

use tokio::sync::watch;
use tokio_util::sync::CancellationToken;

use super::context::Surroundings;
use super::job::{BETWEEN_NEWS, Connection, Done, Progress, api_of, blocking};
use crate::api::Client;
use crate::api::failure::Failure;
use crate::app::clipboard;
use crate::config::edit;
use crate::config::file::View;
use crate::local::atomic_file;
use crate::model::export::Kind;
use crate::model::{ApiKey, Limit, PetQuery, display_safe, text};
use crate::transfer::export::{ExportEnded, ExportOptions, to_file};
use crate::transfer::{TransferError, rejects};
use crate::tui::popups::jobs::{Exported, FileContents, NotWritten, PopupReply, PopupTask, RejectsSource, WriteFile};

pub(super) async fn perform(
    task: PopupTask,
    connection: Connection,
    around: Surroundings,
    progress: Progress,
) -> Result<Done, Failure> {
    let reply = match task {
        PopupTask::Copy(text) => PopupReply::Copied(clipboard::copy(&text, &around.machine.copying).await),
        PopupTask::Write(WriteFile { path, replace, what }) => match what {
            FileContents::Text(text) => {
                PopupReply::Written(blocking(move || write(path, &text, replace, &around)).await)
            }
            FileContents::Rejects(what) => {
                PopupReply::Written(blocking(move || write_rejects(&what, path, replace, &around)).await)
            }
            FileContents::Inventory => {
                let api = api_of(connection).await?.called("export");
                PopupReply::Exported(export(path, replace, &api, &around, &progress).await)
            }
        },
        PopupTask::SetTheme(theme) => PopupReply::ThemeWritten(blocking(move || set_theme(&theme, &around)).await),
        PopupTask::AddView(view) => PopupReply::ViewAdded(blocking(move || add_view(view, &around)).await),
        PopupTask::TestKey(key) => return Ok(test_key(key, &api_of(connection).await?).await),
    };
    Ok(reply.into())
}

/// Writes a text into a file.
fn write(path: String, text: &str, replace: bool, around: &Surroundings) -> Result<String, NotWritten> {
    let place = around.place(&path);
    match atomic_file::write(&place, text, replace) {
        Ok(()) => Ok(place.display().to_string()),
        Err(error) if error.kind() == ErrorKind::AlreadyExists => Err(NotWritten::Exists(path)),
        Err(error) => Err(NotWritten::Failed(format!("{} could not be written: {error}.", place.display()))),
    }
}

/// Writes the rows that were not added into a new file.
fn write_rejects(
    what: &RejectsSource,
    path: String,
    replace: bool,
    around: &Surroundings,
) -> Result<String, NotWritten> {
    let place = around.place(&path);
    let written = around.open(&what.source).and_then(|input| {
        rejects::write(input, &around.reading(what.reading.clone()), what.report.as_deref(), (&place, replace))
    });
    match written {
        Ok(_) => Ok(place.display().to_string()),
        Err(TransferError::Exists(_)) => Err(NotWritten::Exists(path)),
        Err(error) => Err(NotWritten::Failed(format!("{}.", display_safe(&error.to_string())))),
    }
}

/// Writes the whole inventory into a file, in the format that the name's ending asks for.
async fn export(
    path: String,
    replace: bool,
    api: &Client,
    around: &Surroundings,
    progress: &Progress,
) -> Result<Exported, NotWritten> {
    let place = around.place(&path);
    // The box has shown the known endings.
    let kind = Kind::of_name(&place).unwrap_or(Kind::Csv);
    let how =
        ExportOptions { kind, raw: false, status: None, require_complete: false, search: None, columns: Vec::new() };
    let (count, counted) = watch::channel(0);
    // Where this is dropped, so is the token's guard: the thread that writes hears of it.
    let stop = CancellationToken::new();
    let _guard = stop.clone().drop_guard();
    let written = to_file(api, how, (&place, replace), count, &stop);
    let (written, count) = tokio::join!(written, count_up(counted, progress));
    match written {
        Ok(ExportEnded::Done(coverage) | ExportEnded::Incomplete(coverage)) => {
            Ok(Exported { path: place.display().to_string(), count, coverage })
        }
        Ok(ExportEnded::Stopped) => Err(NotWritten::Failed("Stopped. Nothing was written.".to_owned())),
        Err(TransferError::Exists(_)) => Err(NotWritten::Exists(path)),
        Err(TransferError::Api(error)) => Err(NotWritten::NotRead(Failure::from(&error))),
        Err(error) => Err(NotWritten::Failed(format!("{}.", text::safe_causes(&error)))),
    }
}

async fn count_up(mut counted: watch::Receiver<u64>, progress: &Progress) -> u64 {
    while counted.changed().await.is_ok() {
        let count = *counted.borrow_and_update();
        progress.give(PopupReply::Exporting(count)).await;
        tokio::time::sleep(BETWEEN_NEWS).await;
    }
    *counted.borrow()
}

/// Writes the theme into the configuration; the rest of the file stays as it is.
fn set_theme(theme: &str, around: &Surroundings) -> Result<String, String> {
    let path = configuration(around)?;
    edit::set_theme(path, theme).map_err(|error| error.to_string())?;
    Ok(path.display().to_string())
}

/// Adds a view to the configuration; the rest of the file stays as it is.
fn add_view(view: Box<View>, around: &Surroundings) -> Result<Box<View>, String> {
    edit::add_view(configuration(around)?, &view).map_err(|error| error.to_string())?;
    Ok(view)
}

fn configuration(around: &Surroundings) -> Result<&Path, String> {
    around.machine.config.as_deref().map_err(|why| (*why).to_owned())
}

/// Asks for one pet; the client for all jobs from now on has the key if it was accepted.
async fn test_key(key: ApiKey, api: &Client) -> Done {
    let with_key = api.called("key test").with_key(key);
    let query = PetQuery { limit: Limit::MIN, ..PetQuery::default() };
    match with_key.list_pets(&query).await {
        Ok(_) => Done { client: Some(with_key), ..PopupReply::KeyTested(Ok(())).into() },
        Err(error) => PopupReply::KeyTested(Err(Failure::from(&error))).into(),
    }
}
