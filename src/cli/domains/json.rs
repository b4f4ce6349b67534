//! The output as one JSON object.

use serde_json::{Value, json};

use crate::domains::check::Checked;
use crate::domains::finding::{deciding, overall, wait_ends};
use crate::domains::stage::Stage;
use crate::domains::vantage_points::View;
use crate::domains::{Domain, Finding, Verdict};

use super::words::next_step;

/// The members that every command prints: `verdict`, `code` and `findings`.
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

/// A domain; `null` if the name is not one.
pub fn domain(domain: Option<&Domain>) -> Value {
    let Some(domain) = domain else { return json!({ "domain": null }) };
    json!({
        "domain": domain.name,
        "unicode": domain.unicode,
        "registrable": domain.registrable,
        "apex": domain.is_apex(),
    })
}

/// A whole check.
pub fn check(checked: &Checked) -> Value {
    let Checked { domain, expectation, seen, findings: found, status, at, .. } = checked;
    let stage = status.state;
    let zone = seen.zone.as_ref().unwrap_or(&domain.registrable);
    let server = |view: &View| {
        json!({
            "server": view.name,
            "address": view.address,
            "kind": view.role.as_str(),
            "sees": view.sees,
            "ttl": view.ttl,
            "milliseconds": u64::try_from(view.took.as_millis()).unwrap_or(u64::MAX),
            "verdict": view.verdict.verdict(),
        })
    };
    // "Nothing to do" would contradict a warning.
    let is_then = match stage {
        Stage::Live => overall(found) == Verdict::Ok,
        _ => overall(found) != Verdict::Fail,
    };
    let fix = deciding(found).map(|finding| &finding.fix);
    let more = json!({
        "state": stage,
        "checkedAt": at,
        "record": {
            "type": if domain.is_apex() { "ALIAS" } else { "CNAME" },
            "name": domain.name.relative_to(zone),
            "value": expectation.platform_host,
            "ttl": 3600,
        },
        "servers": checked.views().iter().map(server).collect::<Vec<_>>(),
        "questions": seen.lookups.len(),
        "notChecked": checked.not_checked(),
        "next": {
            "now": fix.filter(|fix| !fix.is_empty()),
            "then": is_then.then(|| next_step(stage, &domain.name)),
            "until": wait_ends(found),
        },
    });
    with(with(self::domain(Some(domain)), findings(found)), more)
}
