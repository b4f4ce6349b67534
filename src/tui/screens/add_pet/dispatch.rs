//! Writes and sends lines, and handles the replies.
//!
//! One line at a time while answers are fast, so ids keep the order of typing; more while they are slow, to keep up
//! with a scanner. The list is in the order of typing either way.

use std::sync::Arc;
use std::time::{Duration, Instant};

use crate::api::failure::{Failure, Remedy};
use crate::app::outbox::queue::{
    Attempt, Fate, Line, LineSent, LineToSend, NOT_KEPT, QueueRecord, UNWRITABLE, Unfinished,
};
use crate::clock::Now;
use crate::model::Pet;
use crate::model::text::short;
use crate::model::words::{counted, list};
use crate::tui::effect::Effect;
use crate::tui::job::{Env, Job};
use crate::tui::pending::{LINES, Slot};
use crate::tui::screens::pets;
use crate::tui::state::{AppState, Link, MessageKind, Screen};

use super::form::bell;

/// The shortest time between lines: 25 a second, a little more than the 20 of a busy scanner.
const PACE: Duration = Duration::from_millis(40);

/// The longest pause before a line is sent again.
const LONGEST_PAUSE: Duration = Duration::from_secs(30);

/// The pause before a failed write is repeated.
const BETWEEN_WRITES: Duration = Duration::from_secs(2);

/// The longest pause that is accepted from the service, in seconds.
const LONGEST_ASKED: u64 = 3_600;

/// An attempt to send a line at `at`.
fn attempt(link: &Link, at: Instant) -> Attempt {
    Attempt::new((!link.embedded).then_some(link.key.0.as_str()), link.time(at))
}

/// Starts all writes and requests that are possible now.
pub fn work(state: &mut AppState, now: Now) -> Vec<Effect> {
    let outbox = &mut state.add.outbox;
    if !outbox.has_work() {
        return Vec::new();
    }
    outbox.pause = outbox.pause.filter(|until| *until > now.mono);
    outbox.write_pause = outbox.write_pause.filter(|until| *until > now.mono);
    // Also while nothing is sent: waiting lines must survive the end of the program.
    let mut effects: Vec<Effect> = write(state, now).into_iter().collect();
    if state.add.outbox.pause.is_none() && !state.key_refused() && state.may_change() && !state.is_switching() {
        effects.extend(send(state, now));
    }
    effects
}

/// One write at a time, so the file keeps the order of typing.
fn write(state: &mut AppState, now: Now) -> Option<Effect> {
    let outbox = &mut state.add.outbox;
    if outbox.unwritten.is_empty() || outbox.write_pause.is_some() || state.pending.is_running(Slot::Queue) {
        return None;
    }
    outbox.writing = std::mem::take(&mut outbox.unwritten);
    let write = WriteLines(outbox.writing.clone());
    Some(state.begin(write, now))
}

/// Writes records to the queue file.
#[derive(Clone, Debug, PartialEq)]
pub struct WriteLines(pub Vec<QueueRecord>);

impl Job for WriteLines {
    type Answer = ();
    type Error = String;
    const SLOT: fn(&Self) -> Slot = |_| Slot::Queue;

    async fn run(self: Arc<Self>, env: Env) -> Result<(), String> {
        env.queue.write(self.0.clone()).await
    }

    fn done(&self, app: &mut AppState, result: Result<(), String>, now: Now) -> Vec<Effect> {
        let outbox = &mut app.add.outbox;
        let written = std::mem::take(&mut outbox.writing);
        let is_first = !std::mem::replace(&mut outbox.is_unwritable, result.is_err());
        match result {
            Ok(()) => {
                app.add.sent = None;
                // A draft that outlives a kill would come back beside its line.
                app.drafts.at_once = true;
                for record in written {
                    if let QueueRecord::Typed(typed) = record
                        && let Some(line) = outbox.line(typed.line).filter(|line| line.fate == Fate::Unwritten)
                    {
                        line.fate = Fate::Waiting;
                    }
                }
            }
            Err(why) => {
                let is_saved =
                    |number| outbox.lines.iter().any(|line| line.typed.line == number && line.fate.is_saved());
                let written = written.into_iter().filter(|record| !is_saved(record.line()));
                let newer = std::mem::take(&mut outbox.unwritten);
                outbox.unwritten = written.chain(newer).collect();
                outbox.write_pause = Some(now.mono + BETWEEN_WRITES);
                // A shop goes on with a full disk.
                let unwritten = outbox.lines.iter_mut().filter(|line| line.fate == Fate::Unwritten);
                unwritten.for_each(|line| line.fate = Fate::Waiting);
                if is_first {
                    app.complain(format!("{UNWRITABLE}: {}", short(&why)));
                }
            }
        }
        Vec::new()
    }
}

/// How many lines may be sent at a time to keep the pace, given how long the last answer took.
fn lanes(state: &AppState) -> usize {
    let outbox = &state.add.outbox;
    if outbox.tries > 0 {
        return 1;
    }
    let needed = outbox.took.as_millis().div_ceil(PACE.as_millis());
    usize::try_from(needed).unwrap_or(LINES).clamp(1, outbox.setup.concurrency.get())
}

fn send(state: &mut AppState, now: Now) -> Vec<Effect> {
    let attempt = attempt(&state.link, now.mono);
    let mut effects = Vec::new();
    let most = lanes(state);
    while let Some(lane) = (0..LINES).find(|lane| !state.pending.is_running(Slot::Line(*lane))) {
        let under_way = (0..LINES).filter(|lane| state.pending.is_running(Slot::Line(*lane))).count();
        let next = state.add.outbox.lines.iter_mut().find(|line| line.fate == Fate::Waiting);
        let Some(line) = next.filter(|_| under_way < most) else { break };
        let Some(mut to_send) = line.to_send(&attempt, &state.add.outbox.setup.categories) else { continue };
        line.fate = Fate::Sending(lane, now.mono);
        let outbox = &mut state.add.outbox;
        to_send.is_kept = outbox.not_in_file().all(|record| record.line() != to_send.line);
        if !to_send.is_kept {
            outbox.unwritten.push(attempt.clone().record(to_send.line));
        }
        effects.push(state.begin(SendLine { lane, line: Box::new(to_send) }, now));
    }
    effects
}

/// Sends a line once, in this lane.
#[derive(Clone, Debug, PartialEq)]
pub struct SendLine {
    pub lane: usize,
    pub line: Box<LineToSend>,
}

impl Job for SendLine {
    type Answer = LineSent;
    type Error = Failure;
    const SLOT: fn(&Self) -> Slot = |job| Slot::Line(job.lane);

    async fn run(self: Arc<Self>, env: Env) -> Result<LineSent, Failure> {
        Ok(match env.api("add").await {
            Ok(api) => env.queue.send(&api, LineToSend::clone(&self.line)).await,
            Err(failure) => LineSent::NotSent(failure),
        })
    }

    fn done(&self, app: &mut AppState, sent: Result<LineSent, Failure>, now: Now) -> Vec<Effect> {
        on_sent(app, self.lane, sent.unwrap_or_else(LineSent::Failed), now)
    }
}

/// Handles the result of sending a line.
fn on_sent(state: &mut AppState, lane: usize, sent: LineSent, now: Now) -> Vec<Effect> {
    let is_it = |line: &&mut Line| matches!(line.fate, Fate::Sending(there, _) if there == lane);
    let Some(line) = state.add.outbox.lines.iter_mut().find(is_it) else { return Vec::new() };
    let Fate::Sending(_, since) = line.fate else { return Vec::new() };
    line.on_sent(&sent, attempt(&state.link, since), &state.link.service);
    let name = short(&line.typed.pet.name);
    let (number, fate) = (line.typed.line, line.fate.clone());
    let mut records: Vec<_> = line.records().collect();
    let outbox = &mut state.add.outbox;
    let failure = match sent {
        LineSent::Saved(pet) => {
            outbox.took = now.mono.saturating_duration_since(since);
            return saved(state, number, pet, now);
        }
        LineSent::NotWritten => {
            outbox.unwritten.extend(records.drain(..1));
            return Vec::new();
        }
        LineSent::NotRepeatable => {
            outbox.tries = 0;
            let text = format!("No answer for {name}; it may have been added. F6, then Enter searches for it.");
            state.complain(text);
            return vec![bell()];
        }
        LineSent::Failed(failure) | LineSent::NotSent(failure) => failure,
    };
    let sentence = failure.sentence(&state.link.service);
    let text = if let Fate::Refused(_) = fate {
        outbox.tries = 0;
        outbox.unwritten.extend(records.pop());
        format!("{name} was refused: {sentence} F6, then Enter fixes it.")
    } else if let Fate::Unknown(_) = fate {
        format!("{name} may have been added: {sentence}")
    } else {
        wait(state, failure, now);
        return Vec::new();
    };
    state.last_failure = Some(failure);
    state.complain(text);
    vec![bell()]
}

fn saved(state: &mut AppState, line: u64, pet: Pet, now: Now) -> Vec<Effect> {
    let outbox = &mut state.add.outbox;
    // What the file could not take of it is settled by this.
    if outbox.not_in_file().any(|record| record.line() == line) {
        outbox.unwritten.retain(|record| record.line() != line);
        outbox.unwritten.push(QueueRecord::Saved { line, id: pet.id });
    }
    (outbox.saved, outbox.unread) = (outbox.saved + 1, true);
    outbox.tries = 0;
    outbox.pause = None;
    let is_last = !outbox.has_work();
    state.pets.added(&pet);
    if is_last && state.message.as_ref().is_none_or(|message| message.kind != MessageKind::Error) {
        state.say_done(format!("Added {}, id {}.", short(&pet.name), pet.id), now.mono);
    }
    state.added.push(pet.id);
    if is_last && state.screen != Screen::AddPet {
        state.add.outbox.unread = false;
        pets::update::reload(state, pets::ReadNext::Nothing, now)
    } else {
        pets::update::on_sign_of_life(state, now)
    }
}

/// Pauses sending: for as long as the service asked, or else longer each time. A refused API key needs another one
/// first.
fn wait(state: &mut AppState, failure: Failure, now: Now) {
    state.last_failure = Some(failure.clone());
    if failure.remedy() == Remedy::EnterKey {
        pets::update::refuse_key(state, failure, now);
        state.complain("The service refused the API key. The lines wait; F4 enters another key.");
        return;
    }
    // The header tells the same at once.
    pets::update::on_failure(state, failure.clone(), now);
    let asked = if let Failure::Refused { retry_after, .. } = failure { retry_after } else { None };
    let asked = asked.map(|seconds| Duration::from_secs(seconds.min(LONGEST_ASKED)));
    let text = format!("{} Waiting lines are sent automatically.", failure.sentence(&state.link.service));
    let outbox = &mut state.add.outbox;
    if outbox.pause.is_none() {
        outbox.tries += 1;
        let growing = Duration::from_secs(1 << (outbox.tries - 1).min(5)).min(LONGEST_PAUSE);
        outbox.pause = Some(now.mono + asked.unwrap_or(growing));
        if outbox.tries == 1 {
            state.tell(text);
        }
    } else if let Some(asked) = asked {
        outbox.pause = outbox.pause.max(Some(now.mono + asked));
    }
}

/// Restores what an earlier session left for the service in use.
pub fn restore(state: &mut AppState, left: Result<Unfinished, String>) {
    let left = match left {
        Ok(left) => left,
        Err(why) => {
            state.complain(format!("{NOT_KEPT}: {}", short(&why)));
            Unfinished::default()
        }
    };
    let saved = left.saved.len();
    let refused = left.open.iter().filter(|open| matches!(open.fate, Fate::Refused(_))).count();
    let outcome_unknown = left.open.iter().filter(|open| open.sent.is_some()).count();
    let waiting = left.open.len() - outcome_unknown - refused;
    state.add.outbox.restore(left);
    if waiting + outcome_unknown == 0 && refused > 0 {
        let text = format!("Left by the last session: {} to fix (2, F6).", counted(refused, "refused pet"));
        state.tell(text);
    }
    if waiting + outcome_unknown > 0 {
        let what = if state.link.read_only {
            format!("They wait: {}.", state.link.why_read_only())
        } else if state.may_change() {
            "Those that are safe to send go out now (2, F6 shows them).".to_owned()
        } else {
            "Enter on one of them (2, F6) sends them.".to_owned()
        };
        let counts = [(saved, "saved"), (waiting, "waiting"), (outcome_unknown, "without an answer")];
        let counts = counts.into_iter().filter(|(count, _)| *count > 0).map(|(count, word)| format!("{count} {word}"));
        let text = format!("Pets added in the last session: {}. {what}", list(counts));
        state.tell(text);
    }
}

/// Why the service cannot be switched now because of lines for the current one.
pub fn why_not_switch(state: &AppState) -> Option<String> {
    let (outbox, service) = (&state.add.outbox, &state.link.service);
    let counts = outbox.counts();
    if outbox.is_unwritable && !outbox.unwritten.is_empty() {
        return Some(format!("What you added to {service} cannot be saved to disk, and would be lost."));
    }
    if outbox.is_under_way() {
        return Some(format!("Pets are being sent to {service}. Wait a moment, then switch."));
    }
    let kept = state.link.identity.is_some();
    if counts.refused > 0 && !kept {
        let pets = counted(counts.refused, "refused pet");
        return Some(format!("{pets} for {service} would be lost. Fix or drop first (2, F6)."));
    }
    let unsent = counts.waiting + counts.unknown;
    (!kept && unsent > 0).then(|| {
        let pets = counted(unsent, "pet");
        format!("{pets} waiting for {service} would be lost.")
    })
}
