//! Adds pets, one after another, from the queue that the screen has, too: each stays there until its outcome is known. The
//! answers for a pet become the defaults of the next one.

use super::prompt::{Asked, Leave};
use super::session::Session;
use crate::api::Failure;
use crate::app::outbox::queue::{Attempt, LineSent, LineToSend, NOT_KEPT, UNWRITABLE};
use crate::app::outbox::search_for;
use crate::app::{Fate, Line, Outbox};
use crate::config::Service;
use crate::model::draft::check_name;
use crate::model::{ApiKey, Draft, Pet, counted, short};

const NAME_HELP: &str = "Type the name of the pet: 1 to 255 characters.";
const CATEGORY_HELP: &str = "Type the number of the category, such as 3, or the name that your configuration gives it.";

/// What can be done next about a pet.
#[derive(Clone, Copy, strum::AsRefStr)]
enum Way {
    #[strum(serialize = "send it again safely: it is added only once")]
    SendSafely,
    #[strum(serialize = "send it again: may add a duplicate")]
    SendTwice,
    #[strum(serialize = "search for it")]
    LookFor,
    #[strum(serialize = "accept it: this is the pet")]
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
        let (queue, left) = match self.setup.queues.of(self.settings.identity().as_deref()) {
            Ok(opened) => opened,
            Err(why) => return self.talk.say(format!("{NOT_KEPT}: {}", short(&why))),
        };
        (self.queue, self.outbox) = (queue, Outbox::new(left, &self.settings.categories));
        match self.outbox.lines.len() {
            0 => Ok(()),
            count => self.talk.say(format!("Waiting to be sent: {}. To send, choose add pets.", counted(count, "pet"))),
        }
    }

    /// Writes what the queue does not have yet, however the session ends.
    pub fn keep(&mut self) -> Result<(), String> {
        let rest: Vec<_> = self.outbox.not_in_file().cloned().collect();
        self.setup.queues.close(self.settings.identity().as_deref(), &rest)
    }

    /// Closes the queue; says what stays in it, or is lost with the session.
    pub(super) fn close_queue(&mut self) -> Asked<()> {
        let is_kept = self.queue.is_kept() && self.keep().is_ok();
        let word = if is_kept { "Kept for the next start" } else { "Not sent" };
        let lines = self.outbox.lines.iter().filter(|line| !line.fate.is_saved());
        let lines: Vec<_> = lines.map(|line| format!("{word}: {}.", self.named(line))).collect();
        self.talk.say_all(lines)
    }

    /// Sends the pets that wait; asks for others, and sends each.
    pub(super) async fn add(&mut self) -> Asked<()> {
        let mut draft = Draft::default();
        let waiting: Vec<_> = self.outbox.lines.iter().filter(|line| !line.fate.is_saved()).cloned().collect();
        let changes = waiting.iter().filter(|line| line.change().is_some()).count();
        let pets = waiting.len() - changes;
        if (changes == 0 || self.may_change(changes).await?) && (pets == 0 || self.may_add(pets as u64).await?) {
            for line in waiting {
                self.talk.say(format!("Waiting: {}.", self.named(&line)))?;
                match line.typed.change {
                    Some(_) => self.bring_change(line.typed.line).await?,
                    None => self.bring(line.typed.line, &mut draft).await?,
                }
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
            let number = self.take(&draft, None).await?;
            self.bring(number, &mut draft).await?;
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
        let read = |answer: &str| match answer {
            "" => Ok(draft.name.clone()),
            name => check_name(name).map(|()| name.to_owned()).map_err(|error| error.to_string()),
        };
        let asked = question("Name", "or press Enter to end", &draft.name);
        draft.name = self.talk.ask(&asked, NAME_HELP, read).await?;
        if draft.name.is_empty() {
            return Ok(false);
        }
        let categories = self.settings.categories.clone();
        let names = if categories.is_empty() { String::new() } else { format!(" or {}", categories.names()) };
        let first = format!("a number{names}");
        let asked = question("Category", &first, &draft.category_id);
        let read = |answer: &str| {
            let answer = if answer.is_empty() { &draft.category_id } else { answer };
            categories.parse(answer).map_err(|error| error.to_string())
        };
        draft.category_id = self.talk.ask(&asked, CATEGORY_HELP, read).await?.to_string();
        (draft.status, _) = self.ask_tab("leave it unset, the service decides", draft.status, false).await?;
        Ok(true)
    }

    /// Puts a pet into the queue, in the place of one that was changed or at the end. Its number.
    async fn take(&mut self, pet: &Draft, changed: Option<u64>) -> Asked<u64> {
        let typed = (pet.clone(), self.keys.make(), self.now().wall);
        let number = self.outbox.take(typed, &self.pets, &self.settings.categories, changed);
        self.write().await.map(|()| number)
    }

    /// Writes what the file did not take yet. If that fails, says so; what is typed is sent all the same.
    pub(super) async fn write(&mut self) -> Asked<()> {
        let records = self.outbox.begin_writing();
        let written = if records.is_empty() { Ok(()) } else { self.queue.write(records).await };
        self.outbox.written(written.is_ok());
        written.or_else(|why| self.talk.say(format!("{UNWRITABLE}: {}", short(&why))))
    }

    /// Sends a pet of the queue and asks what to do, until it has left the queue, or is kept for later.
    async fn bring(&mut self, mut number: u64, draft: &mut Draft) -> Asked<()> {
        let is_refused = self.outbox.line(number).is_some_and(|line| line.fate.explanation().is_some());
        let mut failure = if is_refused { None } else { self.send(number).await? };
        let mut found = None;
        while let Some(line) = self.outbox.line(number).cloned() {
            if let Fate::Saved(id) = line.fate {
                self.pets.added(&[id]);
                self.added.push(id);
                let pet = self.pets.get(id).map(|pet| self.describe(pet));
                return self.talk.say(format!("Added: {}.", pet.unwrap_or_default()));
            }
            let way = match self.choose_way(&line, failure.take(), found.as_ref()).await {
                Ok(way) => way,
                Err(leave) => return self.remind(&line).and(Err(leave)),
            };
            let candidate = found.take().flatten();
            match way {
                Way::Keep => return Ok(()),
                Way::Drop => {
                    if line.is_unknown() {
                        self.remind(&line)?;
                        self.talk.say("Search for it before you add it again.")?;
                    }
                    self.outbox.drop_line(number);
                    self.write().await?;
                }
                Way::LookFor => found = Some(self.look_for(&line).await?),
                Way::ThatIsIt => {
                    if let Some(pet) = candidate {
                        self.outbox.accept(number, pet.id);
                        self.pets.put([pet]);
                        self.write().await?;
                    }
                }
                Way::SendSafely => failure = self.send(number).await?,
                Way::Send | Way::SendTwice => {
                    self.outbox.send_again(number);
                    self.write().await?;
                    failure = self.send(number).await?;
                }
                Way::Change => {
                    draft.clone_from(&line.typed.pet);
                    if let Err(leave) = self.ask_pet(draft).await {
                        return self.remind(&line).and(Err(leave));
                    }
                    number = self.take(draft, Some(number)).await?;
                    failure = self.send(number).await?;
                }
            }
        }
        Ok(())
    }

    /// Says what happened to a pet that was not added for all that is known, and asks what to do.
    async fn choose_way(&mut self, line: &Line, failure: Option<Failure>, found: Option<&Option<Pet>>) -> Asked<Way> {
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
            self.talk.say(format!("Not added: {}.", self.named(line)))?;
            match &failure {
                Some(failure) => self.say_failure(failure)?,
                None => self.talk.say_all(line.fate.explanation())?,
            }
            if matches!(failure, Some(Failure::Refused { status: 400 | 422, .. })) {
                return Ok(Way::Change);
            }
            [Way::Send, Way::Change]
        };
        let ways = [first, second, Way::Keep, Way::Drop];
        self.talk.choose("What next", &ways, Some(0)).await.map(|at| ways[at])
    }

    /// Sends a pet once, or as often as it may be within seconds. Gives why it failed; if the user stops that, the outcome
    /// is unknown.
    pub(super) async fn send(&mut self, number: u64) -> Asked<Option<Failure>> {
        let change = self.outbox.line(number).and_then(|line| line.typed.change.clone());
        let client = self.setup.client.called(if change.is_some() { "change" } else { "add" });
        let key = match &self.settings.service {
            Service::Demo | Service::Embedded { .. } => None,
            Service::Remote(remote) => Some(remote.key.as_ref().map_or("", ApiKey::ending)),
        };
        let attempt = Attempt::new(key, client.time());
        let waiting = format!("Still waiting for {}.", self.service);
        loop {
            let to_send = self.outbox.to_send(number, &attempt, &self.settings.categories);
            let Some(to_send) = to_send else { return Ok(None) };
            let sending = self.queue.send(&client, LineToSend { repeats: true, ..to_send });
            let sent = self.talk.during(sending, || waiting.clone()).await;
            let sent = match (sent, self.outbox.line_mut(number)) {
                (Ok(sent), _) => sent,
                (Err(leave), Some(line)) => {
                    line.sent.get_or_insert(attempt);
                    let line = line.clone();
                    return if matches!(leave, Leave::Stopped) { Ok(None) } else { self.remind(&line).and(Err(leave)) };
                }
                (Err(leave), None) => return Err(leave),
            };
            self.outbox.on_sent(number, &sent, attempt.clone(), &self.service);
            match sent {
                LineSent::Failed(failure) | LineSent::NotSent(failure) => {
                    return self.write().await.map(|()| Some(failure));
                }
                LineSent::Saved(pet) => {
                    change.map_or(Ok(()), |change| self.changed(&change, &pet))?;
                    self.pets.put([pet]);
                    return self.write().await.map(|()| None);
                }
                LineSent::NotRepeatable => {
                    self.talk.say("Too late: the service may have forgotten the request. Nothing was sent.")?;
                    return Ok(None);
                }
                LineSent::NotWritten => self.talk.say(format!("{UNWRITABLE}."))?,
            }
        }
    }

    /// The newest pet that it may be, and says what was found.
    async fn look_for(&mut self, line: &Line) -> Asked<Option<Pet>> {
        let client = self.setup.client.called("look for it");
        let Ok(new) = line.typed.pet.check(&self.settings.categories) else { return Ok(None) };
        let searched = match self.answer(search_for(&client, &new)).await {
            Ok(Some(searched)) => searched,
            Ok(None) => return Ok(None),
            Err(leave) => return self.remind(line).and(Err(leave)),
        };
        let none = searched.none_found(&short(&new.name));
        let found = self.outbox.candidate(line.typed.line, searched, &self.pets);
        let what = |pet| format!("Found a matching pet: {}.", self.describe(pet));
        self.talk.say(found.as_ref().map_or(none, what)).map(|()| found)
    }

    /// Reminds of a pet that is left as it is.
    fn remind(&mut self, line: &Line) -> Asked<()> {
        let text = match line.is_unknown() {
            true if line.change().is_some() => format!("May have been changed: {}.", self.named(line)),
            true => format!("May have been added: {}.", self.named(line)),
            false => format!("Not sent: {}.", short(&line.typed.pet.name)),
        };
        self.talk.say(text)
    }

    /// A pet of the queue.
    pub(super) fn named(&self, line: &Line) -> String {
        let pet = &line.typed.pet;
        match (line.change(), pet.check(&self.settings.categories)) {
            (Some(change), _) => self.describe(&change.wanted),
            (None, Ok(new)) => self.describe_new(&new),
            (None, Err(_)) => short(&pet.name),
        }
    }
}
