//! Resolvers, which work or not, and what they remember.

use crate::simulator::{Plan, ServerFault, Simulator, Zone, ZoneData, ZoneRecord};
use hickory_proto::op::ResponseCode;
use hickory_proto::rr::RecordType;
use jiff::SignedDuration;

use super::super::worlds::faults::{FaultyServer as _, KEY_TAG, OddResolver as _, ds_record};
use super::ask::{ask, extended_errors, healthy_but, lines, question, reported, udp};

const NS1: &str = Plan::NAME_SERVERS[0];
const NS2: &str = Plan::NAME_SERVERS[1];

#[tokio::test]
async fn a_resolver_follows_the_domain_to_the_address_of_the_platform() {
    let world = healthy_but(|_| ()).await;
    assert_eq!(world.resolvers().len(), 4);
    for server in world.resolvers() {
        let answer = ask(server, Plan::DOMAIN, RecordType::A).await;
        assert!(answer.metadata.recursion_available && !answer.metadata.authoritative);
        let expected =
            ["docs.acme-pets.com 3600 CNAME sites.petplatform.net", "sites.petplatform.net 3600 A 127.0.0.1"];
        assert_eq!(lines(&answer.answers), expected);
    }
    for name in ["com", "net", "root-servers.net", "gtld-servers.net", "acme-dns.net", Plan::ZONE, "oldhost.net", ""] {
        let answer = ask(world.resolver(0), name, RecordType::SOA).await;
        assert_eq!(answer.answers.len(), 1, "{name}");
    }
    for name in ["a.root-servers.net", Plan::PARENT_SERVER, NS1, NS2, "ns1.petplatform.net", Plan::OLD_HOST] {
        assert_eq!(reported(world.resolver(0), name, RecordType::A).await.1.len(), 1, "{name}");
    }
}

#[tokio::test]
async fn what_is_not_there_is_denied_with_the_soa_record() {
    let world = healthy_but(|plan| {
        plan.zone(Plan::ZONE).set(Plan::DOMAIN, 60, ZoneData::cname("gone.petplatform.net"));
    });
    let world = world.await;
    let absent = ask(world.resolver(0), Plan::DOMAIN, RecordType::A).await;
    assert_eq!(absent.metadata.response_code, ResponseCode::NXDomain);
    assert_eq!((absent.answers.len(), lines(&absent.authorities)), (1, vec!["petplatform.net 900 SOA".to_owned()]));
    let empty = ask(world.resolver(0), Plan::ZONE, RecordType::A).await;
    assert_eq!(empty.metadata.response_code, ResponseCode::NoError);
    assert_eq!(lines(&empty.authorities), ["acme-pets.com 900 SOA"]);
    assert_eq!(reported(world.resolver(0), "acme.c0m", RecordType::A).await.0, ResponseCode::NXDomain);
}

#[tokio::test]
async fn a_domain_without_delegation_does_not_exist() {
    let world = healthy_but(|plan| {
        plan.zone("com").clear(Plan::ZONE);
    });
    let answer = ask(world.await.resolver(0), Plan::DOMAIN, RecordType::A).await;
    assert_eq!(answer.metadata.response_code, ResponseCode::NXDomain);
    assert_eq!(lines(&answer.authorities), ["com 900 SOA"]);
}

#[tokio::test]
async fn names_in_a_circle_fail() {
    let world = healthy_but(|plan| {
        plan.zone(Plan::ZONE).set(Plan::DOMAIN, 60, ZoneData::cname("loop.oldhost.net"));
        plan.zone("oldhost.net").add("loop.oldhost.net", 60, ZoneData::cname(Plan::DOMAIN));
    });
    assert_eq!(reported(world.await.resolver(0), Plan::DOMAIN, RecordType::A).await, (ResponseCode::ServFail, vec![]));
}

#[tokio::test]
async fn a_moved_subtree_is_followed() {
    let world = healthy_but(|plan| {
        plan.zone(Plan::ZONE).clear(Plan::DOMAIN).add(
            Plan::DOMAIN,
            60,
            ZoneData::Dname("oldhost.net".to_owned().into()),
        );
    });
    let (_, answers) = reported(world.await.resolver(0), "pets.docs.acme-pets.com", RecordType::A).await;
    let expected = [
        "docs.acme-pets.com 60 DNAME",
        "pets.docs.acme-pets.com 60 CNAME pets.oldhost.net",
        "pets.oldhost.net 3600 A 127.0.0.2",
    ];
    assert_eq!(answers, expected);
}

#[tokio::test]
async fn a_resolver_skips_useless_name_servers_until_none_is_left() {
    let world = healthy_but(|plan| {
        plan.name_server(NS1).fault(ServerFault::NotAuthoritative);
        plan.name_server(NS2).fault(ServerFault::only(RecordType::CAA, ServerFault::Silent));
    });
    let world = world.await;
    assert_eq!(reported(world.resolver(0), Plan::DOMAIN, RecordType::A).await.0, ResponseCode::NoError);
    let failed = ask(world.resolver(0), Plan::DOMAIN, RecordType::CAA).await;
    assert_eq!(failed.metadata.response_code, ResponseCode::ServFail);
    assert_eq!(extended_errors(&failed), [(22, "no server answered for docs.acme-pets.com".to_owned())]);
}

#[tokio::test]
async fn an_old_answer_is_given_until_its_time_is_over() {
    let world = healthy_but(|plan| {
        let old = ZoneRecord::new(Plan::DOMAIN, 40_980, ZoneData::cname(Plan::OLD_HOST));
        plan.resolver(1).remembers(Plan::DOMAIN, RecordType::CNAME, vec![old]);
        plan.resolver(1).remarks(Plan::DOMAIN, 3, "stale answer");
    });
    let world = world.await;
    let expected = ["docs.acme-pets.com 40980 CNAME pets.oldhost.net", "pets.oldhost.net 3600 A 127.0.0.2"];
    let answer = ask(world.resolver(1), Plan::DOMAIN, RecordType::A).await;
    assert_eq!(lines(&answer.answers), expected);
    assert_eq!(extended_errors(&answer), [(3, "stale answer".to_owned())]);
    assert_eq!(reported(world.resolver(1), Plan::DOMAIN, RecordType::CNAME).await.1, expected[..1]);
    assert_eq!(reported(world.resolver(0), Plan::DOMAIN, RecordType::CNAME).await.1.len(), 1);
    world.change(|plan| plan.resolver(1).held.clear());
    assert_eq!(reported(world.resolver(1), Plan::PLATFORM_HOST, RecordType::A).await.1.len(), 1);
}

#[tokio::test]
async fn cached_answers_expire_by_the_time_of_the_plan() {
    let world = healthy_but(|plan| {
        plan.zone(Plan::ZONE).set(Plan::DOMAIN, 300, ZoneData::cname(Plan::OLD_HOST));
        plan.resolver(0).keeps = true;
    });
    let world = world.await;
    let resolver = world.resolver(0);
    let sees = async |kind| lines(&ask(resolver, Plan::DOMAIN, kind).await.answers);
    let pass = |seconds| world.change(|plan| plan.now += SignedDuration::from_secs(seconds));
    let fresh = "gone.acme-pets.com";
    assert_eq!(sees(RecordType::CNAME).await, ["docs.acme-pets.com 300 CNAME pets.oldhost.net"]);
    assert_eq!(ask(resolver, fresh, RecordType::A).await.metadata.response_code, ResponseCode::NXDomain);
    world.change(|plan| {
        plan.zone(Plan::ZONE).set(Plan::DOMAIN, 300, ZoneData::cname(Plan::PLATFORM_HOST));
        plan.zone(Plan::ZONE).set(fresh, 300, ZoneData::cname(Plan::PLATFORM_HOST));
    });
    pass(299);
    let old = ["docs.acme-pets.com 1 CNAME pets.oldhost.net", "pets.oldhost.net 3600 A 127.0.0.2"];
    assert_eq!(sees(RecordType::A).await, old, "the target was not asked for before");
    assert_eq!(lines(&ask(resolver, fresh, RecordType::AAAA).await.authorities), ["acme-pets.com 601 SOA"]);
    pass(1);
    let new = ["docs.acme-pets.com 300 CNAME sites.petplatform.net", "sites.petplatform.net 3600 A 127.0.0.1"];
    assert_eq!(sees(RecordType::A).await, new);
    pass(599);
    assert_eq!(ask(resolver, fresh, RecordType::A).await.metadata.response_code, ResponseCode::NXDomain);
    pass(1);
    assert_eq!(reported(resolver, fresh, RecordType::A).await.1.len(), 2);
}

#[tokio::test]
async fn negative_answers_are_cached_too() {
    let world = healthy_but(|plan| {
        plan.resolver(0).remembers_nothing(Plan::DOMAIN, RecordType::CNAME, 840, true);
        plan.resolver(1).remembers_nothing(Plan::DOMAIN, RecordType::CNAME, 600, false);
    });
    let world = world.await;
    for kind in [RecordType::CNAME, RecordType::A] {
        let absent = ask(world.resolver(0), Plan::DOMAIN, kind).await;
        assert_eq!(absent.metadata.response_code, ResponseCode::NXDomain);
        assert_eq!(lines(&absent.authorities), ["acme-pets.com 840 SOA"]);
    }
    let empty = ask(world.resolver(1), Plan::DOMAIN, RecordType::CNAME).await;
    assert_eq!((empty.metadata.response_code, empty.answers.len()), (ResponseCode::NoError, 0));
    assert_eq!(lines(&empty.authorities), ["acme-pets.com 600 SOA"]);
    assert_eq!(reported(world.resolver(1), Plan::DOMAIN, RecordType::A).await.1.len(), 2);
}

#[tokio::test]
async fn wrong_signatures_fail_unless_checking_is_disabled() {
    let world = healthy_but(|plan| {
        plan.resolver(0).finds_bogus(Plan::ZONE, 7, "signature expired");
    });
    let world = world.await;
    let mut asked = question(Plan::DOMAIN, RecordType::A);
    let failed = udp(world.resolver(0), &asked).await;
    assert_eq!((failed.metadata.response_code, failed.answers.len()), (ResponseCode::ServFail, 0));
    assert_eq!(extended_errors(&failed), [(7, "signature expired".to_owned())]);
    asked.metadata.checking_disabled = true;
    let unchecked = udp(world.resolver(0), &asked).await;
    assert_eq!((unchecked.metadata.response_code, unchecked.answers.len()), (ResponseCode::NoError, 2));
    assert_eq!(reported(world.resolver(0), Plan::PLATFORM_HOST, RecordType::A).await.0, ResponseCode::NoError);
}

#[tokio::test]
async fn a_resolver_may_invent_addresses_for_nonsense() {
    let world = healthy_but(|plan| plan.resolver(0).invents = Some([127, 0, 0, 9].into()));
    let world = world.await;
    let nonsense = "nonsense.acme-pets.com";
    assert_eq!(reported(world.resolver(0), nonsense, RecordType::A).await.1, ["nonsense.acme-pets.com 60 A 127.0.0.9"]);
    assert_eq!(reported(world.resolver(0), nonsense, RecordType::CNAME).await, (ResponseCode::NoError, vec![]));
    assert_eq!(reported(world.resolver(0), Plan::ZONE, RecordType::A).await, (ResponseCode::NoError, vec![]));
    assert_eq!(reported(world.resolver(1), nonsense, RecordType::A).await.0, ResponseCode::NXDomain);
}

#[tokio::test]
async fn a_resolver_may_see_its_own_zone() {
    let world = healthy_but(|plan| {
        let mut own = Zone::new(Plan::DOMAIN, &["ns.internal"]);
        own.add(Plan::DOMAIN, 60, ZoneData::address([10, 0, 0, 7]));
        plan.resolver(2).sees(own);
    });
    let world = world.await;
    assert_eq!(reported(world.resolver(2), Plan::DOMAIN, RecordType::A).await.1, ["docs.acme-pets.com 60 A 10.0.0.7"]);
    assert_eq!(reported(world.resolver(0), Plan::DOMAIN, RecordType::A).await.1.len(), 2);
}

#[tokio::test]
async fn a_resolver_may_refuse_or_fail_as_servers_do() {
    for code in [ResponseCode::Refused, ResponseCode::ServFail] {
        let world = healthy_but(|plan| {
            plan.resolver(3).fault(ServerFault::Code(code));
        });
        let world = world.await;
        assert_eq!(reported(world.resolver(3), Plan::DOMAIN, RecordType::A).await, (code, vec![]));
        assert_eq!(reported(world.resolver(2), Plan::DOMAIN, RecordType::A).await.0, ResponseCode::NoError);
    }
}

/// A world whose first resolver caches.
async fn caching(change: impl FnOnce(&mut Plan)) -> Simulator {
    healthy_but(|plan| {
        change(plan);
        plan.resolver(0).keeps = true;
    })
    .await
}

fn pass(world: &Simulator, seconds: i64) {
    world.change(|plan| plan.now += SignedDuration::from_secs(seconds));
}

#[tokio::test]
async fn a_cached_delegation_is_followed_until_it_expires() {
    let world = caching(|plan| {
        let old = "ns1.oldhost.net";
        let mut copy = Zone::new(Plan::ZONE, &[old]);
        copy.add(Plan::DOMAIN, 300, ZoneData::address(Plan::OLD_ADDRESS));
        plan.name_server(old).copies.push(copy);
        plan.zone("com").remove(Plan::ZONE, RecordType::NS).add(Plan::ZONE, 86_400, ZoneData::ns(old));
    })
    .await;
    let resolver = world.resolver(0);
    let old = ["docs.acme-pets.com 300 A 127.0.0.2"];
    assert_eq!(reported(resolver, Plan::DOMAIN, RecordType::A).await.1, old);
    world.change(|plan| {
        plan.zone("com").delegate(Plan::ZONE, &Plan::NAME_SERVERS);
    });
    pass(&world, 86_100);
    assert_eq!(reported(resolver, Plan::DOMAIN, RecordType::A).await.1, old, "asked of the old ones again");
    let servers = reported(resolver, Plan::ZONE, RecordType::NS).await.1;
    assert_eq!(servers, ["acme-pets.com 300 NS ns1.oldhost.net"]);
    pass(&world, 300);
    assert_eq!(reported(resolver, Plan::DOMAIN, RecordType::A).await.1.len(), 2, "the new ones");
}

#[tokio::test]
async fn the_caches_of_a_farm_take_turns() {
    let world = caching(|plan| {
        plan.zone(Plan::ZONE).set(Plan::DOMAIN, 300, ZoneData::address(Plan::OLD_ADDRESS));
        plan.resolver(0).others = [Vec::new()].into();
    })
    .await;
    let resolver = world.resolver(0);
    world.visit(0, Plan::DOMAIN, RecordType::A);
    pass(&world, 100);
    let ttl = |left: u32| vec![format!("docs.acme-pets.com {left} A 127.0.0.2")];
    for left in [300, 200, 300, 200] {
        assert_eq!(reported(resolver, Plan::DOMAIN, RecordType::A).await.1, ttl(left));
    }
}

#[tokio::test]
async fn denials_share_the_soa_record_that_they_are_shown_with_but_not_their_time() {
    let world = caching(|_| ()).await;
    let resolver = world.resolver(0);
    let [first, second] = ["a.acme-pets.com", "b.acme-pets.com"];
    world.visit(0, first, RecordType::A);
    pass(&world, 600);
    world.visit(0, second, RecordType::A);
    let shown = ask(resolver, first, RecordType::A).await;
    assert_eq!(lines(&shown.authorities), ["acme-pets.com 900 SOA"], "renewed by the other name");
    world.change(|plan| {
        plan.zone(Plan::ZONE).add(first, 60, ZoneData::cname(Plan::PLATFORM_HOST));
    });
    pass(&world, 300);
    assert_eq!(reported(resolver, first, RecordType::A).await.1.len(), 2, "its own time is over");
}

#[tokio::test]
async fn a_zone_without_the_key_of_its_ds_record_fails_until_that_is_forgotten() {
    let world = caching(|plan| {
        plan.resolver(0).validates = true;
        plan.zone("com").add(Plan::ZONE, 86_400, ds_record(KEY_TAG));
    })
    .await;
    let resolver = world.resolver(0);
    let code = async || reported(resolver, Plan::DOMAIN, RecordType::A).await.0;
    assert_eq!(code().await, ResponseCode::ServFail);
    world.change(|plan| {
        plan.zone("com").remove(Plan::ZONE, RecordType::DS);
    });
    pass(&world, 86_399);
    assert_eq!(code().await, ResponseCode::ServFail);
    assert_eq!(reported(resolver, Plan::ZONE, RecordType::DS).await.1.len(), 1, "it is cached");
    pass(&world, 1);
    assert_eq!(code().await, ResponseCode::NoError);
}
