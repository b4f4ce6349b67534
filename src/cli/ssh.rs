//! `petstore ssh`: who may use petstore by logging in with SSH. OpenSSH authenticates and encrypts; a line of
//! `authorized_keys` leads each person into a session with a separate API key.

pub mod args;
#[cfg(target_os = "linux")]
mod landlock;
pub mod person;
mod public_key;
mod session;

use std::io::Write as _;

use secrecy::ExposeSecret as _;

use crate::clock;
use crate::config::secrets::write_key_file;
use crate::config::{Choices, Env, Remote, Service, Settings};
use crate::model::ApiKey;
use crate::store::Store;
use crate::store::keys::NewKey;

use super::error::{Exit, Failed};
use super::output::{self, note};
use args::{AuthorizeArgs, SshCommand};
use person::{People, Person};
pub use session::{SshStart, leave_variables};

/// Runs `command`.
pub async fn run(SshCommand::Authorize(args): SshCommand, choices: &Choices, env: &Env) -> Result<Exit, Failed> {
    let people = People::new(env).map_err(Failed::config)?;
    let key = public_key::read(&args.key)?;
    output::is_there()?;
    let _alone = people.alone()?;
    let known = people.get(&args.name)?;
    let line = public_key::line(&args.name, &key)?;
    if people.is_revoked(&args.name) {
        // A line with this name may still be there, for a key that somebody else has by now.
        let what = format!("{} was revoked, and the lines with this name would count again", args.name);
        return Err(Failed::config(what).hint(format!(
            "choose another name; or remove those lines from authorized_keys, and then {}",
            people.directory(&args.name).display()
        )));
    }
    if let (Some(person), Some(scopes)) = (&known, args.scopes)
        && person.scopes != scopes.to_string()
    {
        let what = format!("{} is authorized with the scopes {}, not {scopes}", args.name, person.scopes);
        let way = format!("to change them: petstore keys revoke {}, and then authorize another name", person.api_key);
        return Err(Failed::config(what).hint(way));
    }
    let mut person = match known {
        Some(person) => person,
        None => create(&args, service(choices, env)?, choices.insecure_http, &people, env).await?,
    };
    person.idle_seconds = args.idle.map(|idle| idle.as_secs()).or(person.idle_seconds);
    people.save(&args.name, &person)?;
    output::write(|out| writeln!(out, "{line}"))?;
    note(&format!("add this line to ~/.ssh/authorized_keys, and {} may log in", args.name));
    Ok(Exit::Done)
}

/// Creates an API key for a person and saves it. One that cannot be saved is revoked, since nobody has it.
async fn create(
    args: &AuthorizeArgs,
    service: Remote,
    insecure_http: bool,
    people: &People,
    env: &Env,
) -> Result<Person, Failed> {
    let (scopes, actor) = (args.scopes.unwrap_or_default(), env.actor());
    let store = Store::open(&args.database.url).await?;
    let new = NewKey { name: args.name.clone(), scopes, expires_at: None };
    let (id, secret) = store.create_key(new, &actor, clock::now()).await?;
    let key = ApiKey::new(secret.expose_secret()).map_err(Failed::config)?;
    let saved = write_key_file(&people.key_file(&args.name), &key);
    let revoked = match &saved {
        Ok(()) => None,
        Err(_) => Some(store.revoke_key(id, &actor, clock::now()).await),
    };
    store.close().await;
    match revoked {
        None => note(&format!("created API key {id} ({scopes})")),
        Some(Ok(_)) => note(&format!("the new API key {id} was revoked")),
        Some(Err(_)) => note(&format!("the new API key {id} is still accepted: petstore keys revoke {id}")),
    }
    saved.map_err(Failed::config)?;
    Ok(Person {
        api_key: id.to_string(),
        scopes: scopes.to_string(),
        base_url: service.base_url.to_string(),
        insecure_http,
        ca_file: service
            .ca_file
            .map(std::path::absolute)
            .transpose()
            .map_err(Failed::because("no current directory"))?,
        idle_seconds: None,
    })
}

/// The service that the sessions use.
fn service(choices: &Choices, env: &Env) -> Result<Remote, Failed> {
    match Settings::without_key(choices, env)?.service {
        Service::Remote(remote) => Ok(remote),
        Service::Demo | Service::Embedded { .. } => {
            Err(Failed::config("sessions over SSH need the address of a service; each would start its own otherwise")
                .hint("start petstore serve, and name its address: --base-url http://127.0.0.1:8080/v1"))
        }
    }
}
