//! Pets that are new or changed status since the last refresh: marks for the table, and a log.

use std::collections::{HashMap, VecDeque};

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use crate::model::{ObservedStatus, Pet, PetId, PetStatus};

/// The most changes that are kept; the oldest go first.
const MOST: usize = 500;

/// What is known of every pet that was seen, and what has changed.
#[derive(Clone, Debug, Default)]
pub struct PetChange {
    /// The status of each pet as it was last seen.
    known: HashMap<PetId, Code>,
    /// The statuses that were seen, by their code.
    statuses: Vec<Option<ObservedStatus>>,
    /// What the table marks.
    marks: HashMap<PetId, Mark>,
    /// The marks are from an earlier refresh: the next change clears them.
    old_marks: bool,
    /// What has changed, the newest first.
    log: VecDeque<Change>,
    /// How many of them were not shown yet.
    pub unseen: usize,
}

/// A status in one byte: a hundred thousand of them are held.
type Code = u8;

/// The code of all further statuses.
const OTHER: Code = Code::MAX;

/// How a row differs from what was there before.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mark {
    /// It was not there.
    New,
    /// It had another status.
    Status,
}

impl Mark {
    /// The sign in the table.
    pub const fn sign(self) -> &'static str {
        match self {
            Self::New => "+",
            Self::Status => "*",
        }
    }
}

/// One change.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Change {
    /// When it was seen.
    pub at: Timestamp,
    /// Of which pet.
    pub id: PetId,
    /// Its name. Clean it before showing it.
    pub name: String,
    /// The status it had; absent for one that is new.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub from: Option<Was>,
    /// The status it has.
    pub to: Was,
}

impl Change {
    /// What has changed of the pet called `name`.
    pub fn sentence(&self, name: &str) -> String {
        match &self.from {
            Some(from) => format!("{name}: {from} -> {}", self.to),
            None => format!("{name}: new, {}", self.to),
        }
    }
}

/// A status in the log: the word, or empty if it was not set.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(from = "String", into = "String")]
pub struct Was(Option<ObservedStatus>);

impl From<String> for Was {
    fn from(word: String) -> Self {
        Self((!word.is_empty()).then(|| word.parse().map_or(ObservedStatus::Unknown(word), ObservedStatus::Known)))
    }
}

impl From<Was> for String {
    fn from(was: Was) -> Self {
        was.0.map_or_else(Self::new, |status| status.as_str().to_owned())
    }
}

impl Was {
    /// The status, if it was set.
    pub const fn status(&self) -> Option<&ObservedStatus> {
        self.0.as_ref()
    }
}

impl std::fmt::Display for Was {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.0.as_ref().map_or("not set", ObservedStatus::as_str))
    }
}

/// What the list held when the same was asked before: only then can a pet that is not known be called new.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Baseline {
    /// Nothing is known: this is the first answer, or other rows may only have moved into view.
    Unknown,
    /// Every pet up to this id, in the order of ids.
    UpTo(PetId),
    /// Every pet.
    All,
}

impl PetChange {
    /// What the table marks at this pet.
    pub fn mark(&self, id: PetId) -> Option<Mark> {
        self.marks.get(&id).copied()
    }

    /// What has changed, the newest first.
    pub const fn log(&self) -> &VecDeque<Change> {
        &self.log
    }

    /// The id of every pet that was seen.
    pub fn known_ids(&self) -> impl Iterator<Item = PetId> {
        self.known.keys().copied()
    }

    /// Takes up what an earlier session saw: its lists, which may be of different ages, and what had changed by its end.
    pub fn restore<'a>(&mut self, pets: impl Iterator<Item = &'a Pet>, log: Vec<Change>) {
        self.log = log.into();
        self.log.truncate(MOST);
        for pet in pets {
            let code = self.code(pet.status.as_ref());
            self.known.insert(pet.id, code);
        }
        // Where lists differ, one of them came before a change that is here; the newest change comes first.
        for at in (0..self.log.len()).rev() {
            let (id, to) = (self.log[at].id, self.log[at].to.clone());
            let code = self.code(to.status());
            self.known.insert(id, code);
        }
    }

    /// The rows are refreshed. With `by_hand` the marks go now, otherwise with the first change.
    pub fn begin(&mut self, by_hand: bool) {
        if by_hand {
            self.marks.clear();
        }
        self.old_marks = true;
    }

    /// Learns from an answer; `before` is what the last one to the same question held.
    pub fn learn(&mut self, pets: &[Pet], before: Baseline, at: Timestamp) {
        for pet in pets {
            let code = self.code(pet.status.as_ref());
            let is_new = match before {
                Baseline::Unknown => false,
                Baseline::UpTo(last) => pet.id < last,
                Baseline::All => true,
            };
            let (mark, from) = match self.known.insert(pet.id, code) {
                Some(old) if old == code => continue,
                Some(old) => (Mark::Status, Some(self.status(old))),
                None if is_new => (Mark::New, None),
                None => continue,
            };
            if std::mem::take(&mut self.old_marks) {
                self.marks.clear();
            }
            self.marks.insert(pet.id, mark);
            let change = Change { at, id: pet.id, name: pet.name.clone(), from, to: Was(pet.status.clone()) };
            self.log.push_front(change);
            self.log.truncate(MOST);
            self.unseen = (self.unseen + 1).min(self.log.len());
        }
    }

    /// A pet that was added here is not a change.
    pub fn added(&mut self, pet: &Pet) {
        let code = self.code(pet.status.as_ref());
        self.known.insert(pet.id, code);
    }

    fn code(&mut self, status: Option<&ObservedStatus>) -> Code {
        // Those of the API come first, so that each always has a code.
        if self.statuses.is_empty() {
            self.statuses.push(None);
            self.statuses.extend(PetStatus::ALL.map(|status| Some(status.into())));
        }
        let known = self.statuses.iter().position(|known| known.as_ref() == status);
        let at = known.unwrap_or(self.statuses.len());
        // A service may have hundreds of statuses: the last ones share a code.
        let code = Code::try_from(at).unwrap_or(OTHER);
        if known.is_none() && code != OTHER {
            self.statuses.push(status.cloned());
        }
        code
    }

    fn status(&self, code: Code) -> Was {
        let other = || Some(ObservedStatus::Unknown("another".to_owned()));
        Was(self.statuses.get(usize::from(code)).cloned().unwrap_or_else(other))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tui::testing::animals;

    const AT: Timestamp = Timestamp::UNIX_EPOCH;

    fn sentences(changes: &PetChange) -> Vec<String> {
        let words = |change: &Change| match &change.from {
            Some(from) => format!("{}: {from} -> {}", change.id, change.to),
            None => format!("{}: new, {}", change.id, change.to),
        };
        changes.log().iter().map(words).collect()
    }

    #[test]
    fn the_first_answer_is_no_news_and_another_status_is() {
        let mut changes = PetChange::default();
        let mut pets = animals(3);
        changes.learn(&pets, Baseline::Unknown, AT);
        assert_eq!(sentences(&changes), Vec::<String>::new());
        pets[0].status = Some(PetStatus::Sold.into());
        pets[1].status = None;
        pets[2].status = Some(ObservedStatus::Unknown("reserved".into()));
        changes.learn(&pets, Baseline::All, AT);
        let all = ["100233: available -> reserved", "100232: pending -> not set", "100231: available -> sold"];
        assert_eq!(sentences(&changes), all);
        assert_eq!((changes.mark(100_231), changes.unseen), (Some(Mark::Status), 3));
        pets[2].status = Some(PetStatus::Sold.into());
        changes.begin(false);
        changes.learn(&pets, Baseline::All, AT);
        assert_eq!(sentences(&changes)[0], "100233: reserved -> sold");
        assert_eq!((changes.mark(100_231), changes.mark(100_233)), (None, Some(Mark::Status)));
    }

    #[test]
    fn a_pet_is_called_new_only_where_it_would_have_been_seen_before() {
        let pets = animals(5);
        for (before, new) in [(Baseline::Unknown, 0), (Baseline::UpTo(100_234), 1), (Baseline::All, 3)] {
            let mut changes = PetChange::default();
            changes.learn(&pets[..2], Baseline::Unknown, AT);
            changes.learn(&pets, before, AT);
            assert_eq!(changes.log().len(), new, "{before:?}");
        }
        let mut changes = PetChange::default();
        changes.added(&pets[0]);
        changes.learn(&pets[..1], Baseline::All, AT);
        assert_eq!(sentences(&changes), Vec::<String>::new());
    }

    #[test]
    fn marks_stay_until_something_else_changes_or_the_user_asks_again() {
        let mut changes = PetChange::default();
        let pets = animals(1);
        changes.learn(&pets, Baseline::All, AT);
        assert_eq!(changes.mark(100_231), Some(Mark::New));
        changes.begin(false);
        changes.learn(&pets, Baseline::All, AT);
        assert_eq!(changes.mark(100_231), Some(Mark::New));
        changes.begin(true);
        assert_eq!(changes.mark(100_231), None);
    }

    #[test]
    fn of_hundreds_of_unknown_statuses_only_the_first_are_distinguished_and_kept() {
        let mut changes = PetChange::default();
        let mut pets = animals(2_000);
        for (at, pet) in pets.iter_mut().enumerate() {
            pet.status = Some(ObservedStatus::Unknown(format!("word {at}")));
        }
        changes.learn(&pets, Baseline::Unknown, AT);
        assert_eq!(changes.statuses.len(), 255);
        for (at, expected) in [(250, "word 250 -> sold"), (251, "another -> sold")] {
            pets[at].status = Some(PetStatus::Sold.into());
            changes.learn(&pets, Baseline::All, AT);
            assert_eq!(changes.log()[0].sentence(""), format!(": {expected}"));
        }
    }

    #[test]
    fn lists_of_different_ages_that_are_taken_up_again_are_no_news() {
        let mut now = PetChange::default();
        let (old, mut new) = (animals(2), animals(2));
        new[0].status = Some(PetStatus::Sold.into());
        now.learn(&old, Baseline::Unknown, AT);
        now.learn(&new, Baseline::Unknown, AT);
        let mut next = PetChange::default();
        next.restore(new.iter().chain(&old), now.log().iter().cloned().collect());
        assert_eq!((next.mark(old[0].id), next.unseen), (None, 0));
        next.learn(&new, Baseline::All, AT);
        assert_eq!(sentences(&next), sentences(&now));
    }

    #[test]
    fn a_list_that_is_full_forgets_the_oldest() {
        let mut changes = PetChange::default();
        changes.learn(&animals(MOST + 20), Baseline::All, AT);
        assert_eq!((changes.log().len(), changes.unseen), (MOST, MOST));
        assert_eq!(changes.log().back().map(|change| change.id), Some(100_251));
    }
}
