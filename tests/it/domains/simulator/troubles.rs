//! The worlds for the rows of the catalogue.

use std::collections::HashSet;

use crate::simulator::{Plan, Simulator};
use hickory_proto::op::ResponseCode;
use hickory_proto::rr::RecordType;
use petstore::domains::{Code, Topic};

use super::super::worlds::{self, Trouble};
use super::ask::{ask, at, extended_errors, now, reported};

async fn world(code: Code) -> Simulator {
    Simulator::start(worlds::showing(now(), code).unwrap()).await.unwrap()
}

/// Whether the row says that all is well, as it is in a healthy world.
fn is_right(code: Code) -> bool {
    [Code::DnsOk, Code::CaaNone, Code::TlsOk, Code::HttpOk, Code::RdOk].contains(&code)
}

#[test]
fn every_row_that_needs_a_world_has_one() {
    let needs_none =
        |code: &Code| matches!(code.topic(), Topic::Name | Topic::Configuration) || worlds::WITHOUT.contains(code);
    let missing: Vec<_> = Code::ALL.iter().filter(|code| Trouble::of(**code).is_none() && !needs_none(code)).collect();
    assert_eq!(missing, Vec::<&Code>::new());
    let all: HashSet<_> = Trouble::all().map(|trouble| trouble.code).collect();
    assert_eq!(all.len(), Trouble::all().count());
}

#[tokio::test]
async fn every_one_of_them_can_be_started_and_reached_from_a_healthy_one() {
    let changing = Simulator::start(Plan::healthy(now())).await.unwrap();
    for trouble in Trouble::all() {
        let plan = worlds::showing(now(), trouble.code).unwrap();
        assert!(Plan::healthy(now()) != plan || is_right(trouble.code), "{}", trouble.code);
        let started = Simulator::start(plan.clone()).await.unwrap();
        assert_eq!(started.resolvers().len(), 4);
        changing.change(|now| *now = plan);
        assert!(changing.name_servers().len() >= started.name_servers().len());
    }
}

#[tokio::test]
async fn a_typing_mistake_leads_nowhere() {
    for code in [Code::DnsNearMiss, Code::DnsTargetGone, Code::DnsValueDoubled, Code::DnsValueUrl] {
        let world = world(code).await;
        let (rcode, answers) = reported(world.resolver(0), Plan::DOMAIN, RecordType::A).await;
        assert_eq!((rcode, answers.len()), (ResponseCode::NXDomain, 1), "{code}");
    }
}

#[tokio::test]
async fn a_parked_domain_and_one_behind_a_proxy_have_other_name_servers() {
    for (code, end) in [(Code::DnsParked, ".parkingcrew.net"), (Code::ProxyCloudflare, ".ns.cloudflare.com")] {
        let world = world(code).await;
        let (_, servers) = reported(world.resolver(0), Plan::ZONE, RecordType::NS).await;
        assert!(servers.len() == 2 && servers.iter().all(|server| server.ends_with(end)), "{servers:?}");
        let (_, addresses) = reported(world.resolver(0), Plan::DOMAIN, RecordType::A).await;
        assert_eq!(addresses.len(), 1);
    }
}

#[tokio::test]
async fn all_resolvers_fail_when_the_servers_do() {
    for code in [Code::ServfailAll, Code::LameAll, Code::DnssecBogus] {
        let world = world(code).await;
        for resolver in world.resolvers() {
            let answer = ask(resolver, Plan::DOMAIN, RecordType::A).await;
            assert_eq!(answer.metadata.response_code, ResponseCode::ServFail, "{code}");
            assert_eq!(extended_errors(&answer)[0].0, if code == Code::DnssecBogus { 7 } else { 22 });
        }
    }
}

#[tokio::test]
async fn a_registrar_that_names_the_old_provider_leads_the_world_there() {
    let world = world(Code::NsMismatch).await;
    let (_, addresses) = reported(world.resolver(0), Plan::ZONE, RecordType::A).await;
    assert_eq!(addresses, ["acme-pets.com 3600 A 127.0.0.2"]);
    assert_eq!(reported(world.resolver(0), Plan::DOMAIN, RecordType::A).await.0, ResponseCode::NXDomain);
    assert!(reported(world.resolver(0), Plan::ZONE, RecordType::NS).await.1[0].ends_with(Plan::NAME_SERVERS[0]));
    assert_eq!(reported(at(&world, Plan::NAME_SERVERS[0]), Plan::DOMAIN, RecordType::CNAME).await.1.len(), 1);
}
