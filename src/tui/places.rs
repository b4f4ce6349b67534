//! Every place where keys are pressed, and which of them is where a key goes.

use std::sync::LazyLock;

use super::keymap::{Keymap, PETS};
use super::popups::{self, KeyBox};
use super::screens::{add_pet, domains, pets, profiles, requests, welcome};
use super::{App, Command, Place, Screen, update};

/// Here because what adds pets knows this screen.
static PETS_PLACE: Place = Place::new(PETS, "Pets", &[pets::change::CHANGE, TO_ADD, pets::update::PETS]);

static TO_ADD: &[Command] = &[add_pet::form::NEW, add_pet::import::update::IMPORT.at("I F7", "", "import a file")];

/// Here because the profiles know this box.
static KEY_PLACE: Place =
    Place::new("key-box", "API key", &[popups::key::BOX, TO_PROFILES, popups::key::BOX_BELOW]).text().in_box();

static TO_PROFILES: &[Command] = &[profiles::list::SHOW.at("Ctrl-O", "profiles", "use another profile")];

impl KeyBox {
    /// For the box, which must not know the profiles.
    pub const PLACE: &'static Place = &KEY_PLACE;
}

/// All of them, in the order of `keymap.toml`.
pub static PLACES: &[&Place] = &[
    &update::EVERYWHERE_PLACE,
    &update::TEXT_FIELD_PLACE,
    &PETS_PLACE,
    &pets::update::SEARCH_PLACE,
    &add_pet::form::FORM_PLACE,
    &add_pet::form::FORM_CHOICE_PLACE,
    &add_pet::form::LINES_PLACE,
    &pets::popups::LIMIT_PLACE,
    &pets::change::STATUS_PLACE,
    &pets::edit::TEXT_PLACE,
    &pets::edit::CHOICE_PLACE,
    &KEY_PLACE,
    &popups::help::ERROR_PLACE,
    &popups::help::PLACE,
    &add_pet::import::update::FILE_PLACE,
    &add_pet::import::update::PREVIEW_PLACE,
    &add_pet::import::update::VALUE_PLACE,
    &add_pet::import::update::RUN_PLACE,
    &popups::help::COMMANDS_PLACE,
    &popups::themes::PLACE,
    &pets::popups::VIEW_PLACE,
    &pets::popups::LOOKUP_PLACE,
    &pets::popups::SALE_PLACE,
    &profiles::list::LIST_PLACE,
    &profiles::form::TEXT_PLACE,
    &profiles::form::PATH_PLACE,
    &profiles::form::CHOICE_PLACE,
    &profiles::form::BUTTON_PLACE,
    &requests::PLACE,
    &welcome::PLACE,
    &domains::list::LIST_PLACE,
    &domains::wizard::BUTTON_PLACE,
    &domains::wizard::TEXT_PLACE,
    &domains::record::RECORD_PLACE,
    &domains::live::DOMAIN_PLACE,
    &domains::rules::RULES_PLACE,
    &domains::rules::BROWSER_PLACE,
    &domains::redirects::PLACE,
    &domains::removal::STEPS_PLACE,
    &domains::removal::NAME_PLACE,
    &popups::text::PLACE,
    &popups::write::PLACE,
    &domains::popups::practice::PLACE,
    &popups::confirm::PLACE,
];

pub static DEFAULT: LazyLock<Keymap> = LazyLock::new(|| Keymap::of_tables(PLACES));

impl Default for Keymap {
    fn default() -> Self {
        DEFAULT.clone()
    }
}

impl App {
    /// Where a key pressed now goes.
    pub fn place(&self) -> &'static Place {
        if let Some(popup) = self.popups.top() {
            return popup.place();
        }
        match self.screen {
            Screen::Pets if self.pets.searching => &pets::update::SEARCH_PLACE,
            Screen::Pets => &PETS_PLACE,
            Screen::AddPet => self.add.key_place(),
            Screen::Domains => self.domains.key_place(),
            Screen::Profiles => self.profiles.key_place(),
            Screen::Requests => &requests::PLACE,
            Screen::Welcome => &welcome::PLACE,
        }
    }
}
