//! What a platform says about itself changes how findings are judged.

use petstore::domains::diagnosis::Platform;
use petstore::domains::finding::Who;
use petstore::domains::simulator::{Door, Plan, Simulator, ZoneData};
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
