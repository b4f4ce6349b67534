//! The whole map, place by place.

use std::sync::LazyLock;

use strum::IntoEnumIterator as _;

use crate::domains::troubleshooting::Rule;

use super::super::key::{Key, KeyPress};
use super::super::text_input::Edit;
use super::action::{
    Action as A, Answer, AskAction as Ask, Binding, CommandsAction as Commands, Context as C, DomainAction as Domain,
    DomainListAction as DomainList, DomainsAction as D, FormAction as Form, FormatsAction as Formats,
    GlobalAction as G, HelpAction as Help, ImportFileAction as ImportFile, ImportRunAction as ImportRun,
    KeyAction as KeyBox, LookupAction as Lookup, Movement, PetsAction as Pets, PickAction as Pick,
    PreviewAction as Preview, ProfilesAction as Profiles, RapidAction as Rapid, ReaderAction as Reader,
    RecordAction as Record, RecordPart, RedirectsAction as Redirects, RemovalAction as Removal,
    RequestsAction as Requests, RulesAction as Rules, SearchAction as Search, TextAction as Text,
    UnknownOutcomeAction as Outcome, WelcomeAction as Welcome, WriteAction as Write,
};

/// The lines of the table so far.
#[derive(Default)]
struct Table(Vec<Binding>);

/// One place in the table. `wrap` takes only the actions of this place, so that no others can be bound.
struct Place<'a, W> {
    table: &'a mut Table,
    context: C,
    wrap: W,
}

impl Table {
    fn at<T>(&mut self, context: C, wrap: fn(T) -> A) -> Place<'_, impl Fn(T) -> A> {
        Place { table: self, context, wrap }
    }

    /// A page of the domains panel.
    fn page<T>(&mut self, context: C, wrap: fn(T) -> D) -> Place<'_, impl Fn(T) -> A> {
        Place { table: self, context, wrap: move |action| A::Domains(wrap(action)) }
    }
}

impl<W> Place<'_, W> {
    fn line(&mut self, keys: &[KeyPress], action: A, name: &'static str, hint: &'static str, help: &'static str) {
        self.table.0.push(Binding { context: self.context, keys: keys.to_vec(), action, name, hint, help });
    }

    /// Keys for an action of this place, with the hint for the bottom line and the help.
    fn bind<T, const N: usize>(mut self, keys: [KeyPress; N], action: T, hint: &'static str, help: &'static str) -> Self
    where
        W: Fn(T) -> A,
        T: Copy + Into<&'static str>,
    {
        self.line(&keys, (self.wrap)(action), action.into(), hint, help);
        self
    }

    /// Keys for an action that other places have, too.
    fn global<const N: usize>(
        mut self,
        keys: [KeyPress; N],
        action: G,
        hint: &'static str,
        help: &'static str,
    ) -> Self {
        self.line(&keys, A::Global(action), action.into(), hint, help);
        self
    }

    /// All keys that move: hints for a line and a page, help for a line and for both ends.
    fn moves<T>(
        mut self,
        action: fn(Movement) -> T,
        keys: Moves,
        hints: [&'static str; 2],
        helps: [&'static str; 2],
    ) -> Self
    where
        W: Fn(T) -> A,
    {
        for (movement, keys) in Movement::iter().zip(keys).filter(|(_, keys)| !keys.is_empty()) {
            let (hint, help) = match movement {
                Movement::Up => (hints[0], helps[0]),
                Movement::Down => ("", helps[0]),
                Movement::PageUp => ("", "a page"),
                Movement::PageDown => (hints[1], "a page"),
                Movement::HalfPageUp | Movement::HalfPageDown => ("", "half a page"),
                Movement::First | Movement::Last => ("", helps[1]),
            };
            self.line(keys, (self.wrap)(action(movement)), movement.into(), hint, help);
        }
        self
    }
}

const fn k(key: Key) -> KeyPress {
    KeyPress { key, ctrl: false, alt: false }
}
pub(super) const fn ch(c: char) -> KeyPress {
    k(Key::Char(c))
}
pub(super) const fn ctrl(c: char) -> KeyPress {
    KeyPress { ctrl: true, ..ch(c) }
}
const fn alt(key: Key) -> KeyPress {
    KeyPress { alt: true, ..k(key) }
}
pub(super) const fn f(number: u8) -> KeyPress {
    k(Key::F(number))
}
const ENTER: KeyPress = k(Key::Enter);
const ESC: KeyPress = k(Key::Esc);
const TAB: KeyPress = k(Key::Tab);
const BACK_TAB: KeyPress = k(Key::BackTab);
const BACKSPACE: KeyPress = k(Key::Backspace);
const DELETE: KeyPress = k(Key::Delete);
const UP: KeyPress = k(Key::Up);
const DOWN: KeyPress = k(Key::Down);
const LEFT: KeyPress = k(Key::Left);
const RIGHT: KeyPress = k(Key::Right);
const PAGE_UP: KeyPress = k(Key::PageUp);
const PAGE_DOWN: KeyPress = k(Key::PageDown);
const HOME: KeyPress = k(Key::Home);
const END: KeyPress = k(Key::End);
const CTRL_LEFT: KeyPress = KeyPress { ctrl: true, ..LEFT };
const CTRL_RIGHT: KeyPress = KeyPress { ctrl: true, ..RIGHT };

/// The keys of a kind of place for each [`Movement`].
type Moves = [&'static [KeyPress]; 8];

/// Choices beside a text field.
const ARROWS: Moves = [&[UP], &[DOWN], &[], &[], &[], &[], &[], &[]];
/// Choices where letters are not typed.
const LETTERS: Moves = [&[UP, ch('k')], &[DOWN, ch('j')], &[], &[], &[], &[], &[], &[]];
/// One after the other, where up and down have another meaning.
const SIDEWAYS: Moves = [&[LEFT, ch('h')], &[RIGHT, ch('l')], &[], &[], &[], &[], &[], &[]];
/// A list under a text field.
const TYPED_LIST: Moves = [&[UP], &[DOWN], &[PAGE_UP], &[PAGE_DOWN], &[], &[], &[], &[]];
/// Choices beside each other, where up and down go to other lines.
const OPTIONS: Moves = [&[LEFT], &[RIGHT, ch(' ')], &[], &[], &[], &[], &[], &[]];
/// The same beside a text field.
const SIDES: Moves = [&[LEFT], &[RIGHT], &[], &[], &[], &[], &[], &[]];
/// The answers of a question.
const ANSWERS: Moves = [&[UP, BACK_TAB, ch('k')], &[DOWN, TAB, ch('j')], &[], &[], &[], &[], &[], &[]];
/// A list without pages.
const SHORT_LIST: Moves = [&[UP, ch('k')], &[DOWN, ch('j')], &[], &[], &[], &[], &[HOME, ch('g')], &[END, ch('G')]];
/// The same in a box.
const SHORT_LIST_IN_BOX: Moves = [&[UP, ch('k')], &[DOWN, ch('j')], &[], &[], &[], &[], &[HOME], &[END]];
/// A list of about a page.
const SMALL_LIST: Moves =
    [&[UP, ch('k')], &[DOWN, ch('j')], &[], &[], &[], &[], &[PAGE_UP, HOME, ch('g')], &[PAGE_DOWN, END, ch('G')]];
/// The list of a screen.
const LIST: Moves = [
    &[UP, ch('k')],
    &[DOWN, ch('j')],
    &[PAGE_UP, ctrl('b')],
    &[PAGE_DOWN, ctrl('f')],
    &[ctrl('u')],
    &[ctrl('d')],
    &[HOME, ch('g')],
    &[END, ch('G')],
];
/// A text, or a long list in a box.
const READER: Moves = [
    &[UP, ch('k')],
    &[DOWN, ch('j')],
    &[PAGE_UP],
    &[PAGE_DOWN, ch(' ')],
    &[ctrl('u')],
    &[ctrl('d')],
    &[HOME, ch('g')],
    &[END, ch('G')],
];

/// The whole map. The bottom line shows the hints of the context in this order.
pub(super) static BINDINGS: LazyLock<Vec<Binding>> = LazyLock::new(|| {
    let mut map = Table::default();
    map.at(C::Pets, A::Pets)
        .bind([ENTER, ch(' ')], Pets::Open, "detail", "open, close the detail")
        .bind([ch('/')], Pets::Search, "search", "search these rows")
        .bind([LEFT, ch('h')], Pets::PreviousTab, "", "tab")
        .bind([RIGHT, ch('l')], Pets::NextTab, "status", "tab")
        .bind([ch('0')], Pets::AllStatuses, "", "all statuses")
        .bind([ch('+')], Pets::MoreRows, "more", "more, fewer rows")
        .bind([ch('-')], Pets::FewerRows, "", "more, fewer rows")
        .bind([ch('L')], Pets::ChooseLimit, "rows", "number of rows")
        .bind([ch('A')], Pets::Live, "live", "live refresh on, off")
        .bind([ch('#')], Pets::ById, "id", "pet by its id")
        .bind([ch('W')], Pets::Whole, "", "whole inventory")
        .bind([ch('=')], Pets::Count, "", "count exactly")
        .bind([ch('V')], Pets::SaveView, "", "save as a view")
        .bind([ch('y')], Pets::Copy, "", "copy id, JSON, curl")
        .bind([ch('Y')], Pets::CopyJson, "", "copy id, JSON, curl")
        .bind([ch('c')], Pets::CopyCurl, "", "copy id, JSON, curl")
        .bind([ch('x')], Pets::Export, "export", "export rows to a file")
        .bind([ch('o')], Pets::SortBy, "sort", "sort, reverse")
        .bind([ch('O')], Pets::SortTurn, "", "sort, reverse")
        .bind([ch('r'), f(5)], Pets::Refresh, "refresh", "refresh")
        .global([ch('a')], G::NewPet, "add", "add a pet")
        .global([ch('I'), f(7)], G::Import, "", "import a file")
        .bind([ch('S')], Pets::Samples, "", "samples (empty store)")
        .moves(Pets::Move, LIST, ["", ""], ["move", "first, last"]);
    map.at(C::Search, A::Search)
        .bind([ENTER], Search::Confirm, "keep", "keep, go to the rows")
        .bind([TAB], Search::Whole, "search all pets", "search all pets")
        .bind([ESC, f(3)], Search::Back, "clear", "clear and leave")
        .moves(Search::Move, TYPED_LIST, ["move", ""], ["move in the rows", ""]);
    map.at(C::ById, A::Lookup)
        .bind([ENTER, f(2), f(5)], Lookup::Confirm, "look up", "look it up")
        .bind([ch('g')], Lookup::AskDeprecated, "GET /pets/ID", "GET /pets/{petId}")
        .bind([ESC, f(3)], Lookup::Back, "close", "close");
    map.at(C::Form, A::Form)
        .bind([TAB, ENTER, DOWN], Form::NextField, "next", "next field")
        .bind([BACK_TAB, UP], Form::PreviousField, "", "previous field")
        .bind([f(2)], Form::Save, "save", "check and send")
        .bind([ctrl('o')], Form::Queue, "", "queue it after a failure")
        .global([f(6)], G::RapidEntry, "rapid", "rapid entry")
        .global([f(7)], G::Import, "import", "import a file")
        .bind([f(8)], Form::Clear, "clear", "clear; again: undo")
        .bind([ESC, f(3)], Form::Back, "pets", "to the pets, text stays");
    map.at(C::FormChoice, A::Form)
        .bind([TAB], Form::NextField, "next", "next field")
        .bind([ENTER], Form::Confirm, "", "next field")
        .bind([BACK_TAB], Form::PreviousField, "back", "previous field")
        .moves(Form::Move, LETTERS, ["choose", ""], ["choose", ""])
        .bind([f(2)], Form::Save, "save", "check and send")
        .bind([ctrl('o')], Form::Queue, "", "queue it after a failure")
        .global([f(6)], G::RapidEntry, "", "rapid entry")
        .global([f(7)], G::Import, "", "import a file")
        .bind([f(8)], Form::Clear, "clear", "clear; again: undo")
        .global([ch('?')], G::Help, "", "this help")
        .bind([ESC, f(3)], Form::Back, "pets", "to the pets, text stays");
    map.at(C::FormButton, A::Form)
        .bind([ENTER, f(2)], Form::Save, "save", "check and send")
        .bind([TAB, DOWN], Form::NextField, "first field", "first field")
        .bind([BACK_TAB, UP], Form::PreviousField, "back", "previous field")
        .bind([ctrl('o')], Form::Queue, "", "queue it after a failure")
        .global([f(6)], G::RapidEntry, "rapid", "rapid entry")
        .global([f(7)], G::Import, "", "import a file")
        .bind([f(8)], Form::Clear, "clear", "clear; again: undo")
        .global([ch('?')], G::Help, "", "this help")
        .bind([ESC, f(3)], Form::Back, "pets", "to the pets, text stays");
    map.at(C::Rapid, A::Rapid)
        .bind([ENTER], Rapid::Confirm, "save", "add the line")
        .bind([TAB], Rapid::NextField, "category, status", "next field")
        .bind([BACK_TAB], Rapid::PreviousField, "", "previous field")
        .moves(Rapid::Move, ARROWS, ["lines", ""], ["to the lines", ""])
        .bind([f(2)], Rapid::Save, "finish", "finish, to the pets")
        .global([f(6)], G::RapidEntry, "form", "the form")
        .bind([f(8)], Rapid::Clear, "", "clear the field")
        .bind([ESC, f(3)], Rapid::Back, "", "to the pets");
    map.at(C::RapidChoice, A::Rapid)
        .bind([ENTER], Rapid::Confirm, "fix, search", "fix !, search for ?")
        .bind([f(5)], Rapid::Refresh, "send again", "send ? again")
        .bind([DELETE], Rapid::Delete, "drop", "drop the line")
        .moves(Rapid::Move, ARROWS, ["move", ""], ["move", ""])
        .bind([TAB], Rapid::NextField, "", "next field")
        .bind([BACK_TAB], Rapid::PreviousField, "", "previous field")
        .bind([f(2)], Rapid::Save, "", "finish, to the pets")
        .global([f(6)], G::RapidEntry, "", "the form")
        .global([ch('?')], G::Help, "", "this help")
        .bind([ESC, f(3)], Rapid::Back, "name", "to the name");
    map.at(C::RapidStatus, A::Rapid)
        .moves(Rapid::Move, ARROWS, ["choose", ""], ["choose the status", ""])
        .bind([LEFT], Rapid::PreviousTab, "", "choose the status")
        .bind([RIGHT], Rapid::NextTab, "", "choose the status")
        .bind([ENTER, TAB], Rapid::NextField, "name", "to the name")
        .bind([BACK_TAB], Rapid::PreviousField, "category", "to the category")
        .bind([f(2)], Rapid::Save, "finish", "finish, to the pets")
        .global([f(6)], G::RapidEntry, "form", "the form")
        .global([ch('?')], G::Help, "", "this help")
        .bind([ESC, f(3)], Rapid::Back, "", "to the name");
    map.at(C::ImportFile, A::ImportFile)
        .bind([ENTER, f(2)], ImportFile::Confirm, "preview", "preview the file")
        .global([TAB], G::CompletePath, "complete", "complete the path")
        .bind([f(8)], ImportFile::Clear, "clear", "clear, drop unfinished")
        .bind([ESC, f(3)], ImportFile::Back, "form", "to the form");
    map.at(C::ImportLook, A::Preview)
        .bind([f(2)], Preview::Save, "start", "send the rows")
        .bind([DOWN, ch('j'), TAB, ENTER], Preview::NextField, "move", "next line")
        .bind([UP, ch('k'), BACK_TAB], Preview::PreviousField, "", "previous line")
        .moves(Preview::Move, OPTIONS, ["choose", ""], ["another column, choice", ""])
        .bind([ch('l')], Preview::Choices, "list", "bad rows, duplicates")
        .bind([f(5), ch('r')], Preview::Refresh, "", "read the file again")
        .bind([ch('w')], Preview::WriteFile, "", "bad rows to a file")
        .bind([ch('y')], Preview::Copy, "", "copy the command line")
        .bind([f(8)], Preview::Clear, "", "drop unfinished import")
        .bind([ESC, f(3)], Preview::Back, "cancel", "another file");
    map.at(C::ImportValue, A::Preview)
        .bind([f(2)], Preview::Save, "start", "send the rows")
        .bind([DOWN, TAB, ENTER], Preview::NextField, "move", "next line")
        .bind([UP, BACK_TAB], Preview::PreviousField, "", "previous line")
        .moves(Preview::Move, SIDES, ["choose", ""], ["a column instead", ""])
        .bind([ctrl('o')], Preview::Choices, "list", "bad rows, duplicates")
        .bind([f(5)], Preview::Refresh, "", "read the file again")
        .bind([f(8)], Preview::Clear, "", "drop unfinished import")
        .bind([ESC, f(3)], Preview::Back, "cancel", "another file");
    map.at(C::ImportRun, A::ImportRun)
        .bind([ESC, f(3)], ImportRun::Back, "stop, leave", "stop, leave")
        .bind([f(2)], ImportRun::Save, "resume", "resume")
        .bind([ch('f')], ImportRun::OnlyProblems, "only problems", "only rows to fix")
        .moves(ImportRun::Move, READER, ["", ""], ["move", "first, last"])
        .bind([ENTER], ImportRun::Confirm, "", "find among the pets")
        .bind([ch('y')], ImportRun::Copy, "copy command", "copy the command")
        .bind([ch('w')], ImportRun::WriteFile, "rejects", "rejected rows to file");
    map.at(C::Doubt, A::UnknownOutcome)
        .bind([ch('1')], Outcome::Answer(Answer::First), "", "select this answer")
        .bind([ch('2')], Outcome::Answer(Answer::Second), "", "select this answer")
        .bind([ch('3')], Outcome::Answer(Answer::Third), "", "select this answer")
        .bind([ENTER], Outcome::Confirm, "select", "select this answer")
        .moves(Outcome::Move, ANSWERS, ["choose", ""], ["choose", ""])
        .bind([f(8)], Outcome::Clear, "drop the question", "drop the question")
        .bind([ESC, f(3)], Outcome::Back, "pets", "to the pets");
    map.at(C::LimitBox, A::Limit).bind([ENTER, f(2)], Ask::Confirm, "use it", "use this number").bind(
        [ESC, f(3)],
        Ask::Back,
        "cancel",
        "close without a change",
    );
    map.at(C::KeyBox, A::Key)
        .bind([ENTER, f(2)], KeyBox::Confirm, "test", "test the key")
        .bind([ctrl('r')], KeyBox::Choices, "show", "show or hide the key")
        .bind([TAB, DOWN], KeyBox::NextField, "store in", "where to store it")
        .bind([BACK_TAB, UP], KeyBox::PreviousField, "", "where to store it")
        .global([ctrl('o')], G::Profiles, "profiles", "use another profile")
        .bind([ESC, f(3)], KeyBox::Back, "close", "close; F4 opens it again");
    map.at(C::Reader, A::Reader)
        .moves(Reader::Move, READER, ["scroll", "page"], ["scroll", "top, bottom"])
        .global([ch('H')], G::Requests, "requests", "requests")
        .bind([ESC, ENTER, ch('q'), f(3)], Reader::Back, "close", "close");
    map.at(C::Help, A::Help)
        .moves(Help::Move, READER, ["scroll", "page"], ["scroll", "top, bottom"])
        .global([ch(':'), f(9)], G::Commands, "all commands", "all commands")
        .bind([ch('w'), ctrl('o')], Help::WriteFile, "keys to a file", "write all to a file")
        .bind([ESC, ENTER, ch('q'), ch('?'), f(1), f(3), ctrl('g')], Help::Back, "close", "close");
    map.at(C::Commands, A::Commands)
        .moves(Commands::Move, TYPED_LIST, ["choose", ""], ["choose", ""])
        .global([ENTER, f(2)], G::RunCommand, "run", "run it")
        .bind([ctrl('y')], Commands::Copy, "copy command", "copy the command line")
        .bind([ESC, f(3), f(9)], Commands::Back, "close", "close");
    map.at(C::Themes, A::Themes)
        .moves(Pick::Move, LETTERS, ["choose", ""], ["preview", ""])
        .bind([ENTER, f(2)], Pick::Confirm, "save", "save in config.toml")
        .bind([ESC, ch('q'), f(3)], Pick::Back, "cancel", "back to the old theme");
    map.at(C::SaveView, A::SaveView).bind([ENTER, f(2)], Ask::Confirm, "save", "save the view").bind(
        [ESC, f(3)],
        Ask::Back,
        "cancel",
        "close without saving",
    );
    map.at(C::Profiles, A::Profiles)
        .bind([ENTER, f(2)], Profiles::Confirm, "use", "use it")
        .bind([ch('t')], Profiles::TestProfile, "test", "test its service")
        .bind([ch('n'), ch('a')], Profiles::NewProfile, "new", "a new profile")
        .bind([ch('r'), f(5)], Profiles::Refresh, "", "read the file again")
        .bind([ch('K'), f(4)], Profiles::EnterKey, "key", "enter another key")
        .bind([ch('y')], Profiles::Copy, "copy address", "copy the address")
        .moves(Profiles::Move, SHORT_LIST, ["", ""], ["move", "first, last"])
        .bind([ESC, f(3), ch('q')], Profiles::Back, "back", "back");
    map.at(C::ProfileText, A::ProfileForm)
        .bind([TAB, ENTER, DOWN], Form::NextField, "next", "next field")
        .bind([BACK_TAB, UP], Form::PreviousField, "", "previous field")
        .bind([f(2)], Form::Save, "test and save", "test it, then save it")
        .bind([ctrl('r')], Form::Choices, "", "show or hide the key")
        .bind([ESC, f(3)], Form::Back, "back", "leave, text stays");
    map.at(C::ProfilePath, A::ProfileForm)
        .bind([ENTER, DOWN], Form::NextField, "next", "next field")
        .bind([BACK_TAB, UP], Form::PreviousField, "", "previous field")
        .global([TAB], G::CompletePath, "complete", "complete the path")
        .bind([f(2)], Form::Save, "test and save", "test it, then save it")
        .bind([ESC, f(3)], Form::Back, "back", "leave, text stays");
    map.at(C::ProfileChoice, A::ProfileForm)
        .bind([TAB], Form::NextField, "next", "next field")
        .bind([ENTER], Form::Confirm, "", "next field")
        .bind([BACK_TAB], Form::PreviousField, "", "previous field")
        .moves(Form::Move, LETTERS, ["choose", ""], ["choose", ""])
        .bind([ch(' ')], Form::Toggle, "", "change it")
        .bind([f(2)], Form::Save, "test and save", "test it, then save it")
        .bind([ctrl('r')], Form::Choices, "", "show or hide the key")
        .global([ch('?')], G::Help, "", "this help")
        .bind([ESC, f(3)], Form::Back, "back", "leave, text stays");
    map.at(C::ProfileButton, A::ProfileForm)
        .bind([ENTER, f(2), ch(' ')], Form::Save, "test and save", "test it, then save it")
        .bind([TAB, DOWN], Form::NextField, "first field", "first field")
        .bind([BACK_TAB, UP], Form::PreviousField, "back", "previous field")
        .bind([ctrl('r')], Form::Choices, "", "show or hide the key")
        .global([ch('?')], G::Help, "", "this help")
        .bind([ESC, f(3)], Form::Back, "leave", "leave, text stays");
    map.at(C::Requests, A::Requests)
        .bind([ENTER], Requests::Open, "whole", "all of it")
        .bind([ch('c')], Requests::CopyCurl, "copy curl", "copy as curl, no key")
        .moves(Requests::Move, LIST, ["", ""], ["move", "newest, oldest"])
        .bind([ESC, f(3), ch('q')], Requests::Back, "back", "back");
    map.at(C::Welcome, A::Welcome)
        .bind([ch('1')], Welcome::Answer(Answer::First), "", "select this")
        .bind([ch('2')], Welcome::Answer(Answer::Second), "", "select this")
        .bind([ch('3')], Welcome::Answer(Answer::Third), "", "select this")
        .bind([ENTER, f(2)], Welcome::Confirm, "select", "select")
        .moves(Welcome::Move, LETTERS, ["choose", ""], ["choose", ""])
        .global([ch('q')], G::Quit, "quit", "quit");
    map.page(C::Domains, D::List)
        .bind([ENTER], DomainList::Open, "open", "open, continue")
        .bind([ch('a')], DomainList::Add, "add", "add a domain")
        .bind([ch('R')], DomainList::Redirects, "redirects", "primary and redirects")
        .bind([ch('U')], DomainList::Removal, "removal", "remove step by step")
        .bind([ch('r'), f(5)], DomainList::Refresh, "check now", "check all now")
        .bind([ch('A')], DomainList::Live, "watch", "watch, on and off")
        .bind([ch('p')], DomainList::Resolvers, "", "public resolvers")
        .global([ch('o'), ctrl('o')], G::Outside, "", "sandbox: act outside")
        .bind([DELETE], DomainList::Delete, "", "drop a draft")
        .moves(DomainList::Move, LIST, ["", ""], ["move", "first, last"]);
    map.page(C::Wizard, D::Wizard)
        .bind([ch(' ')], Form::Toggle, "tick", "tick")
        .bind([ENTER], Form::Confirm, "tick", "tick")
        .bind([TAB, DOWN], Form::NextField, "next", "next line")
        .bind([BACK_TAB, UP], Form::PreviousField, "", "previous line")
        .bind([f(2)], Form::Save, "the record", "on to the record")
        .bind([f(5)], Form::Check, "", "check, do not add")
        .global([ctrl('o')], G::Outside, "", "sandbox: act outside")
        .bind([f(8)], Form::Clear, "", "clear the field")
        .bind([ESC, f(3)], Form::Back, "leave", "back, kept");
    map.page(C::WizardButton, D::Wizard)
        .bind([ENTER, f(2), ch(' ')], Form::Save, "the record", "on to the record")
        .bind([TAB, DOWN], Form::NextField, "first line", "first line")
        .bind([BACK_TAB, UP], Form::PreviousField, "back", "previous line")
        .bind([f(5)], Form::Check, "", "check, do not add")
        .global([ctrl('o')], G::Outside, "", "sandbox: act outside")
        .bind([ESC, f(3)], Form::Back, "leave", "back, kept");
    map.page(C::WizardText, D::Wizard)
        .bind([TAB, ENTER, DOWN], Form::NextField, "next", "next field")
        .bind([BACK_TAB, UP], Form::PreviousField, "", "previous field")
        .bind([f(2)], Form::Save, "the record", "on to the record")
        .bind([f(5)], Form::Check, "check only", "check, do not add")
        .global([ctrl('o')], G::Outside, "", "sandbox: act outside")
        .bind([f(8)], Form::Clear, "clear", "clear the field")
        .bind([ESC, f(3)], Form::Back, "leave", "back, kept");
    map.page(C::Record, D::Record)
        .bind([ch('s')], Record::Saved, "saved it", "I saved it there")
        .bind([ch('T')], Record::Copy(RecordPart::Type), "", "copy Type")
        .bind([ch('n')], Record::Copy(RecordPart::Name), "", "copy Name")
        .bind([ch('v')], Record::Copy(RecordPart::Value), "copy", "copy Value")
        .bind([ch('l')], Record::Copy(RecordPart::Ttl), "", "copy TTL")
        .bind([ch('N')], Record::Copy(RecordPart::FullName), "", "copy the full name")
        .bind([ch('f')], Record::Formats, "formats", "all formats")
        .bind([ch('w')], Record::WriteFile, "write", "write to a file")
        .bind([ch('r'), f(5)], Record::Refresh, "", "check now")
        .bind([ch('c')], Record::Correct, "", "correct the value")
        .bind([ch('D')], Record::CopyDeletes, "", "copy what to delete")
        .bind([ch('e'), DOWN, PAGE_DOWN], Record::Evidence, "", "evidence, in full")
        .global([ch('o'), ctrl('o')], G::Outside, "", "sandbox: act outside")
        .bind([f(3), LEFT, ch('h')], Record::Back, "step back", "name and value")
        .bind([ESC, ch('q')], Record::Leave, "back", "back");
    map.page(C::Domain, D::Domain)
        .bind([ch('r'), f(5)], Domain::Refresh, "check", "check now")
        .bind([ch(' ')], Domain::Toggle, "tick", "tick what applies")
        .bind([ch('V')], Domain::Verified, "I chose Verify", "I chose (Re-)Verify")
        .bind([ch('t')], Domain::Rules, "troubles", "troubleshooting")
        .bind([ch('e'), DOWN, PAGE_DOWN], Domain::Evidence, "in full", "evidence, in full")
        .bind([ch('S')], Domain::Report, "", "support report")
        .bind([ch('y')], Domain::Copy, "", "copy the first cause")
        .bind([ch('D')], Domain::CopyDeletes, "", "copy what to delete")
        .bind([ch('d')], Domain::Record, "", "the DNS record again")
        .bind([ch('c')], Domain::Correct, "", "correct the value")
        .bind([ch('s')], Domain::Saved, "", "I saved it again")
        .bind([ch('f')], Domain::Formats, "", "the record in formats")
        .bind([ch('U')], Domain::Removal, "", "remove step by step")
        .global([ch('o'), ctrl('o')], G::Outside, "", "sandbox: act outside")
        .moves(Domain::Move, SIDEWAYS, ["", ""], ["previous, next domain", ""])
        .bind([ESC, f(3), ch('q')], Domain::Back, "back", "back");
    map.page(C::Rules, D::Rules)
        .bind([RIGHT, TAB], Rules::NextTab, "next", "other rules")
        .bind([LEFT, BACK_TAB], Rules::PreviousTab, "", "other rules")
        .bind([ch('1')], Rules::Tab(Rule::Verification), "", "a rule")
        .bind([ch('2')], Rules::Tab(Rule::Certificate), "", "a rule")
        .bind([ch('3')], Rules::Tab(Rule::Browser), "", "a rule")
        .bind([ch('4')], Rules::Tab(Rule::Redirects), "", "a rule")
        .bind([ch('r'), f(5)], Rules::Refresh, "check", "check now")
        .bind([ch('V')], Rules::Verified, "I chose Re-verify", "I chose (Re-)Verify")
        .bind([ch('y')], Rules::Copy, "", "copy the first fix")
        .bind([ch('e')], Rules::Evidence, "in full", "evidence, in full")
        .bind([ch('S')], Rules::Report, "", "support report")
        .bind([ch(' ')], Rules::Toggle, "tick", "tick what applies")
        .global([ch('o'), ctrl('o')], G::Outside, "", "sandbox: act outside")
        .bind([ESC, f(3), ch('q')], Rules::Back, "back", "to the domain");
    map.page(C::Browser, D::Rules)
        .bind([TAB], Rules::NextTab, "next rule", "next rule")
        .bind([BACK_TAB], Rules::PreviousTab, "", "previous rule")
        .bind([f(5)], Rules::Refresh, "check", "check now")
        .global([ctrl('o')], G::Outside, "", "sandbox: act outside")
        .bind([ESC, f(3)], Rules::Back, "back", "to the domain");
    map.page(C::Redirects, D::Redirects)
        .bind([ch('r'), f(5)], Redirects::Refresh, "check", "follow all redirects")
        .bind([ch('y')], Redirects::Copy, "copy", "copy all as JSON")
        .global([ch('o'), ctrl('o')], G::Outside, "", "sandbox: act outside")
        .moves(Redirects::Move, SMALL_LIST, ["", ""], ["move", "first, last"])
        .bind([ESC, f(3), ch('q')], Redirects::Back, "back", "back");
    map.page(C::Removal, D::Removal)
        .bind([ch(' ')], Removal::Toggle, "tick", "tick, done")
        .bind([TAB, ENTER, DOWN], Removal::NextField, "next", "next line")
        .bind([BACK_TAB, UP], Removal::PreviousField, "", "previous line")
        .bind([ch('r'), f(5)], Removal::Refresh, "check again", "check again")
        .bind([ch('R')], Removal::Redirects, "redirects", "the redirects")
        .global([ch('o'), ctrl('o')], G::Outside, "", "sandbox: act outside")
        .bind([ESC, f(3), ch('q')], Removal::Back, "back", "back");
    map.page(C::RemovalName, D::Removal)
        .bind([ENTER, f(2)], Removal::Confirm, "remove", "remove from list")
        .bind([BACK_TAB, UP], Removal::PreviousField, "back", "previous step")
        .bind([f(5)], Removal::Refresh, "check again", "check again")
        .global([ctrl('o')], G::Outside, "", "sandbox: act outside")
        .bind([ESC, f(3)], Removal::Back, "back", "back");
    map.at(C::TextBox, A::Text)
        .moves(Text::Move, READER, ["scroll", "page"], ["scroll", "top, bottom"])
        .bind([ch('y')], Text::Copy, "copy", "copy it")
        .bind([ch('w')], Text::WriteFile, "write to file", "write it to a file")
        .bind([ESC, ENTER, ch('q'), f(3)], Text::Back, "close", "close");
    map.at(C::FormatsBox, A::Formats)
        .moves(Formats::Move, LETTERS, ["choose", ""], ["choose the format", ""])
        .bind([ch('y'), ENTER], Formats::Copy, "copy", "copy it")
        .bind([ch('w')], Formats::WriteFile, "write to file", "write it to a file")
        .bind([ch('d')], Formats::Toggle, "with deletions", "with what to delete")
        .bind([ESC, ch('q'), f(3)], Formats::Back, "close", "close");
    map.at(C::WriteBox, A::Write)
        .bind([ENTER, f(2)], Write::Confirm, "write", "write the file")
        .global([TAB], G::CompletePath, "complete", "complete the path")
        .bind([UP, DOWN], Write::Toggle, "", "rows or everything")
        .bind([ESC, f(3)], Write::Back, "cancel", "close without writing");
    map.at(C::OutsideBox, A::Outside)
        .moves(Pick::Move, SHORT_LIST_IN_BOX, ["choose", ""], ["choose", "first, last"])
        .bind([ENTER], Pick::Confirm, "do it", "do it outside")
        .bind([ESC, ch('q'), f(3)], Pick::Back, "close", "close");
    map.at(C::Confirm, A::Confirm).bind([ch('y')], Ask::Confirm, "yes", "yes").bind(
        [ch('n'), ENTER, ESC, f(3)],
        Ask::Back,
        "no (or Enter, Esc)",
        "no",
    );
    map.at(C::Text, A::Edit)
        .bind([LEFT], Edit::Left, "", "cursor")
        .bind([RIGHT], Edit::Right, "", "cursor")
        .bind([alt(Key::Char('b')), CTRL_LEFT], Edit::WordLeft, "", "word left")
        .bind([alt(Key::Char('f')), CTRL_RIGHT], Edit::WordRight, "", "word right")
        .bind([HOME, ctrl('a')], Edit::Start, "", "start, end")
        .bind([END, ctrl('e')], Edit::End, "", "start, end")
        .bind([BACKSPACE], Edit::Backspace, "", "delete")
        .bind([DELETE], Edit::Delete, "", "delete")
        .bind([ctrl('w')], Edit::ClearWord, "", "clear to a blank")
        .bind([alt(Key::Backspace)], Edit::ClearWordLeft, "", "clear word left")
        .bind([alt(Key::Char('d'))], Edit::ClearWordRight, "", "clear word right")
        .bind([ctrl('u')], Edit::ClearToStart, "", "clear to start, to end")
        .bind([ctrl('k')], Edit::ClearToEnd, "", "clear to start, to end");
    map.at(C::Global, A::Global)
        .bind([ch('1')], G::ShowPets, "", "Pets, Add, Domains")
        .bind([ch('2')], G::ShowAdd, "", "Pets, Add, Domains")
        .bind([ch('3')], G::ShowDomains, "", "Pets, Add, Domains")
        .bind([ch(':'), f(9)], G::Commands, "", "all commands")
        .bind([ch('P')], G::Profiles, "", "profiles")
        .bind([ch('H')], G::Requests, "", "requests")
        .bind([ch('e')], G::ErrorDetails, "", "explain last error")
        .bind([ch('T')], G::Themes, "", "themes")
        .bind([ch('M')], G::Mouse, "", "mouse (Shift selects)")
        .bind([f(4)], G::Choices, "", "enter another API key")
        .bind([ctrl('l')], G::Redraw, "", "redraw")
        .bind([ctrl('z')], G::Suspend, "", "suspend (fg resumes)")
        .bind([ESC, f(3)], G::Back, "", "back")
        .bind([ch('q')], G::Quit, "", "quit")
        .bind([ctrl('c')], G::Interrupt, "", "cancel; twice: quit")
        .bind([ch('?'), f(1), ctrl('g')], G::Help, "help", "this help");
    map.0
});
