//! A TLS handshake that accepts every certificate, and the contents of certificates.

use std::io;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use jiff::Timestamp;
use rustls::pki_types::{CertificateDer, ServerName};
use rustls::{AlertDescription, Error};
use tokio::net::TcpStream;
use tokio::time::timeout;
use tokio_rustls::TlsConnector;
use tokio_rustls::client::TlsStream;
use x509_parser::oid_registry::OID_PKIX_ACCESS_DESCRIPTOR_CA_ISSUERS;
use x509_parser::prelude::{AttributeTypeAndValue, FromDer as _, GeneralName, ParsedExtension, X509Certificate};

use super::super::observation::{Certificate, ConnectionFailure, Presented};
use super::connect::connect;
use super::trust::ChainTrust;

/// How long a handshake may take.
const HANDSHAKE_LIMIT: Duration = Duration::from_secs(4);
/// How long reading certificates may take.
const PARSE_LIMIT: Duration = Duration::from_secs(2);
/// The most certificates of a chain, and bytes of all of them, that are read.
const MAX_CHAIN: usize = 16;
const MAX_BYTES: usize = 64 * 1024;

/// Connects to `address` and makes a handshake for `server_name`; once more if it was reset.
pub async fn handshake(
    trust: &ChainTrust,
    address: SocketAddr,
    server_name: Option<&str>,
) -> Result<TlsStream<TcpStream>, ConnectionFailure> {
    let name = addressed(server_name, address).ok_or(ConnectionFailure::BadCertificate)?;
    let once = async || {
        let stream = connect(address).await?;
        let connector = TlsConnector::from(Arc::clone(&trust.config));
        match timeout(HANDSHAKE_LIMIT, connector.connect(name.clone(), stream)).await {
            Err(_) => Err(ConnectionFailure::Timeout),
            Ok(outcome) => outcome.map_err(|error| reason(&error)),
        }
    };
    match once().await {
        Err(ConnectionFailure::Reset) => once().await,
        other => other,
    }
}

/// Whom a handshake is for. An address is not sent as a server name (RFC 6066 section 3).
fn addressed(server_name: Option<&str>, address: SocketAddr) -> Option<ServerName<'static>> {
    server_name.map_or_else(|| Some(address.ip().into()), |name| ServerName::try_from(name.to_owned()).ok())
}

fn reason(error: &io::Error) -> ConnectionFailure {
    match error.get_ref().and_then(|inner| inner.downcast_ref::<Error>()) {
        Some(Error::AlertReceived(AlertDescription::ProtocolVersion) | Error::PeerIncompatible(_)) => {
            ConnectionFailure::OldTls
        }
        Some(Error::AlertReceived(alert)) => ConnectionFailure::Alert(alert_name(*alert)),
        Some(Error::InvalidCertificate(_)) => ConnectionFailure::BadCertificate,
        Some(Error::InvalidMessage(_) | Error::InappropriateMessage { .. } | Error::PeerMisbehaved(_)) => {
            ConnectionFailure::NotTls
        }
        Some(_) | None => ConnectionFailure::Reset,
    }
}

/// The name of an alert as its RFC has it.
fn alert_name(alert: AlertDescription) -> String {
    match alert {
        AlertDescription::UnrecognisedName => "unrecognized_name".to_owned(),
        AlertDescription::HandshakeFailure => "handshake_failure".to_owned(),
        AlertDescription::InternalError => "internal_error".to_owned(),
        AlertDescription::AccessDenied => "access_denied".to_owned(),
        other => format!("{other:?}"),
    }
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
    let chain: Vec<CertificateDer<'static>> = connection
        .peer_certificates()
        .unwrap_or_default()
        .iter()
        .take(MAX_CHAIN)
        .map(|c| c.clone().into_owned())
        .collect();
    if chain.iter().map(|certificate| certificate.len()).sum::<usize>() > MAX_BYTES {
        return Err(ConnectionFailure::BadCertificate);
    }
    let trust = Arc::clone(trust);
    let name = addressed(server_name, address).ok_or(ConnectionFailure::BadCertificate)?;
    let read = tokio::task::spawn_blocking(move || read(&trust, &chain, &name, now));
    match timeout(PARSE_LIMIT, read).await {
        Ok(Ok(presented)) => presented.ok_or(ConnectionFailure::BadCertificate),
        // A panic of the parser is a certificate that cannot be read.
        Ok(Err(_)) | Err(_) => Err(ConnectionFailure::BadCertificate),
    }
}

fn read(
    trust: &ChainTrust,
    chain: &[CertificateDer<'static>],
    name: &ServerName<'_>,
    now: Timestamp,
) -> Option<Presented> {
    let read: Vec<Certificate> = chain.iter().map_while(|der| certificate(der)).collect();
    let leaf = read.first()?;
    // Dates are judged separately; signatures are checked for a time when the certificate is valid.
    let valid_now = leaf.not_before <= now && now <= leaf.not_after;
    let half = leaf.not_after.duration_since(leaf.not_before) / 2;
    let at = if valid_now { now } else { leaf.not_before.checked_add(half).unwrap_or(now) };
    let trust = trust.judge(chain, name, at);
    Some(Presented { chain: read, trust })
}

/// Reads one certificate; its texts are kept as they are, and cleaned when shown.
pub fn certificate(der: &[u8]) -> Option<Certificate> {
    let (_, parsed) = X509Certificate::from_der(der).ok()?;
    let time = |seconds: i64| Timestamp::from_second(seconds).ok();
    let names = parsed.extensions().iter().filter_map(|extension| match extension.parsed_extension() {
        ParsedExtension::SubjectAlternativeName(names) => Some(&names.general_names),
        _ => None,
    });
    let names = names.flatten().filter_map(|name| match name {
        GeneralName::DNSName(name) => Some(name.trim_end_matches('.').to_ascii_lowercase()),
        _ => None,
    });
    let text = |attribute: &AttributeTypeAndValue<'_>| attribute.as_str().ok().map(str::to_owned);
    let issuer = parsed.issuer();
    let organisation = issuer.iter_organization().find_map(text);
    Some(Certificate {
        subject: parsed.subject().to_string(),
        issuer: issuer.to_string(),
        issuer_short: organisation
            .or_else(|| issuer.iter_common_name().find_map(text))
            .unwrap_or_else(|| issuer.to_string()),
        common_name: parsed.subject().iter_common_name().find_map(text),
        names: names.collect(),
        not_before: time(parsed.validity().not_before.timestamp())?,
        not_after: time(parsed.validity().not_after.timestamp())?,
        serial: parsed.raw_serial_as_string(),
        names_its_issuer: parsed.extensions().iter().any(|extension| match extension.parsed_extension() {
            ParsedExtension::AuthorityInfoAccess(access) => access
                .accessdescs
                .iter()
                .any(|description| description.access_method == OID_PKIX_ACCESS_DESCRIPTOR_CA_ISSUERS),
            _ => false,
        }),
    })
}
