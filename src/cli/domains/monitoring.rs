//! The result of a check for monitoring: a line for Nagios and Icinga, and text for Prometheus.

use std::fmt::Write as _;

use jiff::Timestamp;

use crate::app::domain_progress::count_words;
use crate::domains::Verdict;
use crate::model::display_safe;

use super::super::error::Exit;
use super::outcome::Outcome;

/// The exit status of a plugin: 0, 1, 2 or 3 (Monitoring Plugins Development Guidelines), whatever these numbers mean
/// elsewhere in petstore.
pub const fn plugin_exit(worst: Verdict) -> Exit {
    match worst {
        Verdict::Ok => Exit::Done,
        Verdict::Warn | Verdict::Wait => Exit::Failure,
        Verdict::Fail => Exit::Usage,
        Verdict::Unknown => Exit::Partly,
    }
}

/// One line: the state, what decides, and after the bar the days that each certificate has left.
pub fn nagios(outcomes: &[Outcome], decides: &Outcome, now: Timestamp) -> String {
    let state = match decides.verdict {
        Verdict::Ok => "OK",
        Verdict::Warn | Verdict::Wait => "WARNING",
        Verdict::Fail => "CRITICAL",
        Verdict::Unknown => "UNKNOWN",
    };
    let verdicts: Vec<Verdict> = outcomes.iter().map(|outcome| outcome.verdict).collect();
    let mut line = format!("DOMAINS {state} - {}: {}", count_words(&verdicts), decides.name);
    if decides.verdict != Verdict::Ok {
        let _ = write!(line, ": {} [{}]", decides.title, decides.code);
    }
    // Behind a bar come numbers only.
    let line = display_safe(&line).replace('|', "/");
    let days = |outcome: &Outcome| {
        let left = outcome.expires?.duration_since(now).as_hours() / 24;
        Some(format!(" 'certificate days of {}'={left}", outcome.name))
    };
    let days: String = outcomes.iter().filter_map(days).collect();
    if days.is_empty() { format!("{line}\n") } else { format!("{line} |{days}\n") }
}

/// The text format of Prometheus, for example for the textfile collector.
pub fn prometheus(outcomes: &[Outcome], now: Timestamp) -> String {
    let second = |at: Timestamp| at.as_second().to_string();
    let verdict = |outcome: &Outcome| (outcome.verdict as u8).to_string();
    let mut out = String::new();
    let mut metric = |name: &str, help: &str, value: &dyn Fn(&Outcome) -> Option<String>| {
        let _ = writeln!(out, "# HELP petstore_domain_{name} {help}\n# TYPE petstore_domain_{name} gauge");
        for outcome in outcomes {
            let Some(value) = value(outcome) else { continue };
            let domain = label(&outcome.name);
            let _ = match name {
                "verdict" => {
                    let (word, code) = (outcome.verdict.as_str(), label(&outcome.code));
                    writeln!(
                        out,
                        "petstore_domain_verdict{{domain=\"{domain}\",verdict=\"{word}\",code=\"{code}\"}} {value}"
                    )
                }
                _ => writeln!(out, "petstore_domain_{name}{{domain=\"{domain}\"}} {value}"),
            };
        }
    };
    metric("verdict", "The verdict: 0 unknown, 1 ok, 2 warn, 3 wait, 4 fail.", &|outcome| Some(verdict(outcome)));
    metric("certificate_expiry_timestamp_seconds", "When the certificate expires.", &|o| o.expires.map(second));
    metric("wait_until_timestamp_seconds", "When the wait ends.", &|o| o.until.map(second));
    metric("checked_timestamp_seconds", "When it was checked.", &|_| Some(second(now)));
    out
}

/// The value of a label, escaped.
fn label(text: &str) -> String {
    display_safe(text).replace('\\', "\\\\").replace('"', "\\\"")
}

#[cfg(test)]
mod tests {
    use serde_json::Value;

    use super::*;

    fn outcome(name: &str, verdict: Verdict) -> Outcome {
        let expires = (verdict == Verdict::Ok).then(|| Timestamp::from_second(20 * 86_400 + 60).unwrap());
        let (code, title) = ("DNS-A-BLOCKS".to_owned(), "An A record blocks | the CNAME".to_owned());
        let (name, json) = (name.to_owned(), Value::Null);
        Outcome { name, verdict, code, title, state: None, until: None, expires, json }
    }

    #[test]
    fn nagios_gets_one_line_and_its_own_statuses() {
        let all = [outcome("docs.acme.com", Verdict::Ok), outcome("help.acme.com", Verdict::Fail)];
        assert_eq!(
            nagios(&all, &all[1], Timestamp::UNIX_EPOCH),
            "DOMAINS CRITICAL - 1 to fix, 1 fine: help.acme.com: An A record blocks / the CNAME [DNS-A-BLOCKS] \
             | 'certificate days of docs.acme.com'=20\n"
        );
        let statuses = [Verdict::Ok, Verdict::Warn, Verdict::Wait, Verdict::Fail, Verdict::Unknown];
        assert_eq!(statuses.map(|verdict| plugin_exit(verdict) as u8), [0, 1, 1, 2, 3]);
    }

    #[test]
    fn prometheus_gets_escaped_labels_and_only_known_times() {
        let all = [outcome("docs.acme.com", Verdict::Ok), outcome("a\"b\nc\\", Verdict::Unknown)];
        let text = prometheus(&all, Timestamp::UNIX_EPOCH);
        assert!(
            text.contains("petstore_domain_verdict{domain=\"docs.acme.com\",verdict=\"ok\",code=\"DNS-A-BLOCKS\"} 1\n")
        );
        assert!(text.contains("expiry_timestamp_seconds{domain=\"docs.acme.com\"} 1728060\n"), "{text}");
        assert!(!text.contains("petstore_domain_wait_until_timestamp_seconds{"), "{text}");
        assert!(text.contains("{domain=\"a\\\"b"), "{text}");
        let is_line = |line: &str| line.starts_with("# ") || line.starts_with("petstore_domain_");
        assert!(text.lines().all(is_line), "{text}");
    }
}
