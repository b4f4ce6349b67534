//! Checks a `domains` configuration, JSON or TOML (catalogue, section 2.7; API description, several domains).

#[cfg(test)]
mod tests;

use std::collections::{HashMap, HashSet};

use serde::Serialize;
use serde::de::IgnoredAny;
use serde_json::{Map, Value};
use strsim::osa_distance;

use crate::model::{counted, cut, display_safe, short};

use super::{Code, DnsName, Domain, ExistingDomains, Finding, ParsedName, Verdict, Who, parse_name, say};

pub use super::diagnosis::redirect::Redirect;

/// The largest file that is read, in bytes.
const MAX_TEXT: usize = 1 << 20;
/// The most redirects.
const MAX_REDIRECTS: usize = 1000;

const TOP: &[&str] = &["primary", "redirects"];
/// The other keys of the `[domains]` table in petstore's own configuration file, which may hold the redirects, too.
const OWN: &str = "platform_host ca_identities resolvers name_servers http_port https_port trust allow_private notify";
const REDIRECT: &[&str] = &["from", "to", "status"];
/// The only member of a date, as the reader of TOML gives it.
const TOML_DATE: &str = "$__toml_private_datetime";
/// What a domain is written as.
const TEXT: &str = "text, a domain";

/// The configuration as written.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ConfigSource {
    /// `domains.primary`.
    pub primary: Option<String>,
    /// `domains.redirects`.
    pub redirects: Vec<WrittenRedirect>,
}

/// One of `domains.redirects` as written.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct WrittenRedirect {
    /// The domain that redirects.
    pub from: String,
    /// Where it leads.
    pub to: String,
    /// The status, which may be any number here.
    pub status: i64,
}

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
    if text.len() > MAX_TEXT {
        let large = fail(Code::CfgSyntax).seen(format!("{} bytes; at most 1 MiB is read", text.len()));
        return Linted { configuration: None, findings: vec![large] };
    }
    let mut findings = Vec::new();
    match read(text, &mut findings) {
        Ok((primary, redirects)) => judge(primary, redirects, known, findings),
        Err(wrong) => Linted { configuration: None, findings: [findings, vec![*wrong]].concat() },
    }
}

/// Judges a configuration that was read elsewhere.
pub fn check(written: ConfigSource, known: &[DnsName]) -> Linted {
    judge(written.primary, written.redirects.into_iter().enumerate().collect(), known, Vec::new())
}

/// Redirects with the index of each in the list as written.
type Indexed = Vec<(usize, WrittenRedirect)>;

fn judge(primary: Option<String>, redirects: Indexed, known: &[DnsName], mut findings: Vec<Finding>) -> Linted {
    // A value of another type was reported already.
    let misread = findings.iter().any(|f| f.code == Code::CfgType && f.seen.starts_with("domains.primary "));
    let primary = primary.as_deref().map(str::trim).filter(|text| !text.is_empty());
    findings.extend((primary.is_none() && !misread).then(say::no_primary));
    let primary = primary.and_then(|text| read_name("domains.primary", text, &mut findings));
    let mut read = Vec::new();
    for (index, written) in redirects {
        let place = format!("domains.redirects[{index}]");
        let from = read_name(&format!("{place}.from"), &written.from, &mut findings);
        let to = read_name(&format!("{place}.to"), &written.to, &mut findings);
        let status = read_status(&place, written.status, &mut findings);
        if let (Some(from), Some(to), Some(status)) = (from, to, status) {
            read.push((place, Redirect { from, to, status }));
        }
    }
    findings.extend(relations(primary.as_ref(), &read, known));
    let wrong = findings.iter().any(|it| it.fails());
    let redirects: Vec<Redirect> = read.into_iter().map(|(_, redirect)| redirect).collect();
    let configuration = primary.filter(|_| !wrong).map(|primary| DomainsConfiguration { primary, redirects });
    let all_right = configuration.as_ref().filter(|_| findings.is_empty()).map(|read| {
        Finding::ok(Code::CfgOk).seen(format!("{} with {}", read.primary, counted(read.redirects.len(), "redirect")))
    });
    findings.extend(all_right);
    Linted { configuration, findings }
}

/// Checks a name at a place of the configuration.
fn read_name(place: &str, text: &str, findings: &mut Vec<Finding>) -> Option<DnsName> {
    let ParsedName { domain, findings: mut about } = parse_name::read(text, &ExistingDomains::default());
    let Some(Domain { name, .. }) = domain else {
        let Finding { title, code, fix, .. } = about.into_iter().find(Finding::fails)?;
        findings.push(say::refused_name(place, short(text), title, code, fix));
        return None;
    };
    if about.iter().any(|it| matches!(it.code, Code::InUrl | Code::InPort)) {
        findings.push(say::name_as_url(place, short(text), name));
        return None;
    }
    about.retain(|it| it.verdict == Verdict::Warn);
    let doubt = |Finding { title, code, fix, .. }| say::doubtful_name(place, &name, title, code, fix);
    findings.extend(about.into_iter().map(doubt));
    Some(name)
}

fn read_status(place: &str, status: i64, findings: &mut Vec<Finding>) -> Option<u16> {
    let what = match status {
        301 => return Some(301),
        308 => "permanent like 301, and keeps the method of the request; older clients do not know it",
        302 => "temporary: browsers and search engines do not remember it",
        303 => "temporary, and turns every request into a GET",
        307 => "temporary, and keeps the method of the request",
        _ => {
            findings.push(say::no_redirect_status(place, status));
            return None;
        }
    };
    findings.push(say::unusual_status(place, status, what));
    u16::try_from(status).ok()
}

/// Checks redirects against each other and the primary domain.
fn relations(primary: Option<&DnsName>, redirects: &[(String, Redirect)], known: &[DnsName]) -> Vec<Finding> {
    let mut findings = Vec::new();
    let mut by_source: HashMap<&DnsName, (&str, &Redirect)> = HashMap::new();
    for (place, redirect) in redirects {
        // Of several with the same source, the first counts.
        let (first, kept) = *by_source.entry(&redirect.from).or_insert((place, redirect));
        if !std::ptr::eq(kept, redirect) {
            findings.push(say::redirects_twice(place, &redirect.from, first));
        }
    }
    let known: HashSet<&DnsName> = known.iter().chain(primary).collect();
    let mut in_circles: HashSet<&DnsName> = HashSet::new();
    for (place, redirect) in redirects {
        let Redirect { from, to, .. } = redirect;
        if from == to {
            findings.push(say::leads_to_itself(place, from));
            continue;
        }
        if Some(from) == primary {
            findings.push(say::primary_redirects(place, from));
        }
        let (path, circle) = follow(redirect, &by_source);
        if circle {
            // Each loop is reported once.
            if path.iter().any(|name| in_circles.contains(name)) {
                continue;
            }
            let shown = path.iter().map(|name| short(name.as_str())).take(12).collect::<Vec<_>>().join(" -> ");
            let primary = primary.map_or("the primary domain", DnsName::as_str);
            findings.push(say::configured_loop(place, shown, primary));
            in_circles.extend(path);
        } else if let ([_, _, _, ..], Some(last)) = (path.as_slice(), path.last()) {
            findings.push(say::redirects_on(place, to, last));
        } else if !known.contains(to) {
            findings.push(say::leads_out(place, to));
        }
    }
    findings
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

/// What a value of either format is.
fn name_of(value: &Value) -> &'static str {
    match value {
        Value::String(_) => "text",
        Value::Number(number) if number.is_f64() => "a number with a fraction",
        Value::Number(_) => "a number",
        Value::Bool(_) => "true or false",
        Value::Array(_) => "a list",
        Value::Object(members) if members.contains_key(TOML_DATE) => "a date",
        Value::Object(_) => "an object",
        Value::Null => "nothing (null)",
    }
}

/// The members of an object; else what is wrong at its `place`.
fn object(value: Value, place: &str, expected: &str) -> Result<Map<String, Value>, Box<Finding>> {
    match value {
        Value::Object(members) => Ok(members),
        other => Err(Box::new(wrong_type(place, &other, expected).cured())),
    }
}

/// Reads a text: the primary domain and the redirects; what is not a redirect is left out. An error if nothing can be judged.
fn read(text: &str, findings: &mut Vec<Finding>) -> Result<(Option<String>, Indexed), Box<Finding>> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    // A list is not a configuration, but a header of TOML begins like one.
    let is_json = text.trim_start().starts_with('{') || serde_json::from_str::<IgnoredAny>(text).is_ok();
    let (root, own) = if is_json { (json(text)?, "") } else { (toml(text)?, OWN) };
    domains(object(root, "the whole file", "an object with domains")?, own, findings)
}

fn json(text: &str) -> Result<Value, Box<Finding>> {
    serde_json::from_str(text).map_err(|error| {
        let why = error.to_string();
        // The library puts the place at the end.
        let why = why.split(" at line ").next().unwrap_or_default();
        let line = text.lines().nth(error.line().saturating_sub(1)).unwrap_or_default();
        let bytes = line.len().min(error.column().saturating_sub(1));
        let column = line.char_indices().take_while(|(at, _)| *at < bytes).count() + 1;
        syntax(error.line(), column, why)
    })
}

fn toml(text: &str) -> Result<Value, Box<Finding>> {
    toml::from_str(text).map_err(|error| {
        let at = error.span().map_or(0, |span| span.start).min(text.len());
        let before = text.get(..at).unwrap_or_default();
        let column = before.chars().rev().take_while(|c| *c != '\n').count() + 1;
        syntax(before.matches('\n').count() + 1, column, error.message())
    })
}

fn syntax(line: usize, column: usize, why: &str) -> Box<Finding> {
    Box::new(fail(Code::CfgSyntax).seen(format!("line {line}, column {column}: {}", cut(&display_safe(why), 120))))
}

/// Finds the part that is ours: under `domains`, as dotted keys, or the whole file. Keys of `own` are allowed next to
/// it.
fn domains(
    mut members: Map<String, Value>,
    own: &str,
    findings: &mut Vec<Finding>,
) -> Result<(Option<String>, Indexed), Box<Finding>> {
    let mut ours = if let Some(domains) = members.remove("domains") {
        object(domains, "domains", "an object with primary and redirects")?
    } else if members.contains_key("domains.primary") || members.contains_key("domains.redirects") {
        let dotted = |(name, value): (String, Value)| Some((name.strip_prefix("domains.")?.to_owned(), value));
        members.into_iter().filter_map(dotted).collect()
    } else {
        members
    };
    ours.retain(|key, _| !own.split_whitespace().any(|own| own == key));
    unknown("domains.", &ours, TOP, findings);
    let (mut primary, mut redirects) = (None, Vec::new());
    for (key, value) in ours {
        match (key.as_str(), value) {
            ("primary", Value::String(text)) => primary = Some(text),
            ("primary", other) => findings.push(wrong_type("domains.primary", &other, TEXT)),
            ("redirects", Value::Array(list)) => {
                let seen = format!("domains.redirects has {} entries; at most {MAX_REDIRECTS} are read", list.len());
                findings.extend((list.len() > MAX_REDIRECTS).then(|| fail(Code::CfgType).seen(seen)));
                let list = list.into_iter().take(MAX_REDIRECTS).enumerate();
                redirects.extend(list.filter_map(|(index, value)| Some((index, redirect(index, value, findings)?))));
            }
            ("redirects", other) => {
                findings.push(wrong_type("domains.redirects", &other, "a list of from, to and status"))
            }
            _ => {}
        }
    }
    Ok((primary, redirects))
}

fn redirect(index: usize, value: Value, findings: &mut Vec<Finding>) -> Option<WrittenRedirect> {
    let place = format!("domains.redirects[{index}]");
    let Value::Object(members) = value else {
        findings.push(wrong_type(&place, &value, "an object with from, to and status"));
        return None;
    };
    unknown(&format!("{place}."), &members, REDIRECT, findings);
    let before = findings.len();
    let expected = |key: &str| if key == "status" { "a whole number, 301" } else { TEXT };
    for key in REDIRECT.iter().filter(|key| !members.contains_key(**key)) {
        findings.push(fail(Code::CfgType).seen(format!("{place}.{key} is missing")).expected(expected(key)));
    }
    let mut written = WrittenRedirect::default();
    for (key, value) in members {
        match (key.as_str(), value) {
            ("from", Value::String(text)) => written.from = text,
            ("to", Value::String(text)) => written.to = text,
            ("status", Value::Number(it)) if !it.is_f64() => written.status = it.as_i64().unwrap_or(i64::MAX),
            (key @ ("from" | "to" | "status"), other) => {
                findings.push(wrong_type(&format!("{place}.{key}"), &other, expected(key)));
            }
            _ => {}
        }
    }
    (findings.len() == before).then_some(written)
}

fn wrong_type(place: &str, value: &Value, expected: &str) -> Finding {
    let seen = format!("{place} is {}", name_of(value));
    fail(Code::CfgType).seen(seen).expected(expected).fix(format!("write {expected}"))
}

fn unknown(place: &str, members: &Map<String, Value>, known: &[&str], findings: &mut Vec<Finding>) {
    let unknown = members.keys().filter(|key| !known.contains(&key.as_str()));
    for key in unknown {
        let nearest = known.iter().map(|word| (osa_distance(&key.to_lowercase(), word), word)).min();
        let fix = match nearest.filter(|(apart, _)| *apart <= 2) {
            Some((_, word)) => format!("did you mean {word}?"),
            None => format!("remove it; known keys: {}", known.join(", ")),
        };
        let unknown = Finding::warn(Code::CfgUnknownKey, Who::Dashboard);
        findings.push(unknown.seen(format!("{place}{}", short(key))).fix(fix));
    }
}

fn fail(code: Code) -> Finding {
    Finding::fail(code, Who::Dashboard).cured()
}
