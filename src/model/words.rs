//! Numbers, times and lists as people read them.

use std::fmt::Display;

use jiff::{SignedDuration, Timestamp};
use strsim::osa_distance;

use super::PetId;

/// `1 pet`, `2 pets`; `3 addresses`.
pub fn counted<N: Display + PartialEq + From<u8>>(number: N, noun: &str) -> String {
    let ending = match number == N::from(1) {
        true => "",
        false if noun.ends_with('s') => "es",
        false => "s",
    };
    format!("{number} {noun}{ending}")
}

/// `3 added`, `2 refused`: each count that is not 0, with its word.
pub fn counts<'a, N: Display + PartialEq + From<u8>>(counts: impl IntoIterator<Item = (N, &'a str)>) -> Vec<String> {
    let counts = counts.into_iter().filter(|(count, _)| *count != N::from(0));
    counts.map(|(count, word)| format!("{count} {word}")).collect()
}

/// `a`, `a and b`, `a, b and c`; at most six, then a number.
pub fn list<T: Display>(items: impl IntoIterator<Item = T>) -> String {
    let mut items: Vec<String> = items.into_iter().map(|item| item.to_string()).collect();
    if items.len() > 6 {
        let rest = items.len() - 5;
        items.truncate(5);
        items.push(format!("{rest} more"));
    }
    match items.split_last() {
        None => String::new(),
        Some((only, [])) => only.clone(),
        Some((last, first)) => format!("{} and {last}", first.join(", ")),
    }
}

/// `id 7`, `ids 7 to 9`, `ids 7, 9 and 12`; of many with gaps the first and the last.
pub fn ids(ids: &[PetId]) -> String {
    let mut ids = ids.to_vec();
    ids.sort_unstable();
    match ids.as_slice() {
        [] => String::new(),
        [id] => format!("id {id}"),
        [first, .., last] if usize::try_from(last.abs_diff(*first)) == Ok(ids.len() - 1) => {
            format!("ids {first} to {last}")
        }
        few if few.len() <= 6 => format!("ids {}", list(few)),
        [first, .., last] => format!("ids {first} to {last}, not all of them yours"),
    }
}

/// `3 h 20 min`, `14 min`, `40 s`: as precise as is useful while waiting.
pub fn duration(duration: SignedDuration) -> String {
    let seconds = duration.as_secs().max(0);
    let (days, hours, minutes) = (seconds / 86_400, seconds / 3600, seconds / 60);
    match seconds {
        0..60 | 61..120 => format!("{seconds} s"),
        60..3600 => format!("{minutes} min"),
        3600..172_800 if minutes % 60 == 0 => format!("{hours} h"),
        3600..172_800 => format!("{hours} h {} min", minutes % 60),
        _ => format!("{days} days"),
    }
}

/// How long ago something was, in minutes, hours or days.
pub fn age(seconds: u64) -> String {
    match seconds {
        0..7_200 => format!("{} min", seconds / 60),
        7_200..172_800 => format!("{} h", seconds / 3_600),
        _ => format!("{} days", seconds / 86_400),
    }
}

/// `2026-11-21 08:30 UTC`
pub fn moment(at: Timestamp) -> String {
    at.strftime("%Y-%m-%d %H:%M UTC").to_string()
}

/// `text` at the start of a sentence.
pub fn capitalized(text: &str) -> String {
    let mut chars = text.chars();
    chars.next().map_or_else(String::new, |first| first.to_uppercase().chain(chars).collect())
}

/// `text` inside a sentence. An abbreviation stays as it is.
pub fn uncapitalized(text: &str) -> String {
    let mut chars = text.chars();
    match (chars.next(), chars.clone().next()) {
        (Some(first), Some(second)) if !second.is_uppercase() => first.to_lowercase().chain(chars).collect(),
        _ => text.to_owned(),
    }
}

/// ` Did you mean …?` if one of `words` is similar, else nothing.
pub fn did_you_mean<'a>(typed: &str, words: impl IntoIterator<Item = &'a str>) -> String {
    nearest(typed, words).map_or_else(String::new, |word| format!(" Did you mean {word}?"))
}

/// The most similar of `words`, if one is similar enough.
pub fn nearest<'a>(typed: &str, words: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let typed = typed.to_lowercase();
    let apart = words.into_iter().map(|word| (osa_distance(&typed, &word.to_lowercase()), word));
    // A third of the letters may differ, and one letter of short words.
    let near = apart.filter(|(apart, word)| *apart <= (word.chars().count() / 3).max(1));
    near.min_by_key(|(apart, _)| *apart).map(|(_, word)| word)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_and_lists_read_well() {
        let words = |seconds| duration(SignedDuration::from_secs(seconds));
        let expected = ["5 s", "90 s", "1 h", "11 h 23 min", "2 days", "0 s"];
        assert_eq!([5, 90, 3600, 41_000, 172_800, -3].map(words), expected);
        assert_eq!([0, 7_199, 7_200, 172_800].map(age), ["0 min", "119 min", "2 h", "2 days"]);
        assert_eq!(list(["a"]), "a");
        assert_eq!(list(["a", "b", "c"]), "a, b and c");
        assert_eq!(list(1..=8), "1, 2, 3, 4, 5 and 3 more");
    }

    #[test]
    fn a_sparse_set_of_ids_is_not_called_a_range() {
        assert_eq!([ids(&[]), ids(&[7]), ids(&[9, 7, 8])], ["", "id 7", "ids 7 to 9"]);
        assert_eq!(ids(&[12, 7, 9]), "ids 7, 9 and 12");
        assert_eq!(ids(&[1, 2, 3, 4, 5, 6, 8]), "ids 1 to 8, not all of them yours");
    }

    #[test]
    fn only_one_is_singular() {
        assert_eq!([0, 1, 2].map(|number: u64| counted(number, "row")), ["0 rows", "1 row", "2 rows"]);
        assert_eq!([1, 2].map(|number: usize| counted(number, "address")), ["1 address", "2 addresses"]);
    }

    #[test]
    fn first_letters_change_except_in_abbreviations() {
        assert_eq!((capitalized("every one"), capitalized("")), ("Every one".to_owned(), String::new()));
        assert_eq!(["No answer", "CNAME missing", "", "x"].map(uncapitalized), ["no answer", "CNAME missing", "", "x"]);
    }

    #[test]
    fn a_typo_gets_a_suggestion_and_another_word_does_not() {
        let suggestion = |typed| did_you_mean(typed, ["production", "staging", "id"]);
        assert_eq!(suggestion("prodution"), " Did you mean production?");
        assert_eq!(suggestion("Stagign"), " Did you mean staging?");
        assert_eq!(suggestion("di"), " Did you mean id?");
        assert_eq!(suggestion("laboratory"), "");
    }
}
