//! Domains that are looked at again and again, while caches grow old: the real binary against a world.

use jiff::SignedDuration;
use petstore::domains::Code;
use petstore::domains::world::{Data, Plan, Zone};
use serde_json::Value;

use super::commands::{Room, ends_with, text};

const DOMAIN: &str = Plan::DOMAIN;

/// A domain with a certificate at the platform, on the list, whose record was changed after every resolver had kept what
/// was there `before`.
fn changed(before: fn(&mut Zone)) -> Room {
    let room = Room::today(Code::DnsOk);
    room.world.change(|plan| {
        before(plan.zone(Plan::ZONE));
        plan.resolvers.iter_mut().for_each(|resolver| resolver.keeps = true);
    });
    ends_with(&room.petstore(&["add", DOMAIN, "--platform-host", Plan::PLATFORM_HOST]).output().unwrap(), 0);
    room.check(&[DOMAIN]);
    room.world.change(|plan| {
        plan.zone(Plan::ZONE).set(DOMAIN, Plan::TTL, Data::cname(Plan::PLATFORM_HOST));
    });
    ends_with(&room.petstore(&["saved", DOMAIN]).output().unwrap(), 0);
    room
}

fn old_address(zone: &mut Zone) {
    zone.set(DOMAIN, Plan::TTL, Data::address(Plan::OLD_ADDRESS));
}

fn no_record(zone: &mut Zone) {
    zone.clear(DOMAIN);
}

fn pass(room: &Room, seconds: i64) {
    room.world.change(|plan| plan.now += SignedDuration::from_secs(seconds));
}

/// The state and the verdict by everything that tells them of the same measurement.
#[track_caller]
fn all_say(room: &Room, state: &str, verdict: &str, code: &str) {
    let listed = room.petstore(&["list", "--format", "json"]).output().unwrap();
    let listed: Value = serde_json::from_slice(&listed.stdout).unwrap();
    let shown = room.petstore(&["show", DOMAIN, "--format", "json"]).output().unwrap();
    let shown: Value = serde_json::from_slice(&shown.stdout).unwrap();
    for value in [&listed["domains"][0], &shown] {
        assert_eq!(
            (&value["state"], &value["verdict"], &value["code"]),
            (&state.into(), &verdict.into(), &code.into())
        );
    }
    let report = text(&room.run(&["report", DOMAIN]).stdout);
    assert!(report.contains(&format!("State:         {state}\n")) && report.contains(code), "{report}");
    let written = text(&room.run(&["watch", DOMAIN, "--timeout", "0s"]).stdout);
    assert!(written.contains(&format!("{:<5}  {state}: ", verdict.to_uppercase())), "{written}");
}

#[test]
fn a_domain_with_a_certificate_is_live_when_no_resolver_holds_an_old_answer_any_more_and_not_before() {
    let cases: [(fn(&mut Zone), _, _); 2] = [(old_address, "TTL-WAIT", 3600), (no_record, "NEG-WAIT", 900)];
    for (before, code, ttl) in cases {
        let room = changed(before);
        for look in 1..=3 {
            let (status, value) = room.check(&[DOMAIN]);
            let seen = (status, &value["state"], &value["code"]);
            assert_eq!(seen, (9, &"propagating".into(), &code.into()), "look {look}");
        }
        all_say(&room, "propagating", "wait", code);
        ends_with(&room.run(&["watch", DOMAIN, "--timeout", "0s"]), 9);
        pass(&room, ttl);
        let (status, value) = room.check(&[DOMAIN]);
        assert_eq!((status, &value["state"]), (0, &"live".into()), "{value}");
        all_say(&room, "live", "ok", "DNS-OK");
        ends_with(&room.run(&["watch", DOMAIN, "--timeout", "0s"]), 0);
    }
}

#[test]
fn a_domain_that_was_live_is_not_called_so_while_resolvers_lead_elsewhere_again() {
    let room = changed(|_| ());
    ends_with(&room.petstore(&["verified", DOMAIN]).output().unwrap(), 0);
    assert_eq!(room.check(&[DOMAIN]).1["state"], "live");
    room.world.change(|plan| {
        plan.zone(Plan::ZONE).set(DOMAIN, Plan::TTL, Data::address(Plan::OLD_ADDRESS));
    });
    pass(&room, i64::from(Plan::TTL));
    let (status, value) = room.check(&[DOMAIN]);
    assert_eq!((status, &value["state"], &value["code"]), (8, &"failing".into(), &"DNS-A-BLOCKS".into()));
    all_say(&room, "failing", "fail", "DNS-A-BLOCKS");
    room.world.change(|plan| {
        plan.zone(Plan::ZONE).set(DOMAIN, Plan::TTL, Data::cname(Plan::PLATFORM_HOST));
    });
    assert_eq!(room.check(&[DOMAIN]).1["state"], "propagating");
}

#[test]
fn watching_does_not_end_on_what_is_only_remembered() {
    let room = changed(|_| ());
    assert_eq!(room.check(&[DOMAIN]).1["state"], "live");
    let words = ["watch", DOMAIN, "--resolver", "127.0.0.1:1", "--timeout", "0s"];
    let offline = room.petstore(&words).output().unwrap();
    ends_with(&offline, 9);
    assert!(text(&offline.stdout).contains("UNKNOWN  live: "), "{}", text(&offline.stdout));
}
