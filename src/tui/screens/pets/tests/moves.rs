//! Frames that are painted over the one before.

use std::sync::Arc;

use proptest::prelude::*;
use ratatui::buffer::Buffer;
use ratatui::layout::{Position, Rect};

use crate::tui::Appearance;
use crate::tui::msg::{Key, Msg};
use crate::tui::testing::{TestApp, animals, parse_keys, remote};
use crate::tui::view::{draw, draw_whole, drawn_row};

/// Moves often, and does other things between.
const MOVING: &str = "j, j, k, PgDn, Up, G, g, C-d, Enter, o, / r e x Enter, Esc, T Esc, Right, V Esc, D";

#[test]
fn a_moved_cursor_paints_two_rows_the_detail_and_the_last_but_one_line() {
    for (columns, rows, detail) in [(80, 24, 0), (120, 40, 40 * 20)] {
        let mut app = TestApp::started(remote(), columns, rows);
        app.answer_lists(&animals(39));
        let mut shown = Buffer::empty(Rect::new(0, 0, columns, rows));
        app.keys("j");
        let appearance = app.appearance.clone();
        app.state.layout = draw_whole(&app.state, &appearance, app.now, &mut shown).layout;
        app.state.drawn_row = drawn_row(&app.state);
        app.send(Msg::Key(Key::Down.into()));
        let painted = draw(&app.state, &appearance, app.now, &mut shown).painted;
        let cells: u32 = painted.iter().map(|area| area.area()).sum();
        let row = u32::from(app.state.layout.table.width);
        assert!(cells <= 2 * row + detail + u32::from(columns), "{painted:?}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 40, ..ProptestConfig::default() })]

    #[test]
    fn the_frame_after_a_moved_cursor_is_the_whole_frame(
        steps in prop::collection::vec(prop::sample::select(MOVING.split(", ").collect::<Vec<_>>()), 1..40),
        (columns, rows) in prop::sample::select(vec![(60, 16), (80, 24), (120, 40), (200, 50)]),
    ) {
        let mut app = TestApp::started(remote(), columns, rows);
        app.answer_lists(&animals(39));
        let appearance = app.appearance.clone();
        let mut shown = Buffer::empty(Rect::new(0, 0, columns, rows));
        for step in steps {
            for key in parse_keys(step) {
                app.send(Msg::Key(key));
                let appearance = Appearance { theme: Arc::clone(&app.state.theme), ..appearance.clone() };
                let mut whole = shown.clone();
                let expected = draw_whole(&app.state, &appearance, app.now, &mut whole);
                let before = shown.clone();
                let frame = draw(&app.state, &appearance, app.now, &mut shown);
                prop_assert_eq!(&shown, &whole);
                prop_assert_eq!((&frame.layout, frame.cursor), (&expected.layout, expected.cursor));
                let is_painted = |at: Position| frame.painted.iter().any(|area| area.contains(at));
                let changed = shown.area.positions().find(|at| before[*at] != shown[*at] && !is_painted(*at));
                prop_assert_eq!(changed, None);
                app.state.drawn_row = drawn_row(&app.state);
                app.state.layout = frame.layout;
            }
        }
    }
}
