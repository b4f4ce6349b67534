//! The client of the Petstore Animals API: one request at a time, every answer checked, every failure typed.
//!
//! May touch the network through reqwest; knows no terminal and no database. What repeating may help is decided by the
//! pure [`retry`], never inside [`Client`]; [`creation`] sends an animal as often as it takes.

pub mod client;
pub mod creation;
pub mod error;
pub mod failure;
pub mod paging;
pub mod retry;

pub use client::{Client, Timeouts};
pub use error::{ApiError, Defect};
pub use failure::{Failure, Remedy};
pub use paging::{NextPage, PetPage};
