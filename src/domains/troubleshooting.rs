//! The four troubleshooting rules of the platform as pages of questions, each answered from the last check and from
//! what the operator reported (API description, troubleshooting). Nothing is guessed: what was not measured is marked
//! so.

use std::cmp::Reverse;

use jiff::{SignedDuration, Timestamp};

use crate::model::display_safe;

use super::catalogue::{Code, Topic};
use super::diagnosis::redirect::Redirect;
use super::diagnosis::{CERTIFICATE_WAIT, words};
use super::dns_name::Domain;
use super::finding::{Finding, Verdict, Who};
use super::observation::Role;
use super::report::{full_sentence, sentence, until_words};
use super::reported::Reported;
use super::vantage_points::{View, ViewVerdict};

/// Records in the place of the one from the dashboard, or that hide it.
const IN_THE_WAY: &[Code] = &[
    Code::DnsABlocks,
    Code::DnsADirect,
    Code::DnsAaaaLeft,
    Code::DnsCnameAndOther,
    Code::DnsMultiCname,
    Code::DnsValueInTxt,
    Code::DnsPrivate,
    Code::DnsDname,
    Code::DnsZoneCut,
    Code::DnsParked,
    Code::DnsHttpsElsewhere,
    Code::ApexWrong,
    Code::ApexPartial,
    Code::ApexAaaa,
    Code::ApexCname,
];
/// These are reported with the expected value.
const TOLD_WITH_THE_VALUE: &[Code] = &[Code::DnsNodata, Code::ProxyCloudflare, Code::DnsValueUnknown];
/// These are only found for a record that is right at the name servers.
const RIGHT_AT_SOURCE: &[Code] =
    &[Code::TtlWait, Code::NegWait, Code::NsWait, Code::DsWait, Code::StaleServed, Code::Over48h, Code::ViewsDiffer];
/// Remarks on servers that do no harm.
const REMARKS: &[Code] = &[Code::EdnsBroken, Code::ResolverDown];
/// The name has no certificate yet.
const ABSENT: &[Code] = &[
    Code::TlsPending,
    Code::TlsAlert,
    Code::TlsRefused,
    Code::TlsReset,
    Code::TlsTimeout,
    Code::TlsNotTls,
    Code::TlsVersion,
];
/// There is one that browsers accept.
const TAKEN: &[Code] = &[Code::TlsOk, Code::TlsSoon, Code::TlsOld, Code::TlsLong];
/// Loops, detours, and another status.
const DETOURS: &[Code] = &[Code::RdLoop, Code::RdTooMany, Code::RdChain, Code::RdStatus];

/// A troubleshooting rule.
#[derive(Clone, Copy, Debug, PartialEq, Eq, strum::IntoStaticStr)]
#[strum(serialize_all = "kebab-case", prefix = "rule-")]
pub enum Rule {
    /// Rule 1.
    Verification,
    /// Rule 2.
    Certificate,
    /// Rule 3.
    Browser,
    /// Rule 4.
    Redirects,
}

impl Rule {
    /// All of them, in the order of the API description.
    pub const ALL: [Self; 4] = [Self::Verification, Self::Certificate, Self::Browser, Self::Redirects];

    /// The trouble in the operator's words.
    pub const fn title(self) -> &'static str {
        match self {
            Self::Verification => "Verify keeps failing",
            Self::Certificate => "No certificate after 30 minutes",
            Self::Browser => "The browser says: not private",
            Self::Redirects => "A redirect goes wrong",
        }
    }
}

/// A question with its answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RuleAnswer {
    /// The question, for example `Is there another record at the name?`.
    pub question: String,
    /// The judgement; `None` if the question cannot be answered yet, or not by a measurement.
    pub verdict: Option<Verdict>,
    /// A short word if there is no judgement, for example `after 2`, `yours to do` or `not checked yet`.
    pub word: String,
    /// What was seen; safe to show.
    pub seen: Vec<String>,
    /// What to do; empty if there is nothing to do.
    pub act: Vec<String>,
}

/// The input of the answers.
#[derive(Clone, Copy, Debug)]
pub struct Facts<'a> {
    pub domain: &'a Domain,
    /// What the operator reported.
    pub reported: &'a Reported,
    /// The findings of the last check; empty if there was none.
    pub findings: &'a [Finding],
    /// What each server saw in it.
    pub views: &'a [View],
    /// The redirect configured for this name, and what following it gave; no findings if it was not followed.
    pub redirect: Option<(&'a Redirect, &'a [Finding])>,
    /// The time.
    pub now: Timestamp,
}

/// The questions of a rule, each with its answer, in the order in which to fix them.
pub fn answers(rule: Rule, facts: &Facts<'_>) -> Vec<RuleAnswer> {
    match rule {
        Rule::Verification => verification(facts),
        Rule::Certificate => certificate(facts),
        Rule::Browser => browser(facts),
        Rule::Redirects => redirects(facts),
    }
}

/// The sentence under the questions: what to fix first, or that all is right.
pub fn conclusion(rule: Rule, facts: &Facts<'_>) -> String {
    let dns = facts.of_dns();
    let fails = dns.iter().any(|finding| finding.verdict == Verdict::Fail);
    let findings = match rule {
        Rule::Verification => dns,
        Rule::Certificate => [dns, facts.that(|code| is_caa(code) || is_ca_check(code))].concat(),
        // The certificate matters once the record leads to the platform.
        Rule::Browser if fails => dns,
        Rule::Browser => facts.that(|code| code.topic() == Topic::Certificate),
        Rule::Redirects if fails && facts.redirect.is_none() => dns,
        Rule::Redirects => facts.of_redirect(),
    };
    // Other findings may explain why this part was not measured.
    let findings = if findings.is_empty() { facts.against() } else { findings };
    let first = findings.iter().min_by_key(|finding| (Reverse(finding.verdict), finding.code.topic()));
    let Some(first) = first else { return "Not checked yet: check the domain first.".to_owned() };
    let title = &first.title;
    match first.verdict {
        Verdict::Fail => format!("First cause: {title}. {}", whose(first.who)),
        Verdict::Wait => {
            let waits = findings.iter().filter(|finding| finding.verdict == Verdict::Wait);
            let until = waits.filter_map(|finding| finding.until).max();
            let until = until.map_or_else(String::new, |until| format!(" until {}", until_words(until, facts.now)));
            format!("{title}: just wait{until}.")
        }
        Verdict::You => format!("Next: {}", sentence(&first.fix)),
        Verdict::Warn if rule == Rule::Certificate && facts.has_certificate() => all_right(rule, facts),
        Verdict::Warn => format!("This may be why: {title}. {}", whose(first.who)),
        Verdict::Unknown => format!("{title}. {}", full_sentence(&first.fix)),
        Verdict::Ok => all_right(rule, facts),
    }
}

/// What must hold before a domain can be set up (API description, custom domains), which is not seen from outside.
pub const PRECONDITIONS: &str =
    "a paid plan (Pro or above), a successful deploy of the project, and access to the DNS settings of the domain";

/// The conclusion if no finding is against the domain.
fn all_right(rule: Rule, facts: &Facts<'_>) -> String {
    match rule {
        Rule::Verification => {
            "Everything that petstore can check is right: choose Verify in the dashboard, then press V here.".to_owned()
        }
        Rule::Certificate if facts.has_certificate() => "The certificate is there. Nothing to do.".to_owned(),
        Rule::Certificate => match facts.certificate_due() {
            None => "The 30 minutes start with Verify, which is not recorded yet.".to_owned(),
            Some(due) if facts.now <= due => {
                format!("It is not late yet: the 30 minutes end {}.", until_words(due, facts.now))
            }
            Some(_) => {
                "Nothing blocks the certificate: choose Re-verify in the dashboard, then press V here.".to_owned()
            }
        },
        Rule::Browser => {
            "The certificate is right. If a browser still warns, it has cached an old one: try a private window."
                .to_owned()
        }
        Rule::Redirects if facts.redirect.is_none() => {
            "No redirect is configured for this name, so there is nothing to compare.".to_owned()
        }
        Rule::Redirects => {
            "The redirect is right. If a browser goes elsewhere, it has cached an old one: try a private window."
                .to_owned()
        }
    }
}

/// Who must act, in a sentence.
fn whose(who: Who) -> String {
    match who {
        Who::Platform => "Only the platform can fix it: ask its support.".to_owned(),
        Who::Nobody => "Just wait.".to_owned(),
        Who::DnsProvider | Who::Registrar | Who::Dashboard | Who::ThisMachine => {
            format!("Fix it {}, then check again.", who.at())
        }
    }
}

impl<'a> Facts<'a> {
    fn ask(&self, text: &'static str) -> Question {
        Question { text, now: self.now }
    }

    /// The findings whose code fits.
    fn that(&self, is_such: impl Fn(Code) -> bool) -> Vec<&'a Finding> {
        self.findings.iter().filter(|finding| is_such(finding.code)).collect()
    }

    fn any(&self, codes: &[Code]) -> bool {
        self.findings.iter().any(|finding| codes.contains(&finding.code))
    }

    /// All that is not right, which may explain why something was not measured.
    fn against(&self) -> Vec<&'a Finding> {
        let findings = self.that(|code| !is_remark(code));
        findings.into_iter().filter(|finding| finding.verdict != Verdict::Ok).collect()
    }

    /// There is a certificate, and nothing wrong with it at any address.
    fn has_certificate(&self) -> bool {
        let wrong = |finding: &Finding| finding.verdict.is_open();
        let of_certificates = self.that(|code| code.topic() == Topic::Certificate);
        self.any(TAKEN) && !of_certificates.into_iter().any(wrong)
    }

    /// When a certificate is late.
    fn certificate_due(&self) -> Option<Timestamp> {
        self.reported.verified?.checked_add(CERTIFICATE_WAIT).ok()
    }

    /// The findings on servers and record, as others see them.
    fn of_dns(&self) -> Vec<&'a Finding> {
        let mut findings = self.that(|code| is_dns(code) && !is_remark(code));
        findings.retain(|finding| finding.verdict != Verdict::Warn || finding.who != Who::ThisMachine);
        findings
    }

    /// The findings on the configured redirect; else on what is served under the name.
    fn of_redirect(&self) -> Vec<&'a Finding> {
        match self.redirect {
            Some((_, findings)) => findings.iter().collect(),
            None => {
                self.that(|code| matches!(code.topic(), Topic::Http | Topic::Redirect) && code != Code::AcmeBlocked)
            }
        }
    }

    /// How many of the counted servers see the right record.
    fn who_sees(&self) -> Option<String> {
        let count = |is_such: fn(Role) -> bool, what: &str| {
            let those = || self.views.iter().filter(move |view| is_such(view.role)).map(|view| view.verdict.verdict());
            let all = those().filter(|verdict| *verdict != Verdict::Unknown).count();
            let right = those().filter(|verdict| *verdict == Verdict::Ok).count();
            (all > 0).then(|| format!("{right} of {all} {what}"))
        };
        let servers = count(|role| role == Role::Authoritative, "name servers");
        let resolvers = count(Role::is_resolver, "resolvers");
        let who = words::list(servers.into_iter().chain(resolvers));
        let aside = self.views.iter().filter(|view| view.verdict == ViewVerdict::NotCounted).count();
        let aside = if aside == 0 { String::new() } else { format!("; {aside} not counted") };
        (!who.is_empty()).then(|| format!("{who} see it{aside}"))
    }

    /// The right record of the name servers, even if others do not see it yet.
    fn right_at_source(&self) -> Option<String> {
        let right = |view: &&View| view.role == Role::Authoritative && view.verdict == ViewVerdict::Right;
        match self.views.iter().find(right) {
            Some(view) => Some(format!("{} has {} ({})", self.domain.name, view.sees, view.server)),
            None => self.any(RIGHT_AT_SOURCE).then(|| "the name servers have the right record".to_owned()),
        }
    }
}

/// A question of a rule, as it is asked at a time.
#[derive(Clone, Copy)]
struct Question {
    text: &'static str,
    now: Timestamp,
}

impl Question {
    fn answer(self, verdict: Option<Verdict>, word: &str) -> RuleAnswer {
        let (question, word) = (self.text.to_owned(), word.to_owned());
        RuleAnswer { question, verdict, word, seen: Vec::new(), act: Vec::new() }
    }

    fn ok(self, seen: impl Into<String>) -> RuleAnswer {
        self.answer(Some(Verdict::Ok), "").seen([seen.into()])
    }

    /// Without a judgement.
    fn open(self, word: &str) -> RuleAnswer {
        self.answer(None, word)
    }

    fn unmeasured(self) -> RuleAnswer {
        self.open("not checked yet")
    }

    /// The worst verdict of the findings; those that are fine are left out if others are not.
    fn of(self, findings: &[&Finding]) -> RuleAnswer {
        let worst = findings.iter().map(|finding| finding.verdict).max();
        let mut seen: Vec<String> = Vec::new();
        let mut acts: Vec<(&str, Option<Timestamp>)> = Vec::new();
        let is_shown = |finding: &&&Finding| finding.verdict != Verdict::Ok || worst == Some(Verdict::Ok);
        for finding in findings.iter().filter(is_shown) {
            let what = if finding.seen.is_empty() { &finding.title } else { &finding.seen };
            let expected = format!("Expected: {}", finding.expected);
            let is_ok = finding.verdict == Verdict::Ok;
            for line in [Some(what.clone()), (!is_ok && !finding.expected.is_empty()).then_some(expected)] {
                seen.extend(line.filter(|line| !seen.contains(line)));
            }
            if is_ok || finding.fix.is_empty() {
                continue;
            }
            let until = finding.until.filter(|_| finding.verdict == Verdict::Wait);
            match acts.iter_mut().find(|(fix, _)| *fix == finding.fix) {
                Some((_, known)) => *known = (*known).max(until),
                None => acts.push((&finding.fix, until)),
            }
        }
        let act = acts.into_iter().map(|(fix, until)| match until {
            Some(until) => format!("{}, until {}", fix.trim_end_matches('.'), until_words(until, self.now)),
            None => fix.to_owned(),
        });
        self.answer(worst, "").seen(seen).act(act)
    }
}

impl RuleAnswer {
    fn seen(mut self, seen: impl IntoIterator<Item = String>) -> Self {
        self.seen.extend(seen);
        self
    }

    fn act(mut self, act: impl IntoIterator<Item = String>) -> Self {
        self.act.extend(act);
        self
    }

    fn is_right(&self) -> bool {
        matches!(self.verdict, Some(Verdict::Ok | Verdict::Warn))
    }
}

fn is_dns(code: Code) -> bool {
    matches!(code.topic(), Topic::Servers | Topic::Record)
}

/// What CAs find when they check the name.
fn is_ca_check(code: Code) -> bool {
    matches!(code, Code::AcmeBlocked | Code::AcmeLeftOver)
}

fn is_caa(code: Code) -> bool {
    code.topic() == Topic::Caa
}

fn is_remark(code: Code) -> bool {
    REMARKS.contains(&code) || code == Code::TtlLong
}

/// Rule 1: conflicting records are removed, and the value equals the one from the dashboard.
fn verification(facts: &Facts<'_>) -> Vec<RuleAnswer> {
    let name = &facts.domain.name;
    let conflicts = facts.that(|code| IN_THE_WAY.contains(&code));
    let value =
        facts.that(|code| code.topic() == Topic::Record && !IN_THE_WAY.contains(&code) && code != Code::TtlLong);
    // What is wrong with servers, or not known of them.
    let mut servers = facts.that(|code| code.topic() == Topic::Servers && !is_remark(code));
    servers.retain(|finding| finding.verdict != Verdict::Ok);
    let right = facts.right_at_source();
    // Nothing is known of the record if its servers fail.
    let unread = |question: Question| match servers.iter().any(|finding| finding.verdict == Verdict::Fail) {
        true => question.open("after 3"),
        false => question.unmeasured(),
    };

    let question = facts.ask("Is there another record at the name?");
    let conflict = if !conflicts.is_empty() {
        question.of(&conflicts)
    } else if facts.any(TOLD_WITH_THE_VALUE) {
        question.open("see 2")
    } else if !value.is_empty() || right.is_some() {
        question.ok(format!("{name} has no other record"))
    } else {
        unread(question)
    };

    let question = facts.ask(match facts.domain.is_apex() {
        true => "Does it point to the value from the dashboard?",
        false => "Is its CNAME the value from the dashboard?",
    });
    let value = match right {
        _ if !value.is_empty() => question.of(&value),
        _ if !conflicts.is_empty() => question.open("after 1"),
        Some(right) => question.ok(right),
        None => unread(question),
    };

    let question = facts.ask("Do the name servers and the resolvers see it?");
    let wrong = facts.views.iter().any(|view| view.verdict == ViewVerdict::Wrong);
    let seen = if !servers.is_empty() {
        let mut answer = question.of(&servers);
        answer.seen.splice(..0, facts.who_sees());
        answer
    } else if conflict.verdict == Some(Verdict::Fail) {
        question.open("after 1").seen(facts.who_sees())
    } else if wrong || value.verdict.is_some_and(Verdict::is_open) {
        question.open("after 2").seen(facts.who_sees())
    } else if facts.views.iter().any(|view| view.verdict == ViewVerdict::Unjudged) {
        question.open("see 2")
    } else if value.is_right() || conflict.is_right() && facts.who_sees().is_some() {
        question.answer(Some(Verdict::Ok), "").seen(facts.who_sees())
    } else {
        question.unmeasured()
    };

    let question = facts.ask("Are the preconditions met?");
    let met = question.open("yours to do").act([format!("check them: {PRECONDITIONS}")]);

    vec![conflict, value, seen, met]
}

/// Rule 2: the domain still verifies, CAA does not forbid, and then Re-verify.
fn certificate(facts: &Facts<'_>) -> Vec<RuleAnswer> {
    let question = facts.ask("Does the domain still verify?");
    // CAs fetch this path for every certificate.
    let dns = facts.that(|code| is_dns(code) && !is_remark(code) || is_ca_check(code));
    let verifies = match facts.right_at_source() {
        _ if !dns.is_empty() => {
            let mut answer = question.of(&dns);
            answer.seen.splice(..0, facts.who_sees().filter(|_| answer.verdict != Some(Verdict::Ok)));
            answer
        }
        Some(right) => question.ok(right),
        None => question.unmeasured(),
    };

    let question = facts.ask("Do CAA records allow the certificate authority?");
    let caa = facts.that(is_caa);
    let allowed = if caa.is_empty() { question.unmeasured() } else { question.of(&caa) };

    let again = verify_again(facts, &verifies, &allowed);
    vec![verifies, allowed, again]
}

fn verify_again(facts: &Facts<'_>, verifies: &RuleAnswer, allowed: &RuleAnswer) -> RuleAnswer {
    let question = facts.ask("Choose Re-verify in the dashboard");
    let times = match facts.reported.verified_times {
        1 => "once so far".to_owned(),
        times => format!("{times} times so far"),
    };
    let verified = match facts.reported.verified {
        Some(verified) => {
            let ago = facts.now.duration_since(verified).max(SignedDuration::ZERO);
            format!("Verify was chosen {} ago ({times}); the 30 minutes count from then", words::duration(ago))
        }
        None => "Verify is not recorded yet; the 30 minutes count from it".to_owned(),
    };
    let open = |word: &str| question.open(word).seen([verified.clone()]);
    if facts.has_certificate() && verifies.is_right() {
        return open("not needed").seen(["the certificate is there".to_owned()]);
    }
    if !verifies.is_right() {
        return open("after 1");
    }
    if matches!(allowed.verdict, None | Some(Verdict::Fail)) {
        return open("after 2");
    }
    match facts.certificate_due() {
        None => open("yours to do").act(["choose Verify in the dashboard, then press V here".to_owned()]),
        Some(due) if facts.now <= due => open("not yet")
            .act([format!("wait until {}; it usually takes a couple of minutes", until_words(due, facts.now))]),
        Some(_) => open("yours to do").act([
            "choose Re-verify in the dashboard, then press V here: the 30 minutes start again. At most five times an hour"
                .to_owned(),
            format!("if not, CAs may be blocked: petstore domains explain {}", Code::CaElsewhere),
        ]),
    }
}

/// Rule 3: the certificate is not there yet, or an old one is cached.
fn browser(facts: &Facts<'_>) -> Vec<RuleAnswer> {
    let absent = facts.that(|code| ABSENT.contains(&code));
    let good = facts.that(|code| TAKEN.contains(&code));
    let aside = [Code::TlsOk, Code::HstsNote, Code::V6Untested];
    let odd =
        facts.that(|code| code.topic() == Topic::Certificate && !ABSENT.contains(&code) && !aside.contains(&code));
    let nothing = absent.is_empty() && good.is_empty() && odd.is_empty();

    let question = facts.ask("Is the certificate there yet?");
    let there = if !absent.is_empty() {
        question.of(&absent)
    } else if !good.is_empty() {
        question.answer(Some(Verdict::Ok), "").seen(good.iter().map(|finding| finding.seen.clone()))
    } else if !odd.is_empty() {
        question.open("see 2")
    } else {
        question.unmeasured()
    };

    let question = facts.ask("Is it an old one, or one of another host?");
    let old = if !odd.is_empty() {
        question.of(&odd)
    } else if nothing {
        question.unmeasured()
    } else if !absent.is_empty() {
        question.open("after 1")
    } else {
        question.ok("no: every address that was reached has the right one")
    };

    let question = facts.ask("Do browsers insist on https (HSTS)?");
    let hsts = facts.that(|code| code == Code::HstsNote);
    let insist = if !hsts.is_empty() {
        question.of(&hsts)
    } else if nothing {
        question.unmeasured()
    } else if there.is_right() && old.is_right() {
        question.ok("it does not matter: the certificate is right")
    } else {
        question.open("not seen").act([
            "if the browser offers no way past its warning, an earlier visit turned HSTS on: only a valid certificate helps"
                .to_owned(),
        ])
    };

    let question = facts.ask("What does a private window (nothing cached) show?");
    let open = format!("open https://{}/ in a private window", facts.domain.name);
    let old_views =
        facts.views.iter().filter(|view| view.role.is_resolver() && matches!(view.verdict, ViewVerdict::Old { .. }));
    let window = match [&there, &old].map(|answer| answer.verdict.is_some_and(Verdict::is_open)) {
        _ if nothing => question.unmeasured(),
        [true, _] => question.open("after 1"),
        [_, true] => question.open("after 2"),
        _ => question.open("yours to do"),
    }
    .seen(old_views.map(|view| format!("{} still has an old answer cached: {}", view.server, view.sees)))
    .act([open]);
    // A browser here sees what this machine sees.
    let here = facts.that(|code| matches!(code, Code::SplitLocal | Code::DnsRewrite));
    let window = window
        .seen(here.iter().map(|finding| finding.seen.clone()))
        .act(here.iter().map(|finding| finding.fix.clone()));

    vec![there, old, insist, window]
}

/// Rule 4: what the server says now, by a header-only request, and what caches may keep.
fn redirects(facts: &Facts<'_>) -> Vec<RuleAnswer> {
    let all = facts.of_redirect();
    let pick = |is_such: &dyn Fn(Code) -> bool| -> Vec<&Finding> {
        all.iter().copied().filter(|finding| is_such(finding.code)).collect()
    };
    let detours = pick(&|code| DETOURS.contains(&code));
    let cached = pick(&|code| code == Code::RdCached);
    let served = pick(&|code| !DETOURS.contains(&code) && code != Code::RdCached);
    let configured = match facts.redirect {
        Some((Redirect { from, to, status }, _)) => format!("configured: {from} to {to} with {status}"),
        None => "no redirect is configured for this name, so there is nothing to compare".to_owned(),
    };
    let unmeasured = |question: Question| {
        let checked = facts.redirect.is_none() && !facts.findings.is_empty();
        let why = checked.then(|| "redirects are checked once the record and the certificate are right".to_owned());
        question.unmeasured().seen(why)
    };

    let question = facts.ask("What does a header-only request show?");
    let shows = if !served.is_empty() {
        question.of(&served)
    } else if detours.is_empty() {
        unmeasured(question)
    } else {
        question.open("see 2")
    };
    let shows = shows.seen([display_safe(&configured).into_owned()]);

    let question = facts.ask("Does it loop, detour, or have a different status?");
    let detour = if !detours.is_empty() {
        question.of(&detours)
    } else if all.is_empty() {
        question.unmeasured()
    } else if shows.verdict == Some(Verdict::Fail) {
        question.open("after 1")
    } else if facts.redirect.is_none() {
        question.ok("no loop found; no status is configured to compare with")
    } else {
        question.ok("none of these")
    };

    let question = facts.ask("Could a browser have cached it?");
    let window = "test in a private window: it shows what the server sends now".to_owned();
    let remembered = if !cached.is_empty() {
        question.of(&cached)
    } else if all.is_empty() {
        question.unmeasured()
    } else if facts.redirect.is_none() {
        question.open("yours to do").act([window])
    } else if shows.is_right() && detour.is_right() {
        question
            .open("yours to do")
            .seen(["the redirect is right now; a browser may still have an old one cached".to_owned()])
            .act([window])
    } else {
        question.ok("nothing tells browsers to cache the present answer").act([window])
    };

    vec![shows, detour, remembered]
}

#[cfg(test)]
mod tests;
