//! One animal by its id.

use super::prompt::Asked;
use super::session::Session;
use super::words;
use crate::api::find::{Ask, Lists, LookupRequest as Request, LookupResult, StepOutcome, find};
use crate::model::sunset::{self, GET_PET_REMOVED_ON_WORDS};
use crate::model::{PetId, text::short};

const HELP: &str = "Say the id of an animal: a whole number, such as 17. It stands at the end of each animal's line.";

impl Session {
    /// Looks for one animal after another.
    pub(super) async fn by_id(&mut self) -> Asked<()> {
        let mut question = "Id:";
        loop {
            let Some(id) = self.talk.ask(question, HELP, read).await? else { return Ok(()) };
            question = "Another id, or press Enter to end:";
            // Gone by now, or about to go: only who asks for it by hand gets it.
            let ask = if sunset::is_over(self.now().wall) { Ask::Never } else { Ask::IfNeeded };
            let client = self.setup.client.called("pet by id");
            let Some(found) = self.answer(find(&client, &Lists::default(), id, ask)).await? else { continue };
            if self.told(id, &found)? {
                continue;
            }
            let asked = format!("Ask the service for it directly? That is removed on {GET_PET_REMOVED_ON_WORDS}.");
            if self.talk.is_yes(&asked, false).await?
                && let Some(found) = self.answer(find(&client, &Lists::default(), id, Ask::Now)).await?
            {
                self.told(id, &found)?;
            }
        }
    }

    /// Tells what was found. Whether there is nothing more to ask.
    fn told(&mut self, id: PetId, found: &LookupResult) -> Asked<bool> {
        let Some(pet) = &found.pet else {
            let last = found.steps.last();
            self.talk.say(match last.map(|step| step.outcome) {
                Some(StepOutcome::NotFound) => format!("No animal has the id {id}."),
                Some(StepOutcome::Gone { .. }) => {
                    format!("Not found: {id} is not in the lists, and the service has no other way any more.")
                }
                Some(StepOutcome::NotThereButFull { .. }) => {
                    format!("Not found: {id} is not among the first 100 animals of each status.")
                }
                Some(StepOutcome::Found | StepOutcome::NotThere) | None => {
                    format!("Not found: {id} is in none of the lists by status. An animal without one would not be.")
                }
            })?;
            return Ok(last.is_some_and(|step| step.asked == Request::Get));
        };
        self.known.insert(pet.id);
        self.talk.say(format!("{}.", words::animal(pet)))?;
        Ok(true)
    }
}

/// The id; nothing where nothing was said.
fn read(answer: &str) -> Result<Option<PetId>, String> {
    match answer {
        "" => Ok(None),
        answer => {
            answer.parse().map(Some).map_err(|_| format!("\"{}\" is no id: ids are whole numbers.", short(answer)))
        }
    }
}
