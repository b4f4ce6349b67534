//! Asking one server one question: over UDP, once more, then over TCP as well.

use std::io;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};
use std::sync::Arc;
use std::time::{Duration, Instant};

use jiff::Timestamp;
use tokio::io::{AsyncRead, AsyncReadExt as _, AsyncWrite, AsyncWriteExt as _, Interest};
use tokio::net::{TcpStream, UdpSocket};
use tokio::time::{sleep, timeout};

use crate::clock;

use super::message::{decode, encode};
use crate::domains::{Lookup, NoReply, Question, Reply, ResponseCode, Server};

/// How long to wait for an answer after each time a question is sent over UDP. An answer to the first counts until the end.
const UDP_WAITS: [Duration; 2] = [Duration::from_millis(1500), Duration::from_millis(2800)];
/// When to try TCP besides: its first packets go where those of UDP may have been lost.
const TCP_AFTER: Duration = Duration::from_secs(3);
/// How long a whole exchange over TCP may take.
const TCP_WAIT: Duration = Duration::from_millis(1300);
/// How long it may take if the server asked for TCP by truncating its answer.
const TCP_WAIT_WHEN_ASKED: Duration = Duration::from_millis(2500);

/// Puts `question` to `server` at the time `at`. It takes at most five seconds and always returns a result.
pub async fn ask(server: Arc<Server>, question: Question, at: Timestamp) -> Lookup {
    let begin = clock::now().mono;
    let asking =
        Asking { address: server.address, question: &question, recursion: server.role.is_resolver(), edns: true };
    let answered = exchange(asking).await;
    // A lost packet does not make the server slow.
    let took = clock::now().mono - answered.as_ref().map_or(begin, |(_, asked)| *asked);
    let outcome = answered.map(|(reply, _)| reply);
    Lookup { server, question, at, took, outcome }
}

/// The answer, and when the question was sent that it answers.
type Answered = (Reply, Instant);

/// A question, the server to ask, and how.
#[derive(Clone, Copy)]
struct Asking<'a> {
    address: SocketAddr,
    question: &'a Question,
    recursion: bool,
    edns: bool,
}

async fn exchange(asking: Asking<'_>) -> Result<Answered, NoReply> {
    let answered = once(asking).await;
    match &answered {
        Ok((Reply { code: ResponseCode::FormErr, .. }, _)) | Err(NoReply::Malformed) => {}
        _ => return answered,
    }
    // RFC 6891 section 7: a server without EDNS answers FORMERR, or worse.
    match once(Asking { edns: false, ..asking }).await {
        Ok((plain, asked)) if plain.code != ResponseCode::FormErr => Ok((Reply { without_edns: true, ..plain }, asked)),
        _ => answered,
    }
}

async fn once(asking: Asking<'_>) -> Result<Answered, NoReply> {
    let late = async {
        sleep(TCP_AFTER).await;
        let asked = clock::now().mono;
        Box::pin(over_tcp(asking, TCP_WAIT)).await.map(|reply| (reply, asked))
    };
    let answered = tokio::select! {
        answered = over_udp(asking) => answered,
        Ok(answered) = late => return Ok(answered),
    };
    let asked = clock::now().mono;
    match answered {
        Ok((answered, false)) => Ok(answered),
        Ok(((_, asked), true)) => Ok((Box::pin(over_tcp(asking, TCP_WAIT_WHEN_ASKED)).await?, asked)),
        Err(NoReply::Closed) => Ok((Box::pin(over_tcp(asking, TCP_WAIT)).await.map_err(|_| NoReply::Closed)?, asked)),
        Err(why) => Err(why),
    }
}

async fn over_udp(asking: Asking<'_>) -> Result<(Answered, bool), NoReply> {
    let Asking { address, question, recursion, edns } = asking;
    let any: IpAddr = if address.is_ipv4() { Ipv4Addr::UNSPECIFIED.into() } else { Ipv6Addr::UNSPECIFIED.into() };
    let socket = UdpSocket::bind((any, 0)).await?;
    socket.connect(address).await?;
    let mut sent: Vec<(u16, Instant)> = Vec::new();
    for wait in UDP_WAITS {
        let id = random_id();
        sent.push((id, clock::now().mono));
        let bytes = encode(question, id, recursion, edns)?;
        let mut malformed = false;
        let exchange = async {
            socket.send(&bytes).await?;
            loop {
                // No room is kept for an answer while there is none: hundreds of questions wait side by side.
                let receive = || {
                    let mut buffer = [0; 4096];
                    let length = rustix::io::read(&socket, &mut buffer)?;
                    Ok(buffer[..length].to_vec())
                };
                let answer = socket.async_io(Interest::READABLE | Interest::ERROR, receive).await?;
                let asked = sent.iter().find(|(id, _)| answer.starts_with(&id.to_be_bytes()));
                match asked.map(|(id, asked)| (decode(&answer, question, *id), *asked)) {
                    Some((Ok(Some((reply, cut_off))), asked)) => return Ok(((reply, asked), cut_off)),
                    // It has the ID of the question: nothing better will come.
                    Some((Err(why), _)) => return Err(why),
                    // Anybody may send a datagram here; the right one may still come.
                    _ => malformed = true,
                }
            }
        };
        match timeout(wait, exchange).await {
            Ok(answered) => return answered,
            Err(_) if malformed => return Err(NoReply::Malformed),
            Err(_) => {}
        }
    }
    Err(NoReply::Timeout)
}

async fn over_tcp(asking: Asking<'_>, wait: Duration) -> Result<Reply, NoReply> {
    let Asking { address, question, recursion, edns } = asking;
    let id = random_id();
    let bytes = encode(question, id, recursion, edns)?;
    let exchange = async { over_stream(TcpStream::connect(address).await?, &bytes).await };
    let answer = timeout(wait, exchange).await.map_err(|_| NoReply::Timeout)??;
    decode(&answer, question, id)?.map(|(reply, _)| reply).ok_or(NoReply::Malformed)
}

/// Sends a message behind its length, and reads one (RFC 1035 section 4.2.2).
pub(super) async fn over_stream(mut stream: impl AsyncRead + AsyncWrite + Unpin, bytes: &[u8]) -> io::Result<Vec<u8>> {
    // In one segment: some servers do not wait for the second.
    let length = u16::try_from(bytes.len()).map_err(io::Error::other)?;
    stream.write_all(&[&length.to_be_bytes()[..], bytes].concat()).await?;
    stream.flush().await?;
    let mut answer = vec![0; usize::from(stream.read_u16().await?)];
    stream.read_exact(&mut answer).await?;
    Ok(answer)
}

impl From<io::Error> for NoReply {
    fn from(error: io::Error) -> Self {
        match error.kind() {
            io::ErrorKind::ConnectionRefused | io::ErrorKind::ConnectionReset => Self::Closed,
            io::ErrorKind::UnexpectedEof | io::ErrorKind::InvalidData => Self::Malformed,
            _ => Self::Unreachable,
        }
    }
}

fn random_id() -> u16 {
    let mut bytes = [0; 2];
    // Without randomness the kernel's choice of the port still makes answers hard to guess.
    let _ = getrandom::fill(&mut bytes);
    u16::from_ne_bytes(bytes)
}
