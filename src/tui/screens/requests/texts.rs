//! An exchange in lines of text. The key is in none of it: a record never has it.

use std::time::Duration;

use crate::api::Exchange;
use crate::model::pretty::indented;

/// A body after a blank line; JSON with a line for each value.
fn body(text: &str) -> Vec<String> {
    if text.is_empty() {
        return Vec::new();
    }
    let text = indented(text).unwrap_or_else(|| text.to_owned());
    std::iter::once("").chain(text.lines()).map(str::to_owned).collect()
}

/// How long each part took, as far as it was measured.
fn timing(exchange: &Exchange) -> String {
    let Exchange { status, first_byte, took, .. } = exchange;
    match status {
        Some(_) => {
            let body = took.saturating_sub(*first_byte);
            format!("first byte after {}, body {}", duration(*first_byte), duration(body))
        }
        None => format!("given up after {}", duration(*took)),
    }
}

/// The whole exchange as a text to read, to copy or to write.
pub fn whole(exchange: &Exchange) -> String {
    let Exchange { at, what, method, path_and_query, .. } = exchange;
    let mut lines = vec![format!("{at}  {what}  {}", timing(exchange)), String::new()];
    lines.extend(["Sent:".to_owned(), format!("{method} {path_and_query}")]);
    lines.extend(exchange.key_ending.as_ref().map(|ending| format!("authorization: Bearer ....{ending} (hidden)")));
    lines.extend(body(&exchange.sent));
    lines.extend([String::new(), format!("Answered, {}:", size(exchange))]);
    lines.extend(exchange.status.map(|status| format!("status {status}")));
    lines.extend(exchange.headers.iter().map(|(name, value)| format!("{name}: {value}")));
    if let Some(why) = &exchange.failure {
        let what = if exchange.status.is_some() { "The answer is incomplete" } else { "No answer" };
        lines.push(format!("{what}: {why}"));
    }
    lines.extend(body(&exchange.answer));
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
