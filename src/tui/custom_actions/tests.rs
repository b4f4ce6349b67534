//! What users see of their actions.

use super::*;
use crate::config::File;
use crate::tui::keymap::Keymap;
use crate::tui::testing::prelude::*;

const TEXT: &str = "[[actions]]\nkey = \"Z\"\nname = \"label\"\ncommand = [\"lp\", \"{id}\"]\n\
    [[actions]]\nkey = \"B\"\nname = \"sheet\"\non = \"rows\"\nconfirm = true\ncommand = [\"sheet\"]\n\
    [[actions]]\nkey = \"U\"\nname = \"promise\"\nwrites = true\ncommand = [\"promise\"]\n";

fn keymap(text: &str) -> Result<Keymap, (usize, String)> {
    Keymap::default().with_actions(&File::parse(text, "config.toml".as_ref()).unwrap().actions)
}

/// An app with these actions and five pets.
fn app(columns: u16, rows: u16) -> TestApp {
    let mut app = TestApp::loaded_from(remote(), columns, rows, &animals(5));
    app.state.actions = File::parse(TEXT, "config.toml".as_ref()).unwrap().actions;
    app.state.keymap = Arc::new(keymap(TEXT).unwrap());
    app.effects.clear();
    app
}

/// The runs that were asked for, by the number of their action, with the ids that they get.
fn runs(app: &TestApp) -> Vec<(usize, Vec<i64>)> {
    let run = |Run { number, pets, .. }: Run| (number, pets.iter().map(|pet| pet.id).collect());
    app.all_asked().into_iter().map(run).collect()
}

fn ended(app: &mut TestApp, number: usize, result: Result<&str, &str>) {
    let result = result.map(str::to_owned).map_err(str::to_owned);
    app.answer_in::<Run>(Slot::Action(number), result);
}

#[test]
fn an_action_runs_beside_the_app_for_the_pet_under_the_cursor() {
    let mut app = app(80, 24);
    let first = app.state.pets.selected().unwrap().id;
    app.keys("Z");
    assert_eq!(runs(&app), [(0, vec![first])]);
    app.shows("label: running for").keys("Down Z");
    assert!(app.says("label is still running. Ctrl-C stops it.") && runs(&app).len() == 1);
    ended(&mut app, 0, Ok("request id is front-7\n"));
    app.shows("label: request id is front-7").keys("Z");
    ended(&mut app, 0, Ok("two\n\u{1b}[2Jlines\n"));
    assert!(app.state.popups.get::<TextBox>().is_some());
    let screen = app.screen();
    assert!(screen.contains("Output") && screen.contains("[2Jlines") && !screen.contains('\u{1b}'), "{screen}");
    app.keys("Esc Z");
    ended(&mut app, 0, Err("lp was not found"));
    assert!(app.says("label: lp was not found.") && !app.state.popups.is_open(), "{}", app.screen());
    app.keys("Z C-c");
    assert_eq!(app.effects.last(), Some(&Effect::Cancel(Slot::Action(0))));
}

#[test]
fn nothing_that_a_program_prints_covers_what_is_typed() {
    let mut app = app(80, 24).after("Z / \"mo\"");
    ended(&mut app, 0, Ok("two\nlines\n"));
    assert!(!app.state.popups.is_open() && app.state.pets.search.value() == "mo");
    app.shows("label: two");
}

#[test]
fn an_action_is_in_the_help_the_list_of_commands_and_the_bottom_line() {
    let mut app = app(120, 40);
    assert!(app.screen().contains("Z label"), "{}", app.screen());
    app.keys("?").shows("Z label").shows("B sheet").keys("Esc : \"promise\" Enter");
    assert_eq!(runs(&app).len(), 1);
    whole_at_every_size("own_action_asked", |columns, rows| self::app(columns, rows).after("B"));
}

#[test]
fn the_rows_are_given_after_a_yes_only() {
    let mut app = app(80, 24).after("B");
    app.shows("Run sheet for 5 rows of").wait(DEAF).keys("n");
    assert!(runs(&app).is_empty() && app.says("It was not run."));
    app.keys("B").wait(DEAF).keys("y");
    assert_eq!(runs(&app)[0].1.len(), 5);
}

#[test]
fn what_changes_the_service_is_refused_when_read_only_and_asked_about_when_protected() {
    let mut app = app(80, 24);
    app.state.link.read_only = true;
    app.keys("U");
    assert!(app.says("promise cannot run:") && runs(&app).is_empty(), "{}", app.screen());
    app.keys("Z");
    assert_eq!(runs(&app).len(), 1, "what only reads runs");
    (app.state.link.read_only, app.state.link.protect) = (false, true);
    app.keys("U").shows("Run promise").shows("It changes the service.").wait(DEAF).keys("y");
    assert_eq!(runs(&app).len(), 2);
    assert!(!app.state.allowed, "this allows nothing else");
}

#[test]
fn a_key_that_is_taken_or_is_none_is_refused() {
    let action = |key: &str| format!("[[actions]]\nkey = \"{key}\"\nname = \"label\"\ncommand = [\"lp\"]\n");
    let refused = |key: &str| keymap(&action(key)).map(|_| ()).unwrap_err();
    assert_eq!(refused("x"), (0, "key: x is taken by \"export rows to a file\"".into()));
    assert_eq!(refused("q"), (0, "key: q is taken by \"quit\"".into()));
    assert!(refused("Strg-X").1.starts_with("key: keys are written a, G"));
    let twice = keymap(&format!("{}{}", action("Z"), action("Z"))).map(|_| ()).unwrap_err();
    assert_eq!(twice, (1, "key: Z is taken by \"label\"".into()));
}

fn run(command: &str, pets: Vec<Pet>) -> Run {
    let text = format!("[[actions]]\nname = \"x\"\non = \"pet\"\ncommand = {command}\n");
    let file = File::parse(&text, "c.toml".as_ref()).unwrap();
    Run { number: 0, action: file.actions[0].clone(), pets }
}

fn pet(id: i64, name: &str) -> Pet {
    Pet { id, name: name.into(), category_id: 3, status: Some(ObservedStatus::Known(PetStatus::Available)) }
}

#[tokio::test]
async fn hostile_names_reach_no_shell_and_no_argument() {
    let directory = tempfile::tempdir().unwrap();
    let trap = directory.path().join("trap");
    let parts =
        ["$(touch TRAP)", "`touch TRAP`", "; touch TRAP", "| touch TRAP", "\n touch TRAP", "'", "\"", "\\", "-rf"];
    let ends =
        ["", "\u{1b}[2J", "\r", "\t", "\u{202e}", "{id}", "%s%n", "../..", "\u{0}", "ß", "\u{7}", "&&", "*", "~"];
    let names: Vec<String> = parts
        .iter()
        .flat_map(|part| ends.map(|end| format!("{part}{end}").replace("TRAP", &trap.display().to_string())))
        .chain((0..80).map(|at| format!("--opt{at}=$(touch {});\u{1b}]0;{at}\u{7}", trap.display())))
        .collect();
    assert!(names.len() >= 200, "{}", names.len());
    for (id, name) in (1..).zip(&names) {
        let given = pet(id, name);
        let command = r#"["/bin/sh", "-c", "echo \"$# $1 $PETSTORE_IDS\"; cat", "sh", "id={id}"]"#;
        let printed = run(command, vec![given.clone()]).output().await.unwrap();
        let (first, json) = printed.split_once('\n').unwrap();
        assert_eq!(first, format!("1 id={id} {id}"));
        assert_eq!(serde_json::from_str::<Pet>(json).unwrap(), given);
        assert!(!json.trim_end_matches('\n').contains(char::is_control), "one line, escaped: {json:?}");
    }
    assert!(!trap.exists(), "nothing was interpreted");
}

#[tokio::test]
async fn rows_come_as_a_line_each() {
    let ran = run(r#"["wc", "-l"]"#, vec![pet(1, "a\nb"), pet(2, "c")]).output().await;
    assert_eq!(ran.unwrap().trim(), "2");
}

#[tokio::test]
async fn any_number_of_rows_is_given_and_their_ids_as_far_as_the_system_takes_them() {
    let script = r#"["/bin/sh", "-c", "wc -l; echo ${PETSTORE_IDS-none} | wc -w"]"#;
    for (rows, ids) in [(10_000, 10_000), (30_000, 1)] {
        let pets = (0..rows).map(|id| pet(1_000_000 + id, "x")).collect();
        let printed = run(script, pets).output().await.unwrap();
        assert_eq!(Vec::from_iter(printed.split_whitespace()), [rows.to_string(), ids.to_string()]);
    }
}

#[test]
fn what_is_marked_is_given_instead_of_the_row_or_the_rows() {
    let mut app = app(80, 24).after("Space Space Z");
    assert_eq!(runs(&app)[0].1.len(), 2);
    app.keys("B").shows("Run sheet for 2 rows of");
}
