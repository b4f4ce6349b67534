//! The look of the screen, as the configuration file says it.

use serde::Deserialize;

/// The look of the screen.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Ui {
    /// Lines and marks: by the locale, or one of the two sets.
    pub glyphs: Glyphs,
    /// Which colours are used.
    pub theme: ThemeChoice,
    /// How text is copied.
    pub clipboard: Clipboard,
    /// How fast the line to the terminal is.
    pub link: LinkSpeed,
}

/// Which marks are drawn.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Glyphs {
    /// By the locale.
    #[default]
    Auto,
    /// Lines and dots.
    Unicode,
    /// Nothing beyond ASCII.
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
    /// All of them, in the order in which they are offered.
    pub const ALL: [Self; 6] =
        [Self::Default, Self::Dark, Self::Light, Self::HighContrast, Self::Mono, Self::ColourBlind];

    /// What it is, in a few words.
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
    /// By what the surroundings offer.
    #[default]
    Auto,
    /// Into a buffer of tmux.
    Tmux,
    /// By the desktop's own program.
    Native,
    /// Through the terminal (OSC 52).
    Osc52,
    /// Into a file.
    File,
    /// Not at all.
    Off,
}

/// How fast the line to the terminal is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, strum::Display)]
#[serde(rename_all = "lowercase")]
#[strum(serialize_all = "lowercase")]
pub enum LinkSpeed {
    /// Over SSH it is watched; fast elsewhere.
    #[default]
    Auto,
    /// Nothing is saved.
    Fast,
    /// Nothing moves by itself, and less often than every ten seconds.
    Slow,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_those_of_the_file() {
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
