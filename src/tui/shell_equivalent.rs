//! The line that does in a shell what an action does on the screen.

use super::keymap::{Action, Context, DomainAction, PetAction};
use super::state::AppState;

/// The line for `action` in `place`, where there is one.
#[must_use]
pub fn of(state: &AppState, place: Context, action: Action) -> Option<String> {
    let domain = state.domains.selected.as_ref().filter(|_| place.is_about_domains());
    let pet = match &state.pets.by_id {
        Some(by_id) if place == Context::ById => by_id.pet(),
        Some(_) | None => state.pets.selected(),
    };
    let line = match action {
        Action::ShowPets => list(state, ""),
        Action::Refresh if place == Context::Pets => list(state, ""),
        Action::Pet(PetAction::Export) => list(state, " --format csv"),
        Action::Pet(PetAction::CopyJson) => format!("pets get {} --format json", pet?.id),
        Action::Pet(PetAction::ById) => format!("pets get {}", pet.map_or(1, |pet| pet.id)),
        Action::ShowAdd | Action::Pet(PetAction::Add) => "pets add --name NAME --category-id ID".to_owned(),
        Action::ShowDomains => "domains list".to_owned(),
        Action::Refresh => format!("domains check {}", domain?),
        Action::Domain(DomainAction::Add) => "domains add NAME".to_owned(),
        Action::Domain(DomainAction::Record | DomainAction::Formats) => format!("domains records {}", domain?),
        Action::Domain(DomainAction::Report) => format!("domains report {}", domain?),
        Action::Domain(DomainAction::Saved) => format!("domains saved {}", domain?),
        Action::Domain(DomainAction::Verified) => format!("domains verified {}", domain?),
        Action::Domain(DomainAction::Removal) => format!("domains remove {}", domain?),
        Action::Live => format!("domains watch {}", domain?),
        _ => return None,
    };
    Some(format!("petstore{} {line}", state.link.flags))
}

fn list(state: &AppState, more: &str) -> String {
    let status = state.pets.filter.map_or(String::new(), |status| format!(" --status {status}"));
    format!("pets list{status} --limit {}{more}", state.pets.limit)
}
