//! Certificates, as a plan has them: their contents, and what is wrong with them.

use jiff::{SignedDuration, Timestamp};

/// Who signed a certificate.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub enum Issuer {
    /// The intermediate of the simulated CA.
    #[default]
    World,
    /// Another intermediate of the simulated CA, by its name.
    Trusted(String),
    /// An untrusted CA of this name.
    Foreign(String),
    /// The certificate itself.
    Itself,
}

impl Issuer {
    /// The name of the intermediate of the simulated CA.
    pub(super) const WORLD: &str = "World Trust R3";
    /// The name of a staging CA.
    pub const STAGING: &str = "(STAGING) Pretend Pear X1";
}

/// The contents of a certificate. It is made when it is first shown.
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
    pub fn new(now: Timestamp, names: &[&str]) -> Self {
        let common_name = names.first().copied().unwrap_or_default().to_owned();
        let names = names.iter().map(|name| (*name).to_owned()).collect();
        let (not_before, not_after) = (days(now, -Self::LIFE / 3), days(now, Self::LIFE * 2 / 3));
        Self { names, common_name, issuer: Issuer::World, not_before, not_after, with_issuer: true }
    }

    /// The same, but begun and ended so many days later; a negative number makes it earlier.
    pub fn later(self, number: i64) -> Self {
        let (not_before, not_after) = (days(self.not_before, number), days(self.not_after, number));
        Self { not_before, not_after, ..self }
    }
}

fn days(from: Timestamp, number: i64) -> Timestamp {
    from.checked_add(SignedDuration::from_hours(24 * number)).unwrap_or(from)
}
