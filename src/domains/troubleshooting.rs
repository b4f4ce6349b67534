//! The four troubleshooting rules of the platform as pages of questions, each answered from the last check and from
//! what the operator reported (API description, troubleshooting). Nothing is guessed: what was not measured is marked
//! so.

use jiff::{SignedDuration, Timestamp};

use crate::model::display_safe;

use super::diagnosis::words;
use super::{
    Code, Domain, Finding, Mark, NextStep, Redirect, Reported, Role, Topic, Verdict, View, ViewVerdict, Who, deciding,
    full_sentence, sentence, until_words,
};

/// The word of a question that the last check does not answer.
const NOT_CHECKED: &str = "not checked yet";

/// A troubleshooting rule.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
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
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RuleAnswer {
    /// The question, for example `Is there another record at the name?`.
    pub question: &'static str,
    /// The judgement; `None` if the question cannot be answered yet, or not by a measurement.
    pub verdict: Option<Verdict>,
    /// A short word if there is no judgement, for example `after 2`, `yours to do` or `not checked yet`.
    pub word: &'static str,
    /// What was seen; safe to show.
    pub seen: Vec<String>,
    /// What to do; empty if there is nothing to do.
    pub act: Vec<String>,
}

/// The input of the answers.
#[derive(Clone, Debug)]
pub struct Facts<'a> {
    pub domain: Domain,
    /// What the operator reported.
    pub reported: Reported,
    /// What comes next.
    pub next: NextStep,
    /// The findings of the last check; empty if there was none.
    pub findings: &'a [Finding],
    /// What each server saw in it.
    pub views: &'a [View],
    /// The redirect configured for this name, and what following it gave; no findings if it was not followed.
    pub redirect: Option<(Redirect, &'a [Finding])>,
    /// The time.
    pub now: Timestamp,
}

/// The questions of a rule, each with its answer, in the order in which to fix them.
pub fn answers(rule: Rule, facts: &Facts<'_>) -> Vec<RuleAnswer> {
    let mut answers = match rule {
        Rule::Verification => of_verification(facts),
        Rule::Certificate => of_certificate(facts),
        Rule::Browser => of_browser(facts),
        Rule::Redirects => of_redirects(facts),
    };
    for answer in answers.iter_mut().filter(|_| facts.reported.is_being_removed()) {
        answer.act.clear();
        answer.word = if answer.verdict.is_none() { "not needed" } else { answer.word };
    }
    answers
}

/// The sentence under the questions: what to fix first, or that all is right.
pub fn conclusion(rule: Rule, facts: &Facts<'_>) -> String {
    let dns = facts.of_dns();
    let fails = dns.iter().any(|it| it.fails());
    let findings = match rule {
        Rule::Verification => dns,
        Rule::Certificate => [dns, facts.that(|it| is_caa(it) || it.code.is(Mark::CaCheck))].concat(),
        // The certificate matters once the record leads to the platform.
        Rule::Browser if fails => dns,
        Rule::Browser => facts.that(|it| it.code.topic() == Topic::Certificate),
        Rule::Redirects if fails && facts.redirect.is_none() => dns,
        Rule::Redirects => facts.of_redirect(),
    };
    // All that is not right may explain why this part was not measured.
    let against = || facts.that(|it| !it.code.is(Mark::Remark) && it.verdict != Verdict::Ok);
    let findings = if findings.is_empty() { against() } else { findings };
    let Some(first) = deciding(findings.iter().copied()) else {
        return "Not checked yet: check the domain first.".to_owned();
    };
    if facts.reported.is_being_removed() && first.verdict != Verdict::Unknown {
        return format!("It is being removed: {}.", facts.next.words());
    }
    let title = &first.title;
    match first.verdict {
        Verdict::Fail => format!("First cause: {title}. {}", whose(first.who)),
        Verdict::Wait => {
            let waits = findings.iter().filter(|it| it.verdict == Verdict::Wait);
            let until = waits.filter_map(|it| it.until).max();
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
    match (rule, facts.reported.certificate_due()) {
        (Rule::Verification, _) if facts.next != NextStep::Verify => {
            return format!("The record is right. {}", full_sentence(facts.next.words()));
        }
        (Rule::Verification, _) => {
            "Everything that petstore can check is right: choose Verify in the dashboard, then press V here."
        }
        (Rule::Certificate, _) if facts.has_certificate() => "The certificate is there. Nothing to do.",
        (Rule::Certificate, None) => "The 30 minutes start with Verify, which is not recorded yet.",
        (Rule::Certificate, Some(due)) if facts.now <= due => {
            return format!("It is not late yet: the 30 minutes end {}.", until_words(due, facts.now));
        }
        (Rule::Certificate, _) => {
            "Nothing blocks the certificate: choose Re-verify in the dashboard, then press V here."
        }
        (Rule::Browser, _) => {
            "The certificate is right. If a browser still warns, it has cached an old one: try a private window."
        }
        (Rule::Redirects, _) if facts.redirect.is_none() => {
            "No redirect is configured for this name, so there is nothing to compare."
        }
        (Rule::Redirects, _) => {
            "The redirect is right. If a browser goes elsewhere, it has cached an old one: try a private window."
        }
    }
    .to_owned()
}

/// Who must act, in a sentence.
fn whose(who: Who) -> String {
    match who {
        Who::Platform => "Only the platform can fix it: ask its support.".to_owned(),
        Who::Nobody => "Just wait.".to_owned(),
        _ => format!("Fix it {}, then check again.", who.at()),
    }
}

impl<'a> Facts<'a> {
    fn that(&self, is_such: impl Fn(&Finding) -> bool) -> Vec<&'a Finding> {
        self.findings.iter().filter(|it| is_such(it)).collect()
    }

    fn any(&self, mark: Mark) -> bool {
        self.findings.iter().any(|it| it.code.is(mark))
    }

    /// There is a certificate, and nothing wrong with it at any address.
    fn has_certificate(&self) -> bool {
        let wrong = |it: &Finding| it.code.topic() == Topic::Certificate && it.is_open();
        self.any(Mark::GoodCertificate) && !self.findings.iter().any(wrong)
    }

    /// The answer about the record if nothing is known of it.
    fn unread(&self) -> RuleAnswer {
        let fails = |it: &Finding| is_of_servers(it) && it.fails();
        open(if self.findings.iter().any(fails) { "after 3" } else { NOT_CHECKED })
    }

    /// The answer of these findings: the worst verdict; those that are fine are left out if others are not.
    fn of(&self, findings: &[&Finding]) -> Option<RuleAnswer> {
        let worst = findings.iter().map(|it| it.verdict).max()?;
        let mut seen: Vec<String> = Vec::new();
        let mut acts: Vec<(&str, Option<Timestamp>)> = Vec::new();
        for finding in findings.iter().filter(|it| it.verdict != Verdict::Ok || worst == Verdict::Ok) {
            let mut lines = vec![if finding.seen.is_empty() { &finding.title } else { &finding.seen }.clone()];
            if finding.verdict != Verdict::Ok && !finding.expected.is_empty() {
                lines.push(format!("Expected: {}", finding.expected));
            }
            lines.retain(|line| !seen.contains(line));
            seen.extend(lines);
            let until = finding.until.filter(|_| finding.verdict == Verdict::Wait);
            match acts.iter_mut().find(|(fix, _)| *fix == finding.fix) {
                Some((_, known)) => *known = (*known).max(until),
                None if finding.verdict == Verdict::Ok || finding.fix.is_empty() => {}
                None => acts.push((&finding.fix, until)),
            }
        }
        let act = acts.into_iter().map(|(fix, until)| match until {
            Some(until) => format!("{}, until {}", fix.trim_end_matches('.'), until_words(until, self.now)),
            None => fix.to_owned(),
        });
        Some(RuleAnswer { verdict: Some(worst), seen, act: act.collect(), ..open("") })
    }

    /// The same of findings that are not all right, with how many servers see the record.
    fn with_counts(&self, findings: &[&Finding]) -> Option<RuleAnswer> {
        let mut answer = self.of(findings)?;
        answer.seen.splice(..0, self.who_sees().filter(|_| answer.verdict != Some(Verdict::Ok)));
        Some(answer)
    }

    /// The findings on servers and record, as others see them.
    fn of_dns(&self) -> Vec<&'a Finding> {
        let is_own = |it: &Finding| it.verdict == Verdict::Warn && it.who == Who::ThisMachine;
        self.that(|it| is_dns(it) && !it.code.is(Mark::Remark) && !is_own(it))
    }

    /// The findings on the configured redirect; else on what is served under the name.
    fn of_redirect(&self) -> Vec<&'a Finding> {
        let is_served = |it: &Finding| matches!(it.code.topic(), Topic::Http | Topic::Redirect);
        match &self.redirect {
            Some((_, findings)) => findings.iter().collect(),
            None => self.that(|it| is_served(it) && it.code != Code::AcmeBlocked),
        }
    }

    /// How many of the counted servers see the right record.
    fn who_sees(&self) -> Option<String> {
        let count = |is_such: fn(&Role) -> bool, what: &str| {
            let those = self.views.iter().filter(|view| is_such(&view.server.role)).map(|view| view.verdict.verdict());
            let judged: Vec<Verdict> = those.filter(|verdict| *verdict != Verdict::Unknown).collect();
            let right = judged.iter().filter(|verdict| **verdict == Verdict::Ok).count();
            (!judged.is_empty()).then(|| format!("{right} of {} {what}", judged.len()))
        };
        let servers = count(Role::is_authoritative, "name servers");
        let resolvers = count(Role::is_resolver, "resolvers");
        let who = words::list(servers.into_iter().chain(resolvers));
        let aside = self.views.iter().filter(|view| view.verdict == ViewVerdict::NotCounted).count();
        let aside = if aside == 0 { String::new() } else { format!("; {aside} not counted") };
        (!who.is_empty()).then(|| format!("{who} see it{aside}"))
    }

    /// The right record of the name servers, even if others do not see it yet.
    fn right_at_source(&self) -> Option<String> {
        let right = |view: &&View| view.server.role == Role::Authoritative && view.verdict == ViewVerdict::Right;
        match self.views.iter().find(right) {
            Some(view) => Some(format!("{} has {} ({})", self.domain.name, view.sees, view.server.label())),
            None => self.any(Mark::RightAtSource).then(|| "the name servers have the right record".to_owned()),
        }
    }
}

/// Conflicting records are removed, and the value equals the one from the dashboard.
fn of_verification(facts: &Facts<'_>) -> Vec<RuleAnswer> {
    let right = facts.right_at_source();
    let conflict = facts.of(&facts.that(|it| it.code.is(Mark::InTheWay))).unwrap_or_else(|| {
        let is_read = right.is_some() || facts.findings.iter().any(is_value);
        match facts.any(Mark::WithTheValue) {
            true => open("see 2"),
            false if is_read => ok(format!("{} has no other record", facts.domain.name)),
            false => facts.unread(),
        }
    });
    let value = facts.of(&facts.that(is_value)).unwrap_or_else(|| match right {
        _ if facts.any(Mark::InTheWay) => open("after 1"),
        Some(right) => ok(right),
        None => facts.unread(),
    });
    let everywhere = facts.with_counts(&facts.that(is_of_servers)).unwrap_or_else(|| {
        let sees = facts.who_sees();
        let any = |verdict| facts.views.iter().any(|view| view.verdict == verdict);
        match conflict.verdict {
            Some(Verdict::Fail) => open("after 1").seen(sees),
            _ if any(ViewVerdict::Wrong) || value.is_open() => open("after 2").seen(sees),
            _ if any(ViewVerdict::Unjudged) => open("see 2"),
            _ if value.is_right() || conflict.is_right() && sees.is_some() => right_answer(sees),
            _ => unchecked(),
        }
    });
    vec![
        conflict.to("Is there another record at the name?"),
        value.to("Is its value the one from the dashboard?"),
        everywhere.to("Do the name servers and the resolvers see it?"),
        open("yours to do").act([format!("check them: {PRECONDITIONS}")]).to("Are the preconditions met?"),
    ]
}

/// The domain still verifies, CAA does not forbid, and then Re-verify.
fn of_certificate(facts: &Facts<'_>) -> Vec<RuleAnswer> {
    // CAs fetch a file for every certificate.
    let dns = facts.that(|it| is_dns(it) && !it.code.is(Mark::Remark) || it.code.is(Mark::CaCheck));
    let verifies = facts.with_counts(&dns).or_else(|| facts.right_at_source().map(ok)).unwrap_or_else(unchecked);
    let allowed = facts.of(&facts.that(is_caa)).unwrap_or_else(unchecked);
    let again = verify_again(facts, &verifies, &allowed);
    vec![
        verifies.to("Does the domain still verify?"),
        allowed.to("Do CAA records allow the certificate authority?"),
        again.to("Choose Re-verify in the dashboard"),
    ]
}

/// The certificate is not there yet, or an old one is cached.
fn of_browser(facts: &Facts<'_>) -> Vec<RuleAnswer> {
    let there = facts.of(&facts.that(|it| it.code.is(Mark::NoCertificate))).unwrap_or_else(|| {
        let good = facts.that(|it| it.code.is(Mark::GoodCertificate));
        match good.is_empty() {
            false => right_answer(good.iter().map(|it| it.seen.clone())),
            true if facts.findings.iter().any(is_odd) => open("see 2"),
            true => unchecked(),
        }
    });
    let other = facts.of(&facts.that(is_odd)).unwrap_or_else(|| match there.verdict {
        _ if facts.any(Mark::NoCertificate) => open("after 1"),
        None => unchecked(),
        Some(_) => ok("no: every address that was reached has the right one"),
    });
    let strict = facts.of(&facts.that(|it| it.code == Code::HstsNote)).unwrap_or_else(|| match there.word {
        NOT_CHECKED => unchecked(),
        _ if there.is_right() && other.is_right() => ok("it does not matter: the certificate is right"),
        _ => open("not seen").act([
            "if the browser offers no way past its warning, an earlier visit turned HSTS on: only a valid certificate helps",
        ]),
    });
    let word = match there.word {
        NOT_CHECKED => NOT_CHECKED,
        _ if there.is_open() => "after 1",
        _ if other.is_open() => "after 2",
        _ => "yours to do",
    };
    let is_old = |view: &&View| view.server.role.is_resolver() && matches!(view.verdict, ViewVerdict::Old { .. });
    let cached = |view: &View| format!("{} still has an old answer cached: {}", view.server.label(), view.sees);
    // A browser here sees what this machine sees.
    let here = facts.that(|it| it.code.is(Mark::HereOnly));
    let private = open(word)
        .seen(facts.views.iter().filter(is_old).map(cached))
        .seen(here.iter().map(|it| &it.seen))
        .act([format!("open https://{}/ in a private window", facts.domain.name)])
        .act(here.iter().map(|it| &it.fix));
    vec![
        there.to("Is the certificate there yet?"),
        other.to("Is it an old one, or one of another host?"),
        strict.to("Do browsers insist on https (HSTS)?"),
        private.to("What does a private window (nothing cached) show?"),
    ]
}

/// What the server says now, by a header-only request, and what caches may keep.
fn of_redirects(facts: &Facts<'_>) -> Vec<RuleAnswer> {
    let all = facts.of_redirect();
    let (cached, others): (Vec<&Finding>, Vec<&Finding>) =
        all.iter().copied().partition(|it| it.code == Code::RdCached);
    let (detours, served): (Vec<&Finding>, Vec<&Finding>) = others.into_iter().partition(|it| it.code.is(Mark::Detour));
    let shows = facts.of(&served).unwrap_or_else(|| match facts.redirect {
        _ if !detours.is_empty() => open("see 2"),
        None if !facts.findings.is_empty() => {
            unchecked().seen(["redirects are checked once the record and the certificate are right"])
        }
        _ => unchecked(),
    });
    let shows = shows.seen([match &facts.redirect {
        Some((Redirect { from, to, status }, _)) => {
            display_safe(&format!("configured: {from} to {to} with {status}")).into_owned()
        }
        None => "no redirect is configured for this name, so there is nothing to compare".to_owned(),
    }]);
    let detour = facts.of(&detours).unwrap_or_else(|| match facts.redirect {
        _ if all.is_empty() => unchecked(),
        _ if shows.verdict == Some(Verdict::Fail) => open("after 1"),
        None => ok("no loop found; no status is configured to compare with"),
        Some(_) => ok("none of these"),
    });
    let kept = facts.of(&cached).unwrap_or_else(|| {
        let kept = match facts.redirect {
            _ if all.is_empty() => return unchecked(),
            None => open("yours to do"),
            Some(_) if shows.is_right() && detour.is_right() => {
                open("yours to do").seen(["the redirect is right now; a browser may still have an old one cached"])
            }
            Some(_) => ok("nothing tells browsers to cache the present answer"),
        };
        kept.act(["test in a private window: it shows what the server sends now"])
    });
    vec![
        shows.to("What does a header-only request show?"),
        detour.to("Does it loop, detour, or have a different status?"),
        kept.to("Could a browser have cached it?"),
    ]
}

fn right_answer(seen: impl IntoIterator<Item = String>) -> RuleAnswer {
    RuleAnswer { verdict: Some(Verdict::Ok), ..open("") }.seen(seen)
}

fn ok(seen: impl Into<String>) -> RuleAnswer {
    right_answer([seen.into()])
}

fn unchecked() -> RuleAnswer {
    open(NOT_CHECKED)
}

/// Without a judgement.
fn open(word: &'static str) -> RuleAnswer {
    RuleAnswer { word, ..RuleAnswer::default() }
}

impl RuleAnswer {
    /// The answer to this question, as the API description has it.
    fn to(self, question: &'static str) -> Self {
        Self { question, ..self }
    }

    fn seen(mut self, seen: impl IntoIterator<Item: Into<String>>) -> Self {
        self.seen.extend(seen.into_iter().map(Into::into));
        self
    }

    fn act(mut self, act: impl IntoIterator<Item: Into<String>>) -> Self {
        self.act.extend(act.into_iter().map(Into::into));
        self
    }

    fn is_right(&self) -> bool {
        matches!(self.verdict, Some(Verdict::Ok | Verdict::Warn))
    }

    /// Whether it must be settled before the questions that follow.
    fn is_open(&self) -> bool {
        self.verdict >= Some(Verdict::Wait)
    }
}

fn is_dns(finding: &Finding) -> bool {
    matches!(finding.code.topic(), Topic::Servers | Topic::Record)
}

/// What is wrong with servers, or not known of them.
fn is_of_servers(finding: &Finding) -> bool {
    finding.code.topic() == Topic::Servers && !finding.code.is(Mark::Remark) && finding.verdict != Verdict::Ok
}

fn is_value(finding: &Finding) -> bool {
    let code = finding.code;
    code.topic() == Topic::Record && !code.is(Mark::InTheWay) && !code.is(Mark::Remark)
}

fn is_caa(finding: &Finding) -> bool {
    finding.code.topic() == Topic::Caa
}

/// There is a certificate, and not the usual one.
fn is_odd(finding: &Finding) -> bool {
    let aside = matches!(finding.code, Code::TlsOk | Code::HstsNote | Code::V6Untested);
    finding.code.topic() == Topic::Certificate && !finding.code.is(Mark::NoCertificate) && !aside
}

fn verify_again(facts: &Facts<'_>, verifies: &RuleAnswer, allowed: &RuleAnswer) -> RuleAnswer {
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
    let open = |word| open(word).seen([&verified]);
    match facts.reported.certificate_due() {
        _ if !verifies.is_right() => open("after 1"),
        _ if facts.has_certificate() => open("not needed").seen(["the certificate is there"]),
        _ if matches!(allowed.verdict, None | Some(Verdict::Fail)) => open("after 2"),
        None => open("yours to do").act(["choose Verify in the dashboard, then press V here"]),
        Some(due) if facts.now <= due => open("not yet")
            .act([format!("wait until {}; it usually takes a couple of minutes", until_words(due, facts.now))]),
        Some(_) => open("yours to do").act([
            "choose Re-verify in the dashboard, then press V here: the 30 minutes start again. At most five times an hour"
                .to_owned(),
            format!("if not, CAs may be blocked: petstore domains explain {}", Code::CaElsewhere),
        ]),
    }
}

#[cfg(test)]
mod tests;
