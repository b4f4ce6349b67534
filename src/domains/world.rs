//! A small world on loopback for the checker to look at: name servers, resolvers and web servers that can be wrong in
//! every way that the checker tells apart.
//!
//! A [`Plan`] says what there is, [`World::start`] makes it run, and [`World::change`] changes it while it runs.

pub mod fault;
pub mod log;
pub mod plan;
pub mod record;
pub mod server;
pub mod zone;

mod dns;
mod healthy;
mod lookup;
mod recursion;
mod shared;
#[cfg(test)]
mod tests;
mod wire;

use std::io::{self, ErrorKind};
use std::net::SocketAddr;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio::runtime::Handle;
use tokio::task::JoinSet;

use super::DnsName;
use dns::Sockets;
use shared::Shared;

pub use fault::{Fault, Malformed};
pub use log::{Question, Server};
pub use plan::Plan;
pub use record::{Data, Record};
pub use server::{Held, HeldAnswer, NameServer, Resolver};
pub use zone::Zone;

/// A running world. When it is dropped, everything in it stops.
pub struct World {
    shared: Arc<Shared>,
    doors: Mutex<Doors>,
    runtime: Handle,
}

/// What of a world can be reached, and the tasks behind it.
struct Doors {
    name_servers: Vec<(DnsName, SocketAddr)>,
    resolvers: Vec<SocketAddr>,
    tasks: JoinSet<()>,
}

impl World {
    /// Opens all ports of the plan, on loopback.
    pub async fn start(plan: Plan) -> io::Result<Self> {
        let doors = Doors { name_servers: Vec::new(), resolvers: Vec::new(), tasks: JoinSet::new() };
        let (shared, doors) = (Arc::new(Shared::new(plan)), Mutex::new(doors));
        let world = Self { shared, doors, runtime: Handle::current() };
        world.open()?;
        Ok(world)
    }

    /// Changes the plan; the next answers follow it. What is new in it gets a port, which should not fail; what is no
    /// longer in it falls silent.
    pub fn change(&self, change: impl FnOnce(&mut Plan)) {
        change(&mut self.shared.plan());
        if let Err(error) = self.open() {
            tracing::warn!(%error, "a part of the world cannot be reached");
        }
    }

    /// The address of the resolver of this number.
    ///
    /// # Panics
    ///
    /// If the plan has fewer resolvers.
    #[must_use]
    pub fn resolver(&self, number: usize) -> SocketAddr {
        self.doors().resolvers[number]
    }

    /// The addresses of all resolvers.
    #[must_use]
    pub fn resolvers(&self) -> Vec<SocketAddr> {
        self.doors().resolvers.clone()
    }

    /// The addresses of all name servers, by name.
    #[must_use]
    pub fn name_servers(&self) -> Vec<(DnsName, SocketAddr)> {
        self.doors().name_servers.clone()
    }

    /// The DNS questions so far, in their order.
    #[must_use]
    pub fn questions(&self) -> Vec<Question> {
        self.shared.questions.entries()
    }

    /// Forgets what was asked so far.
    pub fn forget(&self) {
        self.shared.questions.clear();
    }

    fn doors(&self) -> MutexGuard<'_, Doors> {
        self.doors.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Opens whatever the plan has and the doors have not.
    fn open(&self) -> io::Result<()> {
        let _inside = self.runtime.enter();
        let plan = self.shared.plan().clone();
        let mut doors = self.doors();
        for server in plan.name_servers {
            if doors.name_servers.iter().all(|(host, _)| *host != server.host) {
                let address = doors.serve(&self.shared, Server::NameServer(server.host.clone()))?;
                doors.name_servers.push((server.host, address));
            }
        }
        for number in doors.resolvers.len()..plan.resolvers.len() {
            let address = doors.serve(&self.shared, Server::Resolver(number))?;
            doors.resolvers.push(address);
        }
        Ok(())
    }
}

impl Doors {
    fn serve(&mut self, shared: &Arc<Shared>, server: Server) -> io::Result<SocketAddr> {
        let sockets = Sockets::bind()?;
        let address = sockets.address;
        self.tasks.spawn(sockets.serve(Arc::clone(shared), server));
        Ok(address)
    }
}

/// `bind` with another port when a second socket found its port taken.
fn retry<T>(mut bind: impl FnMut() -> io::Result<T>) -> io::Result<T> {
    for _ in 0..32 {
        match bind() {
            Err(error) if error.kind() == ErrorKind::AddrInUse => {}
            bound => return bound,
        }
    }
    bind()
}
