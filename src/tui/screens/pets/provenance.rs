//! Who added a pet and when: asked for together for all rows, once it is shown or searched for.

use std::sync::Arc;

use crate::api::failure::Failure;
use crate::api::provenance::{ProvenanceError, ProvenanceReader};
use crate::clock::Now;
use crate::model::text::cut;
use crate::model::{Pet, PetId, Provenance, Provenances};
use crate::tui::effect::Effect;
use crate::tui::job::{Env, Job};
use crate::tui::pending::Slot;
use crate::tui::state::{AppState, Screen};
use crate::tui::theme::Appearance;
use crate::tui::widgets::WIDE;

use super::reported::Barrier;

/// The most columns that the name of a key takes in the detail.
const NAME_WIDTH: usize = 24;

/// How many rows before and after that of the detail are asked for with it.
const AROUND: usize = 50;

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
    let ids: Vec<_> = match pets.searched().asks_who() || shows_addition {
        true => pets.store.pets().iter().filter(is_unknown).map(|pet| pet.id).collect(),
        false if has_detail && pets.selected().is_some_and(|pet| is_unknown(&pet)) => {
            let around = pets.rows_from(pets.cursor().saturating_sub(AROUND)).take(2 * AROUND);
            around.filter(is_unknown).map(|pet| pet.id).collect()
        }
        false => Vec::new(),
    };
    if ids.is_empty() { Vec::new() } else { vec![state.begin(AskProvenance(ids), now)] }
}

/// Asks who added these pets.
#[derive(Clone, Debug, PartialEq)]
pub struct AskProvenance(pub Vec<PetId>);

impl Job for AskProvenance {
    /// None where the service does not report it.
    type Answer = Option<Provenances>;
    type Error = Failure;
    const SLOT: fn(&Self) -> Slot = |_| Slot::Provenance;

    async fn run(self: Arc<Self>, env: Env) -> Result<Option<Provenances>, Failure> {
        match ProvenanceReader::new(&env.api("provenance").await?).read(self.0.clone()).await {
            Ok(provenances) => Ok(Some(provenances)),
            Err(ProvenanceError::NotOffered | ProvenanceError::NotAllowed) => Ok(None),
            Err(ProvenanceError::Api(error)) => Err(error.into()),
        }
    }

    fn done(&self, app: &mut AppState, answer: Result<Option<Provenances>, Failure>, _: Now) -> Vec<Effect> {
        let known = &mut app.pets.provenance;
        match answer {
            Ok(Some(provenances)) => {
                known.of.extend(provenances);
                app.pets.reorder();
            }
            Ok(None) => known.barrier = Some(Barrier::NotReported),
            Err(failure) => {
                known.barrier = Some(Barrier::Failed);
                let why = failure.sentence(&app.link.service);
                app.complain(format!("Who added the pets is not known: {why} r tries again."));
                app.last_failure = Some(failure);
            }
        }
        Vec::new()
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
