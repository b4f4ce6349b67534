//! What a check asks, and where: resolvers, name servers, ports, trust. Everything can be pointed at servers on
//! loopback.

use std::collections::HashMap;
use std::mem::take;
use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;

use jiff::Timestamp;
use rustls::pki_types::CertificateDer;

use super::probe::trust::ChainTrust;
use super::{DnsName, Expectation, Protocol, Role, Server, World, is_public};

/// The resolvers that are asked besides the system's: Cloudflare, Google, Quad9.
pub const PUBLIC_RESOLVERS: [&str; 3] = ["1.1.1.1", "8.8.8.8", "9.9.9.9"];

/// The file that names the system's resolvers.
const RESOLV_CONF: &str = "/etc/resolv.conf";

/// What a check asks, and where.
#[derive(Clone, Debug)]
pub struct CheckOptions {
    /// The recursive resolvers.
    pub resolvers: Vec<Arc<Server>>,
    /// Public ones that are not asked for now.
    pub withheld: Vec<Arc<Server>>,
    /// Where name servers are reached, by host name; others by their address, at port 53.
    pub name_servers: HashMap<DnsName, SocketAddr>,
    /// The port that `http://` without a port means.
    pub http_port: u16,
    /// The port that `https://` without a port means.
    pub https_port: u16,
    /// Which CAs are trusted.
    pub trust: Arc<ChainTrust>,
    /// What is expected.
    pub expectation: Expectation,
    /// Resolvers are asked after the name servers, and only if these have a record: an answer that there is none would
    /// be cached, and delay what comes next.
    pub source_first: bool,
    /// Resolvers are asked for CAA, too: they may have an old answer cached.
    pub caa_was_wrong: bool,
    /// The time to use instead of the machine's.
    pub now: Option<Timestamp>,
    /// What answers instead of the network.
    pub world: Option<Arc<World>>,
}

impl CheckOptions {
    /// The defaults: the system's resolver and three public ones, ports 80 and 443, the system's roots and `trust`.
    pub fn new(expectation: Expectation, trust: Vec<CertificateDer<'static>>) -> Self {
        Self {
            resolvers: system_resolver().into_iter().chain(public_resolvers()).collect(),
            withheld: Vec::new(),
            name_servers: HashMap::new(),
            http_port: 80,
            https_port: 443,
            trust: Arc::new(ChainTrust::new(trust)),
            expectation,
            source_first: false,
            caa_was_wrong: false,
            now: None,
            world: None,
        }
    }

    /// The resolvers of others, which learn each name that is checked.
    pub fn public_resolvers(&self) -> impl Iterator<Item = &Arc<Server>> {
        self.resolvers.iter().filter(|server| !server.role.is_system() && is_public(server.address.ip()))
    }

    /// Asks public resolvers or not; one is always left. Returns all resolvers as the configuration names them, if that
    /// changes something; an error where it names other public ones, which it must not lose.
    pub fn ask_public(&mut self, public: bool) -> Result<Option<Vec<String>>, String> {
        let now: Vec<Arc<Server>> = self.public_resolvers().cloned().collect();
        if public != now.is_empty() {
            return Ok(None);
        }
        let changed = if public {
            let withheld = take(&mut self.withheld);
            let added = if withheld.is_empty() { public_resolvers().collect() } else { withheld };
            self.resolvers.extend(added.iter().cloned());
            added
        } else {
            let mut left: Vec<_> = self.resolvers.iter().filter(|server| !now.contains(server)).cloned().collect();
            if left.is_empty() {
                left.push(system_resolver().ok_or("this machine names no resolver, and one is needed")?);
            }
            self.resolvers = left;
            self.withheld.clone_from(&now);
            now
        };
        if !changed.iter().map(|server| server.name.as_str()).eq(PUBLIC_RESOLVERS) {
            return Err("domains.resolvers names public resolvers of your own; change it there".to_owned());
        }
        let name = |it: &Arc<Server>| if it.role.is_system() { "system".to_owned() } else { it.name.clone() };
        Ok(Some(self.resolvers.iter().map(name).collect()))
    }
}

pub fn resolver(address: SocketAddr) -> Arc<Server> {
    let name = if address.port() == 53 { address.ip().to_string() } else { address.to_string() };
    Arc::new(Server { role: Role::Resolver { system: false }, name, address, protocol: Protocol::Plain })
}

/// A resolver as it is named: `ADDRESS[:PORT]`, `tls://ADDRESS[:PORT]` or `https://ADDRESS[:PORT]/PATH`.
pub fn named_resolver(text: &str) -> Result<Arc<Server>, String> {
    let text = text.trim();
    let encrypted = |address, protocol| {
        Arc::new(Server { role: Role::Resolver { system: false }, name: text.to_owned(), address, protocol })
    };
    if let Some(address) = text.strip_prefix("tls://") {
        Ok(encrypted(socket_address(address, 853)?, Protocol::Tls))
    } else if let Some(url) = text.strip_prefix("https://") {
        let (address, path) = url.split_once('/').unwrap_or((url, "dns-query"));
        Ok(encrypted(socket_address(address, 443)?, Protocol::Https(format!("/{path}"))))
    } else {
        socket_address(text, 53).map(resolver)
    }
}

/// `ADDRESS` or `ADDRESS:PORT`.
pub fn socket_address(text: &str, port: u16) -> Result<SocketAddr, String> {
    let text = text.trim();
    let address = |text: &str| text.trim_start_matches('[').trim_end_matches(']').parse::<IpAddr>();
    text.parse().or_else(|_| address(text).map(|address| SocketAddr::new(address, port))).map_err(|_| {
        format!("\"{}\" is not an address: write ADDRESS or ADDRESS:PORT", crate::model::text::short(text))
    })
}

/// The first resolver that this system uses.
pub fn system_resolver() -> Option<Arc<Server>> {
    let text = std::fs::read(RESOLV_CONF).ok()?;
    let config = resolv_conf::Config::parse(text).ok()?;
    let address: IpAddr = config.nameservers.first()?.into();
    let role = Role::Resolver { system: true };
    let (name, address) = (format!("this machine's {address}"), (address, 53).into());
    Some(Arc::new(Server { role, name, address, protocol: Protocol::Plain }))
}

fn public_resolvers() -> impl Iterator<Item = Arc<Server>> {
    let addresses = PUBLIC_RESOLVERS.iter().filter_map(|text| text.parse::<IpAddr>().ok());
    addresses.map(|address| resolver((address, 53).into()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn public_resolvers_are_those_of_others_that_everybody_reaches() {
        let mut options = CheckOptions::new(Expectation::default(), Vec::new());
        let named = ["127.0.0.1:5353", "10.0.0.53", "1.1.1.1", "tls://9.9.9.9"];
        options.resolvers = named.iter().map(|text| named_resolver(text).unwrap()).collect();
        let labels: Vec<String> = options.public_resolvers().map(|server| server.label()).collect();
        assert_eq!(labels, ["1.1.1.1", "tls://9.9.9.9"]);
        assert_eq!(options.ask_public(true), Ok(None));
        // The configuration keeps those that the operator has chosen.
        assert!(options.ask_public(false).is_err() && options.public_resolvers().next().is_none());
        assert!(options.ask_public(true).is_err() && options.public_resolvers().count() == 2);
        let own = ["127.0.0.1:5353", "10.0.0.53"];
        options.resolvers.truncate(2);
        assert_eq!(options.ask_public(true).unwrap().unwrap(), [&own[..], &PUBLIC_RESOLVERS].concat());
        assert_eq!(options.ask_public(false).unwrap().unwrap(), own);
    }
}
