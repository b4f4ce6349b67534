//! An exchange in lines of text, and all of them for a file. The key is in none of it: a record never has it.

use std::time::Duration;

use serde::Serialize;

use crate::api::Exchange;
use crate::model::pretty::indented;

/// How a body is shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Body {
    /// As it came.
    Plain,
    /// After a blank line; JSON with a line for each value.
    Indented,
}

pub fn sent(exchange: &Exchange, body: Body) -> Vec<String> {
    let mut lines = vec![format!("{} {}", exchange.method, exchange.path_and_query)];
    lines.extend(authorization(exchange).map(|key| format!("authorization: {key} (hidden)")));
    lines.extend(body.lines(&exchange.sent));
    lines
}

/// What was answered, or why there was no answer.
pub fn answered(exchange: &Exchange, body: Body) -> Vec<String> {
    let mut lines = Vec::new();
    lines.extend(exchange.status.map(|status| format!("status {status}")));
    lines.extend(exchange.headers.iter().map(|(name, value)| format!("{name}: {value}")));
    if let Some(why) = &exchange.failure {
        let what = if exchange.status.is_some() { "The answer is incomplete" } else { "No answer" };
        lines.push(format!("{what}: {why}"));
    }
    lines.extend(body.lines(&exchange.answer));
    lines
}

impl Body {
    fn lines(self, text: &str) -> Vec<String> {
        let own = |text: &str| text.lines().map(str::to_owned).collect::<Vec<_>>();
        match self {
            Self::Indented if !text.is_empty() => {
                let lines = own(&indented(text).unwrap_or_else(|| text.to_owned()));
                std::iter::once(String::new()).chain(lines).collect()
            }
            Self::Plain | Self::Indented => own(text),
        }
    }
}

/// How long each part took, as far as it was measured.
pub(super) fn timing(exchange: &Exchange) -> String {
    let Exchange { status, first_byte, took, .. } = exchange;
    match status {
        Some(_) => {
            let body = took.saturating_sub(*first_byte);
            format!("first byte after {}, body {}", duration(*first_byte), duration(body))
        }
        None => format!("given up after {}", duration(*took)),
    }
}

fn authorization(exchange: &Exchange) -> Option<String> {
    exchange.key_ending.as_ref().map(|ending| format!("Bearer ....{ending}"))
}

/// The whole exchange as a text to read, to copy or to write.
pub fn whole(exchange: &Exchange) -> String {
    let mut lines = vec![format!("{}  {}  {}", exchange.at, exchange.what, timing(exchange)), String::new()];
    lines.push("Sent:".to_owned());
    lines.extend(sent(exchange, Body::Indented));
    lines.extend([String::new(), format!("Answered, {}:", size(exchange))]);
    lines.extend(answered(exchange, Body::Indented));
    lines.push(String::new());
    lines.join("\n")
}

/// A duration in few columns: `88 ms`, `30.0 s`.
pub fn duration(time: Duration) -> String {
    match time.as_millis() {
        millis @ 0..1_000 => format!("{millis} ms"),
        _ => format!("{:.1} s", time.as_secs_f64()),
    }
}

/// The size of the answer's body: `74 B`, `1.8 kB`; a dash where it did not come whole.
pub fn size(exchange: &Exchange) -> String {
    match exchange.size {
        _ if exchange.failure.is_some() => "-".to_owned(),
        bytes @ 0..1_000 => format!("{bytes} B"),
        bytes @ 1_000..1_000_000 => format!("{}.{} kB", bytes / 1_000, bytes % 1_000 / 100),
        bytes => format!("{}.{} MB", bytes / 1_000_000, bytes % 1_000_000 / 100_000),
    }
}

/// An exchange as a file has it. Times are RFC 3339 and whole milliseconds.
#[derive(Serialize)]
struct Record<'a> {
    at: String,
    what: &'a str,
    method: &'a str,
    path: &'a str,
    authorization: Option<String>,
    sent: &'a str,
    status: Option<u16>,
    headers: &'a [(String, String)],
    answer: &'a str,
    failure: Option<&'a str>,
    #[serde(rename = "octets")]
    bytes: usize,
    head_ms: u128,
    took_ms: u128,
}

/// One JSON object a line.
pub fn ndjson<'a>(exchanges: impl Iterator<Item = &'a Exchange>) -> String {
    let record = |exchange: &'a Exchange| Record {
        at: exchange.at.to_string(),
        what: exchange.what,
        method: &exchange.method,
        path: &exchange.path_and_query,
        authorization: authorization(exchange),
        sent: &exchange.sent,
        status: exchange.status,
        headers: &exchange.headers,
        answer: &exchange.answer,
        failure: exchange.failure.as_deref(),
        bytes: exchange.size,
        head_ms: exchange.first_byte.as_millis(),
        took_ms: exchange.took.as_millis(),
    };
    // Texts and numbers can always be written.
    exchanges.map(|exchange| serde_json::to_string(&record(exchange)).unwrap_or_default() + "\n").collect()
}
