//! The service over real sockets on a real SQLite file. Every answer that a test looks at is also held against
//! `assets/openapi.yaml`.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on says where")]

mod additions;
mod bodies;
mod changes;
mod connections;
mod contract;
mod events;
pub mod fixture;
mod generated;
mod idempotency;
mod keys;
mod limits;
mod metrics;
mod provenance;
mod proxies;
mod requests;
mod tls;
