//! The line that does in a shell what an action does on the screen.

use super::keymap::{
    Action, DomainAction, DomainListAction, DomainsAction, GlobalAction, PetsAction, ProfilesAction, RecordAction,
    RedirectsAction, RemovalAction, RulesAction,
};
use super::screens::pets::BUILT_IN;
use super::state::AppState;
use crate::domains::DnsName;
use crate::model::escape::shell_word;

/// The command for `action`, if there is one.
#[expect(clippy::wildcard_enum_match_arm, reason = "most can only be done on the screen")]
pub fn of(state: &AppState, action: Action) -> Option<String> {
    let line = match action {
        Action::Global(GlobalAction::ShowPets) | Action::Pets(PetsAction::Refresh) => list(state, ""),
        Action::Global(GlobalAction::ShowAdd | GlobalAction::NewPet) => {
            "pets add --name NAME --category-id ID".to_owned()
        }
        Action::Global(GlobalAction::ShowDomains) => "domains list".to_owned(),
        Action::Global(GlobalAction::Import) => "pets import FILE".to_owned(),
        Action::Global(GlobalAction::Profiles) => "profiles list".to_owned(),
        Action::Global(GlobalAction::Choices) if !state.link.embedded => "login".to_owned(),
        Action::Profiles(ProfilesAction::NewProfile) => "profiles add NAME --base-url URL".to_owned(),
        Action::Profiles(ProfilesAction::TestProfile) => {
            format!("profiles test {}", shell_word(&state.profiles.entry()?.name))
        }
        Action::Pets(PetsAction::Whole) => "pets list --all".to_owned(),
        Action::Pets(PetsAction::Count) => format!("pets count{}", status(state)),
        Action::Pets(PetsAction::Live) => format!("pets watch{}", status(state)),
        Action::Pets(PetsAction::Export) => list(state, " --format csv"),
        Action::Pets(PetsAction::CopyJson) => format!("pets get {} --format json", state.pets.selected()?.id),
        Action::Pets(PetsAction::ById) => format!("pets get {}", state.pets.selected().map_or(1, |pet| pet.id)),
        Action::Domains(action) => of_domain(action, state.domains.selected.as_ref())?,
        _ => return None,
    };
    Some(format!("petstore{} {line}", state.link.flags))
}

#[expect(clippy::wildcard_enum_match_arm, reason = "most can only be done on the screen")]
fn of_domain(action: DomainsAction, domain: Option<&DnsName>) -> Option<String> {
    use DomainsAction::{Domain, List, Record, Redirects, Removal, Rules};
    let verb = match action {
        List(DomainListAction::Add) => return Some("domains add NAME".to_owned()),
        List(DomainListAction::Refresh) => return Some("domains check".to_owned()),
        List(DomainListAction::Redirects) | Redirects(RedirectsAction::Refresh) => {
            return Some("domains redirects".to_owned());
        }
        Domain(DomainAction::Refresh) | Record(RecordAction::Refresh) => "check",
        Rules(RulesAction::Refresh) | Removal(RemovalAction::Refresh) => "check",
        Domain(DomainAction::Record | DomainAction::Formats) | Record(RecordAction::Formats) => "records",
        Domain(DomainAction::Report) | Rules(RulesAction::Report) => "report",
        Domain(DomainAction::Saved) | Record(RecordAction::Saved) => "saved",
        Domain(DomainAction::Verified) | Rules(RulesAction::Verified) => "verified",
        List(DomainListAction::Removal) | Domain(DomainAction::Removal) => "remove",
        List(DomainListAction::Live) => "watch",
        _ => return None,
    };
    Some(format!("domains {verb} {}", domain?))
}

fn list(state: &AppState, more: &str) -> String {
    let (tabs, tab) = state.pets.tabs();
    if tab >= BUILT_IN {
        return format!("pets list --view {}{more}", shell_word(&tabs[tab].view.name));
    }
    format!("pets list{} --limit {}{more}", status(state), state.pets.limit)
}

/// The option for the status that is shown.
fn status(state: &AppState) -> String {
    state.pets.filter().map_or(String::new(), |status| format!(" --status {status}"))
}
