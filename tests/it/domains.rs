//! The domains checker against a world on loopback: real DNS servers, real handshakes, real HTTP.

mod caches;
mod catalogue;
mod commands;
mod encrypted;
mod first_cause;
mod fixture;
mod hostile;
mod journey;
mod over_time;
mod platforms;
#[path = "../fuzz/readers.rs"]
mod readers;
mod sandbox;
mod seeds;
mod simulator;
mod walk;
mod worlds;
