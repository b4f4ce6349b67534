//! `petstore ssh`: who may use petstore by logging in with SSH. OpenSSH authenticates and encrypts; a line of
//! `authorized_keys` leads each person into a session with a separate API key.

pub mod args;
mod authorized_keys;
mod check;
mod person;
mod public_key;
mod session;

use std::io::Write as _;
use std::path::Path;

use secrecy::ExposeSecret as _;
use serde_json::{Value, json};
use ssh_key::PublicKey;

use crate::clock;
use crate::config::secrets::write_key_file;
use crate::config::{Choices, Env, Paths, Remote, Service, Settings};
use crate::model::ApiKey;
use crate::model::display_safe;
use crate::model::table;
use crate::model::text::short;
use crate::model::words::counted;
use crate::store::Store;
use crate::store::keys::NewKey;

use super::args::DatabaseArg;
use super::error::{Exit, Failed};
use super::keys::actor;
use super::output::{self, note};
use super::render::FormatArg;
use args::{AuthorizeArgs, SshCommand};
use authorized_keys::AuthorizedKeys;
use person::{People, Person};
use public_key::{fingerprint, openssh};
pub use session::{SshStart, leave_variables};

/// Runs `command`.
pub async fn run(command: SshCommand, choices: &Choices, env: &Env) -> Result<Exit, Failed> {
    let people = People::new(&Paths::new(env).map_err(Failed::config)?);
    match command {
        SshCommand::Authorize(args) => authorize(args, &people, choices, env).await,
        SshCommand::List(output) => list(output, &people),
        SshCommand::Revoke { name, database, file } => revoke(&name, &database, &file.path(env)?, &people, env).await,
        SshCommand::Check { file, output } => check::run(output, &file.path(env)?, &people, env),
        SshCommand::Keys { account, key } => keys(&account, &key, &people, env),
    }
}

async fn authorize(args: AuthorizeArgs, people: &People, choices: &Choices, env: &Env) -> Result<Exit, Failed> {
    let key = public_key::read(&args.key)?;
    let path = args.file.path(env)?;
    let _alone = people.alone()?;
    let known = people.get(&args.name)?;
    let mut lines = AuthorizedKeys::read(&path)?;
    if let Some((number, whose)) = lines.find(&key) {
        let whose = whose.map_or_else(|| "without petstore".to_owned(), |name| format!("for {name}"));
        // sshd takes the first line that has the key.
        return Err(Failed::config(format!("{}:{number} has this SSH key already, {whose}", path.display()))
            .hint("remove that line first, or use another SSH key"));
    }
    if let (Some(person), Some(scopes)) = (&known, args.scopes)
        && person.scopes != scopes.to_string()
    {
        let what = format!("{} is authorized with the scopes {}, not {scopes}", args.name, person.scopes);
        return Err(Failed::config(what).hint(format!("to change them: petstore ssh revoke {}", args.name)));
    }
    if args.print {
        output::is_there()?;
    }
    let mut person = match known {
        Some(person) => person,
        None => create(&args, service(choices, env)?, choices.insecure_http, people, env).await?,
    };
    person.idle_seconds = args.idle.map(|idle| idle.as_secs()).or(person.idle_seconds);
    person.ssh_keys.push(openssh(&key)?);
    people.save(&args.name, &person)?;
    let line = authorized_keys::line(&args.name, &key)?;
    if args.print {
        return output::write(|out| writeln!(out, "{line}")).map(|_| Exit::Done);
    }
    lines.push(&line);
    lines.save(&path)?;
    note(&format!("{} may log in; the line is in {}", args.name, path.display()));
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
    let (scopes, actor) = (args.scopes.unwrap_or_default(), actor(env));
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
        ssh_keys: Vec::new(),
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

fn list(output: FormatArg, people: &People) -> Result<Exit, Failed> {
    let all = people.all()?;
    let rows = || {
        let rows = all.iter().map(|(name, person)| {
            let keys: Vec<_> = person.ssh_keys.iter().map(|key| fingerprint(key)).collect();
            let shown = [name.as_str(), &person.scopes, &person.api_key, &keys.join(" ")];
            shown.map(|text| display_safe(text).into_owned())
        });
        let headings = ["NAME", "SCOPES", "API KEY", "SSH KEYS"].map(str::to_owned);
        std::iter::once(headings).chain(rows).collect::<Vec<_>>()
    };
    output.write(
        |out| table::write(out, &rows()),
        || all.iter().map(|(name, person)| object(name, person)).collect::<Vec<_>>(),
    )?;
    if all.is_empty() {
        note("nobody may log in yet; to let somebody: petstore ssh authorize NAME KEY");
    }
    Ok(Exit::Done)
}

fn object(name: &str, person: &Person) -> Value {
    let keys: Vec<_> = person.ssh_keys.iter().map(|key| fingerprint(key)).collect();
    json!({
        "name": name,
        "scopes": person.scopes.split(' ').collect::<Vec<_>>(),
        "apiKey": person.api_key,
        "baseUrl": person.base_url,
        "idleSeconds": person.idle_seconds,
        "sshKeys": keys,
    })
}

async fn revoke(name: &str, database: &DatabaseArg, path: &Path, people: &People, env: &Env) -> Result<Exit, Failed> {
    let _alone = people.alone()?;
    let mut lines = AuthorizedKeys::read(path)?;
    let removed = lines.remove(name);
    let person = people.get(name)?;
    if removed == 0 && person.is_none() {
        let what = format!("there is nobody called {}", short(name));
        return Err(Failed::new(Exit::NotFound, what).hint("to see who may log in: petstore ssh list"));
    }
    // Whatever fails after this, nobody new gets in.
    if removed > 0 {
        lines.save(path)?;
    }
    note(&format!("removed {} from {}", counted(removed, "line"), path.display()));
    let Some(person) = person else { return Ok(Exit::Done) };
    let id = person.api_key.parse().map_err(Failed::config)?;
    let store = Store::open_existing(&database.url).await?;
    let revoked = store.revoke_key(id, &actor(env), clock::now()).await;
    store.close().await;
    match revoked? {
        Some(_) => note(&format!("revoked API key {id}")),
        None => note(&format!("the database has no API key {id}: is it the one of this service?")),
    }
    if let Some(left) = people.remove(name)? {
        note(&format!("what was typed and not sent is in {}", left.display()));
    }
    Ok(Exit::Done)
}

/// Prints the line of the person who has the SSH key, if any.
fn keys(account: &str, key: &str, people: &People, env: &Env) -> Result<Exit, Failed> {
    if env.get("LOGNAME").or_else(|| env.get("USER")) != Some(account) {
        return Ok(Exit::Done);
    }
    let all = people.all()?;
    let is_offered = |known: &&String| known.split(' ').nth(1) == Some(key);
    let found = all.iter().find_map(|(name, person)| Some((name, person.ssh_keys.iter().find(is_offered)?)));
    let Some((name, key)) = found else { return Ok(Exit::Done) };
    let key = PublicKey::from_openssh(key).map_err(Failed::config)?;
    let line = authorized_keys::line(name, &key)?;
    output::write(|out| writeln!(out, "{line}")).map(|_| Exit::Done)
}
