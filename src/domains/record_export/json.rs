//! The formats that are JSON: Cloudflare, Route 53, and petstore's own.

use serde::Serialize;
use serde_json::{Value, json};

use super::escape::{self, dotted, full, rdata, route53 as route53_value};
use super::lines::warning;
use super::{Conflict, DnsRecord};

const MAIL_STOPS: &str = " Warning: without its MX records, mail for this name stops.";

#[derive(Serialize)]
struct CloudflareRecord {
    #[serde(rename = "type")]
    kind: &'static str,
    name: String,
    content: String,
    ttl: u32,
    proxied: bool,
}

#[derive(Serialize)]
struct CloudflareBatch {
    deletes: Vec<Value>,
    posts: Vec<CloudflareRecord>,
}

/// The body of a request to create a record. At an apex it is the same, since the provider flattens it.
///
/// With deletes, or with a second record, it is the body of a batch, which the provider carries out as a whole or not at all. The IDs of the records
/// to delete are unknown: placeholders name the records, and the provider rejects the batch until all are filled in.
pub fn cloudflare(record: &DnsRecord, deletes: &[&Conflict]) -> String {
    let post = |record: &DnsRecord| CloudflareRecord {
        kind: "CNAME",
        name: full(&record.name),
        content: full(&record.value),
        ttl: record.ttl,
        proxied: false,
    };
    let delegation = record.delegation();
    if deletes.is_empty() && delegation.is_none() {
        return escape::json(&post(record), false) + "\n";
    }
    let mut ids = Vec::new();
    for conflict in deletes {
        let kind = conflict.kind.to_ascii_uppercase();
        let mail = warning(record, &[*conflict]).map(|warning| format!(" ({warning})")).unwrap_or_default();
        for value in &conflict.values {
            let data = rdata(conflict, value);
            ids.push(json!({ "id": format!("REPLACE with the id of {} {kind} {data}{mail}", full(&record.name)) }));
        }
    }
    escape::json(
        &CloudflareBatch { deletes: ids, posts: std::iter::once(record).chain(&delegation).map(post).collect() },
        true,
    ) + "\n"
}

#[derive(Serialize)]
#[serde(rename_all = "PascalCase")]
struct Batch {
    #[serde(skip_serializing_if = "Option::is_none")]
    comment: Option<String>,
    changes: Vec<Change>,
}

#[derive(Serialize)]
#[serde(rename_all = "PascalCase")]
struct Change {
    action: &'static str,
    resource_record_set: RecordSet,
}

#[derive(Serialize)]
#[serde(rename_all = "PascalCase")]
struct RecordSet {
    name: String,
    #[serde(rename = "Type")]
    kind: String,
    #[serde(rename = "TTL")]
    ttl: u32,
    resource_records: Vec<Value>,
}

/// A change batch, which Route 53 carries out as a whole or not at all.
///
/// A DELETE must repeat the TTL and values exactly; if they have changed, the whole batch is rejected.
pub fn route53(record: &DnsRecord, deletes: &[&Conflict]) -> String {
    let mut batch = if record.is_apex() {
        // Without the name: a comment has at most 256 characters.
        let advice = "A CNAME is not allowed at the apex, and a Route 53 alias only points to AWS. Instead, add an \
                      ALIAS or ANAME at a provider that offers it, or publish on www and redirect the apex to it.";
        Batch { comment: Some(advice.to_owned()), changes: Vec::new() }
    } else {
        let mut changes: Vec<Change> = deletes.iter().map(|conflict| delete(record, conflict)).collect();
        changes.push(added(if deletes.is_empty() { "UPSERT" } else { "CREATE" }, record));
        let comment = (!deletes.is_empty()).then(|| {
            // Without the name, since Route 53 takes at most 256 characters.
            let mail = if warning(record, deletes).is_some() { MAIL_STOPS } else { "" };
            format!("First delete what is in the way, then create the CNAME.{mail}")
        });
        Batch { comment, changes }
    };
    batch.changes.extend(record.delegation().map(|delegation| added("UPSERT", &delegation)));
    escape::json(&batch, true) + "\n"
}

/// A change that adds a CNAME.
fn added(action: &'static str, record: &DnsRecord) -> Change {
    Change {
        action,
        resource_record_set: RecordSet {
            name: dotted(&record.name),
            kind: "CNAME".to_owned(),
            ttl: record.ttl,
            resource_records: vec![json!({ "Value": dotted(&record.value) })],
        },
    }
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Changes {
    schema_version: u32,
    #[serde(skip_serializing_if = "Option::is_none")]
    warning: Option<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    delete: Vec<Entry>,
    add: Vec<Entry>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Entry {
    #[serde(rename = "type")]
    kind: String,
    /// As a provider's form wants it: relative to the zone.
    name: String,
    full_name: String,
    zone: String,
    ttl: u32,
    values: Vec<String>,
}

/// What to delete first and what to add, as one object. At an apex the type is `ALIAS`.
pub fn changes(record: &DnsRecord, deletes: &[&Conflict]) -> String {
    let entry = |record: &DnsRecord, kind: &str, ttl: u32, values: Vec<String>| Entry {
        kind: kind.to_ascii_uppercase(),
        name: record.name.relative_to(&record.zone).to_owned(),
        full_name: full(&record.name),
        zone: full(&record.zone),
        ttl,
        values,
    };
    let delete =
        deletes.iter().map(|conflict| entry(record, &conflict.kind, conflict.ttl, conflict.values.clone())).collect();
    let delegation = record.delegation();
    let add = std::iter::once(record).chain(&delegation);
    let add = add.map(|record| entry(record, record.kind(), record.ttl, vec![full(&record.value)])).collect();
    escape::json(&Changes { schema_version: 1, warning: warning(record, deletes), delete, add }, true) + "\n"
}

fn delete(record: &DnsRecord, conflict: &Conflict) -> Change {
    let value = |value: &String| json!({ "Value": route53_value(conflict, value) });
    Change {
        action: "DELETE",
        resource_record_set: RecordSet {
            name: dotted(&record.name),
            kind: conflict.kind.to_ascii_uppercase(),
            ttl: conflict.ttl,
            resource_records: conflict.values.iter().map(value).collect(),
        },
    }
}
