//! Lists, searches and finds pets. All of them are read into the store, as the screen does; the first are listed while others
//! still come.

use std::ops::ControlFlow;
use std::str::FromStr;

use tokio::sync::mpsc;
use tokio_util::task::AbortOnDropHandle;

use super::prompt::Asked;
use super::session::Session;
use crate::api::find::{Ask, Lists, find};
use crate::api::follow::{ProvenanceError, ProvenanceReader};
use crate::api::inventory::in_parts;
use crate::api::{Coverage, Failure};
use crate::app::inventory::search::{Query, Search, fitting};
use crate::config::View;
use crate::model::sunset::{self, GET_PET_REMOVED_ON_WORDS};
use crate::model::words::{capitalized, counts, list};
use crate::model::{Limit, Pet, PetId, PetQuery, PetStatus, Provenances, counted, short};

/// How many matches are listed at a time.
const AT_ONCE: usize = 20;
const ID_HELP: &str = "Type the id of a pet: a whole number, such as 17. Each pet's line ends with it.";
const HELP: &str = "Type a part of the name, or cat:3 for a category, is:sold for a status, id:100 for an id, \
                    by:till or by:\"till 2\" for what a key has added, \
                    \"in quotes\" for exact words, and a minus sign before what to exclude.";

/// A reading of pets. Dropping it ends that.
struct Reading {
    query: PetQuery,
    coming: mpsc::Receiver<Vec<Pet>>,
    ended: AbortOnDropHandle<Result<Coverage, Failure>>,
}

impl Session {
    /// Asks which pets, and lists them.
    pub(super) async fn browse(&mut self) -> Asked<()> {
        let (status, view) = self.ask_tab("all", self.settings.config.pets.status, true).await?;
        if let Some(view) = view {
            return self.show_view(&view).await;
        }
        let usual = self.settings.config.pets.limit;
        let question = format!("Pets at a time, 1 to 100, press Enter for {usual}:");
        let help = "Type a whole number from 1 to 100. After the list, Enter shows the next pets.";
        let read = |answer: &str| match answer {
            "" => Ok(usual),
            answer => parse::<Limit>(answer, "a whole number from 1 to 100"),
        };
        let limit = usize::from(self.talk.ask(&question, help, read).await?.get());
        let what = status.map_or(String::new(), |status| format!("{status} "));
        let mut reading = self.read(PetQuery { status, ..PetQuery::default() });
        let (mut rows, mut seen, mut end, mut of) = (Vec::new(), 0, None, String::new());
        loop {
            while rows.len() <= limit && end.is_none() {
                match self.read_on(&mut reading).await? {
                    ControlFlow::Continue(part) => rows.extend(part),
                    ControlFlow::Break(coverage) => end = Some(coverage),
                }
            }
            let rest = rows.split_off(limit.min(rows.len()));
            if !rows.is_empty() {
                if seen == 0 {
                    let total = match &end {
                        Some(Some(coverage)) if coverage.complete => Some((rows.len() + rest.len()) as u64),
                        _ => self.total(status).await?,
                    };
                    of = total.map_or_else(String::new, |total| format!(" of {total}"));
                }
                let range = match rows.len() {
                    1 => format!("pet {}", seen + 1),
                    count => format!("pets {} to {}", seen + 1, seen + count),
                };
                self.talk.say(capitalized(&format!("{what}{range}{of}:")))?;
            }
            seen = self.say_pets(seen, &rows)?;
            if rest.is_empty() {
                break;
            }
            self.ask_for_more(limit).await?;
            rows = rest;
        }
        self.talk.say(match end.flatten() {
            Some(coverage) if !coverage.complete => coverage.honest_word(seen, status.is_some()),
            Some(_) if seen == 0 => format!("There are no {what}pets. To add one, choose add pets."),
            Some(_) => "That is all.".to_owned(),
            None if seen == 0 => return Ok(()),
            None => "There may be more: not all pets were read.".to_owned(),
        })
    }

    /// How many pets there are, where the service says so.
    async fn total(&mut self, status: Option<PetStatus>) -> Asked<Option<u64>> {
        let client = self.setup.client.called("count");
        let total = async { client.total(status).await.ok().flatten() };
        self.talk.during(total, || "Counting the pets.".to_owned()).await
    }

    /// Says how many pets there are, of each status and in all.
    pub(super) async fn count(&mut self) -> Asked<()> {
        let mut numbers = Vec::new();
        for status in PetStatus::ALL.map(Some).into_iter().chain([None]) {
            numbers.extend(self.total(status).await?);
        }
        if let [available, pending, sold, all] = *numbers {
            let of = list(counts([(available, "available"), (pending, "pending"), (sold, "sold")]));
            let colon = if of.is_empty() { "" } else { ": " };
            return self.talk.say(format!("{} in all{colon}{of}.", counted(all, "pet")));
        }
        let Some(coverage) = self.read_all().await? else { return Ok(()) };
        let counts = PetStatus::ALL.map(|status| (self.pets.count(Some(status)), status));
        let known = counts.into_iter().filter_map(|(count, status)| Some(format!("{} {status}", count?)));
        self.talk.say(format!("Pets: {}.", list(known)))?;
        self.talk.say(coverage.honest_word(self.pets.pets().len(), false))
    }

    /// Lists the pets of a view, in its order.
    async fn show_view(&mut self, view: &View) -> Asked<()> {
        if self.read_all().await?.is_none() {
            return Ok(());
        }
        let mut query = Query::parse(view.searched().unwrap_or_default(), &self.settings.categories);
        self.know(&mut query, &mut None).await?;
        let has_status = |pet: &&Pet| view.status.is_none_or(|status| pet.status == Some(status.into()));
        let found = self.pets.pets().iter().filter(has_status).filter(|pet| query.fits(pet));
        let mut found: Vec<_> = found.cloned().collect();
        view.sort.unwrap_or_default().apply(&mut found);
        self.say_found(&found).await
    }

    /// Has a query know who added the pets, if it asks; `known` is what was read of that before.
    async fn know(&mut self, query: &mut Query, known: &mut Option<Provenances>) -> Asked<()> {
        if query.asks_who() {
            if known.is_none() {
                *known = self.provenances().await?;
            }
            query.know(known.as_ref().unwrap_or(&Provenances::new()));
        }
        Ok(())
    }

    /// Lists what was found, some at a time.
    async fn say_found(&mut self, found: &[Pet]) -> Asked<()> {
        self.talk.say(match found.len() {
            0 => "None found.".to_owned(),
            count => format!("{count} found:"),
        })?;
        let mut seen = 0;
        for shown in found.chunks(AT_ONCE) {
            if seen > 0 {
                self.ask_for_more(shown.len()).await?;
            }
            seen = self.say_pets(seen, shown)?;
        }
        Ok(())
    }

    /// Reads all pets. Nothing, with a message, if that fails.
    async fn read_all(&mut self) -> Asked<Option<Coverage>> {
        let newest_first = self.setup.client.offers().order;
        let mut reading = self.read(PetQuery { newest_first, ..PetQuery::default() });
        loop {
            if let ControlFlow::Break(coverage) = self.read_on(&mut reading).await? {
                return Ok(coverage);
            }
        }
    }

    /// Reads all pets once, and searches them repeatedly.
    pub(super) async fn search(&mut self) -> Asked<()> {
        let categories = self.settings.categories.clone();
        let parse = |answer: &str| Some(Query::parse(answer, &categories)).filter(|query| !query.is_empty());
        let first = |answer: &str| parse(answer).ok_or("Type what to search for; help explains how.".to_owned());
        let mut query = self.talk.ask("Search for what?", HELP, first).await?;
        let Some(coverage) = self.read_all().await? else { return Ok(()) };
        self.talk.say(coverage.honest_word(self.pets.pets().len(), false))?;
        let mut search = Search::default();
        let mut known = None;
        loop {
            self.know(&mut query, &mut known).await?;
            let pets = self.pets.pets();
            let found = search.best_first(&query, pets, fitting(&query, pets));
            let found: Vec<_> = found.iter().map(|row| pets[*row as usize].clone()).collect();
            self.say_found(&found).await?;
            let again = "Another search, or press Enter to end:";
            let Some(next) = self.talk.ask(again, HELP, |answer| Ok(parse(answer))).await? else { return Ok(()) };
            query = next;
        }
    }

    /// Finds one pet after another.
    pub(super) async fn by_id(&mut self) -> Asked<()> {
        let mut question = "Id:";
        let read = |answer: &str| match answer {
            "" => Ok(None),
            answer => parse(answer, "an id: ids are whole numbers").map(Some),
        };
        loop {
            let Some(id) = self.talk.ask(question, ID_HELP, read).await? else { return Ok(()) };
            question = "Another id, or press Enter to end:";
            if let Some(pet) = self.find_by_id(id).await? {
                self.talk.say(format!("{}.", self.describe(&pet)))?;
            }
        }
    }

    /// The pet of this id as the service has it, or nothing, with a message.
    pub(super) async fn find_by_id(&mut self, id: PetId) -> Asked<Option<Pet>> {
        // GET by id is deprecated: it is used only if the user asks for it.
        let mut ask = if sunset::is_over(self.now().wall) { Ask::Never } else { Ask::IfNeeded };
        let client = self.setup.client.called("pet by id");
        while let Some(found) = self.answer(find(&client, &Lists::default(), id, ask)).await? {
            if let Some(pet) = &found.pet {
                self.pets.put([pet.clone()]);
                return Ok(found.pet);
            }
            self.talk.say(format!("Not found: {id}. {}", found.why_none()))?;
            let asked = format!("Request it directly? The service removes that on {GET_PET_REMOVED_ON_WORDS}.");
            if found.get.is_some() || !self.talk.is_yes(&asked, false).await? {
                break;
            }
            ask = Ask::Now;
        }
        Ok(None)
    }

    /// Lists pets, numbered after the first `before` ones. Gives the last number.
    fn say_pets(&mut self, before: usize, pets: &[Pet]) -> Asked<usize> {
        for (number, pet) in (before + 1..).zip(pets) {
            self.talk.say(format!("{number}: {}", self.describe(pet)))?;
        }
        self.listed.truncate(before);
        self.listed.extend(pets.iter().map(|pet| pet.id));
        Ok(before + pets.len())
    }

    async fn ask_for_more(&mut self, count: usize) -> Asked<()> {
        let question = format!("Press Enter for the next {count}, or type back:");
        let only_enter = |answer: &str| match answer {
            "" => Ok(()),
            _ => Err("Press Enter alone, or type back.".to_owned()),
        };
        self.talk.ask(&question, "Enter shows the next pets; back ends the list.", only_enter).await
    }

    /// Begins to read all pets of a query: about a thousand ahead of what is taken.
    fn read(&mut self, query: PetQuery) -> Reading {
        if query.status.is_none() {
            self.pets.doubt();
            self.pets.expect();
        }
        let client = self.setup.client.called("inventory");
        let most = self.pets.load_limit;
        let (sender, coming) = mpsc::channel(1);
        let ended = tokio::spawn(async move {
            // It fails only if the receiver is gone.
            let tell = |pets| async { drop(sender.send(pets).await) };
            in_parts(&client, query, most, tell).await
        });
        Reading { query, coming, ended: AbortOnDropHandle::new(ended) }
    }

    /// The next pets, which are in the store then; after the last ones, how much was seen, or nothing, with a message, if
    /// reading fails.
    async fn read_on(&mut self, reading: &mut Reading) -> Asked<ControlFlow<Option<Coverage>, Vec<Pet>>> {
        let so_far = self.pets.pets().len();
        let how_far = || format!("{so_far} pets so far.");
        let next = async {
            Ok(match reading.coming.recv().await {
                Some(pets) => ControlFlow::Continue(pets),
                None => ControlFlow::Break(Some((&mut reading.ended).await.unwrap_or(Ok(Coverage::SOME))?)),
            })
        };
        let next = self.answer_meanwhile(next, how_far).await?.unwrap_or(ControlFlow::Break(None));
        let is_whole = reading.query.status.is_none();
        match next.clone() {
            ControlFlow::Continue(pets) if is_whole => drop(self.pets.take(pets, self.now())),
            ControlFlow::Continue(pets) => drop(self.pets.put(pets)),
            ControlFlow::Break(Some(coverage)) if is_whole => self.pets.finish(coverage, self.now()),
            ControlFlow::Break(_) => {}
        }
        Ok(next)
    }

    /// Who added the pets, or the reason why that cannot be read.
    async fn provenances(&mut self) -> Asked<Option<Provenances>> {
        let mut reader = ProvenanceReader::new(&self.setup.client);
        let reading = reader.read(self.pets.pets().iter().map(|pet| pet.id));
        match self.talk.during(reading, || "Reading who added the pets.".to_owned()).await? {
            Ok(provenances) => Ok(Some(provenances)),
            Err(ProvenanceError::Api(error)) => self.answer(async { Err(error) }).await,
            Err(why) => self.talk.say(format!("by: finds nothing: {why}.")).map(|()| None),
        }
    }
}

/// The value of an answer, or that it is not `what`.
fn parse<T: FromStr>(answer: &str, what: &str) -> Result<T, String> {
    answer.parse().map_err(|_| format!("\"{}\" is not {what}.", short(answer)))
}
