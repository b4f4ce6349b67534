//! The boxes of the panel.

pub mod formats;
pub mod outside;
pub mod resolvers;
