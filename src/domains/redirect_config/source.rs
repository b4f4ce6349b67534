//! A configuration as somebody wrote it, and the findings that name a fault of it.

use serde::{Deserialize, Serialize};

use super::super::diagnosis::redirect::Redirect;
use super::super::{Code, Finding, Who};

/// The most redirects.
pub(super) const MAX_REDIRECTS: usize = 1000;

/// The configuration as somebody wrote it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ConfigSource {
    /// `domains.primary`.
    pub primary: Option<String>,
    /// `domains.redirects`.
    pub redirects: Vec<WrittenRedirect>,
}

/// One of `domains.redirects` as somebody wrote it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct WrittenRedirect {
    /// The domain that redirects.
    pub from: String,
    /// Where it leads.
    pub to: String,
    /// The status, which may be any number here.
    pub status: i64,
}

impl From<Redirect> for WrittenRedirect {
    fn from(redirect: Redirect) -> Self {
        let Redirect { from, to, status } = redirect;
        Self { from: from.to_string(), to: to.to_string(), status: status.into() }
    }
}

pub(super) fn fail(code: Code) -> Finding {
    Finding::fail(code, Who::Dashboard).cured()
}

pub(super) fn warn(code: Code) -> Finding {
    Finding::warn(code, Who::Dashboard).cured()
}
