//! The real binary as scripts and people in a shell use it: output, exit statuses, help, and how it fails.

mod adds;
mod categories;
mod completions;
mod configures;
mod doctors;
mod examples;
mod failures;
mod file_descriptors;
pub mod fixture;
mod gets;
mod helps;
mod lists;
mod logins;
mod manual;
mod plain;
mod secrets;
mod serves;
mod sets;
mod stderr;
mod systemd;
mod trusts;
mod watches;
