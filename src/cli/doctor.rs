//! `petstore doctor`: checks everything that the program depends on, and says how to fix what is wrong.

pub mod check;
mod files;
mod network;
mod terminal;

use std::io::{self, Write};

use serde_json::{Value, json};

use crate::config::{Choices, Env, file_path};
use crate::model::table;

use super::configuration;
use super::error::{Exit, Failed};
use super::render::FormatArg;
use check::{Check, Verdict};

/// Runs all checks, and writes the results; the exit status says whether one fails. `least` is the smallest size of the
/// full screen.
pub async fn run(output: FormatArg, least: (u16, u16), choices: &Choices, env: &Env) -> Result<Exit, Failed> {
    let mut checks = terminal::checks(least, choices, env);
    checks.push(configured(choices, env));
    checks.extend(files::checks(env));
    checks.extend(network::checks(choices, env).await);
    checks.push(files::embedded(env).await);
    checks.extend(files::database(env).await);
    output.write(|out| lines(out, &checks), || checks.iter().map(object).collect::<Value>())?;
    let fails = checks.iter().any(|check| check.verdict == Verdict::Fail);
    Ok(if fails { Exit::Failure } else { Exit::Done })
}

fn configured(choices: &Choices, env: &Env) -> Check {
    const NAME: &str = "configuration";
    let path = match file_path(choices, env) {
        Ok(path) => path,
        Err(error) => return Check::fail(NAME, &error.to_string(), "set HOME"),
    };
    match configuration::check(&path, choices, env) {
        Ok(found) if !found.is_empty() => {
            Check::fail(NAME, &found.join(" "), "correct the file there; petstore config path names it")
        }
        Ok(_) if path.exists() => Check::ok(NAME, &path.display().to_string()),
        Ok(_) => Check::ok(NAME, "no file, so the defaults are used"),
        Err(failed) => Check::fail(NAME, failed.what(), "to see which file is read: petstore config path"),
    }
}

fn lines(out: &mut impl Write, checks: &[Check]) -> io::Result<()> {
    let mut rows = Vec::new();
    for Check { name, verdict, found, remedy } in checks {
        rows.push([format!("{verdict:4}"), name.clone(), found.clone()]);
        rows.extend(remedy.as_ref().map(|remedy| [String::new(), String::new(), format!("fix: {remedy}")]));
    }
    table::write(out, &rows)
}

fn object(check: &Check) -> Value {
    json!({ "name": check.name, "verdict": check.verdict.to_string(), "found": check.found, "remedy": check.remedy })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_check_is_a_line_with_its_remedy_below() {
        let checks = [Check::ok("terminal", "80x24"), Check::fail("key \u{1b}", "is lost", "petstore login")];
        let mut out = Vec::new();
        lines(&mut out, &checks).unwrap();
        let expected =
            "ok    terminal      80x24\nfail  key ⟨U+001B⟩  is lost\n                    fix: petstore login\n";
        assert_eq!(String::from_utf8(out).unwrap(), expected);
        let expected =
            json!({"name": "key ⟨U+001B⟩", "verdict": "fail", "found": "is lost", "remedy": "petstore login"});
        assert_eq!(object(&checks[1]), expected);
    }
}
