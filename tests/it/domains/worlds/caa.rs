//! CAA records that allow and forbid.

use crate::simulator::{Plan, ServerFault, ZoneData, ZoneRecord};
use hickory_proto::op::ResponseCode;
use hickory_proto::rr::RecordType;
use petstore::domains::Code;

use super::Trouble;
use super::servers::both;

pub(super) const LIST: &[Trouble] = &[
    Trouble::new(Code::CaaNone, |_| ()),
    Trouble::new(Code::CaaOk, |plan| {
        issue(plan, "other-authority.example");
        issue(plan, Plan::CA);
    }),
    Trouble::new(Code::CaaBlocked, |plan| issue(plan, "other-authority.example")),
    Trouble::new(Code::CaaEmpty, |plan| issue(plan, ";")),
    Trouble::new(Code::CaaBadSyntax, |plan| issue(plan, "lets_encrypt org; =%%")),
    Trouble::new(Code::CaaCritical, |plan| {
        issue(plan, Plan::CA);
        caa(plan, ZoneData::Caa { flags: 128, tag: "tbs".to_owned(), value: b"unknown".to_vec() });
    }),
    Trouble::new(Code::CaaWildOnly, |plan| caa(plan, ZoneData::caa("issuewild", ";"))),
    Trouble::new(Code::CaaWait, |plan| {
        issue(plan, Plan::CA);
        let old = ZoneRecord::new(Plan::ZONE, 2700, ZoneData::caa("issue", "other-authority.example"));
        plan.resolver(1).remembers(Plan::ZONE, RecordType::CAA, vec![old]);
    }),
    Trouble::new(Code::CaaMethod, |plan| issue(plan, &format!("{}; validationmethods=dns-01", Plan::CA))),
    Trouble::new(Code::CaaAccount, |plan| {
        issue(plan, &format!("{}; accounturi=https://acme.example/acct/1", Plan::CA));
    }),
    Trouble::new(Code::CaaLookupFailed, |plan| {
        both(plan, ServerFault::only(RecordType::CAA, ServerFault::Code(ResponseCode::ServFail)));
    }),
    Trouble::new(Code::CaaCaUnknown, |plan| issue(plan, "other-authority.example")),
];

fn issue(plan: &mut Plan, value: &str) {
    caa(plan, ZoneData::caa("issue", value));
}

/// The zone has this CAA record at its apex.
fn caa(plan: &mut Plan, data: ZoneData) {
    plan.zone(Plan::ZONE).add(Plan::ZONE, Plan::TTL, data);
}
