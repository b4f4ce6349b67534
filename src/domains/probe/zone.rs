//! The zone of the name, the name servers that its parent lists, and their answers.

use std::collections::BTreeSet;
use std::net::{Ipv4Addr, SocketAddr};
use std::sync::Arc;
use std::time::Duration;

use futures_util::future::join_all;
use tokio::sync::OnceCell;

use super::context::{ProbeContext, is_silent};
use crate::domains::RecordType::{A, AAAA, CAA, CNAME, DNSKEY, DS, HTTPS, MX, NS, SOA, TXT};
use crate::domains::{
    Data, DnsName, Lookup, NoReply, Protocol, Question, Record, Reply, ResponseCode, Role, Server, TYPES,
};

/// How many servers of the parent are asked at most.
const PARENT_SERVERS: usize = 2;
/// How many delegated servers are asked at most.
const MAX_SERVERS: usize = 8;
/// How many zones inside each other are followed.
const MAX_DEPTH: usize = 4;
/// How many CNAMEs are followed.
const MAX_CHAIN: usize = 10;

/// A delegation as the parent has it.
#[derive(Default)]
struct Delegation {
    servers: Vec<DnsName>,
    glue: Vec<Record>,
    /// The server of the parent zone that lists them.
    parent: Option<Arc<Server>>,
}

impl ProbeContext<'_> {
    /// Everything about the record: zone, delegation, name servers, and what explains a wrong answer.
    pub async fn record(&self) {
        let registrable = &self.domain.registrable;
        // Nearly always the zone is the registered domain.
        let (reply, mut delegation) = self.with_delegation(registrable, self.ask_any(registrable, SOA)).await;
        let exists = reply.is_some_and(|reply| has_soa(&reply, registrable));
        let mut zone = registrable.clone();
        self.note(|seen| {
            seen.zone = exists.then(|| registrable.clone());
            seen.delegated = delegation.servers.clone();
        });
        for _ in 0..MAX_DEPTH {
            tokio::join!(self.ask_name_servers(&zone, &delegation), self.own_addresses(&zone, &delegation));
            self.note(|seen| {
                // Resolvers may fail while the name servers answer.
                if seen.speaks_for(&self.domain.name, CNAME) {
                    seen.zone = Some(zone.clone());
                }
            });
            let Some((deeper, servers)) = self.referred(&zone).await else { break };
            self.note(|seen| {
                seen.descend();
                seen.zone = Some(deeper.clone());
                seen.delegated = servers.servers.clone();
            });
            (zone, delegation) = (deeper, servers);
        }
        self.complete(|complete| complete.source = true);
        self.ask_resolvers_instead().await;
        self.explain(&zone).await;
        self.platform_addresses().await;
        self.resolvers_answered().await;
        tokio::join!(self.ask_whether_it_exists(), self.ask_what_they_cached(&zone), self.keys(&zone, &delegation));
        self.complete(|complete| complete.record = true);
    }

    /// The zone below `zone` that its servers delegate the name to, if that is answered for: one that is not is a
    /// left-over delegation. Resolvers cannot be asked where it begins: what they would answer for names between is
    /// that there is nothing, and they would cache it.
    async fn referred(&self, zone: &DnsName) -> Option<(DnsName, Delegation)> {
        let (deeper, delegation) = {
            let seen = self.seen();
            if seen.speaks_for(&self.domain.name, CNAME) {
                return None;
            }
            let mut answers = seen.source(&self.domain.name, CNAME).filter_map(|it| Some((it.answer()?, &it.server)));
            let (referral, parent) = answers.find(|(reply, _)| reply.is_referral())?;
            let cut = referral.authorities.iter().find(|record| record.data.name_server().is_some())?;
            let deeper = cut.owner.clone();
            let servers = name_servers(referral.authorities.iter().filter(|record| record.owner == deeper));
            (deeper, Delegation { servers, glue: referral.additionals.clone(), parent: Some(parent.clone()) })
        };
        if deeper == *zone || !deeper.is_within(zone) || !self.domain.name.is_within(&deeper) {
            return None;
        }
        let reply = self.ask_any(&deeper, SOA).await?;
        has_soa(&reply, &deeper).then_some((deeper, delegation))
    }

    /// If a resolver knows a random name, a name server of the zone above is asked for it, too.
    async fn ask_whether_it_exists(&self) {
        let (nobody, parent) = {
            let seen = self.seen();
            let known = |lookup: &Lookup| lookup.reply().is_some_and(|reply| reply.addresses().next().is_some());
            if !seen.resolvers(&seen.nobody, A).any(known) {
                return;
            }
            let parent = seen.lookups.iter().find(|it| it.server.role == Role::Parent && it.is_answered());
            (seen.nobody.clone(), parent.map(|lookup| lookup.server.clone()))
        };
        if let Some(parent) = parent {
            self.ask(&parent, &nobody, A).await;
        }
    }

    /// What explains an answer of a resolver that the name servers do not give: the name servers that it asks, its DS
    /// record, and what the other caches behind its address have.
    async fn ask_what_they_cached(&self, zone: &DnsName) {
        let name = &self.domain.name;
        let (other, failing) = {
            let seen = self.seen();
            let server = |lookup: &Lookup| lookup.server.clone();
            let of_resolvers = || seen.resolvers(name, A);
            // Without an answer of a name server, resolvers fail for good reason.
            let speaks = seen.source(name, CNAME).any(Lookup::is_answered);
            let failing: Vec<_> = of_resolvers().filter(|it| speaks && it.is_servfail()).map(server).collect();
            let host = self.platform_host();
            let platform = host.map_or_else(Vec::new, |host| seen.addresses_of(host));
            let at_platform = |lookup: &Lookup| {
                let mut addresses = lookup.reply().into_iter().flat_map(Reply::addresses).peekable();
                addresses.peek().is_some() && addresses.all(|address| platform.contains(&address))
            };
            let other = of_resolvers().filter(|lookup| seen.is_cached(lookup) && !at_platform(lookup));
            (other.map(server).collect::<Vec<_>>(), failing)
        };
        let servers_of_zone = other.iter().chain(&failing).map(|server| (server, NS));
        let signed = failing.iter().map(|server| (server, DS));
        let of_zone = join_all(servers_of_zone.chain(signed).map(|(server, kind)| self.ask(server, zone, kind)));
        tokio::join!(of_zone, join_all(other.iter().map(|server| self.ask_again(server, name, A))));
        let former = self.seen().former(zone).into_iter().next();
        if let Some(host) = former {
            let servers = self.locate(&[host], &[], Role::Former, 1).await;
            join_all(servers.iter().map(|server| self.ask(server, name, A))).await;
        }
    }

    /// The platform's own addresses, which an address at the name is compared with. They may depend on who asks: every
    /// resolver is asked if there is an address to compare.
    async fn platform_addresses(&self) {
        let Some(host) = self.platform_host() else { return };
        self.addresses_of(host).await;
        let has_address = {
            let seen = self.seen();
            let name = &self.domain.name;
            let mut records = seen.source(name, A).chain(seen.resolvers(name, A)).flat_map(|lookup| lookup.at(name));
            records.any(|record| record.data.address().is_some())
        };
        if has_address {
            join_all(self.options.resolvers.iter().map(|server| self.ask(server, host, A))).await;
        }
    }

    /// The name servers of `zone` as its parent lists them, or as resolvers do if the parent cannot be asked.
    async fn delegation(&self, zone: &DnsName) -> Delegation {
        for parent in zone.parents() {
            let Some(reply) = self.ask_any(&parent, NS).await else { break };
            let hosts = name_servers(reply.at(&parent));
            if hosts.is_empty() {
                // Not a separate zone; the one above it delegates.
                continue;
            }
            let servers = self.locate(&hosts, &reply.additionals, Role::Parent, PARENT_SERVERS).await;
            for server in servers.iter().take(PARENT_SERVERS) {
                let reply = self.ask(server, zone, NS).await;
                if let Some(reply) = reply.filter(Reply::is_answer) {
                    let sections = reply.authorities.iter().chain(&reply.answers);
                    let servers = name_servers(sections.filter(|record| record.owner == *zone));
                    // A parent that knows nothing of a registered domain is not a real one; its NXDOMAIN counts.
                    if !servers.is_empty() || reply.is_nxdomain() || *zone != self.domain.registrable {
                        return Delegation { servers, glue: reply.additionals, parent: Some(server.clone()) };
                    }
                }
            }
            break;
        }
        if let Some(reply) = self.ask_any(zone, NS).await {
            let servers = name_servers(reply.at(zone));
            if !servers.is_empty() {
                return Delegation { servers, glue: reply.additionals, parent: None };
            }
        }
        self.named_by_settings(zone).await
    }

    /// Of the configured name servers, those that have the zone: used if neither parent nor resolvers know a
    /// delegation, as in a private DNS.
    async fn named_by_settings(&self, zone: &DnsName) -> Delegation {
        let named: Vec<_> = self.options.name_servers.keys().cloned().collect();
        let servers = self.locate(&named, &[], Role::Authoritative, MAX_SERVERS).await;
        let having = join_all(servers.iter().map(|server| async move {
            let reply = self.ask(server, zone, SOA).await?;
            let of_zone = reply.negative().is_none_or(|(owner, _)| owner == zone);
            let has = reply.authoritative && reply.code == ResponseCode::NoError && (has_soa(&reply, zone) || of_zone);
            has.then(|| DnsName::new(&server.name))
        }))
        .await;
        let mut servers: Vec<_> = having.into_iter().flatten().collect();
        if servers.is_empty() {
            // Those named after the zone should have it.
            servers = named.into_iter().filter(|host| host.is_within(zone)).collect();
        }
        servers.sort_unstable();
        Delegation { servers, ..Delegation::default() }
    }

    /// The servers of hosts, by address: from the options, from the glue records, else from resolvers.
    async fn locate(&self, hosts: &[DnsName], glue: &[Record], role: Role, most: usize) -> Vec<Arc<Server>> {
        let located = join_all(hosts.iter().take(most).map(|host| async move {
            let address = self.address_of_server(host, glue).await;
            let nowhere = SocketAddr::new(Ipv4Addr::UNSPECIFIED.into(), 0);
            let server = name_server(role, host, address.unwrap_or(nowhere));
            let Err(why) = address else { return Some(server) };
            // The domain relies on it, although it cannot be asked.
            let question = Question::new(self.domain.name.clone(), CNAME);
            let (at, took, outcome) = (self.now(), Duration::ZERO, Err(why));
            self.note(|seen| seen.lookups.push(Lookup { server, question, at, took, outcome }));
            None
        }));
        located.await.into_iter().flatten().collect()
    }

    async fn address_of_server(&self, host: &DnsName, glue: &[Record]) -> Result<SocketAddr, NoReply> {
        if let Some(address) = self.options.name_servers.get(host) {
            return Ok(*address);
        }
        let mut address = glue.iter().filter(|record| record.owner == *host).find_map(|record| record.data.address());
        for kind in [A, AAAA] {
            if address.is_none() {
                address = self.ask_any(host, kind).await.and_then(|reply| reply.addresses().next());
            }
        }
        let address = address.ok_or(NoReply::NoAddress)?;
        if self.may_connect(address) { Ok(SocketAddr::new(address, 53)) } else { Err(NoReply::Withheld) }
    }

    /// What `asking` resolvers about a zone gives, and the delegation of the zone. Resolvers keep silent for long about a
    /// zone whose servers are silent: then `asking` is given up.
    async fn with_delegation<T>(
        &self,
        zone: &DnsName,
        asking: impl Future<Output = Option<T>>,
    ) -> (Option<T>, Delegation) {
        let found = OnceCell::new();
        let delegation = || found.get_or_init(|| self.delegation(zone));
        let given = tokio::select! {
            // A zone that is found ends the waiting before anything more is asked.
            biased;
            given = async { tokio::join!(asking, delegation()).0 } => given,
            () = async { self.all_silent(zone, delegation().await).await } => None,
        };
        (given, found.into_inner().unwrap_or_default())
    }

    /// Returns once every server of a delegation has failed to answer; never if one did.
    async fn all_silent(&self, zone: &DnsName, delegation: &Delegation) {
        let hosts = delegation.servers.iter().take(MAX_SERVERS);
        let answers = join_all(hosts.map(|host| async {
            let address = self.address_of_server(host, &delegation.glue).await.ok()?;
            Some(self.ask(&name_server(Role::Authoritative, host, address), zone, SOA).await)
        }))
        .await;
        if answers.iter().all(Option::is_none) || answers.iter().flatten().any(Option::is_some) {
            std::future::pending::<()>().await;
        }
    }

    /// What resolvers have for name servers within the zone, to compare with the glue records of the parent.
    async fn own_addresses(&self, zone: &DnsName, delegation: &Delegation) {
        let has_glue = |host: &&DnsName| delegation.glue.iter().any(|record| record.owner == **host);
        let within = delegation.servers.iter().filter(|host| host.is_within(zone)).filter(has_glue);
        join_all(within.take(PARENT_SERVERS).map(|host| self.ask_any(host, A))).await;
    }

    /// The keys of a signed zone, and those that its parent lists. An unsigned zone is asked only if resolvers
    /// fail: its parent may list the keys of an old provider.
    async fn keys(&self, zone: &DnsName, delegation: &Delegation) {
        let server = {
            let seen = self.seen();
            let signed = seen.source(zone, SOA).find(|lookup| lookup.is_signed());
            let failing = seen.resolvers(&self.domain.name, A).any(Lookup::is_servfail);
            let speaking = signed.or_else(|| seen.source(zone, SOA).find(|lookup| lookup.is_answered()));
            speaking.filter(|_| signed.is_some() || failing).map(|lookup| lookup.server.clone())
        };
        let Some(server) = server else { return };
        tokio::join!(self.ask(&server, zone, DNSKEY), self.ask_one(delegation.parent.as_ref(), zone, DS));
    }

    /// The first server is asked for every type; the others only for what may differ.
    async fn ask_name_servers(&self, zone: &DnsName, delegation: &Delegation) {
        let mut servers = self.locate(&delegation.servers, &delegation.glue, Role::Authoritative, MAX_SERVERS).await;
        // One question is enough to know that a server is silent.
        servers.retain(|server| !is_silent(&self.seen(), server));
        join_all(servers.iter().enumerate().map(|(order, server)| async move {
            let name = &self.domain.name;
            tokio::join!(self.ask(server, name, CNAME), self.ask(server, zone, SOA), async {
                if order == 0 {
                    self.ask_everything(server, zone).await;
                }
            });
        }))
        .await;
        let (first_is_lame, alive) = {
            let seen = self.seen();
            let lookups: Vec<_> = seen.source(&self.domain.name, CNAME).collect();
            let reply = |server: &Arc<Server>| lookups.iter().find(|lookup| lookup.server == *server)?.reply();
            let has_authority = |reply: &Reply| reply.authoritative && reply.is_answer();
            let has_cname = |reply: &Reply| reply.target(&self.domain.name).is_some();
            let alive = servers.iter().skip(1).filter_map(|server| Some((server, has_cname(reply(server)?))));
            let alive: Vec<_> = alive.collect();
            (!servers.first().and_then(reply).is_some_and(has_authority), alive)
        };
        join_all(alive.into_iter().map(|(server, has_cname)| async move {
            if first_is_lame {
                self.ask_everything(server, zone).await;
            } else if !has_cname {
                // It may have other addresses, or still have some where others have the CNAME.
                let name = &self.domain.name;
                tokio::join!(self.ask(server, name, A), self.ask(server, name, AAAA));
            }
        }))
        .await;
    }

    /// If no name server speaks for the zone, resolvers are asked for the other records of the name.
    async fn ask_resolvers_instead(&self) {
        let name = &self.domain.name;
        let speaks = self.seen().source(name, CNAME).filter_map(Lookup::reply).any(Reply::speaks);
        // If none of them knows an address, more questions would only be as long in vain.
        if !speaks && self.any_resolver_answers().await {
            let sibling = self.seen().sibling.clone();
            let questions = [CNAME, TXT, MX, NS, HTTPS].map(|kind| (name, kind)).into_iter().chain([(&sibling, A)]);
            join_all(questions.map(|(name, kind)| self.ask_any(name, kind))).await;
        }
    }

    async fn ask_everything(&self, server: &Arc<Server>, zone: &DnsName) {
        let name = &self.domain.name;
        let sibling = self.seen().sibling.clone();
        let above: Vec<_> = name.parents().take_while(|level| level.is_within(zone)).collect();
        let questions = TYPES.map(|kind| (name, kind)).into_iter().chain([(zone, NS), (&sibling, A)]);
        let questions = questions.chain(above.iter().map(|level| (level, CAA)));
        join_all(questions.map(|(name, kind)| self.ask(server, name, kind))).await;
    }

    /// What helps to explain an answer that is not right.
    async fn explain(&self, zone: &DnsName) {
        let name = &self.domain.name;
        let (target, absent, server, wildcard) = {
            let seen = self.seen();
            let lookups: Vec<_> = seen.source(name, CNAME).chain(seen.resolvers(name, A)).collect();
            let replies = || lookups.iter().filter_map(|lookup| lookup.reply());
            let target = replies().find_map(|reply| reply.target(name)).cloned();
            let absent = replies().next().is_some_and(Reply::is_nxdomain);
            let server = lookups.iter().find(|l| l.server.role == Role::Authoritative && l.reply().is_some());
            let mut of_sibling = seen.source(&seen.sibling, A).filter_map(Lookup::reply);
            let wildcard = of_sibling.any(|reply| !reply.answers.is_empty());
            (target, absent, server.map(|lookup| lookup.server.clone()), wildcard)
        };
        if let Some(target) = target.filter(|target| Some(target) != self.platform_host()) {
            self.follow(target).await;
        } else if absent {
            let doubled = doubled(name, zone);
            self.note(|seen| seen.doubled.clone_from(&doubled));
            join_all(doubled.iter().map(|doubled| self.ask_one(server.as_ref(), doubled, CNAME))).await;
        }
        if wildcard && let Some(server) = &server {
            self.ask(server, zone, A).await;
        }
    }

    /// Follows CNAMEs from `target` on, one by one, since a resolver only fails where they go in a circle.
    async fn follow(&self, target: DnsName) {
        let mut at = target.clone();
        let mut passed = vec![self.domain.name.clone()];
        for _ in 0..MAX_CHAIN {
            if passed.contains(&at) {
                return;
            }
            let reply = self.ask_any(&at, CNAME).await;
            let Some(next) = reply.and_then(|reply| reply.target(&at).cloned()) else { break };
            passed.push(std::mem::replace(&mut at, next));
        }
        // Whether the end has an address, or exists at all.
        tokio::join!(self.ask_any(&target, A), self.ask_any(&target, AAAA));
    }
}

/// What becomes of a name whose end is entered, too, in whole or in part, where the provider adds the zone.
fn doubled(name: &DnsName, zone: &DnsName) -> Vec<DnsName> {
    let labels: Vec<_> = name.labels().collect();
    let own = labels.len().saturating_sub(zone.labels().count());
    let part = (own + 1..labels.len()).map(|count| DnsName::new(&labels[..count].join(".")).followed_by(zone));
    let twice = DnsName::new(&labels[..own].join(".")).followed_by(name);
    [name.followed_by(zone), name.followed_by(name), twice].into_iter().chain(part).collect()
}

fn has_soa(reply: &Reply, owner: &DnsName) -> bool {
    reply.at(owner).any(|record| matches!(record.data, Data::Soa { .. }))
}

fn name_servers<'a>(records: impl Iterator<Item = &'a Record>) -> Vec<DnsName> {
    let hosts: BTreeSet<_> = records.filter_map(|record| record.data.name_server()).collect();
    hosts.into_iter().cloned().collect()
}

/// A host as a name server.
fn name_server(role: Role, host: &DnsName, address: SocketAddr) -> Arc<Server> {
    Arc::new(Server { role, name: host.to_string(), address, protocol: Protocol::Plain })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_may_be_doubled_in_whole_or_in_part() {
        let names = |name: &str, zone: &str| -> Vec<String> {
            doubled(&DnsName::new(name), &DnsName::new(zone)).iter().map(ToString::to_string).collect()
        };
        let expected =
            ["docs.acme.com.acme.com", "docs.acme.com.docs.acme.com", "docs.docs.acme.com", "docs.acme.acme.com"];
        assert_eq!(names("docs.acme.com", "acme.com"), expected);
        let wanted = ["a.docs.a.docs.acme.co.uk", "a.docs.acme.acme.co.uk", "a.docs.acme.co.acme.co.uk"];
        assert_eq!(names("a.docs.acme.co.uk", "acme.co.uk")[2..], wanted);
    }
}
