//! A domain that is checked again and again while simulated time goes by, in a world whose resolvers cache.

use crate::prelude::*;

use crate::simulator::{Plan, Simulator, ZoneData, ZoneRecord};
use petstore::domains::{CheckOptions, Checked, Subject};

use super::fixture::{now, settings};

/// A domain on the list, from [`now`] on.
pub struct Journey {
    pub world: Simulator,
    pub reported: Reported,
    pub measurements: Vec<Measurement>,
    name: &'static str,
}

impl Journey {
    /// The healthy world after `before`, with resolvers that cache.
    pub async fn new(name: &'static str, before: impl FnOnce(&mut Plan)) -> Self {
        let mut plan = Plan::healthy(now()).with(before);
        plan.resolvers.iter_mut().for_each(|resolver| resolver.keeps = true);
        let value = Some(DnsName::new(Plan::PLATFORM_HOST));
        let reported = Reported { added: Some(now()), value, ..Reported::default() };
        Self { world: Simulator::start(plan).await.unwrap(), reported, measurements: Vec::new(), name }
    }

    /// The simulated time.
    pub fn time(&self) -> Timestamp {
        let mut time = now();
        self.world.change(|plan| time = plan.now);
        time
    }

    pub fn go_to(&self, time: Timestamp) {
        self.world.change(|plan| plan.now = time);
    }

    pub fn pass(&self, seconds: i64) {
        self.go_to(self.time() + SignedDuration::from_secs(seconds));
    }

    /// The operator changes something, and reports that it was saved.
    pub fn save(&mut self, change: impl FnOnce(&mut Plan)) {
        self.world.change(change);
        self.reported.saved = Some(self.time());
    }

    /// A check, which is kept.
    pub async fn check(&mut self) -> Checked {
        let options = CheckOptions { now: Some(self.time()), ..settings(&self.world) };
        let domain = parse_name::domain(self.name).unwrap();
        let (reported, measurements) = (self.reported.clone(), self.measurements.clone());
        let subject = Subject { domain, options, reported, measurements };
        let checked = subject.check(&ProbeCache::default(), None).await;
        self.measurements.push(checked.measurement.clone());
        checked
    }

    /// A visitor asks a resolver for the addresses of the domain, by IPv4 and IPv6.
    pub fn visit(&self, resolver: usize) -> [(ResponseCode, Vec<ZoneRecord>); 2] {
        [RecordType::A, RecordType::AAAA].map(|kind| self.world.visit(resolver, self.name, kind))
    }

    pub fn everybody_visits(&self) {
        for resolver in 0..self.world.resolvers().len() {
            self.visit(resolver);
        }
    }

    /// Whether a visitor who asks this resolver gets to the platform, by IPv6 at least not elsewhere.
    pub fn sees_the_platform(&self, resolver: usize) -> bool {
        let [v4, v6] = self.visit(resolver);
        leads_to_platform(&v4) && (v6.1.is_empty() || leads_to_platform(&v6))
    }
}

/// Whether an answer leads to the platform and nowhere else.
fn leads_to_platform((code, answers): &(ResponseCode, Vec<ZoneRecord>)) -> bool {
    let host = DnsName::new(Plan::PLATFORM_HOST);
    let right = |record: &ZoneRecord| match &record.data {
        ZoneData::Cname(target) => *target == host,
        other => *other == ZoneData::address(Plan::PLATFORM_ADDRESS),
    };
    *code == ResponseCode::NoError && !answers.is_empty() && answers.iter().all(right)
}
