//! Searches all pets that the service lists.

use std::sync::atomic::{AtomicUsize, Ordering};

use tokio::sync::mpsc;

use super::browse::only_enter;
use super::prompt::Asked;
use super::session::Session;
use crate::api::inventory::inventory;
use crate::api::provenance::{ProvenanceError, ProvenanceReader};
use crate::app::inventory::search::{Query, Search};
use crate::model::{Categories, Pet, Provenances};

/// How many matches are listed at a time.
const AT_ONCE: usize = 20;
const HELP: &str = "Type a part of the name, or cat:3 for a category, is:sold for a status, id:100 for an id, \
                    by:till for what a key has added, \
                    \"in quotes\" for exact words, and a minus sign before what to exclude.";

impl Session {
    /// Reads the whole inventory once, and searches it repeatedly.
    pub(super) async fn search(&mut self) -> Asked<()> {
        let categories = self.setup.settings.categories.clone();
        let first = self.talk.ask("Search for what?", HELP, |answer| query(answer, &categories)).await?;
        let Some(pets) = self.whole().await? else { return Ok(()) };
        let mut search = Search::default();
        let mut query_now = first;
        let mut known = None;
        loop {
            if query_now.asks_who() {
                if known.is_none() {
                    known = self.provenances(&pets).await?;
                }
                query_now.know(known.as_ref().unwrap_or(&Provenances::new()));
            }
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
            query_now = match self
                .talk
                .ask("Another search, or press Enter to end:", HELP, |answer| another(answer, &categories))
                .await?
            {
                Some(query) => query,
                None => return Ok(()),
            };
        }
    }

    /// Who added these pets, or the reason why that cannot be read.
    async fn provenances(&mut self, pets: &[Pet]) -> Asked<Option<Provenances>> {
        let mut reader = ProvenanceReader::new(&self.setup.client);
        let reading = async {
            match reader.read(pets.iter().map(|pet| pet.id)).await {
                Ok(provenances) => Ok(Ok(provenances)),
                Err(ProvenanceError::Api(error)) => Err(error),
                Err(error) => Ok(Err(error)),
            }
        };
        let how_far = || "Reading who added the pets.".to_owned();
        match self.answer_meanwhile(reading, how_far).await? {
            Some(Ok(provenances)) => Ok(Some(provenances)),
            Some(Err(why)) => {
                self.talk.say(format!("by: finds nothing: {why}."))?;
                Ok(None)
            }
            None => Ok(None),
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

fn query(answer: &str, categories: &Categories) -> Result<Query, String> {
    another(answer, categories)?.ok_or_else(|| "Type what to search for; help explains how.".to_owned())
}

fn another(answer: &str, categories: &Categories) -> Result<Option<Query>, String> {
    Ok(Some(Query::parse(answer, categories)).filter(|query| !query.is_empty()))
}
