//! Holds every text of the project to plain English: phrases to avoid, each with what to write instead.

mod reading;

use crate::prelude::*;

use reading::{Word, words_of_rust, words_of_text};

use crate::documents::{documents, text};

/// A phrase to avoid.
struct Phrase {
    /// Its words. `a|b` is either word. `..` is up to four words. `!a|b` at either end means that neither of these comes before
    /// or after the phrase, and `$` that the sentence or its part ends here.
    pattern: &'static str,
    instead: &'static str,
    /// It is wrong in names in the code too.
    in_names: bool,
}

const fn avoid(pattern: &'static str, instead: &'static str) -> Phrase {
    Phrase { pattern, instead, in_names: false }
}

/// A word that is wrong everywhere.
const fn never(pattern: &'static str, instead: &'static str) -> Phrase {
    Phrase { pattern, instead, in_names: true }
}

const PHRASES: &[Phrase] = &[
    never("mend|mends|mended|mending|unmended", "fix, correct"),
    never("told", "reported, recorded, shown; told apart: distinguished"),
    never("said", "reported, recorded, set"),
    never("octet|octets", "byte"),
    never("figure|figures", "metric, number, measurement"),
    avoid("!petstore animal|animals", "pet (the API's title is Petstore Animals API)"),
    avoid("whoever|whomever", "name them: the user, the caller"),
    avoid("who comes", "name them: the user, the caller"),
    avoid("!there|where is|are no !longer", "is not a; are not"),
    avoid("nothing is to", "nothing to do"),
    avoid("is|are|was|were to be", "must be, will be"),
    avoid("shall", "must, will"),
    avoid("an act", "action"),
    avoid("needs|need an act|acts", "needs action"),
    avoid("act is|was due", "action is needed"),
    avoid("somebody's|nobody's act|acts", "action"),
    avoid("by itself|themselves|himself", "automatically"),
    avoid("of its|their|his own", "its own, separate"),
    avoid("where there is|are none", "if there is none"),
    avoid("where nothing else", "by default"),
    avoid("where .. is|are|was said", "if it is set, unless it is set"),
    avoid("it|what|that|which is|was so $", "name it: what applies, it is true"),
    avoid("called so $", "has this name"),
    avoid("in turn", "one after another"),
    avoid("!look|looks|looked alike", "in the same way"),
    avoid("stand|stands|stood !for|alone", "is"),
    avoid("look|looks|looked|looking at", "check, read"),
    avoid("look|looks|looked|looking again", "check again"),
    avoid("two|next|last|further look|looks", "check"),
    avoid("meant", "selected, the default, intended"),
    avoid("vouch|vouches|vouched|vouching", "trusted CA, certify"),
    avoid("leave|leaves|left|leaving away", "omit"),
    avoid("turn|turns|turned|turning round", "reverse"),
    avoid("other way round", "reversed"),
    avoid("those there are", "all"),
    avoid("nothing but wait", "just wait"),
    avoid("at the least", "at least"),
    avoid("have|has|had .. key|keys refused", "revoke"),
    avoid("hold|holds|held|holding .. against", "compare with, check"),
    avoid("be it", "whether, or"),
    avoid("in doubt", "with an unknown outcome"),
    avoid("twice in the file", "duplicate"),
    avoid("know|knows|knew no", "does not know, does not have"),
    avoid("is|are heard", "takes effect, is respected"),
    avoid("one likes|wishes", "you like"),
    avoid("anew", "again, from the start"),
    avoid("lest|whilst|hence|thereby|therein|thereof|wherein|whereby|henceforth", "a word that people say"),
    avoid("slow line|lines", "slow connection"),
    avoid("braille line|lines", "braille display"),
    avoid("a word on", "a note about"),
    avoid("please", "(omit it)"),
];

/// Phrases that are right now and then. They are counted only.
const OVERUSED: &[Phrase] = &[
    avoid("such a|an", "like this"),
    avoid("so that", "so; a new sentence"),
    avoid("beside it", "next to it, details"),
    avoid("nobody|somebody|anybody", "name them"),
    avoid("in force", "in effect"),
];

/// A line in which a phrase is right.
struct Exception {
    /// The end of the path of the file.
    file: &'static str,
    /// What the line contains around the phrase.
    line: &'static str,
    #[expect(dead_code, reason = "for the reader of the list")]
    why: &'static str,
}

const EXCEPTIONS: &[Exception] = &[
    Exception { file: ".rs", line: ".octets()", why: "a method of the standard library's addresses" },
    Exception { file: ".rs", line: "from_octets", why: "a function of the standard library's addresses" },
    Exception { file: "cli/transfer/args.rs", line: "alias = \"mend\"", why: "the old name of the option" },
    Exception { file: "cli/profiles.rs", line: "\"meant\":", why: "a member of the JSON that scripts read" },
    Exception { file: ".rs", line: "\"octets\"", why: "a member of the JSON that scripts read" },
];

/// The most words in a gap of a pattern.
const GAP: usize = 4;

/// A place where a phrase was found, as a message.
struct Finding {
    phrase: &'static str,
    is_name: bool,
    message: String,
}

/// A part of a pattern.
enum Part {
    Words(Vec<&'static str>),
    /// None of these is next to the phrase.
    Not(Vec<&'static str>),
    Gap,
    End,
}

impl Part {
    fn of(pattern: &'static str) -> Vec<Self> {
        let part = |text: &'static str| match (text, text.strip_prefix('!')) {
            ("..", _) => Self::Gap,
            ("$", _) => Self::End,
            (_, Some(words)) => Self::Not(words.split('|').collect()),
            (words, None) => Self::Words(words.split('|').collect()),
        };
        pattern.split(' ').map(part).collect()
    }
}

/// The end of the phrase that begins with the word `at`, if it is one of the pattern.
fn end_of_phrase(pattern: &[Part], words: &[Word], at: usize, in_names: bool) -> Option<usize> {
    if let [Part::Not(not), rest @ ..] = pattern {
        let is_after = at > 0 && words[at].goes_on && not.contains(&words[at - 1].text.as_str());
        return if is_after { None } else { end(rest, words, at, at, in_names) };
    }
    end(pattern, words, at, at, in_names)
}

/// The same for the rest of a pattern, from the word `next` on.
fn end(pattern: &[Part], words: &[Word], begin: usize, next: usize, in_names: bool) -> Option<usize> {
    let Some((part, rest)) = pattern.split_first() else { return Some(next) };
    let word = words.get(next).filter(|word| next == begin || word.goes_on);
    match part {
        Part::Words(any) => {
            let word = word.filter(|word| in_names || !word.is_code)?;
            if any.contains(&word.text.as_str()) { end(rest, words, begin, next + 1, in_names) } else { None }
        }
        Part::Not(not) => word.is_none_or(|word| !not.contains(&word.text.as_str())).then_some(next),
        Part::Gap => {
            let gaps = (next..=next + GAP).take_while(|end| words.get(*end).is_some_and(|word| word.goes_on));
            gaps.filter_map(|after| end(rest, words, begin, after, in_names)).next()
        }
        Part::End => word.is_none().then_some(next),
    }
}

/// The places of `text` at which one of the phrases occurs.
fn check(path: &str, text: &str, phrases: &'static [Phrase]) -> Vec<Finding> {
    let words = if path.ends_with(".rs") { words_of_rust(text) } else { words_of_text(text) };
    let lines: Vec<&str> = text.lines().collect();
    let mut found = Vec::new();
    for Phrase { pattern, instead, in_names } in phrases {
        let parts = Part::of(pattern);
        for at in 0..words.len() {
            let Some(end) = end_of_phrase(&parts, &words, at, *in_names) else { continue };
            let line = words[at].line;
            let phrase: Vec<&str> = words[at..end].iter().map(|word| word.text.as_str()).collect();
            let phrase = phrase.join(" ");
            let is_right = |one: &Exception| {
                path.ends_with(one.file) && one.line.contains(&phrase) && lines[line - 1].contains(one.line)
            };
            if !EXCEPTIONS.iter().any(is_right) {
                let message = format!("{path}:{line}: \"{phrase}\"; better: {instead}");
                found.push(Finding { phrase: pattern, is_name: words[at].is_code, message });
            }
        }
    }
    found
}

/// The files below a directory of the project, by their paths from the root.
fn files_below(directory: &str, endings: &[&str]) -> Vec<String> {
    let mut files = Vec::new();
    for entry in fs::read_dir(Path::new(env!("CARGO_MANIFEST_DIR")).join(directory)).unwrap() {
        let entry = entry.unwrap();
        let path = format!("{directory}/{}", entry.file_name().to_str().unwrap());
        if entry.file_type().unwrap().is_dir() {
            files.extend(files_below(&path, endings));
        } else if endings.iter().any(|ending| path.ends_with(ending)) {
            files.push(path);
        }
    }
    files.sort();
    files
}

/// Prints how often each phrase occurs in the files, and fails with each place.
#[track_caller]
#[expect(clippy::print_stdout, reason = "the counts say how much is left")]
fn hold_to_plain_words(files: &[String]) {
    for (phrases, heading) in [(OVERUSED, "overused phrases"), (PHRASES, "phrases to avoid")] {
        let found: Vec<_> = files.iter().flat_map(|path| check(path, &text(path), phrases)).collect();
        let mut counts = BTreeMap::<_, (usize, usize)>::new();
        for finding in &found {
            let (in_texts, in_names) = counts.entry(finding.phrase).or_default();
            *if finding.is_name { in_names } else { in_texts } += 1;
        }
        println!("{heading}: {} in {} files", found.len(), files.len());
        println!(" texts  names");
        for (phrase, (in_texts, in_names)) in counts {
            println!("{in_texts:6} {in_names:6}  {phrase}");
        }
        let messages: Vec<_> = found.iter().map(|finding| finding.message.as_str()).collect();
        assert!(found.is_empty() || heading.starts_with("overused"), "{}", messages.join("\n"));
    }
}

#[test]
fn the_documents_use_plain_words() {
    let mut files = documents();
    files.extend(["CHANGELOG.md", "Cargo.toml", "config.example.toml"].map(str::to_owned));
    files.extend(files_below("benches", &[".rs", ".md"]));
    hold_to_plain_words(&files);
}

#[test]
fn the_program_uses_plain_words() {
    let mut files = files_below("src", &[".rs"]);
    files.extend(["assets/config.schema.json", "assets/domains-check.schema.json"].map(str::to_owned));
    hold_to_plain_words(&files);
}

#[test]
fn phrases_are_found_across_lines_and_nowhere_else() {
    let phrases = |path: &str, text: &str| -> Vec<&str> {
        check(path, text, PHRASES).iter().map(|finding| finding.phrase).collect()
    };
    let no = "!there|where is|are no !longer";
    assert_eq!(phrases("a.md", "It is no key. There is no key. It is no longer a key."), [no]);
    assert_eq!(phrases("a.md", "Tick what is so. It is so slow."), ["it|what|that|which is|was so $"]);
    assert_eq!(phrases("a.md", "Hold every redirect\nagainst it."), ["hold|holds|held|holding .. against"]);
    assert_eq!(phrases("a.md", "The Petstore Animals API keeps animals."), ["!petstore animal|animals"]);
    assert_eq!(phrases("a.md", "an example. In it, turn left"), Vec::<&str>::new());
    let rust = "/// Nothing is\n/// to do.\nfn in_turn(MostOctets: &'a str) { \"by \\\n itself\"; 'm'; r#\"at \"the\" least\"#; }\n";
    assert_eq!(phrases("a.rs", rust), ["octet|octets", "nothing is to", "by itself|themselves|himself"]);
    assert_eq!(check("a.rs", rust, PHRASES)[1].message, "a.rs:1: \"nothing is to\"; better: nothing to do");
    assert_eq!(phrases("a.rs", "let told = address.octets();"), ["told"]);
}
