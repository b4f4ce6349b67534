//! The listeners for http and https: each connection is met as the plan says at that time, with one request of HTTP/1.1.

use std::io::{self, ErrorKind};
use std::net::SocketAddr;
use std::sync::Arc;

use hyper::StatusCode;
use jiff::Timestamp;
use jiff::fmt::rfc2822::DateTimePrinter;
use rustls::crypto::ring;
use rustls::server::Acceptor;
use rustls::sign::SingleCertAndKey;
use rustls::{CipherSuite, ServerConfig, SupportedProtocolVersion};
use tokio::io::{AsyncRead, AsyncReadExt as _, AsyncWrite, AsyncWriteExt as _, copy, sink};
use tokio::net::{TcpListener, TcpStream};
use tokio::task::JoinSet;
use tokio_rustls::LazyConfigAcceptor;

use super::certificate::IssuedCertificate;
use super::log::Request;
use super::shared::{Shared, accept};
use super::site::{Door, Greeting, StubAnswer, StubBody};
use petstore::domains::DnsName;

const VERSIONS: &[&SupportedProtocolVersion] = &[&rustls::version::TLS12, &rustls::version::TLS13];

/// Meets all connections to this listener, until it is dropped.
pub(super) async fn serve(listener: TcpListener, tls: bool, shared: Arc<Shared>) {
    let mut connections = JoinSet::new();
    loop {
        let stream = accept(&listener).await;
        while connections.try_join_next().is_some() {}
        let shared = Arc::clone(&shared);
        connections.spawn(async move {
            if let Err(error) = meet(stream, tls, &shared).await {
                tracing::trace!(%error, "a connection of the simulated network ended");
            }
        });
    }
}

async fn meet(mut stream: TcpStream, tls: bool, shared: &Shared) -> io::Result<()> {
    stream.set_nodelay(true)?;
    let address = stream.local_addr()?;
    let door = match shared.plan.lock().sites.get(&address.ip()) {
        Some(site) if tls => site.https.clone(),
        Some(site) => site.http.clone(),
        None => Door::Closed,
    };
    match door {
        Door::Closed | Door::Resets => stream.set_zero_linger(),
        Door::Silent => copy(&mut stream, &mut sink()).await.map(|_| ()),
        Door::Says(bytes) => {
            let mut first = [0; 16 * 1024];
            if stream.read(&mut first).await? > 0 {
                stream.write_all(&bytes).await?;
            }
            finish(stream).await
        }
        Door::Open if tls => greet(stream, address, shared).await,
        Door::Open => exchange(stream, Connection { address, tls, sni: None }, shared).await,
    }
}

/// The TLS handshake, and what follows if it succeeds.
async fn greet(stream: TcpStream, address: SocketAddr, shared: &Shared) -> io::Result<()> {
    let mut start = LazyConfigAcceptor::new(Acceptor::default(), stream).await?;
    let sni = start.client_hello().server_name().map(str::to_owned);
    let site = shared.plan.lock().sites.get(&address.ip()).cloned().unwrap_or_default();
    match site.greeting(sni.as_deref()) {
        Greeting::Alert(alert) => {
            // A record of type 21, TLS 1.2, two bytes long: fatal, and the reason.
            start.io.write_all(&[21, 3, 3, 0, 2, 2, *alert]).await?;
            finish(start.io).await
        }
        Greeting::OldCiphers => {
            let takes = start.client_hello().cipher_suites().contains(&CipherSuite::TLS_ECDHE_RSA_WITH_AES_128_CBC_SHA);
            // The beginning of a ServerHello, or a handshake failure.
            let answer: &[u8] = if takes { &[22, 3, 3, 0, 6, 2, 0, 0, 2, 3, 3] } else { &[21, 3, 3, 0, 2, 2, 40] };
            start.io.write_all(answer).await?;
            finish(start.io).await
        }
        Greeting::Certificate(certificate) => {
            let stream = start.into_stream(Arc::new(config(certificate, shared)?)).await?;
            exchange(stream, Connection { address, tls: true, sni }, shared).await
        }
    }
}

fn config(certificate: &IssuedCertificate, shared: &Shared) -> io::Result<ServerConfig> {
    let key = shared.authorities.lock().issue(certificate)?;
    let builder = ServerConfig::builder_with_provider(Arc::new(ring::default_provider()));
    let builder = builder.with_protocol_versions(VERSIONS).map_err(io::Error::other)?.with_no_client_auth();
    let mut config = builder.with_cert_resolver(Arc::new(SingleCertAndKey::from(key)));
    config.alpn_protocols = vec![b"http/1.1".to_vec()];
    Ok(config)
}

/// The longest head of a request.
const HEAD_SIZE: usize = 64 * 1024;

/// Which connection requests come on.
struct Connection {
    address: SocketAddr,
    tls: bool,
    sni: Option<String>,
}

/// Reads a request, logs it, and answers as the plan says.
async fn exchange<S>(mut stream: S, connection: Connection, shared: &Shared) -> io::Result<()>
where
    S: AsyncRead + AsyncWrite + Unpin,
{
    let head = read_head(&mut stream).await?;
    let request = read(&head, connection).ok_or(ErrorKind::InvalidData)?;
    let (answer, now) = {
        let plan = shared.plan.lock();
        let site = plan.sites.get(&request.address.ip()).ok_or(ErrorKind::NotFound)?;
        let host = DnsName::new(&request.host);
        let mut pages = site.pages.iter().rev();
        let page = pages.find(|page| page.fits(request.tls, &request.method, &host, &request.path));
        (page.map_or(&site.otherwise, |page| &page.answer).clone(), plan.now)
    };
    shared.requests.add(request.clone());
    write(&mut stream, &answer, &request, now).await?;
    finish(stream).await
}

/// Says that nothing more comes, and waits for the caller to do the same: ending at once could take from the caller
/// what it has not read yet.
async fn finish<S: AsyncRead + AsyncWrite + Unpin>(mut stream: S) -> io::Result<()> {
    stream.shutdown().await?;
    copy(&mut stream, &mut sink()).await.map(|_| ())
}

async fn read_head<S: AsyncRead + Unpin>(stream: &mut S) -> io::Result<String> {
    let mut head = Vec::new();
    while !head.windows(4).any(|four| four == b"\r\n\r\n") {
        if head.len() > HEAD_SIZE {
            return Err(ErrorKind::InvalidData.into());
        }
        if stream.read_buf(&mut head).await? == 0 {
            return Err(ErrorKind::UnexpectedEof.into());
        }
    }
    Ok(String::from_utf8_lossy(&head).into_owned())
}

fn read(head: &str, connection: Connection) -> Option<Request> {
    let mut lines = head.lines();
    let mut first = lines.next()?.split(' ');
    let (method, path) = (first.next()?.to_owned(), first.next()?.to_owned());
    let mut headers = lines.filter_map(|line| line.split_once(':'));
    let host = headers.find(|(name, _)| name.eq_ignore_ascii_case("host")).map_or("", |(_, value)| value.trim());
    let host = host.rsplit_once(':').filter(|(_, port)| port.parse::<u16>().is_ok()).map_or(host, |(host, _)| host);
    let Connection { address, tls, sni } = connection;
    Some(Request { address, tls, sni, method, host: host.to_owned(), path })
}

async fn write<S: AsyncWrite + Unpin>(
    stream: &mut S,
    answer: &StubAnswer,
    request: &Request,
    now: Timestamp,
) -> io::Result<()> {
    if let StubBody::Garbage(bytes) = &answer.body {
        return stream.write_all(bytes).await;
    }
    let reason = StatusCode::from_u16(answer.status).ok().and_then(|status| status.canonical_reason());
    let mut head = format!("HTTP/1.1 {} {}\r\nConnection: close\r\n", answer.status, reason.unwrap_or_default());
    if !answer.headers.iter().any(|(name, _)| name.eq_ignore_ascii_case("date")) {
        let date = DateTimePrinter::new().timestamp_to_rfc9110_string(&now).map_err(io::Error::other)?;
        head += &format!("Date: {date}\r\n");
    }
    for (name, value) in &answer.headers {
        let value = value.replace("{host}", &request.host).replace("{path}", &request.path);
        head += &format!("{name}: {value}\r\n");
    }
    let is_wanted = request.method != "HEAD";
    match &answer.body {
        StubBody::EndlessHeaders => {
            stream.write_all(head.as_bytes()).await?;
            loop {
                stream.write_all(b"X-More: and more, and more, and more\r\n").await?;
            }
        }
        StubBody::Huge(length) => {
            stream.write_all(format!("{head}Content-Length: {length}\r\n\r\n").as_bytes()).await?;
            let mut body = tokio::io::repeat(b'x').take(if is_wanted { *length } else { 0 });
            copy(&mut body, stream).await?;
        }
        StubBody::Bytes(body) => {
            let head = format!("{head}Content-Length: {}\r\n\r\n", body.len());
            let body = if is_wanted { body.as_slice() } else { &[] };
            stream.write_all(&[head.as_bytes(), body].concat()).await?;
        }
        StubBody::Garbage(_) => {}
    }
    stream.flush().await
}
