//! Foreign values never break a line or inject anything.

use proptest::prelude::*;

use super::super::{Conflict, plain, rdata, zone_file};
use super::parse::{split, zone_line};
use super::{FORMATS, apex, subdomain, with_mail};
use crate::domains::RecordType;

fn hostile() -> impl Strategy<Value = String> {
    let piece = prop_oneof![
        any::<String>(),
        "[\\x00-\\x7f]{0,12}",
        proptest::sample::select(
            "\n,\r\n,\",',\\,\\\",${x},%{x},$(x),`x`,# ,; ,//,*/,\t,\u{2028},\u{202e},\u{9b}2J,\u{1b}[2J,\nsend\n,\
             '; x #,\0,---\n,!x"
                .split(',')
                .collect::<Vec<_>>()
        )
        .prop_map(str::to_owned),
    ];
    proptest::collection::vec(piece, 0..6).prop_map(|pieces| pieces.concat())
}

/// No character moves a cursor, and all lines end where they should.
fn assert_tame(format: &str, text: &str) {
    let allowed = |c: char| match format {
        "plain" => c == '\n' || !c.is_control() && !matches!(c, '\u{2028}'..='\u{202e}'),
        _ => matches!(c, ' '..='~' | '\n'),
    };
    assert!(text.chars().all(allowed), "{format}: {text:?}");
    assert!(text.ends_with('\n') && !text.ends_with("\n\n"), "{format}: {text:?}");
}

/// `value` in the place of every value.
fn filled(value: &str) -> Vec<Conflict> {
    let mut conflicts = with_mail();
    conflicts.iter_mut().flat_map(|conflict| &mut conflict.values).for_each(|place| place.replace_range(.., value));
    conflicts
}

proptest! {
    #[test]
    fn a_hostile_value_breaks_no_line_of_any_format(value in hostile()) {
        let (conflicts, harmless) = (filled(&value), filled("x"));
        for record in [subdomain(), apex()] {
            for (format, export) in FORMATS {
                let [text, expected] = [&conflicts, &harmless].map(|conflicts| export(&record, conflicts));
                assert_tame(format, &text);
                prop_assert_eq!(text.split('\n').count(), expected.split('\n').count(), "{}", format);
            }
            let [text, expected] = [&conflicts, &harmless].map(|conflicts| zone_file(&record, conflicts));
            prop_assert_eq!(split(&text, ";").1, split(&expected, ";").1);
            prop_assert_eq!(split(&text, ";").0.len(), split(&expected, ";").0.len());
            let label = |line: &str| line.chars().take(11).collect::<String>().trim_end().to_owned();
            let labels = |conflicts| plain(&record, conflicts).lines().map(label).collect::<Vec<_>>();
            prop_assert_eq!(labels(&conflicts), labels(&harmless));
        }
    }

    #[test]
    fn a_hostile_text_comes_back_as_it_was(value in hostile()) {
        prop_assert_eq!(zone_line(&rdata(RecordType::TXT, &value)).concat(), value.as_bytes());
    }
}
