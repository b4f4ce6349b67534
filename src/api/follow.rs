//! Pets as they are added and changed: the events of a service that offers them (an addition), one connection after another;
//! and when and by which key pets were added, read from the same events, of many pets at a time.
//!
//! The service keeps no state of its followers: each connection names the last event that is known, and those after it
//! come. What they contain is bounded and checked; events that were there before are left out.

use std::collections::{BTreeSet, VecDeque};
use std::pin::Pin;
use std::time::Duration;

use bytes::Bytes;
use futures_util::{Stream, StreamExt as _, stream};
use jiff::Timestamp;
use reqwest::header::{ACCEPT, CONTENT_TYPE, HeaderMap, HeaderName, HeaderValue};
use reqwest::{Method, Response};
use serde::{Deserialize, Serialize};
use sse_stream::{Sse, SseByteStream};
use tokio::time::{Instant, sleep_until, timeout, timeout_at};

use super::client::read_json;
use super::retry::{dice, pause};
use super::{Client, Failure, Result};
use crate::clock;
use crate::model::{AddedBy, ObservedStatus, Pet, PetId, PetMembers, PetStatus, Provenance, Provenances};

const LAST_EVENT_ID: HeaderName = HeaderName::from_static("last-event-id");
const EVENT_STREAM: HeaderValue = HeaderValue::from_static("text/event-stream");

/// The names of the events of a new pet, of a changed one, and of pets that are gone.
const ADDED: &str = "pet.added";
const CHANGED: &str = "pet.changed";
const LOST: &str = "pets.lost";

/// The most bytes of an event: more than a pet with the longest name takes, and little enough to keep many.
const MAX_EVENT: usize = 8 << 10;
const TOO_LARGE: &str = "an event is larger than 8 KiB";

/// The most bytes that are taken of the name of a key.
const MOST_OF_A_KEY: usize = 255;

/// The pause before the first try to connect again, and the longest one, before jitter.
const FIRST_PAUSE: Duration = Duration::from_secs(1);
const LONGEST_PAUSE: Duration = Duration::from_secs(60);

/// New pets that come within this time are reported together, up to so many.
const TOGETHER: Duration = Duration::from_millis(20);
const MOST_TOGETHER: usize = 1_000;

/// A place in the sequence of all additions and changes.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct EventPosition {
    /// The last pet that is known.
    pub pet: PetId,
    /// As the service has named it; nothing before it has.
    id: Option<String>,
}

impl EventPosition {
    /// What is added after this pet, and what is changed from now on.
    pub const fn after(pet: PetId) -> Self {
        Self { pet, id: None }
    }
}

/// What a [`Follower`] learns.
#[derive(Clone, Debug, PartialEq)]
pub enum Followed {
    /// The connection is there: what is added and changed after this comes. Whether all that is after what was known before
    /// does; otherwise changes may have been missed.
    Connected(EventPosition, bool),
    /// These were added, in this order.
    Added(Vec<AddedPet>),
    /// Pets that were added before were changed, in this order.
    Changed(Vec<ChangedPet>),
    /// Pets that were there are gone, for example because a backup was restored; what is added after this one comes.
    PetsLost(PetId),
    /// The connection is gone, and why, unless the service has ended it. The next one is tried after a pause; nothing is
    /// missed.
    Lost(Option<Failure>),
}

/// A pet, and what the key may see of how it was added.
#[derive(Clone, Debug, PartialEq)]
pub struct AddedPet {
    /// The pet.
    pub pet: Pet,
    /// When and by which key; `None` if this key may not see that.
    pub provenance: Option<Provenance>,
}

/// A change, and what the key may see of who made it.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ChangedPet {
    /// The pet as it is now.
    #[serde(flatten)]
    pub pet: Pet,
    /// What the changed members were before.
    pub from: PetMembers,
    /// What they became.
    pub to: PetMembers,
    /// When; nothing if that was not recorded, or this key may not see it.
    pub changed_at: Option<Timestamp>,
    /// By which key, likewise.
    pub changed_by: Option<AddedBy>,
}

/// Follows the pets that are added to a service and changed, in the order in which that happens.
pub struct Follower {
    client: Client,
    status: Option<PetStatus>,
    position: Option<EventPosition>,
    connection: Option<Connection>,
    /// How many times in a row connecting has given nothing.
    failures: u32,
    connect_at: Instant,
    /// What came and was not given yet, with the position after it.
    coming: VecDeque<(Option<EventPosition>, Result<Followed>)>,
}

struct Connection {
    events: Pin<Box<dyn Stream<Item = Result<Sse, sse_stream::Error>> + Send>>,
    /// The service has named a position on it, so that nothing is missed from now on.
    is_placed: bool,
    /// Nothing is missed between what was known before and this.
    is_exact: bool,
}

impl Follower {
    /// Follows what happens after `after`, or from now on; with a `status`, to pets that have or had it. `None` if the
    /// last list that the client has asked for does not offer that.
    ///
    /// Fails when the machine's certificates cannot be read.
    pub fn new(
        client: &Client,
        after: Option<EventPosition>,
        status: Option<PetStatus>,
    ) -> Result<Option<Self>, reqwest::Error> {
        if !client.offers().events {
            return Ok(None);
        }
        let client = client.for_streams()?.called("events");
        let connect_at = Instant::from_std(clock::now().mono);
        let (connection, failures, coming) = (None, 0, VecDeque::new());
        Ok(Some(Self { client, status, position: after, connection, failures, connect_at, coming }))
    }

    /// A follower that begins after this misses nothing.
    pub const fn position(&self) -> Option<&EventPosition> {
        self.position.as_ref()
    }

    /// The last pet that is known.
    fn last(&self) -> PetId {
        self.position.as_ref().map_or(PetId::MIN, |position| position.pet)
    }

    /// What happens next. Connects, and connects again, as long as that may help. May be dropped while it waits.
    ///
    /// # Errors
    /// If trying again would give the same. Asking again connects again.
    pub async fn next(&mut self) -> Result<Followed> {
        loop {
            if let Some((after, news)) = self.coming.pop_front() {
                self.position = after;
                return news;
            }
            let Some(connection) = &mut self.connection else {
                sleep_until(self.connect_at).await;
                match self.connect().await {
                    Ok(connection) => self.connection = Some(connection),
                    Err(error) => return self.lost(Some(error)),
                }
                continue;
            };
            let taken = match next_block(connection).await {
                Ok(Some(block)) => self.take(block),
                Ok(None) => return self.lost(None),
                Err(error) => Err(error),
            };
            if let Err(error) = taken {
                return self.lost(Some(error));
            }
        }
    }

    /// The same, with new pets together that come one soon after another, and changes likewise.
    pub async fn followed(&mut self) -> Result<Followed> {
        let mut followed = self.next().await?;
        let end = Instant::from_std(clock::now().mono + TOGETHER);
        let count = |followed: &Followed| match followed {
            Followed::Added(added) => added.len(),
            Followed::Changed(changed) => changed.len(),
            // It comes alone.
            Followed::Connected(..) | Followed::PetsLost(_) | Followed::Lost(_) => MOST_TOGETHER,
        };
        while count(&followed) < MOST_TOGETHER {
            let here = self.position.clone();
            match (&mut followed, timeout_at(end, self.next()).await) {
                (Followed::Added(added), Ok(Ok(Followed::Added(next)))) => added.extend(next),
                (Followed::Changed(changed), Ok(Ok(Followed::Changed(next)))) => changed.extend(next),
                (_, Ok(other)) => {
                    let after = std::mem::replace(&mut self.position, here);
                    self.coming.push_front((after, other));
                    break;
                }
                (_, Err(_)) => break,
            }
        }
        Ok(followed)
    }

    async fn connect(&mut self) -> Result<Connection> {
        let mut url = self.client.url("pets/events");
        if let Some(status) = self.status {
            url.query_pairs_mut().append_pair("status", status.as_str());
        }
        let id = self.position.as_ref().and_then(|position| position.id.as_ref());
        if let (Some(position), None) = (&self.position, id) {
            url.query_pairs_mut().append_pair("after", &position.pet.to_string());
        }
        // Replaces the kind that other answers have.
        let mut request = self.client.request(Method::GET, url).headers(HeaderMap::from_iter([(ACCEPT, EVENT_STREAM)]));
        if let Some(id) = id {
            request = request.header(LAST_EVENT_ID, id);
        }
        let response = self.client.open(request).await?;
        let kind = response.headers().get(CONTENT_TYPE).and_then(|value| value.to_str().ok()).unwrap_or_default();
        let essence = kind.split(';').next().unwrap_or_default().trim();
        if !essence.eq_ignore_ascii_case("text/event-stream") {
            return Err(Failure::malformed("the answer is not a stream of events", ""));
        }
        let events = Box::pin(SseByteStream::new(Box::pin(parts(response, self.client.silence()))));
        Ok(Connection { events, is_placed: false, is_exact: id.is_some() })
    }

    fn lost(&mut self, error: Option<Failure>) -> Result<Followed> {
        // An older instance beside this one knows pets only.
        if matches!(error, Some(Failure::Refused { status: 400, .. }))
            && let Some(position) = &mut self.position
            && position.id.take_if(|id| id.contains('.')).is_some()
        {
            return self.lost(None);
        }
        self.connection = None;
        let wait = pause(FIRST_PAUSE, LONGEST_PAUSE, self.failures, error.as_ref(), dice());
        self.connect_at = Instant::from_std(clock::now().mono + wait);
        self.failures = self.failures.saturating_add(1);
        match error {
            Some(error) if !error.may_pass() => Err(error),
            error => Ok(Followed::Lost(error)),
        }
    }

    fn take(&mut self, block: Sse) -> Result<()> {
        let mut position = block.id.map(position).transpose()?;
        let event = block.event.as_deref().unwrap_or_default();
        let data = block.data.unwrap_or_default();
        if data.len() > MAX_EVENT {
            return Err(Failure::malformed(TOO_LARGE, ""));
        }
        let pet = (event == ADDED).then(|| read_json::<Pet>(data.as_bytes())).transpose()?;
        position = position.or(pet.as_ref().map(|pet| EventPosition::after(pet.id)));
        let Some(position) = position else { return Ok(()) };
        self.failures = 0;
        if event == LOST {
            let pet = position.pet;
            let is_news = self.position.replace(position.clone()).is_some_and(|known| known != position);
            self.coming.extend(is_news.then_some((Some(position), Ok(Followed::PetsLost(pet)))));
            return Ok(());
        }
        let fits = |status: Option<&ObservedStatus>| {
            self.status.is_none_or(|wanted| status == Some(&ObservedStatus::Known(wanted)))
        };
        let known = self.position.as_ref().map(|known| known.pet);
        let news = match (event, pet) {
            (_, Some(pet)) => {
                if pet.id != position.pet {
                    return Err(Failure::malformed("an event has the id of another pet", ""));
                }
                // What was there before is left out, and so is what was not asked for.
                let is_wanted = known.is_none_or(|known| pet.id > known) && fits(pet.status.as_ref());
                is_wanted.then(|| Followed::Added(vec![AddedPet { provenance: provenance(&data), pet }]))
            }
            (CHANGED, _) => {
                let mut changed: ChangedPet = read_json(data.as_bytes())?;
                bound(changed.changed_by.as_mut());
                let ChangedPet { pet, from, to, .. } = &changed;
                let is_wanted = [&pet.status, &from.status, &to.status].iter().any(|status| fits(status.as_ref()));
                is_wanted.then(|| Followed::Changed(vec![changed]))
            }
            _ => None,
        };
        let is_further = known.is_none_or(|known| position.pet >= known);
        let after = if is_further { Some(position) } else { self.position.clone() };
        // A pet counts once it is given.
        if news.is_none() {
            self.position.clone_from(&after);
        }
        if let Some(connection) = &mut self.connection
            && !std::mem::replace(&mut connection.is_placed, true)
        {
            let placed = self.position.clone().unwrap_or(EventPosition::after(PetId::MIN));
            self.coming.push_back((self.position.clone(), Ok(Followed::Connected(placed, connection.is_exact))));
        }
        self.coming.extend(news.map(|news| (after, Ok(news))));
        Ok(())
    }
}

/// The position that an event names: a pet, and perhaps more.
fn position(id: String) -> Result<EventPosition> {
    let pet = id.split('.').next().and_then(|pet| pet.parse().ok());
    let pet = pet.ok_or_else(|| Failure::malformed("an event has an id that is not a number", ""))?;
    Ok(EventPosition { pet, id: Some(id) })
}

async fn next_block(connection: &mut Connection) -> Result<Option<Sse>> {
    connection.events.next().await.transpose().map_err(|error| match error {
        sse_stream::Error::Body(source) => match source.downcast::<Failure>() {
            Ok(error) => *error,
            Err(_) => Failure::malformed("the stream of events cannot be read", ""),
        },
        _ => Failure::malformed("an event is not UTF-8", ""),
    })
}

/// The body, as long as no event is too large: the parser itself has no limit, and keeps what follows the last empty line.
fn parts(response: Response, silence: Duration) -> impl Stream<Item = Result<Bytes>> + Send {
    stream::try_unfold((response, silence, 0, b'\n'), async |(mut response, silence, mut kept, mut last)| {
        if kept > MAX_EVENT {
            return Err(Failure::malformed(TOO_LARGE, ""));
        }
        let part = match timeout(silence, response.chunk()).await {
            Ok(part) => part.map_err(|error| Failure::broken(&error.without_url()))?,
            Err(_) => return Err(Failure::NoAnswer { after: silence }),
        };
        let is_end = |byte| [b'\n', b'\r'].contains(&byte);
        for &byte in part.iter().flatten() {
            let is_empty_line = is_end(last) && is_end(byte) && [last, byte] != *b"\r\n";
            kept = if is_empty_line { 0 } else { kept + 1 };
            last = byte;
        }
        Ok(part.map(|part| (part, (response, silence, kept, last))))
    })
}

/// The further members of an event, for keys that may see them. They are less than the pet: wrong ones count as none.
fn provenance(data: &str) -> Option<Provenance> {
    let mut provenance: Provenance = serde_json::from_str(data).ok()?;
    bound(provenance.added_by.as_mut());
    Some(provenance)
}

fn bound(by: Option<&mut AddedBy>) {
    let Some(by) = by else { return };
    for text in [Some(&mut by.key), by.name.as_mut()].into_iter().flatten() {
        text.truncate(text.floor_char_boundary(MOST_OF_A_KEY));
    }
}

/// Once connected, without an event for so long the service is asked for its last pet: it may not have the wanted ones.
const QUIET: Duration = Duration::from_secs(5);

/// Fewer pets than this between two wanted ones are read, too; for more of them a new connection is made.
const FAR: PetId = 10_000;

/// How often in a row the connection may be lost, or silent although there are further pets.
const MOST_FAILED: u32 = 3;

/// Why it cannot be read.
#[derive(Debug, thiserror::Error)]
pub enum ProvenanceError {
    /// The service has no events.
    #[error("the service does not report who added pets")]
    NotOffered,
    /// The events do not have it.
    #[error("this API key may not see who added pets")]
    NotAllowed,
    /// The request has failed.
    #[error(transparent)]
    Api(#[from] Failure),
}

/// Reads it; best in the order of ids.
pub struct ProvenanceReader {
    client: Client,
    follower: Option<Follower>,
}

impl ProvenanceReader {
    /// A reader for the service of `client`, which has asked for a list before.
    pub fn new(client: &Client) -> Self {
        Self { client: client.called("provenance"), follower: None }
    }

    /// Reads that of the pets with these ids. Of pets that the service does not have, nothing was recorded.
    pub async fn read(&mut self, ids: impl IntoIterator<Item = PetId>) -> Result<Provenances, ProvenanceError> {
        let mut found: Provenances = ids.into_iter().map(|id| (id, Provenance::default())).collect();
        let mut wanted: BTreeSet<PetId> = found.keys().copied().collect();
        let mut failed = 0;
        while let Some(first) = wanted.first().copied() {
            // It comes soon, if it is there.
            let is_near = |follower: &Follower| (1..FAR).contains(&first.saturating_sub(follower.last()));
            let follower = match self.follower.take().filter(is_near) {
                Some(known) => self.follower.insert(known),
                None => {
                    let after = EventPosition::after(first.saturating_sub(1));
                    self.follower.insert(follower(&self.client, Some(after))?)
                }
            };
            let news = match follower.connection.as_ref().is_some_and(|connection| connection.is_placed) {
                true => timeout(QUIET, next_but_changes(follower)).await.ok(),
                // Connecting has its own time.
                false => Some(follower.next().await),
            };
            let failure = match news {
                None if last_id(&self.client).await? < first => break,
                None => Failure::NoAnswer { after: QUIET * (failed + 1) },
                Some(Ok(Followed::PetsLost(last))) if last < first => break,
                Some(Ok(Followed::PetsLost(_) | Followed::Connected(..) | Followed::Changed(_))) => continue,
                Some(Ok(Followed::Added(added))) => {
                    failed = 0;
                    for AddedPet { pet, provenance } in added {
                        let provenance = provenance.ok_or(ProvenanceError::NotAllowed)?;
                        if wanted.contains(&pet.id) {
                            found.insert(pet.id, provenance);
                        }
                        // Those before it are not there.
                        while wanted.first().is_some_and(|first| *first <= pet.id) {
                            wanted.pop_first();
                        }
                    }
                    continue;
                }
                Some(Ok(Followed::Lost(error))) => error.unwrap_or_else(ended),
                Some(Err(error)) => return Err(error.into()),
            };
            failed += 1;
            if failed > MOST_FAILED {
                return Err(failure.into());
            }
        }
        Ok(found)
    }
}

/// Changes do not say that the stream goes on to further pets.
async fn next_but_changes(follower: &mut Follower) -> Result<Followed> {
    loop {
        match follower.next().await {
            Ok(Followed::Changed(_)) => {}
            other => return other,
        }
    }
}

/// The id of the last pet of the service: a stream from now on begins there.
async fn last_id(client: &Client) -> Result<PetId, ProvenanceError> {
    let mut follower = follower(client, None)?;
    if let Followed::Lost(error) = follower.next().await? {
        return Err(error.unwrap_or_else(ended).into());
    }
    Ok(follower.last())
}

fn follower(client: &Client, after: Option<EventPosition>) -> Result<Follower, ProvenanceError> {
    let follower = Follower::new(client, after, None).map_err(|error| Failure::not_sent(&error))?;
    follower.ok_or(ProvenanceError::NotOffered)
}

fn ended() -> Failure {
    Failure::malformed("the stream of events ends again and again", "")
}
