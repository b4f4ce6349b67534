//! The formats that are lines: for people, zone files, `nsupdate`, and columns.

use super::escape::{dotted, full, name, rdata};
use super::{Conflict, DnsRecord};
use crate::model::text::display_safe;

/// What an export is made of: lines, each of which is one line whatever it was made of.
#[derive(Default)]
pub struct ExportLines(String);

impl ExportLines {
    /// Adds a line.
    pub fn push(&mut self, line: impl AsRef<str>) {
        self.0.push_str(line.as_ref());
        self.0.push('\n');
    }

    /// Adds a line of a comment, which begins with `mark`.
    pub fn comment(&mut self, mark: &str, line: impl AsRef<str>) {
        let line = line.as_ref();
        self.push(if line.is_empty() { mark.to_owned() } else { format!("{mark} {line}") });
    }

    /// Adds the deletes as a comment: a heading, each record as a zone file has it, and what else they do.
    pub fn deletes(&mut self, mark: &str, heading: &str, record: &DnsRecord, deletes: &[&Conflict]) {
        if deletes.is_empty() {
            return;
        }
        self.comment(mark, heading);
        for line in deletes.iter().flat_map(|conflict| zone_lines(record, conflict)) {
            self.comment(mark, format!("  {line}"));
        }
        if let Some(warning) = warning(record, deletes) {
            self.comment(mark, warning);
        }
    }

    /// The text.
    pub fn into_text(self) -> String {
        self.0
    }
}

/// The records of a conflict as a zone file has them.
pub fn zone_lines(record: &DnsRecord, conflict: &Conflict) -> Vec<String> {
    let (owner, kind) = (dotted(&record.name), conflict.kind.to_ascii_uppercase());
    let line = |value: &String| format!("{owner} {} IN {kind} {}", conflict.ttl, rdata(conflict, value));
    conflict.values.iter().map(line).collect()
}

/// What deleting does that may not be expected.
pub fn warning(record: &DnsRecord, deletes: &[&Conflict]) -> Option<String> {
    let mail = deletes.iter().any(|conflict| conflict.is("MX"));
    mail.then(|| format!("Warning: without its MX records, mail for {} stops.", full(&record.name)))
}

/// Why `record` cannot be written at the apex, and what to do instead, in a few lines.
pub fn apex_advice(record: &DnsRecord, why: &str) -> [String; 3] {
    let (name, value) = (full(&record.name), full(&record.value));
    [
        format!("{name} is the apex of its zone: {why}."),
        format!("Instead add an ALIAS or ANAME to {value} at a provider that has such a type,"),
        format!("or publish on a name below, such as www.{name}, and redirect {name} to it."),
    ]
}

/// Nothing but a comment, for an apex.
pub fn only_advice(mark: &str, record: &DnsRecord, why: &str) -> String {
    let mut lines = ExportLines::default();
    for line in apex_advice(record, why) {
        lines.comment(mark, line);
    }
    lines.into_text()
}

/// The name as it is entered in its zone, `@` for the zone itself.
pub fn short_name(record: &DnsRecord) -> String {
    if record.is_apex() { "@".to_owned() } else { name(record.name.relative_to(&record.zone)) }
}

/// The fields of a provider's form.
pub fn plain(record: &DnsRecord, deletes: &[&Conflict]) -> String {
    let mut lines = ExportLines::default();
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
    field("Name", &short_name(record));
    field("Full name", &full(&record.name));
    for value in values {
        field("Value", value);
    }
    field("TTL", &ttl.to_string());
}

/// A line of a zone file.
pub fn bind(record: &DnsRecord, deletes: &[&Conflict]) -> String {
    const MARK: &str = ";";
    if record.is_apex() {
        return only_advice(
            MARK,
            record,
            "a CNAME cannot stand there, and zone files have no other standard type for it",
        );
    }
    let mut lines = ExportLines::default();
    lines.deletes(MARK, "First delete these lines:", record, deletes);
    if !deletes.is_empty() {
        lines.comment(MARK, "Then add:");
    }
    lines.push(format!("{} {} IN CNAME {}", dotted(&record.name), record.ttl, dotted(&record.value)));
    lines.into_text()
}

/// Commands for `nsupdate`. Whole record sets are deleted, so that no foreign value is part of a command.
pub fn nsupdate(record: &DnsRecord, deletes: &[&Conflict]) -> String {
    const MARK: &str = ";";
    if record.is_apex() {
        return only_advice(MARK, record, "a CNAME cannot stand there, and updates know no other standard type for it");
    }
    let owner = dotted(&record.name);
    let mut lines = ExportLines::default();
    lines.push(format!("zone {}", dotted(&record.zone)));
    lines.deletes(MARK, "First delete all records of these types:", record, deletes);
    for conflict in deletes {
        lines.push(format!("update delete {owner} {}", conflict.kind.to_ascii_uppercase()));
    }
    if !deletes.is_empty() {
        lines.comment(MARK, "Then add:");
    }
    lines.push(format!("update add {owner} {} CNAME {}", record.ttl, dotted(&record.value)));
    lines.push("send");
    lines.into_text()
}

/// The columns that dnscontrol describes for its own; the class, which is always `IN`, is left out. Deletes are lines
/// that begin with `#`.
pub fn tsv(record: &DnsRecord, deletes: &[&Conflict]) -> String {
    let (owner, short) = (full(&record.name), short_name(record));
    let mut lines = ExportLines::default();
    if !deletes.is_empty() {
        lines.push("# First delete:");
        for conflict in deletes {
            let kind = conflict.kind.to_ascii_uppercase();
            for value in &conflict.values {
                lines.push(format!("# {owner}\t{short}\t{}\t{kind}\t{}", conflict.ttl, rdata(conflict, value)));
            }
        }
        if let Some(warning) = warning(record, deletes) {
            lines.comment("#", warning);
        }
        lines.push("# Then add:");
    }
    lines.push(format!("{owner}\t{short}\t{}\t{}\t{}", record.ttl, record.kind(), dotted(&record.value)));
    lines.into_text()
}
