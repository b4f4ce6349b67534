//! Plain lines on a real terminal.

use crate::prelude::*;

#[test]
fn questions_and_answers_write_no_escape_sequence() {
    let mut talk = Start::petstore(&["--accessible", "--demo"]).open();
    talk.answer("Main menu, 1 to 12:", "3\r");
    talk.answer("Name, or press Enter to end:", "Biscuit\r");
    talk.answer("Category, a number or dog, cat, bird, rabbit, fish and 3 more:", "3\r");
    talk.answer("Status, 1 to 4", "sold\r");
    talk.shows(&["Added: Biscuit, category 3 bird, sold, id 251."]);
    talk.answer("Name, or press Enter to end:", "quit\r");
    let (status, bytes) = talk.ended();
    assert_eq!(status, 0);
    let strange: Vec<u8> =
        bytes.into_iter().filter(|byte| byte.is_ascii_control() && !b"\r\n".contains(byte)).collect();
    assert_eq!(strange, b"");
}

#[test]
fn a_terminal_that_cannot_show_a_screen_gets_questions() {
    let mut talk = Start::petstore(&["--demo"]).env("TERM", "dumb").open();
    talk.shows(&["petstore in plain lines."]);
    // Ctrl-D.
    talk.answer("Main menu, 1 to 12:", "\x04");
    assert_eq!(talk.ended().0, 0);
}
