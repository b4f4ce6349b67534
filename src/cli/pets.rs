//! `petstore pets`: list, add and get, for scripts; import and export are [`transfer`]'s.

use std::future::Future;
use std::io::{self, BufRead as _, IsTerminal as _, Read as _};

use uuid::Uuid;

use crate::api::creation::create_pet_once;
use crate::api::retry::{dice, wait_before_repeat};
use crate::api::{ApiError, Client};
use crate::config::{Service, Settings};
use crate::model::draft::{check_name, parse_category_id};
use crate::model::sunset::GET_PET_REMOVED_ON_WORDS;
use crate::model::{IdempotencyKeys, NewPet, Pet, PetQuery, PetStatus, display_safe};

use super::args::{AddArgs, GetArgs, ListArgs, Output, PetsCommand};
use super::exit::{Exit, Failed};
use super::format::{Target, write_list, write_one};
use super::output::{columns, note, write};
use super::{service, transfer};

/// The largest JSON object that `add -` reads, in bytes.
const MAX_OBJECT: u64 = 64 * 1024;

/// Does what `command` says, against the service of the settings.
pub async fn run(command: PetsCommand, settings: &Settings) -> Result<Exit, Failed> {
    let command = match command {
        PetsCommand::Import(args) if args.dry_run => return transfer::check(args).await,
        command => command,
    };
    if let Service::Remote(remote) = &settings.service
        && remote.key.is_none()
    {
        return Err(Failed::new(Exit::Unauthorized, format!("no API key for {}", remote.base_url))
            .hint("set PETSTORE_API_KEY, or name a key file in PETSTORE_API_KEY_FILE"));
    }
    let (client, embedded) = service::connect(settings).await?;
    let service = service::name(&settings.service);
    let work = async {
        match command {
            PetsCommand::List(args) => until_interrupted(list(&client, &service, args, settings)).await,
            PetsCommand::Add(args) => until_interrupted(add(&client, &service, args)).await,
            PetsCommand::Get(args) => until_interrupted(get(&client, &service, &args)).await,
            PetsCommand::Import(args) => transfer::import(&client, &service, args, settings).await,
            PetsCommand::Export(args) => transfer::export(&client, &service, &args, settings).await,
        }
    };
    let result = work.await;
    if let Some(embedded) = embedded {
        embedded.stop().await;
    }
    result
}

async fn until_interrupted(work: impl Future<Output = Result<Exit, Failed>>) -> Result<Exit, Failed> {
    tokio::select! {
        result = work => result,
        _ = tokio::signal::ctrl_c() => Ok(Exit::Interrupt),
    }
}

async fn list(client: &Client, service: &str, args: ListArgs, settings: &Settings) -> Result<Exit, Failed> {
    let query = PetQuery { status: args.status, limit: args.limit.unwrap_or(settings.limit), after: None };
    let page = repeated(|| client.list_pets(&query)).await.map_err(|error| Failed::request(&error, service, false))?;
    let shown = write(|out| write_list(out, &page.pets, args.output.format, target()))?;
    if shown && page.pets.len() >= usize::from(query.limit.get()) {
        let more = if page.next.is_some() { "and there are more" } else { "of possibly more" };
        note(&format!("{} {more}; --limit takes up to 100", page.pets.len()));
    }
    Ok(Exit::Done)
}

async fn get(client: &Client, service: &str, args: &GetArgs) -> Result<Exit, Failed> {
    let found = repeated(|| client.get_pet(args.id)).await;
    let pet = found.map_err(|error| Failed::request(&error, service, false))?;
    note(&format!("used GET /pets/{{petId}}, which is removed on {GET_PET_REMOVED_ON_WORDS}"));
    print_one(&pet, &args.output)?;
    Ok(Exit::Done)
}

async fn add(client: &Client, service: &str, args: AddArgs) -> Result<Exit, Failed> {
    if args.stdin.is_some() {
        return add_from_stdin(client, service, &args.output).await;
    }
    let name = args.name.unwrap_or_default();
    check_name(&name).map_err(|error| Failed::new(Exit::Usage, format!("--name: {error}")))?;
    let category_id = parse_category_id(&args.category_id.unwrap_or_default())
        .map_err(|error| Failed::new(Exit::Usage, format!("--category-id: {error}")))?;
    let new = NewPet { name, category_id, status: args.status };
    let key = IdempotencyKeys::new(Uuid::new_v4()).make();
    let added = create_pet_once(client, &new, &key).await;
    let pet = added.map_err(|error| Failed::request(&error, service, true))?;
    print_one(&pet, &args.output)?;
    Ok(Exit::Done)
}

/// One animal as a line of a file gives it. Members it does not know are ignored, so that an export can be read back.
#[derive(serde::Deserialize)]
#[serde(rename_all = "camelCase")]
struct Given {
    name: String,
    category_id: i64,
    status: Option<PetStatus>,
}

/// Adds the objects of stdin, a line each. A wrong line is named and does not stop the others; an answer that does not
/// come does, since sending on would hide which animal is in doubt.
async fn add_from_stdin(client: &Client, service: &str, output: &Output) -> Result<Exit, Failed> {
    if io::stdin().is_terminal() {
        note("reading JSON objects from standard input, one a line; Ctrl-D ends");
    }
    let mut keys = IdempotencyKeys::new(Uuid::new_v4());
    let (mut added, mut wrong) = (0_u64, 0_u64);
    let mut number = 0_u64;
    while let Some(line) = read_line()? {
        number += 1;
        if line.trim().is_empty() {
            continue;
        }
        let new = match read_given(&line) {
            Ok(new) => new,
            Err(why) => {
                wrong += 1;
                note(&format!("line {number}: {why}"));
                continue;
            }
        };
        match create_pet_once(client, &new, &keys.make()).await {
            Ok(pet) => {
                added += 1;
                print_one(&pet, output)?;
            }
            Err(error @ ApiError::Refused { status: 400 | 422, .. }) => {
                wrong += 1;
                note(&format!("line {number}: {}", Failed::request(&error, service, true)));
            }
            Err(error) => {
                note(&format!("stopped at line {number}; {added} added, {wrong} refused before it"));
                return Err(Failed::request(&error, service, true));
            }
        }
    }
    if wrong == 0 {
        return Ok(Exit::Done);
    }
    note(&format!("{added} added, {wrong} refused"));
    Ok(if added == 0 { Exit::Refused } else { Exit::Partly })
}

fn read_line() -> Result<Option<String>, Failed> {
    let failed =
        |error: &dyn std::fmt::Display| Failed::new(Exit::Failure, format!("cannot read standard input: {error}"));
    let mut line = Vec::new();
    let read = io::stdin().lock().take(MAX_OBJECT).read_until(b'\n', &mut line).map_err(|error| failed(&error))?;
    if read == 0 {
        return Ok(None);
    }
    if read as u64 == MAX_OBJECT && !line.ends_with(b"\n") {
        return Err(failed(&"a line is longer than 64 KiB"));
    }
    String::from_utf8(line).map(Some).map_err(|error| failed(&error))
}

fn read_given(line: &str) -> Result<NewPet, String> {
    let given: Given = serde_json::from_str(line).map_err(|error| display_safe(&error.to_string()).into_owned())?;
    check_name(&given.name).map_err(|error| error.to_string())?;
    Ok(NewPet { name: given.name, category_id: given.category_id, status: given.status })
}

/// Asks again as often as [`wait_before_repeat`] advises. Only for requests that change nothing.
pub async fn repeated<T, F: Future<Output = Result<T, ApiError>>>(ask: impl Fn() -> F) -> Result<T, ApiError> {
    for repeat in 0.. {
        match ask().await {
            Ok(answer) => return Ok(answer),
            Err(error) => {
                let Some(wait) = wait_before_repeat(repeat, &error, dice()) else { return Err(error) };
                tokio::time::sleep(wait).await;
            }
        }
    }
    unreachable!("wait_before_repeat ends the loop")
}

fn print_one(pet: &Pet, output: &Output) -> Result<(), Failed> {
    write(|out| write_one(out, pet, output.format, target())).map(drop)
}

fn target() -> Target {
    Target { columns: columns() }
}
