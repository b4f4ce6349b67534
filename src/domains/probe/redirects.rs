//! What a configured redirect does: over https, over http, and from a page below.

use std::time::Duration;

use jiff::Timestamp;
use tokio::time::timeout;
use url::Url;

use super::super::diagnosis::redirect::{DEEP_PATH, Walk, circle, is_at};
use super::context::ProbeContext;
use crate::domains::{CheckOptions, Domain, Hop, Method, ProbeCache, Redirect, Trail};

/// How long reading a page may take, for a redirect inside it.
const PAGE_LIMIT: Duration = Duration::from_secs(4);

/// Follows `redirect` from the domain `from`, and returns the time of the check with it.
pub async fn walk(options: &CheckOptions, from: &Domain, redirect: &Redirect) -> (Walk, Timestamp) {
    let cache = ProbeCache::default();
    let shared = ProbeContext::new(options, from, &cache, None);
    let addresses = shared.addresses_of(&redirect.from).await;
    let platform = match &options.expectation.platform_host {
        Some(host) => shared.addresses_of(host).await,
        None => Vec::new(),
    };
    let is_platforms = platform.is_empty() || addresses.iter().any(|address| platform.contains(address));
    let elsewhere = if is_platforms { Vec::new() } else { addresses.clone() };
    let url = |scheme: &str, path: &str| Url::parse(&format!("{scheme}://{}{path}", redirect.from)).ok();
    let trail = async |scheme: &str| match url(scheme, "/") {
        Some(url) => shared.trail(url, &addresses, None).await,
        None => Trail::default(),
    };
    let first = addresses.first().copied();
    let shake = async || match first {
        Some(address) => Some(shared.shake(address, Some(redirect.from.as_str()), false).await),
        None => None,
    };
    let (mut https, mut http, handshake) = tokio::join!(trail("https"), trail("http"), shake());
    let redirects = |trail: &Trail| trail.hops.first().is_some_and(Hop::is_redirect);
    let scheme = if redirects(&https) || !redirects(&http) { "https" } else { "http" };
    let endless = [&https, &http].iter().any(|trail| trail.cut || circle(trail).is_some());
    let deep = match url(scheme, DEEP_PATH).filter(|_| !endless && (redirects(&https) || redirects(&http))) {
        Some(url) => shared.trail(url, &addresses, None).await,
        None => Trail::default(),
    };
    // A redirect within the page is seen only there.
    for trail in [&mut https, &mut http] {
        if let Some(last) = trail.hops.last_mut()
            && is_at(&last.url, &redirect.from)
            && let Ok(seen) = &mut last.outcome
            && seen.status == 200
        {
            let page = timeout(PAGE_LIMIT, shared.hop_by(Method::GET, last.url.clone(), &addresses)).await;
            seen.page = page.ok().and_then(|page| page.outcome.ok()?.page);
        }
    }
    let reaches = |trail: &Trail| trail.hops.iter().any(|hop| is_at(&hop.url, &redirect.to));
    let back = match Url::parse(&format!("https://{}/", redirect.to)) {
        Ok(url) if !endless && !reaches(&https) && !reaches(&http) => {
            let addresses = shared.addresses_of(&redirect.to).await;
            shared.trail(url, &addresses, None).await
        }
        _ => Trail::default(),
    };
    (Walk { https, http, deep, back, elsewhere, handshake }, shared.now())
}
