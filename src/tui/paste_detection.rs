//! A paste that comes as keys, from a terminal or a multiplexer that puts no brackets around it.
//!
//! Nobody types on within a few milliseconds after Enter, and a scanner rests longer between two codes. So an Enter that
//! comes as fast behind a character waits that long. What follows by then makes it the end of a pasted line; otherwise it
//! is the key that it was.
//!
//! Where the lines of a paste are shown, letters are keys: there a letter waits, too, and what comes at once and ends in
//! Enter is one more line.

use std::time::{Duration, Instant};

use super::msg::{Key, KeyPress, Msg};
use super::screens::add_pet::LEAST_SCAN;

/// Keys that come this soon after one another are not typed by a person.
const AT_ONCE: Duration = Duration::from_millis(20);

/// After this pause a paste has ended. Connections may stutter.
const END: Duration = Duration::from_millis(100);

/// What a burst of keys would be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Expected {
    Keys,
    /// Names: Enter would take one.
    Names,
    /// Further rows of a paste, whose letters must not act as keys.
    Rows,
}

/// The keys of a burst that may be a paste.
#[derive(Debug, Default)]
pub struct PasteDetector {
    /// When the last character came, or what waits.
    last: Option<Instant>,
    /// An Enter, and what else parts lines or fields, without a character behind it so far; or a row without its Enter.
    held: Vec<KeyPress>,
    /// A paste so far, from the end of its first line on.
    pasted: String,
}

impl PasteDetector {
    /// What a message of the terminal means at `now`; nothing as long as that is not known. `waited_for` tells that
    /// nothing more was there before it; `expected` what a burst would be now.
    pub fn take(&mut self, msg: Msg, waited_for: bool, expected: Expected, now: Instant) -> Vec<Msg> {
        if matches!(msg, Msg::Resize(_) | Msg::Focus { .. }) {
            return vec![msg];
        }
        let Msg::Key(key) = msg else { return self.end().into_iter().chain([msg]).collect() };
        let Some(c) = text_of(key) else { return self.end().into_iter().chain([Msg::Key(key)]).collect() };
        let goes_on = self.last.is_some_and(|last| !waited_for || now.saturating_duration_since(last) < self.pause());
        let mut before = if goes_on { Vec::new() } else { self.end() };
        let parts = c.is_control();
        if !self.pasted.is_empty() {
            self.pasted.push(c);
        } else if expected == Expected::Rows {
            // A letter and Enter may be typed on a slow connection; a letter right behind them is not.
            let has_line = self.held.iter().any(|held| matches!(held.key, Key::Enter | Key::LineFeed));
            let ends_line = parts && key.key != Key::Tab;
            if has_line && !parts || ends_line && self.held.len() >= LEAST_SCAN {
                self.pasted.extend(self.held.drain(..).filter_map(text_of).chain([c]));
            } else if !parts || !self.held.is_empty() && !has_line {
                self.held.push(key);
            } else {
                before.extend(self.end());
                before.push(Msg::Key(key));
                return before;
            }
        } else if !parts && !self.held.is_empty() {
            self.pasted.extend(self.held.drain(..).filter_map(text_of).chain([c]));
        } else if parts && (!self.held.is_empty() || expected == Expected::Names && goes_on && key.key != Key::Tab) {
            self.held.push(key);
        } else {
            before.push(Msg::Key(key));
            self.last = (key.key == Key::Tab || !parts).then_some(now);
            return before;
        }
        self.last = Some(now);
        before
    }

    /// When the waiting keys count as what they are by then.
    pub fn due(&self) -> Option<Instant> {
        let waits = !self.pasted.is_empty() || !self.held.is_empty();
        self.last.filter(|_| waits).map(|last| last + self.pause())
    }

    /// How long it waits for what goes on.
    fn pause(&self) -> Duration {
        let is_row = self.held.len() > 1 && self.held[0].typed().is_some();
        if is_row || !self.pasted.is_empty() { END } else { AT_ONCE }
    }

    /// What waited, if it is due.
    pub fn ended(&mut self, now: Instant) -> Vec<Msg> {
        if self.due().is_some_and(|due| due <= now) { self.end() } else { Vec::new() }
    }

    fn end(&mut self) -> Vec<Msg> {
        self.last = None;
        let held = self.held.drain(..).map(Msg::Key);
        let pasted = std::mem::take(&mut self.pasted);
        held.chain((!pasted.is_empty()).then_some(Msg::Paste(pasted))).collect()
    }
}

/// What a key would be in a text.
const fn text_of(key: KeyPress) -> Option<char> {
    match key {
        KeyPress { key: Key::Enter, alt: false, .. } => Some('\r'),
        KeyPress { key: Key::LineFeed, alt: false, .. } => Some('\n'),
        KeyPress { key: Key::Tab, alt: false, .. } => Some('\t'),
        key => key.typed(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::clock;
    use crate::tui::msg::{QuitReason, Size};
    use crate::tui::testing::parse_keys;

    /// Keys with the milliseconds before each; `0` came in one read with the key before. What came of them in the end,
    /// with a bar for the time in which nothing came.
    fn taken(keys: &[(u64, &str)]) -> Vec<String> {
        taken_as(Expected::Names, keys)
    }

    fn taken_as(expected: Expected, keys: &[(u64, &str)]) -> Vec<String> {
        let (mut bursts, mut now) = (PasteDetector::default(), clock::now().mono);
        let mut out = Vec::new();
        for (pause, keys) in keys {
            for (at, key) in parse_keys(keys).into_iter().enumerate() {
                let pause = Duration::from_millis(if at == 0 { *pause } else { 0 });
                if let Some(due) = bursts.due().filter(|due| *due <= now + pause) {
                    out.extend(bursts.ended(due).into_iter().map(word));
                }
                now += pause;
                out.extend(bursts.take(Msg::Key(key), !pause.is_zero(), expected, now).into_iter().map(word));
            }
        }
        if let Some(due) = bursts.due() {
            assert_eq!(bursts.ended(due - Duration::from_millis(1)), []);
            out.push("|".into());
            out.extend(bursts.ended(due).into_iter().map(word));
        }
        assert_eq!(bursts.due(), None);
        out
    }

    fn word(msg: Msg) -> String {
        match msg {
            Msg::Key(key) => key.typed().map_or_else(|| format!("{:?}", key.key), String::from),
            Msg::Paste(text) => format!("{text:?}"),
            other => format!("{other:?}"),
        }
    }

    #[test]
    fn lines_that_come_at_once_are_a_paste_from_the_end_of_the_first_on() {
        assert_eq!(taken(&[(0, "\"Rex\" Enter \"Max\" Enter")]), ["R", "e", "x", "|", r#""\rMax\r""#]);
        assert_eq!(taken(&[(0, "\"Rex\" Enter LF Enter LF \"M\"")]), ["R", "e", "x", "|", r#""\r\n\r\nM""#]);
        assert_eq!(taken(&[(0, "\"R\" Tab \"3\" Enter \"M\" Tab \"4\"")]), ["R", "Tab", "3", "|", r#""\rM\t4""#]);
        assert_eq!(taken(&[(0, "\"R\" Enter Tab \"M\"")]), ["R", "|", r#""\r\tM""#]);
        // At 9,600 baud, and where the line stutters once it is known.
        assert_eq!(taken(&[(0, "R"), (1, "Enter"), (1, "M"), (1, "x")]), ["R", "|", r#""\rMx""#]);
        assert_eq!(taken(&[(0, "R Enter M"), (99, "x")]), ["R", "|", r#""\rMx""#]);
        assert_eq!(taken(&[(0, "R Enter M"), (101, "x")]), ["R", r#""\rM""#, "x"]);
    }

    #[test]
    fn a_scan_and_then_another_one_is_no_paste() {
        let scans = [(0, "\"12\" Enter"), (20, "\"34\" Enter LF"), (40, "\"5\" Enter")];
        assert_eq!(taken(&scans), ["1", "2", "Enter", "3", "4", "Enter", "LineFeed", "5", "|", "Enter"]);
        assert_eq!(taken(&[(0, "\"12\" Tab \"34\" Tab")]), ["1", "2", "Tab", "3", "4", "Tab"]);
    }

    #[test]
    fn what_a_person_types_waits_for_nothing() {
        assert_eq!(taken(&[(0, "R"), (30, "x"), (30, "Enter"), (1, "M")]), ["R", "x", "Enter", "M"]);
        assert_eq!(taken(&[(0, "Enter Enter Enter")]), ["Enter", "Enter", "Enter"]);
        assert_eq!(taken(&[(0, "F2 Enter j")]), ["F(2)", "Enter", "j"]);
    }

    #[test]
    fn where_rows_are_expected_a_scan_is_one_more_and_letters_are_keys_only_without_enter() {
        let rows = |keys| taken_as(Expected::Rows, keys);
        assert_eq!(rows(&[(0, "\"quill\" Enter")]), ["|", r#""quill\r""#]);
        let expected = ["|", r#""quill\r\nHal\r""#];
        assert_eq!(rows(&[(0, "q"), (1, "u"), (50, "\"ill\" Enter LF"), (90, "\"Hal\" Enter")]), expected);
        assert_eq!(rows(&[(0, "\"Rex\" Tab \"3\" Enter")]), ["|", r#""Rex\t3\r""#]);
        assert_eq!(rows(&[(0, "j"), (30, "j"), (30, "q")]), ["j", "j", "|", "q"]);
        assert_eq!(rows(&[(0, "\"quill\"")]), ["|", "q", "u", "i", "l", "l"]);
        assert_eq!(rows(&[(0, "l Enter"), (30, "Tab F2 Enter")]), ["l", "Enter", "Tab", "F(2)", "Enter"]);
        assert_eq!(rows(&[(0, "\"qu\" F2 Esc")]), ["q", "u", "F(2)", "Esc"]);
        assert_eq!(rows(&[(0, "\"Bo\" Enter \"q\" Enter \"Rex\" Enter")]), ["|", r#""Bo\rq\rRex\r""#]);
    }

    #[test]
    fn other_keys_end_it_and_keep_their_order() {
        assert_eq!(taken(&[(0, "R Enter F2")]), ["R", "Enter", "F(2)"]);
        assert_eq!(taken(&[(0, "R Enter M F2 x")]), ["R", r#""\rM""#, "F(2)", "x"]);
        assert_eq!(taken(&[(0, "R A-Enter x")]), ["R", "Enter", "x"]);
    }

    #[test]
    fn only_what_came_through_the_terminal_as_text_is_held_and_only_where_a_name_would_be_taken() {
        let now = clock::now().mono;
        let key = |key: Key| Msg::Key(key.into());
        let mut bursts = PasteDetector::default();
        for typed in [Key::Char('o'), Key::Enter, Key::Char('V')] {
            assert_eq!(bursts.take(key(typed), false, Expected::Keys, now), [key(typed)]);
        }
        assert_eq!(bursts.take(key(Key::Enter), false, Expected::Names, now), []);
        let resized = || Msg::Resize(Size { columns: 80, rows: 24 });
        assert_eq!(bursts.take(resized(), false, Expected::Names, now), [resized()]);
        let quit = || Msg::Quit(QuitReason::Hangup);
        assert_eq!(bursts.take(quit(), false, Expected::Names, now), [key(Key::Enter), quit()]);
    }
}
