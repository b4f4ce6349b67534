//! Adds each pet, and makes each change of one, exactly once. It becomes a line, which is written to a [`queue`], sent, and
//! never sent again if that could do it twice; [`search_for`] finds a pet that was sent without an answer. The screen shows
//! the lines, and the dialogue asks about them.

pub mod queue;

use std::future::ready;

use jiff::Timestamp;
use parking_lot::Mutex;

use crate::api::inventory::in_parts;
use crate::api::{Client, Failure, Remedy};
use crate::app::inventory::store::PetStore;
use crate::config::file::LOAD_LIMIT;
use crate::model::{
    Categories, Draft, FieldError, IdempotencyKey, IdempotencyKeys, NewPet, Pet, PetId, PetPatch, PetQuery, cut,
    display_safe,
};
use queue::{
    Attempt, Fate, Line, LineSent, LineToSend, QueueRecord, QueuedChange, QueuedPet, SentAt, SentPet, Unfinished,
};

/// The most columns of a reason from the file.
const LONGEST_REASON: usize = 300;

/// The most lines that are kept; beyond that, the oldest saved lines are removed.
const MOST_LINES: usize = 2_000;

/// The lines for one service, and what its file does not have of them yet.
#[derive(Clone, Debug, Default)]
pub struct Outbox {
    /// In the order of typing.
    pub lines: Vec<Line>,
    /// How many were saved in this session.
    pub saved: usize,
    /// What earlier sessions have added of what the file has.
    pub before: Vec<QueuedPet>,
    /// Records to write to the file.
    pub unwritten: Vec<QueueRecord>,
    /// What is being written.
    writing: Vec<QueueRecord>,
    /// The last writing failed.
    pub is_unwritable: bool,
    /// The number of the last line.
    last: u64,
}

/// How many lines have which fate.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    pub saved: usize,
    pub waiting: usize,
    pub refused: usize,
    pub unknown: usize,
}

impl Outbox {
    /// What the file has `left` for a service.
    pub fn new(left: Unfinished, categories: &Categories) -> Self {
        let lines: Vec<_> = left.open.into_iter().map(|open| open.checked(categories)).collect();
        let last = lines.iter().map(|line| line.typed.line).max().unwrap_or(0);
        Self { lines, before: left.saved, last, ..Self::default() }
    }

    pub fn counts(&self) -> Counts {
        let count = |is_it: fn(&Fate) -> bool| self.lines.iter().filter(|line| is_it(&line.fate)).count();
        Counts {
            saved: self.saved,
            waiting: count(|fate| fate.is_waiting()),
            refused: count(|fate| matches!(fate, Fate::Refused(_))),
            unknown: count(|fate| matches!(fate, Fate::Unknown(_))),
        }
    }

    /// Whether anything waits to be written or sent.
    pub fn has_work(&self) -> bool {
        !self.unwritten.is_empty() || self.lines.iter().any(|line| line.fate.is_waiting())
    }

    /// Whether a line is being written or sent.
    pub fn is_under_way(&self) -> bool {
        let under_way = |line: &Line| matches!(line.fate, Fate::Unwritten | Fate::Sending(..));
        self.not_in_file().next().is_some() || self.lines.iter().any(under_way)
    }

    /// Records that may not be in the file yet, in order.
    pub fn not_in_file(&self) -> impl Iterator<Item = &QueueRecord> {
        self.writing.iter().chain(&self.unwritten)
    }

    pub fn position(&self, number: u64) -> Option<usize> {
        self.lines.iter().position(|line| line.typed.line == number)
    }

    pub fn line(&self, number: u64) -> Option<&Line> {
        self.position(number).map(|at| &self.lines[at])
    }

    pub fn line_mut(&mut self, number: u64) -> Option<&mut Line> {
        self.position(number).map(|at| &mut self.lines[at])
    }

    /// Takes a pet as a line, refused where something is wrong with it, in the place of one that was `edited`. Its number.
    pub fn take(
        &mut self,
        (pet, key, at): (Draft, IdempotencyKey, Timestamp),
        store: &PetStore,
        categories: &Categories,
        edited: Option<u64>,
    ) -> u64 {
        self.last += 1;
        let typed =
            QueuedPet { line: self.last, at, key, pet, known: store.known_ids().max().unwrap_or(0), change: None };
        let line = self.keep(Line::from(typed).checked(categories));
        if let Some(number) = edited {
            self.unwritten.push(QueueRecord::Dropped { line: number });
            if let Some(corrected) = self.line_mut(number) {
                *corrected = line;
                return self.last;
            }
        }
        self.lines.push(line);
        if self.lines.len() > MOST_LINES
            && let Some(oldest) = self.lines.iter().position(|line| line.fate.is_saved())
        {
            self.lines.remove(oldest);
        }
        self.last
    }

    /// Takes the changes of a command, each a pet as it was seen and as it will be. The number of the command.
    pub fn take_changes(&mut self, all: Vec<(Pet, Pet)>, undo: bool, keys: &mut IdempotencyKeys, at: Timestamp) -> u64 {
        let command = self.last + 1;
        for (seen, wanted) in all {
            self.last += 1;
            let status = wanted.status.as_ref().and_then(|status| status.as_str().parse().ok());
            let pet = Draft { name: wanted.name.clone(), category_id: wanted.category_id.to_string(), status };
            let change = Some(Box::new(QueuedChange { seen, wanted, command, is_undo: undo }));
            let line = self.keep(QueuedPet { line: self.last, at, key: keys.make(), pet, known: 0, change }.into());
            self.lines.push(line);
        }
        command
    }

    /// The changes that are still to be made, with their lines.
    pub fn changes(&self) -> impl DoubleEndedIterator<Item = (&Line, &QueuedChange)> {
        let waiting = self.lines.iter().filter(|line| line.fate.is_waiting());
        waiting.filter_map(|line| Some((line, line.change()?)))
    }

    /// A change, and those of the same pet after it that were made on top of it.
    pub fn from_change(&self, number: u64) -> Vec<(u64, QueuedChange)> {
        let Some(change) = self.line(number).and_then(Line::change) else { return Vec::new() };
        let lines = self.lines.iter().skip_while(|line| line.typed.line != number);
        let own = lines.filter(|line| line.typed.line == number || line.changes(change.seen.id));
        own.filter_map(|line| Some((line.typed.line, line.change()?.clone()))).collect()
    }

    /// Whether nothing has to be sent before this line: changes of a pet are made in their order.
    pub fn is_first(&self, line: &Line) -> bool {
        let mut before = self.lines.iter().take_while(|before| before.typed.line != line.typed.line);
        line.change().is_none_or(|change| !before.any(|before| before.changes(change.seen.id)))
    }

    /// A change is not made, for this reason: it stays for the user to see.
    pub fn refuse(&mut self, number: u64, why: String) {
        let Some(line) = self.line_mut(number) else { return };
        line.fate = Fate::Refused(why);
        let records = line.records();
        self.unwritten.extend(records);
    }

    /// Takes what an earlier version sent without an answer, unless it is a line already.
    pub fn take_over(&mut self, sent: &SentPet) {
        if self.lines.iter().all(|line| line.typed.key != sent.key) {
            self.last += 1;
            let line = self.keep(sent.queued(self.last));
            self.lines.push(line);
        }
    }

    /// The same line, which is written before it is sent.
    fn keep(&mut self, line: Line) -> Line {
        self.unwritten.extend(line.records());
        if line.fate == Fate::Waiting { Line { fate: Fate::Unwritten, ..line } } else { line }
    }

    /// The records to write now; [`written`](Self::written) is called before the next ones.
    pub fn begin_writing(&mut self) -> Vec<QueueRecord> {
        self.writing = std::mem::take(&mut self.unwritten);
        self.writing.clone()
    }

    /// They were written, or could not be: then they are written again later, and sent all the same, since a shop goes on
    /// with a full disk.
    pub fn written(&mut self, is_written: bool) {
        self.is_unwritable = !is_written;
        let mut records = std::mem::take(&mut self.writing);
        for line in self.lines.iter_mut().filter(|line| line.fate == Fate::Unwritten) {
            let number = line.typed.line;
            let is_typed = |record: &QueueRecord| matches!(record, QueueRecord::Typed(typed) | QueueRecord::Change(typed) if typed.line == number);
            if !is_written || records.iter().any(is_typed) {
                line.fate = Fate::Waiting;
            }
        }
        if !is_written {
            // Nothing else of a saved line matters.
            let is_saved = |number| self.line(number).is_some_and(|line| line.fate.is_saved());
            records.retain(|record| matches!(record, QueueRecord::Saved { .. }) || !is_saved(record.line()));
            records.append(&mut self.unwritten);
            self.unwritten = records;
        }
    }

    /// What to send of a line; `None` if that is for the user to decide.
    pub fn to_send(&mut self, number: u64, attempt: &Attempt, categories: &Categories) -> Option<LineToSend> {
        let is_kept = self.not_in_file().all(|record| record.line() != number);
        let to_send = self.line_mut(number)?.prepare(attempt, categories)?;
        if !is_kept {
            self.unwritten.push(attempt.clone().record(number));
        }
        Some(LineToSend { is_kept, ..to_send })
    }

    /// Takes up what came of sending a line to `service`. One that was certainly not added is written again, so that the
    /// file does not take its attempt for one without an answer.
    pub fn on_sent(&mut self, number: u64, sent: &LineSent, attempt: Attempt, service: &str) {
        let Some(line) = self.line_mut(number) else { return };
        line.on_sent(sent, attempt, service);
        let line = line.clone();
        match line.fate {
            Fate::Saved(id) => {
                if line.change().is_some() {
                    // The pet itself shows it.
                    self.lines.retain(|line| line.typed.line != number);
                } else {
                    self.saved += 1;
                }
                // What the file could not take of it is settled by this.
                if self.not_in_file().any(|record| record.line() == number) {
                    self.unwritten.retain(|record| record.line() != number);
                    self.unwritten.push(QueueRecord::Saved { line: number, id });
                }
            }
            Fate::Unwritten | Fate::Refused(_) => self.unwritten.extend(line.records()),
            Fate::Waiting | Fate::Sending(..) | Fate::Unknown(_) => {}
        }
    }

    /// Sends a line again, which may add a second pet.
    pub fn send_again(&mut self, number: u64) {
        let Some(line) = self.line_mut(number) else { return };
        line.sent = None;
        if let Fate::Refused(_) = std::mem::replace(&mut line.fate, Fate::Waiting) {
            // That undoes a refusal.
            let typed = line.typed.clone().record();
            self.unwritten.push(typed);
        }
    }

    /// A line without an answer has become this pet.
    pub fn accept(&mut self, number: u64, id: PetId) {
        let Some(line) = self.line_mut(number) else { return };
        line.fate = Fate::Saved(id);
        self.saved += 1;
        self.unwritten.push(QueueRecord::Saved { line: number, id });
    }

    /// The pet that a line may have become: the newest one found that was not there before, and is not from another line.
    pub fn candidate(&self, number: u64, searched: SearchedPets, store: &PetStore) -> Option<Pet> {
        let known = self.line(number)?.typed.known;
        let is_added = |id| self.lines.iter().any(|line| line.fate == Fate::Saved(id));
        let was_there = |id| store.coverage().is_none() || !store.is_unknown(id);
        searched.newest(|id| is_added(id) || id <= known && was_there(id))
    }

    /// Forgets a line that is neither under way nor saved.
    pub fn drop_line(&mut self, number: u64) {
        self.lines.retain(|line| line.typed.line != number);
        self.unwritten.push(QueueRecord::Dropped { line: number });
    }
}

impl Line {
    /// The same, refused where something is wrong with it: content of the file is checked like typed text.
    fn checked(self, categories: &Categories) -> Self {
        let refused = if let Fate::Refused(why) = &self.fate {
            // A code that was not in a barcode file, which earlier versions had.
            let unknown = "unknown code: Its pet is not known. Enter edits it.";
            Some(if why.is_empty() { unknown.to_owned() } else { cut(&display_safe(why), LONGEST_REASON) })
        } else if self.change().is_some() {
            None
        } else {
            self.typed.pet.check(categories).err().map(|errors| errors.first().map_or_else(String::new, reason))
        };
        Self { fate: refused.map_or(Fate::Waiting, Fate::Refused), ..self }
    }

    /// Whether it was sent and may have been added.
    pub const fn is_unknown(&self) -> bool {
        self.sent.is_some() || matches!(self.fate, Fate::Unknown(_))
    }

    /// What to send of it; `None` if that is for the user to decide.
    fn prepare(&mut self, attempt: &Attempt, categories: &Categories) -> Option<LineToSend> {
        // The service keeps idempotency keys for each API key.
        if self.sent.as_ref().is_some_and(|before| before.by != attempt.by) {
            self.fate = Fate::Unknown(None);
            return None;
        }
        let QueuedPet { line, at, key, pet, change, .. } = &self.typed;
        let patch = change.as_ref().map(|change| (change.seen.id, PetPatch::between(&change.seen, &change.wanted)));
        let new = match change.as_ref().map(|change| change.wanted.clone()) {
            Some(Pet { name, category_id, .. }) => Ok(NewPet { name, category_id, status: pet.status }),
            None => pet.check(categories),
        };
        let Ok(new) = new else {
            self.fate = Fate::Refused("cannot be sent".to_owned());
            return None;
        };
        let again = self.sent.as_ref().map(|first| SentAt { here: *at, there: first.there });
        let attempt = attempt.clone();
        Some(LineToSend { line: *line, new, patch, key: key.clone(), attempt, again, is_kept: true, repeats: false })
    }

    /// Takes up what came of sending it to `service`.
    fn on_sent(&mut self, sent: &LineSent, attempt: Attempt, service: &str) {
        self.fate = match sent {
            LineSent::Saved(pet) => Fate::Saved(pet.id),
            LineSent::NotRepeatable => Fate::Unknown(None),
            LineSent::Failed(failure) if failure.outcome_unknown() => {
                self.sent.get_or_insert(attempt);
                let is_final = matches!(failure, Failure::Malformed { .. } | Failure::Crashed { .. });
                if is_final { Fate::Unknown(None) } else { Fate::Waiting }
            }
            LineSent::Failed(failure) if !failure.may_pass() && failure.remedy() != Remedy::EnterKey => {
                // What is refused now may have been done before, unless its values are wrong, or the pet is not as it was
                // seen: done before, it would have been answered as then.
                let says_all = failure.remedy() == Remedy::CorrectValue || failure.changed().is_some();
                if self.sent.is_some() && !says_all {
                    self.fate = Fate::Unknown(None);
                    return;
                }
                self.sent = None;
                let status = if let Failure::Refused { status, .. } = failure {
                    format!("refused ({status})")
                } else {
                    "refused".to_owned()
                };
                Fate::Refused(format!("{status}: {}", failure.sentence(service)))
            }
            LineSent::Failed(_) if self.sent.is_none() => Fate::Unwritten,
            LineSent::NotWritten => Fate::Unwritten,
            LineSent::Failed(_) | LineSent::NotSent(_) => Fate::Waiting,
        };
    }
}

/// Why a line was refused here, for [`Fate::Refused`].
fn reason(error: &FieldError) -> String {
    let word = match error {
        FieldError::NameBlank => "blank",
        FieldError::NameTooLong { .. } => "name too long",
        FieldError::NameCharacter { .. } => "bad character",
        FieldError::CategoryMissing => "no category",
        FieldError::CategoryNotInt64(_) | FieldError::CategoryUnknown { .. } => "wrong category",
        FieldError::StatusUnknown(_) => "wrong status",
    };
    format!("{word}: {error}")
}

/// The pets that match one that may have been added.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SearchedPets {
    /// Pets of the same name and category.
    pub matches: Vec<Pet>,
    /// Whether every pet of that status was seen.
    pub complete: bool,
}

impl SearchedPets {
    /// That a pet of this name was not found.
    pub fn none_found(&self, name: &str) -> String {
        match self.complete {
            true => format!("{name} is not in the list yet."),
            false => format!("{name} was not found, but the list may be incomplete."),
        }
    }

    /// The newest that was not `known` before: probably the one with the largest id.
    pub fn newest(self, known: impl Fn(PetId) -> bool) -> Option<Pet> {
        self.matches.into_iter().filter(|pet| !known(pet.id)).max_by_key(|pet| pet.id)
    }
}

/// Searches for every pet of that name, category and status, among the newest where the service lists them first.
pub async fn search_for(client: &Client, new: &NewPet) -> Result<SearchedPets, Failure> {
    let matches = Mutex::new(Vec::new());
    let is_it = |pet: &Pet| pet.name == new.name && pet.category_id == new.category_id;
    let take = |part: Vec<Pet>| {
        matches.lock().extend(part.into_iter().filter(is_it));
        ready(())
    };
    if !client.offers().order {
        // Any list tells.
        client.date().await?;
    }
    let query = PetQuery { status: new.status, newest_first: client.offers().order, ..PetQuery::default() };
    let coverage = in_parts(client, query, LOAD_LIMIT, take).await?;
    Ok(SearchedPets { matches: matches.into_inner(), complete: coverage.complete })
}

#[cfg(test)]
mod tests {
    use uuid::Uuid;

    use super::*;
    use crate::model::PetStatus;

    #[test]
    fn the_id_of_an_accepted_pet_is_written_again_until_the_file_has_it() {
        let key = IdempotencyKeys::new(Uuid::nil()).make();
        let pet = Draft { name: "Rex".into(), category_id: "3".into(), status: None };
        let store = PetStore::default();
        let mut outbox = Outbox::default();
        let at = "2026-11-20T14:03:07Z".parse().unwrap();
        let number = outbox.take((pet, key, at), &store, &Categories::default(), None);
        assert!(matches!(outbox.begin_writing()[..], [QueueRecord::Typed(_)]));
        outbox.written(true);
        outbox.accept(number, 7);
        for is_written in [false, false, true] {
            assert_eq!(outbox.begin_writing(), [QueueRecord::Saved { line: number, id: 7 }]);
            outbox.written(is_written);
            assert_eq!((outbox.is_unwritable, outbox.not_in_file().count()), (!is_written, usize::from(!is_written)));
        }
    }

    /// Pet 7 is sold and returned, pet 8 is sold: lines 1 to 3, in the file.
    fn changed() -> Outbox {
        let pet = |id, status: PetStatus| Pet { id, name: "Rex".into(), category_id: 3, status: Some(status.into()) };
        let [available, sold] = [PetStatus::Available, PetStatus::Sold].map(|status| pet(7, status));
        let other = (pet(8, PetStatus::Pending), pet(8, PetStatus::Sold));
        let (mut outbox, mut keys) = (Outbox::default(), IdempotencyKeys::new(Uuid::nil()));
        for (seen, wanted) in [(available.clone(), sold.clone()), (sold, available), other] {
            outbox.take_changes(vec![(seen, wanted)], false, &mut keys, Timestamp::UNIX_EPOCH);
        }
        assert!(matches!(outbox.begin_writing()[..], [QueueRecord::Change(_), ..]));
        outbox.written(true);
        outbox
    }

    fn first(outbox: &Outbox) -> Vec<u64> {
        outbox.lines.iter().filter(|line| outbox.is_first(line)).map(|line| line.typed.line).collect()
    }

    #[test]
    fn a_change_is_sent_after_those_of_its_pet_and_with_what_was_seen() {
        let (mut outbox, attempt) = (changed(), Attempt::new(None, None));
        assert_eq!(first(&outbox), [1, 3]);
        let to_send = outbox.to_send(1, &attempt, &Categories::default()).unwrap();
        let patch = serde_json::to_string(&to_send.patch.unwrap().1).unwrap();
        assert!(patch.starts_with(r#"[{"op":"test","path":"/status","value":"available"}"#), "{patch}");
        // What is lost is sent again with its key.
        outbox.on_sent(1, &LineSent::Failed(Failure::NoAnswer { after: Default::default() }), attempt.clone(), "shop");
        assert_eq!(outbox.to_send(1, &attempt, &Categories::default()).unwrap().key, to_send.key);
        assert_eq!(first(&outbox), [1, 3]);
        outbox.on_sent(1, &LineSent::Saved(outbox.lines[1].typed.change.clone().unwrap().seen), attempt, "shop");
        assert_eq!((first(&outbox), outbox.saved), (vec![2, 3], 0));
    }

    #[test]
    fn where_somebody_was_faster_also_after_a_lost_answer_what_was_changed_on_top_goes_with_it() {
        let (mut outbox, attempt) = (changed(), Attempt::new(None, None));
        let faster = Failure::Refused {
            status: 409,
            code: Some("changed".to_owned()),
            message: String::new(),
            retry_after: None,
            body: Some(
                r#"{"code":"changed","message":"","status":409,"pet":{"id":7,"name":"Rex","categoryId":3}}"#.to_owned(),
            ),
        };
        outbox.lines[0].sent = Some(attempt.clone());
        outbox.on_sent(1, &LineSent::Failed(faster), attempt, "shop");
        assert!(!outbox.lines[0].is_unknown() && outbox.lines[0].fate.explanation().is_some());
        assert_eq!(outbox.from_change(1).into_iter().map(|(line, _)| line).collect::<Vec<_>>(), [1, 2]);
    }

    #[test]
    fn a_change_that_was_made_while_its_file_could_not_be_written_is_not_sent_again_from_there() {
        let (mut outbox, attempt) = (changed(), Attempt::new(None, None));
        let sold = outbox.lines[2].typed.change.clone().unwrap();
        outbox.take_changes(
            vec![(sold.seen.clone(), sold.wanted)],
            true,
            &mut IdempotencyKeys::new(Uuid::max()),
            Timestamp::UNIX_EPOCH,
        );
        outbox.begin_writing();
        outbox.written(false);
        assert!(!outbox.to_send(4, &attempt, &Categories::default()).unwrap().is_kept);
        outbox.on_sent(4, &LineSent::Saved(sold.seen), attempt, "shop");
        let records = outbox.begin_writing();
        assert!(matches!(records.last(), Some(QueueRecord::Saved { line: 4, id: 8 })), "{records:?}");
    }

    #[test]
    fn a_refusal_says_nothing_about_an_earlier_attempt_unless_the_values_are_wrong() {
        let key = IdempotencyKeys::new(Uuid::nil()).make();
        let at = "2026-11-20T14:03:07Z".parse().unwrap();
        let typed = QueuedPet { line: 1, at, key, pet: Draft::default(), known: 0, change: None };
        let attempt = Attempt::new(None, None);
        let after = |sent: Option<&Attempt>, status| {
            let mut line = Line { sent: sent.cloned(), ..typed.clone().into() };
            let failure =
                Failure::Refused { status, code: None, message: String::new(), retry_after: None, body: None };
            line.on_sent(&LineSent::Failed(failure), attempt.clone(), "shop");
            (line.is_unknown(), line.fate.explanation().is_some())
        };
        assert_eq!([400, 403].map(|status| after(None, status)), [(false, true); 2]);
        assert_eq!([400, 403].map(|status| after(Some(&attempt), status)), [(false, true), (true, false)]);
    }

    #[test]
    fn the_newest_pet_that_was_not_there_before_is_the_candidate() {
        let pet = |id| Pet { id, name: "Rex".into(), category_id: 1, status: None };
        let found = |known: &[PetId]| {
            let searched = SearchedPets { matches: [3, 9, 5].map(pet).into(), complete: true };
            searched.newest(|id| known.contains(&id)).map(|pet| pet.id)
        };
        assert_eq!([&[][..], &[9], &[3, 5, 9]].map(found), [Some(9), Some(5), None]);
    }
}
