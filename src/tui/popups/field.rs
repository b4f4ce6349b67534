//! A box with one text field.

use crate::tui::text_input::{TextInput, Typing};
use crate::tui::theme::StyleRole;
use crate::tui::widgets::page::Page;

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
    pub(in crate::tui) fn on_typing(&mut self, typing: Typing<'_>) -> bool {
        // A blank that was trimmed away must not replace what is selected.
        if matches!(typing, Typing::Text("")) {
            return false;
        }
        self.error = None;
        self.input.take(typing)
    }

    /// Says what is wrong with what was typed, which the next text replaces.
    pub(in crate::tui) fn refuse(&mut self, why: String) {
        self.input.select();
        self.error = Some(why);
    }

    /// Paints the field with its label, and below it the error or a note.
    pub(in crate::tui) fn draw(&self, label: &str, columns: u16, note: &str, page: &mut Page<'_>) {
        page.gap();
        page.at(0, format!("   {label}:"), StyleRole::Text);
        page.input(u16::try_from(label.len() + 6).unwrap_or(9), columns, &self.input, true);
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
    use crate::tui::screens::pets::popups::limit::LimitBox;
    use crate::tui::testing::App;

    #[test]
    fn a_blank_is_no_number_of_rows() {
        let mut app = App::loaded(80, 24);
        app.keys("L Space");
        assert_eq!(app.state.popups.get::<LimitBox>().unwrap().0.input.value(), "20");
    }
}
