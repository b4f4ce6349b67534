//! A text to read, to copy or to write; how every text in a box is scrolled, and how texts are copied.

use std::sync::Arc;

use ratatui::text::Line;

use super::write::{Contents, NO_FILES, WriteBox};
use crate::api::Failure;
use crate::app::clipboard::{self, ClipboardBackend};
use crate::model::BaseUrl;
use crate::model::text::wrap_indented;
use crate::tui::command::{READER, closes};
use crate::tui::{App, Command, Effect, Env, Job, Now, Page, Place, Popup, Slot, cells, command, moved, moves};

/// A text to read, to copy or to write.
#[derive(Debug)]
pub struct TextBox {
    title: &'static str,
    pub text: String,
    /// The name of a file for it.
    pub file: String,
}

impl TextBox {
    /// `file` is without `.txt`.
    pub fn new(title: &'static str, text: String, file: &str) -> Self {
        Self { title, text, file: format!("{file}.txt") }
    }
}

static BOX: &[Command] = &[
    SCROLL,
    command("copy", "y", "copy", "copy it", |app, now| {
        if let Some(TextBox { text, file, .. }) = app.popups.get() {
            copy(app, text.clone(), &file.clone(), now);
        }
    }),
    command("write-file", "w", "write to file", "write it to a file", |app, _| {
        if let Some(TextBox { text, file, .. }) = app.popups.take() {
            app.popups.show(WriteBox::new(file, Contents::Text(text)));
        }
    })
    .not_over_ssh(NO_FILES),
    closes("Esc Enter q F3", "close", "close"),
];

pub static PLACE: Place = Place::new("text-box", "Texts", &[BOX]).in_box();

impl Popup for TextBox {
    fn place(&self) -> &'static Place {
        &PLACE
    }

    fn draw(&self, app: &App, page: &mut Page<'_>) {
        page.popup(116, page.area.height, self.title);
        page.inset(1);
        let lines = self.text.lines().flat_map(|line| wrap_indented(&page.appearance.text(line), page.columns()));
        let lines: Vec<Line<'_>> = lines.map(Line::raw).collect();
        draw_lines(app, lines, page);
    }
}

/// Moves in the text of the box that is open.
pub const SCROLL: Command = moves(READER, "scroll|page", "scroll", |app, movement, _| {
    let [lines, rows] = [app.layout.reader_lines, app.layout.reader_rows].map(usize::from);
    let first = moved(app.popups.line().into(), movement, lines.saturating_sub(rows) + 1, rows.max(1));
    app.popups.scroll_to(cells(first));
})
.when(|app| app.layout.reader_lines > app.layout.reader_rows);

/// Paints the lines from the one that was scrolled to on, and keeps how many there are.
pub fn draw_lines(app: &App, lines: Vec<Line<'_>>, page: &mut Page<'_>) {
    page.layout.reader_rows = page.area.height;
    page.layout.reader_lines = cells(lines.len());
    for line in lines.into_iter().skip(app.popups.line().into()).take(page.area.height.into()) {
        page.line(line);
    }
}

/// Terminals take no longer texts, in bytes.
const MOST_COPIED: usize = 100_000;

/// Copies a text; `what` is how the message calls it.
pub fn copy(app: &mut App, text: String, what: &str, now: Now) {
    if text.len() > MOST_COPIED {
        return app.complain(format!("Not copied: {what} is too long for a terminal's clipboard."));
    }
    app.start(CopyText { text, what: what.to_owned() }, now);
}

/// Copies a command that asks the service at an address the same; the key stays in the environment.
pub fn copy_curl(app: &mut App, curl: impl FnOnce(&App, &BaseUrl) -> String, now: Now) {
    let Some(curl) = app.link.address.as_ref().map(|address| curl(app, address)) else {
        return app.tell("curl cannot reach the service inside this program. F9 shows petstore commands.");
    };
    copy(app, curl, "the curl command (set PETSTORE_API_KEY to run it)", now);
}

/// Copies a text with a program of this machine, if there is one.
#[derive(Clone, Debug, PartialEq)]
pub struct CopyText {
    pub text: String,
    /// How the message calls it.
    pub what: String,
}

impl Job for CopyText {
    /// The clipboard that has it, or why none does.
    type Answer = Result<Result<ClipboardBackend, String>, Failure>;
    const SLOT: fn(&Self) -> Slot = |_| Slot::Copy;

    async fn run(self: Arc<Self>, env: Env) -> Self::Answer {
        Ok(clipboard::copy(&self.text, &env.machine.copying).await)
    }

    /// It was copied by a program of this machine, or the terminal must do it.
    fn done(&self, app: &mut App, copied: Self::Answer, _: Now) {
        let what = &self.what;
        match copied {
            Ok(Ok(ClipboardBackend::Tmux)) => app.tell(format!("Copied {what} to tmux (prefix ] pastes it).")),
            Ok(Ok(ClipboardBackend::Desktop(..))) => app.tell(format!("Copied {what} to the clipboard.")),
            Ok(Ok(ClipboardBackend::File(path))) => {
                app.tell(format!("This terminal has no clipboard: wrote {what} to {}.", path.display()))
            }
            Ok(Err(why)) => app.complain(format!("Not copied: {why}")),
            Ok(Ok(ClipboardBackend::Terminal)) | Err(_) => {
                app.tell(format!("Copied {what} (sent to the terminal, which does not confirm it)."));
                app.effect(Effect::Clipboard(self.text.clone()));
            }
        }
    }
}
