//! What fits a query, in which order, and which signs are underlined.

use std::collections::BTreeSet;

use proptest::prelude::*;
use unicode_segmentation::UnicodeSegmentation as _;

use super::{Matcher, Query, Rank, Search, fitting};
use crate::model::search::{Needle, folded};
use crate::model::{AddedBy, Categories, ObservedStatus, Pet, PetId, PetStatus, Provenance, Provenances};

fn pet(id: i64, name: &str, category_id: i64, status: &str) -> Pet {
    let known = |word: &str| word.parse().map(ObservedStatus::Known);
    let status = (status != "none").then(|| known(status).unwrap_or(ObservedStatus::Unknown(status.to_owned())));
    Pet { id, name: name.to_owned(), category_id, status }
}

fn animals() -> Vec<Pet> {
    vec![
        pet(1001, "Mr. Whiskers", 3, "available"),
        pet(1002, "Whisper", 3, "sold"),
        pet(21_002, "Zoë", 7, "pending"),
        pet(-51, "Rex", 37, "none"),
        pet(4, "Captain \"Rex\" Fluff", -3, "on hold"),
        pet(5, "ポチ", 1, "Sold"),
    ]
}

fn query(text: &str) -> Query {
    Query::parse(text, &Categories::default())
}

/// The names that a query leaves, in the order of the rows.
fn names(text: &str) -> Vec<String> {
    let pets = animals();
    fitting(&query(text), &pets).iter().map(|row| pets[*row as usize].name.clone()).collect()
}

fn best(text: &str, pets: &[Pet]) -> Vec<i64> {
    let (query, mut search) = (query(text), Search::default());
    search.best_first(&query, pets, fitting(&query, pets)).iter().map(|row| pets[*row as usize].id).collect()
}

const ALL: [&str; 6] = ["Mr. Whiskers", "Whisper", "Zoë", "Rex", "Captain \"Rex\" Fluff", "ポチ"];

#[test]
fn every_form_of_the_language_leaves_what_it_says() {
    for (text, left) in [
        ("whsr", &["Mr. Whiskers", "Whisper"][..]),
        ("WHIS mr", &["Mr. Whiskers"]),
        ("ポ", &["ポチ"]),
        ("1002", &["Whisper", "Zoë"]),
        ("37", &["Rex"]),
        ("3", &["Mr. Whiskers", "Whisper", "Rex"]),
        ("pend", &["Zoë"]),
        ("cat:3", &["Mr. Whiskers", "Whisper"]),
        ("CAT:3,7", &["Mr. Whiskers", "Whisper", "Zoë"]),
        ("cat:-3", &["Captain \"Rex\" Fluff"]),
        ("cat:three", &[]),
        ("id:1002", &["Whisper"]),
        ("id:10*", &["Mr. Whiskers", "Whisper"]),
        ("id:10", &[]),
        ("id:-5*", &["Rex"]),
        ("id:x", &[]),
        ("status:sold", &["Whisper", "ポチ"]),
        ("is:ON", &["Captain \"Rex\" Fluff"]),
        ("status:none", &["Rex"]),
        ("-whis", &["Zoë", "Rex", "Captain \"Rex\" Fluff", "ポチ"]),
        ("-status:s -cat:37 -id:4", &["Mr. Whiskers", "Zoë"]),
        ("\"r. w\"", &["Mr. Whiskers"]),
        ("\"rw\"", &[]),
        ("-\"r. w\" whi", &["Whisper"]),
        ("whi cat:3 -\"mr\" is:sold id:1*", &["Whisper"]),
        ("a:b", &[]),
    ] {
        assert_eq!(names(text), left, "{text}");
    }
}

#[test]
fn what_is_not_finished_leaves_nothing_out() {
    for text in
        ["", "  ", "-", "\"", "-\"", "\"\"", "cat:", "cat:-", "cat:,", "id:", "id:-", "id:*", "status:", "is:", "-cat:"]
    {
        assert!(query(text).is_empty(), "{text}");
        assert_eq!(names(text), ALL, "{text}");
    }
    assert_eq!(names("cat:3,"), names("cat:3"));
}

#[test]
fn an_accent_that_was_not_typed_is_not_looked_for() {
    let pets = [pet(1, "Zoë", 1, "sold"), pet(2, "ZOE", 1, "sold"), pet(3, "Zoe\u{308}", 1, "sold")];
    let found = |text: &str| BTreeSet::from_iter(best(text, &pets));
    assert_eq!(found("zoe"), BTreeSet::from([1, 2, 3]));
    assert_eq!(found("\"zoe\""), BTreeSet::from([1, 2, 3]));
    assert_eq!(found("ZOË"), BTreeSet::from([1]));
    assert_eq!(found("zoe\u{308}"), BTreeSet::from([1, 2, 3]));
}

#[test]
fn the_end_of_a_name_that_is_not_ascii_is_found() {
    let pets = [pet(1, "Été à Aix", 1, "sold")];
    assert_eq!(best("\"aix\"", &pets), [1]);
    assert_eq!(best("-aix", &pets), [0; 0]);
}

#[test]
fn the_best_match_comes_first_then_the_shorter_name_then_the_id() {
    let pets = [
        pet(9, "Sir Barks-a-lot", 1, "sold"),
        pet(8, "Barker", 1, "sold"),
        pet(7, "Barker", 1, "sold"),
        pet(6, "Embark", 1, "sold"),
        pet(5, "Bar", 1, "sold"),
        pet(4, "Rex", 1, "bark"),
        pet(3, "Rubarnik", 1, "sold"),
    ];
    // At the beginning of a word, then within one, then scattered, then elsewhere than in the name.
    assert_eq!(best("bark", &pets), [7, 8, 9, 6, 3, 4]);
    // Nothing to score.
    assert_eq!(best("is:sold", &pets), [5, 6, 7, 8, 3, 9]);
    let numbers = [pet(212, "Rex", 1, "sold"), pet(121, "Rex", 1, "sold"), pet(12, "Rex", 1, "sold")];
    assert_eq!(best("12", &numbers), [12, 121, 212]);
    assert_eq!(best("12", &[pet(12, "Rex", 1, "sold"), pet(1, "Agent 12", 1, "sold")]), [1, 12]);
}

#[test]
fn where_very_many_fit_very_much_the_shorter_name_comes_first() {
    let pets: Vec<Pet> = (0..40_000).map(|at| pet(at, &"ab".repeat(40 - at as usize % 20), 1, "sold")).collect();
    let found = best("ababababab", &pets);
    assert_eq!((found.len(), &found[..3], found[39_999]), (40_000, &[19, 39, 59][..], 39_980));
}

#[test]
fn signs_are_underlined_where_the_query_fits() {
    let positions = |text: &str, name: &str| Search::default().positions(&query(text), &pet(1, name, 1, "sold"));
    assert_eq!(positions("wsk", "Mr. Whiskers"), [4, 7, 8]);
    assert_eq!(positions("mr \"sk\" -x", "Mr. Whiskers"), [0, 1, 7, 8]);
    assert_eq!(positions("sold", "Rex"), [0; 0]);
    // An accent and what is joined count as one character with their base.
    assert_eq!(positions("ex", "Re\u{301}x"), [1, 2]);
    assert_eq!(positions("rex", "👨‍👩‍👧 Rex"), [2, 3, 4]);
    assert_eq!(positions("\"طة\"", "قطة"), [1, 2]);
    assert_eq!(positions("b", "a\r\nb"), [2]);
    assert_eq!(positions("\u{1b}", "\u{1b}[2J"), [0]);
}

#[test]
fn only_the_beginning_of_an_endless_name_is_looked_at() {
    let name = |start: &str| format!("{start}{}needle", "x".repeat(300));
    let pets = [pet(1, &name("a"), 1, "sold"), pet(2, &name("é"), 1, "sold"), pet(3, "needle", 1, "sold")];
    assert_eq!(best("needle", &pets), [3]);
    assert_eq!(best("\"needle\"", &pets), [3]);
}

#[test]
fn a_row_that_fits_takes_28_bytes() {
    assert_eq!(size_of::<u32>() + size_of::<(Rank, u32)>(), 28);
}

#[test]
fn the_table_folds_every_letter_as_the_matcher_does() {
    let one_by_one = |c: char, plain: bool| {
        use nucleo_matcher::chars::{normalize, to_lower_case};
        to_lower_case(if plain { normalize(c) } else { c })
    };
    for c in (0_u32..0x1_f000).filter_map(char::from_u32).filter(|c| !super::is_mark(*c)) {
        for plain in [true, false] {
            let text = String::from(c);
            assert_eq!(folded(&text, plain).collect::<Vec<_>>(), [one_by_one(c, plain)], "{:x}", u32::from(c));
        }
    }
}

/// Ordinary and hostile names.
fn name() -> impl Strategy<Value = String> {
    prop_oneof![
        "[abAB ]{0,12}",
        "[aäeéß\u{301}\u{308}ポチ ق-]{0,10}",
        "(👨‍👩‍👧|❤️|\u{202e}|\u{1b}|\r\n|\0|\u{200d}|a|Ab){0,8}",
        "\\PC{0,20}|.{0,20}",
    ]
}

fn pets() -> impl Strategy<Value = Vec<Pet>> {
    let status = prop_oneof![
        Just(None),
        Just(Some(PetStatus::Sold.into())),
        name().prop_map(|word| Some(ObservedStatus::Unknown(word)))
    ];
    let pet = (-200_i64..200, name(), -30_i64..30, status).prop_map(|(id, name, category_id, status)| Pet {
        id,
        name,
        category_id,
        status,
    });
    prop::collection::vec(pet, 0..20)
}

fn typed() -> impl Strategy<Value = String> {
    prop_oneof![
        "(a|b|é|e|ß|ポ|1|2|-|\"| |:|,|,3|cat:|id:|is:|status:|none|so|\u{301}){0,14}",
        "[ab ]{0,6}",
        "\\PC{0,10}|.{0,10}"
    ]
}

proptest! {
    #[test]
    fn what_fits_is_scored_and_underlined_within_the_name(pets in pets(), text in typed()) {
        let (query, mut search) = (query(&text), Search::default());
        let rows = fitting(&query, &pets);
        let found = search.best_first(&query, &pets, rows.clone());
        prop_assert_eq!(BTreeSet::from_iter(&rows), BTreeSet::from_iter(&found));
        let words = u32::try_from(query.words().count()).unwrap();
        for row in found {
            let pet = &pets[row as usize];
            let score = search.score(&query, pet, Matcher::fuzzy_match);
            // Each word that fits adds to the score, and a name more than all else.
            prop_assert!(score >= words, "{score}: {pet:?}");
            let by_name = query.words().all(|word| word.is_scattered_in(pet.name.as_str().into()));
            prop_assert!(!by_name || score >= 16 * words, "{score}: {pet:?}");
            let positions = search.positions(&query, pet);
            let signs = pet.name.graphemes(true).count();
            prop_assert!(positions.is_sorted_by(|a, b| a < b) && positions.iter().all(|at| *at < signs), "{:?}", positions);
            prop_assert!(words == 0 || !by_name || !positions.is_empty());
        }
    }

    #[test]
    fn plain_letters_are_found_as_a_plain_search_finds_them(name in "[a-cA-C ]{0,12}", word in "[a-c]{1,4}") {
        let (lower, needle) = (name.to_lowercase(), Needle::new(&word).unwrap());
        prop_assert_eq!(needle.find_in(name.as_str().into()), lower.find(&word));
        let mut letters = lower.chars();
        let scattered = word.chars().all(|wanted| letters.any(|letter| letter == wanted));
        prop_assert_eq!(needle.is_scattered_in(name.as_str().into()), scattered);
    }
}

#[test]
fn who_added_a_pet_is_searched_for_once_it_is_known() {
    let by = |id: PetId, key: &str, name: Option<&str>| {
        let added_by = AddedBy { key: key.to_owned(), name: name.map(str::to_owned) };
        (id, Provenance { added_at: None, added_by: Some(added_by) })
    };
    let known = Provenances::from([
        by(1001, "AAAAAAA1", Some("Till 2")),
        by(1002, "AAAAAAA2", Some("till 3")),
        by(4, "AAAAAAA4", None),
        (5, Provenance::default()),
    ]);
    let pets = animals();
    let ids = |text: &str| {
        let mut query = Query::parse(text, &Categories::default());
        query.know(&known);
        fitting(&query, &pets).iter().map(|row| pets[*row as usize].id).collect::<Vec<_>>()
    };
    // Typed letter by letter, and then other words.
    for (text, left) in [
        ("by:", &[1001, 1002, 21_002, -51, 4, 5][..]),
        ("by:t", &[1001, 1002]),
        ("by:till", &[1001, 1002]),
        ("by:till by:2", &[1001]),
        ("by:\"till 2\"", &[1001]),
        ("-BY:\"till 2\" by:\"till", &[1002]),
        ("-by:TILL", &[21_002, -51, 4, 5]),
        ("by:aaaaaaa4", &[4]),
        ("by:aaaaaaa1", &[]),
        ("by:till whisper", &[1002]),
    ] {
        assert_eq!(ids(text), left, "{text}");
    }
    for (text, asks) in [("by:", true), ("rex -BY:x", true), ("by", false), ("\"by:till\"", false), ("baby:x", false)] {
        assert_eq!(Query::parse(text, &Categories::default()).asks_who(), asks, "{text}");
    }
}

#[test]
fn a_category_is_found_by_the_beginning_of_its_name_and_only_by_a_name_that_is_whole() {
    let categories: Categories = toml::from_str("3 = \"dog\"\n7 = \"dogfish\"\n37 = \"guinea pig\"").unwrap();
    let pets = animals();
    for (text, left) in [
        ("cat:d", &["Mr. Whiskers", "Whisper", "Zoë"][..]),
        ("cat:dog", &["Mr. Whiskers", "Whisper"]),
        ("cat:DOGF", &["Zoë"]),
        ("cat:dog,1", &["Mr. Whiskers", "Whisper", "ポチ"]),
        ("cat:guinea", &["Rex"]),
        ("-cat:d", &["Rex", "Captain \"Rex\" Fluff", "ポチ"]),
        ("cat:bird", &[]),
    ] {
        let found = fitting(&Query::parse(text, &categories), &pets);
        assert_eq!(found.iter().map(|row| pets[*row as usize].name.as_str()).collect::<Vec<_>>(), left, "{text}");
    }
}
