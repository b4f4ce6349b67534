//! Views: the tabs of saved searches, and their columns.

use std::fmt::Write as _;

use super::*;
use crate::config::{File, View};
use crate::tui::screens::pets::{BUILT_IN, State};
use crate::tui::testing::prelude::*;

/// An app with these views, its lists read.
fn with_views(config: &str, columns: u16, rows: u16) -> TestApp {
    let mut app = TestApp::started(Service::Demo, columns, rows);
    let file = File::parse(config, std::path::Path::new("config.toml")).unwrap();
    app.state.pets = State::new(&Settings { config: file, ..testing::settings(Service::Demo) });
    app.answer_lists(&animals(39));
    app.screen();
    app
}

const CATS: &str = "[[views]]\nname = \"cats\"\nsearch = \"cat:3\"\nstatus = \"available\"\nsort = \"-name\"\n\
                    columns = [\"status\", \"name:12\", \"id\"]\n[[views]]\nname = \"all of it\"\nlimit = 50\n";

fn tabs(app: &mut TestApp) -> String {
    app.screen().lines().nth(1).unwrap().to_owned()
}

#[test]
fn a_view_is_a_tab_with_its_count_search_order_and_columns() {
    let mut app = with_views(CATS, 120, 40);
    assert!(tabs(&mut app).contains(" cats 8 "), "{}", app.screen());
    app.keys("Left Left").answer_lists(&animals(39));
    let screen = app.screen();
    assert!(tabs(&mut app).contains("[cats 8]"), "{screen}");
    assert!(screen.contains("cat:3") && screen.contains("8 of 23 rows   sort: name, down"), "{screen}");
    let heading = screen.lines().find(|line| line.contains("NAME")).unwrap();
    let places = ["STATUS", "NAME", "ID"].map(|word| heading.find(word).unwrap());
    assert!(places.is_sorted() && places[2] - places[1] == 13 && !heading.contains("CATEGORY"), "{heading}");
    let line = app.state.keymap.named("pets", "refresh").and_then(|refresh| refresh.line(&app.state));
    assert_eq!(line.as_deref(), Some("petstore --demo pets list --view cats"));
    app.keys("x").shows("pets-cats.csv").keys("Esc Right x").shows("pets-all-of-it.csv");
}

#[test]
fn each_view_keeps_its_row_its_search_and_what_is_typed_there() {
    let mut app = with_views(CATS, 80, 24).after("j j j");
    let all = selected(&app);
    app.keys("Left").answer_lists(&animals(39)).keys("G");
    let last = (selected(&app), app.state.layout.table_top);
    app.keys("Right").answer_lists(&animals(39));
    assert_eq!(selected(&app), all, "the tabs that are always there are as before");
    app.keys("Left").answer_lists(&animals(39));
    app.screen();
    assert_eq!((selected(&app), app.state.layout.table_top), last);
    app.keys("Left / r e x Enter");
    assert_eq!(app.state.pets.search.value(), "cat:3 rex");
    app.keys("Right");
    assert_eq!(app.state.pets.search.value(), "");
    app.keys("Left Esc");
    assert_eq!(app.state.pets.search.value(), "cat:3", "Esc goes back to the search of the view");
}

#[test]
fn only_what_arrives_is_counted_again() {
    let mut app = with_views(CATS, 120, 40).after("r");
    app.answer_lists(&animals(3_000));
    let now = app.now;
    for number in 0..20 {
        let status = [PetStatus::Available, PetStatus::Sold][number % 2];
        let category_id = [3, 4][usize::from(number % 4 > 1)];
        let id = 900_000 + i64::try_from(number).unwrap();
        app.state.pets.arrive(&[Pet { id, name: "New".into(), category_id, status: Some(status.into()) }], now);
    }
    let counts = [4, 5].map(|tab| app.state.pets.tabs[tab].count.unwrap());
    app.state.pets.count_views(0);
    assert_eq!([4, 5].map(|tab| app.state.pets.tabs[tab].count.unwrap()), counts);
    assert_eq!(counts[1].seen, 3_020);
}

#[test]
fn a_pet_that_a_view_does_not_show_is_looked_up_among_all_and_the_view_stays_as_it_was() {
    let mut app = with_views(CATS, 80, 24).after("Left Left # \"100232\" Enter");
    assert_eq!((selected(&app), app.state.pets.filter(), app.state.pets.search.value()), (100_232, None, ""));
    app.keys("Left Left");
    assert_eq!(app.state.pets.search.value(), "cat:3");
}

#[test]
fn the_tab_in_use_is_always_on_screen() {
    let mut config = String::new();
    for number in 0..30 {
        writeln!(config, "[[views]]\nname = \"view number {number}\"\nsearch = \"cat:{number}\"").unwrap();
    }
    for (columns, rows) in [(60, 16), (80, 24), (120, 40)] {
        let mut app = with_views(&config, columns, rows);
        for _ in 0..35 {
            let tabs = tabs(&mut app);
            let name = app.state.pets.view().name.clone();
            assert!(tabs.contains(&format!("{name} ")) && tabs.contains('[') && tabs.contains(']'), "{name}: {tabs}");
            app.keys("Right");
        }
        assert!(tabs(&mut app).trim_end().ends_with('>'), "{}", app.screen());
        app.keys("0 Left");
        assert!(tabs(&mut app).starts_with('<'), "{}", app.screen());
    }
}

#[test]
fn a_narrow_window_leaves_columns_out_in_the_stated_order() {
    let config = "[[views]]\nname = \"wide\"\ncolumns = [\"id\", \"name\", \"by\", \"categoryId\", \"status\", \"age\", \"at\"]\n";
    let headings = |columns: u16| {
        let mut app = with_views(config, columns, 24).after("Left");
        let screen = app.screen();
        let line = screen.lines().find(|line| line.contains("NAME")).unwrap().to_owned();
        ["ADDED AT", "AGE", "CATEGORY", "ADDED BY", "ID", "STATUS"].map(|word| line.contains(word))
    };
    let mut most = 6;
    for columns in (44..=109).rev() {
        let shown = headings(columns);
        let left = shown.iter().filter(|is_shown| **is_shown).count();
        assert!(left <= most && shown.is_sorted(), "{columns}: {shown:?}");
        most = left;
    }
    assert_eq!((headings(109), headings(44)), ([true; 6], [false, false, false, false, true, true]));
}

/// The view that the worker is asked to save.
fn saved(app: &TestApp) -> Box<View> {
    app.asked().map(|AddView(view)| view).expect("no view is saved")
}

#[test]
fn what_is_shown_becomes_a_tab_with_its_rows() {
    let mut app = with_views(CATS, 80, 24).after("Right o o / r e x Space c a t : 3 Enter");
    app.answer_lists(&animals(39));
    let rows = app.state.pets.row_count();
    app.keys("V \"rex\" Enter");
    let view = saved(&app);
    let rex = "[[views]]\nname = \"rex\"\nsearch = \"rex cat:3\"\nstatus = \"available\"\n";
    let as_file = File::parse(rex, std::path::Path::new("config.toml")).unwrap().views.remove(0);
    assert_eq!(*view, as_file);
    app.answer::<AddView>(Ok(()));
    assert!(app.says("View rex saved.") && tabs(&mut app).contains("[rex"), "{}", app.screen());
    app.answer_lists(&animals(39));
    assert_eq!((app.state.pets.search.value(), app.state.pets.row_count()), ("rex cat:3", rows));
}

#[test]
fn a_view_that_is_saved_shows_what_was_shown() {
    let mut app = with_views("", 80, 24);
    for keys in ["", "/ r e x Enter", "/ c a t : 3 Enter o", "/ r e x Enter O", "o o O"] {
        app.keys("0 Esc Esc").keys(keys).answer_lists(&animals(39));
        let pets = &app.state.pets;
        let view = pets.as_view("new".into());
        let shown = |state: &State| {
            let rows: Vec<_> = state.rows_from(0).map(|pet| pet.id).collect();
            (state.search.value().to_owned(), state.is_best_first(), state.sort, state.filter(), rows)
        };
        let before = shown(pets);
        let mut pets = pets.clone();
        pets.add_view(view);
        pets.show_tab(BUILT_IN, 0);
        assert_eq!(shown(&pets), before, "{keys}");
    }
}

#[test]
fn a_view_that_cannot_be_saved_says_why_in_the_box() {
    let mut app = with_views(CATS, 80, 24).after("V \"all\" Enter");
    app.shows("is the name of a tab that is always there");
    app.keys("C-u \"cats\" Enter").shows("there is a view \"cats\" already");
    assert_eq!(app.job(Slot::Views), None);
    app.keys("C-u \"dogs\" Enter").answer::<AddView>(Err("no room".into()));
    app.shows("The view was not saved: no room").keys("Esc");
    assert_eq!((app.state.popups.is_open(), app.state.pets.tabs.len()), (false, 6));
}

#[test]
fn a_search_that_does_not_parse_is_not_saved_and_a_session_over_ssh_saves_none() {
    let mut app = with_views(CATS, 80, 24).after("/ c a t : Space x Enter V \"odd\" Enter");
    app.shows("This search cannot be saved");
    assert_eq!(app.job(Slot::Views), None);
    app.keys("Esc");
    app.state.link.ssh = Some(crate::config::SshSession::default());
    app.keys("V").shows("cannot save views");
}

#[test]
fn the_box_for_a_view_is_whole_at_every_size() {
    whole_at_every_size("views", |columns, rows| with_views(CATS, columns, rows).after("V"));
}
