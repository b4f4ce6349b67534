//! `petstore pets list`: the first pets, or what fits of the whole inventory, as far as the service lists it.

use tokio::sync::mpsc;

use super::args::{DEFAULT_INTERVAL, FilterArgs, ListArgs, WatchArgs, WatchFormat};
use super::context::PetsContext;
use super::watch;
use crate::api::inventory::{Coverage, inventory};
use crate::api::retry::repeated;
use crate::app::inventory::search::Query;
use crate::cli::error::{Exit, Failed};
use crate::cli::format::{PetLayout, write_header, write_lines, write_list};
use crate::cli::output::{Content, write_as};
use crate::model::{ObservedStatus, Pet, PetQuery, PetStatus};

pub async fn run(context: &PetsContext<'_>, args: &ListArgs) -> Result<Exit, Failed> {
    let layout = PetLayout { raw: args.raw, ..context.layout(&args.output)? };
    let listed = match args.filter.status.as_slice() {
        [] | [_] if !args.all && args.filter.search.is_none() => first(context, args, &layout).await?,
        _ => all(context, args, &layout).await?,
    };
    if !args.watch {
        return Ok(listed);
    }
    let format = if layout.format.content() == Content::Json { WatchFormat::Ndjson } else { WatchFormat::Lines };
    let status = args.filter.status.first().copied();
    watch::run(context, &WatchArgs { status, interval: DEFAULT_INTERVAL, timeout: None, format }).await
}

async fn first(context: &PetsContext<'_>, args: &ListArgs, layout: &PetLayout) -> Result<Exit, Failed> {
    let limit = args.limit.unwrap_or(context.settings.limit);
    let query = PetQuery { status: args.filter.status.first().copied(), limit, after: None };
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

/// The pets of the inventory that a command is about.
pub(super) struct Filter<'a> {
    statuses: &'a [PetStatus],
    search: Option<Query>,
    /// The most pets that are wanted.
    most: usize,
}

impl<'a> Filter<'a> {
    pub(super) fn new(args: &'a FilterArgs, most: usize) -> Self {
        Self { statuses: &args.status, search: args.search.as_deref().map(Query::parse), most }
    }

    /// The status that the service filters by; of several, the program does.
    fn asked(&self) -> Option<PetStatus> {
        if let [only] = self.statuses { Some(*only) } else { None }
    }

    fn fits(&self, pet: &Pet) -> bool {
        let has = |status: &PetStatus| pet.status == Some(ObservedStatus::Known(*status));
        (self.statuses.len() < 2 || self.statuses.iter().any(has))
            && self.search.as_ref().is_none_or(|search| search.fits(pet))
    }
}

/// What was found in an inventory.
#[derive(Default)]
pub(super) struct Found {
    /// How many pets.
    pub(super) count: usize,
    /// As many as were wanted; there may be more.
    is_cut: bool,
    /// Nobody wants more of them: the reader of the output has gone.
    pub(super) is_unread: bool,
}

/// Gives `take` the pets of the inventory that fit, some at a time, until it answers that no more are wanted.
pub(super) async fn search(
    context: &PetsContext<'_>,
    filter: &Filter<'_>,
    mut take: impl FnMut(Vec<Pet>) -> Result<bool, Failed>,
) -> Result<(Found, Coverage), Failed> {
    let (parts, mut coming) = mpsc::channel::<Vec<Pet>>(1);
    let found = async {
        let mut found = Found::default();
        while let Some(mut part) = coming.recv().await {
            part.retain(|pet| filter.fits(pet));
            part.truncate(filter.most - found.count);
            found.count += part.len();
            found.is_cut = found.count == filter.most;
            found.is_unread = !take(part)?;
            if found.is_cut || found.is_unread {
                break;
            }
        }
        // The inventory ends with its receiver.
        drop(coming);
        Ok::<_, Failed>(found)
    };
    let (coverage, found) = tokio::join!(inventory(context.client, filter.asked(), parts), found);
    let found = found?;
    let coverage = coverage.map_err(|error| context.failed(&error))?;
    Ok((found, coverage))
}

async fn all(context: &PetsContext<'_>, args: &ListArgs, layout: &PetLayout) -> Result<Exit, Failed> {
    let most = match args.limit {
        Some(limit) => limit.get().into(),
        None if args.all || args.filter.search.is_some() => usize::MAX,
        None => context.settings.limit.get().into(),
    };
    // Sorting, and checking that the list is complete, need the whole list.
    let streams = layout.format.has_lines() && args.sort.is_none() && !args.require_complete;
    let (mut pets, mut is_first) = (Vec::new(), true);
    let write = |part: Vec<Pet>| {
        if !streams {
            pets.extend(part);
            return Ok(true);
        }
        let header = std::mem::take(&mut is_first);
        write_as(layout.format.content(), |out| {
            if header {
                write_header(out, layout)?;
            }
            write_lines(out, &part, layout)
        })
    };
    let (found, coverage) = search(context, &Filter::new(&args.filter, most), write).await?;
    if found.is_unread {
        return Ok(Exit::Done);
    }
    // An empty inventory has a header, too.
    if streams && is_first && !write_as(layout.format.content(), |out| write_header(out, layout))? {
        return Ok(Exit::Done);
    }
    let word = word(&coverage, &args.filter, found.count);
    if args.require_complete && !coverage.complete {
        return Err(Failed::new(
            Exit::Partly,
            format!("the list is not known to be complete, so nothing is listed: {word}"),
        )
        .hint("to list what there is, omit --require-complete"));
    }
    if let Some(sort) = args.sort {
        sort.apply(&mut pets);
    }
    if !streams && !write_as(layout.format.content(), |out| write_list(out, &pets, layout))? {
        return Ok(Exit::Done);
    }
    if found.is_cut {
        context.verbosity.note(&format!("Showing {most}; there may be more. Use --limit (max 100) or --all."));
    } else if !coverage.complete {
        context.verbosity.note(&word);
    }
    Ok(Exit::Done)
}

/// How many pets were found, and what may be missing.
pub(super) fn word(coverage: &Coverage, filter: &FilterArgs, seen: usize) -> String {
    match filter.status.as_slice() {
        [_] => coverage.honest_word_of_status(seen),
        _ => coverage.honest_word(seen),
    }
}
