//! The contents of certificates.

use jiff::Timestamp;
use x509_parser::oid_registry::OID_PKIX_ACCESS_DESCRIPTOR_CA_ISSUERS;
use x509_parser::prelude::{AttributeTypeAndValue, FromDer as _, GeneralName, ParsedExtension, X509Certificate};
use x509_parser::public_key::PublicKey;

use super::super::observation::Certificate;

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
        rsa_bits: match parsed.public_key().parsed() {
            Ok(PublicKey::RSA(key)) => Some(key.key_size()),
            _ => None,
        },
        names_its_issuer: parsed.extensions().iter().any(|extension| match extension.parsed_extension() {
            ParsedExtension::AuthorityInfoAccess(access) => access
                .accessdescs
                .iter()
                .any(|description| description.access_method == OID_PKIX_ACCESS_DESCRIPTOR_CA_ISSUERS),
            _ => false,
        }),
    })
}
