//! What follows from the answers to an import.

use crate::api::failure::{Failure, Remedy};
use crate::clock::Now;
use crate::model::Field;
use crate::transfer::earlier_import::EarlierVerdict;
use crate::transfer::import::{ImportEnded, ImportProgress, Summary};
use crate::tui::effect::Effect;
use crate::tui::screens::pets;
use crate::tui::state::{AppState, MessageKind};

use super::jobs::ImportPart;
use super::preview::{Choice, PreviewField, UnusableFile};
use super::state::Phase;
use crate::app::import_run::CheckedFile;
use crate::transfer::ImportSource;

/// The title of the question whether to stop.
pub(super) const STOP: &str = "Import";

/// Handles what is new of an import.
pub(super) fn on_part(state: &mut AppState, part: ImportPart, now: Now) {
    let import = &mut state.add.import;
    match part {
        ImportPart::Started(file, report) => {
            if let Some(running) = import.running_mut() {
                running.files = Some((file.clone(), report));
                let before = import.unfinished_name();
                let other = import.unfinished.replace(file.clone()).filter(|other| *other != file).and(before);
                state.drafts.at_once = true;
                if let Some(other) = other {
                    let text = format!("The import of {other} is not finished. Import it again to continue it.");
                    state.tell(text);
                }
            }
        }
        ImportPart::Progress { progress, rows, added } => {
            state.pets.added_here(&added);
            if let Some(running) = import.running_mut() {
                running.take(progress, rows, now.mono);
            }
        }
    }
}

pub(super) fn on_checked(state: &mut AppState, found: Result<CheckedFile, UnusableFile>) {
    let Some(looked) = state.add.import.looked_mut() else { return };
    let is_first = looked.found.is_none();
    let place = looked.parts().iter().position(|part| *part == looked.part);
    let not_seen = found.as_ref().err().filter(|_| is_first).cloned();
    if let Ok(CheckedFile { before: Some(before), .. }) = &found
        && is_first
    {
        looked.read_as(&before.reading);
    }
    looked.found = Some(found);
    let is_done = looked.seen().and_then(CheckedFile::verdict) == Some(EarlierVerdict::Done);
    if place.is_none_or(|place| place >= looked.parts().len()) {
        looked.part = looked.parts()[0];
    }
    if let Some(not_seen) = not_seen {
        first_trouble(state, not_seen);
    }
    if is_done && state.add.import.shows_unfinished() {
        state.add.import.unfinished = None;
    }
}

/// Shows an unreadable file's error at its name, or puts the cursor on the choice that is needed.
fn first_trouble(state: &mut AppState, UnusableFile { why, missing }: UnusableFile) {
    let import = &mut state.add.import;
    let Phase::Looked(looked) = &mut import.phase else { return };
    if missing.is_none() && matches!(looked.source, ImportSource::File(_)) {
        import.error = Some(why);
        import.path.select();
        import.phase = Phase::File;
        return;
    }
    // The cursor goes to the first field without a value.
    let is_empty = |field: &Field| matches!(&looked.choices[*field as usize], Choice::Value(value) if value.is_empty());
    let empty = Field::ALL.into_iter().find(is_empty);
    looked.part = PreviewField::Of(empty.or(missing.map(|(field, _)| field)).unwrap_or(Field::Name));
}

/// Nothing was sent: shows the preview again, and F2 tries again. A resumed import keeps its report.
pub(super) fn on_not_begun(state: &mut AppState, ended: ImportEnded, now: Now) -> Vec<Effect> {
    let looked = state.add.import.running_mut().and_then(|running| running.looked.take());
    let Some(looked) = looked else {
        return on_ended(state, Summary::of(ended), now);
    };
    state.add.import.phase = Phase::Looked(looked);
    let text = match ended {
        ImportEnded::Unauthorized(failure) => {
            refuse_key(state, failure, now);
            "Nothing was sent: the service refused the API key. 1, F4: enter another; then 2, F2.".to_owned()
        }
        ImportEnded::NoAnswer(failure) => {
            let sentence = failure.sentence(&state.link.service);
            pets::update::on_failure(state, failure, now);
            format!("Nothing was sent. {sentence} F2 tries again.")
        }
        ImportEnded::Failed(why) => format!("Nothing was sent. {why}"),
        ImportEnded::Complete | ImportEnded::Stopped | ImportEnded::OnError => {
            "Nothing was sent. F2 tries again.".to_owned()
        }
    };
    state.fail(text)
}

/// The import has ended.
pub(super) fn on_ended(state: &mut AppState, summary: Summary, now: Now) -> Vec<Effect> {
    let service = state.link.service.clone();
    let Some(running) = state.add.import.running_mut() else { return Vec::new() };
    if running.files.is_some() {
        running.progress = summary.progress;
    }
    running.is_under_way = false;
    let ImportProgress { added, refused, invalid, unknown, .. } = running.progress;
    let counts = running.progress.words(Some(summary.left.unwrap_or_else(|| running.left())));
    let is_file = matches!(running.job.source, ImportSource::File(_));
    // There is nothing to stop any more.
    state.unask(STOP);
    state.added_in_bulk += added;
    if summary.ended == ImportEnded::Complete {
        state.add.import.unfinished = None;
    }
    let (kind, text) = match summary.ended {
        ImportEnded::Complete if refused + invalid + unknown == 0 => {
            (MessageKind::Done, format!("Import finished: {counts}."))
        }
        ImportEnded::Complete if refused + invalid == 0 => {
            (MessageKind::Error, format!("{counts}: no answer came for some rows (f). F2 shows what to do."))
        }
        ImportEnded::Complete if is_file => (
            MessageKind::Error,
            format!("{counts} (f). Fix the file, then press F2; or w: rows to fix to another file."),
        ),
        ImportEnded::Complete => {
            (MessageKind::Error, format!("{counts}: f lists the rows to fix, w writes them to a file."))
        }
        ImportEnded::Stopped | ImportEnded::OnError => {
            (MessageKind::Note, format!("Stopped: {counts}. F2 sends the rest."))
        }
        ImportEnded::Unauthorized(failure) => {
            refuse_key(state, failure, now);
            (MessageKind::Error, format!("The service refused the API key: {counts}. F4 enters another."))
        }
        ImportEnded::NoAnswer(failure) => {
            let sentence = failure.sentence(&service);
            pets::update::on_failure(state, failure, now);
            (MessageKind::Error, format!("{sentence} {counts}; y copies the command to continue."))
        }
        ImportEnded::Failed(why) => (MessageKind::Error, format!("{why} {counts}.")),
    };
    if kind == MessageKind::Done {
        state.say_done(text, now.mono)
    } else {
        state.say(kind, text)
    }
    if added == 0 || state.key_refused() { Vec::new() } else { pets::update::reload(state, pets::ReadNext::New, now) }
}

fn refuse_key(state: &mut AppState, failure: Failure, now: Now) {
    if failure.remedy() == Remedy::EnterKey {
        pets::update::refuse_key(state, failure, now);
    }
}
