//! The commands of Google Cloud DNS and Azure DNS.
//!
//! Whole record sets are deleted, to keep foreign values out of commands. Values in comments are quoted too: the shell may
//! not support comments.

use super::escape::{dotted, full, shell};
use super::lines::{ExportLines, only_advice, short_name, zone_lines};
use super::{Conflict, DnsRecord};

/// The types that Azure DNS has commands for.
const AZURE: [&str; 9] = ["a", "aaaa", "caa", "cname", "mx", "ns", "ptr", "srv", "txt"];

/// A command for Google Cloud DNS.
pub(super) fn gcloud(record: &DnsRecord, deletes: &[&Conflict]) -> String {
    let mut lines = ExportLines::new("#");
    if record.is_apex() {
        let why = "a CNAME is not allowed there. Cloud DNS has the type ALIAS, in zones without DNSSEC";
        return only_advice(lines, record, why);
    }
    let owner = shell(&dotted(&record.name));
    lines.comment("MANAGED_ZONE is the name of the managed zone.");
    deleted(&mut lines, record, deletes, |kind| {
        Some(format!("gcloud dns record-sets delete {owner} --zone=\"$MANAGED_ZONE\" --type={kind}"))
    });
    lines.push(format!(
        "gcloud dns record-sets create {owner} --zone=\"$MANAGED_ZONE\" --type=CNAME --ttl={} --rrdatas={}",
        record.ttl,
        shell(&dotted(&record.value)),
    ));
    lines.into_text()
}

/// A command for Azure DNS.
pub(super) fn az(record: &DnsRecord, deletes: &[&Conflict]) -> String {
    let mut lines = ExportLines::new("#");
    if record.is_apex() {
        let why = "a CNAME is not allowed there, and an Azure DNS alias only points to Azure resources";
        return only_advice(lines, record, why);
    }
    let (zone, short) = (shell(&full(&record.zone)), shell(&short_name(record)));
    let place = format!("--resource-group \"$RESOURCE_GROUP\" --zone-name {zone}");
    lines.comment("RESOURCE_GROUP is the name of the resource group of the zone.");
    deleted(&mut lines, record, deletes, |kind| {
        let kind = kind.to_ascii_lowercase();
        let known = AZURE.contains(&kind.as_str());
        known.then(|| format!("az network dns record-set {kind} delete {place} --name {short} --yes"))
    });
    lines.push(format!(
        "az network dns record-set cname set-record {place} --record-set-name {short} --cname {} --ttl {}",
        shell(&full(&record.value)),
        record.ttl,
    ));
    lines.into_text()
}

/// The deletes: for each type, its records as a comment, and the command, if there is one.
fn deleted(
    lines: &mut ExportLines,
    record: &DnsRecord,
    deletes: &[&Conflict],
    command: impl Fn(&str) -> Option<String>,
) {
    if deletes.is_empty() {
        return;
    }
    lines.comment("First delete all records of these types:");
    for conflict in deletes {
        for line in zone_lines(record, conflict) {
            lines.comment(shell(&line));
        }
        let kind = conflict.kind.to_ascii_uppercase();
        match command(&kind) {
            Some(command) => lines.push(command),
            None => lines.comment(format!("There is no command for {kind}, so delete it in the portal.")),
        }
    }
    lines.warning(record, deletes);
    lines.then_add(deletes);
}
