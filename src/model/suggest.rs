//! Suggestions for mistyped words.

use strsim::osa_distance;

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
    fn a_typo_gets_a_suggestion_and_another_word_does_not() {
        let suggestion = |typed| did_you_mean(typed, ["production", "staging", "id"]);
        assert_eq!(suggestion("prodution"), " Did you mean production?");
        assert_eq!(suggestion("Stagign"), " Did you mean staging?");
        assert_eq!(suggestion("di"), " Did you mean id?");
        assert_eq!(suggestion("laboratory"), "");
    }
}
