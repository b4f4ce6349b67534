//! What a typed name means: which part of it is a domain, and what is wrong with it (catalogue, section 2.1).
//!
//! Pure: no lookup is made before a name has passed here.

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::net::{IpAddr, Ipv6Addr};

use idna::AsciiDenyList;
use idna::uts46::{DnsLength, Hyphens, Uts46};
use unicode_script::{Script, UnicodeScript as _};

use crate::model::short;
use crate::model::text::display_safe;

use super::{Code, DnsName, Domain, Finding, Who};

/// The most bytes of a label (RFC 1035 section 2.3.4).
const MAX_LABEL: usize = 63;
/// The most bytes of a name in presentation form, without the final dot.
const MAX_NAME: usize = 253;
/// The most characters read; nobody types more, and conversions take time.
const MAX_TYPED: usize = 2048;

/// Suffixes that are not part of the public DNS (RFC 6761, 6762, 7686, 8375, 9476 and ICANN's `internal`).
const RESERVED: &[&str] =
    &["alt", "example", "home.arpa", "internal", "invalid", "lan", "local", "localhost", "onion", "test"];

/// What exists already, for the checks that compare.
#[derive(Clone, Debug, Default)]
pub struct ExistingDomains {
    /// The platform's host, which the record's value names.
    pub platform_host: Option<DnsName>,
    /// Names that are listed, or are sources of redirects.
    pub listed: Vec<DnsName>,
}

/// What a typed name means.
#[derive(Clone, Debug)]
pub struct ParsedName {
    /// The domain, unless a finding fails.
    pub domain: Option<Domain>,
    /// What was accepted, corrected or refused; never empty.
    pub findings: Vec<Finding>,
}

/// Reads typed or pasted text.
pub fn read(typed: &str, known: &ExistingDomains) -> ParsedName {
    let mut findings = Vec::new();
    let read = reduce(typed, &mut findings)
        .and_then(|host| understand(&host, typed, &mut findings))
        .and_then(|domain| compare(domain, known));
    let domain = read.map_err(|refused| findings.push(*refused)).ok();
    if let (Some(domain), true) = (&domain, findings.is_empty()) {
        findings.push(Finding::ok(Code::InOk).seen(domain.name.as_str()));
    }
    ParsedName { domain, findings }
}

/// Reads a name that must be a public domain as written, for example from a configuration; the first refusal
/// otherwise.
pub fn domain(text: &str) -> Result<Domain, Box<Finding>> {
    let mut findings = Vec::new();
    reduce(text, &mut findings).and_then(|host| understand(&host, text, &mut findings))
}

fn warn(code: Code) -> Finding {
    Finding::warn(code, Who::DnsProvider).cured()
}

/// Boxed, since it travels in results.
fn fail(code: Code, seen: impl Into<String>) -> Box<Finding> {
    Box::new(Finding::fail(code, Who::DnsProvider).seen(seen).cured())
}

/// Refuses `seen` where something is wrong with it.
fn refuse_if(wrong: bool, code: Code, seen: &str) -> Result<(), Box<Finding>> {
    if wrong { Err(fail(code, short(seen))) } else { Ok(()) }
}

/// The host within an address, or the text itself; a finding names what was cut off.
fn reduce(typed: &str, findings: &mut Vec<Finding>) -> Result<String, Box<Finding>> {
    let text = typed.trim();
    let length = text.chars().count();
    refuse_if(length > MAX_TYPED, Code::InNameLong, &format!("{length} characters"))?;
    let is_blank = |text: &str| text.chars().all(|c| c == '.' || c.is_whitespace());
    refuse_if(is_blank(text), Code::InEmpty, typed)?;
    refuse_if(is_address(text), Code::InIp, text)?;
    let (had_scheme, rest) = match text.split_once("://") {
        Some((scheme, rest)) if scheme.chars().all(|c| c.is_ascii_alphanumeric() || "+-.".contains(c)) => (true, rest),
        _ => text.strip_prefix("//").map_or((false, text), |rest| (true, rest)),
    };
    let end = rest.find(['/', '?', '#', '\\']).unwrap_or(rest.len());
    let (authority, cut_off) = rest.split_at(end);
    let (user, host) = authority.rsplit_once('@').map_or((None, authority), |(user, host)| (Some(user), host));
    // It is a user name only in a URL; otherwise this is an email address.
    if user.is_some() && !had_scheme {
        let fix = format!("enter the part after the @, if that is your domain: {}", short(host));
        return Err(Box::new(fail(Code::InEmail, short(text)).fix(fix)));
    }
    let is_port = |port: &str| !port.is_empty() && port.bytes().all(|byte| byte.is_ascii_digit());
    let port = host.rsplit_once(':').filter(|(_, port)| is_port(port));
    let host = port.map_or(host, |(before, _)| before);
    if had_scheme || !cut_off.is_empty() {
        let beside = if cut_off.len() > 1 { format!("; {} is not part of it", short(cut_off)) } else { String::new() };
        findings.push(Finding::ok(Code::InUrl).seen(format!("the domain is {}{beside}", short(host))));
    }
    findings.extend(port.map(|(_, port)| warn(Code::InPort).seen(format!(":{}", short(port)))));
    refuse_if(is_blank(host), Code::InEmpty, typed)?;
    refuse_if(is_address(host), Code::InIp, host)?;
    Ok(host.to_owned())
}

/// Addresses pass every check of a name, so they are refused first.
fn is_address(text: &str) -> bool {
    let bare = text.strip_suffix('.').unwrap_or(text);
    let inner = bare.strip_prefix('[').and_then(|rest| rest.split_once(']')).map_or(bare, |(inner, _)| inner);
    let v4_with_port = inner.split_once(':').map_or(inner, |(host, _)| host);
    let v6_with_scope = inner.split_once('%').map_or(inner, |(address, _)| address);
    v4_with_port.parse::<IpAddr>().is_ok() || v6_with_scope.parse::<Ipv6Addr>().is_ok()
}

/// The checks of the name on its own.
fn understand(host: &str, typed: &str, findings: &mut Vec<Finding>) -> Result<Domain, Box<Finding>> {
    // UTS 46 treats these as dots, too.
    let host = host.trim().replace(['\u{3002}', '\u{ff0e}', '\u{ff61}'], ".");
    let host = host.strip_suffix('.').unwrap_or(&host);
    refuse_if(host.contains('*'), Code::InWildcard, host)?;
    refuse_if(host.split('.').any(str::is_empty), Code::InEmptyLabel, host)?;
    refuse_characters(host, typed)?;
    refuse_if(!host.contains('.'), Code::InNoDot, host)?;
    let ascii = host.split('.').map(to_ascii).collect::<Result<Vec<_>, _>>()?.join(".");
    if let Some(label) = ascii.split('.').find(|label| label.len() > MAX_LABEL) {
        let over = label.len() - MAX_LABEL;
        return Err(fail(Code::InLabelLong, format!("{} has {} bytes, {over} too many", short(label), label.len())));
    }
    let over = ascii.len().saturating_sub(MAX_NAME);
    refuse_if(over > 0, Code::InNameLong, &format!("{} bytes, {over} too many", ascii.len()))?;
    let last = ascii.rsplit('.').next().unwrap_or_default();
    refuse_if(last.bytes().all(|byte| byte.is_ascii_digit()), Code::InIp, host)?;
    let (unicode, _) = idna::domain_to_unicode(&ascii);
    if unicode != ascii {
        findings.push(Finding::ok(Code::InIdn).seen(format!("{} is {ascii} in DNS", display_safe(&unicode))));
        if let Some((label, scripts)) = unicode.split('.').find_map(|label| Some((label, mixed_scripts(label)?))) {
            findings.push(warn(Code::InMixedScript).seen(format!("{} has {scripts}", short(label))));
        }
    }
    let suffix = suffix(&ascii);
    if suffix.icann == ascii.len() {
        return Err(fail(Code::InPublicSuffix, ascii.as_str()));
    }
    let before = &ascii[..ascii.len() - suffix.icann - 1];
    let label = before.rsplit('.').next().unwrap_or(before);
    let registrable = DnsName::new(&ascii[before.len() - label.len()..]);
    let name = DnsName::new(&ascii);
    if let Some(reserved) = RESERVED.iter().map(|suffix| DnsName::new(suffix)).find(|suffix| name.is_within(suffix)) {
        findings.push(warn(Code::InReserved).seen(format!("{name} is under {reserved}")));
    } else if !suffix.known {
        findings.push(warn(Code::InUnknownTld).seen(format!("{last} is not a known top-level domain; a typo?")));
    }
    if let Some(private) = suffix.private {
        findings.push(warn(Code::InPrivateSuffix).seen(format!("{name} is under {private}")));
    }
    let domain = Domain { name, unicode: display_safe(&unicode).into_owned(), registrable };
    if domain.is_apex() && suffix.private.is_none() {
        findings.push(Finding::ok(Code::InApex).seen(domain.name.as_str()).cured());
    }
    if findings.is_empty() && typed != domain.name.as_str() {
        findings.push(Finding::ok(Code::InOk).seen(format!("{} is {}", short(typed), domain.name)));
    }
    Ok(domain)
}

/// One label in its DNS form.
fn to_ascii(label: &str) -> Result<String, Box<Finding>> {
    let punycode = label.get(..4).is_some_and(|start| start.eq_ignore_ascii_case("xn--"));
    let is_reserved = label.as_bytes().get(2..4) == Some(b"--") && !punycode;
    refuse_if(label.starts_with('-') || label.ends_with('-') || is_reserved, Code::InHyphen, label)?;
    match converted(label) {
        Ok(ascii) if ascii.is_empty() || ascii.contains('.') => Err(fail(Code::InChar, short(label))),
        Ok(ascii) => Ok(ascii.into_owned()),
        Err(_) if punycode => Err(fail(Code::InIdnBad, short(label))),
        Err(_) => {
            let culprit = label.chars().find(|c| !c.is_ascii() && converted(&format!("a{c}a")).is_err());
            let seen = culprit.map_or_else(|| short(label), |c| format!("{} in {}", code_point(c), short(label)));
            Err(fail(Code::InChar, seen))
        }
    }
}

/// UTS 46, non-transitional. Some letters expand to several characters, each of which must be allowed in a name.
/// Lengths are counted elsewhere, where the finding gives the excess.
fn converted(label: &str) -> Result<Cow<'_, str>, idna::Errors> {
    Uts46::new().to_ascii(label.as_bytes(), AsciiDenyList::STD3, Hyphens::Check, DnsLength::Ignore)
}

/// Refuses characters before the conversion, which drops some of them silently.
fn refuse_characters(host: &str, typed: &str) -> Result<(), Box<Finding>> {
    let allowed = |c: char| match c {
        '-' | '.' => true,
        // The two joiners are allowed where a script needs them; the conversion knows where.
        '\u{200c}' | '\u{200d}' => true,
        _ if c.is_ascii() => c.is_ascii_alphanumeric(),
        _ => display_safe(c.encode_utf8(&mut [0; 4])).chars().eq([c]) && !c.is_whitespace(),
    };
    let Some(culprit) = host.chars().find(|c| !allowed(*c)) else { return Ok(()) };
    if culprit == '_' {
        let label = host.split('.').find(|label| label.contains('_')).unwrap_or(host);
        return Err(fail(Code::InUnderscore, short(label)));
    }
    let position = typed.chars().position(|c| c == culprit).map_or(0, |index| index + 1);
    let mut refused = fail(Code::InChar, format!("{} at position {position}", code_point(culprit)));
    if culprit == ',' {
        refused.fix = format!("did you mean {}?", short(&host.replace(',', ".")));
    }
    Err(refused)
}

fn code_point(c: char) -> String {
    let shown = display_safe(c.encode_utf8(&mut [0; 4])).into_owned();
    let number = format!("U+{:04X}", u32::from(c));
    if shown.contains(&number) || c.is_whitespace() { number } else { format!("{shown} ({number})") }
}

/// The scripts of a label that are not used together by any language.
fn mixed_scripts(label: &str) -> Option<String> {
    let scripts =
        label.chars().map(|c| c.script()).filter(|script| !matches!(script, Script::Common | Script::Inherited));
    let names: BTreeSet<&str> = scripts.map(|script| script.full_name()).collect();
    let together = ["Latin Han Hiragana Katakana", "Latin Han Bopomofo", "Latin Han Hangul"];
    let is_usual = together.iter().any(|set| names.iter().all(|name| set.split(' ').any(|script| script == *name)));
    (names.len() > 1 && !is_usual).then(|| Vec::from_iter(names).join(" and "))
}

#[derive(Default)]
struct Suffix<'a> {
    /// The length of the suffix under which names are registered.
    icann: usize,
    /// The longer suffix that belongs to a company, if any.
    private: Option<&'a str>,
    known: bool,
}

/// The public suffix of a name by the Public Suffix List.
fn suffix(ascii: &str) -> Suffix<'_> {
    let of = |name: &str| psl::suffix(name.as_bytes()).map(|s| (s.as_bytes().len(), s.is_known(), s.typ()));
    let Some((mut length, known, mut kind)) = of(ascii) else { return Suffix::default() };
    let private = (kind == Some(psl::Type::Private)).then(|| &ascii[ascii.len() - length..]);
    // Above a private suffix is the one under which the company registered its name.
    while kind == Some(psl::Type::Private) {
        let Some((_, above)) = ascii[ascii.len() - length..].split_once('.') else { break };
        let Some((next, _, next_kind)) = of(above) else { break };
        (length, kind) = (next, next_kind);
    }
    Suffix { icann: length, private, known }
}

/// The checks against existing domains.
fn compare(domain: Domain, known: &ExistingDomains) -> Result<Domain, Box<Finding>> {
    match known.platform_host.as_ref().filter(|host| domain.name.is_within(host)) {
        Some(host) => Err(fail(Code::InPlatform, format!("{} is under {host}", domain.name))),
        None if known.listed.contains(&domain.name) => Err(fail(Code::InDuplicate, domain.name.as_str())),
        None => Ok(domain),
    }
}

#[cfg(test)]
mod tests;
