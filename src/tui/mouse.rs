//! What the mouse can do, and what a click does.

use super::key::KeyPress;

/// Something that the mouse did.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MouseEvent {
    /// The left button went down here, counted from 0 from the left and the top.
    Click { column: u16, row: u16 },
    /// The wheel turned; `down` is towards what comes next.
    Wheel { down: bool },
}

/// What a click does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Target {
    /// What this key does, so many times.
    Press(KeyPress, usize),
    /// Shows a screen, by the command that does.
    Show(&'static str),
    /// Shows the tab of this number.
    Tab(usize),
    /// Selects a row of the list, or opens the one that is `selected`: under the cursor.
    Row { selected: bool },
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domains::troubleshooting::Rule;
    use crate::tui::effect::Effect;
    use crate::tui::pending::Slot;
    use crate::tui::screens::add_pet::NAME;
    use crate::tui::screens::domains::state::Location;
    use crate::tui::screens::domains::tests::looks;
    use crate::tui::state::Screen;
    use crate::tui::testing::prelude::*;

    /// An app with the mouse on.
    fn app(columns: u16, rows: u16) -> TestApp {
        TestApp::loaded_from(remote(), columns, rows, &animals(39)).after("M")
    }

    /// Clicks on the first letter of `text` on the screen.
    fn click(app: &mut TestApp, text: &str) {
        let screen = app.screen();
        let mut rows = screen.lines().zip(0..);
        let place = rows.find_map(|(line, row)| Some((line[..line.find(text)?].chars().count(), row)));
        let (column, row) = place.unwrap_or_else(|| panic!("no {text} in\n{screen}"));
        app.send(Msg::Mouse(MouseEvent::Click { column: column as u16, row }));
        app.screen();
    }

    fn wheel(app: &mut TestApp, down: bool) {
        app.send(Msg::Mouse(MouseEvent::Wheel { down }));
        app.screen();
    }

    #[test]
    fn the_mouse_is_off_until_m_or_the_configuration_turns_it_on() {
        let mut app = TestApp::loaded_from(remote(), 80, 24, &animals(39));
        click(&mut app, "Zoe");
        assert_eq!(app.state.pets.cursor(), 0);
        app.keys("M");
        assert_eq!(app.effects.last(), Some(&Effect::Mouse(true)));
        app.shows("hold Shift to select text").send(Msg::Resumed);
        assert_eq!(app.effects.last(), Some(&Effect::Mouse(true)), "it was switched off while the program was stopped");
        app.keys("M");
        assert_eq!(app.effects.last(), Some(&Effect::Mouse(false)));
        wheel(&mut app, true);
        assert_eq!(app.state.pets.cursor(), 0);
    }

    #[test]
    fn a_click_selects_a_row_and_a_second_opens_it_also_in_a_list_that_is_scrolled() {
        let mut app = app(80, 24);
        click(&mut app, "Pochi");
        assert_eq!((app.state.pets.cursor(), app.state.pets.drawer), (2, false));
        click(&mut app, "Pochi");
        assert!(app.state.pets.drawer);
        app.keys("Esc End");
        let below = app.state.pets.selected().unwrap().id;
        click(&mut app, &(below - 3).to_string());
        assert_eq!(app.state.pets.selected().unwrap().id, below - 3);
        wheel(&mut app, false);
        assert_eq!(app.state.pets.selected().unwrap().id, below - 6);
        app.keys("T");
        click(&mut app, "mono ");
        assert!(app.state.theme.name == "mono", "{}", app.screen());
        click(&mut app, "1 Pets");
        assert!(app.state.popups.is_open(), "what is behind a box takes no clicks");
    }

    #[test]
    fn tabs_buttons_and_the_keys_of_the_bottom_line_are_pressed_by_a_click() {
        let mut app = app(80, 24);
        click(&mut app, "sold");
        assert_eq!(app.state.pets.filter(), Some(PetStatus::Sold));
        click(&mut app, "All ");
        assert_eq!(app.state.pets.filter(), None);
        click(&mut app, "? help");
        app.shows("Help").keys("Esc");
        click(&mut app, "2 Add pet");
        assert_eq!(app.state.screen, Screen::AddPet);
        app.keys("\"Rex\" Tab \"3\"");
        click(&mut app, "1 Pets");
        assert_eq!((app.state.screen, app.state.add.form[&NAME].value()), (Screen::Pets, "Rex"));
        click(&mut app, "2 Add pet");
        wheel(&mut app, true);
        assert_eq!(app.state.add.form.focus().name, "category", "a wheel changes nothing in a form");
        click(&mut app, "F2 add");
        assert!(app.job(Slot::Queue).is_some(), "{}", app.screen());
    }

    #[test]
    fn the_pages_of_a_domain_are_shown_by_a_click() {
        let mut app = looks::opened("acme-pets.com", 0, 80, 24).after("M t");
        for at in [2, 0, 3, 1] {
            let title = ["Verify", "Certificate", "Browser", "Redirect"][at];
            let is_tabs = |line: &str| line.contains("Verify") && line.contains("Redirect");
            let tabs = app.screen().lines().position(is_tabs).unwrap();
            let column = app.screen().lines().nth(tabs).unwrap().find(title).unwrap();
            app.send(Msg::Mouse(MouseEvent::Click { column: column as u16, row: tabs as u16 }));
            assert_eq!(app.state.domains.place, Location::Rules(Rule::ALL[at]), "{title}");
        }
    }

    #[test]
    fn a_click_on_what_was_there_before_does_nothing() {
        let mut app = app(80, 24);
        app.screen();
        app.send(Msg::Key(crate::tui::key::Key::Char('/').into()));
        let areas = app.state.layout.clickable.clone();
        for (area, _) in areas {
            app.send(Msg::Mouse(MouseEvent::Click { column: area.x, row: area.y }));
        }
        assert_eq!((app.state.place().name, app.state.pets.search.value()), ("search", ""));
    }
}
