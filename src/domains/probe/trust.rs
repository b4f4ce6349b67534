//! Reading certificates, and which CAs are trusted: the system's roots and those of the settings.

use std::sync::{Arc, OnceLock};
use std::time::Duration;

use jiff::Timestamp;
use rustls::client::danger::{HandshakeSignatureValid, ServerCertVerified, ServerCertVerifier};
use rustls::crypto::{CryptoProvider, ring, verify_tls12_signature, verify_tls13_signature};
use rustls::pki_types::{CertificateDer, ServerName, UnixTime};
use rustls::{CertificateError, ClientConfig, DigitallySignedStruct, Error, SignatureScheme};
use rustls_platform_verifier::Verifier;
use x509_parser::oid_registry::OID_PKIX_ACCESS_DESCRIPTOR_CA_ISSUERS;
use x509_parser::prelude::{AttributeTypeAndValue, FromDer as _, GeneralName, ParsedExtension, X509Certificate};
use x509_parser::public_key::PublicKey;

use crate::domains::{Certificate, Distrust};

/// The roots, read once at the first use.
#[derive(Debug)]
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
            Err(Error::InvalidCertificate(error)) => Err(distrust(&error)),
            Err(_) => Err(Distrust::Other("it cannot be verified")),
        }
    }
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
    let issuer_short = issuer.iter_organization().chain(issuer.iter_common_name()).find_map(text);
    Some(Certificate {
        subject: parsed.subject().to_string(),
        issuer: issuer.to_string(),
        issuer_short: issuer_short.unwrap_or_else(|| issuer.to_string()),
        common_name: parsed.subject().iter_common_name().find_map(text),
        names: names.collect(),
        not_before: time(parsed.validity().not_before.timestamp())?,
        not_after: time(parsed.validity().not_after.timestamp())?,
        serial: parsed.raw_serial_as_string(),
        rsa_bits: match parsed.public_key().parsed() {
            Ok(PublicKey::RSA(key)) => Some(key.key_size()),
            _ => None,
        },
        names_its_issuer: parsed.extensions().iter().any(|extension| match extension.parsed_extension() {
            ParsedExtension::AuthorityInfoAccess(access) => {
                access.accessdescs.iter().any(|it| it.access_method == OID_PKIX_ACCESS_DESCRIPTOR_CA_ISSUERS)
            }
            _ => false,
        }),
    })
}

/// Why a chain is rejected.
const fn distrust(error: &CertificateError) -> Distrust {
    match error {
        CertificateError::UnknownIssuer => Distrust::UnknownIssuer,
        CertificateError::Expired | CertificateError::ExpiredContext { .. } => Distrust::Dates("has expired"),
        CertificateError::NotValidYet | CertificateError::NotValidYetContext { .. } => {
            Distrust::Dates("is not valid yet")
        }
        CertificateError::Revoked => Distrust::Other("it was revoked"),
        CertificateError::BadSignature => Distrust::Other("its signature is invalid"),
        CertificateError::InvalidPurpose | CertificateError::InvalidPurposeContext { .. } => {
            Distrust::Other("it is not for servers")
        }
        _ => Distrust::Other("it cannot be used for a server"),
    }
}

/// A certificate that the verifier cannot read, such as one of version 1, or does not, since its key is too short, is still
/// worth reading.
fn unless_unreadable(
    shown: &CertificateDer<'_>,
    verified: Result<HandshakeSignatureValid, Error>,
) -> Result<HandshakeSignatureValid, Error> {
    let is_weak = || certificate(shown).is_some_and(|certificate| certificate.is_weak());
    match verified {
        Err(Error::InvalidCertificate(error)) if error != CertificateError::BadSignature || is_weak() => {
            Ok(HandshakeSignatureValid::assertion())
        }
        other => other,
    }
}

fn client_config(provider: &Arc<CryptoProvider>, verifier: Arc<dyn ServerCertVerifier>) -> ClientConfig {
    let builder = ClientConfig::builder_with_provider(Arc::clone(provider)).with_safe_default_protocol_versions();
    // The provider supports both versions, so this cannot fail.
    let builder = builder.unwrap_or_else(|error| unreachable!("{error}"));
    builder.dangerous().with_custom_certificate_verifier(verifier).with_no_client_auth()
}

/// Accepts every certificate; the handshake's signature must still be right if it can be checked.
#[derive(Debug)]
struct AcceptAny(Arc<CryptoProvider>);

impl ServerCertVerifier for AcceptAny {
    fn verify_server_cert(
        &self,
        _: &CertificateDer<'_>,
        _: &[CertificateDer<'_>],
        _: &ServerName<'_>,
        _: &[u8],
        _: UnixTime,
    ) -> Result<ServerCertVerified, Error> {
        Ok(ServerCertVerified::assertion())
    }

    fn verify_tls12_signature(
        &self,
        message: &[u8],
        cert: &CertificateDer<'_>,
        dss: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        unless_unreadable(cert, verify_tls12_signature(message, cert, dss, &self.0.signature_verification_algorithms))
    }

    fn verify_tls13_signature(
        &self,
        message: &[u8],
        cert: &CertificateDer<'_>,
        dss: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        unless_unreadable(cert, verify_tls13_signature(message, cert, dss, &self.0.signature_verification_algorithms))
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        self.0.signature_verification_algorithms.supported_schemes()
    }
}

#[cfg(test)]
mod tests {
    use rustls::pki_types::pem::PemObject as _;

    use super::*;

    /// A certificate with an RSA key of 1024 bits.
    const WEAK: &str = "\
-----BEGIN CERTIFICATE-----
MIICJjCCAY+gAwIBAgIUHLkbaUektB7hha2n4zwhlxS2D5kwDQYJKoZIhvcNAQEL
BQAwGDEWMBQGA1UEAwwNZG9jcy5hY21lLmNvbTAeFw0yNjExMjcxMDI4MzhaFw0y
NjEyMjcxMDI4MzhaMBgxFjAUBgNVBAMMDWRvY3MuYWNtZS5jb20wgZ8wDQYJKoZI
hvcNAQEBBQADgY0AMIGJAoGBAMk+fMB15vs5hMZu8bf6faUWwhf1J333xkAdpuD1
+bwKUopPvVK3Fahmxm7aIfNVmEMcPESlw4nBQeYoCc2e6p36GJ8k1zdiMs/hVe64
g/AYmGk0PrVwMQkGeEKCjhzTS7ru1neZcV47YySsdUMUq1m2QgmGV/tNVfQeY3YH
c6NJAgMBAAGjbTBrMB0GA1UdDgQWBBQBzCs98ep8VvPGlzP6+7lPfFBGujAfBgNV
HSMEGDAWgBQBzCs98ep8VvPGlzP6+7lPfFBGujAPBgNVHRMBAf8EBTADAQH/MBgG
A1UdEQQRMA+CDWRvY3MuYWNtZS5jb20wDQYJKoZIhvcNAQELBQADgYEAg4omCC3+
DudLDcM4k8cEevuqvXtAeaAbr0t837MtrXeZfqvVLTnXWTrEjAOhPbM/K5/DbnEs
xX1ymiAj++KN57pfM5P7CH4VjHKyyQMJXGHgiknHKmGnxDOeOU+qWL6FlAAo0j5a
b1MXBshCrXBIeiey13CrUN0m+x4H0BtJFto=
-----END CERTIFICATE-----
";

    #[test]
    fn a_certificate_whose_key_is_too_short_is_read_and_a_wrong_signature_is_not_accepted() {
        let weak = CertificateDer::from_pem_slice(WEAK.as_bytes()).unwrap();
        assert_eq!(certificate(&weak).unwrap().rsa_bits, Some(1024));
        let wrong = || Err(Error::InvalidCertificate(CertificateError::BadSignature));
        assert!(unless_unreadable(&weak, wrong()).is_ok());
        assert!(unless_unreadable(&CertificateDer::from(vec![0; 9]), wrong()).is_err());
    }
}
