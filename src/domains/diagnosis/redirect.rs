//! A configured redirect compared with the live site (catalogue, section 2.6; troubleshooting rule 4).

use serde::Serialize;
use url::Url;

use super::prelude::*;

/// The path that a redirect must keep.
pub const DEEP_PATH: &str = "/petstore-check/page?kept=1";

/// A redirect as configured (API description, `domains.redirects`).
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Redirect {
    /// The domain that redirects.
    pub from: DnsName,
    /// Where it leads.
    pub to: DnsName,
    /// The status, usually `301`.
    pub status: u16,
}

/// What was asked of a redirect.
#[derive(Clone, Debug, Default)]
pub struct Walk {
    pub https: Trail,
    pub http: Trail,
    /// From a page below `from`, over the scheme that redirects.
    pub deep: Trail,
    /// From `to` over https, if `from` does not redirect there.
    pub back: Trail,
    /// The addresses of `from`, if none of them is the platform's.
    pub elsewhere: Vec<IpAddr>,
    /// The handshake of `from` over https.
    pub handshake: Option<Handshake>,
}

/// An address for people.
pub(super) fn shown_url(url: &Url) -> String {
    cut(&display_safe(url.as_str()), 80)
}

/// The loop, if a trail comes to a URL again.
pub fn circle(trail: &Trail) -> Option<String> {
    let urls: Vec<&Url> = trail.hops.iter().map(|hop| &hop.url).collect();
    let first = |at: usize| urls[..at].iter().position(|url| *url == urls[at]);
    let (first, again) = (0..urls.len()).find_map(|at| Some((first(at)?, at)))?;
    Some(urls[first..=again].iter().map(|url| shown_url(url)).collect::<Vec<_>>().join(" -> "))
}

/// Whether a URL is of this host.
pub fn is_at(url: &Url, host: &DnsName) -> bool {
    url.host_str().is_some_and(|seen| DnsName::new(seen) == *host)
}

/// Whether GET had to be used.
pub(super) fn head_was_refused(hop: &Hop) -> bool {
    hop.method == Method::GET
}

/// The findings on a redirect, first causes first.
pub fn judge(redirect: &Redirect, walk: &Walk, now: Timestamp) -> Vec<Finding> {
    let redirects = |trail: &Trail| trail.hops.iter().any(|hop| hop.is_redirect() && !is_upgrade(hop));
    let by_https = redirects(&walk.https) || !redirects(&walk.http) && walk.https.last().is_some();
    let trail = if by_https { &walk.https } else { &walk.http };
    let (from, handshake) = (&redirect.from, walk.handshake.as_ref().filter(|_| by_https));
    let mut findings: Vec<Finding> = if trail.hops.iter().all(|hop| hop.outcome.is_err()) {
        vec![no_answer(redirect, trail)]
    } else {
        let untrusted = handshake.and_then(|it| untrusted(redirect, it, now));
        untrusted.into_iter().chain(judge_trail(redirect, trail, walk)).collect()
    };
    for finding in findings.iter_mut().filter(|it| it.expected.is_empty()) {
        finding.expected = format!("{} to https://{}/", redirect.status, redirect.to);
        finding.evidence = trail.hops.iter().map(Into::into).collect();
    }
    let by_http = walk.https.last().filter(|_| !by_https);
    let by_http = by_http.map(|it| say::no_redirect_over_https(from, it.status).evidence(&walk.https.hops));
    findings.extend(by_http);
    // What is not the platform's cannot be corrected in the dashboard.
    for finding in findings.iter_mut().filter(|it| it.who == Who::Dashboard && !walk.elsewhere.is_empty()) {
        finding.who = Who::DnsProvider;
        finding.fix = format!(
            "{from} leads to {}, not to the platform: if a forwarder of your registrar or DNS provider answers there, correct the redirect there; otherwise correct the record: petstore domains check {from}",
            list(&walk.elsewhere)
        );
    }
    findings.extend(remembered(trail, overall(&findings), now));
    let refused = trail.hops.iter().any(head_was_refused).then(|| say::head_refused().evidence(&trail.hops));
    findings.into_iter().chain(refused).collect()
}

/// A certificate that browsers reject before they see the redirect.
fn untrusted(redirect: &Redirect, handshake: &Handshake, now: Timestamp) -> Option<Finding> {
    let (presented, leaf) = (handshake.outcome.as_ref().ok()?, handshake.leaf()?);
    let from = redirect.from.as_str();
    let issuer = || format!("the issuer is {}", whole(&leaf.issuer));
    let (code, seen) = match &presented.trust {
        _ if !leaf.covers(from) => (Code::TlsWrongName, format!("the certificate is for {}", names(&leaf.names))),
        _ if now > leaf.not_after => (Code::TlsExpired, format!("the certificate expired {}", moment(leaf.not_after))),
        _ if now < leaf.not_before => {
            (Code::TlsFuture, format!("the certificate is valid from {}", moment(leaf.not_before)))
        }
        // What is missing on this machine says nothing about the redirect.
        Ok(()) | Err(Distrust::NoRoots) => return None,
        Err(_) if leaf.is_self_issued() => (Code::TlsSelf, issuer()),
        Err(Distrust::Dates(why)) => (Code::TlsChain, format!("{}, whose certificate {why}", issuer())),
        Err(_) => (Code::TlsUnknownCa, issuer()),
    };
    let finding = Finding::fail(code, Who::Dashboard)
        .seen(seen)
        .expected(format!("a certificate for {from} that browsers trust; otherwise they never reach the redirect"))
        .fix(format!("fix the certificate first: petstore domains check {from}"));
    Some(finding.evidence([handshake]))
}

fn judge_trail(redirect: &Redirect, trail: &Trail, walk: &Walk) -> Vec<Finding> {
    let Redirect { from, to, status } = redirect;
    if let Some(circle) = circle(trail).filter(|_| !stays_by_path(trail)) {
        return vec![say::redirect_loops(circle, from, to)];
    }
    if trail.cut {
        return vec![say::too_many_redirects(trail.hops.len().saturating_sub(1), from, to)];
    }
    let hops: Vec<&Hop> = trail.hops.iter().filter(|hop| !is_upgrade(hop)).collect();
    let Some((hop, response)) = hops.first().and_then(|hop| Some((*hop, hop.response()?))) else {
        return vec![no_answer(redirect, trail)];
    };
    if !response.is_redirect() {
        return vec![reversed(redirect, walk).unwrap_or_else(|| none(redirect, trail, hop, response))];
    }
    let location = response.location.as_deref().filter(|location| !location.trim().is_empty());
    let Some((location, target)) = location.and_then(|location| Some((location, hop.url.join(location).ok()?))) else {
        return vec![say::no_location(shown_url(&hop.url), response.status, to)];
    };
    if !is_at(&target, to) && !trail.hops.iter().any(|hop| is_at(&hop.url, to)) {
        return vec![if is_at(&target, from) {
            let same_name = || say::same_name(response.status, short(location), from, to);
            reversed(redirect, walk).unwrap_or_else(same_name)
        } else {
            say::other_target(response.status, shown_url(&target), from, to)
        }];
    }
    let gone = trail.hops.last().filter(|last| last.outcome == Err(ConnectionFailure::NoAddress));
    let gone = gone.map(|last| say::redirect_gone(from, shown_url(&last.url), to));
    let other_status = (response.status != *status)
        .then(|| say::other_status(response.status, permanence(response.status), status, permanence(*status)));
    let several = hops.iter().filter(|hop| hop.is_redirect()).count() >= 2;
    let way = || trail.hops.iter().map(|hop| shown_url(&hop.url)).collect::<Vec<_>>().join(" -> ");
    let several = several.then(|| say::several_hops(way(), from, to));
    let downgraded = |pair: &[Hop]| pair[0].url.scheme() == "https" && pair[1].url.scheme() == "http";
    let to_http = trail.hops.windows(2).any(downgraded) || target.scheme() == "http";
    let to_http = to_http.then(|| say::to_http(shown_url(&target), to));
    let wrong = [gone, other_status, several, to_http, path(redirect, &walk.deep)];
    let mut findings: Vec<Finding> = wrong.into_iter().flatten().collect();
    if findings.is_empty() {
        findings.push(say::redirect_ok(from, shown_url(&target), response.status));
    }
    findings
}

/// Every request leads to the same path: that is not a loop, but never leaves the name.
fn stays_by_path(trail: &Trail) -> bool {
    let by_path = |hop: &Hop| {
        let location = hop.response().and_then(|it| it.location.as_deref());
        location.is_some_and(|location| Url::parse(location).is_err() && !location.starts_with("//"))
    };
    let repeats = matches!(trail.hops.as_slice(), [.., before, last] if before.url == last.url);
    repeats && trail.hops.iter().filter(|hop| !is_upgrade(hop)).all(by_path)
}

/// From http to https of the same name, which comes before the redirect itself.
fn is_upgrade(hop: &Hop) -> bool {
    let response = hop.response().filter(|it| it.is_redirect());
    let target = response.and_then(|it| hop.url.join(it.location.as_deref()?).ok());
    target.is_some_and(|target| {
        (hop.url.scheme(), target.scheme()) == ("http", "https") && target.host_str() == hop.url.host_str()
    })
}

/// The live redirect leads from `to` to `from`: a second one would make a loop.
fn reversed(redirect: &Redirect, walk: &Walk) -> Option<Finding> {
    let Redirect { from, to, status } = redirect;
    let hop = walk.back.hops.iter().find(|hop| is_at(&hop.url, from))?;
    Some(say::other_way(from, to, shown_url(&hop.url), status))
}

fn none(redirect: &Redirect, trail: &Trail, hop: &Hop, response: &Response) -> Finding {
    let leads = |page: String| {
        (page.contains("http-equiv") && page.contains("refresh"))
            || ["location.replace", "location.href", "window.location"].iter().any(|mark| page.contains(mark))
    };
    let mut pages = trail.hops.iter().filter_map(|hop| hop.response()?.page.as_deref()).map(str::to_ascii_lowercase);
    let in_page = response.refresh.is_some() || pages.any(leads);
    let say = if in_page { say::only_in_page } else { say::no_redirect };
    say(shown_url(&hop.url), response.status, &redirect.from, &redirect.to, redirect.status)
}

fn no_answer(redirect: &Redirect, trail: &Trail) -> Finding {
    let why = trail.hops.last().and_then(|hop| hop.outcome.as_ref().err());
    let why = why.map_or_else(|| "no answer".to_owned(), ToString::to_string);
    say::no_answer(&redirect.from, why)
}

fn path(redirect: &Redirect, deep: &Trail) -> Option<Finding> {
    let hop = deep.hops.iter().find(|hop| !is_upgrade(hop) && hop.is_redirect())?;
    let end = deep.hops.iter().find(|hop| is_at(&hop.url, &redirect.to));
    let target = match end {
        Some(end) => end.url.clone(),
        None => hop.url.join(hop.response()?.location.as_deref()?).ok()?,
    };
    let kept = format!("{}{}", target.path(), target.query().map_or_else(String::new, |query| format!("?{query}")));
    let expected = format!("https://{}{DEEP_PATH}", redirect.to);
    let lost = || say::path_lost(shown_url(&hop.url), shown_url(&target), expected).evidence(&deep.hops);
    (!kept.contains(DEEP_PATH)).then(lost)
}

/// A wrong redirect that browsers or caches keep.
fn remembered(trail: &Trail, verdict: Verdict, now: Timestamp) -> Option<Finding> {
    let is_wrong = matches!(verdict, Verdict::Fail | Verdict::Warn);
    let forbids = |it: &Response| {
        it.cache_control.as_deref().is_some_and(|field| field.to_ascii_lowercase().contains("no-store"))
    };
    let response = trail.hops.iter().filter_map(|hop| hop.response()).find(|it| it.is_redirect());
    let response = response.filter(|it| is_wrong && !forbids(it))?;
    let permanent = matches!(response.status, 301 | 308);
    let max_age = response.cache_seconds("s-maxage").or_else(|| response.cache_seconds("max-age"));
    let age = response.age.unwrap_or_default();
    let span = |seconds: u64| SignedDuration::from_secs(i64::try_from(seconds).unwrap_or(i64::MAX / 2));
    let (seen, until) = match max_age {
        Some(max_age) => {
            let left = span(max_age.saturating_sub(age)).min(SignedDuration::from_hours(24 * 3650));
            let more = duration(left);
            let seen = format!("caches may keep the answer for {more} more (max-age {max_age}, age {age})");
            (seen, now.checked_add(left).ok())
        }
        None if age > 0 => (format!("the answer comes from a cache and is {} old", duration(span(age))), None),
        None if permanent => {
            (format!("a {} without a limit: browsers may keep it as long as they like", response.status), None)
        }
        None => return None,
    };
    Some(Finding { verdict, ..say::redirect_cached(seen) }.until(until).evidence(&trail.hops))
}

const fn permanence(status: u16) -> &'static str {
    match status {
        301 => "permanent, remembered by browsers and search engines",
        308 => "permanent, and keeps the method of the request",
        302 | 303 | 307 => "temporary, not remembered by browsers and search engines",
        _ => "not a usual redirect",
    }
}
