//! DNS as it is on the wire: messages, and asking one server one question.
//!
//! Answers are read here and not by a resolver library, because the diagnosis needs what libraries hide: the AA
//! bit, the Extended DNS Error, and records that are broken.

pub mod encrypted;
pub mod exchange;
pub mod message;
