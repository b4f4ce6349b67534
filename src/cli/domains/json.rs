//! The output as one JSON object. `assets/domains-check.schema.json` describes that of `check` and `report`.

use serde_json::{Value, json};

use crate::domains::{Checked, Domain, Evidence, Finding, Lookup, Stage, Verdict, View, deciding, overall, wait_ends};

use super::words::next_step;

/// Increased when a member is removed or gets another meaning.
pub const SCHEMA_VERSION: u32 = 2;

/// The members that every command prints: `schemaVersion`, `verdict`, `code`, `until` and `findings`.
pub fn findings(findings: &[Finding]) -> Value {
    json!({
        "schemaVersion": SCHEMA_VERSION,
        "verdict": overall(findings),
        "code": deciding(findings).map(|finding| finding.code),
        "until": wait_ends(findings),
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

/// The result of a check of one or several domains: that of the domain that decides, and `domains` with all of them.
pub fn all(domains: Vec<Value>, decides: usize) -> Value {
    let top = domains.get(decides).cloned().unwrap_or_else(|| json!({}));
    with(top, json!({ "domains": domains }))
}

/// A name that is not a domain, with what is wrong with it.
pub fn refused(name: &str, findings: &[Finding]) -> Value {
    with(self::findings(findings), json!({ "domain": name, "state": null, "checkedAt": null }))
}

/// A whole check.
pub fn check(checked: &Checked) -> Value {
    let Checked { domain, reported, seen, findings: found, progress, at, measurement, .. } = checked;
    let stage = checked.stage();
    let server = |view: &View| {
        json!({
            "server": view.server.name,
            "address": view.server.address,
            "kind": <&str>::from(view.server.role),
            "sees": view.sees,
            "ttl": view.ttl,
            "milliseconds": view.took.as_millis(),
            "verdict": view.verdict.verdict(),
        })
    };
    // "Nothing to do" would contradict a warning.
    let is_then = match stage {
        Some(Stage::Live) => overall(found) == Verdict::Ok,
        _ => overall(found) != Verdict::Fail || checked.reported.is_being_removed(),
    };
    let fix = deciding(found).map(|finding| &finding.fix);
    let more = json!({
        "verdict": checked.verdict(),
        "state": stage,
        "checkedAt": at,
        "certificateExpires": measurement.expires,
        "record": {
            "type": if domain.is_apex() { "ALIAS" } else { "CNAME" },
            "name": domain.name.relative_to(&checked.zone),
            "value": reported.value,
            "ttl": 3600,
        },
        "servers": checked.views.iter().map(server).collect::<Vec<_>>(),
        "questions": seen.lookups.len(),
        "notChecked": checked.not_checked(),
        "next": {
            "now": fix.filter(|fix| !fix.is_empty()),
            "then": is_then.then(|| next_step(progress.next, &domain.name)),
            "until": wait_ends(found),
        },
    });
    with(with(self::domain(Some(domain)), findings(found)), more)
}

/// A whole check with every question that was asked.
pub fn report(checked: &Checked) -> Value {
    let lookup =
        |lookup: &Lookup| with(json!(Evidence::from(lookup)), json!({ "milliseconds": lookup.took.as_millis() }));
    let lookups: Value = checked.seen.lookups.iter().map(lookup).collect();
    all(vec![with(check(checked), json!({ "lookups": lookups }))], 0)
}
