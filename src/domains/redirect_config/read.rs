//! From JSON or TOML to the configuration as written; what does not fit is named with its place.

use std::collections::{BTreeSet, HashSet};
use std::fmt;

use serde::de::{self, Deserialize, Deserializer, IgnoredAny, MapAccess, SeqAccess, Visitor};
use strsim::osa_distance;

use crate::model::text::short;

use super::super::{Code, Finding};
use super::source::{ConfigSource, MAX_REDIRECTS, WrittenRedirect, fail, warn};

/// How many wrong keys of one object are told.
const MAX_TOLD: usize = 20;

const TOP: &[&str] = &["primary", "redirects"];
/// What else stands in the `[domains]` table of this program's own file, where the configuration may stand, too.
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

/// A value of either format. Objects keep their order, and every key, also one that comes twice.
enum Node {
    Text(String),
    Number(i64),
    List(Vec<Node>),
    Object(Vec<(String, Node)>),
    /// Anything else, by its name.
    Other(&'static str),
}

impl Node {
    const fn name(&self) -> &'static str {
        match self {
            Self::Text(_) => "text",
            Self::Number(_) => "a number",
            Self::List(_) => "a list",
            Self::Object(_) => "an object",
            Self::Other(name) => name,
        }
    }
}

impl<'de> Deserialize<'de> for Node {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Reader;

        impl<'de> Visitor<'de> for Reader {
            type Value = Node;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a value")
            }

            fn visit_str<E: de::Error>(self, text: &str) -> Result<Node, E> {
                Ok(Node::Text(text.to_owned()))
            }

            fn visit_i64<E: de::Error>(self, number: i64) -> Result<Node, E> {
                Ok(Node::Number(number))
            }

            fn visit_u64<E: de::Error>(self, number: u64) -> Result<Node, E> {
                Ok(Node::Number(i64::try_from(number).unwrap_or(i64::MAX)))
            }

            fn visit_f64<E: de::Error>(self, _: f64) -> Result<Node, E> {
                Ok(Node::Other("a number with a fraction"))
            }

            fn visit_bool<E: de::Error>(self, _: bool) -> Result<Node, E> {
                Ok(Node::Other("true or false"))
            }

            fn visit_unit<E: de::Error>(self) -> Result<Node, E> {
                Ok(Node::Other("nothing (null)"))
            }

            fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Node, A::Error> {
                let mut list = Vec::new();
                while let Some(item) = items.next_element()? {
                    list.push(item);
                }
                Ok(Node::List(list))
            }

            fn visit_map<A: MapAccess<'de>>(self, mut members: A) -> Result<Node, A::Error> {
                let mut object = Vec::new();
                while let Some(member) = members.next_entry()? {
                    object.push(member);
                }
                // How the TOML library hands dates on.
                let is_date = object.iter().any(|(key, _): &(String, Node)| key == "$__toml_private_datetime");
                Ok(if is_date { Node::Other("a date") } else { Node::Object(object) })
            }
        }

        deserializer.deserialize_any(Reader)
    }
}

/// Reads a text, and where each of its redirects stands in their list: what is none is left out. `None` where nothing can
/// be judged.
pub fn read(text: &str, findings: &mut Vec<Finding>) -> Option<(ConfigSource, Vec<usize>)> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    // A list is no configuration, but a header of TOML begins like one.
    let is_json = text.trim_start().starts_with('{') || serde_json::from_str::<IgnoredAny>(text).is_ok();
    let (root, own) = if is_json { (json(text), [].as_slice()) } else { (toml(text), OWN) };
    let members = match root {
        Err(finding) => {
            findings.push(*finding);
            return None;
        }
        Ok(Node::Object(members)) => members,
        Ok(other) => {
            findings.push(
                fail(Code::CfgType)
                    .seen(format!("the whole file is {}", other.name()))
                    .expected("an object with domains"),
            );
            return None;
        }
    };
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

/// Finds the part that is ours: under `domains`, as dotted keys, or the whole file. Keys of `own` may stand beside.
fn domains(
    members: Vec<(String, Node)>,
    own: &[&str],
    findings: &mut Vec<Finding>,
) -> Option<(ConfigSource, Vec<usize>)> {
    let has = |key: &str| members.iter().any(|(name, _)| name == key);
    let mut ours: Vec<(String, Node)> = if has("domains") {
        duplicates("", &members, findings);
        let (_, domains) = members.into_iter().find(|(name, _)| name == "domains")?;
        match domains {
            Node::Object(members) => members,
            other => {
                findings.push(
                    fail(Code::CfgType)
                        .seen(format!("domains is {}", other.name()))
                        .expected("an object with primary and redirects"),
                );
                return None;
            }
        }
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
            ("primary", other) => findings.push(wrong_type("domains.primary", &other, "text, a domain")),
            ("redirects", Node::List(list)) => {
                if list.len() > MAX_REDIRECTS {
                    let seen = format!(
                        "domains.redirects has {} entries; {MAX_REDIRECTS} is the most that is read",
                        list.len()
                    );
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
    let members = match node {
        Node::Object(members) => members,
        other => {
            findings.push(wrong_type(&place, &other, "an object with from, to and status"));
            return None;
        }
    };
    duplicates(&format!("{place}."), &members, findings);
    unknown(&format!("{place}."), &members, REDIRECT, findings);
    let missing: Vec<&str> =
        REDIRECT.iter().copied().filter(|key| !members.iter().any(|(name, _)| name == key)).collect();
    for key in &missing {
        let expected = if *key == "status" { "a whole number, 301" } else { "text, a domain" };
        findings.push(fail(Code::CfgType).seen(format!("{place}.{key} is missing")).expected(expected));
    }
    let mut written = WrittenRedirect::default();
    let mut complete = missing.is_empty();
    for (key, node) in members {
        match (key.as_str(), node) {
            ("from", Node::Text(text)) => written.from = text,
            ("to", Node::Text(text)) => written.to = text,
            ("status", Node::Number(number)) => written.status = number,
            ("status", other) => {
                findings.push(wrong_type(&format!("{place}.status"), &other, "a whole number, 301"));
                complete = false;
            }
            ("from" | "to", other) => {
                findings.push(wrong_type(&format!("{place}.{key}"), &other, "text, a domain"));
                complete = false;
            }
            _ => {}
        }
    }
    complete.then_some(written)
}

fn wrong_type(place: &str, node: &Node, expected: &str) -> Finding {
    fail(Code::CfgType).seen(format!("{place} is {}", node.name())).expected(expected).fix(format!("write {expected}"))
}

/// A key that comes twice: most readers silently take the last one.
fn duplicates(place: &str, members: &[(String, Node)], findings: &mut Vec<Finding>) {
    let mut seen = HashSet::new();
    let twice: BTreeSet<&String> = members.iter().map(|(key, _)| key).filter(|key| !seen.insert(*key)).collect();
    for key in twice.into_iter().take(MAX_TOLD) {
        findings.push(fail(Code::CfgType).seen(format!("{place}{} stands twice", short(key))).fix("keep one"));
    }
}

fn unknown(place: &str, members: &[(String, Node)], known: &[&str], findings: &mut Vec<Finding>) {
    let unknown = members.iter().map(|(key, _)| key.as_str()).filter(|key| !known.contains(key));
    for key in unknown.take(MAX_TOLD) {
        let meant = known.iter().map(|word| (osa_distance(&key.to_lowercase(), word), word)).min();
        let fix = match meant.filter(|(apart, _)| *apart <= 2) {
            Some((_, word)) => format!("did you mean {word}?"),
            None => format!("remove it; known are {}", known.join(", ")),
        };
        findings.push(warn(Code::CfgUnknownKey).seen(format!("{place}{}", short(key))).fix(fix));
    }
}
