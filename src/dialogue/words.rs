//! Sentences that several tasks share: the most important word first.

use crate::api::explain::explain;
use crate::api::{Failure, Remedy};
use crate::domains::DnsName;
use crate::domains::stage::Stage;
use crate::model::{NewPet, ObservedStatus, Pet, text::short};

/// An animal of the service.
pub fn animal(pet: &Pet) -> String {
    let status = match &pet.status {
        None => "no status".to_owned(),
        Some(ObservedStatus::Known(status)) => status.to_string(),
        Some(ObservedStatus::Unknown(word)) => format!("status {}, which is unknown here", short(word)),
    };
    format!("{}, category {}, {status}, id {}", pet.name, pet.category_id, pet.id)
}

/// An animal that is not there yet.
pub fn new_animal(new: &NewPet) -> String {
    let status = new.status.map_or(String::new(), |status| format!(", {status}"));
    format!("{}, category {}{status}", new.name, new.category_id)
}

/// What happened, and what to do next.
pub fn failure(failure: &Failure, service: &str) -> [String; 2] {
    let todo = match (failure.remedy(), failure) {
        (Remedy::EnterKey, _) => {
            "Set PETSTORE_API_KEY to a key that this service accepts, then start petstore again.".to_owned()
        }
        (Remedy::Wait(seconds), _) => format!("Wait {seconds} seconds, as the service asks; then try again."),
        (_, Failure::Refused { status: 429, .. }) => "Wait a minute, then try again.".to_owned(),
        (_, failure) => explain(failure).todo.to_owned(),
    };
    [failure.sentence(service), format!("What to do: {todo}")]
}

/// Where a domain stands.
pub fn state(state: Stage) -> String {
    state.as_str().replace('-', " ").replace("dns", "DNS")
}

/// What is to be done next for a domain, in this dialogue.
pub fn next_step(state: Stage, name: &DnsName) -> String {
    match state {
        Stage::Draft => "Copy the value from the dashboard: Project settings, Domains, Add domain.".to_owned(),
        Stage::WaitingForDns => "Enter the record at your DNS provider.".to_owned(),
        Stage::Propagating => "Wait: the record is right, some caches still hold the old answer.".to_owned(),
        Stage::ReadyToVerify => "Choose Verify in the dashboard.".to_owned(),
        Stage::CertificatePending => {
            "Wait: the certificate follows by itself, usually within a couple of minutes.".to_owned()
        }
        Stage::CertificateLate => "Choose Re-verify in the dashboard.".to_owned(),
        Stage::Live => "Nothing is to do.".to_owned(),
        Stage::Failing => "Mend the first cause.".to_owned(),
        Stage::RemovalPlanned => format!("Set a redirect of {name} up first, then choose Remove in the dashboard."),
        Stage::Removed => "Delete the CNAME at your DNS provider, if it is still there.".to_owned(),
    }
}
