//! The report as one HTML file that can be sent: no script, and nothing is loaded.

use std::fmt::Write as _;

use crate::domains::check::Checked;
use crate::domains::finding::{Evidence, Finding, deciding, overall};
use crate::model::display_safe;

use super::{full_sentence, headline, until_words};

const HEAD: &str = "<!doctype html>
<html lang=\"en\">
<head>
<meta charset=\"utf-8\">
<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'\">
<meta name=\"viewport\" content=\"width=device-width\">
<style>
body { font: 16px/1.5 system-ui, sans-serif; max-width: 70rem; margin: 2rem auto; padding: 0 1rem; }
table { border-collapse: collapse; width: 100%; margin: 1rem 0; }
th, td { text-align: left; vertical-align: top; padding: .3rem .6rem; border-bottom: 1px solid #ccc; }
td { overflow-wrap: anywhere; }
.fail { color: #a00; } .warn, .wait { color: #850; } .ok { color: #060; } .unknown { color: #555; }
small { color: #555; }
</style>
";

/// `text`, safe inside an element.
fn escaped(text: &str) -> String {
    display_safe(text).replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}

/// A table with a heading above it.
fn table<const N: usize>(title: &str, headings: [&str; N], rows: impl IntoIterator<Item = [String; N]>) -> String {
    let cells = |tag: &str, cells: [String; N]| -> String {
        cells.iter().map(|cell| format!("<{tag}>{}</{tag}>", escaped(cell))).collect()
    };
    let rows: String = rows.into_iter().map(|row| format!("<tr>{}</tr>\n", cells("td", row))).collect();
    let head = cells("th", headings.map(str::to_owned));
    format!("<h2>{}</h2>\n<table>\n<tr>{head}</tr>\n{rows}</table>\n", escaped(title))
}

fn finding(out: &mut String, finding: &Finding, checked: &Checked) {
    let Finding { verdict, title, code, seen, expected, fix, until, evidence, .. } = finding;
    let word = verdict.as_str();
    let _ = writeln!(
        out,
        "<h3><span class=\"{word}\">{}</span> {} <small>{code}</small></h3>",
        word.to_uppercase(),
        escaped(title)
    );
    let until = until.map_or_else(String::new, |until| until_words(until, checked.at));
    let fix = if fix.is_empty() { String::new() } else { full_sentence(fix) };
    for (label, text) in [("Seen", seen), ("Expected", expected), ("To do", &fix), ("Until", &until)] {
        if !text.is_empty() {
            let _ = writeln!(out, "<p>{label}: {}</p>", escaped(text));
        }
    }
    for Evidence { question, server, answer, at } in evidence {
        let line = format!("{question} at {server}: {answer} ({})", at.strftime("%H:%M:%S UTC"));
        let _ = writeln!(out, "<p><small>{}</small></p>", escaped(&line));
    }
}

impl Checked {
    /// The report for support as an HTML file.
    pub fn report_html(&self) -> String {
        let name = escaped(&self.domain.unicode);
        let mut out = format!("{HEAD}<title>{name}</title>\n</head>\n<body>\n<h1>{name}</h1>\n");
        let sentence = deciding(&self.findings).map(|decides| headline(&self.domain, decides)).unwrap_or_default();
        let _ = writeln!(
            out,
            "<p class=\"{}\"><strong>{}</strong></p>",
            overall(&self.findings).as_str(),
            escaped(&sentence)
        );
        for (label, value) in self.about() {
            let _ = writeln!(out, "<p>{label}: {}</p>", escaped(&value));
        }
        out.push_str("<h2>Findings</h2>\n");
        self.findings.iter().for_each(|found| finding(&mut out, found, self));
        let views = self.views().into_iter().map(|view| {
            let ttl = view.ttl.map_or_else(|| "-".to_owned(), |ttl| ttl.to_string());
            [view.server, view.role.as_str().to_owned(), view.sees, ttl, view.verdict.word().to_owned()]
        });
        out.push_str(&table("What each server sees", ["Server", "Kind", "Sees", "TTL left", "Verdict"], views));
        let questions = self.seen.lookups.iter().map(|lookup| {
            let Evidence { question, server, answer, at } = Evidence::from(lookup);
            [at.strftime("%H:%M:%S%.3f UTC").to_string(), question, server, answer]
        });
        out.push_str(&table("All questions", ["Time", "Question", "Server", "Answer"], questions));
        out.push_str("</body>\n</html>\n");
        out
    }
}
