//! Measures a domain: everything that can be asked concurrently is.
//!
//! A measurement has five parts that run side by side and share one [`Observations`]: the resolvers, the zone and its
//! name servers, CAA, the platform's own host, and what is reached under the name. Each asks the next question as soon
//! as it knows enough, and reports when it is complete.
//!
//! Safe against whatever answers: addresses that are not public are not connected to unless that is allowed, a name is
//! resolved once and that very address used, and questions, sizes, hops and times are bounded.

mod caa;
pub mod cache;
mod context;
mod endpoints;
mod http;
pub mod redirects;
pub mod tls;
pub mod trust;
mod zone;

use std::time::Duration;

use tokio::time::timeout;

use super::{CheckOptions, Complete, Domain, Lookup, Observations};

use cache::ProbeCache;
pub use context::OnProgress;
use context::ProbeContext;

/// How long a check may take at most. Its parts have shorter limits.
const CHECK_LIMIT: Duration = Duration::from_secs(20);

/// Measures one domain. `cache` is shared by the checks of one run. `progress` is called when a part is complete,
/// with those that are, and the time of the start; the result has all parts, as far as they went.
pub async fn measure(
    options: &CheckOptions,
    domain: &Domain,
    cache: &ProbeCache,
    progress: Option<OnProgress<'_>>,
) -> Observations {
    let shared = ProbeContext::new(options, domain, cache, progress);
    let work = async {
        // The large parts are boxed: several checks run on one stack.
        tokio::join!(
            shared.resolvers(),
            Box::pin(shared.record()),
            shared.caa(),
            shared.platform(),
            Box::pin(shared.reach()),
            shared.hosts_file()
        );
    };
    // What is cut off here is missing in the result, and judged as not known.
    let _ = timeout(CHECK_LIMIT, work).await;
    let mut seen = shared.into_observations();
    // Whichever server was faster, two checks say the same.
    seen.lookups.sort_by_cached_key(|Lookup { server, question, .. }| {
        (server.name.clone(), server.address, question.name.clone(), u16::from(question.kind))
    });
    seen.handshakes.sort_by_key(|handshake| handshake.address);
    seen.complete = Complete::ALL;
    seen
}

#[cfg(test)]
mod tests {
    use std::net::SocketAddr;
    use std::sync::Arc;

    use tokio::net::UdpSocket;

    use super::super::check_options::resolver;
    use super::*;
    use crate::domains::{DnsName, Expectation, RecordType, parse_name};

    /// How long a check may take if nothing has to be waited for.
    const AT_ONCE: Duration = Duration::from_secs(5);

    fn asking(address: SocketAddr) -> (CheckOptions, Domain) {
        let expectation = Expectation { platform_host: Some(DnsName::new("cname.acme.net")), ..Expectation::default() };
        let mut options = CheckOptions::new(expectation, Vec::new());
        options.resolvers = vec![resolver(address)];
        (options, parse_name::domain("docs.acme.com").unwrap())
    }

    /// Nothing listens at port 1 of this machine.
    fn closed() -> SocketAddr {
        SocketAddr::from(([127, 0, 0, 1], 1))
    }

    #[tokio::test]
    async fn a_part_that_begins_after_every_resolver_failed_does_not_wait() {
        let (options, domain) = asking(closed());
        let cache = ProbeCache::default();
        let shared = ProbeContext::new(&options, &domain, &cache, None);
        shared.resolvers().await;
        let rest = async { tokio::join!(shared.record(), shared.caa(), shared.platform(), shared.reach()) };
        assert!(timeout(AT_ONCE, rest).await.is_ok());
        assert_eq!(shared.into_observations().complete, Complete::ALL);
    }

    #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
    async fn a_check_whose_resolvers_refuse_ends_at_once_every_time() {
        let (options, domain) = asking(closed());
        for round in 0..300 {
            let cache = ProbeCache::default();
            let measured = timeout(AT_ONCE, measure(&options, &domain, &cache, None)).await;
            assert!(measured.is_ok(), "round {round}");
        }
    }

    #[tokio::test]
    async fn a_question_whose_asker_gave_up_is_asked_by_the_next() {
        let silent = UdpSocket::bind("127.0.0.1:0").await.unwrap();
        let (options, domain) = asking(silent.local_addr().unwrap());
        let cache = ProbeCache::default();
        let shared = ProbeContext::new(&options, &domain, &cache, None);
        let server = Arc::clone(&options.resolvers[0]);
        let mut datagram = [0; 512];
        tokio::select! {
            _ = shared.ask(&server, &domain.name, RecordType::A) => {}
            received = silent.recv(&mut datagram) => assert!(received.is_ok()),
        }
        drop(silent);
        assert!(
            timeout(AT_ONCE, shared.ask(&server, &domain.name, RecordType::A)).await.is_ok_and(|reply| reply.is_none())
        );
        assert_eq!(shared.into_observations().lookups.len(), 1);
    }
}
