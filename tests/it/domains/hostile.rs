//! Servers that answer nonsense, too much, or never: every check ends, with findings.

use crate::prelude::*;

use crate::simulator::{Damage, Door, Plan, ServerFault, Simulator, StubAnswer, StubBody, StubPage};
use petstore::domains::Topic;

use super::fixture::{Outcome, check, now, reported, settings};
use super::worlds::faults::{DAMAGES, FaultyServer as _};

/// The healthy plan with each kind of damage, checked concurrently: most of the time is spent waiting.
async fn with_each(make: impl Fn(&mut Plan, Damage) + Copy) -> Vec<(&'static str, Outcome)> {
    let looks = DAMAGES.map(|(name, damage)| async move {
        let world = Simulator::start(Plan::healthy(now()).with(|plan| make(plan, damage))).await.unwrap();
        (name, check(&settings(&world), Plan::DOMAIN, &reported()).await)
    });
    stream::iter(looks).buffer_unordered(DAMAGES.len()).collect().await
}

#[tokio::test(flavor = "multi_thread")]
async fn damaged_answers_of_one_resolver_leave_the_others_to_judge() {
    for (damage, outcome) in with_each(|plan, damage| {
        plan.resolver(0).fault(ServerFault::Damages(damage));
    })
    .await
    {
        assert_eq!(outcome.verdict(), Verdict::Ok, "{damage:?}\n{}", outcome.lines());
        assert_eq!(outcome.find(Code::ResolverDown).verdict, Verdict::Unknown);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn damaged_answers_of_the_name_servers_do_not_judge_the_record() {
    for (damage, outcome) in with_each(|plan, damage| {
        for host in Plan::NAME_SERVERS {
            plan.name_server(host).fault(ServerFault::Damages(damage));
        }
    })
    .await
    {
        let about_record = outcome.findings.iter().filter(|finding| finding.code.topic() == Topic::Record);
        assert!(
            about_record.clone().all(|finding| finding.verdict != Verdict::Fail),
            "{damage:?}\n{}",
            outcome.lines()
        );
        assert!(!outcome.findings.is_empty(), "{damage:?}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn endless_or_senseless_http_answers_do_not_hang_the_check() {
    let bodies = [
        StubBody::Huge(1 << 30),
        StubBody::EndlessHeaders,
        StubBody::Garbage(b"\x00\xff\x1b[2J nonsense\r\n\r\n".to_vec()),
    ];
    for body in bodies {
        let plan = Plan::healthy(now()).with(|plan| {
            let answer = StubAnswer::status(200).with(body.clone());
            plan.site(Plan::PLATFORM_ADDRESS).page(StubPage::new(answer));
        });
        let world = Simulator::start(plan).await.unwrap();
        let outcome = check(&settings(&world), Plan::DOMAIN, &reported()).await;
        assert_eq!(outcome.find(Code::TlsOk).verdict, Verdict::Ok, "{}", outcome.lines());
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn something_that_only_looks_like_tls_is_reported_as_that() {
    let plan = Plan::healthy(now()).with(|plan| {
        plan.site(Plan::PLATFORM_ADDRESS).https = Door::Says(b"SSH-2.0-OpenSSH_9.2\r\n".to_vec());
    });
    let world = Simulator::start(plan).await.unwrap();
    let outcome = check(&settings(&world), Plan::DOMAIN, &reported()).await;
    assert_eq!(outcome.code(), Code::TlsNotTls, "{}", outcome.lines());
}

#[tokio::test(flavor = "multi_thread")]
async fn a_parking_page_is_known_by_its_text_where_the_page_must_be_read() {
    let parking = StubAnswer::status(200).body("<h1>This domain is parked</h1>");
    let plan = Plan::healthy(now()).with(|plan| {
        let site = plan.site(Plan::PLATFORM_ADDRESS);
        site.page(StubPage::new(parking.clone()).https().host(Plan::DOMAIN));
        site.page(StubPage::new(StubAnswer::status(405)).https().host(Plan::DOMAIN).method("HEAD"));
    });
    let world = Simulator::start(plan).await.unwrap();
    let outcome = check(&settings(&world), Plan::DOMAIN, &reported()).await;
    assert_eq!(outcome.code(), Code::HttpParked, "{}", outcome.lines());
    assert_eq!(outcome.find(Code::RdHead).verdict, Verdict::Ok);
}
