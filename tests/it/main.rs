//! Tests with real sockets, real files and the real service, in one binary so that the dependencies are linked once.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on says where")]

mod cli;
mod client;
mod cluster;
mod config_schema;
mod dialogue;
mod documents;
mod domains;
mod durability;
mod flows;
mod fuzz;
mod instances;
mod live;
mod order;
mod package;
mod postgres;
mod prelude;
mod recipes;
mod rooms;
mod saturday;
mod service;
#[path = "../simulator/mod.rs"]
mod simulator;
mod skipped;
mod sse;
mod store;
mod stub;
mod transfer;
mod words;
