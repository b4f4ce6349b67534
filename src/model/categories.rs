//! The names of categories in the configuration. The API knows only their numbers: a name is never sent.

use std::borrow::Cow;
use std::collections::BTreeMap;

use serde::de::Error as _;
use serde::{Deserialize, Deserializer};

use super::{short, width};

/// The longest name, in characters.
const MOST_CHARS: usize = 32;

/// How many names a sentence lists.
const MOST_LISTED: usize = 5;

/// The name of each category that has one.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Categories(BTreeMap<i64, String>);

impl Categories {
    /// Those of the sample pets.
    pub fn of_samples() -> Self {
        let names = ["dog", "cat", "bird", "rabbit", "fish", "turtle", "horse", "spider"];
        Self((1..).zip(names.map(str::to_owned)).collect())
    }

    /// The name of a category, if it has one.
    pub fn name(&self, id: i64) -> Option<&str> {
        self.0.get(&id).map(String::as_str)
    }

    /// The category of this name, in any case.
    pub fn id(&self, name: &str) -> Option<i64> {
        let name = name.trim().to_lowercase();
        self.0.iter().find(|(_, known)| known.to_lowercase() == name).map(|(id, _)| *id)
    }

    /// The categories whose names begin with `start`, in any case; only one whose name it is, if there is one.
    pub fn beginning_with(&self, start: &str) -> Vec<i64> {
        let start = start.to_lowercase();
        let begins = |(id, name): (&i64, &String)| name.to_lowercase().starts_with(&start).then_some(*id);
        self.id(&start).map_or_else(|| self.0.iter().filter_map(begins).collect(), |id| vec![id])
    }

    /// All numbers and names, by number.
    pub fn iter(&self) -> impl Iterator<Item = (i64, &str)> {
        self.0.iter().map(|(id, name)| (*id, name.as_str()))
    }

    /// Whether no category has a name.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The length of the longest name, in columns of a terminal.
    pub fn longest(&self) -> usize {
        self.0.values().map(|name| width(name)).max().unwrap_or(0)
    }

    /// The first few names, as a list for a sentence.
    pub fn names(&self) -> String {
        let names: Vec<&str> = self.0.values().take(MOST_LISTED).map(String::as_str).collect();
        let more = self.0.len().saturating_sub(MOST_LISTED);
        let more = if more > 0 { format!(" and {more} more") } else { String::new() };
        names.join(", ") + &more
    }

    /// The number for a name, as text; other text stays as it is.
    pub fn number<'a>(&self, typed: &'a str) -> Cow<'a, str> {
        self.id(typed).map_or(Cow::Borrowed(typed), |id| id.to_string().into())
    }

    /// A category for people: its number, and its name if it has one.
    pub fn label(&self, id: i64) -> String {
        self.name(id).map_or_else(|| id.to_string(), |name| format!("{id} {name}"))
    }
}

impl<'de> Deserialize<'de> for Categories {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let named = BTreeMap::<String, String>::deserialize(deserializer)?;
        let mut categories = Self::default();
        for (number, name) in named {
            let wrong = |why: String| D::Error::custom(format!("categories: {why}"));
            let id: i64 = number
                .parse()
                .map_err(|_| wrong(format!("\"{}\" is not a number. Write it as 3 = \"dog\"", short(&number))))?;
            if name.parse::<i64>().is_ok() {
                return Err(wrong(format!("the name of {id} is a number, \"{}\". Use a word", short(&name))));
            }
            let fits = |c: char| c.is_alphanumeric() || matches!(c, ' ' | '-' | '_' | '\'');
            let is_word = name.trim() == name && name.chars().all(fits) && !name.starts_with('-');
            if !(1..=MOST_CHARS).contains(&name.chars().count()) || !is_word {
                let rule = format!("1 to {MOST_CHARS} letters, digits, spaces, - and _");
                return Err(wrong(format!("the name of {id}, \"{}\", cannot be used. Use {rule}", short(&name))));
            }
            if let Some(other) = categories.id(&name) {
                return Err(wrong(format!("{other} and {id} have the same name, \"{}\"", short(&name))));
            }
            if categories.0.insert(id, name).is_some() {
                return Err(wrong(format!("{id} is named twice")));
            }
        }
        Ok(categories)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Result<Categories, String> {
        toml::from_str(text).map_err(|error| error.to_string())
    }

    #[test]
    fn a_category_is_its_number_or_its_name_in_any_case() {
        let categories = read("3 = \"dog\"\n-7 = \"Guinea pig\"\n").unwrap();
        for (typed, id) in [("3", 3), ("dog", 3), ("DOG", 3), ("guinea pig", -7), ("12", 12)] {
            assert_eq!(categories.parse(typed), Ok(id), "{typed}");
        }
        assert_eq!((categories.label(3), categories.label(4)), ("3 dog".to_owned(), "4".to_owned()));
        assert_eq!((categories.number("dog"), categories.number("cat")), ("3".into(), "cat".into()));
        assert_eq!((categories.beginning_with("d"), categories.beginning_with("")), (vec![3], vec![-7, 3]));
    }

    #[test]
    fn an_unknown_word_is_answered_with_the_names_and_a_number_out_of_range_with_the_range() {
        let categories = read("3 = \"dog\"\n4 = \"fish\"\n").unwrap();
        let error = |typed: &str| categories.parse(typed).unwrap_err().to_string();
        assert_eq!(error("dgo"), "\"dgo\" is not a category. Type its number, or a name: dog, fish.");
        assert!(error("9223372036854775808").contains("out of range"));
        assert_eq!(error(""), "Category is required: a whole number, for example 3.");
        let many: String = (1..=9).map(|id| format!("{id} = \"pet {id}\"\n")).collect();
        assert_eq!(read(&many).unwrap().names(), "pet 1, pet 2, pet 3, pet 4, pet 5 and 4 more");
    }

    #[test]
    fn names_that_could_be_taken_for_something_else_are_refused() {
        for (text, why) in [
            ("three = \"dog\"", "\"three\" is not a number. Write it as 3 = \"dog\""),
            ("3 = \"4\"", "the name of 3 is a number, \"4\". Use a word"),
            ("3 = \"\"", "the name of 3, \"\", cannot be used. Use 1 to 32 letters"),
            ("3 = \"a\\u001b\"", "cannot be used"),
            ("3 = \"-dog\"", "cannot be used"),
            ("3 = \"dog\"\n4 = \"Dog\"", "3 and 4 have the same name, \"Dog\""),
            ("3 = \"dog\"\n03 = \"cat\"", "3 is named twice"),
        ] {
            let error = read(text).unwrap_err();
            assert!(error.contains(why), "{text}: {error}");
        }
    }
}
