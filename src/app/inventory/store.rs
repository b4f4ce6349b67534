//! Every pet that is known of a service, as it was last read: tabs, search and counts show it.

use std::collections::{HashMap, HashSet};

use smart_default::SmartDefault;

use super::changes::ChangeKind;
use crate::api::Coverage;
use crate::clock::Now;
use crate::config::file::LOAD_LIMIT;
use crate::model::{ObservedStatus, Pet, PetId, PetStatus};

/// The most pets that are kept beyond those that are read: reported ones.
const MOST_REPORTED: usize = 10_000;

/// A number of pets: exact, or at least so many.
#[derive(Clone, Copy, Debug, PartialEq, Eq, derive_more::Display)]
#[display("{seen}{}", if *or_more { "+" } else { "" })]
pub struct Count {
    /// How many are known.
    pub seen: usize,
    /// Whether there may be more.
    pub or_more: bool,
}

/// The pets that are known of a service.
#[derive(Clone, Debug, SmartDefault)]
pub struct PetStore {
    /// The most pets that are read.
    #[default(LOAD_LIMIT)]
    pub load_limit: usize,
    /// By id, each once.
    pets: Vec<Pet>,
    /// How many have each status, in the order of [`PetStatus::ALL`].
    of_status: [usize; PetStatus::ALL.len()],
    /// How many have none.
    without_status: usize,
    /// What the last reading of all pets has seen of them; `None` until one has ended.
    coverage: Option<Coverage>,
    /// When that was, or when the first of them came.
    read: Option<Now>,
    /// All of it is from an earlier session.
    is_cached: bool,
    /// The pets that came since [`Self::expect`].
    came: HashSet<PetId>,
    marks: HashMap<PetId, ChangeKind>,
    /// The marks are from an earlier refresh: the next change clears them.
    old_marks: bool,
    /// Added by this program, and in no answer yet: not news.
    own: HashSet<PetId>,
    /// Some of those are not here, and all were not read since.
    lacks_own: bool,
    /// There was no room for all that came since [`Self::expect`].
    is_full: bool,
    /// Something has changed since [`Self::take_changed`].
    has_changed: bool,
}

impl PetStore {
    /// An empty one that reads no more pets than this.
    pub fn new(load_limit: usize) -> Self {
        Self { load_limit, ..Self::default() }
    }

    /// All of them, by id.
    pub fn pets(&self) -> &[Pet] {
        &self.pets
    }

    /// The pet with this id.
    pub fn get(&self, id: PetId) -> Option<&Pet> {
        self.pets.binary_search_by_key(&id, |pet| pet.id).ok().map(|at| &self.pets[at])
    }

    /// Since when they are what they are.
    pub const fn read(&self) -> Option<Now> {
        self.read
    }

    /// Whether nothing was answered in this session.
    pub const fn is_cached(&self) -> bool {
        self.is_cached
    }

    /// What was seen of all pets, once that was read.
    pub const fn coverage(&self) -> Option<&Coverage> {
        self.coverage.as_ref()
    }

    /// From which id on all pets of the service are here, if that is known.
    pub fn known_from(&self) -> Option<PetId> {
        self.coverage.as_ref().filter(|_| !self.lacks_own)?.known_from()
    }

    /// Whether nothing more need be read: all are here, or of the newest as many as are wanted.
    pub fn is_filled(&self) -> bool {
        self.covers(None) || self.known_from().is_some() && self.pets.len() >= self.load_limit
    }

    /// Whether all pets of the service are here, or all that have `status`.
    pub fn covers(&self, status: Option<PetStatus>) -> bool {
        !self.lacks_own && self.coverage.as_ref().is_some_and(|coverage| coverage.covers(status))
    }

    /// The last pet of the service, if it is here.
    pub fn newest(&self) -> Option<PetId> {
        self.pets.last().map(|pet| pet.id).filter(|_| self.known_from().is_some())
    }

    /// How many there are, in all or with `status`, as far as that is known.
    pub fn count(&self, status: Option<PetStatus>) -> Option<Count> {
        let seen = status.map_or(self.pets.len(), |status| self.of_status[status as usize]);
        self.read.map(|_| Count { seen, or_more: !self.covers(status) })
    }

    /// How many of them have no status.
    pub const fn without_status(&self) -> usize {
        self.without_status
    }

    /// What is marked at this pet.
    pub fn mark(&self, id: PetId) -> Option<ChangeKind> {
        self.marks.get(&id).copied()
    }

    /// The id of every pet that was seen or added here.
    pub fn known_ids(&self) -> impl Iterator<Item = PetId> {
        self.pets.iter().map(|pet| pet.id).chain(self.own.iter().copied())
    }

    /// They are asked for again. With `by_hand` the marks go now, otherwise with the first change.
    pub fn begin(&mut self, by_hand: bool) {
        if by_hand {
            self.marks.clear();
        }
        self.old_marks = true;
    }

    /// An answer is on its way: [`Self::finish`] is about what comes from now on.
    pub fn expect(&mut self) {
        self.came.clear();
        self.is_full = false;
    }

    /// Takes up what an answer holds, and marks what is new or changed. Gives from which place on the new ones are; `None`
    /// where others have moved or changed.
    pub fn take(&mut self, pets: impl IntoIterator<Item = Pet>, now: Now) -> Option<usize> {
        let known_from = self.coverage.as_ref().and_then(Coverage::known_from);
        let (from, changes) = self.merge(pets);
        let is_own = |id: &PetId| self.own.contains(id);
        let is_news = |id, kind| kind == ChangeKind::Changed || known_from.is_some_and(|from| id >= from);
        let news: Vec<_> = changes.into_iter().filter(|(id, kind)| is_news(*id, *kind) && !is_own(id)).collect();
        self.own.retain(|id| !self.came.contains(id));
        news.into_iter().for_each(|(id, kind)| self.mark_as(id, kind));
        self.read = self.read.or(Some(now));
        from
    }

    /// Takes up pets that need no mark: see [`Self::take`].
    pub fn put(&mut self, pets: impl IntoIterator<Item = Pet>) -> Option<usize> {
        self.merge(pets).0
    }

    /// These were reported. Gives those that are not from here, which are new.
    pub fn announce(&mut self, mut ids: Vec<PetId>) -> Vec<PetId> {
        ids.retain(|id| !self.own.remove(id) && self.get(*id).is_some());
        ids.iter().for_each(|id| self.mark_as(*id, ChangeKind::New));
        ids
    }

    /// The newest pet that is marked as new.
    pub fn newest_marked(&self) -> Option<&Pet> {
        self.pets.iter().rev().find(|pet| self.mark(pet.id) == Some(ChangeKind::New))
    }

    /// These were added here: they get no mark.
    pub fn added(&mut self, ids: &[PetId]) {
        for id in ids {
            self.marks.remove(id);
            self.own.insert(*id);
            self.lacks_own |= self.get(*id).is_none();
        }
    }

    /// Takes the mark from a pet that this program has changed.
    pub fn unmark(&mut self, id: PetId) {
        self.marks.remove(&id);
    }

    /// Whether this pet is neither here nor from here.
    pub fn is_unknown(&self, id: PetId) -> bool {
        self.get(id).is_none() && !self.own.contains(&id)
    }

    fn mark_as(&mut self, id: PetId, kind: ChangeKind) {
        if std::mem::take(&mut self.old_marks) {
            self.marks.clear();
        }
        self.marks.insert(id, kind);
    }

    /// Whether pets are here, all or those with `status`, that did not come since [`Self::expect`].
    pub fn misses_any(&self, status: Option<PetStatus>) -> bool {
        let is_of = |pet: &Pet| status.is_none_or(|status| pet.is(status));
        self.pets.iter().any(|pet| is_of(pet) && !self.came.contains(&pet.id))
    }

    /// A reading of all pets has ended like this: what it would have shown and did not is gone.
    pub fn finish(&mut self, mut coverage: Coverage, now: Now) {
        if self.is_full {
            coverage = Coverage::SOME;
        }
        let before = self.pets.len();
        let is_all = coverage.complete || coverage.is_cut;
        let mut pets = std::mem::take(&mut self.pets);
        let seen = |pet: &Pet| PetStatus::ALL.into_iter().any(|status| pet.is(status) && coverage.covers(Some(status)));
        pets.retain(|pet| self.came.contains(&pet.id) || !is_all && !seen(pet));
        pets.shrink_to_fit();
        self.pets = pets;
        self.has_changed |= self.pets.len() < before;
        self.lacks_own = false;
        self.coverage = Some(coverage);
        self.count_again();
        self.touch(now);
    }

    /// It is not known any more whether these are all.
    pub fn doubt(&mut self) {
        self.coverage = None;
    }

    /// Whether something has changed since the last call.
    pub const fn take_changed(&mut self) -> bool {
        std::mem::replace(&mut self.has_changed, false)
    }

    /// They are as of now.
    pub const fn touch(&mut self, now: Now) {
        self.read = Some(now);
        self.is_cached = false;
    }

    /// What an earlier session kept.
    pub fn restore(&mut self, pets: Vec<Pet>, coverage: Option<Coverage>, read: Now) {
        // There may be more than are wanted now.
        (self.coverage, self.read, self.is_cached) = (coverage, Some(read), true);
        self.put(pets);
    }

    /// The pets after this one are gone: others may get their ids.
    pub fn forget_after(&mut self, last: PetId) {
        self.pets.retain(|pet| pet.id <= last);
        self.own.retain(|id| *id <= last);
        self.came.retain(|id| *id <= last);
        self.coverage = None;
        self.has_changed = true;
        self.count_again();
    }

    /// Gives from which place on the new ones are, `None` where others have moved or changed; and what has changed.
    fn merge(&mut self, pets: impl IntoIterator<Item = Pet>) -> (Option<usize>, Vec<(PetId, ChangeKind)>) {
        let (mut changes, mut new, before) = (Vec::new(), Vec::new(), self.pets.len());
        for pet in pets {
            self.came.insert(pet.id);
            match self.pets.binary_search_by_key(&pet.id, |known| known.id) {
                Ok(at) if self.pets[at] == pet => {}
                Ok(at) => {
                    changes.push((pet.id, ChangeKind::Changed));
                    self.pets[at] = pet;
                }
                Err(_) => new.push(pet),
            }
        }
        new.sort_by_key(|pet| pet.id);
        new.dedup_by_key(|pet| pet.id);
        self.has_changed |= !changes.is_empty() || !new.is_empty();
        let follow = self.pets.last().zip(new.first()).is_none_or(|(last, first)| last.id < first.id);
        let mut from = (follow && changes.is_empty()).then_some(before);
        changes.extend(new.iter().map(|pet| (pet.id, ChangeKind::New)));
        self.pets.extend(new);
        if !follow {
            self.pets.sort_by_key(|pet| pet.id);
        }
        let most = self.load_limit + MOST_REPORTED;
        if self.pets.len() > most {
            self.make_room(most);
            from = None;
        }
        self.count_again();
        (from, changes)
    }

    /// Forgets what did not come lately, and then the oldest.
    fn make_room(&mut self, most: usize) {
        self.pets.retain(|pet| self.came.contains(&pet.id));
        let excess = self.pets.len().saturating_sub(most);
        self.pets.drain(..excess);
        let kept: HashSet<_> = self.pets.iter().map(|pet| pet.id).collect();
        self.came.retain(|id| kept.contains(id));
        self.is_full |= excess > 0;
        self.coverage = self.coverage.take().map(|_| Coverage::SOME);
    }

    fn count_again(&mut self) {
        let Self { pets, marks, .. } = self;
        if !marks.is_empty() {
            marks.retain(|id, _| pets.binary_search_by_key(id, |pet| pet.id).is_ok());
        }
        (self.of_status, self.without_status) = Default::default();
        for pet in &self.pets {
            match &pet.status {
                Some(ObservedStatus::Known(status)) => self.of_status[*status as usize] += 1,
                Some(ObservedStatus::Unknown(_)) => {}
                None => self.without_status += 1,
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use jiff::Timestamp;

    use super::*;
    use crate::clock;
    use crate::tui::testing::animals;

    fn now() -> Now {
        Now { mono: clock::now().mono, wall: Timestamp::UNIX_EPOCH }
    }

    /// A store that knows that these are all.
    fn store(pets: &[Pet]) -> PetStore {
        let mut store = PetStore::default();
        all(&mut store, pets);
        store
    }

    /// An answer with all pets of the service.
    fn all(store: &mut PetStore, pets: &[Pet]) {
        store.expect();
        store.take(pets.iter().cloned(), now());
        store.finish(Coverage::ALL, now());
    }

    fn marks(store: &PetStore, pets: &[Pet]) -> Vec<Option<ChangeKind>> {
        pets.iter().map(|pet| store.mark(pet.id)).collect()
    }

    #[test]
    fn renames_and_other_categories_are_marked_like_another_status() {
        let mut pets = animals(5);
        let mut store = store(&pets);
        assert_eq!(marks(&store, &pets), [None; 5], "the first answer is not news");
        pets[0].status = Some(PetStatus::Sold.into());
        pets[1].status = None;
        pets[2].name = "Tom".into();
        pets[3].category_id = 77;
        all(&mut store, &pets);
        assert_eq!(marks(&store, &pets), [Some(ChangeKind::Changed); 4].into_iter().chain([None]).collect::<Vec<_>>());
        pets[2].name = "Tim".into();
        store.begin(false);
        all(&mut store, &pets);
        assert_eq!((store.mark(pets[0].id), store.mark(pets[2].id)), (None, Some(ChangeKind::Changed)));
    }

    #[test]
    fn a_pet_is_called_new_only_where_it_would_have_been_seen_before() {
        let pets = animals(5);
        let mut part = PetStore::default();
        part.take(pets[..2].to_vec(), now());
        part.take(pets.clone(), now());
        assert_eq!(marks(&part, &pets), [None; 5]);
        let mut whole = store(&pets[..2]);
        whole.take(pets.clone(), now());
        let new = Some(ChangeKind::New);
        assert_eq!(marks(&whole, &pets), [None, None, new, new, new]);
    }

    #[test]
    fn pets_added_here_are_no_changes_whether_a_list_or_the_answer_came_first() {
        let pets = animals(3);
        let mut store = store(&[]);
        store.added(&[pets[0].id]);
        all(&mut store, &[]);
        all(&mut store, &pets[..2]);
        assert_eq!(marks(&store, &pets), [None, Some(ChangeKind::New), None]);
        all(&mut store, &pets);
        store.added(&[pets[2].id]);
        assert_eq!(marks(&store, &pets), [None, Some(ChangeKind::New), None]);
    }

    #[test]
    fn marks_stay_until_something_else_changes_or_the_user_asks_again() {
        let pets = animals(1);
        let mut store = store(&[]);
        all(&mut store, &pets);
        store.begin(false);
        all(&mut store, &pets);
        assert_eq!(marks(&store, &pets), [Some(ChangeKind::New)]);
        store.begin(true);
        assert_eq!(marks(&store, &pets), [None]);
    }

    #[test]
    fn what_an_earlier_session_saw_is_not_new() {
        let pets = animals(3);
        let mut store = PetStore::default();
        store.restore(pets[..2].to_vec(), Some(Coverage::ALL), now());
        assert!(store.is_cached());
        all(&mut store, &pets);
        assert_eq!(marks(&store, &pets), [None, None, Some(ChangeKind::New)]);
        assert!(!store.is_cached());
    }

    #[test]
    fn what_did_not_come_with_all_is_gone_but_not_what_came_meanwhile() {
        let pets = animals(5);
        let mut store = store(&pets[..4]);
        store.expect();
        store.put([pets[4].clone()]);
        store.take(pets[1..3].to_vec(), now());
        store.finish(Coverage::ALL, now());
        let ids: Vec<_> = store.pets().iter().map(|pet| pet.id).collect();
        assert_eq!(ids, [pets[1].id, pets[2].id, pets[4].id]);
    }

    #[test]
    fn of_a_service_without_pages_each_status_is_known_or_not() {
        let pets = animals(39);
        let mut store = PetStore::default();
        store.take(pets.clone(), now());
        let sold = || Some(PetStatus::Sold);
        assert!(store.count(None).unwrap().or_more && store.count(sold()).unwrap().or_more);
        let full = vec![PetStatus::Available];
        store.finish(Coverage { requests: 4, complete: false, full, is_cut: false, from: None }, now());
        let counts = [None, Some(PetStatus::Available), Some(PetStatus::Pending), sold()];
        assert_eq!(counts.map(|status| store.count(status).unwrap().or_more), [true, true, false, false]);
    }

    #[test]
    fn of_the_newest_pets_the_last_one_and_what_is_new_are_known() {
        let pets = animals(7);
        let mut store = PetStore::default();
        store.put(pets[..2].to_vec());
        store.expect();
        store.take(pets[3..6].to_vec(), now());
        store.finish(Coverage { from: Some(pets[3].id), ..Coverage::SOME }, now());
        assert_eq!(store.pets(), &pets[3..6], "older ones are not all of them");
        assert_eq!(store.count(None), Some(Count { seen: 3, or_more: true }));
        assert_eq!((store.known_from(), store.newest()), (Some(pets[3].id), Some(pets[5].id)));
        store.take([pets[0].clone(), pets[6].clone()], now());
        assert_eq!([&pets[0], &pets[6]].map(|pet| store.mark(pet.id)), [None, Some(ChangeKind::New)]);
        store.added(&[pets[6].id + 1]);
        assert_eq!(store.newest(), None, "one that was added here is not");
    }

    #[test]
    fn of_a_flood_only_so_many_are_kept_and_the_numbers_say_so() {
        let mut store = store(&animals(39));
        let pet = |id| Pet { id, name: "Rex".into(), category_id: 1, status: None };
        for from in (0..40_000).step_by(1_000) {
            store.put((from..from + 1_000).map(|id| pet(200_000 + id)));
        }
        assert_eq!(store.count(None), Some(Count { seen: 30_000, or_more: true }));
        assert_eq!(store.pets().last().map(|pet| pet.id), Some(239_999), "the newest stay");
        // What the service has now matters more than what it had.
        all(&mut store, &animals(39));
        assert_eq!(store.count(None), Some(Count { seen: 39, or_more: false }));
    }

    proptest::proptest! {
        #[test]
        fn it_holds_what_came_last_of_each_by_id(answers: Vec<Vec<(i8, u8)>>) {
            let mut store = PetStore::default();
            let mut expected = std::collections::BTreeMap::new();
            for answer in answers {
                let before: Vec<_> = store.pets().to_vec();
                let pets: Vec<_> = answer.into_iter().collect::<std::collections::BTreeMap<_, _>>().into_iter().rev()
                    .map(|(id, category)| Pet { id: id.into(), name: "Rex".into(), category_id: category.into(), status: None })
                    .collect();
                expected.extend(pets.iter().map(|pet| (pet.id, pet.clone())));
                let from = store.put(pets);
                proptest::prop_assert_eq!(store.pets(), expected.values().cloned().collect::<Vec<_>>());
                if let Some(from) = from {
                    proptest::prop_assert_eq!(&store.pets()[..from], &before[..]);
                }
            }
        }
    }
}
