//! Public SSH keys: from an argument or a file, and as text.

use std::fs;
use std::path::Path;

use ssh_key::{HashAlg, PublicKey};

use crate::cli::error::Failed;
use crate::model::text::short;

/// Reads a public key, or the file that contains one.
pub fn read(text: &str) -> Result<PublicKey, Failed> {
    /// A key with a long comment has less; a larger file is something else.
    const MOST: u64 = 16 * 1024;
    if let Ok(key) = PublicKey::from_openssh(text.trim()) {
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
    PublicKey::from_openssh(content.trim()).map_err(|why| {
        Failed::config(format!("{} has no public SSH key of a known type: {why}", path.display())).hint(one)
    })
}

/// The type and the base64 of a key, without its comment.
pub fn openssh(key: &PublicKey) -> Result<String, Failed> {
    let mut key = key.clone();
    key.set_comment("");
    let text = key.to_openssh().map_err(|why| Failed::config(format!("the public key cannot be written: {why}")))?;
    Ok(text.trim().to_owned())
}

/// The SHA-256 fingerprint, as `ssh-keygen -l` shows it; the reason if it is not a key.
pub fn fingerprint(key: &str) -> String {
    PublicKey::from_openssh(key).map_or_else(|why| why.to_string(), |key| key.fingerprint(HashAlg::Sha256).to_string())
}
