//! The formats for people, zone files and programs.

use serde::Serialize;

use super::escape::{dotted, full, name, rdata};
use super::{Conflict, DnsRecord};
use crate::model::escape::ascii_json;
use crate::model::text::display_safe;

/// The text of an export, line by line.
pub struct ExportLines {
    text: String,
    /// The start of a comment.
    mark: &'static str,
}

impl ExportLines {
    pub const fn new(mark: &'static str) -> Self {
        Self { text: String::new(), mark }
    }

    /// Adds a line.
    pub fn push(&mut self, line: impl AsRef<str>) {
        self.text.push_str(line.as_ref());
        self.text.push('\n');
    }

    /// Adds a line of a comment.
    pub(super) fn comment(&mut self, line: impl AsRef<str>) {
        self.push(format!("{} {}", self.mark, line.as_ref()));
    }

    /// Adds the deletes as a comment: a heading, each record in zone-file format, and side effects.
    pub fn deletes(&mut self, heading: &str, record: &DnsRecord, deletes: &[&Conflict]) {
        if deletes.is_empty() {
            return;
        }
        self.comment(heading);
        let (owner, mut lines) = (dotted(&record.name), Vec::new());
        for conflict in deletes {
            let kind = conflict.kind.to_ascii_uppercase();
            let line = |value: &String| format!("  {owner} {} IN {kind} {}", conflict.ttl, rdata(conflict, value));
            lines.extend(conflict.values.iter().map(line));
        }
        lines.extend(warning(record, deletes));
        lines.iter().for_each(|line| self.comment(line));
    }

    /// Adds the heading of the record, if deletes come before it.
    pub(super) fn then_add(&mut self, deletes: &[&Conflict]) {
        if !deletes.is_empty() {
            self.comment("Then add:");
        }
    }

    /// Adds why `record` is not possible at the apex, and what to do instead, as a comment.
    pub(super) fn apex_advice(&mut self, record: &DnsRecord, why: &str) {
        let (name, value) = (full(&record.name), full(&record.value));
        self.comment(format!("{name} is the apex of its zone: {why}."));
        self.comment(format!("Instead, add an ALIAS or ANAME to {value} at a provider that offers it,"));
        self.comment(format!("or publish on a name below, such as www.{name}, and redirect {name} to it."));
    }

    pub(super) fn into_text(self) -> String {
        self.text
    }
}

/// The side effect of deleting, if any.
fn warning(record: &DnsRecord, deletes: &[&Conflict]) -> Option<String> {
    let mail = deletes.iter().any(|conflict| conflict.is("MX"));
    mail.then(|| format!("Warning: without its MX records, mail for {} stops.", full(&record.name)))
}

/// The fields of a provider's form.
pub fn plain(record: &DnsRecord, deletes: &[&Conflict]) -> String {
    let mut lines = ExportLines::new("");
    if !deletes.is_empty() {
        lines.push("First delete");
        for conflict in deletes {
            fields(&mut lines, record, &conflict.kind.to_ascii_uppercase(), &conflict.values, conflict.ttl);
            lines.push("");
        }
        if let Some(warning) = warning(record, deletes) {
            lines.push(warning);
            lines.push("");
        }
        lines.push("Then add");
    }
    let kind = if record.is_apex() { "ALIAS or ANAME" } else { "CNAME" };
    fields(&mut lines, record, kind, &[full(&record.value)], record.ttl);
    lines.into_text()
}

fn fields(lines: &mut ExportLines, record: &DnsRecord, kind: &str, values: &[String], ttl: u32) {
    let mut field = |label: &str, value: &str| lines.push(format!("{label:<11}{}", display_safe(value)).trim_end());
    field("Type", kind);
    let short = if record.is_apex() { "@".to_owned() } else { name(record.name.relative_to(&record.zone)) };
    field("Name", &short);
    field("Full name", &full(&record.name));
    for value in values {
        field("Value", value);
    }
    field("TTL", &ttl.to_string());
}

/// A line of a zone file.
pub fn bind(record: &DnsRecord, deletes: &[&Conflict]) -> String {
    let mut lines = ExportLines::new(";");
    if record.is_apex() {
        lines.apex_advice(record, "a CNAME is not allowed there, and zone files have no standard alternative");
        return lines.into_text();
    }
    lines.deletes("First delete these lines:", record, deletes);
    lines.then_add(deletes);
    lines.push(format!("{} {} IN CNAME {}", dotted(&record.name), record.ttl, dotted(&record.value)));
    lines.into_text()
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
pub fn json(record: &DnsRecord, deletes: &[&Conflict]) -> String {
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
    let add = vec![entry(record, record.kind(), record.ttl, vec![full(&record.value)])];
    let changes = Changes { schema_version: 1, warning: warning(record, deletes), delete, add };
    // Strings and numbers can always be written.
    ascii_json(&serde_json::to_string_pretty(&changes).unwrap_or_default()) + "\n"
}
