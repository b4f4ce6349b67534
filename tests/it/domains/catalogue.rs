//! Every row of the catalogue that can be made in a world shows under its code.

use petstore::domains::world::{Plan, World};
use super::fixture::*;
use petstore::domains::world::Trouble;
use petstore::domains::diagnosis::redirect::Redirect;
use petstore::domains::DnsName;
use petstore::domains::code::Topic;

#[tokio::test(flavor = "multi_thread")]
async fn explore() {
    for trouble in Trouble::all() {
        let world = World::start(Plan::showing(now(), trouble.code).unwrap()).await.unwrap();
        let settings = settings(&world);
        let start = std::time::Instant::now();
        let outcome = if trouble.code.topic() == Topic::Redirect && trouble.domain == Plan::REDIRECTED {
            let redirect = Redirect { from: DnsName::new(Plan::REDIRECTED), to: DnsName::new(Plan::DOMAIN), status: 301 };
            check_redirect(&settings, &redirect).await
        } else { check(&settings, trouble.domain, &told()).await };
        let found = outcome.findings.iter().any(|f| f.code == trouble.code);
        let decides = petstore::domains::finding::deciding(&outcome.findings);
        eprintln!("{} {} -> {:?} {} ({} questions, {:?})", if found && decides.is_some_and(|d| d.code==trouble.code) {"  "} else if found {"~ "} else {"XX"}, trouble.code, outcome.verdict(), decides.map_or("-", |d| d.code.as_str()), outcome.seen.lookups.len(), start.elapsed());
        if !found || decides.is_none_or(|d| d.code != trouble.code) { for f in &outcome.findings { eprintln!("       {:?} {} {} ", f.verdict, f.code, f.seen); } }
    }
}
