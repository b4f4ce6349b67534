//! Certificates, as a plan has them: their contents, and what is wrong with them; and the CAs that issue them.

use std::collections::HashMap;
use std::io;
use std::sync::Arc;
use std::time::Duration;

use jiff::{SignedDuration, Timestamp};
use rcgen::{
    BasicConstraints, CertificateParams, CertifiedIssuer, DnType, ExtendedKeyUsagePurpose, IsCa, KeyPair,
    KeyUsagePurpose, date_time_ymd,
};
use rustls::crypto::ring::sign::any_supported_type;
use rustls::sign::CertifiedKey;

/// Who signed a certificate.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub enum Issuer {
    /// The intermediate of the simulated CA.
    #[default]
    World,
    /// Another intermediate of the simulated CA, by its name.
    Trusted(String),
    /// An intermediate of the simulated CA that has expired.
    Expired,
    /// An untrusted CA of this name.
    Foreign(String),
    /// The certificate itself.
    Itself,
}

impl Issuer {
    /// The name of the intermediate of the simulated CA.
    pub(super) const WORLD: &str = "World Trust R3";
    /// The name of a staging CA.
    pub const STAGING: &str = "(STAGING) Pretend Pear X1";
}

/// The contents of a certificate. It is made when it is first shown.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct IssuedCertificate {
    /// The names that it is for; without any it has no such extension.
    pub names: Vec<String>,
    /// The subject's common name.
    pub common_name: String,
    /// Who signed it.
    pub issuer: Issuer,
    /// From when on it is valid, to the second.
    pub not_before: Timestamp,
    /// Until when it is valid, to the second.
    pub not_after: Timestamp,
    /// Whether the issuer's certificate is shown with it.
    pub with_issuer: bool,
}

impl IssuedCertificate {
    /// How many days a certificate is valid.
    const LIFE: i64 = 90;

    /// A good one for these names: a third of its 90 days is over.
    pub fn new(now: Timestamp, names: &[&str]) -> Self {
        let common_name = names.first().copied().unwrap_or_default().to_owned();
        let names = names.iter().map(|name| (*name).to_owned()).collect();
        let (not_before, not_after) = (days(now, -Self::LIFE / 3), days(now, Self::LIFE * 2 / 3));
        Self { names, common_name, issuer: Issuer::World, not_before, not_after, with_issuer: true }
    }

    /// The same, but begun and ended so many days later; a negative number makes it earlier.
    pub fn later(self, number: i64) -> Self {
        let (not_before, not_after) = (days(self.not_before, number), days(self.not_after, number));
        Self { not_before, not_after, ..self }
    }
}

fn days(from: Timestamp, number: i64) -> Timestamp {
    from.checked_add(SignedDuration::from_hours(24 * number)).unwrap_or(from)
}

/// The organisation of the simulated CA.
const ORGANISATION: &str = "World Trust";

type Ca = CertifiedIssuer<'static, KeyPair>;

/// The simulated CAs. Keys and certificates are made when first needed.
pub(super) struct Authorities {
    root: Ca,
    intermediates: HashMap<Issuer, Ca>,
    issued: HashMap<IssuedCertificate, Arc<CertifiedKey>>,
}

impl Authorities {
    pub fn new() -> io::Result<Self> {
        let params = ca("World Trust Root X1", ORGANISATION);
        let root = CertifiedIssuer::self_signed(params, key()?).map_err(io::Error::other)?;
        Ok(Self { root, intermediates: HashMap::new(), issued: HashMap::new() })
    }

    /// The root to trust.
    pub(super) fn root_pem(&self) -> String {
        self.root.pem()
    }

    /// The chain and key for `certificate`, always the same.
    pub fn issue(&mut self, certificate: &IssuedCertificate) -> io::Result<Arc<CertifiedKey>> {
        if let Some(issued) = self.issued.get(certificate) {
            return Ok(Arc::clone(issued));
        }
        let key = key()?;
        let params = params(certificate)?;
        let chain = if certificate.issuer == Issuer::Itself {
            vec![params.self_signed(&key).map_err(io::Error::other)?.der().clone()]
        } else {
            let issuer = self.intermediate(&certificate.issuer)?;
            let signed = params.signed_by(&key, issuer).map_err(io::Error::other)?;
            let mut chain = vec![signed.der().clone(), issuer.der().clone()];
            chain.truncate(if certificate.with_issuer { 2 } else { 1 });
            chain
        };
        let key = any_supported_type(&key.into()).map_err(io::Error::other)?;
        let issued = Arc::new(CertifiedKey::new(chain, key));
        self.issued.insert(certificate.clone(), Arc::clone(&issued));
        Ok(issued)
    }

    fn intermediate(&mut self, issuer: &Issuer) -> io::Result<&Ca> {
        if !self.intermediates.contains_key(issuer) {
            let made = match issuer {
                Issuer::World | Issuer::Itself => sign(ca(Issuer::WORLD, ORGANISATION), &self.root)?,
                Issuer::Trusted(name) => sign(ca(name, name), &self.root)?,
                Issuer::Expired => {
                    let mut params = ca("World Trust R1", ORGANISATION);
                    params.not_after = date_time_ymd(2024, 1, 1);
                    sign(params, &self.root)?
                }
                Issuer::Foreign(name) => {
                    let root = CertifiedIssuer::self_signed(ca(&format!("{name} Root"), name), key()?);
                    sign(ca(name, name), &root.map_err(io::Error::other)?)?
                }
            };
            self.intermediates.insert(issuer.clone(), made);
        }
        self.intermediates.get(issuer).ok_or_else(|| io::Error::other("no such issuer"))
    }
}

fn sign(params: CertificateParams, by: &Ca) -> io::Result<Ca> {
    CertifiedIssuer::signed_by(params, key()?, by).map_err(io::Error::other)
}

fn key() -> io::Result<KeyPair> {
    KeyPair::generate().map_err(io::Error::other)
}

fn ca(name: &str, organisation: &str) -> CertificateParams {
    let mut params = CertificateParams::default();
    params.distinguished_name.push(DnType::CommonName, name);
    params.distinguished_name.push(DnType::OrganizationName, organisation);
    params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
    params.key_usages = vec![KeyUsagePurpose::KeyCertSign, KeyUsagePurpose::CrlSign];
    params.use_authority_key_identifier_extension = true;
    params
}

fn params(certificate: &IssuedCertificate) -> io::Result<CertificateParams> {
    let mut params = CertificateParams::new(certificate.names.clone()).map_err(io::Error::other)?;
    params.distinguished_name.push(DnType::CommonName, certificate.common_name.as_str());
    params.key_usages = vec![KeyUsagePurpose::DigitalSignature];
    params.extended_key_usages = vec![ExtendedKeyUsagePurpose::ServerAuth];
    params.use_authority_key_identifier_extension = certificate.issuer != Issuer::Itself;
    let since_1970 = |time: Timestamp| Duration::from_secs(time.as_second().try_into().unwrap_or(0));
    let epoch = date_time_ymd(1970, 1, 1);
    params.not_before = epoch + since_1970(certificate.not_before);
    params.not_after = epoch + since_1970(certificate.not_after);
    Ok(params)
}
