//! `GET /pets/events` (an addition): pets as they are added and changed, as server-sent events (WHATWG HTML, 9.2).
//!
//! The tables are the log: a stream that begins at a position reads what followed it, page by page, and then goes on with
//! what the [`Feed`] hands on. A stream that falls too far behind ends; its client comes again and goes on where it was.

use std::convert::Infallible;
use std::mem;
use std::sync::Arc;
use std::time::Duration;

use axum::Extension;
use axum::body::{Body, Bytes};
use axum::extract::{Request, State};
use axum::http::{HeaderName, HeaderValue, Method, Version, header};
use axum::response::{IntoResponse, Response};
use futures_util::{StreamExt as _, stream};
use tokio::sync::broadcast::error::RecvError;
use tokio::time::{Instant, sleep, sleep_until};
use tokio_util::sync::CancellationToken;

use super::connection::Waiting;
use super::extract::{self, StreamStart};
use super::failure::Result;
use super::feed::{AT_ONCE, Batch, News, StreamPlace, Subscription, View};
use super::limits::Limit;
use super::service::Service;
use crate::clock;
use crate::store::keys::{Identity, Scope};
use crate::store::{NewsPage, Position};

/// How long to wait before the table is read again where that has failed.
const READ_AGAIN: Duration = Duration::from_secs(1);

/// How long a browser waits before it connects again, in milliseconds.
const RETRY_MS: u32 = 1000;

const AWAY: &[u8] = b": the database cannot be read now; the stream continues when it can\n\n";
const BACK: &[u8] = b": the database can be read again\n\n";

/// nginx would keep events until it has many.
const HEADERS: [(HeaderName, HeaderValue); 2] = [
    (header::CONTENT_TYPE, HeaderValue::from_static("text/event-stream")),
    (HeaderName::from_static("x-accel-buffering"), HeaderValue::from_static("no")),
];

pub async fn events(
    State(service): State<Service>,
    Extension(identity): Extension<Identity>,
    Extension(waiting): Extension<Arc<Waiting>>,
    request: Request,
) -> Result<Response> {
    let (from, status) = extract::stream_start(request.uri(), request.headers())?;
    // Over HTTP/1.0 a stream ends with its connection (RFC 9112, 6.3), also for a client that asked to keep it.
    let is_old = request.version() == Version::HTTP_10;
    let answer = |body: Body| {
        let mut response = (HEADERS, body).into_response();
        if is_old {
            *response.version_mut() = Version::HTTP_10;
            response.headers_mut().insert(header::CONNECTION, HeaderValue::from_static("close"));
        }
        response
    };
    if request.method() == Method::HEAD {
        return Ok(answer(Body::empty()));
    }
    let place = service.streams.begin(identity.key, waiting).ok_or_else(|| service.too_many(Limit::Streams))?;
    let view = View { status, has_provenance: identity.scopes.allow(Scope::Audit) };
    let comment_at = Instant::from_std(clock::now().mono + service.config.comment_every);
    let (phase, position) = (Phase::Start(from), Position::default());
    let mut events = EventStream { service, place, view, phase, position, named: position, is_away: false, comment_at };
    // Before the head of the answer: what is added once the client has that is in the stream.
    let first = events.next().await;
    let rest = stream::unfold(events, async |mut events| Some((events.next().await?, events)));
    let parts = stream::iter(first).chain(rest).map(Ok::<_, Infallible>);
    Ok(answer(Body::from_stream(parts)))
}

struct EventStream {
    service: Service,
    place: StreamPlace,
    view: View,
    phase: Phase,
    /// What is before it was sent, or is not shown.
    position: Position,
    /// The last position that the client knows.
    named: Position,
    is_away: bool,
    comment_at: Instant,
}

enum Phase {
    /// Nothing was sent.
    Start(StreamStart),
    /// What follows comes from the table.
    Behind,
    /// What follows comes from here.
    Live(Subscription),
}

impl EventStream {
    /// What to send next, once there is something; nothing at the end.
    async fn next(&mut self) -> Option<Bytes> {
        loop {
            let (end, comment_at) = (CancellationToken::clone(&self.place.end), self.comment_at);
            let part = tokio::select! {
                biased;
                () = end.cancelled() => None,
                part = self.step() => part,
                () = sleep_until(comment_at) => Some(self.comment()),
            }?;
            if !part.is_empty() {
                self.comment_at = Instant::from_std(clock::now().mono + self.service.config.comment_every);
                return Some(part);
            }
        }
    }

    /// With the position where events that this stream does not show have moved it, so that a client that comes again
    /// does not begin far behind.
    fn comment(&mut self) -> Bytes {
        if self.position == self.named || !matches!(self.phase, Phase::Live(_)) {
            return Bytes::from_static(b":\n\n");
        }
        self.named = self.position;
        format!(":\nid: {}\n\n", self.position).into()
    }

    /// Goes on, and returns what to send now, which may be nothing yet. It may be dropped while it waits.
    async fn step(&mut self) -> Option<Bytes> {
        let events = match &mut self.phase {
            Phase::Start(from) => {
                let from = *from;
                let last = self.service.store.last_position_up_to(Position::MAX).await;
                let Ok((last, _)) = last else { return Some(self.away().await) };
                let asked = match from {
                    StreamStart::Now => last,
                    StreamStart::After(pet) => Position { pet, ..last },
                    StreamStart::At(position) => position,
                };
                let position = Position { pet: asked.pet.min(last.pet), change: asked.change.min(last.change) };
                (self.phase, self.position, self.named) = (Phase::Behind, position, position);
                // The client knows pets or changes that are not there, for example because a backup was restored.
                let lost = if position == asked { String::new() } else { pets_lost(position) };
                return Some(format!("retry: {RETRY_MS}\nid: {position}\n\n{lost}").into());
            }
            Phase::Behind => return self.catch_up(self.position).await,
            Phase::Live(subscription) => match subscription.news.recv().await {
                Ok(News::Batch(batch)) => {
                    let events = batch.events(self.view, self.position);
                    self.position = self.position.with(batch.end());
                    events
                }
                Ok(News::PetsLost(last)) => {
                    (self.position, self.named) = (last, last);
                    return Some(pets_lost(last).into());
                }
                Ok(News::Away) => return Some(Bytes::from_static(AWAY)),
                Ok(News::Back) => return Some(Bytes::from_static(BACK)),
                Err(RecvError::Lagged(_) | RecvError::Closed) => return None,
            },
        };
        if !events.is_empty() {
            self.named = self.position;
        }
        Some(events)
    }

    /// The next page of the table, until the feed has what follows.
    async fn catch_up(&mut self, position: Position) -> Option<Bytes> {
        // First this: what is added after that is in one of the two.
        let mut subscription = self.service.feed.subscribe()?;
        let known = (*subscription.position.wait_for(Option::is_some).await.ok()?)?;
        if position.has_all_of(known) {
            // The feed may be a little behind; or what the client knows is gone.
            let last = match known.has_all_of(position) {
                true => Ok(known),
                false => self.service.store.last_position_up_to(Position::MAX).await.map(|(last, _)| last),
            };
            self.phase = match last {
                Ok(last) if last.has_all_of(position) => Phase::Live(subscription),
                _ => Phase::Start(StreamStart::At(position)),
            };
            return Some(Bytes::new());
        }
        let Ok(NewsPage { pets, changes, .. }) = self.service.store.news_after(position, AT_ONCE).await else {
            // It may come back without pets that were there.
            self.phase = Phase::Start(StreamStart::At(position));
            return Some(self.away().await);
        };
        let batch = Batch::new(position, pets, changes);
        let events = batch.events(self.view, position);
        self.position = if batch.end() == position { position.with(known) } else { batch.end() };
        if !events.is_empty() {
            self.named = self.position;
        }
        if mem::take(&mut self.is_away) { Some([BACK, &events].concat().into()) } else { Some(events) }
    }

    /// A comment the first time, then a pause before reading again.
    async fn away(&mut self) -> Bytes {
        if mem::replace(&mut self.is_away, true) {
            sleep(READ_AGAIN).await;
            return Bytes::new();
        }
        Bytes::from_static(AWAY)
    }
}

/// Says that pets or changes which the client knows are gone, and that the stream goes on after `last`.
fn pets_lost(last: Position) -> String {
    format!("event: pets.lost\nid: {last}\ndata: {{\"last\":{}}}\n\n", last.pet)
}
