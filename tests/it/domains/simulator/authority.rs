//! Name servers that work, with all kinds of zones.

use crate::simulator::{LoggedServer, Plan, Simulator, Zone, ZoneData, ZoneRecord};
use hickory_proto::op::ResponseCode;
use hickory_proto::rr::{RData, RecordType};
use petstore::domains::DnsName;

use super::ask::{ask, at, healthy_but, lines, question, reported, tcp};

const NS1: &str = Plan::NAME_SERVERS[0];

/// What the zone's first name server says of `name`, with this added to the zone.
async fn with_zone(change: impl FnOnce(&mut Zone), name: &str, kind: RecordType) -> (ResponseCode, Vec<String>) {
    let world = healthy_but(|plan| change(plan.zone(Plan::ZONE))).await;
    reported(at(&world, NS1), name, kind).await
}

#[tokio::test]
async fn the_domain_is_a_cname_with_authority() {
    let world = healthy_but(|_| ()).await;
    let answer = ask(at(&world, NS1), "Docs.Acme-Pets.COM", RecordType::A).await;
    assert!(answer.metadata.authoritative && !answer.metadata.recursion_available);
    // The target is in a zone of others.
    assert_eq!(lines(&answer.answers), ["docs.acme-pets.com 3600 CNAME sites.petplatform.net"]);
    assert_eq!(answer.authorities, []);
    let over_tcp = tcp(at(&world, NS1), &question(Plan::DOMAIN, RecordType::CNAME)).await;
    assert_eq!(over_tcp.answers, answer.answers);
}

#[tokio::test]
async fn every_question_is_logged() {
    let world = healthy_but(|_| ()).await;
    let mut asked = question("a.Com", RecordType::CAA);
    asked.metadata.checking_disabled = true;
    asked.metadata.recursion_desired = false;
    asked.edns = None;
    tcp(at(&world, Plan::PARENT_SERVER), &asked).await;
    ask(world.resolver(2), "x.net", RecordType::A).await;
    let log = world.questions();
    assert_eq!(log[0].server, LoggedServer::NameServer(DnsName::new(Plan::PARENT_SERVER)));
    assert_eq!((log[0].name.as_str(), log[0].kind), ("a.com", RecordType::CAA));
    assert!(log[0].tcp && log[0].checking_disabled && !log[0].recursion_desired && !log[0].edns);
    assert_eq!(log[1].server, LoggedServer::Resolver(2));
    assert!(!log[1].tcp && !log[1].checking_disabled && log[1].recursion_desired && log[1].edns);
    assert_eq!(log.len(), 2);
    world.forget();
    assert_eq!(world.questions(), []);
}

#[tokio::test]
async fn nxdomain_and_nodata_are_distinguished() {
    let world = healthy_but(|plan| {
        plan.zone(Plan::ZONE).add("a.b.acme-pets.com", 60, ZoneData::txt("x"));
    });
    let world = world.await;
    let absent = ask(at(&world, NS1), "nowhere.acme-pets.com", RecordType::A).await;
    assert_eq!(absent.metadata.response_code, ResponseCode::NXDomain);
    // The lower of the SOA record's own time and its minimum.
    assert_eq!(lines(&absent.authorities), ["acme-pets.com 900 SOA"]);
    let RData::SOA(soa) = &absent.authorities[0].data else { panic!() };
    assert_eq!((soa.serial, soa.minimum, soa.mname.to_string().as_str()), (2_026_112_001, 900, "ns1.acme-dns.net."));
    for (name, kind) in [("acme-pets.com", RecordType::CAA), ("b.acme-pets.com", RecordType::TXT)] {
        let empty = ask(at(&world, NS1), name, kind).await;
        assert_eq!((empty.metadata.response_code, empty.answers), (ResponseCode::NoError, vec![]), "{name}");
        assert_eq!(lines(&empty.authorities), ["acme-pets.com 900 SOA"]);
    }
}

#[tokio::test]
async fn a_cname_may_exist_next_to_everything_else() {
    let world = healthy_but(|plan| {
        let target = DnsName::new("x.net");
        plan.zone(Plan::ZONE)
            .add(Plan::DOMAIN, 60, ZoneData::address([192, 0, 2, 10]))
            .add(Plan::DOMAIN, 60, ZoneData::address([0x2001, 0xdb8, 0, 0, 0, 0, 0, 1]))
            .add(Plan::DOMAIN, 60, ZoneData::Mx(5, target.clone()))
            .add(Plan::DOMAIN, 60, ZoneData::txt("hello"))
            .add(Plan::DOMAIN, 60, ZoneData::caa("issue", "other.example"))
            .add(Plan::DOMAIN, 60, ZoneData::Https(1, target))
            .add(Plan::ZONE, 60, ZoneData::cname("apex.net"));
    });
    let world = world.await;
    for (kind, line) in [
        (RecordType::CNAME, "docs.acme-pets.com 3600 CNAME sites.petplatform.net"),
        (RecordType::A, "docs.acme-pets.com 60 A 192.0.2.10"),
        (RecordType::AAAA, "docs.acme-pets.com 60 AAAA 2001:db8::1"),
        (RecordType::MX, "docs.acme-pets.com 60 MX 5 x.net"),
        (RecordType::TXT, "docs.acme-pets.com 60 TXT hello"),
        (RecordType::CAA, "docs.acme-pets.com 60 CAA 0 issue \"other.example\""),
        (RecordType::HTTPS, "docs.acme-pets.com 60 HTTPS 1 x.net"),
        // No such record: the CNAME.
        (RecordType::SRV, "docs.acme-pets.com 3600 CNAME sites.petplatform.net"),
    ] {
        assert_eq!(reported(at(&world, NS1), Plan::DOMAIN, kind).await, (ResponseCode::NoError, vec![line.to_owned()]));
    }
    let (_, apex) = reported(at(&world, NS1), Plan::ZONE, RecordType::CNAME).await;
    assert_eq!(apex, ["acme-pets.com 60 CNAME apex.net"]);
    assert_eq!(reported(at(&world, NS1), Plan::ZONE, RecordType::NS).await.1.len(), 2);
}

#[tokio::test]
async fn of_two_cnames_both_are_given() {
    let add = |zone: &mut Zone| {
        zone.add(Plan::DOMAIN, 60, ZoneData::cname("other.net"));
    };
    let (code, answers) = with_zone(add, Plan::DOMAIN, RecordType::A).await;
    assert_eq!(code, ResponseCode::NoError);
    assert_eq!(answers[0], "docs.acme-pets.com 3600 CNAME sites.petplatform.net");
    assert_eq!(answers[1..], ["docs.acme-pets.com 60 CNAME other.net"]);
}

#[tokio::test]
async fn a_cname_is_followed_within_the_zones_of_the_server_also_in_a_circle() {
    let add = |zone: &mut Zone| {
        zone.set(Plan::DOMAIN, 60, ZoneData::cname("a.acme-pets.com"))
            .add("a.acme-pets.com", 60, ZoneData::cname("mail.acme-pets.com"))
            .add("mail.acme-pets.com", 60, ZoneData::txt("x"));
    };
    let (_, answers) = with_zone(add, Plan::DOMAIN, RecordType::A).await;
    assert_eq!(answers.len(), 3);
    assert_eq!(answers[2], "mail.acme-pets.com 3600 A 127.0.0.2");
    let circle = |zone: &mut Zone| {
        add(zone);
        zone.set("mail.acme-pets.com", 60, ZoneData::cname(Plan::DOMAIN));
    };
    let (code, answers) = with_zone(circle, Plan::DOMAIN, RecordType::A).await;
    assert_eq!((code, answers.len()), (ResponseCode::NoError, 3));
    let into_nothing = |zone: &mut Zone| {
        zone.set(Plan::DOMAIN, 60, ZoneData::cname("none.acme-pets.com"));
    };
    let (code, answers) = with_zone(into_nothing, Plan::DOMAIN, RecordType::A).await;
    assert_eq!((code, answers.len()), (ResponseCode::NXDomain, 1));
}

#[tokio::test]
async fn a_wildcard_answers_for_names_that_do_not_exist() {
    let world = healthy_but(|plan| {
        plan.zone(Plan::ZONE).add("*.acme-pets.com", 60, ZoneData::cname(Plan::OLD_HOST)).add(
            "a.b.acme-pets.com",
            60,
            ZoneData::txt("x"),
        );
    });
    let world = world.await;
    let server = at(&world, NS1);
    for name in ["random.acme-pets.com", "a.random.acme-pets.com"] {
        let (_, answers) = reported(server, name, RecordType::A).await;
        assert_eq!(answers, [format!("{name} 60 CNAME pets.oldhost.net")]);
    }
    // It exists, but has no records.
    assert_eq!(reported(server, "b.acme-pets.com", RecordType::A).await, (ResponseCode::NoError, vec![]));
    // Below a name that exists the wildcard is too far up.
    assert_eq!(reported(server, "c.b.acme-pets.com", RecordType::A).await, (ResponseCode::NXDomain, vec![]));
    assert_eq!(reported(server, Plan::DOMAIN, RecordType::TXT).await.1.len(), 1);
}

/// The authorities and additionals of an answer that should refer elsewhere.
async fn referral(world: &Simulator, server: &str, name: &str, kind: RecordType) -> (Vec<String>, Vec<String>) {
    let answer = ask(at(world, server), name, kind).await;
    assert_eq!((answer.metadata.response_code, answer.metadata.authoritative), (ResponseCode::NoError, false));
    assert_eq!(answer.answers, []);
    (lines(&answer.authorities), lines(&answer.additionals))
}

#[tokio::test]
async fn a_parent_refers_to_the_servers_of_a_zone() {
    let world = healthy_but(|plan| {
        plan.zone("com").add(Plan::ZONE, 60, ZoneData::Raw(RecordType::DS, vec![0, 1, 13, 2, 7]));
    });
    let world = world.await;
    for (name, kind) in [(Plan::DOMAIN, RecordType::CNAME), (Plan::ZONE, RecordType::NS)] {
        let (servers, glue) = referral(&world, Plan::PARENT_SERVER, name, kind).await;
        assert_eq!(servers[0], "acme-pets.com 172800 NS ns1.acme-dns.net");
        assert_eq!((servers.len(), glue.len()), (2, 0));
    }
    let (servers, glue) = referral(&world, Plan::PARENT_SERVER, "ns1.acme-dns.net", RecordType::A).await;
    assert_eq!((servers.len(), glue.len()), (2, 2));
    assert_eq!(glue[0], "ns1.acme-dns.net 172800 A 127.0.0.1");
    // What belongs to the parent it answers itself.
    let signer = ask(at(&world, Plan::PARENT_SERVER), Plan::ZONE, RecordType::DS).await;
    assert!(signer.metadata.authoritative && signer.answers.len() == 1);
}

#[tokio::test]
async fn a_name_can_be_cut_out_of_its_zone() {
    let world = healthy_but(|plan| {
        plan.zone(Plan::ZONE).delegate(Plan::DOMAIN, &["ns1.oldhost.net"]);
    });
    let world = world.await;
    let (servers, _) = referral(&world, NS1, Plan::DOMAIN, RecordType::CNAME).await;
    assert_eq!(servers, ["docs.acme-pets.com 172800 NS ns1.oldhost.net"]);
    world.change(|plan| plan.hosted(Plan::DOMAIN, &[NS1]));
    let answer = ask(at(&world, NS1), Plan::DOMAIN, RecordType::SOA).await;
    assert!(answer.metadata.authoritative && lines(&answer.answers) == ["docs.acme-pets.com 3600 SOA"]);
}

#[tokio::test]
async fn a_subtree_can_be_elsewhere() {
    let add = |zone: &mut Zone| {
        zone.clear(Plan::DOMAIN).add(Plan::ZONE, 60, ZoneData::Dname(DnsName::new("oldhost.net")));
    };
    let (code, answers) = with_zone(add, "a.docs.acme-pets.com", RecordType::A).await;
    assert_eq!(code, ResponseCode::NoError);
    assert_eq!(answers, ["acme-pets.com 60 DNAME", "a.docs.acme-pets.com 60 CNAME a.docs.oldhost.net"]);
}

#[tokio::test]
async fn a_server_without_the_zone_refuses() {
    let world = healthy_but(|_| ()).await;
    assert_eq!(
        reported(at(&world, "ns1.oldhost.net"), Plan::DOMAIN, RecordType::A).await,
        (ResponseCode::Refused, vec![])
    );
}

#[tokio::test]
async fn any_bytes_can_be_in_records_and_names() {
    let broken = vec![0, 200, b'i'];
    let world = healthy_but(|plan| {
        plan.zone(Plan::ZONE)
            .add(Plan::ZONE, 60, ZoneData::Raw(RecordType::from(65_280), broken.clone()))
            .set(Plan::DOMAIN, 60, ZoneData::txt([0xff, 0x00]))
            .add(Plan::DOMAIN, 60, ZoneData::cname(r"https://sites\032x"));
    });
    let world = world.await;
    let answer = ask(at(&world, NS1), Plan::ZONE, RecordType::from(65_280)).await;
    let RData::Unknown { rdata, .. } = &answer.answers[0].data else { panic!() };
    assert_eq!(rdata.anything, broken);
    let answer = ask(at(&world, NS1), Plan::DOMAIN, RecordType::TXT).await;
    let RData::TXT(text) = &answer.answers[0].data else { panic!() };
    assert_eq!(text.txt_data[0][..], [0xff, 0x00]);
    let (_, answers) = reported(at(&world, NS1), Plan::DOMAIN, RecordType::CNAME).await;
    assert_eq!(answers.len(), 1);
    assert_eq!(
        ZoneRecord::new("x", 1, ZoneData::txt("a".repeat(300))).data,
        ZoneData::Txt(vec![vec![b'a'; 255], vec![b'a'; 45]])
    );
}

#[tokio::test]
async fn an_answer_too_long_for_udp_is_only_whole_over_tcp() {
    let world = healthy_but(|plan| {
        plan.zone(Plan::ZONE).add(Plan::DOMAIN, 60, ZoneData::txt("a".repeat(600)));
    });
    let world = world.await;
    let mut asked = question(Plan::DOMAIN, RecordType::TXT);
    asked.edns = None;
    let short = super::ask::udp(at(&world, NS1), &asked).await;
    assert!(short.metadata.truncation && short.answers.is_empty());
    let whole = tcp(at(&world, NS1), &asked).await;
    assert!(!whole.metadata.truncation && whole.answers.len() == 1);
    assert_eq!(ask(at(&world, NS1), Plan::DOMAIN, RecordType::TXT).await.answers.len(), 1);
}
