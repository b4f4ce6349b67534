//! CAA at every level, asked at once: which one decides is known only from the answers (RFC 8659 section 3).
//!
//! In the zone of the name, its name servers are asked with everything else. CAs do not use old answers, and a resolver
//! that is asked for CAA in vain caches that there is none.

use futures_util::future::join_all;

use super::super::DnsName;
use super::super::observation::RecordType::{A, CAA, CNAME};
use super::super::observation::{Data, Lookup, Observations, Reply};
use super::context::ProbeContext;

impl ProbeContext<'_> {
    /// Asks for CAA at the target of the CNAME, and at each parent of the name.
    pub async fn caa(&self) {
        let registrable = &self.domain.registrable;
        let above: Vec<DnsName> = registrable.parents().collect();
        let host = self.settings.expectation.platform_host.as_ref();
        let early = join_all(above.iter().chain(host).map(|level| self.ask_any(level, CAA)));
        tokio::join!(early, self.caa_in_the_zone());
        self.complete(|complete| complete.caa = true);
    }

    async fn caa_in_the_zone(&self) {
        let name = &self.domain.name;
        let levels: Vec<DnsName> = std::iter::once(name.clone())
            .chain(name.parents())
            .take_while(|level| level.is_within(&self.domain.registrable))
            .collect();
        let source = |seen: &Observations| seen.complete.source.then(|| (speaks(seen, name), target(seen, name)));
        let (speaks, target) = self.until(source).await;
        if !speaks && !self.any_resolver_answers().await {
            return;
        }
        if !speaks {
            join_all(levels.iter().map(|level| self.ask_any(level, CAA))).await;
            return;
        }
        if let Some(target) = target {
            self.ask_any(&target, CAA).await;
        }
        let cached = self.until(|seen| seen.complete.record.then(|| self.may_be_cached(seen, &levels))).await;
        let resolvers = self.settings.resolvers.iter().filter(|_| cached);
        let questions = resolvers.flat_map(|server| levels.iter().map(move |level| self.ask(server, level, CAA)));
        join_all(questions).await;
    }

    /// Whether resolvers may have another CAA record cached than the name servers have, and asking for it delays
    /// nothing: that there is no such name is shown with an SOA record, which further questions would renew.
    fn may_be_cached(&self, seen: &Observations, levels: &[DnsName]) -> bool {
        let name = &self.domain.name;
        let has_caa = |reply: &Reply| reply.answers.iter().any(|record| matches!(record.data, Data::Caa { .. }));
        let mut at_source = levels.iter().flat_map(|level| seen.source(level, CAA)).filter_map(Lookup::reply);
        let mut resolvers = seen.resolvers(name, A).filter_map(Lookup::answer).peekable();
        let waits = resolvers.peek().is_none() || resolvers.any(|reply| reply.answers.is_empty());
        !waits && (self.settings.caa_was_wrong || at_source.any(has_caa))
    }
}

/// Whether a name server of the zone answers for the name.
fn speaks(seen: &Observations, name: &DnsName) -> bool {
    seen.source(name, CAA).filter_map(Lookup::answer).any(|reply| reply.authoritative)
}

/// Where the CNAME leads to, by the name servers.
fn target(seen: &Observations, name: &DnsName) -> Option<DnsName> {
    let mut replies = seen.source(name, CNAME).filter_map(Lookup::reply);
    replies.find_map(|reply| reply.cnames(name).next().map(|(target, _)| target.clone()))
}
