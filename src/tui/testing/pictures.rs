//! The pictures of the README and of `assets/img`: each screen as it is drawn, held up to date.
//!
//! `PETSTORE_PICTURES=write cargo test --lib pictures` updates them.

mod svg;

use std::fs;
use std::path::Path;
use std::time::Duration;

use crate::model::{Pet, sample};
use crate::tui::screens::add_pet::{import, lines};
use crate::tui::screens::domains::tests::looks as domains;
use crate::tui::screens::pets::reading::ListPets;
use crate::tui::screens::{add_pet, profiles, requests};
use crate::tui::testing::{TestApp, refused_with, remote};
use crate::tui::theme::Theme;
use svg::{DARK, Ground, LIGHT};

/// Pets as the samples have them.
fn pets(count: usize) -> Vec<Pet> {
    let new = (0..count).map(sample);
    (1..)
        .zip(new)
        .map(|(id, new)| Pet { id, name: new.name, category_id: new.category_id, status: new.status.map(Into::into) })
        .collect()
}

fn browsing(columns: u16, rows: u16, keys: &str) -> TestApp {
    TestApp::loaded_from(remote(), columns, rows, &pets(175)).after(keys)
}

/// The service has reported that the key is wrong.
fn key_refused() -> TestApp {
    let mut app = browsing(80, 24, "r");
    let failure = refused_with(401, "unauthorized", "The API key is not valid.");
    app.answer::<ListPets>(Err(failure)).keys("F4").wait(Duration::from_secs(1));
    app
}

/// Each picture by its name, as it is on a dark ground.
fn scenes() -> Vec<(&'static str, TestApp)> {
    let redirects = || {
        let mut app = domains::panel(80, 24).after("R");
        domains::answer(&mut app, 0, false);
        app
    };
    let record = || domains::panel(80, 24).after("a \"pets.acme-pets.com\" Tab \"sites.petplatform.net\" F2");
    vec![
        ("pets", browsing(80, 24, "Enter")),
        ("pets-wide", browsing(120, 40, "Down Down")),
        ("search", browsing(80, 24, "/ \"whis\"")),
        ("by-id", browsing(80, 24, "#")),
        ("limit", browsing(80, 24, "L")),
        ("add", add_pet::tests::typed(80, 24, "\"Biscuit\" Tab \"3rd\" F2")),
        ("add-busy", lines::tests::busy(80, 24)),
        ("import-look", import::tests::looked(80, 24, import::tests::FILE)),
        ("import-run", import::tests::running(80, 24)),
        ("domains", domains::panel(80, 24)),
        ("domains-record", record()),
        ("domains-live", domains::opened("docs.acme-pets.com", 1, 80, 24)),
        ("domains-redirects", redirects()),
        ("profiles", profiles::tests::listed(80, 24)),
        ("requests", requests::tests::with_keys(80, 24, "Down")),
        ("key", key_refused()),
        ("commands", browsing(80, 24, ": \"dom\"")),
        ("help", browsing(80, 24, "?")),
        ("first-start", TestApp::first_start(80, 24)),
    ]
}

/// The expected picture; on a light ground with the light theme.
fn picture(app: &mut TestApp, unicode: bool, ground: Ground) -> String {
    app.appearance.ascii = !unicode;
    svg::still(&app.buffer(), ground)
}

fn all() -> Vec<(String, String)> {
    let mut all: Vec<(String, String)> =
        scenes().into_iter().map(|(name, mut app)| (name.to_owned(), picture(&mut app, true, DARK))).collect();
    let mut light = browsing(80, 24, "Enter");
    light.state.theme = Theme::built_in("light");
    all.push(("pets-light".to_owned(), picture(&mut light, true, LIGHT)));
    let mut mono = browsing(80, 24, "Enter");
    mono.state.theme = Theme::built_in("mono");
    all.push(("pets-ascii".to_owned(), picture(&mut mono, false, DARK)));
    all
}

#[test]
#[expect(clippy::disallowed_methods, reason = "who runs it says whether to write the pictures")]
fn the_pictures_show_the_screens_as_they_are() {
    let directory = Path::new(env!("CARGO_MANIFEST_DIR")).join("assets/img");
    let write = std::env::var_os("PETSTORE_PICTURES").is_some();
    let mut old = Vec::new();
    for (name, picture) in all() {
        let path = directory.join(format!("{name}.svg"));
        if write {
            fs::create_dir_all(&directory).unwrap();
            fs::write(path, picture).unwrap();
        } else if fs::read_to_string(path).unwrap_or_default() != picture {
            old.push(name);
        }
    }
    assert!(old.is_empty(), "{old:?} are not as the screens: PETSTORE_PICTURES=write cargo test --lib pictures");
}
