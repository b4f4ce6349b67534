//! What an API key looks like, `petk_<8 id>_<32 secret><6 checksum>`, all base 62; what it may do, and what is known of
//! those that were used lately.
//!
//! The id is public and finds the key; the secret has 190 random bits, so that a fast hash of it is safe to store; the
//! checksum is the CRC-32 of everything before it and tells a mistyped key from a wrong one without a database.

use std::collections::HashMap;
use std::fmt;
use std::str::FromStr;
use std::time::{Duration, Instant};

use parking_lot::Mutex;
use secrecy::SecretString;
use sha2::{Digest as _, Sha256};
use strum::VariantArray as _;

use crate::clock::Now;
use crate::model::text::KEY_PREFIX as PREFIX;
use crate::store::{Result, StoreError};

const ID: usize = 8;
const SECRET: usize = 32;
const CHECKSUM: usize = 6;

const BASE62: &[u8; 62] = b"0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";

/// The public part of an API key: finds it in the database, and may be logged.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, derive_more::Display)]
#[display("{}", self.as_str())]
pub struct KeyId([u8; ID]);

impl KeyId {
    /// Eight letters and digits.
    pub fn as_str(&self) -> &str {
        // Made of ASCII only, here and in `id_of`.
        str::from_utf8(&self.0).unwrap_or_default()
    }
}

/// The text is not the id of a key.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the id of a key is the 8 letters and digits after petk_; to see the ids: petstore keys list --database URL")]
pub struct NotAKeyId;

impl FromStr for KeyId {
    type Err = NotAKeyId;

    fn from_str(text: &str) -> Result<Self, NotAKeyId> {
        let id: [u8; ID] = text.as_bytes().try_into().map_err(|_| NotAKeyId)?;
        id.iter().all(u8::is_ascii_alphanumeric).then_some(Self(id)).ok_or(NotAKeyId)
    }
}

/// The id of every key that is stored nowhere.
pub const SESSION: KeyId = KeyId(*b"thisprog");

/// What it is called.
pub const SESSION_NAME: &str = "this app";

/// A new key and its id.
pub fn generate() -> Result<(KeyId, SecretString)> {
    let id = KeyId(random_base62()?);
    Ok((id, with_id(id)?))
}

/// A new key of this id.
pub fn with_id(id: KeyId) -> Result<SecretString> {
    let secret: [u8; SECRET] = random_base62()?;
    let mut key = format!("{PREFIX}{id}_");
    key.extend(secret.map(char::from));
    let checksum = checksum(key.as_bytes());
    key.extend(checksum.map(char::from));
    Ok(key.into())
}

/// The id of a key with a valid form and checksum; it may not exist.
pub fn id_of(key: &str) -> Option<KeyId> {
    let (body, given) = key.as_bytes().split_last_chunk::<CHECKSUM>()?;
    let (id, secret) = body.strip_prefix(PREFIX.as_bytes())?.split_first_chunk::<ID>()?;
    let secret = secret.strip_prefix(b"_")?;
    let well_formed = secret.len() == SECRET && id.iter().chain(secret).all(u8::is_ascii_alphanumeric);
    (well_formed && checksum(body) == *given).then_some(KeyId(*id))
}

fn checksum(text: &[u8]) -> [u8; CHECKSUM] {
    let mut rest = crc32fast::hash(text);
    let mut digits = [b'0'; CHECKSUM];
    for digit in digits.iter_mut().rev() {
        *digit = BASE62[(rest % 62) as usize];
        rest /= 62;
    }
    digits
}

/// Each digit equally likely: bytes from 248 up are thrown away, since 248 is 4 times 62.
fn random_base62<const N: usize>() -> Result<[u8; N]> {
    let mut digits = [0; N];
    let mut filled = 0;
    while filled < N {
        let mut bytes = [0; 64];
        getrandom::fill(&mut bytes).map_err(StoreError::because("the system has no random numbers"))?;
        for byte in bytes.into_iter().filter(|byte| *byte < 248).take(N - filled) {
            digits[filled] = BASE62[usize::from(byte % 62)];
            filled += 1;
        }
    }
    Ok(digits)
}

pub type Hash = [u8; 32];

pub fn hash(key: &str) -> Hash {
    Sha256::digest(key).into()
}

/// One thing that a key may do.
#[derive(Clone, Copy, Debug, PartialEq, Eq, strum::Display, strum::EnumString, strum::VariantArray)]
#[strum(serialize_all = "lowercase")]
pub enum Scope {
    /// List and get pets.
    Read,
    /// Add pets.
    Write,
    /// See when and by which key pets were added.
    Audit,
    /// Everything, and what only operators may do.
    Admin,
}

/// All that a key may do, at least one thing, in the order of [`Scope`]. By default it may read and write.
#[derive(Clone, Copy, Debug, PartialEq, Eq, smart_default::SmartDefault)]
pub struct Scopes(#[default([true, true, false, false])] [bool; 4]);

/// A text that names no scopes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("scopes are read, write, audit and admin, with commas between them")]
pub struct NotScopes;

impl Scopes {
    /// Everything.
    pub const ADMIN: Self = Self([false, false, false, true]);

    /// Everything that an app does with its own store.
    pub(super) const SESSION: Self = Self([true, true, true, false]);

    /// Whether `scope` is among them.
    pub const fn allow(self, scope: Scope) -> bool {
        self.0[scope as usize] || self.0[Scope::Admin as usize]
    }
}

/// Words separated by commas or blanks.
impl FromStr for Scopes {
    type Err = NotScopes;

    fn from_str(text: &str) -> Result<Self, NotScopes> {
        let mut scopes = [false; 4];
        for word in text.split([',', ' ']).filter(|word| !word.is_empty()) {
            scopes[word.parse::<Scope>().map_err(|_| NotScopes)? as usize] = true;
        }
        scopes.contains(&true).then_some(Self(scopes)).ok_or(NotScopes)
    }
}

/// As it is stored: words separated by blanks.
impl fmt::Display for Scopes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let words = Scope::VARIANTS.iter().filter(|scope| self.0[**scope as usize]);
        f.pad(&words.map(Scope::to_string).collect::<Vec<_>>().join(" "))
    }
}

/// How long what was read of a key is believed: shorter than the five seconds in which a revocation takes effect.
const BELIEVED: Duration = Duration::from_secs(3);

/// What is known of the keys that were used lately.
pub type KeyCache = Mutex<HashMap<KeyId, Known>>;

/// Times of the day are Unix seconds.
#[derive(Clone, Copy, Debug)]
pub struct Known {
    pub hash: Hash,
    pub scopes: Scopes,
    pub expires_at: Option<i64>,
    pub revoked: bool,
    pub last_used_at: Option<i64>,
    /// When it was read; nothing for a key of this process, which is in no database.
    pub read_at: Option<Instant>,
}

impl Known {
    pub fn is_fresh(&self, now: Now) -> bool {
        self.read_at.is_none_or(|read_at| now.mono.saturating_duration_since(read_at) < BELIEVED)
    }

    pub fn is_valid(&self, now: Now) -> bool {
        !self.revoked && self.expires_at.is_none_or(|expires_at| now.wall.as_second() < expires_at)
    }
}

#[cfg(test)]
mod tests {
    use secrecy::ExposeSecret;

    use super::*;

    #[test]
    fn a_generated_key_has_the_form_and_its_id_is_found_in_it() {
        let (id, key) = generate().unwrap();
        let key = key.expose_secret();
        assert_eq!(key.len(), 5 + 8 + 1 + 32 + 6);
        assert!(key.starts_with(&format!("petk_{id}_")));
        assert_eq!(id_of(key), Some(id));
    }

    #[test]
    fn any_change_of_one_character_is_noticed() {
        let (_, key) = generate().unwrap();
        let key = key.expose_secret();
        for place in 0..key.len() {
            let mut changed = key.as_bytes().to_vec();
            changed[place] = if changed[place] == b'x' { b'y' } else { b'x' };
            assert_eq!(id_of(str::from_utf8(&changed).unwrap()), None, "{place}");
        }
        for text in ["", "petk_", &key[1..], &key[..key.len() - 1], &format!("{key}0"), "ä"] {
            assert_eq!(id_of(text), None, "{text:?}");
        }
    }

    #[test]
    fn the_checksum_is_the_common_crc_32() {
        // The check value of CRC-32/ISO-HDLC, 0xCBF43926, in base 62.
        assert_eq!(&checksum(b"123456789"), b"3jZRME");
    }

    #[test]
    fn scopes_are_words_and_admin_is_all_of_them() {
        let scopes: Scopes = "write,read".parse().unwrap();
        assert_eq!((scopes.to_string().as_str(), scopes), ("read write", Scopes::default()));
        assert_eq!("read write".parse(), Ok(scopes));
        assert!(!scopes.allow(Scope::Admin) && !scopes.allow(Scope::Audit));
        let read: Scopes = "read".parse().unwrap();
        assert!(read.allow(Scope::Read) && !read.allow(Scope::Write));
        assert!(Scope::VARIANTS.iter().copied().all(|scope| Scopes::ADMIN.allow(scope)));
        for bad in ["", " , ", "Read", "read;write", "delete"] {
            assert_eq!(bad.parse::<Scopes>(), Err(NotScopes), "{bad:?}");
        }
    }
}
