//! What a check leaves for the next one about caches: what the name servers answer, and what was promised.

use super::super::caches::{Caches, Promise};
use super::super::observation::RecordType::A;
use super::propagation::{Cause, cause, expires, not_right, records};
use super::{Facts, caa, nameservers};

/// What to remember for the next check.
pub fn remember(facts: &Facts<'_>) -> Caches {
    let name = &facts.domain.name;
    let mut caches = facts.caches().clone();
    let mut promises: Vec<Promise> =
        nameservers::remembered_failures(facts).into_iter().map(|(_, promise)| promise).collect();
    if facts.source().is_right(facts) {
        promises.extend(caa::promises(facts));
        let others = facts.resolvers(A).flat_map(|lookup| not_right(facts, lookup));
        promises.extend(others.filter_map(|lookup| {
            let (server, records) = (lookup.server.name.clone(), records(name, lookup));
            let earlier = facts.earlier.and_then(|earlier| earlier.promised(&server, &records));
            let Cause::Cached { until, several } = cause(facts, lookup) else { return earlier.cloned() };
            let ttl = expires(facts, lookup).map_or(0, |expires| expires.duration_since(lookup.at).as_secs());
            let ttl = u32::try_from(ttl).unwrap_or_default();
            let ttl = earlier.map_or(ttl, |earlier| earlier.ttl.max(ttl));
            Some(Promise { server, records, until, several, ttl })
        }));
    }
    caches.take(promises, facts.earlier, facts.now);
    caches
}
