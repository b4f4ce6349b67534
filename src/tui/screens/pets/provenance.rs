//! Who added a pet and when: asked for together for all rows, once it is shown or searched for.

mod state;

use crate::api::failure::Failure;
use crate::clock::Now;
use crate::model::text::cut;
use crate::model::{Pet, Provenance, Provenances};
use crate::tui::effect::Effect;
use crate::tui::pending::Slot;
use crate::tui::screens::pets::jobs::PetsTask;
use crate::tui::state::{AppState, Screen};
use crate::tui::theme::Appearance;
use crate::tui::widgets::WIDE;

use state::Barrier;

pub use state::KnownProvenance;

/// The most columns that the name of a key takes in the detail.
const NAME_WIDTH: usize = 24;

/// Asks for what is wanted and not known.
pub(in crate::tui) fn ask(state: &mut AppState, now: Now) -> Vec<Effect> {
    let pets = &state.pets;
    let closed = pets.provenance.barrier.is_some() || !pets.follow.is_live() || state.screen != Screen::Pets;
    if closed || state.pending.is_running(Slot::Provenance) {
        return Vec::new();
    }
    let is_unknown = |pet: &&Pet| pets.provenance.get(pet.id).is_none();
    let has_detail = pets.drawer || state.size.columns >= WIDE;
    let shows_addition = pets.view().columns.iter().any(|shown| shown.column.is_about_addition());
    let wanted = match pets.searched().asks_who() || shows_addition {
        true => pets.pets().iter().any(|pet| is_unknown(&pet)),
        false => has_detail && pets.detailed().is_some_and(|pet| is_unknown(&pet)),
    };
    if !wanted {
        return Vec::new();
    }
    let all = pets.pets().iter().chain(&pets.pinned).filter(is_unknown);
    let ids = all.map(|pet| pet.id).collect();
    vec![state.begin(PetsTask::Provenance(ids), now)]
}

/// The answer came.
pub(super) fn on_reply(state: &mut AppState, reply: Result<Option<Provenances>, Failure>) {
    let known = &mut state.pets.provenance;
    match reply {
        Ok(Some(provenances)) => {
            known.of.extend(provenances);
            state.pets.reorder();
        }
        Ok(None) => known.barrier = Some(Barrier::NotReported),
        Err(failure) => {
            known.barrier = Some(Barrier::Failed);
            let why = failure.sentence(&state.link.service);
            state.complain(format!("Who added the pets is not known: {why} r tries again."));
            state.last_failure = Some(failure);
        }
    }
}

/// Who added a pet and when, in words.
pub(super) fn words(provenance: &Provenance, appearance: &Appearance, now: Now) -> String {
    let by = provenance.by().map(|by| format!("by {}", cut(&appearance.text(by), NAME_WIDTH)));
    let at = provenance.added_at.map(|at| appearance.moment(at, now.wall));
    match (by, at) {
        (None, None) => "not recorded".to_owned(),
        (by, at) => by.into_iter().chain(at).collect::<Vec<_>>().join(", "),
    }
}
