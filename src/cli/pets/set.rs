//! `petstore pets set`: changes pets, each as a whole or not at all.

use std::cell::Cell;
use std::collections::HashMap;
use std::path::Path;
use std::sync::Arc;

use uuid::Uuid;

use super::add::wrong_flags;
use super::args::SetArgs;
use super::context::Context;
use super::get::{get, in_words, print};
use super::list::search;
use crate::api::inventory::{Part, Selection};
use crate::api::retry::{once, repeated};
use crate::api::{Failure, Remedy};
use crate::app::inventory::changes::{FileChanges, status};
use crate::cli::confirm::{allowed, ask, change_question};
use crate::cli::format::Layout;
use crate::cli::output::is_there;
use crate::cli::transfer::open;
use crate::cli::{Exit, Failed, Result, note};
use crate::model::draft::check_name;
use crate::model::{
    IdempotencyKeys, Limit, PatchOperation, Pet, PetId, PetMember, PetMembers, PetPatch, PetQuery, Provenances,
    counted, short,
};
use crate::transfer::preview::preview;
use crate::transfer::{ColumnMapping, blocking};

/// The most changes that are listed before they are made.
const MOST_LISTED: usize = 20;

/// Sets `is_sent` once something may have been changed.
pub async fn run(context: &Context<'_>, args: SetArgs, is_sent: &Cell<bool>) -> Result<Exit> {
    let layout = context.layout(&args.output)?;
    if layout.is_about_addition() {
        return Err(Failed::config("the columns by and at are not known when a pet is changed"));
    }
    let category_id = args.category_id.as_deref().map(|text| context.settings.categories.parse(text));
    let checked = (args.name.as_deref().map(check_name).transpose(), category_id.transpose());
    let (Ok(_), Ok(category_id)) = checked else {
        return Err(wrong_flags("set", [checked.0.err(), checked.1.err(), None]));
    };
    let to = PetMembers { name: args.name.clone(), category_id, status: args.status.map(Into::into) };
    let from = PetMembers { status: args.if_status.map(Into::into), ..PetMembers::default() };
    let patch = PetPatch::new(from, to);
    let query = PetQuery { limit: Limit::MIN, ..PetQuery::default() };
    let listed = repeated(|| context.client.list_pets(&query)).await;
    listed.map_err(|error| context.failed(&error).and("Nothing was changed."))?;
    if !context.client.offers().changes {
        return Err(Failed::config(format!("{} does not offer to change pets", context.service)));
    }
    let (mut pets, mut first, mut whys, mut so) = (Vec::new(), None, Vec::new(), 0);
    let changes: Vec<_> = if let Some(file) = &args.file {
        let mut found = of_file(context, file, &args).await?;
        so = found.so;
        if !found.missing.is_empty() {
            let what = format!("{} has no {}", context.service, in_words(&found.missing));
            whys.push(what.clone());
            first = Some(Failed::new(Exit::NotFound, what).hint("to see all pets: petstore pets list --all"));
        }
        if args.dry_run {
            pets = found.pets.drain(..).map(|(_, wanted)| wanted).collect();
        }
        found.pets.iter().map(|(seen, wanted)| (seen.id, PetPatch::between(seen, wanted))).collect()
    } else if args.dry_run {
        return show(context, &args.ids, &patch, &layout).await;
    } else {
        args.ids.iter().map(|id| (*id, patch.clone())).collect()
    };
    is_there()?;
    is_sent.set(!args.dry_run);
    let mut keys = IdempotencyKeys::new(Uuid::new_v4());
    for (at, (id, patch)) in changes.iter().enumerate() {
        let key = keys.make();
        match once(context.client, || context.client.change_pet(*id, patch, &key)).await {
            Ok(pet) => pets.push(pet),
            Err(error) => {
                let failed = failed(context, *id, patch, &error);
                let what = &failed.what;
                let which = if what.contains(&format!("pet {id}")) { String::new() } else { format!("pet {id}: ") };
                whys.push(format!("{which}{what}"));
                first.get_or_insert(failed);
                // The next ones would fail in the same way.
                if error.may_pass() || error.remedy() == Remedy::EnterKey {
                    let unsent = changes.len() - at - 1;
                    whys.extend((unsent > 0).then(|| format!("{} not sent", counted(unsent, "change"))));
                    break;
                }
            }
        }
    }
    let is_none = pets.is_empty() && so == 0;
    // Where nothing was changed, the command ends with the first one.
    whys.iter().skip(usize::from(is_none)).for_each(|why| note(&format!("petstore: {why}")));
    let exit = if first.is_some() { Exit::Partly } else { Exit::Done };
    let asked = if args.file.is_some() { usize::MAX } else { args.ids.len() };
    match first {
        Some(failed) if is_none => Err(failed),
        _ => print(&pets, asked, &Provenances::new(), &layout).map(|_| exit),
    }
}

/// Prints the pets as they would become.
async fn show(context: &Context<'_>, ids: &[PetId], patch: &PetPatch, layout: &Layout) -> Result<Exit> {
    let refused = Cell::new(0);
    let shown = |pet: Pet| {
        patch.apply(&pet).unwrap_or_else(|| {
            note(&format!("petstore: pet {} is {}: nothing would be changed", pet.id, short(pet.status_word())));
            refused.set(refused.get() + 1);
            pet
        })
    };
    let exit = get(context, ids, layout, shown).await?;
    Ok(match refused.get() {
        0 => exit,
        all if all == ids.len() => Exit::Refused,
        _ => Exit::Partly,
    })
}

/// What a file changes of the pets as they are. Lists it, and asks whether to.
async fn of_file(context: &Context<'_>, file: &Path, args: &SetArgs) -> Result<FileChanges> {
    let Context { settings, verbosity, .. } = *context;
    let failed = |error| Failed::transfer(&error, context.service);
    let categories = Arc::clone(&settings.categories);
    let reading = ColumnMapping { changes: true, categories, ..ColumnMapping::default() };
    let file = file.to_owned();
    let read = blocking(move || preview(open(&file)?, &reading, |_, _| true)).await.map_err(failed)?;
    if read.bad > 0 {
        read.bad_rows.iter().for_each(|bad| note(&bad.sentence()));
        return Err(Failed::new(Exit::Refused, "nothing was changed because some rows need fixing"));
    }
    let rows = read.changes;
    let mut known = HashMap::new();
    let take = |part: Part| {
        known.extend(part.pets.into_iter().filter(|pet| rows.contains_key(&pet.id)).map(|pet| (pet.id, pet)));
        Ok(known.len() < rows.len())
    };
    let searched = search(context, Selection::default(), usize::MAX, take).await;
    let (_, coverage) = searched.map_err(|failed| failed.and("Nothing was changed."))?;
    let changes = FileChanges::of(&rows, |id| known.get(&id).cloned());
    if !changes.missing.is_empty() && !coverage.complete {
        let missing = in_words(&changes.missing);
        let what = format!("{} does not list all pets, and not {missing}: nothing was changed", context.service);
        return Err(Failed::new(Exit::Partly, what));
    }
    let most = if args.dry_run { usize::MAX } else { MOST_LISTED };
    changes.lines().take(most).for_each(|line| verbosity.note(&line));
    let more = if changes.pets.len() > most { "; --dry-run lists all" } else { "" };
    verbosity.note(&format!("{}{more}", changes.counts()));
    if !args.dry_run && !args.yes && !changes.pets.is_empty() {
        let question = change_question(changes.pets.len(), settings);
        allowed(blocking(move || Ok(ask(&question, false))).await.map_err(failed)?, settings)?;
    }
    Ok(changes)
}

fn failed(context: &Context<'_>, id: PetId, patch: &PetPatch, error: &Failure) -> Failed {
    let tests_status = |operation: &_| matches!(operation, PatchOperation::Test(PetMember::Status(_)));
    if let Some(pet) = error.changed() {
        let what = match patch.0.iter().any(tests_status) {
            true => format!("is {} by now", status(&pet)),
            false => "was changed by somebody else".to_owned(),
        };
        return Failed::new(Exit::Refused, format!("pet {id} {what}: nothing was changed"));
    }
    let failed = context.failed_of(id, error, true);
    if !error.outcome_unknown() {
        return failed;
    }
    failed.hint(format!("the pet may or may not have been changed; check with: petstore pets get {id}"))
}
