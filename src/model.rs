//! The types of the Petstore Animals API: pets, queries, errors, and the rules for them.
//!
//! All other rooms use these types, so that the form, the service and the command line apply the same rules. This room has
//! no IO, no clock and no async, and imports no other room.

#![warn(missing_docs)]

pub mod categories;
mod change;
pub mod columns;
pub mod draft;
mod endpoint;
pub mod escape;
pub mod export;
mod pet;
mod problem;
pub mod search;
pub mod sunset;
pub mod table;
pub mod text;
pub mod words;

pub use categories::Categories;
pub use change::{PatchOperation, PetHistoryEntry, PetMember, PetMembers, PetPatch};
pub use draft::{Draft, Field, FieldError};
pub use endpoint::{ApiKey, BaseUrl, EndpointError};
pub use escape::shell_word;
pub use pet::{
    AddedBy, IdempotencyKey, IdempotencyKeys, Limit, NewPet, ObservedStatus, Pet, PetId, PetQuery, PetStatus,
    Provenance, Provenances, sample,
};
pub use problem::{Problem, ProblemCode};
pub use text::{cut, display_safe, safe_causes, safe_text, short, width};
pub use words::counted;
