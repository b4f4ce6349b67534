//! Adds pets, one after another, from the queue that the screen has, too: each stays there until its outcome is known. The
//! answers for a pet become the defaults of the next one.

use std::iter;

use super::prompt::{Asked, Leave};
use super::session::{Outbox, Session};
use super::words;
use crate::api::Failure;
use crate::app::outbox::queue::{Attempt, Fate, LineSent, LineToSend, NOT_KEPT, QueueRecord, QueuedPet, UNWRITABLE};
use crate::app::outbox::search::search_for;
use crate::config::Service;
use crate::model::draft::check_name;
use crate::model::text::short;
use crate::model::words::counted;
use crate::model::{ApiKey, Draft, Pet};

const NAME_HELP: &str = "Type the name of the pet: 1 to 255 characters.";
const CATEGORY_HELP: &str = "Type the id of the category: a whole number, such as 3.";

/// What can be done next about a pet.
#[derive(Clone, Copy, strum::AsRefStr)]
enum Way {
    #[strum(serialize = "send it again safely: it is added only once")]
    SendSafely,
    #[strum(serialize = "send it again: may add a duplicate")]
    SendTwice,
    #[strum(serialize = "search for it")]
    LookFor,
    #[strum(serialize = "this is it")]
    ThatIsIt,
    #[strum(serialize = "send it again")]
    Send,
    #[strum(serialize = "change it")]
    Change,
    #[strum(serialize = "keep it for later")]
    Keep,
    #[strum(serialize = "skip it")]
    Drop,
}

impl Session {
    /// Takes over the pets that an earlier session left, and says how many.
    pub(super) fn open_queue(&mut self) -> Asked<()> {
        let (queue, left) = match self.setup.queues.of(self.setup.settings.identity().as_deref()) {
            Ok(opened) => opened,
            Err(why) => return self.talk.say(format!("{NOT_KEPT}: {}", short(&why))),
        };
        let lines = left.open.into_iter().map(|open| open.checked(&self.setup.settings.categories));
        self.outbox = Outbox { queue, lines: lines.collect(), ..Outbox::default() };
        self.outbox.last = self.outbox.lines.iter().map(|line| line.typed.line).max().unwrap_or(0);
        match self.outbox.lines.len() {
            0 => Ok(()),
            count => self.talk.say(format!("Waiting to be sent: {}. To send, choose add pets.", counted(count, "pet"))),
        }
    }

    /// Closes the queue; says what stays in it, or is lost with the session.
    pub(super) fn close_queue(&mut self) -> Asked<()> {
        let unwritten = &self.outbox.unwritten;
        let closed = self.setup.queues.close(self.setup.settings.identity().as_deref(), unwritten);
        let is_kept = self.outbox.queue.is_kept() && closed.is_ok();
        let word = if is_kept { "Kept for the next start" } else { "Not sent" };
        (0..self.outbox.lines.len()).try_for_each(|at| self.talk.say(format!("{word}: {}.", self.named(at))))
    }

    /// Sends the pets that wait; asks for others, and sends each.
    pub(super) async fn add(&mut self) -> Asked<()> {
        let mut draft = Draft::default();
        let waiting = self.outbox.lines.len();
        if waiting > 0 && self.may_add(waiting as u64).await? {
            let mut at = 0;
            while at < self.outbox.lines.len() {
                self.talk.say(format!("Waiting: {}.", self.named(at)))?;
                at += usize::from(!self.bring(at, &mut draft).await?);
            }
        }
        loop {
            draft.name.clear();
            match self.ask_new(&mut draft).await {
                Ok(true) => {}
                Ok(false) => return Ok(()),
                Err(leave) if draft.name.is_empty() => return Err(leave),
                Err(leave) => return self.talk.say(format!("Not sent: {}.", short(&draft.name))).and(Err(leave)),
            }
            let at = self.outbox.lines.len();
            self.take(at, draft.clone()).await?;
            self.bring(at, &mut draft).await?;
        }
    }

    /// Asks for a pet until it may be added. `false` at the end.
    async fn ask_new(&mut self, draft: &mut Draft) -> Asked<bool> {
        while self.ask_pet(draft).await? {
            if self.may_add(1).await? {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Asks for the fields; Enter repeats the answer before. `false` at the end.
    async fn ask_pet(&mut self, draft: &mut Draft) -> Asked<bool> {
        let question = |what: &str, first: &str, before: &str| match before {
            "" => format!("{what}, {first}:"),
            before => format!("{what}, press Enter for {}:", short(before)),
        };
        let before = draft.name.clone();
        let read = |answer: &str| match answer {
            "" => Ok(before.clone()),
            name => check_name(name).map(|()| name.to_owned()).map_err(|error| error.to_string()),
        };
        let asked = question("Name", "or press Enter to end", &draft.name);
        draft.name = self.talk.ask(&asked, NAME_HELP, read).await?;
        if draft.name.is_empty() {
            return Ok(false);
        }
        let asked = question("Category", "a whole number", &draft.category_id);
        let before = draft.category_id.clone();
        let categories = self.setup.settings.categories.clone();
        let read = |answer: &str| {
            let answer = if answer.is_empty() { &before } else { answer };
            categories.parse(answer).map_err(|error| error.to_string())
        };
        draft.category_id = self.talk.ask(&asked, CATEGORY_HELP, read).await?.to_string();
        draft.status = self.ask_status("unset, the service decides", draft.status).await?;
        Ok(true)
    }

    /// Puts a pet into the queue, in the place of one that was changed or at the end.
    async fn take(&mut self, at: usize, pet: Draft) -> Asked<()> {
        let Outbox { lines, last, .. } = &mut self.outbox;
        *last += 1;
        let known = self.pets.known_ids().max().unwrap_or(0);
        let typed = QueuedPet { line: *last, at: (self.setup.clock)().wall, key: self.keys.make(), pet, known };
        let changed = lines.splice(at..lines.len().min(at + 1), [typed.into()]).next();
        let dropped = changed.map(|line| QueueRecord::Dropped { line: line.typed.line });
        let records = Vec::from_iter(dropped.into_iter().chain(lines[at].records()));
        self.keep(records).await
    }

    /// Writes records to the file, after those that it did not take. If that fails, says so; what is typed is sent all the
    /// same.
    async fn keep(&mut self, records: Vec<QueueRecord>) -> Asked<()> {
        self.outbox.unwritten.extend(records);
        match self.outbox.queue.write(self.outbox.unwritten.clone()).await {
            Ok(()) => self.outbox.unwritten.clear(),
            Err(why) => self.talk.say(format!("{UNWRITABLE}: {}", short(&why)))?,
        }
        Ok(())
    }

    /// Sends a pet of the queue and asks what to do, until it is added or dropped, or kept for later. Whether it has left
    /// the queue.
    async fn bring(&mut self, at: usize, draft: &mut Draft) -> Asked<bool> {
        let mut found = None;
        let is_refused = self.outbox.lines[at].fate.explanation().is_some();
        let mut failure = if is_refused { None } else { self.send(at).await? };
        loop {
            if let Fate::Saved(id) = self.outbox.lines[at].fate {
                self.outbox.lines.remove(at);
                self.pets.added(&[id]);
                self.added.push(id);
                let pet = self.pets.get(id).map(|pet| words::pet(pet, &self.setup.settings.categories));
                return self.talk.say(format!("Added: {}.", pet.unwrap_or_default())).map(|()| true);
            }
            let way = match self.choose_way(at, failure.take(), found.as_ref()).await {
                Ok(way) => way,
                Err(leave) => return self.remind(at).and(Err(leave)),
            };
            let pet = found.take().flatten();
            let line = &mut self.outbox.lines[at];
            match way {
                Way::Keep => return Ok(false),
                Way::Drop => {
                    if line.is_unknown() {
                        self.remind(at)?;
                        self.talk.say("Search for it before you add it again.")?;
                    }
                    let line = self.outbox.lines.remove(at).typed.line;
                    return self.keep(vec![QueueRecord::Dropped { line }]).await.map(|()| true);
                }
                Way::LookFor => found = Some(self.look_for(at).await?),
                Way::ThatIsIt => {
                    let Some(pet) = pet else { continue };
                    line.fate = Fate::Saved(pet.id);
                    let saved = QueueRecord::Saved { line: line.typed.line, id: pet.id };
                    self.pets.put([pet]);
                    self.keep(vec![saved]).await?;
                }
                Way::SendSafely => failure = self.send(at).await?,
                Way::Send | Way::SendTwice => {
                    (line.sent, line.fate) = (None, Fate::Waiting);
                    // It undoes a refusal.
                    let typed = line.records().collect();
                    self.keep(typed).await?;
                    failure = self.send(at).await?;
                }
                Way::Change => {
                    draft.clone_from(&line.typed.pet);
                    if let Err(leave) = self.ask_pet(draft).await {
                        return self.remind(at).and(Err(leave));
                    }
                    self.take(at, draft.clone()).await?;
                    failure = self.send(at).await?;
                }
            }
        }
    }

    /// Says what happened to a pet that was not added for all that is known, and asks what to do.
    async fn choose_way(&mut self, at: usize, failure: Option<Failure>, found: Option<&Option<Pet>>) -> Asked<Way> {
        let line = &self.outbox.lines[at];
        let [first, second] = if line.is_unknown() {
            if found.is_none() {
                let name = short(&line.typed.pet.name);
                self.talk.say(format!("Unknown outcome: {name} may or may not have been added."))?;
                self.talk.say_all(failure.map(|failure| failure.sentence(&self.service)))?;
            }
            let is_safe = line.fate == Fate::Waiting && self.setup.client.keeps_idempotency_keys();
            match (found, is_safe) {
                (Some(Some(_)), true) => [Way::ThatIsIt, Way::SendSafely],
                (Some(Some(_)), false) => [Way::ThatIsIt, Way::SendTwice],
                (_, true) => [Way::SendSafely, Way::LookFor],
                (_, false) => [Way::LookFor, Way::SendTwice],
            }
        } else {
            self.talk.say(format!("Not added: {}.", self.named(at)))?;
            self.talk.say_all(failure.iter().flat_map(|failure| words::failure(failure, &self.service)))?;
            if matches!(failure, Some(Failure::Refused { status: 400 | 422, .. })) {
                return Ok(Way::Change);
            }
            if failure.is_none() {
                self.talk.say_all(line.fate.explanation())?;
            }
            [Way::Send, Way::Change]
        };
        let ways = [first, second, Way::Keep, Way::Drop];
        self.talk.choose("What next", &ways, Some(0)).await.map(|at| ways[at])
    }

    /// Sends a pet once, or as often as it may be within seconds. Gives why it failed; if the user stops that, the outcome
    /// is unknown.
    async fn send(&mut self, at: usize) -> Asked<Option<Failure>> {
        let client = self.setup.client.called("add");
        let key = match &self.setup.settings.service {
            Service::Demo | Service::Embedded { .. } => None,
            Service::Remote(remote) => Some(remote.key.as_ref().map_or("", ApiKey::ending)),
        };
        let attempt = Attempt::new(key, client.time());
        let waiting = format!("Still waiting for {}.", self.service);
        loop {
            let Outbox { queue, lines, unwritten, .. } = &mut self.outbox;
            let line = &mut lines[at];
            let Some(to_send) = line.to_send(&attempt, &self.setup.settings.categories) else { return Ok(None) };
            let to_send = LineToSend { is_kept: unwritten.is_empty(), repeats: true, ..to_send };
            let sent = match self.talk.during(queue.send(&client, to_send), || waiting.clone()).await {
                Ok(sent) => sent,
                Err(leave) => {
                    line.sent.get_or_insert(attempt);
                    return if matches!(leave, Leave::Stopped) { Ok(None) } else { self.remind(at).and(Err(leave)) };
                }
            };
            line.on_sent(&sent, attempt.clone(), &self.service);
            match sent {
                LineSent::Failed(failure) | LineSent::NotSent(failure) => {
                    if !line.is_unknown() {
                        // The file has this attempt, and must not take it for one without an answer.
                        let dropped = QueueRecord::Dropped { line: line.typed.line };
                        let records = iter::once(dropped).chain(line.records()).collect();
                        self.keep(records).await?;
                    }
                    return Ok(Some(failure));
                }
                LineSent::Saved(pet) => {
                    if !unwritten.is_empty() {
                        let saved = QueueRecord::Saved { line: line.typed.line, id: pet.id };
                        self.keep(vec![saved]).await?;
                    }
                    self.pets.put([pet]);
                    return Ok(None);
                }
                LineSent::NotRepeatable => {
                    self.talk.say("Too late: the service may have forgotten the request. Nothing was sent.")?;
                    return Ok(None);
                }
                LineSent::NotWritten => {
                    unwritten.push(attempt.clone().record(line.typed.line));
                    self.talk.say(format!("{UNWRITABLE}."))?;
                }
            }
        }
    }

    /// The newest pet that it may be, and says what was found.
    async fn look_for(&mut self, at: usize) -> Asked<Option<Pet>> {
        let client = self.setup.client.called("look for it");
        let categories = self.setup.settings.categories.clone();
        let line = self.outbox.lines[at].clone();
        let Ok(new) = line.typed.pet.check(&categories) else { return Ok(None) };
        let searched = match self.answer(search_for(&client, &new)).await {
            Ok(Some(searched)) => searched,
            Ok(None) => return Ok(None),
            Err(leave) => return self.remind(at).and(Err(leave)),
        };
        let none = searched.none_found(&short(&new.name));
        let found = line.candidate(searched, &self.pets, &self.added);
        let what = |pet: &Pet| format!("Found a matching pet: {}.", words::pet(pet, &categories));
        self.talk.say(found.as_ref().map_or(none, what)).map(|()| found)
    }

    /// Reminds of a pet that is left as it is.
    fn remind(&mut self, at: usize) -> Asked<()> {
        let pet = self.named(at);
        let line = &self.outbox.lines[at];
        self.talk.say(match line.is_unknown() {
            true => format!("May have been added: {pet}."),
            false => format!("Not sent: {}.", short(&line.typed.pet.name)),
        })
    }

    /// A pet of the queue.
    fn named(&self, at: usize) -> String {
        let categories = &self.setup.settings.categories;
        let pet = &self.outbox.lines[at].typed.pet;
        pet.check(categories).map_or_else(|_| short(&pet.name), |new| words::new_pet(&new, categories))
    }
}
