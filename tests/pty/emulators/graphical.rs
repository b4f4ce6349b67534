//! Terminals with a window, on a display in memory. Each has another way to tell what it shows.

use crate::prelude::*;

use std::os::unix::fs::DirBuilderExt as _;

use serde_json::Value;
use tempfile::TempDir;
use vt100::Color;

use super::{BLANK, COLUMNS, Look, Player, ROWS, Seen, compare, lines, normal, recorded, until};
use crate::terminals::is_there;

/// A display, and a home directory for what runs on it.
struct Display {
    home: TempDir,
    name: String,
    programs: Vec<Child>,
}

impl Display {
    /// A new one, if all of these are installed.
    fn open(programs: &[&str]) -> Option<Self> {
        if !["Xvfb"].iter().chain(programs).all(|program| is_there(program)) {
            return None;
        }
        let home = tempfile::tempdir().unwrap();
        fs::DirBuilder::new().mode(0o700).create(home.path().join("run")).unwrap();
        let mut server = Command::new("Xvfb")
            .args(["-displayfd", "1", "-screen", "0", "1600x1200x24", "-nolisten", "tcp"])
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let mut number = String::new();
        BufReader::new(server.stdout.take().unwrap()).read_line(&mut number).unwrap();
        Some(Self { home, name: format!(":{}", number.trim()), programs: vec![server] })
    }

    fn path(&self, name: &str) -> PathBuf {
        self.home.path().join(name)
    }

    /// A program on this display.
    fn command(&self, program: &str) -> Command {
        let mut command = Command::new(program);
        command.env_clear().envs([("LANG", "C.UTF-8"), ("PATH", "/usr/bin:/bin"), ("LIBGL_ALWAYS_SOFTWARE", "1")]);
        command.env("DISPLAY", &self.name).env("HOME", self.home.path()).env("XDG_RUNTIME_DIR", self.path("run"));
        command.current_dir(self.home.path()).stdout(Stdio::null()).stderr(Stdio::null());
        command
    }

    /// Where kitty is asked.
    fn socket(&self) -> String {
        format!("unix:{}", self.path("socket").display())
    }

    /// Types with the keyboard of the display, into the window in its corner.
    fn type_in(&self, words: &[&str]) {
        let mut command = self.command("xdotool");
        assert!(command.args(["mousemove", "100", "100"]).args(words).status().unwrap().success(), "{words:?}");
    }

    fn start_weston(&mut self) {
        let mut weston = self.command("weston");
        weston.args(["--backend=x11-backend.so", "--use-pixman", "--width=1200", "--height=900"]);
        self.start(weston.args(["--no-config", "--socket=wayland"]));
        let socket = self.path("run/wayland");
        until("Weston", || socket.exists().then_some(()));
    }

    /// Starts it, until the display is closed.
    fn start(&mut self, command: &mut Command) {
        self.programs.push(command.spawn().unwrap());
    }
}

impl Drop for Display {
    fn drop(&mut self) {
        for program in self.programs.iter_mut().rev() {
            let _ = program.kill();
            let _ = program.wait();
        }
    }
}

/// A shell command that keeps what it gets in this file, which is there once it is whole.
fn kept_in(file: &Path) -> String {
    format!("cat >{0}.part; mv {0}.part {0}", file.display())
}

/// What is in the file, once it is there.
fn taken_from(file: &Path) -> Vec<u8> {
    let taken = until("the text", || fs::read(file).ok());
    fs::remove_file(file).unwrap();
    taken
}

/// Where attributes end its printer does not say.
fn xterm(display: &Display, command: &[String]) -> Command {
    let printer = format!("*printerCommand: {}", kept_in(&display.path("text")));
    let settings = [printer.as_str(), "*printerAutoClose: true", "*printAttributes: 0"];
    let settings = settings.into_iter().flat_map(|setting| ["-xrm", setting]);
    let mut xterm = display.command("xterm");
    xterm.args(["-geometry", "80x24"]).args(settings).arg("-e").args(command);
    xterm
}

fn kitty(display: &Display, command: &[String]) -> Command {
    let settings = ["remember_window_size=no", "initial_window_width=80c", "initial_window_height=24c"];
    let settings = settings.into_iter().chain(["allow_remote_control=yes"]).flat_map(|setting| ["-o", setting]);
    let mut kitty = display.command("kitty");
    kitty.args(["--config", "NONE", "--listen-on", &display.socket()]).args(settings).args(command);
    kitty
}

/// It needs Wayland, so it runs in Weston, whose window takes its keys.
fn foot(display: &Display, command: &[String]) -> Command {
    let settings = display.path("foot.ini");
    let pipe = format!("sh -c \"{}\"", kept_in(&display.path("text")));
    fs::write(&settings, format!("[key-bindings]\npipe-visible=[{pipe}] F12\n")).unwrap();
    let mut foot = display.command("foot");
    foot.env("WAYLAND_DISPLAY", "wayland").arg("--config").arg(settings).arg("--window-size-chars=80x24").args(command);
    foot
}

fn alacritty(display: &Display, command: &[String]) -> Command {
    let mut alacritty = display.command("alacritty");
    alacritty.args(["--ref-test", "-o", "window.dimensions.columns=80", "window.dimensions.lines=24"]);
    alacritty.arg("scrolling.history=0").arg("-e").args(command);
    alacritty
}

#[test]
fn the_screens_are_the_same_in_xterm() {
    let Some(mut display) = Display::open(&["xterm"]) else { return };
    let mut player = Player::new();
    // Prints the screen.
    let mut command = xterm(&display, &player.command(r"\033[i"));
    display.start(&mut command);
    compare("xterm", &recorded("xterm-256color"), |screen| {
        player.play(&screen.bytes);
        // It prints the second half of a wide letter as a code point that is none.
        let text = String::from_utf8(taken_from(&display.path("text"))).unwrap().replace('\u{ffff}', "");
        Seen::of_text(text.as_bytes(), false)
    });
}

#[test]
fn the_screens_are_the_same_in_kitty() {
    let Some(mut display) = Display::open(&["kitty"]) else { return };
    let mut player = Player::new();
    let mut command = kitty(&display, &player.command(""));
    display.start(&mut command);
    compare("kitty", &recorded("xterm-kitty"), |screen| {
        player.play(&screen.bytes);
        let mut ask = display.command("kitty");
        ask.args(["@", "--to", &display.socket(), "get-text", "--extent", "screen", "--ansi"]);
        Seen::of_text(&ask.stdout(Stdio::piped()).output().unwrap().stdout, true)
    });
}

#[test]
fn the_screens_are_the_same_in_foot() {
    let Some(mut display) = Display::open(&["foot", "weston", "xdotool"]) else { return };
    let mut player = Player::new();
    display.start_weston();
    let mut command = foot(&display, &player.command(""));
    display.start(&mut command);
    compare("foot", &recorded("foot"), |screen| {
        player.play(&screen.bytes);
        display.type_in(&["key", "F12"]);
        Seen::of_text(&taken_from(&display.path("text")), false)
    });
}

/// It tells what it shows when it ends, so each screen is one run.
#[test]
fn the_screens_are_the_same_in_alacritty() {
    let Some(display) = Display::open(&["alacritty"]) else { return };
    let mut bytes = Vec::new();
    compare("alacritty", &recorded("alacritty"), |screen| {
        bytes.extend_from_slice(&screen.bytes);
        let mut player = Player::new();
        let mut alacritty = alacritty(&display, &player.command("")).spawn().unwrap();
        player.play(&bytes);
        player.end();
        alacritty.wait().unwrap();
        let grid: Value = serde_json::from_slice(&fs::read(display.path("grid.json")).unwrap()).unwrap();
        of_alacritty(&grid)
    });
}

/// What is typed in a live app, and what it shows then.
const TYPED: &[(&[&str], &str)] = &[
    (&[], "Mr. Whiskers"),
    (&["type", "/whis"], "/ whis"),
    (&["key", "Escape"], "type to search"),
    (&["key", "Right"], "[\u{25cf} available"),
    (&["type", "a"], "Add a pet"),
    (&["type", "Bizcuit"], "[Bizcuit_"),
    (&["key", "Left", "Left", "Left", "Left", "BackSpace"], "[Bicuit_"),
    (&["type", "s"], "[Biscuit_"),
    (&["key", "Tab", "3"], "[3_"),
    (&["key", "F2"], "Added Biscuit, id 251"),
    (&["key", "Escape"], "[1 Pets]"),
    (&["key", "End"], "Row 176 of 176."),
    (&["type", "q"], "1 added: id 251"),
];

#[test]
fn the_keys_of_each_terminal_lead_through_the_live_app() {
    type Open = fn(&Display, &[String]) -> Command;
    let terminals: [(&str, Open); 4] = [("xterm", xterm), ("kitty", kitty), ("foot", foot), ("alacritty", alacritty)];
    for (name, open) in terminals {
        let Some(mut display) = Display::open(&[name, "xdotool", "weston"]) else { continue };
        if name == "foot" {
            display.start_weston();
        }
        let written = display.path("written");
        let app = format!("{PETSTORE} --demo");
        let command = ["script", "-qfc", &app, written.to_str().unwrap()].map(str::to_owned);
        let mut command = open(&display, &command);
        display.start(&mut command);
        for (typed, shown) in TYPED {
            if !typed.is_empty() {
                display.type_in(typed);
            }
            until(&format!("{shown:?} in {name}"), || {
                let mut parser = vt100::Parser::new(ROWS.try_into().unwrap(), COLUMNS.try_into().unwrap(), 0);
                parser.process(&fs::read(&written).ok()?);
                parser.screen().contents().contains(shown).then_some(())
            });
        }
    }
}

/// From what `alacritty --ref-test` writes: a ring of rows, the last one first.
fn of_alacritty(grid: &Value) -> Seen {
    const WIDE_SPACER: u64 = 1 << 6;
    let raw = &grid["raw"];
    let rows = raw["inner"].as_array().unwrap();
    let zero = usize::try_from(raw["zero"].as_u64().unwrap()).unwrap();
    let (mut letters, mut looks) = (Vec::new(), Vec::new());
    for y in 0..usize::from(ROWS) {
        let row = rows[(zero + usize::from(ROWS) - 1 - y) % rows.len()]["inner"].as_array().unwrap();
        assert_eq!(row.len(), usize::from(COLUMNS));
        let mut text = String::new();
        for cell in row.iter().filter(|cell| flags(cell) & WIDE_SPACER == 0) {
            text.push_str(cell["c"].as_str().unwrap());
            let accents = cell["extra"]["zerowidth"].as_array().into_iter().flatten();
            text.extend(accents.map(|accent| accent.as_str().unwrap()));
        }
        letters.push(text);
        looks.push(row.iter().map(|cell| if flags(cell) & WIDE_SPACER == 0 { look(cell) } else { BLANK }).collect());
    }
    Seen { letters: lines(letters.into_iter()), looks: Some(looks) }
}

fn flags(cell: &Value) -> u64 {
    cell["flags"]["bits"].as_u64().unwrap()
}

fn look(cell: &Value) -> Look {
    let flag = |bit: u64| flags(cell) & bit != 0;
    let look = (colour(&cell["fg"]), colour(&cell["bg"]), flag(1 << 1), flag(1 << 3), flag(1));
    normal(look, cell["c"] == " ")
}

fn colour(colour: &Value) -> Color {
    const NAMES: [&str; 8] = ["Black", "Red", "Green", "Yellow", "Blue", "Magenta", "Cyan", "White"];
    if let Some(index) = colour["Indexed"].as_u64() {
        return Color::Idx(u8::try_from(index).unwrap());
    }
    let name = colour["Named"].as_str().unwrap();
    let (base, first) = name.strip_prefix("Bright").map_or((name, 0), |base| (base, 8));
    let index = NAMES.iter().position(|name| *name == base);
    index.map_or(Color::Default, |index| Color::Idx(first + u8::try_from(index).unwrap()))
}
