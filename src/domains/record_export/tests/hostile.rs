//! Foreign values and names never break a line or inject anything.

use std::io::Write as _;
use std::path::Path;
use std::process::{Command, Stdio};

use proptest::prelude::*;

use super::super::{Conflict, DnsRecord, ExportFormat, escape, export};
use super::parse::{hcl, split, zone_line};
use super::{apex, subdomain, with_mail};
use crate::domains::{DnsName, RecordType};

fn hostile() -> impl Strategy<Value = String> {
    let piece = prop_oneof![
        any::<String>(),
        "[\\x00-\\x7f]{0,12}",
        proptest::sample::select(vec![
            "\n",
            "\r\n",
            "\"",
            "'",
            "\\",
            "\\\"",
            "${x}",
            "%{x}",
            "$(x)",
            "`x`",
            "# ",
            "; ",
            "//",
            "*/",
            "\t",
            "\u{2028}",
            "\u{202e}",
            "\u{9b}2J",
            "\u{1b}[2J",
            "\nsend\n",
            "'; x #",
            "\0",
            "---\n",
            "!x",
        ])
        .prop_map(str::to_owned),
    ];
    proptest::collection::vec(piece, 0..6).prop_map(|pieces| pieces.concat())
}

/// No character moves a cursor, and all lines end where they should.
fn assert_tame(format: ExportFormat, text: &str) {
    let allowed = |c: char| match format {
        ExportFormat::Plain => c == '\n' || !c.is_control() && !matches!(c, '\u{2028}'..='\u{202e}'),
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
            for format in ExportFormat::ALL.iter().copied() {
                let [text, expected] = [&conflicts, &harmless].map(|conflicts| export(&record, format, conflicts));
                assert_tame(format, &text);
                prop_assert_eq!(text.split('\n').count(), expected.split('\n').count(), "{}", format);
                if let Some(mark) = [(ExportFormat::Bind, ";"), (ExportFormat::Terraform, "#")]
                    .iter()
                    .find_map(|(of, mark)| (*of == format).then_some(*mark))
                {
                    prop_assert_eq!(split(&text, mark).1, split(&expected, mark).1, "{}", format);
                    prop_assert_eq!(split(&text, mark).0.len(), split(&expected, mark).0.len(), "{}", format);
                } else if format == ExportFormat::Plain {
                    let label = |line: &str| line.chars().take(11).collect::<String>().trim_end().to_owned();
                    let labels = |text: &str| text.lines().map(label).collect::<Vec<_>>();
                    prop_assert_eq!(labels(&text), labels(&expected));
                }
            }
        }
    }

    #[test]
    fn a_hostile_value_comes_back_from_json_and_from_text_as_it_was(value in hostile()) {
        let text = export(&subdomain(), ExportFormat::Json, &filled(&value));
        let read: serde_json::Value = serde_json::from_str(&text).unwrap();
        for (entry, conflict) in read["delete"].as_array().unwrap().iter().zip(filled(&value)) {
            prop_assert_eq!(entry["values"][0].as_str().unwrap(), &value);
            if conflict.kind == RecordType::TXT {
                prop_assert_eq!(zone_line(&escape::rdata(conflict.kind, &value)).concat(), value.as_bytes());
            }
        }
    }

    #[test]
    fn a_hostile_name_breaks_no_format_either(name in hostile(), zone in hostile(), value in hostile()) {
        let zone = DnsName::new(&format!("z{zone}.example"));
        let name = DnsName::new(&format!("a{name}")).followed_by(&zone);
        let value = DnsName::new(&format!("v{value}.example"));
        let record = DnsRecord { name, zone, value, provider: None };
        for record in [record.clone(), DnsRecord { name: record.zone.clone(), ..record }] {
            let like = if record.is_apex() { apex() } else { subdomain() };
            for format in ExportFormat::ALL.iter().copied() {
                let text = export(&record, format, &with_mail());
                assert_tame(format, &text);
                prop_assert_eq!(text.split('\n').count(), export(&like, format, &with_mail()).split('\n').count());
                match format {
                    ExportFormat::Terraform => drop(hcl(&text)),
                    ExportFormat::Json => prop_assert!(serde_json::from_str::<serde_json::Value>(&text).is_ok()),
                    ExportFormat::Bind => split(&text, ";").1.into_iter().for_each(|line| drop(zone_line(line))),
                    ExportFormat::Plain => {}
                }
            }
        }
    }
}

#[test]
fn what_only_looks_like_the_escape_of_a_byte_is_text() {
    for (text, written) in [("v\\300.example", "v\\05100.example"), ("v\\255x", "v\\255x"), ("v\\", "v\\092")] {
        assert_eq!(escape::name(text), written);
    }
}

#[test]
fn terraform_itself_finds_nothing_to_reformat() {
    const TERRAFORM: &str = "/usr/local/bin/terraform";
    if !Path::new(TERRAFORM).exists() {
        return;
    }
    for (record, deletes) in
        [(subdomain(), vec![]), (apex(), with_mail()), (subdomain(), filled("${x} \" \n } /* <<E"))]
    {
        let mut child = Command::new(TERRAFORM)
            .args(["fmt", "-check", "-"])
            .env("CHECKPOINT_DISABLE", "1")
            .stdin(Stdio::piped())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let text = export(&record, ExportFormat::Terraform, &deletes);
        child.stdin.take().unwrap().write_all(text.as_bytes()).unwrap();
        assert!(child.wait().unwrap().success(), "{text}");
    }
}
