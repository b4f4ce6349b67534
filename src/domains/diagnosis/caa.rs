//! Which authorities may issue, exactly by RFC 8659 and RFC 8657 (catalogue, section 2.4).

use super::facts::Facts;
use super::prelude::*;
use super::propagation::forgets;

/// Properties that every authority knows (RFC 8659 section 4, RFC 9495). Let's Encrypt stops at others that are critical,
/// such as `contactemail`.
const KNOWN: &[&str] = &["issue", "issuewild", "iodef", "issuemail"];

/// The critical bit: the most significant of the flags (RFC 8659 section 4.1).
const CRITICAL: u8 = 128;

/// An issue value (RFC 8659 section 4.2).
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Issue {
    /// The authority's domain, lower case; `None` forbids.
    pub issuer: Option<String>,
    /// Parameters, their tags in lower case.
    pub parameters: Vec<(String, String)>,
}

impl Issue {
    /// Reads a value; `None` if it does not follow the grammar, in which case it allows no CA.
    pub fn parse(value: &[u8]) -> Option<Self> {
        let text = std::str::from_utf8(value).ok()?;
        let blank = [' ', '\t'];
        let (issuer, parameters) = text.split_once(';').map_or((text, ""), |(issuer, rest)| (issuer, rest));
        let issuer = issuer.trim_matches(blank);
        let is_label = |label: &str| {
            !label.is_empty()
                && label.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-')
                && !label.starts_with('-')
                && !label.ends_with('-')
        };
        if !issuer.is_empty() && !issuer.split('.').all(is_label) {
            return None;
        }
        let parameters = parameters.trim_matches(blank).split_terminator(';').map(|parameter| {
            let (tag, value) = parameter.split_once('=')?;
            let (tag, value) = (tag.trim_matches(blank), value.trim_matches(blank));
            let fits = is_label(tag) && value.bytes().all(|byte| byte.is_ascii_graphic());
            fits.then(|| (tag.to_ascii_lowercase(), value.to_owned()))
        });
        let issuer = (!issuer.is_empty()).then(|| issuer.to_ascii_lowercase());
        Some(Self { issuer, parameters: parameters.collect::<Option<_>>()? })
    }

    fn parameter(&self, tag: &str) -> Option<&str> {
        self.parameters.iter().find(|(name, _)| name == tag).map(|(_, value)| value.as_str())
    }
}

/// Flags, tag and value.
type CaaRecord<'a> = (u8, &'a str, &'a [u8]);

/// The CAA records of one level.
struct Level<'a> {
    level: DnsName,
    records: Vec<CaaRecord<'a>>,
    /// Records that are broken beyond their value.
    unreadable: bool,
    /// The name that has the records, if a CNAME led there.
    target: Option<&'a DnsName>,
}

/// The finding on CAA: one, since the first level with any record decides alone. The name servers decide what is right;
/// resolvers may have older records cached, but what they cannot get, CAs cannot get, either.
pub fn findings(facts: &Facts<'_>) -> Vec<Finding> {
    let mut asked = Vec::new();
    for level in levels(facts) {
        let best = best_answer(facts, &level);
        if let Asked::Answered(lookup, _) | Asked::Failed(lookup) = best {
            asked.push(Evidence::from(lookup));
            if let Some(failed) = failed(facts, &level) {
                return vec![failed];
            }
        }
        match best {
            Asked::Answered(_, reply) => {
                if let Some(records) = records_of(level, reply) {
                    let finding = judge(facts, &records).evidence(asked);
                    return vec![cached(facts, &finding).unwrap_or(finding)];
                }
            }
            // Failures above the domain are not its own. If nothing works, CAA is not the problem.
            Asked::Failed(lookup) if level.is_within(&facts.domain.registrable) => {
                let failed = || lookup_failed(facts, &level, lookup);
                return works(facts, lookup).then(failed).into_iter().collect();
            }
            Asked::NotAsked if asked.is_empty() => return Vec::new(),
            // What CAs find there decides, and is not known.
            Asked::NotAsked | Asked::Failed(_) => return vec![say::caa_unread(level).evidence(asked)],
        }
    }
    let none = say::no_caa(facts.name()).evidence(asked);
    vec![cached(facts, &none).unwrap_or(none)]
}

/// The name and its parents.
fn levels(facts: &Facts<'_>) -> impl Iterator<Item = DnsName> {
    std::iter::once(facts.name().clone()).chain(facts.name().parents())
}

/// The answer for a level: that of the name servers, in their zone; else the best of the resolvers, since one may be
/// down. Behind a CNAME, the records of its target count.
fn best_answer<'a>(facts: &Facts<'a>, level: &DnsName) -> Asked<'a> {
    let by_resolver = |name: &DnsName| facts.seen.resolvers(name, CAA).collect();
    let through = target(facts, level).map_or(Asked::NotAsked, by_resolver);
    let at_source = at_source(facts, level).filter(|_| facts.source().only_here.is_none());
    match (through, at_source) {
        (Asked::Answered(..), _) => through,
        (_, Some(at_source)) => std::iter::once(at_source).collect(),
        (_, None) => by_resolver(level),
    }
}

/// The answer for a level of a server with authority.
fn at_source<'a>(facts: &Facts<'a>, level: &DnsName) -> Option<&'a Lookup> {
    facts.seen.asked(level, CAA).find(|it| it.authoritative().is_some())
}

/// Where the CNAME of the name leads: the records there count for `level`.
fn target<'a>(facts: &Facts<'a>, level: &DnsName) -> Option<&'a DnsName> {
    let target = facts.source().cnames().first().map(|(target, _)| *target);
    target.filter(|_| facts.source().authoritative && level == facts.name())
}

/// Resolvers that answer for the name, and not for CAA at a level or at the target of its CNAME.
fn failed(facts: &Facts<'_>, level: &DnsName) -> Option<Finding> {
    // Failures above the domain are not its own, and CAs get an answer there.
    let own = level.is_within(&facts.domain.registrable).then_some(level);
    target(facts, level).into_iter().chain(own).find_map(|place| {
        let asked: Vec<&Lookup> = facts.seen.resolvers(place, CAA).filter(|asked| works(facts, asked)).collect();
        let failing = asked.iter().filter(|asked| asked.answer().is_none());
        // One of several may only have its own trouble, and so may the only one, unless it rejects signatures.
        let at_source = || facts.seen.source(place, CAA).any(|asked| asked.answer().is_some());
        let is_its_own = asked.len() == 1 && at_source() && !facts.seen.lookups.iter().any(Lookup::is_signed);
        let most = 2 * failing.clone().count() > asked.len() && !is_its_own;
        failing.into_iter().next().filter(|_| most).map(|it| lookup_failed(facts, place, it))
    })
}

/// Whether the server answers for the name itself.
fn works(facts: &Facts<'_>, lookup: &Lookup) -> bool {
    facts.resolvers(A).any(|asked| asked.server == lookup.server && asked.answer().is_some())
}

/// A resolver with other CAA records than the name servers, which forbid.
struct Forbidding<'a> {
    /// What they are judged by.
    finding: Finding,
    /// The name that has them.
    place: DnsName,
    /// The answer that differs, and when it expires.
    old: &'a Lookup,
    until: Timestamp,
    /// As it is remembered.
    records: Vec<String>,
}

/// What to remember of them for the next check.
pub fn promises<'a>(facts: &Facts<'a>) -> impl Iterator<Item = Promise> {
    forbidding(facts).map(|it| {
        let Forbidding { old, until, records, .. } = it;
        let known = facts.promised(old, &records).cloned();
        let ttl = until.duration_since(old.at).as_secs().try_into().unwrap_or_default();
        known.unwrap_or(Promise { server: old.server.name.clone(), records, until, several: false, ttl })
    })
}

/// A resolver with CAA records that forbid what those of the name servers, judged by `now`, allow.
fn cached(facts: &Facts<'_>, now: &Finding) -> Option<Finding> {
    if now.fails() {
        return None;
    }
    let others: Vec<Forbidding<'_>> = forbidding(facts).collect();
    let has_passed = |it: &&Forbidding<'_>| {
        facts.promised(it.old, &it.records).is_some_and(|promised| {
            // It was given when it had its TTL left, at the earliest.
            let since = promised.until.saturating_sub(SignedDuration::from_secs(promised.ttl.into()));
            let latest = since.map(|since| promised.latest(since, it.old.at, it.until));
            promised.was_renewed(it.old.at, it.until) && latest.is_ok_and(|latest| it.until > latest)
        })
    };
    let passed = others.iter().filter(has_passed);
    if let Some(other) = passed.clone().next().filter(|_| 2 * passed.count() > facts.resolvers(A).count()) {
        // No cache explains it any more: that is what CAs see.
        return Some(other.finding.clone().evidence([other.old]));
    }
    let other = others.into_iter().max_by_key(|other| other.until)?;
    let left = words::wait(other.until.duration_since(other.old.at));
    let finding = say::caa_wait(other.old.server.label(), other.place, left, &now.seen);
    Some(finding.until(other.until).evidence([other.old]))
}

fn forbidding<'a>(facts: &Facts<'a>) -> impl Iterator<Item = Forbidding<'a>> {
    facts.resolvers(A).filter_map(move |resolver| {
        let asked = |level: &DnsName| facts.seen.resolvers(level, CAA).find(|asked| asked.server == resolver.server);
        let mut answers = levels(facts).filter_map(|level| Some((asked(&level)?, level)));
        let forbids = answers.find_map(|(asked, level)| records_of(level, asked.answer()?))?;
        let finding = Some(judge(facts, &forbids)).filter(Finding::fails)?;
        let is_old = |level: &DnsName| {
            let source = at_source(facts, level)?;
            let old = asked(level).filter(|asked| caa_at(level, asked) != caa_at(level, source))?;
            Some((forgets(level, old)?, old))
        };
        let (until, old) = levels(facts).filter_map(|level| is_old(&level)).max_by_key(|(until, _)| *until)?;
        let place = forbids.target.unwrap_or(&forbids.level).clone();
        let records = [vec!["CAA".to_owned()], caa_at(&old.question.name, old)].concat();
        Some(Forbidding { finding, place, old, until, records })
    })
}

/// The CAA records at a level, to compare.
fn caa_at(level: &DnsName, lookup: &Lookup) -> Vec<String> {
    let records = lookup.at(level);
    let records = records.map(|it| &it.data).filter(|data| data.kind() == CAA);
    let mut records: Vec<String> = records.map(Data::presentation).collect();
    records.sort_unstable();
    records
}

fn lookup_failed(facts: &Facts<'_>, level: &DnsName, lookup: &Lookup) -> Finding {
    let own = level.is_within(&facts.domain.registrable);
    let ask = if own { "at your DNS provider," } else { "ask the platform's support to" };
    let why = lookup.failure().unwrap_or_default();
    let finding = say::caa_lookup_failed(lookup.server.label(), level, why, ask).evidence([lookup]);
    Finding { who: if own { Who::DnsProvider } else { Who::Platform }, ..finding }
}

fn records_of(level: DnsName, reply: &Reply) -> Option<Level<'_>> {
    let mut records = Vec::new();
    let mut unreadable = false;
    let mut target = None;
    for record in &reply.answers {
        match &record.data {
            Data::Caa { flags, tag, value } => records.push((*flags, tag.as_str(), value.as_slice())),
            Data::Malformed(CAA) => unreadable = true,
            _ => continue,
        }
        if record.owner != level {
            target = Some(&record.owner);
        }
    }
    (unreadable || !records.is_empty()).then_some(Level { level, records, unreadable, target })
}

fn judge(facts: &Facts<'_>, level: &Level<'_>) -> Finding {
    let place = level.target.unwrap_or(&level.level);
    // Records at the platform's own host are the platform's to change.
    let (who, at, found) = match level.target {
        Some(_) => (Who::Platform, "ask the platform to", "found through the CNAME"),
        None => (Who::DnsProvider, "at your DNS provider,", "the nearest level with CAA records"),
    };
    let shown =
        list(level.records.iter().map(|(flags, tag, value)| {
            format!("{flags} {} \"{}\"", short(tag), short(&String::from_utf8_lossy(value)))
        }));
    let shown = if shown.is_empty() { "records that cannot be read" } else { &shown };
    let finding =
        |code, verdict, who| Finding::new(code, verdict, who).seen(format!("{place} has CAA {shown} ({found})"));
    let is_unknown = |(flags, tag, _): &&CaaRecord<'_>| flags & CRITICAL != 0 && !KNOWN.contains(tag);
    if let Some((_, tag, _)) = level.records.iter().find(is_unknown) {
        let tag = short(tag);
        return finding(Code::CaaCritical, Verdict::Fail, who)
            .expected("no unknown critical property")
            .fix(format!("at your DNS provider, remove the CAA property {tag} at {place}, or set its flag to 0"));
    }
    let tagged = |wanted| level.records.iter().filter(move |(_, tag, _)| *tag == wanted).map(|(.., value)| *value);
    let issues: Vec<Option<Issue>> = tagged("issue").map(Issue::parse).collect();
    if issues.is_empty() && !level.unreadable {
        let code = if tagged("issuewild").next().is_some() { Code::CaaWildOnly } else { Code::CaaOk };
        return finding(code, Verdict::Ok, Who::Nobody);
    }
    let names_any = issues.iter().flatten().any(|issue| issue.issuer.is_some());
    let authorities = &facts.expectation.ca_identities;
    if authorities.is_empty() && names_any {
        let issuer = facts.seen.platform().and_then(Presented::leaf);
        let hint = issuer.map_or_else(String::new, |leaf| {
            format!(" The platform's own host has a certificate from {}.", short(&leaf.issuer_short))
        });
        let unknown = finding(Code::CaaCaUnknown, Verdict::Unknown, Who::Platform).expected("the platform's CA");
        return unknown.fix(format!("{}{hint}", Code::CaaCaUnknown.cure()));
    }
    let is_ours = |issuer: &String| authorities.iter().any(|ca| ca.eq_ignore_ascii_case(issuer));
    let allows = |issue: &&Issue| issue.issuer.as_ref().is_some_and(is_ours);
    let allowing: Vec<&Issue> = issues.iter().flatten().filter(allows).collect();
    if !allowing.is_empty() {
        return allowed(&allowing, finding);
    }
    let ours = authorities.first().map(String::as_str);
    let add =
        format!("add a CAA record at {place}: flag 0, tag issue, value {}", ours.unwrap_or("<the platform's CA>"));
    let (code, fix) = if names_any {
        (Code::CaaBlocked, format!("{add}. Keep the other records"))
    } else if level.unreadable || issues.contains(&None) {
        (Code::CaaBadSyntax, format!("correct the value, which allows no CA as it is; or {add}"))
    } else {
        (Code::CaaEmpty, format!("{add}: the present record forbids every CA"))
    };
    finding(code, Verdict::Fail, who)
        .expected(format!("0 issue \"{}\"", ours.unwrap_or("...")))
        .fix(format!("{at} {fix}{}", good_until(facts)))
}

/// How long the present certificate is valid: only its renewal is refused.
fn good_until(facts: &Facts<'_>) -> String {
    let name = facts.name().as_str();
    let leaves = facts.seen.handshakes.iter().filter_map(|it| it.leaf());
    let good = leaves.filter(|leaf| leaf.covers(name) && leaf.not_after > facts.now).map(|leaf| leaf.not_after).min();
    good.map_or_else(String::new, |until| {
        format!(". The present certificate is valid until {}; its renewal would be refused", until.strftime("%Y-%m-%d"))
    })
}

/// The platform's method and account are unknown, so a record that allows only some may forbid its certificate.
fn allowed(allowing: &[&Issue], finding: impl Fn(Code, Verdict, Who) -> Finding) -> Finding {
    let [methods, account] = ["validationmethods", "accounturi"];
    let limits = |issue: &&&Issue| issue.parameter(methods).is_some() || issue.parameter(account).is_some();
    let limited = allowing.first().filter(|_| allowing.iter().all(|issue| limits(&issue)));
    match limited.map(|issue| issue.parameter(methods)) {
        None => finding(Code::CaaOk, Verdict::Ok, Who::Nobody),
        Some(Some(listed)) => finding(Code::CaaMethod, Verdict::Warn, Who::DnsProvider)
            .fix(format!("only {} is allowed: ask the platform's support whether it uses that method", short(listed))),
        Some(None) => finding(Code::CaaAccount, Verdict::Warn, Who::DnsProvider)
            .fix("only one account is allowed: ask the platform's support whether it is theirs, or remove accounturi"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(value: &str) -> Option<Issue> {
        Issue::parse(value.as_bytes())
    }

    #[test]
    fn values_follow_the_grammar_of_rfc_8659() {
        let issuer = |text: &str| Some(Issue { issuer: Some(text.into()), parameters: Vec::new() });
        for text in ["letsencrypt.org", " LetsEncrypt.ORG ", "letsencrypt.org;", "letsencrypt.org ; "] {
            assert_eq!(parse(text), issuer("letsencrypt.org"), "{text}");
        }
        for text in ["", ";", "  ;  "] {
            assert_eq!(parse(text), Some(Issue::default()), "{text}");
        }
        let both = parse("ca.example; validationmethods=dns-01,http-01 ; accounturi=https://ca/a?b=c=d").unwrap();
        assert_eq!(both.parameter("validationmethods"), Some("dns-01,http-01"));
        assert_eq!(both.parameter("accounturi"), Some("https://ca/a?b=c=d"));
        assert_eq!(parse("ca.example; a=").unwrap().parameter("a"), Some(""));
        for text in [
            "%%%%%",
            "letsencrypt.org validationmethods=x",
            "-ca.example",
            "ca..example",
            "ca.example; x",
            "ca.example; a b=c",
            "https://ca.example",
            "ca.example; a=b c",
            "ca.example; =x",
            "zoë.example",
        ] {
            assert_eq!(parse(text), None, "{text}");
        }
        assert_eq!(Issue::parse(&[0xff, 0xfe]), None);
    }

    proptest::proptest! {
        #[test]
        fn no_value_panics(value in proptest::collection::vec(proptest::num::u8::ANY, 0..100)) {
            let _ = Issue::parse(&value);
        }
    }
}
