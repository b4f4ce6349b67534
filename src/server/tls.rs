//! TLS for the connections of the service: versions 1.2 and 1.3, and nothing but HTTP/1.1 in them.

use std::fmt;
use std::fs;
use std::io;
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

/// Why a certificate and its key cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum TlsError {
    /// The certificate is missing or cannot be read.
    #[error("cannot read the certificate {}; it must be a PEM chain, the server's certificate first", .path.display())]
    Certificate {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        source: pem::Error,
    },
    /// The private key is missing or cannot be read.
    #[error("cannot read the private key {}; it must be one PEM key without a passphrase", .path.display())]
    Key {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        source: pem::Error,
    },
    /// The mode of the key's file cannot be seen.
    #[error("cannot read the private key {}", .path.display())]
    KeyFile {
        /// The file.
        path: PathBuf,
        /// The system's error.
        source: io::Error,
    },
    /// Everybody on this machine can read the key.
    #[error("the private key {} is readable by everyone. Run: chmod 600 {}", .0.display(), .0.display())]
    KeyForAll(PathBuf),
    /// The two do not fit together, or are of a kind that is not supported.
    #[error("the certificate {} and the private key {} do not match or are not supported", .certificate.display(), .key.display())]
    Pair {
        /// The file of the certificate.
        certificate: PathBuf,
        /// The file of the key.
        key: PathBuf,
        /// What is wrong.
        source: rustls::Error,
    },
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
    let no_certificate = |source| TlsError::Certificate { path: certificate.to_owned(), source };
    let chain = CertificateDer::pem_file_iter(certificate).and_then(Iterator::collect::<Result<Vec<_>, _>>);
    let chain = chain.map_err(no_certificate)?;
    if chain.is_empty() {
        return Err(no_certificate(pem::Error::NoItemsFound));
    }
    let expires = chain.iter().filter_map(expiry).min().unwrap_or_default();
    refuse_if_readable_by_all(key)?;
    let private_key =
        PrivateKeyDer::from_pem_file(key).map_err(|source| TlsError::Key { path: key.to_owned(), source })?;
    let no_pair = |source| TlsError::Pair { certificate: certificate.to_owned(), key: key.to_owned(), source };
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
    let metadata = fs::metadata(key).map_err(|source| TlsError::KeyFile { path: key.to_owned(), source })?;
    if metadata.permissions().mode() & READABLE_BY_ALL == 0 { Ok(()) } else { Err(TlsError::KeyForAll(key.to_owned())) }
}

impl fmt::Debug for Tls {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Tls").field("certificate", &self.certificate).field("key", &self.key).finish_non_exhaustive()
    }
}
