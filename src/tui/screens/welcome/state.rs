//! What the first start knows: the ways to begin, and what was found out about this terminal.

use crate::app::first_run::{StartChoice, Surroundings};
use crate::tui::keymap::Context;
use crate::tui::text_input::TextInput;

/// The first start.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct State {
    /// What was found out.
    pub around: Surroundings,
    /// The marked option, from 0.
    pub cursor: usize,
    /// The field for a configuration file, where it is open.
    pub path: Option<TextInput>,
    /// Why the file that was named cannot be used.
    pub error: Option<String>,
    /// What was chosen: the program starts again with it.
    pub chosen: Option<StartChoice>,
}

/// An option to start with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StartOption {
    /// [`StartChoice::Samples`]
    Samples,
    /// [`StartChoice::Embedded`]
    Embedded,
    /// A new profile for a service elsewhere.
    Connect,
    /// [`StartChoice::File`]
    File,
}

impl StartOption {
    /// All of them, as they are offered.
    pub const ALL: [Self; 4] = [Self::Samples, Self::Embedded, Self::Connect, Self::File];

    /// What it is, and what comes of it.
    pub const fn words(self) -> (&'static str, &'static str) {
        match self {
            Self::Samples => ("Look around", "250 pets; not saved"),
            Self::Embedded => ("Use a store on this computer", "embedded; starts empty"),
            Self::Connect => ("Connect to a service", "needs address and key"),
            Self::File => ("Use a configuration file", "type its path"),
        }
    }
}

impl State {
    /// The first start again, after the file `path` was chosen, which cannot be used.
    pub fn refused(path: String, why: String) -> Self {
        let cursor = StartOption::ALL.iter().position(|way| *way == StartOption::File).unwrap_or(0);
        Self { cursor, path: Some(TextInput::new(path)), error: Some(why), ..Self::default() }
    }

    /// Where a key pressed now goes.
    pub const fn context(&self) -> Context {
        if self.path.is_some() { Context::WelcomePath } else { Context::Welcome }
    }
}
