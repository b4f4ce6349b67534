//! A service that is away, whose lists were kept by a session before.

use std::fs;

use tempfile::TempDir;

use crate::common::Served;
use crate::harness::Start;

pub struct Kept {
    state: TempDir,
    base_url: String,
    key: String,
}

impl Kept {
    /// Reads the lists once, and takes the service away.
    pub fn of_a_service_that_is_away() -> Self {
        let served = Served::start(250);
        let (base_url, key) = (served.base_url.clone(), served.key.clone());
        let kept = Self { state: tempfile::tempdir().unwrap(), base_url, key };
        let mut first = kept.start().open();
        first.shows(&["Rex", "sold 25"]);
        let lists = kept.state.path().join("petstore/lists");
        first.wait_until("the kept file", |_, _| fs::read_dir(&lists).is_ok_and(|mut files| files.next().is_some()));
        first.send("q");
        first.ended();
        served.stop();
        kept
    }

    /// The app, on what was kept.
    pub fn start(&self) -> Start {
        let start = Start::petstore(&["--base-url", &self.base_url]).env("PETSTORE_API_KEY", &self.key);
        start.env("XDG_STATE_HOME", self.state.path().to_str().unwrap())
    }
}
