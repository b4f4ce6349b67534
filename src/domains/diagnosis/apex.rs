//! A domain without a subdomain: it has addresses instead of a CNAME, and they are compared with the platform's.

use std::net::IpAddr;

use super::super::observation::RecordType::{A, AAAA, CNAME};
use super::super::{Code, Finding};
use super::advice::{fail, record_to_add, value_unknown};
use super::authoritative::Authoritative;
use super::cname_target::shown;
use super::{Case, words};

/// What to do if the provider has no ALIAS.
const WAY_OUT: &str = "if your provider has neither ALIAS nor ANAME, publish on www and redirect the apex to it";

/// The finding on an apex.
pub fn finding(case: &Case<'_>, source: &Authoritative<'_>) -> Finding {
    let name = &case.domain.name;
    if let Some((target, _)) = source.cnames().first() {
        return fail(case, Code::ApexCname)
            .seen(format!("{name} has CNAME {} next to its SOA and NS records", shown(target)))
            .expected(expected(case))
            .fix(format!(
                "at your DNS provider, replace the CNAME by {}: it hides the domain's NS and MX records. In Route 53, an alias can point only to AWS resources and names in the same zone",
                record_to_add(case)
            ))
            .evidence(source.evidence(&[CNAME]));
    }
    let all = source.all_addresses();
    let list = words::list(&all);
    if case.expectation.platform_host.is_none() {
        return value_unknown(case, &list);
    }
    let platform = case.platform_addresses();
    let foreign: Vec<&IpAddr> = all.iter().filter(|address| !platform.contains(address)).collect();
    let seen = format!("{name} has {list}");
    let finding = if all.is_empty() {
        fail(case, Code::ApexNone)
            .seen(format!("{name} has neither A nor AAAA"))
            .fix(format!("at your DNS provider, add {}; {WAY_OUT}", record_to_add(case)))
    } else if foreign.is_empty() {
        Finding::ok(Code::ApexOk).seen(seen)
    } else if foreign.len() == all.len() {
        let add = record_to_add(case);
        fail(case, Code::ApexWrong)
            .seen(seen)
            .fix(format!("at your DNS provider, delete {list}, then add {add}; {WAY_OUT}"))
    } else if foreign.iter().all(|address| address.is_ipv6()) {
        let foreign = words::list(foreign);
        fail(case, Code::ApexAaaa)
            .seen(format!("{name} has AAAA {foreign}"))
            .fix(format!("at your DNS provider, delete the AAAA records {foreign}"))
    } else {
        fail(case, Code::ApexPartial).seen(seen).fix(format!("at your DNS provider, delete {}", words::list(foreign)))
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
