//! CAA at every level, asked at once: which one decides is known only from the answers (RFC 8659 section 3).
//!
//! In the zone of the name, its name servers are asked with everything else, since CAs do not use old answers. Resolvers
//! are asked afterwards, unless that delays what is waited for: what they cannot get, CAs cannot get, either.

use std::iter;

use futures_util::future::join_all;

use super::context::ProbeContext;
use crate::domains::RecordType::{A, CAA, CNAME};
use crate::domains::{Data, DnsName, Lookup, Observations, Reply};

impl ProbeContext<'_> {
    /// Asks for CAA at the target of the CNAME, and at each parent of the name.
    pub async fn caa(&self) {
        let registrable = &self.domain.registrable;
        let above: Vec<_> = registrable.parents().collect();
        let host = self.platform_host();
        let early = join_all(above.iter().chain(host).map(|level| self.ask_any(level, CAA)));
        tokio::join!(early, self.caa_in_the_zone());
        self.complete(|complete| complete.caa = true);
    }

    async fn caa_in_the_zone(&self) {
        let name = &self.domain.name;
        let levels = iter::once(name.clone()).chain(name.parents());
        let levels: Vec<_> = levels.take_while(|level| level.is_within(&self.domain.registrable)).collect();
        let source = |seen: &Observations| {
            let target = seen.source(name, CNAME).find_map(|lookup| lookup.reply()?.target(name));
            seen.complete.source.then(|| (seen.speaks_for(name, CAA), target.cloned()))
        };
        let (speaks, target) = self.until(source).await;
        let ask_one_resolver = || join_all(levels.iter().map(|level| self.ask_any(level, CAA)));
        if !speaks {
            if self.any_resolver_answers().await {
                ask_one_resolver().await;
            }
            return;
        }
        if let Some(target) = target {
            self.ask_any(&target, CAA).await;
        }
        let (delays, differ) =
            self.until(|seen| seen.complete.record.then(|| self.resolvers_to_ask(seen, &levels))).await;
        if !delays && differ {
            let resolvers = self.options.resolvers.iter();
            let questions = resolvers.flat_map(|server| levels.iter().map(move |level| self.ask(server, level, CAA)));
            join_all(questions).await;
        } else if !delays {
            ask_one_resolver().await;
        }
    }

    /// Whether asking resolvers for CAA delays something: that there is no such name is shown with an SOA record, which
    /// further questions would renew. And whether they may answer differently: some may have other CAA records cached,
    /// or validate the zone.
    fn resolvers_to_ask(&self, seen: &Observations, levels: &[DnsName]) -> (bool, bool) {
        let name = &self.domain.name;
        let has_caa = |reply: &Reply| reply.answers.iter().any(|record| matches!(record.data, Data::Caa { .. }));
        let mut at_source = levels.iter().flat_map(|level| seen.source(level, CAA)).filter_map(Lookup::reply);
        let mut resolvers = seen.resolvers(name, A).filter_map(Lookup::answer).peekable();
        let delays = resolvers.peek().is_none() || resolvers.any(|reply| reply.answers.is_empty());
        let signed = seen.lookups.iter().any(Lookup::is_signed);
        (delays, self.options.caa_was_wrong || at_source.any(has_caa) || signed)
    }
}
