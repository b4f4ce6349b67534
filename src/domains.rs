//! The domains checker: what is wrong with a custom domain, who must act, what to do, and how long to wait.
//!
//! ```text
//!  typed name ─► name ─► Domain ─► probe (dns, tls, http) ─► Observations ─┐
//!  what the operator told ─► list ─► told ─────────────────────────────────┼─► diagnosis ─► Findings ─► state
//!  the clock ──────────────────────────────────────────────────────────────┘
//! ```
//!
//! What was measured ([`observation`]) and what the operator told ([`told`]) are kept apart. [`probe`] and [`list`] are
//! the only parts with IO, and [`look`] goes the whole way through all of them; [`diagnosis::diagnose`] and
//! [`state::standing`] are pure functions, so that every row of the catalogue ([`code`]) is tested as a table. The app
//! and the command line show the same: [`views`] tells who sees what, [`report`] puts it into plain text, [`rules`]
//! answers the questions of the four troubleshooting rules. [`world`] is a small internet on loopback, for tests and for
//! practice, and [`practice`] says what is in it while an operator tries the way of a domain.

pub mod address;
pub mod code;
pub mod configuration;
pub mod diagnosis;
pub mod distance;
pub mod dns;
pub mod dns_name;
pub mod explain;
pub mod finding;
pub mod hostile;
pub mod list;
pub mod look;
pub mod name;
pub mod observation;
pub mod practice;
pub mod probe;
pub mod records;
pub mod report;
pub mod rules;
pub mod settings;
pub mod state;
pub mod told;
pub mod views;
pub mod world;

pub use code::Code;
pub use dns_name::{DnsName, Domain};
pub use finding::{Evidence, Finding, Verdict, Who};
