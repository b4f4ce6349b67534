//! The line that does in a shell what an action does on the screen.

use super::keymap::{
    Action, DomainAction, DomainListAction, DomainsAction, GlobalAction, LookupAction, PetsAction, RecordAction,
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
        Action::Pets(PetsAction::Export) => list(state, " --format csv"),
        Action::Pets(PetsAction::CopyJson) => format!("pets get {} --format json", state.pets.selected()?.id),
        Action::Pets(PetsAction::ById) => format!("pets get {}", state.pets.selected().map_or(1, |pet| pet.id)),
        Action::Lookup(LookupAction::CopyJson) => {
            format!("pets get {} --format json", state.pets.by_id.as_ref()?.pet()?.id)
        }
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
        List(DomainListAction::Refresh) | Domain(DomainAction::Refresh) | Record(RecordAction::Refresh) => "check",
        Rules(RulesAction::Refresh) | Redirects(RedirectsAction::Refresh) | Removal(RemovalAction::Refresh) => "check",
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
    let status = state.pets.filter().map_or(String::new(), |status| format!(" --status {status}"));
    format!("pets list{status} --limit {}{more}", state.pets.limit)
}
