//! The log of questions and requests.

use std::collections::VecDeque;
use std::net::SocketAddr;

use hickory_proto::rr::RecordType;
use parking_lot::Mutex;

use petstore::domains::DnsName;

/// A server that answers DNS questions.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum LoggedServer {
    NameServer(DnsName),
    /// The resolver of this number, from 0.
    Resolver(usize),
}

/// A DNS question that a server got.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LoggedQuestion {
    pub server: LoggedServer,
    /// The name that was asked for.
    pub name: DnsName,
    /// The type that was asked for.
    pub kind: RecordType,
    /// Whether the server was asked to ask others (RD).
    pub recursion_desired: bool,
    /// Whether signatures were not to be checked (CD).
    pub checking_disabled: bool,
    /// Whether it came over TCP.
    pub tcp: bool,
    /// Whether it came with EDNS.
    pub edns: bool,
}

/// A request that a web server got.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Request {
    /// The address that was connected to.
    pub address: SocketAddr,
    /// Whether it came over TLS.
    pub tls: bool,
    /// The name that the TLS handshake asked for.
    pub sni: Option<String>,
    pub method: String,
    /// The `Host` header, without its port.
    pub host: String,
    /// The path, with its query.
    pub path: String,
}

/// A list that many add to; of very many entries the last ones stay.
#[derive(Debug)]
pub(super) struct Log<T>(pub Mutex<VecDeque<T>>);

impl<T: Clone> Log<T> {
    const MOST: usize = 10_000;

    pub fn add(&self, entry: T) {
        let mut entries = self.0.lock();
        if entries.len() >= Self::MOST {
            entries.pop_front();
        }
        entries.push_back(entry);
    }

    pub fn entries(&self) -> Vec<T> {
        self.0.lock().iter().cloned().collect()
    }

    pub fn clear(&self) {
        self.0.lock().clear();
    }
}
