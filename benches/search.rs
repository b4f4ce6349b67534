//! Measures the search over the rows of the app, beside a plain search for the same letters.
//!
//! `cargo bench --bench search`. Reports and never fails: the machine may be shared. See `benches/README.md`.

#![allow(clippy::disallowed_methods, clippy::unwrap_used, clippy::print_stdout, reason = "it measures and reports")]

#[allow(dead_code, reason = "shared with the other measurements")]
mod common;

use std::hint::black_box;
use std::time::Instant;

use common::Limit::{self, AtMost, LessIsBetter};
use common::{milliseconds, report};
use petstore::app::inventory::search::{Query, Search, fitting};
use petstore::model::{Categories, Pet, PetStatus, sample};

/// How many rows are searched.
const ROWS: usize = 100_000;
/// The same for how it grows.
const SCALE: [usize; 4] = [20, 1000, ROWS, 1_000_000];
/// How many times each search is measured.
const RUNS: usize = 25;
/// A frame at 60 a second.
const FRAME: Limit = AtMost(16.0);

fn main() {
    // Under `cargo test --benches` nothing is measured.
    if !std::env::args().any(|argument| argument == "--bench") {
        return;
    }
    common::heading();
    common::part("names of the samples");
    let names: Vec<String> = (0..ROWS).map(|at| sample(at).name).collect();
    all(&rows(&names), &["e", "ell", "whiske", "whiskers the"], "e a i o r s");
    common::part("the same long name on each row");
    let long = "Mr. Whiskers the Third of Springfield, Esq.";
    all(&rows(&[long.to_owned()]), &["e", "rie", "mrtirf", "mrwhtofsping"], "e i r s t h");
    common::part("names that are not ASCII");
    let other = ["Zoë", "ポチたろう", "Éclair d'Été", "Ünal der Große", "Кузьма Петрович", "قطة صغيرة"];
    all(&rows(&other.map(str::to_owned)), &["e", "ecl", "петров", "unal der gro"], "e a r d t l");
    common::part("the same long name on each row, not ASCII");
    let foreign = "Herr Schnurrbart der Dritte von Süßenbrunn.";
    all(&rows(&[foreign.to_owned()]), &["e", "rie", "hsddvs", "hrscddrtvsbr"], "e r h t b d");
    common::part("names of 255 letters");
    let longest = long.repeat(6)[..255].to_owned();
    all(&rows(&[longest]), &["e", "rie", "mrtirf", "mrwhtofsping"], "e i r s t h");
    common::part("scale");
    for count in SCALE {
        let pets: Vec<Pet> = rows(&names).into_iter().cycle().take(count).collect();
        let query = Query::parse("ell", &Categories::default());
        let times = (0..RUNS)
            .map(|_| timed(|| Search::default().best_first(&query, &pets, &fitting(&query, &pets)).len()))
            .collect();
        report(&format!("a search at {count} rows"), FRAME, "ms", times);
    }
}

fn rows(names: &[String]) -> Vec<Pet> {
    let pet = |at: usize| Pet {
        id: i64::try_from(at).unwrap() + 100_000,
        name: names[at % names.len()].clone(),
        category_id: i64::try_from(at % 12).unwrap(),
        status: Some(PetStatus::ALL[at % 3].into()),
    };
    (0..ROWS).map(pet).collect()
}

fn all(pets: &[Pet], queries: &[&str], words: &str) {
    for text in queries {
        let yardstick = (0..RUNS).map(|_| timed(|| plain_search(pets, text))).collect();
        report(&format!("yardstick: {text:?}, case-insensitive substring"), LessIsBetter, "ms", yardstick);
        one(pets, text);
    }
    one(pets, words);
    for text in ["100231", "status:sold cat:3", "-whis", "\"whiskers t\""] {
        one(pets, text);
    }
    letter_by_letter(pets, queries[3]);
}

/// In the order of the rows and the best match first.
fn one(pets: &[Pet], text: &str) {
    let query = Query::parse(text, &Categories::default());
    let mut search = Search::default();
    let mut times = [Vec::new(), Vec::new()];
    let mut found = 0;
    for _ in 0..RUNS {
        times[0].push(timed(|| fitting(&query, pets).len()));
        times[1].push(timed(|| {
            found = search.best_first(&query, pets, &fitting(&query, pets)).len();
            found
        }));
    }
    let [plain, ordered] = times;
    report(&format!("{text:?}, {found} rows"), FRAME, "ms", plain);
    report(&format!("{text:?}, the best first"), FRAME, "ms", ordered);
}

/// Each letter typed after the one before.
fn letter_by_letter(pets: &[Pet], text: &str) {
    let mut times = Vec::new();
    for _ in 0..RUNS {
        let mut search = Search::default();
        for (end, letter) in text.char_indices() {
            let query = Query::parse(&text[..end + letter.len_utf8()], &Categories::default());
            times.push(timed(|| search.best_first(&query, pets, &fitting(&query, pets)).len()));
        }
    }
    report(&format!("{text:?} typed: each letter, the best first"), FRAME, "ms", times);
}

fn timed(work: impl FnOnce() -> usize) -> f64 {
    let begin = Instant::now();
    black_box(work());
    milliseconds(begin.elapsed())
}

fn plain_search(pets: &[Pet], text: &str) -> usize {
    pets.iter().filter(|pet| pet.name.to_lowercase().contains(text)).count()
}
