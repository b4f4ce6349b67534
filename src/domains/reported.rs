//! What the operator reported, with the times. It is kept apart from measurements, and never guessed; that the record was
//! saved is seen, too.

use jiff::{SignedDuration, Timestamp};
use serde::{Deserialize, Serialize};

use super::DnsName;

/// How long DNS changes may take at most (API description, propagation).
pub const PROPAGATION: SignedDuration = SignedDuration::from_hours(48);

/// How long after Verify a certificate may take before something is wrong (troubleshooting rule 2).
pub const CERTIFICATE_WAIT: SignedDuration = SignedDuration::from_mins(30);

/// Something that the operator did, or plans to do.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "event", rename_all = "kebab-case")]
pub enum Event {
    /// The domain was put on the list.
    Added,
    /// Noted by earlier versions of the plan, the deploy and the access; means nothing now. Kept as it is in the file.
    Ticked { precondition: String, holds: bool },
    /// The dashboard shows this value.
    Value {
        /// The platform's host.
        host: DnsName,
    },
    /// The record was saved at the DNS provider: reported, or when a check found it first.
    Saved,
    /// Verify, or Re-verify, was chosen in the dashboard.
    Verified,
    /// The removal is planned.
    RemovalPlanned,
    /// The removal was cancelled.
    RemovalDropped,
    /// The domain was removed in the dashboard.
    Removed,
}

/// An event and its time.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Dated {
    /// When it happened, as the operator reported.
    pub at: Timestamp,
    /// What happened.
    #[serde(flatten)]
    pub event: Event,
}

/// All that the operator reported about a domain.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Reported {
    /// Since when it is on the list.
    pub added: Option<Timestamp>,
    /// The value that the dashboard shows.
    pub value: Option<DnsName>,
    /// When the record was saved, last.
    pub saved: Option<Timestamp>,
    /// When Verify was chosen, last.
    pub verified: Option<Timestamp>,
    /// How often Verify was chosen.
    pub verified_times: usize,
    /// The removal is planned.
    pub removal_planned: bool,
    /// The domain was removed.
    pub removed: bool,
}

impl Reported {
    /// Whether anything is known of its way to live: it is on the list, or has a value.
    pub const fn is_known(&self) -> bool {
        self.added.is_some() || self.value.is_some()
    }

    /// When every cache must have what was saved.
    pub fn record_due(&self) -> Option<Timestamp> {
        self.saved?.checked_add(PROPAGATION).ok()
    }

    /// When a certificate is late.
    pub fn certificate_due(&self) -> Option<Timestamp> {
        self.verified?.checked_add(CERTIFICATE_WAIT).ok()
    }

    /// Whether it goes out of service, or has gone: then nothing about it is repaired any more.
    pub const fn is_being_removed(&self) -> bool {
        self.removal_planned || self.removed
    }

    /// Sums up events in the order in which they were reported: a later report corrects an earlier one, also with an
    /// earlier time.
    pub(super) fn from_events(events: &[Dated]) -> Self {
        let mut reported = Self::default();
        for Dated { at, event } in events {
            match event {
                // Adding it again after a removal starts over.
                Event::Added => reported = Self { added: Some(*at), ..Self::default() },
                Event::Ticked { .. } => {}
                Event::Value { host } => reported.value = Some(host.clone()),
                Event::Saved => reported.saved = Some(*at),
                Event::Verified => {
                    reported.verified = Some(*at);
                    reported.verified_times += 1;
                }
                Event::RemovalPlanned => reported.removal_planned = true,
                Event::RemovalDropped => (reported.removal_planned, reported.removed) = (false, false),
                Event::Removed => reported.removed = true,
            }
        }
        reported
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(second: i64, event: Event) -> Dated {
        Dated { at: Timestamp::from_second(second).unwrap(), event }
    }

    #[test]
    fn the_last_report_counts_whatever_its_time() {
        let reported = Reported::from_events(&[
            at(1, Event::Added),
            at(30, Event::Verified),
            at(20, Event::Saved),
            at(40, Event::Verified),
            at(5, Event::Value { host: DnsName::new("Sites.Platform.net.") }),
            at(10, Event::Saved),
        ]);
        assert_eq!((reported.verified, reported.verified_times), (Timestamp::from_second(40).ok(), 2));
        assert_eq!(reported.saved, Timestamp::from_second(10).ok(), "a mistaken time is corrected");
        assert_eq!(reported.value, Some(DnsName::new("sites.platform.net")));
    }

    #[test]
    fn adding_again_after_a_removal_begins_anew() {
        let reported = Reported::from_events(&[
            at(1, Event::Added),
            at(2, Event::Saved),
            at(3, Event::Removed),
            at(9, Event::Added),
        ]);
        assert_eq!(reported, Reported { added: Timestamp::from_second(9).ok(), ..Reported::default() });
    }

    #[test]
    fn events_are_stored_as_flat_objects() {
        let text = serde_json::to_string(&at(0, Event::Value { host: DnsName::new("a.b") })).unwrap();
        assert_eq!(text, r#"{"at":"1970-01-01T00:00:00Z","event":"value","host":"a.b"}"#);
        assert_eq!(serde_json::from_str::<Dated>(&text).unwrap(), at(0, Event::Value { host: DnsName::new("a.b") }));
        let old = r#"{"at":"1970-01-01T00:00:00Z","event":"ticked","precondition":"deploy","holds":true}"#;
        assert_eq!(serde_json::to_string(&serde_json::from_str::<Dated>(old).unwrap()).unwrap(), old);
    }
}
