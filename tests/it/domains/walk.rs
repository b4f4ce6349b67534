//! Twenty changes, and the time that is promised after each against the time at which the world has seen it.

use crate::prelude::*;

use crate::simulator::{IssuedCertificate, Plan, Zone, ZoneData};
use petstore::domains::next_check;

use super::journey::Journey;
use super::worlds::faults::{KEY_TAG, ds_record};

const DOMAIN: &str = Plan::DOMAIN;
const ZONE: &str = Plan::ZONE;
const OLD_SERVER: &str = "ns1.oldhost.net";
const OTHER_CA: &str = "other-authority.example";
const DAY: u32 = 86_400;
/// How exact a promise must be, in seconds, if no TTL is longer.
const EXACT: i64 = 60;
/// How often visitors come, in seconds: more often if it is over soon.
const STEPS: [i64; 2] = [15, EXACT];
/// How often the domain is checked by the back-off; after that, only at the promised time.
const CHECKS: u32 = 8;

/// A change, and who asked before.
struct Change {
    what: &'static str,
    domain: &'static str,
    /// How long an old answer may be cached, in seconds.
    ttl: u32,
    before: fn(&mut Plan),
    change: fn(&mut Plan),
    /// The visitors: which resolver, and how many seconds before the change.
    visits: &'static [(usize, i64)],
    /// Whether petstore checked before the change.
    checked_before: bool,
    /// How many seconds after the change it checks.
    check_after: i64,
    /// Whether a resolver has seen the change.
    has: fn(&Journey, usize) -> bool,
}

const VISITS: &[(usize, i64)] = &[(0, 10), (1, 700), (2, 1900), (3, 3000)];

const USUAL: Change = Change {
    what: "",
    domain: DOMAIN,
    ttl: 3600,
    before: |plan| old_address(plan, 3600),
    change: right,
    visits: VISITS,
    checked_before: true,
    check_after: 90,
    has: |journey, resolver| journey.sees_the_platform(resolver),
};

fn zone(plan: &mut Plan) -> &mut Zone {
    plan.zone(ZONE)
}

fn old_address(plan: &mut Plan, ttl: u32) {
    zone(plan).set(DOMAIN, ttl, ZoneData::address(Plan::OLD_ADDRESS));
}

fn right(plan: &mut Plan) {
    zone(plan).set(DOMAIN, 3600, ZoneData::cname(Plan::PLATFORM_HOST));
}

/// Nothing is there, which may be cached as long as the SOA record and its minimum allow.
fn nothing(plan: &mut Plan, ttl: u32, minimum: u32) {
    let zone = zone(plan).clear(DOMAIN);
    (zone.ttl, zone.minimum) = (ttl, minimum);
}

/// Each resolver is three caches.
fn farms(plan: &mut Plan) {
    plan.resolvers.iter_mut().for_each(|resolver| resolver.others = [Vec::new(), Vec::new()].into());
}

/// The zone is at another provider, whose copy of it `change` changes.
fn elsewhere(plan: &mut Plan, change: impl FnOnce(&mut Zone)) {
    let mut copy = Zone::new(ZONE, &[OLD_SERVER]);
    change(&mut copy);
    plan.name_server(OLD_SERVER).copies.push(copy);
    delegate(plan, &[OLD_SERVER]);
}

fn delegate(plan: &mut Plan, hosts: &[&str]) {
    let above = plan.zone("com").remove(ZONE, RecordType::NS);
    hosts.iter().for_each(|host| {
        above.add(ZONE, DAY, ZoneData::ns(host));
    });
}

fn to_the_new_provider(plan: &mut Plan) {
    delegate(plan, &Plan::NAME_SERVERS);
}

fn caa(plan: &mut Plan, issuer: &str) {
    zone(plan).add(ZONE, 3600, ZoneData::caa("issue", issuer));
}

fn visit_caa(journey: &Journey, resolver: usize) -> Vec<ZoneData> {
    let (_, answers) = journey.world.visit(resolver, ZONE, RecordType::CAA);
    answers.into_iter().map(|record| record.data).collect()
}

fn signed_elsewhere(plan: &mut Plan) {
    plan.resolvers.iter_mut().for_each(|resolver| resolver.validates = true);
    plan.zone("com").add(ZONE, DAY, ds_record(KEY_TAG));
}

const CHANGES: [Change; 20] = [
    Change { what: "A of an hour to CNAME", ..USUAL },
    Change { what: "A of five minutes to CNAME", ttl: 300, before: |plan| old_address(plan, 300), ..USUAL },
    Change { what: "A of a day to CNAME", ttl: DAY, before: |plan| old_address(plan, DAY), ..USUAL },
    Change { what: "A to CNAME, never checked before", checked_before: false, ..USUAL },
    Change {
        what: "A to CNAME, checked an hour later",
        ttl: DAY,
        before: |plan| old_address(plan, DAY),
        check_after: 3700,
        ..USUAL
    },
    Change {
        what: "CNAME to another CNAME",
        before: |plan| {
            zone(plan).set(DOMAIN, 3600, ZoneData::cname(Plan::OLD_HOST));
        },
        ..USUAL
    },
    Change {
        what: "A and AAAA to CNAME",
        before: |plan| {
            old_address(plan, 300);
            zone(plan).add(DOMAIN, 3600, ZoneData::address([0, 0, 0, 0, 0, 0, 0, 9]));
        },
        ..USUAL
    },
    Change {
        what: "wildcard A to CNAME",
        before: |plan| {
            zone(plan).clear(DOMAIN).add(&format!("*.{ZONE}"), 3600, ZoneData::address(Plan::OLD_ADDRESS));
        },
        ..USUAL
    },
    Change { what: "no such name to CNAME", ttl: 900, before: |plan| nothing(plan, 3600, 900), ..USUAL },
    Change {
        what: "no such name to CNAME, the SOA of 5 min",
        ttl: 300,
        before: |plan| nothing(plan, 300, 3600),
        ..USUAL
    },
    Change {
        what: "no such name to CNAME, never checked before",
        ttl: 3600,
        before: |plan| nothing(plan, 3600, 7200),
        checked_before: false,
        ..USUAL
    },
    Change {
        what: "TXT alone to CNAME",
        ttl: 900,
        before: |plan| {
            nothing(plan, 3600, 900);
            zone(plan).add(DOMAIN, 3600, ZoneData::txt("left"));
        },
        ..USUAL
    },
    Change {
        what: "apex: another A to those of the platform",
        domain: ZONE,
        before: |plan| {
            zone(plan).add(ZONE, 3600, ZoneData::address(Plan::OLD_ADDRESS));
            plan.project(ZONE, IssuedCertificate::new(plan.now, &[ZONE]));
        },
        change: |plan| {
            zone(plan).remove(ZONE, RecordType::A).add(ZONE, 300, ZoneData::address(Plan::PLATFORM_ADDRESS));
        },
        ..USUAL
    },
    Change {
        what: "A to CNAME, farms of three caches",
        before: |plan| {
            old_address(plan, 3600);
            farms(plan);
        },
        visits: &[(0, 10), (0, 900), (0, 2000), (1, 600), (1, 700), (2, 1800), (3, 3000), (3, 3001), (3, 20)],
        ..USUAL
    },
    Change {
        what: "no such name to CNAME, farms of three caches",
        ttl: 900,
        before: |plan| {
            nothing(plan, 3600, 900);
            farms(plan);
        },
        visits: &[(0, 10), (0, 300), (0, 800), (1, 600), (2, 700), (3, 100), (3, 200)],
        ..USUAL
    },
    Change {
        what: "name servers changed, A of five minutes at the old ones",
        ttl: 300,
        before: |plan| {
            elsewhere(plan, |copy| {
                copy.add(DOMAIN, 300, ZoneData::address(Plan::OLD_ADDRESS));
            })
        },
        change: to_the_new_provider,
        ..USUAL
    },
    Change {
        what: "name servers changed, no such name at the old ones",
        ttl: 900,
        before: |plan| elsewhere(plan, |_| ()),
        change: to_the_new_provider,
        ..USUAL
    },
    Change {
        what: "CAA of another CA, ours added",
        before: |plan| caa(plan, OTHER_CA),
        change: |plan| caa(plan, Plan::CA),
        has: |journey, resolver| visit_caa(journey, resolver).contains(&ZoneData::caa("issue", Plan::CA)),
        ..USUAL
    },
    Change {
        what: "CAA of another CA, removed",
        before: |plan| caa(plan, OTHER_CA),
        change: |plan| {
            zone(plan).remove(ZONE, RecordType::CAA);
        },
        has: |journey, resolver| visit_caa(journey, resolver).is_empty(),
        ..USUAL
    },
    Change {
        what: "left-over DS removed",
        ttl: DAY,
        before: signed_elsewhere,
        change: |plan| {
            plan.zone("com").remove(ZONE, RecordType::DS);
        },
        has: |journey, resolver| journey.visit(resolver).iter().all(|(code, _)| *code != ResponseCode::ServFail),
        ..USUAL
    },
];

/// What became of a promise.
struct Outcome {
    promised: i64,
    true_after: i64,
    line: String,
    fault: Option<String>,
}

fn later(time: Timestamp, seconds: i64) -> Timestamp {
    time + SignedDuration::from_secs(seconds)
}

async fn walk(change: &Change) -> Outcome {
    let mut journey = Journey::new(change.domain, change.before).await;
    let begin = journey.time();
    if change.checked_before {
        journey.check().await;
    }
    // By then every answer to that check has expired, and others were cached.
    let changed = later(begin, i64::from(DAY) * 3 / 2);
    let mut visits = change.visits.to_vec();
    visits.sort_by_key(|(_, ago)| -ago);
    for (resolver, ago) in visits {
        journey.go_to(later(changed, -ago));
        (change.has)(&journey, resolver);
        journey.visit(resolver);
    }
    journey.go_to(changed);
    journey.save(change.change);
    journey.pass(change.check_after);
    let first = journey.check().await.measurement;
    let Some(promise) = first.until else {
        return Outcome {
            promised: 0,
            true_after: 0,
            line: format!("{}: no promise", change.what),
            fault: Some(format!("{} {}: {}", first.code, first.title, first.fix)),
        };
    };
    let mut fault = None;
    let (mut unchanged, mut last) = (0, first.clone());
    let mut truth = None;
    let mut caches = 1;
    journey.world.change(|plan| caches += plan.resolvers[0].others.len());
    // Each cache of a farm takes its turn.
    let all = |journey: &Journey| (0..4).all(|resolver| (0..caches).all(|_| (change.has)(journey, resolver)));
    let step = STEPS[usize::from(promise > later(changed, 7200))];
    let mut time = journey.time();
    while truth.is_none() && time < later(promise, 2 * i64::from(DAY)) {
        let due = if unchanged < CHECKS {
            let state = Stage::of(&journey.reported, &journey.measurements, last.at);
            next_check(state, &journey.reported, last.until, unchanged, last.at)
        } else {
            last.until.map(|until| later(until, 1))
        };
        time = later(time, step);
        if let Some(due) = due.filter(|due| *due <= time && *due > last.at) {
            journey.go_to(due);
            if all(&journey) {
                truth = Some(due);
                break;
            }
            let begun = clock::now().mono;
            let again = journey.check().await.measurement;
            // The clock of a check goes on while it waits for this machine; that of the world stands still.
            let waited = i64::try_from(begun.elapsed().as_secs()).unwrap();
            if again.until.is_some_and(|until| until > later(promise, 2 + waited)) {
                fault.get_or_insert(format!("the promise moved from {promise} to {:?} ({})", again.until, again.code));
            }
            unchanged += 1;
            last = again;
        }
        journey.go_to(time);
        if all(&journey) {
            truth = Some(time);
        }
    }
    let after = |time: Timestamp| time.duration_since(changed).as_secs();
    let (promised, true_after) = (after(promise), truth.map_or(i64::MAX, after));
    journey.go_to(later(promise, 1).max(time));
    let end = journey.check().await.measurement;
    if !end.is_live() {
        fault.get_or_insert(format!("not live at the promised time: {} {}", end.code, end.title));
    }
    let early = true_after.saturating_sub(promised);
    if early > EXACT || -early > EXACT.max(i64::from(change.ttl)) {
        fault.get_or_insert(format!("off by {early} s"));
    }
    let line = format!("{:<56} {:<8} promised {promised:>6} s, true {true_after:>6} s", change.what, first.code);
    Outcome { promised, true_after, line, fault }
}

#[tokio::test(flavor = "multi_thread")]
#[allow(clippy::print_stdout, reason = "it reports what was promised")]
async fn of_twenty_changes_every_promised_time_is_right() {
    let mut wrong = Vec::new();
    let mut exact = 0;
    // All at once, a busy machine would have servers seem silent.
    let mut outcomes = stream::iter(&CHANGES).map(walk).buffered(2);
    while let Some(Outcome { promised, true_after, line, fault }) = outcomes.next().await {
        println!("{line}{}", fault.as_ref().map_or_else(String::new, |fault| format!("  WRONG: {fault}")));
        exact += usize::from(promised.abs_diff(true_after) <= EXACT.unsigned_abs());
        wrong.extend(fault.map(|fault| format!("{line}: {fault}")));
    }
    println!("{} of {} promises right, {exact} of them within a minute", CHANGES.len() - wrong.len(), CHANGES.len());
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
