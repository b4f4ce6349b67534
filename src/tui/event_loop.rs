//! The wiring: waits for whatever comes first, lets [`update`](super::update) decide, draws once, starts what is to do.
//! Never waits for the terminal: a slow one gets fewer frames, and one that hangs gets none.
//!
//! Owns the state. Generic over backend and clock, so that tests run this very loop.

use std::io;
use std::iter::from_fn;
use std::sync::Arc;
use std::time::Instant;

use futures_util::future::OptionFuture;
use ratatui::Terminal;
use ratatui::backend::Backend;
use ratatui::layout::Rect;
use tokio::sync::mpsc::error::SendError;
use tokio::sync::{mpsc, watch};
use tokio::time::{Sleep, sleep_until};

use super::deadline::next_deadline;
use super::frame_pacer::Pacing;
use super::job::Started;
use super::msg::{Msg, QuitReason, Reply, Size};
use super::paste_detection::{Expected, PasteDetector};
use super::start::start;
use super::terminal::writer_thread::Traffic;
use super::update::{expected, update};
use super::view::{Frame, draw, drawn_row};
use super::worker::Handle;
use super::{App, Appearance, Effect, Now, Screen, Slot, WIDE};
use crate::api::Failure;

/// The most messages handled before a frame is drawn, so that a flood still shows progress.
const BATCH: usize = 256;

/// Why the loop ended badly.
#[derive(Debug, thiserror::Error)]
pub enum LoopError {
    /// The terminal cannot be written or read any more.
    #[error("the terminal failed: {0}")]
    Terminal(String),
    /// Ctrl-Z could not stop the program.
    #[error("the program could not be paused")]
    Suspend(#[source] io::Error),
}

pub type LoopResult<T = ()> = Result<T, LoopError>;

/// Everything the loop is wired to.
pub struct LoopIo {
    /// Terminal events.
    pub input: mpsc::Receiver<Msg>,
    pub worker: Handle,
    /// What signals ask for.
    pub signals: mpsc::Receiver<Msg>,
    /// What is done to the terminal beside the frames.
    pub tell: Tell,
    /// Whether the terminal has taken what was written.
    pub traffic: watch::Receiver<Traffic>,
    /// When frames may be drawn.
    pub pacing: Pacing,
    /// Reads the clock.
    pub clock: fn() -> Now,
}

/// Gives the terminal a bell, a notification or a text to copy; gives it back and stops the program, or takes it again.
pub type Tell = Box<dyn Fn(&Effect) -> io::Result<()> + Send>;

/// Runs the app until it ends. The state stays with the caller, also where the terminal fails.
pub async fn run<B: Backend>(
    terminal: &mut Terminal<B>,
    app: &mut App,
    appearance: &Appearance,
    wires: LoopIo,
) -> LoopResult {
    let LoopIo { mut input, mut worker, mut signals, tell, mut traffic, mut pacing, clock } = wires;
    let now = clock();
    let mut bursts = PasteDetector::default();
    app.slow_line = pacing.slow;
    app.panes_wait = app.size.columns >= WIDE;
    start(app, now);
    if app.mouse {
        app.effect(Effect::Mouse(true));
    }
    let effects = app.take_effects();
    perform(terminal, app, effects, &worker, &tell, clock)?;
    // From when on a frame is wanted.
    let mut due = Some(now.mono);
    // When something would be different in the last whole frame.
    let mut whole_until = None;
    loop {
        let now = clock();
        if traffic.has_changed().unwrap_or(false) {
            pacing.taken(traffic.borrow_and_update().took, now.mono);
            if pacing.slow != app.slow_line {
                let effects = update(app, Msg::Line { slow: pacing.slow }, now);
                perform(terminal, app, effects, &worker, &tell, clock)?;
                due = Some(now.mono);
            }
        }
        let busy = traffic.borrow().busy;
        let next_frame = due.map(|due| due.max(pacing.next_frame(now.mono)));
        let is_due = next_frame.is_some_and(|at| at <= now.mono);
        if is_due && !busy {
            // Something else has changed with the time.
            if whole_until.is_some_and(|until| until <= now.mono) {
                app.drawn_row = None;
            }
            let is_whole = app.drawn_row.is_none();
            frame(terminal, app, appearance, now)?;
            if is_whole {
                whole_until = next_deadline(app, now);
            }
            pacing.drawn(now.mono);
            due = None;
            if app.panes_wait && (app.pets.store.read().is_some() || app.pending.since(Slot::List).is_none()) {
                app.panes_wait = false;
                app.drawn_row = None;
                due = Some(now.mono);
            }
        }
        let next_frame = next_frame.filter(|_| due.is_some());
        let deadline = next_deadline(app, now).into_iter().chain(bursts.due()).min();
        let mut batch = tokio::select! {
            biased;
            Some(asked) = signals.recv() => bursts.take(asked, true, Expected::Keys, now.mono),
            (event, waited_for) = next(&mut input) => from_input(event, waited_for, &mut bursts, app, clock()),
            Some(reply) = worker.replies.recv() => vec![Msg::Reply(reply)],
            // On other screens they wait for the next message.
            Some(record) = worker.exchanges.recv(), if app.screen == Screen::Requests => vec![Msg::Exchanged(record)],
            Some(()) = until(deadline) => bursts.ended(clock().mono).into_iter().chain([Msg::Tick]).collect(),
            // Nothing waits for the end of a frame but the next one.
            Ok(()) = changed(&mut traffic), if due.is_some() && busy => continue,
            Some(()) = until(next_frame), if !busy => continue,
        };
        let now = clock();
        // Other people's changes are drawn less often.
        let mut wanted = if batch.is_empty() { now.mono } else { pacing.next_calm_frame(now.mono, app.unwatched) };
        let mut handled = 0;
        // Whatever else has arrived meanwhile is drawn in the same frame.
        loop {
            // What a burst holds back counts, too.
            handled += batch.len().max(1);
            for msg in std::mem::take(&mut batch) {
                if !msg.can_wait() {
                    wanted = now.mono;
                }
                let effects = update(app, msg, now);
                perform(terminal, app, effects, &worker, &tell, clock)?;
                if app.quitting.is_some() {
                    return Ok(());
                }
            }
            if handled >= BATCH {
                break;
            }
            let event = input.try_recv().ok();
            let is_more = event.is_some();
            batch.extend(event.into_iter().flat_map(|event| from_input(Some(event), false, &mut bursts, app, now)));
            batch.extend(from_fn(|| worker.replies.try_recv().ok()).map(Msg::Reply));
            batch.extend(from_fn(|| worker.exchanges.try_recv().ok()).map(Msg::Exchanged));
            if batch.is_empty() && !is_more {
                break;
            }
        }
        due = Some(due.map_or(wanted, |due| due.min(wanted)));
    }
}

/// The next event, and whether it had to be waited for.
async fn next(input: &mut mpsc::Receiver<Msg>) -> (Option<Msg>, bool) {
    match input.try_recv() {
        Ok(msg) => (Some(msg), false),
        Err(_) => (input.recv().await, true),
    }
}

/// Waits until the traffic changes, without marking the change as seen.
async fn changed(traffic: &mut watch::Receiver<Traffic>) -> Result<(), watch::error::RecvError> {
    traffic.changed().await?;
    traffic.mark_changed();
    Ok(())
}

/// Waits until then; where there is no such moment, for nothing.
fn until(deadline: Option<Instant>) -> OptionFuture<Sleep> {
    deadline.map(|at| sleep_until(at.into())).into()
}

/// The end of the input is the end of the terminal.
fn from_input(msg: Option<Msg>, waited_for: bool, bursts: &mut PasteDetector, app: &App, now: Now) -> Vec<Msg> {
    bursts.take(msg.unwrap_or(Msg::Quit(QuitReason::Hangup)), waited_for, expected(app), now.mono)
}

/// Draws the next frame, of which the backend writes what is different.
pub fn frame<B: Backend>(terminal: &mut Terminal<B>, app: &mut App, appearance: &Appearance, now: Now) -> LoopResult {
    // The theme may have been changed by a key.
    let appearance = Appearance { theme: Arc::clone(&app.theme), ..appearance.clone() };
    let area = terminal.current_buffer_mut().area;
    terminal.autoresize().map_err(failed)?;
    // The backend compares, so there is one buffer, which keeps what the terminal shows.
    let mut buffer = std::mem::take(terminal.current_buffer_mut());
    if buffer.area != area {
        app.drawn_row = None;
    }
    let Frame { layout, cursor, painted } = draw(app, &appearance, now, &mut buffer);
    app.layout = layout;
    app.drawn_row = drawn_row(app);
    for Rect { x, y, width, .. } in painted.iter().flat_map(|area| area.rows()) {
        let first = buffer.index_of(x, y);
        let cells = (x..).zip(&buffer.content[first..first + usize::from(width)]).map(|(x, cell)| (x, y, cell));
        terminal.backend_mut().draw(cells).map_err(failed)?;
    }
    *terminal.current_buffer_mut() = buffer;
    match cursor {
        Some(place) => {
            terminal.show_cursor().map_err(failed)?;
            terminal.set_cursor_position(place).map_err(failed)?;
        }
        None => terminal.hide_cursor().map_err(failed)?,
    }
    Backend::flush(terminal.backend_mut()).map_err(failed)
}

fn failed(error: impl std::fmt::Display) -> LoopError {
    LoopError::Terminal(error.to_string())
}

/// Runs terminal effects here and gives everything else to the worker. If it has ended, jobs fail at once.
fn perform<B: Backend>(
    terminal: &mut Terminal<B>,
    app: &mut App,
    effects: Vec<Effect>,
    worker: &Handle,
    tell: &Tell,
    clock: fn() -> Now,
) -> LoopResult {
    for effect in effects {
        let follow = match effect {
            Effect::Suspend | Effect::Resume => {
                let stops = effect == Effect::Suspend;
                tell(&effect).map_err(|error| if stops { LoopError::Suspend(error) } else { failed(error) })?;
                vec![repaint(terminal)?, Msg::Resumed]
            }
            Effect::Redraw => vec![repaint(terminal)?],
            Effect::Notify(..) | Effect::Clipboard(_) | Effect::Mouse(_) => {
                tell(&effect).map_err(failed)?;
                continue;
            }
            Effect::Cancel(_) | Effect::StopImport | Effect::Job(_) => match worker.effects.send(effect) {
                Err(SendError(Effect::Job(Started { id, job }))) => {
                    let why = "the worker has stopped".to_owned();
                    vec![Msg::Reply(Reply::end(id, job.failed(Failure::Crashed { why })))]
                }
                Ok(()) | Err(_) => continue,
            },
        };
        for msg in follow {
            let effects = update(app, msg, clock());
            perform(terminal, app, effects, worker, tell, clock)?;
        }
    }
    Ok(())
}

/// Redraws everything, asking the terminal only for its size.
fn repaint<B: Backend>(terminal: &mut Terminal<B>) -> LoopResult<Msg> {
    let size = terminal.size().map_err(failed)?;
    terminal.resize(Rect::new(0, 0, size.width, size.height)).map_err(failed)?;
    Ok(Msg::Resize(Size { columns: size.width, rows: size.height }))
}
