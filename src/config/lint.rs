//! Finds all errors of a configuration.

use std::path::Path;

use super::error::ConfigError;
use super::file::File;
use super::provenance::KeyLines;
use super::target;

/// An error in the configuration.
#[derive(Debug)]
pub struct ConfigFault {
    /// Its line in the file, counted from 1.
    pub line: Option<usize>,
    /// The error.
    pub error: ConfigError,
}

/// The errors of the configuration `text`, which came from `path`: the syntax error, or each profile that cannot be used.
/// Reads no keys.
pub fn faults(text: &str, path: &Path) -> Vec<ConfigFault> {
    let file = match File::parse(text, path) {
        Ok(file) => file,
        // Its message contains the position.
        Err(error) => return vec![ConfigFault { line: None, error }],
    };
    let lines = KeyLines::of(text);
    let mut faults = Vec::new();
    if let Err(error) = file.profile(&file.profile) {
        faults.push(ConfigFault { line: lines.line_of(&["profile"]), error });
    }
    for (name, profile) in &file.profiles {
        if let Err(error) = target::address(name, profile, profile.insecure_http) {
            let line = lines.line_of(&["profiles", name, "base_url"]).or_else(|| lines.line_of(&["profiles", name]));
            faults.push(ConfigFault { line, error });
        }
    }
    faults
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_invalid_profile_is_found_with_its_line() {
        let text = "profile = \"shpo\"\n[profiles.shop]\nbase_url = \"https://shop.example/v1\"\n[profiles.clear]\n\
                    protect = true\nbase_url = \"http://shop.example/v1\"\n[profiles.none]\n";
        let found: Vec<_> =
            faults(text, Path::new("c.toml")).iter().map(|fault| (fault.line, fault.error.to_string())).collect();
        let [profile, clear, none] = found.as_slice() else { panic!("{found:?}") };
        assert!(profile.0 == Some(1) && profile.1.starts_with("there is no profile \"shpo\""), "{profile:?}");
        assert!(clear.0 == Some(6) && clear.1.starts_with("profile clear, base_url: http://"), "{clear:?}");
        assert!(none.0 == Some(7) && none.1.starts_with("profile \"none\" needs either"), "{none:?}");
        assert!(faults("", Path::new("c.toml")).is_empty());
        let wrong = faults("[pets]\nlimitt = 1\n", Path::new("c.toml"));
        assert!(wrong[0].error.to_string().starts_with("c.toml:2:1: unknown field `limitt`"), "{wrong:?}");
    }
}
