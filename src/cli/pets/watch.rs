//! `petstore pets watch`: streams changes of the inventory, by the events of a service that offers them, or by polling.
//!
//! Pages are requested with their entity tags, so that polling an unchanged inventory transfers no rows.

use std::ffi::OsString;
use std::io::{self, Write};
use std::time::Duration;

use jiff::tz::TimeZone;
use tokio::time::{sleep, timeout};

use super::args::{DEFAULT_INTERVAL, WatchArgs, WatchFormat};
use super::context::Context;
use crate::api::follow::{AddedPet, ChangedPet, EventPosition, Followed, Follower};
use crate::api::list;
use crate::api::retry::{self, dice, repeated};
use crate::api::{Client, Failure, List};
use crate::app::inventory::changes::{Change, ChangeKind, SeenPets};
use crate::cli::output::{Content, Ink, write_as};
use crate::cli::render::json;
use crate::cli::{Exit, Failed, Result, note};
use crate::clock::{self, time_zone};
use crate::local::log::line;
use crate::local::program::{command, feed};
use crate::model::search::Query;
use crate::model::{Limit, ObservedStatus, Pet, PetQuery, PetStatus, counted, display_safe, short};

/// The longest pause while the service is down, unless the interval is longer.
const LONGEST_PAUSE: Duration = Duration::from_secs(300);

pub async fn run(context: &Context<'_>, args: &WatchArgs) -> Result<Exit> {
    let Some(limit) = args.timeout else { return watch(context, args).await };
    // This also ends a command that still runs for a pet.
    timeout(limit, watch(context, args)).await.unwrap_or_else(|_| {
        context.verbosity.note("stopped: the timeout is over");
        Ok(Exit::DomainWaits)
    })
}

async fn watch(context: &Context<'_>, args: &WatchArgs) -> Result<Exit> {
    let wanted = context.wanted(args.status.as_slice(), None, context.view(args.view.as_deref())?);
    if wanted.asks_who {
        // Who added a pet is not known while it is watched.
        return Err(Failed::config("a view that searches with by: cannot be watched").hint("choose another view"));
    }
    let watch = Watch { context, args, status: wanted.status(), search: wanted.search };
    if args.interval.is_none()
        && let Some(follower) = watch.follower().await?
    {
        return watch.follow(follower).await;
    }
    if args.from.is_some() {
        let what = format!("--from cannot be used: {} does not offer events of new pets", context.service);
        return Err(Failed::config(what).hint("to ask again and again, omit --from"));
    }
    watch.poll(args.interval.unwrap_or(DEFAULT_INTERVAL)).await
}

/// The lists that are polled.
#[derive(Default)]
struct Lists {
    status: Option<PetStatus>,
    /// The list of all pets, or of the one status.
    plain: Option<List>,
    /// The lists of each status, if the plain one has no pages and may be cut.
    of_statuses: [Option<List>; 3],
}

impl Lists {
    /// Requests them again, and returns whether anything changed. A list whose request fails stays as it was.
    async fn refresh(&mut self, client: &Client) -> Result<bool, Failure> {
        let mut is_changed = ask(client, self.status, &mut self.plain).await?;
        if self.status.is_none() && !self.are_whole() {
            for (status, known) in PetStatus::ALL.into_iter().zip(&mut self.of_statuses) {
                is_changed |= ask(client, Some(status), known).await?;
            }
        }
        Ok(is_changed)
    }

    /// Whether a pet that is in none of them is gone.
    fn are_whole(&self) -> bool {
        self.plain.as_ref().is_some_and(|list| {
            let is_cut = list.pages() == 1 && list.pets.len() >= usize::from(Limit::MAX.get());
            list.next().is_none() && !is_cut
        })
    }

    fn pets(&self) -> impl Iterator<Item = &Pet> {
        let others = self.of_statuses.iter().filter(|_| !self.are_whole());
        [&self.plain].into_iter().chain(others).flatten().flat_map(|list| list.pets.iter())
    }
}

async fn ask(client: &Client, status: Option<PetStatus>, known: &mut Option<List>) -> Result<bool, Failure> {
    let query = PetQuery { status, limit: Limit::MAX, ..PetQuery::default() };
    let answer = list::list(client, &query, u16::MAX, known.as_ref()).await?;
    let is_new = answer.list.is_some();
    if is_new {
        *known = answer.list;
    }
    Ok(is_new)
}

/// A watch of the pets that are searched for, and what becomes of their changes.
struct Watch<'a> {
    context: &'a Context<'a>,
    args: &'a WatchArgs,
    status: Option<PetStatus>,
    search: Option<Query>,
}

impl Watch<'_> {
    /// Asks the service whether it offers events; an unreachable one is an error here, and waited for later.
    async fn follower(&self) -> Result<Option<Follower>> {
        let Self { context, status, .. } = *self;
        let query = PetQuery { status, limit: Limit::MIN, ..PetQuery::default() };
        repeated(|| context.client.list_pets(&query)).await.map_err(|error| context.failed(&error))?;
        let after = self.args.from.map(EventPosition::after);
        Follower::new(context.client, after, status).map_err(Failed::because("cannot prepare requests"))
    }

    async fn follow(&self, mut follower: Follower) -> Result<Exit> {
        use Followed::*;
        let Context { service, verbosity, .. } = *self.context;
        let after = follower.position().map_or_else(String::new, |after| format!(" after {}", after.pet));
        verbosity.note(&format!("watching {service} for new and changed pets{after}"));
        let mut is_away = false;
        loop {
            match follower.next().await.map_err(|error| self.context.failed(&error))? {
                Connected(..) => {
                    if std::mem::take(&mut is_away) {
                        verbosity.note(&format!("{service} is answering again"));
                    }
                }
                Lost(Some(error)) if !is_away => {
                    is_away = true;
                    note(&format!("{} Retrying at growing intervals.", error.sentence(service)));
                }
                Lost(_) => {}
                PetsLost(last) => note(&format!(
                    "{service} has lost pets, for example because a backup was restored. Watching for new pets after {last}."
                )),
                Added(added) => {
                    let at = clock::now().wall;
                    let new = |AddedPet { pet, .. }| Change { at, kind: ChangeKind::New, pet, before: None, by: None };
                    if !self.deliver(&added.into_iter().map(new).collect::<Vec<_>>()).await? {
                        return Ok(Exit::Done);
                    }
                }
                Changed(changed) => {
                    let at = clock::now().wall;
                    let change = |ChangedPet { pet, from, to, changed_by, .. }| {
                        // By now it may have been changed again.
                        let pet = to.over(&pet);
                        let before = Some(from.over(&pet));
                        let by = changed_by.map(|by| by.name.unwrap_or(by.key));
                        Change { at, kind: ChangeKind::Changed, pet, before, by }
                    };
                    if !self.deliver(&changed.into_iter().map(change).collect::<Vec<_>>()).await? {
                        return Ok(Exit::Done);
                    }
                }
            }
        }
    }

    async fn poll(&self, interval: Duration) -> Result<Exit> {
        let Context { client, service, verbosity, .. } = *self.context;
        let begun = clock::now().wall;
        // At the start an unreachable service is an error; later it is waited for.
        let first = repeated(|| async {
            let mut lists = Lists { status: self.status, ..Lists::default() };
            lists.refresh(client).await.map(|_| lists)
        });
        let mut lists = first.await.map_err(|error| self.context.failed(&error))?;
        let mut known = SeenPets::default();
        known.learn(lists.pets(), true, false, begun);
        let whole =
            if lists.are_whole() { "" } else { "; there may be more, so pets that disappear are not reported as gone" };
        verbosity.note(&format!("watching {} of {service}{whole}", counted(known.count(), "pet")));
        let mut failures = 0;
        let mut pause = interval;
        loop {
            sleep(pause).await;
            let is_changed = match lists.refresh(client).await {
                Ok(is_changed) => is_changed,
                // Waiting does not help.
                Err(error) if !error.may_pass() => return Err(self.context.failed(&error)),
                Err(error) => {
                    if failures == 0 {
                        note(&format!("{} Retrying at growing intervals.", error.sentence(service)));
                    }
                    pause = retry::pause(interval, LONGEST_PAUSE.max(interval), failures, Some(&error), dice());
                    failures += 1;
                    continue;
                }
            };
            let was_away = failures > 0;
            if was_away {
                verbosity.note(&format!("{service} is answering again"));
            }
            (failures, pause) = (0, interval);
            // Changes received before a failure in the same refresh are not reported yet.
            if !is_changed && !was_away {
                continue;
            }
            let changes = known.learn(lists.pets(), false, lists.are_whole(), clock::now().wall);
            if !self.deliver(&changes).await? {
                return Ok(Exit::Done);
            }
        }
    }

    /// Whether a change is about a pet that is, or was, searched for.
    fn wants(&self, change: &Change) -> bool {
        let fits = |search: &Query| {
            [Some(&change.pet), change.before.as_ref()].into_iter().flatten().any(|pet| search.fits(pet))
        };
        self.search.as_ref().is_none_or(fits)
    }

    /// Delivers these changes; returns `false` if the reader of the output has gone, or has what it wanted.
    async fn deliver(&self, changes: &[Change]) -> Result<bool> {
        let most = if self.args.once { 1 } else { usize::MAX };
        let mut wanted = changes.iter().filter(|change| self.wants(change)).take(most).peekable();
        let goes_on = !self.args.once || wanted.peek().is_none();
        match self.args.exec.split_first() {
            None => {
                let (format, zone) = (self.args.format, time_zone());
                let content = if format == WatchFormat::Ndjson { Content::Json } else { Content::Lines };
                let is_read = write_as(content, |out| {
                    wanted.try_for_each(|change| write(out, change, &zone, format, self.context.coloured))
                });
                Ok(is_read? && goes_on)
            }
            Some((program, args)) => {
                for Change { pet, .. } in wanted.filter(|change| change.kind != ChangeKind::Gone) {
                    let name = short(&program.to_string_lossy());
                    let status = run_for(program, args, pet).await.map_err(|error| {
                        let what = format!("cannot run {name} for pet {}: {error}", pet.id);
                        Failed::config(display_safe(&what))
                    })?;
                    if !status.success() {
                        note(&format!("pet {}: {name} failed ({status})", pet.id));
                    }
                }
                Ok(goes_on)
            }
        }
    }
}

/// Runs a command to its end, without a shell. A command that cannot be started is an error.
async fn run_for(program: &OsString, args: &[OsString], pet: &Pet) -> io::Result<std::process::ExitStatus> {
    let mut command = command(program);
    command.args(args);
    feed(command, line(pet)?.as_bytes()).await
}

fn write(out: &mut impl Write, change: &Change, zone: &TimeZone, format: WatchFormat, colour: bool) -> io::Result<()> {
    match format {
        WatchFormat::Lines => {
            let time = change.at.to_zoned(zone.clone()).strftime("%H:%M:%S");
            writeln!(out, "{time}  {}", sentence(change, colour))
        }
        WatchFormat::Ndjson => json(out, change, false),
    }
}

fn sentence(change: &Change, coloured: bool) -> String {
    let Pet { id, name, category_id, status } = &change.pet;
    let status = status.as_ref().map_or("-", ObservedStatus::as_str);
    let pet = format!("{id}  {}  {category_id}  {}", display_safe(name), display_safe(status));
    let ink = match change.kind {
        ChangeKind::New => Ink::Green,
        ChangeKind::Gone => Ink::Red,
        ChangeKind::Changed => Ink::Yellow,
    };
    let was = change
        .differences()
        .map(|(column, before)| format!("{} was {}", column.as_str(), display_safe(&column.word(before))));
    let by = change.by.as_ref().map(|by| format!("by {}", short(by)));
    let was = Vec::from_iter(was.chain(by)).join(", ");
    let was = if was.is_empty() { was } else { format!("  ({was})") };
    format!("{} {pet}{was}", ink.paint(change.kind.sign(), coloured))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::PetStatus;

    fn written(change: &Change, format: WatchFormat) -> String {
        let mut out = Vec::new();
        write(&mut out, change, &TimeZone::UTC, format, false).unwrap();
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn a_line_shows_what_a_pet_is_and_what_it_was() {
        let pet = Pet { id: 31, name: "Rex\u{1b}".into(), category_id: 3, status: Some(PetStatus::Sold.into()) };
        let before = Pet { status: None, ..pet.clone() };
        let at = "2026-11-21T14:03:07Z".parse().unwrap();
        let change = |kind, pet: &Pet| Change { at, kind, pet: pet.clone(), before: None, by: None };
        let changed = Change { before: Some(before.clone()), ..change(ChangeKind::Changed, &pet) };
        let lines = |change: &Change| written(change, WatchFormat::Lines);
        assert_eq!(lines(&change(ChangeKind::New, &before)), "14:03:07  + 31  Rex⟨U+001B⟩  3  -\n");
        assert_eq!(lines(&change(ChangeKind::Gone, &pet)), "14:03:07  - 31  Rex⟨U+001B⟩  3  sold\n");
        assert_eq!(lines(&changed), "14:03:07  * 31  Rex⟨U+001B⟩  3  sold  (status was not set)\n");
        let by = Change { by: Some("Ada\u{1b}".to_owned()), ..changed.clone() };
        assert_eq!(lines(&by), "14:03:07  * 31  Rex⟨U+001B⟩  3  sold  (status was not set, by Ada⟨U+001B⟩)\n");
        assert!(written(&by, WatchFormat::Ndjson).ends_with(",\"by\":\"Ada\\u001b\"}\n"));
        assert_eq!(
            written(&changed, WatchFormat::Ndjson),
            "{\"at\":\"2026-11-21T14:03:07Z\",\"change\":\"changed\",\"pet\":{\"id\":31,\"name\":\"Rex\\u001b\",\
             \"categoryId\":3,\"status\":\"sold\"},\"before\":{\"id\":31,\"name\":\"Rex\\u001b\",\"categoryId\":3}}\n"
        );
    }
}
