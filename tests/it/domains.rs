//! The domains checker against a world on loopback: real DNS servers, real handshakes, real HTTP.

mod caches;
mod catalogue;
mod commands;
mod encrypted;
mod first_cause;
mod fixture;
mod formats;
#[path = "../golden/golden.rs"]
mod golden;
mod hostile;
mod journey;
mod one_answer;
mod over_time;
mod practice;
mod resolvers;
mod walk;
mod worlds;
