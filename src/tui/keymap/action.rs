//! What a key may be bound to, and where.

use strum::{EnumIter, IntoStaticStr};

use crate::tui::key::KeyPress;
use crate::tui::text_input::Edit;

/// What a key may be bound to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, IntoStaticStr)]
#[strum(serialize_all = "kebab-case")]
#[expect(missing_docs, reason = "the help texts of the table say it")]
pub enum Action {
    Help,
    Back,
    Quit,
    Interrupt,
    Suspend,
    Redraw,
    ShowPets,
    ShowAdd,
    ShowDomains,
    Refresh,
    Choices,
    ErrorDetails,
    Up,
    Down,
    PageUp,
    PageDown,
    First,
    Last,
    Open,
    NextTab,
    PreviousTab,
    AllStatuses,
    MoreRows,
    FewerRows,
    ChooseLimit,
    Search,
    SortBy,
    SortTurn,
    Live,
    Samples,
    NextField,
    PreviousField,
    Confirm,
    Save,
    Clear,
    Toggle,
    Delete,
    Copy,
    WriteFile,
    /// Opens a screen or a box.
    Go(Destination),
    /// Only among the animals.
    Pet(PetAction),
    /// Only among the profiles.
    Profile(ProfileAction),
    /// Only in rapid entry, or to get there.
    Rapid(RapidAction),
    /// Only about the import of a file.
    Import(ImportAction),
    /// Only among the requests.
    Request(RequestAction),
    /// Only in the domains panel.
    Domain(DomainAction),
    /// An answer of the question, from 1.
    Answer(u8),
    Edit(Edit),
}

/// A screen or a box that is reached from everywhere.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, IntoStaticStr)]
#[strum(serialize_all = "kebab-case")]
#[expect(missing_docs, reason = "the help texts of the table say it")]
pub enum Destination {
    Commands,
    Profiles,
    Requests,
    Changes,
    Themes,
}

/// What a key on the pets screen may be bound to beside what other screens have, too.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, IntoStaticStr)]
#[strum(serialize_all = "kebab-case")]
#[expect(missing_docs, reason = "the help texts of the table say it")]
pub enum PetAction {
    /// The form itself; [`Action::ShowAdd`] shows what was open in its place.
    #[strum(serialize = "show-add")]
    Add,
    CopyJson,
    CopyCurl,
    Export,
    ById,
    Whole,
    Charts,
    AskDeprecated,
}

/// What a key on the profiles screen may be bound to beside what other screens have, too.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, IntoStaticStr)]
#[strum(serialize_all = "kebab-case")]
#[expect(missing_docs, reason = "the help texts of the table say it")]
pub enum ProfileAction {
    NewProfile,
    TestProfile,
    EnterKey,
}

/// What a key may be bound to that is about rapid entry.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, IntoStaticStr)]
#[strum(serialize_all = "kebab-case")]
#[expect(missing_docs, reason = "the help texts of the table say it")]
pub enum RapidAction {
    RapidEntry,
    UseCode,
}

/// What a key may be bound to that is about the import of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, IntoStaticStr)]
#[strum(serialize_all = "kebab-case")]
#[expect(missing_docs, reason = "the help texts of the table say it")]
pub enum ImportAction {
    Import,
    OnlyProblems,
}

/// What a key on the requests screen may be bound to beside what other screens have, too.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, IntoStaticStr)]
#[strum(serialize_all = "kebab-case")]
#[expect(missing_docs, reason = "the help texts of the table say it")]
pub enum RequestAction {
    OnlyFailed,
}

/// What a key of the domains panel may be bound to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, IntoStaticStr)]
#[strum(serialize_all = "kebab-case")]
#[expect(missing_docs, reason = "the help texts of the table say it")]
pub enum DomainAction {
    Add,
    Redirects,
    Removal,
    Record,
    Rules,
    Saved,
    Verified,
    Evidence,
    Report,
    Formats,
    CopyPart(RecordPart),
    MakePrimary,
    Correct,
    Outside,
    Leave,
}

/// A part of the record that a domain needs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, IntoStaticStr)]
#[strum(serialize_all = "kebab-case")]
#[expect(missing_docs, reason = "the names say it")]
pub enum RecordPart {
    Type,
    Name,
    Value,
    Ttl,
    FullName,
}

/// Where a key is pressed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, EnumIter, IntoStaticStr)]
#[strum(serialize_all = "kebab-case")]
pub enum Context {
    /// Everywhere outside text; function keys and Ctrl keys of it also in text.
    Global,
    /// In every text field.
    Text,
    /// The table of animals.
    Pets,
    /// The search field over it.
    Search,
    /// A text field of the add form.
    Form,
    /// A choice or button of the add form.
    FormChoice,
    /// A text field of rapid entry.
    Rapid,
    /// The status there, and the lines that were taken. Letters are for the name.
    RapidChoice,
    /// The question after an add without an answer.
    Doubt,
    /// The box that asks how many rows.
    LimitBox,
    /// The box that asks for a key.
    KeyBox,
    /// Error details.
    Reader,
    /// The help, with its search.
    Help,
    /// The field for the file that is to be imported.
    ImportFile,
    /// What is in it, and how it is to be sent.
    ImportLook,
    /// The field for one value there.
    ImportValue,
    /// The import that is under way.
    ImportRun,
    /// The list of all commands.
    Commands,
    /// What is new or has another status.
    Changes,
    /// The charts of status and category.
    Charts,
    /// The list of themes.
    Themes,
    /// The field for an animal's id, and what was found.
    ById,
    /// The list of profiles.
    Profiles,
    /// A text field of the form for a profile.
    ProfileText,
    /// A choice or a button of it.
    ProfileChoice,
    /// The list of requests.
    Requests,
    /// The search over it.
    RequestSearch,
    /// The first start.
    Welcome,
    /// The field for a configuration file there.
    WelcomePath,
    /// The list of domains.
    Domains,
    /// A tick or a button of the wizard for a domain.
    Wizard,
    /// A text field of it.
    WizardText,
    /// The record to enter.
    Record,
    /// One domain as it is now.
    Domain,
    /// A troubleshooting rule.
    Rules,
    /// The field for what the browser says.
    Browser,
    /// The table of redirects.
    Redirects,
    /// A field of a redirect.
    RedirectForm,
    /// The steps of a removal.
    Removal,
    /// The field for the name at their end.
    RemovalName,
    /// A text to copy or to write.
    TextBox,
    /// The record in all formats.
    FormatsBox,
    /// The box that asks for a file's name.
    WriteBox,
    /// What can be done outside, in practice.
    OutsideBox,
    /// The question before the first change of a session.
    Confirm,
}

impl Context {
    /// Whether letters are text here.
    #[must_use]
    pub const fn is_text(self) -> bool {
        match self {
            Self::Text | Self::Search | Self::Form | Self::LimitBox | Self::KeyBox => true,
            Self::Help | Self::Commands | Self::ById | Self::ProfileText | Self::RequestSearch => true,
            Self::WizardText | Self::Browser | Self::RedirectForm | Self::RemovalName | Self::WriteBox => true,
            Self::WelcomePath | Self::Rapid | Self::RapidChoice | Self::ImportFile | Self::ImportValue => true,
            Self::Global | Self::Pets | Self::FormChoice | Self::Doubt | Self::Reader => false,
            Self::Changes | Self::Charts | Self::Themes | Self::Profiles | Self::ProfileChoice => false,
            Self::Requests | Self::Welcome | Self::ImportLook | Self::ImportRun => false,
            Self::Domains | Self::Wizard | Self::Record | Self::Domain | Self::Rules | Self::Redirects => false,
            Self::Removal | Self::TextBox | Self::FormatsBox | Self::OutsideBox | Self::Confirm => false,
        }
    }

    /// Whether this is a place of the domains panel.
    #[must_use]
    pub const fn is_about_domains(self) -> bool {
        matches!(
            self,
            Self::Domains
                | Self::Wizard
                | Self::WizardText
                | Self::Record
                | Self::Domain
                | Self::Rules
                | Self::Browser
                | Self::Redirects
                | Self::RedirectForm
                | Self::Removal
                | Self::RemovalName
        )
    }

    /// Whether letters that are bound nowhere here are typed all the same: somebody who sees a form types.
    pub(super) const fn takes_letters(self) -> bool {
        self.is_text() || matches!(self, Self::Wizard)
    }

    /// Whether the keys of [`Context::Global`] that would leave the place work here.
    pub(super) const fn is_box(self) -> bool {
        matches!(
            self,
            Self::LimitBox
                | Self::KeyBox
                | Self::Reader
                | Self::Help
                | Self::Commands
                | Self::Changes
                | Self::Charts
                | Self::Themes
                | Self::TextBox
                | Self::FormatsBox
                | Self::WriteBox
                | Self::OutsideBox
                | Self::Confirm
        )
    }
}

/// One line of the table.
#[derive(Clone, Debug)]
pub struct Binding {
    /// Where.
    pub context: Context,
    /// Which keys, the most natural one first. None where only the list of all commands has it.
    pub keys: Vec<KeyPress>,
    /// What they do.
    pub action: Action,
    /// For the bottom line; empty keeps it out.
    pub hint: &'static str,
    /// For the help screen. Neighbours with the same text share a line.
    pub help: &'static str,
}
