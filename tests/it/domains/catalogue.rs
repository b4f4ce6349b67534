//! Every row of the catalogue that can be made in a world shows under its code, and decides, where it is what is wrong.

use std::collections::BTreeSet;
use std::future::ready;

use futures_util::{StreamExt as _, stream};
use petstore::domains::catalogue::Topic;
use petstore::domains::check_options::CheckOptions;
use petstore::domains::diagnosis::redirect::Redirect;
use petstore::domains::reported::Reported;
use petstore::domains::simulator::{Plan, Simulator};
use petstore::domains::troubleshooting::{Facts, Rule, answers};
use petstore::domains::{Code, DnsName, Verdict, parse_name};

use super::fixture::{Outcome, ago, check, check_redirect, now, reported, settings, with_system_resolver};
use super::worlds::Trouble;

/// The verdict of each row; those that are missing are `ok` notes.
const FAIL: &[Code] = &[
    Code::DnsWrongTarget,
    Code::DnsNearMiss,
    Code::DnsTargetGone,
    Code::DnsValueGone,
    Code::DnsNameDoubled,
    Code::DnsValueDoubled,
    Code::DnsValueUrl,
    Code::DnsValueInTxt,
    Code::DnsABlocks,
    Code::DnsAaaaLeft,
    Code::DnsCnameAndOther,
    Code::DnsMultiCname,
    Code::DnsPrivate,
    Code::DnsLoop,
    Code::DnsZoneCut,
    Code::DnsWildcardWrong,
    Code::DnsParked,
    Code::DnsMissing,
    Code::DnsNodata,
    Code::DnsHttpsElsewhere,
    Code::ApexWrong,
    Code::ApexNone,
    Code::ApexPartial,
    Code::ApexAaaa,
    Code::ApexCname,
    Code::Over48h,
    Code::NotDelegated,
    Code::NsMismatch,
    Code::NsSilent,
    Code::LameAll,
    Code::ServfailAll,
    Code::DnssecBogus,
    Code::CaaBlocked,
    Code::CaaEmpty,
    Code::CaaBadSyntax,
    Code::CaaCritical,
    Code::CaaLookupFailed,
    Code::TlsWrongName,
    Code::TlsNoSan,
    Code::TlsExpired,
    Code::TlsFuture,
    Code::TlsSelf,
    Code::TlsStaging,
    Code::TlsChain,
    Code::TlsUnknownCa,
    Code::TlsIntercept,
    // The platform's own host does not answer, either.
    Code::TlsRefused,
    Code::TlsReset,
    Code::TlsTimeout,
    Code::TlsNotTls,
    Code::TlsVersion,
    Code::HstsNote,
    Code::Http404Project,
    Code::RdTarget,
    Code::RdLoop,
    Code::RdTooMany,
    Code::RdGone,
    Code::RdNoLocation,
    Code::RdRelative,
    Code::RdNone,
    Code::RdMeta,
    Code::RdCached,
];
const WAIT: &[Code] = &[
    Code::TtlWait,
    Code::NegWait,
    Code::NsWait,
    Code::DsWait,
    Code::CaaWait,
    Code::StaleServed,
    Code::SecondaryBehind,
    Code::TlsPending,
    Code::TlsAlert,
];
const WARN: &[Code] = &[
    Code::DnsADirect,
    Code::DnsChain,
    Code::DnsDname,
    Code::ProxyCloudflare,
    Code::DnsWildcardOk,
    Code::DnsRewrite,
    Code::TtlLong,
    Code::ResolversDisagree,
    Code::GlueDiffers,
    Code::LameOne,
    Code::SplitLocal,
    Code::EdnsBroken,
    Code::CaaMethod,
    Code::CaaAccount,
    Code::TlsSoon,
    Code::TlsLong,
    Code::TlsOld,
    Code::TlsAddressesDiffer,
    Code::HttpRefused,
    Code::HttpPort80,
    Code::HttpParked,
    Code::Http5xx,
    Code::HttpNoUpgrade,
    Code::AcmeLeftOver,
    Code::AcmeBlocked,
    Code::RdStatus,
    Code::RdChain,
    Code::RdDowngrade,
    Code::RdPath,
];
const UNKNOWN: &[Code] = &[Code::ResolverDown, Code::Offline, Code::CaaCaUnknown];

/// Rows that accompany a cause, or other findings that are fine.
const ACCOMPANYING: &[Code] = &[
    // The certificate is not there yet.
    Code::AcmeLeftOver,
    Code::HstsNote,
    Code::RdCached,
    Code::RdHead,
    Code::ResolverDown,
    Code::CaaNone,
    Code::CaaOk,
    Code::CaaWildOnly,
    Code::CaaCaUnknown,
    Code::TlsOk,
    Code::HttpOk,
];

fn expected(code: Code) -> Verdict {
    [(FAIL, Verdict::Fail), (WAIT, Verdict::Wait), (WARN, Verdict::Warn), (UNKNOWN, Verdict::Unknown)]
        .into_iter()
        .find(|(codes, _)| codes.contains(&code))
        .map_or(Verdict::Ok, |(_, verdict)| verdict)
}

/// What the operator reported, and what is known, if the row depends on it.
fn prepare(code: Code, mut settings: CheckOptions) -> (CheckOptions, Reported) {
    let mut reported = reported();
    match code {
        Code::Over48h => reported.saved = ago(49 * 60),
        Code::SplitLocal => {
            // After 48 hours no cache explains the difference.
            reported.saved = ago(49 * 60);
            settings = with_system_resolver(settings);
        }
        Code::DnsPrivate => settings.expectation.allow_private = false,
        Code::CaaCaUnknown => settings.expectation.ca_identities.clear(),
        _ => {}
    }
    (settings, reported)
}

async fn look(trouble: Trouble) -> Outcome {
    let world = Simulator::start(Plan::healthy(now()).with(trouble.make)).await.unwrap();
    let (settings, reported) = prepare(trouble.code, settings(&world));
    if trouble.code.topic() == Topic::Redirect && trouble.domain == Plan::REDIRECTED {
        return check_redirect(&settings, &redirect()).await;
    }
    check(&settings, trouble.domain, &reported).await
}

fn redirect() -> Redirect {
    Redirect { from: DnsName::new(Plan::REDIRECTED), to: DnsName::new(Plan::DOMAIN), status: 301 }
}

/// Rows that are no trouble for which there is a rule.
const NO_RULE: &[Code] = &[Code::EdnsBroken, Code::TtlLong];

/// Whether what was seen is on a page of the troubleshooting rules.
fn is_on_a_page(trouble: Trouble, outcome: &Outcome, seen: &String) -> bool {
    let (domain, reported, redirect) = (parse_name::domain(trouble.domain).unwrap(), reported(), redirect());
    let of_redirect = trouble.code.topic() == Topic::Redirect && trouble.domain == Plan::REDIRECTED;
    let (findings, redirect) = match of_redirect {
        true => (&[][..], Some((&redirect, &outcome.findings[..]))),
        false => (&outcome.findings[..], None),
    };
    let facts = Facts { domain: &domain, reported: &reported, findings, views: &[], redirect, now: now() };
    Rule::ALL.into_iter().flat_map(|rule| answers(rule, &facts)).any(|answer| answer.seen.contains(seen))
}

fn judge(trouble: Trouble, outcome: &Outcome) -> Option<String> {
    let code = trouble.code;
    let Some(finding) = outcome.findings.iter().find(|finding| finding.code == code) else {
        return Some(format!("{code} is missing in\n{}", outcome.lines()));
    };
    if finding.verdict != expected(code) {
        return Some(format!("{code} is {:?} in\n{}", finding.verdict, outcome.lines()));
    }
    if finding.seen.is_empty() || (finding.verdict != Verdict::Ok && finding.fix.is_empty()) {
        return Some(format!("{code} says too little: {finding:?}"));
    }
    if finding.evidence.is_empty() && !matches!(code, Code::HstsNote | Code::CaaNone | Code::RdHead) {
        return Some(format!("{code} has no evidence"));
    }
    if finding.verdict > Verdict::Ok && !NO_RULE.contains(&code) && !is_on_a_page(trouble, outcome, &finding.seen) {
        return Some(format!("{code} is on no page of the rules"));
    }
    if !ACCOMPANYING.contains(&code) && outcome.code() != code {
        return Some(format!("{} decides instead of {code} in\n{}", outcome.code(), outcome.lines()));
    }
    None
}

/// Several side by side, since some wait for servers that are silent.
#[tokio::test(flavor = "multi_thread")]
async fn every_row_shows_under_its_code_with_its_verdict_its_cause_its_cure_and_its_evidence() {
    let looks = Trouble::all().map(|trouble| async move { judge(trouble, &look(trouble).await) });
    let wrong: Vec<String> = stream::iter(looks).buffer_unordered(12).filter_map(ready).collect().await;
    assert!(wrong.is_empty(), "{} rows:\n{}", wrong.len(), wrong.join("\n\n"));
}

#[test]
fn every_row_that_needs_a_world_has_one() {
    let made: BTreeSet<Code> = Trouble::all().map(|trouble| trouble.code).collect();
    let elsewhere = [
        // Covered by its own test, since no simulator is without IPv6; a check never reports it.
        Code::DnsValueUnknown,
        Code::V6Untested,
        Code::TlsRevoked,
        // Only with a platform that wants it.
        Code::DnsNotVerifiable,
        // Only CAs see it; what they say is explained.
        Code::CaRateLimit,
    ];
    let pure = [Topic::Name, Topic::Configuration];
    let missing: Vec<Code> = Code::ALL
        .iter()
        .copied()
        .filter(|code| !pure.contains(&code.topic()) && !elsewhere.contains(code) && !made.contains(code))
        .collect();
    assert_eq!(missing, []);
}
