//! Looking at the outside world: everything that can be asked at once is asked at once.
//!
//! A measurement has five parts that run side by side and share one [`Observations`]: the resolvers, the zone and its
//! name servers, CAA, the platform's own host, and what is reached under the name. Each asks the next question as soon
//! as it knows enough, and says when it is complete, so that findings come out while others still wait.
//!
//! Safe against whatever answers: addresses that are not public are not connected to unless that is allowed, a name is
//! resolved once and that very address used, and questions, sizes, hops and times are bounded.

mod caa;
pub mod connect;
mod http;
pub mod memory;
mod reach;
mod shared;
pub mod tls;
pub mod trust;
pub mod walk;
mod zone;

use std::time::Duration;

use tokio::time::timeout;

use super::dns_name::Domain;
use super::observation::{Complete, Observations};
use super::settings::Settings;

use memory::Memory;
use shared::Shared;

/// How long a check may take at most. Its parts have shorter limits of their own.
pub const CHECK_LIMIT: Duration = Duration::from_secs(20);

/// Measures one domain. `memory` is shared by the checks of one run. `progress`, if anybody looks on, is called when a
/// part is complete; the result has all parts, as far as they went.
pub async fn measure(
    settings: &Settings,
    domain: &Domain,
    memory: &Memory,
    progress: Option<&(dyn Fn(&Observations) + Sync)>,
) -> Observations {
    let shared = Shared::new(settings, domain, memory, progress);
    let work = async {
        tokio::join!(
            shared.resolvers(),
            shared.record(),
            shared.caa(),
            shared.platform(),
            shared.reach(),
            shared.hosts_file()
        );
    };
    // What is cut off here is missing in the result, and judged as not known.
    let _ = timeout(CHECK_LIMIT, work).await;
    let mut seen = shared.into_observations();
    seen.complete = Complete::ALL;
    seen
}
