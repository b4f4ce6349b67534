//! The keys that make a repeated creation the same as the first one (`Idempotency-Key`, an addition to the description).

use std::fmt;

use serde::{Deserialize, Serialize};
use uuid::Uuid;

/// Identifies one creation, even if it is sent several times: at most 255 visible ASCII characters.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(try_from = "String")]
pub struct IdempotencyKey(String);

/// The text is not a valid key.
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

    /// The key of creation `number` of `run`: the same one each time.
    pub fn numbered(run: Uuid, number: u64) -> Self {
        Self(format!("{run}-{number}"))
    }

    /// The key of part `number` of this creation.
    pub fn part(&self, number: usize) -> Self {
        Self(format!("{self}.{number}"))
    }
}

impl fmt::Display for IdempotencyKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// Creates the keys of one run of the program, without randomness or clock.
#[derive(Clone, Debug)]
pub struct IdempotencyKeys {
    run: Uuid,
    made: u64,
}

impl IdempotencyKeys {
    /// `run` is unique for each run of the program.
    pub const fn new(run: Uuid) -> Self {
        Self { run, made: 0 }
    }

    /// A new key.
    pub fn make(&mut self) -> IdempotencyKey {
        self.made += 1;
        IdempotencyKey::numbered(self.run, self.made)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_creation_has_its_own_key() {
        let mut keys = IdempotencyKeys::new(Uuid::nil());
        let (first, second) = (keys.make(), keys.make());
        assert_eq!(first.as_str(), "00000000-0000-0000-0000-000000000000-1");
        assert_ne!(first, second);
        assert_eq!(second.part(7).to_string(), "00000000-0000-0000-0000-000000000000-2.7");
    }

    #[test]
    fn a_saved_key_is_read_again_and_invalid_keys_are_refused() {
        let key = IdempotencyKeys::new(Uuid::nil()).make();
        let text = serde_json::to_string(&key).unwrap();
        assert_eq!(serde_json::from_str::<IdempotencyKey>(&text).unwrap(), key);
        for text in ["", "a b", "a\nb", "ä", &"x".repeat(256)] {
            assert_eq!(IdempotencyKey::try_from(text.to_owned()), Err(NoIdempotencyKey), "{text:?}");
        }
    }
}
