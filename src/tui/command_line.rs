//! The line that does in a shell what an action does on the screen.

use super::keymap::{Action, DomainAction, PetAction};
use super::state::{AppState, Screen};

/// The line for `action`, where there is one.
#[must_use]
pub fn of(state: &AppState, action: Action) -> Option<String> {
    let domain = state.domains.selected.as_ref().filter(|_| state.screen == Screen::Domains);
    let line = match action {
        Action::ShowPets | Action::Refresh if state.screen != Screen::Domains => list(state, ""),
        Action::Pet(PetAction::Export) => list(state, " --format csv"),
        Action::Pet(PetAction::CopyJson) => format!("pets get {} --format json", state.pets.selected()?.id),
        Action::Pet(PetAction::ById) => format!("pets get {}", state.pets.selected().map_or(1, |pet| pet.id)),
        Action::ShowAdd => "pets add --name NAME --category-id ID".to_owned(),
        Action::ShowDomains => "domains list".to_owned(),
        Action::Refresh => format!("domains check {}", domain?),
        Action::Domain(DomainAction::Add) => "domains add NAME".to_owned(),
        Action::Domain(DomainAction::Record | DomainAction::Formats) => format!("domains records {}", domain?),
        Action::Domain(DomainAction::Report) => format!("domains report {}", domain?),
        Action::Domain(DomainAction::Saved) => format!("domains saved {}", domain?),
        Action::Domain(DomainAction::Verified) => format!("domains verified {}", domain?),
        Action::Domain(DomainAction::Removal) => format!("domains remove {}", domain?),
        Action::Live if state.screen == Screen::Domains => format!("domains watch {}", domain?),
        _ => return None,
    };
    Some(format!("petstore{} {line}", state.link.flags))
}

fn list(state: &AppState, more: &str) -> String {
    let status = state.pets.filter.map_or(String::new(), |status| format!(" --status {status}"));
    format!("pets list{status} --limit {}{more}", state.pets.limit)
}
