//! What is wrong with a configuration that can be read, each in its place.

use std::path::Path;

use super::error::ConfigError;
use super::file::File;
use super::provenance::KeyLines;
use super::target;

/// What is wrong.
#[derive(Debug)]
pub struct ConfigFault {
    /// Where it stands in the file, counted from 1.
    pub line: Option<usize>,
    /// What it is.
    pub error: ConfigError,
}

/// What is wrong with the configuration `text`, which came from `path`: that it cannot be read, else each profile that
/// cannot be used. Reads no keys.
pub fn faults(text: &str, path: &Path) -> Vec<ConfigFault> {
    let file = match File::parse(text, path) {
        Ok(file) => file,
        // It says itself where.
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
    fn each_profile_that_cannot_be_used_is_found_with_its_line() {
        let text = "profile = \"shpo\"\n[profiles.shop]\nbase_url = \"https://shop.example/v1\"\n[profiles.clear]\n\
                    protect = true\nbase_url = \"http://shop.example/v1\"\n[profiles.none]\n";
        let found: Vec<_> =
            faults(text, Path::new("c.toml")).iter().map(|fault| (fault.line, fault.error.to_string())).collect();
        let [profile, clear, none] = found.as_slice() else { panic!("{found:?}") };
        assert!(profile.0 == Some(1) && profile.1.starts_with("there is no profile \"shpo\""), "{profile:?}");
        assert!(clear.0 == Some(6) && clear.1.starts_with("profile clear, base_url: http://"), "{clear:?}");
        assert!(none.0 == Some(7) && none.1.starts_with("the profile \"none\" must have either"), "{none:?}");
        assert!(faults("", Path::new("c.toml")).is_empty());
        let wrong = faults("[pets]\nlimitt = 1\n", Path::new("c.toml"));
        assert!(wrong[0].error.to_string().starts_with("c.toml:2:1: unknown field `limitt`"), "{wrong:?}");
    }
}
