//! Wrong answers of the platform for the domain.

use super::Trouble;
use super::records::parking_page;
use crate::domains::Code;
use crate::domains::world::{Answer, Page, Plan};

pub(super) const LIST: &[Trouble] = &[
    Trouble::new(Code::HttpOk, |_| ()),
    Trouble::new(Code::Http404Project, |plan| answers(plan, Answer::default())),
    Trouble::new(Code::Http5xx, |plan| answers(plan, Answer::status(503).body("<title>Unavailable</title>\n"))),
    Trouble::new(Code::HttpParked, |plan| answers(plan, parking_page().header("X-Adblock-Key", "MFwwDQYJKoZI"))),
    Trouble::new(Code::HttpNoUpgrade, |plan| {
        let page = Answer::status(200).body("<title>Acme Pets, the documentation</title>\n");
        let site = plan.site(Plan::PLATFORM_ADDRESS);
        site.page(Page::new(page).http().host(Plan::DOMAIN));
        site.page(Page::new(Answer::status(404)).http().path(Plan::ACME_PATH));
    }),
    Trouble::new(Code::AcmeBlocked, |plan| {
        let refusal = Answer::status(401).header("WWW-Authenticate", "Basic realm=\"preview\"");
        plan.site(Plan::PLATFORM_ADDRESS).page(Page::new(refusal).http().path(Plan::ACME_PATH));
    }),
];

/// The domain answers this over https.
fn answers(plan: &mut Plan, answer: Answer) {
    plan.site(Plan::PLATFORM_ADDRESS).page(Page::new(answer).https().host(Plan::DOMAIN));
}
