//! Reads the pets: first the list of the tab that is shown, so that rows come soon, then automatically all pets, page by
//! page, or merged from the lists of the three statuses. New pets come as the service reports them, those of others are
//! marked. Who added pets is asked for together for all rows, once it is shown or searched for.

use std::convert::Infallible;
use std::sync::Arc;

use super::update::{on_answer, on_failure, on_sign_of_life, refuse_key, reload, waits};
use super::{Barrier, FollowLink, ReadNext};
use crate::api::follow::{AddedPet, ChangedPet, EventPosition, Followed, Follower};
use crate::api::follow::{ProvenanceError, ProvenanceReader};
use crate::api::inventory::in_parts;
use crate::api::list;
use crate::api::{Coverage, Failure, List, ListAnswer, Remedy};
use crate::app::inventory::changes::named;
use crate::clock::Now;
use crate::model::{Pet, PetId, PetQuery, Provenance, Provenances, counted, display_safe, short};
use crate::tui::job::Ongoing;
use crate::tui::{App, Env, Health, Job, MessageKind, Screen, Slot, WIDE, session_cache};

/// Asks for a list: one page.
#[derive(Clone, Debug, PartialEq)]
pub struct ListPets {
    /// What to ask for.
    pub query: PetQuery,
    /// What is here already: rows that are still the same need not come again.
    pub known: Option<List>,
}

impl Job for ListPets {
    type Answer = Result<ListAnswer, Failure>;
    const SLOT: fn(&Self) -> Slot = |_| Slot::List;

    async fn run(self: Arc<Self>, env: Env) -> Self::Answer {
        list::list(&env.api("list").await?, &self.query, 1, self.known.as_ref()).await
    }

    fn done(&self, app: &mut App, listed: Self::Answer, now: Now) {
        let answer = match listed {
            Ok(answer) => answer,
            Err(failure) => return on_failure(app, failure, now),
        };
        on_answer(app, &answer, now);
        let pets = &mut app.pets;
        pets.offers_changes = Some(answer.offers.changes);
        pets.provenance.barrier.take_if(|barrier| *barrier == Barrier::Failed);
        let status = self.query.status;
        let Some(list) = answer.list.or_else(|| self.known.clone()) else { return };
        let is_whole = list.next().is_none() && list.pets.len() < usize::from(self.query.limit.get());
        // Those that are the same are taken up, too: they came. Older ones than those that are loaded would leave a gap.
        let from = pets.store.known_from().filter(|_| status.is_none() && !is_whole).unwrap_or(PetId::MIN);
        pets.read(list.pets.iter().filter(|pet| pet.id >= from).cloned().collect(), now);
        match status {
            None if is_whole => pets.store.finish(Coverage::ALL, now),
            // It may have another status now.
            Some(_) if is_whole && pets.store.misses_any(status) => pets.read_due = ReadNext::All,
            None | Some(_) => {}
        }
        pets.show_all();
        pets.listed = Some((self.query, list));
        let is_reported = answer.offers.events && pets.follow.position.is_some() && pets.store.is_filled();
        let is_due = match std::mem::take(&mut pets.read_due) {
            _ if is_whole && status.is_none() => false,
            ReadNext::Nothing => pets.store.coverage().is_none(),
            ReadNext::New => !is_reported,
            ReadNext::All => true,
        };
        // What is read once the connection is there misses no change.
        let connects_first = answer.offers.events
            && app.pets.follow.position.is_none()
            && app.pets.follow.link != FollowLink::Refused
            && !app.pending.is_running(Slot::Follow);
        if answer.offers.events {
            follow(app, now);
        }
        if is_due && !connects_first && !app.pending.is_running(Slot::Inventory) {
            app.pets.store.expect();
            let most = app.pets.store.load_limit;
            app.start(ReadInventory { most }, now);
        } else {
            session_cache::keep(app, now);
        }
    }
}

/// Gives out all pets as they come, in parts of some size.
#[derive(Clone, Debug, PartialEq)]
pub struct ReadInventory {
    /// About as many as it ends after.
    pub most: usize,
}

impl Job for ReadInventory {
    type Answer = Result<Coverage, Failure>;
    const SLOT: fn(&Self) -> Slot = |_| Slot::Inventory;

    async fn run(self: Arc<Self>, env: Env) -> Self::Answer {
        let api = env.api("inventory").await?;
        let (job, env) = (&self, &env);
        let query = PetQuery { newest_first: api.offers().order, ..PetQuery::default() };
        in_parts(&api, query, self.most, move |part| env.tell(job, part)).await
    }

    fn done(&self, app: &mut App, read: Self::Answer, now: Now) {
        match read {
            Ok(coverage) => {
                app.pets.store.finish(coverage, now);
                app.pets.show_all();
            }
            Err(failure) => {
                let why = failure.sentence(&app.link.service);
                // Of a service that answers otherwise, the rows are there, and trying for ever would not help.
                if matches!(failure, Failure::NotSent { .. }) || failure.remedy() == Remedy::EnterKey {
                    on_failure(app, failure, now);
                } else {
                    app.last_failure = Some(failure);
                }
                app.complain(format!("{why} Not all pets were read; r reads them again."));
            }
        }
        session_cache::keep(app, now);
    }
}

impl Ongoing for ReadInventory {
    /// Some more of them.
    type Part = Vec<Pet>;

    fn on_part(&self, app: &mut App, pets: Vec<Pet>, now: Now) {
        app.pets.read(pets, now);
        on_sign_of_life(app, now);
    }
}

/// The most reported pets that are held back while this program adds pets; the oldest are forgotten first.
pub const MOST_HELD: usize = 10_000;

/// Begins to follow the service, which offers it.
pub fn follow(app: &mut App, now: Now) {
    if app.pending.is_running(Slot::Follow) || app.pets.follow.link == FollowLink::Refused {
        return;
    }
    // What was added since then comes first.
    let after = app.pets.follow.position.clone().or_else(|| app.pets.store.newest().map(EventPosition::after));
    app.start(FollowPets { after }, now);
}

/// Follows the pets that are added after this one, or from now on, until it is given up or cannot help.
#[derive(Clone, Debug, PartialEq)]
pub struct FollowPets {
    /// What is known.
    pub after: Option<EventPosition>,
}

impl Job for FollowPets {
    type Answer = Result<Infallible, Failure>;
    const SLOT: fn(&Self) -> Slot = |_| Slot::Follow;

    async fn run(self: Arc<Self>, env: Env) -> Self::Answer {
        let mut follower = match Follower::new(&env.api("events").await?, self.after.clone(), None) {
            Ok(Some(follower)) => follower,
            Ok(None) => return Err(Failure::NotStarted { why: "the service does not offer events".to_owned() }),
            Err(error) => return Err(Failure::NotStarted { why: display_safe(&error.to_string()).into_owned() }),
        };
        loop {
            let followed = follower.followed().await?;
            let position = follower.position().cloned();
            env.tell(&self, (followed, position)).await;
        }
    }

    /// The service is not followed any more, because trying again would give the same.
    fn done(&self, app: &mut App, ended: Self::Answer, now: Now) {
        let Err(failure) = ended;
        lost(app, FollowLink::Refused, now);
        if failure.remedy() == Remedy::EnterKey {
            refuse_key(app, failure, now);
        } else {
            app.last_failure = Some(failure);
        }
    }
}

impl Ongoing for FollowPets {
    /// With the position after it.
    type Part = (Followed, Option<EventPosition>);

    fn on_part(&self, app: &mut App, (news, after): Self::Part, now: Now) {
        let pets = &mut app.pets;
        match news {
            Followed::Connected(position, is_exact) => {
                pets.follow.link = FollowLink::Live;
                pets.follow.position = Some(position);
                if is_exact {
                    pets.store.touch(now);
                    return on_sign_of_life(app, now);
                }
                // What was added and changed between the list and this came in neither.
                reload(app, ReadNext::All, now);
            }
            Followed::Added(added) => {
                pets.follow.position = after.or(pets.follow.position.take());
                let held = &mut pets.follow.held;
                // What a list has shown was marked with it.
                held.extend(added.iter().map(|added| added.pet.id).filter(|id| pets.store.is_unknown(*id)));
                held.drain(..held.len().saturating_sub(MOST_HELD));
                let learn = |AddedPet { pet, provenance }| {
                    pets.provenance.learn(pet.id, provenance);
                    pet
                };
                let added: Vec<_> = added.into_iter().map(learn).collect();
                let row = pets.cursor;
                pets.arrive(&added, now);
                // The pet under the cursor stays where it is on the screen.
                app.layout.table_top = (app.layout.table_top + pets.cursor).saturating_sub(row);
            }
            Followed::Changed(changed) => {
                pets.follow.position = after.or(pets.follow.position.take());
                on_changes(app, changed, now);
            }
            Followed::PetsLost(last) => {
                pets.forget_after(last);
                if matches!(app.link.health, Health::Away { .. }) {
                    // Otherwise its next answer would say that it is back, and this would not be seen.
                    app.link.health = Health::Unknown;
                }
                let why = "for example because a backup was restored";
                app.complain(format!("{} has lost pets, {why}. Its last one is {last}.", app.link.service));
                reload(app, ReadNext::All, now);
            }
            Followed::Lost(_) => {
                lost(app, FollowLink::Off, now);
                if !waits(app) {
                    reload(app, ReadNext::Nothing, now);
                }
            }
        }
    }

    fn can_wait((news, _): &Self::Part) -> bool {
        matches!(news, Followed::Added(_) | Followed::Changed(_))
    }
}

/// Changes of this program and of others.
fn on_changes(app: &mut App, changed: Vec<ChangedPet>, now: Now) {
    let pets = &mut app.pets;
    let mut others = Vec::new();
    for change in changed {
        let pet = change.pet.clone();
        // Those that are not loaded would leave gaps.
        if pets.store.get(pet.id).is_none() && pets.store.known_from().is_none_or(|from| pet.id < from) {
            continue;
        }
        pets.changed.insert(pet.id);
        pets.keep(pet.id);
        pets.history.forget(pet.id);
        // Others have changed it since: that is not to be undone.
        pets.last_change.retain(|(is, _)| is.id != pet.id || *is == pet);
        pets.changed_by.insert(pet.id, change);
        // What this program is changing it knows already.
        if pets.changing.get(&pet.id) == Some(&pet) {
            pets.changed_here(&pet);
        } else {
            others.push(pet);
        }
    }
    pets.take(others, now);
}

/// The rows are as of now.
fn lost(app: &mut App, link: FollowLink, now: Now) {
    if app.pets.follow.is_live() {
        app.pets.store.touch(now);
    }
    app.pets.follow.link = link;
}

/// Marks what others have added, once it is known what this program has added, and names it where no row shows it.
pub fn announce(app: &mut App) {
    let adds = |slot| matches!(slot, Slot::Line(_) | Slot::Samples | Slot::Import);
    if app.pets.follow.held.is_empty() || app.pending.running().any(|(slot, _)| adds(slot)) {
        return;
    }
    let held = std::mem::take(&mut app.pets.follow.held);
    let pets = &mut app.pets;
    let new = pets.store.announce(held);
    let mut shown = pets.rows_from(app.layout.table_top).take(app.layout.table_rows.into());
    let is_seen = app.screen != Screen::Pets || shown.any(|pet| new.contains(&pet.id));
    drop(shown);
    let is_free = app.message.as_ref().is_none_or(|message| message.kind == MessageKind::Note);
    if let Some(pet) = new.last().and_then(|id| pets.store.get(*id)).filter(|_| !is_seen && is_free) {
        let by = pets.provenance.of.get(&pet.id).and_then(Provenance::by);
        let by = by.map_or(String::new(), |by| format!(" by {}", short(by)));
        let others = match new.len() - 1 {
            0 => String::new(),
            before => format!(", and {} before it", counted(before, "pet")),
        };
        let text = format!("Added{by}: {}{others}. n goes there.", named(pet));
        app.tell(text);
    }
}

/// How many rows before and after that of the detail are asked for with it, at least.
const AROUND: usize = 50;

/// Asks for what is wanted and not known.
pub fn ask_provenance(app: &mut App, now: Now) {
    let pets = &app.pets;
    let closed = pets.provenance.barrier.is_some() || !pets.follow.is_live() || app.screen != Screen::Pets;
    if closed || app.pending.is_running(Slot::Provenance) {
        return;
    }
    let is_unknown = |pet: &&Pet| !pets.provenance.of.contains_key(&pet.id);
    let has_detail = pets.drawer || app.size.columns >= WIDE;
    let shows_addition = pets.view().columns.iter().any(|shown| shown.column.is_about_addition());
    let ids: Vec<_> = match pets.searched().asks_who() || shows_addition {
        true => pets.store.pets().iter().filter(is_unknown).map(|pet| pet.id).collect(),
        false if has_detail => {
            let around = |rows: usize| pets.rows_from(pets.cursor.saturating_sub(rows)).take(2 * rows);
            let on_screen = usize::from(app.layout.table_rows.max(1));
            let is_due = around(on_screen).any(|pet| is_unknown(&pet));
            around(AROUND.max(2 * on_screen)).filter(|pet| is_due && is_unknown(pet)).map(|pet| pet.id).collect()
        }
        false => Vec::new(),
    };
    if !ids.is_empty() {
        app.start(AskProvenance(ids), now);
    }
}

/// Asks who added these pets.
#[derive(Clone, Debug, PartialEq)]
pub struct AskProvenance(pub Vec<PetId>);

impl Job for AskProvenance {
    /// None where the service does not report it.
    type Answer = Result<Option<Provenances>, Failure>;
    const SLOT: fn(&Self) -> Slot = |_| Slot::Provenance;

    async fn run(self: Arc<Self>, env: Env) -> Self::Answer {
        match ProvenanceReader::new(&env.api("provenance").await?).read(self.0.clone()).await {
            Ok(provenances) => Ok(Some(provenances)),
            Err(ProvenanceError::NotOffered | ProvenanceError::NotAllowed) => Ok(None),
            Err(ProvenanceError::Api(error)) => Err(error),
        }
    }

    fn done(&self, app: &mut App, answer: Self::Answer, _: Now) {
        let known = &mut app.pets.provenance;
        match answer {
            Ok(Some(provenances)) => {
                known.take(provenances);
                app.pets.reorder(0);
            }
            Ok(None) => known.barrier = Some(Barrier::NotReported),
            Err(failure) => {
                known.barrier = Some(Barrier::Failed);
                let why = failure.sentence(&app.link.service);
                app.complain(format!("Who added the pets is not known: {why} r tries again."));
                app.last_failure = Some(failure);
            }
        }
    }
}
