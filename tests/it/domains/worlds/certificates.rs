//! Wrong certificates, and doors that do not lead to one.

use crate::simulator::{Door, Greeting, IssuedCertificate, Issuer, Plan, StubAnswer, StubPage, ZoneData};
use petstore::domains::Code;

use super::Trouble;
use super::faults::{WrongCertificate as _, plain_http};

pub(super) const LIST: &[Trouble] = &[
    Trouble::new(Code::TlsOk, |_| ()),
    Trouble::new(Code::TlsPending, |plan| {
        let stranger = plan.site(Plan::PLATFORM_ADDRESS).stranger.clone();
        plan.site(Plan::PLATFORM_ADDRESS).greet(Plan::DOMAIN, stranger);
    }),
    Trouble::new(Code::TlsAlert, |plan| {
        plan.site(Plan::PLATFORM_ADDRESS).greet(Plan::DOMAIN, Greeting::UNRECOGNIZED_NAME);
    }),
    Trouble::new(Code::TlsWrongName, |plan| {
        let other = IssuedCertificate::new(plan.now, &["shop.acme-pets.com", "*.shop.acme-pets.com"]);
        plan.site(Plan::PLATFORM_ADDRESS).greet(Plan::DOMAIN, Greeting::Certificate(other));
    }),
    Trouble::new(Code::TlsNoSan, |plan| shows(plan, IssuedCertificate::without_names)),
    Trouble::new(Code::TlsExpired, |plan| shows(plan, IssuedCertificate::expired)),
    Trouble::new(Code::TlsFuture, |plan| shows(plan, IssuedCertificate::not_yet_valid)),
    Trouble::new(Code::TlsSoon, |plan| shows(plan, IssuedCertificate::nearly_expired)),
    Trouble::new(Code::TlsSelf, |plan| shows(plan, |good| good.issued_by(Issuer::Itself))),
    Trouble::new(Code::TlsStaging, |plan| {
        shows(plan, |good| good.issued_by(Issuer::Foreign(Issuer::STAGING.to_owned())))
    }),
    Trouble::new(Code::TlsChain, |plan| shows(plan, IssuedCertificate::alone)),
    Trouble::new(Code::TlsUnknownCa, |plan| {
        shows(plan, |good| good.issued_by(Issuer::Foreign("Pawprint Private CA".to_owned())));
    }),
    Trouble::new(Code::TlsIntercept, |plan| {
        let by_proxy = |greeting: &mut Greeting| {
            if let Greeting::Certificate(certificate) = greeting {
                certificate.issuer = Issuer::Foreign("Office Proxy CA".to_owned());
            }
        };
        for site in plan.sites.values_mut() {
            site.greetings.iter_mut().for_each(|(_, greeting)| by_proxy(greeting));
            by_proxy(&mut site.stranger);
        }
    }),
    Trouble::new(Code::TlsOld, |plan| {
        shows(plan, |good| good.issued_by(Issuer::Trusted("Former Trust".to_owned())).later(-20));
    }),
    Trouble::new(Code::TlsRefused, |plan| plan.site(Plan::PLATFORM_ADDRESS).https = Door::Closed),
    Trouble::new(Code::TlsSni, |plan| {
        let certificate = IssuedCertificate::new(plan.now, &[Plan::DOMAIN]);
        let site = plan.site(Plan::PLATFORM_ADDRESS).greet(Plan::DOMAIN, Greeting::UNRECOGNIZED_NAME);
        site.stranger = Greeting::Certificate(certificate);
    }),
    Trouble::new(Code::TlsVersion, |plan| {
        plan.site(Plan::PLATFORM_ADDRESS).greet(Plan::DOMAIN, Greeting::PROTOCOL_VERSION);
    }),
    Trouble::new(Code::TlsLong, |plan| {
        let until = |good: &IssuedCertificate| good.clone().later(400).not_after;
        shows(plan, |good| IssuedCertificate { not_after: until(&good), ..good });
    }),
    Trouble::new(Code::TlsReset, |plan| plan.site(Plan::PLATFORM_ADDRESS).https = Door::Resets),
    Trouble::new(Code::TlsTimeout, |plan| plan.site(Plan::PLATFORM_ADDRESS).https = Door::Silent),
    Trouble::new(Code::TlsNotTls, |plan| plan.site(Plan::PLATFORM_ADDRESS).https = plain_http()),
    Trouble::new(Code::TlsAddressesDiffer, |plan| {
        // The second address has not got the new certificate yet.
        plan.zone(Plan::PLATFORM_ZONE).add(Plan::PLATFORM_HOST, Plan::TTL, ZoneData::address(Plan::OLD_ADDRESS));
        let mut site = plan.site(Plan::PLATFORM_ADDRESS).clone();
        site.show(IssuedCertificate::new(plan.now, &[Plan::DOMAIN]).later(-1));
        plan.sites.insert(Plan::OLD_ADDRESS.into(), site);
    }),
    Trouble::new(Code::HstsNote, |plan| {
        shows(plan, IssuedCertificate::expired);
        let strict = StubAnswer::status(200).header("Strict-Transport-Security", "max-age=31536000; includeSubDomains");
        plan.site(Plan::PLATFORM_ADDRESS).page(StubPage::new(strict).https().host(Plan::DOMAIN));
    }),
];

/// The domain shows what `change` makes of its good certificate.
fn shows(plan: &mut Plan, change: impl FnOnce(IssuedCertificate) -> IssuedCertificate) {
    let certificate = change(IssuedCertificate::new(plan.now, &[Plan::DOMAIN]));
    plan.site(Plan::PLATFORM_ADDRESS).greet(Plan::DOMAIN, Greeting::Certificate(certificate));
}
