//! Terraform resources for three providers, one of which the operator keeps.

use super::escape::{dotted, full, hcl};
use super::formats::ExportLines;
use super::{Conflict, DnsRecord};

/// The record for three providers, each headed by a comment.
pub(super) fn terraform(record: &DnsRecord, deletes: &[&Conflict]) -> String {
    let mut lines = ExportLines::new("#");
    lines.comment("Keep the one for your provider.");
    if !deletes.is_empty() {
        lines.push("");
        let heading = "Terraform deletes only what it manages. First delete, in its files or at the provider:";
        lines.deletes(heading, record, deletes);
    }
    lines.then_add(deletes);
    lines.push("");
    lines.comment("Amazon Route 53");
    if record.is_apex() {
        lines.apex_advice(record, "a CNAME is not allowed there, and a Route 53 alias only points to AWS");
    } else {
        let attributes = [
            ("zone_id", "var.zone_id".to_owned()),
            ("name", hcl(&full(&record.name))),
            ("type", hcl("CNAME")),
            ("ttl", record.ttl.to_string()),
            ("records", format!("[{}]", hcl(&dotted(&record.value)))),
        ];
        resource(&mut lines, "aws_route53_record", record, &attributes);
    }
    lines.push("");
    lines.comment("Cloudflare, provider version 5 (version 4: cloudflare_record)");
    let attributes = [
        ("zone_id", "var.zone_id".to_owned()),
        ("name", hcl(&full(&record.name))),
        ("type", hcl("CNAME")),
        ("content", hcl(&full(&record.value))),
        ("ttl", record.ttl.to_string()),
        ("proxied", "false".to_owned()),
    ];
    resource(&mut lines, "cloudflare_dns_record", record, &attributes);
    lines.push("");
    let of_zone = if record.is_apex() { ", in a zone without DNSSEC" } else { "" };
    lines.comment(format!("Google Cloud DNS{of_zone}"));
    let attributes = [
        ("managed_zone", "var.managed_zone".to_owned()),
        ("name", hcl(&dotted(&record.name))),
        ("type", hcl(record.kind())),
        ("ttl", record.ttl.to_string()),
        ("rrdatas", format!("[{}]", hcl(&dotted(&record.value)))),
    ];
    resource(&mut lines, "google_dns_record_set", record, &attributes);
    lines.into_text()
}

/// A resource in the layout of `terraform fmt`.
fn resource(lines: &mut ExportLines, kind: &str, record: &DnsRecord, attributes: &[(&str, String)]) {
    let width = attributes.iter().map(|(key, _)| key.len()).max().unwrap_or_default();
    lines.push(format!("resource \"{kind}\" \"{}\" {{", identifier(&full(&record.name))));
    for (key, value) in attributes {
        lines.push(format!("  {key:<width$} = {value}"));
    }
    lines.push("}");
}

/// A resource name made from the domain name.
fn identifier(name: &str) -> String {
    let letters = name.chars().map(|c| if c.is_ascii_alphanumeric() || c == '-' { c } else { '_' });
    let start = if name.starts_with(|c: char| c.is_ascii_alphabetic()) { "" } else { "_" };
    start.chars().chain(letters).collect()
}
