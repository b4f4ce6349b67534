//! Name servers and resolvers as a whole (catalogue, section 2.3).

use crate::model::text::short;

use super::super::observation::RecordType::A;
use super::super::observation::{Lookup, Reply, ResponseCode, Role, code_name};
use super::super::{Code, Finding, Verdict, Who};
use super::authoritative::{Authoritative, invents};
use super::{Case, delegation, propagation, words};

/// A server that takes longer is reported as slow.
const SLOW: std::time::Duration = std::time::Duration::from_secs(1);

/// Adds the findings on servers. If they explain a missing record, its finding is dropped from `record`; if
/// others do not yet see a right record, so is its "ok".
pub fn findings(case: &Case<'_>, source: &Authoritative<'_>, record: &mut Vec<Finding>, findings: &mut Vec<Finding>) {
    let resolvers: Vec<&Lookup> = case.resolvers(A).collect();
    let unheard = resolvers.iter().all(|lookup| no_answer(lookup).is_some());
    if unheard && source.lookups.is_empty() {
        findings.push(offline(case, &resolvers));
        return;
    }
    if let Some(not_delegated) = delegation::not_delegated(case) {
        record.clear();
        findings.push(not_delegated);
        return;
    }
    let failing = source.lookups.is_empty();
    let circle = record.iter().any(|finding| finding.code == Code::DnsLoop);
    if let Some(mismatch) = delegation::mismatch(case, record) {
        if mismatch.verdict == Verdict::Fail {
            // The mismatch already explains that the record is missing there.
            record.retain(|finding| !matches!(finding.code, Code::DnsMissing | Code::DnsNodata));
        }
        findings.push(mismatch);
    }
    findings.extend(delegation::lame(case, failing));
    if !circle {
        findings.extend(resolvers_fail(case, &resolvers, findings));
    }
    findings.extend(delegation::secondaries(case));
    let leads = [Code::DnsOk, Code::DnsADirect, Code::DnsWildcardOk, Code::ApexOk];
    let right = record.iter().any(|finding| leads.contains(&finding.code));
    let disagreement = propagation::disagreement(case, source, &resolvers);
    // After 48 hours no answer may be old any more, whatever the reason.
    if right && source.authoritative && (disagreement.is_none() || case.is_past_propagation()) {
        propagation::findings(case, source, &resolvers, findings);
    }
    let disagree = disagreement.is_some();
    findings.extend(disagreement);
    remarks(case, &resolvers, findings);
    // The "ok" of the record does not go with "this resolver has another answer", nor with silent resolvers.
    if disagree || unheard || findings.iter().any(|finding| matches!(finding.verdict, Verdict::Wait | Verdict::Fail)) {
        record.retain(|finding| finding.verdict != Verdict::Ok);
    }
}

/// Why a resolver did not answer. SERVFAIL counts as an answer, since the domain may be the reason.
fn no_answer(lookup: &Lookup) -> Option<String> {
    match &lookup.outcome {
        Err(why) => Some(why.to_string()),
        Ok(reply) if reply.is_answer() || fails(reply) => None,
        Ok(reply) => Some(code_name(reply.code).to_owned()),
    }
}

fn offline(case: &Case<'_>, resolvers: &[&Lookup]) -> Finding {
    let finding = Finding::unknown(Code::Offline, Who::ThisMachine);
    let silent = resolvers.iter().map(|lookup| {
        let why = lookup.reply().map_or_else(String::new, |reply| format!(" ({})", code_name(reply.code)));
        lookup.server.label() + &why
    });
    let seen = format!("no answer from {}", words::list(silent));
    let of_others = |lookup: &&Lookup| lookup.server.role.is_resolver() && lookup.answer().is_some();
    let finding = if case.seen.lookups.iter().any(|lookup| of_others(&lookup)) {
        finding.title("No resolver answers for this name").fix(format!(
            "they answer for other names: try again in a minute, or with another resolver (--resolver); if that fails, too, check the name servers of {}",
            case.zone()
        ))
    } else {
        finding.cured()
    };
    finding.seen(seen).evidence(resolvers.iter().copied())
}

/// Whether the answer is SERVFAIL.
pub fn fails(reply: &Reply) -> bool {
    reply.code == ResponseCode::ServFail
}

/// Resolvers that fail: validation, if they answer without it; the domain's servers, if none succeeds.
pub fn resolvers_fail(case: &Case<'_>, resolvers: &[&Lookup], so_far: &[Finding]) -> Option<Finding> {
    let failing = resolvers.iter().copied().filter(|lookup| lookup.reply().is_some_and(fails));
    let failing: Vec<&Lookup> = failing.filter(|lookup| propagation::not_right(case, lookup).is_empty()).collect();
    if failing.is_empty() {
        return None;
    }
    let unchecked =
        case.seen.lookups.iter().find(|lookup| lookup.question.checking_disabled && lookup.answer().is_some());
    let reason = failing.iter().filter_map(|lookup| lookup.reply()?.extended_error.as_ref());
    let bogus = reason.clone().find(|(code, _)| matches!(code, 5..=12));
    if let Some(unchecked) = unchecked {
        if let Some(wait) = propagation::old_ds(case, &failing) {
            return Some(wait);
        }
        let why = bogus.or_else(|| reason.clone().next()).map_or_else(String::new, |(code, text)| {
            let text = if text.is_empty() { String::new() } else { format!(": {}", short(text)) };
            format!(" (extended error {code}{text})")
        });
        // RFC 8914: 7 and 8 are about the dates of signatures; the others about keys, and the DS record above them.
        let dates = bogus.is_some_and(|(code, _)| matches!(code, 7 | 8));
        let ds = format!("remove the DS record of {} at your registrar and wait for its TTL", case.zone());
        let (title, who, fix) = if dates {
            let fix = format!("ask your DNS provider to sign {} again now; if that takes long, {ds}", case.zone());
            ("The DNSSEC signatures have expired or are not valid yet", Who::DnsProvider, fix)
        } else {
            let fix = format!("{ds}: it belongs to an old provider or another key. Then sign the zone again");
            (Code::DnssecBogus.title(), Who::Registrar, fix)
        };
        return Some(
            Finding::fail(Code::DnssecBogus, who)
                .title(title)
                .seen(format!(
                    "{} reject{} the answer{why}; without validation there is one",
                    words::list(failing.iter().map(|lookup| lookup.server.label())),
                    if failing.len() == 1 { "s" } else { "" }
                ))
                .expected("signatures that resolvers can verify")
                .fix(fix)
                .evidence(failing.into_iter().chain([unchecked])),
        );
    }
    let answered = resolvers.iter().filter(|lookup| lookup.reply().is_some()).count();
    if failing.len() < answered || so_far.iter().any(|finding| finding.code == Code::LameAll) {
        return None;
    }
    Some(
        Finding::fail(Code::ServfailAll, Who::DnsProvider)
            .seen(format!("{} of {answered} resolvers answer SERVFAIL, even without validation", failing.len()))
            .fix(format!(
                "open a ticket at your DNS provider, with the output of: petstore domains report {}",
                case.domain.name
            ))
            .evidence(failing),
    )
}

/// Remarks that are not problems.
fn remarks(case: &Case<'_>, resolvers: &[&Lookup], findings: &mut Vec<Finding>) {
    for lookup in resolvers.iter().copied() {
        let who = lookup.server.label();
        if let Some(why) = no_answer(lookup) {
            let down = Finding::unknown(Code::ResolverDown, Who::ThisMachine).seen(format!("{who}: {why}"));
            findings.push(down.cured().evidence([lookup]));
        } else if invents(case, lookup) {
            findings.push(
                Finding::warn(Code::DnsRewrite, Who::ThisMachine)
                    .seen(format!("{who} returns an address for a name that does not exist"))
                    .fix("your network rewrites DNS; this resolver is not counted")
                    .evidence(case.seen.resolvers(&case.seen.nobody, A)),
            );
        }
    }
    let answered = |is_such: &dyn Fn(&Lookup, &Reply) -> bool| {
        let such = |lookup: &&Lookup| {
            !matches!(lookup.server.role, Role::Parent | Role::Former)
                && lookup.reply().is_some_and(|reply| is_such(lookup, reply))
        };
        case.seen.lookups.iter().find(such)
    };
    findings.extend(answered(&|_, reply| reply.without_edns).map(|lookup| {
        Finding::warn(Code::EdnsBroken, Who::DnsProvider)
            .seen(format!("{} rejects EDNS, but answers without it", lookup.server.label()))
            .cured()
            .evidence([lookup])
    }));
    findings.extend(answered(&|_, reply| reply.over_tcp).map(|lookup| {
        Finding::ok(Code::TcpOnly).seen(format!("{} answered over TCP", lookup.server.label())).evidence([lookup])
    }));
    findings.extend(answered(&|lookup, _| lookup.took > SLOW).map(|lookup| {
        let seen = format!("{} took {:.1} s", lookup.server.label(), lookup.took.as_secs_f32());
        Finding::ok(Code::Slow).seen(seen).evidence([lookup])
    }));
}
