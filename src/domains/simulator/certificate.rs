//! Certificates, as a plan has them: what is to be in them, and what is wrong with them.

use jiff::{SignedDuration, Timestamp};

/// Who signed a certificate.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub enum Issuer {
    /// The intermediate of the world's own authority.
    #[default]
    World,
    /// Another intermediate of the world's own authority, by its name.
    Trusted(String),
    /// An authority of this name that nobody trusts.
    Foreign(String),
    /// The certificate itself.
    Itself,
}

impl Issuer {
    /// The name of the intermediate of the world's own authority.
    pub const WORLD: &str = "World Trust R3";
    /// The name of the authority that issues for tests only.
    pub const STAGING: &str = "(STAGING) Pretend Pear X1";
}

/// What is to be in a certificate. It is made when it is first shown.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct IssuedCertificate {
    /// The names that it is for; without any it has no such extension.
    pub names: Vec<String>,
    /// The subject's common name.
    pub common_name: String,
    /// Who signed it.
    pub issuer: Issuer,
    /// From when on it is valid, to the second.
    pub not_before: Timestamp,
    /// Until when it is valid, to the second.
    pub not_after: Timestamp,
    /// Whether the issuer's certificate is shown with it.
    pub with_issuer: bool,
}

impl IssuedCertificate {
    /// How many days a certificate is valid.
    const LIFE: i64 = 90;

    /// A good one for these names: a third of its 90 days is over.
    #[must_use]
    pub fn new(now: Timestamp, names: &[&str]) -> Self {
        let common_name = names.first().copied().unwrap_or_default().to_owned();
        let names = names.iter().map(|name| (*name).to_owned()).collect();
        let (not_before, not_after) = (days(now, -Self::LIFE / 3), days(now, Self::LIFE * 2 / 3));
        Self { names, common_name, issuer: Issuer::World, not_before, not_after, with_issuer: true }
    }

    /// The same, but from and until other days.
    #[must_use]
    pub fn valid(self, not_before: Timestamp, not_after: Timestamp) -> Self {
        Self { not_before, not_after, ..self }
    }

    /// The same, but begun and ended so many days later; a negative number makes it earlier.
    #[must_use]
    pub fn later(self, number: i64) -> Self {
        let (not_before, not_after) = (days(self.not_before, number), days(self.not_after, number));
        self.valid(not_before, not_after)
    }

    /// The same, but ended ten days ago.
    #[must_use]
    pub fn expired(self) -> Self {
        self.later(-70)
    }

    /// The same, but with ten of its 90 days left.
    #[must_use]
    pub fn nearly_expired(self) -> Self {
        self.later(-50)
    }

    /// The same, but beginning in two days.
    #[must_use]
    pub fn not_yet_valid(self) -> Self {
        self.later(32)
    }

    /// The same, but with a common name only.
    #[must_use]
    pub fn without_names(self) -> Self {
        Self { names: Vec::new(), ..self }
    }

    /// The same, but signed by another.
    #[must_use]
    pub fn issued_by(self, issuer: Issuer) -> Self {
        Self { issuer, ..self }
    }

    /// The same, but without the issuer's certificate beside it.
    #[must_use]
    pub fn alone(self) -> Self {
        Self { with_issuer: false, ..self }
    }
}

fn days(from: Timestamp, number: i64) -> Timestamp {
    from.checked_add(SignedDuration::from_hours(24 * number)).unwrap_or(from)
}
