//! The first thing said is the cause, and the right addressee: troubles that hide each other.

use std::time::Duration;

use crate::simulator::{
    Door, Greeting, IssuedCertificate, Issuer, Plan, ServerFault, Simulator, StubAnswer, StubPage, Zone, ZoneData,
};
use hickory_proto::op::ResponseCode;
use hickory_proto::rr::RecordType;
use petstore::domains::{Code, DnsName, Finding, Lookup, Measurement, Redirect, Role, Verdict, Who};

use super::fixture::{Outcome, check, check_redirect, now, reported, settings};
use super::journey::Journey;
use super::worlds::faults::{FaultyServer as _, KEY_TAG, OddResolver as _, ds_record, sign};

const NS1: &str = Plan::NAME_SERVERS[0];
const NS2: &str = Plan::NAME_SERVERS[1];

async fn look(domain: &str, change: impl FnOnce(&mut Plan)) -> Outcome {
    let world = Simulator::start(Plan::healthy(now()).with(change)).await.unwrap();
    check(&settings(&world), domain, &reported()).await
}

async fn look_at_docs(change: impl FnOnce(&mut Plan)) -> Outcome {
    look(Plan::DOMAIN, change).await
}

/// The finding that decides.
fn first(outcome: &Outcome) -> &Finding {
    outcome.find(outcome.code())
}

#[tokio::test]
async fn a_left_over_delegation_is_the_cause_although_every_resolver_fails() {
    let outcome = look_at_docs(|plan| {
        plan.zone(Plan::ZONE).clear(Plan::DOMAIN).delegate(Plan::DOMAIN, &["ns1.gone-dns.net"]);
    })
    .await;
    assert_eq!((outcome.code(), first(&outcome).who), (Code::DnsZoneCut, Who::DnsProvider), "{}", outcome.lines());
}

#[tokio::test]
async fn a_wrong_value_in_a_dead_zone_is_the_cause_although_every_resolver_fails() {
    let outcome = look_at_docs(|plan| {
        plan.zone(Plan::ZONE).set(Plan::DOMAIN, Plan::TTL, ZoneData::cname(Plan::OLD_HOST));
        plan.name_server("ns1.oldhost.net").fault(ServerFault::Code(ResponseCode::Refused));
    })
    .await;
    assert_eq!(outcome.code(), Code::DnsWrongTarget, "{}", outcome.lines());
    assert!(first(&outcome).seen.contains("no name server answers"), "{}", outcome.lines());
}

#[tokio::test]
async fn a_dead_zone_of_the_platform_is_a_ticket_at_the_platform() {
    let outcome = look_at_docs(|plan| {
        plan.name_server("ns1.petplatform.net").fault(ServerFault::Silent);
    })
    .await;
    assert_eq!((outcome.code(), first(&outcome).who), (Code::ServfailAll, Who::Platform), "{}", outcome.lines());
    let bogus = look_at_docs(|plan| {
        for resolver in &mut plan.resolvers {
            resolver.finds_bogus(Plan::PLATFORM_ZONE, 7, "");
        }
    })
    .await;
    assert_eq!((bogus.code(), first(&bogus).who), (Code::DnssecBogus, Who::Platform), "{}", bogus.lines());
}

/// Resolvers reject the zone without saying why, as many do.
fn all_reject(plan: &mut Plan) {
    for resolver in &mut plan.resolvers {
        resolver.finds_bogus(Plan::ZONE, 6, "");
    }
}

#[tokio::test]
async fn expired_signatures_are_distinguished_from_a_foreign_ds_record_without_their_help() {
    let expired = look_at_docs(|plan| {
        sign(plan, Plan::ZONE, -30, -1);
        all_reject(plan);
    })
    .await;
    let finding = first(&expired);
    assert_eq!((finding.code, finding.who, finding.verdict), (Code::DnssecBogus, Who::DnsProvider, Verdict::Fail));
    assert!(finding.seen.contains("expired on 2026-11-20 12:00 UTC"), "{}", expired.lines());
    let foreign = look_at_docs(|plan| {
        sign(plan, Plan::ZONE, -1, 30);
        plan.zone("com").remove(Plan::ZONE, RecordType::DS).add(Plan::ZONE, 86_400, ds_record(4711));
        all_reject(plan);
    })
    .await;
    let finding = first(&foreign);
    assert_eq!((finding.code, finding.who), (Code::DnssecBogus, Who::Registrar), "{}", foreign.lines());
    assert!(finding.seen.contains("key 4711") && finding.seen.contains(&KEY_TAG.to_string()), "{}", finding.seen);
    let unsigned = look_at_docs(|plan| {
        plan.zone("com").add(Plan::ZONE, 86_400, ds_record(4711));
        all_reject(plan);
    })
    .await;
    assert!(first(&unsigned).seen.contains("not signed"), "{}", unsigned.lines());
}

#[tokio::test]
async fn one_server_of_two_with_expired_signatures_is_named() {
    let outcome = look_at_docs(|plan| {
        sign(plan, Plan::ZONE, -30, -1);
        let stale = plan.zone(Plan::ZONE).clone();
        plan.name_server(NS2).copies.push(stale);
        plan.zone(Plan::ZONE).remove(Plan::ZONE, RecordType::RRSIG);
        plan.zone("com").remove(Plan::ZONE, RecordType::DS);
        sign(plan, Plan::ZONE, -1, 30);
    })
    .await;
    let finding = first(&outcome);
    assert_eq!((finding.code, finding.verdict), (Code::DnssecBogus, Verdict::Warn), "{}", outcome.lines());
    assert!(finding.seen.contains(NS2) && !finding.seen.contains(NS1), "{}", finding.seen);
}

#[tokio::test]
async fn a_signed_zone_is_fine_and_takes_two_questions_more() {
    let plain = look_at_docs(|_| ()).await;
    let signed = look_at_docs(|plan| sign(plan, Plan::ZONE, -1, 30)).await;
    assert_eq!(signed.verdict(), Verdict::Ok, "{}", signed.lines());
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
async fn a_check_of_a_healthy_domain_sends_at_most_forty_questions() {
    let world = Simulator::start(Plan::healthy(now())).await.unwrap();
    check(&settings(&world), Plan::DOMAIN, &reported()).await;
    let sent = world.questions().len();
    assert!(sent <= 40, "{sent}");
}

#[tokio::test]
async fn a_silent_provider_is_named_at_the_first_look_after_one_wait_and_at_most_forty_questions() {
    let outcome = look_at_docs(|plan| {
        plan.resolvers.iter_mut().for_each(|resolver| resolver.waits = true);
        for host in Plan::NAME_SERVERS {
            plan.name_server(host).fault(ServerFault::Silent);
        }
    })
    .await;
    let finding = first(&outcome);
    assert_eq!((finding.code, finding.who), (Code::NsSilent, Who::DnsProvider), "{}", outcome.lines());
    assert_eq!(finding.verdict, Verdict::Fail);
    assert!(outcome.seen.lookups.len() <= 40, "{} questions", outcome.seen.lookups.len());
    // A question to a silent server takes over four seconds: one to each, side by side.
    let of_servers = outcome.seen.lookups.iter().filter(|lookup| lookup.server.role == Role::Authoritative);
    assert_eq!(of_servers.count(), Plan::NAME_SERVERS.len(), "{}", outcome.lines());
}

/// The clock stands still while anything is under way, so that only waiting counts, however busy the machine is.
#[expect(clippy::disallowed_methods, reason = "the clock of the test, which stands still")]
#[tokio::test(start_paused = true)]
async fn a_silent_provider_is_reported_in_less_than_eight_seconds() {
    let plan = Plan::healthy(now()).with(|plan| {
        plan.resolvers.iter_mut().for_each(|resolver| resolver.waits = true);
        for host in Plan::NAME_SERVERS {
            plan.name_server(host).fault(ServerFault::Silent);
        }
    });
    let world = Simulator::start(plan).await.unwrap();
    let begin = tokio::time::Instant::now();
    let outcome = check(&settings(&world), Plan::DOMAIN, &reported()).await;
    let took = begin.elapsed();
    assert_eq!(outcome.code(), Code::NsSilent, "{}", outcome.lines());
    assert!(took > Duration::from_secs(4) && took < Duration::from_secs(8), "{took:?}");
}

/// A further edge of the platform, which its own host does not lead to, answers at the old address.
fn further_edge(plan: &mut Plan) {
    let mut edge = plan.site(Plan::PLATFORM_ADDRESS).clone();
    edge.show(IssuedCertificate::new(plan.now, &[Plan::ZONE]));
    plan.sites.insert(Plan::OLD_ADDRESS.into(), edge);
}

#[tokio::test]
async fn an_alias_flattened_to_another_edge_of_the_platform_is_at_most_a_warning() {
    for domain in [Plan::ZONE, Plan::DOMAIN] {
        let outcome = look(domain, |plan| {
            further_edge(plan);
            plan.zone(Plan::ZONE).remove(domain, RecordType::CNAME);
            plan.zone(Plan::ZONE).add(domain, Plan::TTL, ZoneData::address(Plan::OLD_ADDRESS));
        })
        .await;
        let dns = outcome.findings.iter().filter(|finding| finding.code.as_str().starts_with(['D', 'A']));
        assert!(dns.clone().all(|finding| finding.verdict <= Verdict::Warn), "{}", outcome.lines());
    }
}

#[tokio::test]
async fn a_delegated_name_with_the_platforms_addresses_is_at_most_a_warning() {
    let outcome = look_at_docs(|plan| {
        plan.zone(Plan::ZONE).clear(Plan::DOMAIN).delegate(Plan::DOMAIN, &["ns1.oldhost.net"]);
        let mut own = Zone::new(Plan::DOMAIN, &["ns1.oldhost.net"]);
        own.add(Plan::DOMAIN, Plan::TTL, ZoneData::address(Plan::PLATFORM_ADDRESS));
        plan.zones.push(own);
        plan.name_server("ns1.oldhost.net").serve(Plan::DOMAIN);
    })
    .await;
    assert_eq!(outcome.find(Code::DnsZoneCut).verdict, Verdict::Warn, "{}", outcome.lines());
    assert_eq!(outcome.verdict(), Verdict::Warn, "{}", outcome.lines());
}

#[tokio::test]
async fn an_alert_means_no_certificate_only_where_it_says_so() {
    for (alert, expected) in [
        (40, Code::TlsAlert),
        (70, Code::TlsVersion),
        (80, Code::TlsAlert),
        (49, Code::TlsReset),
        (112, Code::TlsAlert),
    ] {
        let greeting = Greeting::Alert(alert);
        let outcome = look_at_docs(|plan| {
            plan.site(Plan::PLATFORM_ADDRESS).greet(Plan::DOMAIN, greeting);
        })
        .await;
        assert_eq!(outcome.code(), expected, "{alert}: {}", outcome.lines());
    }
}

#[tokio::test]
async fn a_certificate_that_cannot_be_used_is_reported_with_its_cause() {
    let old = look_at_docs(|plan| {
        plan.site(Plan::PLATFORM_ADDRESS).greet(Plan::DOMAIN, Greeting::OldCiphers);
    })
    .await;
    let finding = first(&old);
    assert_eq!((finding.code, finding.title.as_str()), (Code::TlsVersion, "The server has only old ciphers"));
    let expired = look_at_docs(|plan| {
        let own = IssuedCertificate { issuer: Issuer::Expired, ..IssuedCertificate::new(plan.now, &[Plan::DOMAIN]) };
        plan.site(Plan::PLATFORM_ADDRESS).greet(Plan::DOMAIN, Greeting::Certificate(own));
    })
    .await;
    let finding = first(&expired);
    assert_eq!((finding.code, finding.who), (Code::TlsChain, Who::Platform), "{}", expired.lines());
    assert!(finding.seen.contains("above it has expired"), "{}", finding.seen);
    assert!(!finding.fix.contains("points"), "{}", finding.fix);
}

#[tokio::test]
async fn a_site_that_refuses_every_visitor_is_not_live() {
    for (status, expected) in [(400, Verdict::Fail), (431, Verdict::Fail), (403, Verdict::Warn)] {
        let outcome = look_at_docs(|plan| {
            let page = StubPage::new(StubAnswer::status(status));
            plan.site(Plan::PLATFORM_ADDRESS).page(page.https().host(Plan::DOMAIN));
        })
        .await;
        assert_eq!((outcome.code(), outcome.verdict()), (Code::HttpRefused, expected), "{}", outcome.lines());
        let is_live = Measurement::of(&outcome.findings, now()).is_live();
        assert_eq!(is_live, expected == Verdict::Warn, "{status}");
    }
}

#[tokio::test]
async fn an_error_that_only_head_gives_is_no_failure() {
    for status in [404, 403, 500] {
        let outcome = look_at_docs(|plan| {
            let page = StubPage::new(StubAnswer::status(status)).https().host(Plan::DOMAIN).method("HEAD");
            plan.site(Plan::PLATFORM_ADDRESS).page(page);
        })
        .await;
        assert_eq!(outcome.verdict(), Verdict::Ok, "{}", outcome.lines());
        assert!(outcome.find(Code::HttpOk).seen.ends_with("answers 200"), "{}", outcome.lines());
        assert_eq!(outcome.find(Code::RdHead).verdict, Verdict::Ok);
    }
}

#[tokio::test]
async fn a_redirect_of_the_registrars_forwarder_is_not_corrected_in_the_dashboard() {
    let plan = Plan::healthy(now()).with(|plan| {
        plan.zone(Plan::ZONE).set(Plan::REDIRECTED, Plan::TTL, ZoneData::address(Plan::OLD_ADDRESS));
        let page = StubPage::new(StubAnswer::redirect(302, "https://pets.oldhost.net/"));
        plan.site(Plan::OLD_ADDRESS).page(page.host(Plan::REDIRECTED));
    });
    let world = Simulator::start(plan).await.unwrap();
    let [from, to] = [Plan::REDIRECTED, Plan::DOMAIN].map(DnsName::new);
    let outcome = check_redirect(&settings(&world), &Redirect { from, to, status: 301 }).await;
    let finding = outcome.find(Code::RdTarget);
    assert_eq!(finding.who, Who::DnsProvider, "{}", outcome.lines());
    assert!(finding.fix.contains("forwarder") && !finding.fix.contains("dashboard"), "{}", finding.fix);
}

#[tokio::test]
async fn a_mistyped_name_server_is_corrected_at_the_registrar() {
    let outcome = look_at_docs(|plan| {
        plan.zone("com").delegate(Plan::ZONE, &["ns1.oldhsot.net"]);
    })
    .await;
    let finding = first(&outcome);
    assert_eq!((finding.verdict, finding.who), (Verdict::Fail, Who::Registrar), "{}", outcome.lines());
    assert!(finding.seen.contains("ns1.oldhsot.net, which does not exist"), "{}", outcome.lines());
}

#[tokio::test]
async fn a_platform_that_refuses_connections_is_the_platforms_trouble() {
    let outcome = look_at_docs(|plan| plan.site(Plan::PLATFORM_ADDRESS).https = Door::Closed).await;
    let finding = first(&outcome);
    assert_eq!((finding.code, finding.who), (Code::TlsRefused, Who::Platform), "{}", outcome.lines());
    assert!(!finding.fix.contains("Verify"), "{}", finding.fix);
}

#[tokio::test]
async fn issuers_and_names_are_shown_whole_and_a_self_signed_certificate_is_called_that() {
    let issuer = "Corporate Inspection and Loss Prevention Authority of the Acme Group, Region North";
    let name = "a-rather-long-label-for-a-server.of-the-former-hosting-company.oldhost.net";
    let foreign = look_at_docs(|plan| {
        let own = IssuedCertificate::new(plan.now, &[Plan::DOMAIN]);
        let own = IssuedCertificate { issuer: Issuer::Foreign(issuer.to_owned()), ..own };
        plan.site(Plan::PLATFORM_ADDRESS).greet(Plan::DOMAIN, Greeting::Certificate(own));
    })
    .await;
    assert!(foreign.find(Code::TlsUnknownCa).seen.contains(issuer), "{}", foreign.lines());
    let own = look_at_docs(|plan| {
        let own = IssuedCertificate { issuer: Issuer::Itself, ..IssuedCertificate::new(plan.now, &[name]) };
        plan.site(Plan::PLATFORM_ADDRESS).greet(Plan::DOMAIN, Greeting::Certificate(own));
    })
    .await;
    let finding = own.find(Code::TlsSelf);
    assert!(finding.seen.contains("self-signed") && finding.seen.contains(name), "{}", finding.seen);
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
    let bound = jiff::SignedDuration::from_mins(2 * 60 + 15 - 10);
    assert_eq!(finding.until, now().checked_add(bound).ok(), "{}", finding.fix);
}

#[tokio::test]
async fn an_address_in_the_way_comes_before_lists_of_name_servers_that_overlap() {
    let outcome = look_at_docs(|plan| {
        plan.zone("com").delegate(Plan::ZONE, &[NS1]);
        plan.zone(Plan::ZONE).set(Plan::DOMAIN, Plan::TTL, ZoneData::address(Plan::OLD_ADDRESS));
    })
    .await;
    assert_eq!(outcome.code(), Code::DnsABlocks, "{}", outcome.lines());
    assert_eq!(outcome.find(Code::NsMismatch).verdict, Verdict::Warn);
}

#[tokio::test]
async fn an_untrusted_certificate_fails_without_the_value_too() {
    let world = Simulator::start(Plan::healthy(now()).with(|plan| {
        let own = IssuedCertificate { issuer: Issuer::Itself, ..IssuedCertificate::new(plan.now, &[Plan::DOMAIN]) };
        plan.site(Plan::PLATFORM_ADDRESS).greet(Plan::DOMAIN, Greeting::Certificate(own));
    }))
    .await
    .unwrap();
    let mut settings = settings(&world);
    settings.expectation.platform_host = None;
    let outcome = check(&settings, Plan::DOMAIN, &petstore::domains::reported::Reported::default()).await;
    assert_eq!((outcome.code(), outcome.verdict()), (Code::TlsSelf, Verdict::Fail), "{}", outcome.lines());
}

#[tokio::test]
async fn every_status_that_refuses_visitors_is_named() {
    for status in [401, 403, 410, 429, 451] {
        let page = StubPage::new(StubAnswer::status(status));
        let outcome = look_at_docs(|plan| {
            plan.site(Plan::PLATFORM_ADDRESS).page(page.https().host(Plan::DOMAIN));
        })
        .await;
        let finding = outcome.find(Code::HttpRefused);
        assert!(finding.seen.contains(&status.to_string()) && finding.verdict == Verdict::Warn, "{}", outcome.lines());
    }
}

#[tokio::test]
async fn a_configured_redirect_into_a_name_that_does_not_exist_fails() {
    let to = format!("gone.{}", Plan::ZONE);
    let world = Simulator::start(Plan::healthy(now()).with(|plan| {
        plan.redirect(Plan::REDIRECTED, &format!("https://{to}{{path}}"));
    }))
    .await
    .unwrap();
    let redirect = Redirect { from: DnsName::new(Plan::REDIRECTED), to: DnsName::new(&to), status: 301 };
    let outcome = check_redirect(&settings(&world), &redirect).await;
    assert_eq!((outcome.code(), outcome.verdict()), (Code::RdGone, Verdict::Fail), "{}", outcome.lines());
}

#[tokio::test]
async fn what_a_refusing_server_shows_without_sni_tells_whose_it_is_and_good_ones_are_not_asked() {
    let elsewhere = look_at_docs(|plan| {
        let stranger = IssuedCertificate::new(plan.now, &["*.oldhost.net"]);
        let site = plan.site(Plan::PLATFORM_ADDRESS).greet(Plan::DOMAIN, Greeting::UNRECOGNIZED_NAME);
        site.stranger = Greeting::Certificate(stranger);
    })
    .await;
    let finding = elsewhere.find(Code::TlsAlert);
    assert!(finding.seen.ends_with("(without SNI it shows *.oldhost.net)"), "{}", finding.seen);
    assert!(elsewhere.findings.iter().all(|finding| finding.code != Code::TlsSni), "{}", elsewhere.lines());

    // A shared edge has its own certificate for callers without SNI.
    let world = Simulator::start(Plan::healthy(now())).await.unwrap();
    let healthy = check(&settings(&world), Plan::DOMAIN, &reported()).await;
    assert_eq!(healthy.verdict(), Verdict::Ok, "{}", healthy.lines());
    assert!(healthy.seen.nameless_handshake.is_none());
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
async fn caa_questions_that_resolvers_cannot_answer_forbid_whatever_the_name_servers_say() {
    let servfail = || ServerFault::only(RecordType::CAA, ServerFault::Code(ResponseCode::ServFail));
    let rejected = look_at_docs(|plan| {
        for resolver in &mut plan.resolvers {
            resolver.fault(servfail());
        }
    })
    .await;
    let finding = first(&rejected);
    assert_eq!((finding.code, finding.verdict), (Code::CaaLookupFailed, Verdict::Fail), "{}", rejected.lines());
    let platform = look_at_docs(|plan| {
        plan.name_server("ns1.petplatform.net").fault(servfail());
    })
    .await;
    let finding = first(&platform);
    assert_eq!((finding.code, finding.who), (Code::CaaLookupFailed, Who::Platform), "{}", platform.lines());
}

#[tokio::test]
async fn one_server_of_two_without_signatures_fails_whichever_is_asked_first() {
    for odd in [NS1, NS2] {
        let outcome = look_at_docs(|plan| {
            let unsigned = plan.zone(Plan::ZONE).clone();
            plan.name_server(odd).copies.push(unsigned);
            sign(plan, Plan::ZONE, -1, 30);
        })
        .await;
        let finding = first(&outcome);
        assert_eq!((finding.code, finding.verdict), (Code::DnssecBogus, Verdict::Fail), "{}", outcome.lines());
        assert!(finding.seen.contains(odd) && finding.who == Who::DnsProvider, "{}", finding.seen);
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
    let redirect = Redirect { from: DnsName::new(&from), to: DnsName::new(Plan::DOMAIN), status: 301 };
    let outcome = check_redirect(&settings(&world), &redirect).await;
    let finding = outcome.find(Code::RdNone);
    let first = format!("first remove the redirect from {} to {from}", Plan::DOMAIN);
    assert!(finding.fix.contains(&first) && finding.seen.contains("the other way"), "{}", outcome.lines());
}

#[tokio::test]
async fn an_internal_view_does_not_count_where_visitors_reach_the_platform() {
    let outcome = look_at_docs(|plan| {
        let public = plan.zone(Plan::ZONE).clone();
        plan.resolvers.iter_mut().for_each(|resolver| {
            resolver.sees(public.clone());
        });
        plan.zone(Plan::ZONE).set(Plan::DOMAIN, Plan::TTL, ZoneData::address(Plan::OLD_ADDRESS));
    })
    .await;
    assert_eq!((outcome.code(), outcome.verdict()), (Code::SplitLocal, Verdict::Warn), "{}", outcome.lines());
    assert_eq!(outcome.find(Code::TlsOk).verdict, Verdict::Ok);
}
