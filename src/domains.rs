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
//! [`Stage::of`] are pure functions, so every row of the [`catalogue`] is tested as a table. [`progress`] says what comes
//! next, and nothing else does. The app and the command line show the same: [`vantage_points`] shows what each server sees, [`report`] puts it into plain text, and
//! [`troubleshooting`] answers the four troubleshooting rules. The [`practice`] is an internet in memory, in which an
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
pub mod practice;
pub mod probe;
pub mod progress;
pub mod providers;
pub mod record_export;
pub mod redirect_config;
pub mod registry;
pub mod report;
pub mod reported;
pub mod stage;
pub mod troubleshooting;
pub mod vantage_points;
pub mod world;

pub use caches::{Caches, Promise, SourceAnswer};
pub use catalogue::{Code, Mark, Topic};
pub use check::{Checked, FollowedRedirect, Subject};
pub use check_options::CheckOptions;
pub use diagnosis::{Expectation, Facts};
pub use dns_name::{DnsName, Domain};
pub use finding::{Evidence, Finding, Verdict, Who, deciding, overall, wait_ends};
pub use observation::{
    Asked, Certificate, Complete, ConnectionFailure, Data, Distrust, Handshake, Hop, KeyId, Lookup, Method, NoReply,
    Observations, Presented, Protocol, Question, Record, RecordType, Reply, Response, ResponseCode, Role, Server,
    Trail,
};
pub use parse_name::{ExistingDomains, ParsedName};
pub use practice::{Practice, PracticeStep};
pub use probe::cache::ProbeCache;
pub use progress::{DomainProgress, DomainRole, DomainRoles, NextStep, count_words, leads_on};
pub use record_export::{Conflict, DnsRecord};
pub use redirect_config::{ConfigSource, Redirect, WrittenRedirect};
pub use registry::{Entry, Registry, RegistryChange, RegistryError, RegistryFile};
pub use report::{full_sentence, sentence, until_words};
pub use reported::{CERTIFICATE_WAIT, Dated, Event, PROPAGATION, Reported};
pub use stage::{Measurement, Stage, last_known, next_check};
pub use troubleshooting::{PRECONDITIONS, Rule};
pub use vantage_points::{View, ViewVerdict};
pub use world::World;

use catalogue::say;
use ip_ranges::{is_cloudflare, is_public};
use observation::{TYPES, code_name, error_words, type_name};
