//! TLS for the connections of the service: versions 1.2 and 1.3, and nothing but HTTP/1.1 in them.

use std::error::Error;
use std::fmt;
use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use parking_lot::RwLock;
use prometheus_client::metrics::gauge::Gauge;
use rustls::ServerConfig;
use rustls::crypto::ring;
use rustls::pki_types::pem::{self, PemObject as _};
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use tokio_rustls::TlsAcceptor;
use x509_parser::certificate::X509Certificate;
use x509_parser::prelude::FromDer as _;

/// The bit of a file's mode that lets everybody read it.
const READABLE_BY_ALL: u32 = 0o004;

/// A certificate chain and its private key, from two files. Clones share them.
#[derive(Clone)]
pub struct Tls {
    certificate: PathBuf,
    key: PathBuf,
    config: Arc<RwLock<Arc<ServerConfig>>>,
    expires: Gauge,
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
    fn because<E: Into<Box<dyn Error + Send + Sync>>>(what: impl fmt::Display) -> impl FnOnce(E) -> Self {
        move |source| Self { what: what.to_string(), source: Some(source.into()) }
    }
}

impl Tls {
    /// Reads both files, in PEM.
    pub fn load(certificate: &Path, key: &Path) -> Result<Self, TlsError> {
        let (config, expires) = read(certificate, key)?;
        let tls = Self {
            certificate: certificate.to_owned(),
            key: key.to_owned(),
            config: Arc::new(RwLock::new(Arc::new(config))),
            expires: Gauge::default(),
        };
        tls.expires.set(expires);
        Ok(tls)
    }

    /// Reads both files again; new connections get the new certificate. After an error the old one stays.
    pub fn reload(&self) -> Result<(), TlsError> {
        let (config, expires) = read(&self.certificate, &self.key)?;
        *self.config.write() = Arc::new(config);
        self.expires.set(expires);
        Ok(())
    }

    pub(super) fn acceptor(&self) -> TlsAcceptor {
        Arc::clone(&self.config.read()).into()
    }

    /// When the first certificate of the chain expires, in Unix time. Zero if none can be read.
    pub(super) fn expires(&self) -> Gauge {
        self.expires.clone()
    }
}

/// And when the first certificate of the chain expires.
fn read(certificate: &Path, key: &Path) -> Result<(ServerConfig, i64), TlsError> {
    let no_certificate = |source: pem::Error| {
        let what = "it must be a PEM chain, the server's certificate first";
        TlsError::because(format!("cannot read the certificate {}; {what}", certificate.display()))(source)
    };
    let chain = CertificateDer::pem_file_iter(certificate).and_then(Iterator::collect::<Result<Vec<_>, _>>);
    let chain = chain.map_err(no_certificate)?;
    if chain.is_empty() {
        return Err(no_certificate(pem::Error::NoItemsFound));
    }
    let expires = chain.iter().filter_map(expiry).min().unwrap_or_default();
    refuse_if_readable_by_all(key)?;
    let (certificate, key_name) = (certificate.display(), key.display());
    let no_key = format!("cannot read the private key {key_name}; it must be one PEM key without a passphrase");
    let private_key = PrivateKeyDer::from_pem_file(key).map_err(TlsError::because(no_key))?;
    let no_pair = |source: rustls::Error| {
        let what =
            format!("the certificate {certificate} and the private key {key_name} do not match or are not supported");
        TlsError::because(what)(source)
    };
    let builder = ServerConfig::builder_with_provider(Arc::new(ring::default_provider()));
    let builder = builder.with_safe_default_protocol_versions().map_err(no_pair)?.with_no_client_auth();
    let mut config = builder.with_single_cert(chain, private_key).map_err(no_pair)?;
    config.alpn_protocols = vec![b"http/1.1".to_vec()];
    Ok((config, expires))
}

fn expiry(certificate: &CertificateDer<'_>) -> Option<i64> {
    let (_, certificate) = X509Certificate::from_der(certificate).ok()?;
    Some(certificate.validity().not_after.timestamp())
}

fn refuse_if_readable_by_all(key: &Path) -> Result<(), TlsError> {
    let name = key.display();
    let metadata = fs::metadata(key).map_err(TlsError::because(format!("cannot read the private key {name}")))?;
    if metadata.permissions().mode() & READABLE_BY_ALL == 0 {
        return Ok(());
    }
    let what = format!("the private key {name} is readable by everyone. Run: chmod 600 {name}");
    Err(TlsError { what, source: None })
}

impl fmt::Debug for Tls {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Tls").field("certificate", &self.certificate).field("key", &self.key).finish_non_exhaustive()
    }
}
