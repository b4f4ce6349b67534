//! What the panel, the commands and the dialogue do with domains: the list and the configuration on disk, checks and
//! redirects. In the sandbox all of it happens in a simulator on loopback and in a directory that goes with the program.

use std::io;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, Instant};

use derive_more::From;
use futures_util::StreamExt as _;
use futures_util::stream;
use jiff::Timestamp;
use tempfile::TempDir;
use tokio::sync::OnceCell;

use crate::clock::{self, Now};
use crate::config::edit::{self, EditError, ProjectDomains};
use crate::config::{self, Notify};
use crate::domains::check::{Checked, FollowedRedirect, OnFindings, Subject, follow};
use crate::domains::check_options::{CheckOptions, resolver};
use crate::domains::diagnosis::Expectation;
use crate::domains::parse_name::{self, ExistingDomains};
use crate::domains::probe::cache::ProbeCache;
use crate::domains::record_export::Conflict;
use crate::domains::redirect_config::{ConfigSource, Redirect, WrittenRedirect};
use crate::domains::registry::{Entry, Registry, RegistryChange, RegistryError, RegistryFile};
use crate::domains::reported::Reported;
use crate::domains::sandbox::Sandbox;
use crate::domains::simulator::{Plan, Simulator};
use crate::domains::stage::Measurement;
use crate::domains::vantage_points::{View, ViewVerdict};
use crate::domains::{DnsName, Finding};
use parking_lot::Mutex;

/// How long what several checks share is remembered.
const CACHE_TIME: Duration = Duration::from_secs(20);

/// How many redirects are followed side by side.
const REDIRECTS_AT_ONCE: usize = 8;

/// What is known of the project before anything is read or checked.
#[derive(Clone, Debug, Default)]
pub struct DomainSetup {
    /// The value of the configuration, for domains that have none of their own.
    pub platform_host: Option<DnsName>,
    /// The project's primary domain and redirects, as the configuration has them.
    pub configuration: ConfigSource,
    /// How an act that is due makes itself heard.
    pub notify: Notify,
    /// What stands outside, in the sandbox.
    pub sandbox: Option<Sandbox>,
}

impl DomainSetup {
    /// The time of day for domains: that of the wall, or the fast one of the sandbox.
    pub fn time(&self, now: Now) -> Timestamp {
        self.sandbox.as_ref().map_or(now.wall, |sandbox| sandbox.time(now.wall))
    }

    /// The sandbox with its time of day, for checks.
    pub fn sandbox_at(&self, now: Now) -> Option<(Sandbox, Timestamp)> {
        Some((self.sandbox.clone()?, self.time(now)))
    }

    /// What was reported of an entry; the value of the configuration stands in for one that was not.
    pub fn reported(&self, entry: &Entry) -> Reported {
        let reported = entry.reported();
        Reported { value: reported.value.or_else(|| self.platform_host.clone()), ..reported }
    }
}

/// What a name that is added must not be: a domain of the list, unless that was removed, or the platform itself.
pub fn existing<'a>(platform_host: Option<&DnsName>, entries: impl IntoIterator<Item = &'a Entry>) -> ExistingDomains {
    let listed = entries.into_iter().filter(|entry| !entry.reported().removed).map(|entry| entry.name.clone());
    ExistingDomains { platform_host: platform_host.cloned(), listed: listed.collect() }
}

/// A domain to check.
#[derive(Clone, Debug, PartialEq)]
pub struct CheckRequest {
    /// The domain, and what was measured of it.
    pub entry: Entry,
    /// What was reported of it.
    pub reported: Reported,
    /// The operator looks on: tell what is found as it is found, and write a report.
    pub detail: bool,
    /// What stands outside and the time of day, in the sandbox.
    pub sandbox: Option<(Sandbox, Timestamp)>,
}

/// What is kept of a check while the program runs.
#[derive(Clone, Debug, PartialEq)]
pub struct CheckResult {
    /// When.
    pub at: Timestamp,
    /// What it means.
    pub findings: Vec<Finding>,
    /// Who sees what.
    pub views: Vec<View>,
    /// What must go before the record can stand there.
    pub conflicts: Vec<Conflict>,
    /// The zone that the record is entered in.
    pub zone: DnsName,
    /// For support; only of checks that the operator asked for.
    pub report: String,
    /// For the list.
    pub measurement: Measurement,
}

/// Why the configuration's domains were not written.
#[derive(Clone, Debug, PartialEq, Eq, From)]
pub enum NotSaved {
    /// Somebody else has changed them; this is there now.
    Changed(ConfigSource),
    /// It could not be done.
    #[from]
    Failed(String),
}

/// The list of domains, the project's configuration, and checks.
pub struct DomainService {
    registry: RegistryFile,
    /// Where the project's domains are written.
    configuration: PathBuf,
    /// What is asked where; in the sandbox it is known once the simulator runs.
    options: Option<CheckOptions>,
    simulator: OnceCell<(Simulator, CheckOptions)>,
    /// The latest state of the sandbox: jobs that began before an act must not undo it.
    latest: Mutex<Option<Sandbox>>,
    cache: Mutex<Option<(Instant, Arc<ProbeCache>)>>,
    /// Of the sandbox; removed when this is dropped.
    _directory: Option<TempDir>,
}

impl DomainService {
    /// The service for real domains.
    pub fn new(registry: RegistryFile, configuration: PathBuf, options: impl Into<Option<CheckOptions>>) -> Self {
        let options = options.into();
        let (simulator, latest, cache) = (OnceCell::new(), Mutex::default(), Mutex::default());
        Self { registry, configuration, options, simulator, latest, cache, _directory: None }
    }

    /// The service for the sandbox, with the list that it begins with.
    pub fn sandbox(sandbox: &Sandbox) -> io::Result<Self> {
        let directory = tempfile::Builder::new().prefix("petstore-practice-").tempdir()?;
        let registry = RegistryFile::new(directory.path().join("domains.json"));
        let begin = |list: &mut Registry| {
            *list = sandbox.list();
            Ok::<_, RegistryError>(())
        };
        registry.change(begin).map_err(io::Error::other)?;
        let configuration = directory.path().join("config.toml");
        let domains = project_domains(&Sandbox::configuration().into());
        edit::set_domains(&configuration, &ProjectDomains::default(), &domains).map_err(io::Error::other)?;
        Ok(Self { _directory: Some(directory), ..Self::new(registry, configuration, None) })
    }

    /// Writes the project's domains into the configuration file; gives its name.
    pub fn save(&self, was: &ConfigSource, to: &ConfigSource) -> Result<String, NotSaved> {
        match edit::set_domains(&self.configuration, &project_domains(was), &project_domains(to)) {
            Ok(()) => Ok(self.configuration.display().to_string()),
            Err(EditError::Changed { there, .. }) => {
                Err(NotSaved::Changed(config_source(&there.primary, &there.redirects)))
            }
            Err(error) => Err(NotSaved::Failed(error.to_string())),
        }
    }

    /// Applies changes to the list on disk, and gives it as it is then.
    pub fn apply(&self, changes: &[RegistryChange]) -> Result<Registry, String> {
        self.registry.apply(changes).map_err(|error| error.to_string())
    }

    /// Checks one domain; `so_far` takes what is found while it goes on, where somebody looks on. Fails where nothing
    /// could be asked.
    pub async fn check(
        &self,
        request: CheckRequest,
        so_far: impl Fn(&[Finding]) + Send + Sync,
    ) -> Result<CheckResult, String> {
        let CheckRequest { entry, reported, detail, sandbox } = request;
        // Who looks on wants to see what is so now; the sandbox changes from one check to the next.
        let cache = if detail || sandbox.is_some() { Arc::default() } else { self.cache() };
        let options = self.options(sandbox).await?;
        let reading = parse_name::read(entry.name.as_str(), &ExistingDomains::default());
        let domain = reading.domain.ok_or_else(|| format!("{} is no domain name.", entry.name))?;
        let tell = |findings: &[Finding], _| so_far(findings);
        let progress: Option<OnFindings<'_>> = if detail { Some(&tell) } else { None };
        let subject = Subject::new(&options, Some(&entry), domain, reported);
        let checked = Subject { about_name: reading.findings, ..subject }.check(&cache, progress).await;
        let mut views = checked.views();
        if !checked.measurement.known {
            // Whatever answered is not to be believed.
            views.iter_mut().for_each(|view| view.verdict = ViewVerdict::NotCounted);
        }
        let conflicts = checked.conflicts();
        let report = if detail { checked.report() } else { String::new() };
        let zone = checked.zone();
        let Checked { at, findings, measurement, .. } = checked;
        Ok(CheckResult { at, findings, views, conflicts, zone, report, measurement })
    }

    /// Follows redirects by header-only requests.
    pub async fn follow(
        &self,
        redirects: Vec<Redirect>,
        sandbox: Option<(Sandbox, Timestamp)>,
    ) -> Result<Vec<FollowedRedirect>, String> {
        let options = self.options(sandbox).await?;
        let followed = stream::iter(redirects).map(|redirect| follow(&options, redirect));
        Ok(followed.buffered(REDIRECTS_AT_ONCE).collect().await)
    }

    /// What is asked where. In the sandbox, the simulator becomes what the sandbox is then.
    async fn options(&self, sandbox: Option<(Sandbox, Timestamp)>) -> Result<CheckOptions, String> {
        let Some((sandbox, at)) = sandbox else {
            return self.options.clone().ok_or_else(|| "there are no settings.".to_owned());
        };
        let started = self.simulator.get_or_try_init(|| start(sandbox.plan(at))).await;
        let (simulator, options) =
            started.map_err(|error| format!("the world of practice does not start: {error}."))?;
        let mut latest = self.latest.lock();
        if latest.as_ref().is_none_or(|latest| latest.done() <= sandbox.done()) {
            simulator.change(|plan| *plan = sandbox.plan(at));
            *latest = Some(sandbox);
        }
        Ok(CheckOptions { now: Some(at), ..options.clone() })
    }

    /// What the checks of a short time share.
    fn cache(&self) -> Arc<ProbeCache> {
        let now = clock::now().mono;
        let mut cache = self.cache.lock();
        match &*cache {
            Some((since, shared)) if now.saturating_duration_since(*since) < CACHE_TIME => Arc::clone(shared),
            _ => {
                let shared = Arc::<ProbeCache>::default();
                *cache = Some((now, Arc::clone(&shared)));
                shared
            }
        }
    }
}

fn project_domains(written: &ConfigSource) -> ProjectDomains {
    let redirect = |redirect: &WrittenRedirect| config::file::Redirect {
        from: redirect.from.clone(),
        to: redirect.to.clone(),
        status: u16::try_from(redirect.status).unwrap_or_default(),
    };
    ProjectDomains {
        primary: written.primary.clone().unwrap_or_default(),
        redirects: written.redirects.iter().map(redirect).collect(),
    }
}

/// The project's domains as they stand in the configuration file.
pub fn config_source(primary: &str, redirects: &[config::file::Redirect]) -> ConfigSource {
    let redirect = |redirect: &config::file::Redirect| WrittenRedirect {
        from: redirect.from.clone(),
        to: redirect.to.clone(),
        status: redirect.status.into(),
    };
    ConfigSource {
        primary: Some(primary.to_owned()).filter(|primary| !primary.is_empty()),
        redirects: redirects.iter().map(redirect).collect(),
    }
}

/// A simulator that runs, and how to ask it.
async fn start(plan: Plan) -> io::Result<(Simulator, CheckOptions)> {
    use rustls::pki_types::CertificateDer;
    use rustls::pki_types::pem::PemObject as _;
    let simulator = Simulator::start(plan).await?;
    let root = CertificateDer::from_pem_slice(simulator.trust_pem().as_bytes()).map_err(io::Error::other)?;
    let expectation =
        Expectation { platform_host: None, ca_identities: vec![Plan::CA.to_owned()], allow_private: true };
    let options = CheckOptions {
        resolvers: simulator.resolvers().into_iter().map(resolver).collect(),
        name_servers: simulator.name_servers().into_iter().collect(),
        http_port: simulator.http_port(),
        https_port: simulator.https_port(),
        ..CheckOptions::new(expectation, vec![root])
    };
    Ok((simulator, options))
}
