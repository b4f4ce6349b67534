//! Delegation, name servers, resolvers, and how long they remember (catalogue, section 2.3).

use std::collections::BTreeSet;
use std::net::IpAddr;

use jiff::{SignedDuration, Timestamp};

use crate::model::text::short;

use super::super::address::is_public;
use super::super::code::Code;
use super::super::dns_name::DnsName;
use super::super::finding::{Finding, Verdict, Who};
use super::super::observation::{Data, Lookup, NoReply, RecordType, Reply, ResponseCode, Role, code_name};
use super::source::{Source, invents, serials};
use super::value::shown;
use super::{Case, words};

/// A server that takes longer is worth a word.
const SLOW: std::time::Duration = std::time::Duration::from_secs(1);
/// What an expired answer has left, by RFC 8767 section 4.
const STALE_TTL: u32 = 30;
/// How long a secondary may be behind before it is worth a warning.
const SECONDARY_WAIT: SignedDuration = SignedDuration::from_hours(1);

/// Adds the findings on servers. Where they explain the absence of a record, its finding is dropped from `record`; where
/// the world does not yet see what is right at the source, the record's "ok" gives way.
pub fn findings(case: &Case<'_>, source: &Source<'_>, record: &mut Vec<Finding>, findings: &mut Vec<Finding>) {
    let resolvers: Vec<&Lookup> = case.seen.resolvers(&case.domain.name, RecordType::A).collect();
    if resolvers.iter().all(|lookup| lookup.reply().is_none()) && source.lookups.is_empty() {
        findings.push(offline(&resolvers));
        return;
    }
    if let Some(not_delegated) = not_delegated(case) {
        record.clear();
        findings.push(not_delegated);
        return;
    }
    let failing = source.lookups.is_empty();
    let circle = record.iter().any(|finding| finding.code == Code::DnsLoop);
    findings.extend(mismatch(case, record));
    lame(case, failing, findings);
    if !circle {
        findings.extend(resolvers_fail(case, &resolvers, findings));
    }
    findings.extend(secondaries(case));
    let right = record.iter().any(|finding| matches!(finding.code, Code::DnsOk | Code::ApexOk | Code::DnsWildcardOk));
    let disagreement = disagreement(case, source, &resolvers);
    if right && source.authoritative && disagreement.is_none() {
        waits(case, &resolvers, findings);
    }
    findings.extend(disagreement);
    remarks(case, &resolvers, findings);
    // "Every resolver has it" is not said beside "this one has not".
    if findings.iter().any(|finding| matches!(finding.verdict, Verdict::Wait | Verdict::Fail)) {
        record.retain(|finding| finding.verdict != Verdict::Ok);
    }
}

fn offline(resolvers: &[&Lookup]) -> Finding {
    Finding::new(Code::Offline, Verdict::Unknown, Who::ThisMachine)
        .seen(format!("no answer from {}", words::list(resolvers.iter().map(|lookup| lookup.server.label()))))
        .fix(Code::Offline.cure())
        .evidence(resolvers.iter().map(|lookup| lookup.evidence()))
}

fn not_delegated(case: &Case<'_>) -> Option<Finding> {
    let domain = &case.domain.registrable;
    // Whoever has something below it disproves those that know nothing of it.
    let exists = |lookup: &Lookup| {
        lookup.question.name.is_within(domain)
            && lookup.reply().is_some_and(|reply| reply.answers.iter().any(|record| record.owner.is_within(domain)))
            && !invents(case, lookup)
    };
    if case.seen.lookups.iter().any(exists) {
        return None;
    }
    let about = |lookup: &&Lookup| {
        lookup.question.name == *domain && matches!(lookup.question.kind, RecordType::NS | RecordType::SOA)
    };
    let denies = |lookup: &Lookup| {
        lookup
            .reply()
            .is_some_and(|reply| reply.is_nxdomain() && reply.negative().is_none_or(|(owner, _)| owner != domain))
    };
    let parents: Vec<&Lookup> =
        case.seen.lookups.iter().filter(about).filter(|lookup| lookup.server.role == Role::Parent).collect();
    let others: Vec<&Lookup> =
        case.seen.lookups.iter().filter(about).filter(|lookup| lookup.reply().is_some_and(Reply::is_answer)).collect();
    let witnesses = if parents.iter().any(|lookup| lookup.reply().is_some()) { parents } else { others };
    let answered: Vec<&Lookup> = witnesses.into_iter().filter(|lookup| lookup.reply().is_some()).collect();
    if answered.is_empty() || !answered.iter().all(|lookup| denies(lookup)) {
        return None;
    }
    Some(
        Finding::new(Code::NotDelegated, Verdict::Fail, Who::Registrar)
            .seen(format!("the registry does not know {domain}"))
            .fix(format!("at your registrar register or renew {domain}; check the spelling"))
            .evidence(answered.iter().map(|lookup| lookup.evidence())),
    )
}

/// The name servers that the zone names itself, by its own servers.
fn served<'a>(case: &Case<'a>) -> (BTreeSet<DnsName>, Vec<&'a Lookup>) {
    let Some(zone) = &case.seen.zone else { return (BTreeSet::new(), Vec::new()) };
    let lookups = case.seen.asked(zone, RecordType::NS).filter(|lookup| lookup.server.role == Role::Authoritative);
    let lookups: Vec<&Lookup> =
        lookups.filter(|lookup| lookup.reply().is_some_and(|reply| reply.authoritative)).collect();
    let names =
        lookups.iter().filter_map(|lookup| lookup.reply()).flat_map(|reply| reply.at(zone)).filter_map(|record| {
            match &record.data {
                Data::Ns(server) => Some(server.clone()),
                _ => None,
            }
        });
    (names.collect(), lookups)
}

fn mismatch(case: &Case<'_>, record: &[Finding]) -> Option<Finding> {
    let (served, lookups) = served(case);
    let delegated: BTreeSet<DnsName> = case.seen.delegated.iter().cloned().collect();
    if served.is_empty() || delegated.is_empty() || served == delegated {
        return None;
    }
    let fine = record.iter().all(|finding| finding.verdict != Verdict::Fail);
    // With a server in common and the right record at each, only the lists have to be brought together.
    let verdict = if fine && !served.is_disjoint(&delegated) { Verdict::Warn } else { Verdict::Fail };
    Some(
        Finding::new(Code::NsMismatch, verdict, Who::Registrar)
            .seen(format!("the registrar names {}", words::list(delegated.iter().map(shown))))
            .expected(format!("{}, as the zone itself says", words::list(served.iter().map(shown))))
            .fix(format!(
                "at your registrar set the name servers of {} to {}; or add the record at the provider of {}, which the \
                 world asks. Then: up to 48 h, for delegations",
                case.zone(),
                words::list(served.iter().map(shown)),
                words::list(delegated.iter().map(shown))
            ))
            .evidence(lookups.iter().map(|lookup| lookup.evidence())),
    )
}

/// Delegated servers that do not serve the zone.
fn lame(case: &Case<'_>, failing: bool, findings: &mut Vec<Finding>) {
    let asked: Vec<&Lookup> = case.seen.source(&case.domain.name, RecordType::CNAME).collect();
    let why = |lookup: &Lookup| match &lookup.outcome {
        Err(why) => Some(why.to_string()),
        Ok(reply) if !reply.is_answer() => Some(code_name(reply.code).to_owned()),
        Ok(reply) if !reply.authoritative && !reply.is_referral() => Some("an answer without authority".to_owned()),
        // A referral upwards, or sideways, is how some servers say that they have nothing.
        Ok(reply) if reply.is_referral() && !refers_down(case, reply) => Some("a referral elsewhere".to_owned()),
        Ok(_) => None,
    };
    let lame: Vec<(&Lookup, String)> = asked.iter().filter_map(|lookup| Some((*lookup, why(lookup)?))).collect();
    if lame.is_empty() {
        return;
    }
    let silent = lame.iter().all(|(lookup, _)| lookup.reply().is_none());
    // A server that fails has the zone; what ails it is told by the resolvers, which fail with it.
    let fails = |lookup: &Lookup| lookup.reply().is_some_and(|reply| reply.code == ResponseCode::ServFail);
    if lame.len() == asked.len() && lame.iter().all(|(lookup, _)| fails(lookup)) {
        return;
    }
    let list = words::list(lame.iter().map(|(lookup, why)| format!("{}: {why}", lookup.server.label())));
    let evidence = lame.iter().map(|(lookup, _)| lookup.evidence());
    if lame.len() < asked.len() {
        findings.push(
            Finding::new(Code::LameOne, Verdict::Warn, Who::DnsProvider)
                .seen(list)
                .expected(format!("every name server of {} answers with authority", case.zone()))
                .fix(format!(
                    "at your DNS provider set {} up there, or remove that server at the registrar",
                    case.zone()
                ))
                .evidence(evidence),
        );
    } else if silent && !failing {
        // The world reaches them; this machine does not.
        findings.push(
            Finding {
                title: "The name servers cannot be asked from here".to_owned(),
                ..Finding::new(Code::Offline, Verdict::Unknown, Who::ThisMachine)
            }
            .seen(list)
            .fix("Port 53 to other servers seems to be blocked in this network; judged by the resolvers.")
            .evidence(evidence),
        );
    } else {
        findings.push(
            Finding::new(Code::LameAll, Verdict::Fail, Who::DnsProvider)
                .seen(list)
                .expected(format!("the name servers of {} answer with authority", case.zone()))
                .fix(format!(
                    "at your DNS provider set the zone {} up, or at the registrar name the servers that have it",
                    case.zone()
                ))
                .evidence(evidence),
        );
    }
}

fn refers_down(case: &Case<'_>, reply: &Reply) -> bool {
    reply.authorities.iter().any(|record| {
        matches!(record.data, Data::Ns(_))
            && case.domain.name.is_within(&record.owner)
            && case.seen.zone.as_ref().is_some_and(|zone| record.owner.is_within(zone) && record.owner != *zone)
    })
}

/// Resolvers that fail: validation, if they answer without it; the domain's servers, if none succeeds.
fn resolvers_fail(case: &Case<'_>, resolvers: &[&Lookup], so_far: &[Finding]) -> Option<Finding> {
    let fails = |lookup: &&&Lookup| lookup.reply().is_some_and(|reply| reply.code == ResponseCode::ServFail);
    let failing: Vec<&&Lookup> = resolvers.iter().filter(fails).collect();
    let first = failing.first()?;
    let unchecked = case
        .seen
        .lookups
        .iter()
        .find(|lookup| lookup.question.checking_disabled && lookup.reply().is_some_and(|reply| reply.is_answer()));
    let reason = failing.iter().filter_map(|lookup| lookup.reply()?.extended_error.as_ref());
    let bogus = reason.clone().find(|(code, _)| matches!(code, 5..=12));
    if let Some(unchecked) = unchecked {
        let why = bogus.or_else(|| reason.clone().next()).map_or_else(String::new, |(code, text)| {
            let text = if text.is_empty() { String::new() } else { format!(": {}", short(text)) };
            format!(" (extended error {code}{text})")
        });
        return Some(
            Finding::new(Code::DnssecBogus, Verdict::Fail, Who::Registrar)
                .seen(format!(
                    "{} refuse{} the answer{why}; without validation it is there",
                    words::list(failing.iter().map(|lookup| lookup.server.label())),
                    if failing.len() == 1 { "s" } else { "" }
                ))
                .expected("signatures that match the DS record at the registrar")
                .fix(format!(
                    "at your registrar remove the DS record of {}, wait for its TTL, then sign the zone anew at the DNS \
                     provider",
                    case.zone()
                ))
                .evidence(failing.iter().map(|lookup| lookup.evidence()).chain([unchecked.evidence()])),
        );
    }
    let answered = resolvers.iter().filter(|lookup| lookup.reply().is_some()).count();
    if failing.len() < answered {
        return None;
    }
    if so_far.iter().any(|finding| finding.code == Code::LameAll) {
        return None;
    }
    Some(
        Finding::new(Code::ServfailAll, Verdict::Fail, Who::DnsProvider)
            .seen(format!("{} of {answered} resolvers answer SERVFAIL, also without validation", failing.len()))
            .fix("open a ticket at your DNS provider, with the evidence below")
            .evidence(failing.iter().map(|lookup| lookup.evidence()).chain([first.evidence()]).take(failing.len())),
    )
}

fn secondaries(case: &Case<'_>) -> Option<Finding> {
    let behind = super::source::behind(case);
    if behind.is_empty() {
        return None;
    }
    let all = serials(case);
    let list = words::list(all.iter().map(|(lookup, serial)| format!("{} has serial {serial}", lookup.server.name)));
    let late = case.told.saved.is_some_and(|saved| case.since(saved) > SECONDARY_WAIT);
    let verdict = if late { Verdict::Warn } else { Verdict::Wait };
    let fix = if late {
        format!(
            "ask your DNS provider why {} is behind for more than an hour",
            words::list(behind.iter().map(|name| short(name)))
        )
    } else {
        "wait; this takes minutes, usually".to_owned()
    };
    Some(
        Finding::new(Code::SecondaryBehind, verdict, Who::DnsProvider)
            .seen(list)
            .expected("the same zone at every server")
            .fix(fix)
            .evidence(all.iter().map(|(lookup, _)| lookup.evidence())),
    )
}

/// What a resolver answers, in few words.
fn view(name: &DnsName, reply: &Reply) -> String {
    if reply.is_nxdomain() {
        return "no such name".to_owned();
    }
    let own = reply.at(name).map(|record| record.data.words());
    let list = words::list(own);
    if list.is_empty() { "no record".to_owned() } else { list }
}

/// Whether a resolver sees what the source has.
fn sees_right(case: &Case<'_>, reply: &Reply) -> bool {
    let name = &case.domain.name;
    match &case.expectation.platform_host {
        Some(host) if !case.domain.is_apex() => {
            let platform = super::record::platform_addresses(case);
            let wildcard_address =
                reply.at(name).any(|record| record.data.address().is_some_and(|address| platform.contains(&address)));
            reply.cnames(name).any(|(target, _)| target == host) || wildcard_address
        }
        Some(_) => {
            let platform = super::record::platform_addresses(case);
            let mut addresses = reply.addresses().peekable();
            addresses.peek().is_some() && addresses.all(|address| platform.contains(&address))
        }
        None => true,
    }
}

/// Resolvers that do not yet see what is right at the source, each with the time until it will.
fn waits(case: &Case<'_>, resolvers: &[&Lookup], findings: &mut Vec<Finding>) {
    let name = &case.domain.name;
    let split = split_local(case, resolvers);
    findings.extend(split.as_ref().map(|(_, finding)| finding.clone()));
    let mut waiting = Vec::new();
    for lookup in resolvers {
        let Some(reply) = lookup.reply().filter(|reply| reply.is_answer()) else { continue };
        if sees_right(case, reply)
            || invents(case, lookup)
            || split.as_ref().is_some_and(|(local, _)| *local == lookup.server.name)
        {
            continue;
        }
        let who = lookup.server.label();
        let negative = reply.answers.is_empty();
        let left = if negative {
            reply.negative().map_or(0, |(_, ttl)| ttl)
        } else {
            reply.at(name).map(|record| record.ttl).max().unwrap_or_default()
        };
        let until = words::after(lookup.at, left);
        let held = view(name, reply);
        let stale = is_stale(case, lookup, reply, left);
        let finding = if case.is_past_propagation() {
            Finding::new(Code::Over48h, Verdict::Fail, Who::DnsProvider)
                .seen(format!("{who} still answers {held}, more than 48 h after the record was saved"))
                .fix(format!(
                    "this is beyond what caches may do: look at the delegation of {} and at its secondary name servers",
                    case.zone()
                ))
        } else if stale {
            Finding::new(Code::StaleServed, Verdict::Wait, Who::Nobody)
                .seen(format!("{who} answers {held}, which has expired"))
                .fix("nothing but wait; it serves old answers because it cannot reach the name servers of the domain")
                .until(until)
        } else if negative {
            Finding::new(Code::NegWait, Verdict::Wait, Who::Nobody)
                .seen(format!("{who} remembers that there was no record, for {} more", words::ttl(left)))
                .fix("nothing but wait; asking again does not shorten it. Next time add the record before testing it")
                .until(until)
        } else {
            Finding::new(Code::TtlWait, Verdict::Wait, Who::Nobody)
                .seen(format!("{who} keeps the old value {held} for {} more", words::ttl(left)))
                .fix("nothing but wait")
                .until(until)
        };
        let expected = case.expectation.platform_host.as_ref();
        waiting.push(
            finding.expected(expected.map_or_else(String::new, DnsName::to_string)).evidence([lookup.evidence()]),
        );
    }
    // The last one to forget decides how long it takes.
    waiting.sort_by_key(|finding: &Finding| std::cmp::Reverse(finding.until));
    findings.append(&mut waiting);
}

/// An expired answer: the resolver says so, or it promised to forget it earlier, or what is left is what an expired
/// answer gets.
fn is_stale(case: &Case<'_>, lookup: &Lookup, reply: &Reply, left: u32) -> bool {
    let says_so = reply.extended_error.as_ref().is_some_and(|(code, _)| matches!(code, 3 | 19));
    let promised: Option<Timestamp> =
        case.earlier.iter().find(|(server, _)| *server == lookup.server.name).map(|(_, until)| *until);
    says_so || promised.is_some_and(|until| until < lookup.at && left <= STALE_TTL)
}

/// Only the resolver of this machine differs, with something that no cache explains.
fn split_local(case: &Case<'_>, resolvers: &[&Lookup]) -> Option<(String, Finding)> {
    let is_local = |lookup: &&&Lookup| matches!(lookup.server.role, Role::Resolver { system: true });
    let warn = |seen: String| {
        Finding::new(Code::SplitLocal, Verdict::Warn, Who::ThisMachine).seen(seen).fix(Code::SplitLocal.cure())
    };
    if let Some(address) = case.seen.hosts_file {
        return Some((
            String::new(),
            warn(format!("the hosts file of this machine has {address} for {}", case.domain.name)),
        ));
    }
    let local = resolvers.iter().find(is_local)?;
    let reply = local.reply().filter(|reply| reply.is_answer())?;
    let others_agree = resolvers
        .iter()
        .filter(|lookup| !is_local(lookup))
        .filter_map(|lookup| lookup.reply())
        .all(|reply| sees_right(case, reply));
    let private = |address: IpAddr| !case.expectation.allow_private && !is_public(address);
    let no_cache = reply.addresses().any(private) || case.is_past_propagation();
    if sees_right(case, reply) || !others_agree || resolvers.len() < 2 || !no_cache {
        return None;
    }
    let seen =
        format!("{} answers {}, all others the right value", local.server.label(), view(&case.domain.name, reply));
    Some((local.server.name.clone(), warn(seen).evidence([local.evidence()])))
}

/// Answers that differ among resolvers, none of them the source's.
fn disagreement(case: &Case<'_>, source: &Source<'_>, resolvers: &[&Lookup]) -> Option<Finding> {
    let name = &case.domain.name;
    let answers: Vec<(&&Lookup, BTreeSet<String>)> = resolvers
        .iter()
        .filter(|lookup| !invents(case, lookup))
        .filter_map(|lookup| {
            let reply = lookup.reply().filter(|reply| reply.is_answer())?;
            Some((lookup, reply.at(name).map(|record| record.data.presentation()).collect()))
        })
        .collect();
    let at_source: BTreeSet<String> = source.own.iter().map(|record| record.data.presentation()).collect();
    let differ = answers.iter().any(|(_, answer)| *answer != answers[0].1);
    let none_right = !source.authoritative
        || answers.iter().all(|(_, answer)| *answer != at_source && !answer.is_subset(&at_source));
    if !differ || !none_right {
        return None;
    }
    Some(
        Finding::new(Code::ResolversDisagree, Verdict::Warn, Who::DnsProvider)
            .seen(words::list(answers.iter().map(|(lookup, _)| {
                let seen = lookup.reply().map_or_else(String::new, |reply| view(name, reply));
                format!("{}: {seen}", lookup.server.label())
            })))
            .fix(Code::ResolversDisagree.cure())
            .evidence(answers.iter().map(|(lookup, _)| lookup.evidence())),
    )
}

/// What is worth a word once, and is no trouble by itself.
fn remarks(case: &Case<'_>, resolvers: &[&Lookup], findings: &mut Vec<Finding>) {
    for lookup in resolvers {
        if let Err(why) = lookup.outcome {
            findings.push(down(lookup, why));
        } else if invents(case, lookup) {
            findings.push(
                Finding::new(Code::DnsRewrite, Verdict::Warn, Who::ThisMachine)
                    .seen(format!("{} gives an address for a name that nobody has", lookup.server.label()))
                    .fix("your network rewrites DNS; judged by the other resolvers")
                    .evidence(case.seen.resolvers(&case.seen.sibling, RecordType::A).map(|asked| asked.evidence())),
            );
        }
    }
    let asked = || case.seen.lookups.iter().filter(|lookup| lookup.server.role != Role::Parent);
    if let Some(lookup) = asked().find(|lookup| lookup.reply().is_some_and(|reply| reply.without_edns)) {
        findings.push(
            Finding::new(Code::EdnsBroken, Verdict::Warn, Who::DnsProvider)
                .seen(format!("{} refuses EDNS, and answers without", lookup.server.label()))
                .fix(Code::EdnsBroken.cure())
                .evidence([lookup.evidence()]),
        );
    }
    if let Some(lookup) = asked().find(|lookup| lookup.reply().is_some_and(|reply| reply.over_tcp)) {
        findings.push(
            Finding::ok(Code::TcpOnly)
                .seen(format!("{} answered over TCP", lookup.server.label()))
                .evidence([lookup.evidence()]),
        );
    }
    if let Some(lookup) = asked().find(|lookup| lookup.reply().is_some() && lookup.took > SLOW) {
        findings.push(
            Finding::ok(Code::Slow)
                .seen(format!("{} took {:.1} s", lookup.server.label(), lookup.took.as_secs_f32()))
                .evidence([lookup.evidence()]),
        );
    }
}

fn down(lookup: &Lookup, why: NoReply) -> Finding {
    Finding::new(Code::ResolverDown, Verdict::Unknown, Who::ThisMachine)
        .seen(format!("{}: {why}", lookup.server.label()))
        .fix(Code::ResolverDown.cure())
        .evidence([lookup.evidence()])
}
