//! The terminal itself: switched on, given back whatever happens, and its events as messages.

mod diff_backend;
pub mod writer_thread;

pub use diff_backend::DiffBackend;
pub use diff_backend::sgr::painted;

use std::io::{self, Write as _};
use std::thread;
use std::time::Duration;

use crossterm::clipboard::CopyToClipboard;
use crossterm::event::{
    DisableBracketedPaste, DisableFocusChange, EnableBracketedPaste, EnableFocusChange, Event, KeyCode, KeyEventKind,
    KeyModifiers, MouseButton, MouseEventKind,
};
use crossterm::queue;
use crossterm::style::{Print, ResetColor};
use crossterm::terminal::{EnterAlternateScreen, LeaveAlternateScreen, disable_raw_mode, enable_raw_mode};
use ratatui::Terminal;
use ratatui::layout::Size as CellSize;
use tokio::sync::mpsc;

use crate::config::Notify;
use crate::model::display_safe;
use crate::terminal_size::{terminal_size, usable};

use super::effect::Effect;
use super::msg::{Key, KeyPress, MouseEvent, Msg, Size};
use writer_thread::TerminalWriter;

/// The terminal that the app draws on.
pub type AppTerminal = Terminal<DiffBackend<TerminalWriter, fn() -> io::Result<CellSize>>>;

/// A terminal that accepts nothing for so long hangs, unless it was slower than that before.
const PATIENCE: Duration = Duration::from_millis(200);

/// The same where a key has just come from there: it may be far away, but somebody sits at it. At 9,600 baud it can be
/// four seconds before what lies on the way makes room for more.
const PATIENCE_AFTER_A_KEY: Duration = Duration::from_secs(5);

/// So many events may wait before no more are read: a large paste without brackets takes turns with the loop.
const EVENTS: usize = 1_024;

/// Buttons and the wheel are reported, with places beyond column 223. Motion is not: it is
/// too much for a slow connection.
const MOUSE_ON: &str = "\x1b[?1000h\x1b[?1006h";

/// The same no longer.
const MOUSE_OFF: &str = "\x1b[?1006l\x1b[?1000l";

/// Switches the terminal to the app's modes. [`leave`] undoes it, also after a panic.
///
/// With `synchronized` long frames are marked for a terminal that then shows them at once.
pub fn enter(outlet: &TerminalWriter, synchronized: bool) -> io::Result<AppTerminal> {
    leave_on_panic(outlet.clone());
    switch_on(outlet)?;
    let size: fn() -> io::Result<CellSize> = || terminal_size().map(CellSize::from);
    Terminal::new(DiffBackend::new(outlet.clone(), size, synchronized)?)
}

/// Raw mode, alternate screen, bracketed paste and focus events.
fn switch_on(outlet: &TerminalWriter) -> io::Result<()> {
    enable_raw_mode()?;
    queue!(outlet.clone(), EnterAlternateScreen, EnableBracketedPaste, EnableFocusChange)
}

/// The events of the terminal, which a separate thread reads. After an error there are no more.
///
/// crossterm's stream has a thread, too, but wakes it twice for each event and spins on its lock: a tenth of a key.
pub fn events() -> io::Result<mpsc::Receiver<io::Result<Event>>> {
    let (sender, events) = mpsc::channel(EVENTS);
    thread::Builder::new().name("input".into()).spawn(move || {
        let mut is_read = true;
        while is_read {
            let event = crossterm::event::read();
            is_read = event.is_ok();
            is_read &= sender.blocking_send(event).is_ok();
        }
    })?;
    Ok(events)
}

/// Ends the thread behind the [`events`] that nobody receives any more: what is typed from now on is for others. A
/// changed size is what it can be woken with.
pub fn end_events() {
    let _ = rustix::process::kill_process(rustix::process::getpid(), rustix::process::Signal::WINCH);
}

/// Gives the terminal back as it was, by a key or not. `false` if it is gone or takes nothing: then nothing more can be
/// written there.
pub fn leave(outlet: &TerminalWriter, by_key: bool) -> bool {
    // A frame ends in the style of its last letter.
    let written = queue!(
        outlet.clone(),
        ResetColor,
        Print(MOUSE_OFF),
        DisableFocusChange,
        DisableBracketedPaste,
        LeaveAlternateScreen,
        crossterm::cursor::Show
    );
    let patience = if by_key { PATIENCE_AFTER_A_KEY } else { PATIENCE };
    let is_there = outlet.drained(patience) && written.is_ok();
    let _ = disable_raw_mode();
    is_there
}

/// A panic of this thread must not leave the terminal in raw mode, nor its report on a screen that is about to go. That
/// of another one does not end the app: the caller that waits for its work gets the panic.
fn leave_on_panic(outlet: TerminalWriter) {
    let report = std::panic::take_hook();
    let app = thread::current().id();
    std::panic::set_hook(Box::new(move |info| {
        if thread::current().id() == app && leave(&outlet, false) {
            report(info);
        }
    }));
}

/// Stops the program as Ctrl-Z does in a shell, and comes back with `fg`.
pub fn suspend(outlet: &TerminalWriter) -> io::Result<()> {
    leave(outlet, true);
    // The whole group, so that a wrapper such as cargo stops with it.
    rustix::process::kill_current_process_group(rustix::process::Signal::TSTP)?;
    switch_on(outlet)
}

/// Gives the terminal a bell, a notification, or a text to copy. It answers nothing.
pub fn tell(outlet: &TerminalWriter, effect: &Effect) -> io::Result<()> {
    outlet.clone().write_all(&sequence(effect))
}

/// The bytes for it; nothing for effects that are not for the terminal.
fn sequence(effect: &Effect) -> Vec<u8> {
    match effect {
        Effect::Notify(Notify::Bell, _) => b"\x07".to_vec(),
        // Safe to show is not enough here: a semicolon would part the text.
        Effect::Notify(Notify::Osc9, text) => format!("\x1b]9;{}\x07", plain(text)).into_bytes(),
        Effect::Notify(Notify::Osc777, text) => format!("\x1b]777;notify;petstore;{}\x07", plain(text)).into_bytes(),
        Effect::Clipboard(text) => {
            let mut out = Vec::new();
            let _ = crossterm::queue!(out, CopyToClipboard::to_clipboard_from(text.as_bytes()));
            out
        }
        Effect::Mouse(on) => if *on { MOUSE_ON } else { MOUSE_OFF }.into(),
        Effect::Notify(Notify::Off, _) | Effect::Suspend | Effect::Redraw => Vec::new(),
        Effect::Job(_) | Effect::Cancel(_) | Effect::ControlImport(_) => Vec::new(),
    }
}

/// Text that ends no escape sequence.
fn plain(text: &str) -> String {
    display_safe(text).chars().map(|c| if c == ';' || c.is_control() { ',' } else { c }).take(200).collect()
}

/// Ends when the terminal behind stdin is gone: its line was dropped while SIGHUP went elsewhere.
///
/// Blocks its own thread; without it crossterm's reader would take a core for ever.
pub fn wait_for_hangup() {
    use rustix::event::{PollFd, PollFlags, poll};
    let stdin = io::stdin();
    loop {
        let mut fds = [PollFd::new(&stdin, PollFlags::empty())];
        match poll(&mut fds, None) {
            Ok(_) if fds[0].revents().intersects(PollFlags::HUP | PollFlags::ERR | PollFlags::NVAL) => return,
            Ok(_) | Err(rustix::io::Errno::INTR) => {}
            Err(_) => return,
        }
    }
}

/// What a terminal event means, if it means anything here.
pub fn message(event: Event) -> Option<Msg> {
    match event {
        Event::Key(key) if key.kind != KeyEventKind::Release => key_press(key.code, key.modifiers).map(Msg::Key),
        Event::Paste(text) => Some(Msg::Paste(text)),
        Event::Resize(columns, rows) => {
            let (columns, rows) = usable(columns, rows);
            Some(Msg::Resize(Size { columns, rows }))
        }
        Event::FocusGained => Some(Msg::Focus { here: true }),
        Event::FocusLost => Some(Msg::Focus { here: false }),
        Event::Mouse(mouse) => mouse_event(mouse).map(Msg::Mouse),
        Event::Key(_) => None,
    }
}

/// Only the left button and the wheel mean something. With Shift, the terminal selects text.
fn mouse_event(mouse: crossterm::event::MouseEvent) -> Option<MouseEvent> {
    match mouse.kind {
        MouseEventKind::Down(MouseButton::Left) => Some(MouseEvent::Click { column: mouse.column, row: mouse.row }),
        MouseEventKind::ScrollDown => Some(MouseEvent::Wheel { down: true }),
        MouseEventKind::ScrollUp => Some(MouseEvent::Wheel { down: false }),
        MouseEventKind::Down(_) | MouseEventKind::Up(_) | MouseEventKind::Drag(_) | MouseEventKind::Moved => None,
        MouseEventKind::ScrollLeft | MouseEventKind::ScrollRight => None,
    }
}

#[expect(clippy::wildcard_enum_match_arm, reason = "the other keys of a terminal do nothing here")]
fn key_press(code: KeyCode, modifiers: KeyModifiers) -> Option<KeyPress> {
    let ctrl = modifiers.contains(KeyModifiers::CONTROL);
    // Also Esc and a key that came in one read: nothing tells the two apart.
    let alt = modifiers.contains(KeyModifiers::ALT);
    let key = match code {
        // What Backspace sends on some terminals, and Enter from some pipes and scanners.
        KeyCode::Char('h' | 'H') if ctrl => Key::Backspace.into(),
        KeyCode::Char('j' | 'J') if ctrl => Key::LineFeed.into(),
        KeyCode::Char('m' | 'M') if ctrl => Key::Enter.into(),
        KeyCode::Char('i' | 'I') if ctrl => Key::Tab.into(),
        KeyCode::Char(c) if ctrl || alt => KeyPress { ctrl, ..Key::Char(c.to_ascii_lowercase()).into() },
        KeyCode::Char(c) => Key::Char(c).into(),
        KeyCode::Enter => Key::Enter.into(),
        KeyCode::Esc => Key::Esc.into(),
        KeyCode::Tab => Key::Tab.into(),
        KeyCode::BackTab => Key::BackTab.into(),
        KeyCode::Backspace => Key::Backspace.into(),
        KeyCode::Delete => Key::Delete.into(),
        KeyCode::Up => Key::Up.into(),
        KeyCode::Down => Key::Down.into(),
        KeyCode::Left => KeyPress { ctrl, ..Key::Left.into() },
        KeyCode::Right => KeyPress { ctrl, ..Key::Right.into() },
        KeyCode::PageUp => Key::PageUp.into(),
        KeyCode::PageDown => Key::PageDown.into(),
        KeyCode::Home => Key::Home.into(),
        KeyCode::End => Key::End.into(),
        KeyCode::F(number) => Key::F(number).into(),
        _ => return None,
    };
    Some(KeyPress { alt, ..key })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crossterm::event::{KeyEvent, KeyEventState};

    fn press(code: KeyCode, modifiers: KeyModifiers) -> Option<Msg> {
        message(Event::Key(KeyEvent { code, modifiers, kind: KeyEventKind::Press, state: KeyEventState::NONE }))
    }

    #[test]
    fn text_written_between_frames_carries_no_escape() {
        let text = "docs.a.com: ready; \x1b]52;c;eA==\x07";
        let notify = |how| String::from_utf8(sequence(&Effect::Notify(how, text.into()))).unwrap();
        assert_eq!((notify(Notify::Off).as_str(), notify(Notify::Bell).as_str()), ("", "\x07"));
        for (how, begin) in [(Notify::Osc9, "\x1b]9;"), (Notify::Osc777, "\x1b]777;notify;petstore;")] {
            let text = notify(how);
            let inside = text.strip_prefix(begin).and_then(|rest| rest.strip_suffix('\x07')).unwrap();
            assert!(!inside.contains(['\x1b', '\x07', ';']), "{inside:?}");
        }
        assert_eq!(sequence(&Effect::Clipboard("docs".into())), b"\x1b]52;c;ZG9jcw==\x1b\\");
    }

    #[test]
    fn what_terminals_disagree_about_is_evened_out() {
        let key = |key: Key| Some(Msg::Key(key.into()));
        assert_eq!(press(KeyCode::Char('h'), KeyModifiers::CONTROL), key(Key::Backspace));
        assert_eq!(press(KeyCode::Char('j'), KeyModifiers::CONTROL), key(Key::LineFeed));
        assert_eq!(press(KeyCode::Char('G'), KeyModifiers::SHIFT), key(Key::Char('G')));
        assert_eq!(press(KeyCode::Up, KeyModifiers::CONTROL), key(Key::Up));
        let released = KeyEvent { kind: KeyEventKind::Release, ..KeyEvent::from(KeyCode::Enter) };
        assert_eq!(message(Event::Key(released)), None);
    }

    #[test]
    fn alt_and_a_key_is_neither_esc_nor_that_key() {
        let alt = |key: Key| Some(Msg::Key(KeyPress { alt: true, ..key.into() }));
        assert_eq!(press(KeyCode::Char('q'), KeyModifiers::ALT), alt(Key::Char('q')));
        assert_eq!(press(KeyCode::Char('B'), KeyModifiers::ALT | KeyModifiers::SHIFT), alt(Key::Char('b')));
        assert_eq!(press(KeyCode::Enter, KeyModifiers::ALT), alt(Key::Enter));
        assert_eq!(press(KeyCode::Backspace, KeyModifiers::ALT), alt(Key::Backspace));
        assert_eq!(press(KeyCode::Char('h'), KeyModifiers::ALT | KeyModifiers::CONTROL), alt(Key::Backspace));
        let left = KeyPress { ctrl: true, ..Key::Left.into() };
        assert_eq!(press(KeyCode::Left, KeyModifiers::CONTROL), Some(Msg::Key(left)));
    }

    #[test]
    fn clicks_of_the_left_button_and_the_wheel_are_all_that_the_mouse_says() {
        use crossterm::event::MouseEvent as Reported;
        let reported =
            |kind| message(Event::Mouse(Reported { kind, column: 3, row: 4, modifiers: KeyModifiers::NONE }));
        let click = Some(Msg::Mouse(MouseEvent::Click { column: 3, row: 4 }));
        assert_eq!(reported(MouseEventKind::Down(MouseButton::Left)), click);
        assert_eq!(reported(MouseEventKind::ScrollUp), Some(Msg::Mouse(MouseEvent::Wheel { down: false })));
        for kind in
            [MouseEventKind::Down(MouseButton::Right), MouseEventKind::Up(MouseButton::Left), MouseEventKind::Moved]
        {
            assert_eq!(reported(kind), None, "{kind:?}");
        }
        assert_eq!(sequence(&Effect::Mouse(false)), MOUSE_OFF.as_bytes());
    }

    #[test]
    fn no_size_that_a_terminal_claims_takes_more_memory_than_a_screen_could_need() {
        let claimed = |columns, rows| match message(Event::Resize(columns, rows)) {
            Some(Msg::Resize(Size { columns, rows })) => (columns, rows),
            other => panic!("{other:?}"),
        };
        assert_eq!(claimed(0, 0), (80, 24));
        assert_eq!(claimed(0, u16::MAX), (80, 24));
        assert_eq!(claimed(u16::MAX, u16::MAX), (1_000, 500));
        assert_eq!(claimed(u16::MAX, 1), (1_000, 1));
        assert_eq!(claimed(960, 270), (960, 270), "a whole 4K screen in the smallest letters");
    }
}
