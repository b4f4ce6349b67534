//! What a configured redirect does: over https, over http, and from a page below.

use std::time::Duration;

use futures_util::future::OptionFuture;
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
    let platform = shared.platform_host().map(|host| shared.addresses_of(host));
    let platform = OptionFuture::from(platform).await.unwrap_or_default();
    let is_platforms = platform.is_empty() || addresses.iter().any(|address| platform.contains(address));
    let elsewhere = if is_platforms { Vec::new() } else { addresses.clone() };
    let url = |scheme: &str, path: &str| Url::parse(&format!("{scheme}://{}{path}", redirect.from)).ok();
    let trail = |url: Option<Url>| shared.trail(url, &addresses, None);
    let shake = addresses.first().map(|address| shared.shake(*address, Some(redirect.from.as_str()), false));
    let (mut https, mut http, handshake) =
        tokio::join!(trail(url("https", "/")), trail(url("http", "/")), OptionFuture::from(shake));
    let redirects = |trail: &Trail| trail.hops.first().is_some_and(Hop::is_redirect);
    let scheme = if redirects(&https) || !redirects(&http) { "https" } else { "http" };
    let endless = [&https, &http].iter().any(|trail| trail.cut || circle(trail).is_some());
    let is_deep = !endless && (redirects(&https) || redirects(&http));
    let deep = trail(url(scheme, DEEP_PATH).filter(|_| is_deep)).await;
    // A redirect within the page is seen only there.
    for trail in [&mut https, &mut http] {
        if let Some(Hop { url, outcome: Ok(seen), .. }) = trail.hops.last_mut()
            && is_at(url, &redirect.from)
            && seen.status == 200
        {
            let page = timeout(PAGE_LIMIT, shared.hop_by(Method::GET, url.clone(), &addresses)).await;
            seen.page = page.ok().and_then(|page| page.outcome.ok()?.page);
        }
    }
    let reaches = |trail: &Trail| trail.hops.iter().any(|hop| is_at(&hop.url, &redirect.to));
    let back = match Url::parse(&format!("https://{}/", redirect.to)) {
        Ok(url) if !endless && !reaches(&https) && !reaches(&http) => {
            shared.trail(Some(url), &shared.addresses_of(&redirect.to).await, None).await
        }
        _ => Trail::default(),
    };
    (Walk { https, http, deep, back, elsewhere, handshake }, shared.now())
}
