//! Forms: which part is in use, and what a key asks of it.

use crate::tui::key::Movement;

/// What a part of a form is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Control {
    /// A field to type into.
    Text,
    /// One of several choices is taken.
    Choice,
    /// On or off.
    Tick,
    /// Something to press.
    Button,
}

/// What a key asks of any form.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FormAction {
    NextField,
    PreviousField,
    Move(Movement),
    Toggle,
    Confirm,
    Save,
}

/// What a key asks for, once the part in use is the right one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FormEvent<P> {
    /// Nothing.
    None,
    /// This part was left, and another is in use.
    Left(P),
    /// Another choice of the part in use.
    Choose(Movement),
    /// The other of yes and no at the part in use.
    Toggle,
    /// What the form is for.
    Submit,
}

/// A key in a form of these parts, in order.
pub fn update<P: Copy + PartialEq>(focus: &mut P, parts: &[(P, Control)], action: FormAction) -> FormEvent<P> {
    let control = parts.iter().find(|(part, _)| part == focus).map(|(_, control)| *control);
    let next = match (action, control) {
        (FormAction::Save, _) | (FormAction::Confirm | FormAction::Toggle, Some(Control::Button)) => {
            return FormEvent::Submit;
        }
        (FormAction::Confirm | FormAction::Toggle, Some(Control::Tick)) => return FormEvent::Toggle,
        (FormAction::Toggle, _) => return FormEvent::None,
        (FormAction::Move(movement), Some(Control::Choice)) => return FormEvent::Choose(movement),
        (FormAction::Move(movement), _) => movement.is_down(),
        (FormAction::NextField | FormAction::Confirm, _) => true,
        (FormAction::PreviousField, _) => false,
    };
    let order: Vec<P> = parts.iter().map(|(part, _)| *part).collect();
    FormEvent::Left(std::mem::replace(focus, neighbour(&order, *focus, next)))
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

    const PARTS: [(char, Control); 4] =
        [('n', Control::Text), ('c', Control::Choice), ('t', Control::Tick), ('b', Control::Button)];

    #[test]
    fn the_parts_follow_each_other_round() {
        let order = ['n', 'c', 't'];
        let around = |part| [true, false].map(|next| neighbour(&order, part, next));
        assert_eq!(order.map(around), [['c', 't'], ['t', 'n'], ['n', 'c']]);
        assert_eq!(around('x'), ['n', 't'], "it has gone meanwhile");
    }

    #[test]
    fn a_key_asks_for_what_the_part_in_use_can_do() {
        let at = |mut focus: char, action| (update(&mut focus, &PARTS, action), focus);
        let all = |action| PARTS.map(|(part, _)| at(part, action).0);
        let left = PARTS.map(|(part, _)| FormEvent::Left(part));
        assert_eq!(all(FormAction::NextField), left);
        assert_eq!(all(FormAction::PreviousField), left);
        assert_eq!(all(FormAction::Confirm), [left[0], left[1], FormEvent::Toggle, FormEvent::Submit]);
        assert_eq!(all(FormAction::Toggle), [FormEvent::None, FormEvent::None, FormEvent::Toggle, FormEvent::Submit]);
        assert_eq!(all(FormAction::Save), [FormEvent::Submit; 4]);
        let (up, down) = (FormAction::Move(Movement::Up), FormAction::Move(Movement::Down));
        assert_eq!(all(down), [left[0], FormEvent::Choose(Movement::Down), left[2], left[3]]);
        assert_eq!((at('b', down).1, at('n', up).1), ('n', 'b'));
    }
}
