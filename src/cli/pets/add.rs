//! `petstore pets add`: one pet from flags.

use std::io::Write as _;

use uuid::Uuid;

use super::args::AddArgs;
use super::context::Context;
use crate::api::exchange::curl_for_pet;
use crate::api::retry::create_pet_once;
use crate::cli::format::write_one;
use crate::cli::output::{is_there, write_as};
use crate::cli::render::print;
use crate::cli::{Exit, Failed, Result};
use crate::config::{Service, Settings};
use crate::model::draft::{Field, FieldError, check_name, parse_status};
use crate::model::{BaseUrl, Categories, IdempotencyKeys, NewPet, Provenances};

/// The default address of `petstore serve`; the embedded service has another one each time.
const USUAL: &str = "http://127.0.0.1:8080/v1";

pub async fn run(context: &Context<'_>, args: AddArgs) -> Result<Exit> {
    let layout = context.layout(&args.output)?;
    if layout.is_about_addition() {
        return Err(Failed::config("the columns by and at are not known when a pet is added")
            .hint("to see them: petstore pets list --columns id,name,by,at"));
    }
    let new = of_flags(args, &context.settings.categories)?;
    is_there()?;
    let key = IdempotencyKeys::new(Uuid::new_v4()).make();
    let added = create_pet_once(context.client, &new, &key).await;
    let pet = added.map_err(|error| Failed::request(&error, context.service, true))?;
    let written = write_as(layout.format.content(), |out| write_one(out, &pet, &Provenances::new(), &layout));
    // The failure alone would suggest to add it again.
    written.map_err(|failed| failed.hint(format!("the pet was added, with id {}", pet.id)))?;
    Ok(Exit::Done)
}

/// `--dry-run`: prints what would be sent.
pub fn show(args: AddArgs, settings: &Settings) -> Result<Exit> {
    let base: BaseUrl = match &settings.service {
        Service::Remote(remote) => remote.base_url.clone(),
        Service::Demo | Service::Embedded { .. } => USUAL.parse().map_err(Failed::config)?,
    };
    let line = curl_for_pet(&base, &of_flags(args, &settings.categories)?);
    print(|out| writeln!(out, "{line}")).map(|()| Exit::Done)
}

fn of_flags(args: AddArgs, categories: &Categories) -> Result<NewPet> {
    let name = args.name.unwrap_or_default();
    let category_id = categories.parse(&args.category_id.unwrap_or_default());
    let status = args.status.as_deref().map(parse_status).transpose();
    match (check_name(&name), category_id, status) {
        (Ok(()), Ok(category_id), Ok(status)) => Ok(NewPet { name, category_id, status }),
        (name, category_id, status) => Err(wrong_flags("add", [name.err(), category_id.err(), status.err()])),
    }
}

/// Every fault of the flags of `petstore pets COMMAND`.
pub fn wrong_flags(command: &str, faults: [Option<FieldError>; 3]) -> Failed {
    let flag = |error: &FieldError| match error.field() {
        Field::Name => "--name",
        Field::CategoryId => "--category-id",
        Field::Status => "--status",
    };
    let faults: Vec<_> = faults.iter().flatten().map(|error| format!("{}: {error}", flag(error))).collect();
    Failed::config(faults.join(" ")).hint(format!("for all options: petstore pets {command} --help"))
}
