//! A domain without a subdomain: it has addresses instead of a CNAME, and they are compared with the platform's.

use std::net::IpAddr;

use super::super::observation::RecordType::{A, AAAA, CNAME};
use super::super::{Code, Finding};
use super::advice::{fail, record_to_add, value_unknown};
use super::authoritative::Authoritative;
use super::case::platform_addresses;
use super::cname_target::shown;
use super::{Case, words};

/// The way out where the provider has no ALIAS.
const WAY_OUT: &str = "if your provider has neither ALIAS nor ANAME, publish on www and redirect the apex to it";

/// The findings on an apex.
pub fn findings(case: &Case<'_>, source: &Authoritative<'_>, findings: &mut Vec<Finding>) {
    let name = &case.domain.name;
    if let Some((target, _)) = source.cnames().first() {
        findings.push(
            fail(Code::ApexCname)
                .seen(format!("{name} has CNAME {} beside its SOA and NS records", shown(target)))
                .expected(expected(case))
                .fix(format!(
                    "at your DNS provider replace the CNAME by {}: it hides NS and MX of the domain. Route 53's alias \
                     takes only AWS resources and names of the same zone",
                    record_to_add(case)
                ))
                .evidence(source.evidence(&[CNAME])),
        );
        return;
    }
    let (v4, _) = source.addresses(A);
    let (v6, _) = source.addresses(AAAA);
    if case.expectation.platform_host.is_none() {
        findings.push(value_unknown(case, &words::list(v4.iter().chain(&v6))));
        return;
    }
    let platform = platform_addresses(case);
    let foreign = |addresses: &[IpAddr]| -> Vec<IpAddr> {
        addresses.iter().copied().filter(|address| !platform.contains(address)).collect()
    };
    let (foreign_v4, foreign_v6) = (foreign(&v4), foreign(&v6));
    let all = v4.len() + v6.len();
    let evidence = source.evidence(&[A, AAAA]);
    let seen = format!("{name} has {}", words::list(v4.iter().chain(&v6)));
    let finding = if all == 0 {
        fail(Code::ApexNone)
            .seen(format!("{name} has neither A nor AAAA"))
            .fix(format!("at your DNS provider add {}; {WAY_OUT}", record_to_add(case)))
    } else if foreign_v4.is_empty() && foreign_v6.is_empty() {
        Finding::ok(Code::ApexOk).seen(seen)
    } else if foreign_v4.len() + foreign_v6.len() == all {
        fail(Code::ApexWrong).seen(seen).fix(format!(
            "at your DNS provider delete {}, then add {}; {WAY_OUT}",
            words::list(v4.iter().chain(&v6)),
            record_to_add(case)
        ))
    } else if foreign_v4.is_empty() {
        fail(Code::ApexAaaa)
            .seen(format!("{name} has AAAA {}", words::list(&foreign_v6)))
            .fix(format!("at your DNS provider delete the AAAA records {}", words::list(&foreign_v6)))
    } else {
        let list = words::list(foreign_v4.iter().chain(&foreign_v6));
        fail(Code::ApexPartial).seen(seen).fix(format!("at your DNS provider delete {list}"))
    };
    findings.push(finding.expected(expected(case)).evidence(evidence));
}

fn expected(case: &Case<'_>) -> String {
    let platform = platform_addresses(case);
    let host = case.expectation.platform_host.as_ref().map_or("the platform", |host| host.as_str());
    if platform.is_empty() {
        format!("the addresses of {host}")
    } else {
        format!("the addresses of {host} ({})", words::list(platform))
    }
}
