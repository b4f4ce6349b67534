//! The record that a domain needs, written in the formats of DNS tools, with or without what must be deleted first.
//!
//! Nothing here is sent anywhere: the operator reads the text, and gives it to the tool. The values of records to be
//! deleted come from foreign servers. So every format but [`ExportFormat::Plain`] is printable ASCII, and no value
//! leaves its line.

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

/// A format that a record is written in.
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
    /// Columns with tabs between: full name, short name, TTL, type, target.
    Tsv,
}

impl ExportFormat {
    /// All of them, in the order in which they are offered.
    pub const ALL: &'static [Self] = Self::VARIANTS;

    /// The word, in lower case.
    pub fn as_str(self) -> &'static str {
        self.into()
    }
}

/// `record` in `format`, with what must be deleted first; without that half where `deletes` is empty.
///
/// It ends with a line feed. Where the format cannot express a record at the apex of a zone, the text is only a comment
/// that says what to do instead. What cannot be a record set, having no value or no word as its type, is left out.
pub fn export(record: &DnsRecord, format: ExportFormat, deletes: &[Conflict]) -> String {
    let deletes: Vec<&Conflict> = deletes.iter().filter(|conflict| conflict.is_real()).collect();
    match format {
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
    }
}
