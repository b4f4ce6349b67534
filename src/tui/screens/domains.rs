//! The domains panel: a custom domain from its first record until it is live, and its removal.
//!
//! Domains are added, verified and removed in the dashboard and at the DNS provider. The panel shows what to enter there,
//! records what the operator has done, checks the domain, and shows what is wrong and how long to wait.

pub mod list;
pub mod live;
pub mod popups {
    pub mod practice;
    pub mod resolvers;
}
pub mod record;
pub mod redirects;
pub mod removal;
pub mod rules;
pub mod scheduler;
pub mod state;
pub mod update;
pub mod view;
pub mod wizard;

pub use state::{Location, State};

use live::BACK;
use popups::practice::{PRACTICE, PRACTICE_TYPED};
use state::{ConfirmTwice, DomainSummary, VALUE};
use update::{around, line};
use view::{act, act_of, tabs, verdict_role, verdict_word};
use wizard::in_the_way;

#[cfg(test)]
pub mod tests;
