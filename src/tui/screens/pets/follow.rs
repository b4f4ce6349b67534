//! New pets as the service reports them: they come into the lists at once, and those of others are marked.

use std::convert::Infallible;
use std::sync::Arc;

use crate::api::failure::{Failure, Remedy};
use crate::api::follow::{AddedPet, Followed, Follower};
use crate::clock::Now;
use crate::model::text::short;
use crate::model::words::counted;
use crate::model::{PetId, display_safe};
use crate::tui::effect::Effect;
use crate::tui::job::{Env, Job, Ongoing};
use crate::tui::pending::Slot;
use crate::tui::state::{AppState, Health, MessageKind, Screen};

use super::ReadNext;
use super::reported::FollowLink;
use super::update::{on_sign_of_life, refuse_key, reload, waits};

/// The most reported pets that are held back while this program adds pets; the oldest are forgotten first.
pub(super) const MOST_HELD: usize = 10_000;

/// Begins to follow the service, which offers it.
pub(super) fn begin(state: &mut AppState, now: Now) -> Vec<Effect> {
    if state.pending.is_running(Slot::Follow) || state.pets.follow.link == FollowLink::Refused {
        return Vec::new();
    }
    // What was added since then comes first.
    let after = state.pets.follow.position.or_else(|| state.pets.store.newest());
    vec![state.begin(FollowPets { after }, now)]
}

/// Follows the pets that are added after this one, or from now on, until it is given up or cannot help.
#[derive(Clone, Debug, PartialEq)]
pub struct FollowPets {
    /// The last pet that is known.
    pub after: Option<PetId>,
}

impl Job for FollowPets {
    type Answer = Infallible;
    type Error = Failure;
    const SLOT: fn(&Self) -> Slot = |_| Slot::Follow;

    async fn run(self: Arc<Self>, env: Env) -> Result<Infallible, Failure> {
        let mut follower = match Follower::new(&env.api("events").await?, self.after, None) {
            Ok(Some(follower)) => follower,
            Ok(None) => return Err(Failure::NotStarted { why: "the service does not offer events".to_owned() }),
            Err(error) => return Err(Failure::NotStarted { why: display_safe(&error.to_string()).into_owned() }),
        };
        loop {
            let followed = follower.followed().await?;
            env.tell(&self, followed).await;
        }
    }

    /// The service is not followed any more, because trying again would give the same.
    fn done(&self, app: &mut AppState, ended: Result<Infallible, Failure>, now: Now) -> Vec<Effect> {
        let Err(failure) = ended;
        lost(app, FollowLink::Refused, now);
        if failure.remedy() == Remedy::EnterKey {
            refuse_key(app, failure, now);
        } else {
            app.last_failure = Some(failure);
        }
        Vec::new()
    }
}

impl Ongoing for FollowPets {
    type Part = Followed;

    fn on_part(&self, app: &mut AppState, news: Followed, now: Now) -> Vec<Effect> {
        let pets = &mut app.pets;
        match news {
            Followed::Connected(position) => {
                pets.follow.link = FollowLink::Live;
                let is_first = pets.follow.position.is_none();
                pets.follow.position = Some(position);
                // What was added between the list and this came in neither; a reading that goes on will come to it.
                let has_gap = is_first && pets.store.newest() != Some(position);
                if has_gap && !app.pending.is_running(Slot::Inventory) {
                    return reload(app, ReadNext::All, now);
                }
                if !has_gap {
                    pets.store.touch(now);
                }
                on_sign_of_life(app, now)
            }
            Followed::Added(added) => {
                pets.follow.position = added.last().map(|added| added.pet.id).or(pets.follow.position);
                let mut reported = Vec::with_capacity(added.len());
                for AddedPet { pet, provenance } in added {
                    pets.provenance.learn(pet.id, provenance);
                    reported.push(pet);
                }
                let held = &mut pets.follow.held;
                // What a list has shown was marked with it.
                let unknown = reported.iter().map(|pet| pet.id).filter(|id| pets.store.is_unknown(*id));
                held.extend(unknown);
                held.drain(..held.len().saturating_sub(MOST_HELD));
                let row = pets.cursor();
                pets.arrive(&reported, now);
                // The pet under the cursor stays where it is on the screen.
                app.layout.table_top = (app.layout.table_top + pets.cursor()).saturating_sub(row);
                Vec::new()
            }
            Followed::PetsLost(last) => {
                pets.forget_after(last);
                if matches!(app.link.health, Health::Away { .. }) {
                    // Otherwise its next answer would say that it is back, and this would not be seen.
                    app.link.health = Health::Unknown;
                }
                let service = &app.link.service;
                let what = format!(
                    "{service} has lost pets, for example because a backup was restored. Its last one is {last}."
                );
                app.complain(what);
                reload(app, ReadNext::All, now)
            }
            Followed::Lost => {
                lost(app, FollowLink::Off, now);
                if waits(app) { Vec::new() } else { reload(app, ReadNext::Nothing, now) }
            }
        }
    }

    fn can_wait(news: &Followed) -> bool {
        matches!(news, Followed::Added(_))
    }
}

/// The rows are as of now.
fn lost(state: &mut AppState, link: FollowLink, now: Now) {
    if state.pets.follow.is_live() {
        state.pets.store.touch(now);
    }
    state.pets.follow.link = link;
}

/// Marks what others have added, once it is known what this program has added, and names it where no row shows it.
pub(in crate::tui) fn announce(state: &mut AppState) {
    let adds = |slot| matches!(slot, Slot::Line(_) | Slot::Samples | Slot::Import);
    if state.pets.follow.held.is_empty() || state.pending.running().any(|(slot, _)| adds(slot)) {
        return;
    }
    let held = std::mem::take(&mut state.pets.follow.held);
    let pets = &mut state.pets;
    let new = pets.store.announce(held);
    let mut shown = pets.rows_from(state.layout.table_top).take(state.layout.table_rows.into());
    let is_seen = state.screen != Screen::Pets || shown.any(|pet| new.contains(&pet.id));
    drop(shown);
    let is_free = state.message.as_ref().is_none_or(|message| message.kind == MessageKind::Note);
    if let Some(pet) = new.last().and_then(|id| pets.store.get(*id)).filter(|_| !is_seen && is_free) {
        let by = pets.provenance.get(pet.id).and_then(|provenance| provenance.by());
        let by = by.map_or(String::new(), |by| format!(" by {}", short(by)));
        let others = match new.len() {
            1 => String::new(),
            count => format!(", and {} before it", counted(count - 1, "pet")),
        };
        let text = format!("Added{by}: {} (#{}){others}. n goes there.", short(&pet.name), pet.id);
        state.tell(text);
    }
}
