//! The options of checks, from flags and the `[domains]` part of the configuration.

use std::path::Path;
use std::slice;

use rustls::pki_types::CertificateDer;
use rustls::pki_types::pem::PemObject as _;

use crate::app::DomainSetup;
use crate::cli::{Failed, note};
use crate::config::file::{Domains as Configured, Redirect};
use crate::domains::check_options::{named_resolver, socket_address, system_resolver};
use crate::domains::{
    CheckOptions, Checked, ConfigSource, DnsName, Domain, Entry, Expectation, Finding, ProbeCache, Registry,
    RegistryFile, Subject, WrittenRedirect, check, parse_name,
};
use crate::model::short;
use crate::model::words::list;

use super::args::ProbeArgs;

/// What commands work on.
pub struct Project<'a> {
    pub configured: &'a Configured,
    pub file: RegistryFile,
}

impl Project<'_> {
    /// A domain, for commands on one; those that check it announce that first.
    pub(super) fn subject(&self, name: &str, args: &ProbeArgs) -> Result<Subject, Failed> {
        let options = resolve(args, self.configured)?;
        Ok(subject(&options, &self.file.read()?, need_name(name)?, args))
    }

    /// Announces once, before a name is sent, which public resolvers learn it.
    pub(super) fn announce(&self, options: &CheckOptions) {
        let public: Vec<_> = options.public_resolvers().map(|server| server.label()).collect();
        if !public.is_empty() && self.file.announce_resolvers() {
            note(&format!(
                "note: checks send the domain to the public resolvers {}; --only-system-resolver asks only this machine's",
                list(public)
            ));
        }
    }

    /// Checks a domain, and saves what was measured.
    pub(super) async fn check(&self, subject: &Subject, args: &ProbeArgs) -> Result<Checked, Failed> {
        let checked = subject.check(&ProbeCache::default(), None).await;
        self.keep(args, slice::from_ref(&checked)).map(|()| checked)
    }

    /// Saves measurements, unless times were overridden.
    pub(super) fn keep(&self, args: &ProbeArgs, checked: &[Checked]) -> Result<(), Failed> {
        let is_hypothetical = args.now.or(args.saved_at).or(args.verified_at).is_some();
        if is_hypothetical { Ok(()) } else { Ok(check::keep(&self.file, checked)?) }
    }
}

/// Flags override the configuration, which overrides defaults. Errors name the flag or key.
pub fn resolve(args: &ProbeArgs, configured: &Configured) -> Result<CheckOptions, Failed> {
    let platform_host = platform_host(args.platform_host.as_deref(), configured)?;
    let ca = if args.ca.is_empty() { &configured.ca_identities } else { &args.ca };
    let expectation = Expectation {
        platform_host,
        ca_identities: ca.iter().map(|name| name.trim().to_ascii_lowercase()).collect(),
        allow_private: args.allow_private || configured.allow_private,
    };
    let trust = match &args.trust {
        Some(path) => roots(path, "--trust")?,
        None if configured.trust.as_os_str().is_empty() => Vec::new(),
        None => roots(&configured.trust, "domains.trust")?,
    };
    let mut options = CheckOptions::new(expectation, trust);
    let system = ["system".to_owned()];
    let (resolvers, origin) = if args.only_system_resolver {
        (&system[..], "--only-system-resolver")
    } else if args.resolver.is_empty() {
        (&configured.resolvers[..], "domains.resolvers")
    } else {
        (&args.resolver[..], "--resolver")
    };
    let resolvers = resolvers.iter().filter_map(|text| match text.trim() {
        "system" => system_resolver().map(Ok),
        _ => Some(named_resolver(text).map_err(|why| Failed::config(format!("{origin}: {why}")))),
    });
    options.resolvers = resolvers.collect::<Result<_, _>>()?;
    if options.resolvers.is_empty() {
        return Err(Failed::config(format!("{origin}: no resolver to ask")).hint("name one with --resolver ADDRESS"));
    }
    for (host, text) in &configured.name_servers {
        let address = socket_address(text, 53)
            .map_err(|why| Failed::config(format!("domains.name_servers.{}: {why}", short(host))))?;
        options.name_servers.insert(DnsName::new(host), address);
    }
    options.name_servers.extend(args.name_server.iter().cloned());
    options.http_port = args.http_port.unwrap_or(configured.http_port);
    options.https_port = args.https_port.unwrap_or(configured.https_port);
    options.now = args.now;
    Ok(options)
}

/// The value from the dashboard, by flag or configuration; pasted addresses are understood as for names.
pub fn platform_host(flag: Option<&str>, configured: &Configured) -> Result<Option<DnsName>, Failed> {
    let (text, origin) = match flag {
        Some(text) => (text, "--platform-host"),
        None if configured.platform_host.is_empty() => return Ok(None),
        None => (configured.platform_host.as_str(), "domains.platform_host"),
    };
    let domain = parse_name::domain(text).map_err(|refusal| {
        Failed::config(format!("{origin}: \"{}\": {}", short(text), reason(&refusal))).hint(refusal.fix)
    })?;
    Ok(Some(domain.name))
}

/// Why a name is not valid.
fn reason(refusal: &Finding) -> String {
    match refusal.seen.as_str() {
        "" => refusal.title.clone(),
        seen => format!("{}, {seen}", refusal.title),
    }
}

fn roots(path: &Path, origin: &str) -> Result<Vec<CertificateDer<'static>>, Failed> {
    let wrong = |why: &dyn std::fmt::Display| Failed::config(format!("{origin}: {}: {why}", path.display()));
    let read = || CertificateDer::pem_file_iter(path)?.collect::<Result<Vec<_>, _>>();
    let certificates = read().map_err(|error| wrong(&error))?;
    if certificates.is_empty() {
        return Err(wrong(&"no certificate found").hint("use a PEM file"));
    }
    Ok(certificates)
}

/// A required domain name; a usage error if it is not valid.
pub(super) fn need_name(typed: &str) -> Result<Domain, Failed> {
    parse_name::domain(typed).map_err(|refusal| {
        Failed::config(format!("\"{}\": {} ({})", short(typed), reason(&refusal), refusal.code)).hint(refusal.fix)
    })
}

/// A domain to check, from the list; flags override it.
pub fn subject(options: &CheckOptions, list: &Registry, domain: Domain, args: &ProbeArgs) -> Subject {
    let entry = list.get(&domain.name);
    let mut reported = entry.map(Entry::reported).unwrap_or_default();
    if args.platform_host.is_some() {
        reported.value.clone_from(&options.expectation.platform_host);
    }
    reported.saved = args.saved_at.or(reported.saved);
    if let Some(verified) = args.verified_at {
        reported.verified = Some(verified);
        reported.verified_times = reported.verified_times.max(1);
    }
    Subject::new(options, entry, domain, reported)
}

/// The project, as configured.
pub fn domain_setup(configured: &Configured) -> Result<DomainSetup, Failed> {
    Ok(DomainSetup {
        platform_host: platform_host(None, configured)?,
        configuration: configured_domains(configured),
        notify: configured.notify,
        ..DomainSetup::default()
    })
}

/// The project's domains in petstore's configuration file.
pub(super) fn configured_domains(configured: &Configured) -> ConfigSource {
    let redirect =
        |it: &Redirect| WrittenRedirect { from: it.from.clone(), to: it.to.clone(), status: it.status.into() };
    ConfigSource {
        primary: Some(configured.primary.clone()).filter(|primary| !primary.is_empty()),
        redirects: configured.redirects.iter().map(redirect).collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domains::Role;

    #[test]
    fn only_system_resolver_leaves_no_other_one_whatever_is_configured() {
        let args = ProbeArgs { only_system_resolver: true, ..ProbeArgs::default() };
        let resolvers = ["system", "1.1.1.1", "tls://9.9.9.9"].map(str::to_owned).to_vec();
        match resolve(&args, &Configured { resolvers, ..Configured::default() }) {
            Ok(options) => {
                let system = Role::Resolver { system: true };
                assert!(options.resolvers.iter().all(|server| server.role == system), "{:?}", options.resolvers);
                assert_eq!(options.public_resolvers().count(), 0);
            }
            // This machine has none.
            Err(failed) => assert!(format!("{failed:?}").contains("--only-system-resolver: no resolver to ask")),
        }
    }
}
