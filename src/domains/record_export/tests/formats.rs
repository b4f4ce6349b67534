//! What the formats say that are lines and commands.

use super::super::{DnsRecord, ExportFormat, export};
use super::parse::{lines, shell_words, split, zone_line};
use super::{apex, assert_deletes_in, subdomain, with_mail};

fn words(line: &str) -> Vec<String> {
    zone_line(line).into_iter().map(|word| String::from_utf8(word).unwrap()).collect()
}

#[test]
fn plain_gives_each_field_its_line() {
    for (record, kind, name) in [(subdomain(), "CNAME", "docs"), (apex(), "ALIAS or ANAME", "@")] {
        let alone = export(&record, ExportFormat::Plain, &[]);
        let fields: Vec<_> = lines(&alone, false).iter().map(|line| line.split_at(11)).collect();
        let [full, value] = [record.name.as_str(), "sites.platform.example"];
        let expected = [("Type", kind), ("Name", name), ("Full name", full), ("Value", value), ("TTL", "3600")];
        assert_eq!(
            fields,
            expected.map(|(label, value)| (format!("{label:<11}"), value)).each_ref().map(|(l, v)| (&**l, *v))
        );

        let both = export(&record, ExportFormat::Plain, &with_mail());
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
        let text = export(&subdomain(), ExportFormat::Bind, &deletes);
        let (comments, rest) = split(&text, ";");
        assert_eq!(rest.len(), 1);
        assert_eq!(words(rest[0]), ["docs.example.com.", "3600", "IN", "CNAME", "sites.platform.example."]);
        if !deletes.is_empty() {
            assert_deletes_in(&comments, &subdomain());
        }
        assert!(split(&export(&apex(), ExportFormat::Bind, &deletes), ";").1.is_empty());
    }
}

#[test]
fn nsupdate_deletes_and_adds_in_one_update() {
    for deletes in [vec![], with_mail()] {
        let text = export(&subdomain(), ExportFormat::Nsupdate, &deletes);
        let (comments, rest) = split(&text, ";");
        let mut expected = vec!["zone example.com.".to_owned()];
        expected.extend(deletes.iter().map(|conflict| format!("update delete docs.example.com. {}", conflict.kind)));
        expected.push("update add docs.example.com. 3600 CNAME sites.platform.example.".to_owned());
        expected.push("send".to_owned());
        assert_eq!(rest, expected);
        if !deletes.is_empty() {
            assert_deletes_in(&comments, &subdomain());
        }
        assert!(split(&export(&apex(), ExportFormat::Nsupdate, &deletes), ";").1.is_empty());
    }
}

/// The commands of a text for a shell. Comments too must be harmless where a shell does not know them.
fn commands(text: &str, record: &DnsRecord, deletes: bool) -> Vec<Vec<String>> {
    let (comments, rest) = split(text, "#");
    let comments: Vec<_> = comments.into_iter().map(shell_words).collect();
    if deletes {
        let quoted: Vec<_> = comments.iter().filter(|words| words.len() == 1).map(|words| words[0].as_str()).collect();
        assert_deletes_in(&quoted, record);
    }
    rest.into_iter().map(shell_words).collect()
}

#[test]
fn gcloud_is_one_command_for_each_record_set() {
    for deletes in [vec![], with_mail()] {
        let text = export(&subdomain(), ExportFormat::Gcloud, &deletes);
        let mut commands = commands(&text, &subdomain(), !deletes.is_empty());
        let create = commands.pop().unwrap().join(" ");
        assert_eq!(
            create,
            "gcloud dns record-sets create docs.example.com. --zone=$MANAGED_ZONE --type=CNAME --ttl=3600 \
             --rrdatas=sites.platform.example."
        );
        let expected = deletes.iter().map(|conflict| {
            format!("gcloud dns record-sets delete docs.example.com. --zone=$MANAGED_ZONE --type={}", conflict.kind)
        });
        assert_eq!(commands.iter().map(|words| words.join(" ")).collect::<Vec<_>>(), expected.collect::<Vec<_>>());
        let apex = export(&apex(), ExportFormat::Gcloud, &deletes);
        assert!(self::commands(&apex, &subdomain(), false).is_empty() && apex.contains("Cloud DNS has the type ALIAS"));
    }
}

#[test]
fn az_is_one_command_for_each_record_set_that_azure_knows() {
    const PLACE: &str = "--resource-group $RESOURCE_GROUP --zone-name example.com";
    for deletes in [vec![], with_mail()] {
        let text = export(&subdomain(), ExportFormat::Az, &deletes);
        let commands = commands(&text, &subdomain(), !deletes.is_empty());
        let known =
            deletes.iter().filter(|conflict| conflict.kind != "HTTPS").map(|conflict| conflict.kind.to_lowercase());
        let mut expected: Vec<_> =
            known.map(|kind| format!("az network dns record-set {kind} delete {PLACE} --name docs --yes")).collect();
        expected.push(format!(
            "az network dns record-set cname set-record {PLACE} --record-set-name docs \
             --cname sites.platform.example --ttl 3600"
        ));
        assert_eq!(commands.iter().map(|words| words.join(" ")).collect::<Vec<_>>(), expected);
        assert_eq!(text.contains("no command for HTTPS"), !deletes.is_empty());
        assert!(self::commands(&export(&apex(), ExportFormat::Az, &deletes), &subdomain(), false).is_empty());
    }
}

#[test]
fn tsv_has_five_columns() {
    for (record, kind, short) in [(subdomain(), "CNAME", "docs"), (apex(), "ALIAS", "@")] {
        for deletes in [vec![], with_mail()] {
            let text = export(&record, ExportFormat::Tsv, &deletes);
            let (comments, rest) = split(&text, "#");
            let rows: Vec<Vec<_>> = rest.iter().map(|line| line.split('\t').collect()).collect();
            assert_eq!(rows, [[record.name.as_str(), short, "3600", kind, "sites.platform.example."]]);
            let gone: Vec<Vec<_>> =
                comments.iter().filter(|line| line.contains('\t')).map(|line| line.split('\t').collect()).collect();
            assert_eq!(gone.len(), deletes.iter().map(|conflict| conflict.values.len()).sum::<usize>());
            assert!(gone.iter().all(|row| row.len() == 5 && row[0] == record.name.as_str() && row[1] == short));
        }
    }
}
