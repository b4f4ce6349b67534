//! Plain lines instead of the full screen, fed from a pipe.

use super::fixture::*;

#[test]
fn plain_lines_are_answered_from_a_pipe_and_end_with_it() {
    let home = home();
    let mut by_variable = petstore(&home, &["--demo"]);
    by_variable.env("ACCESSIBLE", "1");
    for command in [petstore(&home, &["--accessible", "--demo"]), by_variable] {
        let output = with_stdin(command, "browse\n\n2\n");
        assert_eq!((output.status.code(), stderr(&output)), (Some(0), String::new()));
        let said = "Pets 1 to 2 of 250:\n1: Rex, category 1 dog, available, id 1\n2: Mr. Whiskers, category 2 cat, pending, id 2\n";
        assert!(stdout(&output).contains(said), "{}", stdout(&output));
        assert!(stdout(&output).ends_with("Goodbye.\n"), "{}", stdout(&output));
    }
}
