//! The line formats: for people, zone files, `nsupdate`, columns, and dnscontrol and octoDNS, both of which delete what is
//! not listed.

use super::escape::{dotted, full, json, name, rdata, yaml};
use super::{Conflict, DnsRecord};
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
        for line in deletes.iter().flat_map(|conflict| zone_lines(record, conflict)) {
            self.comment(format!("  {line}"));
        }
        self.warning(record, deletes);
    }

    /// Adds the side effects of deleting, as a comment.
    pub fn warning(&mut self, record: &DnsRecord, deletes: &[&Conflict]) {
        if let Some(warning) = warning(record, deletes) {
            self.comment(warning);
        }
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

/// The records of a conflict in zone-file format.
pub(super) fn zone_lines(record: &DnsRecord, conflict: &Conflict) -> Vec<String> {
    let (owner, kind) = (dotted(&record.name), conflict.kind.to_ascii_uppercase());
    let line = |value: &String| format!("{owner} {} IN {kind} {}", conflict.ttl, rdata(conflict, value));
    conflict.values.iter().map(line).collect()
}

/// The side effect of deleting, if any.
pub fn warning(record: &DnsRecord, deletes: &[&Conflict]) -> Option<String> {
    let mail = deletes.iter().any(|conflict| conflict.is("MX"));
    mail.then(|| format!("Warning: without its MX records, mail for {} stops.", full(&record.name)))
}

/// Only a comment, for an apex.
pub(super) fn only_advice(mut lines: ExportLines, record: &DnsRecord, why: &str) -> String {
    lines.apex_advice(record, why);
    lines.into_text()
}

/// The name as it is entered in its zone, `@` for the zone itself.
pub(super) fn short_name(record: &DnsRecord) -> String {
    if record.is_apex() { "@".to_owned() } else { name(record.name.relative_to(&record.zone)) }
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
    field("Name", &short_name(record));
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
        let why = "a CNAME is not allowed there, and zone files have no standard alternative";
        return only_advice(lines, record, why);
    }
    lines.deletes("First delete these lines:", record, deletes);
    lines.then_add(deletes);
    lines.push(format!("{} {} IN CNAME {}", dotted(&record.name), record.ttl, dotted(&record.value)));
    lines.into_text()
}

/// Commands for `nsupdate`. Whole record sets are deleted, to keep foreign values out of commands.
pub(super) fn nsupdate(record: &DnsRecord, deletes: &[&Conflict]) -> String {
    let mut lines = ExportLines::new(";");
    if record.is_apex() {
        let why = "a CNAME is not allowed there, and updates have no standard alternative";
        return only_advice(lines, record, why);
    }
    let owner = dotted(&record.name);
    lines.push(format!("zone {}", dotted(&record.zone)));
    lines.deletes("First delete all records of these types:", record, deletes);
    for conflict in deletes {
        lines.push(format!("update delete {owner} {}", conflict.kind.to_ascii_uppercase()));
    }
    lines.then_add(deletes);
    lines.push(format!("update add {owner} {} CNAME {}", record.ttl, dotted(&record.value)));
    lines.push("send");
    lines.into_text()
}

/// The columns of dnscontrol's TSV output, without the class, which is always `IN`. Deletes are lines that begin with `#`.
pub fn tsv(record: &DnsRecord, deletes: &[&Conflict]) -> String {
    let (owner, short) = (full(&record.name), short_name(record));
    let mut lines = ExportLines::new("#");
    if !deletes.is_empty() {
        lines.comment("First delete:");
        for conflict in deletes {
            let kind = conflict.kind.to_ascii_uppercase();
            for value in &conflict.values {
                lines.comment(format!("{owner}\t{short}\t{}\t{kind}\t{}", conflict.ttl, rdata(conflict, value)));
            }
        }
        lines.warning(record, deletes);
    }
    lines.then_add(deletes);
    lines.push(format!("{owner}\t{short}\t{}\t{}\t{}", record.ttl, record.kind(), dotted(&record.value)));
    lines.into_text()
}

/// A line for the `D()` of the zone in `dnsconfig.js`.
pub fn dnscontrol(record: &DnsRecord, deletes: &[&Conflict]) -> String {
    let mut lines = ExportLines::new("//");
    lines.deletes("dnscontrol deletes what is not listed. First delete the lines of:", record, deletes);
    lines.then_add(deletes);
    let (short, target) = (json(&short_name(record), false), json(&dotted(&record.value), false));
    lines.push(format!("{}({short}, {target}, TTL({}))", record.kind(), record.ttl));
    lines.into_text()
}

/// An entry of the zone's file. The keys are sorted, since octoDNS refuses others.
pub(super) fn octodns(record: &DnsRecord, deletes: &[&Conflict]) -> String {
    let mut lines = ExportLines::new("#");
    lines.deletes("octoDNS deletes what is not listed. First delete the entries of:", record, deletes);
    lines.then_add(deletes);
    let key = if record.is_apex() { "" } else { record.name.relative_to(&record.zone) };
    lines.push(format!("{}:", yaml(&name(key))));
    lines.push(format!("  ttl: {}", record.ttl));
    lines.push(format!("  type: {}", record.kind()));
    lines.push(format!("  value: {}", yaml(&dotted(&record.value))));
    lines.into_text()
}
