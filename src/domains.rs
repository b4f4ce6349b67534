//! The domains checker: what is wrong with a custom domain, who must act, what to do, and how long to wait.
//!
//! ```text
//!  typed name ─► parse_name ─► Domain ─► probe (dns, tls, http) ─► Observations ─┐
//!  what the operator reported ─► registry ─► reported ───────────────────────────┼─► diagnosis ─► Findings ─► stage
//!  the clock ────────────────────────────────────────────────────────────────────┘
//! ```
//!
//! What was measured ([`observation`]) and what the operator reported ([`reported`]) are kept apart. [`probe`] and
//! [`registry`] are the only parts with IO, and [`check`] runs through all of them; [`diagnosis::diagnose`] and
//! [`stage::status`] are pure functions, so every row of the [`catalogue`] is tested as a table. [`progress`] says what comes
//! next, and nothing else does. The app and the command line show the same: [`vantage_points`] shows what each server sees, [`report`] puts it into plain text, and
//! [`troubleshooting`] answers the four troubleshooting rules. The [`sandbox`] is an internet in memory, in which an
//! operator practises setting up a domain.

pub mod caches;
pub mod catalogue;
pub mod check;
pub mod check_options;
pub mod diagnosis;
pub mod dns;
mod dns_name;
pub mod explain;
pub mod finding;
mod ip_ranges;
pub mod observation;
pub mod parse_name;
pub mod probe;
pub mod progress;
pub mod providers;
pub mod record_export;
pub mod redirect_config;
pub mod registry;
pub mod report;
pub mod reported;
pub mod sandbox;
pub mod stage;
pub mod troubleshooting;
pub mod vantage_points;
pub mod world;

pub use catalogue::{Code, Topic};
pub use check::Checked;
pub use check_options::CheckOptions;
pub use dns_name::{DnsName, Domain};
pub use finding::{Evidence, Finding, Verdict, Who, deciding, overall};
pub use observation::{Data, Lookup, Observations, Record, RecordType, Reply, Role, Server};
pub use record_export::DnsRecord;
pub use registry::{Entry, Registry, RegistryFile};
pub use report::{full_sentence, sentence};
pub use reported::{Dated, Event, Reported};
pub use stage::{Measurement, Stage};
