//! The appearance of the screen, in the configuration file.

use serde::Deserialize;
use toml::Spanned;

/// The appearance of the screen.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Ui {
    /// Characters for lines and marks.
    pub glyphs: Glyphs,
    /// Which colours are used: the name of a theme.
    pub theme: Spanned<String>,
    /// How text is copied.
    pub clipboard: Clipboard,
    /// The speed of the connection to the terminal.
    pub link: LinkSpeed,
    /// Use the mouse, instead of leaving it to the terminal.
    pub mouse: bool,
}

impl Default for Ui {
    fn default() -> Self {
        Self {
            glyphs: Glyphs::default(),
            theme: theme("default"),
            clipboard: Clipboard::default(),
            link: LinkSpeed::default(),
            mouse: false,
        }
    }
}

/// The name of a theme that is at no place in a file.
pub(super) fn theme(name: &str) -> Spanned<String> {
    Spanned::new(0..0, name.to_owned())
}

/// Characters for lines and marks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, strum::Display)]
#[serde(rename_all = "lowercase")]
#[strum(serialize_all = "lowercase")]
pub enum Glyphs {
    /// Depending on the locale.
    #[default]
    Auto,
    /// Unicode.
    Unicode,
    /// ASCII only.
    Ascii,
}

/// How text is copied.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, strum::Display)]
#[serde(rename_all = "lowercase")]
#[strum(serialize_all = "lowercase")]
pub enum Clipboard {
    /// Whatever is available.
    #[default]
    Auto,
    /// Into a buffer of tmux.
    Tmux,
    /// With the desktop's program.
    Native,
    /// Through the terminal (OSC 52).
    Osc52,
    /// Into a file.
    File,
    /// Not at all.
    Off,
}

/// The speed of the connection to the terminal.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, strum::Display)]
#[serde(rename_all = "lowercase")]
#[strum(serialize_all = "lowercase")]
pub enum LinkSpeed {
    /// Measured over SSH; fast otherwise.
    #[default]
    Auto,
    /// No savings.
    Fast,
    /// No animation, and clocks update every ten seconds.
    Slow,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_match_the_file() {
        use Clipboard::{Auto, File, Native, Off, Osc52, Tmux};
        for clipboard in [Auto, Tmux, Native, Osc52, File, Off] {
            let ui: Ui = toml::from_str(&format!("clipboard = \"{clipboard}\"")).unwrap();
            assert_eq!(ui, Ui { clipboard, ..Ui::default() });
        }
        for link in [LinkSpeed::Auto, LinkSpeed::Fast, LinkSpeed::Slow] {
            let ui: Ui = toml::from_str(&format!("link = \"{link}\"")).unwrap();
            assert_eq!(ui, Ui { link, ..Ui::default() });
        }
    }
}
