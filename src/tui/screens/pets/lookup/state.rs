//! The look-up and its result.

use jiff::Timestamp;

use crate::api::failure::Failure;
use crate::api::find::LookupResult;
use crate::clock::Now;
use crate::model::{Pet, PetId};
use crate::tui::text_input::TextInput;

/// The look-up of a pet.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ById {
    /// The id, as typed.
    pub input: TextInput,
    /// What is wrong with it.
    pub error: Option<String>,
    /// The latest lookup.
    pub looked: Option<Lookup>,
}

/// A look-up.
#[derive(Clone, Debug, PartialEq)]
pub struct Lookup {
    /// For which pet.
    pub id: PetId,
    /// When it began.
    pub at: Now,
    /// What came of it; absent while it runs.
    pub result: Option<Result<LookupResult, Failure>>,
    /// Where it was among the rows that were here already, when those were read: nothing was asked then.
    pub was_here: Option<Timestamp>,
}

impl ById {
    /// The pet that was found.
    pub fn pet(&self) -> Option<&Pet> {
        match &self.looked.as_ref()?.result {
            Some(Ok(found)) => found.pet.as_ref(),
            Some(Err(_)) | None => None,
        }
    }

    /// How it was found, for the message line.
    pub fn word(&self) -> String {
        let Some(Lookup { was_here, result: Some(Ok(found)), .. }) = &self.looked else { return String::new() };
        match found.steps.len() {
            _ if was_here.is_some() => "Found in the loaded rows.".to_owned(),
            1 => "Took 1 request.".to_owned(),
            steps => format!("Took {steps} requests."),
        }
    }

    /// The id that was typed, or what is wrong with it.
    pub fn id(&self) -> Result<PetId, String> {
        let text = self.input.value().trim();
        match text.parse() {
            _ if text.is_empty() => Err("Type a pet's id: a whole number.".to_owned()),
            Ok(id) => Ok(id),
            Err(_) => {
                let shown = crate::model::text::short(text);
                Err(format!("\"{shown}\" is not an id. Type a whole number, for example 100232."))
            }
        }
    }
}
