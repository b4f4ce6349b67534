//! Switches to another service.
//!
//! The worker reports when the new client is ready. Until then, nothing is sent that depends on the service;
//! afterwards, nothing of the previous service remains. Its typed text returns when the user switches back.

use std::sync::Arc;

use crate::api::failure::Failure;
use crate::app::outbox::queue::{Queue, Unfinished};
use crate::clock::Now;
use crate::config::{KeyOrigin, Origin, Settings};
use crate::model::text::short;
use crate::tui::drafts::{self, Drafts};
use crate::tui::effect::Effect;
use crate::tui::job::{Changed, Env, Job, blocking};
use crate::tui::pending::Slot;
use crate::tui::popups::error::ErrorBox;
use crate::tui::popups::{KeyBox, Question};
use crate::tui::screens::add_pet::{import, lines};
use crate::tui::screens::pets;
use crate::tui::screens::pets::popups::limit::LimitBox;
use crate::tui::screens::pets::popups::lookup::LookupBox;
use crate::tui::session_cache::{SessionCache, read_kept};
use crate::tui::start::start;
use crate::tui::state::{AppState, Link, Screen};

/// Switches to the selected service, unless a pet is being sent to the current one.
pub fn begin(state: &mut AppState, now: Now) -> Vec<Effect> {
    let Some(name) = state.profiles.entry().map(|entry| entry.name.clone()) else { return Vec::new() };
    if state.is_switching() {
        return state.note(format!("Still switching to {}.", short(&state.profiles.using)));
    }
    if let Some(why) = why_not(state) {
        return state.fail(why);
    }
    if name == state.link.name && state.link.key.1 == KeyOrigin::Typed {
        // Reading the profile again would drop the typed key.
        let text = format!("{} is in use, with the key that you typed for this session.", short(&name));
        state.say_done(text, now.mono);
        state.screen = state.profiles.from;
        return Vec::new();
    }
    // The key being tested is for the service in use.
    let mut effects = Vec::from_iter(state.cancel(Slot::TestKey));
    state.profiles.using.clone_from(&name);
    state.tell(format!("Switching to {} ...", short(&name)));
    effects.push(state.begin(UseProfile(name), now));
    effects
}

/// Why another service cannot be switched to now.
fn why_not(state: &AppState) -> Option<String> {
    let service = &state.link.service;
    if state.pending.is_running(Slot::Samples) {
        return Some(format!("Samples are being sent to {service}. Wait for the answer, then switch."));
    }
    import::update::why_not_switch(state).or_else(|| lines::why_not_switch(state))
}

/// Switches to the service of this name.
#[derive(Clone, Debug, PartialEq)]
pub struct UseProfile(pub String);

/// The service now in use.
#[derive(Clone, Debug, PartialEq)]
pub struct Used {
    /// The settings in use with it.
    pub settings: Arc<Settings>,
    pub kept: Option<SessionCache>,
    /// Its lines in the queue, or why they cannot be read.
    pub left: Result<Unfinished, String>,
    /// What an earlier session left of its text, or why that cannot be read.
    pub drafts: Result<Option<Drafts>, String>,
}

impl Job for UseProfile {
    type Answer = Used;
    type Error = String;
    const SLOT: fn(&Self) -> Slot = |_| Slot::UseProfile;

    /// Resolves and connects. The client comes with the answer, so that nothing uses it where the change failed.
    async fn run(self: Arc<Self>, env: Env) -> Result<Used, String> {
        let machine = Arc::clone(&env.machine);
        let resolve = move || {
            let settings = Arc::new(machine.services.settings(&self.0)?);
            let kept = machine.kept.as_ref().and_then(|kept| read_kept(kept, &settings));
            let identity = settings.identity();
            let (queue, left) = match machine.queues.of(identity.as_deref()) {
                Ok((queue, left)) => (queue, Ok(left)),
                Err(why) => (Queue::default(), Err(why)),
            };
            let drafts = match (&machine.drafts, &identity) {
                (Some(files), Some(identity)) => Drafts::open(files, identity),
                _ => Ok(None),
            };
            Ok::<_, String>((Used { settings, kept, left, drafts }, queue))
        };
        let (used, queue) = blocking(resolve).await?;
        let connected = (env.machine.services.connect)(Settings::clone(&used.settings)).await;
        let client = connected
            .map_err(|failure| if let Failure::NotStarted { why } = failure { why } else { String::from(failure) })?;
        let client = Some(client.recording(env.recorder));
        *env.changed.lock() = Changed { client, service: Some((Arc::clone(&used.settings), queue)) };
        Ok(used)
    }

    fn done(&self, app: &mut AppState, used: Result<Used, String>, now: Now) -> Vec<Effect> {
        match used {
            Ok(used) => on_used(app, used, now),
            // The previous service stays in use.
            Err(why) => {
                app.fail(format!("Cannot use {}; still using {}: {why}", short(&self.0), short(&app.link.name)))
            }
        }
    }
}

/// The switch is done: puts aside the text typed for the previous service, and restores the text for this one.
fn on_used(state: &mut AppState, used: Used, now: Now) -> Vec<Effect> {
    let Used { settings, kept, left, drafts } = used;
    let given_up = state.pending.forget_all(Slot::is_about_service);
    let mut effects: Vec<Effect> = given_up.into_iter().map(Effect::Cancel).collect();
    let (stays, put_aside) = drafts::leave(state, now);
    effects.extend(put_aside);
    let before = std::mem::replace(&mut state.link, Link::of(&settings));
    state.allowed = false;
    state.pets = pets::State::new(&settings);
    state.last_failure = None;
    state.keep_again = false;
    if let Some(kept) = kept {
        kept.restore(state, now);
    }
    state.popups.take::<KeyBox>();
    state.popups.take::<LimitBox>();
    state.popups.take::<ErrorBox>();
    state.popups.take::<Question>();
    state.popups.take::<LookupBox>();
    if state.screen == Screen::Profiles && !state.profiles.form_open {
        let before = state.profiles.from;
        state.screen = if before == Screen::Welcome { Screen::Pets } else { before };
    }
    let (is_back, opened) = drafts::enter(state, drafts, now);
    effects.extend(opened);
    if is_back && state.screen == Screen::Pets {
        state.screen = Screen::AddPet;
    }
    if state.link.read_only && state.screen == Screen::AddPet {
        state.screen = Screen::Pets;
    }
    let (name, service) = (short(&state.link.name), &state.link.service);
    let mut more = String::new();
    if let Some(variable) = foreign_key(&state.link, &before) {
        more.push_str(&format!(" The API key from {variable} is now sent to {service}."));
    }
    if before.key.1 == KeyOrigin::Typed {
        more.push_str(&format!(" The key typed for {} was for this session and is forgotten.", short(&before.name)));
    }
    if stays {
        more.push_str(&format!(" Your text for {} stays there.", short(&before.name)));
    }
    if is_back {
        more.push_str(" Your text here is restored.");
    }
    let using = format!("Using {name}: {service}.");
    if more.is_empty() {
        state.say_done(using, now.mono);
    } else {
        state.tell(format!("{using}{more}"));
    }
    lines::restore(state, left);
    effects.extend(start(state, now));
    effects
}

/// The environment variable whose key now goes to another host, although its profile does not name it.
fn foreign_key(link: &Link, before: &Link) -> Option<String> {
    let setting = link.origins.iter().find(|setting| setting.name == "key")?;
    let Origin::Environment(variable) = &setting.origin else { return None };
    (link.has_key() && link.service != before.service).then(|| (*variable).to_owned())
}
