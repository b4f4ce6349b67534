//! The ports of the simulator, and the tasks behind them.

use std::collections::HashMap;
use std::io::{self, ErrorKind};
use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::sync::Arc;

use tokio::net::{TcpListener, TcpSocket};
use tokio::task::JoinSet;

use super::dns::Sockets;
use super::log::LoggedServer;
use super::plan::Plan;
use super::shared::{Shared, retry};
use super::site::Door;
use super::web;
use petstore::domains::DnsName;

/// The open ports. Everything stops when it is dropped.
#[derive(Default)]
pub(super) struct Doors {
    pub name_servers: Vec<(DnsName, SocketAddr)>,
    pub resolvers: Vec<SocketAddr>,
    pub http: u16,
    pub https: u16,
    /// By address, and whether it is for https. A socket on which nothing listens keeps its port.
    web: HashMap<(IpAddr, bool), Option<TcpSocket>>,
    tasks: JoinSet<()>,
}

enum Bound {
    Closed(TcpSocket),
    Open(TcpListener),
}

impl Doors {
    /// Opens whatever `plan` has and this has not. Needs a runtime around it.
    pub fn open(&mut self, plan: &Plan, shared: &Arc<Shared>) -> io::Result<()> {
        for server in &plan.name_servers {
            if self.name_servers.iter().all(|(host, _)| *host != server.host) {
                let address = self.serve(shared, LoggedServer::NameServer(server.host.clone()))?;
                self.name_servers.push((server.host.clone(), address));
            }
        }
        for number in self.resolvers.len()..plan.resolvers.len() {
            let address = self.serve(shared, LoggedServer::Resolver(number))?;
            self.resolvers.push(address);
        }
        self.open_web(plan, shared)
    }

    fn serve(&mut self, shared: &Arc<Shared>, server: LoggedServer) -> io::Result<SocketAddr> {
        let sockets = Sockets::bind()?;
        let address = sockets.address;
        self.tasks.spawn(sockets.serve(Arc::clone(shared), server));
        Ok(address)
    }

    fn open_web(&mut self, plan: &Plan, shared: &Arc<Shared>) -> io::Result<()> {
        // The first address keeps both ports for this simulator, whether something listens there or not.
        let first = IpAddr::from(Ipv4Addr::LOCALHOST);
        let others = plan.sites.keys().copied().filter(|address| *address != first);
        let addresses: Vec<_> = std::iter::once(first).chain(others).collect();
        let mut wanted = Vec::new();
        for (address, tls) in addresses.into_iter().flat_map(|address| [(address, false), (address, true)]) {
            let site = plan.sites.get(&address);
            let is_closed = site.is_none_or(|site| *(if tls { &site.https } else { &site.http }) == Door::Closed);
            let held = self.web.get(&(address, tls));
            if held.is_none() || (matches!(held, Some(Some(_))) && !is_closed) {
                // A closed port must be released before it can listen.
                self.web.remove(&(address, tls));
                wanted.push((address, tls, is_closed));
            }
        }
        let (http, https) = (self.http, self.https);
        let (http, https, bound) = retry(|| bind_all(&wanted, http, https))?;
        (self.http, self.https) = (http, https);
        for (key, bound) in bound {
            let held = match bound {
                Bound::Closed(socket) => Some(socket),
                Bound::Open(listener) => {
                    self.tasks.spawn(web::serve(listener, key.1, Arc::clone(shared)));
                    None
                }
            };
            self.web.insert(key, held);
        }
        Ok(())
    }
}

type AllBound = (u16, u16, Vec<((IpAddr, bool), Bound)>);

/// Binds all of these to the two ports, which are chosen with the first of each kind where they are 0.
fn bind_all(wanted: &[(IpAddr, bool, bool)], mut http: u16, mut https: u16) -> io::Result<AllBound> {
    let mut all = Vec::new();
    for &(address, tls, is_closed) in wanted {
        let port = if tls { &mut https } else { &mut http };
        match bind(SocketAddr::new(address, *port), is_closed) {
            Ok((bound, chosen)) => {
                *port = chosen;
                all.push(((address, tls), bound));
            }
            // This machine has no IPv6.
            Err(error) if address.is_ipv6() && error.kind() != ErrorKind::AddrInUse => {}
            Err(error) => return Err(error),
        }
    }
    Ok((http, https, all))
}

fn bind(address: SocketAddr, is_closed: bool) -> io::Result<(Bound, u16)> {
    if is_closed {
        let socket = if address.is_ipv4() { TcpSocket::new_v4() } else { TcpSocket::new_v6() }?;
        socket.bind(address)?;
        let port = socket.local_addr()?.port();
        return Ok((Bound::Closed(socket), port));
    }
    let listener = std::net::TcpListener::bind(address)?;
    listener.set_nonblocking(true)?;
    let port = listener.local_addr()?.port();
    Ok((Bound::Open(TcpListener::from_std(listener)?), port))
}
