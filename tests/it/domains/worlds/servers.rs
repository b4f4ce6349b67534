//! Wrong delegations and servers, and resolvers that remember.

use crate::simulator::{Plan, ServerFault, Zone, ZoneData, ZoneRecord};
use hickory_proto::op::ResponseCode;
use hickory_proto::rr::RecordType;
use petstore::domains::Code;

use super::Trouble;
use super::faults::{FaultyServer as _, KEY_TAG, OddResolver as _, ds_record, sign};

const NS1: &str = Plan::NAME_SERVERS[0];
const NS2: &str = Plan::NAME_SERVERS[1];

pub(super) const LIST: &[Trouble] = &[
    Trouble::new(Code::NotDelegated, |plan| {
        plan.zone("com").clear(Plan::ZONE);
    }),
    Trouble::new(Code::NsMismatch, |plan| {
        // The registrar still names the old provider, where only the NS records were changed.
        let old = "ns1.oldhost.net";
        let mut copy = Zone::new(Plan::ZONE, &Plan::NAME_SERVERS);
        copy.add(Plan::ZONE, Plan::TTL, ZoneData::address(Plan::OLD_ADDRESS));
        plan.name_server(old).copies.push(copy);
        plan.zone("com").delegate(Plan::ZONE, &[old]);
    }),
    Trouble::new(Code::NsSilent, |plan| both(plan, ServerFault::Silent)),
    Trouble::new(Code::GlueDiffers, |plan| {
        let own = "ns1.acme-pets.com";
        let listed = ZoneData::address(Plan::NOWHERE);
        plan.name_server(own).serve(Plan::ZONE);
        plan.zone(Plan::ZONE).delegate(Plan::ZONE, &[own]).add(own, Plan::TTL, ZoneData::address(Plan::OLD_ADDRESS));
        plan.zone("com").delegate(Plan::ZONE, &[own]).add(own, Plan::TTL, listed);
    }),
    Trouble::new(Code::LameAll, |plan| both(plan, ServerFault::Code(ResponseCode::Refused))),
    Trouble::new(Code::LameOne, |plan| {
        plan.name_server(NS2).fault(ServerFault::NotAuthoritative);
    }),
    Trouble::new(Code::DnssecBogus, |plan| {
        sign(plan, Plan::ZONE, -1, 30);
        for resolver in &mut plan.resolvers {
            resolver.finds_bogus(Plan::ZONE, 7, "signature expired");
        }
    }),
    Trouble::new(Code::ServfailAll, |plan| both(plan, ServerFault::Code(ResponseCode::ServFail))),
    Trouble::new(Code::SecondaryBehind, |plan| {
        let mut old = plan.zone(Plan::ZONE).clone();
        old.serial -= 1;
        old.set(Plan::DOMAIN, Plan::TTL, ZoneData::cname(Plan::OLD_HOST));
        plan.name_server(NS2).copies.push(old);
    }),
    Trouble::new(Code::TtlWait, |plan| remembers_old(plan, 1, 40_980)),
    Trouble::new(Code::Over48h, |plan| remembers_old(plan, 1, 40_980)),
    Trouble::new(Code::NegWait, |plan| {
        plan.resolver(1).remembers_nothing(Plan::DOMAIN, RecordType::CNAME, 840, true);
    }),
    Trouble::new(Code::ViewsDiffer, |plan| {
        plan.resolver(1).remembers_nothing(Plan::DOMAIN, RecordType::CNAME, 840, true);
        plan.resolver(1).remarks(Plan::DOMAIN, 17, "filtered");
    }),
    Trouble::new(Code::NsWait, |plan| {
        let old = "ns1.oldhost.net";
        let mut copy = Zone::new(Plan::ZONE, &[old]);
        copy.add(Plan::DOMAIN, 300, ZoneData::address(Plan::OLD_ADDRESS));
        plan.name_server(old).copies.push(copy);
        let asks = ZoneRecord::new(Plan::ZONE, 86_100, ZoneData::ns(old));
        plan.resolver(1).remembers(Plan::ZONE, RecordType::NS, vec![asks]);
    }),
    Trouble::new(Code::DsWait, |plan| {
        plan.resolvers.iter_mut().for_each(|resolver| resolver.validates = true);
        let ds = ZoneRecord::new(Plan::ZONE, 82_800, ds_record(KEY_TAG));
        plan.resolver(2).remembers(Plan::ZONE, RecordType::DS, vec![ds]);
    }),
    Trouble::new(Code::StaleServed, |plan| {
        remembers_old(plan, 1, 30);
        plan.resolver(1).remarks(Plan::DOMAIN, 3, "stale answer");
    }),
    Trouble::new(Code::ResolverDown, |plan| {
        plan.resolver(3).fault(ServerFault::Silent);
    }),
    Trouble::new(Code::ResolversDisagree, |plan| {
        for number in 0..plan.resolvers.len() {
            let host = format!("edge{number}.oldhost.net");
            plan.resolver(number).sees(own_zone(ZoneData::cname(&host)));
            plan.zone("oldhost.net").add(&host, Plan::TTL, ZoneData::address(Plan::OLD_ADDRESS));
        }
    }),
    // Of several resolvers the first is the system's.
    Trouble::new(Code::SplitLocal, |plan| {
        plan.resolver(0).sees(own_zone(ZoneData::address(Plan::OLD_ADDRESS)));
    }),
    Trouble::new(Code::EdnsBroken, |plan| both(plan, ServerFault::NoEdns)),
    Trouble::new(Code::Offline, |plan| {
        let servers = plan.name_servers.iter_mut().map(|server| &mut server.faults);
        for faults in servers.chain(plan.resolvers.iter_mut().map(|resolver| &mut resolver.faults)) {
            faults.push(ServerFault::Silent);
        }
    }),
];

/// Both name servers of the zone have this fault.
pub fn both(plan: &mut Plan, fault: ServerFault) {
    plan.name_server(NS1).fault(fault.clone());
    plan.name_server(NS2).fault(fault);
}

/// A resolver has the old value for so many seconds more.
fn remembers_old(plan: &mut Plan, number: usize, ttl: u32) {
    let old = ZoneRecord::new(Plan::DOMAIN, ttl, ZoneData::cname(Plan::OLD_HOST));
    plan.resolver(number).remembers(Plan::DOMAIN, RecordType::CNAME, vec![old]);
}

/// The domain as others see it.
fn own_zone(data: ZoneData) -> Zone {
    let mut zone = Zone::new(Plan::DOMAIN, &[NS1]);
    zone.add(Plan::DOMAIN, Plan::TTL, data);
    zone
}
