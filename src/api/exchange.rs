//! A record of one exchange, for the screen that shows what was asked and answered.
//!
//! It is made to be kept by the hundred and shown as it is: a few KiB each, foreign text made safe, and never the key.

use std::borrow::Cow;
use std::sync::Arc;
use std::time::{Duration, Instant};

use jiff::Timestamp;
use reqwest::header::HeaderMap;
use reqwest::{Body, Request, StatusCode};
use url::Position;

use super::{Failure, NextPage};
use crate::clock::{self, Now};
use crate::model::escape::{ascii_json, shown_json};
use crate::model::{ApiKey, BaseUrl, NewPet, PetQuery, display_safe, shell_word};

/// Takes the records of a [`Client`](super::Client), in the task that asked. It must not wait.
pub type Recorder = Arc<dyn Fn(Exchange) + Send + Sync>;

/// The most that is kept of each part, in bytes.
const MAX_PATH: usize = 400;
const MAX_SENT: usize = 1200;
const MAX_ANSWER: usize = 2048;
const MAX_VALUE: usize = 128;
const MAX_FAILURE: usize = 200;

/// The most headers that are kept.
const MAX_HEADERS: usize = 10;

/// The headers of an answer that are kept.
const HEADERS: [&str; 16] = [
    "allow",
    "content-type",
    "deprecation",
    "etag",
    "idempotency-key-retention",
    "idempotency-replayed",
    "link",
    "location",
    "ratelimit",
    "ratelimit-limit",
    "ratelimit-policy",
    "ratelimit-remaining",
    "ratelimit-reset",
    "retry-after",
    "sunset",
    "x-request-id",
];

/// What was asked, and what came of it. Every text is safe to show; one that was cut ends with `..`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Exchange {
    /// When it was asked.
    pub at: Timestamp,
    /// The purpose set by [`Client::called`](super::Client::called).
    pub what: &'static str,
    /// `GET` or `POST`.
    pub method: String,
    /// From the root of the host: `/v1/pets?limit=20`.
    pub path_and_query: String,
    /// The body that was sent, as JSON; empty where there was none. Characters that would not show are escaped in it.
    pub sent: String,
    /// The HTTP status code; `None` where no answer began.
    pub status: Option<u16>,
    /// The body of the answer, with its line ends; empty where it did not come whole.
    pub answer: String,
    /// The headers of the answer that say something here, names in small letters. Never a cookie.
    pub headers: Vec<(String, String)>,
    /// The last characters of the key that went along; `None` without a key.
    pub key_ending: Option<String>,
    /// The size of the answer's body, in bytes.
    pub size: usize,
    /// From the start to the head of the answer; zero where none came.
    pub first_byte: Duration,
    /// From the start to the end.
    pub took: Duration,
    /// Why there is no complete answer: "cancelled" if the caller stopped waiting.
    pub failure: Option<String>,
}

impl Exchange {
    /// A command for a shell that asks the same of the service at `base`, with the key of its environment. What was cut
    /// or hidden here is so there too.
    pub fn as_curl(&self, base: &BaseUrl) -> String {
        let body = Some(self.sent.as_str()).filter(|body| !body.is_empty());
        command(&format!("{}{}", base.origin(), self.path_and_query), body)
    }
}

/// A running exchange. It is recorded however it ends, also when it is dropped.
pub(super) struct Recording {
    tell: Recorder,
    key: Option<ApiKey>,
    started: Instant,
    exchange: Exchange,
}

impl Recording {
    pub(super) fn begin(tell: Recorder, what: &'static str, request: &Request, key: Option<&ApiKey>, now: Now) -> Self {
        let sent = request.body().and_then(Body::as_bytes).unwrap_or_default();
        let path = &request.url()[Position::BeforePath..Position::AfterQuery];
        let exchange = Exchange {
            at: now.wall,
            what,
            method: request.method().to_string(),
            path_and_query: foreign(path.as_bytes(), key, MAX_PATH),
            sent: foreign(shown_json(&String::from_utf8_lossy(sent)).as_bytes(), key, MAX_SENT),
            key_ending: key.map(|key| key.ending().to_owned()),
            failure: Some("cancelled".to_owned()),
            ..Exchange::default()
        };
        Self { tell, key: key.cloned(), started: now.mono, exchange }
    }

    /// The head of the answer is here.
    pub(super) fn head(&mut self, status: StatusCode, headers: &HeaderMap) {
        self.exchange.status = Some(status.as_u16());
        self.exchange.first_byte = self.elapsed();
        let known = headers.iter().filter(|(name, _)| HEADERS.contains(&name.as_str())).take(MAX_HEADERS);
        let value = |value: &[u8]| foreign(value, self.key.as_ref(), MAX_VALUE);
        self.exchange.headers =
            known.map(|(name, found)| (name.as_str().to_owned(), value(found.as_bytes()))).collect();
    }

    /// The whole body of the answer is here, or there will be none.
    pub(super) fn end(mut self, answer: Result<&[u8], &Failure>) {
        let failure = match answer {
            Ok(body) => {
                self.exchange.answer = foreign(body, self.key.as_ref(), MAX_ANSWER);
                self.exchange.size = body.len();
                None
            }
            Err(Failure::NotSent { why }) if why.starts_with("no connection") => Some(why.clone()),
            Err(failure) => Some(failure.to_string()),
        };
        self.exchange.failure = failure.map(|words| foreign(words.as_bytes(), self.key.as_ref(), MAX_FAILURE));
    }

    fn elapsed(&self) -> Duration {
        clock::now().mono.saturating_duration_since(self.started)
    }
}

impl Drop for Recording {
    fn drop(&mut self) {
        self.exchange.took = self.elapsed();
        (self.tell)(std::mem::take(&mut self.exchange));
    }
}

/// `bytes` as text of at most `most` bytes: without the key, and each line made safe.
fn foreign(bytes: &[u8], key: Option<&ApiKey>, most: usize) -> String {
    // As much more as it takes to recognise a key that goes over the end.
    let read = most + key.map_or(0, |key| key.expose().len());
    let text = String::from_utf8_lossy(&bytes[..bytes.len().min(read)]);
    let text = match key {
        Some(key) => Cow::Owned(without_key(&text, key, most)),
        None => text,
    };
    let lines: Vec<_> = text.lines().map(display_safe).collect();
    let mut shown = lines.join("\n");
    if bytes.len() > most || shown.len() > most {
        shown.truncate(shown.floor_char_boundary(most - 2));
        shown.push_str("..");
    }
    shown
}

/// The first `most` bytes of `text`, or a few less, with the key hidden. The rest only serves to recognise a key.
fn without_key(text: &str, key: &ApiKey, most: usize) -> String {
    let end = text.floor_char_boundary(most);
    let mut out = String::with_capacity(end);
    let mut from = 0;
    for (at, found) in text.match_indices(key.expose()).take_while(|(at, _)| *at < end) {
        out.push_str(&text[from..at]);
        out.push_str("....");
        out.push_str(key.ending());
        from = at + found.len();
    }
    out.push_str(text.get(from..end).unwrap_or_default());
    out
}

/// The command for a list.
pub fn curl_for_list(base: &BaseUrl, query: &PetQuery) -> String {
    command(NextPage::first(base, query).0.as_str(), None)
}

/// The command that adds a pet. Each run adds another one.
pub fn curl_for_pet(base: &BaseUrl, new: &NewPet) -> String {
    // Strings and numbers can always be written.
    let json = serde_json::to_string(new).unwrap_or_default();
    command(base.join("pets").as_str(), Some(&ascii_json(&json)))
}

/// The command for `url`: a GET, or a POST of the JSON `body`.
pub(super) fn command(url: &str, body: Option<&str>) -> String {
    // -g: brackets and braces of an address mean nothing.
    let mut command = "curl -sSg -H \"Authorization: Bearer $PETSTORE_API_KEY\"".to_owned();
    if let Some(body) = body {
        // Not --data, for which an @ would be the name of a file.
        command += " -H 'Content-Type: application/json' --data-raw ";
        command += &shell_word(body);
    }
    command + " " + &shell_word(url)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{Limit, PetStatus};

    const KEY: &str = "petk_0123456789abcdef77d0";

    fn key() -> ApiKey {
        ApiKey::new(KEY).unwrap()
    }

    #[test]
    fn no_part_of_the_key_is_left_wherever_the_text_is_cut() {
        for before in 0..120 {
            let text = format!("{KEY}{}{KEY}{KEY}{}", "x".repeat(before), "y".repeat(before));
            let shown = foreign(text.as_bytes(), Some(&key()), 100);
            assert!(shown.len() <= 100, "{shown}");
            assert!(!shown.contains("petk"), "{shown}");
        }
        assert_eq!(foreign(format!("a {KEY} b").as_bytes(), Some(&key()), 100), "a ....77d0 b");
    }

    #[test]
    fn foreign_text_keeps_its_lines_is_made_safe_and_never_grows() {
        assert_eq!(foreign(b"{\r\n  \x1b[2J\xff\n}\n", None, 100), "{\n  ⟨U+001B⟩[2J\u{fffd}\n}");
        assert_eq!(foreign(&[b'x'; 20], None, 20), "x".repeat(20));
        assert_eq!(foreign(&[b'x'; 21], None, 20), "x".repeat(18) + "..");
        for foreign_byte in [0x1b, 0xff, b'\n', b'a'] {
            assert!(foreign(&[foreign_byte; 5000], Some(&key()), 2048).len() <= 2048, "{foreign_byte}");
        }
        let short_key = ApiKey::new("a").unwrap();
        assert!(foreign(&[b'a'; 5000], Some(&short_key), 2048).len() <= 2048);
    }

    fn base() -> BaseUrl {
        "https://api.example.com/v1".parse().unwrap()
    }

    #[test]
    fn a_list_is_asked_for_as_the_client_does() {
        let query = PetQuery { status: Some(PetStatus::Sold), limit: Limit::MAX, newest_first: false, after: Some(-7) };
        for (query, expected) in [
            (query, "limit=100&status=sold&after=-7"),
            (PetQuery { newest_first: true, ..query }, "limit=100&status=sold&order=desc&before=-7"),
        ] {
            let curl = "curl -sSg -H \"Authorization: Bearer $PETSTORE_API_KEY\" 'https://api.example.com/v1/pets?";
            assert_eq!(curl_for_list(&base(), &query), format!("{curl}{expected}'"));
        }
    }

    #[test]
    fn no_name_leaves_its_quotes() {
        let new = NewPet { name: "o'Neil $(rm) `x` \u{200b}".into(), category_id: 3, status: None };
        assert_eq!(
            curl_for_pet(&base(), &new),
            "curl -sSg -H \"Authorization: Bearer $PETSTORE_API_KEY\" -H 'Content-Type: application/json' --data-raw \
             '{\"name\":\"o'\\''Neil $(rm) `x` \\u200b\",\"categoryId\":3}' 'https://api.example.com/v1/pets'"
        );
    }
}
