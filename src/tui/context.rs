//! The names of the places where keys are pressed.

use strum::{EnumIter, IntoStaticStr};

/// The name of a place where keys are pressed: a screen, a part of it, or a box over it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, EnumIter, IntoStaticStr)]
#[strum(serialize_all = "kebab-case")]
pub enum Context {
    /// Everywhere outside text; function keys and Ctrl keys of it also in text.
    Global,
    /// In every text field.
    Text,
    Pets,
    Search,
    Form,
    FormChoice,
    FormButton,
    Rapid,
    RapidChoice,
    RapidStatus,
    /// The question after an add without an answer.
    #[strum(serialize = "unknown-outcome")]
    Doubt,
    LimitBox,
    KeyBox,
    /// Error details.
    Reader,
    Help,
    ImportFile,
    #[strum(serialize = "import-preview")]
    ImportLook,
    /// The field for one value there.
    ImportValue,
    ImportRun,
    Commands,
    Themes,
    SaveView,
    ById,
    Profiles,
    ProfileText,
    ProfilePath,
    ProfileChoice,
    ProfileButton,
    Requests,
    Welcome,
    Domains,
    WizardButton,
    WizardText,
    Record,
    Domain,
    Rules,
    /// The field for what the browser says.
    Browser,
    Redirects,
    Removal,
    RemovalName,
    TextBox,
    FormatsBox,
    WriteBox,
    #[strum(serialize = "sandbox-box")]
    OutsideBox,
    Confirm,
}

impl Context {
    /// Its name in a file: `pets`, `limit-box`.
    pub fn name(self) -> &'static str {
        self.into()
    }
}
