//! `petstore ssh`: who may use petstore by logging in with SSH. OpenSSH authenticates and encrypts; a line of
//! `authorized_keys` leads each person into a session with a separate API key (sshd(8), AUTHORIZED_KEYS FILE FORMAT).
//! Their SSH key is only passed on: which types there are is for sshd to know.

pub mod args;
#[cfg(target_os = "linux")]
mod landlock;
pub mod person;
mod session;

use std::fs;
use std::io::Write as _;
use std::path::Path;

use secrecy::ExposeSecret as _;

pub use self::session::{SshStart, leave_variables};

use self::args::{AuthorizeArgs, SshCommand};
use self::person::{People, Person};
use super::output;
use super::render::print;
use super::{Exit, Failed, Result, note};
use crate::clock;
use crate::config::secrets::write_key_file;
use crate::config::{Choices, Env, Remote, Service, Settings};
use crate::model::{ApiKey, short};
use crate::store::Store;
use crate::store::keys::NewKey;

/// Runs `command`.
pub async fn run(SshCommand::Authorize(args): SshCommand, choices: &Choices, env: &Env) -> Result<Exit> {
    let people = People::new(env).map_err(Failed::config)?;
    let key = read_public_key(&args.key)?;
    output::is_there()?;
    let _alone = people.alone()?;
    let known = people.get(&args.name)?;
    let line = authorized_line(&args.name, &key)?;
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
        None => create(&args, choices, &people, env).await?,
    };
    person.idle_seconds = args.idle.map(|idle| idle.as_secs()).or(person.idle_seconds);
    people.save(&args.name, &person)?;
    print(|out| writeln!(out, "{line}"))?;
    note(&format!("add this line to ~/.ssh/authorized_keys, and {} may log in", args.name));
    Ok(Exit::Done)
}

/// Creates an API key for a person and saves it. One that cannot be saved is revoked, since nobody has it.
async fn create(args: &AuthorizeArgs, choices: &Choices, people: &People, env: &Env) -> Result<Person> {
    let Remote { base_url, ca_file, .. } = service(choices, env)?;
    let ca_file = ca_file.map(std::path::absolute).transpose().map_err(Failed::because("no current directory"))?;
    let (scopes, actor) = (args.scopes.unwrap_or_default(), env.actor());
    let store = Store::open(&args.database.url).await?;
    let new = NewKey { name: args.name.clone(), scopes, expires_at: None };
    let (id, secret) = store.create_key(new, &actor, clock::now()).await?;
    let key = ApiKey::new(secret.expose_secret()).map_err(Failed::config)?;
    let saved = write_key_file(&people.key_file(&args.name), &key);
    match &saved {
        Ok(()) => note(&format!("created API key {id} ({scopes})")),
        Err(_) => match store.revoke_key(id, &actor, clock::now()).await {
            Ok(_) => note(&format!("the new API key {id} was revoked")),
            Err(_) => note(&format!("the new API key {id} is still accepted: petstore keys revoke {id}")),
        },
    }
    store.close().await;
    saved.map_err(Failed::config)?;
    Ok(Person {
        api_key: id.to_string(),
        scopes: scopes.to_string(),
        base_url: base_url.to_string(),
        insecure_http: choices.insecure_http,
        ca_file,
        idle_seconds: None,
    })
}

/// The service that the sessions use.
fn service(choices: &Choices, env: &Env) -> Result<Remote> {
    match Settings::without_key(choices, env)?.service {
        Service::Remote(remote) => Ok(remote),
        Service::Demo | Service::Embedded { .. } => {
            Err(Failed::config("sessions over SSH need the address of a service; each would start its own otherwise")
                .hint("start petstore serve, and name its address: --base-url http://127.0.0.1:8080/v1"))
        }
    }
}

/// Reads a public key, or the file that contains one: its type and its base64, without the comment.
fn read_public_key(text: &str) -> Result<String> {
    /// A key with a long comment has less; a larger file is something else.
    const MOST: u64 = 16 * 1024;
    if let Some(key) = one_key(text) {
        return Ok(key);
    }
    let path = Path::new(text);
    let one = "give one public key, such as the file ~/.ssh/id_ed25519.pub";
    let metadata = fs::metadata(path).map_err(|error| {
        let what = format!("{} is neither a public SSH key nor a readable file: {error}", short(text));
        Failed::config(what).hint(one)
    })?;
    if !metadata.is_file() || metadata.len() > MOST {
        return Err(Failed::config(format!("{} is not the file of a public SSH key", path.display())).hint(one));
    }
    let content = fs::read_to_string(path).map_err(Failed::cannot("read", path))?;
    if content.contains("PRIVATE KEY") {
        let what = format!("{} is a private key, which nobody else may have", path.display());
        return Err(Failed::config(what).hint("give the public key, which is in the file that ends in .pub"));
    }
    one_key(&content).ok_or_else(|| {
        Failed::config(format!("{} is not one line with a public SSH key and no options", path.display())).hint(one)
    })
}

/// The type and the base64 of the key that is the only line of `text`; `None` if there are options before it.
fn one_key(text: &str) -> Option<String> {
    let line = text.trim();
    let (kind, rest) = line.split_once(' ')?;
    let key = rest.split(' ').next()?;
    let is_kind = kind.chars().all(|c| c.is_ascii_alphanumeric() || "-.@".contains(c));
    // The length of the type begins it, of four bytes, three of which are always 0.
    let is_key = key.starts_with("AAAA") && key.chars().all(|c| c.is_ascii_alphanumeric() || "+/=".contains(c));
    (is_kind && is_key && !line.contains(['\n', '\r'])).then(|| format!("{kind} {key}"))
}

/// The line with which `key` starts sessions of `name`, and nothing else.
///
/// # Errors
/// It is not known where this program is.
fn authorized_line(name: &str, key: &str) -> Result<String> {
    let program = std::env::current_exe().map_err(Failed::because("it is not known where this program is"))?;
    let program = program.to_str().filter(|program| !program.contains(['"', '\\', '\n'])).ok_or_else(|| {
        let what = format!("{} cannot be written in authorized_keys", program.display());
        Failed::new(Exit::Failure, what).hint("install petstore in a directory with a plain name")
    })?;
    let program = shell_words::quote(program);
    Ok(format!("restrict,pty,command=\"{program} ssh-session {name}\" {key} petstore:{name}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_of_any_type_is_passed_on_without_its_comment() {
        for kind in ["ssh-ed25519", "ssh-rsa", "ecdsa-sha2-nistp521", "sk-ssh-ed25519@openssh.com", "ssh-next.2"] {
            let key = format!("{kind} AAAAC3Nz+/4w==");
            assert_eq!(one_key(&format!("{key} ada@laptop, the old one\n")), Some(key.clone()), "{kind}");
            let line = authorized_line("till-2", &key).unwrap();
            assert!(line.starts_with("restrict,pty,command=\"/") && !line.contains('\n'), "{line}");
            assert!(line.ends_with(&format!(" ssh-session till-2\" {key} petstore:till-2")), "{line}");
        }
    }

    #[test]
    fn options_further_lines_and_other_texts_are_no_key() {
        for text in [
            "",
            "ssh-ed25519",
            "ssh-ed25519 till-2.pub",
            "no-pty ssh-ed25519 AAAAC3Nz",
            "command=\"sh\" AAAAC3Nz",
            "ssh-ed25519 AAAAC3Nz\",command=\"sh",
            "ssh-ed25519 AAAAC3Nz ada\nssh-ed25519 AAAAC3Nz ben",
            "ssh-ed25519 AAAAC3Nz ada\rssh-ed25519 AAAAC3Nz ben",
            "ssh-ed25519\tAAAAC3Nz",
        ] {
            assert_eq!(one_key(text), None, "{text:?}");
        }
    }
}
