//! The result of a check.

use std::time::Duration;

use crate::model::display_safe;
use crate::model::text::without_keys;

/// How long a check may take by default.
pub const LIMIT: Duration = Duration::from_secs(10);

/// The verdict of a check.
#[derive(Clone, Copy, Debug, PartialEq, Eq, strum::Display)]
#[strum(serialize_all = "lowercase")]
pub enum Verdict {
    Ok,
    Warn,
    Fail,
}

/// A check and its result.
#[derive(Debug, PartialEq, Eq)]
pub struct Check {
    pub name: String,
    pub verdict: Verdict,
    pub found: String,
    /// How to fix it, if it needs fixing.
    pub remedy: Option<String>,
}

impl Check {
    fn new(name: &str, verdict: Verdict, found: &str) -> Self {
        let found = display_safe(&without_keys(found)).into_owned();
        Self { name: display_safe(name).into_owned(), verdict, found, remedy: None }
    }

    pub fn ok(name: &str, found: &str) -> Self {
        Self::new(name, Verdict::Ok, found)
    }

    pub fn warn(name: &str, found: &str, remedy: &str) -> Self {
        Self { remedy: Some(display_safe(remedy).into_owned()), ..Self::new(name, Verdict::Warn, found) }
    }

    pub fn fail(name: &str, found: &str, remedy: &str) -> Self {
        Self { verdict: Verdict::Fail, ..Self::warn(name, found, remedy) }
    }
}
