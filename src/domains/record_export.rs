//! The record of a domain in the formats of DNS tools, with or without the records to delete first.
//!
//! Nothing is sent: the operator passes the text to the tool. The values of records to delete come from foreign servers,
//! so every format but [`ExportFormat::Plain`] is printable ASCII, and no value leaves its line.

mod escape;
#[cfg(test)]
mod tests;

use serde::Serialize;
use strum::{Display, EnumString, IntoStaticStr, VariantArray};

use super::providers::{Apex, Provider};
use super::{DnsName, Domain, RecordType};
use crate::model::escape::ascii_json;
use crate::model::text::display_safe;
use escape::{dotted, full, hcl, name, rdata};

/// A format for a record.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Display, EnumString, IntoStaticStr, VariantArray)]
#[strum(serialize_all = "lowercase", ascii_case_insensitive)]
pub enum ExportFormat {
    /// For people: the fields of a provider's form.
    Plain,
    /// A line of a zone file.
    Bind,
    /// Resources for three Terraform providers.
    Terraform,
    /// For programs: the records to delete and to add.
    Json,
}

impl ExportFormat {
    /// All formats, in the order of menus.
    pub const ALL: &'static [Self] = Self::VARIANTS;

    /// The word, in lower case.
    pub fn as_str(self) -> &'static str {
        self.into()
    }
}

/// The record that points a domain to the platform.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DnsRecord {
    /// The full name.
    pub name: DnsName,
    /// Its DNS zone.
    pub zone: DnsName,
    /// The platform's host.
    pub value: DnsName,
    /// Whose form it is typed into, if that is known.
    pub provider: Option<&'static Provider>,
}

impl DnsRecord {
    /// The time to live that the platform asks for, in seconds.
    pub const TTL: u32 = 3600;

    /// The record of `domain`, where the zone is not known better than from its name.
    pub fn new(domain: &Domain, value: DnsName) -> Self {
        Self { name: domain.name.clone(), zone: domain.registrable.clone(), value, provider: None }
    }

    /// The fields of the provider's form, by its names for them, and what to type into each: type, name, value and TTL.
    pub fn form(&self) -> [(&'static str, String); 4] {
        let provider = self.provider;
        let [name, value, ttl] = provider.and_then(|provider| provider.form).unwrap_or(["Name", "Value", "TTL"]);
        let kind = match provider.map(|provider| provider.apex) {
            _ if !self.is_apex() => self.kind(),
            Some(Apex::Type(kind)) => kind,
            _ => "ALIAS or ANAME",
        };
        let is_dotted = provider.is_some_and(|provider| provider.dotted);
        [
            ("Type", kind.to_owned()),
            (name, self.name.relative_to(&self.zone).to_owned()),
            (value, if is_dotted { self.value.dotted() } else { self.value.to_string() }),
            (ttl, Self::TTL.to_string()),
        ]
    }

    /// What to type into one of them.
    pub fn field(&self, index: usize) -> String {
        self.form()[index].1.clone()
    }

    /// What else to know when it is typed in; empty if nothing.
    pub fn advice(&self) -> String {
        let instead = "publish under www and redirect this domain there.";
        match self.provider {
            Some(Provider { name, apex: Apex::Nothing, .. }) if self.is_apex() => {
                format!("{name} has nothing for an apex that can point to the platform: {instead}")
            }
            Some(Provider { apex: Apex::Type(_), .. }) if self.is_apex() => String::new(),
            _ if self.is_apex() => {
                format!("Not every DNS provider offers ALIAS or ANAME. If yours has neither, {instead}")
            }
            Some(Provider { form: Some(_), .. }) => String::new(),
            _ => format!("Some providers want the full name: {}", self.name.dotted()),
        }
    }

    /// Where it is typed in, in words.
    pub fn place(&self) -> &'static str {
        self.provider.map_or("your DNS provider", |provider| provider.name)
    }

    /// `CNAME`, or `ALIAS` at the apex of the zone, where a CNAME is not allowed.
    pub fn kind(&self) -> &'static str {
        if self.is_apex() { "ALIAS" } else { "CNAME" }
    }

    /// Whether it is at the zone's own name.
    pub fn is_apex(&self) -> bool {
        self.name == self.zone
    }
}

/// Records of one type at the same name, which must be deleted before the record can work.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Conflict {
    /// The type, for example `AAAA`.
    pub kind: RecordType,
    /// Its time to live at the source, in seconds.
    pub ttl: u32,
    /// The data of each record in presentation form; that of a TXT as text without quotes.
    pub values: Vec<String>,
}

/// `record` in `format`, after the records to delete first, if there are any.
///
/// The text ends with a line feed. If the format cannot express a record at the apex of a zone, the text is a comment
/// that says what to do instead. Conflicts without a value are left out.
pub fn export(record: &DnsRecord, format: ExportFormat, deletes: &[Conflict]) -> String {
    let deletes = deletes.iter().filter(|conflict| !conflict.values.is_empty()).collect();
    let mut export = Export { record, deletes, mark: "", text: String::new() };
    match format {
        ExportFormat::Plain => export.plain(),
        ExportFormat::Bind => export.bind(),
        ExportFormat::Terraform => export.terraform(),
        ExportFormat::Json => export.json(),
    }
    export.text
}

/// An export, written line by line.
struct Export<'a> {
    record: &'a DnsRecord,
    deletes: Vec<&'a Conflict>,
    /// The start of a comment.
    mark: &'static str,
    text: String,
}

impl Export<'_> {
    /// Adds a line.
    fn push(&mut self, line: impl AsRef<str>) {
        self.text.push_str(line.as_ref());
        self.text.push('\n');
    }

    /// Adds a line of a comment.
    fn comment(&mut self, line: impl AsRef<str>) {
        self.push(format!("{} {}", self.mark, line.as_ref()));
    }

    /// Adds the deletes as a comment: a heading, each record in zone-file format, and side effects; then the heading of
    /// the record.
    fn deletes(&mut self, heading: &str) {
        if self.deletes.is_empty() {
            return;
        }
        self.comment(heading);
        let (owner, mut lines) = (dotted(&self.record.name), Vec::new());
        for conflict in &self.deletes {
            let Conflict { kind, ttl, .. } = conflict;
            let line = |value: &String| format!("  {owner} {ttl} IN {kind} {}", rdata(*kind, value));
            lines.extend(conflict.values.iter().map(line));
        }
        lines.extend(self.warning());
        lines.push("Then add:".to_owned());
        lines.iter().for_each(|line| self.comment(line));
    }

    /// The side effect of deleting, if any.
    fn warning(&self) -> Option<String> {
        let mail = self.deletes.iter().any(|conflict| conflict.kind == RecordType::MX);
        mail.then(|| format!("Warning: without its MX records, mail for {} stops.", full(&self.record.name)))
    }

    /// Adds why the record is not possible at the apex, and what to do instead, as a comment.
    fn apex_advice(&mut self, why: &str) {
        let (name, value) = (full(&self.record.name), full(&self.record.value));
        self.comment(format!("{name} is the apex of its zone: {why}."));
        self.comment(format!("Instead, add an ALIAS or ANAME to {value} at a provider that offers it,"));
        self.comment(format!("or publish on a name below, such as www.{name}, and redirect {name} to it."));
    }

    /// The fields of a provider's form.
    fn plain(&mut self) {
        if !self.deletes.is_empty() {
            self.push("First delete");
            for Conflict { kind, ttl, values } in self.deletes.clone() {
                self.fields(&kind.to_string(), values, *ttl);
                self.push("");
            }
            if let Some(warning) = self.warning() {
                self.push(warning);
                self.push("");
            }
            self.push("Then add");
        }
        let kind = if self.record.is_apex() { "ALIAS or ANAME" } else { "CNAME" };
        self.fields(kind, &[full(&self.record.value)], DnsRecord::TTL);
    }

    fn fields(&mut self, kind: &str, values: &[String], ttl: u32) {
        let record = self.record;
        let short = if record.is_apex() { "@".to_owned() } else { name(record.name.relative_to(&record.zone)) };
        let (full_name, ttl) = (full(&record.name), ttl.to_string());
        let before = [("Type", kind), ("Name", &short), ("Full name", &full_name)];
        let values = values.iter().map(|value| ("Value", value.as_str()));
        for (label, value) in before.into_iter().chain(values).chain([("TTL", ttl.as_str())]) {
            self.push(format!("{label:<11}{}", display_safe(value)).trim_end());
        }
    }

    /// A line of a zone file.
    fn bind(&mut self) {
        self.mark = ";";
        if self.record.is_apex() {
            return self.apex_advice("a CNAME is not allowed there, and zone files have no standard alternative");
        }
        self.deletes("First delete these lines:");
        let DnsRecord { name, value, .. } = self.record;
        self.push(format!("{} {} IN CNAME {}", dotted(name), DnsRecord::TTL, dotted(value)));
    }

    /// Resources for three Terraform providers, each headed by a comment; the operator keeps one.
    fn terraform(&mut self) {
        self.mark = "#";
        self.comment("Keep the one for your provider.");
        if !self.deletes.is_empty() {
            self.push("");
        }
        self.deletes("Terraform deletes only what it manages. First delete, in its files or at the provider:");
        let record = self.record;
        let (name, dotted_name) = (hcl(&full(&record.name)), hcl(&dotted(&record.name)));
        let (value, values) = (hcl(&full(&record.value)), format!("[{}]", hcl(&dotted(&record.value))));
        let (ttl, cname, alias) = (DnsRecord::TTL.to_string(), hcl("CNAME"), hcl(record.kind()));
        self.push("");
        self.comment("Amazon Route 53");
        if record.is_apex() {
            self.apex_advice("a CNAME is not allowed there, and a Route 53 alias only points to AWS");
        } else {
            let attributes =
                [("zone_id", "var.zone_id"), ("name", &name), ("type", &cname), ("ttl", &ttl), ("records", &values)];
            self.resource("aws_route53_record", &attributes);
        }
        self.push("");
        self.comment("Cloudflare, provider version 5 (version 4: cloudflare_record)");
        let content = [("content", value.as_str()), ("ttl", &ttl), ("proxied", "false")];
        let attributes = [&[("zone_id", "var.zone_id"), ("name", &name), ("type", &cname)][..], &content].concat();
        self.resource("cloudflare_dns_record", &attributes);
        self.push("");
        let of_zone = if record.is_apex() { ", in a zone without DNSSEC" } else { "" };
        self.comment(format!("Google Cloud DNS{of_zone}"));
        let record_set = [("type", alias.as_str()), ("ttl", &ttl), ("rrdatas", &values)];
        let attributes = [&[("managed_zone", "var.managed_zone"), ("name", &dotted_name)][..], &record_set].concat();
        self.resource("google_dns_record_set", &attributes);
    }

    /// A resource in the layout of `terraform fmt`.
    fn resource(&mut self, kind: &str, attributes: &[(&str, &str)]) {
        let width = attributes.iter().map(|(key, _)| key.len()).max().unwrap_or_default();
        self.push(format!("resource \"{kind}\" \"{}\" {{", identifier(&full(&self.record.name))));
        for (key, value) in attributes {
            self.push(format!("  {key:<width$} = {value}"));
        }
        self.push("}");
    }

    /// What to delete first and what to add, as one object. At an apex the type is `ALIAS`.
    fn json(&mut self) {
        let DnsRecord { name, zone, value, .. } = self.record;
        let entry = |kind: String, ttl: u32, values: Vec<String>| Entry {
            kind,
            name: name.relative_to(zone).to_owned(),
            full_name: full(name),
            zone: full(zone),
            ttl,
            values,
        };
        let delete = |it: &&Conflict| entry(it.kind.to_string(), it.ttl, it.values.clone());
        let changes = Changes {
            schema_version: 1,
            warning: self.warning(),
            delete: self.deletes.iter().map(delete).collect(),
            add: [entry(self.record.kind().to_owned(), DnsRecord::TTL, vec![full(value)])],
        };
        // Strings and numbers can always be written.
        self.push(ascii_json(&serde_json::to_string_pretty(&changes).unwrap_or_default()));
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
    add: [Entry; 1],
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

/// A resource name made from the domain name.
fn identifier(name: &str) -> String {
    let letters = name.chars().map(|c| if c.is_ascii_alphanumeric() || c == '-' { c } else { '_' });
    let start = if name.starts_with(|c: char| c.is_ascii_alphabetic()) { "" } else { "_" };
    start.chars().chain(letters).collect()
}
