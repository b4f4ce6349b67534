//! What the formats say that are lines.

use super::super::{plain, zone_file};
use super::parse::{lines, split, zone_line};
use super::{apex, assert_deletes_in, subdomain, with_mail};

fn words(line: &str) -> Vec<String> {
    zone_line(line).into_iter().map(|word| String::from_utf8(word).unwrap()).collect()
}

#[test]
fn plain_gives_each_field_its_line() {
    for (record, kind, name) in [(subdomain(), "CNAME", "docs"), (apex(), "ALIAS or ANAME", "@")] {
        let alone = plain(&record, &[]);
        let fields: Vec<_> = lines(&alone, false).iter().map(|line| line.split_at(11)).collect();
        let [full, value] = [record.name.as_str(), "sites.platform.example"];
        let expected = [("Type", kind), ("Name", name), ("Full name", full), ("Value", value), ("TTL", "3600")];
        assert_eq!(
            fields,
            expected.map(|(label, value)| (format!("{label:<11}"), value)).each_ref().map(|(l, v)| (&**l, *v))
        );

        let both = plain(&record, &with_mail());
        let (deletes, add) = both.split_once("\nThen add\n").unwrap();
        assert_eq!(add, alone);
        let parts: Vec<_> = deletes.strip_prefix("First delete\n").unwrap().split("\n\n").collect();
        assert_eq!(parts.len(), with_mail().len() + 1);
        for (part, conflict) in parts.iter().zip(with_mail()) {
            assert_eq!(part.lines().next().unwrap(), format!("Type       {}", conflict.kind));
            assert_eq!(part.lines().last().unwrap(), format!("TTL        {}", conflict.ttl));
            assert_eq!(part.lines().filter(|line| line.starts_with("Value")).count(), conflict.values.len());
        }
    }
}

#[test]
fn bind_is_one_line_of_a_zone_file_with_final_dots() {
    for deletes in [vec![], with_mail()] {
        let text = zone_file(&subdomain(), &deletes);
        let (comments, rest) = split(&text, ";");
        assert_eq!(rest.len(), 1);
        assert_eq!(words(rest[0]), ["docs.example.com.", "3600", "IN", "CNAME", "sites.platform.example."]);
        if !deletes.is_empty() {
            assert_deletes_in(&comments, &subdomain());
        }
        assert!(split(&zone_file(&apex(), &deletes), ";").1.is_empty());
    }
}
