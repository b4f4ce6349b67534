//! Worlds for tests and benches: the healthy one, made such that a row of the catalogue shows.

mod apex;
mod caa;
mod certificates;
mod entry;
pub mod faults;
mod pages;
pub mod records;
mod redirects;
pub mod servers;

use std::path::Path;

use crate::simulator::{Plan, Simulator};
use jiff::Timestamp;
use petstore::domains::Code;

pub use entry::Trouble;

/// The rows that no world shows.
pub const WITHOUT: &[Code] = &[
    // Covered by its own test, since no simulator is without IPv6; a check never reports it.
    Code::DnsValueUnknown,
    Code::V6Untested,
    // Only CAs, browsers and the dashboard see these; what they say is explained.
    Code::CaRateLimit,
    Code::CaElsewhere,
    Code::TlsUnlogged,
    Code::HttpTaken,
    // The server of the simulator signs with no such key.
    Code::TlsWeak,
];

impl Trouble {
    /// All of them, in the order of the catalogue's tables.
    pub fn all() -> impl Iterator<Item = Self> {
        let lists =
            [records::LIST, apex::LIST, servers::LIST, caa::LIST, certificates::LIST, pages::LIST, redirects::LIST];
        lists.into_iter().flatten().copied()
    }

    /// The one for this row; none if it needs no world, or can not be made in one.
    pub fn of(code: Code) -> Option<Self> {
        Self::all().find(|trouble| trouble.code == code)
    }
}

/// The healthy world with the trouble of this row, if there is one.
pub fn showing(now: Timestamp, code: Code) -> Option<Plan> {
    Trouble::of(code).map(|trouble| Plan::healthy(now).with(trouble.make))
}

/// The arguments that point `petstore domains check` at `world`, whose root is in the file `trust`.
pub fn arguments(world: &Simulator, trust: &Path) -> Vec<String> {
    let resolvers = world.resolvers().into_iter().flat_map(|address| ["--resolver".to_owned(), address.to_string()]);
    let name_servers = world.name_servers().into_iter();
    let name_servers =
        name_servers.flat_map(|(host, address)| ["--name-server".to_owned(), format!("{host}={address}")]);
    let rest = [
        ("--http-port", world.http_port().to_string()),
        ("--https-port", world.https_port().to_string()),
        ("--trust", trust.display().to_string()),
        ("--platform-host", Plan::PLATFORM_HOST.to_owned()),
        ("--ca", Plan::CA.to_owned()),
    ];
    let rest = rest.into_iter().flat_map(|(flag, value)| [flag.to_owned(), value]);
    resolvers.chain(name_servers).chain(rest).chain(["--allow-private".to_owned()]).collect()
}
