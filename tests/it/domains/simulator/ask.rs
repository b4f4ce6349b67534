//! A client that asks one question and tells all of the answer.

use std::net::SocketAddr;
use std::time::Duration;

use crate::simulator::{Plan, Simulator};
use hickory_proto::op::{Edns, Message, Query, ResponseCode};
use hickory_proto::rr::rdata::opt::{EdnsCode, EdnsOption};
use hickory_proto::rr::{Name, Record, RecordType};
use jiff::Timestamp;
use petstore::domains::DnsName;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpStream, UdpSocket};
use tokio::time::timeout;

pub(super) fn now() -> Timestamp {
    "2026-11-20T12:00:00Z".parse().unwrap()
}

pub(super) async fn healthy_but(change: impl FnOnce(&mut Plan)) -> Simulator {
    Simulator::start(Plan::healthy(now()).with(change)).await.unwrap()
}

/// The address of the name server `host`.
pub(super) fn at(world: &Simulator, host: &str) -> SocketAddr {
    let host = DnsName::new(host);
    world.name_servers().into_iter().find(|(name, _)| *name == host).unwrap().1
}

pub(super) fn question(name: &str, kind: RecordType) -> Message {
    let mut message = Message::query();
    message.add_query(Query::query(Name::from_labels(DnsName::new(name).labels()).unwrap(), kind));
    message.metadata.recursion_desired = true;
    let mut edns = Edns::new();
    edns.set_max_payload(1232);
    message.set_edns(edns);
    message
}

/// The bytes that come back over UDP, or nothing for a while.
pub(super) async fn udp_bytes(server: SocketAddr, question: &Message, patience: Duration) -> Option<Vec<u8>> {
    let socket = UdpSocket::bind("127.0.0.1:0").await.unwrap();
    socket.send_to(&question.to_vec().unwrap(), server).await.unwrap();
    let mut answer = vec![0; 4096];
    let (length, from) = timeout(patience, socket.recv_from(&mut answer)).await.ok()?.unwrap();
    assert_eq!(from, server);
    answer.truncate(length);
    Some(answer)
}

pub(super) async fn udp(server: SocketAddr, question: &Message) -> Message {
    let bytes = udp_bytes(server, question, Duration::from_secs(10)).await.unwrap();
    let answer = Message::from_vec(&bytes).unwrap();
    assert_eq!((answer.metadata.id, &answer.queries), (question.metadata.id, &question.queries));
    answer
}

pub(super) async fn tcp(server: SocketAddr, question: &Message) -> Message {
    let mut stream = TcpStream::connect(server).await.unwrap();
    let bytes = question.to_vec().unwrap();
    stream.write_u16(bytes.len().try_into().unwrap()).await.unwrap();
    stream.write_all(&bytes).await.unwrap();
    let mut answer = vec![0; stream.read_u16().await.unwrap().into()];
    stream.read_exact(&mut answer).await.unwrap();
    Message::from_vec(&answer).unwrap()
}

pub(super) async fn ask(server: SocketAddr, name: &str, kind: RecordType) -> Message {
    udp(server, &question(name, kind)).await
}

/// Code, and the answer in lines of owner, TTL, type, and data where the type is known here.
pub(super) async fn reported(server: SocketAddr, name: &str, kind: RecordType) -> (ResponseCode, Vec<String>) {
    let answer = ask(server, name, kind).await;
    (answer.metadata.response_code, lines(&answer.answers))
}

pub(super) fn lines(records: &[Record]) -> Vec<String> {
    let line = |record: &Record| {
        let data = match record.record_type() {
            RecordType::SOA | RecordType::DNAME => String::new(),
            _ => format!(" {}", record.data.to_string().trim_end_matches('.')),
        };
        format!("{} {} {}{data}", DnsName::new(&record.name.to_ascii()), record.ttl, record.record_type())
    };
    records.iter().map(line).collect()
}

/// The extended errors of an answer.
pub(super) fn extended_errors(answer: &Message) -> Vec<(u16, String)> {
    let options = answer.edns.as_ref().unwrap().options().get_all(EdnsCode::Unknown(15));
    let read = options.into_iter().map(|option| match option {
        EdnsOption::Unknown(_, bytes) => {
            (u16::from_be_bytes([bytes[0], bytes[1]]), String::from_utf8(bytes[2..].to_vec()).unwrap())
        }
        other => panic!("{other:?}"),
    });
    read.collect()
}
