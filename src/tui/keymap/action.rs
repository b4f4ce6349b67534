//! What a key may be bound to, and where: an action type for each place, which that place matches in full.

use strum::{EnumIter, IntoStaticStr};

use crate::domains::troubleshooting::Rule;
use crate::tui::key::KeyPress;
use crate::tui::text_input::Edit;

/// What a key may be bound to, by the place that it belongs to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Action {
    /// Does the same wherever it is bound.
    Global(GlobalAction),
    /// Edits the text field that has the cursor.
    Edit(Edit),
    Pets(PetsAction),
    Search(SearchAction),
    Lookup(LookupAction),
    Form(FormAction),
    UnknownOutcome(UnknownOutcomeAction),
    Rapid(RapidAction),
    ImportFile(ImportFileAction),
    Preview(PreviewAction),
    ImportRun(ImportRunAction),
    Limit(AskAction),
    Key(KeyAction),
    Reader(ReaderAction),
    Help(HelpAction),
    Commands(CommandsAction),
    SaveView(AskAction),
    Themes(PickAction),
    Profiles(ProfilesAction),
    ProfileForm(FormAction),
    Requests(RequestsAction),
    Welcome(WelcomeAction),
    Domains(DomainsAction),
    Text(TextAction),
    Formats(FormatsAction),
    Write(WriteAction),
    Outside(PickAction),
    Confirm(AskAction),
}

/// Moves a cursor, or the part of a text that is shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq, EnumIter, IntoStaticStr)]
#[strum(serialize_all = "kebab-case")]
pub enum Movement {
    Up,
    Down,
    PageUp,
    PageDown,
    HalfPageUp,
    HalfPageDown,
    First,
    Last,
}

impl Movement {
    /// Whether it goes down, to what comes next.
    pub const fn is_down(self) -> bool {
        matches!(self, Self::Down | Self::PageDown | Self::HalfPageDown | Self::Last)
    }
}

/// An answer by its number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, IntoStaticStr)]
pub enum Answer {
    #[strum(serialize = "answer-1")]
    First,
    #[strum(serialize = "answer-2")]
    Second,
    #[strum(serialize = "answer-3")]
    Third,
}

/// A part of the record that a domain needs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, IntoStaticStr)]
#[strum(serialize_all = "kebab-case", prefix = "copy-part-")]
pub enum RecordPart {
    Type,
    Name,
    Value,
    Ttl,
    FullName,
}

/// What does the same wherever it is bound.
#[derive(Clone, Copy, Debug, PartialEq, Eq, IntoStaticStr)]
#[strum(serialize_all = "kebab-case")]
pub enum GlobalAction {
    Help,
    Back,
    Quit,
    Interrupt,
    Suspend,
    Redraw,
    ShowPets,
    ShowAdd,
    ShowDomains,
    Choices,
    ErrorDetails,
    Commands,
    Profiles,
    Requests,
    Themes,
    /// Switches the mouse on or off.
    Mouse,
    /// Shows the form itself; [`GlobalAction::ShowAdd`] shows what was left open in its place.
    #[strum(serialize = "show-add")]
    NewPet,
    Import,
    RapidEntry,
    Outside,
    /// Completes the path in the field.
    #[strum(serialize = "complete")]
    CompletePath,
    /// Does what is chosen in the list of all commands.
    #[strum(serialize = "confirm")]
    RunCommand,
}

impl Action {
    /// Whether it adds pets, or leads to where they are added: not with a read-only profile.
    pub const fn is_about_adding(self) -> bool {
        use GlobalAction::{Import, NewPet, RapidEntry, ShowAdd};
        matches!(self, Self::Global(NewPet | ShowAdd | RapidEntry | Import) | Self::Pets(PetsAction::Samples))
    }

    /// Why it cannot be done in a session over SSH, which has one service and no files; `None` if it can.
    pub const fn why_not_over_ssh(self) -> Option<&'static str> {
        use GlobalAction::{Choices, Import, Outside, Profiles, ShowDomains, Suspend};
        if matches!(self, Self::Global(Import)) {
            Some("Import from your own machine: ssh USER@HOST pets import - < pets.csv")
        } else if matches!(self, Self::Pets(PetsAction::Export)) {
            Some("Export to your own machine: ssh USER@HOST pets export > pets.csv")
        } else if matches!(self, Self::Pets(PetsAction::SaveView)) {
            Some("A session over SSH cannot save views on the server.")
        } else if matches!(self, Self::Text(TextAction::WriteFile))
            || matches!(self, Self::Help(HelpAction::WriteFile) | Self::Preview(PreviewAction::WriteFile))
            || matches!(self, Self::ImportRun(ImportRunAction::WriteFile))
        {
            Some("A session over SSH writes no files of the server.")
        } else if matches!(self, Self::Global(Profiles | Choices)) {
            Some("A session over SSH has one service and one API key.")
        } else if matches!(self, Self::Global(ShowDomains | Outside)) {
            Some("A session over SSH has no custom domains.")
        } else if matches!(self, Self::Global(Suspend)) {
            Some("A session over SSH cannot be suspended. q ends it; what you typed is saved.")
        } else {
            None
        }
    }
}

/// In a list or a search: moves, takes what is marked, or leaves.
#[derive(Clone, Copy, Debug, PartialEq, Eq, IntoStaticStr)]
#[strum(serialize_all = "kebab-case")]
pub enum PickAction {
    Move(Movement),
    Confirm,
    Back,
}

/// In a question or a field: takes what is there, or leaves.
#[derive(Clone, Copy, Debug, PartialEq, Eq, IntoStaticStr)]
#[strum(serialize_all = "kebab-case")]
pub enum AskAction {
    Confirm,
    Back,
}

/// Among the pets.
#[derive(Clone, Copy, Debug, PartialEq, Eq, IntoStaticStr)]
#[strum(serialize_all = "kebab-case")]
pub enum PetsAction {
    Move(Movement),
    Open,
    Search,
    NextTab,
    PreviousTab,
    AllStatuses,
    MoreRows,
    FewerRows,
    ChooseLimit,
    SortBy,
    #[strum(serialize = "sort-reverse")]
    SortTurn,
    Live,
    Samples,
    Refresh,
    Copy,
    CopyJson,
    CopyCurl,
    Export,
    ById,
    Whole,
    Count,
    /// Asks for the name of a new view.
    SaveView,
    /// Runs one of the user's own actions, by its number.
    Run(usize),
}

/// In the search field of the pets.
#[derive(Clone, Copy, Debug, PartialEq, Eq, IntoStaticStr)]
#[strum(serialize_all = "kebab-case")]
pub enum SearchAction {
    Move(Movement),
    Confirm,
    Whole,
    Back,
}

/// In the look-up of a pet by its id.
#[derive(Clone, Copy, Debug, PartialEq, Eq, IntoStaticStr)]
#[strum(serialize_all = "kebab-case")]
pub enum LookupAction {
    Confirm,
    AskDeprecated,
    Back,
}

/// In a form, as far as it has these keys.
#[derive(Clone, Copy, Debug, PartialEq, Eq, IntoStaticStr)]
#[strum(serialize_all = "kebab-case")]
pub enum FormAction {
    NextField,
    PreviousField,
    Move(Movement),
    Toggle,
    Confirm,
    Save,
    Queue,
    Check,
    Choices,
    Clear,
    Back,
}

/// At the question after an add without an answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, IntoStaticStr)]
#[strum(serialize_all = "kebab-case")]
pub enum UnknownOutcomeAction {
    #[strum(transparent)]
    Answer(Answer),
    Move(Movement),
    Confirm,
    Clear,
    Back,
}

/// In rapid entry.
#[derive(Clone, Copy, Debug, PartialEq, Eq, IntoStaticStr)]
#[strum(serialize_all = "kebab-case")]
pub enum RapidAction {
    Move(Movement),
    NextField,
    PreviousField,
    NextTab,
    PreviousTab,
    Confirm,
    Save,
    Refresh,
    Delete,
    Clear,
    Back,
}

/// At the name of the file to import.
#[derive(Clone, Copy, Debug, PartialEq, Eq, IntoStaticStr)]
#[strum(serialize_all = "kebab-case")]
pub enum ImportFileAction {
    Confirm,
    Clear,
    Back,
}

/// Before an import: what is in the file, and how it will be sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq, IntoStaticStr)]
#[strum(serialize_all = "kebab-case")]
pub enum PreviewAction {
    Move(Movement),
    NextField,
    PreviousField,
    Save,
    Choices,
    Refresh,
    WriteFile,
    Copy,
    Clear,
    Back,
}

/// During an import, and after it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, IntoStaticStr)]
#[strum(serialize_all = "kebab-case")]
pub enum ImportRunAction {
    Move(Movement),
    Save,
    OnlyProblems,
    Confirm,
    Copy,
    WriteFile,
    Back,
}

/// In the box that asks for a key.
#[derive(Clone, Copy, Debug, PartialEq, Eq, IntoStaticStr)]
#[strum(serialize_all = "kebab-case")]
pub enum KeyAction {
    NextField,
    PreviousField,
    Confirm,
    Choices,
    Back,
}

/// In a text that is only read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, IntoStaticStr)]
#[strum(serialize_all = "kebab-case")]
pub enum ReaderAction {
    Move(Movement),
    Back,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, IntoStaticStr)]
#[strum(serialize_all = "kebab-case")]
pub enum HelpAction {
    Move(Movement),
    WriteFile,
    Back,
}

/// In the list of all commands; [`GlobalAction::RunCommand`] does what is chosen.
#[derive(Clone, Copy, Debug, PartialEq, Eq, IntoStaticStr)]
#[strum(serialize_all = "kebab-case")]
pub enum CommandsAction {
    Move(Movement),
    Copy,
    Back,
}

/// In the list of profiles.
#[derive(Clone, Copy, Debug, PartialEq, Eq, IntoStaticStr)]
#[strum(serialize_all = "kebab-case")]
pub enum ProfilesAction {
    Move(Movement),
    Confirm,
    TestProfile,
    NewProfile,
    Refresh,
    EnterKey,
    Copy,
    Back,
}

/// In the list of requests.
#[derive(Clone, Copy, Debug, PartialEq, Eq, IntoStaticStr)]
#[strum(serialize_all = "kebab-case")]
pub enum RequestsAction {
    Move(Movement),
    Open,
    CopyCurl,
    Back,
}

/// At the first start.
#[derive(Clone, Copy, Debug, PartialEq, Eq, IntoStaticStr)]
#[strum(serialize_all = "kebab-case")]
pub enum WelcomeAction {
    #[strum(transparent)]
    Answer(Answer),
    Move(Movement),
    Confirm,
}

/// On a page of the domains panel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DomainsAction {
    List(DomainListAction),
    Wizard(FormAction),
    Record(RecordAction),
    Domain(DomainAction),
    Rules(RulesAction),
    Redirects(RedirectsAction),
    Removal(RemovalAction),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, IntoStaticStr)]
#[strum(serialize_all = "kebab-case")]
pub enum DomainListAction {
    Move(Movement),
    Open,
    Add,
    Redirects,
    Removal,
    Refresh,
    Live,
    Resolvers,
    Delete,
}

/// At the record to enter.
#[derive(Clone, Copy, Debug, PartialEq, Eq, IntoStaticStr)]
#[strum(serialize_all = "kebab-case")]
pub enum RecordAction {
    #[strum(transparent)]
    Copy(RecordPart),
    Formats,
    CopyDeletes,
    WriteFile,
    Saved,
    Refresh,
    Correct,
    Evidence,
    Back,
    Leave,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, IntoStaticStr)]
#[strum(serialize_all = "kebab-case")]
pub enum DomainAction {
    Move(Movement),
    Refresh,
    Verified,
    Saved,
    Toggle,
    Correct,
    Rules,
    Evidence,
    Report,
    Copy,
    CopyDeletes,
    Formats,
    Record,
    Removal,
    Back,
}

/// At a troubleshooting rule.
#[derive(Clone, Copy, Debug, PartialEq, Eq, IntoStaticStr)]
#[strum(serialize_all = "kebab-case")]
pub enum RulesAction {
    NextTab,
    PreviousTab,
    #[strum(transparent)]
    Tab(Rule),
    Refresh,
    Verified,
    Toggle,
    Evidence,
    Report,
    Copy,
    Back,
}

/// In the table of redirects.
#[derive(Clone, Copy, Debug, PartialEq, Eq, IntoStaticStr)]
#[strum(serialize_all = "kebab-case")]
pub enum RedirectsAction {
    Move(Movement),
    Refresh,
    Copy,
    Back,
}

/// In the steps of a removal.
#[derive(Clone, Copy, Debug, PartialEq, Eq, IntoStaticStr)]
#[strum(serialize_all = "kebab-case")]
pub enum RemovalAction {
    NextField,
    PreviousField,
    Toggle,
    Confirm,
    Refresh,
    Redirects,
    Back,
}

/// In a text to copy or to write.
#[derive(Clone, Copy, Debug, PartialEq, Eq, IntoStaticStr)]
#[strum(serialize_all = "kebab-case")]
pub enum TextAction {
    Move(Movement),
    Copy,
    WriteFile,
    Back,
}

/// In the record in all formats.
#[derive(Clone, Copy, Debug, PartialEq, Eq, IntoStaticStr)]
#[strum(serialize_all = "kebab-case")]
pub enum FormatsAction {
    Move(Movement),
    Copy,
    WriteFile,
    Toggle,
    Back,
}

/// In the box that asks for a file's name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, IntoStaticStr)]
#[strum(serialize_all = "kebab-case")]
pub enum WriteAction {
    Confirm,
    Toggle,
    Back,
}

/// Where a key is pressed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, EnumIter, IntoStaticStr)]
#[strum(serialize_all = "kebab-case")]
pub enum Context {
    /// Everywhere outside text; function keys and Ctrl keys of it also in text.
    Global,
    /// In every text field.
    Text,
    /// The table of pets.
    Pets,
    /// The search field over it.
    Search,
    /// A text field of the add form.
    Form,
    /// A choice of the add form.
    FormChoice,
    /// Its button.
    FormButton,
    /// A text field of rapid entry.
    Rapid,
    /// The lines that were taken. Letters are for the name.
    RapidChoice,
    /// The status there.
    RapidStatus,
    /// The question after an add without an answer.
    #[strum(serialize = "unknown-outcome")]
    Doubt,
    /// The box that asks how many rows.
    LimitBox,
    /// The box that asks for a key.
    KeyBox,
    /// Error details.
    Reader,
    Help,
    /// The field for the file to import.
    ImportFile,
    /// What is in it, and how it will be sent.
    #[strum(serialize = "import-preview")]
    ImportLook,
    /// The field for one value there.
    ImportValue,
    /// The import that is under way.
    ImportRun,
    /// The list of all commands.
    Commands,
    /// The list of themes.
    Themes,
    /// The field for the name of a view.
    SaveView,
    /// The field for a pet's id.
    ById,
    /// The list of profiles.
    Profiles,
    /// A text field of the form for a profile.
    ProfileText,
    /// The field for a file there.
    ProfilePath,
    /// A choice of it.
    ProfileChoice,
    /// Its button.
    ProfileButton,
    /// The list of requests.
    Requests,
    /// The first start.
    Welcome,
    /// The list of domains.
    Domains,
    /// A tick or a button of the wizard for a domain.
    Wizard,
    /// Its button.
    WizardButton,
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
    #[strum(serialize = "sandbox-box")]
    OutsideBox,
    /// The question before the first change of a session.
    Confirm,
}

impl Context {
    /// Whether letters are text here.
    pub const fn is_text(self) -> bool {
        match self {
            Self::Text | Self::Search | Self::Form | Self::LimitBox | Self::KeyBox => true,
            Self::Commands | Self::SaveView | Self::ById => true,
            Self::ProfileText | Self::ProfilePath => true,
            Self::WizardText | Self::Browser | Self::RemovalName | Self::WriteBox => true,
            Self::Rapid | Self::RapidChoice | Self::RapidStatus => true,
            Self::ImportFile | Self::ImportValue => true,
            Self::FormButton | Self::ProfileButton | Self::WizardButton => false,
            Self::Global | Self::Pets | Self::FormChoice | Self::Doubt | Self::Reader => false,
            Self::Help | Self::Themes | Self::Profiles | Self::ProfileChoice => false,
            Self::Requests | Self::Welcome | Self::ImportLook | Self::ImportRun => false,
            Self::Domains | Self::Wizard | Self::Record | Self::Domain | Self::Rules | Self::Redirects => false,
            Self::Removal | Self::TextBox | Self::FormatsBox | Self::OutsideBox | Self::Confirm => false,
        }
    }

    /// Whether letters that are not bound here are typed.
    pub const fn takes_letters(self) -> bool {
        self.is_text()
            || matches!(self, Self::Wizard | Self::FormChoice | Self::ProfileChoice)
            || matches!(self, Self::WizardButton | Self::FormButton | Self::ProfileButton)
    }

    /// Whether the keys of [`Context::Global`] that would leave the place work here.
    pub(super) const fn is_box(self) -> bool {
        matches!(self, Self::LimitBox | Self::KeyBox | Self::Reader | Self::Help | Self::Commands)
            || matches!(self, Self::Themes | Self::TextBox | Self::FormatsBox | Self::WriteBox)
            || matches!(self, Self::SaveView | Self::ById | Self::OutsideBox | Self::Confirm)
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
    /// Its name in a file: `refresh`, `copy-part-value`, `answer-1`.
    pub name: &'static str,
    /// For the bottom line; empty keeps it out.
    pub hint: &'static str,
    /// For the help screen. Neighbours with the same text share a line.
    pub help: &'static str,
}
