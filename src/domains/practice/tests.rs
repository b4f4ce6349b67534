//! What is offered, and that the world follows from any acts at any time.

use jiff::{SignedDuration, Timestamp};
use proptest::prelude::{Just, Strategy, any, prop_assert, prop_assert_eq};
use proptest::sample::{Index, select};

use super::{Act, PACE, Practice};
use crate::domains::finding::Who;
use crate::domains::world::Plan;

fn begin() -> Timestamp {
    "2026-11-21T12:00:00Z".parse().unwrap()
}

/// So many minutes of practice after the beginning.
fn at(minutes: i64) -> Timestamp {
    begin() + SignedDuration::from_mins(minutes)
}

/// A practice in which these acts were done, each a minute after the one before.
fn after(acts: &[Act]) -> (Practice, Timestamp) {
    let mut practice = Practice::new(begin());
    let mut now = begin();
    for act in acts {
        now += SignedDuration::from_mins(1);
        assert!(practice.acts(now).contains(act), "{act:?} is not offered");
        practice.act(*act, now);
    }
    (practice, now)
}

fn offered(acts: &[Act]) -> Vec<Act> {
    let (practice, now) = after(acts);
    practice.acts(now)
}

const READY: [Act; 4] = [Act::AddDomain, Act::DeleteA, Act::AddCname, Act::AddCaa];

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

#[test]
fn what_is_offered_follows_the_way() {
    use Act::*;
    assert_eq!(offered(&[]), [AddDomain, DeleteA, AddCaa, MendRedirect]);
    assert_eq!(offered(&[AddDomain]), [DeleteA, AddCaa, Verify, MendRedirect, Remove]);
    assert_eq!(offered(&[AddDomain, DeleteA]), [AddCname, AddCaa, Verify, MendRedirect, Remove]);
    assert_eq!(offered(&READY), [Verify, MendRedirect, Remove, DeleteCname]);
    let (mut practice, now) = after(&[&READY[..], &[Verify]].concat());
    assert_eq!(practice.acts(now), [Reverify, MendRedirect, Remove, DeleteCname]);
    let late = now + SignedDuration::from_mins(31);
    practice.act(Reverify, late);
    assert_eq!(practice.acts(late), [Reverify, MendRedirect, Remove, DeleteCname]);
    let live = late + SignedDuration::from_mins(2);
    assert_eq!(practice.acts(live), [MendRedirect, RedirectDomain, Remove, DeleteCname]);
    practice.act(MendRedirect, live);
    practice.act(RedirectDomain, live);
    assert_eq!(practice.acts(live), [Remove, DeleteCname]);
    practice.act(Remove, live);
    assert_eq!(practice.acts(live), [DeleteCname, AddDomain]);
    practice.act(DeleteCname, live);
    assert_eq!(practice.acts(live), [AddDomain, AddCname]);
}

/// The time at which the domain has a certificate, if Verify is chosen after these acts, and Re-verify so much later.
fn certificate(acts: &[Act], minutes: i64) -> Option<Timestamp> {
    let (mut practice, verified) = after(&[acts, &[Act::Verify]].concat());
    assert_eq!(practice.certificate, None, "the first order is lost");
    practice.act(Act::Reverify, verified + SignedDuration::from_mins(minutes));
    practice.certificate
}

#[test]
fn a_certificate_comes_after_a_wait_and_only_if_nothing_forbids() {
    assert_eq!(certificate(&READY, 29), None);
    assert_eq!(certificate(&READY, 30), Some(at(5 + 30 + 2)));
    assert_eq!(certificate(&READY[..3], 31), None, "CAA forbids");
    assert_eq!(certificate(&[Act::AddDomain, Act::AddCaa, Act::DeleteA], 31), None, "there is no record");
    let (mut practice, _) = after(&[&READY[..], &[Act::Verify]].concat());
    practice.act(Act::Reverify, at(40));
    practice.act(Act::Reverify, at(41));
    assert_eq!(practice.certificate, Some(at(42)), "asking again does not delay it");
}

#[test]
fn each_act_says_where_and_what() {
    let line = |act: Act| format!("{}: {}", act.place().at(), act.words());
    assert_eq!(line(Act::DeleteA), "at your DNS provider: delete A 127.0.0.2 at docs.acme-cats.com");
    assert_eq!(
        line(Act::AddCname),
        "at your DNS provider: add CNAME docs.acme-cats.com -> sites.petplatform.net, TTL 3600"
    );
    assert_eq!(line(Act::AddCaa), "at your DNS provider: add CAA 0 issue \"letsencrypt.org\" at acme-cats.com");
    assert_eq!(line(Act::Reverify), "in the dashboard: choose Re-verify for docs.acme-cats.com");
    assert_eq!(line(Act::MendRedirect), "in the dashboard: redirect help.acme-pets.com to www.acme-pets.com, 301");
    for act in Act::ALL {
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
        acts in proptest::collection::vec((select(Act::ALL.to_vec()), times()), 0..40),
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
            prop_assert!(other != practice || *next == Act::Reverify, "{next:?} was offered, and did nothing");
        }
        let plan = practice.plan(now);
        prop_assert_eq!(plan.now, now);
        prop_assert_eq!(plan.resolvers.len(), 4);
        prop_assert_eq!(plan.name_servers, Practice::new(begin()).plan(begin()).name_servers);
        prop_assert!(plan.sites.keys().eq(Plan::healthy(begin()).sites.keys()));
    }
}
