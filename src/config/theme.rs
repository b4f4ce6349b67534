//! Themes: colours by purpose, from the built-in files and from those in `themes/` beside the configuration.

use std::path::{Path, PathBuf};
use std::{fs, io};

use serde::Deserialize;
use serde::de::IgnoredAny;

use super::ConfigError;

/// The built-in themes, in the order of the menu. Each is a file like the user's.
pub const BUILT_IN: [(&str, &str); 6] = [
    ("default", include_str!("../../assets/themes/default.toml")),
    ("dark", include_str!("../../assets/themes/dark.toml")),
    ("light", include_str!("../../assets/themes/light.toml")),
    ("high-contrast", include_str!("../../assets/themes/high-contrast.toml")),
    ("mono", include_str!("../../assets/themes/mono.toml")),
    ("colour-blind", include_str!("../../assets/themes/colour-blind.toml")),
];

/// The most files that are read, and the longest of them, in bytes.
const MOST: usize = 100;
const LONGEST: u64 = 64 << 10;

/// The colours of a theme by their purpose. What it does not name looks like text, with bold, dim or reverse.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct ThemeFile {
    /// The name of its file.
    #[serde(skip)]
    pub name: String,
    /// A short description.
    pub title: String,
    /// Older files have it; it means nothing.
    pub contrast: IgnoredAny,
    pub text: Paint,
    pub heading: Paint,
    pub quiet: Paint,
    pub in_use: Paint,
    pub selected: Paint,
    pub available: Paint,
    pub pending: Paint,
    pub sold: Paint,
    pub error: Paint,
    pub wait: Paint,
    pub good: Paint,
    pub key: Paint,
    pub border: Paint,
    pub new: Paint,
    #[serde(rename = "match")]
    pub matched: Paint,
    pub accent: AccentPaints,
}

/// The word for a profile in the header, by its colour.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct AccentPaints {
    pub red: Paint,
    pub yellow: Paint,
    pub green: Paint,
    pub blue: Paint,
    pub magenta: Paint,
    pub cyan: Paint,
}

/// Colours of text and of what is behind it: `cyan`, `#d7dce2/253/white` or `white on 24`. Without the second one, that of
/// text.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(try_from = "String")]
pub struct Paint {
    pub text: Colour,
    pub ground: Option<Colour>,
}

/// A colour as a theme names it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Colour {
    /// The terminal's own.
    #[default]
    Default,
    /// One of the 256, the first 16 of which the terminal's palette adapts.
    Indexed(u8),
    /// Red, green and blue; and where that is known, which of the 256 and of the first 16 it is on terminals with fewer
    /// colours.
    Rgb([u8; 3], Option<[u8; 2]>),
}

/// The names of the first 16.
const NAMES: &str = "black, red, green, yellow, blue, magenta, cyan, white, bright-black, bright-red, bright-green, \
                     bright-yellow, bright-blue, bright-magenta, bright-cyan, bright-white";

impl Colour {
    fn read(word: &str) -> Option<Self> {
        if word == "default" {
            return Some(Self::Default);
        }
        let indexed = |word: &str| {
            let named = (0..).zip(NAMES.split(", ")).find(|(_, name)| *name == word).map(|(index, _)| index);
            named.or_else(|| word.parse().ok())
        };
        let Some(code) = word.strip_prefix('#') else { return indexed(word).map(Self::Indexed) };
        let (code, fewer) = match *code.split('/').collect::<Vec<_>>() {
            [code] => (code, None),
            [code, of_256, of_16] => (code, Some([indexed(of_256)?, indexed(of_16).filter(|index| *index < 16)?])),
            _ => return None,
        };
        let is_code = code.len() == 6 && code.bytes().all(|byte| byte.is_ascii_hexdigit());
        let [_, rgb @ ..] = u32::from_str_radix(code, 16).ok().filter(|_| is_code)?.to_be_bytes();
        Some(Self::Rgb(rgb, fewer))
    }
}

impl TryFrom<String> for Paint {
    type Error = String;

    fn try_from(words: String) -> Result<Self, String> {
        let words: Vec<_> = words.split_whitespace().collect();
        let read = |word: &str| {
            let rule = "a number from 0 to 255, or #rrggbb (#rrggbb/256/16 with those for fewer colours)";
            let why = || format!("\"{word}\" is not a colour. Write a name ({NAMES}, default), {rule}");
            Colour::read(word).ok_or_else(why)
        };
        match words.as_slice() {
            [text] => Ok(Self { text: read(text)?, ground: None }),
            [text, "on", ground] => Ok(Self { text: read(text)?, ground: Some(read(ground)?) }),
            _ => Err("write a colour, or two as in \"white on blue\"".to_owned()),
        }
    }
}

impl ThemeFile {
    /// Reads `text`, which came from `path`.
    pub fn parse(name: &str, text: &str, path: &Path) -> Result<Self, ConfigError> {
        let theme: Self = toml::from_str(text).map_err(|error| ConfigError::of_toml(path, text, &error))?;
        Ok(Self { name: name.to_owned(), ..theme })
    }
}

/// The themes of the user, which can be chosen beside the built-in ones.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Themes {
    /// In the order of their names.
    pub own: Vec<ThemeFile>,
    /// The files that cannot be used: their names, and why.
    pub broken: Vec<(String, String)>,
}

impl Themes {
    /// Those that can be chosen with the configuration at `path`.
    pub fn beside(path: &Path) -> Self {
        let mut themes = Self::default();
        let found = fs::read_dir(path.with_file_name("themes")).into_iter().flatten().flatten();
        let mut files: Vec<PathBuf> = found.map(|entry| entry.path()).take(MOST).collect();
        files.retain(|file| file.extension().is_some_and(|extension| extension == "toml"));
        files.sort();
        for file in files {
            let Some(name) = file.file_stem().and_then(|name| name.to_str()) else { continue };
            match read(name, &file) {
                Ok(theme) => themes.own.push(theme),
                Err(why) => themes.broken.push((name.to_owned(), why)),
            }
        }
        themes
    }

    /// All that can be chosen, the built-in ones first.
    pub fn all(&self) -> impl Iterator<Item = ThemeFile> {
        // A test reads each.
        let built_in = BUILT_IN.iter().filter_map(|(name, text)| ThemeFile::parse(name, text, Path::new(name)).ok());
        built_in.chain(self.own.iter().cloned())
    }

    /// Why there is no theme of this name, if there is none.
    pub fn why_not(&self, name: &str) -> Option<String> {
        if let Some((_, why)) = self.broken.iter().find(|(broken, _)| broken == name) {
            return Some(format!("the theme cannot be used: {why}"));
        }
        let own = self.own.iter().map(|theme| theme.name.as_str());
        let known: Vec<_> = BUILT_IN.iter().map(|(name, _)| *name).chain(own).collect();
        let names = || Vec::from_iter(known.iter().map(|name| format!("`{name}`"))).join(", ");
        (!known.contains(&name)).then(|| format!("unknown theme `{name}`, expected one of {}", names()))
    }
}

/// The theme in a file, or why it cannot be used.
fn read(name: &str, path: &Path) -> Result<ThemeFile, String> {
    if BUILT_IN.iter().any(|(built_in, _)| *built_in == name) {
        return Err(format!("{} has the name of a built-in theme. Rename it.", path.display()));
    }
    let unread = |why: io::Error| format!("cannot read {}: {why}", path.display());
    let about = fs::metadata(path).map_err(unread)?;
    if !about.is_file() || about.len() > LONGEST {
        return Err(unread(io::Error::other("it is not a file of at most 64 KiB")));
    }
    let text = fs::read_to_string(path).map_err(unread)?;
    ThemeFile::parse(name, &text, path).map_err(|error| error.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn paint(text: &str) -> Result<Paint, String> {
        Paint::try_from(text.to_owned())
    }

    #[test]
    fn every_built_in_theme_is_a_file_that_can_be_read() {
        let titles: Vec<_> = Themes::default().all().map(|theme| theme.title).collect();
        assert!(titles.len() == BUILT_IN.len() && !titles.contains(&String::new()), "{titles:?}");
    }

    #[test]
    fn the_example_of_the_documentation_is_a_theme_with_every_role() {
        let page = include_str!("../../docs/configuration.md");
        let (_, text) = page.split_once("```toml\ntitle = ").unwrap();
        let text = format!("title = {}", text.split_once("```").unwrap().0);
        ThemeFile::parse("own", &text, Path::new("own.toml")).unwrap();
        let named: Vec<_> = text.lines().filter(|line| line.contains(" = ")).collect();
        assert_eq!(named.len(), 1 + 15 + 6, "{named:?}");
    }

    #[test]
    fn a_colour_is_a_name_a_number_or_a_code() {
        let just = |text| Ok(Paint { text, ground: None });
        assert_eq!(paint("cyan"), just(Colour::Indexed(6)));
        assert_eq!(paint("bright-black"), just(Colour::Indexed(8)));
        assert_eq!(paint("214"), just(Colour::Indexed(214)));
        assert_eq!(paint("default"), just(Colour::Default));
        let (rgb, ground) = ([255, 138, 128], Some(Colour::Indexed(24)));
        assert_eq!(paint(" #FF8a80 on  24"), Ok(Paint { text: Colour::Rgb(rgb, None), ground }));
        assert_eq!(paint("#FF8a80/210/red"), just(Colour::Rgb(rgb, Some([210, 1]))));
        let wrong = ",pink,256,-1,#12345,#12345g,#+12345,#123456/1,#123456/1/16,red on,red blue,red on blue on red";
        for wrong in wrong.split(',') {
            assert!(paint(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn a_theme_of_the_user_is_read_from_its_file_and_a_broken_one_names_its_line() {
        let directory = tempfile::tempdir().unwrap();
        let config = directory.path().join("config.toml");
        assert_eq!(Themes::beside(&config), Themes::default());
        let themes = directory.path().join("themes");
        fs::create_dir(&themes).unwrap();
        let write = |name: &str, text: &str| fs::write(themes.join(name), text).unwrap();
        write("shop.toml", "text = \"white on 17\"\n");
        write("dark.toml", "title = \"mine\"\n");
        write("odd.toml", "\ntext = \"white\"\npendign = \"red\"\n");
        write("notes.txt", "not a theme");
        write("huge.toml", &"#".repeat(65 << 10));
        fs::create_dir(themes.join("folder.toml")).unwrap();
        let found = Themes::beside(&config);
        let own: Vec<_> = found.own.iter().map(|theme| theme.name.as_str()).collect();
        assert_eq!(own, ["shop"]);
        let broken: Vec<_> = found.broken.iter().map(|(name, _)| name.as_str()).collect();
        assert_eq!(broken, ["dark", "folder", "huge", "odd"]);
        let why = found.why_not("odd").unwrap();
        assert!(why.contains("themes/odd.toml:3:1: unknown field `pendign`"), "{why}");
        assert_eq!(found.why_not("shop"), None);
        assert!(found.why_not("shpo").unwrap().starts_with("unknown theme `shpo`, expected one of `default`, "));
    }
}
