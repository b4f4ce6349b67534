//! Adds pets, one after another. The answers for a pet that was not added become the defaults of the next try.

use super::prompt::{Asked, Leave};
use super::session::Session;
use super::unknown_outcome::{AddOutcome, PendingAdd};
use super::words;
use crate::api::Failure;
use crate::app::outbox::send::SentAt;
use crate::model::draft::{FieldError, check_name};
use crate::model::text::short;
use crate::model::{Draft, NewPet};

const NAME_HELP: &str = "Type the name of the pet: 1 to 255 characters.";
const CATEGORY_HELP: &str = "Type the id of the category: a whole number, such as 3.";

impl Session {
    /// Asks for pets and sends each.
    pub(super) async fn add(&mut self) -> Asked<()> {
        let mut draft = Draft::default();
        loop {
            let new = match self.ask_pet(&mut draft).await {
                Ok(Some(new)) => new,
                Ok(None) => return Ok(()),
                Err(leave) => return self.leave_unsent(&draft, leave),
            };
            match self.may_add(1).await {
                Ok(true) => {}
                Ok(false) => continue,
                Err(leave) => return self.leave_unsent(&draft, leave),
            }
            let key = self.keys.make();
            let at = SentAt { here: self.now().wall, there: self.setup.client.time() };
            match self.send(&PendingAdd { new, key, at }).await? {
                AddOutcome::Added(pet) => {
                    self.known.insert(pet.id);
                    self.added.push(pet.id);
                    self.talk.say(format!("Added: {}.", words::pet(&pet, &self.setup.settings.categories)))?;
                    draft.name.clear();
                }
                AddOutcome::Change => {}
                AddOutcome::Skipped => draft.name.clear(),
            }
        }
    }

    /// Leaves the questions, and names the pet that was not sent.
    fn leave_unsent(&mut self, draft: &Draft, leave: Leave) -> Asked<()> {
        if !draft.name.is_empty() && !matches!(leave, Leave::Broken(_)) {
            self.talk.say(format!("Not sent: {}.", short(&draft.name)))?;
        }
        Err(leave)
    }

    /// Asks for the fields; Enter repeats the answer before. `None` at the end.
    async fn ask_pet(&mut self, draft: &mut Draft) -> Asked<Option<NewPet>> {
        let question = match draft.name.as_str() {
            "" => "Name, or press Enter to end:".to_owned(),
            name => format!("Name, press Enter for {}:", short(name)),
        };
        let before = draft.name.clone();
        let read = |answer: &str| match (answer, before.as_str()) {
            ("", "") => Ok(None),
            ("", before) => Ok(Some(before.to_owned())),
            (name, _) => check_name(name).map(|()| Some(name.to_owned())).map_err(|error| error.to_string()),
        };
        let Some(name) = self.talk.ask(&question, NAME_HELP, read).await? else { return Ok(None) };
        draft.name = name;
        let question = match draft.category_id.as_str() {
            "" => "Category, a whole number:".to_owned(),
            id => format!("Category, press Enter for {id}:"),
        };
        let before = draft.category_id.clone();
        let categories = self.setup.settings.categories.clone();
        let read = |answer: &str| {
            let answer = if answer.is_empty() { &before } else { answer };
            categories.parse(answer).map_err(|error| not_a_category(answer, error))
        };
        let category_id = self.talk.ask(&question, CATEGORY_HELP, read).await?;
        draft.category_id = category_id.to_string();
        draft.status = self.ask_status("unset, the service decides", draft.status).await?;
        Ok(Some(NewPet { name: draft.name.clone(), category_id, status: draft.status }))
    }

    /// Sends a pet until its outcome is known or the user gives up.
    async fn send(&mut self, pending_add: &PendingAdd) -> Asked<AddOutcome> {
        loop {
            let failure = match self.post(pending_add).await? {
                Ok(pet) => return Ok(AddOutcome::Added(pet)),
                Err(failure) => failure,
            };
            if failure.as_ref().is_none_or(Failure::outcome_unknown) {
                return self.settle_unknown_outcome(pending_add, failure).await;
            }
            let Some(failure) = failure else { return Ok(AddOutcome::Change) };
            self.talk
                .say(format!("Not added: {}.", words::new_pet(&pending_add.new, &self.setup.settings.categories)))?;
            self.talk.say_all(words::failure(&failure, &self.service))?;
            if matches!(failure, Failure::Refused { status: 400 | 422, .. }) {
                return Ok(AddOutcome::Change);
            }
            let ways = ["send it again", "change it", "skip it"];
            match self.talk.choose("What next", &ways, Some(0)).await {
                Ok(0) => {}
                Ok(1) => return Ok(AddOutcome::Change),
                Ok(_) => return Ok(AddOutcome::Skipped),
                Err(leave) => {
                    self.talk.say(format!("Not sent: {}.", short(&pending_add.new.name)))?;
                    return Err(leave);
                }
            }
        }
    }
}

/// Shorter than the error of the form.
fn not_a_category(answer: &str, error: FieldError) -> String {
    match error {
        FieldError::CategoryMissing => "Type a category: a whole number, such as 3.".to_owned(),
        error @ FieldError::CategoryUnknown { .. } => error.to_string(),
        _ => format!("\"{}\" is not a valid category. Type digits, for example 3.", short(answer)),
    }
}
