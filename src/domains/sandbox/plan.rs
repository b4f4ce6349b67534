//! The simulated internet that follows from the facts of a sandbox and the time.

use hickory_proto::rr::RecordType;
use jiff::{SignedDuration, Timestamp};

use super::{Project, Sandbox, later, since};
use crate::domains::simulator::{IssuedCertificate, Plan, ZoneData, ZoneRecord};

/// The only CA that the zone allows at first.
const OTHER_CA: &str = "digicert.com";
/// How long the A record of the old host may be kept, in seconds.
const OLD_TTL: u32 = 1254;
/// The resolvers that have the A record when it is deleted, and for how many seconds more.
const HOLDING: [(usize, u32); 2] = [(1, OLD_TTL), (2, OLD_TTL / 3)];
/// The resolver that asks repeatedly, even while there is no record.
const ASKING: usize = 3;
/// How long before the CNAME came it asked last.
const ASKED_BEFORE: SignedDuration = SignedDuration::from_mins(5);
/// How long it keeps that there was nothing, in seconds.
const NOTHING_TTL: u32 = 900;
/// How far CAs backdate a certificate, for slow clocks.
const BACKDATED: SignedDuration = SignedDuration::from_hours(1);
/// How often the platform renews certificates: practice may go on for days, which are months.
const RENEWAL: SignedDuration = SignedDuration::from_hours(30 * 24);

impl Sandbox {
    /// The simulated internet at a time of the sandbox.
    pub fn plan(&self, now: Timestamp) -> Plan {
        let renewed = self.renewed(now);
        let mut plan = Plan { now, ..Plan::healthy(renewed) };
        plan.zone(Plan::ZONE).clear(Plan::DOMAIN).add(Self::PRIMARY, Plan::TTL, ZoneData::cname(Plan::PLATFORM_HOST));
        plan.project(Self::PRIMARY, IssuedCertificate::new(renewed, &[Self::PRIMARY]));
        let straight = format!("https://{}{{path}}", Self::PRIMARY);
        plan.redirect(Self::REDIRECTED, if self.corrected { &straight } else { "http://{host}{path}" });
        self.provider(&mut plan);
        self.caches(&mut plan);
        self.platform(&mut plan);
        if self.redirected && self.project == Project::With {
            plan.redirect(Self::DOMAIN, &straight);
        }
        plan
    }

    /// The zone of the domain.
    fn provider(&self, plan: &mut Plan) {
        plan.hosted(Self::ZONE, &Plan::NAME_SERVERS);
        let zone = plan.zone(Self::ZONE);
        let authorities = [Some(OTHER_CA), self.allowed.then_some(Plan::CA)];
        for authority in authorities.into_iter().flatten() {
            zone.add(Self::ZONE, Plan::TTL, ZoneData::caa("issue", authority));
        }
        if self.deleted.is_none() {
            zone.add(Self::DOMAIN, OLD_TTL, ZoneData::address(Plan::OLD_ADDRESS));
        }
        if self.cname.is_some() {
            zone.add(Self::DOMAIN, Plan::TTL, ZoneData::cname(Plan::PLATFORM_HOST));
        }
    }

    /// What resolvers still have cached.
    fn caches(&self, plan: &mut Plan) {
        let now = plan.now;
        let left = |from: Timestamp, ttl: u32| u32::try_from(i64::from(ttl) - since(from, now).as_secs());
        let Some(deleted) = self.deleted else { return };
        for (number, ttl) in HOLDING {
            if let Ok(left @ 1..) = left(deleted, ttl) {
                let old = ZoneRecord::new(Self::DOMAIN, left, ZoneData::address(Plan::OLD_ADDRESS));
                plan.resolver(number).remembers(Self::DOMAIN, RecordType::A, vec![old]);
            }
        }
        if let Some(asked) = self.denied_before()
            && let Ok(left @ 1..) = left(asked, NOTHING_TTL)
        {
            plan.resolver(ASKING).remembers_nothing(Self::DOMAIN, RecordType::CNAME, left, true);
        }
    }

    /// When the last resolver has forgotten what was there before the CNAME.
    pub(super) fn caches_end(&self) -> Option<Timestamp> {
        let held = |from: Timestamp, ttl: u32| later(from, SignedDuration::from_secs(ttl.into()));
        let nothing = self.denied_before().map(|asked| held(asked, NOTHING_TTL));
        HOLDING.into_iter().filter_map(|(_, ttl)| Some(held(self.deleted?, ttl))).chain(nothing).max()
    }

    /// When the resolver that asks repeatedly heard last that there is no record.
    fn denied_before(&self) -> Option<Timestamp> {
        let (deleted, cname) = (self.deleted?, self.cname?);
        (since(deleted, cname) >= ASKED_BEFORE).then(|| later(cname, -ASKED_BEFORE))
    }

    /// What the platform answers for the domain: its own certificate until there is one for the domain, and that it
    /// does not know the name when it was removed.
    fn platform(&self, plan: &mut Plan) {
        let Some(from) = self.certificate.filter(|from| *from <= plan.now) else { return };
        let first = IssuedCertificate::new(later(from, -BACKDATED), &[Self::DOMAIN]).later(30);
        let renewed = IssuedCertificate::new(self.renewed(plan.now), &[Self::DOMAIN]);
        let certificate = if renewed.not_before > first.not_before { renewed } else { first };
        if self.project == Project::With {
            plan.project(Self::DOMAIN, certificate);
        } else {
            plan.site(Plan::PLATFORM_ADDRESS).show(certificate);
        }
    }

    /// When the platform renewed certificates last.
    fn renewed(&self, now: Timestamp) -> Timestamp {
        let passed = since(self.begin, now).as_secs();
        later(self.begin, SignedDuration::from_secs(passed - passed % RENEWAL.as_secs()))
    }
}
