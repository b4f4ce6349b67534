//! The fields of the form for a domain.

use crate::domains::DnsName;
use crate::tui::text_input::TextInput;
use crate::tui::widgets::form::{Field, Form, FormDraft, Kind};

pub static NAME: Field = Field::new("name", "Domain", Kind::Text).columns(48);
pub static VALUE: Field = Field::new("value", "Value", Kind::Text).columns(48);
pub static BUTTON: Field = Field::new("next", "[ F2 Next: the record ]", Kind::Button);

/// The form for a domain.
#[derive(Clone, Debug)]
pub struct Wizard {
    pub form: Form,
    /// The entry that is set up, if it exists: its name can no longer change.
    pub entry: Option<DnsName>,
}

impl Default for Wizard {
    fn default() -> Self {
        Self { form: Form::new(&[&NAME, &VALUE, &BUTTON]), entry: None }
    }
}

impl Wizard {
    /// The form for an entry of the list, with its value.
    pub fn of(name: &DnsName, value: &str) -> Self {
        let mut wizard = Self { entry: Some(name.clone()), ..Self::default() };
        wizard.form.set(&NAME, name.as_str());
        wizard.form.set(&VALUE, value);
        wizard.form.go_to(&VALUE);
        wizard
    }

    /// The text field that has the cursor.
    pub fn input(&mut self) -> Option<&mut TextInput> {
        let is_fixed = self.entry.is_some() && self.form.is_at(&NAME);
        self.form.input().filter(|_| !is_fixed)
    }

    pub fn draft(&self) -> FormDraft {
        let entry = self.entry.as_ref().map(|entry| ("entry".to_owned(), TextInput::new(entry.as_str())));
        self.form.draft().into_iter().chain(entry).collect()
    }

    /// The form that a draft has.
    pub fn restored(draft: &FormDraft) -> Self {
        let entry = draft.get("entry").filter(|entry| !entry.is_empty()).map(|entry| DnsName::new(entry.value()));
        let mut wizard = Self { entry, ..Self::default() };
        wizard.form.restore(draft);
        if wizard.entry.is_some() {
            // Its name is fixed, whatever was in use.
            wizard.form.go_to(&VALUE);
        }
        wizard
    }
}
