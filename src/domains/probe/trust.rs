//! Which CAs are trusted: the system's roots and those of the settings.

use std::sync::{Arc, OnceLock};
use std::time::Duration;

use jiff::Timestamp;
use rustls::client::danger::{HandshakeSignatureValid, ServerCertVerified, ServerCertVerifier};
use rustls::crypto::{CryptoProvider, ring, verify_tls12_signature, verify_tls13_signature};
use rustls::pki_types::{CertificateDer, ServerName, UnixTime};
use rustls::{CertificateError, ClientConfig, DigitallySignedStruct, Error, SignatureScheme};
use rustls_platform_verifier::Verifier;

use super::super::observation::Distrust;

/// The roots, read once at the first use.
pub struct ChainTrust {
    extra: Vec<CertificateDer<'static>>,
    provider: Arc<CryptoProvider>,
    verifier: OnceLock<Option<Arc<Verifier>>>,
    pub(super) config: Arc<ClientConfig>,
}

impl ChainTrust {
    /// The system's roots and `extra`.
    pub fn new(extra: Vec<CertificateDer<'static>>) -> Self {
        let provider = Arc::new(ring::default_provider());
        let mut config = client_config(&provider, Arc::new(AcceptAny(Arc::clone(&provider))));
        config.alpn_protocols = vec![b"http/1.1".to_vec()];
        // Each address must show its certificate.
        config.resumption = rustls::client::Resumption::disabled();
        Self { extra, provider, verifier: OnceLock::new(), config: Arc::new(config) }
    }

    fn verifier(&self) -> Option<&Arc<Verifier>> {
        let verifier = || Verifier::new_with_extra_roots(self.extra.iter().cloned(), Arc::clone(&self.provider)).ok();
        self.verifier.get_or_init(|| verifier().map(Arc::new)).as_ref()
    }

    /// For connections whose server must be the right one; `None` if this machine has no roots.
    pub(in crate::domains) fn verifying(&self) -> Option<ClientConfig> {
        Some(client_config(&self.provider, self.verifier()?.clone()))
    }

    /// Judges a chain by issuer and signatures, at a time at which the server's certificate is valid. Reads the
    /// system's roots at its first use, which takes some milliseconds.
    pub(super) fn judge(
        &self,
        chain: &[CertificateDer<'_>],
        server_name: &ServerName<'_>,
        at: Timestamp,
    ) -> Result<(), Distrust> {
        let Some(verifier) = self.verifier() else { return Err(Distrust::NoRoots) };
        let Some((leaf, intermediates)) = chain.split_first() else { return Err(Distrust::UnknownIssuer) };
        let seconds = u64::try_from(at.as_second()).unwrap_or_default();
        let time = UnixTime::since_unix_epoch(Duration::from_secs(seconds));
        match verifier.verify_server_cert(leaf, intermediates, server_name, &[], time) {
            Ok(_) => Ok(()),
            // The name is checked only after the chain was found good; names are judged elsewhere.
            Err(Error::InvalidCertificate(
                CertificateError::NotValidForName | CertificateError::NotValidForNameContext { .. },
            )) => Ok(()),
            Err(Error::InvalidCertificate(CertificateError::UnknownIssuer)) => Err(Distrust::UnknownIssuer),
            Err(Error::InvalidCertificate(error)) => Err(Distrust::Other(reason(&error))),
            Err(_) => Err(Distrust::Other("it cannot be verified")),
        }
    }
}

/// Why a chain is rejected, in words.
const fn reason(error: &CertificateError) -> &'static str {
    match error {
        CertificateError::Expired | CertificateError::ExpiredContext { .. } => "a certificate of its chain has expired",
        CertificateError::NotValidYet | CertificateError::NotValidYetContext { .. } => {
            "a certificate of its chain is not valid yet"
        }
        CertificateError::Revoked => "it was revoked",
        CertificateError::BadSignature => "its signature is invalid",
        CertificateError::InvalidPurpose | CertificateError::InvalidPurposeContext { .. } => "it is not for servers",
        _ => "it cannot be used for a server",
    }
}

/// A certificate that the verifier cannot read, such as one of version 1, is still worth reading.
fn unless_unreadable(verified: Result<HandshakeSignatureValid, Error>) -> Result<HandshakeSignatureValid, Error> {
    match verified {
        Err(Error::InvalidCertificate(error)) if error != CertificateError::BadSignature => {
            Ok(HandshakeSignatureValid::assertion())
        }
        other => other,
    }
}

impl std::fmt::Debug for ChainTrust {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("ChainTrust").field("extra", &self.extra.len()).finish_non_exhaustive()
    }
}

fn client_config(provider: &Arc<CryptoProvider>, verifier: Arc<dyn ServerCertVerifier>) -> ClientConfig {
    let builder = ClientConfig::builder_with_provider(Arc::clone(provider));
    // The provider supports both versions, so this cannot fail.
    let builder = match builder.with_safe_default_protocol_versions() {
        Ok(builder) => builder,
        Err(error) => unreachable!("{error}"),
    };
    builder.dangerous().with_custom_certificate_verifier(verifier).with_no_client_auth()
}

/// Accepts every certificate; the handshake's signature must still be right if it can be checked.
#[derive(Debug)]
struct AcceptAny(Arc<CryptoProvider>);

impl ServerCertVerifier for AcceptAny {
    fn verify_server_cert(
        &self,
        _end_entity: &CertificateDer<'_>,
        _intermediates: &[CertificateDer<'_>],
        _server_name: &ServerName<'_>,
        _ocsp_response: &[u8],
        _now: UnixTime,
    ) -> Result<ServerCertVerified, Error> {
        Ok(ServerCertVerified::assertion())
    }

    fn verify_tls12_signature(
        &self,
        message: &[u8],
        cert: &CertificateDer<'_>,
        dss: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        unless_unreadable(verify_tls12_signature(message, cert, dss, &self.0.signature_verification_algorithms))
    }

    fn verify_tls13_signature(
        &self,
        message: &[u8],
        cert: &CertificateDer<'_>,
        dss: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        unless_unreadable(verify_tls13_signature(message, cert, dss, &self.0.signature_verification_algorithms))
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        self.0.signature_verification_algorithms.supported_schemes()
    }
}
