//! The system keyring: the desktop's Secret Service on Linux, the login keychain on macOS.

use std::sync::Arc;
use std::time::Duration;

use keyring_core::{CredentialStore, Entry, Error};

use crate::model::text::cut;
use crate::model::{ApiKey, BaseUrl, display_safe};

use super::super::ConfigError;
use super::deadline::within;

/// How long a keyring may take to answer at all.
const ANSWERS: Duration = Duration::from_secs(2);
/// How long it may take to read or write an entry: it may ask for its password first.
const UNLOCKS: Duration = Duration::from_secs(60);
/// The service name of all entries.
const SERVICE: &str = "petstore";

/// A keyring that answered.
#[derive(Clone, Debug)]
pub struct Keyring(Arc<CredentialStore>);

impl Keyring {
    /// The system keyring, if it answers within two seconds.
    pub fn probe() -> Result<Self, ConfigError> {
        Self::open(system, ANSWERS)
    }

    fn open(
        open: impl FnOnce() -> Result<Arc<CredentialStore>, Error> + Send + 'static,
        limit: Duration,
    ) -> Result<Self, ConfigError> {
        asked(limit, open).map(Self)
    }

    /// The saved key of this profile at this address, if there is one. A profile whose address has changed has none, so
    /// that a key is never sent to another host.
    pub fn read(&self, profile: &str, address: &BaseUrl) -> Result<Option<ApiKey>, ConfigError> {
        let entry = self.entry(profile, address)?;
        let text = asked(UNLOCKS, move || match entry.get_password() {
            Err(Error::NoEntry) => Ok(None),
            other => other.map(Some),
        })?;
        text.map(|text| ApiKey::new(&text)).transpose().map_err(|error| unusable(&error))
    }

    /// Saves the key of this profile at this address.
    pub fn write(&self, profile: &str, address: &BaseUrl, key: &ApiKey) -> Result<(), ConfigError> {
        let (entry, key) = (self.entry(profile, address)?, key.clone());
        asked(UNLOCKS, move || entry.set_password(key.expose()))
    }

    /// Removes the saved key of this profile at this address, if there is one.
    pub fn remove(&self, profile: &str, address: &BaseUrl) -> Result<(), ConfigError> {
        let entry = self.entry(profile, address)?;
        asked(UNLOCKS, move || match entry.delete_credential() {
            Err(Error::NoEntry) => Ok(()),
            other => other,
        })
    }

    fn entry(&self, profile: &str, address: &BaseUrl) -> Result<Entry, ConfigError> {
        let user = format!("{profile}@{}", address.authority());
        self.0.build(SERVICE, &user, None).map_err(|error| unusable(&error))
    }
}

/// The keyring's answer within `limit`. It may hang with the desktop.
fn asked<T: Send + 'static>(
    limit: Duration,
    work: impl FnOnce() -> Result<T, Error> + Send + 'static,
) -> Result<T, ConfigError> {
    let silent = || unusable(&format!("it did not answer within {} s", limit.as_secs()));
    within(limit, work).ok_or_else(silent)?.map_err(|error| unusable(&error))
}

fn unusable(error: &dyn std::fmt::Display) -> ConfigError {
    let why = cut(&display_safe(&error.to_string()), 160);
    ConfigError::Key(format!(
        "cannot use the system keyring: {}. Save the key elsewhere: key = {{ file = \"...\" }} or key = {{ env = \"...\" \
         }}.",
        why.trim_end_matches('.')
    ))
}

#[cfg(target_os = "linux")]
fn system() -> Result<Arc<CredentialStore>, Error> {
    Ok(dbus_secret_service_keyring_store::Store::new()?)
}

#[cfg(target_os = "macos")]
fn system() -> Result<Arc<CredentialStore>, Error> {
    Ok(apple_native_keyring_store::keychain::Store::new()?)
}

#[cfg(not(any(target_os = "linux", target_os = "macos")))]
fn system() -> Result<Arc<CredentialStore>, Error> {
    Err(Error::NotSupportedByStore("this system has no supported keyring".to_owned()))
}

#[cfg(test)]
pub(in crate::config) mod tests {
    use std::sync::mpsc;

    use keyring_core::mock;

    use super::*;
    use crate::clock;

    fn address(text: &str) -> BaseUrl {
        text.parse().unwrap()
    }

    pub fn in_memory() -> Keyring {
        Keyring::open(|| Ok(mock::Store::new()?), ANSWERS).unwrap()
    }

    #[test]
    fn a_key_is_found_again_only_for_its_profile_and_its_host() {
        let keyring = in_memory();
        let (home, key) = (address("https://api.example.com/v1"), ApiKey::new("petk_0123456789").unwrap());
        assert_eq!(keyring.read("staging", &home).unwrap(), None);
        keyring.write("staging", &home, &key).unwrap();
        assert_eq!(keyring.read("staging", &home).unwrap(), Some(key.clone()));
        assert_eq!(keyring.read("staging", &address("https://api.example.com/v2")).unwrap(), Some(key));
        assert_eq!(keyring.read("production", &home).unwrap(), None);
        for elsewhere in ["https://other.example/v1", "https://api.example.com:8443/v1"] {
            assert_eq!(keyring.read("staging", &address(elsewhere)).unwrap(), None);
        }
    }

    #[test]
    fn removing_a_key_twice_is_not_an_error() {
        let keyring = in_memory();
        let home = address("https://api.example.com/v1");
        keyring.write("staging", &home, &ApiKey::new("petk_0123456789").unwrap()).unwrap();
        for _ in 0..2 {
            keyring.remove("staging", &home).unwrap();
            assert_eq!(keyring.read("staging", &home).unwrap(), None);
        }
    }

    #[test]
    fn a_keyring_that_fails_is_reported_with_the_alternatives() {
        let keyring = in_memory();
        let home = address("https://api.example.com/v1");
        let entry = keyring.entry("staging", &home).unwrap();
        let cred: &mock::Cred = entry.as_any().downcast_ref().unwrap();
        cred.set_error(Error::NoStorageAccess("it is \x1b[1mlocked".into()));
        assert_eq!(
            keyring.read("staging", &home).unwrap_err().to_string(),
            "cannot use the system keyring: Couldn't access platform storage: it is ⟨U+001B⟩[1mlocked. Save the key \
             elsewhere: key = { file = \"...\" } or key = { env = \"...\" }."
        );
    }

    #[test]
    fn a_keyring_that_hangs_is_not_waited_for() {
        let (_never, hangs) = mpsc::channel::<()>();
        let open = move || {
            let _ = hangs.recv();
            Err(Error::NoDefaultStore)
        };
        let error = Keyring::open(open, Duration::from_millis(20)).unwrap_err().to_string();
        assert!(error.contains("it did not answer within 0 s"), "{error}");
    }

    #[test]
    fn the_system_keyring_answers_in_time_or_is_missing() {
        let begun = clock::now().mono;
        if let Err(error) = Keyring::probe() {
            assert!(error.to_string().starts_with("cannot use the system keyring: "), "{error}");
        }
        assert!(clock::now().mono - begun < Duration::from_secs(5));
    }
}
