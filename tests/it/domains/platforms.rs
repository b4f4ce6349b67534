//! What a platform says about itself changes how findings are judged.

use petstore::domains::diagnosis::Platform;
use petstore::domains::finding::Who;
use petstore::domains::simulator::{Door, Greeting, Plan, Simulator, ZoneData};
use petstore::domains::{Code, DnsName, Verdict};

use super::fixture::{Outcome, check, now, reported, settings};

async fn look(domain: &str, platform: Platform, change: impl FnOnce(&mut Plan)) -> Outcome {
    let world = Simulator::start(Plan::healthy(now()).with(change)).await.unwrap();
    let mut settings = settings(&world);
    let other = Platform { hosts: vec![DnsName::new("other.net")], proxy_allowed: true, ..Platform::default() };
    let platform = Platform { hosts: vec![DnsName::new(Plan::PLATFORM_ZONE)], ..platform };
    settings.expectation.describe(&[other, platform]);
    check(&settings, domain, &reported()).await
}

fn caa(plan: &mut Plan, parameter: &str) {
    let value = format!("{}; {parameter}", Plan::CA);
    plan.zone(Plan::ZONE).add(Plan::ZONE, Plan::TTL, ZoneData::caa("issue", &value));
}

#[tokio::test]
async fn accounturi_and_methods_are_compared_with_the_platforms() {
    let account = |uri: &str| Platform { account_uri: Some(uri.to_owned()), ..Platform::default() };
    let methods = |method: &str| Platform { methods: vec![method.to_owned()], ..Platform::default() };
    let (uri, one) = ("accounturi=https://ca.example/acct/7", "validationmethods=http-01");
    for (platform, parameter, code, verdict) in [
        (account("https://ca.example/acct/7"), uri, Code::CaaOk, Verdict::Ok),
        (account("https://ca.example/acct/8"), uri, Code::CaaAccount, Verdict::Fail),
        (Platform::default(), uri, Code::CaaAccount, Verdict::Warn),
        (methods("http-01"), one, Code::CaaOk, Verdict::Ok),
        (methods("dns-01"), one, Code::CaaMethod, Verdict::Fail),
        (Platform::default(), one, Code::CaaMethod, Verdict::Warn),
    ] {
        let outcome = look(Plan::DOMAIN, platform, |plan| caa(plan, parameter)).await;
        assert_eq!(outcome.find(code).verdict, verdict, "{parameter}: {}", outcome.lines());
    }
}

#[tokio::test]
async fn an_apex_may_have_the_addresses_that_the_platform_gives_for_it() {
    let platform = Platform { addresses: vec![Plan::OLD_ADDRESS.into()], ..Platform::default() };
    let address = |plan: &mut Plan| {
        plan.zone(Plan::ZONE).add(Plan::ZONE, Plan::TTL, ZoneData::address(Plan::OLD_ADDRESS));
    };
    let outcome = look(Plan::ZONE, platform, address).await;
    assert_eq!(outcome.find(Code::ApexOk).verdict, Verdict::Ok, "{}", outcome.lines());
    let unknown = look(Plan::ZONE, Platform::default(), address).await;
    assert_eq!(unknown.find(Code::ApexWrong).verdict, Verdict::Fail, "{}", unknown.lines());
}

#[tokio::test]
async fn a_missing_verification_record_is_named_and_support_is_reached() {
    let platform = Platform {
        verification: vec!["_pets-verify".to_owned()],
        support: Some("help@petplatform.net".to_owned()),
        ..Platform::default()
    };
    let name = format!("_pets-verify.{}", Plan::DOMAIN);
    let missing = look(Plan::DOMAIN, platform.clone(), |_| ()).await;
    assert!(missing.find(Code::DnsNotVerifiable).seen.contains(&name), "{}", missing.lines());
    let there = look(Plan::DOMAIN, platform, |plan| {
        plan.zone(Plan::ZONE).add(&name, Plan::TTL, ZoneData::txt("7f3a"));
        plan.site(Plan::PLATFORM_ADDRESS).https = Door::Closed;
    })
    .await;
    assert!(there.findings.iter().all(|finding| finding.code != Code::DnsNotVerifiable), "{}", there.lines());
    let refused = there.find(Code::TlsRefused);
    assert!(refused.who == Who::Platform && refused.fix.contains("help@petplatform.net"), "{}", refused.fix);
}

#[tokio::test]
async fn a_certificate_check_that_the_platform_wants_delegated_is_compared() {
    let platform =
        || Platform { acme_challenge: Some("{name}.acme.petplatform.net".to_owned()), ..Platform::default() };
    let name = format!("_acme-challenge.{}", Plan::DOMAIN);
    let wanted = format!("{}.acme.petplatform.net", Plan::DOMAIN);
    let add = |data: ZoneData| {
        let name = name.clone();
        move |plan: &mut Plan| {
            plan.zone(Plan::ZONE).add(&name, Plan::TTL, data);
        }
    };
    let missing = look(Plan::DOMAIN, platform(), |_| ()).await;
    let finding = missing.find(Code::AcmeDelegation);
    // It works until the certificate has to be renewed.
    assert_eq!((missing.code(), finding.verdict), (Code::AcmeDelegation, Verdict::Warn), "{}", missing.lines());
    let record = format!("add CNAME _acme-challenge.docs -> {wanted}");
    assert!(finding.fix.contains(&record) && finding.seen.ends_with("has no record"), "{finding:?}");

    let foreign = look(Plan::DOMAIN, platform(), add(ZoneData::cname(Plan::OLD_HOST))).await;
    assert!(foreign.find(Code::AcmeDelegation).fix.contains("delete what is there, then add CNAME"));
    let text = look(Plan::DOMAIN, platform(), add(ZoneData::txt("7f3a"))).await;
    assert!(text.find(Code::AcmeDelegation).seen.contains("has TXT records, and no CNAME"), "{}", text.lines());

    let right = look(Plan::DOMAIN, platform(), add(ZoneData::cname(&wanted))).await;
    assert_eq!(right.verdict(), Verdict::Ok, "{}", right.lines());
    let both = look(Plan::DOMAIN, platform(), |plan| {
        add(ZoneData::cname(&wanted))(plan);
        add(ZoneData::txt("7f3a"))(plan);
    })
    .await;
    assert!(both.find(Code::AcmeLeftOver).fix.contains("delete the TXT records"), "{}", both.lines());
    let unknown = look(Plan::DOMAIN, Platform::default(), add(ZoneData::cname(Plan::OLD_HOST))).await;
    assert_eq!(unknown.verdict(), Verdict::Ok, "{}", unknown.lines());
}

#[tokio::test]
async fn without_a_certificate_the_missing_delegation_is_what_is_wrong() {
    let platform = Platform { acme_challenge: Some("{name}.acme.petplatform.net".to_owned()), ..Platform::default() };
    let outcome = look(Plan::DOMAIN, platform, |plan| {
        plan.site(Plan::PLATFORM_ADDRESS).greet(Plan::DOMAIN, Greeting::UNRECOGNIZED_NAME);
    })
    .await;
    let finding = outcome.find(Code::AcmeDelegation);
    assert_eq!((outcome.code(), finding.verdict), (Code::AcmeDelegation, Verdict::Fail), "{}", outcome.lines());
}
