//! Servers that are wrong.

use std::time::Duration;

use crate::simulator::{Plan, ServerFault, Simulator, Zone, ZoneData};
use hickory_proto::op::{Message, ResponseCode};
use hickory_proto::rr::RecordType;
use petstore::clock;
use tokio::net::TcpStream;

use super::super::worlds::faults::{DAMAGES, FaultyServer as _};
use super::ask::{ask, at, healthy_but, question, reported, tcp, udp, udp_bytes};

const NS1: &str = Plan::NAME_SERVERS[0];
const NS2: &str = Plan::NAME_SERVERS[1];
/// Long enough for an answer on loopback, were there one.
const MOMENT: Duration = Duration::from_millis(100);

async fn with(fault: ServerFault) -> Simulator {
    healthy_but(|plan| {
        plan.name_server(NS1).fault(fault);
    })
    .await
}

#[tokio::test]
async fn a_silent_server_gets_questions_but_answers_none() {
    let world = with(ServerFault::Silent).await;
    let asked = question(Plan::DOMAIN, RecordType::A);
    assert_eq!(udp_bytes(at(&world, NS1), &asked, MOMENT).await, None);
    assert_eq!(world.questions().len(), 1);
    world.change(|plan| plan.name_server(NS1).faults.clear());
    assert_eq!(udp(at(&world, NS1), &asked).await.answers.len(), 1);
}

#[tokio::test]
async fn a_server_can_answer_with_any_code_to_all_or_to_some_types() {
    for code in [ResponseCode::Refused, ResponseCode::ServFail, ResponseCode::NotImp] {
        let world = with(ServerFault::Code(code)).await;
        assert_eq!(reported(at(&world, NS1), Plan::DOMAIN, RecordType::A).await, (code, vec![]));
    }
    let world = with(ServerFault::only(RecordType::CAA, ServerFault::Code(ResponseCode::NotImp))).await;
    assert_eq!(reported(at(&world, NS1), Plan::DOMAIN, RecordType::CAA).await.0, ResponseCode::NotImp);
    assert_eq!(reported(at(&world, NS1), Plan::DOMAIN, RecordType::A).await.0, ResponseCode::NoError);
    let world = with(ServerFault::only(RecordType::CAA, ServerFault::Silent)).await;
    assert_eq!(udp_bytes(at(&world, NS1), &question(Plan::DOMAIN, RecordType::CAA), MOMENT).await, None);
    assert_eq!(reported(at(&world, NS1), Plan::DOMAIN, RecordType::A).await.0, ResponseCode::NoError);
}

#[tokio::test]
async fn a_lame_server_answers_without_authority() {
    let world = with(ServerFault::NotAuthoritative).await;
    let answer = ask(at(&world, NS1), Plan::DOMAIN, RecordType::A).await;
    assert!(!answer.metadata.authoritative && answer.answers.len() == 1);
}

#[tokio::test]
async fn an_old_server_takes_edns_for_malformed() {
    let world = with(ServerFault::NoEdns).await;
    let mut asked = question(Plan::DOMAIN, RecordType::A);
    let answer = udp(at(&world, NS1), &asked).await;
    assert_eq!((answer.metadata.response_code, answer.edns), (ResponseCode::FormErr, None));
    asked.edns = None;
    assert_eq!(udp(at(&world, NS1), &asked).await.answers.len(), 1);
}

#[tokio::test]
async fn a_server_can_send_everybody_to_tcp() {
    let world = with(ServerFault::Truncated).await;
    let asked = question(Plan::DOMAIN, RecordType::A);
    let short = udp(at(&world, NS1), &asked).await;
    assert!(short.metadata.truncation && short.answers.is_empty());
    let whole = tcp(at(&world, NS1), &asked).await;
    assert!(!whole.metadata.truncation && whole.answers.len() == 1);
    let world = with(ServerFault::TcpOnly).await;
    assert_eq!(udp_bytes(at(&world, NS1), &asked, MOMENT).await, None);
    assert_eq!(tcp(at(&world, NS1), &asked).await.answers.len(), 1);
}

#[tokio::test]
async fn a_slow_server_answers_later() {
    let time = Duration::from_millis(30);
    let world = with(ServerFault::Slow(time)).await;
    let before = clock::now().mono;
    ask(at(&world, NS1), Plan::DOMAIN, RecordType::A).await;
    assert!(clock::now().mono.duration_since(before) >= time);
}

#[tokio::test]
async fn answers_can_be_damaged_in_many_ways() {
    let asked = question(Plan::DOMAIN, RecordType::A);
    let damaged = |number: usize| {
        let asked = &asked;
        async move {
            let world = with(ServerFault::Damages(DAMAGES[number].1)).await;
            udp_bytes(at(&world, NS1), asked, Duration::from_secs(10)).await.unwrap()
        }
    };
    assert!(Message::from_vec(&damaged(0).await).is_err());
    let other = Message::from_vec(&damaged(1).await).unwrap();
    assert!(other.metadata.id != asked.metadata.id && other.queries == asked.queries);
    let other = Message::from_vec(&damaged(2).await).unwrap();
    assert!(other.metadata.id == asked.metadata.id && other.queries != asked.queries);
    for number in [3, 4] {
        let bytes = damaged(number).await;
        assert_eq!(bytes[..2], asked.metadata.id.to_be_bytes());
        assert!(Message::from_vec(&bytes).is_err(), "{}", DAMAGES[number].0);
    }
}

#[tokio::test]
async fn a_secondary_can_lag_behind() {
    let world = healthy_but(|plan| {
        let mut old = plan.zone(Plan::ZONE).clone();
        old.serial -= 1;
        old.set(Plan::DOMAIN, 60, ZoneData::cname(Plan::OLD_HOST));
        plan.name_server(NS2).copies.push(old);
    });
    let world = world.await;
    for (host, target) in [(NS1, Plan::PLATFORM_HOST), (NS2, Plan::OLD_HOST)] {
        let (_, answers) = reported(at(&world, host), Plan::DOMAIN, RecordType::CNAME).await;
        assert!(answers[0].ends_with(target), "{answers:?}");
    }
}

#[tokio::test]
async fn servers_can_come_while_the_world_runs_and_all_end_with_it() {
    let world = healthy_but(|_| ()).await;
    world.change(|plan| {
        plan.zones.push(Zone::new("org", &["b0.org.example"]));
        plan.name_server("b0.org.example").serve("org");
        plan.resolver(4);
    });
    let server = at(&world, "b0.org.example");
    assert_eq!(reported(server, "org", RecordType::NS).await.1.len(), 1);
    assert_eq!(reported(world.resolver(4), "com", RecordType::NS).await.1.len(), 1);
    drop(world);
    // The tasks end at their next turn.
    while TcpStream::connect(server).await.is_ok() {
        tokio::task::yield_now().await;
    }
}
