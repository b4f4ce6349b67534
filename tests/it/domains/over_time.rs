//! Domains that are checked repeatedly while caches expire: the real binary against a simulator.

use crate::prelude::*;

use crate::simulator::{LoggedServer, Plan, Zone, ZoneData};

use super::commands::{Room, ends_with, text};

const DOMAIN: &str = Plan::DOMAIN;
/// Shorter than the pause between two checks without a promised time.
const SOON: Duration = Duration::from_secs(45);

/// A domain with a certificate at the platform, on the list, whose record was changed after every resolver had kept
/// what was there `before`.
fn changed(before: fn(&mut Zone)) -> Room {
    let room = Room::today(Code::DnsOk);
    room.world.change(|plan| {
        before(plan.zone(Plan::ZONE));
        plan.resolvers.iter_mut().for_each(|resolver| resolver.keeps = true);
    });
    ends_with(&room.petstore(&["add", DOMAIN, "--platform-host", Plan::PLATFORM_HOST]).output().unwrap(), 0);
    for resolver in 0..room.world.resolvers().len() {
        room.world.visit(resolver, DOMAIN, RecordType::A);
    }
    room.check(&[DOMAIN]);
    room.world.change(|plan| {
        plan.zone(Plan::ZONE).set(DOMAIN, Plan::TTL, ZoneData::cname(Plan::PLATFORM_HOST));
    });
    ends_with(&room.petstore(&["saved", DOMAIN]).output().unwrap(), 0);
    room
}

fn old_address(zone: &mut Zone) {
    zone.set(DOMAIN, Plan::TTL, ZoneData::address(Plan::OLD_ADDRESS));
}

fn no_record(zone: &mut Zone) {
    zone.clear(DOMAIN);
}

fn pass(room: &Room, seconds: i64) {
    room.world.change(|plan| plan.now += SignedDuration::from_secs(seconds));
}

/// How often the first resolver was asked for the domain: once for each check.
fn looks(room: &Room) -> usize {
    let first = |asked: &crate::simulator::LoggedQuestion| {
        asked.server == LoggedServer::Resolver(0)
            && asked.name == DnsName::new(DOMAIN)
            && asked.kind == RecordType::AAAA
    };
    room.world.questions().into_iter().filter(first).count()
}

/// A running `watch`, which wrote its first line.
fn watching(room: &Room, words: &[&str]) -> (Child, String) {
    let mut command = room.command(&[&["watch", DOMAIN], words].concat());
    let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let mut line = String::new();
    BufReader::new(child.stdout.as_mut().unwrap()).read_line(&mut line).unwrap();
    (child, line)
}

/// The state and the verdict by everything that tells them of the same measurement.
#[track_caller]
fn all_say(room: &Room, state: &str, verdict: &str, code: &str) {
    let listed = room.petstore(&["list", "--format", "json"]).output().unwrap();
    let listed: Value = serde_json::from_slice(&listed.stdout).unwrap();
    let value = &listed["domains"][0];
    assert_eq!((&value["state"], &value["verdict"], &value["code"]), (&state.into(), &verdict.into(), &code.into()));
    let report = text(&room.run(&["report", DOMAIN]).stdout);
    assert!(report.contains(&format!("State:         {state}\n")) && report.contains(code), "{report}");
    let written = text(&room.run(&["watch", DOMAIN, "--timeout", "0s"]).stdout);
    assert!(written.contains(&format!("{:<5}  {state}: ", verdict.to_uppercase())), "{written}");
}

#[test]
fn a_domain_with_a_certificate_is_live_only_once_all_old_answers_expired() {
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
        plan.zone(Plan::ZONE).set(DOMAIN, Plan::TTL, ZoneData::address(Plan::OLD_ADDRESS));
    });
    pass(&room, i64::from(Plan::TTL));
    let (status, value) = room.check(&[DOMAIN]);
    assert_eq!((status, &value["state"], &value["code"]), (8, &"failing".into(), &"DNS-A-BLOCKS".into()));
    all_say(&room, "failing", "fail", "DNS-A-BLOCKS");
    room.world.change(|plan| {
        plan.zone(Plan::ZONE).set(DOMAIN, Plan::TTL, ZoneData::cname(Plan::PLATFORM_HOST));
    });
    assert_eq!(room.check(&[DOMAIN]).1["state"], "propagating");
}

#[test]
fn watching_does_not_end_on_cached_answers() {
    let room = changed(|_| ());
    assert_eq!(room.check(&[DOMAIN]).1["state"], "live");
    let words = ["watch", DOMAIN, "--resolver", "127.0.0.1:1", "--timeout", "0s"];
    let offline = room.petstore(&words).output().unwrap();
    ends_with(&offline, 9);
    assert!(text(&offline.stdout).contains("UNKNOWN  live: "), "{}", text(&offline.stdout));
}

#[test]
fn watching_checks_again_at_the_promised_time() {
    let room = changed(old_address);
    pass(&room, i64::from(Plan::TTL) - 2);
    room.world.forget();
    let begin = clock::now().mono;
    let (child, line) = watching(&room, &[]);
    assert!(line.contains("WAIT   propagating: ") && line.contains(", until "), "{line}");
    pass(&room, 2);
    let output = child.wait_with_output().unwrap();
    ends_with(&output, 0);
    assert!(text(&output.stdout).contains("OK     live: "), "{}", text(&output.stdout));
    let took = clock::now().mono - begin;
    assert!(took < SOON, "{took:?}");
    assert_eq!(looks(&room), 2);
}

#[test]
fn watching_checks_once_more_when_the_time_is_up() {
    let room = Room::today(Code::DnsMissing);
    let (child, line) = watching(&room, &["--timeout", "5s"]);
    assert!(line.contains("waiting-for-dns: "), "{line}");
    room.world.change(|plan| {
        plan.zone(Plan::ZONE).set(DOMAIN, Plan::TTL, ZoneData::cname(Plan::PLATFORM_HOST));
    });
    let output = child.wait_with_output().unwrap();
    ends_with(&output, 0);
    assert_eq!((text(&output.stderr).as_str(), looks(&room)), ("", 2));

    let room = Room::today(Code::DnsMissing);
    let output = room.run(&["watch", DOMAIN, "--timeout", "1s"]);
    ends_with(&output, 9);
    assert!(text(&output.stderr).contains("time is up; last verdict: you"), "{}", text(&output.stderr));
    assert_eq!(looks(&room), 2);
}

#[test]
fn a_promised_time_that_has_passed_is_shown_so_and_not_promised_again() {
    let room = changed(old_address);
    pass(&room, i64::from(Plan::TTL) - 1);
    let (status, value) = room.check(&[DOMAIN]);
    assert_eq!((status, &value["code"]), (9, &"TTL-WAIT".into()));
    let until: Timestamp = value["next"]["until"].as_str().unwrap().parse().unwrap();
    let end = clock::now().mono + SOON;
    while clock::now().wall <= until {
        assert!(clock::now().mono < end);
        thread::sleep(Duration::from_millis(50));
    }
    let shown = text(&room.petstore(&["list"]).output().unwrap().stdout);
    assert!(shown.contains("UTC (passed): petstore domains check docs.acme-pets.com\n"), "{shown}");
}
