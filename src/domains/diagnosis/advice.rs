//! What the findings on a record have in common: the same advice, worded once.

use super::super::{Code, DnsName, Finding, Who};
use super::Case;

/// There is a record, and nothing to compare it with.
pub fn value_unknown(case: &Case<'_>, leads: &str) -> Finding {
    Finding::unknown(Code::DnsValueUnknown, Who::Dashboard)
        .seen(format!("{} leads to {leads}", case.domain.name))
        .expected("the value that the dashboard shows")
        .cured()
}

/// The record to add, as one reads it out to somebody.
pub fn record_to_add(case: &Case<'_>) -> String {
    let value = case.expectation.platform_host.as_ref().map_or("(the value of the dashboard)", DnsName::as_str);
    if case.domain.is_apex() {
        format!("ALIAS or ANAME @ -> {value}, TTL 3600")
    } else {
        format!("CNAME {} -> {value}, TTL 3600", case.label())
    }
}

pub fn one_cname(case: &Case<'_>) -> String {
    case.expectation.platform_host.as_ref().map_or_else(|| "one CNAME".to_owned(), |host| format!("CNAME {host}"))
}

pub fn fail(code: Code) -> Finding {
    Finding::fail(code, Who::DnsProvider)
}
