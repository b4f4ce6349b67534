//! What is offered, and that the world follows from any acts at any time.

use jiff::{SignedDuration, Timestamp};
use proptest::prelude::{Just, Strategy, any, prop_assert, prop_assert_eq};
use proptest::sample::{Index, select};
use strum::VariantArray as _;

use super::{PACE, Practice, PracticeStep};
use crate::domains::Who;

fn begin() -> Timestamp {
    "2026-11-21T12:00:00Z".parse().unwrap()
}

/// So many minutes of practice after the beginning.
fn at(minutes: i64) -> Timestamp {
    begin() + SignedDuration::from_mins(minutes)
}

/// A practice in which these acts were done, each a minute after the one before.
fn after(acts: &[PracticeStep]) -> (Practice, Timestamp) {
    let mut practice = Practice::new(begin());
    let mut now = begin();
    for act in acts {
        now += SignedDuration::from_mins(1);
        assert!(practice.acts(now).contains(act), "{act:?} is not offered");
        practice.act(*act, now);
    }
    (practice, now)
}

fn offered(acts: &[PracticeStep]) -> Vec<PracticeStep> {
    let (practice, now) = after(acts);
    practice.acts(now)
}

const READY: [PracticeStep; 4] =
    [PracticeStep::AddDomain, PracticeStep::DeleteA, PracticeStep::AddCname, PracticeStep::AddCaa];

#[test]
fn the_clock_of_practice_runs_faster_and_never_before_its_beginning() {
    let practice = Practice::new(begin());
    let wall = |seconds| begin() + SignedDuration::from_secs(seconds);
    assert_eq!(practice.time(wall(0)), begin());
    assert_eq!(practice.time(wall(2)), at(2));
    assert_eq!(practice.time(wall(-7)), begin());
    assert_eq!(practice.time(Timestamp::MAX), Timestamp::MAX);
    assert_eq!(PACE, 60);
}

/// When the last cache has forgotten the A record.
fn forgotten() -> Timestamp {
    at(2) + SignedDuration::from_secs(1254)
}

#[test]
fn what_is_offered_follows_the_way_and_verify_only_when_it_succeeds() {
    use PracticeStep::*;
    assert_eq!(offered(&[]), [AddDomain, DeleteA, AddCaa, CorrectRedirect]);
    assert_eq!(offered(&[AddDomain]), [DeleteA, AddCaa, CorrectRedirect, Remove]);
    assert_eq!(offered(&[AddDomain, DeleteA]), [AddCname, AddCaa, CorrectRedirect, Remove]);
    let (mut practice, now) = after(&READY);
    assert_eq!(practice.acts(now), [CorrectRedirect, Remove, DeleteCname]);
    assert!(practice.waits_for(now).is_some() && practice.waits_for(forgotten()).is_none());
    assert!(practice.waits_for(now).unwrap().ends_with("s, until resolvers have forgotten the old record"));
    let verified = forgotten();
    assert_eq!(practice.acts(verified), [Verify, CorrectRedirect, Remove, DeleteCname]);
    practice.act(Verify, verified);
    let (early, late) = (verified + SignedDuration::from_mins(29), verified + SignedDuration::from_mins(30));
    assert_eq!(practice.acts(early), [CorrectRedirect, Remove, DeleteCname], "the certificate may still come");
    assert!(practice.waits_for(early).is_some() && practice.waits_for(late).is_none());
    assert_eq!(practice.acts(late), [Reverify, CorrectRedirect, Remove, DeleteCname]);
    practice.act(Reverify, late);
    assert_eq!(practice.acts(late), [CorrectRedirect, Remove, DeleteCname]);
    assert!(practice.waits_for(late).is_some());
    let live = late + SignedDuration::from_mins(2);
    assert_eq!(practice.acts(live), [CorrectRedirect, RedirectDomain, Remove, DeleteCname]);
    assert!(practice.waits_for(live).is_none());
    practice.act(CorrectRedirect, live);
    practice.act(RedirectDomain, live);
    assert_eq!(practice.acts(live), [Remove, DeleteCname]);
    practice.act(Remove, live);
    assert_eq!(practice.acts(live), [DeleteCname, AddDomain]);
    practice.act(DeleteCname, live);
    assert_eq!(practice.acts(live), [AddDomain, AddCname]);
}

#[test]
fn the_first_order_is_lost_and_the_second_brings_the_certificate() {
    let (mut practice, _) = after(&READY);
    let verified = forgotten();
    practice.act(PracticeStep::Verify, verified);
    assert_eq!(practice.certificate, None);
    let late = verified + SignedDuration::from_mins(30);
    practice.act(PracticeStep::Reverify, late);
    let comes = late + SignedDuration::from_mins(2);
    assert_eq!(practice.certificate, Some(comes));
    practice.act(PracticeStep::Reverify, late + SignedDuration::from_mins(1));
    assert_eq!(practice.certificate, Some(comes), "asking again does not delay it");
}

#[test]
fn verify_waits_for_a_resolver_that_asked_before_the_record_was_there() {
    let (mut practice, _) = after(&[PracticeStep::AddDomain, PracticeStep::DeleteA, PracticeStep::AddCaa]);
    let added = forgotten();
    practice.act(PracticeStep::AddCname, added);
    assert!(practice.waits_for(added).is_some());
    // It asked five minutes before, and forgets after fifteen.
    let knows = added + SignedDuration::from_mins(10);
    assert!(practice.acts(knows).contains(&PracticeStep::Verify));
}

#[test]
fn each_act_says_where_and_what() {
    let line = |act: PracticeStep| format!("{}: {}", act.place().at(), act.words());
    assert_eq!(line(PracticeStep::DeleteA), "at your DNS provider: delete A 203.0.113.2 at docs.acme-cats.com");
    let expected = "at your DNS provider: add CNAME docs.acme-cats.com -> sites.petplatform.net, TTL 3600";
    assert_eq!(line(PracticeStep::AddCname), expected);
    let expected = "at your DNS provider: add CAA 0 issue \"letsencrypt.org\" at acme-cats.com";
    assert_eq!(line(PracticeStep::AddCaa), expected);
    assert_eq!(line(PracticeStep::Reverify), "in the dashboard: choose Re-verify for docs.acme-cats.com");
    let expected = "in the dashboard: redirect help.acme-pets.com to www.acme-pets.com, 301";
    assert_eq!(line(PracticeStep::CorrectRedirect), expected);
    for act in PracticeStep::VARIANTS.iter().copied() {
        assert!(matches!(act.place(), Who::DnsProvider | Who::Dashboard), "{act:?}");
    }
}

fn times() -> impl Strategy<Value = Timestamp> {
    let minutes = (-100_i64..100_000).prop_map(at);
    proptest::prop_oneof![8 => minutes, 1 => Just(Timestamp::MIN), 1 => Just(Timestamp::MAX)]
}

proptest::proptest! {
    #[test]
    fn any_acts_at_any_time_leave_a_world(
        acts in proptest::collection::vec((select(PracticeStep::VARIANTS.to_vec()), times()), 0..40),
        chosen in any::<Index>(),
        now in times(),
    ) {
        let mut practice = Practice::new(begin());
        for (act, at) in acts {
            let before = practice.clone();
            let is_offered = practice.acts(at).contains(&act);
            practice.act(act, at);
            prop_assert!(is_offered || practice == before, "{act:?} was not offered, and did something");
            let offered = practice.acts(at);
            prop_assert!(!offered.is_empty());
            let next = chosen.get(&offered);
            let mut other = practice.clone();
            other.act(*next, at);
            prop_assert!(other != practice || *next == PracticeStep::Reverify, "{next:?} was offered, and did nothing");
        }
        let options = practice.options(now);
        prop_assert_eq!(options.now, Some(now));
        prop_assert_eq!(options.resolvers.len(), 4);
        prop_assert_eq!(options.name_servers, Practice::new(begin()).options(begin()).name_servers);
    }
}
