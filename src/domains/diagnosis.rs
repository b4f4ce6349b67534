//! Turns what was measured, what the operator reported, and the time into findings: one pure function.
//!
//! Each part of the catalogue has its file. They read the same [`Facts`] and write findings in the order in which to fix
//! causes. There is no IO here, so every row of the catalogue is tested as a table.

pub(super) mod authoritative;
pub mod caa;
mod certificate;
mod cname_target;
mod delegation;
mod dnssec;
mod facts;
mod http;
pub(super) mod nameservers;
mod prelude;
pub(super) mod propagation;
pub(super) mod record;
pub mod redirect;
#[cfg(test)]
pub(super) mod tests;
pub(super) mod words;

use prelude::*;
use propagation::{Cause, cause, expires, not_right};

pub use facts::{ACME_CHALLENGE, Expectation, Facts};

/// The findings of a case, first causes first.
pub fn diagnose(facts: &Facts<'_>) -> Vec<Finding> {
    let record = record::findings(facts);
    let servers = match nameservers::findings(facts, &record) {
        Ok(servers) => servers,
        Err(only) => return vec![*only],
    };
    let mut findings = explained([servers, record].concat());
    let free = caa::findings(facts);
    // What another server shows says nothing about the platform.
    let dns_fails = findings.iter().any(|it| it.fails());
    let is_open = |it: &Finding| it.code.topic() == Topic::Record && it.is_open();
    let awaits_record = !dns_fails && facts.value().is_some() && findings.iter().any(is_open);
    let leads_here = !dns_fails && facts.value().is_some() && !awaits_record;
    let is_free = free.iter().all(|it| !it.is_open());
    findings.extend(free);
    let mut certificates = certificate::findings(facts, leads_here, is_free);
    // Verify comes once nothing before it is open.
    if findings.iter().any(|it| it.is_open() || it.code.is(Mark::NotEverywhere)) {
        certificates.iter_mut().filter(|one| one.verdict == Verdict::You).for_each(|one| one.verdict = Verdict::Wait);
    }
    let trusted = certificates.iter().any(|it| it.code.is(Mark::GoodCertificate));
    findings.extend(certificates);
    findings.extend(http::challenge_left_over(facts, leads_here));
    findings.extend(http::findings(facts, leads_here, trusted && !dns_fails && !awaits_record));
    // Until the record is there, what the old server shows is not a cause, and there is nothing to do about it.
    let is_open = |it: &Finding| it.is_open() && it.who != Who::ThisMachine;
    let is_of_server = |finding: &&mut Finding| finding.code.topic() >= Topic::Certificate && is_open(finding);
    for finding in findings.iter_mut().filter(|_| awaits_record).filter(is_of_server) {
        (finding.verdict, finding.who, finding.until) = (Verdict::Wait, Who::Nobody, None);
        finding.fix = "another server answers: this line disappears once the record is right".to_owned();
    }
    findings
}

/// Without what another finding explains, and without an "ok" of the record that others do not see.
fn explained(findings: Vec<Finding>) -> Vec<Finding> {
    let against = findings.iter().filter(|it| it.is_open());
    let hidden: Vec<Code> = against.flat_map(|it| it.code.hides()).copied().collect();
    let is_unseen = |finding: &Finding| {
        let waits = matches!(finding.verdict, Verdict::Wait | Verdict::Fail);
        finding.code.topic() == Topic::Servers && (waits || finding.code == Code::ResolversDisagree)
    };
    let unseen = findings.iter().any(is_unseen);
    let is_ok = |it: &Finding| it.code.topic() == Topic::Record && it.verdict == Verdict::Ok;
    let stays = |it: &Finding| !(hidden.contains(&it.code) || unseen && is_ok(it));
    findings.into_iter().filter(stays).collect()
}

/// What a check leaves for the next one about caches: what the name servers answer, and what was promised.
pub fn remember(facts: &Facts<'_>) -> Caches {
    let mut caches = facts.caches().clone();
    let mut promises: Vec<Promise> =
        nameservers::remembered_failures(facts).into_iter().map(|(_, promise)| promise).collect();
    if facts.source().is_right(facts) {
        promises.extend(caa::promises(facts));
        let others = facts.resolvers(A).flat_map(|it| not_right(facts, it));
        promises.extend(others.filter_map(|lookup| {
            let (server, records) = (lookup.server.name.clone(), lookup.records_at(facts.name()));
            let earlier = facts.promised(lookup, &records);
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
