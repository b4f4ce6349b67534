//! Completes the name of a file, as shells do on Tab.

use std::fs;
use std::path::Path;

/// The most entries of a directory that are read.
const MOST_ENTRIES: usize = 10_000;

/// What begins as typed.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Completion {
    /// What all of them have in common after the typed text.
    pub more: String,
    /// The names, in order; directories end in `/`.
    pub names: Vec<String>,
}

/// Completes the last part of a path: the entries of `directory` whose names begin with `begun`. Hidden ones only after a
/// dot. Names that cannot be typed are left out.
pub fn complete(directory: &Path, begun: &str) -> Completion {
    let Ok(entries) = fs::read_dir(directory) else { return Completion::default() };
    let named = entries.take(MOST_ENTRIES).flatten().filter_map(|entry| {
        let name = entry.file_name().into_string().ok()?;
        let is_hidden = name.starts_with('.') && !begun.starts_with('.');
        let fits = name.starts_with(begun) && !is_hidden && !name.contains(char::is_control);
        let ending = if entry.path().is_dir() { "/" } else { "" };
        fits.then(|| name + ending)
    });
    let mut names: Vec<String> = named.collect();
    names.sort_unstable();
    let more = match (names.first(), names.last()) {
        // Of sorted names, these differ first.
        (Some(first), Some(last)) => in_common(&first[begun.len()..], &last[begun.len()..]).to_owned(),
        _ => String::new(),
    };
    Completion { more, names }
}

fn in_common<'a>(one: &'a str, other: &str) -> &'a str {
    let same = one.chars().zip(other.chars()).take_while(|(one, other)| one == other);
    &one[..same.map(|(c, _)| c.len_utf8()).sum()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_grows_as_far_as_it_is_certain() {
        let directory = tempfile::tempdir().unwrap();
        for name in ["pets-1.csv", "pets-22.csv", "caf\u{e9}.csv", "caf\u{e8}.csv", ".pets", "a\nb"] {
            fs::write(directory.path().join(name), "").unwrap();
        }
        fs::create_dir(directory.path().join("old")).unwrap();
        let complete = |begun: &str| {
            let Completion { more, names } = complete(directory.path(), begun);
            (more, names.len())
        };
        assert_eq!(complete("p"), ("ets-".into(), 2));
        assert_eq!(complete("pets-2"), ("2.csv".into(), 1));
        assert_eq!(complete("caf"), (String::new(), 2));
        assert_eq!(complete("o"), ("ld/".into(), 1));
        assert_eq!(complete(".p"), ("ets".into(), 1));
        assert_eq!((complete("x"), complete("")), ((String::new(), 0), (String::new(), 5)));
        assert_eq!(super::complete(&directory.path().join("none"), ""), Completion::default());
    }
}
