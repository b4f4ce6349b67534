//! Checks the profiles and their keys, and the connection to the service in use.

use std::sync::Arc;
use std::time::Duration;

use jiff::SignedDuration;
use rustls::crypto::ring;
use rustls_platform_verifier::Verifier;
use tokio::net::lookup_host;
use tokio::task::spawn_blocking;
use tokio::time::timeout;

use crate::clock;
use crate::config::settings::configuration;
use crate::config::{Choices, Env, KeyOrigin, KeySource, Origin, Remote, Service, Settings, settings_for};
use crate::model::words::counted;

use super::super::error::{Exit, Failed};
use super::super::{service, status};
use super::check::{Check, LIMIT};

/// How long a name may take to resolve.
const NAMES: Duration = Duration::from_secs(3);

/// How long a key may take: a command gets ten seconds.
const KEYS: Duration = Duration::from_secs(15);

/// How far the clocks may be apart.
const APART: SignedDuration = SignedDuration::from_secs(30);

pub async fn checks(choices: &Choices, env: &Env) -> Vec<Check> {
    let known = match Settings::without_key(choices, env) {
        Ok(known) => known,
        // An error of the configuration is reported by its own check; here it may also be a flag.
        Err(error) => {
            return vec![Check::fail("profile", Failed::from(error).what(), &choices.command("config check"))];
        }
    };
    let mut checks = others(&known.name, choices, env);
    let name = format!("profile {}", known.name);
    let resolved = {
        let (choices, env) = (choices.clone(), env.clone());
        timeout(KEYS, spawn_blocking(move || Settings::resolve(&choices, &env))).await
    };
    match resolved {
        Ok(Ok(Ok(settings))) => checks.extend(used(&name, &settings, env).await),
        Ok(Ok(Err(error))) => checks.push(Check::fail(&name, &error.to_string(), &login(&known.name))),
        Ok(Err(error)) => checks.push(Check::fail(&name, &error.to_string(), "petstore status")),
        Err(_) => {
            let found = format!("reading its key took longer than {} s", KEYS.as_secs());
            checks.push(Check::fail(&name, &found, "run the key's command in a shell"));
        }
    }
    checks
}

/// The profile in use, and its service.
async fn used(name: &str, settings: &Settings, env: &Env) -> Vec<Check> {
    let Service::Remote(remote) = &settings.service else {
        return vec![Check::ok(name, "embedded store, no key needed"), trust(false)];
    };
    let needs_trust = remote.base_url.is_https() && remote.ca_file.is_none();
    let mut checks = vec![key(name, settings, remote, env), trust(needs_trust), names(remote).await];
    checks.extend(answers(settings).await);
    checks
}

/// The profiles that are not in use. Does not run their commands.
fn others(used: &str, choices: &Choices, env: &Env) -> Vec<Check> {
    let profiles = configuration(choices, env).map(|file| file.profiles).unwrap_or_default();
    let others = profiles.iter().filter(|(name, profile)| name.as_str() != used && !profile.embedded);
    let check = |(name, profile): (&String, &crate::config::file::Profile)| {
        let title = format!("profile {name}");
        match &profile.key {
            Some(source @ KeySource::Command(_)) => {
                Check::ok(&title, &format!("key {}, not tested", KeyOrigin::from(source)))
            }
            Some(KeySource::Env(_) | KeySource::File(_)) | None => match settings_for(name, choices, env) {
                Ok(Settings { service: Service::Remote(remote), .. }) if remote.key.is_none() => {
                    Check::warn(&title, "no key", &login(name))
                }
                Ok(settings) => Check::ok(&title, &key_origin(&settings)),
                Err(error) => Check::warn(&title, &error.to_string(), &login(name)),
            },
        }
    };
    others.map(check).collect()
}

fn key(name: &str, settings: &Settings, remote: &Remote, env: &Env) -> Check {
    let named = settings.origins.iter().any(|one| one.name == "key" && matches!(one.origin, Origin::File { .. }));
    if remote.key.is_none() {
        return Check::fail(name, &format!("no key for {}", remote.base_url), &another_key(settings));
    }
    if named
        && env.get("PETSTORE_API_KEY").is_some()
        && remote.key_origin != KeyOrigin::Environment("PETSTORE_API_KEY".into())
    {
        let found = format!("{}; PETSTORE_API_KEY is set but not used for this profile", key_origin(settings));
        return Check::warn(name, &found, "unset PETSTORE_API_KEY unless another service needs it");
    }
    Check::ok(name, &key_origin(settings))
}

fn key_origin(settings: &Settings) -> String {
    match &settings.service {
        Service::Remote(remote) => format!("key {}", remote.key_origin),
        Service::Demo | Service::Embedded { .. } => "no key needed".to_owned(),
    }
}

fn login(profile: &str) -> String {
    format!("petstore login -p {profile}")
}

/// How to give the service in use another key. An address without a profile has no place to save one.
fn another_key(settings: &Settings) -> String {
    match settings.origins.iter().find(|setting| setting.name == "address").map(|setting| &setting.origin) {
        Some(Origin::Flag(_) | Origin::Environment(_)) => "set PETSTORE_API_KEY to a key for this service".to_owned(),
        Some(Origin::File { .. } | Origin::ByHand | Origin::Default) | None => login(&settings.name),
    }
}

/// Whether the system's CA certificates can be read: without them no `https://` service is trusted.
fn trust(needed: bool) -> Check {
    let verifier = Verifier::new(Arc::new(ring::default_provider()));
    let remedy = "install the system's CA certificates (package ca-certificates), or set SSL_CERT_FILE to a PEM file";
    match verifier {
        Ok(_) => Check::ok("certificates", "the system's CA certificates can be read"),
        Err(error) if needed => Check::fail("certificates", &error.to_string(), remedy),
        Err(error) => Check::warn("certificates", &error.to_string(), remedy),
    }
}

async fn names(remote: &Remote) -> Check {
    if let Some(name) = remote.base_url.loopback_name() {
        return Check::ok("name", &format!("{name}: this machine"));
    }
    let url = remote.base_url.join("");
    let host = url.host_str().unwrap_or_default().to_owned();
    let begun = clock::now().mono;
    let found =
        timeout(NAMES, lookup_host((host.trim_matches(['[', ']']), url.port_or_known_default().unwrap_or(443)))).await;
    let took = clock::now().mono.saturating_duration_since(begun).as_millis();
    let remedy = "check the profile's address, the network, and /etc/resolv.conf";
    match found {
        Ok(Ok(addresses)) => {
            let addresses = counted(addresses.count(), "address");
            Check::ok("name", &format!("{host}: {addresses} in {took} ms"))
        }
        Ok(Err(error)) => Check::fail("name", &format!("{host}: {error}"), remedy),
        Err(_) => Check::fail("name", &format!("{host}: no answer within {} s", NAMES.as_secs()), remedy),
    }
}

/// Whether the service answers, and how far its clock is off.
async fn answers(settings: &Settings) -> Vec<Check> {
    const NAME: &str = "service";
    let service = settings.service.name();
    let Ok(answer) = timeout(LIMIT, status::ask(settings)).await else {
        let found = format!("{service} did not answer within {} s", LIMIT.as_secs());
        return vec![Check::fail(NAME, &found, "try again in a moment, or ask the service's operator")];
    };
    if let Some(failed) = &answer.failed {
        let remedy = match failed.exit {
            Exit::Unauthorized => another_key(settings),
            _ => failed.remedy().map_or_else(|| "petstore config show --origin".to_owned(), str::to_owned),
        };
        return vec![Check::fail(NAME, failed.what(), &remedy)];
    }
    let took = answer.took.unwrap_or_default().as_millis();
    let mut checks = vec![Check::ok(NAME, &format!("{service} answers in {took} ms and accepts the key"))];
    if let Ok((client, _)) = service::connect(settings).await
        && let Ok(Ok(Some(there))) = timeout(LIMIT, client.date()).await
    {
        checks.push(clocks(there.duration_until(clock::now().wall)));
    }
    checks
}

/// Compares this machine's clock, which is `ahead` of the service's.
fn clocks(ahead: SignedDuration) -> Check {
    let seconds = ahead.as_secs().unsigned_abs();
    if ahead.abs() <= APART {
        return Check::ok("clock", &format!("matches the service's, within {} s", APART.as_secs()));
    }
    let way = if ahead.is_negative() { "behind" } else { "ahead of" };
    Check::warn("clock", &format!("{seconds} s {way} the service's"), "set this machine's clock: timedatectl status")
}

#[cfg(test)]
mod tests {
    use super::super::check::Verdict;
    use super::*;

    #[test]
    fn a_clock_that_is_off_is_reported_with_the_difference() {
        assert_eq!(clocks(SignedDuration::from_secs(-30)).verdict, Verdict::Ok);
        let ahead = clocks(SignedDuration::from_secs(31));
        assert_eq!((ahead.verdict, ahead.found.as_str()), (Verdict::Warn, "31 s ahead of the service's"));
        assert_eq!(clocks(SignedDuration::from_secs(-3600)).found, "3600 s behind the service's");
    }
}
