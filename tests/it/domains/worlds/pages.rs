//! Wrong answers of the platform for the domain.

use crate::simulator::{Door, Plan, StubAnswer, StubPage, ZoneData};
use petstore::domains::Code;

use super::Trouble;
use super::records::parking_page;

pub(super) const LIST: &[Trouble] = &[
    Trouble::new(Code::HttpOk, |_| ()),
    Trouble::new(Code::Http404Project, |plan| answers(plan, StubAnswer::default())),
    Trouble::new(Code::HttpRefused, |plan| answers(plan, StubAnswer::status(403).body("<title>Forbidden</title>\n"))),
    Trouble::new(Code::HttpPort80, |plan| plan.site(Plan::PLATFORM_ADDRESS).http = Door::Closed),
    Trouble::new(Code::RdGone, |plan| answers(plan, StubAnswer::redirect(301, "https://gone.oldhost.net/"))),
    Trouble::new(Code::Http5xx, |plan| answers(plan, StubAnswer::status(503).body("<title>Unavailable</title>\n"))),
    Trouble::new(Code::HttpParked, |plan| answers(plan, parking_page().header("X-Adblock-Key", "MFwwDQYJKoZI"))),
    Trouble::new(Code::HttpNoUpgrade, |plan| {
        let page = StubAnswer::status(200).body("<title>Acme Pets, the documentation</title>\n");
        let site = plan.site(Plan::PLATFORM_ADDRESS);
        site.page(StubPage::new(page).http().host(Plan::DOMAIN));
        site.page(StubPage::new(StubAnswer::status(404)).http().path(Plan::ACME_PATH));
    }),
    Trouble::new(Code::AcmeLeftOver, |plan| {
        let stranger = plan.site(Plan::PLATFORM_ADDRESS).stranger.clone();
        plan.site(Plan::PLATFORM_ADDRESS).greet(Plan::DOMAIN, stranger);
        let challenge = "_acme-challenge.docs.acme-pets.com";
        plan.zone(Plan::ZONE).add(challenge, Plan::TTL, ZoneData::cname("docs.acme-dns.oldhost.net"));
        plan.zone(Plan::ZONE).add(challenge, Plan::TTL, ZoneData::txt("gfj9Xq"));
    }),
    Trouble::new(Code::AcmeBlocked, |plan| {
        let refusal = StubAnswer::status(401).header("WWW-Authenticate", "Basic realm=\"preview\"");
        plan.site(Plan::PLATFORM_ADDRESS).page(StubPage::new(refusal).http().path(Plan::ACME_PATH));
    }),
];

/// The domain answers this over https.
fn answers(plan: &mut Plan, answer: StubAnswer) {
    plan.site(Plan::PLATFORM_ADDRESS).page(StubPage::new(answer).https().host(Plan::DOMAIN));
}
