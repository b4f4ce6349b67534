//! Connecting to one address, and a TLS handshake that accepts every certificate.

use std::io;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use jiff::Timestamp;
use rustls::pki_types::ServerName;
use rustls::{AlertDescription, Error};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;
use tokio::time::timeout;
use tokio_rustls::TlsConnector;
use tokio_rustls::client::TlsStream;

use super::trust::{ChainTrust, certificate};
use crate::domains::ConnectionFailure::{
    Alert, BadCertificate, NotTls, OldCiphers, OldTls, Refused, Reset, Timeout, Unreachable,
};
use crate::domains::{ConnectionFailure, Presented};

/// How long a connection may take.
const CONNECT_LIMIT: Duration = Duration::from_secs(3);
/// How long a handshake may take.
const HANDSHAKE_LIMIT: Duration = Duration::from_secs(4);
/// How long reading certificates may take.
const PARSE_LIMIT: Duration = Duration::from_secs(2);
/// The most certificates of a chain, and bytes of all of them, that are read.
const MAX_CHAIN: usize = 16;
const MAX_BYTES: usize = 64 * 1024;

/// Cipher suites with CBC, with RSA for the exchange of keys, or with finite fields; rustls has none of them.
const OLD_CIPHERS: [u16; 20] = [
    0xc013, 0xc014, 0xc009, 0xc00a, 0xc027, 0xc028, 0xc023, 0xc024, 0x002f, 0x0035, 0x003c, 0x003d, 0x009c, 0x009d,
    0x0033, 0x0039, 0x0067, 0x006b, 0x009e, 0x009f,
];

/// Connects to `address`; once more if it was refused or reset, which may be chance.
pub async fn connect(address: SocketAddr) -> Result<TcpStream, ConnectionFailure> {
    let once = async || {
        let connected = timeout(CONNECT_LIMIT, TcpStream::connect(address)).await;
        let stream = connected.map_err(|_| Timeout)?.map_err(|error| no_connection(&error))?;
        // Small messages: waiting to fill a segment would only cost time.
        let _ = stream.set_nodelay(true);
        Ok(stream)
    };
    match once().await {
        Err(Refused | Reset) => once().await,
        other => other,
    }
}

/// The failure that a socket error means.
fn no_connection(error: &io::Error) -> ConnectionFailure {
    match error.kind() {
        io::ErrorKind::ConnectionRefused => Refused,
        io::ErrorKind::TimedOut => Timeout,
        io::ErrorKind::NetworkUnreachable
        | io::ErrorKind::HostUnreachable
        | io::ErrorKind::AddrNotAvailable
        | io::ErrorKind::Unsupported => Unreachable,
        _ => Reset,
    }
}

/// Connects to `address` and makes a handshake for `server_name`; once more if it was reset.
pub async fn handshake(
    trust: &ChainTrust,
    address: SocketAddr,
    server_name: Option<&str>,
) -> Result<TlsStream<TcpStream>, ConnectionFailure> {
    let name = addressed(server_name, address).ok_or(BadCertificate)?;
    let once = async || {
        let stream = connect(address).await?;
        let connector = TlsConnector::from(Arc::clone(&trust.config));
        match timeout(HANDSHAKE_LIMIT, connector.connect(name.clone(), stream)).await {
            Err(_) => Err(Timeout),
            Ok(outcome) => outcome.map_err(|error| reason(&error)),
        }
    };
    match once().await {
        Err(Reset) => once().await,
        // Servers without a certificate for the name say the same.
        Err(Alert(alert)) if alert == "handshake_failure" => {
            let takes = timeout(HANDSHAKE_LIMIT, takes_old_ciphers(address, server_name)).await;
            Err(if let Ok(Some(())) = takes { OldCiphers } else { Alert(alert) })
        }
        other => other,
    }
}

/// Whether a server goes on when it is offered the cipher suites that browsers have given up, or will.
async fn takes_old_ciphers(address: SocketAddr, server_name: Option<&str>) -> Option<()> {
    let mut stream = connect(address).await.ok()?;
    stream.write_all(&old_hello(server_name)).await.ok()?;
    let mut head = [0; 6];
    stream.read_exact(&mut head).await.ok()?;
    // A record of the type handshake that begins with a ServerHello (RFC 5246 sections 6.2.1 and 7.4).
    (head[0] == 22 && head[5] == 2).then_some(())
}

/// The first message of a client of TLS 1.2 that has only old cipher suites (RFC 5246 section 7.4.1.2).
fn old_hello(server_name: Option<&str>) -> Vec<u8> {
    let sized = |content: &[u8]| [&(content.len() as u16).to_be_bytes()[..], content].concat();
    let extension = |kind: u8, content: &[u8]| [&[0, kind][..], &sized(content)].concat();
    let name = |name: &str| extension(0, &sized(&[&[0][..], &sized(name.as_bytes())].concat()));
    let groups = extension(10, &sized(&[0, 29, 0, 23, 0, 24, 0, 25]));
    let points = extension(11, &[1, 0]);
    let signatures = extension(13, &sized(&[4, 1, 4, 3, 5, 1, 5, 3, 6, 1, 6, 3, 8, 4, 8, 5, 8, 6, 2, 1, 2, 3]));
    let extensions = [server_name.map_or_else(Vec::new, name), groups, points, signatures].concat();
    let mut random = [0; 32];
    // It protects nothing here.
    let _ = getrandom::fill(&mut random);
    let suites: Vec<_> = OLD_CIPHERS.iter().flat_map(|suite| suite.to_be_bytes()).collect();
    let body = [&[3, 3][..], &random, &[0], &sized(&suites), &[1, 0], &sized(&extensions)].concat();
    [&[22, 3, 1][..], &sized(&[&[1, 0][..], &sized(&body)].concat())].concat()
}

/// Whom a handshake is for. An address is not sent as a server name (RFC 6066 section 3).
fn addressed(server_name: Option<&str>, address: SocketAddr) -> Option<ServerName<'static>> {
    server_name.map_or_else(|| Some(address.ip().into()), |name| ServerName::try_from(name.to_owned()).ok())
}

fn reason(error: &io::Error) -> ConnectionFailure {
    match error.get_ref().and_then(|inner| inner.downcast_ref::<Error>()) {
        Some(Error::AlertReceived(AlertDescription::ProtocolVersion) | Error::PeerIncompatible(_)) => OldTls,
        Some(Error::AlertReceived(alert)) => Alert(alert_name(*alert)),
        Some(Error::InvalidCertificate(_)) => BadCertificate,
        Some(Error::InvalidMessage(_) | Error::InappropriateMessage { .. } | Error::PeerMisbehaved(_)) => NotTls,
        Some(_) | None => Reset,
    }
}

/// The name of an alert as its RFC has it.
fn alert_name(alert: AlertDescription) -> String {
    let name = match alert {
        AlertDescription::UnrecognisedName => "unrecognized_name",
        AlertDescription::HandshakeFailure => "handshake_failure",
        AlertDescription::InternalError => "internal_error",
        AlertDescription::AccessDenied => "access_denied",
        other => return format!("{other:?}"),
    };
    name.to_owned()
}

/// What the server of `stream` presented, judged at `now`. Parsing runs on another thread with a time limit: no
/// certificate can hang or crash the program.
pub async fn presented(
    trust: &Arc<ChainTrust>,
    stream: &TlsStream<TcpStream>,
    address: SocketAddr,
    server_name: Option<&str>,
    now: Timestamp,
) -> Result<Presented, ConnectionFailure> {
    let (_, connection) = stream.get_ref();
    let sent = connection.peer_certificates().unwrap_or_default();
    let chain: Vec<_> = sent.iter().take(MAX_CHAIN).cloned().collect();
    if chain.iter().map(|certificate| certificate.len()).sum::<usize>() > MAX_BYTES {
        return Err(BadCertificate);
    }
    let trust = Arc::clone(trust);
    let name = addressed(server_name, address).ok_or(BadCertificate)?;
    let read = tokio::task::spawn_blocking(move || {
        let read: Vec<_> = chain.iter().map_while(|der| certificate(der)).collect();
        let leaf = read.first()?;
        // Dates are judged separately; signatures are checked for a time when the certificate is valid.
        let valid_now = leaf.not_before <= now && now <= leaf.not_after;
        let half = leaf.not_after.duration_since(leaf.not_before) / 2;
        let at = if valid_now { now } else { leaf.not_before.checked_add(half).unwrap_or(now) };
        let trust = trust.judge(&chain, &name, at);
        Some(Presented { chain: read, trust })
    });
    // A panic of the parser is a certificate that cannot be read.
    let read = timeout(PARSE_LIMIT, read).await.ok().and_then(|read| read.ok()?);
    read.ok_or(BadCertificate)
}
