//! What is remembered from one check to the next about caches: what the name servers answered, for how long that may be
//! cached, and what was promised of each resolver.

use jiff::{SignedDuration, Timestamp};
use serde::{Deserialize, Serialize};

/// How long a provider may take to publish a saved record.
pub const PUBLICATION: SignedDuration = SignedDuration::from_mins(1);
/// Two times of a cache that differ by no more are the same: caches count whole seconds.
const SAME: SignedDuration = SignedDuration::from_secs(2);
/// How long a promise is remembered after it has passed: the answer may come back.
const REMEMBERED: SignedDuration = SignedDuration::from_hours(48);
/// The most promises that are remembered.
const MOST_PROMISES: usize = 64;

/// What is remembered about the name of a domain.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Caches {
    /// What the name servers answer.
    pub now: Option<SourceAnswer>,
    /// What they answered before that.
    pub before: Option<SourceAnswer>,
    /// What was promised of resolvers with an old answer.
    pub promises: Vec<Promise>,
}

/// An answer of the name servers.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SourceAnswer {
    /// The records that lead somewhere; empty if there is none.
    pub records: Vec<String>,
    /// How long resolvers may cache it, in seconds.
    pub ttl: u32,
    /// The first check that saw it.
    pub first: Timestamp,
    /// The last check that saw it.
    pub last: Timestamp,
}

/// When a resolver forgets an old answer.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Promise {
    pub server: String,
    /// The records of the answer.
    pub records: Vec<String>,
    pub until: Timestamp,
    /// Several caches are behind its address: it is the latest time for all of them.
    pub several: bool,
    /// The longest TTL with which the answer was seen, in seconds.
    #[serde(default)]
    pub ttl: u32,
}

impl Promise {
    /// Whether it has passed at `at`, and the answer was fetched again since: it now lasts until `until`.
    pub fn was_renewed(&self, at: Timestamp, until: Timestamp) -> bool {
        self.until <= at && until.duration_since(self.until) > SAME
    }

    /// When the last cache forgets the answer, as far as is known where the name servers were never seen to give it:
    /// they have not since `since`. With the whole TTL that was seen before it was fetched just now. With any other it may
    /// come from another cache behind the same address, whose TTL began elsewhere.
    pub fn latest(&self, since: Timestamp, at: Timestamp, until: Timestamp) -> Timestamp {
        let (ttl, now) = (SignedDuration::from_secs(self.ttl.into()), until.duration_since(at));
        let is_whole = (now - ttl).abs() <= SAME;
        since.saturating_add(now.max(ttl) * if is_whole { 1 } else { 2 }).unwrap_or(Timestamp::MAX)
    }
}

impl SourceAnswer {
    /// Whether a resolver with `records` has this answer, or a part of it.
    fn has(&self, records: &[String]) -> bool {
        self.records.is_empty() == records.is_empty() && records.iter().all(|it| self.records.contains(it))
    }
}

impl Caches {
    /// The memory with what the name servers answer `now`. The promises are left out.
    pub fn with_source(earlier: Option<&Self>, now: Option<SourceAnswer>) -> Self {
        let (known, before) = earlier.map_or((None, None), |earlier| (earlier.now.clone(), earlier.before.clone()));
        let (now, before) = match (now, known) {
            (Some(now), Some(known)) if known.records == now.records => {
                (Some(SourceAnswer { first: known.first, ..now }), before)
            }
            (Some(now), Some(known)) => (Some(now), Some(known)),
            (Some(now), None) => (Some(now), before),
            (None, known) => (known, before),
        };
        Self { now, before, promises: Vec::new() }
    }

    /// What was promised of an answer of this server.
    pub fn promised(&self, server: &str, records: &[String]) -> Option<&Promise> {
        self.promises.iter().find(|it| it.server == server && it.records == records)
    }

    /// Takes the promises of a check at `at`, and those of earlier ones as long as the name servers answer the same.
    pub fn take(&mut self, new: Vec<Promise>, earlier: Option<&Self>, at: Timestamp) {
        self.promises = new;
        let records = |answer: &Option<SourceAnswer>| answer.as_ref().map(|answer| answer.records.clone());
        for kept in earlier.filter(|it| records(&it.now) == records(&self.now)).into_iter().flat_map(|it| &it.promises)
        {
            let is_recent = at.duration_since(kept.until) < REMEMBERED;
            if is_recent && self.promised(&kept.server, &kept.records).is_none() && self.promises.len() < MOST_PROMISES
            {
                self.promises.push(kept.clone());
            }
        }
    }

    /// Whether an answer is still there although the promised time has passed, in a way that no cache explains: it was
    /// fetched after the change.
    pub fn outlasts(&self, old: &OldAnswer<'_>, saved: Option<Timestamp>) -> bool {
        let last = old.until.iter().max();
        let unseen = || Some(old.earlier?.latest(self.now.as_ref()?.first, old.at, *last?));
        old.is_beyond(self.latest(old.records, saved).or_else(unseen))
    }

    /// Whether the name servers gave this answer before the present one.
    pub fn gave_before(&self, records: &[String]) -> bool {
        self.before.as_ref().is_some_and(|before| before.has(records))
    }

    /// When the last cache forgets the answer `records`: it may have asked just before the change, which came before
    /// the first check that saw it, and soon after the record was `saved`.
    pub fn latest(&self, records: &[String], saved: Option<Timestamp>) -> Option<Timestamp> {
        let before = self.before.as_ref().filter(|before| before.has(records))?;
        let seen = self.now.as_ref()?.first;
        let published =
            saved.filter(|saved| *saved > before.last).and_then(|saved| saved.checked_add(PUBLICATION).ok());
        let changed = published.map_or(seen, |published| published.min(seen));
        changed.checked_add(SignedDuration::from_secs(before.ttl.into())).ok()
    }

    /// What to promise of a resolver: until when, and whether several caches are behind its address. A promise is kept
    /// while the answer is the same; what one of several caches has says nothing about the others.
    pub fn promise(&self, old: &OldAnswer<'_>, saved: Option<Timestamp>) -> Option<(Timestamp, bool)> {
        let (first, last) = (*old.until.iter().min()?, *old.until.iter().max()?);
        let differs = |one: Timestamp, other: Timestamp| one.duration_since(other).abs() > SAME;
        let earlier = old.earlier.filter(|earlier| earlier.until > old.at);
        let several = old.some_right
            || differs(first, last)
            || earlier.is_some_and(|earlier| earlier.several || differs(earlier.until, last));
        let holds = |earlier: &&Promise| {
            (earlier.several || !several) && (earlier.until >= last || !differs(earlier.until, last))
        };
        if let Some(earlier) = earlier.filter(holds) {
            return Some((earlier.until, several));
        }
        let latest = self.latest(old.records, saved).into_iter().chain(earlier.map(|earlier| earlier.until));
        let until = latest.filter(|_| several).chain([last]).max()?;
        Some((until, several))
    }
}

/// An old answer of a resolver.
#[derive(Clone, Copy, Debug)]
pub struct OldAnswer<'a> {
    pub records: &'a [String],
    /// When it was given.
    pub at: Timestamp,
    /// When the caches that gave it forget it.
    pub until: &'a [Timestamp],
    /// Another cache of the same resolver has the new answer.
    pub some_right: bool,
    /// What was promised before for the same answer.
    pub earlier: Option<&'a Promise>,
}

impl OldAnswer<'_> {
    /// Whether it was fetched again after its promised time, and lasts beyond `latest`.
    pub fn is_beyond(&self, latest: Option<Timestamp>) -> bool {
        let (Some(earlier), Some(last)) = (self.earlier, self.until.iter().max()) else { return false };
        // Another cache behind the same address may have asked just before the change.
        earlier.was_renewed(self.at, *last) && latest.is_none_or(|latest| last.duration_since(latest) > SAME)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const OLD: [&str; 1] = ["192.0.2.10"];

    fn at(second: i64) -> Timestamp {
        Timestamp::from_second(1_800_000_000 + second).unwrap()
    }

    fn records(records: &[&str]) -> Vec<String> {
        records.iter().map(|&record| record.to_owned()).collect()
    }

    fn answer(of: &[&str], first: i64, last: i64) -> SourceAnswer {
        SourceAnswer { records: records(of), ttl: 3600, first: at(first), last: at(last) }
    }

    /// The record was changed between a check at 0 and one at 600.
    fn changed() -> Caches {
        let earlier = Caches::with_source(None, Some(answer(&OLD, -500, 0)));
        Caches::with_source(Some(&earlier), Some(answer(&["sites.platform.net."], 600, 600)))
    }

    /// What is promised at 600 by caches that forget at `until`, after a promise.
    fn promised(until: &[i64], earlier: Option<(i64, bool)>, saved: Option<i64>) -> (i64, bool) {
        let promise = |(until, several)| Promise {
            server: String::new(),
            records: records(&OLD),
            until: at(until),
            several,
            ttl: 3600,
        };
        let earlier = earlier.map(promise);
        let until: Vec<Timestamp> = until.iter().map(|&second| at(second)).collect();
        let records = records(&OLD);
        let old =
            OldAnswer { records: &records, at: at(600), until: &until, some_right: false, earlier: earlier.as_ref() };
        let (until, several) = changed().promise(&old, saved.map(at)).unwrap();
        (until.duration_since(at(0)).as_secs(), several)
    }

    #[test]
    fn one_cache_is_believed_and_its_promise_kept() {
        assert_eq!(promised(&[1500, 1501], None, None), (1500 + 1, false));
        assert_eq!(promised(&[1501, 1502], Some((1500, false)), None), (1500, false), "to the second");
        assert_eq!(promised(&[1500], Some((500, false)), None), (1500, false), "it was not kept");
    }

    #[test]
    fn several_caches_forget_at_the_latest_a_ttl_after_the_change() {
        let latest = 600 + 3600;
        assert_eq!(promised(&[900, 1500], None, None), (latest, true));
        assert_eq!(promised(&[1500], Some((900, false)), None), (latest, true), "another cache than before");
        assert_eq!(promised(&[1500], Some((latest, true)), None), (latest, true), "never back");
        assert_eq!(promised(&[900, 1500], None, Some(100)), (100 + 60 + 3600, true), "saved, and published soon after");
        assert_eq!(promised(&[900, 1500], None, Some(-60)), (latest, true), "it was still old after that");
        assert_eq!(promised(&[900, 9000], None, None), (9000, true), "a longer TTL than was known");
    }

    #[test]
    fn what_the_name_servers_answered_is_remembered_across_checks_without_them() {
        let changed = changed();
        let silent = Caches::with_source(Some(&changed), None);
        assert_eq!((silent.now, silent.before), (changed.now.clone(), changed.before.clone()));
        let again = Caches::with_source(Some(&changed), Some(answer(&["sites.platform.net."], 900, 900)));
        assert_eq!(again.now.map(|now| (now.first, now.last)), Some((at(600), at(900))));
        assert!(changed.gave_before(&records(&OLD)));
        assert!(!changed.gave_before(&[]) && !changed.gave_before(&records(&["192.0.2.11"])));
    }
}
