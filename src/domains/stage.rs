//! The stage of a domain: one pure function of what the operator reported, the last measurements, and the time.
//! It is computed here only, and rendered everywhere from here.

use std::time::Duration;

use jiff::{SignedDuration, Timestamp};
use serde::{Deserialize, Serialize};

use super::{Caches, Code, Finding, Mark, Reported, Topic, Verdict, deciding, overall, wait_ends};

/// The pause between the first two checks; it doubles while nothing changes.
const FIRST_PAUSE: Duration = Duration::from_secs(60);
/// How long after a promised time to check: caches count whole seconds.
const AFTER_PROMISE: SignedDuration = SignedDuration::from_secs(1);
/// Two promised times that differ by no more are the same.
const SAME_PROMISE: SignedDuration = SignedDuration::from_mins(1);

/// How far a domain is on its way to live, and to removal.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, strum::Display)]
#[serde(rename_all = "kebab-case")]
#[strum(serialize_all = "kebab-case")]
pub enum Stage {
    /// The name is known, the value from the dashboard is not.
    Draft,
    /// The value is known; the name servers do not have the right record yet.
    WaitingForDns,
    /// The name servers have the right record; some caches have the old answer.
    Propagating,
    /// Everything that Verify checks is right.
    ReadyToVerify,
    /// Verify was chosen less than half an hour ago.
    CertificatePending,
    /// Half an hour has passed without a certificate.
    CertificateLate,
    /// The certificate is right, and the platform answers.
    Live,
    /// Something that was right is wrong, or never became right.
    Failing,
    /// The operator plans to remove it.
    RemovalPlanned,
    Removed,
}

impl Stage {
    /// Everything that Verify checks was right at the last measurement.
    pub const fn may_verify(self) -> bool {
        matches!(self, Self::ReadyToVerify | Self::CertificatePending | Self::CertificateLate | Self::Live)
    }

    /// How long to wait before the next check if no time is promised, after `unchanged` checks in a row with the same
    /// result; `None` where nothing is pending.
    fn recheck_after(self, unchanged: u32) -> Option<Duration> {
        let most = match self {
            Self::Draft | Self::Removed => return None,
            Self::Live => Duration::from_secs(3600),
            Self::CertificatePending => FIRST_PAUSE,
            _ => Duration::from_secs(600),
        };
        Some(FIRST_PAUSE.saturating_mul(1 << unchanged.min(6)).min(most))
    }

    /// Time or an operator will change it, so it is worth checking again in the background.
    pub const fn is_pending(self) -> bool {
        !matches!(self, Self::Draft | Self::Live | Self::Removed)
    }
}

/// The stored result of a check.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Measurement {
    /// When.
    pub at: Timestamp,
    /// The verdict of all findings.
    pub verdict: Verdict,
    /// The code that decided.
    pub code: String,
    /// The title of what decided.
    pub title: String,
    /// What to do about it; empty if there is nothing to do.
    #[serde(default)]
    pub fix: String,
    /// When the wait ends that decides.
    pub until: Option<Timestamp>,
    /// The name servers have the right record.
    pub record: bool,
    /// Every resolver that answered sees it.
    pub everywhere: bool,
    /// CAA does not forbid, neither at the name servers nor in caches.
    pub caa: bool,
    /// The certificate is right.
    pub certificate: bool,
    /// The platform answers.
    pub http: bool,
    /// The platform does not know the name.
    pub unknown_there: bool,
    /// Something could be measured at all.
    pub known: bool,
    /// The record was seen to be missing or another; `false` if no server with authority answered.
    #[serde(default)]
    pub elsewhere: bool,
    /// When the certificate expires, if it is right.
    #[serde(default)]
    pub expires: Option<Timestamp>,
    /// What the next check must know about caches.
    #[serde(default)]
    pub caches: Caches,
    /// The right record was seen at the name servers, not only nothing wrong.
    #[serde(default)]
    pub seen: bool,
}

impl Measurement {
    /// The result of `findings`.
    pub fn of(findings: &[Finding], at: Timestamp) -> Self {
        let any = |mark| findings.iter().any(|it| it.code.is(mark));
        let has = |code| findings.iter().any(|it| it.code == code);
        let worst = |topic: Topic, except: Option<Code>| {
            let counts = |f: &&Finding| f.code.topic() == topic && Some(f.code) != except;
            findings.iter().filter(counts).map(|it| it.verdict).max()
        };
        let fails = |topic, except| worst(topic, except) == Some(Verdict::Fail);
        let not_right = |topic| worst(topic, None) >= Some(Verdict::Wait);
        let known = findings.iter().any(|it| it.verdict != Verdict::Unknown);
        let record = known
            && !not_right(Topic::Record)
            && !fails(Topic::Servers, Some(Code::Over48h))
            && !has(Code::DnsValueUnknown);
        // A domain without a delegation leads nowhere; with failing servers it is unknown.
        let silent = fails(Topic::Servers, Some(Code::NotDelegated));
        let may_lead = any(Mark::Leads) || any(Mark::PartlyLeads);
        let elsewhere = !silent && !may_lead && (has(Code::NotDelegated) || not_right(Topic::Record));
        let certificate = any(Mark::GoodCertificate) && !not_right(Topic::Certificate);
        let answers = any(Mark::Answers) && !fails(Topic::Http, None) && !fails(Topic::Redirect, None);
        let texts = |decides: &Finding| (decides.code.to_string(), decides.title.clone(), decides.fix.clone());
        let (code, title, fix) = deciding(findings).map(texts).unwrap_or_default();
        Self {
            at,
            verdict: overall(findings),
            code,
            title,
            fix,
            until: wait_ends(findings),
            record,
            everywhere: record && !any(Mark::NotEverywhere),
            caa: !not_right(Topic::Caa),
            certificate,
            http: certificate && answers,
            unknown_there: has(Code::Http404Project),
            known,
            elsewhere,
            expires: None,
            caches: Caches::default(),
            seen: record && (has(Code::DnsOk) || has(Code::ApexOk) || any(Mark::RightAtSource)),
        }
    }

    /// Whether a `later` one has the same result.
    pub fn says_the_same_as(&self, later: &Self) -> bool {
        let gist = |m: &Self| {
            let parts = [m.record, m.everywhere, m.caa, m.certificate, m.http, m.unknown_there, m.known];
            (m.verdict, m.code.clone(), parts)
        };
        gist(self) == gist(later) && self.promises_the_same_as(later)
    }

    /// Whether a `later` one promises what this one does. The end of a wait is known only to the second, so it varies;
    /// a promised time that has passed is not promised again by another one.
    pub fn promises_the_same_as(&self, later: &Self) -> bool {
        match (self.until, later.until) {
            (Some(old), Some(new)) => old == new || old > later.at && old.duration_since(new).abs() <= SAME_PROMISE,
            (old, new) => old == new,
        }
    }

    /// After a removal: a record still leads to the platform, where others may claim the name. One that
    /// reaches it only through other names is not right, but leads there all the same.
    pub fn is_left_behind(&self) -> bool {
        self.known && (self.record || self.unknown_there || self.code == Code::DnsChain.as_str())
    }

    /// Whether a record leads to the platform; `None` if unknown.
    pub fn leads_to_platform(&self) -> Option<bool> {
        if self.is_left_behind() { Some(true) } else { self.elsewhere.then_some(false) }
    }

    /// All that answered lead to the platform, CAA allows its authority, and certificate and page are right.
    pub const fn is_live(&self) -> bool {
        self.record && self.everywhere && self.caa && self.certificate && self.http
    }
}

/// The last measurement that succeeded.
pub fn last_known(measurements: &[Measurement]) -> Option<&Measurement> {
    measurements.iter().rev().find(|it| it.known)
}

impl Stage {
    /// The stage of a domain at `now`, by what was reported and by the last measurement that measured anything (the latest
    /// is last). Earlier checks matter only in a removal.
    pub fn of(reported: &Reported, measurements: &[Measurement], now: Timestamp) -> Self {
        // Lists of before do not have it noted, and once the record is deleted, it cannot be seen any more.
        let was_removed = || measurements.windows(2).any(|two| two.iter().all(|measured| measured.unknown_there));
        let is_past = |due: Option<Timestamp>| due.is_some_and(|due| now > due);
        let late = is_past(reported.certificate_due());
        let overdue = is_past(reported.record_due()) || reported.verified.is_some();
        let after_verify = if late { Self::CertificateLate } else { Self::CertificatePending };
        match last_known(measurements) {
            _ if reported.removed => Self::Removed,
            // Only the platform tells that Remove was chosen, not that nothing leads there.
            Some(latest) if reported.removal_planned && latest.unknown_there => Self::Removed,
            _ if reported.removal_planned && was_removed() => Self::Removed,
            _ if reported.removal_planned => Self::RemovalPlanned,
            _ if reported.value.is_none() => Self::Draft,
            None if reported.verified.is_some() => after_verify,
            None => Self::WaitingForDns,
            Some(latest) if latest.is_live() => Self::Live,
            Some(latest) if !latest.record && !overdue => Self::WaitingForDns,
            Some(latest) if !latest.record => Self::Failing,
            Some(latest) if (!latest.caa || !latest.everywhere) && latest.verdict != Verdict::Fail => Self::Propagating,
            Some(latest) if !latest.caa || !latest.everywhere => Self::Failing,
            Some(latest) if reported.verified.is_some() && !latest.certificate && may_only_be_late(latest) => {
                after_verify
            }
            Some(latest) if latest.verdict == Verdict::Fail => Self::Failing,
            Some(_) if reported.verified.is_some() => after_verify,
            Some(_) => Self::ReadyToVerify,
        }
    }
}

/// When to check again after a check at `last`: after a pause that grows with `unchanged`, the number of checks in a
/// row with the same result, or a second after the promised end of the wait (`until`), the 30 minutes or the 48 hours,
/// whichever comes first. `None` if nothing is pending.
pub fn next_check(
    state: Stage,
    reported: &Reported,
    until: Option<Timestamp>,
    unchanged: u32,
    last: Timestamp,
) -> Option<Timestamp> {
    let due = |promised: Option<Timestamp>| promised?.checked_add(AFTER_PROMISE).ok();
    let passed = due(until).is_some_and(|due| due <= last);
    // If a promised time passed meanwhile, check soon.
    let pause = state.recheck_after(if passed { 0 } else { unchanged })?;
    let promised = [until, reported.certificate_due(), reported.record_due()].into_iter().filter_map(due);
    promised.filter(|due| *due > last).chain(last.checked_add(pause)).min()
}

/// The only problem is that the certificate is missing.
fn may_only_be_late(latest: &Measurement) -> bool {
    latest.verdict != Verdict::Fail || latest.code.parse().is_ok_and(|code: Code| code.is(Mark::NotYetCertificate))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domains::{DnsName, DomainProgress, Who};

    fn at(minutes: i64) -> Timestamp {
        Timestamp::from_second(1_800_000_000 + 60 * minutes).unwrap()
    }

    fn reported() -> Reported {
        Reported { added: Some(at(0)), value: Some(DnsName::new("sites.platform.net")), ..Reported::default() }
    }

    fn measured(minutes: i64, lines: &[(Code, Verdict)]) -> Measurement {
        let findings: Vec<_> = lines.iter().map(|(code, verdict)| Finding::new(*code, *verdict, Who::Nobody)).collect();
        Measurement::of(&findings, at(minutes))
    }

    const RIGHT: (Code, Verdict) = (Code::DnsOk, Verdict::Ok);
    const FREE: (Code, Verdict) = (Code::CaaNone, Verdict::Ok);
    const GOOD: (Code, Verdict) = (Code::TlsOk, Verdict::Ok);
    const ANSWERS: (Code, Verdict) = (Code::HttpOk, Verdict::Ok);

    fn state(reported: &Reported, measurements: &[Measurement], minutes: i64) -> Stage {
        Stage::of(reported, measurements, at(minutes))
    }

    #[test]
    fn the_way_from_draft_to_live() {
        assert_eq!(state(&Reported { value: None, ..reported() }, &[], 1), Stage::Draft);
        assert_eq!(state(&reported(), &[], 1), Stage::WaitingForDns);
        let missing = measured(1, &[(Code::DnsMissing, Verdict::Wait), FREE]);
        assert_eq!(state(&reported(), &[missing], 1), Stage::WaitingForDns);
        let saved = Reported { saved: Some(at(2)), ..reported() };
        let old = measured(3, &[(Code::TtlWait, Verdict::Wait), FREE]);
        assert_eq!(state(&saved, &[old], 3), Stage::Propagating);
        let right = measured(60, &[RIGHT, FREE, (Code::TlsPending, Verdict::Wait)]);
        assert_eq!(state(&saved, std::slice::from_ref(&right), 60), Stage::ReadyToVerify);
        let verified = Reported { verified: Some(at(61)), ..saved };
        assert_eq!(state(&verified, std::slice::from_ref(&right), 62), Stage::CertificatePending);
        let late = measured(92, &[RIGHT, FREE, (Code::TlsPending, Verdict::Fail)]);
        assert_eq!(state(&verified, &[late], 92), Stage::CertificateLate);
        let live = measured(93, &[RIGHT, FREE, GOOD, ANSWERS]);
        assert_eq!(state(&verified, std::slice::from_ref(&live), 93), Stage::Live);
        assert_eq!(state(&reported(), &[live], 93), Stage::Live, "also without a word of Verify");
    }

    #[test]
    fn a_wait_that_is_over_has_failed() {
        let saved = Reported { saved: Some(at(0)), ..reported() };
        let wrong = measured(5, &[(Code::DnsABlocks, Verdict::Fail), FREE]);
        assert_eq!(state(&saved, std::slice::from_ref(&wrong), 5), Stage::WaitingForDns);
        assert_eq!(state(&saved, &[wrong], 48 * 60 + 1), Stage::Failing);
        let over = measured(48 * 60 + 1, &[(Code::Over48h, Verdict::Fail), FREE]);
        assert_eq!(state(&saved, &[over], 48 * 60 + 1), Stage::Failing);
        let blocked = measured(5, &[RIGHT, (Code::CaaBlocked, Verdict::Fail)]);
        assert_eq!(state(&saved, &[blocked], 5), Stage::Failing);
        let verified = Reported { verified: Some(at(0)), ..saved };
        let red = measured(40, &[RIGHT, (Code::CaaBlocked, Verdict::Fail), (Code::TlsPending, Verdict::Fail)]);
        assert_eq!(state(&verified, &[red], 40), Stage::Failing);
    }

    #[test]
    fn the_stage_follows_from_the_latest_measurement_only() {
        let verified = Reported { verified: Some(at(0)), ..reported() };
        let with = |code, verdict| measured(2, &[(code, verdict), FREE, GOOD, ANSWERS]);
        let latest = [
            (measured(2, &[RIGHT, FREE, GOOD, ANSWERS]), Stage::Live),
            (with(Code::TlsSoon, Verdict::Warn), Stage::Live),
            (with(Code::TtlWait, Verdict::Wait), Stage::Propagating),
            (with(Code::NegWait, Verdict::Wait), Stage::Propagating),
            (with(Code::StaleServed, Verdict::Wait), Stage::Propagating),
            (with(Code::ResolversDisagree, Verdict::Warn), Stage::Propagating),
            (with(Code::Over48h, Verdict::Fail), Stage::Failing),
            (with(Code::DnsABlocks, Verdict::Fail), Stage::Failing),
            (measured(2, &[RIGHT, (Code::CaaBlocked, Verdict::Fail), GOOD, ANSWERS]), Stage::Failing),
        ];
        for (latest, expected) in &latest {
            assert_eq!(state(&verified, std::slice::from_ref(latest), 3), *expected, "{}", latest.code);
        }
        let earlier: Vec<&Measurement> = latest.iter().map(|(earlier, _)| earlier).collect();
        for (latest, expected) in &latest {
            for (first, second) in earlier.iter().flat_map(|first| earlier.iter().map(move |second| (first, second))) {
                let all = [(*first).clone(), (*second).clone(), latest.clone()];
                let codes = all.each_ref().map(|measurement| measurement.code.as_str());
                assert_eq!(state(&verified, &all, 3), *expected, "{codes:?}");
            }
        }
    }

    #[test]
    fn without_a_measurement_the_last_good_one_counts_with_its_age() {
        let live = measured(1, &[RIGHT, FREE, GOOD, ANSWERS]);
        let offline = measured(11, &[(Code::Offline, Verdict::Unknown)]);
        let progress = DomainProgress::of(&[live, offline], &reported(), None, at(11));
        assert_eq!((progress.stage, progress.stale), (Stage::Live, Some(SignedDuration::from_mins(10))));
    }

    #[test]
    fn removal_ends_by_word_or_when_the_platform_forgets_the_name() {
        let planned = Reported { removal_planned: true, ..reported() };
        assert_eq!(state(&planned, &[measured(1, &[RIGHT, FREE, GOOD, ANSWERS])], 2), Stage::RemovalPlanned);
        let gone = measured(1, &[RIGHT, FREE, GOOD, (Code::Http404Project, Verdict::Fail)]);
        assert_eq!(state(&planned, std::slice::from_ref(&gone), 2), Stage::Removed);
        let deleted = measured(1, &[(Code::DnsMissing, Verdict::Fail), FREE]);
        let history = [gone.clone(), gone.clone(), deleted.clone()];
        assert_eq!(state(&planned, &history, 2), Stage::Removed, "seen before the record was deleted");
        assert_eq!(state(&planned, &[gone, deleted.clone()], 2), Stage::RemovalPlanned, "a page may miss for a moment");
        assert_eq!(state(&planned, &[deleted], 2), Stage::RemovalPlanned, "only the record was deleted");
        assert_eq!(state(&Reported { removed: true, ..planned }, &[], 2), Stage::Removed);
    }

    #[test]
    fn a_record_is_left_behind_where_it_leads_to_the_platform_in_any_way() {
        let left = |lines: &[(Code, Verdict)]| measured(1, lines).is_left_behind();
        assert!(left(&[RIGHT, FREE, GOOD, ANSWERS]));
        assert!(left(&[(Code::DnsWildcardOk, Verdict::Warn)]));
        assert!(left(&[(Code::ApexOk, Verdict::Ok)]));
        assert!(left(&[(Code::DnsADirect, Verdict::Warn)]));
        assert!(left(&[(Code::DnsChain, Verdict::Fail), (Code::TlsPending, Verdict::Fail)]));
        assert!(left(&[(Code::DnsValueUnknown, Verdict::Unknown), (Code::Http404Project, Verdict::Fail)]));
        assert!(!left(&[(Code::DnsMissing, Verdict::Wait)]));
        assert!(!left(&[(Code::DnsWrongTarget, Verdict::Fail)]));
        assert!(!left(&[(Code::Offline, Verdict::Unknown)]));
    }

    #[test]
    fn that_nothing_leads_to_the_platform_is_reported_only_if_it_was_seen() {
        let leads = |lines: &[(Code, Verdict)]| measured(1, lines).leads_to_platform();
        assert_eq!(leads(&[RIGHT, FREE, GOOD, ANSWERS]), Some(true));
        assert_eq!(leads(&[(Code::DnsMissing, Verdict::Wait), FREE]), Some(false));
        assert_eq!(leads(&[(Code::DnsWrongTarget, Verdict::Fail)]), Some(false));
        assert_eq!(leads(&[(Code::NotDelegated, Verdict::Fail)]), Some(false));
        assert_eq!(leads(&[(Code::Offline, Verdict::Unknown)]), None);
        assert_eq!(leads(&[]), None);
        // The CNAME still has the value of the dashboard, or the addresses are those of the platform.
        assert_eq!(leads(&[(Code::DnsTargetGone, Verdict::Fail)]), None);
        assert_eq!(leads(&[(Code::DnsHttpsElsewhere, Verdict::Fail), (Code::ApexOk, Verdict::Ok)]), None);
        assert_eq!(leads(&[(Code::DnsADirect, Verdict::Fail)]), None);
        assert_eq!(leads(&[(Code::LameAll, Verdict::Fail), (Code::DnsMissing, Verdict::Fail)]), None);
        assert_eq!(leads(&[(Code::DnsCnameAndOther, Verdict::Fail)]), None);
        assert_eq!(leads(&[(Code::DnssecBogus, Verdict::Fail), RIGHT]), None);
        assert_eq!(leads(&[(Code::DnsValueUnknown, Verdict::Unknown), FREE, GOOD, ANSWERS]), None);
    }

    #[test]
    fn only_what_is_on_its_way_is_pending() {
        let still = [Stage::Draft, Stage::Live, Stage::Removed];
        assert!(still.iter().all(|state| !state.is_pending()));
        let moving = [Stage::WaitingForDns, Stage::Propagating, Stage::Failing, Stage::RemovalPlanned];
        assert!(moving.iter().all(|state| state.is_pending()));
    }

    #[test]
    fn a_clock_that_was_set_back_makes_no_negative_age() {
        let verified = Reported { verified: Some(at(100)), ..reported() };
        let right = measured(99, &[RIGHT, FREE, (Code::TlsPending, Verdict::Wait)]);
        assert_eq!(state(&verified, &[right], 50), Stage::CertificatePending);
    }

    #[test]
    fn checks_slow_down_while_nothing_changes() {
        let seconds = |state: Stage, unchanged| state.recheck_after(unchanged).map(|wait| wait.as_secs());
        assert_eq!([0, 1, 2, 9].map(|n| seconds(Stage::Propagating, n)), [Some(60), Some(120), Some(240), Some(600)]);
        assert_eq!(seconds(Stage::Live, 40), Some(3600));
        assert_eq!(seconds(Stage::CertificatePending, 5), Some(60));
        assert_eq!(seconds(Stage::Removed, 0), None);
    }

    #[test]
    fn the_next_check_is_a_second_after_a_promised_time_or_a_deadline_unless_the_pause_ends_before() {
        let seconds = |reported: &Reported, until: Option<Timestamp>, unchanged| {
            let next = next_check(Stage::Propagating, reported, until, unchanged, at(0)).unwrap();
            next.duration_since(at(0)).as_secs()
        };
        let promised = |seconds| Some(at(0) + SignedDuration::from_secs(seconds));
        assert_eq!([0, 3, 9].map(|unchanged| seconds(&reported(), None, unchanged)), [60, 480, 600]);
        assert_eq!([3, 59, 60, 5000].map(|after| seconds(&reported(), promised(after), 0)), [4, 60, 60, 60]);
        assert_eq!([0, 3, 130, 5000].map(|after| seconds(&reported(), promised(after), 9)), [1, 4, 131, 600]);
        assert_eq!(seconds(&reported(), promised(-1), 9), 60, "it passed while the check ran");
        let verified = Reported { verified: Some(at(-29)), ..reported() };
        assert_eq!(seconds(&verified, promised(500), 9), 61);
        assert_eq!(seconds(&Reported { verified: Some(at(-31)), ..reported() }, None, 9), 600);
        let saved = Reported { saved: Some(at(-48 * 60 + 2)), ..reported() };
        assert_eq!([0, 9].map(|unchanged| seconds(&saved, None, unchanged)), [60, 121]);
        assert_eq!(next_check(Stage::Removed, &reported(), promised(3), 0, at(0)), None);
    }

    #[test]
    fn a_promise_may_waver_but_one_that_has_passed_is_not_made_again() {
        let wait = |minutes, until: i64| Measurement {
            until: Some(at(0) + SignedDuration::from_secs(until)),
            ..measured(minutes, &[(Code::TtlWait, Verdict::Wait)])
        };
        assert!(wait(0, 600).says_the_same_as(&wait(1, 601)));
        assert!(!wait(0, 600).says_the_same_as(&wait(1, 700)));
        assert!(!wait(0, 600).says_the_same_as(&wait(10, 630)), "10 minutes were promised, and are over");
    }

    #[test]
    fn what_is_kept_is_the_end_of_the_wait_that_decides() {
        let until = |verdict| {
            let finding = |code, verdict, minutes| Finding::new(code, verdict, Who::Nobody).until(at(minutes));
            let findings = [
                finding(Code::TtlWait, Verdict::Wait, 5),
                finding(Code::TlsPending, Verdict::Wait, 30),
                finding(Code::CaaBlocked, verdict, 90),
            ];
            Measurement::of(&findings, at(0)).until
        };
        assert_eq!(until(Verdict::Warn), Some(at(5)));
        assert_eq!(until(Verdict::Fail), None, "waiting does not fix it");
    }
}
