//! The same as one JSON object, for programs.

use jiff::Timestamp;
use serde_json::{Value, json};

use crate::domains::diagnosis::Expectation;
use crate::domains::finding::{deciding, overall};
use crate::domains::observation::{Observations, Role};
use crate::domains::state::State;
use crate::domains::{Domain, Finding, Verdict};

use super::words::views;

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
pub fn check(
    domain: &Domain,
    expectation: &Expectation,
    seen: &Observations,
    found: &[Finding],
    state: State,
    now: Timestamp,
) -> Value {
    let zone = seen.zone.as_ref().unwrap_or(&domain.registrable);
    let record = json!({
        "type": if domain.is_apex() { "ALIAS" } else { "CNAME" },
        "name": domain.name.relative_to(zone),
        "value": expectation.platform_host,
        "ttl": 3600,
    });
    let servers: Vec<Value> = views(domain, seen)
        .iter()
        .map(|view| {
            json!({
                "server": view.lookup.server.name,
                "address": view.lookup.server.address,
                "kind": match view.lookup.server.role {
                    Role::Parent => "parent",
                    Role::Authoritative => "source",
                    Role::Resolver { .. } => "resolver",
                },
                "sees": view.sees,
                "ttl": view.ttl,
                "milliseconds": u64::try_from(view.lookup.took.as_millis()).unwrap_or(u64::MAX),
            })
        })
        .collect();
    let decides = deciding(found);
    let until =
        found.iter().filter(|finding| finding.verdict == Verdict::Wait).filter_map(|finding| finding.until).max();
    let next = json!({
        "now": decides.map(|finding| finding.fix.clone()).filter(|fix| !fix.is_empty()),
        "then": (overall(found) != Verdict::Fail).then(|| state.next_step(&domain.name)),
        "until": until,
    });
    let more = json!({
        "state": state,
        "checkedAt": now,
        "record": record,
        "servers": servers,
        "questions": seen.lookups.len(),
        "next": next,
    });
    with(with(self::domain(domain), findings(found)), more)
}
