//! Animals by status and number, page after page.

use super::prompt::Asked;
use super::session::Session;
use super::words;
use crate::api::list::{List, list, more};
use crate::api::retry::repeated;
use crate::model::words::counted;
use crate::model::{Limit, Pet, PetQuery};

impl Session {
    /// Asks which animals, and tells them.
    pub(super) async fn browse(&mut self) -> Asked<()> {
        let status = self.ask_status("all", self.setup.settings.status).await?;
        let usual = self.setup.settings.limit;
        let question = format!("How many at a time, 1 to 100, press Enter for {usual}:");
        let help = "Say a whole number from 1 to 100. Further animals come with Enter after the list.";
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
            return self.talk.say(format!("No {what}animals are there. To add one, choose add animals."));
        }
        let mut seen = 0;
        loop {
            let number = counted(page.pets.len(), &format!("{what}animal"));
            self.talk.say(format!("{number}:"))?;
            self.tell_animals(seen, page.pets.iter())?;
            seen += page.pets.len();
            let Some(next) = page.next().cloned() else { return self.talk.say(end(&page, limit)) };
            let question = format!("There are more. Press Enter for the next {limit}, or say back:");
            self.talk.ask(&question, "Enter tells the next animals; back ends the list.", only_enter).await?;
            page = loop {
                match self.answer(repeated(|| more(&client, &next))).await? {
                    Some(answer) => break answer.list.unwrap_or_else(|| List::of(Vec::new(), None)),
                    None => {
                        let question = "Press Enter to try again, or say back:";
                        self.talk.ask(question, "Enter asks for the same page again.", only_enter).await?;
                    }
                }
            };
        }
    }

    /// Tells animals, numbered behind the first `before` ones.
    pub(super) fn tell_animals<'a>(&mut self, before: usize, pets: impl IntoIterator<Item = &'a Pet>) -> Asked<()> {
        for (number, pet) in (before + 1..).zip(pets) {
            self.known.insert(pet.id);
            self.talk.say(format!("{number}: {}", words::animal(pet)))?;
        }
        Ok(())
    }
}

fn not_a_limit(answer: &str) -> String {
    format!("\"{}\" is not a whole number from 1 to 100.", crate::model::text::short(answer))
}

/// Enter, and nothing else.
pub(super) fn only_enter(answer: &str) -> Result<(), String> {
    if answer.is_empty() { Ok(()) } else { Err("Press Enter alone, or say back.".to_owned()) }
}

/// What is known behind a list that does not go on.
fn end(page: &List, limit: Limit) -> &'static str {
    match (page.pets.len() >= usize::from(limit.get()), limit == Limit::MAX) {
        (false, _) => "These are all.",
        (true, false) => "There may be more: ask for more at a time.",
        (true, true) => "There may be more: this service gives no more than 100. Choose a status.",
    }
}
