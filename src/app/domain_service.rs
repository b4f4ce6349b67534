//! Domains for the panel, the commands and the dialogue: the list and the configuration on disk, checks and redirects.
//! Practice has its list and an internet in memory instead.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, Instant};

use futures_util::StreamExt as _;
use futures_util::stream;
use jiff::Timestamp;

use crate::clock::{self, Now};
use crate::config::{Notify, edit};
use crate::domains::check::follow;
use crate::domains::probe::OnProgress;
use crate::domains::{
    CheckOptions, Checked, Complete, ConfigSource, DnsName, Entry, ExistingDomains, FollowedRedirect, Observations,
    Practice, ProbeCache, Redirect, Registry, RegistryChange, RegistryFile, Reported, Subject, ViewVerdict, parse_name,
};
use parking_lot::Mutex;

/// How long answers are shared between checks.
const CACHE_TIME: Duration = Duration::from_secs(20);

/// How many redirects are followed concurrently.
const REDIRECTS_AT_ONCE: usize = 8;

/// The project, as configured.
#[derive(Clone, Debug, Default)]
pub struct DomainSetup {
    /// The default value for domains.
    pub platform_host: Option<DnsName>,
    /// The project's primary domain and redirects.
    pub configuration: ConfigSource,
    /// How the operator is notified.
    pub notify: Notify,
    /// Which public resolvers learn the names of domains.
    pub resolvers: ResolverChoice,
    /// Practice, in the demo.
    pub practice: Option<Practice>,
}

impl DomainSetup {
    /// The time of day for domains: in practice it runs faster.
    pub fn time(&self, now: Now) -> Timestamp {
        self.practice.as_ref().map_or(now.wall, |practice| practice.time(now.wall))
    }

    /// Practice with its time of day, for checks.
    pub fn practice_at(&self, now: Now) -> PracticeNow {
        Some((self.practice.clone()?, self.time(now)))
    }

    /// What was reported of an entry; the value in the configuration is the default.
    pub fn reported(&self, entry: &Entry) -> Reported {
        let reported = entry.reported();
        Reported { value: reported.value.or_else(|| self.platform_host.clone()), ..reported }
    }
}

/// Which public resolvers learn the names of domains.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ResolverChoice {
    /// The public resolvers that checks ask.
    pub public: Vec<String>,
    /// They are asked besides this machine's, and the operator was never asked: nothing may be sent yet.
    pub ask_first: bool,
}

/// The names that cannot be added: domains of the list that are not removed, and the platform.
pub fn existing<'a>(platform_host: Option<&DnsName>, entries: impl IntoIterator<Item = &'a Entry>) -> ExistingDomains {
    let listed = entries.into_iter().filter(|entry| !entry.reported().removed).map(|entry| entry.name.clone());
    ExistingDomains { platform_host: platform_host.cloned(), listed: listed.collect() }
}

/// In practice: its state and its time of day.
pub type PracticeNow = Option<(Practice, Timestamp)>;

/// A domain to check.
#[derive(Clone, Debug, PartialEq)]
pub struct CheckRequest {
    /// The domain, and what was measured of it.
    pub entry: Entry,
    /// The domain is on the screen: show progress, and write a report.
    pub detail: bool,
    pub practice: PracticeNow,
}

/// The list of domains, the project's configuration, and checks.
pub struct DomainService {
    list: List,
    /// The configuration file; practice has none.
    configuration: PathBuf,
    /// The options of checks; practice has its own.
    options: Mutex<Option<CheckOptions>>,
    cache: Mutex<Option<(Instant, Arc<ProbeCache>)>>,
}

/// Where the list of domains is; that of practice ends with the program.
enum List {
    OnDisk(RegistryFile),
    InMemory(Mutex<Registry>),
}

impl DomainService {
    /// The service for real domains.
    pub fn new(registry: RegistryFile, configuration: PathBuf, options: impl Into<Option<CheckOptions>>) -> Self {
        let options = Mutex::new(options.into());
        Self { list: List::OnDisk(registry), configuration, options, cache: Mutex::default() }
    }

    /// The service for practice, with its initial list.
    pub fn practice(practice: &Practice) -> Self {
        let list = List::InMemory(Mutex::new(practice.list()));
        Self { list, configuration: PathBuf::new(), options: Mutex::default(), cache: Mutex::default() }
    }

    /// Which public resolvers checks ask.
    pub fn resolvers(&self) -> ResolverChoice {
        let options = self.options.lock();
        let Some(options) = options.as_ref() else { return ResolverChoice::default() };
        let public: Vec<_> = options.public_resolvers().map(|server| server.label()).collect();
        let was_announced = || matches!(&self.list, List::OnDisk(file) if file.has_announced_resolvers());
        let ask_first =
            !public.is_empty() && options.resolvers.iter().any(|server| server.role.is_system()) && !was_announced();
        ResolverChoice { public, ask_first }
    }

    /// Asks public resolvers from now on or not, and saves that in the configuration, where the commands read it. Gives
    /// what holds now, and why it was not saved, if it was not.
    pub fn choose_resolvers(&self, public: bool) -> (ResolverChoice, Option<String>) {
        let resolvers = self.options.lock().as_mut().map(|options| options.ask_public(public)).transpose();
        if let (true, List::OnDisk(file)) = (public, &self.list) {
            file.announce_resolvers();
        }
        let saved = resolvers.and_then(|resolvers| match resolvers.flatten() {
            Some(resolvers) => edit::set_resolvers(&self.configuration, &resolvers).map_err(|error| error.to_string()),
            None => Ok(()),
        });
        (self.resolvers(), saved.err())
    }

    /// Applies changes to the list, and returns it.
    pub fn apply(&self, changes: &[RegistryChange]) -> Result<Registry, String> {
        match &self.list {
            List::OnDisk(file) => file.apply(changes).map_err(|error| error.to_string()),
            List::InMemory(list) => {
                let mut list = list.lock();
                changes.iter().for_each(|change| change.apply(&mut list));
                Ok(list.clone())
            }
        }
    }

    /// Checks one domain; with `detail`, `progress` gets what is complete, and the time of the start, and there is a
    /// report. Fails if nothing could be asked.
    pub async fn check(
        &self,
        request: CheckRequest,
        progress: impl Fn(Complete, Timestamp) + Send + Sync,
    ) -> Result<Checked, String> {
        let CheckRequest { entry, detail, practice } = request;
        // A check on the screen asks afresh; practice changes between checks.
        let cache = if detail || practice.is_some() { Arc::default() } else { self.cache() };
        let options = self.options(practice)?;
        let domain = parse_name::domain(entry.name.as_str());
        let domain = domain.map_err(|_| format!("{} is not a domain name.", entry.name))?;
        let progress: OnProgress<'_> = &progress;
        let subject = Subject::new(&options, Some(&entry), domain, entry.reported());
        let mut checked = subject.check(&cache, detail.then_some(progress)).await;
        if detail {
            checked.report = checked.support_report();
        }
        if !checked.measurement.known {
            // Answers on a network that fails cannot be trusted.
            checked.views.iter_mut().for_each(|view| view.verdict = ViewVerdict::NotCounted);
        }
        // What is kept while the program runs has no use for the details.
        Ok(Checked { seen: Observations::default(), ..checked })
    }

    /// Follows redirects by header-only requests.
    pub async fn follow(
        &self,
        redirects: Vec<Redirect>,
        practice: PracticeNow,
    ) -> Result<Vec<FollowedRedirect>, String> {
        let options = self.options(practice)?;
        let followed = stream::iter(redirects).map(|redirect| follow(&options, redirect));
        Ok(followed.buffered(REDIRECTS_AT_ONCE).collect().await)
    }

    /// The options of a check.
    fn options(&self, practice: PracticeNow) -> Result<CheckOptions, String> {
        match practice {
            Some((practice, at)) => Ok(practice.options(at)),
            None => self.options.lock().clone().ok_or_else(|| "check settings are missing.".to_owned()),
        }
    }

    /// The cache shared by recent checks.
    fn cache(&self) -> Arc<ProbeCache> {
        let now = clock::now().mono;
        let mut cache = self.cache.lock();
        cache.take_if(|(since, _)| now.saturating_duration_since(*since) >= CACHE_TIME);
        Arc::clone(&cache.get_or_insert_with(|| (now, Arc::default())).1)
    }
}
