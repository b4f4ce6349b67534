//! Lists pets by status, page after page.

use super::prompt::Asked;
use super::session::Session;
use super::words;
use crate::api::list::{List, list, more};
use crate::api::retry::repeated;
use crate::model::words::counted;
use crate::model::{Limit, Pet, PetQuery};

impl Session {
    /// Asks which pets, and lists them.
    pub(super) async fn browse(&mut self) -> Asked<()> {
        let status = self.ask_status("all", self.setup.settings.status).await?;
        let usual = self.setup.settings.limit;
        let question = format!("Pets at a time, 1 to 100, press Enter for {usual}:");
        let help = "Type a whole number from 1 to 100. After the list, Enter shows the next pets.";
        let read = |answer: &str| match answer {
            "" => Ok(usual),
            answer => answer.parse::<Limit>().map_err(|_| not_a_limit(answer)),
        };
        let limit = self.talk.ask(&question, help, read).await?;
        let query = PetQuery { status, limit, after: None };
        let client = self.setup.client.called("list");
        let Some(answer) = self.answer(repeated(|| list(&client, &query, 1, None))).await? else { return Ok(()) };
        let Some(mut page) = answer.list else { return Ok(()) };
        let what = status.map_or(String::new(), |status| format!("{status} "));
        if page.pets.is_empty() {
            return self.talk.say(format!("There are no {what}pets. To add one, choose add pets."));
        }
        let mut seen = 0;
        loop {
            let number = counted(page.pets.len(), &format!("{what}pet"));
            self.talk.say(format!("{number}:"))?;
            self.say_pets(seen, page.pets.iter())?;
            seen += page.pets.len();
            let Some(next) = page.next().cloned() else { return self.talk.say(end(&page, limit)) };
            let question = format!("There are more. Press Enter for the next {limit}, or type back:");
            self.talk.ask(&question, "Enter shows the next pets; back ends the list.", only_enter).await?;
            page = loop {
                match self.answer(repeated(|| more(&client, &next))).await? {
                    Some(answer) => break answer.list.unwrap_or_else(|| List::of(Vec::new(), None)),
                    None => {
                        let question = "Press Enter to try again, or type back:";
                        self.talk.ask(question, "Enter requests the same page again.", only_enter).await?;
                    }
                }
            };
        }
    }

    /// Lists pets, numbered after the first `before` ones.
    pub(super) fn say_pets<'a>(&mut self, before: usize, pets: impl IntoIterator<Item = &'a Pet>) -> Asked<()> {
        for (number, pet) in (before + 1..).zip(pets) {
            self.known.insert(pet.id);
            self.talk.say(format!("{number}: {}", words::pet(pet, &self.setup.settings.categories)))?;
        }
        Ok(())
    }
}

fn not_a_limit(answer: &str) -> String {
    format!("\"{}\" is not a whole number from 1 to 100.", crate::model::text::short(answer))
}

/// Accepts only Enter.
pub(super) fn only_enter(answer: &str) -> Result<(), String> {
    if answer.is_empty() { Ok(()) } else { Err("Press Enter alone, or type back.".to_owned()) }
}

/// The last sentence of a list: whether there may be more.
fn end(page: &List, limit: Limit) -> &'static str {
    match (page.pets.len() >= usize::from(limit.get()), limit == Limit::MAX) {
        (false, _) => "That is all.",
        (true, false) => "There may be more: choose a larger number at a time.",
        (true, true) => "There may be more: this service returns at most 100. Choose a status.",
    }
}
