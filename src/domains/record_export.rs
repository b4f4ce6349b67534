//! The record of a domain as the fields of a form and as a zone file, with or without the records to delete first.
//!
//! Nothing is sent: the operator passes the text to the provider. The values of records to delete come from foreign
//! servers: none leaves its line.

#[cfg(test)]
mod tests;

use super::providers::{Apex, Provider};
use super::{DnsName, Domain, RecordType};
use crate::model::text::display_safe;

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
        let [name, value, ttl] = provider.and_then(|it| it.form).unwrap_or(["Name", "Value", "TTL"]);
        let kind = match provider.map(|it| it.apex) {
            _ if !self.is_apex() => self.kind(),
            Some(Apex::Type(kind)) => kind,
            _ => "ALIAS or ANAME",
        };
        let is_dotted = provider.is_some_and(|it| it.dotted);
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
        self.provider.map_or("your DNS provider", |it| it.name)
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

impl Conflict {
    /// The records as lines of a zone file, in printable ASCII.
    pub fn zone_lines(&self, owner: &DnsName) -> impl Iterator<Item = String> {
        let line = move |value: &String| {
            format!("{} {} IN {} {}", owner.dotted(), self.ttl, self.kind, rdata(self.kind, value))
        };
        self.values.iter().map(line)
    }
}

/// The most bytes in one string of a TXT record (RFC 1035 section 3.3.14).
const TXT_STRING: usize = 255;

/// A record's data in zone-file format. How the source splits a TXT record is unknown: each of its strings is filled up.
fn rdata(kind: RecordType, value: &str) -> String {
    let is_text = kind == RecordType::TXT;
    let escaped = |byte: &u8| match byte {
        b'"' | b'\\' if is_text => format!("\\{}", char::from(*byte)),
        b' '..=b'~' => char::from(*byte).to_string(),
        _ => format!("\\{byte:03}"),
    };
    let ascii = |bytes: &[u8]| bytes.iter().map(escaped).collect::<String>();
    match is_text {
        true => format!("\"{}\"", value.as_bytes().chunks(TXT_STRING).map(ascii).collect::<Vec<_>>().join("\" \"")),
        false => ascii(value.as_bytes()),
    }
}

/// The side effect of deleting, if any.
fn warning(record: &DnsRecord, deletes: &[Conflict]) -> Option<String> {
    let has_mail = deletes.iter().any(|it| it.kind == RecordType::MX);
    has_mail.then(|| format!("Warning: without its MX records, mail for {} stops.", record.name.as_str()))
}

/// The fields of a provider's form, one a line, after those of the records to delete first.
pub fn plain(record: &DnsRecord, deletes: &[Conflict]) -> String {
    let fields = |kind: &str, values: &[String], ttl: u32| {
        let ttl = ttl.to_string();
        let name =
            [("Type", kind), ("Name", record.name.relative_to(&record.zone)), ("Full name", record.name.as_str())];
        let values = values.iter().map(|value| ("Value", value.as_str()));
        let line =
            |(label, text): (&str, &str)| format!("{label:<11}{}", display_safe(text)).trim_end().to_owned() + "\n";
        name.into_iter().chain(values).chain([("TTL", ttl.as_str())]).map(line).collect::<String>()
    };
    let kind = if record.is_apex() { "ALIAS or ANAME" } else { "CNAME" };
    let add = fields(kind, &[record.value.to_string()], DnsRecord::TTL);
    if deletes.is_empty() {
        return add;
    }
    let delete = |Conflict { kind, ttl, values }: &Conflict| fields(&kind.to_string(), values, *ttl);
    let deletions: Vec<String> = deletes.iter().map(delete).collect();
    let warning = warning(record, deletes).map(|warning| warning + "\n\n").unwrap_or_default();
    format!("First delete\n{}\n{warning}Then add\n{add}", deletions.join("\n"))
}

/// A line of a zone file, after comments with the lines to delete first. At the apex, a comment says what to do instead.
pub fn zone_file(record: &DnsRecord, deletes: &[Conflict]) -> String {
    let DnsRecord { name, value, .. } = record;
    if record.is_apex() {
        return format!(
            "; {name} is the apex of its zone: a CNAME is not allowed there, and zone files have no standard alternative.\n\
             ; Instead, add an ALIAS or ANAME to {value} at a provider that offers it,\n\
             ; or publish on a name below, such as www.{name}, and redirect {name} to it.\n"
        );
    }
    let mut lines = Vec::new();
    if !deletes.is_empty() {
        lines.push("; First delete these lines:".to_owned());
        lines.extend(deletes.iter().flat_map(|it| it.zone_lines(name)).map(|line| format!(";   {line}")));
        lines.extend(warning(record, deletes).map(|warning| format!("; {warning}")));
        lines.push("; Then add:".to_owned());
    }
    lines.push(format!("{} {} IN CNAME {}\n", name.dotted(), DnsRecord::TTL, value.dotted()));
    lines.join("\n")
}
