//! Edits a copy of the configuration in an editor, and saves it once it is valid.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use crate::config::{Env, Paths, write_schema};
use crate::local::atomic_file::{self, replace_private};
use crate::local::program::command;

use super::super::confirm::ask;
use super::super::error::{Exit, Failed};
use super::super::output::note;
use super::check::{failed, findings};

/// Opens the editor until the text is valid or the user gives up. The file is replaced only by a valid text.
pub fn run(path: &Path, env: &Env) -> Result<Exit, Failed> {
    let there = read(path)?;
    let before = there.as_deref().unwrap_or(EXAMPLE);
    let copy = Copy::new(before).map_err(cannot_write(path))?;
    loop {
        open(&copy.path, env)?;
        let text = fs::read_to_string(&copy.path).map_err(Failed::because("cannot read the edited text"))?;
        if text == before {
            note("nothing was changed");
            return Ok(Exit::Done);
        }
        let found = findings(&text, path);
        if !found.is_empty() {
            if wants_to_edit_again(&found) {
                continue;
            }
            let kept = keep(&text, path)?;
            let hint = format!("the file was not changed; your text is in {}", kept.display());
            return Err(failed(&found).hint(hint));
        }
        if read(path)? != there {
            let kept = keep(&text, path)?;
            let what = format!("{} was changed by another program and was not overwritten", path.display());
            return Err(Failed::new(Exit::Failure, what).hint(format!("your text is in {}", kept.display())));
        }
        let written = if there.is_some() { atomic_file::write(path, &text, true) } else { begin(path, &text, env) };
        written.map_err(cannot_write(path))?;
        note(&format!("wrote {}", path.display()));
        return Ok(Exit::Done);
    }
}

/// The text while it is edited, in a private file of the same name.
struct Copy {
    path: PathBuf,
    _directory: tempfile::TempDir,
}

impl Copy {
    fn new(text: &str) -> io::Result<Self> {
        let directory = tempfile::Builder::new().prefix("petstore-").tempdir()?;
        let path = directory.path().join("config.toml");
        replace_private(&path, text)?;
        Ok(Self { path, _directory: directory })
    }
}

fn read(path: &Path) -> Result<Option<String>, Failed> {
    atomic_file::read(path).map_err(Failed::cannot("read", path))
}

/// Runs the editor through the shell, as other programs do, so that it may have arguments.
fn open(path: &Path, env: &Env) -> Result<(), Failed> {
    let editor = env.get("VISUAL").or_else(|| env.get("EDITOR")).unwrap_or("vi");
    let failed = |why: String| {
        let what = format!("the editor {} {why}; the file was not changed", crate::model::text::short(editor));
        Failed::new(Exit::Failure, what).hint("set EDITOR to another editor")
    };
    let mut shell = command("/bin/sh");
    let status = shell.as_std_mut().arg("-c").arg(format!("{editor} \"$1\"")).arg("sh").arg(path).status();
    match status {
        Ok(status) if status.success() => Ok(()),
        Ok(status) => Err(failed(format!("failed ({status})"))),
        Err(error) => Err(failed(format!("did not start: {error}"))),
    }
}

/// Shows the errors and asks. Without a terminal to ask at, it does not ask again.
fn wants_to_edit_again(found: &[String]) -> bool {
    ask(&format!("{}\nEdit again?", found.join("\n")), true) == Some(true)
}

/// Saves the edited text beside the file.
fn keep(text: &str, path: &Path) -> Result<PathBuf, Failed> {
    let kept = path.with_extension("toml.edited");
    replace_private(&kept, text).map_err(cannot_write(&kept))?;
    Ok(kept)
}

/// Every key with its default and an explanation.
pub const EXAMPLE: &str = include_str!("../../../config.example.toml");

/// Creates the configuration file, and the schema beside it. The default directory is created if needed; another one must
/// exist.
pub fn begin(path: &Path, text: &str, env: &Env) -> io::Result<()> {
    if let Ok(paths) = Paths::new(env)
        && path.parent() == Some(&paths.config)
    {
        atomic_file::create_private(&paths.config)?;
    }
    atomic_file::write(path, text, false)?;
    write_schema(path)
}

pub fn cannot_write(path: &Path) -> impl FnOnce(io::Error) -> Failed {
    Failed::cannot("write", path)
}
