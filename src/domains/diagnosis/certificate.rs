//! The certificate, address by address (catalogue, section 2.5).

use jiff::civil::{Date, date};
use jiff::tz::TimeZone;
use std::collections::BTreeMap;

use super::facts::Facts;
use super::prelude::*;
use crate::domains::observation::covers;

/// The alerts of servers that have no certificate for a name (RFC 6066 section 3, RFC 8446 section 6.2).
const NO_CERTIFICATE: &[&str] = &["unrecognized_name", "handshake_failure", "internal_error"];
/// How many days browsers let a certificate be valid that begins on that day or later (CA/Browser Forum, ballots SC22 and
/// SC081v3).
const LONGEST_VALIDITY: [(Date, i64); 4] =
    [(date(2029, 3, 15), 47), (date(2027, 3, 15), 100), (date(2026, 3, 15), 200), (Date::MIN, 398)];
/// Words in the names of test authorities.
const STAGING: &[&str] = &["(staging)", "fake le ", "pebble", "happy hacker"];
/// Words in the names of intermediates.
const INTERMEDIATE: &[&str] = &["intermediate", "issuing", "sub ca", "subordinate"];
/// Organisations whose intermediates are in every browser.
const WELL_KNOWN: &str = "\
    let's encrypt, google trust services, digicert, sectigo, globalsign, zerossl, amazon, godaddy, entrust, \
    buypass, ssl corporation, certum, comodo, geotrust, identrust";

/// The findings on certificates. `leads_here`: the record leads to the platform. `free`: CAA lets its CA issue.
pub fn findings(facts: &Facts<'_>, leads_here: bool, free: bool) -> Vec<Finding> {
    use ConnectionFailure::{Unreachable, Withheld};
    let shakes = || facts.seen.handshakes.iter();
    let reached: Vec<&Handshake> =
        shakes().filter(|shake| !matches!(shake.outcome, Err(Unreachable | Withheld))).collect();
    let mut findings = Vec::new();
    for handshake in &reached {
        let mut finding = judge(facts, handshake);
        if !leads_here && finding.verdict != Verdict::Ok {
            finding = of_another_server(facts, finding);
        } else if free && finding.fails() && finding.who == Who::Dashboard {
            // It is late, although all is right.
            let row = Code::CaElsewhere;
            finding.fix = format!("{}. If that does not help: {} {}", finding.fix, row.cause(), row.cure());
        }
        // Several addresses of one platform say the same.
        match findings.iter_mut().find(|known: &&mut Finding| known.code == finding.code) {
            Some(known) => known.evidence.extend(finding.evidence),
            None => findings.push(finding),
        }
    }
    one_of_several(leads_here, &mut findings);
    findings.extend(without_server_name(facts));
    findings.extend(strict_transport(&reached, &findings));
    findings.extend(differing(&reached));
    let unreachable = shakes().filter(|shake| shake.outcome == Err(Unreachable) && shake.address.is_ipv6());
    let untested: Vec<IpAddr> = unreachable.map(|shake| shake.address.ip()).collect();
    findings.extend((!untested.is_empty()).then(|| say::v6_untested(list(untested))));
    findings
}

/// A server that has the certificate, and does not choose it by the name.
fn without_server_name(facts: &Facts<'_>) -> Option<Finding> {
    let handshake = facts.seen.nameless_handshake.as_ref()?;
    let leaf = handshake.leaf().filter(|leaf| leaf.covers(facts.name().as_str()))?;
    let (name, issuer) = (facts.name(), whole(&leaf.issuer_short));
    Some(say::only_without_sni(handshake.address.ip(), name, issuer).evidence([handshake]))
}

/// What a server that refuses the name shows to callers that send none: it tells whose server it is.
fn shown_without_name(facts: &Facts<'_>, address: IpAddr) -> String {
    let shown = facts.seen.nameless_handshake.as_ref().filter(|shake| shake.address.ip() == address);
    let shown = shown.and_then(Handshake::leaf).map(|leaf| &leaf.names).filter(|names| !names.is_empty());
    shown.map_or_else(String::new, |own| format!(" (without SNI it shows {})", names(own)))
}

/// If another address of the platform has the right certificate, neither Verify nor waiting helps this one.
fn one_of_several(leads_here: bool, findings: &mut [Finding]) {
    let works = leads_here && findings.iter().any(|it| it.code.is(Mark::GoodCertificate));
    for finding in findings.iter_mut().filter(|it| works && it.code.is(Mark::NotYetCertificate)) {
        (finding.verdict, finding.who, finding.until) = (Verdict::Warn, Who::Platform, None);
        finding.fix =
            "the platform's other addresses work: check again in a few minutes, and tell its support if it stays"
                .to_owned();
    }
}

/// What another server shows.
fn of_another_server(facts: &Facts<'_>, finding: Finding) -> Finding {
    let fails = finding.is_open();
    match facts.value() {
        Some(_) => finding.after_record().fail_if(fails),
        None if finding.code.is(Mark::BadCertificate) => Finding { who: Who::DnsProvider, until: None, ..finding },
        None => Finding { verdict: Verdict::Warn, ..finding.after_record() }.fix(
            "without the value from the dashboard, petstore cannot tell whether this is the platform's server: pass it with --platform-host",
        ),
    }
}

fn judge(facts: &Facts<'_>, handshake: &Handshake) -> Finding {
    match (&handshake.outcome, handshake.leaf()) {
        (Ok(presented), Some(leaf)) => presented_one(facts, handshake, presented, leaf),
        (Ok(_), None) => no_handshake(facts, handshake, &ConnectionFailure::BadCertificate),
        (Err(failure), _) => no_handshake(facts, handshake, failure),
    }
    .evidence([handshake])
}

fn no_handshake(facts: &Facts<'_>, handshake: &Handshake, failure: &ConnectionFailure) -> Finding {
    let code = match failure {
        ConnectionFailure::Timeout => Code::TlsTimeout,
        ConnectionFailure::Alert(alert) if NO_CERTIFICATE.contains(&alert.as_str()) => Code::TlsAlert,
        ConnectionFailure::Reset | ConnectionFailure::Alert(_) => Code::TlsReset,
        ConnectionFailure::OldTls | ConnectionFailure::OldCiphers => Code::TlsVersion,
        ConnectionFailure::NotTls | ConnectionFailure::BadCertificate => Code::TlsNotTls,
        // The others are of requests, and of addresses that were not tried.
        _ => Code::TlsRefused,
    };
    let finding = if matches!(code, Code::TlsNotTls | Code::TlsVersion) {
        Finding::fail(code, Who::Platform).cured()
    } else if let Some(host) = refusing_platform(facts).filter(|_| code != Code::TlsAlert) {
        Finding::fail(code, Who::Platform).fix(format!(
            "nothing is wrong with your domain: the platform's own host {host} does not answer, either. Check the platform's status page, or tell its support"
        ))
    } else {
        not_there_yet(facts, code)
    };
    match failure {
        ConnectionFailure::OldCiphers => finding.title("The server has only old ciphers").fix(
            "ask the operator of the server for ECDHE with AES-GCM or ChaCha20, or TLS 1.3: browsers give up the others one by one",
        ),
        _ => finding,
    }
    .seen(format!("{}: {failure}{}", handshake.address, shown_without_name(facts, handshake.address.ip())))
        .expected(format!("a certificate for {}", facts.name()))
}

/// The platform's host, if it does not accept connections for itself, either.
fn refusing_platform<'a>(facts: &Facts<'a>) -> Option<&'a DnsName> {
    use ConnectionFailure::{Refused, Reset, Timeout};
    let own = facts.seen.platform_handshake.as_ref()?;
    let refuses = matches!(own.outcome, Err(Refused | Reset | Timeout));
    facts.value().filter(|_| refuses)
}

/// A missing certificate: the operator's turn before Verify, a wait for half an hour after it, then a failure.
fn not_there_yet(facts: &Facts<'_>, code: Code) -> Finding {
    let Some((verified, due)) = facts.reported.verified.zip(facts.reported.certificate_due()) else {
        return Finding::new(code, Verdict::You, Who::Dashboard).fix(
            "choose Verify in the dashboard under Project settings, Domains; the certificate follows automatically, usually \
             within a couple of minutes",
        );
    };
    if facts.now <= due {
        let fix = "wait: it usually takes a couple of minutes after Verify, at most 30";
        return Finding::new(code, Verdict::Wait, Who::Platform).fix(fix).until(due);
    }
    let ago = duration(facts.since(verified));
    Finding::fail(code, Who::Dashboard).fix(format!(
        "Verify was {ago} ago. 1 check that the domain still verifies (the findings on DNS), 2 check that CAA does not forbid it (the finding on CAA), 3 choose Re-verify in the dashboard, at most five times an hour"
    ))
}

fn presented_one(facts: &Facts<'_>, handshake: &Handshake, presented: &Presented, leaf: &Certificate) -> Finding {
    let name = facts.name().as_str();
    let expected = format!("a certificate for {name}");
    let is_strange = leaf.is_self_issued() && (leaf.names.is_empty() || !is_platforms_own(facts, leaf));
    let weak = leaf.rsa_bits.filter(|_| leaf.is_weak());
    match (&presented.trust, wrong_date(facts, handshake, leaf), weak) {
        // A self-signed one is reported as that, whatever else is wrong with it.
        (Err(distrust), ..) if is_strange && *distrust != Distrust::NoRoots => {
            distrusted(facts, presented, leaf, distrust)
        }
        _ if leaf.names.is_empty() => {
            say::no_san(whole(leaf.common_name.as_deref().unwrap_or("none"))).expected(expected)
        }
        _ if !leaf.covers(name) => wrong_name(facts, leaf).expected(expected),
        (_, Some(wrong_date), _) => wrong_date,
        (Err(Distrust::NoRoots), ..) => say::no_roots(),
        (.., Some(bits)) => say::weak_key(bits),
        (Err(distrust), ..) => distrusted(facts, presented, leaf, distrust),
        (Ok(()), ..) => good(facts, leaf),
    }
}

fn wrong_name(facts: &Facts<'_>, leaf: &Certificate) -> Finding {
    let names = names(&leaf.names);
    if is_platforms_own(facts, leaf) {
        return not_there_yet(facts, Code::TlsPending)
            .seen(format!("the platform answers with its own certificate, for {names}"));
    }
    say::wrong_name(names, whole(&leaf.issuer_short), facts.name())
}

/// Whether a certificate is the one that the platform shows for names that it does not know.
fn is_platforms_own(facts: &Facts<'_>, leaf: &Certificate) -> bool {
    let shown_there = facts.seen.platform().and_then(Presented::leaf);
    let same = shown_there.is_some_and(|own| own.serial == leaf.serial && own.issuer == leaf.issuer);
    let Some(zone) = facts.platform_zone() else { return false };
    let under = |name: &String| DnsName::new(name.trim_start_matches("*.")).is_within(&zone);
    same || leaf.names.iter().all(under)
}

fn wrong_date(facts: &Facts<'_>, handshake: &Handshake, leaf: &Certificate) -> Option<Finding> {
    let (begin, end, now) = (leaf.not_before, leaf.not_after, facts.now);
    let finding = match now {
        _ if now > end => say::expired(moment(end), duration(now.duration_since(end))),
        _ if now < begin => say::not_valid_yet(moment(begin)).until(begin),
        _ => return None,
    };
    let finding = finding.expected("a certificate that is valid now");
    let by_server = handshake.response().and_then(|page| page.date).filter(|date| (begin..=end).contains(date));
    let Some(by_server) = by_server.map(moment) else { return Some(finding) };
    let finding = Finding { who: Who::ThisMachine, until: None, ..finding }.title("This machine's clock is wrong");
    Some(finding.fix(format!("set this machine's clock: by the server's ({by_server}) the certificate is valid")))
}

fn distrusted(facts: &Facts<'_>, presented: &Presented, leaf: &Certificate, distrust: &Distrust) -> Finding {
    let (name, issuer) = (facts.name(), whole(&leaf.issuer));
    let lower = leaf.issuer.to_ascii_lowercase();
    let names = if leaf.names.is_empty() { "no names".to_owned() } else { names(&leaf.names) };
    match distrust {
        _ if STAGING.iter().any(|mark| lower.contains(mark)) => say::staging(issuer),
        _ if leaf.is_self_issued() => say::self_signed(issuer, names, name),
        _ if is_intercepted(facts, leaf) => say::intercepted(issuer),
        Distrust::Dates(why) => say::wrong_chain_dates(issuer, why),
        Distrust::Other(why) => say::rejected_by_browsers(issuer, why, name),
        _ if is_incomplete(facts, presented, leaf) => say::no_intermediate(issuer),
        Distrust::UnknownIssuer | Distrust::NoRoots => say::unknown_ca(issuer, name),
    }
    .expected("a certificate that browsers trust")
}

/// The platform's own host shows an issuer that is not trusted, either, and the same one.
fn is_intercepted(facts: &Facts<'_>, leaf: &Certificate) -> bool {
    facts.seen.platform().is_some_and(|own| {
        own.trust.is_err() && own.leaf().is_some_and(|own| own.issuer == leaf.issuer && own.serial != leaf.serial)
    })
}

/// One certificate was sent, and its issuer is an intermediate: one that the platform's own host sends, one of a
/// well-known organisation, or one by its name.
fn is_incomplete(facts: &Facts<'_>, presented: &Presented, leaf: &Certificate) -> bool {
    let sends = |it: &Presented| it.chain.iter().any(|certificate| certificate.subject == leaf.issuer);
    let known_there = facts.seen.platform().is_some_and(|own| own.trust.is_ok() && sends(own));
    let issuer = leaf.issuer.to_ascii_lowercase();
    let by_name = INTERMEDIATE.iter().copied().chain(WELL_KNOWN.split(", ")).any(|mark| issuer.contains(mark));
    !sends(presented) && (known_there || by_name || leaf.names_its_issuer)
}

fn good(facts: &Facts<'_>, leaf: &Certificate) -> Finding {
    let lifetime = leaf.not_after.duration_since(leaf.not_before);
    let left = leaf.not_after.duration_since(facts.now);
    // The name that matters comes first: lines of screens end somewhere.
    let (own, others): (Vec<&String>, Vec<&String>) =
        leaf.names.iter().partition(|pattern| covers(pattern, facts.name().as_str()));
    let also = if others.is_empty() { String::new() } else { format!("; also for {}", names(others)) };
    let seen = format!(
        "for {}, {} left (until {}), issued by {}{also}",
        names(own),
        duration(left),
        moment(leaf.not_after),
        whole(&leaf.issuer_short),
    );
    let begins = leaf.not_before.to_zoned(TimeZone::UTC).date();
    let longest = LONGEST_VALIDITY.iter().find(|(since, _)| begins >= *since).map(|(_, days)| *days);
    let platform = facts.seen.platform().and_then(Presented::leaf);
    let other_issuer = platform.is_some_and(|own| own.issuer_short != leaf.issuer_short);
    let known_since = facts.reported.added.or(facts.reported.saved);
    match longest.filter(|longest| lifetime.as_secs() > longest * 86_400) {
        // Lifetimes differ and become shorter: a number of days would mislead.
        _ if left.as_secs() < lifetime.as_secs() / 4 => say::expires_soon(seen).until(leaf.not_after),
        Some(longest) => say::valid_too_long(seen, lifetime.as_secs().div_euclid(86_400), longest),
        None if other_issuer && known_since.is_some_and(|since| leaf.not_before < since) => {
            say::old_certificate(seen, whole(&leaf.serial), moment(leaf.not_before))
        }
        None => say::tls_ok(seen),
    }
}

/// Browsers with HSTS for the name offer no way past a broken certificate.
fn strict_transport(reached: &[&Handshake], findings: &[Finding]) -> Option<Finding> {
    let broken = findings.iter().find(|it| it.fails())?;
    let mut fields = reached.iter().filter_map(|it| it.response()?.hsts.as_ref());
    let field = fields.find(|field| !field.replace(' ', "").to_ascii_lowercase().contains("max-age=0"))?;
    Some(Finding { verdict: broken.verdict, who: broken.who, ..say::strict_transport(short(field)) })
}

fn differing(reached: &[&Handshake]) -> Option<Finding> {
    let shown = reached.iter().rev().filter_map(|shake| Some((&shake.leaf()?.serial, (*shake, shake.leaf()?))));
    // Of each certificate the first that showed it.
    let shown: BTreeMap<&String, (&Handshake, &Certificate)> = shown.collect();
    let list = list(shown.values().map(|(shake, leaf)| {
        format!("{}: serial {} from {}", shake.address.ip(), whole(&leaf.serial), whole(&leaf.issuer_short))
    }));
    let evidence = shown.values().map(|(shake, _)| *shake);
    (shown.len() > 1).then(|| say::addresses_differ(list).evidence(evidence))
}
