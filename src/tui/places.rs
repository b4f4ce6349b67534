//! Every place where keys are pressed, with its commands.

use super::command::Place;
use super::context::Context;
use super::screens::{add_pet, domains, pets, profiles, requests, welcome};
use super::{popups, update};

macro_rules! places {
    ($($name:ident => $place:expr,)*) => {
        impl Context {
            /// The place of this name.
            pub fn place(self) -> &'static Place {
                match self {
                    $(Self::$name => {
                        static PLACE: Place = $place;
                        &PLACE
                    })*
                }
            }
        }
    };
}

places! {
    Global => Place::new("Everywhere", &[update::EVERYWHERE]),
    Text => Place::new("Text fields", &[update::TEXT_FIELD]).text(),
    Pets => Place::new("Pets", &[
        pets::update::PETS,
        &[add_pet::update::NEW, add_pet::import::start::IMPORT.at("I F7", "", "import a file")],
        pets::update::PETS_BELOW,
    ]),
    Search => Place::new("Search", &[pets::update::SEARCH]).text(),
    Form => Place::new("Add pet", &[add_pet::update::FORM]).text(),
    FormChoice => Place::new("Add pet", &[add_pet::update::FORM_CHOICE]).letters(),
    FormButton => Place::new("Add pet", &[add_pet::update::FORM_BUTTON]).letters(),
    Rapid => Place::new("Rapid entry", &[add_pet::rapid::update::NAMES]).text(),
    RapidChoice => Place::new("Rapid entry", &[add_pet::rapid::update::LINES]).text(),
    RapidStatus => Place::new("Rapid entry", &[add_pet::rapid::update::STATUS]).text(),
    Doubt => Place::new("Unknown outcome", &[add_pet::update::QUESTION]),
    LimitBox => Place::new("Number of rows", &[pets::popups::limit::BOX]).text().in_box(),
    KeyBox => Place::new("API key", &[
        popups::key::BOX,
        &[profiles::update::SHOW.at("Ctrl-O", "profiles", "use another profile")],
        popups::key::BOX_BELOW,
    ]).text().in_box(),
    Reader => Place::new("Texts", &[popups::error::BOX]).in_box(),
    Help => Place::new("Help", &[popups::help::BOX]).in_box(),
    ImportFile => Place::new("Import", &[add_pet::import::update::FILE]).text(),
    ImportLook => Place::new("Import", &[add_pet::import::update::PREVIEW]),
    ImportValue => Place::new("Import", &[add_pet::import::update::VALUE]).text(),
    ImportRun => Place::new("Import", &[add_pet::import::update::RUN]),
    Commands => Place::new("All commands", &[popups::commands::BOX]).text().in_box(),
    Themes => Place::new("Themes", &[popups::themes::BOX]).in_box(),
    SaveView => Place::new("Save as a view", &[pets::popups::views::BOX]).text().in_box(),
    ById => Place::new("Pet by id", &[pets::popups::lookup::BOX]).text().in_box(),
    Profiles => Place::new("Profiles", &[profiles::update::PROFILES]).around(profiles::update::around),
    ProfileText => Place::new("A new profile", &[profiles::form::AT_TEXT]).text(),
    ProfilePath => Place::new("A new profile", &[profiles::form::AT_PATH]).text(),
    ProfileChoice => Place::new("A new profile", &[profiles::form::AT_CHOICE]).letters(),
    ProfileButton => Place::new("A new profile", &[profiles::form::AT_BUTTON]).letters(),
    Requests => Place::new("Requests", &[requests::REQUESTS]),
    Welcome => Place::new("First start", &[welcome::WELCOME]),
    Domains => Place::new("Domains", &[domains::update::LIST]).around(domains::update::around),
    WizardButton => Place::new("Add a domain", &[domains::wizard::AT_BUTTON]).letters().around(domains::update::around),
    WizardText => Place::new("Add a domain", &[domains::wizard::AT_TEXT]).text().around(domains::update::around),
    Record => Place::new("The DNS record", &[domains::detail::RECORD]).around(domains::update::around),
    Domain => Place::new("One domain", &[domains::detail::DOMAIN]).around(domains::update::around),
    Rules => Place::new("Troubleshooting", &[domains::detail::RULES]).around(domains::update::around),
    Browser => Place::new("Troubleshooting", &[domains::detail::BROWSER]).text().around(domains::update::around),
    Redirects => Place::new("Redirects", &[domains::redirects::REDIRECTS]).around(domains::update::around),
    Removal => Place::new("Removal", &[domains::removal::AT_STEPS]).around(domains::update::around),
    RemovalName => Place::new("Removal", &[domains::removal::AT_NAME]).text().around(domains::update::around),
    TextBox => Place::new("Texts", &[popups::text::BOX]).in_box(),
    FormatsBox => Place::new("Formats", &[domains::popups::formats::BOX]).in_box(),
    WriteBox => Place::new("Write to a file", &[popups::jobs::BOX]).text().in_box(),
    OutsideBox => Place::new("Sandbox", &[domains::popups::outside::BOX]).in_box(),
    Confirm => Place::new("Protected service", &[popups::confirm::BOX]).in_box(),
}

impl Context {
    /// Whether letters are text here.
    pub fn is_text(self) -> bool {
        self.place().is_text
    }

    /// Whether letters that are not bound here are typed.
    pub fn takes_letters(self) -> bool {
        self.place().takes_letters
    }
}
