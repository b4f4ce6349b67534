//! The main screens in other terminals: what the app wrote, played there, shows the same cells as in the reference
//! emulator of these tests. `docs/terminals.md` lists the results.
//!
//! `cargo test --test pty emulators::` compares all terminals that are installed.

mod graphical;

use crate::prelude::*;

use tempfile::TempDir;

use crate::terminals::{is_there, mosh_client, private_folder};

const COLUMNS: u16 = 80;
const ROWS: u16 = 24;

/// The keys that lead to each screen from the one before, and what is there then.
const SCREENS: &[(&str, &[&str])] = &[
    ("", &["> 1 ", "Mr. Whiskers", "ok, live"]),
    ("jj", &["> 3 ", "Row 3 of 250."]),
    ("\r", &["Pet 3 "]),
    ("\x1b[C\x1b[C", &["pending 50]"]),
    ("\r0", &["[All"]),
    ("/whis", &["/ whis", "Whiskers"]),
    ("\x1b", &["type to search"]),
    ("#", &["id"]),
    ("\x1bL", &["Enter use it"]),
    ("\x1bx", &["Write to file"]),
    ("\x1bT", &["Themes"]),
    ("\x1b?", &["Help: Pets"]),
    ("\x1b:dom", &["dom"]),
    ("\x1bP", &["[Profiles]", "in use"]),
    ("\x1bH", &["[Requests]"]),
    ("\x1ba", &["Add a pet"]),
    ("Biscuit\tthree\x1bOQ", &["\"three\" is not a category."]),
    ("3\x1bOQ", &["Added Biscuit, id 251"]),
    ("Mochi\r", &["2 saved"]),
    ("\x1b", &["[1 Pets]"]),
    ("I", &["[2 Add pet: import]", "> File"]),
    ("names.csv\r", &["4 rows", "F2 start"]),
    ("\x1bOQ", &["Import finished: 4 added."]),
    ("\x1b", &["[1 Pets]"]),
    ("N", &["newest first"]),
    ("/cat:9\r", &["4 of 256 rows", "Row 1 of 4."]),
    ("3", &["[3 Domains]", "help.acme-pets.com", "FAIL"]),
    ("\r", &["WHO", "authoritative"]),
    ("\x1b", &["Watching."]),
    ("R", &["FROM", "RESULT"]),
    ("\x1b", &["Watching."]),
    ("a", &["Before you start"]),
];

/// Names in which terminals could count columns in different ways: wide, with accents of one or two code points.
const NAMES: &str = "name,categoryId\n日本猫,9\nZoë,9\nCafe\u{301},9\n🐶 Rex,9\n";

/// One screen, and what the app wrote for it after the one before.
struct Recorded {
    keys: &'static str,
    bytes: Vec<u8>,
    reference: Seen,
}

/// The colours of a cell and whether it is bold, underlined and reversed; of a blank one what is seen of it.
type Look = (vt100::Color, vt100::Color, bool, bool, bool);

/// What is seen: the letters of each row, and the look of each cell where the terminal tells it.
#[derive(Clone, PartialEq)]
struct Seen {
    letters: Vec<String>,
    looks: Option<Vec<Vec<Look>>>,
}

impl Seen {
    fn of(screen: &vt100::Screen) -> Self {
        let row = |y| (0..COLUMNS).map(move |x| screen.cell(y, x).map_or(BLANK, look)).collect();
        Self { letters: lines(screen.rows(0, COLUMNS)), looks: Some((0..ROWS).map(row).collect()) }
    }

    /// From what a terminal wrote out, row by row, with or without escape sequences.
    fn of_text(text: &[u8], with_looks: bool) -> Self {
        let mut parser = vt100::Parser::new((ROWS + 2).try_into().unwrap(), COLUMNS.try_into().unwrap(), 0);
        for row in text.split(|byte| *byte == b'\n') {
            parser.process(row);
            parser.process(b"\r\n");
        }
        let Self { mut letters, looks } = Self::of(parser.screen());
        letters.truncate(ROWS.into());
        Self { letters, looks: looks.filter(|_| with_looks) }
    }

    /// The first difference to the reference.
    fn difference(&self, reference: &Self) -> Option<String> {
        let rows = || self.letters.iter().zip(&reference.letters).enumerate();
        if let Some((y, (here, there))) = rows().find(|(_, (here, there))| here != there) {
            return Some(format!("row {y}\n  here:      {here:?}\n  reference: {there:?}"));
        }
        let (here, there) = (self.looks.as_ref()?, reference.looks.as_ref()?);
        let cells = (0..ROWS.into()).flat_map(|y| (0..COLUMNS.into()).map(move |x| (y, x)));
        let (y, x) = cells.into_iter().find(|(y, x): &(usize, usize)| here[*y][*x] != there[*y][*x])?;
        let (row, here, there) = (&self.letters[y], here[y][x], there[y][x]);
        Some(format!("row {y}, column {x} of {row:?}\n  here:      {here:?}\n  reference: {there:?}"))
    }
}

const BLANK: Look = (vt100::Color::Default, vt100::Color::Default, false, false, false);

fn look(cell: &vt100::Cell) -> Look {
    if cell.is_wide_continuation() {
        return BLANK;
    }
    let look = (cell.fgcolor(), cell.bgcolor(), cell.bold(), cell.underline(), cell.inverse());
    normal(look, cell.contents().trim().is_empty())
}

/// Of a blank cell only the ground is seen, and a line below it. The second half of a wide letter is that of the first.
fn normal((fg, bg, bold, underline, inverse): Look, blank: bool) -> Look {
    if !blank {
        return (fg, bg, bold, underline, inverse);
    }
    (if inverse { fg } else { vt100::Color::Default }, bg, false, underline, inverse)
}

/// The rows without the blanks at their ends. Some terminals keep a letter and its accent as one code point.
fn lines(rows: impl Iterator<Item = String>) -> Vec<String> {
    rows.map(|row| row.trim_end().replace("e\u{301}", "é")).collect()
}

/// All screens, as the app writes them for this kind of terminal.
fn recorded(term: &str) -> Vec<Recorded> {
    let start = Start::petstore(&["--demo"]).env("TERM", term);
    fs::write(start.home().join("names.csv"), NAMES).unwrap();
    let mut app = start.open();
    let mut reference = vt100::Parser::new(ROWS.try_into().unwrap(), COLUMNS.try_into().unwrap(), 0);
    let mut before = 0;
    let screens = SCREENS.iter().map(|(keys, shown)| {
        // An Esc with a key in the same read is that key with Alt.
        let escaped = keys.strip_prefix('\x1b').filter(|rest| !rest.starts_with(['[', 'O']));
        if escaped.is_some() {
            app.send("\x1b");
            app.settled();
        }
        app.send(escaped.unwrap_or(keys)).shows(shown);
        app.settled();
        let bytes = app.bytes().split_off(before);
        before += bytes.len();
        reference.process(&bytes);
        Recorded { keys, bytes, reference: Seen::of(reference.screen()) }
    });
    screens.collect()
}

/// Fails where a terminal shows anything else than the reference.
#[track_caller]
fn compare(terminal: &str, recorded: &[Recorded], mut show: impl FnMut(&Recorded) -> Seen) {
    let different: Vec<String> = recorded
        .iter()
        .filter_map(|screen| {
            let difference = show(screen).difference(&screen.reference)?;
            Some(format!("{terminal}, after {:?}: {difference}", screen.keys))
        })
        .collect();
    assert!(different.is_empty(), "{}", different.join("\n"));
}

/// Plays recorded bytes in a terminal.
struct Player {
    folder: TempDir,
    played: usize,
}

impl Player {
    fn new() -> Self {
        Self { folder: tempfile::tempdir().unwrap(), played: 0 }
    }

    /// What the terminal must run. It also writes `after` after each screen.
    fn command(&self, after: &str) -> [String; 4] {
        let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/pty/emulators/play.sh");
        ["bash".to_owned(), script.display().to_string(), self.folder.path().display().to_string(), after.to_owned()]
    }

    /// Plays this, and waits until the terminal has processed it.
    #[track_caller]
    fn play(&mut self, bytes: &[u8]) {
        self.put(bytes);
        let shown = self.folder.path().join(format!("{}.shown", self.played - 1));
        until("the screen", || shown.exists().then_some(()));
    }

    /// Lets the terminal end.
    fn end(&mut self) {
        self.put(b"");
    }

    fn put(&mut self, bytes: &[u8]) {
        let part = self.folder.path().join("part");
        fs::write(&part, bytes).unwrap();
        fs::rename(part, self.folder.path().join(self.played.to_string())).unwrap();
        self.played += 1;
    }
}

/// Asks again and again until there is an answer.
#[track_caller]
fn until<T>(what: &str, mut ask: impl FnMut() -> Option<T>) -> T {
    let deadline = Instant::now() + PATIENCE;
    loop {
        if let Some(answer) = ask() {
            return answer;
        }
        assert!(Instant::now() < deadline, "{what} never came");
        std::thread::sleep(Duration::from_millis(5));
    }
}

/// Compares what a program between the app and the terminal makes of the screens.
#[track_caller]
fn compare_inside(program: &str, term: &str, open: impl FnOnce(&[String]) -> Terminal) {
    let mut player = Player::new();
    let terminal = open(&player.command(""));
    compare(program, &recorded(term), |screen| {
        player.play(&screen.bytes);
        // It repaints when it likes to.
        let deadline = Instant::now() + PATIENCE;
        loop {
            let seen = terminal.with_screen(Seen::of);
            if seen == screen.reference || Instant::now() > deadline {
                return seen;
            }
            std::thread::sleep(Duration::from_millis(5));
        }
    });
}

fn words<'a>(before: &[&'a str], command: &'a [String]) -> Vec<&'a str> {
    before.iter().copied().chain(command.iter().map(String::as_str)).collect()
}

#[test]
fn the_screens_are_the_same_in_tmux() {
    if !is_there("tmux") {
        return;
    }
    compare_inside("tmux", "tmux-256color", |command| {
        let start = Start::program("tmux", &[]);
        let (socket, settings) = (start.home().join("socket"), start.home().join("tmux.conf"));
        fs::write(&settings, "set -g status off\nset -g default-terminal tmux-256color\n").unwrap();
        let before = ["-S", socket.to_str().unwrap(), "-f", settings.to_str().unwrap(), "new-session"];
        start.arguments(&words(&before, command)).open()
    });
}

#[test]
fn the_screens_are_the_same_in_gnu_screen() {
    if !is_there("screen") {
        return;
    }
    compare_inside("screen", "screen-256color", |command| {
        let start = Start::program("screen", &words(&["-U", "-c", "/dev/null", "-m"], command));
        let sockets = private_folder(&start, "sockets");
        start.env("SCREENDIR", &sockets).open()
    });
}

#[test]
fn the_screens_are_the_same_over_mosh() {
    if !is_there("mosh-server") || !is_there("mosh-client") {
        return;
    }
    compare_inside("mosh", "xterm-256color", |command| mosh_client(&words(&[], command)));
}

#[test]
fn every_screen_of_the_comparison_is_another() {
    let recorded = recorded("xterm-256color");
    let letters: std::collections::BTreeSet<_> = recorded.iter().map(|screen| &screen.reference.letters).collect();
    assert!(letters.len() >= 26, "only {} screens", letters.len());
}
