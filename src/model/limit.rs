//! The `limit` of a list (sections 4.1 and 8): 1 to 100, 20 when not given.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

/// How many pets one list request may return: 1 to 100.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "i64", into = "i64")]
pub struct Limit(u8);

impl TryFrom<i64> for Limit {
    type Error = NotALimit;

    fn try_from(number: i64) -> Result<Self, NotALimit> {
        Self::new(number)
    }
}

impl From<Limit> for i64 {
    fn from(limit: Limit) -> Self {
        limit.0.into()
    }
}

impl Limit {
    /// The smallest limit.
    pub const MIN: Self = Self(1);
    /// The largest limit.
    pub const MAX: Self = Self(100);

    /// `number` as a limit, if it is within 1 to 100.
    pub const fn new(number: i64) -> Result<Self, NotALimit> {
        if number >= 1 && number <= 100 {
            #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss)]
            Ok(Self(number as u8))
        } else {
            Err(NotALimit)
        }
    }

    /// The number, 1 to 100.
    pub const fn get(self) -> u8 {
        self.0
    }
}

impl Default for Limit {
    fn default() -> Self {
        Self(20)
    }
}

impl fmt::Display for Limit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// Not a whole number from 1 to 100 written in plain digits.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("limit must be a whole number from 1 to 100")]
pub struct NotALimit;

impl FromStr for Limit {
    type Err = NotALimit;

    /// Plain ASCII digits without sign; Rust's own parser would also take `+5`.
    fn from_str(text: &str) -> Result<Self, NotALimit> {
        if text.is_empty() || !text.bytes().all(|byte| byte.is_ascii_digit()) {
            return Err(NotALimit);
        }
        text.parse().map_err(|_| NotALimit).and_then(Self::new)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_to_a_hundred_in_plain_digits() {
        for (text, number) in [("1", 1), ("20", 20), ("100", 100), ("007", 7)] {
            assert_eq!(text.parse::<Limit>().map(Limit::get), Ok(number));
        }
        for text in ["0", "101", "-1", "abc", "", "1e2", "5.0", "+5", " 5", "18446744073709551617", "٣"] {
            assert_eq!(text.parse::<Limit>(), Err(NotALimit), "{text:?}");
        }
    }
}
