//! The screens: small ones are a file. Of others the first file, or `state`, is what they know; below it each page has a
//! file with its commands, what follows from them and how it looks, or these are apart (`update`, `view`). What a screen asks
//! the worker for is beside what asks for it, or in `jobs` where the work is long.

pub mod add_pet;
pub mod domains;
pub mod pets;
pub mod profiles;
pub mod requests;
pub mod welcome;

/// The screens, each in its own folder.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Screen {
    /// Browse the pets.
    #[default]
    Pets,
    AddPet,
    /// Custom domains.
    Domains,
    /// The services that can be switched to.
    Profiles,
    /// What was asked and answered.
    Requests,
    /// The first start: no service is chosen yet.
    Welcome,
}
