//! What caches hold, and what is promised of them, check after check in simulated time.

use crate::prelude::*;

use crate::simulator::{LoggedServer, Plan, Zone, ZoneData};
use petstore::domains::Checked;

use super::journey::Journey;

const DOMAIN: &str = Plan::DOMAIN;
const ZONE: &str = Plan::ZONE;
const OLD_SERVER: &str = "ns1.oldhost.net";
const OTHER_CA: &str = "other-authority.example";

fn old_address(plan: &mut Plan) {
    plan.zone(ZONE).set(DOMAIN, 300, ZoneData::address(Plan::OLD_ADDRESS));
}

fn right(plan: &mut Plan) {
    plan.zone(ZONE).set(DOMAIN, 3600, ZoneData::cname(Plan::PLATFORM_HOST));
}

fn caa(plan: &mut Plan, issuer: &str) {
    plan.zone(ZONE).add(ZONE, 3600, ZoneData::caa("issue", issuer));
}

/// The finding that decides.
fn decides(checked: &Checked) -> &Finding {
    petstore::domains::finding::deciding(&checked.findings).unwrap()
}

/// Code and verdict of what decides, and how many seconds from now on it lasts.
fn said(journey: &Journey, checked: &Checked) -> (Code, Verdict, Option<i64>) {
    let finding = decides(checked);
    let left = checked.measurement.until.map(|until| until.duration_since(journey.time()).as_secs());
    (finding.code, finding.verdict, left)
}

/// The old provider still has the zone; the registrar no longer lists it.
async fn moved(old: fn(&mut Zone)) -> Journey {
    let mut journey = Journey::new(DOMAIN, |plan| {
        let mut copy = Zone::new(ZONE, &[OLD_SERVER]);
        old(&mut copy);
        plan.name_server(OLD_SERVER).copies.push(copy);
        plan.zone("com").remove(ZONE, RecordType::NS).add(ZONE, 86_400, ZoneData::ns(OLD_SERVER));
    })
    .await;
    journey.everybody_visits();
    journey.pass(300 - 5);
    journey.save(|plan| {
        plan.zone("com").delegate(ZONE, &Plan::NAME_SERVERS);
    });
    journey
}

#[tokio::test]
async fn a_change_of_name_servers_takes_as_long_as_resolvers_cache_the_old_ones() {
    let mut journey = moved(|copy| {
        copy.add(DOMAIN, 300, ZoneData::address(Plan::OLD_ADDRESS));
    })
    .await;
    let checked = journey.check().await;
    assert_eq!(said(&journey, &checked), (Code::NsWait, Verdict::Wait, Some(86_400 - 295 + 300)));
    assert_eq!(checked.progress.stage, Stage::Propagating);
    let finding = decides(&checked);
    let (first, others) = finding.seen.split_once("; also ").unwrap();
    assert!(first.ends_with("still asks ns1.oldhost.net, for up to 23 h 56 min"), "{first}");
    assert!(others.ends_with(", for at most as long"), "one finding for all that say the same: {others}");
    let fix = "just wait; or add CNAME docs -> sites.petplatform.net, TTL 3600 at ns1.oldhost.net, too, and it is over in 5 s";
    assert_eq!(finding.fix, fix);
    let promised = checked.measurement.until;
    journey.pass(600);
    journey.everybody_visits();
    journey.pass(100);
    assert_eq!(
        journey.check().await.measurement.until,
        promised,
        "the old answer was renewed, the promise is the same"
    );

    // With the record there, too, only its TTL counts.
    journey.world.change(|plan| {
        let copy = &mut plan.name_server(OLD_SERVER).copies[0];
        copy.set(DOMAIN, 300, ZoneData::cname(Plan::PLATFORM_HOST));
    });
    let checked = journey.check().await;
    assert_eq!(decides(&checked).code, Code::TtlWait);
    journey.pass(201);
    assert_eq!(journey.check().await.progress.stage, Stage::Live);
}

#[tokio::test]
async fn old_name_servers_that_dropped_the_zone_are_waited_for_too() {
    let mut journey = moved(|_| ()).await;
    journey.world.change(|plan| plan.name_server(OLD_SERVER).copies.clear());
    journey.pass(901);
    let checked = journey.check().await;
    assert_eq!(said(&journey, &checked), (Code::NsWait, Verdict::Wait, Some(86_400 - 295 - 901)));
}

#[tokio::test]
async fn caa_that_forbids_at_the_name_servers_fails_whatever_caches_say() {
    let mut journey = Journey::new(DOMAIN, |plan| caa(plan, Plan::CA)).await;
    for resolver in 0..4 {
        journey.world.visit(resolver, ZONE, RecordType::CAA);
    }
    assert_eq!(journey.check().await.progress.stage, Stage::Live);
    journey.world.change(|plan| {
        plan.zone(ZONE).remove(ZONE, RecordType::CAA);
        caa(plan, OTHER_CA);
    });
    let checked = journey.check().await;
    assert_eq!(said(&journey, &checked), (Code::CaaBlocked, Verdict::Fail, None));
}

/// The questions that resolvers got, without those about names outside the zone.
fn asked_in_the_zone(journey: &Journey) -> Vec<(DnsName, RecordType)> {
    let zone = DnsName::new(ZONE);
    let questions = journey.world.questions().into_iter();
    let resolvers = questions.filter(|it| matches!(it.server, LoggedServer::Resolver(_)) && it.name.is_within(&zone));
    let mut asked: Vec<_> = resolvers.map(|it| (it.name, it.kind)).collect();
    asked.sort_by_key(|(name, kind)| (name.clone(), u16::from(*kind)));
    asked.dedup();
    asked
}

#[tokio::test]
async fn checks_do_not_renew_what_is_waited_for() {
    let mut journey = Journey::new(DOMAIN, |plan| {
        plan.zone(ZONE).clear(DOMAIN);
    })
    .await;
    journey.everybody_visits();
    journey.pass(60);
    journey.save(right);
    let promised = journey.check().await.measurement.until;
    assert_eq!(promised.map(|until| until.duration_since(journey.time()).as_secs()), Some(840));
    for _ in 0..10 {
        journey.pass(60);
        assert_eq!(journey.check().await.measurement.until, promised);
    }
    let [name, zone] = [DOMAIN, ZONE].map(DnsName::new);
    let positive = [(zone.clone(), RecordType::NS), (zone, RecordType::SOA)];
    let own = [(name.clone(), RecordType::A), (name, RecordType::AAAA)];
    assert_eq!(asked_in_the_zone(&journey), [&positive[..], &own].concat());
}

#[tokio::test]
async fn a_record_that_is_not_there_yet_is_not_asked_of_resolvers_so_it_is_seen_at_once() {
    let mut journey = Journey::new(DOMAIN, |plan| {
        plan.zone(ZONE).clear(DOMAIN);
    })
    .await;
    for _ in 0..3 {
        assert_eq!(decides(&journey.check().await).code, Code::DnsMissing);
        journey.pass(60);
    }
    journey.save(right);
    assert_eq!(journey.check().await.progress.stage, Stage::Live);
}

#[tokio::test]
async fn a_farm_of_caches_is_called_so_and_its_promise_never_moves_back() {
    let mut journey = Journey::new(DOMAIN, |plan| {
        plan.zone(ZONE).set(DOMAIN, 3600, ZoneData::address(Plan::OLD_ADDRESS));
        let farm = plan.resolver(1);
        farm.others = [Vec::new(), Vec::new()].into();
    })
    .await;
    journey.check().await;
    journey.pass(4000);
    for seconds in [900, 800, 700] {
        journey.world.visit(1, DOMAIN, RecordType::A);
        journey.pass(seconds);
    }
    journey.save(right);
    journey.pass(90);
    let checked = journey.check().await;
    let seen = &decides(&checked).seen;
    assert!(seen.ends_with("more at the latest: several caches are behind this address"), "{seen}");
    assert_eq!(said(&journey, &checked).2, Some(3600 + 60 - 90), "a TTL after the change");
    let promised = checked.measurement.until;
    for _ in 0..6 {
        journey.pass(200);
        assert_eq!(journey.check().await.measurement.until, promised);
    }
}

/// A farm of three caches, one of which asked ten minutes after the others; as many questions came before the change.
async fn farm(questions: usize) -> Journey {
    let mut journey = Journey::new(DOMAIN, |plan| {
        plan.zone(ZONE).set(DOMAIN, 3600, ZoneData::address(Plan::OLD_ADDRESS));
        plan.resolver(1).others = [Vec::new(), Vec::new()].into();
    })
    .await;
    journey.check().await;
    journey.pass(4000);
    for seconds in [0, 600, 0] {
        journey.world.visit(1, DOMAIN, RecordType::A);
        journey.pass(seconds);
    }
    for _ in 0..questions {
        journey.world.visit(1, DOMAIN, RecordType::A);
    }
    journey.save(right);
    journey.pass(90);
    journey
}

#[tokio::test]
async fn a_farm_that_the_first_check_does_not_notice_moves_its_promise_only_within_what_was_promised() {
    let mut unnoticed = 0;
    for questions in 0..3 {
        let mut journey = farm(questions).await;
        let latest = journey.time().checked_add(SignedDuration::from_secs(3600 + 60 - 90)).unwrap();
        let checked = journey.check().await;
        let first = checked.measurement.until.unwrap();
        if first < latest {
            unnoticed += 1;
            let seen = &decides(&checked).seen;
            assert!(seen.ends_with("; 1 h at the latest, if several caches share its address"), "{seen}");
        }
        for _ in 0..6 {
            journey.pass(60);
            let until = journey.check().await.measurement.until.unwrap();
            assert!(until == first || until == latest, "{first} {until} {latest}");
        }
    }
    assert!(unnoticed > 0);
}

#[tokio::test]
async fn a_domain_with_a_warning_is_live_only_once_old_answers_expired_too() {
    let alias = "alias.oldhost.net";
    for (leads, code) in
        [(ZoneData::cname(alias), Code::DnsChain), (ZoneData::address(Plan::PLATFORM_ADDRESS), Code::DnsADirect)]
    {
        let mut journey = Journey::new(DOMAIN, |plan| {
            old_address(plan);
            plan.zone("oldhost.net").add(alias, 3600, ZoneData::cname(Plan::PLATFORM_HOST));
        })
        .await;
        journey.everybody_visits();
        journey.save(|plan| {
            plan.zone(ZONE).set(DOMAIN, 3600, leads);
        });
        let checked = journey.check().await;
        assert_eq!(said(&journey, &checked), (Code::TtlWait, Verdict::Wait, Some(300)));
        assert_eq!(checked.progress.stage, Stage::Propagating, "{code}");
        journey.pass(301);
        let checked = journey.check().await;
        assert_eq!((decides(&checked).code, checked.progress.stage), (code, Stage::Live));
    }
}

#[tokio::test]
async fn just_after_it_was_saved_a_record_that_is_not_there_is_given_a_minute() {
    for before in [old_address, |plan: &mut Plan| {
        plan.zone(ZONE).clear(DOMAIN);
    }] {
        let mut journey = Journey::new(DOMAIN, before).await;
        let missing = decides(&journey.check().await).code;
        journey.pass(600);
        journey.save(|_| ());
        journey.pass(20);
        let checked = journey.check().await;
        assert_eq!(said(&journey, &checked), (missing, Verdict::Wait, Some(40)));
        assert_eq!(decides(&checked).title, "Your provider has not published the record yet");
        assert_eq!(checked.progress.stage, Stage::WaitingForDns);
        journey.pass(41);
        let checked = journey.check().await;
        assert_eq!(said(&journey, &checked), (missing, Verdict::Fail, None));
    }
    let mut journey = Journey::new(DOMAIN, |_| ()).await;
    journey.check().await;
    journey.save(old_address);
    let checked = journey.check().await;
    assert_eq!(decides(&checked).verdict, Verdict::Fail, "published, and wrong");
    assert_eq!(Stage::of(&journey.reported, &journey.measurements, journey.time()), Stage::WaitingForDns);
}

#[tokio::test]
async fn an_internal_view_that_is_right_is_found_once_the_first_promise_has_passed() {
    let mut journey = Journey::new(DOMAIN, |plan| {
        old_address(plan);
        let public = plan.zone(ZONE).clone();
        plan.resolvers.iter_mut().for_each(|resolver| resolver.zones = vec![public.clone()]);
        right(plan);
    })
    .await;
    let checked = journey.check().await;
    assert_eq!(said(&journey, &checked), (Code::TtlWait, Verdict::Wait, Some(300)));
    journey.pass(301);
    for _ in 0..3 {
        let checked = journey.check().await;
        let finding = decides(&checked);
        assert_eq!((finding.code.as_str(), finding.verdict), ("VIEWS-DIFFER", Verdict::Fail), "{}", finding.seen);
        assert!(!checked.progress.stage.may_verify());
        journey.pass(60);
    }
}
