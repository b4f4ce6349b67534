//! The keys that make a repeated creation the same as the first one (`Idempotency-Key`, an addition to the description).

use std::fmt;

use serde::{Deserialize, Serialize};
use uuid::Uuid;

/// What stands for one creation, however often it is sent: at most 255 visible characters of ASCII.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(try_from = "String")]
pub struct IdempotencyKey(String);

/// The text stands for no creation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("an Idempotency-Key is 1 to 255 visible ASCII characters")]
pub struct NoIdempotencyKey;

impl TryFrom<String> for IdempotencyKey {
    type Error = NoIdempotencyKey;

    fn try_from(text: String) -> Result<Self, NoIdempotencyKey> {
        let fits = (1..=255).contains(&text.len()) && text.bytes().all(|byte| byte.is_ascii_graphic());
        if fits { Ok(Self(text)) } else { Err(NoIdempotencyKey) }
    }
}

impl IdempotencyKey {
    /// As it is sent.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The key of creation `number` of the work that `run` stands for: the same one each time.
    pub fn numbered(run: Uuid, number: u64) -> Self {
        Self(format!("{run}-{number}"))
    }

    /// The key of creation `number` among several that this one stands for.
    pub fn part(&self, number: usize) -> Self {
        Self(format!("{self}.{number}"))
    }
}

impl fmt::Display for IdempotencyKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// Makes the keys of one run of the program, without chance or clock.
#[derive(Clone, Debug)]
pub struct IdempotencyKeys {
    run: Uuid,
    made: u64,
}

impl IdempotencyKeys {
    /// `run` is another one each time that the program runs.
    pub const fn new(run: Uuid) -> Self {
        Self { run, made: 0 }
    }

    /// A key that was not made before.
    pub fn make(&mut self) -> IdempotencyKey {
        self.made += 1;
        IdempotencyKey::numbered(self.run, self.made)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_creation_has_a_key_of_its_own() {
        let mut keys = IdempotencyKeys::new(Uuid::nil());
        let (first, second) = (keys.make(), keys.make());
        assert_eq!(first.as_str(), "00000000-0000-0000-0000-000000000000-1");
        assert_ne!(first, second);
        assert_eq!(second.part(7).to_string(), "00000000-0000-0000-0000-000000000000-2.7");
    }

    #[test]
    fn a_key_that_was_kept_is_read_again_and_nothing_else_is_one() {
        let key = IdempotencyKeys::new(Uuid::nil()).make();
        let text = serde_json::to_string(&key).unwrap();
        assert_eq!(serde_json::from_str::<IdempotencyKey>(&text).unwrap(), key);
        for text in ["", "a b", "a\nb", "ä", &"x".repeat(256)] {
            assert_eq!(IdempotencyKey::try_from(text.to_owned()), Err(NoIdempotencyKey), "{text:?}");
        }
    }
}
