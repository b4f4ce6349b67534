//! What an API key may do.

use std::fmt;
use std::str::FromStr;

/// One thing that a key may do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scope {
    /// List and get animals.
    Read,
    /// Add animals.
    Write,
    /// Everything, and what only operators may do.
    Admin,
}

impl fmt::Display for Scope {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// All that a key may do, at least one thing. By default it may read and write.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Scopes {
    read: bool,
    write: bool,
    admin: bool,
}

/// A text that names no scopes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("scopes are read, write and admin, with commas between them")]
pub struct NotScopes;

impl Scope {
    const fn as_str(self) -> &'static str {
        match self {
            Self::Read => "read",
            Self::Write => "write",
            Self::Admin => "admin",
        }
    }
}

impl Scopes {
    /// Everything.
    pub const ADMIN: Self = Self { read: false, write: false, admin: true };

    /// Whether `scope` is among them.
    #[must_use]
    pub const fn allow(self, scope: Scope) -> bool {
        match scope {
            Scope::Read => self.read || self.admin,
            Scope::Write => self.write || self.admin,
            Scope::Admin => self.admin,
        }
    }
}

impl Default for Scopes {
    fn default() -> Self {
        Self { read: true, write: true, admin: false }
    }
}

/// Words separated by commas or blanks.
impl FromStr for Scopes {
    type Err = NotScopes;

    fn from_str(text: &str) -> Result<Self, NotScopes> {
        let mut scopes = Self { read: false, write: false, admin: false };
        for word in text.split([',', ' ']).filter(|word| !word.is_empty()) {
            match word {
                "read" => scopes.read = true,
                "write" => scopes.write = true,
                "admin" => scopes.admin = true,
                _ => return Err(NotScopes),
            }
        }
        (scopes.read || scopes.write || scopes.admin).then_some(scopes).ok_or(NotScopes)
    }
}

/// As it is stored: words separated by blanks.
impl fmt::Display for Scopes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let named = [(self.read, Scope::Read), (self.write, Scope::Write), (self.admin, Scope::Admin)];
        let words: Vec<&str> = named.into_iter().filter(|(has, _)| *has).map(|(_, scope)| scope.as_str()).collect();
        f.pad(&words.join(" "))
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
        assert!(!scopes.allow(Scope::Admin));
        let read: Scopes = "read".parse().unwrap();
        assert!(read.allow(Scope::Read) && !read.allow(Scope::Write));
        assert!([Scope::Read, Scope::Write, Scope::Admin].into_iter().all(|scope| Scopes::ADMIN.allow(scope)));
        for bad in ["", " , ", "Read", "read;write", "delete"] {
            assert_eq!(bad.parse::<Scopes>(), Err(NotScopes), "{bad:?}");
        }
    }
}
