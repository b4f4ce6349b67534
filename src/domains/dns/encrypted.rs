//! Asking a resolver over TLS (RFC 7858) or HTTPS (RFC 8484), for networks that block or read port 53. Each question has
//! its own connection; the handshakes after the first are short.

use std::io;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use http_body_util::{BodyExt as _, Full, Limited};
use hyper::body::Bytes;
use hyper::client::conn::http1;
use hyper::header::{ACCEPT, CONTENT_TYPE, HOST};
use hyper::{Request, StatusCode};
use hyper_util::rt::TokioIo;
use jiff::Timestamp;
use rustls::pki_types::ServerName;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::TcpStream;
use tokio::time::timeout;
use tokio_rustls::TlsConnector;

use crate::clock;

use super::super::probe::trust::ChainTrust;
use super::exchange::over_stream;
use super::message::{decode, encode};
use crate::domains::{Lookup, NoReply, Protocol, Question, Reply, Server};

/// How long a question may take, with its connection and handshake.
const WAIT: Duration = Duration::from_secs(4);
/// The content type of a question and of its answer (RFC 8484 section 6).
const DNS_MESSAGE: &str = "application/dns-message";
/// Answers can be cached by HTTP if all questions have the same ID (RFC 8484 section 4.1); the connection tells them
/// apart.
const ID: u16 = 0;

/// Puts `question` to `server` at the time `at`.
pub async fn ask(trust: &ChainTrust, server: Arc<Server>, question: Question, at: Timestamp) -> Lookup {
    let begin = clock::now().mono;
    let outcome = timeout(WAIT, exchange(trust, &server, &question)).await.unwrap_or(Err(NoReply::Timeout));
    Lookup { server, question, at, took: clock::now().mono - begin, outcome }
}

async fn exchange(trust: &ChainTrust, server: &Server, question: &Question) -> Result<Reply, NoReply> {
    let bytes = encode(question, ID, server.role.is_resolver(), true)?;
    let mut config = trust.verifying().ok_or(NoReply::Untrusted)?;
    if let Protocol::Https(_) = server.protocol {
        config.alpn_protocols = vec![b"http/1.1".to_vec()];
    }
    let stream = TcpStream::connect(server.address).await?;
    // Its name would have to be looked up by the DNS that is blocked.
    let name = ServerName::from(server.address.ip());
    let stream = TlsConnector::from(Arc::new(config)).connect(name, stream).await.map_err(refusal)?;
    let answer = match &server.protocol {
        Protocol::Https(path) => over_https(stream, server.address, path, bytes).await,
        Protocol::Plain | Protocol::Tls => over_stream(stream, &bytes).await,
    };
    decode(&answer?, question, ID)?.map(|(reply, _)| reply).ok_or(NoReply::Malformed)
}

fn refusal(error: io::Error) -> NoReply {
    match error.get_ref().and_then(|inner| inner.downcast_ref::<rustls::Error>()) {
        Some(rustls::Error::InvalidCertificate(_)) => NoReply::Untrusted,
        Some(_) => NoReply::Malformed,
        None => error.into(),
    }
}

async fn over_https(
    stream: impl AsyncRead + AsyncWrite + Unpin + Send,
    address: SocketAddr,
    path: &str,
    question: Vec<u8>,
) -> io::Result<Vec<u8>> {
    let invalid = |_| io::Error::from(io::ErrorKind::InvalidData);
    let request = Request::post(path)
        .header(HOST, address.to_string())
        .header(CONTENT_TYPE, DNS_MESSAGE)
        .header(ACCEPT, DNS_MESSAGE)
        .body(Full::new(Bytes::from(question)))
        .map_err(io::Error::other)?;
    let (mut sender, connection) = http1::handshake(TokioIo::new(stream)).await.map_err(invalid)?;
    let mut talk = std::pin::pin!(async {
        let answer = sender.send_request(request).await.map_err(invalid)?;
        if answer.status() != StatusCode::OK {
            return Err(io::ErrorKind::InvalidData.into());
        }
        let body = Limited::new(answer.into_body(), usize::from(u16::MAX)).collect().await;
        Ok(body.map_err(|_| io::ErrorKind::InvalidData)?.to_bytes().to_vec())
    });
    // The connection must be polled, too; it ends first only when the server ends it.
    tokio::select! {
        answer = &mut talk => answer,
        _ = connection => talk.await,
    }
}
