//! Writing a configuration file where there is none.

use std::fs::DirBuilder;
use std::io;
use std::os::unix::fs::DirBuilderExt as _;
use std::path::Path;

use crate::config::{Env, Paths};
use crate::local::atomic_file::write as write_file;

use super::super::error::Failed;

/// Every key with its default, explained.
pub const EXAMPLE: &str = include_str!("../../../config.example.toml");

/// Writes the first configuration file. The usual directory is made; another one must be there.
pub fn begin(path: &Path, text: &str, env: &Env) -> io::Result<()> {
    if let Ok(paths) = Paths::new(env)
        && path.parent() == Some(&paths.config)
    {
        DirBuilder::new().recursive(true).mode(0o700).create(&paths.config)?;
    }
    write_file(path, text, false)
}

pub fn cannot_write(path: &Path) -> impl FnOnce(io::Error) -> Failed {
    Failed::because(format!("{} could not be written", path.display()))
}
