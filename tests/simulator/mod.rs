//! A small internet on loopback for the checker: name servers, resolvers and web servers that can be wrong in
//! every way that the checker tells apart.
//!
//! A [`Plan`] says what there is, [`Simulator::start`] makes it run, and [`Simulator::change`] changes it while it
//! runs.

pub mod certificate;
pub mod fault;
pub mod log;
pub mod plan;
pub mod server;
pub mod site;
pub mod zone;

mod dns;
mod doors;
mod lookup;
mod recursion;
mod shared;
mod web;

use std::io;
use std::net::SocketAddr;
use std::sync::Arc;

use hickory_proto::op::ResponseCode;
use hickory_proto::rr::RecordType;
use parking_lot::Mutex;
use tokio::runtime::Handle;

use doors::Doors;
use petstore::domains::DnsName;
use shared::Shared;

pub use certificate::{IssuedCertificate, Issuer};
pub use fault::{Damage, ServerFault};
pub use log::{LoggedQuestion, LoggedServer, Request};
pub use plan::Plan;
pub use server::{NameServer, Resolver};
pub use site::{Door, Greeting, StubAnswer, StubBody, StubPage};
pub use zone::{Zone, ZoneData, ZoneRecord};

/// A running simulator. Dropping it stops everything in it.
pub struct Simulator {
    shared: Arc<Shared>,
    doors: Mutex<Doors>,
    runtime: Handle,
}

impl Simulator {
    /// Opens all ports of the plan, on loopback.
    pub async fn start(plan: Plan) -> io::Result<Self> {
        let shared = Arc::new(Shared::new(plan)?);
        let world = Self { shared, doors: Mutex::default(), runtime: Handle::current() };
        world.open()?;
        Ok(world)
    }

    /// Changes the plan; the next answers follow it. What is new in it gets a port, which should not fail; what is no
    /// longer in it falls silent.
    pub fn change(&self, change: impl FnOnce(&mut Plan)) {
        change(&mut self.shared.plan.lock());
        if let Err(error) = self.open() {
            tracing::warn!(%error, "a part of the simulated network cannot be reached");
        }
    }

    /// A visitor asks the resolver of this number, which caches what it hears; no question is logged. The code and the
    /// records of the answer; SERVFAIL if there is no such resolver.
    pub fn visit(&self, number: usize, name: &str, kind: RecordType) -> (ResponseCode, Vec<ZoneRecord>) {
        let plan = &mut *self.shared.plan.lock();
        let reply = recursion::resolve_and_keep(plan, number, &DnsName::new(name), kind, false);
        reply.map_or((ResponseCode::ServFail, Vec::new()), |reply| (reply.code, reply.answers))
    }

    /// The address of the resolver of this number.
    ///
    /// # Panics
    ///
    /// If the plan has fewer resolvers.
    pub fn resolver(&self, number: usize) -> SocketAddr {
        self.doors.lock().resolvers[number]
    }

    /// The addresses of all resolvers.
    pub fn resolvers(&self) -> Vec<SocketAddr> {
        self.doors.lock().resolvers.clone()
    }

    /// The addresses of all name servers, by name.
    pub fn name_servers(&self) -> Vec<(DnsName, SocketAddr)> {
        self.doors.lock().name_servers.clone()
    }

    /// The DNS questions so far, in their order.
    pub fn questions(&self) -> Vec<LoggedQuestion> {
        self.shared.questions.entries()
    }

    /// The HTTP requests so far, in their order.
    pub fn requests(&self) -> Vec<Request> {
        self.shared.requests.entries()
    }

    /// Forgets what was asked so far.
    pub fn forget(&self) {
        self.shared.questions.clear();
        self.shared.requests.clear();
    }

    /// The port for http at every address.
    pub fn http_port(&self) -> u16 {
        self.doors.lock().http
    }

    /// The port for https at every address.
    pub fn https_port(&self) -> u16 {
        self.doors.lock().https
    }

    /// The root of the simulated CA, in PEM.
    pub fn trust_pem(&self) -> String {
        self.shared.authorities.lock().root_pem()
    }

    fn open(&self) -> io::Result<()> {
        let _inside = self.runtime.enter();
        let plan = self.shared.plan.lock().clone();
        self.doors.lock().open(&plan, &self.shared)
    }
}
