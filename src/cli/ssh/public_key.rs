//! The line that lets the owner of an SSH key start sessions (sshd(8), AUTHORIZED_KEYS FILE FORMAT). The key is only
//! passed on: which types there are is for sshd to know.

use std::fs;
use std::path::Path;

use crate::cli::error::{Exit, Failed};
use crate::model::text::short;

/// Reads a public key, or the file that contains one: its type and its base64, without the comment.
pub fn read(text: &str) -> Result<String, Failed> {
    /// A key with a long comment has less; a larger file is something else.
    const MOST: u64 = 16 * 1024;
    if let Some(key) = one_key(text) {
        return Ok(key);
    }
    let path = Path::new(text);
    let one = "give one public key, such as the file ~/.ssh/id_ed25519.pub";
    let metadata = fs::metadata(path).map_err(|error| {
        let what = format!("{} is neither a public SSH key nor a readable file: {error}", short(text));
        Failed::config(what).hint(one)
    })?;
    if !metadata.is_file() || metadata.len() > MOST {
        return Err(Failed::config(format!("{} is not the file of a public SSH key", path.display())).hint(one));
    }
    let content = fs::read_to_string(path).map_err(Failed::cannot("read", path))?;
    if content.contains("PRIVATE KEY") {
        let what = format!("{} is a private key, which nobody else may have", path.display());
        return Err(Failed::config(what).hint("give the public key, which is in the file that ends in .pub"));
    }
    one_key(&content).ok_or_else(|| {
        Failed::config(format!("{} is not one line with a public SSH key and no options", path.display())).hint(one)
    })
}

/// The type and the base64 of the key that is the only line of `text`; `None` if there are options before it.
fn one_key(text: &str) -> Option<String> {
    let line = text.trim();
    let (kind, rest) = line.split_once(' ')?;
    let key = rest.split(' ').next()?;
    let is_kind = kind.chars().all(|c| c.is_ascii_alphanumeric() || "-.@".contains(c));
    // The length of the type begins it, of four bytes, three of which are always 0.
    let is_key = key.starts_with("AAAA") && key.chars().all(|c| c.is_ascii_alphanumeric() || "+/=".contains(c));
    (is_kind && is_key && !line.contains(['\n', '\r'])).then(|| format!("{kind} {key}"))
}

/// The line with which `key` starts sessions of `name`, and nothing else.
///
/// # Errors
/// It is not known where this program is.
pub fn line(name: &str, key: &str) -> Result<String, Failed> {
    let program = std::env::current_exe().map_err(Failed::because("it is not known where this program is"))?;
    let program = program.to_str().filter(|program| !program.contains(['"', '\\', '\n'])).ok_or_else(|| {
        let what = format!("{} cannot be written in authorized_keys", program.display());
        Failed::new(Exit::Failure, what).hint("install petstore in a directory with a plain name")
    })?;
    let program = shell_words::quote(program);
    Ok(format!("restrict,pty,command=\"{program} ssh-session {name}\" {key} petstore:{name}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_of_any_type_is_passed_on_without_its_comment() {
        for kind in ["ssh-ed25519", "ssh-rsa", "ecdsa-sha2-nistp521", "sk-ssh-ed25519@openssh.com", "ssh-next.2"] {
            let key = format!("{kind} AAAAC3Nz+/4w==");
            assert_eq!(one_key(&format!("{key} ada@laptop, the old one\n")), Some(key.clone()), "{kind}");
            let line = line("till-2", &key).unwrap();
            assert!(line.starts_with("restrict,pty,command=\"/") && !line.contains('\n'), "{line}");
            assert!(line.ends_with(&format!(" ssh-session till-2\" {key} petstore:till-2")), "{line}");
        }
    }

    #[test]
    fn options_further_lines_and_other_texts_are_no_key() {
        for text in [
            "",
            "ssh-ed25519",
            "ssh-ed25519 till-2.pub",
            "no-pty ssh-ed25519 AAAAC3Nz",
            "command=\"sh\" AAAAC3Nz",
            "ssh-ed25519 AAAAC3Nz\",command=\"sh",
            "ssh-ed25519 AAAAC3Nz ada\nssh-ed25519 AAAAC3Nz ben",
            "ssh-ed25519 AAAAC3Nz ada\rssh-ed25519 AAAAC3Nz ben",
            "ssh-ed25519\tAAAAC3Nz",
        ] {
            assert_eq!(one_key(text), None, "{text:?}");
        }
    }
}
