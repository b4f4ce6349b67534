//! From JSON or TOML to the configuration as written; what does not fit is named with its place.

use std::collections::{BTreeSet, HashSet};
use std::fmt;

use serde::de::{IgnoredAny, MapAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize};
use strsim::osa_distance;

use crate::model::text::short;

use super::super::{Code, Finding, Who};

/// The most redirects.
const MAX_REDIRECTS: usize = 1000;

/// The configuration as written.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ConfigSource {
    /// `domains.primary`.
    pub primary: Option<String>,
    /// `domains.redirects`.
    pub redirects: Vec<WrittenRedirect>,
}

/// One of `domains.redirects` as written.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct WrittenRedirect {
    /// The domain that redirects.
    pub from: String,
    /// Where it leads.
    pub to: String,
    /// The status, which may be any number here.
    pub status: i64,
}

/// How many wrong keys of one object are reported.
const MAX_REPORTED: usize = 20;

const TOP: &[&str] = &["primary", "redirects"];
/// The other keys of the `[domains]` table in petstore's own configuration file, which may hold the redirects, too.
const OWN: &[&str] = &[
    "platform_host",
    "ca_identities",
    "resolvers",
    "name_servers",
    "http_port",
    "https_port",
    "trust",
    "allow_private",
    "notify",
];
const REDIRECT: &[&str] = &["from", "to", "status"];
/// What a domain is written as.
const TEXT: &str = "text, a domain";

/// A value of either format. Objects keep their order, and every key, also one that comes twice.
#[derive(Deserialize)]
#[serde(untagged)]
#[expect(dead_code, reason = "of some only the type matters")]
enum Node {
    Text(String),
    Number(i64),
    /// A number that is larger than any status.
    Large(u64),
    Fraction(f64),
    Flag(bool),
    List(Vec<Node>),
    Date(toml::value::Datetime),
    Object(#[serde(deserialize_with = "members")] Members),
    Nothing,
}

impl Node {
    const fn name(&self) -> &'static str {
        match self {
            Self::Text(_) => "text",
            Self::Number(_) | Self::Large(_) => "a number",
            Self::Fraction(_) => "a number with a fraction",
            Self::Flag(_) => "true or false",
            Self::List(_) => "a list",
            Self::Date(_) => "a date",
            Self::Object(_) => "an object",
            Self::Nothing => "nothing (null)",
        }
    }

    /// The members of an object; else a finding at its `place`, which says what to write if that `helps`.
    fn members(self, place: &str, expected: &str, helps: bool, findings: &mut Vec<Finding>) -> Option<Members> {
        if let Self::Object(members) = self {
            return Some(members);
        }
        let wrong = wrong_type(place, &self, expected);
        findings.push(if helps { wrong } else { wrong.cured() });
        None
    }
}

type Members = Vec<(String, Node)>;

/// Every member of an object in its order.
fn members<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Members, D::Error> {
    struct EachMember;

    impl<'de> Visitor<'de> for EachMember {
        type Value = Members;

        fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.write_str("an object")
        }

        fn visit_map<A: MapAccess<'de>>(self, mut members: A) -> Result<Self::Value, A::Error> {
            std::iter::from_fn(|| members.next_entry().transpose()).collect()
        }
    }

    deserializer.deserialize_map(EachMember)
}

/// Reads a text, with the index of each redirect in the list: what is not a redirect is left out. `None` if nothing can
/// be judged.
pub fn read(text: &str, findings: &mut Vec<Finding>) -> Option<(ConfigSource, Vec<usize>)> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    // A list is not a configuration, but a header of TOML begins like one.
    let is_json = text.trim_start().starts_with('{') || serde_json::from_str::<IgnoredAny>(text).is_ok();
    let (root, own) = if is_json { (json(text), [].as_slice()) } else { (toml(text), OWN) };
    let root = root.map_err(|finding| findings.push(*finding)).ok()?;
    let members = root.members("the whole file", "an object with domains", false, findings)?;
    domains(members, own, findings)
}

fn json(text: &str) -> Result<Node, Box<Finding>> {
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

fn toml(text: &str) -> Result<Node, Box<Finding>> {
    toml::from_str(text).map_err(|error| {
        let at = error.span().map_or(0, |span| span.start).min(text.len());
        let before = text.get(..at).unwrap_or_default();
        let column = before.chars().rev().take_while(|c| *c != '\n').count() + 1;
        syntax(before.matches('\n').count() + 1, column, error.message())
    })
}

fn syntax(line: usize, column: usize, why: &str) -> Box<Finding> {
    let seen =
        format!("line {line}, column {column}: {}", crate::model::text::cut(&crate::model::display_safe(why), 120));
    Box::new(fail(Code::CfgSyntax).seen(seen))
}

/// Finds the part that is ours: under `domains`, as dotted keys, or the whole file. Keys of `own` are allowed next to
/// it.
fn domains(members: Members, own: &[&str], findings: &mut Vec<Finding>) -> Option<(ConfigSource, Vec<usize>)> {
    let has = |key: &str| members.iter().any(|(name, _)| name == key);
    let mut ours = if has("domains") {
        duplicates("", &members, findings);
        let (_, domains) = members.into_iter().find(|(name, _)| name == "domains")?;
        domains.members("domains", "an object with primary and redirects", false, findings)?
    } else if has("domains.primary") || has("domains.redirects") {
        let dotted = |(name, node): (String, Node)| Some((name.strip_prefix("domains.")?.to_owned(), node));
        members.into_iter().filter_map(dotted).collect()
    } else {
        members
    };
    duplicates("domains.", &ours, findings);
    ours.retain(|(key, _)| !own.contains(&key.as_str()));
    unknown("domains.", &ours, TOP, findings);
    let (mut written, mut places) = (ConfigSource::default(), Vec::new());
    for (key, node) in ours {
        match (key.as_str(), node) {
            ("primary", Node::Text(text)) => written.primary = Some(text),
            ("primary", other) => findings.push(wrong_type("domains.primary", &other, TEXT)),
            ("redirects", Node::List(list)) => {
                if list.len() > MAX_REDIRECTS {
                    let seen =
                        format!("domains.redirects has {} entries; at most {MAX_REDIRECTS} are read", list.len());
                    findings.push(fail(Code::CfgType).seen(seen));
                }
                let redirects = list.into_iter().take(MAX_REDIRECTS).enumerate();
                let redirects = redirects.filter_map(|(index, node)| Some((index, redirect(index, node, findings)?)));
                (places, written.redirects) = redirects.unzip();
            }
            ("redirects", other) => {
                findings.push(wrong_type("domains.redirects", &other, "a list of from, to and status"))
            }
            _ => {}
        }
    }
    Some((written, places))
}

fn redirect(index: usize, node: Node, findings: &mut Vec<Finding>) -> Option<WrittenRedirect> {
    let place = format!("domains.redirects[{index}]");
    let members = node.members(&place, "an object with from, to and status", true, findings)?;
    duplicates(&format!("{place}."), &members, findings);
    unknown(&format!("{place}."), &members, REDIRECT, findings);
    let before = findings.len();
    let expected = |key: &str| if key == "status" { "a whole number, 301" } else { TEXT };
    for key in REDIRECT.iter().filter(|key| !members.iter().any(|(name, _)| name == *key)) {
        findings.push(fail(Code::CfgType).seen(format!("{place}.{key} is missing")).expected(expected(key)));
    }
    let mut written = WrittenRedirect::default();
    for (key, node) in members {
        match (key.as_str(), node) {
            ("from", Node::Text(text)) => written.from = text,
            ("to", Node::Text(text)) => written.to = text,
            ("status", Node::Number(number)) => written.status = number,
            ("status", Node::Large(_)) => written.status = i64::MAX,
            (key @ ("from" | "to" | "status"), other) => {
                findings.push(wrong_type(&format!("{place}.{key}"), &other, expected(key)));
            }
            _ => {}
        }
    }
    (findings.len() == before).then_some(written)
}

fn wrong_type(place: &str, node: &Node, expected: &str) -> Finding {
    fail(Code::CfgType).seen(format!("{place} is {}", node.name())).expected(expected).fix(format!("write {expected}"))
}

/// A key that comes twice: most readers silently take the last one.
fn duplicates(place: &str, members: &[(String, Node)], findings: &mut Vec<Finding>) {
    let mut seen = HashSet::new();
    let twice: BTreeSet<&String> = members.iter().map(|(key, _)| key).filter(|key| !seen.insert(*key)).collect();
    for key in twice.into_iter().take(MAX_REPORTED) {
        findings.push(fail(Code::CfgType).seen(format!("{place}{} is there twice", short(key))).fix("keep one"));
    }
}

fn unknown(place: &str, members: &[(String, Node)], known: &[&str], findings: &mut Vec<Finding>) {
    let unknown = members.iter().map(|(key, _)| key.as_str()).filter(|key| !known.contains(key));
    for key in unknown.take(MAX_REPORTED) {
        let nearest = known.iter().map(|word| (osa_distance(&key.to_lowercase(), word), word)).min();
        let fix = match nearest.filter(|(apart, _)| *apart <= 2) {
            Some((_, word)) => format!("did you mean {word}?"),
            None => format!("remove it; known keys: {}", known.join(", ")),
        };
        findings.push(warn(Code::CfgUnknownKey).seen(format!("{place}{}", short(key))).fix(fix));
    }
}

pub(super) fn fail(code: Code) -> Finding {
    Finding::fail(code, Who::Dashboard).cured()
}

pub(super) fn warn(code: Code) -> Finding {
    Finding::warn(code, Who::Dashboard).cured()
}
