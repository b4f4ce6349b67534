//! What is added and changed, read once for all streams of this instance, and written once for all that show the same.
//!
//! While there is a stream, a task reads what follows the position that it knows, and hands it on together. Streams
//! that are behind read the table on their own until they have caught up. There is a bounded number of places for them
//! in all and for each API key, apart from those of other connections.

use std::collections::HashMap;
use std::fmt::Write as _;
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use axum::body::Bytes;
use jiff::Timestamp;
use parking_lot::Mutex;
use prometheus_client::metrics::gauge::Gauge;
use serde::Serialize;
use tokio::sync::{broadcast, watch};
use tokio::task::JoinHandle;
use tokio::time::{MissedTickBehavior, interval, sleep};
use tokio_util::sync::CancellationToken;

use super::connection::Waiting;
use crate::clock::{self, Now};
use crate::model::{AddedBy, ObservedStatus, Pet, PetId, PetMembers, PetStatus, Provenance, safe_causes};
use crate::store::{AddedPet, ChangedPet, KeyId, KnownChange, NewsPage, Position, Store, StoreError};

/// The most pets, and changes, that are read at once.
pub const AT_ONCE: u16 = 500;

/// How many batches a stream may be behind.
const BEHIND: usize = 256;

/// The time between two reads, and what each stream adds to it: what is added within it goes to each stream in one write, so
/// that many streams leave the processor to those who add.
const PACE: Duration = Duration::from_millis(40);
const PACE_OF_EACH: Duration = Duration::from_micros(60);

/// How many of the last pets, and changes, are remembered, to know which of them were lost.
const REMEMBERED: usize = 500;

/// What is added and changed, for all streams.
#[derive(Debug)]
pub struct Feed {
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
    position: watch::Sender<Option<Position>>,
}

/// When a pet was added, if that was recorded; nothing if no pet has this id.
type AddedAt = Option<Option<Timestamp>>;

/// What was handed on last.
#[derive(Debug, Default)]
struct Recent {
    /// The last known pets, and when each was added.
    pets: Vec<(PetId, AddedAt)>,
    /// The last known changes.
    changes: Vec<KnownChange>,
}

/// What streams learn. When there is nothing more to learn, the channel is closed.
#[derive(Clone, Debug)]
pub enum News {
    Batch(Arc<Batch>),
    /// The database cannot be read for now.
    Away,
    /// It can be read again.
    Back,
    /// Pets or changes that were handed on are gone, after a failover for example. What follows this is handed on from now on.
    PetsLost(Position),
}

/// What a stream learns from.
#[derive(Debug)]
pub struct Subscription {
    /// What follows `position`, as that is when this begins.
    pub news: broadcast::Receiver<News>,
    /// The end of what was handed on; nothing until the database was read.
    pub position: watch::Receiver<Option<Position>>,
}

impl Feed {
    pub fn new(store: Store, streams: Arc<Streams>, check_keys_every: Duration) -> Arc<Self> {
        let (last_call, state) = (CancellationToken::new(), Mutex::new(State::Idle));
        Arc::new(Self { store, streams, last_call, check_keys_every, state })
    }

    /// Nothing once the service has stopped.
    pub fn subscribe(self: &Arc<Self>) -> Option<Subscription> {
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
    pub fn finish(&self) {
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
        let (mut was_away, mut recent) = (false, Recent::default());
        loop {
            let is_last = self.last_call.is_cancelled();
            let position = *channel.position.borrow();
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
            // The log of a file tells of a commit before it can be read: what comes then is not kept waiting by that.
            let has_news = is_away || position != *channel.position.borrow();
            let more = async {
                sleep(if has_news { PACE + PACE_OF_EACH * streams } else { Duration::ZERO }).await;
                additions.changed().await;
            };
            tokio::select! {
                () = more => {}
                () = self.last_call.cancelled() => {}
            }
        }
    }

    /// Hands on what was added and changed, and returns whether there may be more.
    async fn read(&self, channel: &Channel, recent: &mut Recent) -> Result<bool, StoreError> {
        let known = *channel.position.borrow();
        let (Some(position), Some(&(first, _))) = (known, recent.pets.first()) else {
            self.begin(Position::MAX, channel, recent).await?;
            return Ok(false);
        };
        let NewsPage { pets, changes, is_full } = self.store.news_after(position, AT_ONCE).await?;
        // After that, since they may be lost between the two. Their ids may belong to others by now.
        let mut left = recent.pets.len();
        while let Some(&(id, added_at)) = recent.pets[..left].last()
            && self.added_at(id).await? != added_at
        {
            left -= 1;
        }
        let mut left_changes = recent.changes.len();
        while let Some(&known) = recent.changes[..left_changes].last()
            && !self.store.has_change(known).await?
        {
            left_changes -= 1;
        }
        if left < recent.pets.len() || left_changes < recent.changes.len() {
            let pet = recent.pets[..left].last().map_or(first - 1, |(id, _)| *id);
            let first = recent.changes.first().map_or(position.change, |first| first.id - 1);
            let change = recent.changes[..left_changes].last().map_or(first, |known| known.id);
            let last = self.begin(Position { pet, change }, channel, recent).await?;
            let _ = channel.news.send(News::PetsLost(last));
            // Others may have been added since.
            return Ok(true);
        }
        if !(pets.is_empty() && changes.is_empty()) {
            recent.pets.extend(pets.iter().map(|added| (added.pet.id, Some(added.provenance.added_at))));
            recent.pets.drain(..recent.pets.len().saturating_sub(REMEMBERED));
            recent.changes.extend(changes.iter().map(KnownChange::from));
            recent.changes.drain(..recent.changes.len().saturating_sub(REMEMBERED));
            let batch = Batch::new(position, pets, changes);
            // First the position: a stream that begins between the two reads these from the table.
            channel.position.send_replace(Some(batch.end()));
            let _ = channel.news.send(News::Batch(Arc::new(batch)));
        }
        Ok(is_full)
    }

    /// Goes on after the last pet and the last change that are there, of those with no greater id than `most`.
    async fn begin(&self, most: Position, channel: &Channel, recent: &mut Recent) -> Result<Position, StoreError> {
        let (last, change) = self.store.last_position_up_to(most).await?;
        let changes = change.into_iter().collect();
        *recent = Recent { pets: vec![(last.pet, self.added_at(last.pet).await?)], changes };
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

/// What part of all streams may have the same key.
const PART: usize = 2;

/// The open streams.
#[derive(Debug)]
pub struct Streams {
    most: usize,
    /// Cancelled once the key is not valid any more. Each stream has one more reference to it.
    of_key: Mutex<HashMap<KeyId, Arc<CancellationToken>>>,
    open: Gauge,
}

/// The place of one stream, until this is dropped.
#[derive(Debug)]
pub struct StreamPlace {
    open: Gauge,
    pub end: Arc<CancellationToken>,
    waiting: Arc<Waiting>,
}

impl Streams {
    pub fn new(most: usize, open: Gauge) -> Self {
        Self { most, of_key: Mutex::default(), open }
    }

    /// One more, unless there are too many. Its connection gives its own place to others.
    pub fn begin(&self, key: KeyId, waiting: Arc<Waiting>) -> Option<StreamPlace> {
        let mut of_key = self.of_key.lock();
        of_key.retain(|_, end| Arc::strong_count(end) > 1);
        let all: usize = of_key.values().map(|end| Arc::strong_count(end) - 1).sum();
        let end = of_key.entry(key).or_default();
        if all >= self.most || Arc::strong_count(end) > self.most.div_ceil(PART) {
            return None;
        }
        self.open.inc();
        waiting.set_stream(true);
        Some(StreamPlace { open: self.open.clone(), end: Arc::clone(end), waiting })
    }

    /// Ends the streams whose keys are revoked or have expired; not where the database does not say.
    async fn end_invalid(&self, store: &Store, now: Now) {
        let keys: Vec<_> = self.of_key.lock().keys().copied().collect();
        for key in keys {
            if matches!(store.is_valid_key(key, now).await, Ok(false))
                && let Some(end) = self.of_key.lock().get(&key)
            {
                end.cancel();
            }
        }
    }
}

impl Drop for StreamPlace {
    fn drop(&mut self) {
        self.open.dec();
        self.waiting.set_stream(false);
    }
}

/// Which pets a stream shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct View {
    /// All if absent.
    pub status: Option<PetStatus>,
    /// Whether also when and by which key they were added or changed.
    pub has_provenance: bool,
}

/// The data of an event.
#[derive(Serialize)]
struct Data<'a, P: Serialize> {
    #[serde(flatten)]
    pet: &'a Pet,
    /// Of a change.
    #[serde(skip_serializing_if = "Option::is_none")]
    from: Option<&'a PetMembers>,
    #[serde(skip_serializing_if = "Option::is_none")]
    to: Option<&'a PetMembers>,
    #[serde(flatten)]
    provenance: Option<P>,
}

/// The same of a change as of an addition.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct ChangeProvenance<'a> {
    changed_at: Option<Timestamp>,
    changed_by: &'a Option<AddedBy>,
}

/// Pets that were added one after another, and changes that were made after that.
#[derive(Debug)]
pub struct Batch {
    /// What came before.
    begin: Position,
    pets: Vec<AddedPet>,
    changes: Vec<ChangedPet>,
    /// The events of all of them, for each view.
    events: [OnceLock<Bytes>; View::COUNT],
}

impl View {
    const STATUSES: usize = PetStatus::ALL.len() + 1;
    const COUNT: usize = 2 * Self::STATUSES;

    fn index(self) -> usize {
        let status = self.status.map_or(0, |status| 1 + status as usize);
        status + if self.has_provenance { Self::STATUSES } else { 0 }
    }

    fn shows(self, status: Option<&ObservedStatus>) -> bool {
        self.status.is_none_or(|wanted| status == Some(&ObservedStatus::Known(wanted)))
    }

    /// Also a pet that leaves the view.
    fn shows_change(self, ChangedPet { pet, from, to, .. }: &ChangedPet) -> bool {
        // By now it may have another status than it got.
        self.shows(from.status.as_ref()) || self.shows(to.status.as_ref().or(pet.status.as_ref()))
    }
}

impl Batch {
    pub fn new(begin: Position, pets: Vec<AddedPet>, changes: Vec<ChangedPet>) -> Self {
        Self { begin, pets, changes, events: Default::default() }
    }

    /// What follows comes after this.
    pub fn end(&self) -> Position {
        Position {
            pet: self.pets.last().map_or(self.begin.pet, |added| added.pet.id),
            change: self.changes.last().map_or(self.begin.change, |changed| changed.change),
        }
    }

    /// The events of those after `position` that `view` shows.
    pub fn events(&self, view: View, position: Position) -> Bytes {
        let pets = self.pets.partition_point(|added| added.pet.id <= position.pet);
        let changes = self.changes.partition_point(|changed| changed.change <= position.change);
        if self.begin.has_all_of(position) {
            self.events[view.index()].get_or_init(|| events(self.begin, &self.pets, &self.changes, view)).clone()
        } else {
            // A stream that is ahead never goes back.
            events(self.begin.with(position), &self.pets[pets..], &self.changes[changes..], view)
        }
    }
}

fn events(begin: Position, pets: &[AddedPet], changes: &[ChangedPet], view: View) -> Bytes {
    let (mut text, mut position) = (String::new(), begin);
    let mut write = |event: &str, position: Position, data: serde_json::Result<String>| {
        // JSON has no line breaks outside of strings, and escapes those within. A string takes all that is written to it.
        let _ = write!(text, "event: {event}\nid: {position}\ndata: {}\n\n", data.unwrap_or_default());
    };
    for AddedPet { pet, provenance } in pets {
        position.pet = pet.id;
        if view.shows(pet.status.as_ref()) {
            let provenance = view.has_provenance.then_some(provenance);
            write("pet.added", position, serde_json::to_string(&Data { pet, from: None, to: None, provenance }));
        }
    }
    for changed in changes {
        let ChangedPet { pet, change, from, to, provenance } = changed;
        position.change = *change;
        if view.shows_change(changed) {
            let Provenance { added_at: changed_at, added_by: changed_by } = provenance;
            let provenance = view.has_provenance.then_some(ChangeProvenance { changed_at: *changed_at, changed_by });
            let data = Data { pet, from: Some(from), to: Some(to), provenance };
            write("pet.changed", position, serde_json::to_string(&data));
        }
    }
    text.into()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pet(id: PetId, status: PetStatus) -> AddedPet {
        let pet = Pet { id, name: "Rex\u{85}\u{1F415}".into(), category_id: 1, status: Some(status.into()) };
        let added_by = Some(AddedBy { key: "AAAAAAAA".to_owned(), name: Some("till".to_owned()) });
        AddedPet { pet, provenance: Provenance { added_at: None, added_by } }
    }

    #[test]
    fn a_view_has_the_events_after_its_position_and_of_its_status() {
        let pets = vec![pet(1, PetStatus::Sold), pet(2, PetStatus::Pending), pet(5, PetStatus::Sold)];
        let batch = Batch::new(Position::default(), pets, Vec::new());
        let ids = |status, pet| {
            let events = batch.events(View { status, has_provenance: pet == 1 }, Position { pet, change: 0 });
            let text = str::from_utf8(&events).unwrap();
            text.lines().filter_map(|line| line.strip_prefix("id: ")).map(str::to_owned).collect::<Vec<_>>()
        };
        assert_eq!(ids(None, 0), ["1", "2", "5"]);
        assert_eq!(ids(None, 1), ["2", "5"]);
        assert_eq!(ids(Some(PetStatus::Sold), 0), ["1", "5"]);
        assert_eq!(ids(Some(PetStatus::Sold), 1), ["5"]);
        assert_eq!(ids(Some(PetStatus::Available), 0), [""; 0]);
        assert_eq!(ids(None, 5), [""; 0]);
        assert_eq!(batch.end(), Position { pet: 5, change: 0 });
    }

    #[test]
    fn a_stream_that_is_ahead_of_a_batch_gets_no_id_that_goes_back() {
        let known = |change| {
            let AddedPet { pet, provenance } = pet(1, PetStatus::Sold);
            let status = |status: PetStatus| PetMembers { status: Some(status.into()), ..PetMembers::default() };
            ChangedPet { pet, change, provenance, from: status(PetStatus::Available), to: status(PetStatus::Sold) }
        };
        let begin = Position { pet: 5, change: 3 };
        let pets = (6..=10).map(|id| pet(id, PetStatus::Sold)).collect();
        let batch = Batch::new(begin, pets, vec![known(4), known(5), known(6)]);
        let ids = |pet, change| {
            let events = batch.events(View { status: None, has_provenance: false }, Position { pet, change });
            let text = str::from_utf8(&events).unwrap();
            text.lines().filter_map(|line| line.strip_prefix("id: ")).map(str::to_owned).collect::<Vec<_>>()
        };
        assert_eq!(ids(5, 3), ["6.3", "7.3", "8.3", "9.3", "10.3", "10.4", "10.5", "10.6"]);
        assert_eq!(ids(10, 5), ["10.6"]);
        assert_eq!(ids(5, 10), ["6.10", "7.10", "8.10", "9.10", "10.10"]);
    }

    #[test]
    fn an_event_is_three_lines_and_a_blank_one() {
        let batch = Batch::new(Position::default(), vec![pet(7, PetStatus::Sold)], Vec::new());
        let data = "{\"id\":7,\"name\":\"Rex\u{85}\u{1F415}\",\"categoryId\":1,\"status\":\"sold\"";
        let added = "\"addedAt\":null,\"addedBy\":{\"key\":\"AAAAAAAA\",\"name\":\"till\"}";
        for (has_provenance, data) in [(false, format!("{data}}}")), (true, format!("{data},{added}}}"))] {
            let events = batch.events(View { status: None, has_provenance }, Position::default());
            assert_eq!(events, format!("event: pet.added\nid: 7\ndata: {data}\n\n"));
        }
    }
}
