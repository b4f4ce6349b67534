//! The words of a file, each with its line and whether it is part of the code or of a text.

/// A word of a file, in lower case.
#[derive(Debug, PartialEq, Eq)]
pub struct Word {
    pub text: String,
    pub line: usize,
    /// It is part of a name in the code, not of a comment or a string.
    pub is_code: bool,
    /// Nothing ends a phrase between it and the word before it.
    pub goes_on: bool,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Place {
    Code,
    LineComment,
    BlockComment,
    Text,
    /// A raw string, by the number of its `#`.
    RawText(usize),
}

/// The words of a text without code in it.
pub fn words_of_text(text: &str) -> Vec<Word> {
    read(text, false)
}

/// The words of a Rust file.
pub fn words_of_rust(source: &str) -> Vec<Word> {
    read(source, true)
}

fn read(source: &str, is_rust: bool) -> Vec<Word> {
    let letters: Vec<char> = source.chars().collect();
    let mut words = Words { found: Vec::new(), word: String::new(), line: 1, is_code: false, goes_on: false };
    let mut place = if is_rust { Place::Code } else { Place::Text };
    let mut at = 0;
    while let Some(&letter) = letters.get(at) {
        let rest = &letters[at..];
        let begins = |text: &str| text.chars().eq(rest.iter().copied().take(text.chars().count()));
        let (next, length) = match place {
            _ if !is_rust => (place, 1),
            Place::Code if begins("//") => (Place::LineComment, 2),
            Place::Code if begins("/*") => (Place::BlockComment, 2),
            Place::Code if letter == '"' => (Place::Text, 1),
            Place::Code if letter == 'r' && words.word.is_empty() && raw(rest).is_some() => {
                let marks = raw(rest).unwrap();
                (Place::RawText(marks), marks + 2)
            }
            Place::Code if letter == '\'' => (place, character(rest)),
            Place::LineComment if letter == '\n' => (Place::Code, 1),
            Place::BlockComment if begins("*/") => (Place::Code, 2),
            Place::Text if begins("\\\n") => (place, 1),
            Place::Text if letter == '\\' => (place, 2),
            Place::Text if letter == '"' => (Place::Code, 1),
            Place::RawText(marks) if letter == '"' && rest[1..].iter().take_while(|c| **c == '#').count() >= marks => {
                (Place::Code, marks + 1)
            }
            _ => (place, 1),
        };
        let is_plain = length == 1 && next == place;
        if is_plain && (letter.is_alphanumeric() || matches!(letter, '\'' | '’')) {
            let is_hump = place == Place::Code && letter.is_uppercase() && words.word.ends_with(char::is_lowercase);
            if is_hump {
                words.end();
            }
            words.is_code = place == Place::Code;
            words.word.extend(letter.to_lowercase());
        } else {
            words.end();
            let is_comment = matches!(place, Place::LineComment | Place::BlockComment) || next == Place::LineComment;
            let joins = letter.is_whitespace()
                || matches!(letter, '-' | '`' | '*' | '_')
                || is_comment && "/!".contains(letter);
            let joins = joins || place == Place::Text && begins("\\\n");
            words.goes_on &= joins;
        }
        words.line += rest[..length].iter().filter(|c| **c == '\n').count();
        (place, at) = (next, at + length);
    }
    words.end();
    words.found
}

struct Words {
    found: Vec<Word>,
    word: String,
    line: usize,
    is_code: bool,
    goes_on: bool,
}

impl Words {
    fn end(&mut self) {
        let text = std::mem::take(&mut self.word);
        if !text.is_empty() {
            // A name and the text after it are no phrase.
            let goes_on = self.goes_on && self.found.last().is_some_and(|last| last.is_code == self.is_code);
            self.found.push(Word { text, line: self.line, is_code: self.is_code, goes_on });
            self.goes_on = true;
        }
    }
}

/// The number of `#` if a raw string begins here.
fn raw(rest: &[char]) -> Option<usize> {
    let marks = rest[1..].iter().take_while(|c| **c == '#').count();
    (rest.get(1 + marks) == Some(&'"')).then_some(marks)
}

/// The length of the character literal that begins here, or of the mark of a lifetime.
fn character(rest: &[char]) -> usize {
    match rest {
        [_, '\\', _, after @ ..] => 3 + after.iter().take_while(|c| **c != '\'').count() + 1,
        [_, _, '\'', ..] => 3,
        _ => 1,
    }
}
