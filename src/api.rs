//! The client of the Petstore Animals API: one request at a time, every answer checked, every failure typed.
//!
//! May use the network through reqwest, but no terminal and no database. What is worth repeating is decided by the pure
//! part of [`retry`], never inside [`Client`]; the rest of it sends a pet as often as it takes. On top of single
//! requests: [`list`] asks again cheaply, [`inventory`] asks for everything, [`find`] looks for one pet, [`follow`]
//! reports new ones. [`exchange`] is the record of a request, and the curl command that does the same; [`failure`] says
//! why a request gave nothing, and what that means.

#![warn(missing_docs)]

pub mod client;
pub mod exchange;
pub mod failure;
pub mod find;
pub mod follow;
pub mod inventory;
pub mod list;
mod paging;
pub mod retry;

pub use client::{Client, Offers, Timeouts};
pub use exchange::{Exchange, Recorder};
pub use failure::{Failure, Remedy, Result};
pub use inventory::Coverage;
pub use list::{List, ListAnswer};
pub use paging::{NextPage, PetPage};
