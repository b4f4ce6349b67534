//! A domain without a subdomain: it has addresses instead of a CNAME, and they are compared with the platform's.

use std::net::IpAddr;

use super::super::Finding;
use super::super::catalogue::say;
use super::super::observation::RecordType::{A, AAAA, CNAME};
use super::advice::{record_to_add, value_unknown};
use super::authoritative::Authoritative;
use super::cname_target::shown;
use super::{Case, words};

/// The finding on an apex.
pub fn finding(case: &Case<'_>, source: &Authoritative<'_>) -> Finding {
    let (name, record) = (&case.domain.name, record_to_add(case));
    if let Some((target, _)) = source.cnames().first() {
        let finding = say::apex_cname(name, shown(target), record);
        return finding.expected(expected(case)).evidence(source.evidence(&[CNAME]));
    }
    let all = source.all_addresses();
    let list = words::list(&all);
    if case.expectation.platform_host.is_none() {
        return value_unknown(case, &list);
    }
    let platform = case.platform_addresses();
    let foreign: Vec<&IpAddr> = all.iter().filter(|address| !platform.contains(address)).collect();
    let finding = if all.is_empty() {
        say::apex_none(name, record)
    } else if foreign.is_empty() {
        say::apex_ok(name, list)
    } else if foreign.len() == all.len() {
        say::apex_wrong(name, list, record)
    } else if foreign.iter().all(|address| address.is_ipv6()) {
        say::apex_aaaa(name, words::list(foreign))
    } else {
        say::apex_partial(name, list, words::list(foreign))
    };
    finding.expected(expected(case)).evidence(source.evidence(&[A, AAAA]))
}

fn expected(case: &Case<'_>) -> String {
    let platform = case.platform_addresses();
    let host = case.expectation.platform_host.as_ref().map_or("the platform", |host| host.as_str());
    if platform.is_empty() {
        format!("the addresses of {host}")
    } else {
        format!("the addresses of {host} ({})", words::list(platform))
    }
}
