//! A real service for the app in the terminal.

use crate::prelude::*;

/// A service in a process of its own, which outlives the app.
pub struct Served {
    child: Child,
    url: String,
    key: String,
    database: String,
    _directory: tempfile::TempDir,
}

impl Served {
    pub fn start() -> Self {
        Self::with_samples(0)
    }

    pub fn with_samples(pets: usize) -> Self {
        let directory = tempfile::tempdir().unwrap();
        let database = format!("sqlite:{}", directory.path().join("store.db").display());
        let make = ["keys", "create", "--database", &database, "--name", "t"];
        let made = Command::new(PETSTORE).args(make).output().unwrap();
        let key = String::from_utf8(made.stdout).unwrap().trim().to_owned();
        let serve = ["serve", "--listen", "127.0.0.1:0", "--database", &database, "--sample", &pets.to_string()];
        let mut child = Command::new(PETSTORE).args(serve).stderr(Stdio::piped()).spawn().unwrap();
        let mut line = String::new();
        BufReader::new(child.stderr.take().unwrap()).read_line(&mut line).unwrap();
        let url = line.trim().strip_prefix("listening on ").unwrap().to_owned();
        Self { child, url, key, database, _directory: directory }
    }

    /// Its address.
    pub fn url(&self) -> &str {
        &self.url
    }

    /// A key that it takes.
    pub fn key(&self) -> &str {
        &self.key
    }

    /// The address of its database.
    pub fn database(&self) -> &str {
        &self.database
    }

    /// The app on it, with what it keeps in `state`. Ids have the order of typing however slow the machine is.
    pub fn app(&self, state: &Path) -> Terminal {
        self.app_with(state, "")
    }

    /// The same, with more settings for adding.
    pub fn app_with(&self, state: &Path, add: &str) -> Terminal {
        let config = state.join("config.toml");
        fs::write(&config, format!("[add]\nat_once = 1\n{add}")).unwrap();
        let start = Start::petstore(&["--base-url", &self.url]).env("PETSTORE_API_KEY", &self.key);
        let start = start.env("PETSTORE_CONFIG", config.to_str().unwrap());
        start.env("XDG_STATE_HOME", state.to_str().unwrap()).open()
    }

    /// A profile for it, with more settings; its key comes from the environment that [`Served::app_of`] sets.
    pub fn profile(&self, name: &str, more: &str) -> String {
        let (url, variable) = (&self.url, name.to_uppercase());
        format!("[profiles.{name}]\nbase_url = \"{url}\"\nkey = {{ env = \"{variable}_KEY\" }}\n{more}")
    }

    /// The app with this profile and others, with what it keeps in `state`.
    pub fn app_of(state: &Path, profile: &str, all: &[(&str, &Self, &str)]) -> Terminal {
        let config = state.join("config.toml");
        let profiles: String = all.iter().map(|(name, served, more)| served.profile(name, more)).collect();
        fs::write(&config, format!("profile = \"{profile}\"\n{profiles}")).unwrap();
        let start = Start::petstore(&[]).env("PETSTORE_CONFIG", config.to_str().unwrap());
        let keyed = |start: Start, (name, served, _): &(&str, &Self, &str)| {
            start.env(&format!("{}_KEY", name.to_uppercase()), &served.key)
        };
        all.iter().fold(start, keyed).env("XDG_STATE_HOME", state.to_str().unwrap()).open()
    }

    fn run(&self, arguments: &[&str]) -> String {
        let mut command = Command::new(PETSTORE);
        command.args(arguments).args(["--base-url", &self.url]).env("PETSTORE_API_KEY", &self.key);
        let output = command.output().unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8(output.stdout).unwrap()
    }

    /// Another program adds a pet.
    pub fn add(&self, name: &str) {
        self.run(&["pets", "add", "--name", name, "--category-id", "1"]);
    }

    /// The names in the order of their ids.
    pub fn names(&self) -> Vec<String> {
        let mut pets: Vec<(i64, String)> = self
            .run(&["pets", "list", "--limit", "100", "--format", "ndjson"])
            .lines()
            .map(|line| {
                let pet: serde_json::Value = serde_json::from_str(line).unwrap();
                (pet["id"].as_i64().unwrap(), pet["name"].as_str().unwrap().to_owned())
            })
            .collect();
        pets.sort_unstable();
        pets.into_iter().map(|(_, name)| name).collect()
    }
}

impl Drop for Served {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
