//! Changing the configuration by hand: in an editor, on a copy, which takes its place only when it is right.

use std::fs::{self, DirBuilder};
use std::io;
use std::os::unix::fs::DirBuilderExt as _;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::config::{Env, Paths};
use crate::local::atomic_file::{self, replace_private};

use super::super::confirm::ask;
use super::super::error::{Exit, Failed};
use super::super::output::note;
use super::check::{failed, findings};

/// Opens the editor until the text is right, nobody wants to go on, or the editor fails. Only then the file is replaced.
pub fn run(path: &Path, env: &Env) -> Result<Exit, Failed> {
    let there = read(path)?;
    let before = there.as_deref().unwrap_or(EXAMPLE);
    let copy = Copy::new(before).map_err(cannot_write(path))?;
    loop {
        open(&copy.path, env)?;
        let text = fs::read_to_string(&copy.path).map_err(Failed::because("the edited text is lost"))?;
        if text == before {
            note("nothing was changed");
            return Ok(Exit::Done);
        }
        let found = findings(&text, path);
        if !found.is_empty() {
            if asked_to_go_on(&found) {
                continue;
            }
            let kept = keep(&text, path)?;
            let hint = format!("the file stays as it is; what was typed is in {}", kept.display());
            return Err(failed(&found).hint(hint));
        }
        if read(path)? != there {
            let kept = keep(&text, path)?;
            let what = format!("{} was changed meanwhile, and stays as it is", path.display());
            return Err(Failed::new(Exit::Failure, what).hint(format!("what was typed is in {}", kept.display())));
        }
        let written = if there.is_some() { atomic_file::write(path, &text, true) } else { begin(path, &text, env) };
        written.map_err(cannot_write(path))?;
        note(&format!("wrote {}", path.display()));
        return Ok(Exit::Done);
    }
}

/// The text while it is edited, for its owner alone, under the name of the file.
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
    atomic_file::read(path).map_err(Failed::because(format!("{} cannot be read", path.display())))
}

/// The editor is a line for the shell, as for every program that has one: it may have arguments.
fn open(path: &Path, env: &Env) -> Result<(), Failed> {
    let editor = env.get("VISUAL").or_else(|| env.get("EDITOR")).unwrap_or("vi");
    let failed = |why: String| {
        let what = format!("the editor {} {why}; the file stays as it was", crate::model::text::short(editor));
        Failed::new(Exit::Failure, what).hint("set EDITOR to one that works here")
    };
    let status = Command::new("/bin/sh").arg("-c").arg(format!("{editor} \"$1\"")).arg("sh").arg(path).status();
    match status {
        Ok(status) if status.success() => Ok(()),
        Ok(status) => Err(failed(format!("ended with {status}"))),
        Err(error) => Err(failed(format!("did not start: {error}"))),
    }
}

/// Says what was found and asks. Where nobody can be asked, nobody goes on.
fn asked_to_go_on(found: &[String]) -> bool {
    ask(&format!("{}\nEdit again?", found.join("\n")), true) == Some(true)
}

/// Keeps what was typed beside the file, so that it is not lost.
fn keep(text: &str, path: &Path) -> Result<PathBuf, Failed> {
    let kept = path.with_extension("toml.edited");
    replace_private(&kept, text).map_err(cannot_write(&kept))?;
    Ok(kept)
}

/// Every key with its default, explained.
pub const EXAMPLE: &str = include_str!("../../../config.example.toml");

/// Writes the first configuration file. The usual directory is made; another one must be there.
pub fn begin(path: &Path, text: &str, env: &Env) -> io::Result<()> {
    if let Ok(paths) = Paths::new(env)
        && path.parent() == Some(&paths.config)
    {
        DirBuilder::new().recursive(true).mode(0o700).create(&paths.config)?;
    }
    atomic_file::write(path, text, false)
}

pub fn cannot_write(path: &Path) -> impl FnOnce(io::Error) -> Failed {
    Failed::because(format!("{} could not be written", path.display()))
}
