//! What is added, read once for all streams of this instance.
//!
//! While there is a stream, a task reads the pets after the last one that it knows, and hands them on together. Streams
//! that are behind read the table on their own until they have caught up.

use std::sync::Arc;
use std::time::Duration;

use jiff::Timestamp;
use parking_lot::Mutex;
use tokio::sync::{broadcast, watch};
use tokio::task::JoinHandle;
use tokio::time::{MissedTickBehavior, interval, sleep};
use tokio_util::sync::CancellationToken;

use super::batch::Batch;
use super::streams::Streams;
use crate::clock;
use crate::model::PetId;
use crate::model::text::safe_causes;
use crate::store::{Store, StoreError};

/// The most pets that are read at once.
pub(super) const AT_ONCE: u16 = 500;

/// How many batches a stream may be behind.
const BEHIND: usize = 256;

/// The time between two reads, and what each stream adds to it: what is added within it goes to each stream in one write, so
/// that many streams leave the processor to those who add.
const PACE: Duration = Duration::from_millis(40);
const PACE_OF_EACH: Duration = Duration::from_micros(60);

/// How many of the last pets are remembered, to know which of them were lost.
const REMEMBERED: usize = 500;

/// What is added, for all streams.
#[derive(Debug)]
pub(super) struct Feed {
    store: Store,
    streams: Arc<Streams>,
    /// Cancelled once nothing more is added.
    last_call: CancellationToken,
    check_keys_every: Duration,
    state: Mutex<State>,
}

#[derive(Debug)]
enum State {
    /// There is no stream.
    Idle,
    Running(Channel, JoinHandle<()>),
    /// The service has stopped.
    Over,
}

#[derive(Clone, Debug)]
struct Channel {
    news: broadcast::Sender<News>,
    position: watch::Sender<Option<PetId>>,
}

/// When a pet was added, if that was recorded; nothing if there is no such pet.
type AddedAt = Option<Option<Timestamp>>;

/// The last known pets, and when each was added.
type Recent = Vec<(PetId, AddedAt)>;

/// What streams learn. When there is nothing more to learn, the channel is closed.
#[derive(Clone, Debug)]
pub(super) enum News {
    Added(Arc<Batch>),
    /// The database cannot be read for now.
    Away,
    /// It can be read again.
    Back,
    /// Pets that were handed on are gone, after a failover for example. What follows this one is handed on from now on.
    PetsLost(PetId),
}

/// What a stream learns from.
#[derive(Debug)]
pub(super) struct Subscription {
    /// What is added after `position`, as that is when this begins.
    pub(super) news: broadcast::Receiver<News>,
    /// The id of the last pet that was handed on; nothing until the database was read.
    pub(super) position: watch::Receiver<Option<PetId>>,
}

impl Feed {
    pub(super) fn new(store: Store, streams: Arc<Streams>, check_keys_every: Duration) -> Arc<Self> {
        let (last_call, state) = (CancellationToken::new(), Mutex::new(State::Idle));
        Arc::new(Self { store, streams, last_call, check_keys_every, state })
    }

    /// Nothing once the service has stopped.
    pub(super) fn subscribe(self: &Arc<Self>) -> Option<Subscription> {
        let mut state = self.state.lock();
        match &*state {
            State::Over => return None,
            State::Running(_, task) if !task.is_finished() => {}
            State::Idle | State::Running(..) => {
                let channel = Channel { news: broadcast::Sender::new(BEHIND), position: watch::Sender::new(None) };
                let task = tokio::spawn(Arc::clone(self).run(channel.clone()));
                *state = State::Running(channel, task);
            }
        }
        let State::Running(channel, _) = &*state else { return None };
        // First the news, so that none is missing between the two.
        let news = channel.news.subscribe();
        Some(Subscription { news, position: channel.position.subscribe() })
    }

    /// Hands on what has been added, then ends all streams.
    pub(super) fn finish(&self) {
        self.last_call.cancel();
        let mut state = self.state.lock();
        if matches!(&*state, State::Idle) {
            *state = State::Over;
        }
    }

    async fn run(self: Arc<Self>, channel: Channel) {
        let mut ticks = interval(self.check_keys_every);
        ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
        let check_keys = async {
            loop {
                ticks.tick().await;
                self.streams.end_invalid(&self.store, clock::now()).await;
            }
        };
        tokio::select! {
            () = self.hand_on(&channel) => {}
            () = check_keys => {}
        }
    }

    /// Until the last stream has gone, or the service has stopped.
    async fn hand_on(&self, channel: &Channel) {
        let mut additions = self.store.additions();
        let (mut was_away, mut recent) = (false, Vec::new());
        loop {
            let is_last = self.last_call.is_cancelled();
            let read = self.read(channel, &mut recent).await;
            let is_away = read.is_err();
            if let Err(error) = &read
                && !was_away
            {
                tracing::warn!(error = safe_causes(error), "added pets cannot be read for now");
            }
            if is_away != was_away {
                // Perhaps the last stream has just gone.
                let _ = channel.news.send(if is_away { News::Away } else { News::Back });
                was_away = is_away;
            }
            if matches!(read, Ok(true)) {
                continue;
            }
            if self.is_over(channel, is_last) {
                return;
            }
            let streams = u32::try_from(channel.news.receiver_count()).unwrap_or(u32::MAX);
            let more = async {
                sleep(PACE + PACE_OF_EACH * streams).await;
                additions.changed().await;
            };
            tokio::select! {
                () = more => {}
                () = self.last_call.cancelled() => {}
            }
        }
    }

    /// Hands on what was added, and returns whether there may be more.
    async fn read(&self, channel: &Channel, recent: &mut Recent) -> Result<bool, StoreError> {
        let (Some(&(first, _)), Some(&(position, _))) = (recent.first(), recent.last()) else {
            self.begin(PetId::MAX, channel, recent).await?;
            return Ok(false);
        };
        let pets = self.store.added_after(position, AT_ONCE).await?;
        // After that, since they may be lost between the two. Their ids may belong to other pets by now.
        let mut left = recent.len();
        while let Some(&(id, added_at)) = recent[..left].last()
            && self.added_at(id).await? != added_at
        {
            left -= 1;
        }
        if left < recent.len() {
            let most = recent[..left].last().map_or(first - 1, |(id, _)| *id);
            let last = self.begin(most, channel, recent).await?;
            let _ = channel.news.send(News::PetsLost(last));
            // Others may have been added since.
            return Ok(true);
        }
        let is_full = pets.len() == usize::from(AT_ONCE);
        if let Some(last) = pets.last() {
            recent.extend(pets.iter().map(|added| (added.pet.id, Some(added.provenance.added_at))));
            recent.drain(..recent.len().saturating_sub(REMEMBERED));
            // First the position: a stream that begins between the two reads these pets from the table.
            channel.position.send_replace(Some(last.pet.id));
            let _ = channel.news.send(News::Added(Arc::new(Batch::new(pets))));
        }
        Ok(is_full)
    }

    /// Goes on after the last pet that is there, of those with no greater id than `most`.
    async fn begin(&self, most: PetId, channel: &Channel, recent: &mut Recent) -> Result<PetId, StoreError> {
        let last = self.store.last_id_up_to(most).await?;
        *recent = vec![(last, self.added_at(last).await?)];
        channel.position.send_replace(Some(last));
        Ok(last)
    }

    async fn added_at(&self, id: PetId) -> Result<AddedAt, StoreError> {
        Ok(self.store.provenance(id).await?.map(|provenance| provenance.added_at))
    }

    fn is_over(&self, channel: &Channel, is_last: bool) -> bool {
        let mut state = self.state.lock();
        let is_unused = channel.news.receiver_count() == 0;
        if is_last {
            *state = State::Over;
        } else if is_unused {
            *state = State::Idle;
        }
        is_last || is_unused
    }
}
