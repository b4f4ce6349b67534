//! What is asked for when the app begins, and when another service is used.

use super::screens::{add_pet, domains, pets};
use super::{App, Now, Screen};
use crate::api::Failure;

/// What to ask for when the app begins.
pub fn start(app: &mut App, now: Now) {
    app.used = Some(now.mono);
    if app.screen == Screen::Welcome {
        return;
    }
    add_pet::form::take_up(app, now);
    // Domains are checked without the service.
    if app.screen == Screen::Domains {
        domains::update::show(app, now);
    }
    if !app.link.has_key() {
        let message = "no API key is set".to_owned();
        let refused = Failure::Refused { status: 401, code: None, message, retry_after: None, body: None };
        return pets::update::refuse_key(app, refused, now);
    }
    pets::update::reload(app, pets::ReadNext::New, now);
}
