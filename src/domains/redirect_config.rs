//! Checks a `domains` configuration, JSON or TOML (catalogue, section 2.7; API description, several domains).

mod read;
#[cfg(test)]
mod tests;

use std::collections::{HashMap, HashSet};

use serde::Serialize;

use crate::model::text::short;
use crate::model::words::counted;

use super::catalogue::Code;
use super::dns_name::DnsName;
use super::finding::{Finding, Verdict};
use super::parse_name;

use read::{fail, warn};

pub use super::diagnosis::redirect::Redirect;
pub use read::{ConfigSource, WrittenRedirect};

/// The largest file that is read, in bytes.
const MAX_TEXT: usize = 1 << 20;

/// The configuration, every name in its normal form.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct DomainsConfiguration {
    /// `domains.primary`.
    pub primary: DnsName,
    /// `domains.redirects`.
    pub redirects: Vec<Redirect>,
}

/// The findings on a configuration.
#[derive(Clone, Debug)]
pub struct Linted {
    /// The configuration; `None` if anything fails.
    pub configuration: Option<DomainsConfiguration>,
    /// Never empty.
    pub findings: Vec<Finding>,
}

/// Reads and judges a text. `known`: domains that are on the list, where redirects may lead.
pub fn lint(text: &str, known: &[DnsName]) -> Linted {
    let mut findings = Vec::new();
    let written = if text.len() > MAX_TEXT {
        findings.push(fail(Code::CfgSyntax).seen(format!("{} bytes; at most 1 MiB is read", text.len())));
        None
    } else {
        read::read(text, &mut findings)
    };
    match written {
        Some((written, places)) => judge(&written, &places, known, findings),
        None => Linted { configuration: None, findings },
    }
}

/// Judges a configuration that was read elsewhere.
pub fn check(written: ConfigSource, known: &[DnsName]) -> Linted {
    let places: Vec<usize> = (0..written.redirects.len()).collect();
    judge(&written, &places, known, Vec::new())
}

/// `places`: the index of each redirect in the list as written.
fn judge(written: &ConfigSource, places: &[usize], known: &[DnsName], mut findings: Vec<Finding>) -> Linted {
    // A value of another type was reported already.
    let misread = findings.iter().any(|f| f.code == Code::CfgType && f.seen.starts_with("domains.primary "));
    let primary = match written.primary.as_deref().map(str::trim) {
        None if misread => None,
        None | Some("") => {
            findings.push(
                fail(Code::CfgNoPrimary)
                    .seen("domains.primary is missing or empty")
                    .fix("set domains.primary to the main domain of the project"),
            );
            None
        }
        Some(text) => read_name("domains.primary", text, &mut findings),
    };
    let mut redirects = Vec::new();
    for (index, written) in places.iter().zip(&written.redirects) {
        let place = format!("domains.redirects[{index}]");
        let from = read_name(&format!("{place}.from"), &written.from, &mut findings);
        let to = read_name(&format!("{place}.to"), &written.to, &mut findings);
        let status = read_status(&place, written.status, &mut findings);
        if let (Some(from), Some(to), Some(status)) = (from, to, status) {
            redirects.push((place, Redirect { from, to, status }));
        }
    }
    relations(primary.as_ref(), &redirects, known, &mut findings);
    let wrong = findings.iter().any(|finding| finding.verdict == Verdict::Fail);
    let redirects: Vec<Redirect> = redirects.into_iter().map(|(_, redirect)| redirect).collect();
    let configuration = primary.filter(|_| !wrong).map(|primary| DomainsConfiguration { primary, redirects });
    if let (Some(configuration), true) = (&configuration, findings.is_empty()) {
        let count = configuration.redirects.len();
        let seen = format!("{} with {}", configuration.primary, counted(count, "redirect"));
        findings.push(Finding::ok(Code::CfgOk).seen(seen));
    }
    Linted { configuration, findings }
}

/// Checks a name at a place of the configuration.
fn read_name(place: &str, text: &str, findings: &mut Vec<Finding>) -> Option<DnsName> {
    let reading = parse_name::read(text, &parse_name::ExistingDomains::default());
    match reading.domain {
        None => {
            let refusal = reading.findings.into_iter().find(|finding| finding.verdict == Verdict::Fail)?;
            findings.push(
                fail(Code::CfgName)
                    .seen(format!("{place}: \"{}\": {} ({})", short(text), refusal.title, refusal.code))
                    .fix(refusal.fix),
            );
            None
        }
        Some(domain) if reading.findings.iter().any(|finding| matches!(finding.code, Code::InUrl | Code::InPort)) => {
            findings.push(
                fail(Code::CfgUrl)
                    .seen(format!("{place}: \"{}\"", short(text)))
                    .expected(domain.name.as_str())
                    .fix(format!("write {}, without https:// and path", domain.name)),
            );
            None
        }
        Some(domain) => {
            for warning in reading.findings.into_iter().filter(|finding| finding.verdict == Verdict::Warn) {
                findings.push(
                    warn(Code::CfgName)
                        .seen(format!("{place}: {}: {} ({})", domain.name, warning.title, warning.code))
                        .fix(warning.fix),
                );
            }
            Some(domain.name)
        }
    }
}

fn read_status(place: &str, status: i64, findings: &mut Vec<Finding>) -> Option<u16> {
    let what = match status {
        301 => return Some(301),
        308 => "permanent like 301, and keeps the method of the request; older clients do not know it",
        302 => "temporary: browsers and search engines do not remember it",
        303 => "temporary, and turns every request into a GET",
        307 => "temporary, and keeps the method of the request",
        _ => {
            findings.push(
                fail(Code::CfgStatus)
                    .seen(format!("{place}.status: {status} is not a redirect"))
                    .expected("301")
                    .fix("use 301; 302, 303, 307 and 308 are redirects, too"),
            );
            return None;
        }
    };
    findings.push(
        warn(Code::CfgStatus)
            .seen(format!("{place}.status: {status} is {what}"))
            .expected("301")
            .fix("use 301, unless you want this"),
    );
    u16::try_from(status).ok()
}

/// Checks redirects against each other and the primary domain.
fn relations(
    primary: Option<&DnsName>,
    redirects: &[(String, Redirect)],
    known: &[DnsName],
    findings: &mut Vec<Finding>,
) {
    let mut by_source: HashMap<&DnsName, (&str, &Redirect)> = HashMap::new();
    for (place, redirect) in redirects {
        // Of several with the same source, the first counts.
        let (first, kept) = *by_source.entry(&redirect.from).or_insert((place, redirect));
        if !std::ptr::eq(kept, redirect) {
            findings.push(
                fail(Code::CfgDuplicate)
                    .seen(format!("{place}.from: {} is in {first}, too", redirect.from))
                    .fix(format!("keep one redirect from {}", redirect.from)),
            );
        }
    }
    let known: HashSet<&DnsName> = known.iter().chain(primary).collect();
    let mut in_circles: HashSet<&DnsName> = HashSet::new();
    for (place, redirect) in redirects {
        let Redirect { from, to, .. } = redirect;
        if from == to {
            findings
                .push(fail(Code::CfgSelf).seen(format!("{place}: {from} leads to itself")).fix("change from or to"));
            continue;
        }
        if Some(from) == primary {
            findings.push(
                fail(Code::CfgPrimaryRedirects)
                    .seen(format!("{place}.from: {from} is the primary domain"))
                    .fix("remove this redirect, or choose another primary domain"),
            );
        }
        let (path, circle) = follow(redirect, &by_source);
        if circle {
            // Each loop is reported once.
            if path.iter().any(|name| in_circles.contains(name)) {
                continue;
            }
            let shown = path.iter().map(|name| short(name.as_str())).take(12).collect::<Vec<_>>().join(" -> ");
            findings.push(fail(Code::CfgLoop).seen(format!("{place}: {shown}")).fix(match primary {
                Some(primary) => format!("point them at {primary}"),
                None => "point them at the primary domain".to_owned(),
            }));
            in_circles.extend(path);
        } else if let ([_, _, _, ..], Some(last)) = (path.as_slice(), path.last()) {
            findings.push(
                warn(Code::CfgChain)
                    .seen(format!("{place}.to: {to} redirects, too"))
                    .expected(last.as_str())
                    .fix(format!("set {place}.to to {last}")),
            );
        } else if !known.contains(to) {
            findings.push(
                warn(Code::CfgToElsewhere)
                    .seen(format!("{place}.to: {to} is neither the primary domain nor a listed one"))
                    .fix("check that this is what you want"),
            );
        }
    }
}

/// The names from `redirect` on, and whether they loop.
fn follow<'a>(redirect: &'a Redirect, by_source: &HashMap<&DnsName, (&str, &'a Redirect)>) -> (Vec<&'a DnsName>, bool) {
    let mut path = vec![&redirect.from, &redirect.to];
    let mut passed: HashSet<&DnsName> = path.iter().copied().collect();
    let mut at = &redirect.to;
    while let Some((_, next)) = by_source.get(at) {
        path.push(&next.to);
        if !passed.insert(&next.to) {
            return (path, true);
        }
        at = &next.to;
    }
    (path, false)
}

impl DomainsConfiguration {
    /// As JSON, in the shape of the API description.
    pub fn to_json(&self) -> String {
        format!("{:#}\n", serde_json::json!({ "domains": self }))
    }
}
