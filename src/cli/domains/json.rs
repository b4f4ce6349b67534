//! The same as one JSON object, for programs.

use serde_json::{Value, json};

use crate::domains::check::Checked;
use crate::domains::diagnosis::Expectation;
use crate::domains::finding::{deciding, overall, wait_ends};
use crate::domains::reported::Reported;
use crate::domains::stage::Stage;
use crate::domains::vantage_points::views;
use crate::domains::{Domain, Finding, Verdict};

/// The part that every command prints: `verdict` and `code` at the top level, then `findings`.
pub fn findings(findings: &[Finding]) -> Value {
    json!({
        "verdict": overall(findings),
        "code": deciding(findings).map(|finding| finding.code),
        "findings": findings,
    })
}

/// Adds the members of `more` to an object.
pub fn with(mut value: Value, more: Value) -> Value {
    if let (Value::Object(members), Value::Object(more)) = (&mut value, more) {
        members.extend(more);
    }
    value
}

/// What a domain is.
pub fn domain(domain: &Domain) -> Value {
    json!({
        "domain": domain.name,
        "unicode": domain.unicode,
        "registrable": domain.registrable,
        "apex": domain.is_apex(),
    })
}

/// A whole check.
pub fn check(checked: &Checked, expectation: &Expectation, reported: &Reported) -> Value {
    let Checked { domain, seen, findings: found, standing, at, .. } = checked;
    let state = standing.state;
    let zone = seen.zone.as_ref().unwrap_or(&domain.registrable);
    let record = json!({
        "type": if domain.is_apex() { "ALIAS" } else { "CNAME" },
        "name": domain.name.relative_to(zone),
        "value": expectation.platform_host,
        "ttl": 3600,
    });
    let servers: Vec<Value> = views(&checked.case(expectation, reported))
        .iter()
        .map(|view| {
            json!({
                "server": view.name,
                "address": view.address,
                "kind": view.role.as_str(),
                "sees": view.sees,
                "ttl": view.ttl,
                "milliseconds": u64::try_from(view.took.as_millis()).unwrap_or(u64::MAX),
                "verdict": view.verdict.verdict(),
            })
        })
        .collect();
    let decides = deciding(found);
    // That nothing is to do is not said beside a warning.
    let is_then = match state {
        Stage::Live => overall(found) == Verdict::Ok,
        _ => overall(found) != Verdict::Fail,
    };
    let next = json!({
        "now": decides.map(|finding| finding.fix.clone()).filter(|fix| !fix.is_empty()),
        "then": is_then.then(|| state.next_step(&domain.name)),
        "until": wait_ends(found),
    });
    let more = json!({
        "state": state,
        "checkedAt": at,
        "record": record,
        "servers": servers,
        "questions": seen.lookups.len(),
        "next": next,
    });
    with(with(self::domain(domain), findings(found)), more)
}
