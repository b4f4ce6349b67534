//! `petstore pets get`: gets pets by id, with the deprecated operation only if the lists are not enough.

use super::args::GetArgs;
use super::context::Context;
use crate::api::Failure;
use crate::api::find::{Ask, Lists, LookupResult, find};
use crate::api::retry::repeated;
use crate::cli::format::{Layout, write_list, write_one};
use crate::cli::output::{Verbosity, write_as};
use crate::cli::{Exit, Failed, Result, note};
use crate::model::sunset::GET_PET_REMOVED_ON_WORDS;
use crate::model::{Pet, PetId, Provenances};

pub async fn run(context: &Context<'_>, args: &GetArgs) -> Result<Exit> {
    get(context, &args.ids, &context.layout(&args.output)?, |pet| pet).await
}

/// Gets pets, and writes them as `shown` makes them.
pub async fn get(context: &Context<'_>, ids: &[PetId], layout: &Layout, shown: impl Fn(Pet) -> Pet) -> Result<Exit> {
    let (mut pets, mut missing, mut answers) = (Vec::new(), Vec::new(), Vec::new());
    let lists = Lists::default();
    for &id in ids {
        let found = one(context, &lists, id).await.map_err(|error| context.failed(&error))?;
        answers.extend(found.get);
        match found.pet {
            Some(pet) => pets.push(shown(pet)),
            None => missing.push(id),
        }
    }
    if !answers.is_empty() && context.verbosity == Verbosity::Verbose {
        note(&format!("used GET /pets/{{petId}}, which will be removed on {GET_PET_REMOVED_ON_WORDS}"));
    }
    let gone = answers.iter().find(|status| [405, 410].contains(*status));
    if pets.is_empty() {
        let what = format!("{} has no {}", context.service, in_words(&missing));
        let (what, hint) = match gone {
            Some(status) => (
                format!("{what} in its lists, and no longer offers the lookup of a single pet ({status})"),
                "to search everything: petstore pets list --all",
            ),
            None => (what, "to see all pets: petstore pets list --all"),
        };
        return Err(Failed::new(Exit::NotFound, what).hint(hint));
    }
    let provenances = context.provenances(layout, &pets).await?;
    print(&pets, ids.len(), &provenances, layout)?;
    if missing.is_empty() {
        return Ok(Exit::Done);
    }
    note(&format!("petstore: {} has no {}", context.service, in_words(&missing)));
    Ok(Exit::Partly)
}

/// Writes what came of the pets that were `asked` for: one alone as such.
pub fn print(pets: &[Pet], asked: usize, provenances: &Provenances, layout: &Layout) -> Result<bool> {
    write_as(layout.format.content(), |out| match (pets, asked) {
        ([pet], 1) => write_one(out, pet, provenances, layout),
        _ => write_list(out, pets, provenances, layout),
    })
}

async fn one(context: &Context<'_>, lists: &Lists, id: PetId) -> Result<LookupResult, Failure> {
    let found = repeated(|| find(context.client, lists, id, Ask::IfNeeded)).await?;
    if found.pet.is_some() || found.get.is_some() {
        return Ok(found);
    }
    // A pet without a status is in none of the lists.
    repeated(|| find(context.client, lists, id, Ask::Now)).await
}

pub fn in_words(ids: &[PetId]) -> String {
    let words: Vec<_> = ids.iter().map(PetId::to_string).collect();
    let many = if words.len() == 1 { "pet" } else { "pets" };
    format!("{many} {}", words.join(", "))
}
