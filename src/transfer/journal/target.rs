//! The target of an import, identified in a stable way.

use std::fs;

use uuid::Uuid;

use crate::config::{Service, Settings};

/// The target of an import.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Target {
    /// The service: its address, or the database of the embedded store.
    pub service: String,
    /// The API key, or a substitute. Never written.
    pub key: String,
}

impl Target {
    /// The service of these settings. The embedded store is identified by its database, which must exist; resolving it
    /// blocks briefly.
    pub fn of(settings: &Settings) -> Self {
        match &settings.service {
            // It has new pets in each session, and keeps nothing.
            Service::Demo => Self { service: "demo".to_owned(), key: Uuid::new_v4().to_string() },
            Service::Embedded { database } => {
                let database = fs::canonicalize(database).unwrap_or_else(|_| database.clone());
                // Each session has its own key with the same public part, to which the database ties Idempotency-Keys.
                Self { service: format!("in this program, {}", database.display()), key: "session".to_owned() }
            }
            Service::Remote(remote) => Self {
                service: remote.base_url.to_string(),
                key: remote.key.as_ref().map_or_else(String::new, |key| key.expose().to_owned()),
            },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::{Choices, Env};

    #[test]
    fn one_database_is_one_target_by_whatever_path_and_each_demo_another() {
        let directory = tempfile::tempdir().unwrap();
        let of = |service: &Service| {
            let env: Env = [("HOME", directory.path())].into_iter().collect();
            let settings = Settings::resolve(&Choices::default(), &env).unwrap();
            Target::of(&Settings { service: service.clone(), ..settings })
        };
        let embedded = |path: &str| Service::Embedded { database: directory.path().join(path) };
        fs::write(directory.path().join("a.db"), "").unwrap();
        fs::create_dir(directory.path().join("below")).unwrap();
        assert_eq!(of(&embedded("a.db")), of(&embedded("below/../a.db")));
        assert_ne!(of(&embedded("a.db")), of(&embedded("b.db")));
        assert_ne!(of(&Service::Demo), of(&Service::Demo));
    }
}
