//! The record of a domain in the formats of DNS tools, with or without the records to delete first.
//!
//! Nothing is sent: the operator passes the text to the tool. The values of records to delete come from foreign servers,
//! so every format but [`ExportFormat::Plain`] is printable ASCII, and no value leaves its line.

mod escape;
mod formats;
mod record;
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

/// `record` in `format`, after the records to delete first, if there are any.
///
/// The text ends with a line feed. If the format cannot express a record at the apex of a zone, the text is a comment
/// that says what to do instead. Conflicts without a value or a valid type are left out.
pub fn export(record: &DnsRecord, format: ExportFormat, deletes: &[Conflict]) -> String {
    let deletes: Vec<&Conflict> = deletes.iter().filter(|conflict| conflict.is_real()).collect();
    match format {
        ExportFormat::Plain => formats::plain(record, &deletes),
        ExportFormat::Bind => formats::bind(record, &deletes),
        ExportFormat::Terraform => terraform::terraform(record, &deletes),
        ExportFormat::Json => formats::json(record, &deletes),
    }
}
