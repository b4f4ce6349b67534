//! What is reached under the name: certificates, the front page, and the path of the certificate check.

use std::net::{IpAddr, SocketAddr};

use futures_util::future::join_all;
use url::Url;

use super::cache::cell;
use super::context::{ProbeContext, bounded};
use super::http::{CHALLENGE_PATH, request};
use super::tls;
use crate::domains::RecordType::{A, AAAA};
use crate::domains::{ConnectionFailure, Handshake, Hop, Lookup, Method, Observations, Reply, Trail};

impl ProbeContext<'_> {
    /// The platform's own host: its addresses to compare with, its certificate to know its own by.
    pub async fn platform(&self) {
        self.ask_platform().await;
        // Even if no resolver was left to ask: others wait for this.
        self.note(|seen| seen.complete.platform = true);
    }

    async fn ask_platform(&self) {
        let Some(host) = self.platform_host() else { return };
        let addresses = self.addresses_of(host).await;
        let Some(address) = addresses.first() else { return };
        let at = SocketAddr::new(*address, self.options.https_port);
        let shared = cell(&self.cache.platforms, (at, host.as_str().to_owned()));
        let handshake = shared.get_or_init(|| self.shake(*address, Some(host.as_str()), false)).await.clone();
        self.note(|seen| seen.platform_handshake = Some(handshake));
    }

    /// Everything behind the addresses of the name. It begins with the first answer of a resolver, and goes on with the
    /// answer of the name servers, if that differs.
    pub async fn reach(&self) {
        let early = self.until(|seen| self.by_resolver(seen)).await;
        tokio::join!(
            async {
                let source = self.unless_elsewhere(&early, self.shake_all(&early)).await;
                let missing: Vec<_> = source.iter().copied().filter(|address| !early.contains(address)).collect();
                self.shake_all(&missing).await;
                self.note(|seen| {
                    // An old address in a cache proves nothing about the platform.
                    if !source.is_empty() {
                        seen.handshakes.retain(|shake| source.contains(&shake.address.ip()));
                    }
                });
                self.until(|seen| seen.complete.platform.then_some(())).await;
                tokio::join!(self.edges(), self.without_server_name());
                self.complete(|complete| complete.certificate = true);
            },
            async {
                let source = self.unless_elsewhere(&early, self.front(&early)).await;
                let reached_source = !early.is_empty() && early.iter().all(|address| source.contains(address));
                if !source.is_empty() && !reached_source {
                    self.front(&source).await;
                }
            }
        );
        self.complete(|complete| complete.http = true);
    }

    /// Asks addresses that have a good certificate for the name, but are not those of the platform's host, for its own
    /// name: a platform may have further edges, to which providers flatten an ALIAS. Without a good certificate, what CAs
    /// find by DNS is asked for.
    async fn edges(&self) {
        let Some(host) = self.platform_host() else { return };
        let name = self.domain.name.as_str();
        let candidates: Vec<_> = {
            let seen = self.seen();
            let known = seen.addresses_of(host);
            let good = seen.handshakes.iter().filter(|shake| shake.good_leaf(name).is_some());
            let good = good.map(|shake| shake.address.ip());
            good.filter(|address| !known.contains(address)).collect()
        };
        if self.seen().handshakes.iter().all(|shake| shake.good_leaf(name).is_none()) {
            self.ask_challenge().await;
        }
        let shake = |address| self.shake(address, Some(host.as_str()), false);
        let edges = join_all(candidates.into_iter().map(shake)).await;
        self.note(|seen| seen.edge_handshakes = edges);
    }

    /// Asks one server that has no certificate for the name what it shows to callers that send no name: that tells whose
    /// server it is, or that it has the certificate after all. Good servers are not asked: what they show there does not
    /// matter, and on shared addresses it is another certificate.
    async fn without_server_name(&self) {
        let lacks = |shake: &&Handshake| lacks(shake, self.domain.name.as_str());
        let refusing = self.seen().handshakes.iter().find(lacks).map(|shake| shake.address.ip());
        if let Some(address) = refusing {
            let handshake = self.shake(address, None, false).await;
            self.note(|seen| seen.nameless_handshake = Some(handshake));
        }
    }

    /// Does `work` with these addresses until it is known that they are only cached, and the zone leads elsewhere: then
    /// the servers behind them do not matter. Gives the addresses in the zone.
    async fn unless_elsewhere(&self, early: &[IpAddr], work: impl Future<Output = ()>) -> Vec<IpAddr> {
        let leads_elsewhere = async {
            let source = self.until(|seen| self.by_source(seen)).await;
            if source.is_empty() || early.iter().any(|address| source.contains(address)) {
                std::future::pending::<()>().await;
            }
        };
        tokio::select! {
            () = work => {}
            () = leads_elsewhere => {}
        }
        self.until(|seen| self.by_source(seen)).await
    }

    /// The addresses by the first resolver that answered; none when all have answered without any.
    fn by_resolver(&self, seen: &Observations) -> Option<Vec<IpAddr>> {
        let name = &self.domain.name;
        for first in seen.resolvers(name, A).filter(|lookup| lookup.is_answered()) {
            let ipv6 = seen.resolvers(name, AAAA).find(|lookup| lookup.server == first.server)?;
            let replies = [first, ipv6].into_iter().filter_map(Lookup::reply);
            let addresses = bounded(replies.flat_map(Reply::addresses));
            if !addresses.is_empty() {
                return Some(addresses);
            }
        }
        let wanted = self.options.resolvers.len();
        let answered = [A, AAAA].into_iter().all(|kind| seen.resolvers(name, kind).count() >= wanted);
        (answered || seen.complete.record).then(Vec::new)
    }

    /// The addresses that visitors reach, if their resolvers all lead to the platform: then another answer of the name
    /// servers may be for this machine only.
    fn reached_by_visitors(&self, seen: &Observations) -> Option<Vec<IpAddr>> {
        let (name, host) = (&self.domain.name, self.platform_host()?);
        let platform = seen.addresses_of(host);
        let visitors = seen.of_visitors(name, A);
        let leads = |reply: &&Reply| {
            let mut own = reply.at(name).peekable();
            own.peek().is_some()
                && own.all(|record| match record.data.address() {
                    Some(address) => platform.contains(&address),
                    None => record.data.cname() == Some(host),
                })
        };
        let replies = || visitors.iter().filter_map(|lookup| lookup.reply());
        let reached = bounded(replies().flat_map(Reply::addresses));
        (!reached.is_empty() && replies().all(|reply| leads(&reply))).then_some(reached)
    }

    /// The addresses in the zone, once known.
    fn by_source(&self, seen: &Observations) -> Option<Vec<IpAddr>> {
        if !seen.complete.record {
            return None;
        }
        let name = &self.domain.name;
        if let Some(reached) = self.reached_by_visitors(seen) {
            return Some(reached);
        }
        let replies = || seen.leading(name).filter_map(|lookup| lookup.reply());
        let targets: Vec<_> = replies().flat_map(|reply| reply.cnames(name)).map(|(target, _)| target).collect();
        let own = bounded(replies().flat_map(|reply| reply.at(name)).filter_map(|record| record.data.address()));
        // An address next to the right CNAME is left over, or comes from a server that is behind.
        let right = self.platform_host().is_some_and(|host| targets.contains(&host));
        if !own.is_empty() && !right {
            return Some(own);
        }
        let kinds = [A, AAAA].into_iter();
        let behind = targets.iter().flat_map(|target| kinds.clone().flat_map(|kind| seen.resolvers(target, kind)));
        Some(bounded(behind.filter_map(Lookup::reply).flat_map(Reply::addresses)))
    }

    async fn shake_all(&self, addresses: &[IpAddr]) {
        let name = self.domain.name.as_str();
        join_all(addresses.iter().map(|address| async move {
            let handshake = self.shake(*address, Some(name), true).await;
            self.note(|seen| seen.handshakes.push(handshake));
        }))
        .await;
    }

    /// A handshake, and the front page over the same connection if wanted.
    pub(super) async fn shake(&self, address: IpAddr, server_name: Option<&str>, page: bool) -> Handshake {
        let at = self.now();
        let address = SocketAddr::new(address, self.options.https_port);
        let (name, outcome) = (server_name.map(str::to_owned), Err(ConnectionFailure::Withheld));
        let mut handshake = Handshake { server_name: name, address, at, outcome, page: None };
        if !self.may_connect(address.ip()) {
            return handshake;
        }
        let url = server_name.filter(|_| page).and_then(|name| Url::parse(&format!("https://{name}/")).ok());
        if let Some(world) = &self.options.world {
            handshake.outcome = world.shake(address.ip(), server_name);
            if let (Ok(_), Some(url)) = (&handshake.outcome, url) {
                handshake.page = Some(self.hop_by(Method::HEAD, url, &[address.ip()]).await);
            }
            return handshake;
        }
        let stream = match tls::handshake(&self.options.trust, address, server_name).await {
            Ok(stream) => stream,
            Err(failure) => return Handshake { outcome: Err(failure), ..handshake },
        };
        handshake.outcome = tls::presented(&self.options.trust, &stream, address, server_name, self.now()).await;
        if let Some(url) = url {
            let at = self.now();
            let outcome = request(stream, Method::HEAD, &url).await;
            let page = Hop { url, method: Method::HEAD, address: Some(address), at, outcome };
            handshake.page = Some(self.or_by_get(page, &[address.ip()]).await);
        }
        handshake
    }

    /// From `http://` the name, and the path of the certificate check at each address.
    async fn front(&self, addresses: &[IpAddr]) {
        let url = |scheme: &str, path: &str| Url::parse(&format!("{scheme}://{}{path}", self.domain.name)).ok();
        let front = url("http", "/");
        if addresses.is_empty() || front.is_none() {
            return;
        }
        let reached = addresses.iter().filter(|address| self.may_connect(**address));
        let challenge = |address| self.trail(url("http", CHALLENGE_PATH), std::slice::from_ref(address), None);
        let page = url("https", "/");
        let (mut front, challenges) =
            tokio::join!(self.trail(front, addresses, page.as_ref()), join_all(reached.map(challenge)));
        self.read_page(&mut front, addresses).await;
        self.note(|seen| {
            seen.front = Some(front);
            seen.challenges = challenges;
        });
    }

    /// Reads the page itself if the name does not lead to the platform: it may be a parking page, which only its
    /// text shows.
    async fn read_page(&self, front: &mut Trail, addresses: &[IpAddr]) {
        let host = self.platform_host();
        let platforms = host.map_or_else(Vec::new, |host| self.seen().addresses_of(host));
        let elsewhere = addresses.iter().any(|address| !platforms.contains(address));
        if elsewhere
            && let Some(Hop { url, outcome: Ok(seen), .. }) = front.hops.last_mut()
            && seen.status == 200
            && let Ok(response) = self.hop_by(Method::GET, url.clone(), addresses).await.outcome
        {
            seen.page = response.page;
        }
    }
}

/// Whether a server speaks TLS, and has no certificate for `name`.
fn lacks(shake: &Handshake, name: &str) -> bool {
    match &shake.outcome {
        Ok(presented) => presented.leaf().is_some_and(|leaf| !leaf.covers(name)),
        Err(failure) => matches!(failure, ConnectionFailure::Alert(_) | ConnectionFailure::Reset),
    }
}
