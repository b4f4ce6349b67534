//! The word that was probably meant.

use strsim::osa_distance;

/// ` Did you mean …?` where one of `words` is near, else nothing.
pub(super) fn did_you_mean<'a>(typed: &str, words: impl IntoIterator<Item = &'a str>) -> String {
    nearest(typed, words).map_or_else(String::new, |word| format!(" Did you mean {word}?"))
}

/// The one of `words` that may have been meant.
pub fn nearest<'a>(typed: &str, words: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let typed = typed.to_lowercase();
    let apart = words.into_iter().map(|word| (osa_distance(&typed, &word.to_lowercase()), word));
    // A third of the letters may be wrong, and of short words one.
    let near = apart.filter(|(apart, word)| *apart <= (word.chars().count() / 3).max(1));
    near.min_by_key(|(apart, _)| *apart).map(|(_, word)| word)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_slip_is_seen_and_another_word_is_not() {
        let meant = |typed| did_you_mean(typed, ["production", "staging", "id"]);
        assert_eq!(meant("prodution"), " Did you mean production?");
        assert_eq!(meant("Stagign"), " Did you mean staging?");
        assert_eq!(meant("di"), " Did you mean id?");
        assert_eq!(meant("laboratory"), "");
    }
}
