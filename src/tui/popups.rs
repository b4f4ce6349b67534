//! The boxes over a screen. Each has a file for what it holds, what its keys do and how it looks, those of a screen beside
//! that; [`stack`] says what every box is.

pub mod confirm;
pub mod help;
pub mod key;
pub mod stack;
pub mod text;
pub mod themes;
pub mod write;

pub use confirm::{DEAF, Question};
pub use key::KeyBox;
pub use stack::{FieldBox, Popup};
pub use text::{TextBox, copy, copy_curl};
pub use write::{Contents, PetSet, WriteBox};

#[cfg(test)]
mod tests {
    use super::key::TestKey;
    use super::write::{NotWritten, WriteFile};
    use crate::api::failure::Failure;
    use crate::tui::testing::prelude::*;

    /// What a job answers.
    type Answer = fn(&mut TestApp) -> &mut TestApp;

    fn failure() -> Failure {
        Failure::NotSent { why: "connection refused".into() }
    }

    fn find(app: &mut TestApp, pet: Option<Pet>) -> &mut TestApp {
        app.answer::<FindPet>(Ok(LookupResult { pet, ..LookupResult::default() }))
    }

    #[test]
    fn an_answer_that_comes_while_the_help_is_open_is_in_its_box_afterwards() {
        let answered: [(&str, Answer, &str); 6] = [
            ("# \"-7\" Enter", |app| find(app, None), "No list has it."),
            ("# \"-7\" Enter", |app| app.answer::<FindPet>(Err(failure())), "(connection refused)"),
            ("V \"rex\" Enter", |app| app.answer::<AddView>(Err("no room".into())), "no room"),
            ("F4 \"petk_x\" Enter", |app| app.answer::<TestKey>(Err(failure())), "(connection refused)"),
            ("x Enter", |app| app.answer::<WriteFile>(Err(NotWritten::Failed("no room".into()))), "no room"),
            (
                "x C-u \"exp\" Tab",
                |app| app.answer::<CompletePath>(Ok(Completion { more: "orts/".into(), names: Vec::new() })),
                "exports/",
            ),
        ];
        for (keys, answer, text) in answered {
            let mut app = TestApp::loaded_from(remote(), 80, 24, &animals(39));
            app.keys(keys).keys("F1");
            answer(&mut app);
            assert_eq!(app.state.place().name, "help", "{keys}");
            app.keys("Esc");
            assert!(app.says(text), "{keys}: {}", app.screen());
        }
        let answered: [(&str, Answer); 3] = [
            ("# \"-7\" Enter", |app| find(app, Some(animals(1).remove(0)))),
            ("F4 \"petk_0123456789abcdef77d1\" Enter", |app| app.answer::<TestKey>(Ok(()))),
            ("x Enter", |app| app.answer::<WriteFile>(Ok("/home/ada/pets.csv".into()))),
        ];
        for (keys, answer) in answered {
            let mut app = TestApp::loaded_from(remote(), 80, 24, &animals(39));
            app.keys(keys).keys("F1");
            answer(&mut app);
            app.keys("Esc");
            assert!(!app.state.popups.is_open(), "{keys}");
        }
    }

    #[test]
    fn the_help_over_a_box_opens_no_other_box() {
        let mut app = TestApp::loaded(80, 24);
        for key in ["w", "F9"] {
            app.keys("# \"100\" F1").keys(key);
            assert!(app.says("Close the help and the box below it first."), "{key}: {}", app.screen());
            app.keys("Esc");
            assert!(app.state.place().name == "by-id" && app.says("100"), "{key}: {}", app.screen());
            app.keys("Esc");
        }
    }

    #[test]
    fn what_is_pasted_into_a_box_counts_as_what_is_typed() {
        let mut app = TestApp::loaded(80, 24).after("x C-u Enter");
        app.shows("Type a file name.").send(Msg::Paste("pets.csv".into())).lacks("Type a file name.");
    }
}
