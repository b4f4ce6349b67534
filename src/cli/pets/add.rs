//! `petstore pets add`: one pet from flags, or several from a JSON stream.

use std::io::{self, BufRead as _, IsTerminal as _, Read as _, Write as _};

use tokio::sync::mpsc;
use tokio::task::spawn_blocking;
use uuid::Uuid;

use super::args::AddArgs;
use super::context::PetsContext;
use crate::api::ApiError;
use crate::api::creation::create_pet_once;
use crate::api::curl::curl_for_pet;
use crate::cli::error::{Exit, Failed};
use crate::cli::format::{PetLayout, write_one};
use crate::cli::output::{is_there, note, write, write_as};
use crate::config::{Service, Settings};
use crate::model::draft::{Field, FieldError, check_name, parse_status};
use crate::model::text::cut;
use crate::model::{BaseUrl, Categories, IdempotencyKeys, NewPet, Pet, Provenances, display_safe};

/// The largest JSON object that `add -` reads, in bytes.
const MAX_OBJECT: usize = 64 * 1024;

const NOTHING: &str = "nothing to add: there is no JSON object on standard input";

/// The error for anything but an object.
const EXAMPLE: &str = r#"expected a JSON object, such as {"name":"Rex","categoryId":3}"#;

/// The default address of `petstore serve`; the embedded service has another one each time.
const USUAL: &str = "http://127.0.0.1:8080/v1";

pub async fn run(context: &PetsContext<'_>, args: AddArgs) -> Result<Exit, Failed> {
    let layout = context.layout(&args.output)?;
    if layout.is_about_addition() {
        return Err(Failed::new(Exit::Usage, "the columns by and at are not known when a pet is added")
            .hint("to see them: petstore pets list --columns id,name,by,at"));
    }
    if args.stdin.is_some() {
        return add_from_stdin(context, &layout).await;
    }
    let new = of_flags(args, &context.settings.categories)?;
    is_there()?;
    let key = IdempotencyKeys::new(Uuid::new_v4()).make();
    let added = create_pet_once(context.client, &new, &key).await;
    let pet = added.map_err(|error| Failed::request(&error, context.service, true))?;
    print(&pet, &layout)?;
    Ok(Exit::Done)
}

/// `--dry-run`: prints what would be sent.
pub fn show(args: AddArgs, settings: &Settings) -> Result<Exit, Failed> {
    let base: BaseUrl = match &settings.service {
        Service::Remote(remote) => remote.base_url.clone(),
        Service::Demo | Service::Embedded { .. } => USUAL.parse().map_err(Failed::config)?,
    };
    if args.stdin.is_none() {
        let line = curl_for_pet(&base, &of_flags(args, &settings.categories)?);
        return write(|out| writeln!(out, "{line}")).map(|_| Exit::Done);
    }
    let (mut shown, mut wrong) = (0_u64, 0);
    let mut objects = Objects::default();
    while let Some(Object { place, given }) = objects.next()? {
        match given {
            Ok(new) => {
                shown += 1;
                if !write(|out| writeln!(out, "{}", curl_for_pet(&base, &new)))? {
                    return Ok(Exit::Done);
                }
            }
            Err(why) => {
                wrong += 1;
                note(&format!("{place}: {why}"));
            }
        }
    }
    if shown + wrong == 0 {
        note(NOTHING);
    }
    Ok(exit(shown, wrong))
}

fn of_flags(args: AddArgs, categories: &Categories) -> Result<NewPet, Failed> {
    let name = args.name.unwrap_or_default();
    let category_id = categories.parse(&args.category_id.unwrap_or_default());
    let status = args.status.as_deref().map(parse_status).transpose();
    match (check_name(&name), category_id, status) {
        (Ok(()), Ok(category_id), Ok(status)) => Ok(NewPet { name, category_id, status }),
        (name, category_id, status) => {
            let flag = |error: &FieldError| match error.field() {
                Field::Name => "--name",
                Field::CategoryId => "--category-id",
                Field::Status => "--status",
            };
            let faults = [name.err(), category_id.err(), status.err()];
            let faults: Vec<_> = faults.iter().flatten().map(|error| format!("{}: {error}", flag(error))).collect();
            Err(Failed::new(Exit::Usage, faults.join(" ")).hint("for all options: petstore pets add --help"))
        }
    }
}

/// Adds the objects of stdin. A wrong one is reported and skipped. A missing answer stops, since sending more would hide
/// which pet has an unknown outcome.
async fn add_from_stdin(context: &PetsContext<'_>, layout: &PetLayout) -> Result<Exit, Failed> {
    if io::stdin().is_terminal() {
        context.verbosity.note("reading JSON objects from standard input (Ctrl-D to end)");
    }
    is_there()?;
    let mut keys = IdempotencyKeys::new(Uuid::new_v4());
    let (mut added, mut wrong) = (0_u64, 0_u64);
    let mut objects = as_they_come();
    while let Some(object) = objects.recv().await {
        let Object { place, given } = object?;
        let new = match given {
            Ok(new) => new,
            Err(why) => {
                wrong += 1;
                note(&format!("{place}: {why}"));
                continue;
            }
        };
        match create_pet_once(context.client, &new, &keys.make()).await {
            Ok(pet) => {
                added += 1;
                print(&pet, layout)?;
            }
            Err(error @ ApiError::Refused { status: 400 | 422, .. }) => {
                wrong += 1;
                note(&format!("{place}: {}", Failed::request(&error, context.service, true).what()));
            }
            Err(error) => {
                note(&format!("stopped at {place}, after {}", counts(added, wrong)));
                return Err(Failed::request(&error, context.service, true));
            }
        }
    }
    if added + wrong == 0 {
        context.verbosity.note(NOTHING);
    }
    if wrong > 0 {
        note(&counts(added, wrong));
    }
    Ok(exit(added, wrong))
}

/// `3 added, 2 refused`, without zeros.
fn counts(added: u64, refused: u64) -> String {
    let counts = [(added, "added"), (refused, "refused")].into_iter().filter(|(count, _)| *count > 0);
    let counts: Vec<_> = counts.map(|(count, what)| format!("{count} {what}")).collect();
    if counts.is_empty() { "0 added".to_owned() } else { counts.join(", ") }
}

const fn exit(good: u64, wrong: u64) -> Exit {
    match (good, wrong) {
        (_, 0) => Exit::Done,
        (0, _) => Exit::Refused,
        (_, _) => Exit::Partly,
    }
}

fn print(pet: &Pet, layout: &PetLayout) -> Result<(), Failed> {
    let written = write_as(layout.format.content(), |out| write_one(out, pet, &Provenances::new(), layout));
    // The failure alone would suggest to add it again.
    written.map(drop).map_err(|failed| failed.hint(format!("the pet was added, with id {}", pet.id)))
}

/// An object of stdin.
struct Object {
    /// Its line or lines.
    place: String,
    /// The pet, or why the text is not one.
    given: Result<NewPet, String>,
}

/// The JSON objects of stdin, each on one line or spread over several.
#[derive(Default)]
struct Objects {
    line: u64,
}

impl Objects {
    /// The next object and its place, or what is wrong with it. The following line may start a valid one again.
    fn next(&mut self) -> Result<Option<Object>, Failed> {
        let mut text = String::new();
        let mut first = self.line + 1;
        loop {
            let ended = !read_line(&mut text)?;
            self.line += u64::from(!ended);
            if text.trim().is_empty() {
                if ended {
                    return Ok(None);
                }
                first = self.line + 1;
                text.clear();
                continue;
            }
            // Unknown members are ignored, so that an export can be read back.
            let given = serde_json::from_str::<NewPet>(&text);
            // An incomplete object continues on the next line.
            if !ended && given.as_ref().is_err_and(serde_json::Error::is_eof) {
                continue;
            }
            let place = match &given {
                // The line counts from the start of the stream, not of the object.
                Err(error) => format!("line {}, column {}", first - 1 + error.line() as u64, error.column()),
                Ok(_) if first == self.line => format!("line {first}"),
                Ok(_) => format!("lines {first} to {}", self.line),
            };
            let given = given.map_err(|error| why_not(&text, &error)).and_then(checked);
            return Ok(Some(Object { place, given }));
        }
    }
}

/// The objects of stdin, read on another thread, so that signals still reach the caller.
fn as_they_come() -> mpsc::Receiver<Result<Object, Failed>> {
    let (sender, objects_read) = mpsc::channel(1);
    spawn_blocking(move || {
        let mut objects = Objects::default();
        while let Some(object) = objects.next().transpose() {
            let last = object.is_err();
            if sender.blocking_send(object).is_err() || last {
                break;
            }
        }
    });
    objects_read
}

/// The message of the JSON parser, without its position and Rust types.
fn why_not(text: &str, error: &serde_json::Error) -> String {
    if !text.trim_start().starts_with('{') {
        return EXAMPLE.to_owned();
    }
    let why = error.to_string();
    let why = why.strip_suffix(&format!(" at line {} column {}", error.line(), error.column())).unwrap_or(&why);
    let why = match why.strip_suffix(", expected i64") {
        Some(what) => format!("{what}, but categoryId must be a 64-bit whole number"),
        None => match why.strip_suffix(", expected a string") {
            Some(what) => format!("{what}, but name must be a string in quotes"),
            None if matches!(why, "expected ident" | "expected value") => "expected a JSON value".to_owned(),
            None => why.to_owned(),
        },
    };
    cut(&display_safe(&why), 200)
}

fn checked(new: NewPet) -> Result<NewPet, String> {
    check_name(&new.name).map_err(|error| error.to_string())?;
    Ok(new)
}

/// Adds the next line of stdin to `text`; `false` at its end.
fn read_line(text: &mut String) -> Result<bool, Failed> {
    let failed =
        |error: &dyn std::fmt::Display| Failed::new(Exit::Failure, format!("cannot read standard input: {error}"));
    let mut line = Vec::new();
    let room = (MAX_OBJECT + 1).saturating_sub(text.len());
    let read = io::stdin().lock().take(room as u64).read_until(b'\n', &mut line).map_err(|error| failed(&error))?;
    if text.len() + read > MAX_OBJECT {
        return Err(failed(&"an object is longer than 64 KiB"));
    }
    text.push_str(std::str::from_utf8(&line).map_err(|error| failed(&error))?);
    Ok(read > 0)
}
