//! The lines: what is done with the selected one, and writing and sending them.
//!
//! One line is sent at a time while answers are fast, so ids keep the order of typing; more while they are slow, to keep up
//! with a scanner. The list is in the order of typing either way.

use std::sync::Arc;
use std::time::{Duration, Instant};

use crate::api::{Failure, Remedy};
use crate::app::outbox::queue::{Attempt, LineSent, LineToSend, NOT_KEPT, QueueRecord, UNWRITABLE, Unfinished};
use crate::app::outbox::{Counts, SearchedPets, search_for};
use crate::app::{Fate, Line, Outbox};
use crate::clock::Now;
use crate::model::{Field, NewPet, Pet, counted, short};
use crate::tui::pending::LINES;
use crate::tui::screens::pets::{self, change};
use crate::tui::state::Link;
use crate::tui::{App, Env, Job, MessageKind, Screen, Slot};

use super::form::bell;
use super::{CATEGORY, EditedLine, NAME, Pacing, STATUS, State};

/// The shortest time between lines: 25 a second, a little more than the 20 of a busy scanner.
const PACE: Duration = Duration::from_millis(40);

/// The longest pause before a line is sent again.
const LONGEST_PAUSE: Duration = Duration::from_secs(30);

/// The pause before a failed write is repeated.
const BETWEEN_WRITES: Duration = Duration::from_secs(2);

/// The longest pause that is accepted from the service.
const LONGEST_ASKED: Duration = Duration::from_secs(3_600);

/// Selects the line above or below. The newest is on top, and above it is the form.
pub fn step(app: &mut App, down: bool) {
    let add = &mut app.add;
    let here = add.marked.and_then(|number| add.outbox.position(number));
    let next = here.and_then(|here| add.outbox.lines.get(if down { here.saturating_sub(1) } else { here + 1 }));
    add.marked = next.map(|line| line.typed.line);
}

/// Enter on the selected line: edits a refused one, searches for one with an unknown outcome, and accepts what was
/// found.
pub fn open(app: &mut App, now: Now) {
    let add = &mut app.add;
    let Some(line) = add.marked_line().cloned() else { return };
    match line.fate {
        Fate::Refused(_) if line.change().is_some() => app.tell("Change the pet again (1), or drop this (Del)."),
        Fate::Refused(_) if add.form.value(&NAME).is_empty() || add.editing.is_some() => edit(app, line),
        Fate::Refused(_) => app.tell("First add the name you typed, or clear it (F8)."),
        Fate::Unknown(None) => {
            let Ok(new) = line.typed.pet.check(&app.pets.categories) else { return };
            app.tell(format!("Searching for {} ...", short(&line.typed.pet.name)));
            app.start(SearchForLine { line: line.typed.line, new }, now);
        }
        Fate::Unknown(Some(id)) => {
            add.outbox.accept(line.typed.line, id);
            add.unread = true;
            app.say_done(format!("{} is pet {id}.", short(&line.typed.pet.name)), now.mono);
        }
        Fate::Unwritten | Fate::Waiting | Fate::Sending(..) => {
            let what = format!("Send {} to", counted(add.outbox.counts().waiting, "line"));
            if !app.asks_first(what, Vec::new(), |_, _| {}, now) {
                app.tell("This line is sent automatically.");
            }
        }
        Fate::Saved(id) => app.tell(format!("Saved as pet {id}.")),
    }
}

fn edit(app: &mut App, line: Line) {
    let add = &mut app.add;
    add.stop_editing();
    let before = add.draft();
    let field = line.fate.explanation().and_then(named_in);
    let mut pet = line.typed.pet;
    if pet.category_id.is_empty() {
        pet.category_id.clone_from(&before.category_id);
    }
    add.editing = Some(EditedLine { number: line.typed.line, before });
    add.fill(pet);
    add.go_to_name();
    match field {
        Some(Field::CategoryId) => add.form.select(&CATEGORY),
        Some(Field::Status) => add.form.go_to(&STATUS),
        Some(Field::Name) | None => {}
    }
    app.tell("Fix it: F2 sends it as a new line, Esc leaves it as it was.");
}

/// The one field that a reason names. A heuristic, not part of the API.
fn named_in(reason: &str) -> Option<Field> {
    let mut named = reason.split(|c: char| !c.is_alphanumeric()).filter_map(|word| {
        Some(match word.to_ascii_lowercase().as_str() {
            "name" | "names" => Field::Name,
            "categoryid" | "category" => Field::CategoryId,
            "status" => Field::Status,
            _ => return None,
        })
    });
    named.next().filter(|first| named.all(|other| other == *first))
}

/// Searches for a pet of this name and category that may have been added from a line.
#[derive(Clone, Debug, PartialEq)]
pub struct SearchForLine {
    pub line: u64,
    pub new: NewPet,
}

impl Job for SearchForLine {
    type Answer = Result<SearchedPets, Failure>;
    const SLOT: fn(&Self) -> Slot = |_| Slot::SearchForLine;

    async fn run(self: Arc<Self>, env: Env) -> Self::Answer {
        search_for(&env.api("search").await?, &self.new).await
    }

    fn done(&self, app: &mut App, searched: Self::Answer, _: Now) {
        let outbox = &app.add.outbox;
        let line = outbox.line(self.line).filter(|line| matches!(line.fate, Fate::Unknown(_)));
        let Some(name) = line.map(|line| short(&line.typed.pet.name)) else { return };
        let text = match searched {
            Ok(searched) => {
                let none = format!("{} F5 sends it again, Del drops it.", searched.none_found(&name));
                let found = outbox.candidate(self.line, searched, &app.pets.store).map(|pet| pet.id);
                if let Some(line) = app.add.outbox.line_mut(self.line) {
                    line.fate = Fate::Unknown(found);
                }
                let what = "has this name and category. Enter: that is it. F5: send again. Del: drop.";
                found.map_or(none, |id| format!("Pet {id} {what}"))
            }
            Err(failure) => format!("Searching for {name} failed: {}", failure.sentence(&app.link.service)),
        };
        app.tell(text);
    }
}

/// Sends the selected line with an unknown outcome again, which may add a second pet.
pub fn send_again(app: &mut App, _: Now) {
    let add = &mut app.add;
    let unknown = add.marked_line().filter(|line| matches!(line.fate, Fate::Unknown(_)));
    let Some(number) = unknown.map(|line| line.typed.line) else {
        return app.tell("Only a line without an answer (?) can be sent again.");
    };
    add.outbox.send_again(number);
}

/// Drops the selected line, unless it is being sent or saved.
pub fn drop_marked(app: &mut App, now: Now) {
    let add = &mut app.add;
    let Some(here) = add.marked.and_then(|number| add.outbox.position(number)) else { return };
    let line = add.outbox.lines[here].clone();
    if !line.fate.can_be_dropped() {
        return app.tell("A line that is being sent or saved cannot be dropped.");
    }
    if line.fate.is_waiting() && line.change().is_some() {
        if line.sent.is_some() {
            return app.tell("It may have been made already. u takes it back once that is known.");
        }
        change::drop_change(app, line.typed.line, now);
    } else {
        add.outbox.drop_line(line.typed.line);
    }
    let add = &mut app.add;
    add.marked = add.outbox.lines.get(here).or(add.outbox.lines.last()).map(|next| next.typed.line);
    let name = &line.typed.pet.name;
    let what = if name.is_empty() { "the line without a name".to_owned() } else { short(name) };
    app.say_done(format!("Dropped {what}."), now.mono);
}

/// An attempt to send a line at `at`.
fn attempt(link: &Link, at: Instant) -> Attempt {
    Attempt::new((!link.embedded).then_some(link.key.0.as_str()), link.time(at))
}

/// Starts all writes and requests that are possible now.
pub fn work(app: &mut App, now: Now) {
    let State { outbox, pacing, .. } = &mut app.add;
    if !outbox.has_work() {
        return;
    }
    pacing.pause = pacing.pause.filter(|until| *until > now.mono);
    pacing.write_pause = pacing.write_pause.filter(|until| *until > now.mono);
    // Also while nothing is sent: waiting lines must survive the end of the program. One write at a time keeps the order.
    if !outbox.unwritten.is_empty() && pacing.write_pause.is_none() && !app.pending.is_running(Slot::Queue) {
        let write = WriteLines(outbox.begin_writing());
        app.start(write, now);
    }
    change::note_waiting(app);
    if app.add.pacing.pause.is_none() && !app.key_refused() && app.may_change() && !app.is_switching() {
        send(app, now);
    }
}

/// Writes records to the queue file.
#[derive(Clone, Debug, PartialEq)]
pub struct WriteLines(pub Vec<QueueRecord>);

impl Job for WriteLines {
    type Answer = Result<(), String>;
    const SLOT: fn(&Self) -> Slot = |_| Slot::Queue;

    async fn run(self: Arc<Self>, env: Env) -> Self::Answer {
        env.queue.write(self.0.clone()).await
    }

    fn done(&self, app: &mut App, written: Self::Answer, now: Now) {
        let State { outbox, pacing, .. } = &mut app.add;
        let is_first = !outbox.is_unwritable;
        outbox.written(written.is_ok());
        if let Err(why) = written {
            pacing.write_pause = Some(now.mono + BETWEEN_WRITES);
            if is_first {
                app.complain(format!("{UNWRITABLE}: {}", short(&why)));
            }
        } else {
            app.add.sent = None;
            // A draft that outlives a kill would come back beside its line.
            app.drafts.at_once = true;
        }
    }
}

/// How many lines may be sent at a time to keep the pace, given how long the last answer took.
fn lanes(State { pacing, setup, .. }: &State) -> usize {
    if pacing.tries > 0 {
        return 1;
    }
    let needed = pacing.took.as_millis().div_ceil(PACE.as_millis());
    usize::try_from(needed).unwrap_or(LINES).clamp(1, setup.concurrency)
}

fn send(app: &mut App, now: Now) {
    let attempt = attempt(&app.link, now.mono);
    let most = lanes(&app.add);
    loop {
        let (busy, free): (Vec<_>, Vec<_>) = (0..LINES).partition(|lane| app.pending.is_running(Slot::Line(*lane)));
        let Some(&lane) = free.first().filter(|_| busy.len() < most) else { return };
        let outbox = &mut app.add.outbox;
        let mut waiting = outbox.lines.iter().filter(|line| line.fate == Fate::Waiting);
        let next = waiting.find(|line| outbox.is_first(line)).map(|line| line.typed.line);
        let Some(number) = next else { return };
        let Some(to_send) = outbox.to_send(number, &attempt, &app.pets.categories) else {
            change::not_made(app, number, None, now);
            continue;
        };
        if let Some(line) = outbox.line_mut(number) {
            line.fate = Fate::Sending(lane, now.mono);
        }
        app.start(SendLine { lane, line: Box::new(to_send) }, now);
    }
}

/// Sends a line once, in this lane.
#[derive(Clone, Debug, PartialEq)]
pub struct SendLine {
    pub lane: usize,
    pub line: Box<LineToSend>,
}

impl Job for SendLine {
    type Answer = Result<LineSent, Failure>;
    const SLOT: fn(&Self) -> Slot = |job| Slot::Line(job.lane);

    async fn run(self: Arc<Self>, env: Env) -> Self::Answer {
        Ok(match env.api(if self.line.patch.is_some() { "change" } else { "add" }).await {
            Ok(api) => env.queue.send(&api, LineToSend::clone(&self.line)).await,
            Err(failure) => LineSent::NotSent(failure),
        })
    }

    fn done(&self, app: &mut App, sent: Self::Answer, now: Now) {
        on_sent(app, self.lane, sent.unwrap_or_else(LineSent::Failed), now);
    }
}

/// Handles the result of sending a line.
fn on_sent(app: &mut App, lane: usize, sent: LineSent, now: Now) {
    let State { outbox, pacing, .. } = &mut app.add;
    let sending = outbox.lines.iter().find_map(|line| {
        let Fate::Sending(there, since) = line.fate else { return None };
        (there == lane).then(|| (line.typed.line, since, short(&line.typed.pet.name), line.typed.change.clone()))
    });
    let Some((number, since, name, change)) = sending else { return };
    outbox.on_sent(number, &sent, attempt(&app.link, since), &app.link.service);
    let fate = outbox.line(number).map(|line| &line.fate);
    let (is_refused, is_unknown) = (matches!(fate, Some(Fate::Refused(_))), matches!(fate, Some(Fate::Unknown(_))));
    let failure = match sent {
        LineSent::Saved(pet) => {
            pacing.took = now.mono.saturating_duration_since(since);
            (pacing.tries, pacing.pause) = (0, None);
            return match change {
                Some(change) => change::made(app, &change, &pet, now),
                None => saved(app, &pet, now),
            };
        }
        LineSent::NotWritten => return,
        LineSent::NotRepeatable => None,
        LineSent::Failed(failure) | LineSent::NotSent(failure) if !is_refused && !is_unknown => {
            return wait(app, failure, now);
        }
        LineSent::Failed(failure) | LineSent::NotSent(failure) => Some(failure),
    };
    if is_refused || change.is_some() || failure.is_none() {
        pacing.tries = 0;
    }
    if change.is_some() {
        return change::not_made(app, number, failure, now);
    }
    let sentence = failure.as_ref().map(|failure| failure.sentence(&app.link.service));
    app.complain(match sentence {
        None => format!("No answer for {name}; it may have been added. F6, then Enter searches for it."),
        Some(sentence) if is_refused => format!("{name} was refused: {sentence} F6, then Enter fixes it."),
        Some(sentence) => format!("{name} may have been added: {sentence}"),
    });
    app.last_failure = failure.or(app.last_failure.take());
    bell(app);
}

fn saved(app: &mut App, pet: &Pet, now: Now) {
    app.add.unread = true;
    let is_last = !app.add.outbox.has_work();
    app.pets.added(pet);
    if is_last && app.message.as_ref().is_none_or(|message| message.kind != MessageKind::Error) {
        app.say_done(format!("Added {}, id {}.", short(&pet.name), pet.id), now.mono);
    }
    app.added.push(pet.id);
    if is_last && app.screen != Screen::AddPet {
        app.add.unread = false;
        pets::update::reload(app, pets::ReadNext::Nothing, now);
    } else {
        pets::update::on_sign_of_life(app, now);
    }
}

/// Pauses sending: for as long as the service asked, or else longer each time. A refused API key needs another one
/// first.
fn wait(app: &mut App, failure: Failure, now: Now) {
    app.last_failure = Some(failure.clone());
    if failure.remedy() == Remedy::EnterKey {
        pets::update::refuse_key(app, failure, now);
        return app.complain("The service refused the API key. The lines wait; F4 enters another key.");
    }
    // The header tells the same at once.
    pets::update::on_failure(app, failure.clone(), now);
    let asked = failure.asked_pause().map(|asked| asked.min(LONGEST_ASKED));
    let text = format!("{} Waiting lines are sent automatically.", failure.sentence(&app.link.service));
    let pacing = &mut app.add.pacing;
    if pacing.pause.is_none() {
        pacing.tries += 1;
        let growing = Duration::from_secs(1 << (pacing.tries - 1).min(5)).min(LONGEST_PAUSE);
        pacing.pause = Some(now.mono + asked.unwrap_or(growing));
        // Which changes wait is shown then.
        if pacing.tries == 1 && app.pets.changing.is_empty() {
            app.tell(text);
        }
    } else {
        pacing.pause = pacing.pause.max(asked.map(|asked| now.mono + asked));
    }
}

/// Restores what an earlier session left for the service in use.
pub fn restore(app: &mut App, left: Result<Unfinished, String>) {
    let left = left.unwrap_or_else(|why| {
        app.complain(format!("{NOT_KEPT}: {}", short(&why)));
        Unfinished::default()
    });
    let refused = left.open.iter().filter(|open| matches!(open.fate, Fate::Refused(_))).count();
    let (others, any_unknown) = (left.open.len() - refused, left.open.iter().any(|open| open.sent.is_some()));
    let add = &mut app.add;
    let before = std::mem::replace(&mut add.outbox, Outbox::new(left, &app.pets.categories));
    (add.outbox.saved, add.outbox.is_unwritable) = (before.saved, before.is_unwritable);
    (add.pacing, add.marked) = (Pacing::default(), None);
    change::restore(app);
    if others > 0 {
        let (be, them) = if others == 1 { ("is", "it") } else { ("are", "them") };
        let safely = if any_unknown { " where that adds no pet twice" } else { "" };
        let what = match app.may_change() {
            true => format!("being sent now{safely}. 2 shows {them}."),
            false if app.link.read_only => format!("not sent: {}.", app.link.why_read_only()),
            false => format!("waiting. To send {them}, press 2, F6 and Enter."),
        };
        app.tell(format!("{} from your last session {be} {what}", counted(others, "pet")));
    } else if refused > 0 {
        app.tell(format!("From your last session: {} to fix (2, F6).", counted(refused, "pet")));
    }
}

/// Why the service cannot be switched now because of lines for the current one.
pub fn why_not_switch(app: &App) -> Option<String> {
    let (outbox, service) = (&app.add.outbox, &app.link.service);
    let Counts { waiting, refused, unknown, .. } = outbox.counts();
    if outbox.is_unwritable && !outbox.unwritten.is_empty() {
        Some(format!("What you added to {service} or changed there cannot be saved to disk, and would be lost."))
    } else if outbox.is_under_way() {
        Some(format!("Pets are being sent to {service}. Wait a moment, then switch."))
    } else if app.link.identity.is_some() {
        None
    } else if refused > 0 {
        Some(format!("{} to fix for {service} would be lost. Fix or drop first (2, F6).", counted(refused, "pet")))
    } else {
        let unsent = waiting + unknown;
        (unsent > 0).then(|| format!("{} waiting for {service} would be lost.", counted(unsent, "pet")))
    }
}

#[cfg(test)]
pub(in crate::tui) mod tests;
