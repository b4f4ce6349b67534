//! DNS over UDP and TCP: questions read, answered with the faults of the server, and written.

use std::io;
use std::net::{Ipv4Addr, SocketAddr};
use std::sync::Arc;
use std::time::Duration;

use hickory_proto::op::{Edns, Message, ResponseCode};
use hickory_proto::rr::rdata::opt::EdnsOption;
use hickory_proto::rr::{self, RecordType};
use tokio::io::{AsyncRead, AsyncReadExt as _, AsyncWrite, AsyncWriteExt as _};
use tokio::net::{TcpListener, UdpSocket};
use tokio::task::JoinSet;
use tokio::time::sleep;

use super::fault::ServerFault;
use super::log::{LoggedQuestion, LoggedServer};
use super::lookup::Reply;
use super::recursion;
use super::shared::{Shared, accept, retry};
use super::zone::ZoneRecord;
use petstore::domains::NoReply;
use petstore::domains::dns::message::presentation;

/// The number of the EDNS option for extended errors (RFC 8914).
const EXTENDED_ERROR: u16 = 15;
/// The longest answer over UDP for those who say nothing about it.
const UDP_SIZE: u16 = 512;
/// What the servers say that they take over UDP.
const EDNS_SIZE: u16 = 1232;

/// Both sockets of one server, on the same port.
pub(super) struct Sockets {
    pub address: SocketAddr,
    udp: UdpSocket,
    tcp: TcpListener,
}

impl Sockets {
    /// Needs a runtime around it.
    pub fn bind() -> io::Result<Self> {
        retry(|| {
            let udp = std::net::UdpSocket::bind((Ipv4Addr::LOCALHOST, 0))?;
            let address = udp.local_addr()?;
            let tcp = std::net::TcpListener::bind(address)?;
            udp.set_nonblocking(true)?;
            tcp.set_nonblocking(true)?;
            Ok(Self { address, udp: UdpSocket::from_std(udp)?, tcp: TcpListener::from_std(tcp)? })
        })
    }

    /// Answers until it is dropped, and all that it began with it.
    pub async fn serve(self, shared: Arc<Shared>, server: LoggedServer) {
        let udp = serve_udp(Arc::new(self.udp), Arc::clone(&shared), server.clone());
        tokio::join!(udp, serve_tcp(self.tcp, shared, server));
    }
}

async fn serve_udp(socket: Arc<UdpSocket>, shared: Arc<Shared>, server: LoggedServer) {
    let mut answering = JoinSet::new();
    let mut datagram = vec![0; usize::from(u16::MAX)];
    loop {
        // An error belongs to an earlier answer that nothing waited for.
        let Ok((length, asker)) = socket.recv_from(&mut datagram).await else { continue };
        while answering.try_join_next().is_some() {}
        let Some((delay, answer)) = answer(&shared, &server, &datagram[..length], false) else { continue };
        let socket = Arc::clone(&socket);
        answering.spawn(async move {
            sleep(delay).await;
            let _ = socket.send_to(&answer, asker).await;
        });
    }
}

async fn serve_tcp(listener: TcpListener, shared: Arc<Shared>, server: LoggedServer) {
    let mut connections = JoinSet::new();
    loop {
        let stream = accept(&listener).await;
        while connections.try_join_next().is_some() {}
        let (shared, server) = (Arc::clone(&shared), server.clone());
        connections.spawn(async move {
            let _ = converse(stream, &shared, &server).await;
        });
    }
}

/// Answers the questions of one connection, one after the other.
pub(super) async fn converse<S>(mut stream: S, shared: &Shared, server: &LoggedServer) -> io::Result<()>
where
    S: AsyncRead + AsyncWrite + Unpin,
{
    loop {
        let length = stream.read_u16().await?;
        let mut question = vec![0; usize::from(length)];
        stream.read_exact(&mut question).await?;
        let Some((delay, answer)) = answer(shared, server, &question, true) else { continue };
        sleep(delay).await;
        let length = u16::try_from(answer.len()).map_err(io::Error::other)?;
        stream.write_all(&[&length.to_be_bytes(), answer.as_slice()].concat()).await?;
    }
}

/// When and what `server` answers, if anything.
pub(super) fn answer(
    shared: &Shared,
    server: &LoggedServer,
    question: &[u8],
    tcp: bool,
) -> Option<(Duration, Vec<u8>)> {
    let question = Message::from_vec(question).ok()?;
    let query = question.queries.first()?;
    let (name, kind) = (presentation(query.name()), query.query_type());
    shared.questions.add(LoggedQuestion {
        server: server.clone(),
        name: name.clone(),
        kind,
        recursion_desired: question.metadata.recursion_desired,
        checking_disabled: question.metadata.checking_disabled,
        tcp,
        edns: question.edns.is_some(),
    });
    let plan = &mut *shared.plan.lock();
    let (faults, mut reply) = match server {
        LoggedServer::NameServer(host) => {
            let server = plan.name_servers.iter().find(|server| server.host == *host)?;
            (&server.faults, server.answer(&plan.zones, &name, kind))
        }
        LoggedServer::Resolver(number) => {
            let unchecked = question.metadata.checking_disabled;
            let reply = recursion::resolve_and_keep(plan, *number, &name, kind, unchecked)?;
            let resolver = plan.resolvers.get(*number)?;
            let gave_up = |(code, _): &(u16, String)| *code == recursion::NO_REACHABLE_AUTHORITY;
            if resolver.waits && reply.remarks.iter().any(gave_up) {
                return None;
            }
            (&resolver.faults, reply)
        }
    };
    let is_resolver = matches!(server, LoggedServer::Resolver(_));
    let wants_signatures = question.edns.as_ref().is_some_and(|edns| edns.flags().dnssec_ok);
    if !wants_signatures && kind != RecordType::RRSIG {
        reply.answers.retain(|record| record.data.kind() != RecordType::RRSIG);
    }
    with_faults(&ServerFault::met_by(faults, kind), &question, reply, is_resolver, tcp)
}

fn with_faults(
    faults: &[&ServerFault],
    question: &Message,
    mut reply: Reply,
    is_resolver: bool,
    tcp: bool,
) -> Option<(Duration, Vec<u8>)> {
    let mut delay = Duration::ZERO;
    let (mut edns, mut damage) = (question.edns.is_some(), None);
    for fault in faults {
        match fault {
            ServerFault::Silent => return None,
            ServerFault::Only(..) => {}
            ServerFault::Code(code) => reply = Reply::of(*code),
            ServerFault::NotAuthoritative => reply.authoritative = false,
            ServerFault::NoEdns if edns => (reply, edns) = (Reply::of(ResponseCode::FormErr), false),
            ServerFault::NoEdns => {}
            ServerFault::Slow(time) => delay += *time,
            ServerFault::Damages(with) => damage = Some(with),
        }
    }
    let mut message = message(question, &reply, edns, is_resolver).unwrap_or_else(|_| {
        // A name of the plan that does not fit into a message.
        let code = ResponseCode::ServFail;
        Message::error_msg(question.metadata.id, question.metadata.op_code, code)
    });
    let room = question.edns.as_ref().map_or(UDP_SIZE, Edns::max_payload).max(UDP_SIZE);
    let mut bytes = message.to_vec().ok()?;
    if !tcp && bytes.len() > usize::from(room) {
        message = message.truncate();
        bytes = message.to_vec().ok()?;
    }
    Some((delay, damage.map_or(bytes.clone(), |damage| (damage.0)(bytes))))
}

fn message(question: &Message, reply: &Reply, edns: bool, is_resolver: bool) -> Result<Message, NoReply> {
    let mut message = Message::response(question.metadata.id, question.metadata.op_code);
    message.metadata.recursion_desired = question.metadata.recursion_desired;
    message.metadata.checking_disabled = question.metadata.checking_disabled;
    message.metadata.recursion_available = is_resolver;
    message.metadata.authoritative = reply.authoritative && !is_resolver;
    message.metadata.response_code = reply.code;
    message.add_queries(question.queries.iter().cloned());
    let records =
        |records: &[ZoneRecord]| records.iter().map(ZoneRecord::to_proto).collect::<Result<Vec<rr::Record>, _>>();
    message.add_answers(records(&reply.answers)?);
    message.add_authorities(records(&reply.authorities)?);
    message.add_additionals(records(&reply.additionals)?);
    if edns {
        let mut edns = Edns::new();
        edns.set_max_payload(EDNS_SIZE);
        for (code, text) in &reply.remarks {
            let bytes = [&code.to_be_bytes(), text.as_bytes()].concat();
            edns.options_mut().insert(EdnsOption::Unknown(EXTENDED_ERROR, bytes));
        }
        message.set_edns(edns);
    }
    Ok(message)
}
