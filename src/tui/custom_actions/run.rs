//! One run of the user's own actions.

use std::time::Duration;

use crate::config::CustomAction;
use crate::config::action::ID;
use crate::local::log::line;
use crate::local::program::{command, output_of};
use crate::model::Pet;
use crate::model::text::short;

/// One run of an action.
#[derive(Clone, Debug, PartialEq)]
pub struct Run {
    /// Its number in the configuration.
    pub number: usize,
    pub action: CustomAction,
    /// What it gets.
    pub pets: Vec<Pet>,
}

impl Run {
    /// What it is about, in words.
    pub fn subject(&self) -> String {
        match self.pets.as_slice() {
            [pet] => format!("{} {}", pet.id, short(&pet.name)),
            pets => format!("{} rows", pets.len()),
        }
    }

    /// Runs its program without a shell: the pets are on its standard input, a JSON object a line.
    pub async fn output(&self) -> Result<String, String> {
        let ids: Vec<_> = self.pets.iter().map(|pet| pet.id.to_string()).collect();
        let ids = ids.join(" ");
        let words = self.action.command.get_ref();
        let mut command = command(&words[0]);
        command.args(words[1..].iter().map(|word| word.replace(ID, &ids)));
        // Systems refuse to start a program with a longer variable.
        if ids.len() <= MOST_IDS {
            command.env("PETSTORE_IDS", &ids);
        }
        let input: Result<String, _> = self.pets.iter().map(line).collect();
        output_of(command, input.map_err(|error| error.to_string())?.as_bytes(), LIMIT).await
    }
}

/// How long a run may take.
const LIMIT: Duration = Duration::from_secs(60);
/// The most bytes of `PETSTORE_IDS`: Linux takes 128 KiB.
const MOST_IDS: usize = 100_000;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::File;
    use crate::model::{ObservedStatus, Pet, PetStatus};

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
}
