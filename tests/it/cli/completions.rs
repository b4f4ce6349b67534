//! Scripts for shells, and the words that these ask for.

use crate::prelude::*;

use super::fixture::*;

/// What fish is told when the last of these words is to be completed.
fn words(home: &TempDir, typed: &[&str]) -> Vec<String> {
    let mut command = petstore(home, &[&["--", "petstore"], typed].concat());
    let output = command.env("PETSTORE_COMPLETE", "fish").output().unwrap();
    assert!(output.status.success());
    stdout(&output).lines().map(|line| line.split('\t').next().unwrap().to_owned()).collect()
}

#[test]
fn a_script_for_each_shell_asks_this_program() {
    for shell in ["bash", "zsh", "fish", "elvish", "powershell"] {
        let (status, script, said) = all(&run(&home(), &["completions", shell]));
        assert_eq!((status, said.as_str()), (Some(0), ""));
        assert!(script.contains("PETSTORE_COMPLETE") && script.contains("petstore"), "{script}");
    }
}

#[test]
fn commands_options_and_values_are_completed() {
    let home = home();
    assert_eq!(words(&home, &["pets", "l"]), ["list"]);
    assert_eq!(words(&home, &["pets", "list", "--sta"]), ["--status"]);
    assert_eq!(words(&home, &["pets", "list", "--status", ""]), ["available", "pending", "sold"]);
    assert_eq!(words(&home, &["pets", "list", "--format", "j"]), ["json"]);
    assert_eq!(words(&home, &["pets", "list", "--sort", "n"]), ["name", "name:desc"]);
    assert_eq!(words(&home, &["pets", "list", "--columns", "c"]), ["categoryId"]);
}

#[test]
fn profiles_categories_and_domains_are_those_of_now() {
    let home = home();
    assert_eq!(words(&home, &["-p", ""]), ["embedded"]);
    let config = "[profiles.branch]\nbase_url = \"https://branch.example/v1\"\n[profiles.\"a b; rm\"]\nembedded = true\n\
         [categories]\n3 = \"dog\"\n4 = \"dove\"\n5 = \"guinea pig\"\n[[views]]\nname = \"cats\"\n[[views]]\nname = \"a b; rm\"\n";
    configure(&home, config);
    assert_eq!(words(&home, &["-p", ""]), ["embedded", "branch"]);
    assert_eq!(words(&home, &["pets", "add", "--category-id", ""]), ["dog", "dove"]);
    assert_eq!(words(&home, &["pets", "list", "--profile", "b"]), ["branch"]);
    for command in ["list", "count", "watch", "export"] {
        assert_eq!(words(&home, &["pets", command, "--view", ""]), ["cats"], "{command}");
    }
    assert!(words(&home, &["domains", "check", "d"]).is_empty());
    let added = run(&home, &["domains", "add", "docs.example.com", "--platform-host", "sites.platform.example"]);
    assert_eq!(all(&added).0, Some(0));
    for command in ["check", "watch", "records", "saved", "verified", "report", "remove"] {
        assert_eq!(words(&home, &["domains", command, "doc"]), ["docs.example.com"], "{command}");
    }
}

#[test]
fn bash_completes_by_the_script() {
    let home = home();
    let script = home.path().join("petstore.bash");
    fs::write(&script, stdout(&run(&home, &["completions", "bash"]))).unwrap();
    let binary = Path::new(PETSTORE);
    let ask = format!(
        "source {}; COMP_WORDS=(petstore pets list --status p); COMP_CWORD=4; COMP_TYPE=9; \
         _clap_complete_petstore petstore p --status; printf '%s\\n' \"${{COMPREPLY[@]}}\"",
        script.display()
    );
    let mut bash = Command::new("bash");
    let path = format!("{}:/usr/bin:/bin", binary.parent().unwrap().display());
    let output = bash.args(["--norc", "-c", &ask]).env_clear().env("PATH", path).env("HOME", home.path()).output();
    // Only where there is a bash.
    if let Ok(output) = output {
        assert_eq!(stdout(&output), "pending\n", "{}", String::from_utf8_lossy(&output.stderr));
    }
}
