//! Taking a domain out of service, in an order that loses no visitor and leaves no record behind: the steps, each with
//! what was seen of it.

use crate::domains::{
    Dated, DnsRecord, Entry, Event, FollowedRedirect, Measurement, Stage, deciding, full_sentence, last_known,
    leads_on, sentence,
};

/// A step of a removal.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Step {
    /// Whether it was seen to be done; `None` if that cannot be seen.
    pub is_done: Option<bool>,
    /// What to do.
    pub text: String,
    /// What was seen, or why; empty if nothing.
    pub seen: String,
    /// What was seen is wrong.
    pub is_wrong: bool,
}

impl Step {
    fn new(is_done: impl Into<Option<bool>>, text: impl Into<String>, seen: impl Into<String>) -> Self {
        Self { is_done: is_done.into(), text: text.into(), seen: seen.into(), is_wrong: false }
    }

    /// A mark for whether it is done, three columns wide.
    pub const fn mark(&self) -> &'static str {
        match self.is_done {
            Some(true) => "[x]",
            Some(false) => "[ ]",
            None => "   ",
        }
    }
}

/// The redirect from a domain that goes out of service, followed, or why not; `None` if none is configured.
pub type RedirectSeen<'a> = Option<Result<&'a FollowedRedirect, &'a str>>;

/// Whether a record still points to the platform after the removal; `None` if unknown or not removed.
pub fn is_left_behind(entry: &Entry, stage: Stage) -> Option<bool> {
    if stage != Stage::Removed {
        return None;
    }
    let is_removal = |dated: &&Dated| matches!(dated.event, Event::Removed | Event::RemovalPlanned);
    let removed = entry.events.iter().filter(is_removal).map(|dated| dated.at).max();
    let last = last_known(&entry.measurements)?;
    last.leads_to_platform().filter(|_| Some(last.at) >= removed)
}

/// Whether the last check saw that no record points to the platform, whatever was recorded.
pub fn is_gone(entry: &Entry) -> bool {
    entry.measurements.last().and_then(Measurement::leads_to_platform) == Some(false)
}

/// Whether visitors no longer reach the site, so that nothing can redirect them.
pub fn is_out(entry: &Entry, stage: Stage) -> bool {
    stage == Stage::Removed || last_known(&entry.measurements).is_some_and(|last| last.unknown_there) || is_gone(entry)
}

/// The steps of a removal, in order. `worked`: the redirect was seen to work while there was one.
pub fn removal(
    entry: &Entry,
    stage: Stage,
    redirect: RedirectSeen<'_>,
    worked: bool,
    record: Option<&DnsRecord>,
) -> [Step; 4] {
    let first = "a redirect to another domain is set and works";
    let redirect = match redirect {
        None => Step::new(
            false,
            first,
            "none configured: to send visitors elsewhere, set it in [domains] and in the dashboard",
        ),
        // The removal ends it, which the next check may see before the other.
        Some(_) if is_out(entry, stage) && worked => Step::new(true, first, "it worked; the removal ends it"),
        Some(_) if is_out(entry, stage) => Step::new(None, first, "the removal has ended it"),
        Some(Err(why)) => Step::new(false, first, why),
        Some(Ok(followed)) => {
            let works = leads_on(&followed.findings);
            match deciding(&followed.findings).filter(|_| !works) {
                Some(finding) => {
                    let seen = format!("{} {}", sentence(&finding.title), full_sentence(&finding.fix));
                    Step { is_wrong: true, ..Step::new(false, first, seen) }
                }
                None => Step::new(works, first, followed.hops.first().map_or("", String::as_str)),
            }
        }
    };
    let record = record.map_or_else(
        || "the record".to_owned(),
        |record| format!("{} {} -> {}", record.kind(), record.name.relative_to(&record.zone), record.value),
    );
    let left = is_left_behind(entry, stage);
    let gone = left == Some(false) || is_gone(entry);
    let removed = stage == Stage::Removed;
    let offline = match gone && !removed {
        true => "nothing leads to the platform, so whether it was chosen cannot be seen",
        false => "the site goes offline at once",
    };
    let seen = match left {
        Some(true) => "still there: anyone who adds this name to their project gets your visitors",
        _ if gone => "nothing points to the platform",
        _ => "if it is left behind, anyone who adds this name to their project gets your visitors",
    };
    [
        redirect,
        Step::new(None, "visitors are few enough, in your judgement", ""),
        Step::new(removed, "in the dashboard, menu at the name, choose Remove", offline),
        Step { is_wrong: left == Some(true), ..Step::new(gone, format!("at your DNS provider delete {record}"), seen) },
    ]
}

#[cfg(test)]
mod tests {
    use jiff::Timestamp;

    use super::*;
    use crate::domains::{Code, DnsName, Finding, Redirect, Verdict, Who};

    fn entry(measured: &[(Code, Verdict)], events: Vec<Dated>) -> Entry {
        let finding = |(code, verdict): &(Code, Verdict)| Finding::new(*code, *verdict, Who::Nobody);
        let findings: Vec<Finding> = measured.iter().map(finding).collect();
        let measurements = vec![Measurement::of(&findings, Timestamp::UNIX_EPOCH)];
        Entry { name: DnsName::new("docs.acme.com"), events, measurements }
    }

    const LIVE: [(Code, Verdict); 4] = [
        (Code::DnsOk, Verdict::Ok),
        (Code::CaaNone, Verdict::Ok),
        (Code::TlsOk, Verdict::Ok),
        (Code::HttpOk, Verdict::Ok),
    ];

    fn removed(second: i64) -> Entry {
        let dated = |second, event| Dated { at: Timestamp::from_second(second).unwrap(), event };
        entry(&LIVE, vec![dated(-2, Event::Added), dated(second, Event::Removed)])
    }

    #[test]
    fn a_record_is_left_behind_if_it_was_seen_after_the_removal() {
        assert_eq!(is_left_behind(&removed(-1), Stage::Removed), Some(true));
        // What was seen before says nothing.
        assert_eq!(is_left_behind(&removed(1), Stage::Removed), None);
        assert_eq!(is_left_behind(&removed(-1), Stage::Live), None);
    }

    #[test]
    fn each_step_is_done_once_it_was_seen() {
        let marks = |entry: &Entry, stage, (redirect, worked)| {
            removal(entry, stage, redirect, worked, None).map(|step| step.is_done)
        };
        let live = entry(&LIVE, Vec::new());
        assert_eq!(marks(&live, Stage::Live, (None, false)), [Some(false), None, Some(false), Some(false)]);
        let expected = [Some(true), None, Some(true), Some(false)];
        assert_eq!(marks(&removed(-1), Stage::Removed, (Some(Err("")), true)), expected);
        let gone = entry(&[(Code::DnsMissing, Verdict::Wait)], Vec::new());
        assert_eq!(marks(&gone, Stage::Live, (None, false)), [Some(false), None, Some(false), Some(true)]);
        // Remove was seen before the record was deleted.
        assert_eq!(marks(&gone, Stage::Removed, (Some(Err("")), false)), [None, None, Some(true), Some(true)]);
        let left = removal(&removed(-1), Stage::Removed, None, false, None);
        assert!(left[3].is_wrong && left[3].seen.starts_with("still there"), "{left:?}");
    }

    #[test]
    fn a_redirect_that_works_is_done_even_with_warnings() {
        let [from, to] = ["old.example.com", "www.example.com"].map(DnsName::new);
        for (code, verdict, done) in [
            (Code::RdOk, Verdict::Ok, true),
            (Code::RdStatus, Verdict::Warn, true),
            (Code::RdLoop, Verdict::Fail, false),
        ] {
            let redirect = Redirect { from: from.clone(), to: to.clone(), status: 301 };
            let findings = vec![Finding::new(code, verdict, Who::Dashboard)];
            let followed = FollowedRedirect { redirect, at: Timestamp::UNIX_EPOCH, findings, hops: Vec::new() };
            let steps = removal(&entry(&LIVE, Vec::new()), Stage::Live, Some(Ok(&followed)), false, None);
            assert_eq!((steps[0].is_done, steps[0].is_wrong), (Some(done), !done), "{code}");
        }
    }
}
