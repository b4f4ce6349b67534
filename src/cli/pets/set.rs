//! `petstore pets set`: changes pets, each as a whole or not at all.

use uuid::Uuid;

use super::add::wrong_flags;
use super::args::SetArgs;
use super::context::PetsContext;
use super::get::{get, print};
use crate::api::Failure;
use crate::api::retry::{change_pet_once, repeated};
use crate::cli::output::is_there;
use crate::cli::{Exit, Failed, note};
use crate::model::draft::check_name;
use crate::model::{
    IdempotencyKeys, Limit, PatchOperation, Pet, PetId, PetMembers, PetPatch, PetQuery, Provenances, short,
};

pub async fn run(context: &PetsContext<'_>, args: SetArgs) -> Result<Exit, Failed> {
    let layout = context.layout(&args.output)?;
    if layout.is_about_addition() {
        return Err(Failed::new(Exit::Usage, "the columns by and at are not known when a pet is changed"));
    }
    let category_id = args.category_id.as_deref().map(|text| context.settings.categories.parse(text));
    let checked = (args.name.as_deref().map(check_name).transpose(), category_id.transpose());
    let (Ok(_), Ok(category_id)) = checked else {
        return Err(wrong_flags("set", [checked.0.err(), checked.1.err(), None]));
    };
    let to = PetMembers { name: args.name, category_id, status: args.status.map(Into::into) };
    let from = PetMembers { status: args.if_status.map(Into::into), ..PetMembers::default() };
    let tests = from.clone().into_iter().map(PatchOperation::Test);
    let patch = PetPatch(tests.chain(to.clone().into_iter().map(PatchOperation::Replace)).collect());
    let query = PetQuery { limit: Limit::MIN, ..PetQuery::default() };
    let listed = repeated(|| context.client.list_pets(&query)).await;
    listed.map_err(|error| context.failed(&error).and("Nothing was changed."))?;
    if !context.client.offers_changes() {
        return Err(Failed::new(Exit::Usage, format!("{} does not offer to change pets", context.service)));
    }
    if args.dry_run {
        return get(context, &args.ids, &layout, |pet| patch.apply(&pet).unwrap_or(pet)).await;
    }
    is_there()?;
    let mut keys = IdempotencyKeys::new(Uuid::new_v4());
    let (mut pets, mut first_failure) = (Vec::new(), None);
    for &id in &args.ids {
        match change_pet_once(context.client, id, &patch, &keys.make()).await {
            Ok(pet) => pets.push(pet),
            Err(error) => {
                let failed = failed(context, id, &error);
                if args.ids.len() > 1 {
                    let what = failed.what();
                    let which = if what.contains(&format!("pet {id}")) { String::new() } else { format!("pet {id}: ") };
                    note(&format!("petstore: {which}{what}"));
                }
                first_failure.get_or_insert(failed);
            }
        }
    }
    match first_failure {
        Some(failed) if pets.is_empty() => return Err(failed),
        _ => print(&pets, args.ids.len(), &Provenances::new(), &layout)?,
    };
    Ok(if pets.len() == args.ids.len() { Exit::Done } else { Exit::Partly })
}

fn failed(context: &PetsContext<'_>, id: PetId, error: &Failure) -> Failed {
    if let Some(Pet { status, .. }) = error.changed() {
        let status = status.as_ref().map_or_else(|| "without a status".to_owned(), |status| short(status.as_str()));
        return Failed::new(Exit::Refused, format!("pet {id} is {status} by now: nothing was changed"));
    }
    let failed = context.failed_of(id, error, true);
    if error.outcome_unknown() {
        return failed.hint(format!("the pet may or may not have been changed; check with: petstore pets get {id}"));
    }
    failed
}
