//! A world, and a checker pointed at it.

use crate::prelude::*;

use crate::simulator::{Plan, Simulator};
use petstore::domains::check_options::resolver;
use petstore::domains::diagnosis::redirect::{Redirect, judge};
use petstore::domains::diagnosis::{Facts, diagnose};
use petstore::domains::probe::{measure, redirects};
use petstore::domains::{Evidence, Observations, Server, deciding, overall};

/// The time of every test.
pub const NOW: &str = "2026-11-21T12:00:00Z";

pub fn now() -> Timestamp {
    NOW.parse().unwrap()
}

/// A number of minutes before now.
pub fn ago(minutes: i64) -> Option<Timestamp> {
    now().checked_sub(SignedDuration::from_mins(minutes)).ok()
}

/// Settings that reach nothing but the world.
pub fn settings(world: &Simulator) -> CheckOptions {
    let trust = CertificateDer::pem_slice_iter(world.trust_pem().as_bytes()).map(Result::unwrap).collect();
    let expectation = Expectation {
        platform_host: Some(DnsName::new(Plan::PLATFORM_HOST)),
        ca_identities: vec![Plan::CA.to_owned()],
        allow_private: true,
    };
    CheckOptions {
        resolvers: world.resolvers().into_iter().map(resolver).collect(),
        name_servers: world.name_servers().into_iter().collect(),
        http_port: world.http_port(),
        https_port: world.https_port(),
        now: Some(now()),
        ..CheckOptions::new(expectation, trust)
    }
}

/// The same, with the first resolver as the one of this machine.
pub fn with_system_resolver(mut settings: CheckOptions) -> CheckOptions {
    let first = &settings.resolvers[0];
    let role = Role::Resolver { system: true };
    settings.resolvers[0] = Arc::new(Server { role, name: "this machine's".to_owned(), ..Server::clone(first) });
    settings
}

/// A domain that was added ten days ago, its record saved ten minutes ago.
pub fn reported() -> Reported {
    Reported {
        added: ago(10 * 24 * 60),
        value: Some(DnsName::new(Plan::PLATFORM_HOST)),
        saved: ago(10),
        verified: ago(5),
        verified_times: 1,
        ..Reported::default()
    }
}

pub struct Outcome {
    pub findings: Vec<Finding>,
    pub seen: Observations,
}

impl Outcome {
    pub fn verdict(&self) -> Verdict {
        overall(&self.findings)
    }

    pub fn code(&self) -> Code {
        deciding(&self.findings).unwrap().code
    }

    pub fn find(&self, code: Code) -> &Finding {
        self.findings
            .iter()
            .find(|finding| finding.code == code)
            .unwrap_or_else(|| panic!("no {code} in\n{}", self.lines()))
    }

    /// For failures of tests: every line, and every question.
    pub fn lines(&self) -> String {
        let findings = self.findings.iter().map(|f| format!("{:?} {} {} | {}", f.verdict, f.code, f.seen, f.fix));
        let questions = self.seen.lookups.iter().map(|l| {
            let e = Evidence::from(l);
            format!("    {} @ {}: {}", e.question, e.server, e.answer)
        });
        findings.chain(questions).collect::<Vec<_>>().join("\n")
    }
}

/// Checks `domain`.
pub async fn check(settings: &CheckOptions, domain: &str, reported: &Reported) -> Outcome {
    let domain = parse_name::domain(domain).unwrap();
    let seen = measure(settings, &domain, &ProbeCache::default(), None).await;
    let now = settings.now.unwrap();
    let findings = diagnose(&Facts::new(&domain, &settings.expectation, reported, &seen, None, now));
    Outcome { findings, seen }
}

/// Follows a redirect, and judges it.
pub async fn check_redirect(settings: &CheckOptions, redirect: &Redirect) -> Outcome {
    let from = parse_name::domain(redirect.from.as_str()).unwrap();
    let (walked, at) = redirects::walk(settings, &from, redirect).await;
    Outcome { findings: judge(redirect, &walked, at), seen: Observations::default() }
}
