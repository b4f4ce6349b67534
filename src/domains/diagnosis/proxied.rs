//! Addresses that hide the platform, or that are not public.

use std::net::IpAddr;

use super::super::catalogue::say;
use super::super::ip_ranges::{is_cloudflare, is_public};
use super::super::observation::RecordType::A;
use super::super::observation::{Lookup, Reply, Response, Role};
use super::super::{DnsName, Finding, Verdict};
use super::authoritative::sees_right;
use super::{Facts, words};

/// Cloudflare's proxy gives its own addresses and hides the record.
pub fn cloudflare(facts: &Facts<'_>) -> Option<Finding> {
    let platform = facts.platform_addresses();
    let addresses = facts.source().all_addresses();
    if addresses.is_empty() || addresses.iter().all(|address| platform.contains(address)) {
        return None;
    }
    let pages: Vec<_> = facts.seen.handshakes.iter().filter_map(|handshake| handshake.response()).collect();
    let by_address = addresses.iter().all(|address| is_cloudflare(*address));
    let says_so =
        |page: &&&Response| page.server.as_deref().is_some_and(|server| server.eq_ignore_ascii_case("cloudflare"));
    let by_servers = facts.seen.delegated.iter().any(|server| server.is_within(&DnsName::new("ns.cloudflare.com")));
    let by_answer = pages.iter().any(|page| page.cf_ray) || (by_servers && pages.iter().find(says_so).is_some());
    if !by_address && !by_answer {
        return None;
    }
    // Behind the proxy, only the answer shows whether the platform is reached.
    let reached = pages.iter().any(|page| page.status < 400);
    let verdict = if reached { Verdict::Warn } else { Verdict::Fail };
    let status = pages.first().map_or_else(|| "no answer".to_owned(), |page| format!("status {}", page.status));
    let finding = say::cloudflare(&facts.domain.name, words::list(&addresses), status, facts.label());
    Some(Finding { verdict, ..finding })
}

/// Addresses at the end of the chain that are not public.
pub fn private(facts: &Facts<'_>) -> Option<Finding> {
    if facts.expectation.allow_private {
        return None;
    }
    let own = facts.source().replies().flat_map(Reply::addresses);
    let seen = facts.resolvers(A);
    let seen = seen.filter(|lookup| !matches!(lookup.server.role, Role::Resolver { system: true }));
    // What is only cached is no longer in the zone.
    let current = |reply: &&Reply| !facts.source().authoritative || sees_right(facts, reply);
    let addresses = own.chain(seen.filter_map(Lookup::reply).filter(current).flat_map(Reply::addresses));
    let mut private: Vec<IpAddr> = addresses.filter(|address| !is_public(*address)).collect();
    private.sort_unstable();
    private.dedup();
    (!private.is_empty()).then(|| say::private(&facts.domain.name, words::list(&private), facts.record()))
}
