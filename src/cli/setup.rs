//! What the full screen and the dialogue start with, from the configuration.

use std::sync::Arc;

use crate::app::domain_service::{DomainService, DomainSetup};
use crate::clock;
use crate::config::file::{Add, Domains};
use crate::config::paths::expand_home;
use crate::config::{Choices, ConfigError, Env, Paths, file_path};
use crate::domains::registry::RegistryFile;
use crate::domains::sandbox::Sandbox;
use crate::local::barcodes::Codes;

use super::domains::args::ProbeArgs;
use super::domains::settings::{domain_setup, resolve};
use super::error::Failed;

/// The barcodes that the settings for adding pets name; errors of their file are added to `complaints`.
pub(super) fn codes(add: &Add, choices: &Choices, env: &Env, complaints: &mut Vec<String>) -> Option<Arc<Codes>> {
    if add.codes.as_os_str().is_empty() {
        return None;
    }
    let codes = expand_home(&add.codes, env.path("HOME").as_deref());
    let place = file_path(choices, env).ok().and_then(|file| Some(file.parent()?.join(&codes))).unwrap_or(codes);
    let (codes, faults) = Codes::read(&place);
    complaints.extend(faults);
    Some(Arc::new(codes))
}

/// What the domains screen starts with: the real list and settings, or those of the sandbox. Sessions over SSH have no
/// domains, and may not read the files that the settings name.
pub fn domains(configured: &Domains, choices: &Choices, env: &Env) -> Result<(DomainSetup, DomainService), Failed> {
    if choices.demo {
        let sandbox = Sandbox::new(clock::now().wall);
        let domains_context = DomainService::sandbox(&sandbox);
        let setup = DomainSetup {
            platform_host: None,
            configuration: sandbox.configuration().into(),
            notify: configured.notify,
            sandbox: Some(sandbox),
            ..DomainSetup::default()
        };
        return Ok((setup, domains_context));
    }
    let configured = if choices.ssh.is_some() { &Domains::default() } else { configured };
    let settings = resolve(&ProbeArgs::default(), configured)?;
    let paths = Paths::new(env).map_err(ConfigError::from)?;
    let file = file_path(choices, env).map_err(ConfigError::from)?;
    let service = DomainService::new(RegistryFile::new(paths.domains_file()), file, settings);
    let setup = DomainSetup { resolvers: service.resolvers(), ..domain_setup(configured)? };
    Ok((setup, service))
}
