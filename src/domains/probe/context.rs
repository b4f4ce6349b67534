//! What the parts of a measurement share: the observations so far, and the ways to ask.

use std::collections::HashSet;
use std::net::IpAddr;
use std::sync::Arc;
use std::time::Duration;

use futures_util::StreamExt as _;
use futures_util::future::join_all;
use futures_util::stream::FuturesUnordered;
use jiff::Timestamp;
use parking_lot::{Mutex, MutexGuard};
use tokio::sync::Notify;
use tokio::time::{sleep, timeout};

use crate::clock::{self, Now};

use super::super::diagnosis::ACME_CHALLENGE;
use super::super::dns::{encrypted, exchange};
use super::cache::{Cells, cell};
use crate::domains::RecordType::{A, AAAA, CNAME, TXT};
use crate::domains::{
    CheckOptions, Complete, DnsName, Domain, Lookup, Observations, ProbeCache, Protocol, Question, RecordType, Reply,
    ResponseCode, Server, is_public,
};

/// The most questions of one check.
const MAX_QUESTIONS: usize = 200;
/// How long to wait for one resolver before asking the next as well.
const PATIENCE: Duration = Duration::from_millis(400);
/// How long to wait for all resolvers before judging the record by those that answered.
const LATE: Duration = Duration::from_millis(700);
/// How long to wait for the name servers before asking resolvers that should be asked after them.
const SOURCE_PATIENCE: Duration = Duration::from_secs(1);
/// The most addresses of one name that are tried.
const MAX_ADDRESSES: usize = 8;

/// Called while a check runs, with the parts that are complete and the time of its start.
pub type OnProgress<'a> = &'a (dyn Fn(Complete, Timestamp) + Sync);

/// What the parts of a measurement share.
pub struct ProbeContext<'a> {
    pub options: &'a CheckOptions,
    pub domain: &'a Domain,
    pub cache: &'a ProbeCache,
    seen: Mutex<Observations>,
    asked: Cells<(Arc<Server>, Question), Option<Reply>>,
    changed: Notify,
    started: Now,
    progress: Option<OnProgress<'a>>,
}

impl<'a> ProbeContext<'a> {
    pub fn new(
        options: &'a CheckOptions,
        domain: &'a Domain,
        cache: &'a ProbeCache,
        progress: Option<OnProgress<'a>>,
    ) -> Self {
        let [sibling, nobody] = cache.nobody(domain);
        let dns_challenge = DnsName::new(ACME_CHALLENGE).followed_by(&domain.name);
        let seen = Mutex::new(Observations { sibling, nobody, dns_challenge, ..Observations::default() });
        let (asked, changed, started) = (Mutex::default(), Notify::new(), clock::now());
        Self { options, domain, cache, seen, asked, changed, started, progress }
    }

    pub(super) fn into_observations(self) -> Observations {
        self.seen.into_inner()
    }

    pub fn seen(&self) -> MutexGuard<'_, Observations> {
        self.seen.lock()
    }

    /// Changes the observations, and wakes those who wait for a change.
    pub fn note<T>(&self, change: impl FnOnce(&mut Observations) -> T) -> T {
        let result = change(&mut self.seen());
        self.changed.notify_waiters();
        result
    }

    /// Marks a part as complete, and informs the caller.
    pub fn complete(&self, part: impl FnOnce(&mut Complete)) {
        let complete = self.note(|seen| {
            part(&mut seen.complete);
            seen.complete
        });
        if let Some(progress) = self.progress {
            progress(complete, self.begin());
        }
    }

    fn begin(&self) -> Timestamp {
        self.options.now.unwrap_or(self.started.wall)
    }

    /// Waits until `find` returns something.
    pub async fn until<T>(&self, find: impl Fn(&Observations) -> Option<T>) -> T {
        loop {
            let changed = self.changed.notified();
            tokio::pin!(changed);
            // From here on no change is missed.
            changed.as_mut().enable();
            if let Some(found) = find(&self.seen()) {
                return found;
            }
            changed.await;
        }
    }

    /// The wall clock of this check.
    pub fn now(&self) -> Timestamp {
        let begin = self.begin();
        let now = begin.saturating_add(self.passed()).unwrap_or(begin);
        Timestamp::from_millisecond(now.as_millisecond()).unwrap_or(now)
    }

    /// The time since the check began.
    pub fn passed(&self) -> Duration {
        clock::now().mono - self.started.mono
    }

    /// Puts a question to one server, once, and notes the answer. Asking again gives the same answer; if the first
    /// caller gave up before it came, the next one asks.
    pub async fn ask(&self, server: &Arc<Server>, name: &DnsName, kind: RecordType) -> Option<Reply> {
        self.put(server, Question::new(name.clone(), kind)).await
    }

    async fn put(&self, server: &Arc<Server>, question: Question) -> Option<Reply> {
        if self.asked.lock().len() >= MAX_QUESTIONS {
            return None;
        }
        let asked = cell(&self.asked, (server.clone(), question.clone()));
        let first = async || {
            // Boxed, since so many run side by side.
            let ask = || Box::pin(self.exchange(server.clone(), question.clone()));
            // No other check asks for the records at the name itself.
            let lookup = if question.name == self.domain.name {
                ask().await
            } else {
                cell(&self.cache.answers, (server.clone(), question.clone())).get_or_init(ask).await.clone()
            };
            let reply = lookup.reply().cloned();
            self.note(|seen| seen.lookups.push(lookup));
            reply
        };
        asked.get_or_init(first).await.clone()
    }

    /// Puts a question to a server once more.
    pub async fn ask_again(&self, server: &Arc<Server>, name: &DnsName, kind: RecordType) {
        let question = Question::new(name.clone(), kind);
        let lookup = self.exchange(server.clone(), question).await;
        self.note(|seen| seen.again.push(lookup));
    }

    async fn exchange(&self, server: Arc<Server>, question: Question) -> Lookup {
        if let Some(world) = &self.options.world {
            let outcome = Ok(world.answer(&server, &question));
            return Lookup { server, question, at: self.now(), took: Duration::ZERO, outcome };
        }
        match server.protocol {
            Protocol::Plain => exchange::ask(server, question, self.now()).await,
            Protocol::Tls | Protocol::Https(_) => {
                // Boxed: large, and rare.
                Box::pin(encrypted::ask(&self.options.trust, server, question, self.now())).await
            }
        }
    }

    /// Asks a name server of the zone about a name in it, since resolvers would cache that there is nothing; a resolver
    /// only if none of them answers.
    pub(super) async fn ask_source(&self, name: &DnsName, kind: RecordType) -> Option<Reply> {
        let server = {
            let seen = self.seen();
            let speaking = seen.source(&self.domain.name, CNAME).find(|it| it.is_answered());
            speaking.map(|lookup| lookup.server.clone())
        };
        match server {
            Some(server) => self.ask(&server, name, kind).await,
            None if self.any_resolver_answers().await => self.ask_any(name, kind).await,
            // They would be silent as long as they were about the domain itself.
            None => None,
        }
    }

    /// Asks `server`, or any resolver if there is none.
    pub(super) async fn ask_one(
        &self,
        server: Option<&Arc<Server>>,
        name: &DnsName,
        kind: RecordType,
    ) -> Option<Reply> {
        match server {
            Some(server) => self.ask(server, name, kind).await,
            None => self.ask_any(name, kind).await,
        }
    }

    /// What CAs find by DNS.
    pub(super) async fn ask_challenge(&self) {
        let name = self.seen().dns_challenge.clone();
        tokio::join!(self.ask_source(&name, CNAME), self.ask_source(&name, TXT));
    }

    /// Asks a resolver, and another one when it is slow or fails; the first usable answer, else the last one.
    pub(super) async fn ask_any(&self, name: &DnsName, kind: RecordType) -> Option<Reply> {
        let mut waiting = self.resolvers_by_proof().into_iter();
        let mut running = FuturesUnordered::new();
        let mut last = None;
        let mut errors = 0;
        loop {
            match waiting.next() {
                Some(server) => {
                    running.push(async move { self.ask(&server, name, kind).await });
                }
                None if running.is_empty() => return last,
                None => {}
            }
            let more = waiting.len() > 0;
            tokio::select! {
                Some(reply) = running.next() => {
                    if reply.as_ref().is_some_and(Reply::is_answer) {
                        return reply;
                    }
                    errors += usize::from(reply.is_some());
                    if errors == 2 {
                        // Not both are the reason for their error.
                        waiting = Vec::new().into_iter();
                    }
                    last = reply.or(last);
                }
                () = sleep(PATIENCE), if more => {}
            }
        }
    }

    /// The resolvers that may answer: first the one that did before all others, then the others, without those that
    /// were silent so far.
    fn resolvers_by_proof(&self) -> Vec<Arc<Server>> {
        let seen = self.seen();
        let first = seen.lookups.iter().find(|lookup| lookup.server.role.is_resolver() && lookup.is_answered());
        let first = first.map(|lookup| &lookup.server);
        let resolvers = self.options.resolvers.iter();
        let others = resolvers.filter(|server| Some(*server) != first && !is_silent(&seen, server));
        first.into_iter().chain(others).cloned().collect()
    }

    /// Every resolver: the name's addresses, and those of a random name.
    pub async fn resolvers(&self) {
        if self.options.source_first && self.source_leads_nowhere().await {
            return;
        }
        let name = &self.domain.name;
        let nobody = self.seen().nobody.clone();
        let resolvers = &self.options.resolvers;
        join_all(resolvers.iter().map(|server| async {
            let (addresses, ..) =
                tokio::join!(self.ask(server, name, A), self.ask(server, name, AAAA), self.ask(server, &nobody, A));
            let fails = addresses.is_some_and(|reply| reply.code == ResponseCode::ServFail);
            let unchecked = || self.asked.lock().keys().filter(|(_, question)| question.checking_disabled).count();
            if fails && unchecked() < 2 {
                // With validation switched off an answer proves that only the signatures are wrong.
                let unchecked = Question { checking_disabled: true, ..Question::new(name.clone(), A) };
                self.put(server, unchecked).await;
            }
        }))
        .await;
    }

    /// Waits for the name servers: whether nothing at the name leads anywhere.
    async fn source_leads_nowhere(&self) -> bool {
        let name = &self.domain.name;
        let leads = |seen: &Observations| {
            let nowhere = seen.leads_nowhere(name);
            let answered = [CNAME, A].into_iter().any(|kind| seen.source(name, kind).any(Lookup::is_answered));
            (seen.complete.source || answered && !nowhere).then_some(nowhere)
        };
        timeout(SOURCE_PATIENCE, self.until(leads)).await.unwrap_or_default()
    }

    /// Whether a resolver answers questions for the name at all: known with the first answer, or when all have failed.
    pub(super) async fn any_resolver_answers(&self) -> bool {
        let (name, wanted) = (&self.domain.name, self.options.resolvers.len());
        self.until(|seen| {
            let answers = seen.resolvers(name, A).any(Lookup::is_answered);
            (answers || seen.resolvers(name, A).count() >= wanted).then_some(answers)
        })
        .await
    }

    /// Waits until every resolver answered, or only the late ones are missing.
    pub(super) async fn resolvers_answered(&self) {
        let name = &self.domain.name;
        let wanted = self.options.resolvers.len();
        let some = |least: usize| move |seen: &Observations| (seen.resolvers(name, A).count() >= least).then_some(());
        if wanted == 0 || self.options.source_first && self.seen().leads_nowhere(name) {
            return;
        }
        self.until(some(1)).await;
        let passed = self.passed();
        tokio::select! {
            () = self.until(some(wanted)) => {}
            () = sleep(LATE.saturating_sub(passed)) => {}
        }
    }

    /// The addresses of a host by resolvers, at most eight.
    pub async fn addresses_of(&self, host: &DnsName) -> Vec<IpAddr> {
        let (v4, v6) = tokio::join!(self.ask_any(host, A), self.ask_any(host, AAAA));
        bounded(v4.iter().chain(&v6).flat_map(Reply::addresses))
    }

    /// The platform's own host, if known.
    pub fn platform_host(&self) -> Option<&'a DnsName> {
        self.options.expectation.platform_host.as_ref()
    }

    /// Whether an address may be connected to.
    pub(super) fn may_connect(&self, address: IpAddr) -> bool {
        self.options.expectation.allow_private || is_public(address)
    }

    /// The address that the hosts file of this machine has for the name, if its resolver is used at all.
    pub async fn hosts_file(&self) {
        if !self.options.resolvers.iter().any(|server| server.role.is_system()) {
            return;
        }
        let name = self.domain.name.as_str().to_owned();
        let read = tokio::task::spawn_blocking(move || {
            let text = std::fs::read_to_string("/etc/hosts").ok()?;
            text.lines().take(10_000).find_map(|line| {
                let mut words = line.split('#').next()?.split_whitespace();
                let address = words.next()?.parse().ok()?;
                words.any(|word| word.eq_ignore_ascii_case(&name)).then_some(address)
            })
        });
        let address = read.await.ok().flatten();
        self.note(|seen| seen.hosts_file = address);
    }
}

/// Whether a server was asked and never answered.
pub(super) fn is_silent(seen: &Observations, server: &Arc<Server>) -> bool {
    let mut own = seen.lookups.iter().filter(|lookup| lookup.server == *server).peekable();
    own.peek().is_some() && own.all(|lookup| lookup.outcome.is_err())
}

/// Without repetition, in order, at most eight.
pub(super) fn bounded(addresses: impl Iterator<Item = IpAddr>) -> Vec<IpAddr> {
    let mut known = HashSet::new();
    addresses.filter(|address| known.insert(*address)).take(MAX_ADDRESSES).collect()
}
