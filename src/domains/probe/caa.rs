//! CAA at every level, asked at once: which one decides is known only from the answers (RFC 8659 section 3).

use futures_util::future::join_all;

use super::super::DnsName;
use super::super::observation::RecordType::{CAA, CNAME};
use super::super::observation::{Observations, Reply};
use super::context::ProbeContext;

impl ProbeContext<'_> {
    /// The target at the name servers, if a resolver that was asked for CAA used another one.
    fn new_target(&self, seen: &Observations) -> Option<DnsName> {
        let name = &self.domain.name;
        let target = |reply: &Reply| reply.cnames(name).next().map(|(target, _)| target.clone());
        let now = seen.source(name, CNAME).filter_map(|lookup| lookup.reply()).find_map(target)?;
        let mut used = seen.resolvers(name, CAA).filter_map(|lookup| lookup.reply()).filter_map(target);
        used.any(|used| used != now).then_some(now)
    }

    /// Asks for CAA at the name, through its CNAME, and at each of its parents.
    pub async fn caa(&self) {
        let name = &self.domain.name;
        let levels = std::iter::once(name.clone()).chain(name.parents());
        join_all(levels.map(|level| async move { self.ask_any(&level, CAA).await })).await;
        // A resolver may still use an old CNAME, which CAs will not.
        let target = self.until(|seen| seen.complete.record.then(|| self.new_target(seen))).await;
        if let Some(target) = target {
            self.ask_any(&target, CAA).await;
        }
        self.complete(|complete| complete.caa = true);
    }
}
