//! Finds a pet by its id.

use super::prompt::Asked;
use super::session::Session;
use super::words;
use crate::api::find::{Ask, Lists, LookupRequest as Request, LookupResult, StepOutcome, find};
use crate::model::sunset::{self, GET_PET_REMOVED_ON_WORDS};
use crate::model::{PetId, text::short};

const HELP: &str = "Type the id of a pet: a whole number, such as 17. Each pet's line ends with it.";

impl Session {
    /// Finds one pet after another.
    pub(super) async fn by_id(&mut self) -> Asked<()> {
        let mut question = "Id:";
        loop {
            let Some(id) = self.talk.ask(question, HELP, read).await? else { return Ok(()) };
            question = "Another id, or press Enter to end:";
            // GET by id is deprecated: it is used only if the user asks for it.
            let ask = if sunset::is_over(self.now().wall) { Ask::Never } else { Ask::IfNeeded };
            let client = self.setup.client.called("pet by id");
            let Some(found) = self.answer(find(&client, &Lists::default(), id, ask)).await? else { continue };
            if self.report_found(id, &found)? {
                continue;
            }
            let asked = format!("Request it directly? The service removes that on {GET_PET_REMOVED_ON_WORDS}.");
            if self.talk.is_yes(&asked, false).await?
                && let Some(found) = self.answer(find(&client, &Lists::default(), id, Ask::Now)).await?
            {
                self.report_found(id, &found)?;
            }
        }
    }

    /// Says what was found. Whether there is nothing more to ask.
    fn report_found(&mut self, id: PetId, found: &LookupResult) -> Asked<bool> {
        let Some(pet) = &found.pet else {
            let last = found.steps.last();
            self.talk.say(match last.map(|step| step.outcome) {
                Some(StepOutcome::NotFound) => format!("No pet has the id {id}."),
                Some(StepOutcome::Gone { .. }) => {
                    format!("Not found: {id} is not in the lists, and the service no longer offers another way.")
                }
                Some(StepOutcome::NotThereButFull { .. }) => {
                    format!("Not found: {id} is not among the first 100 pets of each status.")
                }
                Some(StepOutcome::Found | StepOutcome::NotThere) | None => {
                    format!("Not found: {id} is not in the lists by status. A pet without a status is not in them.")
                }
            })?;
            return Ok(last.is_some_and(|step| step.asked == Request::Get));
        };
        self.known.insert(pet.id);
        self.talk.say(format!("{}.", words::pet(pet, &self.setup.settings.categories)))?;
        Ok(true)
    }
}

/// The id; `None` for an empty answer.
fn read(answer: &str) -> Result<Option<PetId>, String> {
    match answer {
        "" => Ok(None),
        answer => {
            answer.parse().map(Some).map_err(|_| format!("\"{}\" is not an id: ids are whole numbers.", short(answer)))
        }
    }
}
