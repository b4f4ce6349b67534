//! The themes: moving over one shows the whole screen in it, Enter keeps it.

use std::sync::Arc;

use ratatui::text::Span;

use crate::config::{Depth, edit};
use crate::model::{PetStatus, cut};
use crate::tui::command::LETTERS;
use crate::tui::theme::Theme;
use crate::tui::{
    App, Command, Env, Job, Now, Page, Place, Popup, Slot, StyleRole, blocking, cells, command, moved, moves, shown,
};

/// The menu of themes.
#[derive(Debug)]
pub struct ThemesBox {
    /// The one that Esc goes back to.
    before: Arc<Theme>,
    all: Vec<Arc<Theme>>,
}

static BOX: &[Command] = &[
    moves(LETTERS, "choose", "preview", |app, movement, _| {
        if let Some(ThemesBox { all, .. }) = app.popups.get() {
            app.theme = Arc::clone(&all[moved(here(app, all), movement, all.len(), all.len())]);
        }
    }),
    command("confirm", "Enter F2", "save", "save in config.toml", |app, now| {
        if app.popups.take().is_some_and(|ThemesBox { before, .. }| app.theme != before) {
            app.start(SetTheme(app.theme.name.clone()), now);
        }
    }),
    command("back", "Esc q F3", "cancel", "back to the old theme", |app, _| {
        if let Some(ThemesBox { before, .. }) = app.popups.take() {
            app.theme = before;
        }
    }),
];

pub static PLACE: Place = Place::new("themes", "Themes", &[BOX]).in_box();

pub fn open(app: &mut App, _: Now) {
    app.popups.show(ThemesBox { before: Arc::clone(&app.theme), all: app.themes.all().map(Arc::new).collect() });
}

/// Writes the name of the theme into the configuration file; the rest of that stays as it is.
#[derive(Clone, Debug, PartialEq)]
pub struct SetTheme(pub String);

impl Job for SetTheme {
    /// The file.
    type Answer = Result<String, String>;
    const SLOT: fn(&Self) -> Slot = |_| Slot::Theme;

    async fn run(self: Arc<Self>, env: Env) -> Self::Answer {
        let write = move || {
            let path = env.machine.configuration()?;
            edit::set_theme(path, &self.0).map_err(|error| error.to_string())?;
            Ok(path.display().to_string())
        };
        blocking(write).await
    }

    /// The theme is used in either case.
    fn done(&self, app: &mut App, written: Self::Answer, now: Now) {
        match written {
            Ok(path) => app.say_done(format!("Theme {} saved in {path}.", self.0), now.mono),
            Err(why) => app.complain(format!("Theme not saved, used until petstore exits: {why}")),
        }
    }
}

fn here(app: &App, all: &[Arc<Theme>]) -> usize {
    all.iter().position(|theme| *theme == app.theme).unwrap_or(0)
}

impl Popup for ThemesBox {
    fn place(&self) -> &'static Place {
        &PLACE
    }

    fn draw(&self, app: &App, page: &mut Page<'_>) {
        page.popup(66, cells(self.all.len() + 8), "Themes");
        let appearance = page.appearance;
        page.gap();
        // Below them are the marks.
        let visible = usize::from(page.left().saturating_sub(4)).max(1);
        for (chosen, theme) in shown(self.all.iter(), here(app, &self.all), visible) {
            page.item(&format!("{:<13} {}", cut(&theme.name, 13), theme.title), chosen);
        }
        page.gap();
        let mut marks = vec![Span::raw("   ")];
        for status in PetStatus::ALL {
            marks.extend([appearance.status(Some(&status.into())), Span::raw(format!(" {status}   "))]);
        }
        page.line(marks);
        let words = [
            ("+ new", StyleRole::New),
            ("! error", StyleRole::Error),
            ("wait", StyleRole::Wait),
            ("good", StyleRole::Good),
        ];
        page.line(words.map(|(text, role)| appearance.span(format!("   {text}"), role)).to_vec());
        if appearance.depth == Depth::Mono {
            page.quiet("   This terminal has no colours: all themes look the same.");
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::tui::pending::Slot;
    use crate::tui::popups::themes::SetTheme;
    use crate::tui::testing::TestApp;

    #[test]
    fn a_theme_is_seen_by_moving_over_it_and_kept_by_enter_only() {
        let mut app = TestApp::loaded(80, 24).after("T Down");
        assert_eq!(app.state.theme.name, "dark");
        app.keys("Esc");
        assert_eq!((app.state.theme.name.as_str(), app.job(Slot::Theme)), ("default", None));
        app.keys("T Down C-g Esc Esc");
        assert_eq!(app.state.theme.name, "default");
        app.keys("T Down Down Enter");
        assert_eq!(app.asked(), Some(SetTheme("light".into())));
        app.answer::<SetTheme>(Ok("/c/config.toml".into())).shows("Theme light saved in /c/config.toml.");
        app.keys("T Up Enter").answer::<SetTheme>(Err("no room".into()));
        app.shows("Theme not saved, used until petstore exits: no room");
        assert_eq!(app.state.theme.name, "dark");
    }
}
