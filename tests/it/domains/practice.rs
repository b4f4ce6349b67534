//! The whole way of a domain in practice, by the real checker.

use crate::prelude::*;

use petstore::domains::{CheckOptions, Dated, Event, Expectation, Practice, PracticeStep, Registry};

use super::fixture::{Outcome, check, check_redirect, now};

/// An operator who practises.
struct Operator {
    practice: Practice,
    list: Registry,
    now: Timestamp,
}

impl Operator {
    fn new() -> Self {
        let practice = Practice::new(now());
        let list = practice.list();
        Self { practice, list, now: now() }
    }

    fn wait(&mut self, minutes: i64) {
        self.now += SignedDuration::from_mins(minutes);
    }

    /// Does what is offered, a minute later.
    fn act(&mut self, act: PracticeStep) {
        self.wait(1);
        assert!(self.practice.acts(self.now).contains(&act), "{act:?} is not offered");
        self.practice.act(act, self.now);
    }

    fn tell(&mut self, event: Event) {
        self.list.note(&DnsName::new(Practice::DOMAIN), Dated { at: self.now, event });
    }

    /// The checker, with the world as it is now.
    fn checker(&self) -> CheckOptions {
        let options = self.practice.options(self.now);
        let platform_host = Some(DnsName::new(Practice::PLATFORM_HOST));
        CheckOptions { expectation: Expectation { platform_host, ..options.expectation }, ..options }
    }

    async fn look_at(&mut self, domain: &str) -> (Stage, Outcome) {
        let name = DnsName::new(domain);
        let reported = self.list.get(&name).unwrap().reported();
        let outcome = check(&self.checker(), domain, &reported).await;
        let entry = self.list.get_mut(&name).unwrap();
        entry.keep(Measurement::of(&outcome.findings, self.now));
        (Stage::of(&reported, &entry.measurements, self.now), outcome)
    }

    /// Checks the domain: its stage, and the deciding finding.
    async fn look(&mut self) -> (Stage, Code, Outcome) {
        let (state, outcome) = self.look_at(Practice::DOMAIN).await;
        (state, outcome.code(), outcome)
    }

    async fn follow(&self, redirect: &Redirect) -> Outcome {
        check_redirect(&self.checker(), redirect).await
    }
}

fn of(outcome: &Outcome, code: Code) -> Vec<&Finding> {
    outcome.findings.iter().filter(|finding| finding.code == code).collect()
}

fn value() -> Event {
    Event::Value { host: DnsName::new(Practice::PLATFORM_HOST) }
}

fn to_primary() -> Redirect {
    Redirect { from: DnsName::new(Practice::DOMAIN), to: DnsName::new(Practice::PRIMARY), status: 301 }
}

#[tokio::test(flavor = "multi_thread")]
async fn the_existing_domains_are_live_except_for_a_redirect_loop() {
    let mut operator = Operator::new();
    let (state, outcome) = operator.look_at(Practice::PRIMARY).await;
    assert_eq!((state, outcome.verdict()), (Stage::Live, Verdict::Ok), "{}", outcome.lines());
    let redirects = [Redirect { from: DnsName::new(Practice::REDIRECTED), ..to_primary() }];
    let (state, outcome) = operator.look_at(Practice::REDIRECTED).await;
    assert_eq!((state, outcome.code()), (Stage::Failing, Code::RdLoop), "{}", outcome.lines());
    assert_eq!(operator.follow(&redirects[0]).await.code(), Code::RdLoop);

    operator.act(PracticeStep::CorrectRedirect);
    let (state, outcome) = operator.look_at(Practice::REDIRECTED).await;
    assert_eq!((state, outcome.verdict()), (Stage::Live, Verdict::Ok), "{}", outcome.lines());
    let outcome = operator.follow(&redirects[0]).await;
    assert_eq!((outcome.verdict(), outcome.code()), (Verdict::Ok, Code::RdOk), "{}", outcome.lines());

    // Two days of the wall clock later.
    operator.wait(2 * 24 * 60 * 60);
    let (state, outcome) = operator.look_at(Practice::PRIMARY).await;
    assert_eq!((state, outcome.verdict()), (Stage::Live, Verdict::Ok), "{}", outcome.lines());
}

#[tokio::test(flavor = "multi_thread")]
async fn the_way_from_draft_to_live_and_out_again_meets_each_trouble_in_its_order() {
    let mut operator = Operator::new();
    operator.tell(Event::Added);
    let (state, ..) = operator.look().await;
    assert_eq!(state, Stage::Draft);

    operator.act(PracticeStep::AddDomain);
    operator.tell(value());
    let (state, code, outcome) = operator.look().await;
    assert_eq!((state, code), (Stage::WaitingForDns, Code::DnsABlocks), "{}", outcome.lines());
    assert_eq!(outcome.verdict(), Verdict::Fail);

    operator.act(PracticeStep::DeleteA);
    let deleted = operator.now;
    operator.act(PracticeStep::AddCname);
    operator.tell(Event::Saved);
    let (state, code, outcome) = operator.look().await;
    assert_eq!((state, code), (Stage::Failing, Code::CaaBlocked), "{}", outcome.lines());
    let waits = of(&outcome, Code::TtlWait);
    assert!(waits.len() == 1 && waits[0].seen.contains("; also "), "two resolvers in one finding: {}", outcome.lines());

    operator.act(PracticeStep::AddCaa);
    let (state, code, outcome) = operator.look().await;
    assert_eq!((state, code), (Stage::Propagating, Code::TtlWait), "{}", outcome.lines());
    let until = deleted + SignedDuration::from_secs(1254);
    let promised = outcome.find(Code::TtlWait).until.unwrap();
    assert!((promised - until).get_seconds().abs() <= 2, "{promised} is not {until}");
    operator.wait(10);
    let (_, _, outcome) = operator.look().await;
    let waits = of(&outcome, Code::TtlWait);
    assert!(waits.len() == 1 && !waits[0].seen.contains("; also "), "{}", outcome.lines());
    let promised = outcome.find(Code::TtlWait).until.unwrap();
    assert!((promised - until).get_seconds().abs() <= 2, "the time left becomes less: {promised} is not {until}");

    operator.now = deleted;
    operator.wait(21);
    let (state, code, outcome) = operator.look().await;
    assert_eq!((state, code), (Stage::ReadyToVerify, Code::TlsPending), "{}", outcome.lines());

    operator.act(PracticeStep::Verify);
    operator.tell(Event::Verified);
    let (state, code, outcome) = operator.look().await;
    assert_eq!((state, code), (Stage::CertificatePending, Code::TlsPending), "{}", outcome.lines());
    operator.wait(31);
    let (state, code, outcome) = operator.look().await;
    assert_eq!((state, code), (Stage::CertificateLate, Code::TlsPending), "{}", outcome.lines());
    operator.act(PracticeStep::Reverify);
    operator.tell(Event::Verified);
    let (state, code, outcome) = operator.look().await;
    assert_eq!((state, code), (Stage::CertificatePending, Code::TlsPending), "{}", outcome.lines());
    operator.wait(3);
    let (state, _, outcome) = operator.look().await;
    assert_eq!((state, outcome.verdict()), (Stage::Live, Verdict::Ok), "{}", outcome.lines());
    outcome.find(Code::TlsOk);
    outcome.find(Code::HttpOk);

    assert_eq!(operator.follow(&to_primary()).await.code(), Code::RdNone);
    operator.act(PracticeStep::RedirectDomain);
    let outcome = operator.follow(&to_primary()).await;
    assert_eq!((outcome.verdict(), outcome.code()), (Verdict::Ok, Code::RdOk), "{}", outcome.lines());
    let (state, _, outcome) = operator.look().await;
    assert_eq!((state, outcome.verdict()), (Stage::Live, Verdict::Ok), "{}", outcome.lines());

    operator.tell(Event::RemovalPlanned);
    let (state, ..) = operator.look().await;
    assert_eq!(state, Stage::RemovalPlanned);
    operator.act(PracticeStep::Remove);
    let (state, code, outcome) = operator.look().await;
    assert_eq!((state, code), (Stage::Removed, Code::Http404Project), "{}", outcome.lines());

    operator.tell(Event::Removed);
    operator.act(PracticeStep::DeleteCname);
    let (state, code, outcome) = operator.look().await;
    assert_eq!((state, code), (Stage::Removed, Code::DnsMissing), "{}", outcome.lines());
    assert!(outcome.seen.handshakes.is_empty(), "nothing leads to the platform");
    assert_eq!(
        operator.practice.acts(operator.now),
        [PracticeStep::AddDomain, PracticeStep::AddCname, PracticeStep::CorrectRedirect]
    );
}

/// Whether practice proposes Verify or Re-verify.
fn proposes(operator: &Operator) -> bool {
    let acts = operator.practice.acts(operator.now);
    acts.contains(&PracticeStep::Verify) || acts.contains(&PracticeStep::Reverify)
}

#[tokio::test(flavor = "multi_thread")]
async fn practice_proposes_verify_exactly_when_the_checker_does() {
    let mut operator = Operator::new();
    operator.act(PracticeStep::AddDomain);
    operator.tell(value());
    for act in [PracticeStep::DeleteA, PracticeStep::AddCname, PracticeStep::AddCaa] {
        let (state, ..) = operator.look().await;
        assert!(state != Stage::ReadyToVerify && !proposes(&operator), "{state:?}");
        operator.act(act);
    }
    operator.tell(Event::Saved);
    let mut proposed = 0;
    for _ in 0..30 {
        let (state, _, outcome) = operator.look().await;
        assert_eq!(state == Stage::ReadyToVerify, proposes(&operator), "{}", outcome.lines());
        assert_eq!(
            state == Stage::Propagating,
            operator.practice.waits_for(operator.now).is_some(),
            "{}",
            outcome.lines()
        );
        proposed += usize::from(proposes(&operator));
        operator.wait(1);
    }
    assert!(proposed > 5, "{proposed}");
}
