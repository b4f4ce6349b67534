//! The terminal itself: switched on, given back whatever happens, and its events as messages.

mod diff_backend;
mod input;
pub mod writer_thread;

pub use diff_backend::DiffBackend;

use std::io::{self, Write as _};
use std::os::unix::net::UnixStream;
use std::thread;
use std::time::Duration;

use crossterm::clipboard::CopyToClipboard;
use crossterm::cursor::Show;
use crossterm::event::{DisableBracketedPaste, DisableFocusChange, EnableBracketedPaste, EnableFocusChange};
use crossterm::queue;
use crossterm::style::{Print, ResetColor};
use crossterm::terminal::{EnterAlternateScreen, LeaveAlternateScreen, disable_raw_mode, enable_raw_mode};
use ratatui::Terminal;
use ratatui::layout::Size as CellSize;
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use tokio::signal::unix::{SignalKind, signal};
use tokio::sync::mpsc;

use crate::clock;
use crate::config::Notify;
use crate::model::display_safe;
use crate::terminal_size::terminal_size;

use super::Effect;
use super::msg::{Msg, QuitReason, Size};
use input::Decoder;
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

/// What comes from the terminal, its sizes included. The last message tells that it is gone. Where nobody receives them
/// any more, nothing more is read: what is typed then is for others.
pub fn events() -> io::Result<mpsc::Receiver<Msg>> {
    let (sender, events) = mpsc::channel(EVENTS);
    let (wanted, is_wanted) = UnixStream::pair()?;
    let (sizes, mut changes) = (sender.clone(), signal(SignalKind::window_change())?);
    tokio::spawn(async move {
        // Dropping it ends the thread.
        let _wanted = wanted;
        loop {
            tokio::select! {
                () = sizes.closed() => return,
                Some(()) = changes.recv() => if let Ok((columns, rows)) = terminal_size() {
                    let _ = sizes.send(Msg::Resize(Size { columns, rows })).await;
                },
            }
        }
    });
    thread::Builder::new().name("input".into()).spawn(move || {
        if read(&is_wanted, &sender).is_err() {
            // Fails only if nobody receives it.
            let _ = sender.blocking_send(Msg::Quit(QuitReason::Hangup));
        }
    })?;
    Ok(events)
}

/// Reads the terminal while that is wanted. The end of what it sends is an error.
fn read(is_wanted: &UnixStream, sender: &mpsc::Sender<Msg>) -> io::Result<()> {
    let (stdin, mut decoder, mut bytes) = (io::stdin(), Decoder::default(), [0; 1024]);
    loop {
        let left = decoder.due.map(|due| due.saturating_duration_since(clock::now().mono));
        let left = left.and_then(|left| Timespec::try_from(left).ok());
        let mut ready = [PollFd::new(&stdin, PollFlags::IN), PollFd::new(is_wanted, PollFlags::IN)];
        match poll(&mut ready, left.as_ref()) {
            Err(rustix::io::Errno::INTR) => continue,
            polled => polled?,
        };
        let [read, ended] = ready.map(|ready| !ready.revents().is_empty());
        if ended {
            return Ok(());
        }
        let msgs = if read {
            let count = rustix::io::read(&stdin, &mut bytes)?;
            if count == 0 {
                return Err(io::ErrorKind::UnexpectedEof.into());
            }
            decoder.take(&bytes[..count], count == bytes.len(), clock::now().mono)
        } else {
            decoder.give_up()
        };
        if msgs.into_iter().any(|msg| sender.blocking_send(msg).is_err()) {
            return Ok(());
        }
    }
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
        Show
    );
    let is_there = outlet.drained(if by_key { PATIENCE_AFTER_A_KEY } else { PATIENCE }) && written.is_ok();
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

/// Gives the terminal a bell, a notification, or a text to copy; stops the program as Ctrl-Z does in a shell, and comes
/// back with `fg`; or takes it again. It answers nothing.
pub fn tell(outlet: &TerminalWriter, effect: &Effect) -> io::Result<()> {
    if *effect == Effect::Suspend {
        leave(outlet, true);
        // The whole group, so that a wrapper such as cargo stops with it. Not by SIGTSTP, which comes back here as a
        // message; and not by SIGSTOP, which would also stop a program that no shell can continue.
        rustix::process::kill_current_process_group(rustix::process::Signal::TTOU)?;
    } else if *effect == Effect::Resume {
        // Raw mode, too: a shell may have ended it.
        disable_raw_mode()?;
    } else {
        return outlet.clone().write_all(&sequence(effect));
    }
    switch_on(outlet)
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
            let _ = queue!(out, CopyToClipboard::to_clipboard_from(text.as_bytes()));
            out
        }
        Effect::Mouse(on) => if *on { MOUSE_ON } else { MOUSE_OFF }.into(),
        Effect::Notify(Notify::Off, _) | Effect::Suspend | Effect::Resume | Effect::Redraw => Vec::new(),
        Effect::Job(_) | Effect::Cancel(_) | Effect::StopImport => Vec::new(),
    }
}

/// Text that ends no escape sequence.
fn plain(text: &str) -> String {
    display_safe(text).chars().map(|c| if c == ';' || c.is_control() { ',' } else { c }).take(200).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

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
        assert_eq!(sequence(&Effect::Mouse(false)), MOUSE_OFF.as_bytes());
    }
}
