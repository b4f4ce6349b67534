//! Every setting that is in force, in the words of the configuration file.

use super::Env;
use super::choices::Choices;
use super::error::ConfigError;
use super::file::File;
use super::provenance::{Origin, Sourced};
use super::service::Service;
use super::settings::Settings;
use super::sources::Sources;
use super::target::Target;

/// All of them with their values and where these come from. Of a key only where it would come from: it is not read.
pub fn everything(choices: &Choices, env: &Env) -> Result<Vec<Sourced>, ConfigError> {
    let sources = Sources::read(choices, env)?.without_key();
    let settings = Settings::of(Target::at_start(&sources), &sources)?;
    let of_profile = |key: &str| sources.origin(&["profiles", &settings.name, key]);
    let of_profile_or = |flag, is_given, key| if is_given { Origin::Flag(flag) } else { of_profile(key) };
    let mut all = settings.origins.clone();
    for sourced in &mut all {
        sourced.name = key(sourced.name);
    }
    let File { add, domains, profiles, .. } = &sources.file;
    let trusted = match &settings.service {
        Service::Remote(remote) => remote.ca_file.as_ref().map(|file| file.display().to_string()),
        Service::Demo | Service::Embedded { .. } => None,
    };
    let trusted_by_flag = choices.ca_file.is_some() && trusted.is_some();
    let insecure = choices.insecure_http || profiles.get(&settings.name).is_some_and(|profile| profile.insecure_http);
    let redirects = domains.redirects.iter().map(|one| format!("{} to {} ({})", one.from, one.to, one.status));
    let name_servers = domains.name_servers.iter().map(|(name, address)| format!("{name} at {address}"));
    let more: [(&'static str, String, Origin); 20] = [
        ("ca_file", trusted.unwrap_or_default(), of_profile_or("--ca-file", trusted_by_flag, "ca_file")),
        (
            "insecure_http",
            insecure.to_string(),
            of_profile_or("--insecure-http", choices.insecure_http, "insecure_http"),
        ),
        ("label", settings.label.clone(), of_profile("label")),
        ("accent", settings.accent.name().to_owned(), of_profile("accent")),
        ("protect", settings.protect.to_string(), of_profile("protect")),
        ("add.codes", add.codes.display().to_string(), sources.origin(&["add", "codes"])),
        ("add.scan_strip", add.scan_strip.clone(), sources.origin(&["add", "scan_strip"])),
        ("add.scan_tab", add.scan_tab.to_string(), sources.origin(&["add", "scan_tab"])),
        ("add.at_once", add.at_once.get().to_string(), sources.origin(&["add", "at_once"])),
        ("domains.primary", domains.primary.clone(), sources.origin(&["domains", "primary"])),
        ("domains.redirects", joined(redirects), sources.origin(&["domains", "redirects"])),
        ("domains.platform_host", domains.platform_host.clone(), sources.origin(&["domains", "platform_host"])),
        ("domains.ca_identities", domains.ca_identities.join(", "), sources.origin(&["domains", "ca_identities"])),
        ("domains.resolvers", domains.resolvers.join(", "), sources.origin(&["domains", "resolvers"])),
        ("domains.name_servers", joined(name_servers), sources.origin(&["domains", "name_servers"])),
        ("domains.http_port", domains.http_port.to_string(), sources.origin(&["domains", "http_port"])),
        ("domains.https_port", domains.https_port.to_string(), sources.origin(&["domains", "https_port"])),
        ("domains.trust", domains.trust.display().to_string(), sources.origin(&["domains", "trust"])),
        ("domains.allow_private", domains.allow_private.to_string(), sources.origin(&["domains", "allow_private"])),
        ("domains.notify", domains.notify.name().to_owned(), sources.origin(&["domains", "notify"])),
    ];
    all.extend(more.map(|(name, value, origin)| Sourced { name, value, origin }));
    Ok(all)
}

/// The key of the file for a setting.
fn key(setting: &'static str) -> &'static str {
    match setting {
        "rows" => "pets.limit",
        "status" => "pets.status",
        "live" => "pets.live",
        "theme" => "ui.theme",
        "glyphs" => "ui.glyphs",
        "clipboard" => "ui.clipboard",
        "link" => "ui.link",
        of_the_profile => of_the_profile,
    }
}

fn joined(parts: impl Iterator<Item = String>) -> String {
    parts.collect::<Vec<_>>().join(", ")
}
