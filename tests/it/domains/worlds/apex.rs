//! Right and wrong records at the apex, which cannot have a CNAME.

use std::net::Ipv6Addr;

use crate::simulator::{IssuedCertificate, Plan, StubAnswer, StubPage, ZoneData};
use hickory_proto::rr::RecordType;
use petstore::domains::Code;

use super::Trouble;
use super::records::{old_ipv6, old_site};

pub(super) const LIST: &[Trouble] = &[
    Trouble::new(Code::ApexOk, |plan| apex(plan, &[ZoneData::address(Plan::PLATFORM_ADDRESS)])).at(Plan::ZONE),
    Trouble::new(Code::ApexWrong, |plan| apex(plan, &[ZoneData::address(Plan::OLD_ADDRESS)])).at(Plan::ZONE),
    Trouble::new(Code::ApexNone, |plan| apex(plan, &[])).at(Plan::ZONE),
    Trouble::new(Code::ApexPartial, |plan| {
        apex(plan, &[ZoneData::address(Plan::PLATFORM_ADDRESS), ZoneData::address(Plan::OLD_ADDRESS)]);
    })
    .at(Plan::ZONE),
    Trouble::new(Code::ApexAaaa, |plan| {
        apex(plan, &[ZoneData::address(Plan::PLATFORM_ADDRESS), old_ipv6()]);
        old_site(plan, Ipv6Addr::LOCALHOST);
    })
    .at(Plan::ZONE),
    Trouble::new(Code::DnsHttpsElsewhere, |plan| {
        // Priority 1, the name itself, and an IPv4 hint: the old host.
        let hint = [&[0, 1, 0, 0, 4, 0, 4][..], &Plan::OLD_ADDRESS.octets()].concat();
        let https = ZoneData::Raw(RecordType::HTTPS, hint);
        apex(plan, &[ZoneData::address(Plan::PLATFORM_ADDRESS), https]);
    })
    .at(Plan::ZONE),
    Trouble::new(Code::ApexCname, |plan| apex(plan, &[ZoneData::cname(Plan::PLATFORM_HOST)])).at(Plan::ZONE),
];

/// The apex has these records next to its own, and the platform serves it.
fn apex(plan: &mut Plan, records: &[ZoneData]) {
    for data in records {
        plan.zone(Plan::ZONE).add(Plan::ZONE, Plan::TTL, data.clone());
    }
    let certificate = IssuedCertificate::new(plan.now, &[Plan::ZONE]);
    let pages = StubAnswer::status(200).body("<title>Acme Pets</title>\n");
    let site = plan.site(Plan::PLATFORM_ADDRESS);
    site.show(certificate).page(StubPage::new(pages).https().host(Plan::ZONE));
    site.page(StubPage::new(StubAnswer::redirect(301, "https://{host}{path}")).http().host(Plan::ZONE));
    site.page(StubPage::new(StubAnswer::status(404)).http().path(Plan::ACME_PATH));
}
