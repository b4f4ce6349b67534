//! The domains checker: what is wrong with a custom domain, who must act, what to do, and how long to wait.
//!
//! What was measured ([`observation`]) and what the operator told ([`told`]) are kept apart; one pure function
//! ([`diagnosis::diagnose`]) makes findings of both and the clock.

pub mod address;
pub mod code;
pub mod configuration;
pub mod diagnosis;
pub mod distance;
pub mod dns;
pub mod dns_name;
pub mod explain;
pub mod finding;
pub mod list;
pub mod name;
pub mod observation;
pub mod probe;
pub mod records;
pub mod settings;
pub mod state;
pub mod told;
pub mod world;

pub use code::Code;
pub use dns_name::{DnsName, Domain};
pub use finding::{Evidence, Finding, Verdict, Who};
