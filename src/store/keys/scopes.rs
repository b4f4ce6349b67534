//! What an API key may do.

use std::fmt;
use std::str::FromStr;

use strum::VariantArray as _;

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
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Scopes([bool; 4]);

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

impl Default for Scopes {
    fn default() -> Self {
        Self([true, true, false, false])
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

#[cfg(test)]
mod tests {
    use super::*;

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
