//! What the simulator serves.

use std::collections::BTreeMap;
use std::net::IpAddr;

use jiff::Timestamp;

use super::server::{NameServer, Resolver};
use super::site::Site;
use super::zone::Zone;
use crate::domains::DnsName;

/// What the simulator serves: plain data that can change while it runs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Plan {
    /// The time in it, by which cached answers expire.
    pub now: Timestamp,
    /// The zones, each once; name servers may have their own copies.
    pub zones: Vec<Zone>,
    /// The servers that are authorities for them.
    pub name_servers: Vec<NameServer>,
    /// The servers that ask the authorities on behalf of others.
    pub resolvers: Vec<Resolver>,
    /// What answers to http and https, by address: of 127.0.0.0/8, or `::1`.
    pub sites: BTreeMap<IpAddr, Site>,
}

impl Plan {
    /// An empty plan.
    pub fn new(now: Timestamp) -> Self {
        Self { now, zones: Vec::new(), name_servers: Vec::new(), resolvers: Vec::new(), sites: BTreeMap::new() }
    }

    /// The plan after `change`, which may be one of the methods that break something.
    pub fn with(mut self, change: impl FnOnce(&mut Self)) -> Self {
        change(&mut self);
        self
    }

    /// The zone with this apex; an empty one, that no server serves yet, if there was none.
    pub fn zone(&mut self, apex: &str) -> &mut Zone {
        let wanted = DnsName::new(apex);
        entry(&mut self.zones, |zone| zone.apex == wanted, || Zone::new(apex, &[]))
    }

    /// The name server of this name; one without zones if there was none.
    pub fn name_server(&mut self, host: &str) -> &mut NameServer {
        let host = DnsName::new(host);
        let new = || NameServer { host: host.clone(), ..NameServer::default() };
        entry(&mut self.name_servers, |server| server.host == host, new)
    }

    /// The resolver of this number, from 0; those up to it that were missing remember nothing.
    pub fn resolver(&mut self, number: usize) -> &mut Resolver {
        if self.resolvers.len() <= number {
            self.resolvers.resize_with(number + 1, Resolver::default);
        }
        &mut self.resolvers[number]
    }

    /// What answers at `address`; something without any host if there was nothing.
    pub fn site(&mut self, address: impl Into<IpAddr>) -> &mut Site {
        self.sites.entry(address.into()).or_default()
    }
}

/// The item that `fits`, new if there was none.
fn entry<T>(items: &mut Vec<T>, fits: impl FnMut(&T) -> bool, new: impl FnOnce() -> T) -> &mut T {
    let place = items.iter().position(fits).unwrap_or_else(|| {
        items.push(new());
        items.len() - 1
    });
    &mut items[place]
}
