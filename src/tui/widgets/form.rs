//! Forms: fields as data. A form takes keys, checks what is typed and gives it; a draft is its values by name.

use std::collections::BTreeMap;
use std::ops::{Index, IndexMut};

use super::moved;
use crate::config::ProfileEntry;
use crate::model::Categories;
use crate::tui::key::Movement;
use crate::tui::{TextInput, Typing};

/// A part of a form.
#[derive(Clone, Copy)]
pub struct Field {
    /// Also in drafts.
    pub name: &'static str,
    pub label: &'static str,
    pub kind: Kind,
    pub columns: u16,
    pub hint: &'static str,
    pub advice: fn(&str, &Known<'_>, usize) -> Option<String>,
    fault: fn(&str, &Known<'_>) -> Option<String>,
    only_if: Option<(&'static Field, &'static str)>,
    proposes: Option<(&'static Field, Proposal)>,
    is_kept: fn(&str) -> bool,
}

/// A value for another field, made of what is typed in one.
type Proposal = fn(&str) -> Option<String>;

/// What checks compare values with.
pub struct Known<'a> {
    pub profiles: &'a [ProfileEntry],
    pub categories: &'a Categories,
}

#[derive(Clone, Copy)]
pub enum Kind {
    Text,
    /// Hidden unless it is asked for, and never in a draft.
    Secret,
    Path,
    /// One of these words, each with what is shown of it.
    Choice(&'static [(&'static str, &'static str)]),
    /// On or off.
    Tick(&'static str),
    /// Something to press.
    Button,
}

impl Field {
    pub const fn new(name: &'static str, label: &'static str, kind: Kind) -> Self {
        Self {
            name,
            label,
            kind,
            columns: 58,
            hint: "",
            advice: |_, _, _| None,
            fault: |_, _| None,
            only_if: None,
            proposes: None,
            is_kept: |_| true,
        }
    }

    pub const fn columns(self, columns: u16) -> Self {
        Self { columns, ..self }
    }

    /// What is with it while nothing is wrong.
    pub const fn hint(self, hint: &'static str) -> Self {
        Self { hint, ..self }
    }

    /// Instead of the hint, about what is typed, for so many columns.
    pub const fn advice(self, advice: fn(&str, &Known<'_>, usize) -> Option<String>) -> Self {
        Self { advice, ..self }
    }

    /// What is wrong with a value.
    pub const fn check(self, fault: fn(&str, &Known<'_>) -> Option<String>) -> Self {
        Self { fault, ..self }
    }

    /// It is there only while that word is chosen.
    pub const fn only_if(self, choice: &'static Self, word: &'static str) -> Self {
        Self { only_if: Some((choice, word)), ..self }
    }

    /// What is typed here fills another field, if that is empty when this one is left.
    pub const fn proposes(self, other: &'static Self, value: Proposal) -> Self {
        Self { proposes: Some((other, value)), ..self }
    }

    /// Which values a draft may have, except of a secret.
    pub const fn kept_if(self, is_kept: fn(&str) -> bool) -> Self {
        Self { is_kept, ..self }
    }

    const fn is_typed(&self) -> bool {
        matches!(self.kind, Kind::Text | Kind::Secret | Kind::Path)
    }
}

/// The values of a form by the names of its fields, and the name of the one in use.
pub type FormDraft = BTreeMap<String, TextInput>;

#[derive(Clone)]
pub struct Part {
    pub field: &'static Field,
    pub input: TextInput,
    /// It was left once, or checked by saving: only then it shows what is wrong.
    pub checked: bool,
    /// Why the service refused it, until it is another.
    refused: Option<String>,
}

#[derive(Clone, Default, derive_more::Debug)]
#[debug("{:?}", self.draft())]
pub struct Form {
    parts: Vec<Part>,
    focus: usize,
    /// Secrets can be read.
    pub shown: bool,
    /// Something was typed, or another choice made, since this was set back.
    pub changed: bool,
}

impl Form {
    pub fn new(fields: &[&'static Field]) -> Self {
        let value = |field: &Field| if let Kind::Choice(words) = field.kind { words[0].0 } else { "" };
        let part =
            |field: &&'static Field| Part { field, input: TextInput::new(value(field)), checked: false, refused: None };
        Self { parts: fields.iter().map(part).collect(), ..Self::default() }
    }

    /// The field in use.
    pub fn focus(&self) -> &'static Field {
        self.parts[self.focus].field
    }

    /// Where its keys are: at a text, a path, a choice or tick, or a button.
    pub fn place<P>(&self, [text, path, choice, button]: [P; 4]) -> P {
        match self.focus().kind {
            Kind::Text | Kind::Secret => text,
            Kind::Path => path,
            Kind::Choice(_) | Kind::Tick(_) => choice,
            Kind::Button => button,
        }
    }

    /// The parts that are there, with their numbers.
    pub fn shown(&self) -> impl Iterator<Item = (usize, &Part)> {
        let is_there = |part: &Part| part.field.only_if.is_none_or(|(choice, word)| self.value(choice) == word);
        self.parts.iter().enumerate().filter(move |(_, part)| is_there(part))
    }

    fn find(&self, name: &str) -> Option<(usize, &Part)> {
        self.shown().find(|(_, part)| part.field.name.eq_ignore_ascii_case(name))
    }

    fn number(&self, field: &Field) -> usize {
        self.parts.iter().position(|part| part.field.name == field.name).unwrap_or(self.parts.len())
    }

    /// What a field has; nothing while it is not there.
    pub fn value(&self, field: &Field) -> &str {
        self.find(field.name).map_or("", |(_, part)| part.input.value().trim())
    }

    /// Whether a draft would have any text.
    pub fn has_text(&self) -> bool {
        self.kept().any(|part| part.field.is_typed() && !part.input.is_empty())
    }

    fn kept(&self) -> impl Iterator<Item = &Part> {
        let values = self.parts.iter().filter(|part| !matches!(part.field.kind, Kind::Secret | Kind::Button));
        values.filter(|part| (part.field.is_kept)(part.input.value()))
    }

    pub fn draft(&self) -> FormDraft {
        let values = self.kept().map(|part| (part.field.name.to_owned(), part.input.clone()));
        let focus = self.parts.get(self.focus).map(|part| TextInput::new(part.field.name));
        values.chain(focus.map(|focus| ("focus".to_owned(), focus))).collect()
    }

    /// Takes what a draft has. Earlier versions began words with capitals.
    pub fn restore(&mut self, draft: &FormDraft) {
        for Part { field, input, .. } in &mut self.parts {
            let Some(kept) = draft.get(field.name) else { continue };
            input.clone_from(kept);
            if let Kind::Choice(words) = field.kind {
                let chosen = words.iter().find(|(word, _)| word.eq_ignore_ascii_case(kept.value()));
                *input = TextInput::new(chosen.unwrap_or(&words[0]).0);
            }
        }
        // Earlier versions had one name for all that depends on a choice.
        let of_choice = || self.shown().find(|(_, part)| part.field.only_if.is_some());
        let focus = draft.get("focus").and_then(|focus| self.find(focus.value()).or_else(of_choice));
        self.focus = focus.map_or(0, |(at, _)| at);
    }

    /// The text field in use.
    pub fn input(&mut self) -> Option<&mut TextInput> {
        self.parts.get_mut(self.focus).filter(|part| part.field.is_typed()).map(|part| &mut part.input)
    }

    /// Whether the field is in use.
    pub fn is_at(&self, field: &Field) -> bool {
        self.parts.get(self.focus).is_some_and(|part| part.field.name == field.name)
    }

    /// Goes to a field, if it is there.
    pub fn go_to(&mut self, field: &Field) {
        self.focus = self.find(field.name).map_or(self.focus, |(at, _)| at);
    }

    /// The same where something is wrong; the next text replaces what it has.
    pub fn select(&mut self, field: &Field) {
        if let Some((at, _)) = self.find(field.name) {
            self.focus = at;
            self.parts[at].checked = true;
            self.parts[at].input.select();
        }
    }

    /// Shows why the service refused a field, and goes there.
    pub fn refuse(&mut self, field: &Field, why: String) {
        self.select(field);
        self.parts[self.focus].refused = Some(why);
    }

    /// Fills a field.
    pub fn set(&mut self, field: &Field, value: &str) {
        self[field] = TextInput::new(value);
    }

    pub fn go(&mut self, next: bool) {
        let left = &mut self.parts[self.focus];
        // Nothing is wrong yet with what was only passed through.
        left.checked |= !left.input.is_empty();
        if let Some((other, value)) = left.field.proposes
            && let Some(value) = value(left.input.value().trim())
            && self[other].is_empty()
        {
            self.set(other, &value);
            // What is typed there instead replaces it.
            self[other].select();
        }
        let shown: Vec<usize> = self.shown().map(|(at, _)| at).collect();
        self.focus = neighbour(&shown, self.focus, next);
    }

    pub fn choose(&mut self, movement: Movement) {
        let Part { field: Field { kind: Kind::Choice(words), .. }, input, refused, .. } = &mut self.parts[self.focus]
        else {
            return self.go(movement.is_down());
        };
        let here = words.iter().position(|(word, _)| *word == input.value()).unwrap_or(0);
        *input = TextInput::new(words[moved(here, movement, words.len(), 1)].0);
        *refused = None;
        self.changed = true;
        // What it asks for now is new.
        self.parts.iter_mut().for_each(|part| part.checked &= part.field.only_if.is_none());
    }

    pub fn toggle(&mut self) {
        let Part { field, input, .. } = &mut self.parts[self.focus];
        if matches!(field.kind, Kind::Tick(_)) {
            *input = TextInput::new(if input.is_empty() { "true" } else { "" });
        }
    }

    pub fn fault(part: &Part, known: &Known<'_>) -> Option<String> {
        part.refused.clone().or_else(|| (part.field.fault)(part.input.value().trim(), known))
    }

    /// The fields that are wrong.
    pub fn wrong(&self, known: &Known<'_>) -> Vec<&'static Field> {
        self.shown().filter(|(_, part)| Self::fault(part, known).is_some()).map(|(_, part)| part.field).collect()
    }

    /// Shows what is wrong, and goes to the first of it. How many fields that are.
    pub fn check(&mut self, known: &Known<'_>) -> usize {
        let wrong = self.wrong(known);
        let shown: Vec<usize> = self.shown().map(|(at, _)| at).collect();
        shown.into_iter().for_each(|at| self.parts[at].checked = true);
        wrong.first().into_iter().for_each(|field| self.select(field));
        wrong.len()
    }

    /// Puts typed text into the field in use. Returns whether the end of it found no room.
    pub fn take(&mut self, typing: Typing<'_>) -> bool {
        self.changed = true;
        self.parts.get_mut(self.focus).into_iter().for_each(|part| part.refused = None);
        self.input().is_some_and(|input| input.take(typing))
    }
}

impl Index<&Field> for Form {
    type Output = TextInput;

    /// The input of a field; there is none of another form.
    fn index(&self, field: &Field) -> &TextInput {
        &self.parts[self.number(field)].input
    }
}

impl IndexMut<&Field> for Form {
    fn index_mut(&mut self, field: &Field) -> &mut TextInput {
        let at = self.number(field);
        &mut self.parts[at].input
    }
}

/// The part after one or before it, round; from one that is not there, the first or the last.
pub fn neighbour<P: Copy + PartialEq>(parts: &[P], part: P, next: bool) -> P {
    let (here, last) = (parts.iter().position(|one| *one == part), parts.len() - 1);
    let there = if next { here.map_or(0, |at| at + 1) } else { here.unwrap_or(0) + last };
    parts[there % parts.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_parts_follow_each_other_round() {
        let order = ['n', 'c', 't'];
        let around = |part| [true, false].map(|next| neighbour(&order, part, next));
        assert_eq!(order.map(around), [['c', 't'], ['t', 'n'], ['n', 'c']]);
        assert_eq!(around('x'), ['n', 't'], "it has gone meanwhile");
    }

    static CHOICE: Field = Field::new("choice", "", Kind::Choice(&[("a", "A"), ("b", "B")]));
    static TEXT: Field = Field::new("text", "", Kind::Text).only_if(&CHOICE, "b");
    static SECRET: Field = Field::new("secret", "", Kind::Secret);
    static TICK: Field = Field::new("tick", "", Kind::Tick(""));

    fn form() -> Form {
        Form::new(&[&CHOICE, &TEXT, &SECRET, &TICK])
    }

    fn around(form: &mut Form, next: bool) -> Vec<&'static str> {
        let mut go = || {
            form.go(next);
            form.focus().name
        };
        (0..4).map(|_| go()).collect()
    }

    #[test]
    fn a_field_that_depends_on_a_choice_is_there_only_with_it() {
        let mut form = form();
        form[&TEXT] = TextInput::new("x");
        assert_eq!((around(&mut form, true), form.value(&TEXT)), (vec!["secret", "tick", "choice", "secret"], ""));
        form.go_to(&TEXT);
        form.select(&TEXT);
        assert_eq!(form.focus().name, "secret", "it is not there");
        form.go_to(&CHOICE);
        form.choose(Movement::Down);
        form.choose(Movement::Down);
        assert_eq!((around(&mut form, false), form.value(&TEXT)), (vec!["tick", "secret", "text", "choice"], "x"));
    }

    #[test]
    fn a_key_does_what_the_field_in_use_can_do() {
        let mut form = form();
        form.toggle();
        assert!(form.input().is_none() && form.value(&CHOICE) == "a", "a choice is not ticked");
        form.go_to(&TICK);
        form.toggle();
        assert_eq!(form.value(&TICK), "true");
        form.choose(Movement::Up);
        assert_eq!((form.focus().name, form.input().is_some()), ("secret", true));
    }

    #[test]
    fn a_draft_has_no_secret_and_brings_back_the_rest() {
        let mut form = form();
        form.choose(Movement::Down);
        form.set(&TEXT, "x");
        form.set(&SECRET, "petk_0123");
        form.go_to(&TICK);
        form.toggle();
        let text = serde_json::to_string(&form.draft()).unwrap();
        assert!(!text.contains("petk_") && !format!("{form:?}").contains("petk_"), "{text}");
        let earlier = r#"{"choice":"B","text":{"value":"x","cursor":1},"tick":true,"focus":"Tick","gone":["y"]}"#;
        for text in [text.as_str(), earlier] {
            let mut read = Form::new(&[&CHOICE, &TEXT, &SECRET, &TICK]);
            read.restore(&serde_json::from_str(text).unwrap());
            let values = [&CHOICE, &TEXT, &SECRET, &TICK].map(|field| read.value(field));
            assert_eq!((values, read.focus().name), (["b", "x", "", "true"], "tick"), "{text}");
        }
    }
}
