//! The files of dnscontrol and octoDNS, both of which delete what is not listed.

use super::escape::{dotted, js, name, yaml};
use super::lines::{ExportLines, short_name};
use super::{Conflict, DnsRecord};

/// A line for the `D()` of the zone in `dnsconfig.js`.
pub fn dnscontrol(record: &DnsRecord, deletes: &[&Conflict]) -> String {
    let mut lines = ExportLines::new("//");
    lines.deletes("dnscontrol deletes what is not listed. First delete the lines of:", record, deletes);
    lines.then_add(deletes);
    let (short, target) = (js(&short_name(record)), js(&dotted(&record.value)));
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
