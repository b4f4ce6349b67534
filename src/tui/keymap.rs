//! What each key does where: one table, from which keys are looked up and help and the bottom line are made.

mod bindings;
#[cfg(test)]
mod tests;

use super::msg::{Key, KeyPress};
use super::text_input::Edit;

pub use bindings::BINDINGS;

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
    Correct,
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
    let own = |key: &KeyPress| BINDINGS.iter().any(|b| b.context == context && b.keys.contains(key));
    lines(global.map(|b| (b, b.keys.iter().copied().filter(|key| !own(key)).collect())))
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
