//! The first thing said is the cause, and the right addressee: troubles that hide each other.

use crate::prelude::*;

use crate::simulator::{
    Door, Greeting, IssuedCertificate, Issuer, Plan, ServerFault, Simulator, StubAnswer, StubPage, Zone, ZoneData,
};
use petstore::domains::{Lookup, Who};

use super::fixture::{Outcome, check, check_redirect, now, reported, settings};
use super::journey::Journey;
use super::worlds::faults::{FaultyServer as _, OddResolver as _, ds_record, sign};
use super::worlds::servers::both;

const NS1: &str = Plan::NAME_SERVERS[0];
const NS2: &str = Plan::NAME_SERVERS[1];

async fn look(domain: &str, change: impl FnOnce(&mut Plan)) -> Outcome {
    let world = Simulator::start(Plan::healthy(now()).with(change)).await.unwrap();
    check(&settings(&world), domain, &reported()).await
}

async fn look_at_docs(change: impl FnOnce(&mut Plan)) -> Outcome {
    look(Plan::DOMAIN, change).await
}

/// Troubles of which one is the cause.
struct Case {
    what: &'static str,
    cause: (Code, Verdict, Who),
    /// What its finding says, or the verdict and the code of another; after `!`, what is not said.
    says: &'static [&'static str],
    make: fn(&mut Plan),
}

const fn case(
    what: &'static str,
    cause: (Code, Verdict, Who),
    says: &'static [&'static str],
    make: fn(&mut Plan),
) -> Case {
    Case { what, cause, says, make }
}

const CASES: [Case; 27] = [
    case("a left-over delegation", (Code::DnsZoneCut, Verdict::Fail, Who::DnsProvider), &[], |plan| {
        plan.zone(Plan::ZONE).clear(Plan::DOMAIN).delegate(Plan::DOMAIN, &["ns1.gone-dns.net"]);
    }),
    case(
        "a wrong value in a dead zone",
        (Code::DnsWrongTarget, Verdict::Fail, Who::DnsProvider),
        &["no name server answers"],
        |plan| {
            plan.zone(Plan::ZONE).set(Plan::DOMAIN, Plan::TTL, ZoneData::cname(Plan::OLD_HOST));
            plan.name_server("ns1.oldhost.net").fault(ServerFault::Code(ResponseCode::Refused));
        },
    ),
    case("a dead zone of the platform", (Code::ServfailAll, Verdict::Fail, Who::Platform), &[], |plan| {
        plan.name_server("ns1.petplatform.net").fault(ServerFault::Silent);
    }),
    case("wrong signatures of the platform", (Code::DnssecBogus, Verdict::Fail, Who::Platform), &[], |plan| {
        for resolver in &mut plan.resolvers {
            resolver.finds_bogus(Plan::PLATFORM_ZONE, 7, "");
        }
    }),
    case(
        "expired signatures",
        (Code::DnssecBogus, Verdict::Fail, Who::DnsProvider),
        &["expired on 2026-11-20 12:00 UTC"],
        |plan| {
            sign(plan, Plan::ZONE, -30, -1);
            all_reject(plan);
        },
    ),
    case("a foreign DS record", (Code::DnssecBogus, Verdict::Fail, Who::Registrar), &["key 4711", KEY], |plan| {
        sign(plan, Plan::ZONE, -1, 30);
        plan.zone("com").remove(Plan::ZONE, RecordType::DS).add(Plan::ZONE, 86_400, ds_record(4711));
        all_reject(plan);
    }),
    case(
        "a DS record of a zone without keys",
        (Code::DnssecBogus, Verdict::Fail, Who::Registrar),
        &["not signed"],
        |plan| {
            plan.zone("com").add(Plan::ZONE, 86_400, ds_record(4711));
            all_reject(plan);
        },
    ),
    case(
        "one server of two with expired signatures",
        (Code::DnssecBogus, Verdict::Warn, Who::DnsProvider),
        &[NS2, "!ns1.acme-dns.net"],
        |plan| {
            sign(plan, Plan::ZONE, -30, -1);
            let stale = plan.zone(Plan::ZONE).clone();
            plan.name_server(NS2).copies.push(stale);
            plan.zone(Plan::ZONE).remove(Plan::ZONE, RecordType::RRSIG);
            plan.zone("com").remove(Plan::ZONE, RecordType::DS);
            sign(plan, Plan::ZONE, -1, 30);
        },
    ),
    case("the first of two servers without signatures", ODD_SERVER, &[NS1], |plan| one_is_unsigned(plan, NS1)),
    case("the second of two servers without signatures", ODD_SERVER, &[NS2], |plan| one_is_unsigned(plan, NS2)),
    case(
        "a name delegated to the platform's addresses",
        (Code::DnsZoneCut, Verdict::Warn, Who::DnsProvider),
        &[],
        |plan| {
            plan.zone(Plan::ZONE).clear(Plan::DOMAIN).delegate(Plan::DOMAIN, &["ns1.oldhost.net"]);
            let mut own = Zone::new(Plan::DOMAIN, &["ns1.oldhost.net"]);
            own.add(Plan::DOMAIN, Plan::TTL, ZoneData::address(Plan::PLATFORM_ADDRESS));
            plan.zones.push(own);
            plan.name_server("ns1.oldhost.net").serve(Plan::DOMAIN);
        },
    ),
    case("alert 40", (Code::TlsAlert, Verdict::Wait, Who::Platform), &[], |plan| alert(plan, 40)),
    case("alert 70", (Code::TlsVersion, Verdict::Fail, Who::Platform), &[], |plan| alert(plan, 70)),
    case("alert 80", (Code::TlsAlert, Verdict::Wait, Who::Platform), &[], |plan| alert(plan, 80)),
    case("alert 49", (Code::TlsReset, Verdict::Wait, Who::Platform), &[], |plan| alert(plan, 49)),
    case("alert 112", (Code::TlsAlert, Verdict::Wait, Who::Platform), &[], |plan| alert(plan, 112)),
    case(
        "old ciphers",
        (Code::TlsVersion, Verdict::Fail, Who::Platform),
        &["The server has only old ciphers"],
        |plan| greets(plan, Greeting::OldCiphers),
    ),
    case(
        "a certificate whose issuer has expired",
        (Code::TlsChain, Verdict::Fail, Who::Platform),
        &["above it has expired", "!points"],
        |plan| shows(plan, Issuer::Expired, Plan::DOMAIN),
    ),
    case("an issuer with a long name", (Code::TlsUnknownCa, Verdict::Fail, Who::Platform), &[LONG_ISSUER], |plan| {
        shows(plan, Issuer::Foreign(LONG_ISSUER.to_owned()), Plan::DOMAIN)
    }),
    case(
        "a self-signed certificate for a long name",
        (Code::TlsSelf, Verdict::Fail, Who::Platform),
        &["self-signed", LONG_NAME],
        |plan| shows(plan, Issuer::Itself, LONG_NAME),
    ),
    case(
        "a mistyped name server",
        (Code::LameOne, Verdict::Fail, Who::Registrar),
        &["ns1.oldhsot.net, which does not exist"],
        |plan| {
            plan.zone("com").delegate(Plan::ZONE, &["ns1.oldhsot.net"]);
        },
    ),
    case(
        "a platform that refuses connections",
        (Code::TlsRefused, Verdict::Fail, Who::Platform),
        &["!Verify"],
        |plan| {
            plan.site(Plan::PLATFORM_ADDRESS).https = Door::Closed;
        },
    ),
    case(
        "a server that refuses the name and is somebody else's",
        (Code::TlsAlert, Verdict::Wait, Who::Platform),
        &["(without SNI it shows *.oldhost.net)", "!TLS-SNI"],
        |plan| {
            let stranger = IssuedCertificate::new(plan.now, &["*.oldhost.net"]);
            greets(plan, Greeting::UNRECOGNIZED_NAME);
            plan.site(Plan::PLATFORM_ADDRESS).stranger = Greeting::Certificate(stranger);
        },
    ),
    case("CAA that no resolver can look up", (Code::CaaLookupFailed, Verdict::Fail, Who::Platform), &[], |plan| {
        plan.resolvers.iter_mut().for_each(|resolver| _ = resolver.fault(no_caa()));
    }),
    case("CAA that the platform cannot answer", (Code::CaaLookupFailed, Verdict::Fail, Who::Platform), &[], |plan| {
        plan.name_server("ns1.petplatform.net").fault(no_caa());
    }),
    case(
        "an internal view of the name servers",
        (Code::SplitLocal, Verdict::Warn, Who::ThisMachine),
        &["Ok TLS-OK"],
        |plan| {
            let public = plan.zone(Plan::ZONE).clone();
            plan.resolvers.iter_mut().for_each(|resolver| _ = resolver.sees(public.clone()));
            plan.zone(Plan::ZONE).set(Plan::DOMAIN, Plan::TTL, ZoneData::address(Plan::OLD_ADDRESS));
        },
    ),
    case(
        "an address in the way, and lists of name servers that overlap",
        (Code::DnsABlocks, Verdict::Fail, Who::DnsProvider),
        &["Warn NS-MISMATCH"],
        |plan| {
            plan.zone("com").delegate(Plan::ZONE, &[NS1]);
            plan.zone(Plan::ZONE).set(Plan::DOMAIN, Plan::TTL, ZoneData::address(Plan::OLD_ADDRESS));
        },
    ),
];

const ODD_SERVER: (Code, Verdict, Who) = (Code::DnssecBogus, Verdict::Fail, Who::DnsProvider);
/// The tag of the key that signs.
const KEY: &str = "1038";
const LONG_ISSUER: &str = "Corporate Inspection and Loss Prevention Authority of the Acme Group, Region North";
const LONG_NAME: &str = "a-rather-long-label-for-a-server.of-the-former-hosting-company.oldhost.net";

/// Resolvers reject the zone without saying why, as many do.
fn all_reject(plan: &mut Plan) {
    for resolver in &mut plan.resolvers {
        resolver.finds_bogus(Plan::ZONE, 6, "");
    }
}

fn one_is_unsigned(plan: &mut Plan, odd: &str) {
    let unsigned = plan.zone(Plan::ZONE).clone();
    plan.name_server(odd).copies.push(unsigned);
    sign(plan, Plan::ZONE, -1, 30);
}

fn greets(plan: &mut Plan, greeting: Greeting) {
    plan.site(Plan::PLATFORM_ADDRESS).greet(Plan::DOMAIN, greeting);
}

fn alert(plan: &mut Plan, number: u8) {
    greets(plan, Greeting::Alert(number));
}

fn shows(plan: &mut Plan, issuer: Issuer, name: &str) {
    let own = IssuedCertificate { issuer, ..IssuedCertificate::new(plan.now, &[name]) };
    greets(plan, Greeting::Certificate(own));
}

/// The domain has this page over https.
fn answers(plan: &mut Plan, page: StubPage) {
    plan.site(Plan::PLATFORM_ADDRESS).page(page.https().host(Plan::DOMAIN));
}

fn no_caa() -> ServerFault {
    ServerFault::only(RecordType::CAA, ServerFault::Code(ResponseCode::ServFail))
}

/// What is wrong with what was said first.
async fn judge(case: Case) -> Option<String> {
    let outcome = look_at_docs(case.make).await;
    let finding = outcome.find(outcome.code());
    let all: String =
        outcome.findings.iter().map(|finding| format!(" {:?} {}", finding.verdict, finding.code)).collect();
    let text = format!("{} | {} | {} |{all}", finding.title, finding.seen, finding.fix);
    let is_said = |part: &&str| part.strip_prefix('!').map_or(text.contains(*part), |not| !text.contains(not));
    let right = (finding.code, finding.verdict, finding.who) == case.cause && case.says.iter().all(is_said);
    (!right).then(|| format!("{}: {:?} by {:?} in\n{}", case.what, finding.code, finding.who, outcome.lines()))
}

/// Several side by side, since some wait for servers that are silent.
#[tokio::test(flavor = "multi_thread")]
async fn of_troubles_that_hide_each_other_the_cause_is_said_first_to_who_can_mend_it() {
    let looks = stream::iter(CASES).map(judge).buffer_unordered(12);
    let wrong: Vec<String> = looks.filter_map(std::future::ready).collect().await;
    assert!(wrong.is_empty(), "{}", wrong.join("\n\n"));
}

#[tokio::test]
async fn a_signed_zone_is_fine_and_takes_two_questions_more() {
    let plain = look_at_docs(|_| ()).await;
    let signed = look_at_docs(|plan| sign(plan, Plan::ZONE, -1, 30)).await;
    assert_eq!([plain.verdict(), signed.verdict()], [Verdict::Ok; 2], "{}", signed.lines());
    assert!(plain.seen.nameless_handshake.is_none(), "a shared edge has its own certificate for callers without SNI");
    // Besides, each resolver is asked for CAA, since some validate the answer.
    let asked = |outcome: &Outcome| {
        let of_caa = |lookup: &&Lookup| {
            lookup.question.kind == RecordType::CAA && matches!(lookup.server.role, Role::Resolver { .. })
        };
        outcome.seen.lookups.iter().filter(|lookup| !of_caa(lookup)).count()
    };
    assert_eq!(asked(&signed), asked(&plain) + 2, "{}", signed.lines());
}

#[tokio::test]
async fn an_alias_flattened_to_another_edge_of_the_platform_is_at_most_a_warning() {
    for domain in [Plan::ZONE, Plan::DOMAIN] {
        let outcome = look(domain, |plan| {
            // A further edge of the platform, which its own host does not lead to, answers at the old address.
            let mut edge = plan.site(Plan::PLATFORM_ADDRESS).clone();
            edge.show(IssuedCertificate::new(plan.now, &[Plan::ZONE]));
            plan.sites.insert(Plan::OLD_ADDRESS.into(), edge);
            plan.zone(Plan::ZONE).remove(domain, RecordType::CNAME);
            plan.zone(Plan::ZONE).add(domain, Plan::TTL, ZoneData::address(Plan::OLD_ADDRESS));
        })
        .await;
        let dns = outcome.findings.iter().filter(|finding| finding.code.as_str().starts_with(['D', 'A']));
        assert!(dns.clone().all(|finding| finding.verdict <= Verdict::Warn), "{}", outcome.lines());
    }
}

#[tokio::test]
async fn an_error_that_only_head_gives_is_no_failure() {
    for status in [404, 403, 500] {
        let page = StubPage::new(StubAnswer::status(status)).method("HEAD");
        let outcome = look_at_docs(|plan| answers(plan, page)).await;
        assert_eq!(outcome.verdict(), Verdict::Ok, "{}", outcome.lines());
        assert!(outcome.find(Code::HttpOk).seen.ends_with("answers 200"), "{}", outcome.lines());
        assert_eq!(outcome.find(Code::RdHead).verdict, Verdict::Ok);
    }
}

fn redirect(from: &str, to: &str) -> Redirect {
    Redirect { from: DnsName::new(from), to: DnsName::new(to), status: 301 }
}

#[tokio::test]
async fn a_configured_redirect_into_a_name_that_does_not_exist_fails() {
    let to = format!("gone.{}", Plan::ZONE);
    let plan = Plan::healthy(now()).with(|plan| plan.redirect(Plan::REDIRECTED, &format!("https://{to}{{path}}")));
    let world = Simulator::start(plan).await.unwrap();
    let outcome = check_redirect(&settings(&world), &redirect(Plan::REDIRECTED, &to)).await;
    assert_eq!((outcome.code(), outcome.verdict()), (Code::RdGone, Verdict::Fail), "{}", outcome.lines());
}

#[tokio::test]
async fn a_redirect_of_the_registrars_forwarder_is_not_corrected_in_the_dashboard() {
    let plan = Plan::healthy(now()).with(|plan| {
        plan.zone(Plan::ZONE).set(Plan::REDIRECTED, Plan::TTL, ZoneData::address(Plan::OLD_ADDRESS));
        let page = StubPage::new(StubAnswer::redirect(302, "https://pets.oldhost.net/"));
        plan.site(Plan::OLD_ADDRESS).page(page.host(Plan::REDIRECTED));
    });
    let world = Simulator::start(plan).await.unwrap();
    let outcome = check_redirect(&settings(&world), &redirect(Plan::REDIRECTED, Plan::DOMAIN)).await;
    let finding = outcome.find(Code::RdTarget);
    assert_eq!(finding.who, Who::DnsProvider, "{}", outcome.lines());
    assert!(finding.fix.contains("forwarder") && !finding.fix.contains("dashboard"), "{}", finding.fix);
}

#[tokio::test]
async fn a_lagging_server_is_shown_with_its_old_address_and_bounded_by_the_soa_record() {
    let outcome = look_at_docs(|plan| {
        let mut old = plan.zone(Plan::ZONE).clone();
        old.serial -= 1;
        old.set(Plan::DOMAIN, Plan::TTL, ZoneData::address(Plan::OLD_ADDRESS));
        plan.name_server(NS2).copies.push(old);
    })
    .await;
    let finding = outcome.find(Code::SecondaryBehind);
    assert!(finding.seen.contains(&format!("A {}", Plan::OLD_ADDRESS)), "{}", finding.seen);
    // Saved ten minutes ago, a refresh of 2 h and a retry of 15 min.
    let bound = SignedDuration::from_mins(2 * 60 + 15 - 10);
    assert_eq!(finding.until, now().checked_add(bound).ok(), "{}", finding.fix);
}

#[tokio::test]
async fn a_silent_platform_is_named_at_every_look_although_the_record_is_right() {
    let mut journey = Journey::new(Plan::DOMAIN, |plan| {
        plan.resolvers.iter_mut().for_each(|resolver| resolver.waits = true);
        plan.name_server("ns1.petplatform.net").fault(ServerFault::Silent);
    })
    .await;
    for look in 1..=2 {
        let checked = journey.check().await;
        let decides = petstore::domains::finding::deciding(&checked.findings).unwrap();
        let said = (decides.code, decides.verdict, decides.who);
        assert_eq!(said, (Code::ServfailAll, Verdict::Fail, Who::Platform), "look {look}: {:?}", checked.findings);
        assert!(!checked.progress.stage.may_verify(), "{}", checked.progress.stage);
    }
}

#[tokio::test]
async fn a_redirect_the_other_way_round_is_not_answered_by_one_more() {
    let from = format!("www.{}", Plan::ZONE);
    let world = Simulator::start(Plan::healthy(now()).with(|plan| {
        plan.zone(Plan::ZONE).add(&from, Plan::TTL, ZoneData::cname(Plan::PLATFORM_HOST));
        plan.project(&from, IssuedCertificate::new(plan.now, &[&from]));
        plan.redirect(Plan::DOMAIN, &format!("https://{from}{{path}}"));
    }))
    .await
    .unwrap();
    let outcome = check_redirect(&settings(&world), &redirect(&from, Plan::DOMAIN)).await;
    let finding = outcome.find(Code::RdNone);
    let first = format!("first remove the redirect from {} to {from}", Plan::DOMAIN);
    assert!(finding.fix.contains(&first) && finding.seen.contains("the other way"), "{}", outcome.lines());
}

/// The clock stands still while anything is under way, so that only waiting counts, however busy the machine is.
#[expect(clippy::disallowed_methods, reason = "the clock of the test, which stands still")]
#[tokio::test(start_paused = true)]
async fn a_silent_provider_is_named_after_one_wait_of_less_than_eight_seconds_and_at_most_forty_questions() {
    let world = Simulator::start(Plan::healthy(now()).with(|plan| {
        plan.resolvers.iter_mut().for_each(|resolver| resolver.waits = true);
        both(plan, ServerFault::Silent);
    }));
    let world = world.await.unwrap();
    let begin = tokio::time::Instant::now();
    let outcome = check(&settings(&world), Plan::DOMAIN, &reported()).await;
    let took = begin.elapsed();
    let finding = outcome.find(Code::NsSilent);
    assert_eq!((outcome.code(), finding.who), (Code::NsSilent, Who::DnsProvider), "{}", outcome.lines());
    assert_eq!(finding.verdict, Verdict::Fail);
    assert!(took > Duration::from_secs(4) && took < Duration::from_secs(8), "{took:?}");
    assert!(outcome.seen.lookups.len() <= 40, "{} questions", outcome.seen.lookups.len());
    // A question to a silent server takes over four seconds: one to each, side by side.
    let of_servers = outcome.seen.lookups.iter().filter(|lookup| lookup.server.role == Role::Authoritative);
    assert_eq!(of_servers.count(), Plan::NAME_SERVERS.len(), "{}", outcome.lines());
}

#[tokio::test]
async fn a_site_that_refuses_visitors_is_named_by_its_status_and_not_live_if_it_refuses_all() {
    for status in [400, 431, 401, 403, 410, 429, 451] {
        let outcome = look_at_docs(|plan| answers(plan, StubPage::new(StubAnswer::status(status)))).await;
        let expected = if [400, 431].contains(&status) { Verdict::Fail } else { Verdict::Warn };
        assert_eq!((outcome.code(), outcome.verdict()), (Code::HttpRefused, expected), "{}", outcome.lines());
        assert!(outcome.find(Code::HttpRefused).seen.contains(&status.to_string()), "{}", outcome.lines());
        let is_live = Measurement::of(&outcome.findings, now()).is_live();
        assert_eq!(is_live, expected == Verdict::Warn, "{status}");
    }
}

#[tokio::test]
async fn an_untrusted_certificate_fails_without_the_value_too() {
    let plan = Plan::healthy(now()).with(|plan| shows(plan, Issuer::Itself, Plan::DOMAIN));
    let world = Simulator::start(plan).await.unwrap();
    let mut settings = settings(&world);
    settings.expectation.platform_host = None;
    let outcome = check(&settings, Plan::DOMAIN, &Reported::default()).await;
    assert_eq!((outcome.code(), outcome.verdict()), (Code::TlsSelf, Verdict::Fail), "{}", outcome.lines());
}
