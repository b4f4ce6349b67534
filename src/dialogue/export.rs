//! Writes the pets of a status or of a view to a file, or all of them.

use std::path::Path;

use tokio::sync::watch;
use tokio_util::sync::CancellationToken;

use super::import::path_of;
use super::prompt::Asked;
use super::session::Session;
use crate::api::inventory::Selection;
use crate::config::View;
use crate::model::export::Kind;
use crate::model::search::Query;
use crate::model::short;
use crate::transfer::TransferError;
use crate::transfer::export::{ExportOptions, to_file};

const FILE_HELP: &str = "Type the name of a file. Its ending sets the format: .csv, .tsv, .json or .ndjson.";

impl Session {
    /// Asks which pets, and for a file; writes it.
    pub(super) async fn export(&mut self) -> Asked<()> {
        let (status, view) = self.ask_tab("all", None, true).await?;
        let home = self.setup.home.clone();
        let read = |answer: &str| {
            let path = path_of(answer, home.as_deref());
            match Kind::of_name(&path).filter(|_| !answer.is_empty()) {
                Some(kind) => Ok((path, kind)),
                None => Err(FILE_HELP.to_owned()),
            }
        };
        let (path, kind) = self.talk.ask("File to write:", FILE_HELP, read).await?;
        let replaces = path.exists();
        if replaces && !self.talk.is_yes(&format!("{} exists. Overwrite it?", shown(&path)), false).await? {
            return self.talk.say("Nothing was written.");
        }
        let view = view.as_ref();
        let status = status.or(view.and_then(|view| view.status));
        let search = view.and_then(View::searched).map(|search| Query::parse(search, &self.settings.categories));
        let how = ExportOptions::of(kind, view, Selection::of(status.into_iter().collect(), search));
        let client = self.setup.client.clone();
        let (count, counted) = watch::channel(0);
        let stop = CancellationToken::new();
        let writing = to_file(&client, how, (&path, replaces), count, &stop);
        let how_far = || format!("{} pets written.", *counted.borrow());
        match self.talk.during(writing, how_far).await? {
            Ok(coverage) => {
                let seen = usize::try_from(*counted.borrow()).unwrap_or(usize::MAX);
                self.talk.say(format!("Written to {}.", shown(&path)))?;
                self.talk.say_all(coverage.map(|coverage| coverage.honest_word(seen, status.is_some())))
            }
            Err(TransferError::Api(error)) => self.say_failure(&error),
            Err(error) => self.talk.say(error.sentence()),
        }
    }
}

fn shown(path: &Path) -> String {
    short(&path.display().to_string())
}
