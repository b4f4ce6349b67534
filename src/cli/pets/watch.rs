//! `petstore pets watch`: streams changes of the inventory, by polling.
//!
//! Pages are requested with their entity tags, so that polling an unchanged inventory transfers no rows.

mod changes;
mod lines;

use std::time::Duration;

use jiff::tz::TimeZone;
use tokio::time::sleep;

use super::args::WatchArgs;
use super::context::PetsContext;
use crate::api::error::RetryAfter;
use crate::api::list::{self, List};
use crate::api::retry::dice;
use crate::api::retry::repeated;
use crate::api::{ApiError, Client, Failure};
use crate::cli::error::{Exit, Failed};
use crate::cli::output::{note, write_as};
use crate::clock;
use crate::model::words::counted;
use crate::model::{Limit, Pet, PetQuery, PetStatus};
use changes::SeenPets;
use lines::write_change;

/// The longest pause while the service is down, unless the interval is longer.
const LONGEST_PAUSE: Duration = Duration::from_secs(300);

pub async fn run(context: &PetsContext<'_>, args: &WatchArgs) -> Result<Exit, Failed> {
    let begin = clock::now().mono;
    // At the start an unreachable service is an error; later it is waited for.
    let first = repeated(|| async {
        let mut lists = Lists::new(args.status);
        lists.refresh(context.client).await.map(|_| lists)
    });
    let mut lists = first.await.map_err(|error| context.failed(&error))?;
    let mut known = SeenPets::new(lists.pets());
    let whole =
        if lists.are_whole() { "" } else { "; there may be more, so pets that disappear are not reported as gone" };
    context.verbosity.note(&format!("watching {} of {}{whole}", counted(known.len(), "pet"), context.service));
    let zone = TimeZone::system();
    let mut failures = 0;
    let mut pause = args.interval;
    loop {
        let left = args.timeout.map(|timeout| timeout.saturating_sub(clock::now().mono - begin));
        if let Some(left) = left.filter(|left| *left <= pause) {
            sleep(left).await;
            context.verbosity.note("stopped: the timeout is over");
            return Ok(Exit::DomainWaits);
        }
        sleep(pause).await;
        let is_changed = match lists.refresh(context.client).await {
            Ok(is_changed) => is_changed,
            Err(error) => {
                pause = pause_after(context, &error, args.interval, failures)?;
                failures += 1;
                continue;
            }
        };
        let was_away = failures > 0;
        if was_away {
            context.verbosity.note(&format!("{} is answering again", context.service));
        }
        (failures, pause) = (0, args.interval);
        // Changes received before a failure in the same refresh are not reported yet.
        if !is_changed && !was_away {
            continue;
        }
        let at = clock::now().wall;
        let changes = known.change_to(lists.pets(), lists.are_whole());
        let is_read = write_as(args.format.content(), |out| {
            changes.iter().try_for_each(|change| write_change(out, change, at, &zone, args.format, context.coloured))
        })?;
        if !is_read {
            return Ok(Exit::Done);
        }
    }
}

/// How long to wait after failure number `failures` (from 0) in a row; an error if waiting does not help.
fn pause_after(
    context: &PetsContext<'_>,
    error: &ApiError,
    interval: Duration,
    failures: u32,
) -> Result<Duration, Failed> {
    let failure = Failure::from(error);
    if !failure.may_pass() {
        return Err(context.failed(error));
    }
    if failures == 0 {
        note(&format!("{} Retrying at growing intervals.", failure.sentence(context.service)));
    }
    Ok(pause(interval, failures, error, dice()))
}

/// Doubles each time, up to [`LONGEST_PAUSE`]; `dice` in 0..1 adds jitter.
fn pause(interval: Duration, failures: u32, error: &ApiError, dice: f64) -> Duration {
    let longest = LONGEST_PAUSE.max(interval);
    let grown =
        interval.saturating_mul(2_u32.saturating_pow(failures)).min(longest).mul_f64(0.75 + dice.clamp(0.0, 1.0) / 4.0);
    let named = match error {
        ApiError::Refused { retry_after: Some(RetryAfter::Seconds(seconds)), .. } => Duration::from_secs(*seconds),
        _ => Duration::ZERO,
    };
    named.min(longest).max(grown)
}

/// The lists that are polled.
struct Lists {
    status: Option<PetStatus>,
    /// The list of all pets, or of the one status.
    plain: Option<List>,
    /// The lists of each status, if the plain one has no pages and may be cut.
    of_statuses: [Option<List>; 3],
}

impl Lists {
    const fn new(status: Option<PetStatus>) -> Self {
        Self { status, plain: None, of_statuses: [const { None }; 3] }
    }

    /// Requests them again, and returns whether anything changed. A list whose request fails stays as it was.
    async fn refresh(&mut self, client: &Client) -> Result<bool, ApiError> {
        let mut is_changed = ask(client, self.status, &mut self.plain).await?;
        if self.status.is_none() && !self.are_whole() {
            for (status, known) in PetStatus::ALL.into_iter().zip(&mut self.of_statuses) {
                is_changed |= ask(client, Some(status), known).await?;
            }
        }
        Ok(is_changed)
    }

    /// Whether a pet that is in none of them is gone.
    fn are_whole(&self) -> bool {
        self.plain.as_ref().is_some_and(|list| {
            let is_cut = list.pages() == 1 && list.pets.len() >= usize::from(Limit::MAX.get());
            list.next().is_none() && !is_cut
        })
    }

    fn pets(&self) -> impl Iterator<Item = &Pet> {
        let others = self.of_statuses.iter().filter(|_| !self.are_whole());
        [&self.plain].into_iter().chain(others).flatten().flat_map(|list| list.pets.iter())
    }
}

async fn ask(client: &Client, status: Option<PetStatus>, known: &mut Option<List>) -> Result<bool, ApiError> {
    let query = PetQuery { status, limit: Limit::MAX, after: None };
    let answer = list::list(client, &query, u16::MAX, known.as_ref()).await?;
    let is_new = answer.list.is_some();
    if is_new {
        *known = answer.list;
    }
    Ok(is_new)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pauses_grow_to_a_maximum_and_respect_retry_after() {
        let second = Duration::from_secs(1);
        let away = ApiError::Timeout(second);
        let pauses: Vec<_> = (0..12).map(|failures| pause(5 * second, failures, &away, 1.0).as_secs()).collect();
        assert_eq!(pauses, [5, 10, 20, 40, 80, 160, 300, 300, 300, 300, 300, 300]);
        assert_eq!(pause(600 * second, 40, &away, 1.0), 600 * second);
        assert_eq!(pause(4 * second, 0, &away, 0.0), 3 * second);
        let named = |seconds| ApiError::Refused {
            status: 429,
            problem: None,
            excerpt: String::new(),
            retry_after: Some(RetryAfter::Seconds(seconds)),
        };
        assert_eq!(pause(5 * second, 0, &named(60), 1.0), 60 * second);
        assert_eq!(pause(5 * second, 0, &named(1), 1.0), 5 * second);
        assert_eq!(pause(5 * second, 0, &named(99_999), 1.0), 300 * second);
    }
}
