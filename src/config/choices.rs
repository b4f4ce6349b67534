//! What was said on the command line.

use std::path::PathBuf;

use crate::model::text::short;

/// What was said on the command line.
#[derive(Clone, Debug, Default)]
pub struct Choices {
    pub config: Option<PathBuf>,
    pub profile: Option<String>,
    pub base_url: Option<String>,
    pub demo: bool,
    pub ca_file: Option<PathBuf>,
    pub insecure_http: bool,
    pub ascii: bool,
    pub accessible: bool,
}

impl Choices {
    /// Another call of petstore for the same configuration and profile.
    pub fn command(&self, words: &str) -> String {
        let config = self.config.as_deref().map(|file| format!("--config {} ", short(&file.display().to_string())));
        let profile = self.profile.as_deref().map(|name| format!("-p {} ", short(name)));
        format!("petstore {}{}{words}", config.unwrap_or_default(), profile.unwrap_or_default())
    }
}
