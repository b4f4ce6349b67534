//! The advice that several findings on a record share.

use super::super::catalogue::say;
use super::super::observation::{Data, Record};
use super::super::{DnsName, Finding};
use super::Case;

/// There is a record, and nothing to compare it with.
pub(super) fn value_unknown(case: &Case<'_>, leads: &str) -> Finding {
    say::value_unknown(&case.domain.name, leads)
}

/// The record to add, as one would read it aloud.
pub(super) fn record_to_add(case: &Case<'_>) -> String {
    let value = case.expectation.platform_host.as_ref().map_or("(the value from the dashboard)", DnsName::as_str);
    if case.domain.is_apex() {
        format!("ALIAS or ANAME @ -> {value}, TTL 3600")
    } else {
        format!("CNAME {} -> {value}, TTL 3600", case.label())
    }
}

/// Warns that deleting an MX record stops mail.
pub(super) fn mail_stops(case: &Case<'_>, deleted: &[&Record]) -> String {
    if deleted.iter().any(|record| matches!(record.data, Data::Mx(..))) {
        format!(". Deleting the MX stops mail for {}: move mail first", case.domain.name)
    } else {
        String::new()
    }
}

pub(super) fn one_cname(case: &Case<'_>) -> String {
    case.expectation.platform_host.as_ref().map_or_else(|| "one CNAME".to_owned(), |host| format!("CNAME {host}"))
}
