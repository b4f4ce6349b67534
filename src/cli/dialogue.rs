//! Starts the plain-line dialogue on standard input and output, with what it and the full screen get from the
//! configuration.

use std::io::{self, IsTerminal as _};
use std::sync::Arc;

use tokio::io::BufReader;
use tokio::sync::mpsc;

use super::args::IDLE_ENDED;
use super::domains::args::ProbeArgs;
use super::domains::settings::{domain_setup, resolve};
use super::output::{Content, out};
use super::signals::Signals;
use super::ssh::person::{may_not_log_in, revoked};
use super::{Exit, Failed, Result, note, service};
use crate::app::domain_service::DomainService;
use crate::app::{DomainSetup, Queues};
use crate::clock;
use crate::config::{Choices, ConfigError, Domains, Env, Paths, Settings, file_path};
use crate::dialogue::prompt::{Dialogue, Leave};
use crate::dialogue::{DialogueSetup, Session};
use crate::domains::RegistryFile;
use crate::domains::practice::Practice;
use crate::local::draft_files::Claims;

/// Runs the dialogue on standard input and output until it ends; `unfinished` is the file of an import that the app has
/// begun.
pub async fn run(settings: Settings, unfinished: Option<String>, choices: &Choices, env: &Env) -> Result<Exit> {
    let (domains, domain_service) = domains(&settings.config.domains, choices, env)?;
    let (client, embedded) = service::connect(&settings).await?;
    let ssh = settings.ssh.clone();
    let idle = ssh.as_ref().and_then(|ssh| ssh.idle);
    let home = env.path("HOME");
    let state = Paths::new(env).ok().map(|paths| paths.state);
    let queues = Queues::new(state.map(|state| Arc::new(Claims::new(state))));
    let clock = clock::now;
    let setup = DialogueSetup { client, domains, domain_service, home, unfinished, queues, clock };
    let mut signals = Signals::new()?;
    let (interrupt, interrupts) = mpsc::channel(4);
    let echo = !io::stdin().is_terminal();
    let mut talk = Dialogue::new(BufReader::new(tokio::io::stdin()), out(Content::Lines), interrupts, echo);
    talk.idle = idle;
    let ended = async {
        loop {
            match signals.next().await {
                // One more adds nothing while others wait.
                Exit::Interrupt => drop(interrupt.try_send(())),
                exit => return exit,
            }
        }
    };
    let mut session = Session::new(settings, setup, talk);
    let result = tokio::select! {
        leave = session.run() => exit_of(leave),
        exit = ended => Ok(exit),
        failed = revoked(ssh, true) => Err(failed),
    };
    if let Err(why) = session.keep() {
        note(&format!("cannot save the pets that wait to be sent: {why}"));
    }
    if let Some(embedded) = embedded {
        embedded.stop().await;
    }
    result
}

/// The exit status after the dialogue.
fn exit_of(leave: Leave) -> Result<Exit> {
    match leave {
        Leave::Quit | Leave::Back | Leave::Stopped => Ok(Exit::Done),
        Leave::Idle => {
            note(IDLE_ENDED);
            Ok(Exit::Done)
        }
        Leave::Interrupted => Ok(Exit::Interrupt),
        Leave::Revoked(name) => Err(may_not_log_in(&name)),
        Leave::Broken(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(Exit::Done),
        Leave::Broken(error) => Err(Failed::because("cannot read or write the terminal")(error)),
    }
}

/// What the domains screen starts with: the real list and settings, or those of practice. Sessions over SSH have no
/// domains, and may not read the files that the settings name.
pub fn domains(configured: &Domains, choices: &Choices, env: &Env) -> Result<(DomainSetup, DomainService)> {
    if choices.demo {
        let practice = Practice::new(clock::now().wall);
        let domains_context = DomainService::practice(&practice);
        let setup = DomainSetup {
            platform_host: None,
            configuration: practice.configuration(),
            notify: configured.notify,
            practice: Some(practice),
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
