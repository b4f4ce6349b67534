//! The lines of an `authorized_keys` file (sshd(8), AUTHORIZED_KEYS FILE FORMAT). Those of others stay as they are, byte
//! for byte.

use std::fs;
use std::io;
use std::path::Path;

use ssh_key::PublicKey;

use crate::cli::error::{Exit, Failed};
use crate::local::atomic_file;

use super::public_key::openssh;

/// In the options of our lines, before the name.
const SESSION: &str = "ssh-session ";

/// A file, line by line.
pub struct AuthorizedKeys {
    lines: Vec<Vec<u8>>,
}

/// A line with which `key` starts sessions of `name`, and nothing else.
///
/// # Errors
/// It is not known where this program is.
pub fn line(name: &str, key: &PublicKey) -> Result<String, Failed> {
    let program = std::env::current_exe().map_err(Failed::because("it is not known where this program is"))?;
    let program = program.to_str().filter(|program| !program.contains(['"', '\\', '\n'])).ok_or_else(|| {
        let what = format!("{} cannot be written in authorized_keys", program.display());
        Failed::new(Exit::Failure, what).hint("install petstore in a directory with a plain name")
    })?;
    let key = openssh(key)?;
    Ok(format!("restrict,pty,command=\"{} {SESSION}{name}\" {key} petstore:{name}", shell_words::quote(program)))
}

/// Whose session a line starts, if it is one of ours.
fn owner(line: &str) -> Option<&str> {
    let (_, rest) = line.split_once(SESSION)?;
    Some(rest.split_once('"')?.0).filter(|_| !line.trim_start().starts_with('#'))
}

/// The key of a line, with or without options before it.
fn key_of(line: &str) -> Option<PublicKey> {
    let line = line.trim();
    let begins = std::iter::once(0).chain(line.match_indices(' ').map(|(at, _)| at + 1));
    begins.filter(|_| !line.starts_with('#')).find_map(|at| PublicKey::from_openssh(&line[at..]).ok())
}

impl AuthorizedKeys {
    /// The file at `path`; empty if there is none.
    pub fn read(path: &Path) -> Result<Self, Failed> {
        let bytes = match fs::read(path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => Vec::new(),
            other => other.map_err(Failed::cannot("read", path))?,
        };
        Ok(Self { lines: bytes.split_inclusive(|byte| *byte == b'\n').map(<[u8]>::to_vec).collect() })
    }

    /// Each line as text, with its number; those that are not UTF-8 are none of ours.
    fn texts(&self) -> impl Iterator<Item = (usize, &str)> {
        self.lines.iter().enumerate().filter_map(|(at, line)| Some((at + 1, str::from_utf8(line).ok()?)))
    }

    /// The number of the first line with `key`, and whose session it starts, if it is one of ours.
    pub fn find(&self, key: &PublicKey) -> Option<(usize, Option<&str>)> {
        let found = self.texts().find(|(_, line)| key_of(line).is_some_and(|one| one.key_data() == key.key_data()))?;
        Some((found.0, owner(found.1)))
    }

    /// The number and the name of each of our lines.
    pub fn ours(&self) -> impl Iterator<Item = (usize, &str)> {
        self.texts().filter_map(|(number, line)| Some((number, owner(line)?)))
    }

    /// Adds a line at the end.
    pub fn push(&mut self, line: &str) {
        if let Some(last) = self.lines.last_mut().filter(|last| !last.ends_with(b"\n")) {
            last.push(b'\n');
        }
        self.lines.push(format!("{line}\n").into_bytes());
    }

    /// Removes the lines of `name`; returns how many there were.
    pub fn remove(&mut self, name: &str) -> usize {
        let before = self.lines.len();
        self.lines.retain(|line| str::from_utf8(line).ok().and_then(owner) != Some(name));
        before - self.lines.len()
    }

    /// Replaces the file, completely or not at all. A new one, and a new directory, is private, as sshd demands.
    pub fn save(&self, path: &Path) -> Result<(), Failed> {
        let bytes = self.lines.concat();
        let write = || {
            let path = atomic_file::target(path)?;
            if path.exists() { atomic_file::replace(&path, bytes) } else { atomic_file::replace_private(&path, bytes) }
        };
        write().map_err(Failed::cannot("write", path))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ADA: &str = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIJdD7y3aLq454yWBdwLWbieU1ebz9/cu7/QEXn9OIeZJ";

    fn lines(text: &[u8]) -> AuthorizedKeys {
        AuthorizedKeys { lines: text.split_inclusive(|byte| *byte == b'\n').map(<[u8]>::to_vec).collect() }
    }

    #[test]
    fn a_line_allows_a_session_and_nothing_else() {
        let line = line("till-2", &PublicKey::from_openssh(ADA).unwrap()).unwrap();
        let (options, rest) = line.split_once(" ssh-session till-2\" ").unwrap();
        assert!(options.starts_with("restrict,pty,command=\"/"), "{line}");
        assert_eq!(rest, format!("{ADA} petstore:till-2"));
        assert_eq!((owner(&line), key_of(&line).map(|key| key.key_data().is_ed25519())), (Some("till-2"), Some(true)));
    }

    #[test]
    fn lines_of_others_stay_byte_for_byte() {
        let foreign =
            [&b"# till-2: ssh-session till-2\"\n\n"[..], b"\xff broken\r\n", b"ssh-rsa AAAA no line end"].concat();
        let mut file = lines(&foreign);
        file.push("restrict,pty,command=\"/usr/bin/petstore ssh-session till-2\" x");
        file.push("restrict,pty,command=\"/usr/bin/petstore ssh-session till-20\" x");
        assert_eq!(file.ours().collect::<Vec<_>>(), [(5, "till-2"), (6, "till-20")]);
        assert_eq!((file.remove("till-2"), file.remove("till-20"), file.remove("till")), (1, 1, 0));
        // A line end is all that was missing.
        assert_eq!(file.lines.concat(), [&foreign[..], b"\n"].concat());
    }

    #[test]
    fn the_same_key_is_found_behind_any_options_and_comment() {
        let key = PublicKey::from_openssh(ADA).unwrap();
        for line in [
            format!("{ADA} ada@laptop, the old one"),
            format!("from=\"10.0.0.0/8\",command=\"echo a b\" {ADA}"),
            format!("  restrict {ADA}\r"),
        ] {
            assert_eq!(lines(format!("# first\n{line}\n").as_bytes()).find(&key), Some((2, None)), "{line}");
        }
        assert_eq!(lines(format!("# {ADA}\n").as_bytes()).find(&key), None);
    }
}
