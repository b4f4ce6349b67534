//! Searches all pets that the service lists.

use std::sync::atomic::{AtomicUsize, Ordering};

use tokio::sync::mpsc;

use super::browse::only_enter;
use super::prompt::Asked;
use super::session::Session;
use crate::api::inventory::inventory;
use crate::app::inventory::search::{Query, Search};
use crate::model::Pet;

/// How many matches are listed at a time.
const AT_ONCE: usize = 20;
const HELP: &str = "Type a part of the name, or cat:3 for a category, is:sold for a status, id:100 for an id, \
                    \"in quotes\" for exact words, and a minus sign before what to exclude.";

impl Session {
    /// Reads the whole inventory once, and searches it repeatedly.
    pub(super) async fn search(&mut self) -> Asked<()> {
        let first = self.talk.ask("Search for what?", HELP, query).await?;
        let Some(pets) = self.whole().await? else { return Ok(()) };
        let mut search = Search::default();
        let mut query_now = first;
        loop {
            let found: Vec<&Pet> =
                search.best_first(&query_now, &pets).iter().map(|found| &pets[found.row as usize]).collect();
            self.talk.say(if found.is_empty() {
                "None found.".to_owned()
            } else {
                format!("{} found:", found.len())
            })?;
            for (part, shown) in found.chunks(AT_ONCE).enumerate() {
                if part > 0 {
                    let question = format!("There are more. Press Enter for the next {}, or type back:", shown.len());
                    self.talk.ask(&question, "Enter shows more matches; back ends the search.", only_enter).await?;
                }
                self.say_pets(part * AT_ONCE, shown.iter().copied())?;
            }
            query_now = match self.talk.ask("Another search, or press Enter to end:", HELP, another).await? {
                Some(query) => query,
                None => return Ok(()),
            };
        }
    }

    /// All pets, after saying what may be missing; `None` if they cannot be read.
    async fn whole(&mut self) -> Asked<Option<Vec<Pet>>> {
        let client = self.setup.client.called("whole inventory");
        let (sender, mut parts) = mpsc::channel(2);
        let read = AtomicUsize::new(0);
        let reading = async {
            let mut pets: Vec<Pet> = Vec::new();
            let taking = async {
                while let Some(part) = parts.recv().await {
                    pets.extend(part);
                    read.store(pets.len(), Ordering::Relaxed);
                }
            };
            let (coverage, ()) = tokio::join!(inventory(&client, None, sender), taking);
            coverage.map(|coverage| (coverage, pets))
        };
        let how_far = || format!("{} pets read so far.", read.load(Ordering::Relaxed));
        let Some((coverage, pets)) = self.answer_meanwhile(reading, how_far).await? else { return Ok(None) };
        self.talk.say(coverage.honest_word(pets.len()))?;
        Ok(Some(pets))
    }
}

fn query(answer: &str) -> Result<Query, String> {
    another(answer)?.ok_or_else(|| "Type what to search for; help explains how.".to_owned())
}

fn another(answer: &str) -> Result<Option<Query>, String> {
    Ok(Some(Query::parse(answer)).filter(|query| !query.is_empty()))
}
