//! Right and wrong redirects, at the name that should lead to the domain.

use crate::simulator::{Plan, StubAnswer, StubPage};
use petstore::domains::Code;

use super::Trouble;

pub(super) const LIST: &[Trouble] = &[
    redirect(Code::RdOk, |_| ()),
    redirect(Code::RdLoop, |plan| leads(plan, "http://{host}{path}")),
    redirect(Code::RdTooMany, |plan| {
        leads(plan, "https://{host}/hop-00");
        for hop in 0..12 {
            let next = StubAnswer::redirect(301, &format!("https://{{host}}/hop-{:02}", hop + 1));
            answers(plan, StubPage::new(next).path(&format!("/hop-{hop:02}")));
        }
    }),
    redirect(Code::RdNoLocation, |plan| answers(plan, StubPage::new(StubAnswer::status(301)))),
    redirect(Code::RdRelative, |plan| {
        leads(plan, "/welcome");
        answers(plan, StubPage::new(StubAnswer::status(200).body("<title>Welcome</title>\n")).path("/welcome"));
    }),
    redirect(Code::RdTarget, |plan| leads(plan, "https://pets.oldhost.net{path}")),
    redirect(Code::RdMeta, |plan| {
        let page = "<meta http-equiv=\"refresh\" content=\"0; url=https://docs.acme-pets.com/\">\n";
        answers(plan, StubPage::new(StubAnswer::status(200).body(page)));
    }),
    redirect(Code::RdNone, |plan| answers(plan, StubPage::new(StubAnswer::status(200).body("<title>Help</title>\n")))),
    redirect(Code::RdStatus, |plan| {
        answers(plan, StubPage::new(StubAnswer::redirect(302, "https://docs.acme-pets.com{path}")));
    }),
    redirect(Code::RdChain, |plan| {
        leads(plan, "https://sites.petplatform.net{path}");
        let next = StubPage::new(StubAnswer::redirect(301, "https://docs.acme-pets.com{path}"));
        plan.site(Plan::PLATFORM_ADDRESS).page(next.https().host(Plan::PLATFORM_HOST));
    }),
    redirect(Code::RdDowngrade, |plan| leads(plan, "http://docs.acme-pets.com{path}")),
    redirect(Code::RdPath, |plan| leads(plan, "https://docs.acme-pets.com/")),
    redirect(Code::RdCached, |plan| {
        let old = StubAnswer::redirect(301, "https://pets.oldhost.net{path}");
        answers(plan, StubPage::new(old.header("Cache-Control", "public, max-age=31536000").header("Age", "86400")));
    }),
    redirect(Code::RdHead, |plan| {
        answers(plan, StubPage::new(StubAnswer::status(405).header("Allow", "GET")).method("HEAD"));
    }),
];

const fn redirect(code: Code, make: fn(&mut Plan)) -> Trouble {
    Trouble::new(code, make).at(Plan::REDIRECTED)
}

/// The name leads to `location`, for good.
fn leads(plan: &mut Plan, location: &str) {
    answers(plan, StubPage::new(StubAnswer::redirect(301, location)));
}

/// The name has this page over https.
fn answers(plan: &mut Plan, page: StubPage) {
    plan.site(Plan::PLATFORM_ADDRESS).page(page.https().host(Plan::REDIRECTED));
}
