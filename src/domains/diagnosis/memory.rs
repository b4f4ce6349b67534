//! What a check leaves for the next one about caches: what the name servers answer, and what was promised.

use super::super::caches::{Caches, Promise};
use super::super::observation::RecordType::A;
use super::authoritative::Authoritative;
use super::propagation::{Cause, cause, expires, not_right, records};
use super::{Case, caa, nameservers};

/// What to remember for the next check.
pub fn remember(case: &Case<'_>) -> Caches {
    let source = Authoritative::of(case);
    let name = &case.domain.name;
    let mut caches = Caches::with_source(case.earlier, source.remembered(case));
    let mut promises: Vec<Promise> = nameservers::kept_failures(case).collect();
    if source.is_right(case) {
        promises.extend(caa::promises(case));
        let others = case.resolvers(A).flat_map(|lookup| not_right(case, lookup));
        promises.extend(others.filter_map(|lookup| {
            let (server, records) = (lookup.server.name.clone(), records(name, lookup));
            let earlier = case.earlier.and_then(|earlier| earlier.promised(&server, &records));
            let Cause::Cached { until, several } = cause(case, &source, lookup) else { return earlier.cloned() };
            let ttl = expires(case, lookup).map_or(0, |expires| expires.duration_since(lookup.at).as_secs());
            let ttl = u32::try_from(ttl).unwrap_or_default();
            let ttl = earlier.map_or(ttl, |earlier| earlier.ttl.max(ttl));
            Some(Promise { server, records, until, several, ttl })
        }));
    }
    caches.take(promises, case.earlier, case.now);
    caches
}
