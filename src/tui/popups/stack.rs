//! What every box is, the stack of those that are open, and a box with one text field.

use std::any::Any;
use std::fmt::Debug;
use std::time::Instant;

use crate::tui::widgets::form::Form;
use crate::tui::{App, Now, Page, Place, StyleRole, TextInput, Typing, cells};

/// A box over a screen: what it holds, where its keys are bound, how it looks, and what is typed into it.
pub trait Popup: Any + Debug + Send {
    /// The place whose commands work while it is open.
    fn place(&self) -> &'static Place;

    fn draw(&self, app: &App, page: &mut Page<'_>);

    /// Takes what is typed or pasted, where there is a field for it. Returns whether the end of it found no room.
    fn on_typing(&mut self, _: Typing<'_>) -> bool {
        false
    }

    /// The field with a path, if it has one.
    fn path(&mut self) -> Option<&mut TextInput> {
        None
    }

    /// Its form, if it has one.
    fn form(&mut self) -> Option<&mut Form> {
        None
    }

    /// Keys pressed before this moment are ignored: the user had not seen the box.
    fn deaf_until(&self) -> Option<Instant> {
        None
    }

    /// A key was ignored for that.
    fn on_ignored(&mut self, _: Now) {}
}

/// The boxes that are open, each with the first line shown, where it can be scrolled. The last one has the keys; only the
/// help lies over another.
#[derive(Debug, Default)]
pub struct Popups(Vec<(Box<dyn Popup>, u16)>);

impl Popups {
    pub fn is_open(&self) -> bool {
        !self.0.is_empty()
    }

    /// The one that has the keys.
    pub fn top(&self) -> Option<&dyn Popup> {
        self.0.last().map(|(popup, _)| &**popup)
    }

    pub fn top_mut(&mut self) -> Option<&mut (dyn Popup + 'static)> {
        self.0.last_mut().map(|(popup, _)| &mut **popup)
    }

    /// The first line that it shows.
    pub fn line(&self) -> u16 {
        self.0.last().map_or(0, |(_, line)| *line)
    }

    pub fn scroll_to(&mut self, line: u16) {
        self.0.last_mut().into_iter().for_each(|(_, shown)| *shown = line);
    }

    /// Whether it lies over another one.
    pub const fn covers(&self) -> bool {
        self.0.len() > 1
    }

    /// Opens a box in place of those that are open.
    pub fn show(&mut self, popup: impl Popup) {
        self.0.clear();
        self.cover(popup);
    }

    /// Opens a box over the one that has the keys, which comes back afterwards.
    pub fn cover(&mut self, popup: impl Popup) {
        self.0.push((Box::new(popup), 0));
    }

    /// Closes the one that has the keys.
    pub fn close(&mut self) {
        self.0.pop();
    }

    /// The open box of this type, also below the help: what was asked from it goes to it.
    pub fn get<P: Popup>(&self) -> Option<&P> {
        self.0.iter().find_map(|(popup, _)| (&**popup as &dyn Any).downcast_ref())
    }

    pub fn get_mut<P: Popup>(&mut self) -> Option<&mut P> {
        self.0.iter_mut().find_map(|(popup, _)| (&mut **popup as &mut dyn Any).downcast_mut())
    }

    /// The form of one that has it.
    pub fn form(&mut self) -> Option<&mut Form> {
        self.0.iter_mut().find_map(|(popup, _)| popup.form())
    }

    /// The field with a path of one that has it.
    pub fn path(&mut self) -> Option<&mut TextInput> {
        self.0.iter_mut().find_map(|(popup, _)| popup.path())
    }

    /// Closes the box of this type, and gives it.
    pub fn take<P: Popup>(&mut self) -> Option<P> {
        self.take_if(|_| true)
    }

    /// The same, if it is this one.
    pub fn take_if<P: Popup>(&mut self, is_it: impl Fn(&P) -> bool) -> Option<P> {
        let at = self.0.iter().position(|(popup, _)| (&**popup as &dyn Any).downcast_ref().is_some_and(&is_it))?;
        (self.0.remove(at).0 as Box<dyn Any>).downcast().ok().map(|popup| *popup)
    }
}

/// A box with one text field.
#[derive(Debug, Default)]
pub struct FieldBox {
    /// As typed.
    pub input: TextInput,
    /// What is wrong with it, or why nothing came of it.
    pub error: Option<String>,
}

impl FieldBox {
    /// What is typed goes into the field.
    pub fn on_typing(&mut self, typing: Typing<'_>) -> bool {
        // A blank that was trimmed away must not replace what is selected.
        if matches!(typing, Typing::Text("")) {
            return false;
        }
        self.error = None;
        self.input.take(typing)
    }

    /// Says what is wrong with what was typed, which the next text replaces.
    pub fn refuse(&mut self, why: String) {
        self.input.select();
        self.error = Some(why);
    }

    /// Paints the field with its label, and below it the error or a note.
    pub fn draw(&self, label: &str, columns: u16, note: &str, page: &mut Page<'_>) {
        page.gap();
        page.at(0, format!("   {label}:"), StyleRole::Text);
        page.input(cells(label.len() + 6), columns, &self.input, true);
        page.next_row();
        page.gap();
        match &self.error {
            Some(error) => page.error(3, error, 3),
            None => page.wrapped(3, note, 2),
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::tui::screens::pets::popups::LimitBox;
    use crate::tui::testing::TestApp;

    #[test]
    fn a_blank_is_no_number_of_rows() {
        let app = TestApp::loaded(80, 24).after("L Space");
        assert_eq!(app.state.popups.get::<LimitBox>().unwrap().0.input.value(), "20");
    }
}
