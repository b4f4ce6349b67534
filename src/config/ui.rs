//! The appearance of the screen, in the configuration file.

use serde::Deserialize;

/// The appearance of the screen.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Ui {
    /// Characters for lines and marks.
    pub glyphs: Glyphs,
    /// Which colours are used.
    pub theme: ThemeChoice,
    /// How text is copied.
    pub clipboard: Clipboard,
    /// The speed of the connection to the terminal.
    pub link: LinkSpeed,
}

/// Characters for lines and marks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Glyphs {
    /// Depending on the locale.
    #[default]
    Auto,
    /// Unicode.
    Unicode,
    /// ASCII only.
    Ascii,
}

/// Which colours are used.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, strum::Display)]
#[serde(rename_all = "kebab-case")]
#[strum(serialize_all = "kebab-case")]
pub enum ThemeChoice {
    /// The terminal's own colours, on marks only.
    #[default]
    Default,
    /// For a dark background.
    Dark,
    /// For a light background.
    Light,
    /// The strongest contrast.
    HighContrast,
    /// Bold and reverse only.
    Mono,
    /// Colours that people with a colour vision deficiency can tell apart.
    ColourBlind,
}

impl ThemeChoice {
    /// All themes, in the order of the menu.
    pub const ALL: [Self; 6] =
        [Self::Default, Self::Dark, Self::Light, Self::HighContrast, Self::Mono, Self::ColourBlind];

    /// A short description.
    pub const fn title(self) -> &'static str {
        match self {
            Self::Default => "the terminal's own colours, on marks only",
            Self::Dark => "bright text on a dark ground",
            Self::Light => "dark text on a bright ground",
            Self::HighContrast => "white and bright marks on black",
            Self::Mono => "no colours: bold, reverse, underlined",
            Self::ColourBlind => "for any colour vision, dark ground",
        }
    }
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
        for theme in ThemeChoice::ALL {
            let ui: Ui = toml::from_str(&format!("theme = \"{theme}\"")).unwrap();
            assert_eq!(ui, Ui { theme, ..Ui::default() });
        }
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
