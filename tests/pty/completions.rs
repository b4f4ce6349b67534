//! Completion in a shell that has just been started.

use crate::prelude::*;

use crate::skipped::skipped;

/// As it is after the package was installed: the script is where zsh looks for functions.
#[test]
fn the_first_tab_in_zsh_completes() {
    let zsh = "/usr/bin/zsh";
    if !Path::new(zsh).exists() {
        return skipped("zsh is not installed");
    }
    let path = format!("{}:/usr/bin:/bin", Path::new(PETSTORE).parent().unwrap().display());
    let start = Start::program(zsh, &["-i"]).env("PATH", &path);
    let functions = start.home().join("functions");
    fs::create_dir(&functions).unwrap();
    let script = Command::new(PETSTORE).args(["completions", "zsh"]).env_clear().output().unwrap().stdout;
    fs::write(functions.join("_petstore"), script).unwrap();
    // The files of the system may do the same and more.
    fs::write(start.home().join(".zshenv"), "unsetopt global_rcs\n").unwrap();
    let startup = "fpath=(~/functions $fpath); autoload -Uz compinit; compinit -u; PROMPT='ready> '\n";
    fs::write(start.home().join(".zshrc"), startup).unwrap();
    let mut terminal = start.open();
    terminal.answer("ready> ", "petstore profiles te\t");
    terminal.shows(&["ready> petstore profiles test"]);
    terminal.send("\u{15}exit\r");
    terminal.ended();
}
