//! `petstore pets list`: the first pets, or what fits of the whole inventory, as far as the service lists it; and how many
//! that are.

use std::io::{self, Write as _};

use serde_json::json;
use tokio::sync::mpsc;

use super::args::{CountArgs, FilterArgs, ListArgs, WatchArgs, WatchFormat};
use super::context::Context;
use super::watch;
use crate::api::Coverage;
use crate::api::inventory::{Part, Selection, inventory};
use crate::api::retry::repeated;
use crate::cli::format::{Layout, write_list};
use crate::cli::output::{Content, Out, Verbosity, write_as};
use crate::cli::{Exit, Failed, Result, note};
use crate::model::columns::SortOrder;
use crate::model::export::{Column, Kind, Recorded};
use crate::model::{Pet, PetId, PetQuery, PetStatus, Provenances, table};

pub async fn run(context: &Context<'_>, mut args: ListArgs) -> Result<Exit> {
    let mut layout = Layout { raw: args.raw, ..context.layout(&args.output)? };
    if args.with_total && layout.format != Kind::Json {
        let hint = "add --json; or to print a number: petstore pets count";
        return Err(Failed::config("--with-total is for JSON").hint(hint));
    }
    let FilterArgs { status: statuses, search, view } = &args.filter;
    let view = context.view(view.as_deref())?;
    let wanted = context.wanted(statuses, search.as_deref(), view);
    if let Some(view) = view {
        args.sort = args.sort.or(view.sort);
        args.limit = args.limit.or(view.limit.filter(|_| !args.all));
        if layout.columns.is_empty() && layout.format != Kind::Ids {
            layout.columns.clone_from(&view.columns);
        }
    }
    let status = wanted.statuses.first().copied();
    let end = match wanted.statuses.as_slice() {
        [] | [_] if !args.all && wanted.search.is_none() => first(context, status, &args, &layout).await?,
        _ => all(context, wanted, &args, &layout).await?,
    };
    if !args.watch {
        return Ok(Exit::Done);
    }
    let format = if layout.format.content() == Content::Json { WatchFormat::Ndjson } else { WatchFormat::Lines };
    // What is added between the list and the watch is not missed.
    let from = end.filter(|_| context.client.offers().events);
    watch::run(context, &WatchArgs { status, view: args.filter.view, format, from, ..WatchArgs::default() }).await
}

const NEWEST: SortOrder = SortOrder { column: Column::Id, descending: true };

/// Lists the first pets; returns the last one if there are certainly no more.
async fn first(
    context: &Context<'_>,
    status: Option<PetStatus>,
    args: &ListArgs,
    layout: &Layout,
) -> Result<Option<PetId>> {
    let limit = args.limit.unwrap_or(context.settings.config.pets.limit);
    let mut query = PetQuery { status, limit, ..PetQuery::default() };
    let mut page = repeated(|| context.client.list_pets(&query)).await.map_err(|error| context.failed(&error))?;
    // The newest of all, where the service can list these first.
    query.newest_first = args.sort == Some(NEWEST) && context.client.offers().order;
    if query.newest_first && page.next.is_some() {
        page = repeated(|| context.client.list_pets(&query)).await.map_err(|error| context.failed(&error))?;
    }
    let is_all = page.next.is_none() && page.pets.len() < usize::from(limit.get());
    let last = page.pets.iter().map(|pet| pet.id).max();
    if let Some(sort) = args.sort {
        sort.apply(&mut page.pets);
    }
    let provenances = context.provenances(layout, &page.pets).await?;
    let shown = page.pets.len() as u64;
    let total = async || match is_all {
        true => Some(shown),
        // Without it, the list is as good.
        false => context.client.total(status).await.ok().flatten(),
    };
    let counted = if args.with_total { Some(total().await) } else { None };
    let is_read = write_all(&page.pets, &provenances, layout, counted)?;
    if is_read && !is_all && context.verbosity != Verbosity::Quiet {
        let counted = if let Some(counted) = counted { counted } else { total().await };
        let (of, more) = match (counted, page.next) {
            (Some(total), _) if total <= shown => return Ok(last),
            (Some(total), _) => (format!(" of {total}"), ""),
            (None, next) => (String::new(), if next.is_some() { "; there are more" } else { "; there may be more" }),
        };
        let among = if args.sort.is_some() && !query.newest_first { ", sorted among themselves" } else { "" };
        note(&format!("Showing {shown}{of}{among}{more}. Use --limit (max 100) or --all."));
    }
    Ok(last.filter(|_| is_all))
}

/// Writes a list. With `total`, which is `None` in it if it is unknown, that and the list are in an object.
fn write_all(pets: &[Pet], provenances: &Provenances, layout: &Layout, total: Option<Option<u64>>) -> Result<bool> {
    write_as(layout.format.content(), |out| {
        let Some(total) = total else { return write_list(out, pets, provenances, layout) };
        write!(out, "{{\"total\": {}, \"pets\": ", json!(total))?;
        write_list(out, pets, provenances, layout)?;
        writeln!(out, "}}")
    })
}

/// What was found in an inventory.
#[derive(Default)]
pub struct Found {
    /// How many pets.
    count: usize,
    /// The greatest id of all that were read.
    last: Option<PetId>,
    /// As many as were wanted; there may be more.
    is_cut: bool,
    /// Nobody wants more of them: the reader of the output has gone.
    is_unread: bool,
    /// How many pets were found, and what may be missing.
    word: String,
}

/// Gives `take` the pets that are wanted, `most` at most, some at a time, until it answers that no more are.
pub async fn search(
    context: &Context<'_>,
    wanted: Selection,
    most: usize,
    mut take: impl FnMut(Part) -> Result<bool>,
) -> Result<(Found, Coverage)> {
    let (parts, mut coming) = mpsc::channel::<Part>(1);
    let found = async {
        let mut found = Found::default();
        while let Some(mut part) = coming.recv().await {
            found.last = found.last.max(Some(part.last));
            part.pets.truncate(most - found.count);
            found.count += part.pets.len();
            found.is_cut = found.count == most;
            found.is_unread = !take(part)?;
            if found.is_cut || found.is_unread {
                break;
            }
        }
        // The inventory ends with its receiver.
        drop(coming);
        Ok::<_, Failed>(found)
    };
    let of_status = wanted.status().is_some();
    let (coverage, found) = tokio::join!(inventory(context.client, wanted, parts), found);
    let mut found = found?;
    let coverage = coverage.map_err(|error| Failed::provenance(&error, context.service))?;
    found.word = coverage.honest_word(found.count, of_status);
    Ok((found, coverage))
}

/// The most pets that are held in memory, which takes about 110 MB.
const MOST_HELD: usize = 500_000;

/// Lists the inventory; returns the last pet if there are certainly no more.
async fn all(context: &Context<'_>, mut wanted: Selection, args: &ListArgs, layout: &Layout) -> Result<Option<PetId>> {
    let most = match args.limit {
        None if args.all || wanted.search.is_some() => usize::MAX,
        limit => limit.unwrap_or(context.settings.config.pets.limit).get().into(),
    };
    // Tables and arrays, sorting, and checking that the list is complete, need the whole list.
    let has_lines = !matches!(layout.format, Kind::Table | Kind::Json);
    let streams = has_lines && args.sort.is_none() && !args.require_complete;
    let (mut pets, mut known, mut writer) = (Vec::<Pet>::new(), Provenances::new(), None);
    let write = |part: Part| {
        if !streams {
            if pets.len() + part.pets.len() > MOST_HELD {
                let what = format!("more than {MOST_HELD} pets are too many to sort or to hold back");
                return Err(Failed::config(what)
                    .hint("write them to a file: petstore pets export pets.csv; or list them without --sort"));
            }
            pets.extend(part.pets);
            known.extend(part.provenances);
            return Ok(true);
        }
        write_as(layout.format.content(), |out| {
            let writer = match &mut writer {
                Some(writer) => writer,
                none => none.insert(layout.begin(out)?),
            };
            writer.write(&part.pets, Recorded { provenances: &part.provenances, now: layout.now }, out)
        })
    };
    wanted.asks_who |= layout.is_about_addition();
    let (found, coverage) = search(context, wanted, most, write).await?;
    if found.is_unread {
        return Ok(None);
    }
    // An empty inventory has a header, too.
    if streams && writer.is_none() && !write_as(layout.format.content(), |out| layout.begin(out).map(drop))? {
        return Ok(None);
    }
    if args.require_complete && !coverage.complete {
        let what = format!("the list is not known to be complete, so nothing is listed: {}", found.word);
        return Err(Failed::new(Exit::Partly, what).hint("to list what there is, omit --require-complete"));
    }
    if let Some(sort) = args.sort {
        sort.apply(&mut pets);
    }
    let total = Some(found.count as u64).filter(|_| coverage.complete && !found.is_cut);
    if !streams && !write_all(&pets, &known, layout, args.with_total.then_some(total))? {
        return Ok(None);
    }
    if found.is_cut {
        context.verbosity.note(&format!("Showing {most}; there may be more. Use --limit (max 100) or --all."));
    } else if !coverage.complete {
        context.verbosity.note(&found.word);
    }
    Ok(found.last.filter(|_| coverage.complete && !found.is_cut))
}

/// Prints the number of pets; with `by_status` also that of each status.
pub async fn count(context: &Context<'_>, args: &CountArgs, by_status: bool) -> Result<Exit> {
    let FilterArgs { status: statuses, search: text, view } = &args.filter;
    let wanted = context.wanted(statuses, text.as_deref(), context.view(view.as_deref())?);
    if let Some(all) = total(context, &wanted, by_status).await? {
        return print_count(args, all, true);
    }
    let mut of_statuses = [0_u64; 3];
    let take = |Part { pets, .. }| {
        for (status, count) in PetStatus::ALL.into_iter().zip(&mut of_statuses) {
            *count += pets.iter().filter(|pet| pet.is(status)).count() as u64;
        }
        Ok(true)
    };
    let (found, coverage) = search(context, wanted, usize::MAX, take).await?;
    if !coverage.complete {
        if args.require_complete {
            return Err(Failed::new(Exit::Partly, format!("the number is not known to be exact: {}", found.word))
                .hint("to print what was counted, omit --require-complete"));
        }
        context.verbosity.note(&found.word);
    }
    print_count(args, (found.count as u64, by_status.then_some(of_statuses)), coverage.complete)
}

/// How many pets there are in all, and perhaps of each status.
type Counts = (u64, Option<[u64; 3]>);

/// What the service itself has counted, where it does that and nothing else is asked for.
async fn total(context: &Context<'_>, wanted: &Selection, by_status: bool) -> Result<Option<Counts>> {
    let total = async |status| {
        let total = repeated(|| context.client.total(status)).await;
        total.map_err(|error| context.failed(&error))
    };
    if wanted.search.is_some() || wanted.statuses.len() > usize::from(!by_status) {
        return Ok(None);
    }
    let Some(all) = total(wanted.status()).await? else { return Ok(None) };
    if !by_status {
        return Ok(Some((all, None)));
    }
    let mut of_statuses = [0; 3];
    for (status, count) in PetStatus::ALL.into_iter().zip(&mut of_statuses) {
        *count = total(Some(status)).await?.unwrap_or_default();
    }
    Ok(Some((all, Some(of_statuses))))
}

fn print_count(args: &CountArgs, (all, of_statuses): Counts, complete: bool) -> Result<Exit> {
    let by_status = of_statuses.is_some();
    let of_statuses = of_statuses.unwrap_or_default();
    let counts = PetStatus::ALL.iter().map(|status| status.as_str()).zip(of_statuses);
    let none = all.saturating_sub(of_statuses.iter().sum());
    let rows: Vec<(&str, u64)> = counts.chain([("no status", none)]).filter(|(_, count)| *count > 0).collect();
    let lines = |out: &mut Out<io::Stdout>| {
        if !by_status {
            return writeln!(out, "{all}");
        }
        let total = [("total", all)];
        table::write(out, rows.iter().chain(&total).map(|(word, count)| [(*word).to_owned(), count.to_string()]))
    };
    let object = || {
        let mut object = json!({ "count": all, "complete": complete });
        if by_status {
            object["byStatus"] = rows.iter().copied().collect();
        }
        object
    };
    args.output.write(lines, object).map(|()| Exit::Done)
}
