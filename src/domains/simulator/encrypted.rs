//! DNS over TLS and over HTTPS, on one port: the protocol is what the caller chose by ALPN.

use std::io::{self, ErrorKind};
use std::net::Ipv4Addr;
use std::sync::Arc;

use tokio::io::{AsyncRead, AsyncReadExt as _, AsyncWrite, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};
use tokio::task::JoinSet;
use tokio::time::sleep;
use tokio_rustls::TlsAcceptor;

use super::certificate::IssuedCertificate;
use super::dns::{answer, converse};
use super::http::finish;
use super::listen::accept;
use super::log::LoggedServer;
use super::shared::Shared;
use super::web::config;
use crate::clock;

/// Answers all connections to this listener, until it is dropped.
pub(super) async fn serve(listener: TcpListener, shared: Arc<Shared>, server: LoggedServer) {
    let mut connections = JoinSet::new();
    loop {
        let stream = accept(&listener).await;
        while connections.try_join_next().is_some() {}
        let (shared, server) = (Arc::clone(&shared), server.clone());
        connections.spawn(async move {
            let _ = meet(stream, &shared, &server).await;
        });
    }
}

async fn meet(stream: TcpStream, shared: &Shared, server: &LoggedServer) -> io::Result<()> {
    // Those who ask a resolver verify it by the machine's time.
    let address = Ipv4Addr::LOCALHOST.to_string();
    let certificate = IssuedCertificate::new(clock::now().wall, &[&address]);
    let stream = TlsAcceptor::from(Arc::new(config(&certificate, shared)?)).accept(stream).await?;
    match stream.get_ref().1.alpn_protocol() {
        Some(_) => over_https(stream, shared, server).await,
        None => converse(stream, shared, server).await,
    }
}

/// One question as the body of a POST (RFC 8484 section 4.1).
async fn over_https<S>(mut stream: S, shared: &Shared, server: &LoggedServer) -> io::Result<()>
where
    S: AsyncRead + AsyncWrite + Unpin,
{
    let mut request = Vec::new();
    let question = loop {
        if stream.read_buf(&mut request).await? == 0 {
            return Err(ErrorKind::UnexpectedEof.into());
        }
        if let Some(body) = body(&request) {
            break body.to_vec();
        }
    };
    let Some((delay, answer)) = answer(shared, server, &question, true) else {
        return std::future::pending().await;
    };
    sleep(delay).await;
    let head =
        format!("HTTP/1.1 200 OK\r\nContent-Type: application/dns-message\r\nContent-Length: {}\r\n\r\n", answer.len());
    stream.write_all(&[head.as_bytes(), &answer].concat()).await?;
    finish(stream).await
}

/// The body of a request, once it is there as a whole.
fn body(request: &[u8]) -> Option<&[u8]> {
    let end = request.windows(4).position(|four| four == b"\r\n\r\n")? + 4;
    let head = String::from_utf8_lossy(&request[..end]).to_ascii_lowercase();
    let length = head.lines().find_map(|line| line.strip_prefix("content-length:")?.trim().parse::<usize>().ok())?;
    request.get(end..end + length)
}
