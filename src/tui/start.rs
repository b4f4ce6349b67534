//! What is asked for when the app begins, and when another service is used.

use super::screens::{add_pet, domains, pets};
use super::{App, Now, Screen};
use crate::api::Failure;

/// What to ask for when the app begins.
pub fn start(state: &mut App, now: Now) {
    state.used = Some(now.mono);
    if state.screen == Screen::Welcome {
        return;
    }
    add_pet::form::take_up(state, now);
    // Domains are checked without the service.
    if state.screen == Screen::Domains {
        domains::update::show(state, now);
    }
    if !state.link.has_key() {
        let message = "no API key is set".to_owned();
        let refused = Failure::Refused { status: 401, code: None, message, retry_after: None, body: None };
        return pets::update::refuse_key(state, refused, now);
    }
    pets::update::reload(state, pets::ReadNext::New, now);
}
