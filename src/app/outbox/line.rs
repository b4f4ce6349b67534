//! A line from when it is typed until its outcome is known: the screen shows it, and the dialogue asks about it.

use super::queue::{Attempt, Fate, Line, LineSent, LineToSend, QueuedPet};
use super::search::SearchedPets;
use super::send::SentAt;
use crate::api::{Failure, Remedy};
use crate::app::inventory::store::PetStore;
use crate::model::text::cut;
use crate::model::{Categories, FieldError, Pet, PetId, display_safe};

/// The most columns of a reason from the file.
const LONGEST_REASON: usize = 300;

impl Line {
    /// The same, refused where something is wrong with it: content of the file is checked like typed text.
    pub fn checked(self, categories: &Categories) -> Self {
        let refused = if let Fate::Refused(why) = &self.fate {
            // A code that was not in a barcode file, which earlier versions had.
            let unknown = "unknown code: Its pet is not known. Enter edits it.";
            Some(if why.is_empty() { unknown.to_owned() } else { cut(&display_safe(why), LONGEST_REASON) })
        } else {
            self.typed.pet.check(categories).err().map(|errors| reason(&errors))
        };
        Self { fate: refused.map_or(Fate::Waiting, Fate::Refused), ..self }
    }

    /// Whether it was sent and may have been added.
    pub const fn is_unknown(&self) -> bool {
        self.sent.is_some() || matches!(self.fate, Fate::Unknown(_))
    }

    /// What to send of it; `None` if that is for the user to decide.
    pub fn to_send(&mut self, attempt: &Attempt, categories: &Categories) -> Option<LineToSend> {
        // The service keeps idempotency keys for each API key.
        if self.sent.as_ref().is_some_and(|before| before.by != attempt.by) {
            self.fate = Fate::Unknown(None);
            return None;
        }
        let QueuedPet { line, at, key, pet, .. } = &self.typed;
        let Ok(new) = pet.check(categories) else {
            self.fate = Fate::Refused("cannot be sent".to_owned());
            return None;
        };
        let again = self.sent.as_ref().map(|first| SentAt { here: *at, there: first.there });
        let attempt = attempt.clone();
        Some(LineToSend { line: *line, new, key: key.clone(), attempt, again, is_kept: true, repeats: false })
    }

    /// Takes up what came of sending it to `service`.
    pub fn on_sent(&mut self, sent: &LineSent, attempt: Attempt, service: &str) {
        self.fate = match sent {
            LineSent::Saved(pet) => Fate::Saved(pet.id),
            LineSent::NotWritten => Fate::Unwritten,
            LineSent::NotRepeatable => Fate::Unknown(None),
            LineSent::Failed(failure) if failure.outcome_unknown() => {
                self.sent.get_or_insert(attempt);
                let is_final = matches!(failure, Failure::Malformed { .. } | Failure::Crashed { .. });
                if is_final { Fate::Unknown(None) } else { Fate::Waiting }
            }
            LineSent::Failed(failure) if !failure.may_pass() && failure.remedy() != Remedy::EnterKey => {
                // What is refused now may have been added before, unless its values are wrong.
                if self.sent.is_some() && failure.remedy() != Remedy::CorrectValue {
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
            LineSent::Failed(_) | LineSent::NotSent(_) => Fate::Waiting,
        };
    }

    /// The pet that it may have become: the newest one found that was not there before, and is not `added` from another
    /// line.
    pub fn candidate(&self, searched: SearchedPets, store: &PetStore, added: &[PetId]) -> Option<Pet> {
        let was_there = |id| store.coverage().is_none() || !store.is_unknown(id);
        let is_older = |id| added.contains(&id) || id <= self.typed.known && was_there(id);
        searched.newest(is_older)
    }
}

/// Why a line was refused here, for [`Fate::Refused`].
fn reason(errors: &[FieldError]) -> String {
    let word = match errors.first() {
        Some(FieldError::NameBlank) | None => "blank",
        Some(FieldError::NameTooLong { .. }) => "name too long",
        Some(FieldError::NameCharacter { .. }) => "bad character",
        Some(FieldError::CategoryMissing) => "no category",
        Some(FieldError::CategoryNotInt64(_) | FieldError::CategoryUnknown { .. }) => "wrong category",
        Some(FieldError::StatusUnknown(_)) => "wrong status",
    };
    errors.first().map_or_else(|| word.to_owned(), |error| format!("{word}: {error}"))
}

#[cfg(test)]
mod tests {
    use uuid::Uuid;

    use super::*;
    use crate::model::{Draft, IdempotencyKeys};

    #[test]
    fn a_refusal_says_nothing_about_an_earlier_attempt_unless_the_values_are_wrong() {
        let key = IdempotencyKeys::new(Uuid::nil()).make();
        let at = "2026-11-20T14:03:07Z".parse().unwrap();
        let typed = QueuedPet { line: 1, at, key, pet: Draft::default(), known: 0 };
        let attempt = Attempt::new(None, None);
        let after = |sent: Option<&Attempt>, status| {
            let mut line = Line { sent: sent.cloned(), ..typed.clone().into() };
            let failure = Failure::Refused { status, code: None, message: String::new(), retry_after: None };
            line.on_sent(&LineSent::Failed(failure), attempt.clone(), "shop");
            (line.is_unknown(), line.fate.explanation().is_some())
        };
        assert_eq!([400, 403].map(|status| after(None, status)), [(false, true); 2]);
        assert_eq!([400, 403].map(|status| after(Some(&attempt), status)), [(false, true), (true, false)]);
    }
}
