//! A name as DNS carries it, in one normal form, and a domain that an operator may have.

use derive_more::Display;
use serde::{Deserialize, Serialize};

/// A name in presentation form: lower case, without the final dot, other bytes escaped (RFC 1035
/// section 5.1). The root is empty. Comparing two of them ignores case and final dot, as RFC 4343 asks.
#[derive(Clone, Debug, Default, Display, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[display("{}", if self.is_root() { "." } else { self.as_str() })]
#[serde(from = "String")]
pub struct DnsName(String);

impl DnsName {
    /// The normal form of `text`, which is not checked further.
    pub fn new(text: &str) -> Self {
        let text = text.trim();
        let text = text.strip_suffix('.').filter(|rest| !rest.ends_with('\\')).unwrap_or(text);
        Self(text.to_ascii_lowercase())
    }

    /// As text, without the final dot.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// As text with the final dot, as record formats need it.
    pub fn dotted(&self) -> String {
        format!("{}.", self.0)
    }

    /// Whether this is the root.
    pub fn is_root(&self) -> bool {
        self.0.is_empty()
    }

    /// The labels, from left to right.
    pub fn labels(&self) -> impl DoubleEndedIterator<Item = &str> {
        self.0.split('.').filter(|label| !label.is_empty())
    }

    /// The name without its first label; `None` for the root.
    pub fn parent(&self) -> Option<Self> {
        if self.is_root() {
            return None;
        }
        Some(Self(self.0.split_once('.').map_or_else(String::new, |(_, rest)| rest.to_owned())))
    }

    /// The parents from the nearest to the top-level domain, without the root.
    pub fn parents(&self) -> impl Iterator<Item = Self> {
        std::iter::successors(self.parent(), Self::parent).take_while(|name| !name.is_root())
    }

    /// Whether this is `other` or below it.
    pub fn is_within(&self, other: &Self) -> bool {
        other.is_root() || *self == *other || self.label_below(other).is_some()
    }

    /// The labels before `zone`, for example `docs` of `docs.example.com` in `example.com`.
    pub fn label_below(&self, zone: &Self) -> Option<&str> {
        if zone.is_root() {
            return (!self.is_root()).then_some(&self.0);
        }
        self.0.strip_suffix(&zone.0)?.strip_suffix('.')
    }

    /// This name with `other` behind it.
    pub fn followed_by(&self, other: &Self) -> Self {
        if other.is_root() { self.clone() } else { Self(format!("{}.{}", self.0, other.0)) }
    }

    /// The record's name as providers ask for it: the part below `zone`, and `@` for the zone itself.
    pub fn relative_to(&self, zone: &Self) -> &str {
        if self == zone { "@" } else { self.label_below(zone).unwrap_or(&self.0) }
    }
}

impl From<String> for DnsName {
    fn from(text: String) -> Self {
        Self::new(&text)
    }
}

/// A domain that an operator may have: it passed every check of [`super::parse_name::read`].
#[derive(Clone, Debug, Display, PartialEq, Eq)]
#[display("{name}")]
pub struct Domain {
    /// The name, with letters beyond ASCII in their `xn--` form.
    pub name: DnsName,
    /// The same for people.
    pub unicode: String,
    /// The part that is registered, for example `example.com`.
    pub registrable: DnsName,
}

impl Domain {
    /// Whether it is the registrable domain itself, which cannot have a CNAME.
    pub fn is_apex(&self) -> bool {
        self.name == self.registrable
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn case_and_final_dot_make_no_difference() {
        assert_eq!(DnsName::new("Docs.Example.COM."), DnsName::new("docs.example.com"));
        assert_eq!(DnsName::new(".").to_string(), ".");
        assert_eq!(DnsName::new("a.b").dotted(), "a.b.");
    }

    #[test]
    fn parents_end_at_the_top_level_domain() {
        let parents: Vec<_> = DnsName::new("a.b.example.com").parents().map(|name| name.to_string()).collect();
        assert_eq!(parents, ["b.example.com", "example.com", "com"]);
        assert_eq!(DnsName::new("com").parent(), Some(DnsName::default()));
        assert_eq!(DnsName::default().parent(), None);
    }

    #[test]
    fn being_within_goes_by_whole_labels() {
        let zone = DnsName::new("example.com");
        assert!(DnsName::new("docs.example.com").is_within(&zone) && zone.is_within(&zone));
        assert!(!DnsName::new("badexample.com").is_within(&zone));
        assert_eq!(DnsName::new("a.docs.example.com").relative_to(&zone), "a.docs");
        assert_eq!(zone.relative_to(&zone), "@");
        assert_eq!(DnsName::new("docs").followed_by(&zone), DnsName::new("docs.example.com"));
    }
}
