//! How the service runs, and TLS for its connections: versions 1.2 and 1.3, and nothing but HTTP/1.1 in them.

use std::error::Error;
use std::fmt::Display;
use std::fs;
use std::num::NonZeroU32;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use parking_lot::RwLock;
use prometheus_client::metrics::counter::Counter;
use prometheus_client::metrics::gauge::Gauge;
use rustls::ServerConfig;
use rustls::crypto::ring;
use rustls::pki_types::pem::{self, PemObject as _};
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use smart_default::SmartDefault;
use tokio_rustls::TlsAcceptor;
use x509_parser::certificate::X509Certificate;
use x509_parser::prelude::FromDer as _;

use super::limits::{Proxy, RateLimit};

/// The limits that keep one client from taking the service away from the others.
#[derive(Clone, Debug, SmartDefault)]
pub struct Config {
    /// The largest body of a request, in bytes: 64 KiB.
    #[default(64 * 1024)]
    pub body_bytes: usize,
    /// The largest request line with headers, in bytes: 32 KiB. There may be 100 headers. Beyond either, hyper itself
    /// answers 431 without a body.
    #[default(32 * 1024)]
    pub header_bytes: usize,
    /// The time for the request line and headers to arrive, counted from their first byte or the end of the answer
    /// before: 10 s. So a connection may also be idle for that long.
    #[default(Duration::from_secs(10))]
    pub header_time: Duration,
    /// The time for the body to arrive: 30 s.
    #[default(Duration::from_secs(30))]
    pub body_time: Duration,
    /// The time for the work between the last byte of the request and the answer: 30 s.
    #[default(Duration::from_secs(30))]
    pub request_time: Duration,
    /// The time for a client to take any further part of an answer: 30 s.
    #[default(Duration::from_secs(30))]
    pub write_time: Duration,
    /// Connections at once: 1,024. A further one takes the place of the one that has waited longest for a request or its
    /// body, first of those that never had a valid key. A quarter of them may be slow bodies with the same key.
    #[default(1024)]
    pub connections: usize,
    /// Event streams at once, beside these connections: 2,048, half of them with the same key at most.
    #[default(2048)]
    pub streams: usize,
    /// How often a comment shows that an event stream is alive: 15 s.
    #[default(Duration::from_secs(15))]
    pub comment_every: Duration,
    /// How often it is checked whether the keys of event streams are still valid: 1 s.
    #[default(Duration::from_secs(1))]
    pub check_keys_every: Duration,
    /// Requests without a valid key that one address gets a 401 for each second: 10. Further ones get a 429; none do
    /// without a limit.
    #[default(NonZeroU32::new(10))]
    pub failed_authentications: Option<NonZeroU32>,
    /// How often one API key may ask: without a limit.
    pub rate_limit: Option<RateLimit>,
    /// Proxies whose `X-Forwarded-For` tells whose request it is: none.
    pub proxies: Vec<Proxy>,
    /// The certificate, where connections are encrypted: they are not.
    pub tls: Option<Tls>,
    /// Lines that the log dropped, for the metrics: whatever writes the log counts them.
    pub dropped_log_lines: Counter,
    /// What running requests get to end after the order to stop: 8 s, so that the whole stop stays within 10 s.
    #[default(Duration::from_secs(8))]
    pub drain: Duration,
}

/// The bit of a file's mode that lets everybody read it.
const READABLE_BY_ALL: u32 = 0o004;

/// A certificate chain and its private key, from two files. Clones share them.
#[derive(Clone, derive_more::Debug)]
#[debug("Tls {{ certificate: {certificate:?}, key: {key:?}, .. }}")]
pub struct Tls {
    certificate: PathBuf,
    key: PathBuf,
    config: Arc<RwLock<Arc<ServerConfig>>>,
    /// When the first certificate of the chain expires, in Unix time. Zero if none can be read.
    pub(super) expires: Gauge,
}

/// Why certificate and key cannot be used.
#[derive(Debug, thiserror::Error)]
#[error("{what}")]
pub struct TlsError {
    what: String,
    source: Option<Box<dyn Error + Send + Sync>>,
}

impl TlsError {
    /// For [`Result::map_err`].
    fn because<E: Into<Box<dyn Error + Send + Sync>>>(what: impl Display) -> impl Fn(E) -> Self {
        move |source| Self { what: what.to_string(), source: Some(source.into()) }
    }
}

impl Tls {
    /// Reads both files, in PEM.
    pub fn load(certificate: &Path, key: &Path) -> Result<Self, TlsError> {
        let expires = Gauge::default();
        let config = Arc::new(RwLock::new(read(certificate, key, &expires)?));
        Ok(Self { certificate: certificate.to_owned(), key: key.to_owned(), config, expires })
    }

    /// Reads both files again; new connections get the new certificate. After an error the old one stays.
    pub fn reload(&self) -> Result<(), TlsError> {
        let config = read(&self.certificate, &self.key, &self.expires)?;
        *self.config.write() = config;
        Ok(())
    }

    pub(super) fn acceptor(&self) -> TlsAcceptor {
        Arc::clone(&self.config.read()).into()
    }
}

/// Also sets when the first certificate of the chain `expires`.
fn read(certificate: &Path, key: &Path, expires: &Gauge) -> Result<Arc<ServerConfig>, TlsError> {
    let (shown, key_name) = (certificate.display(), key.display());
    let no_certificate = &TlsError::because(format!(
        "cannot read the certificate {shown}; it must be a PEM chain, the server's certificate first"
    ));
    let chain = CertificateDer::pem_file_iter(certificate).and_then(Iterator::collect::<Result<Vec<_>, _>>);
    let chain = chain.map_err(no_certificate)?;
    if chain.is_empty() {
        return Err(no_certificate(pem::Error::NoItemsFound));
    }
    let first_end = chain.iter().filter_map(expiry).min().unwrap_or_default();
    let no_metadata = TlsError::because(format!("cannot read the private key {key_name}"));
    if fs::metadata(key).map_err(no_metadata)?.permissions().mode() & READABLE_BY_ALL != 0 {
        let what = format!("the private key {key_name} is readable by everyone. Run: chmod 600 {key_name}");
        return Err(TlsError { what, source: None });
    }
    let no_key = format!("cannot read the private key {key_name}; it must be one PEM key without a passphrase");
    let private_key = PrivateKeyDer::from_pem_file(key).map_err(TlsError::because(no_key))?;
    let no_pair = &TlsError::because(format!(
        "the certificate {shown} and the private key {key_name} do not match or are not supported"
    ));
    let builder = ServerConfig::builder_with_provider(Arc::new(ring::default_provider()));
    let builder = builder.with_safe_default_protocol_versions().map_err(no_pair)?.with_no_client_auth();
    let mut config = builder.with_single_cert(chain, private_key).map_err(no_pair)?;
    config.alpn_protocols = vec![b"http/1.1".to_vec()];
    expires.set(first_end);
    Ok(Arc::new(config))
}

fn expiry(certificate: &CertificateDer<'_>) -> Option<i64> {
    let (_, certificate) = X509Certificate::from_der(certificate).ok()?;
    Some(certificate.validity().not_after.timestamp())
}
