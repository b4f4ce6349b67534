//! How far two words are apart, for "did you mean".

/// The least number of letters to insert, remove, replace, or swap with their neighbour (Damerau and Levenshtein,
/// restricted) that makes `left` into `right`.
#[must_use]
pub fn distance(left: &str, right: &str) -> usize {
    let left: Vec<char> = left.chars().collect();
    let right: Vec<char> = right.chars().collect();
    let mut before_last: Vec<usize> = Vec::new();
    let mut last: Vec<usize> = (0..=right.len()).collect();
    for (row, l) in left.iter().enumerate() {
        let mut current = vec![row + 1];
        for (column, r) in right.iter().enumerate() {
            let replaced = last[column] + usize::from(l != r);
            let mut least = replaced.min(last[column + 1] + 1).min(current[column] + 1);
            if row > 0 && column > 0 && *l == right[column - 1] && left[row - 1] == *r {
                least = least.min(before_last[column - 1] + 1);
            }
            current.push(least);
        }
        before_last = std::mem::replace(&mut last, current);
    }
    last[right.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_kind_of_slip_counts_once() {
        for (left, right, expected) in [
            ("platform", "platform", 0),
            ("platfrom", "platform", 1),
            ("plattform", "platform", 1),
            ("platfor", "platform", 1),
            ("pletform", "platform", 1),
            ("paltfrom", "platform", 2),
            ("", "abc", 3),
            ("zoë", "zoe", 1),
        ] {
            assert_eq!(distance(left, right), expected, "{left} {right}");
            assert_eq!(distance(right, left), expected, "{right} {left}");
        }
    }
}
