//! What the full screen and the dialogue start with, from the configuration.

use crate::app::domain_service::{DomainService, DomainSetup};
use crate::clock;
use crate::config::file::Domains;
use crate::config::{Choices, ConfigError, Env, Paths, file_path};
use crate::domains::registry::RegistryFile;
use crate::domains::sandbox::Sandbox;

use super::domains::args::ProbeArgs;
use super::domains::settings::{domain_setup, resolve};
use super::error::Failed;

/// What the domains screen starts with: the real list and settings, or those of the sandbox. Sessions over SSH have no
/// domains, and may not read the files that the settings name.
pub fn domains(configured: &Domains, choices: &Choices, env: &Env) -> Result<(DomainSetup, DomainService), Failed> {
    if choices.demo {
        let sandbox = Sandbox::new(clock::now().wall);
        let domains_context = DomainService::sandbox(&sandbox);
        let setup = DomainSetup {
            platform_host: None,
            configuration: sandbox.configuration(),
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
