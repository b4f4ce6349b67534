//! The domains checker: what is wrong with a custom domain, who must act, what to do, and how long to wait.
pub mod code;
pub mod dns_name;
pub mod finding;
pub mod name;
pub mod world;

pub use code::Code;
pub use dns_name::{DnsName, Domain};
pub use finding::{Evidence, Finding, Verdict, Who};
