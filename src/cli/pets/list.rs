//! `petstore pets list`: the first pets, or the whole inventory as far as the service lists it.

use tokio::sync::mpsc;

use super::args::ListArgs;
use super::context::PetsContext;
use crate::api::inventory::{Coverage, inventory};
use crate::api::retry::repeated;
use crate::cli::error::{Exit, Failed};
use crate::cli::format::{PetLayout, write_header, write_lines, write_list};
use crate::cli::output::write_as;
use crate::model::{Pet, PetQuery};

pub async fn run(context: &PetsContext<'_>, args: &ListArgs) -> Result<Exit, Failed> {
    let layout = PetLayout { raw: args.raw, ..context.layout(&args.output)? };
    if args.all { all(context, args, &layout).await } else { first(context, args, &layout).await }
}

async fn first(context: &PetsContext<'_>, args: &ListArgs, layout: &PetLayout) -> Result<Exit, Failed> {
    let limit = args.limit.unwrap_or(context.settings.limit);
    let query = PetQuery { status: args.status, limit, after: None };
    let mut page = repeated(|| context.client.list_pets(&query)).await.map_err(|error| context.failed(&error))?;
    if let Some(sort) = args.sort {
        sort.apply(&mut page.pets);
    }
    let shown = write_as(layout.format.content(), |out| write_list(out, &page.pets, layout))?;
    if shown && page.pets.len() >= usize::from(limit.get()) {
        let more = if page.next.is_some() { "there are more" } else { "there may be more" };
        let shown = page.pets.len();
        context.verbosity.note(&format!("Showing {shown}; {more}. Use --limit (max 100) or --all."));
    }
    Ok(Exit::Done)
}

/// What was received of an inventory.
#[derive(Default)]
struct Taken {
    /// The pets that are not written yet.
    pets: Vec<Pet>,
    seen: usize,
    /// The reader of the output has gone.
    unread: bool,
}

async fn all(context: &PetsContext<'_>, args: &ListArgs, layout: &PetLayout) -> Result<Exit, Failed> {
    // Sorting, and checking that the list is complete, need the whole list.
    let waits = args.sort.is_some() || args.require_complete;
    let (parts, coming) = mpsc::channel(1);
    let fetched = inventory(context.client, args.status, parts);
    let (coverage, taken) = tokio::join!(fetched, take(coming, layout, waits));
    let mut taken = taken?;
    if taken.unread {
        return Ok(Exit::Done);
    }
    let coverage = coverage.map_err(|error| context.failed(&error))?;
    let word = word(&coverage, args, taken.seen);
    if args.require_complete && !coverage.complete {
        return Err(Failed::new(
            Exit::Partly,
            format!("the list is not known to be complete, so nothing is listed: {word}"),
        )
        .hint("to list what there is, omit --require-complete"));
    }
    if let Some(sort) = args.sort {
        sort.apply(&mut taken.pets);
    }
    let is_written = layout.format.has_lines() && !waits;
    if !is_written && !write_as(layout.format.content(), |out| write_list(out, &taken.pets, layout))? {
        return Ok(Exit::Done);
    }
    if !coverage.complete {
        context.verbosity.note(&word);
    }
    Ok(Exit::Done)
}

/// Receives an inventory, and writes it as it arrives if the format has lines and nothing `waits` for the whole.
async fn take(mut coming: mpsc::Receiver<Vec<Pet>>, layout: &PetLayout, waits: bool) -> Result<Taken, Failed> {
    let mut taken = Taken::default();
    let writes = layout.format.has_lines() && !waits;
    let mut is_first = true;
    while let Some(part) = coming.recv().await {
        taken.seen += part.len();
        if !writes {
            taken.pets.extend(part);
            continue;
        }
        let header = std::mem::take(&mut is_first);
        taken.unread = !write_as(layout.format.content(), |out| {
            if header {
                write_header(out, layout)?;
            }
            write_lines(out, &part, layout)
        })?;
        if taken.unread {
            break;
        }
    }
    // An empty inventory has a header, too.
    if writes && is_first {
        taken.unread = !write_as(layout.format.content(), |out| write_header(out, layout))?;
    }
    Ok(taken)
}

fn word(coverage: &Coverage, args: &ListArgs, seen: usize) -> String {
    match args.status {
        None => coverage.honest_word(seen),
        Some(_) => coverage.honest_word_of_status(seen),
    }
}
