//! What is served under the name (catalogue, section 2.6, without configured redirects).

use super::facts::Facts;
use super::prelude::*;
use super::redirect::{circle, head_was_refused, shown_url};

/// Words of parking pages, lower case.
const PARKED_PAGE: &str = "\
    this domain is parked, domain is parked, parked domain, domain parking, buy this domain, \
    domain is for sale, this domain may be for sale, sedoparking, parkingcrew";
/// What parking services call themselves in `Server`, lower case.
const PARKED_SERVER: &[&str] = &["parking", "sedo", "bodis", "parklogic"];

/// What to do about a site that accepts nobody's requests.
const NOT_ACCEPTED: &str = "the server does not accept requests for the name: check in the dashboard that it is added to the project as you wrote it; if it is, ask the platform's support";

/// The findings on HTTP. `leads_here`: the record leads to the platform; `good`: nothing is wrong with record and
/// certificate, as far as is known.
pub fn findings(facts: &Facts<'_>, leads_here: bool, good: bool) -> Vec<Finding> {
    let front = front(facts, leads_here).map(|it| match facts.value() {
        Some(_) if !leads_here => it.after_record(),
        _ => it,
    });
    let pages: Vec<&Hop> = facts.seen.handshakes.iter().filter_map(|it| it.page.as_ref()).collect();
    let hops = || pages.iter().copied().chain(facts.seen.front.iter().flat_map(|front| &front.hops));
    let parked = hops().find(|hop| hop.response().is_some_and(is_parked));
    let parked = parked.map(|hop| say::parking_page(shown_url(&hop.url)).evidence([hop]));
    let endless = front.as_ref().is_some_and(|it| matches!(it.code, Code::RdLoop | Code::RdTooMany));
    let page = page(facts, &pages).filter(|_| good && !endless);
    let refused = hops().find(|hop| head_was_refused(hop)).map(|hop| say::head_refused().evidence([hop]));
    let challenge = challenge(facts).filter(|_| leads_here);
    // If https is silent, too, that is what is wrong.
    let port_80 = port_80(facts).filter(|_| leads_here && good);
    [front, parked, page, refused, challenge, port_80].into_iter().flatten().collect()
}

/// Whether an answer has the marks of a registrar's placeholder.
pub(super) fn is_parked(response: &Response) -> bool {
    let by_server = response.server.as_deref().map(str::to_ascii_lowercase);
    let by_page = response.page.as_deref().map(str::to_ascii_lowercase);
    response.parking_field
        || by_server.is_some_and(|server| PARKED_SERVER.iter().any(|mark| server.contains(mark)))
        || by_page.is_some_and(|page| PARKED_PAGE.split(", ").any(|mark| page.contains(mark)))
}

/// From `http://` the name: loops, and whether it ends on https.
fn front(facts: &Facts<'_>, leads_here: bool) -> Option<Finding> {
    let trail = facts.seen.front.as_ref()?;
    let proxied = trail.hops.iter().any(|hop| hop.response().is_some_and(|it| it.cf_ray));
    if let Some(circle) = circle(trail) {
        let mode = if proxied { "; at Cloudflare, set the SSL mode to Full (strict), not Flexible" } else { "" };
        return Some(say::page_loops(circle, mode).evidence(&trail.hops));
    }
    if trail.cut {
        return Some(say::page_redirects_on(trail.hops.len().saturating_sub(1)).evidence(&trail.hops));
    }
    let last = trail.hops.last()?;
    if trail.hops.len() > 1 && last.outcome == Err(ConnectionFailure::NoAddress) {
        let host = last.url.host_str().map(DnsName::new)?;
        let was_asked = facts.seen.asked(&host, A).any(|it| it.answer().is_some());
        return was_asked.then(|| say::page_gone(facts.name(), shown_url(&last.url)).evidence(&trail.hops));
    }
    let response = last.response()?;
    let stays = leads_here && last.url.scheme() == "http" && (200..300).contains(&response.status);
    stays.then(|| say::no_upgrade(shown_url(&last.url), response.status, facts.name()).evidence(&trail.hops))
}

/// The front page over https, address by address; the first that is wrong.
fn page(facts: &Facts<'_>, pages: &[&Hop]) -> Option<Finding> {
    use ConnectionFailure::{NoHandshake, NotHttp, Unreachable, Withheld};
    let name = facts.name();
    let first = pages.first()?;
    let wrong = pages.iter().find_map(|hop| {
        let finding = match &hop.outcome {
            Ok(response) if matches!(response.status, 404 | 421) => {
                let say = if facts.reported.is_being_removed() { say::removed_project } else { say::unknown_project };
                say(name, response.status, facts.label())
            }
            Ok(Response { status: status @ 400..500, .. }) => {
                let advice = refusal(*status);
                say::refused(name, status, advice.unwrap_or(NOT_ACCEPTED)).fail_if(advice.is_none())
            }
            Ok(response) if response.status >= 500 => say::server_error(name, format!(" answers {}", response.status)),
            Ok(_) | Err(NoHandshake | Withheld | Unreachable) => return None,
            Err(NotHttp) => say::server_error(name, format!(": {NotHttp}")).title("The server does not speak HTTP"),
            Err(why) => say::server_error(name, format!(": {why}")).title("The site does not answer"),
        };
        Some((hop, finding))
    });
    if let Some((hop, finding)) = wrong {
        return Some(finding.expected("the site").evidence([*hop]));
    }
    let response = first.response()?;
    let to = response.location.as_ref().filter(|_| response.is_redirect());
    let to = to.map_or_else(String::new, |location| format!(" to {}", short(location)));
    Some(say::http_ok(name, response.status, to).evidence(pages.iter().copied()))
}

/// Why a site that is there refuses every visitor, and what to do.
const fn refusal(status: u16) -> Option<&'static str> {
    Some(match status {
        401 | 407 => {
            "it asks for a login: turn off the password of the project in the dashboard, if it should be public"
        }
        402 => "payment is due: check the plan of the project in the dashboard",
        403 => {
            "access is forbidden: check the access settings of the project in the dashboard, and firewall rules for the name"
        }
        410 => "it says that the page is gone for good: check in the dashboard that the project is published",
        429 => "it has reached a limit of requests: check again later, and the limits of your plan",
        451 => "it is blocked for legal reasons: ask the platform's support",
        _ => return None,
    })
}

/// Nothing answers on port 80 at an address where the name leads.
fn port_80(facts: &Facts<'_>) -> Option<Finding> {
    use ConnectionFailure::{Refused, Reset, Timeout};
    let silent = |hop: &&Hop| matches!(hop.outcome, Err(Refused | Reset | Timeout)) && hop.url.scheme() == "http";
    let silent: Vec<&Hop> =
        facts.seen.challenges.iter().filter_map(|trail| trail.hops.first()).filter(silent).collect();
    let why = |hop: &&Hop| Some(format!("{}: {}", hop.address?, hop.outcome.as_ref().err()?));
    let list = list(silent.iter().filter_map(why));
    (!silent.is_empty()).then(|| say::port_80_closed(list).evidence(silent))
}

/// The path that authorities fetch over port 80 (RFC 8555 section 8.3).
fn challenge(facts: &Facts<'_>) -> Option<Finding> {
    let (trail, why) = facts.seen.challenges.iter().find_map(|trail| Some((trail, blocked(facts, trail)?)))?;
    Some(say::challenge_blocked(why).evidence(&trail.hops))
}

fn blocked(facts: &Facts<'_>, trail: &Trail) -> Option<String> {
    let name = facts.name().as_str();
    if circle(trail).is_some() || trail.cut {
        return Some("redirects endlessly".to_owned());
    }
    trail.hops.iter().find_map(|hop| match (hop.url.port(), hop.response()) {
        (Some(port), _) => Some(format!("redirects to port {port}; only 80 and 443 are followed")),
        _ if hop.url.host_str() != Some(name) => Some(format!("redirects to {}", shown_url(&hop.url))),
        (_, Some(&Response { status: status @ (401 | 403 | 407), .. })) => Some(format!("answers {status}")),
        (_, response) => {
            let location = response?.location.as_ref().filter(|_| hop.is_redirect())?;
            let lower = location.to_ascii_lowercase();
            let is_login = ["login", "signin", "sign-in", "/auth"].iter().any(|mark| lower.contains(mark));
            is_login.then(|| format!("redirects to a login page, {}", short(location)))
        }
    })
}

/// A CNAME that an earlier provider left where CAs look for proof by DNS: `_acme-challenge` below the name. `leads_here`: the record leads to the platform.
pub fn challenge_left_over(facts: &Facts<'_>, leads_here: bool) -> Option<Finding> {
    let name = &facts.seen.dns_challenge;
    let asked: Vec<&Lookup> = [CNAME, TXT].into_iter().flat_map(|kind| facts.seen.asked(name, kind)).collect();
    let records = || asked.iter().filter_map(|it| it.answer()).flat_map(|reply| reply.at(name));
    let target = records().find_map(|it| it.data.cname()).filter(|_| leads_here)?;
    let has_text = records().any(|it| it.data.kind() == TXT);
    let beside = if has_text { " and TXT records beside it" } else { "" };
    let finding = match (target.is_within(&facts.platform_zone()?), has_text) {
        (true, false) => return None,
        (true, true) => say::challenge_not_alone(name),
        (false, _) => say::challenge_left_over(name),
    };
    let finding = finding.seen(format!("{name} has CNAME {target}{beside}"));
    Some(finding.expected("no record, or the platform's").evidence(asked))
}
