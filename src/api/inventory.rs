//! The whole inventory, as far as the service gives it: page after page, or without pages what the lists of the three
//! statuses hold together.

use std::collections::{BTreeMap, HashSet};
use std::hash::{BuildHasher as _, RandomState};
use std::time::Duration;

use futures_util::future::OptionFuture;
use serde::{Deserialize, Serialize};
use tokio::sync::mpsc::{self, Sender};

use super::client::UnreadPage;
use super::follow::{ProvenanceError, ProvenanceReader};
use super::retry::repeated;
use super::{Client, Failure, NextPage, Result};
use crate::clock;
use crate::model::search::Query;
use crate::model::{Limit, Pet, PetId, PetQuery, PetStatus, Provenances, counted};

/// The most requests for one inventory.
const MAX_REQUESTS: u32 = 100_000;

/// The maximum number of distinct pets: as many as those requests return.
const MAX_PETS: usize = MAX_REQUESTS as usize * ROWS;

/// The rows of a full page.
const ROWS: usize = Limit::MAX.get() as usize;

/// How many pets of it are reported at once, if they come quickly.
const PART: usize = 1_000;

/// How many bytes of pets are given out in parts.
const MOST_BYTES: usize = 16 << 20;

/// The longest that some of them are held back.
const BETWEEN_PARTS: Duration = Duration::from_millis(250);

/// How much of the inventory was seen.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Coverage {
    /// How many requests it took.
    pub requests: u32,
    /// Whether it is all that the service lists.
    pub complete: bool,
    /// The statuses of which there may be more: their lists were full and had no next page.
    pub full: Vec<PetStatus>,
    /// Whether the rest was not read, because there are so many.
    pub is_cut: bool,
    /// Of those that were read newest first: all pets from this id on were seen.
    pub from: Option<PetId>,
}

impl Coverage {
    /// What a list of all pets has seen.
    pub const ALL: Self = Self { requests: 1, complete: true, full: Vec::new(), is_cut: false, from: None };

    /// Some of them, whichever they are.
    pub const SOME: Self = Self { requests: 1, complete: false, full: Vec::new(), is_cut: true, from: None };

    /// From which id on all pets were seen, if that is known.
    pub fn known_from(&self) -> Option<PetId> {
        if self.complete { Some(PetId::MIN) } else { self.from }
    }

    /// Whether all pets were seen, or all with `status`.
    pub fn covers(&self, status: Option<PetStatus>) -> bool {
        self.complete || !self.is_cut && status.is_some_and(|status| !self.full.contains(&status))
    }

    /// How many pets were `seen`, of all or of one status, and what may be missing, in one or two sentences.
    pub fn honest_word(&self, seen: usize, of_status: bool) -> String {
        let seen = format!("{} from {}", counted(seen, "pet"), counted(self.requests, "request"));
        if self.is_cut {
            return format!("{seen}. There are more, which were not read.");
        }
        if of_status {
            return match self.full.as_slice() {
                [] => format!("{seen}: all with this status that the service lists."),
                _ => format!("{seen}. There may be more: the service lists only {ROWS}."),
            };
        }
        if self.complete {
            return format!("{seen}: all that the service lists.");
        }
        let only = match self.full.as_slice() {
            [] => String::new(),
            [one] => format!("only {ROWS} {one} ones are listed, and "),
            [first, second] => format!("only {ROWS} {first} and {ROWS} {second} ones are listed, and "),
            _ => format!("only {ROWS} of each status are listed, and "),
        };
        format!("{seen}. There may be more: {only}pets without a status may be missing.")
    }
}

/// Gives the pets of `query` to `tell` as they come, in parts of some size: all, or about as many as `most`. Newest first
/// may only be asked for where that is offered ([`Offers::order`](crate::api::Offers::order)).
pub async fn in_parts<T: Future<Output = ()>>(
    client: &Client,
    query: PetQuery,
    most: usize,
    tell: impl Fn(Vec<Pet>) -> T,
) -> Result<Coverage> {
    let query = PetQuery { limit: Limit::MAX, ..query };
    let (coverage, after) = list_in_parts(client, query, most, &tell).await?;
    if !query.newest_first {
        return Ok(coverage);
    }
    // What was added meanwhile is on none of those pages.
    match list_in_parts(client, PetQuery { newest_first: false, after, ..query }, most, &tell).await {
        Ok((added, _)) if added.complete => Ok(Coverage { requests: coverage.requests + added.requests, ..coverage }),
        Ok(_) | Err(_) => Ok(Coverage::SOME),
    }
}

/// Also gives the first id.
async fn list_in_parts<T: Future<Output = ()>>(
    client: &Client,
    query: PetQuery,
    most: usize,
    tell: &impl Fn(Vec<Pet>) -> T,
) -> Result<(Coverage, Option<PetId>)> {
    let (pages, mut coming) = mpsc::channel::<Part>(4);
    let collect = async move {
        let (mut part, mut count, mut size) = (Vec::<Pet>::new(), 0, 0);
        let (mut first, mut last, mut descends) = (None, None, true);
        let mut reported = clock::now().mono;
        while count < most
            && size < MOST_BYTES
            && let Some(Part { pets, .. }) = coming.recv().await
        {
            count += pets.len();
            first = first.or(pets.first().map(|pet| pet.id));
            descends &= last.into_iter().chain(pets.iter().map(|pet| pet.id)).is_sorted_by(|left, right| left > right);
            last = pets.last().map(|pet| pet.id).or(last);
            size += pets.iter().map(|pet| pet.name.len() + size_of::<Pet>()).sum::<usize>();
            part.extend(pets);
            let now = clock::now().mono;
            if part.len() >= PART || now.saturating_duration_since(reported) >= BETWEEN_PARTS {
                reported = now;
                tell(std::mem::take(&mut part)).await;
            }
        }
        drop(coming);
        tell(part).await;
        (count >= most || size >= MOST_BYTES, first, last.filter(|_| descends))
    };
    let (coverage, (is_cut, first, last)) = tokio::join!(pets_of(client, query, Selection::default(), pages), collect);
    let coverage = match coverage {
        Ok(coverage) => Coverage { is_cut: is_cut && !coverage.complete, ..coverage },
        Err(ProvenanceError::Api(error)) if !is_cut => return Err(error),
        // What comes after that was not wanted any more.
        Err(_) => Coverage::SOME,
    };
    let from = last.filter(|_| coverage.is_cut && query.newest_first);
    Ok((Coverage { from, ..coverage }, first))
}

/// Which pets of an inventory are given out; by default all.
#[derive(Clone, Debug, Default)]
pub struct Selection {
    /// Those with one of these statuses; with any if there are none.
    pub statuses: Vec<PetStatus>,
    /// Those that match.
    pub search: Option<Query>,
    /// Whether it must be known who added them.
    pub asks_who: bool,
}

impl Selection {
    /// Those with one of these statuses that match, if either is asked for.
    pub fn of(statuses: Vec<PetStatus>, search: Option<Query>) -> Self {
        Self { statuses, asks_who: search.as_ref().is_some_and(Query::asks_who), search }
    }

    /// The status that is asked for. Of several, the program filters.
    pub fn status(&self) -> Option<PetStatus> {
        if let [only] = *self.statuses { Some(only) } else { None }
    }

    fn fits(&self, pet: &Pet) -> bool {
        (self.statuses.len() < 2 || self.statuses.iter().any(|status| pet.is(*status)))
            && self.search.as_ref().is_none_or(|search| search.fits(pet))
    }
}

/// Some pets of an inventory.
#[derive(Debug)]
pub struct Part {
    /// Those that are wanted.
    pub pets: Vec<Pet>,
    /// Who added them and when, if that was asked for.
    pub provenances: Provenances,
    /// The greatest id of all that were read.
    pub last: PetId,
}

type Covered = Result<Coverage, ProvenanceError>;

/// Sends the inventory to `parts`, some pets at a time, each id once; with one status, that list only. What may be
/// temporary is retried.
///
/// It is at most a page ahead of the receiver, and ends when the receiver is dropped; the result is then not complete.
pub async fn inventory(client: &Client, wanted: Selection, parts: Sender<Part>) -> Covered {
    let query = PetQuery { status: wanted.status(), limit: Limit::MAX, ..PetQuery::default() };
    pets_of(client, query, wanted, parts).await
}

async fn pets_of(client: &Client, query: PetQuery, wanted: Selection, parts: Sender<Part>) -> Covered {
    let fetch = Fetch { client, requests: 0, asked: HashSet::new(), hasher: RandomState::new() };
    let reader = wanted.asks_who.then(|| ProvenanceReader::new(client));
    let mut walk = Walk { fetch, wanted, reader, parts, seen: Seen::default() };
    let mut full = Vec::new();
    let first = walk.follow(&query).await?;
    if first == End::Full {
        full.extend(query.status);
        let others = if query.status.is_none() { &PetStatus::ALL[..] } else { &[] };
        for status in others {
            match walk.follow(&PetQuery { status: Some(*status), ..query }).await? {
                End::Last => {}
                End::Full => full.push(*status),
                End::Unwanted => break,
            }
        }
    }
    Ok(Coverage { requests: walk.fetch.requests, complete: first == End::Last, full, is_cut: false, from: None })
}

/// How a list ended.
#[derive(Clone, Copy, PartialEq, Eq)]
enum End {
    /// With its last row.
    Last,
    /// With a full page and no way on, where there may be more.
    Full,
    /// The receiver is gone.
    Unwanted,
}

struct Walk<'a> {
    fetch: Fetch<'a>,
    wanted: Selection,
    reader: Option<ProvenanceReader>,
    parts: Sender<Part>,
    seen: Seen,
}

struct Fetch<'a> {
    client: &'a Client,
    requests: u32,
    /// The addresses that were asked, as hashes: a hostile service makes them as long as it likes.
    asked: HashSet<u64>,
    hasher: RandomState,
}

impl Walk<'_> {
    /// Gives out a list to its end. While a page is read and given out, the next one is on its way.
    async fn follow(&mut self, query: &PetQuery) -> Result<End, ProvenanceError> {
        let first = self.fetch.client.first_page(query);
        let mut coming = self.fetch.page(&first).await;
        let mut may_be_cut = None;
        loop {
            let unread = coming?;
            let next = unread.next.clone();
            let given = async {
                let mut page = unread.read()?;
                let is_cut = page.next.is_none() && page.pets.len() >= ROWS;
                may_be_cut.get_or_insert(is_cut);
                page.pets.retain(|pet| self.seen.insert(pet.id));
                if self.seen.count > MAX_PETS {
                    return Err(ProvenanceError::Api(endless()));
                }
                let (mut pets, mut provenances) = (page.pets, Provenances::new());
                let Some(last) = pets.iter().map(|pet| pet.id).max() else { return Ok(true) };
                if let Some(reader) = &mut self.reader {
                    provenances = reader.read(pets.iter().map(|pet| pet.id)).await?;
                    if let Some(search) = &mut self.wanted.search {
                        search.know(&provenances);
                    }
                }
                pets.retain(|pet| self.wanted.fits(pet));
                Ok(self.parts.send(Part { pets, provenances, last }).await.is_ok())
            };
            let further = OptionFuture::from(next.as_ref().map(|next| self.fetch.page(next)));
            let (further, given) = tokio::join!(further, given);
            if !given? {
                return Ok(End::Unwanted);
            }
            match further {
                Some(further) => coming = further,
                None => return Ok(if may_be_cut == Some(true) { End::Full } else { End::Last }),
            }
        }
    }
}

impl Fetch<'_> {
    /// A page that was not asked for before.
    async fn page(&mut self, address: &NextPage) -> Result<UnreadPage> {
        if !self.asked.insert(self.hasher.hash_one(&address.0)) {
            return Err(Failure::malformed("its pages form a loop", ""));
        }
        let client = self.client;
        repeated(|| {
            let is_endless = self.requests == MAX_REQUESTS;
            self.requests += u32::from(!is_endless);
            async move { if is_endless { Err(endless()) } else { client.unread_page(address, None).await } }
        })
        .await
    }
}

fn endless() -> Failure {
    Failure::malformed(format_args!("the list has not ended after {MAX_REQUESTS} requests"), "")
}

/// A set of ids, as ranges: those of an inventory follow each other.
#[derive(Debug, Default)]
struct Seen {
    /// The last id of each range, by its first one.
    ranges: BTreeMap<PetId, PetId>,
    count: usize,
}

impl Seen {
    /// Takes an id: whether it is new.
    fn insert(&mut self, id: PetId) -> bool {
        let (mut first, mut last) = (id, id);
        if let Some((begin, end)) = self.ranges.range(..=id).next_back() {
            if *end >= id {
                return false;
            }
            first = if *end + 1 == id { *begin } else { id };
        }
        if let Some(end) = id.checked_add(1).and_then(|next| self.ranges.remove(&next)) {
            last = end;
        }
        self.ranges.insert(first, last);
        self.count += 1;
        true
    }
}

#[cfg(test)]
mod tests {
    use proptest::collection::vec;

    use super::*;

    #[test]
    fn what_may_be_missing_is_reported() {
        let word = |complete, full: &[PetStatus], requests, seen| {
            Coverage { requests, complete, full: full.to_vec(), is_cut: false, from: None }.honest_word(seen, false)
        };
        assert_eq!(word(true, &[], 1, 1), "1 pet from 1 request: all that the service lists.");
        assert_eq!(word(true, &[], 3, 237), "237 pets from 3 requests: all that the service lists.");
        let end = "pets without a status may be missing.";
        assert_eq!(word(false, &[], 4, 140), format!("140 pets from 4 requests. There may be more: {end}"));
        let cut = Coverage { requests: 200, is_cut: true, complete: false, ..Coverage::ALL };
        let wanted = "20000 pets from 200 requests. There are more, which were not read.";
        assert_eq!(cut.honest_word(20_000, false), wanted);
        for (full, more) in [
            (&PetStatus::ALL[..1], "only 100 available ones are listed"),
            (&PetStatus::ALL[1..], "only 100 pending and 100 sold ones are listed"),
            (&PetStatus::ALL, "only 100 of each status are listed"),
        ] {
            let expected = format!("237 pets from 4 requests. There may be more: {more}, and {end}");
            assert_eq!(word(false, full, 4, 237), expected);
        }
    }

    #[test]
    fn a_million_ids_one_after_another_are_one_range() {
        let mut seen = Seen::default();
        assert!((1..=1_000_000).all(|id| seen.insert(id)));
        assert_eq!(seen.ranges.len(), 1);
        assert!(!seen.insert(7) && seen.insert(0) && seen.insert(2_000_000));
        assert_eq!(seen.count, 1_000_002);
    }

    proptest::proptest! {
        #[test]
        fn it_tells_the_same_as_a_set(far: Vec<i64>, near in vec(-50..50_i64, 0..200), sorted: bool) {
            let mut ids = [far, near, vec![i64::MIN, i64::MAX, i64::MAX - 1, i64::MIN + 1]].concat();
            if sorted {
                ids.sort_unstable();
            }
            let (mut seen, mut set) = (Seen::default(), HashSet::new());
            for id in ids {
                proptest::prop_assert_eq!(seen.insert(id), set.insert(id), "{}", id);
            }
            proptest::prop_assert_eq!(seen.count, set.len());
        }
    }
}
