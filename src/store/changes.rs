//! Changes of pets, what is kept of them, and what follows a position in the sequence of all additions and changes.
//!
//! A change is kept in the transaction that makes it. Like additions, changes become visible in the order of their ids.

use super::idempotency::{Creation, Earlier, Idempotency, RunningCreation};
use super::job::{DatabaseError, pet};
use super::pets::{AddedPet, Origin, provenance, values};
use super::{Connection, DbResult, FailureKind, KeyId, Query, Result, Row, Store, StoreFailure, Value, Work, sql};
use crate::clock::Now;
use crate::model::{ObservedStatus, Pet, PetHistoryEntry, PetId, PetMembers, PetPatch, Provenance};

/// How often a change is tried where others of the same transaction change the same pet: each try keeps those that wait for
/// their turn.
const MOST_TRIES: usize = 8;

/// The most changes of a pet in its history: the last ones.
const MOST_OF_HISTORY: i64 = 1000;

/// What came of a change.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ChangeOutcome {
    /// The pet is so now, on disk.
    Changed(Pet),
    /// An earlier request with the same Idempotency-Key had changed it; the pet as it is now.
    Replayed(Pet),
    /// A test failed, now or for an earlier request with the same Idempotency-Key, and nothing was changed; the pet as it is
    /// now.
    Refused(Pet),
    /// No pet has this id.
    NoSuchPet,
}

/// A change, with the pet as it is now.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ChangedPet {
    /// The pet.
    pub pet: Pet,
    /// Its place among all changes.
    pub change: i64,
    /// When and by which key it was changed.
    pub provenance: Provenance,
    /// What the changed members were before.
    pub from: PetMembers,
    /// What they became.
    pub to: PetMembers,
}

/// A place in the sequence of all additions and changes: the last pet and the last change that are known.
///
/// Its text is the id of the pet alone where nothing was changed yet, as before there were changes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, derive_more::Display)]
#[display("{pet}{}", if *change == 0 { String::new() } else { format!(".{change}") })]
pub struct Position {
    /// The id of the pet that was added last.
    pub pet: PetId,
    /// The id of the last change.
    pub change: i64,
}

impl Position {
    /// After everything.
    pub const MAX: Self = Self { pet: PetId::MAX, change: i64::MAX };

    /// Whether all that is before `other` is before this one.
    pub const fn has_all_of(self, other: Self) -> bool {
        self.pet >= other.pet && self.change >= other.change
    }

    /// What is before this one or `other`.
    pub fn with(self, other: Self) -> Self {
        Self { pet: self.pet.max(other.pet), change: self.change.max(other.change) }
    }

    /// The position of this text, of which each has one.
    pub fn parse(text: &str) -> Option<Self> {
        let (pet, change) = text.split_once('.').unwrap_or((text, "0"));
        let position = Self { pet: pet.parse().ok()?, change: change.parse().ok()? };
        Some(position).filter(|position| position.to_string() == text)
    }
}

/// What followed a position: pets that were added, then changes, whose pets were added before or are among these.
#[derive(Clone, Debug, Default)]
pub struct NewsPage {
    /// In the order in which they were added.
    pub pets: Vec<AddedPet>,
    /// In the order in which they were made.
    pub changes: Vec<ChangedPet>,
    /// Whether there may be more.
    pub is_full: bool,
}

impl Store {
    /// Changes the pet of this id, and returns what it is once that is on disk. With `once`, a repeat within 24 hours
    /// changes nothing again, and is refused if that was. The caller has checked the values.
    ///
    /// When this future is dropped, nothing is changed, unless its transaction is under way already.
    pub async fn change(
        &self,
        id: PetId,
        patch: PetPatch,
        once: Option<Idempotency>,
        key: KeyId,
        now: Now,
    ) -> Result<ChangeOutcome> {
        let (database, origin) = (&self.inner.database, self.origin(Some(key), now));
        // More NULs than an addition has.
        let json = serde_json::to_string(&patch).unwrap_or_default();
        let what = format!("change\0\0\0{id}\0{json}");
        let creation = once.map(|once| Creation::new(once, &what, self.inner.opened, now));
        // Also where nothing can be written now; see `add_once`.
        if let Some(creation) = &creation
            && let Some(earlier) = database.read(creation.clone()).await?
            && !database.is_replicated().await?
        {
            return self.replayed(earlier).await;
        }
        let _running = creation.as_ref().map(|creation| self.begin(creation)).transpose()?;
        match database.write(Change { id, patch, creation, origin, _running }).await? {
            Ok(Some(outcome)) => Ok(outcome),
            Ok(None) => Err(StoreFailure::from(FailureKind::Conflicts).into()),
            Err(earlier) => self.replayed(earlier).await,
        }
    }

    async fn replayed(&self, earlier: Earlier) -> Result<ChangeOutcome> {
        let (id, is_refused) = earlier?;
        let outcome = if is_refused { ChangeOutcome::Refused } else { ChangeOutcome::Replayed };
        // It was decided, whatever keeps the pet from being read.
        let pet = self.get(id).await.map_err(|_| StoreFailure::from(FailureKind::UnknownOutcome))?;
        Ok(pet.map_or(ChangeOutcome::NoSuchPet, outcome))
    }

    /// What was done to the pet of this id, oldest first: its addition, and the last 1,000 changes; `None` if no pet has
    /// this id.
    pub async fn history(&self, id: PetId) -> Result<Option<Vec<PetHistoryEntry>>> {
        // Before the changes: if there is none then, the pet is as it was added.
        let (Some(pet), Some(added)) = (self.get(id).await?, self.provenance(id).await?) else { return Ok(None) };
        let find = Query(sql::CHANGES_OF_PET, [Value::Int(id), Value::Int(MOST_OF_HISTORY)], changed);
        let changes = self.inner.database.read(find).await?;
        let pet = changes.first().map_or(pet, |last| last.pet.clone());
        let pet = changes.iter().fold(pet, |pet, change| change.from.over(&pet));
        let Pet { name, category_id, status, .. } = pet;
        let to = PetMembers { name: Some(name), category_id: Some(category_id), status };
        let entry = |Provenance { added_at: at, added_by: by }, from, to| PetHistoryEntry { at, by, from, to };
        // Of more changes than are read, it is not known how it was added.
        let addition = (changes.len() < MOST_OF_HISTORY as usize).then(|| entry(added, None, to));
        let changes = changes.into_iter().rev().map(|change| entry(change.provenance, Some(change.from), change.to));
        Ok(Some(addition.into_iter().chain(changes).collect()))
    }

    /// At most `limit` pets and as many changes that followed `position`.
    pub async fn news_after(&self, position: Position, limit: u16) -> Result<NewsPage> {
        let news = self.inner.database.read(NewsAfter(position, limit)).await?;
        if news.pets.is_empty() && news.changes.is_empty() {
            return Ok(news);
        }
        Ok(self.inner.database.confirmed(NewsAfter(position, limit)).await?.unwrap_or(news))
    }

    /// The end of the sequence, of the pets and changes with no greater ids than `most`, and the last change of these.
    pub async fn last_position_up_to(&self, most: Position) -> Result<(Position, Option<KnownChange>)> {
        let seen = self.inner.database.read(LastUpTo(most)).await?;
        Ok(self.inner.database.confirmed(LastUpTo(most)).await?.unwrap_or(seen))
    }

    /// Whether this change is there, and not another one in its place, as may be after a failover.
    pub async fn has_change(&self, known: KnownChange) -> Result<bool> {
        Ok(self.inner.database.read(last_change(known.id)).await?.pop() == Some(known))
    }
}

/// What tells one change from another that has its id after a failover.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct KnownChange {
    /// Its id.
    pub id: i64,
    pet: PetId,
    at: i64,
}

/// The last change with no greater id than `most`.
fn last_change(most: i64) -> Query<KnownChange, 1> {
    let known = |row: Row<'_>| Ok(KnownChange { id: row.get(0)?, pet: row.get(1)?, at: row.get(2)? });
    Query(sql::LAST_CHANGE_UP_TO, [Value::Int(most)], known)
}

impl From<&ChangedPet> for KnownChange {
    fn from(ChangedPet { pet, change, provenance, .. }: &ChangedPet) -> Self {
        Self { id: *change, pet: pet.id, at: provenance.added_at.map_or(0, jiff::Timestamp::as_second) }
    }
}

struct LastUpTo(Position);

impl Work for LastUpTo {
    type Output = (Position, Option<KnownChange>);

    async fn run(&self, on: &Connection<'_>) -> DbResult<Self::Output> {
        let change = last_change(self.0.change).run(on).await?.pop();
        let pet = on.rows(sql::LAST_PET_UP_TO, &[Value::Int(self.0.pet)], |row| row.get(0)).await?.pop();
        let position = Position { pet: pet.unwrap_or_default(), change: change.map_or(0, |known| known.id) };
        Ok((position, change))
    }
}

struct Change {
    id: PetId,
    patch: PetPatch,
    creation: Option<Creation>,
    origin: Origin,
    _running: Option<RunningCreation>,
}

impl Work for Change {
    /// Nothing where others of the same transaction were faster again and again; an error where an earlier request with the
    /// same key counts.
    type Output = Result<Option<ChangeOutcome>, Earlier>;

    const WRITES_PETS: bool = true;

    async fn run(&self, on: &Connection<'_>) -> DbResult<Self::Output> {
        if let Some(creation) = &self.creation
            && let Some(earlier) = creation.run(on).await?
        {
            return Ok(Err(earlier));
        }
        for _ in 0..MOST_TRIES {
            let found = on.rows(sql::GET, &[Value::Int(self.id)], pet).await?;
            let [seen] = &*found else { return Ok(Ok(Some(ChangeOutcome::NoSuchPet))) };
            let wanted = self.patch.apply(seen);
            // Another one of the same transaction may have been faster.
            if let Some(wanted) = wanted.as_ref().filter(|wanted| *wanted != seen)
                && !self.write(on, seen, wanted).await?
            {
                continue;
            }
            if let Some(creation) = &self.creation {
                let kept = if wanted.is_some() { creation.clone() } else { creation.refusal() };
                kept.remember(on, self.id).await?;
            }
            return Ok(Ok(Some(wanted.map_or(ChangeOutcome::Refused(seen.clone()), ChangeOutcome::Changed))));
        }
        Ok(Ok(None))
    }
}

impl Change {
    /// Not where the pet is not as it was `seen`.
    async fn write(&self, on: &Connection<'_>, seen: &Pet, wanted: &Pet) -> DbResult<bool> {
        let values = values(wanted).into_iter().chain([Value::Int(self.id)]).chain(values(seen));
        if on.execute(sql::CHANGE, &values.collect::<Vec<_>>()).await? == 0 {
            return Ok(false);
        }
        let (from, to) = PetMembers::of_change(seen, wanted);
        let [at, by] = self.origin.values();
        let kept = [Value::Int(self.id), at, by].into_iter().chain(values_of(&from)).chain(values_of(&to));
        on.execute(sql::ADD_CHANGE, &kept.collect::<Vec<_>>()).await?;
        Ok(true)
    }
}

fn values_of(members: &PetMembers) -> [Value<'_>; 3] {
    let status = members.status.as_ref().map(ObservedStatus::as_str);
    [Value::text(members.name.as_deref()), Value::int(members.category_id), Value::text(status)]
}

struct NewsAfter(Position, u16);

impl Work for NewsAfter {
    type Output = NewsPage;

    async fn run(&self, on: &Connection<'_>) -> DbResult<NewsPage> {
        let Self(position, limit) = *self;
        let values = |after| [Value::Int(after), Value::Int(limit.into())];
        // First the changes: their pets are there when these are read.
        let mut changes = on.rows(sql::CHANGES_AFTER, &values(position.change), changed).await?;
        let added = |row: Row<'_>| Ok(AddedPet { provenance: provenance(&row, 4)?, pet: pet(row)? });
        let pets = on.rows(sql::ADDED_AFTER, &values(position.pet), added).await?;
        let is_full = [pets.len(), changes.len()].contains(&usize::from(limit));
        if let Some(last) = pets.last().filter(|_| pets.len() == usize::from(limit)) {
            let known = changes.iter().take_while(|change| change.pet.id <= last.pet.id).count();
            changes.truncate(known);
        }
        Ok(NewsPage { pets, changes, is_full })
    }
}

fn changed(row: Row<'_>) -> DbResult<ChangedPet> {
    let members = |first| {
        let (name, category_id) = (row.get(first)?, row.get(first + 1)?);
        let status = row.get::<Option<String>>(first + 2)?.map(ObservedStatus::from);
        Ok::<_, DatabaseError>(PetMembers { name, category_id, status })
    };
    let (from, to) = (members(8)?, members(11)?);
    Ok(ChangedPet { change: row.get(7)?, provenance: provenance(&row, 4)?, from, to, pet: pet(row)? })
}
