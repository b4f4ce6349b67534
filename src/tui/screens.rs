//! The screens, a folder each: what it knows, what follows from a key, how it looks.

pub mod add_pet;
pub mod domains;
pub mod pets;
pub mod profiles;
pub mod requests;
pub mod welcome;
