//! The record of a domain in the formats of DNS tools, with or without the records to delete first.
//!
//! Nothing is sent: the operator passes the text to the tool. The values of records to delete come from foreign servers,
//! so every format but [`ExportFormat::Plain`] is printable ASCII, and no value leaves its line.

mod escape;
mod json;
mod lines;
mod record;
mod shell;
mod terraform;
#[cfg(test)]
mod tests;

use strum::{Display, EnumString, IntoStaticStr, VariantArray};

pub use record::{Conflict, DnsRecord};

/// A format for a record.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Display, EnumString, IntoStaticStr, VariantArray)]
#[strum(serialize_all = "lowercase", ascii_case_insensitive)]
pub enum ExportFormat {
    /// For people: the fields of a provider's form.
    Plain,
    /// A line of a zone file.
    Bind,
    /// The body of a request to Cloudflare.
    Cloudflare,
    /// A change batch of Amazon Route 53.
    Route53,
    /// Resources for three Terraform providers.
    Terraform,
    /// A line of `dnsconfig.js`.
    Dnscontrol,
    /// A part of a zone's file for octoDNS.
    Octodns,
    /// Commands for `nsupdate`.
    Nsupdate,
    /// A command for Google Cloud DNS.
    Gcloud,
    /// A command for Azure DNS.
    Az,
    /// Tab-separated columns: full name, short name, TTL, type, target.
    Tsv,
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

    /// Whether one text has all records. The texts of other formats can follow each other.
    const fn has_all_records(self) -> bool {
        matches!(self, Self::Cloudflare | Self::Route53 | Self::Json)
    }
}

/// `record` in `format`, after the records to delete first, if there are any.
///
/// The record with which the certificate check is left to the platform follows, if there is one. The text ends with a
/// line feed. If the format cannot express a record at the apex of a zone, the text is a comment that says
/// what to do instead. Conflicts without a value or a valid type are left out.
pub fn export(record: &DnsRecord, format: ExportFormat, deletes: &[Conflict]) -> String {
    let deletes: Vec<&Conflict> = deletes.iter().filter(|conflict| conflict.is_real()).collect();
    let text = match format {
        ExportFormat::Plain => lines::plain(record, &deletes),
        ExportFormat::Bind => lines::bind(record, &deletes),
        ExportFormat::Cloudflare => json::cloudflare(record, &deletes),
        ExportFormat::Route53 => json::route53(record, &deletes),
        ExportFormat::Terraform => terraform::terraform(record, &deletes),
        ExportFormat::Dnscontrol => lines::dnscontrol(record, &deletes),
        ExportFormat::Octodns => lines::octodns(record, &deletes),
        ExportFormat::Nsupdate => lines::nsupdate(record, &deletes),
        ExportFormat::Gcloud => shell::gcloud(record, &deletes),
        ExportFormat::Az => shell::az(record, &deletes),
        ExportFormat::Tsv => lines::tsv(record, &deletes),
        ExportFormat::Json => json::changes(record, &deletes),
    };
    match record.delegation() {
        Some(delegation) if !format.has_all_records() => format!("{text}\n{}", export(&delegation, format, &[])),
        _ => text,
    }
}
