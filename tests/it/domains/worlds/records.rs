//! Wrong records at the domain.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

use crate::simulator::{IssuedCertificate, Plan, StubAnswer, StubPage, Zone, ZoneData};
use petstore::domains::{Code, DnsName};

use super::Trouble;

pub(super) const LIST: &[Trouble] = &[
    Trouble::new(Code::DnsOk, |_| ()),
    Trouble::new(Code::DnsMissing, |plan| {
        records(plan).clear(Plan::DOMAIN);
    }),
    Trouble::new(Code::DnsNodata, |plan| only(plan, ZoneData::txt("some-verification=1"))),
    Trouble::new(Code::DnsWrongTarget, |plan| only(plan, ZoneData::cname(Plan::OLD_HOST))),
    Trouble::new(Code::DnsNearMiss, |plan| only(plan, ZoneData::cname("sites.petplatfrom.net"))),
    Trouble::new(Code::DnsTargetGone, |plan| only(plan, ZoneData::cname("old-project.oldhost.net"))),
    Trouble::new(Code::DnsValueGone, |plan| {
        only(plan, ZoneData::cname(Plan::OLD_HOST));
        plan.zone(Plan::PLATFORM_ZONE).clear(Plan::PLATFORM_HOST);
    }),
    Trouble::new(Code::DnsNameDoubled, |plan| {
        let doubled = format!("{}.{}", Plan::DOMAIN, Plan::ZONE);
        records(plan).clear(Plan::DOMAIN).add(&doubled, Plan::TTL, ZoneData::cname(Plan::PLATFORM_HOST));
    }),
    Trouble::new(Code::DnsValueDoubled, |plan| {
        only(plan, ZoneData::cname(&format!("{}.{}", Plan::PLATFORM_HOST, Plan::ZONE)));
    }),
    Trouble::new(Code::DnsValueUrl, |plan| only(plan, ZoneData::cname(&format!("https://{}", Plan::PLATFORM_HOST)))),
    Trouble::new(Code::DnsValueInTxt, |plan| only(plan, ZoneData::txt(Plan::PLATFORM_HOST))),
    Trouble::new(Code::DnsABlocks, |plan| only(plan, ZoneData::address(Plan::OLD_ADDRESS))),
    Trouble::new(Code::DnsADirect, |plan| only(plan, ZoneData::address(Plan::PLATFORM_ADDRESS))),
    Trouble::new(Code::DnsAaaaLeft, |plan| {
        only(plan, ZoneData::address(Plan::PLATFORM_ADDRESS));
        add(plan, old_ipv6());
        old_site(plan, Ipv6Addr::LOCALHOST);
    }),
    Trouble::new(Code::DnsCnameAndOther, |plan| {
        add(plan, ZoneData::Mx(10, DnsName::new("mail.acme-pets.com")));
        add(plan, ZoneData::txt("v=spf1 mx -all"));
    }),
    Trouble::new(Code::DnsMultiCname, |plan| add(plan, ZoneData::cname(Plan::OLD_HOST))),
    Trouble::new(Code::DnsPrivate, |plan| only(plan, ZoneData::address(Plan::NOWHERE))),
    Trouble::new(Code::DnsChain, |plan| {
        only(plan, ZoneData::cname("alias.oldhost.net"));
        plan.zone("oldhost.net").add("alias.oldhost.net", Plan::TTL, ZoneData::cname(Plan::PLATFORM_HOST));
    }),
    Trouble::new(Code::DnsLoop, |plan| {
        only(plan, ZoneData::cname("loop.oldhost.net"));
        plan.zone("oldhost.net").add("loop.oldhost.net", Plan::TTL, ZoneData::cname(Plan::DOMAIN));
    }),
    Trouble::new(Code::DnsDname, |plan| {
        records(plan).clear(Plan::DOMAIN).add(Plan::ZONE, Plan::TTL, ZoneData::Dname(DnsName::new("oldhost.net")));
        plan.zone("oldhost.net").add("docs.oldhost.net", Plan::TTL, ZoneData::cname(Plan::PLATFORM_HOST));
    }),
    Trouble::new(Code::DnsZoneCut, |plan| {
        records(plan).clear(Plan::DOMAIN);
        plan.hosted(Plan::DOMAIN, &["ns1.oldhost.net"]);
        plan.zone(Plan::DOMAIN).add(Plan::DOMAIN, Plan::TTL, ZoneData::address(Plan::OLD_ADDRESS));
    }),
    Trouble::new(Code::DnsWildcardOk, |plan| {
        records(plan).clear(Plan::DOMAIN).add(WILDCARD, Plan::TTL, ZoneData::cname(Plan::PLATFORM_HOST));
    }),
    Trouble::new(Code::DnsWildcardWrong, |plan| {
        records(plan).clear(Plan::DOMAIN).add(WILDCARD, Plan::TTL, ZoneData::cname(Plan::OLD_HOST));
    }),
    Trouble::new(Code::DnsParked, |plan| {
        let servers = ["ns1.parkingcrew.net", "ns2.parkingcrew.net"];
        plan.hosted("parkingcrew.net", &servers);
        move_to(plan, &servers);
        let parking = ZoneData::address(Plan::OLD_ADDRESS);
        records(plan).clear(Plan::DOMAIN).add(Plan::ZONE, Plan::TTL, parking.clone()).add(WILDCARD, Plan::TTL, parking);
        plan.site(Plan::OLD_ADDRESS).page(StubPage::new(parking_page()));
    }),
    Trouble::new(Code::DnsRewrite, |plan| plan.resolver(0).invents = Some(Plan::NOWHERE.into())),
    Trouble::new(Code::ProxyCloudflare, |plan| {
        let servers = ["ada.ns.cloudflare.com", "bob.ns.cloudflare.com"];
        plan.hosted("cloudflare.com", &servers);
        move_to(plan, &servers);
        only(plan, ZoneData::address(PROXY));
        let certificate = IssuedCertificate::new(plan.now, &[Plan::DOMAIN]);
        let page = StubAnswer::status(200).header("Server", "cloudflare").header("CF-RAY", "8e5f2c1a9b3d4e6f-FRA");
        plan.site(PROXY).show(certificate).page(StubPage::new(page.body("<title>Old pages</title>\n")));
    }),
    Trouble::new(Code::TtlLong, |plan| {
        records(plan).set(Plan::DOMAIN, 172_800, ZoneData::cname(Plan::PLATFORM_HOST));
    }),
];

const WILDCARD: &str = "*.acme-pets.com";
/// Where Cloudflare's proxy answers.
const PROXY: Ipv4Addr = Ipv4Addr::new(127, 0, 0, 3);

/// The zone gets other name servers, at the registrar too.
pub fn move_to(plan: &mut Plan, name_servers: &[&str]) {
    plan.zone("com").delegate(Plan::ZONE, name_servers);
    plan.zone(Plan::ZONE).delegate(Plan::ZONE, name_servers);
    for host in name_servers {
        plan.name_server(host).serve(Plan::ZONE);
    }
}

fn records(plan: &mut Plan) -> &mut Zone {
    plan.zone(Plan::ZONE)
}

/// The domain has this record and no other.
fn only(plan: &mut Plan, data: ZoneData) {
    records(plan).set(Plan::DOMAIN, Plan::TTL, data);
}

/// The domain has this record too.
fn add(plan: &mut Plan, data: ZoneData) {
    records(plan).add(Plan::DOMAIN, Plan::TTL, data);
}

/// The address that was left over.
pub(super) fn old_ipv6() -> ZoneData {
    ZoneData::address(Ipv6Addr::LOCALHOST)
}

/// The old host at one more address.
pub(super) fn old_site(plan: &mut Plan, address: impl Into<IpAddr>) {
    let site = plan.site(Plan::OLD_ADDRESS).clone();
    plan.sites.insert(address.into(), site);
}

/// What a registrar shows for an unused domain.
pub(super) fn parking_page() -> StubAnswer {
    StubAnswer::status(200)
        .body("<title>acme-pets.com</title><p>This domain is parked free, courtesy of the registrar.\n")
}
