//! What each key does where: one table, from which keys are looked up and help and the bottom line are made.

use super::msg::{Key, KeyPress};
use super::text_input::Edit;

/// What a key may be bound to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
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
    /// Only in the domains panel.
    Domain(DomainAction),
    /// An answer of the question, from 1.
    Answer(u8),
    Edit(Edit),
}

/// What a key of the domains panel may be bound to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
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
    CopyPart(Part),
    MakePrimary,
    Outside,
    Leave,
}

/// A part of the record that a domain needs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[expect(missing_docs, reason = "the names say it")]
pub enum Part {
    Type,
    Name,
    Value,
    Ttl,
    FullName,
}

/// Where a key is pressed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
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
    /// The question after an add without an answer.
    Doubt,
    /// The box that asks how many rows.
    LimitBox,
    /// The box that asks for a key.
    KeyBox,
    /// Help and error details.
    Reader,
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
}

impl Context {
    /// Whether letters are text here.
    #[must_use]
    pub const fn is_text(self) -> bool {
        match self {
            Self::Text | Self::Search | Self::Form | Self::LimitBox | Self::KeyBox => true,
            Self::WizardText | Self::Browser | Self::RedirectForm | Self::RemovalName | Self::WriteBox => true,
            Self::Global | Self::Pets | Self::FormChoice | Self::Doubt | Self::Reader => false,
            Self::Domains | Self::Wizard | Self::Record | Self::Domain | Self::Rules | Self::Redirects => false,
            Self::Removal | Self::TextBox | Self::FormatsBox | Self::OutsideBox => false,
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
    const fn takes_letters(self) -> bool {
        self.is_text() || matches!(self, Self::Wizard)
    }

    /// Whether the keys of [`Context::Global`] that would leave the place work here.
    const fn is_box(self) -> bool {
        matches!(
            self,
            Self::LimitBox
                | Self::KeyBox
                | Self::Reader
                | Self::TextBox
                | Self::FormatsBox
                | Self::WriteBox
                | Self::OutsideBox
        )
    }
}

/// One line of the table.
#[derive(Clone, Copy, Debug)]
pub struct Binding {
    /// Where.
    pub context: Context,
    /// Which keys, the most natural one first.
    pub keys: &'static [KeyPress],
    /// What they do.
    pub action: Action,
    /// For the bottom line; empty keeps it out.
    pub hint: &'static str,
    /// For the help screen. Neighbours with the same text share a line.
    pub help: &'static str,
}

const fn k(key: Key) -> KeyPress {
    KeyPress { key, ctrl: false }
}
const fn ch(c: char) -> KeyPress {
    k(Key::Char(c))
}
const fn ctrl(c: char) -> KeyPress {
    KeyPress { key: Key::Char(c), ctrl: true }
}
const fn f(number: u8) -> KeyPress {
    k(Key::F(number))
}
const fn bind(
    context: Context,
    keys: &'static [KeyPress],
    action: Action,
    hint: &'static str,
    help: &'static str,
) -> Binding {
    Binding { context, keys, action, hint, help }
}

use Action as A;
use Context as C;
use DomainAction as D;

/// The whole map. The bottom line shows the hints of the context in this order.
pub const BINDINGS: &[Binding] = &[
    bind(C::Pets, &[k(Key::Enter)], A::Open, "detail", "open, close the detail"),
    bind(C::Pets, &[ch('/')], A::Search, "search", "search these rows"),
    bind(C::Pets, &[k(Key::Left), ch('h')], A::PreviousTab, "", "status tab"),
    bind(C::Pets, &[k(Key::Right), ch('l')], A::NextTab, "status", "status tab"),
    bind(C::Pets, &[ch('0')], A::AllStatuses, "", "all statuses"),
    bind(C::Pets, &[ch('+')], A::MoreRows, "more", "more, fewer rows"),
    bind(C::Pets, &[ch('-')], A::FewerRows, "", "more, fewer rows"),
    bind(C::Pets, &[ch('L'), f(4)], A::ChooseLimit, "rows", "number of rows"),
    bind(C::Pets, &[ch('A')], A::Live, "live", "live refresh, on and off"),
    bind(C::Pets, &[ch('o')], A::SortBy, "sort", "sort, turn round"),
    bind(C::Pets, &[ch('O')], A::SortTurn, "", "sort, turn round"),
    bind(C::Pets, &[ch('r'), f(5)], A::Refresh, "refresh", "ask again"),
    bind(C::Pets, &[ch('a')], A::ShowAdd, "add", "add an animal"),
    bind(C::Pets, &[ch('S')], A::Samples, "", "samples (empty store)"),
    bind(C::Pets, &[k(Key::Up), ch('k')], A::Up, "", "move"),
    bind(C::Pets, &[k(Key::Down), ch('j')], A::Down, "", "move"),
    bind(C::Pets, &[k(Key::PageUp), ctrl('b')], A::PageUp, "", "a page"),
    bind(C::Pets, &[k(Key::PageDown), ctrl('f')], A::PageDown, "", "a page"),
    bind(C::Pets, &[k(Key::Home), ch('g')], A::First, "", "first, last"),
    bind(C::Pets, &[k(Key::End), ch('G')], A::Last, "", "first, last"),
    bind(C::Search, &[k(Key::Enter)], A::Confirm, "keep", "keep, go to the rows"),
    bind(C::Search, &[k(Key::Esc), f(3)], A::Back, "clear", "clear, then leave"),
    bind(C::Search, &[k(Key::Up)], A::Up, "move", "move in the rows"),
    bind(C::Search, &[k(Key::Down)], A::Down, "", "move in the rows"),
    bind(C::Form, &[k(Key::Tab), k(Key::Enter), k(Key::Down)], A::NextField, "next", "next field"),
    bind(C::Form, &[k(Key::BackTab), k(Key::Up)], A::PreviousField, "back", "field before"),
    bind(C::Form, &[f(2)], A::Save, "save", "check and send"),
    bind(C::Form, &[f(8)], A::Clear, "clear", "clear; again: undo"),
    bind(C::Form, &[k(Key::Esc), f(3)], A::Back, "pets", "to the pets, text stays"),
    bind(C::FormChoice, &[k(Key::Tab), k(Key::Enter)], A::Confirm, "next", "next; at the end: save"),
    bind(C::FormChoice, &[k(Key::BackTab)], A::PreviousField, "back", "field before"),
    bind(C::FormChoice, &[k(Key::Up), ch('k')], A::Up, "choose", "choose"),
    bind(C::FormChoice, &[k(Key::Down), ch('j')], A::Down, "", "choose"),
    bind(C::FormChoice, &[f(2)], A::Save, "save", "check and send"),
    bind(C::FormChoice, &[f(8)], A::Clear, "clear", "clear; again: undo"),
    bind(C::FormChoice, &[k(Key::Esc), f(3)], A::Back, "pets", "to the pets, text stays"),
    bind(C::Doubt, &[ch('1')], A::Answer(1), "", "take this answer"),
    bind(C::Doubt, &[ch('2')], A::Answer(2), "", "take this answer"),
    bind(C::Doubt, &[ch('3')], A::Answer(3), "", "take this answer"),
    bind(C::Doubt, &[k(Key::Enter)], A::Confirm, "take it", "take the marked answer"),
    bind(C::Doubt, &[k(Key::Up), k(Key::BackTab), ch('k')], A::Up, "choose", "choose"),
    bind(C::Doubt, &[k(Key::Down), k(Key::Tab), ch('j')], A::Down, "", "choose"),
    bind(C::Doubt, &[f(8)], A::Clear, "drop the question", "drop the question"),
    bind(C::Doubt, &[k(Key::Esc), f(3)], A::Back, "pets", "to the pets"),
    bind(C::LimitBox, &[k(Key::Enter), f(2)], A::Confirm, "use the number", "use the number typed"),
    bind(C::LimitBox, &[k(Key::Up)], A::Up, "pick", "pick a number"),
    bind(C::LimitBox, &[k(Key::Down)], A::Down, "", "pick a number"),
    bind(C::LimitBox, &[k(Key::Esc), f(3)], A::Back, "cancel", "close without a change"),
    bind(C::KeyBox, &[k(Key::Enter), f(2)], A::Confirm, "try it", "try the key"),
    bind(C::KeyBox, &[f(4)], A::Choices, "show or hide", "show or hide the key"),
    bind(C::KeyBox, &[k(Key::Esc), f(3)], A::Back, "close", "close; F4 opens it again"),
    bind(C::Reader, &[k(Key::Up), ch('k')], A::Up, "scroll", "scroll"),
    bind(C::Reader, &[k(Key::Down), ch('j')], A::Down, "", "scroll"),
    bind(C::Reader, &[k(Key::PageUp)], A::PageUp, "", "a page"),
    bind(C::Reader, &[k(Key::PageDown), ch(' ')], A::PageDown, "page", "a page"),
    bind(C::Reader, &[k(Key::Home), ch('g')], A::First, "", "top, bottom"),
    bind(C::Reader, &[k(Key::End), ch('G')], A::Last, "", "top, bottom"),
    bind(C::Reader, &[k(Key::Esc), k(Key::Enter), ch('q'), ch('?'), f(1), f(3), ctrl('g')], A::Back, "close", "close"),
    bind(C::Domains, &[k(Key::Enter)], A::Open, "open", "open, go on"),
    bind(C::Domains, &[ch('a')], A::Domain(D::Add), "add", "add a domain"),
    bind(C::Domains, &[ch('R')], A::Domain(D::Redirects), "redirects", "primary and redirects"),
    bind(C::Domains, &[ch('U')], A::Domain(D::Removal), "removal", "remove, in order"),
    bind(C::Domains, &[ch('r'), f(5)], A::Refresh, "check now", "check all now"),
    bind(C::Domains, &[ch('A')], A::Live, "watch", "watch, on and off"),
    bind(C::Domains, &[ch('o'), f(7)], A::Domain(D::Outside), "", "practice: act outside"),
    bind(C::Domains, &[k(Key::Delete)], A::Delete, "", "drop a draft"),
    bind(C::Domains, &[k(Key::Up), ch('k')], A::Up, "", "move"),
    bind(C::Domains, &[k(Key::Down), ch('j')], A::Down, "", "move"),
    bind(C::Domains, &[k(Key::PageUp), ctrl('b')], A::PageUp, "", "a page"),
    bind(C::Domains, &[k(Key::PageDown), ctrl('f')], A::PageDown, "", "a page"),
    bind(C::Domains, &[k(Key::Home), ch('g')], A::First, "", "first, last"),
    bind(C::Domains, &[k(Key::End), ch('G')], A::Last, "", "first, last"),
    bind(C::Wizard, &[ch(' ')], A::Toggle, "tick", "tick"),
    bind(C::Wizard, &[k(Key::Enter)], A::Confirm, "take", "tick, or press it"),
    bind(C::Wizard, &[k(Key::Tab), k(Key::Down)], A::NextField, "next", "next line"),
    bind(C::Wizard, &[k(Key::BackTab), k(Key::Up)], A::PreviousField, "", "line before"),
    bind(C::Wizard, &[f(2)], A::Save, "the record", "on to the record"),
    bind(C::Wizard, &[f(7)], A::Domain(D::Outside), "", "practice: act outside"),
    bind(C::Wizard, &[f(8)], A::Clear, "", "clear the form"),
    bind(C::Wizard, &[k(Key::Esc), f(3)], A::Back, "leave", "to the list, kept"),
    bind(C::WizardText, &[k(Key::Tab), k(Key::Enter), k(Key::Down)], A::NextField, "next", "next field"),
    bind(C::WizardText, &[k(Key::BackTab), k(Key::Up)], A::PreviousField, "", "field before"),
    bind(C::WizardText, &[f(2)], A::Save, "the record", "on to the record"),
    bind(C::WizardText, &[f(7)], A::Domain(D::Outside), "", "practice: act outside"),
    bind(C::WizardText, &[f(8)], A::Clear, "clear", "clear the form"),
    bind(C::WizardText, &[k(Key::Esc), f(3)], A::Back, "leave", "to the list, kept"),
    bind(C::Record, &[ch('t')], A::Domain(D::CopyPart(Part::Type)), "", "copy Type"),
    bind(C::Record, &[ch('n')], A::Domain(D::CopyPart(Part::Name)), "", "copy Name"),
    bind(C::Record, &[ch('v')], A::Domain(D::CopyPart(Part::Value)), "copy", "copy Value"),
    bind(C::Record, &[ch('l')], A::Domain(D::CopyPart(Part::Ttl)), "", "copy TTL"),
    bind(C::Record, &[ch('N')], A::Domain(D::CopyPart(Part::FullName)), "", "copy the full name"),
    bind(C::Record, &[ch('f'), f(4)], A::Domain(D::Formats), "formats", "all formats"),
    bind(C::Record, &[ch('w')], A::WriteFile, "write", "write to a file"),
    bind(C::Record, &[ch('s')], A::Domain(D::Saved), "saved it", "I have saved it there"),
    bind(C::Record, &[ch('r'), f(5)], A::Refresh, "", "check now"),
    bind(C::Record, &[ch('e')], A::Domain(D::Evidence), "", "evidence"),
    bind(C::Record, &[ch('o'), f(7)], A::Domain(D::Outside), "", "practice: act outside"),
    bind(C::Record, &[f(3), k(Key::Left), ch('h')], A::Back, "step back", "name and value"),
    bind(C::Record, &[k(Key::Esc), ch('q')], A::Domain(D::Leave), "list", "to the list"),
    bind(C::Domain, &[ch('r'), f(5)], A::Refresh, "check", "check now"),
    bind(C::Domain, &[ch('V')], A::Domain(D::Verified), "I chose Verify", "I chose (Re-)Verify"),
    bind(C::Domain, &[ch('t')], A::Domain(D::Rules), "trouble", "trouble: four rules"),
    bind(C::Domain, &[ch('e')], A::Domain(D::Evidence), "evidence", "evidence"),
    bind(C::Domain, &[ch('S')], A::Domain(D::Report), "", "support report"),
    bind(C::Domain, &[ch('y')], A::Copy, "copy", "copy the first cause"),
    bind(C::Domain, &[ch('d')], A::Domain(D::Record), "", "the DNS record again"),
    bind(C::Domain, &[ch('s')], A::Domain(D::Saved), "", "saved again just now"),
    bind(C::Domain, &[ch('f')], A::Domain(D::Formats), "", "the record in formats"),
    bind(C::Domain, &[ch('U')], A::Domain(D::Removal), "", "remove, in order"),
    bind(C::Domain, &[ch(' ')], A::Toggle, "", "tick what is so"),
    bind(C::Domain, &[ch('o'), f(7)], A::Domain(D::Outside), "", "practice: act outside"),
    bind(C::Domain, &[k(Key::Up), ch('k')], A::Up, "", "domain before, after"),
    bind(C::Domain, &[k(Key::Down), ch('j')], A::Down, "", "domain before, after"),
    bind(C::Domain, &[k(Key::Esc), f(3), ch('q')], A::Back, "back", "to the list"),
    bind(C::Rules, &[k(Key::Right), k(Key::Tab)], A::NextTab, "next", "other rules"),
    bind(C::Rules, &[k(Key::Left), k(Key::BackTab)], A::PreviousTab, "", "other rules"),
    bind(C::Rules, &[ch('r'), f(5)], A::Refresh, "check", "check now"),
    bind(C::Rules, &[ch('V')], A::Domain(D::Verified), "I chose Re-verify", "I chose (Re-)Verify"),
    bind(C::Rules, &[ch('y')], A::Copy, "copy", "copy the first act"),
    bind(C::Rules, &[ch('e')], A::Domain(D::Evidence), "evidence", "evidence"),
    bind(C::Rules, &[ch('S')], A::Domain(D::Report), "", "support report"),
    bind(C::Rules, &[ch(' ')], A::Toggle, "", "tick what is so"),
    bind(C::Rules, &[ch('o'), f(7)], A::Domain(D::Outside), "", "practice: act outside"),
    bind(C::Rules, &[k(Key::Esc), f(3), ch('q')], A::Back, "back", "to the domain"),
    bind(C::Browser, &[k(Key::Tab)], A::NextTab, "next rule", "next rule"),
    bind(C::Browser, &[k(Key::BackTab)], A::PreviousTab, "", "rule before"),
    bind(C::Browser, &[f(5)], A::Refresh, "check", "check now"),
    bind(C::Browser, &[f(7)], A::Domain(D::Outside), "", "practice: act outside"),
    bind(C::Browser, &[k(Key::Esc), f(3)], A::Back, "back", "to the domain"),
    bind(C::Redirects, &[k(Key::Enter)], A::Open, "edit", "edit the line"),
    bind(C::Redirects, &[ch('a')], A::Domain(D::Add), "add", "add a redirect"),
    bind(C::Redirects, &[k(Key::Delete), ch('x')], A::Delete, "remove", "remove the line"),
    bind(C::Redirects, &[ch('p')], A::Domain(D::MakePrimary), "", "make its target primary"),
    bind(C::Redirects, &[f(2)], A::Save, "save", "save to your file"),
    bind(C::Redirects, &[f(4)], A::Choices, "mend", "mend the line"),
    bind(C::Redirects, &[ch('r'), f(5)], A::Refresh, "check", "follow all of them"),
    bind(C::Redirects, &[ch('y')], A::Copy, "", "copy all as JSON"),
    bind(C::Redirects, &[ch('w')], A::WriteFile, "", "write JSON or TOML"),
    bind(C::Redirects, &[ch('o'), f(7)], A::Domain(D::Outside), "", "practice: act outside"),
    bind(C::Redirects, &[k(Key::Up), ch('k')], A::Up, "", "move"),
    bind(C::Redirects, &[k(Key::Down), ch('j')], A::Down, "", "move"),
    bind(C::Redirects, &[k(Key::PageUp), k(Key::Home), ch('g')], A::First, "", "first, last"),
    bind(C::Redirects, &[k(Key::PageDown), k(Key::End), ch('G')], A::Last, "", "first, last"),
    bind(C::Redirects, &[k(Key::Esc), f(3), ch('q')], A::Back, "back", "to the list"),
    bind(C::RedirectForm, &[k(Key::Tab), k(Key::Enter), k(Key::Down)], A::NextField, "next", "next; last: take it"),
    bind(C::RedirectForm, &[k(Key::BackTab), k(Key::Up)], A::PreviousField, "", "field before"),
    bind(C::RedirectForm, &[f(2)], A::Save, "save", "take it and save"),
    bind(C::RedirectForm, &[f(4)], A::Choices, "mend", "mend it"),
    bind(C::RedirectForm, &[f(8)], A::Clear, "clear", "clear the field"),
    bind(C::RedirectForm, &[k(Key::Esc), f(3)], A::Back, "cancel", "leave it as it was"),
    bind(C::Removal, &[ch(' ')], A::Toggle, "tick", "tick, done"),
    bind(C::Removal, &[k(Key::Tab), k(Key::Enter), k(Key::Down)], A::NextField, "next", "next line"),
    bind(C::Removal, &[k(Key::BackTab), k(Key::Up)], A::PreviousField, "", "line before"),
    bind(C::Removal, &[ch('r'), f(5)], A::Refresh, "check again", "check again"),
    bind(C::Removal, &[ch('R')], A::Domain(D::Redirects), "redirects", "set a redirect"),
    bind(C::Removal, &[ch('o'), f(7)], A::Domain(D::Outside), "", "practice: act outside"),
    bind(C::Removal, &[k(Key::Esc), f(3), ch('q')], A::Back, "back", "to the list"),
    bind(C::RemovalName, &[k(Key::Enter), f(2)], A::Confirm, "off the list", "take it off the list"),
    bind(C::RemovalName, &[k(Key::BackTab), k(Key::Up)], A::PreviousField, "step before", "step before"),
    bind(C::RemovalName, &[f(5)], A::Refresh, "check again", "check again"),
    bind(C::RemovalName, &[f(7)], A::Domain(D::Outside), "", "practice: act outside"),
    bind(C::RemovalName, &[k(Key::Esc), f(3)], A::Back, "back", "to the list"),
    bind(C::TextBox, &[k(Key::Up), ch('k')], A::Up, "scroll", "scroll"),
    bind(C::TextBox, &[k(Key::Down), ch('j')], A::Down, "", "scroll"),
    bind(C::TextBox, &[k(Key::PageUp)], A::PageUp, "", "a page"),
    bind(C::TextBox, &[k(Key::PageDown), ch(' ')], A::PageDown, "page", "a page"),
    bind(C::TextBox, &[k(Key::Home), ch('g')], A::First, "", "top, bottom"),
    bind(C::TextBox, &[k(Key::End), ch('G')], A::Last, "", "top, bottom"),
    bind(C::TextBox, &[ch('y')], A::Copy, "copy", "copy it"),
    bind(C::TextBox, &[ch('w')], A::WriteFile, "write to file", "write it to a file"),
    bind(C::TextBox, &[k(Key::Esc), k(Key::Enter), ch('q'), f(3)], A::Back, "close", "close"),
    bind(C::FormatsBox, &[k(Key::Up), ch('k')], A::Up, "choose", "choose the format"),
    bind(C::FormatsBox, &[k(Key::Down), ch('j')], A::Down, "", "choose the format"),
    bind(C::FormatsBox, &[ch('y'), k(Key::Enter)], A::Copy, "copy", "copy it"),
    bind(C::FormatsBox, &[ch('w')], A::WriteFile, "write to file", "write it to a file"),
    bind(C::FormatsBox, &[ch('d')], A::Toggle, "with what to delete", "with what to delete"),
    bind(C::FormatsBox, &[k(Key::Esc), ch('q'), f(3)], A::Back, "close", "close"),
    bind(C::WriteBox, &[k(Key::Enter), f(2)], A::Confirm, "write", "write the file"),
    bind(C::WriteBox, &[k(Key::Esc), f(3)], A::Back, "cancel", "close without writing"),
    bind(C::OutsideBox, &[k(Key::Up), ch('k')], A::Up, "choose", "choose"),
    bind(C::OutsideBox, &[k(Key::Down), ch('j')], A::Down, "", "choose"),
    bind(C::OutsideBox, &[k(Key::Home)], A::First, "", "first, last"),
    bind(C::OutsideBox, &[k(Key::End)], A::Last, "", "first, last"),
    bind(C::OutsideBox, &[k(Key::Enter)], A::Confirm, "do it", "do it outside"),
    bind(C::OutsideBox, &[k(Key::Esc), ch('q'), f(3)], A::Back, "close", "close"),
    bind(C::Text, &[k(Key::Left)], A::Edit(Edit::Left), "", "cursor"),
    bind(C::Text, &[k(Key::Right)], A::Edit(Edit::Right), "", "cursor"),
    bind(C::Text, &[k(Key::Home), ctrl('a')], A::Edit(Edit::Start), "", "start, end"),
    bind(C::Text, &[k(Key::End), ctrl('e')], A::Edit(Edit::End), "", "start, end"),
    bind(C::Text, &[k(Key::Backspace)], A::Edit(Edit::Backspace), "", "delete"),
    bind(C::Text, &[k(Key::Delete)], A::Edit(Edit::Delete), "", "delete"),
    bind(C::Text, &[ctrl('w')], A::Edit(Edit::ClearWord), "", "clear the word before"),
    bind(C::Text, &[ctrl('u')], A::Edit(Edit::ClearToStart), "", "clear to start, to end"),
    bind(C::Text, &[ctrl('k')], A::Edit(Edit::ClearToEnd), "", "clear to start, to end"),
    bind(C::Global, &[ch('1')], A::ShowPets, "", "Pets, Add, Domains"),
    bind(C::Global, &[ch('2')], A::ShowAdd, "", "Pets, Add, Domains"),
    bind(C::Global, &[ch('3')], A::ShowDomains, "", "Pets, Add, Domains"),
    bind(C::Global, &[ch('e')], A::ErrorDetails, "", "the last error in full"),
    bind(C::Global, &[f(4)], A::Choices, "", "enter another API key"),
    bind(C::Global, &[ctrl('l')], A::Redraw, "", "paint the screen anew"),
    bind(C::Global, &[ctrl('z')], A::Suspend, "", "pause (fg comes back)"),
    bind(C::Global, &[k(Key::Esc), f(3)], A::Back, "", "back"),
    bind(C::Global, &[ch('q')], A::Quit, "", "quit"),
    bind(C::Global, &[ctrl('c')], A::Interrupt, "", "cancel; twice: quit"),
    bind(C::Global, &[ch('?'), f(1), ctrl('g')], A::Help, "help", "this help"),
];

/// What `key` does in `context`; `None` leaves it to the text field, or to nobody.
#[must_use]
pub fn lookup(context: Context, key: KeyPress) -> Option<Action> {
    let find =
        |wanted: Context| BINDINGS.iter().find(|b| b.context == wanted && b.keys.contains(&key)).map(|b| b.action);
    let global = || match key {
        KeyPress { key: Key::Char(_), ctrl: false } if context.takes_letters() || context.is_box() => None,
        KeyPress { key: Key::F(_) | Key::Esc, .. } if context.is_box() => None,
        _ => find(Context::Global),
    };
    find(context).or_else(|| context.is_text().then(|| find(Context::Text)).flatten()).or_else(global)
}

/// A key as the screen writes it: `F2`, `Ctrl-C`, `up`, `a`.
#[must_use]
pub fn key_name(key: KeyPress) -> String {
    match (key.key, key.ctrl) {
        (Key::Char(' '), _) => "Space".into(),
        (Key::Char(c), true) => format!("Ctrl-{}", c.to_ascii_uppercase()),
        (Key::Char(c), false) => c.into(),
        (Key::F(number), _) => format!("F{number}"),
        (Key::Enter | Key::LineFeed, _) => "Enter".into(),
        (Key::Esc, _) => "Esc".into(),
        (Key::Tab, _) => "Tab".into(),
        (Key::BackTab, _) => "S-Tab".into(),
        (Key::Backspace, _) => "Backspace".into(),
        (Key::Delete, _) => "Del".into(),
        (Key::Up, _) => "up".into(),
        (Key::Down, _) => "down".into(),
        (Key::Left, _) => "<-".into(),
        (Key::Right, _) => "->".into(),
        (Key::PageUp, _) => "PgUp".into(),
        (Key::PageDown, _) => "PgDn".into(),
        (Key::Home, _) => "Home".into(),
        (Key::End, _) => "End".into(),
    }
}

/// The entries of the bottom line: key and word, in order; help last. In text the key for help is `F1`.
#[must_use]
pub fn hints(context: Context) -> Vec<(String, &'static str)> {
    let mut entries: Vec<_> = BINDINGS
        .iter()
        .filter(|b| b.context == context && !b.hint.is_empty())
        .filter_map(|b| Some((key_name(*b.keys.first()?), b.hint)))
        .collect();
    // A pair of keys is shown as one entry where the table has them as neighbours.
    for (key, hint) in &mut entries {
        match *hint {
            "status" => *key = "<- ->".into(),
            "move" | "choose" | "pick" | "scroll" => *key = "up/down".into(),
            "next" if context.is_text() || context == Context::FormChoice => *key = "Tab/Enter".into(),
            "copy" if context == Context::Record => *key = "t n v l".into(),
            _ => {}
        }
    }
    if !matches!(context, Context::Reader | Context::TextBox | Context::FormatsBox | Context::OutsideBox) {
        entries.push((if context.takes_letters() { "F1" } else { "?" }.into(), "help"));
    }
    entries
}

/// The lines of the help for `context`: keys and meaning, neighbours with the same meaning on one line.
#[must_use]
pub fn help_lines(context: Context) -> Vec<(String, &'static str)> {
    lines(BINDINGS.iter().filter(|b| b.context == context).map(|b| (b, b.keys.to_vec())))
}

/// The lines of the help for what works everywhere, as far as the keys mean that in `context`, too.
#[must_use]
pub fn global_help(context: Context) -> Vec<(String, &'static str)> {
    let global = BINDINGS.iter().filter(|b| b.context == Context::Global);
    let means = |key: &KeyPress, binding: &Binding| match lookup(context, *key) {
        Some(action) => action == binding.action,
        // Where letters are typed, they are so only there.
        None => true,
    };
    lines(global.map(|b| (b, b.keys.iter().copied().filter(|key| means(key, b)).collect())))
}

fn lines<'a>(bindings: impl Iterator<Item = (&'a Binding, Vec<KeyPress>)>) -> Vec<(String, &'static str)> {
    let mut lines: Vec<(String, &'static str)> = Vec::new();
    for (binding, keys) in bindings.filter(|(_, keys)| !keys.is_empty()) {
        let keys = keys.into_iter().map(key_name).collect::<Vec<_>>().join(" ");
        match lines.last_mut() {
            Some((before, help)) if *help == binding.help => {
                before.push_str("  ");
                before.push_str(&keys);
            }
            _ => lines.push((keys, binding.help)),
        }
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;

    const CONTEXTS: [Context; 25] = [
        C::Global,
        C::Text,
        C::Pets,
        C::Search,
        C::Form,
        C::FormChoice,
        C::Doubt,
        C::LimitBox,
        C::KeyBox,
        C::Reader,
        C::Domains,
        C::Wizard,
        C::WizardText,
        C::Record,
        C::Domain,
        C::Rules,
        C::Browser,
        C::Redirects,
        C::RedirectForm,
        C::Removal,
        C::RemovalName,
        C::TextBox,
        C::FormatsBox,
        C::WriteBox,
        C::OutsideBox,
    ];

    #[test]
    fn no_key_is_bound_twice_in_one_place_and_every_action_has_a_help_text() {
        let mut seen = HashSet::new();
        for binding in BINDINGS {
            assert!((1..=25).contains(&binding.help.len()) && !binding.keys.is_empty(), "{binding:?}");
            for key in binding.keys {
                assert!(seen.insert((binding.context, *key)), "{binding:?}");
            }
        }
    }

    #[test]
    fn no_binding_needs_a_key_that_terminals_or_tmux_swallow() {
        for key in BINDINGS.iter().flat_map(|binding| binding.keys) {
            if let KeyPress { key: Key::Char(c), ctrl: true } = key {
                assert!(!"sqjmihpvtn".contains(*c), "Ctrl-{c}");
            }
            assert!(!matches!(key.key, Key::F(10..=12)));
        }
        // Ctrl-W, Ctrl-A and Ctrl-B have twins, so nothing is lost where they are swallowed.
        for binding in BINDINGS.iter().filter(|b| b.context != C::Text) {
            assert!(
                binding.keys.iter().any(|key| !key.ctrl)
                    || matches!(binding.action, A::Redraw | A::Suspend | A::Interrupt)
            );
        }
    }

    #[test]
    fn every_bottom_line_fits_80_columns() {
        // The pets screen has more to offer than fits; what is dropped there first is in the middle.
        for context in CONTEXTS.into_iter().filter(|context| *context != C::Pets) {
            let line: usize = hints(context).iter().map(|(key, word)| key.len() + 1 + word.len() + 2).sum();
            let line = line - 1;
            assert!(line <= 80, "{context:?}: {line}");
        }
    }

    #[test]
    fn every_line_of_the_help_fits_half_of_80_columns() {
        for (keys, help) in CONTEXTS.into_iter().flat_map(help_lines) {
            assert!(keys.len().max(12) + help.len() + 2 <= 38, "{keys} {help}");
        }
    }

    #[test]
    fn letters_are_text_in_fields_and_function_keys_act() {
        assert_eq!(lookup(C::Form, ch('q')), None);
        assert_eq!(lookup(C::Form, f(1)), Some(A::Help));
        assert_eq!(lookup(C::Search, ctrl('c')), Some(A::Interrupt));
        assert_eq!(lookup(C::Form, ctrl('a')), Some(A::Edit(Edit::Start)));
        assert_eq!(lookup(C::Pets, ch('q')), Some(A::Quit));
        assert_eq!(lookup(C::KeyBox, f(1)), None);
        assert_eq!(lookup(C::Reader, ch('1')), None);
    }
}
