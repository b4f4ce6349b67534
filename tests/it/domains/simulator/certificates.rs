//! Certificates, good and bad, as clients see them.

use crate::simulator::{Greeting, IssuedCertificate, Issuer, Plan};
use rustls::CertificateError;
use rustls::pki_types::CertificateDer;
use x509_parser::certificate::X509Certificate;
use x509_parser::parse_x509_certificate;

use super::super::worlds::faults::WrongCertificate as _;
use super::ask::{healthy_but, now};
use super::call::{chain, handshake, judge};

const PLATFORM: std::net::Ipv4Addr = Plan::PLATFORM_ADDRESS;

fn parse<'a>(der: &'a CertificateDer<'_>) -> X509Certificate<'a> {
    parse_x509_certificate(der).unwrap().1
}

/// The chain that the domain shows if its certificate is changed like this, and what a client says of it.
async fn shown(
    change: impl FnOnce(IssuedCertificate) -> IssuedCertificate,
) -> (Vec<CertificateDer<'static>>, Result<(), CertificateError>) {
    let certificate = change(IssuedCertificate::new(now(), &[Plan::DOMAIN]));
    let world = healthy_but(|plan| {
        plan.site(PLATFORM).greet(Plan::DOMAIN, Greeting::Certificate(certificate));
    });
    let world = world.await;
    let chain = chain(&world, PLATFORM, Plan::DOMAIN).await;
    let verdict = judge(&world, &chain, Plan::DOMAIN);
    (chain, verdict)
}

#[tokio::test]
async fn a_good_certificate_is_good_and_stays_the_same() {
    let world = healthy_but(|_| ()).await;
    let first = chain(&world, PLATFORM, Plan::DOMAIN).await;
    assert_eq!((first.len(), judge(&world, &first, Plan::DOMAIN)), (2, Ok(())));
    assert_eq!(chain(&world, PLATFORM, Plan::DOMAIN).await, first);
    let leaf = parse(&first[0]);
    assert_eq!(leaf.issuer().to_string(), "CN=World Trust R3, O=World Trust");
    assert_eq!(leaf.subject().to_string(), "CN=docs.acme-pets.com");
    let platform = chain(&world, PLATFORM, Plan::PLATFORM_HOST).await;
    assert_eq!(judge(&world, &platform, "any.petplatform.net"), Ok(()));
    assert_ne!(parse(&platform[0]).raw_serial(), leaf.raw_serial());
}

#[tokio::test]
async fn strangers_see_the_certificate_of_the_platform_or_an_alert() {
    let world = healthy_but(|_| ()).await;
    let stranger = chain(&world, PLATFORM, "other.example.com").await;
    assert_eq!(stranger, chain(&world, PLATFORM, Plan::PLATFORM_HOST).await);
    for (greeting, reported) in
        [(Greeting::UNRECOGNIZED_NAME, "UnrecognisedName"), (Greeting::HANDSHAKE_FAILURE, "HandshakeFailure")]
    {
        world.change(|plan| plan.site(PLATFORM).stranger = greeting);
        let error = handshake(&world, PLATFORM, "other.example.com").await.unwrap_err();
        assert!(error.to_string().contains(reported), "{error}");
    }
    assert_eq!(judge(&world, &chain(&world, PLATFORM, Plan::DOMAIN).await, Plan::DOMAIN), Ok(()));
}

#[tokio::test]
async fn days_can_be_wrong() {
    let (_, verdict) = shown(IssuedCertificate::expired).await;
    assert!(matches!(verdict, Err(CertificateError::ExpiredContext { .. })), "{verdict:?}");
    let (_, verdict) = shown(IssuedCertificate::not_yet_valid).await;
    assert!(matches!(verdict, Err(CertificateError::NotValidYetContext { .. })), "{verdict:?}");
    let (chain, verdict) = shown(IssuedCertificate::nearly_expired).await;
    assert_eq!(verdict, Ok(()));
    let validity = parse(&chain[0]).validity().clone();
    let (life, left) =
        (validity.not_after.timestamp() - validity.not_before.timestamp(), validity.not_after.timestamp());
    assert!((left - now().as_second()) * 4 < life);
    let (from, until) = ("2024-02-29T00:00:00Z".parse().unwrap(), "2030-01-01T12:00:00Z".parse().unwrap());
    let (chain, _) = shown(|good| good.valid(from, until)).await;
    let validity = parse(&chain[0]).validity().clone();
    assert_eq!(
        (validity.not_before.timestamp(), validity.not_after.timestamp()),
        (from.as_second(), until.as_second())
    );
}

#[tokio::test]
async fn names_can_be_wrong_or_missing() {
    let (_, verdict) = shown(|good| IssuedCertificate { names: vec!["shop.acme-pets.com".to_owned()], ..good }).await;
    assert!(matches!(verdict, Err(CertificateError::NotValidForNameContext { .. })), "{verdict:?}");
    let (chain, verdict) = shown(IssuedCertificate::without_names).await;
    assert!(matches!(verdict, Err(CertificateError::NotValidForNameContext { .. })), "{verdict:?}");
    assert_eq!(parse(&chain[0]).subject_alternative_name().unwrap(), None);
    assert_eq!(parse(&chain[0]).subject().to_string(), "CN=docs.acme-pets.com");
}

#[tokio::test]
async fn issuers_can_be_unknown_missing_or_the_certificate_itself() {
    let (chain, verdict) = shown(|good| good.issued_by(Issuer::Itself)).await;
    assert_eq!(parse(&chain[0]).issuer(), parse(&chain[0]).subject());
    assert!(chain.len() == 1 && verdict.is_err());
    let (chain, verdict) = shown(|good| good.issued_by(Issuer::Foreign(Issuer::STAGING.to_owned()))).await;
    assert_eq!(parse(&chain[0]).issuer().to_string(), format!("CN={0}, O={0}", Issuer::STAGING));
    assert_eq!((chain.len(), verdict), (2, Err(CertificateError::UnknownIssuer)));
    let (chain, verdict) = shown(IssuedCertificate::alone).await;
    assert_eq!((chain.len(), verdict), (1, Err(CertificateError::UnknownIssuer)));
    assert_eq!(parse(&chain[0]).issuer().to_string(), "CN=World Trust R3, O=World Trust");
    let (chain, verdict) = shown(|good| good.issued_by(Issuer::Trusted("Former Trust".to_owned()))).await;
    assert_eq!(parse(&chain[0]).issuer().to_string(), "CN=Former Trust, O=Former Trust");
    assert_eq!(verdict, Ok(()));
}
