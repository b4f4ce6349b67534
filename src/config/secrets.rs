//! Where keys are saved: private files, and programs that print them. These may take ten seconds.

mod command;

use std::error::Error;
use std::fs::File;
use std::io::Read as _;
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;

use super::ConfigError;
use crate::local::atomic_file;
use crate::model::ApiKey;
pub use command::{refuse_where_others_write, run_key_command};

/// The longest key file that is read, in bytes.
const MAX_BYTES: u64 = 4096;

/// The key on the first line of a private file.
pub fn read_key_file(path: &Path) -> Result<ApiKey, ConfigError> {
    read(path).map_err(|why| ConfigError::Key(format!("cannot read the API key from {}: {why}", path.display())))
}

fn read(path: &Path) -> Result<ApiKey, Box<dyn Error>> {
    let file = File::open(path)?;
    let found = file.metadata()?;
    if found.is_dir() {
        return Err("it is a directory, not a file".into());
    }
    let mode = found.permissions().mode();
    if mode & 0o077 != 0 {
        return Err(
            format!("others can read it (mode {:04o}). Run: chmod 600 {}", mode & 0o7777, path.display()).into()
        );
    }
    let mut text = String::new();
    file.take(MAX_BYTES).read_to_string(&mut text)?;
    Ok(ApiKey::new(text.lines().next().unwrap_or_default())?)
}

/// Saves a key in the private file at `path`, completely or not at all. A missing directory is created, private too.
pub fn write_key_file(path: &Path, key: &ApiKey) -> Result<(), ConfigError> {
    let write = || atomic_file::replace_private(&atomic_file::target(path)?, format!("{}\n", key.expose()));
    let path = path.display();
    write().map_err(|why| ConfigError::Unusable(format!("the API key was not saved: cannot write {path}: {why}.")))
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    fn mode(path: &Path) -> u32 {
        fs::metadata(path).unwrap().permissions().mode() & 0o777
    }

    #[test]
    fn a_file_that_others_can_read_is_refused_with_the_command_that_fixes_it() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("key");
        fs::write(&path, "petk_0123456789\nnot this\n").unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(0o640)).unwrap();
        let remedy = format!("others can read it (mode 0640). Run: chmod 600 {}", path.display());
        let error = read_key_file(&path).unwrap_err().to_string();
        assert_eq!(error, format!("cannot read the API key from {}: {remedy}", path.display()));
        fs::set_permissions(&path, fs::Permissions::from_mode(0o600)).unwrap();
        assert_eq!(read_key_file(&path).unwrap(), ApiKey::new("petk_0123456789").unwrap());
    }

    #[test]
    fn a_key_is_written_to_a_private_file_and_read_again() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("petstore/keys/staging");
        for text in ["petk_0123456789", "petk_another_one"] {
            let key = ApiKey::new(text).unwrap();
            write_key_file(&path, &key).unwrap();
            assert_eq!(read_key_file(&path).unwrap(), key);
            assert_eq!((mode(&path), mode(path.parent().unwrap())), (0o600, 0o700));
        }
        assert_eq!(fs::read_dir(path.parent().unwrap()).unwrap().count(), 1, "no temporary file is left");
    }

    #[test]
    fn an_existing_file_becomes_private_and_a_link_stays_a_link() {
        let directory = tempfile::tempdir().unwrap();
        let (real, link) = (directory.path().join("real"), directory.path().join("link"));
        fs::write(&real, "old").unwrap();
        fs::set_permissions(&real, fs::Permissions::from_mode(0o644)).unwrap();
        std::os::unix::fs::symlink(&real, &link).unwrap();
        write_key_file(&link, &ApiKey::new("petk_0123456789").unwrap()).unwrap();
        assert!(fs::symlink_metadata(&link).unwrap().is_symlink());
        assert_eq!((mode(&real), fs::read_to_string(&real).unwrap().as_str()), (0o600, "petk_0123456789\n"));
    }

    #[test]
    fn a_key_that_cannot_be_written_names_the_file() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("file/key");
        fs::write(directory.path().join("file"), "").unwrap();
        let error = write_key_file(&path, &ApiKey::new("petk_0123456789").unwrap()).unwrap_err().to_string();
        let begin = format!("the API key was not saved: cannot write {}: ", path.display());
        assert!(error.starts_with(&begin) && !error.contains("petk_"), "{error}");
    }
}
