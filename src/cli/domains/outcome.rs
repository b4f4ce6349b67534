//! The result of the check of one of several domains.

use serde_json::Value;

use crate::domains::finding::{deciding, overall};
use crate::domains::stage::Stage;
use crate::domains::{Finding, Verdict};
use crate::model::text::short;

/// The result of one check, for every format.
pub struct Outcome {
    /// The domain; or what was typed, if it is not one.
    pub name: String,
    pub verdict: Verdict,
    /// The code that decides, and its cause in a few words.
    pub code: String,
    pub title: String,
    /// How far the domain is.
    pub state: Option<Stage>,
    /// The whole, if it is printed.
    pub json: Value,
}

impl Outcome {
    /// The result of `findings`, without what only a measurement knows.
    pub fn of(name: String, findings: &[Finding]) -> Self {
        let decides = deciding(findings);
        Self {
            name,
            verdict: overall(findings),
            code: decides.map_or_else(|| "-".to_owned(), |finding| finding.code.to_string()),
            title: decides.map_or_else(String::new, |finding| finding.title.clone()),
            state: None,
            json: Value::Null,
        }
    }

    /// The line for people.
    pub fn row(&self) -> String {
        let Self { name, verdict, code, title, state, .. } = self;
        let (word, state) = (verdict.as_str().to_uppercase(), state.map_or("-".to_owned(), |state| state.to_string()));
        format!("{word:<7}  {:<40}  {state:<19}  {title} [{code}]", short(name))
    }
}
