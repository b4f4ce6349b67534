//! The bytes that a terminal sends, as messages.
//!
//! Escape sequences follow a grammar (ECMA-48), so that unknown ones are skipped as a whole. One whose end does not come
//! is given up, and holds back no key for longer than that.

use std::time::{Duration, Instant};

use super::super::msg::{Key, KeyPress, MOST_PASTED, MouseEvent, Msg};

/// The rest of a sequence comes within this time, over slow connections too, or not at all.
const SEQUENCE: Duration = Duration::from_millis(500);

/// The same behind a lone ESC, which most often is the key.
const LONE_ESC: Duration = Duration::from_millis(50);

/// A paste in which nothing comes for so long has lost its end.
const PASTE: Duration = Duration::from_secs(5);

/// No sequence is longer, in bytes.
const LONGEST: usize = 64 << 10;

const ESC: u8 = 0x1b;

const CTRL_C: u8 = 0x03;

const PASTE_BEGIN: &[u8] = b"\x1b[200~";

const PASTE_END: &[u8] = b"\x1b[201~";

/// Decodes what was read from a terminal.
#[derive(Debug, Default)]
pub struct Decoder {
    /// The beginning of something whose end has not come.
    held: Vec<u8>,
    /// The text of a paste whose end has not come, without what is held.
    paste: Option<Vec<u8>>,
    /// When [`give_up`](Self::give_up) is due.
    pub due: Option<Instant>,
}

/// Bytes, and what they mean, if anything.
type Found = (usize, Option<Msg>);

impl Decoder {
    /// What `bytes` mean, which were read at `now`. `more` tells that others may be waiting.
    pub fn take(&mut self, bytes: &[u8], more: bool, now: Instant) -> Vec<Msg> {
        let is_lone = self.held == [ESC] && self.due.is_some_and(|due| due <= now + LONE_ESC);
        let is_escape = is_lone && !matches!(bytes, [b'[' | b'O', ..]);
        // A user who is stuck in a paste without an end.
        let is_way_out = self.paste.is_some() && bytes == [CTRL_C];
        let mut msgs = if is_escape && self.paste.is_none() || is_way_out { self.give_up() } else { Vec::new() };
        let was_waiting = !self.held.is_empty();
        self.held.extend_from_slice(bytes);
        let held = std::mem::take(&mut self.held);
        let mut rest = held.as_slice();
        loop {
            if let Some(paste) = &mut self.paste {
                let end = rest.windows(PASTE_END.len()).position(|bytes| bytes == PASTE_END);
                // The last bytes may be the beginning of the end.
                let known = end.unwrap_or_else(|| rest.len().saturating_sub(PASTE_END.len() - 1));
                if paste.len() <= MOST_PASTED {
                    paste.extend_from_slice(&rest[..known]);
                }
                rest = &rest[known..];
                if end.is_none() {
                    break;
                }
                rest = &rest[PASTE_END.len()..];
                msgs.push(self.end_of_paste());
            } else if let Some(text) = rest.strip_prefix(PASTE_BEGIN) {
                (rest, self.paste) = (text, Some(Vec::new()));
            } else {
                let Some((length, msg)) = meaning(rest) else { break };
                rest = &rest[length..];
                msgs.extend(msg);
            }
        }
        self.due = match &self.paste {
            Some(_) => Some(now + PASTE),
            None if rest.is_empty() => None,
            None if was_waiting && rest.len() == held.len() => self.due,
            None if rest == [ESC] && !more => Some(now + LONE_ESC),
            None => Some(now + SEQUENCE),
        };
        self.held = rest.to_vec();
        msgs
    }

    /// Waits no longer for the end of what is held: the text of a paste counts, a cut sequence does not.
    pub fn give_up(&mut self) -> Vec<Msg> {
        self.due = None;
        let held = std::mem::take(&mut self.held);
        if let Some(paste) = &mut self.paste {
            let cut = held.iter().rposition(|byte| *byte == ESC).filter(|at| PASTE_END.starts_with(&held[*at..]));
            paste.extend_from_slice(&held[..cut.unwrap_or(held.len())]);
            return vec![self.end_of_paste()];
        }
        match held.as_slice() {
            [ESC] => vec![Msg::Key(Key::Esc.into())],
            // Not the beginning of anything: Alt was held.
            [ESC, byte] => vec![Msg::Key(press(Key::Char(char::from(*byte)), false, true))],
            _ => Vec::new(),
        }
    }

    fn end_of_paste(&mut self) -> Msg {
        let text = self.paste.take().filter(|text| text.len() <= MOST_PASTED);
        text.map_or(Msg::PasteTooLarge, |text| Msg::Paste(String::from_utf8_lossy(&text).into_owned()))
    }
}

/// What the first of these bytes mean; nothing if that depends on what follows.
fn meaning(bytes: &[u8]) -> Option<Found> {
    match bytes {
        [ESC] => None,
        [ESC, ESC, ..] => Some((1, key(Some(Key::Esc.into())))),
        [ESC, b'[', rest @ ..] => after(2, control_sequence(rest)),
        [ESC, b'O', last @ 0x20..0x7f, ..] => Some((3, key(letter(*last).map(Key::into)))),
        [ESC, b'O', rest @ ..] => (!rest.is_empty()).then_some((2, None)),
        // A name behind Esc: no answer of a terminal begins with two letters.
        [ESC, b'P' | b'X', b'A'..=b'Z' | b'a'..=b'z' | 0x80.., rest @ ..]
            if !rest.windows(2).any(|end| end == [ESC, b'\\']) =>
        {
            Some((1, key(Some(Key::Esc.into()))))
        }
        [ESC, b']' | b'P' | b'X' | b'^' | b'_', rest @ ..] => after(2, control_string(rest)),
        [ESC, rest @ ..] => after(1, character(rest, true)),
        _ => character(bytes, false),
    }
}

fn after(before: usize, found: Option<Found>) -> Option<Found> {
    found.map(|(length, meaning)| (before + length, meaning))
}

fn key(key: Option<KeyPress>) -> Option<Msg> {
    key.map(Msg::Key)
}

/// A character in UTF-8, or a control character.
fn character(bytes: &[u8], alt: bool) -> Option<Found> {
    let bytes = &bytes[..bytes.len().min(4)];
    let chunk = bytes.utf8_chunks().next()?;
    let Some(c) = chunk.valid().chars().next() else {
        let is_cut = std::str::from_utf8(bytes).is_err_and(|error| error.error_len().is_none());
        return (!is_cut).then_some((chunk.invalid().len(), None));
    };
    let ctrl = |first: char, offset: u8| press(Key::Char(char::from(c as u8 - offset + first as u8)), true, alt);
    let pressed = match c {
        '\0' => press(Key::Char(' '), true, alt),
        '\x7f' => press(Key::Backspace, false, alt),
        '\x01'..='\x1a' => ctrl('a', 1),
        '\x1c'..='\x1f' => ctrl('4', 0x1c),
        c => press(Key::Char(c), false, alt),
    };
    Some((c.len_utf8(), key(Some(pressed))))
}

/// A key and what was held with it, without what terminals disagree about.
fn press(key: Key, ctrl: bool, alt: bool) -> KeyPress {
    let (key, ctrl) = match (key, ctrl) {
        // What Backspace sends on some terminals, and Enter from some pipes and scanners.
        (Key::Char('h' | 'H'), true) => (Key::Backspace, false),
        (Key::Char('j' | 'J'), true) => (Key::LineFeed, false),
        (Key::Char('m' | 'M'), true) => (Key::Enter, false),
        (Key::Char('i' | 'I'), true) => (Key::Tab, false),
        (Key::Char(c), _) if ctrl || alt => (Key::Char(c.to_ascii_lowercase()), ctrl),
        (Key::Left | Key::Right, _) => (key, ctrl),
        _ => (key, false),
    };
    KeyPress { key, ctrl, alt }
}

/// What follows `ESC [`: parameters up to a letter. Anything else does not belong to it.
fn control_sequence(bytes: &[u8]) -> Option<Found> {
    match bytes {
        // A mouse that knows only this form, in which the three bytes behind may be letters.
        [b'M', button @ 0x20..=0xff, column @ 0x20..=0xff, row @ 0x20..=0xff, ..] => {
            let at = |byte: u8| u32::from(byte) - 0x20;
            return Some((4, mouse(at(*button), at(*column), at(*row))));
        }
        [b'M', rest @ ..] if rest.len() < 3 && rest.iter().all(|byte| *byte >= 0x20) => return None,
        // The Linux console.
        [b'[', last @ 0x20..0x7f, ..] => {
            let number = last.checked_sub(b'A').filter(|number| *number < 5);
            return Some((2, key(number.map(|number| Key::F(number + 1).into()))));
        }
        [b'['] => return None,
        _ => {}
    }
    let Some(end) = bytes.iter().position(|byte| !(0x20..0x40).contains(byte)) else {
        return (bytes.len() > LONGEST).then_some((bytes.len(), None));
    };
    let last = bytes[end];
    if !(0x40..0x7f).contains(&last) {
        return Some((end, None));
    }
    let parameters = std::str::from_utf8(&bytes[..end]).unwrap_or_default();
    let found = match (parameters, last) {
        ("", b'I' | b'O') => Some(Msg::Focus { here: last == b'I' }),
        _ => parameters.strip_prefix('<').map_or_else(|| key(named(parameters, last)), |report| clicked(report, last)),
    };
    Some((end + 1, found))
}

/// What follows `ESC ]` and the like: a text for a program that asked, which this one never does.
fn control_string(bytes: &[u8]) -> Option<Found> {
    let Some(end) = bytes.iter().position(|byte| *byte < 0x20) else {
        return (bytes.len() > LONGEST).then_some((bytes.len(), None));
    };
    let length = match bytes[end..] {
        [0x07, ..] => end + 1,
        [ESC] => return None,
        [ESC, b'\\', ..] => end + 2,
        [ESC, 0x00..0x20, ..] => end + 1,
        // Something else has begun.
        _ => end,
    };
    Some((length, None))
}

/// The key of a sequence with these parameters, `key;modifiers`, and this letter.
fn named(parameters: &str, last: u8) -> Option<KeyPress> {
    let mut fields = parameters.split(';').map(|field| field.split(':').map(str::parse::<u32>));
    let number = fields.next().and_then(|mut field| field.next());
    let mut modifiers = fields.next().into_iter().flatten();
    let held = modifiers.next().map_or(Ok(1), |held| held).ok()?.saturating_sub(1);
    if modifiers.next() == Some(Ok(3)) {
        // The key was released.
        return None;
    }
    let key = match (number?, last) {
        (Ok(number), b'~') => numbered(u8::try_from(number).ok()?)?,
        (Ok(code), b'u') => match char::from_u32(code)? {
            '\r' => Key::Enter,
            '\t' => Key::Tab,
            '\x1b' => Key::Esc,
            '\x7f' => Key::Backspace,
            // Keys that type nothing have private numbers.
            '\u{e000}'..='\u{f8ff}' => return None,
            c if held & 1 != 0 => Key::Char(c.to_ascii_uppercase()),
            c => Key::Char(c),
        },
        (_, b'Z') => Key::BackTab,
        // F3, or the place of the cursor.
        (_, b'R') => return None,
        (Ok(1), _) => letter(last)?,
        (Err(_), _) if parameters.is_empty() => letter(last)?,
        _ => return None,
    };
    Some(press(key, held & 4 != 0, held & 2 != 0))
}

const fn letter(last: u8) -> Option<Key> {
    Some(match last {
        b'A' => Key::Up,
        b'B' => Key::Down,
        b'C' => Key::Right,
        b'D' => Key::Left,
        b'F' => Key::End,
        b'H' => Key::Home,
        b'P'..=b'S' => Key::F(last - b'P' + 1),
        _ => return None,
    })
}

const fn numbered(number: u8) -> Option<Key> {
    Some(match number {
        1 | 7 => Key::Home,
        3 => Key::Delete,
        4 | 8 => Key::End,
        5 => Key::PageUp,
        6 => Key::PageDown,
        11..=15 => Key::F(number - 10),
        17..=21 => Key::F(number - 11),
        23..=26 => Key::F(number - 12),
        28 | 29 => Key::F(number - 13),
        31..=34 => Key::F(number - 14),
        _ => return None,
    })
}

/// What the mouse did, in the form without limits: `button;column;row`, and `m` when the button is let go.
fn clicked(report: &str, last: u8) -> Option<Msg> {
    let numbers: Vec<u32> = report.split(';').filter_map(|number| number.parse().ok()).collect();
    match numbers.as_slice() {
        [button, column, row] if last == b'M' => mouse(*button, *column, *row),
        _ => None,
    }
}

/// Only the left button and the wheel mean something. With Shift, the terminal selects text.
fn mouse(button: u32, column: u32, row: u32) -> Option<Msg> {
    const HELD_KEYS: u32 = 0b1_1100;
    let place = |number: u32| u16::try_from(number.checked_sub(1)?).ok();
    let event = match (button & !HELD_KEYS, place(column), place(row)) {
        (0, Some(column), Some(row)) => MouseEvent::Click { column, row },
        (64, ..) => MouseEvent::Wheel { down: false },
        (65, ..) => MouseEvent::Wheel { down: true },
        _ => return None,
    };
    Some(Msg::Mouse(event))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::clock;

    /// What was sent in one piece, and what was still waited for at its end.
    fn decoded(bytes: impl AsRef<[u8]>) -> (Vec<Msg>, bool) {
        let (mut decoder, now) = (Decoder::default(), clock::now().mono);
        let mut msgs = decoder.take(bytes.as_ref(), false, now);
        if decoder.due == Some(now + LONE_ESC) {
            msgs.extend(decoder.give_up());
        }
        (msgs, decoder.due.is_some())
    }

    fn keys(bytes: &str) -> Vec<KeyPress> {
        let (msgs, waits) = decoded(bytes);
        assert!(!waits, "{bytes:?}");
        let key = |msg| match msg {
            Msg::Key(key) => key,
            other => panic!("{bytes:?}: {other:?}"),
        };
        msgs.into_iter().map(key).collect()
    }

    fn plain(keys: &[Key]) -> Vec<KeyPress> {
        keys.iter().copied().map(KeyPress::from).collect()
    }

    #[test]
    fn keys_of_all_kinds_of_terminals() {
        use Key::{
            BackTab, Backspace, Char, Delete, Down, End, Enter, Esc, F, Home, LineFeed, PageDown, PageUp, Tab, Up,
        };
        assert_eq!(keys("aÄ漢\u{1f436} G"), plain(&['a', 'Ä', '漢', '\u{1f436}', ' ', 'G'].map(Char)));
        assert_eq!(keys("\r\n\t\x7f\x08\x1b"), plain(&[Enter, LineFeed, Tab, Backspace, Backspace, Esc]));
        assert_eq!(keys("\x1b[A\x1bOB\x1b[1;2A\x1b[1;5B"), plain(&[Up, Down, Up, Down]));
        assert_eq!(keys("\x1b[H\x1bOF\x1b[1~\x1b[4~\x1b[7~\x1b[8~"), plain(&[Home, End, Home, End, Home, End]));
        assert_eq!(keys("\x1b[3~\x1b[5~\x1b[6~\x1b[Z"), plain(&[Delete, PageUp, PageDown, BackTab]));
        let one_to_five = [F(1), F(2), F(3), F(4), F(5)];
        assert_eq!(keys("\x1b[11~\x1b[12~\x1b[13~\x1b[14~\x1b[15~"), plain(&one_to_five));
        assert_eq!(keys("\x1b[[A\x1b[[B\x1b[[C\x1b[[D\x1b[[E"), plain(&one_to_five));
        assert_eq!(keys("\x1bOP\x1bOQ\x1bOR\x1bOS\x1b[15;2~"), plain(&one_to_five));
        assert_eq!(keys("\x1b[17~\x1b[21~\x1b[23~\x1b[24~\x1b[34~"), plain(&[F(6), F(10), F(11), F(12), F(20)]));
        assert_eq!(
            keys("\x1b[13u\x1b[97;1:1u\x1b[97;2u\x1b[97;1:3u\x1b[57399u"),
            plain(&[Enter, Char('a'), Char('A')])
        );
        assert_eq!(keys("\x1b\x1b"), plain(&[Esc, Esc]));
    }

    #[test]
    fn what_is_held_with_a_key_and_what_terminals_disagree_about() {
        let ctrl = |key: Key| KeyPress { ctrl: true, ..key.into() };
        let alt = |key: Key| KeyPress { alt: true, ..key.into() };
        assert_eq!(keys("\x03\x1a\x00"), [ctrl(Key::Char('c')), ctrl(Key::Char('z')), ctrl(Key::Char(' '))]);
        assert_eq!(keys("\x1b[1;5D\x1b[1;3C\x1b[104;5u"), [ctrl(Key::Left), alt(Key::Right), Key::Backspace.into()]);
        assert_eq!(
            keys("\x1bq\x1bB\x1b\r\x1b\x7f\x1b\x08"),
            [alt(Key::Char('q')), alt(Key::Char('b')), alt(Key::Enter), alt(Key::Backspace), alt(Key::Backspace)]
        );
    }

    #[test]
    fn clicks_of_the_left_button_and_the_wheel_are_all_that_the_mouse_says() {
        let click = || Msg::Mouse(MouseEvent::Click { column: 8, row: 5 });
        let wheel = |down| Msg::Mouse(MouseEvent::Wheel { down });
        assert_eq!(decoded("\x1b[<0;9;6M\x1b[<0;9;6m"), (vec![click()], false));
        assert_eq!(decoded("\x1b[<16;9;6M\x1b[M )&"), (vec![click(), click()], false));
        assert_eq!(decoded("\x1b[<64;1;1M\x1b[<65;1;1M"), (vec![wheel(false), wheel(true)], false));
        assert_eq!(decoded("\x1b[<2;9;6M\x1b[<32;9;6M\x1b[<35;9;6M\x1b[<0;0;6M\x1b[<0;9M"), (vec![], false));
    }

    #[test]
    fn what_is_not_known_is_skipped_as_a_whole() {
        let unknown = "\x1b[?2026;2$y \x1b[?997;1n \x1b[?62;22c \x1b[>41;354;0c \x1b[12;40R \x1b[201~ \x1b[999~ \
             \x1b[27;5;106~ \x1b[4294967296;1u \x1b[E \x1bOj \x1b]11;rgb:ffff/ffff/ffff\x07 \x1b]52;c;cGV0\x1b\\ \
             \x1bP>|XTerm(390)\x1b\\ \x1b_Gi=1;OK\x1b\\ \x1b^text\x1b\\\x1bXtext\x1b\\";
        for unknown in unknown.split(' ') {
            assert_eq!(keys(&format!("{unknown}q")), plain(&[Key::Char('q')]), "{unknown:?}");
        }
        assert_eq!(decoded(b"\xff\xc3(\x80"), (vec![Msg::Key(Key::Char('(').into())], false));
        assert_eq!(decoded("\x1b[I\x1b[O"), (vec![Msg::Focus { here: true }, Msg::Focus { here: false }], false));
    }

    #[test]
    fn a_name_that_comes_in_one_piece_with_esc_is_typed() {
        for name in ["Pluto", "Xaver", "PÄt", "PB"] {
            let typed: Vec<_> = [Key::Esc].into_iter().chain(name.chars().map(Key::Char)).chain([Key::Enter]).collect();
            assert_eq!(keys(&format!("\x1b{name}\r")), plain(&typed), "{name}");
            let (now, mut decoder) = (clock::now().mono, Decoder::default());
            let [begin, rest] = [format!("\x1b{}", &name[..1]), format!("{}\r", &name[1..])];
            let msgs = [begin, rest].into_iter().flat_map(|piece| decoder.take(piece.as_bytes(), false, now));
            assert_eq!(msgs.collect::<Vec<_>>(), plain(&typed).into_iter().map(Msg::Key).collect::<Vec<_>>(), "{name}");
        }
        for reply in ["\x1bP>|XTerm(390)\x1b\\", "\x1bP1$r0m\x1b\\", "\x1bP0+r\x1b\\", "\x1bP!|7E7E\x1b\\"] {
            assert_eq!(keys(&format!("{reply}q")), plain(&[Key::Char('q')]), "{reply:?}");
        }
    }

    /// Beginnings of sequences that a key does not end.
    const CUT: &str = "\x1b[,\x1b[1;,\x1b[[,\x1b[?2026;2$,\x1b[<0;9,\x1b[M,\x1b[M #,\x1bO,\x1b],\x1b]11;rgb:,\x1b]11;rgb:ff\x1b,\
         \x1bP>|XT,\x1b_G";

    #[test]
    fn ctrl_c_and_another_sequence_end_one_that_was_cut_at_once() {
        for cut in CUT.split(',') {
            let ctrl_c = KeyPress { ctrl: true, ..Key::Char('c').into() };
            assert_eq!(keys(&format!("{cut}\x03")).last(), Some(&ctrl_c), "{cut:?}");
            assert_eq!(keys(&format!("{cut}\x1b[B")).last(), Some(&Key::Down.into()), "{cut:?}");
        }
    }

    #[test]
    fn a_sequence_without_its_end_is_given_up_half_a_second_after_its_beginning() {
        let begun = clock::now().mono;
        for cut in CUT.split(',').map(str::as_bytes).chain([&b"\xe6\xbc"[..]]) {
            let mut decoder = Decoder::default();
            assert_eq!(decoder.take(cut, false, begun), [], "{cut:?}");
            assert_eq!(decoder.due, Some(begun + SEQUENCE), "{cut:?}");
            decoder.give_up();
            assert_eq!(decoder.due, None);
            assert_eq!(decoder.take(b"q", false, begun), [Msg::Key(Key::Char('q').into())], "{cut:?}");
        }
        // What is typed meanwhile does not put it off.
        let mut decoder = Decoder::default();
        decoder.take(b"\x1b]11;", false, begun);
        assert_eq!(decoder.take(b"qqq", false, begun + SEQUENCE / 2), []);
        assert_eq!(decoder.due, Some(begun + SEQUENCE));
        assert_eq!(decoder.give_up(), []);
    }

    #[test]
    fn a_sequence_in_pieces_is_one_and_alt_with_a_letter_that_begins_one_is_a_key() {
        let now = clock::now().mono;
        let mut decoder = Decoder::default();
        assert_eq!(decoder.take(b"a\x1b", true, now), [Msg::Key(Key::Char('a').into())]);
        assert_eq!(decoder.take(b"[1;", false, now), []);
        assert_eq!(decoder.take(b"5D", false, now), [Msg::Key(KeyPress { ctrl: true, ..Key::Left.into() })]);
        assert_eq!(decoder.take(b"\xe6\xbc", false, now), []);
        assert_eq!(decoder.take(b"\xa2", false, now), [Msg::Key(Key::Char('漢').into())]);
        decoder.take(b"\x1bO", false, now);
        assert_eq!(decoder.give_up(), [Msg::Key(KeyPress { alt: true, ..Key::Char('o').into() })]);
        decoder.take(b"\x1b", true, now);
        assert_eq!(decoder.give_up(), [Msg::Key(Key::Esc.into())]);
    }

    #[test]
    fn a_lone_escape_is_the_key_unless_the_rest_of_a_sequence_comes_soon() {
        let (now, mut decoder) = (clock::now().mono, Decoder::default());
        let key = |key: Key| Msg::Key(key.into());
        let mut take = |pieces: &[&[u8]]| -> Vec<Msg> {
            pieces.iter().flat_map(|piece| decoder.take(piece, false, now)).collect()
        };
        // As a slow connection brings them.
        assert_eq!(take(&[b"\x1b", b"[", b"D"]), [key(Key::Left)]);
        assert_eq!(take(&[b"\x1b", b"O", b"A"]), [key(Key::Up)]);
        assert_eq!(take(&[b"\x1b", b"q"]), [key(Key::Esc), key(Key::Char('q'))]);
        assert_eq!(take(&[b"\x1b", b"\x1b", b"[B"]), [key(Key::Esc), key(Key::Down)]);
        assert_eq!(take(&[b"\x1b"]), []);
        assert_eq!(decoder.due, Some(now + LONE_ESC));
        assert_eq!(decoder.give_up(), [key(Key::Esc)]);
    }

    #[test]
    fn ctrl_c_alone_leaves_a_paste_whose_end_does_not_come() {
        let (now, mut decoder) = (clock::now().mono, Decoder::default());
        assert_eq!(decoder.take(b"\x1b[200~Re", false, now), []);
        let ctrl_c = KeyPress { ctrl: true, ..Key::Char('c').into() };
        assert_eq!(decoder.take(b"\x03", false, now), [Msg::Paste("Re".into()), Msg::Key(ctrl_c)]);
    }

    #[test]
    fn a_paste_ends_with_its_mark_or_after_a_silence() {
        let paste = |text: &str| Msg::Paste(text.into());
        let q = || Msg::Key(Key::Char('q').into());
        assert_eq!(decoded("\x1b[200~a\x1b[Bb\x03\r\x1b[201~q"), (vec![paste("a\x1b[Bb\x03\r"), q()], false));
        let now = clock::now().mono;
        let mut decoder = Decoder::default();
        for piece in ["\x1b[200~Re", "x\x1b[20"] {
            assert_eq!(decoder.take(piece.as_bytes(), false, now), []);
        }
        assert_eq!(decoder.take(b"1~q", false, now), [paste("Rex"), q()]);
        decoder.take(b"\x1b[200~Re", false, now);
        let later = now + PASTE / 2;
        assert_eq!(decoder.take(b"x\x1b[201", false, later), []);
        assert_eq!(decoder.due, Some(later + PASTE));
        assert_eq!(decoder.give_up(), [paste("Rex")]);
        assert_eq!(decoder.take(b"\x1b[201~q", false, later), [q()]);
    }

    #[test]
    fn what_never_ends_takes_no_more_memory_than_it_may() {
        let now = clock::now().mono;
        let mut decoder = Decoder::default();
        for begin in ["\x1b]", "\x1b["] {
            decoder.take(begin.as_bytes(), false, now);
            (0..100).for_each(|_| drop(decoder.take(&[b'1'; 1024], false, now)));
            assert!(decoder.held.len() <= LONGEST + 1024);
        }
        decoder = Decoder::default();
        decoder.take(b"\x1b[200~", false, now);
        (0..65).for_each(|_| drop(decoder.take(&vec![b'1'; 1 << 20], false, now)));
        assert!(decoder.paste.as_ref().unwrap().len() <= MOST_PASTED + (1 << 20));
        assert_eq!(decoder.take(b"\x1b[201~", false, now), [Msg::PasteTooLarge]);
    }
}
