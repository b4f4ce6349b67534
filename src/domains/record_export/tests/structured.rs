//! What the formats say with their own syntax: JSON, HCL, JavaScript, YAML.

use serde_json::{Value, json};

use super::super::{Conflict, DnsRecord, ExportFormat, escape, export};
use super::parse::{Resource, hcl, js_call, split, string};
use super::{apex, assert_deletes_in, conflict, subdomain, with_mail};
use crate::domains::DnsName;

#[test]
fn cloudflare_is_one_object_that_is_not_proxied() {
    for record in [subdomain(), apex()] {
        let post = json!({"type": "CNAME", "name": record.name.as_str(), "content": "sites.platform.example",
            "ttl": 3600, "proxied": false});
        let read =
            |deletes| serde_json::from_str::<Value>(&export(&record, ExportFormat::Cloudflare, deletes)).unwrap();
        assert_eq!(read(&[]), post);

        let batch = read(&with_mail());
        assert_eq!(batch["posts"], json!([post]));
        assert_eq!(batch.as_object().unwrap().len(), 2);
        let ids = batch["deletes"].as_array().unwrap();
        let values: Vec<_> =
            with_mail().into_iter().flat_map(|c| c.values.into_iter().map(move |v| (c.kind.clone(), v))).collect();
        assert_eq!(ids.len(), values.len());
        for (id, (kind, value)) in ids.iter().zip(values) {
            // The provider takes at most 32 characters, so it rejects placeholders.
            let id = id["id"].as_str().unwrap();
            assert!(id.starts_with(&format!("REPLACE with the id of {} {kind} ", record.name)) && id.len() > 32);
            assert!(kind == "TXT" || id.contains(&value));
        }
    }
}

#[test]
fn json_names_what_to_delete_and_what_to_add() {
    for (record, kind, name) in [(subdomain(), "CNAME", "docs"), (apex(), "ALIAS", "@")] {
        let value: Value = serde_json::from_str(&export(&record, ExportFormat::Json, &with_mail())).unwrap();
        assert_eq!((&value["schemaVersion"], value["add"].as_array().unwrap().len()), (&json!(1), 1));
        let expected = json!({"type": kind, "name": name, "fullName": record.name.as_str(), "zone": "example.com",
            "ttl": 3600, "values": ["sites.platform.example"]});
        assert_eq!(value["add"][0], expected);
        for (entry, conflict) in value["delete"].as_array().unwrap().iter().zip(with_mail()) {
            let expected = (&json!(conflict.kind), &json!(conflict.ttl), &json!(conflict.values));
            assert_eq!((&entry["type"], &entry["ttl"], &entry["values"]), expected);
        }
        let alone: Value = serde_json::from_str(&export(&record, ExportFormat::Json, &[])).unwrap();
        assert_eq!((&alone["delete"], &alone["add"]), (&Value::Null, &value["add"]));
    }
}

#[test]
fn route53_deletes_exactly_what_is_there_and_creates_in_one_batch() {
    let read = |record: &DnsRecord, deletes: &[Conflict]| -> Value {
        serde_json::from_str(&export(record, ExportFormat::Route53, deletes)).unwrap()
    };
    let set = json!({"Name": "docs.example.com.", "Type": "CNAME", "TTL": 3600,
        "ResourceRecords": [{"Value": "sites.platform.example."}]});
    let alone = json!({"Changes": [{"Action": "UPSERT", "ResourceRecordSet": set}]});
    assert_eq!(read(&subdomain(), &[]), alone);

    let both = read(&subdomain(), &with_mail());
    let changes = both["Changes"].as_array().unwrap();
    let conflicts = with_mail();
    assert_eq!(changes.len(), conflicts.len() + 1);
    assert_eq!(changes[conflicts.len()], json!({"Action": "CREATE", "ResourceRecordSet": set}));
    for (change, conflict) in changes.iter().zip(&conflicts) {
        assert_eq!(change["Action"], "DELETE");
        let set = &change["ResourceRecordSet"];
        assert_eq!((&set["Name"], &set["Type"]), (&json!("docs.example.com."), &json!(conflict.kind)));
        assert_eq!(set["TTL"], conflict.ttl);
        let values: Vec<_> =
            conflict.values.iter().map(|value| json!({"Value": escape::route53(conflict, value)})).collect();
        assert_eq!(set["ResourceRecords"], Value::Array(values));
    }
    let comment = both["Comment"].as_str().unwrap();
    assert!(comment.len() <= 256 && comment.contains("mail for this name stops"));
    for deletes in [vec![], with_mail()] {
        let apex = read(&apex(), &deletes);
        assert_eq!((&apex["Changes"], apex.as_object().unwrap().len()), (&json!([]), 2));
        assert!(apex["Comment"].as_str().unwrap().contains("ALIAS or ANAME"));
    }
}

#[test]
fn route53_has_text_in_quotes_and_its_escapes_in_octal() {
    let text = conflict("TXT", 60, &[]);
    assert_eq!(escape::route53(&text, "v=spf1 -all"), r#""v=spf1 -all""#);
    assert_eq!(escape::route53(&text, "a\"b\\c\né"), r#""a\"b\\c\012\303\251""#);
    assert_eq!(escape::rdata(&text, "a\"b\\c\né"), r#""a\"b\\c\010\195\169""#);
    let long = escape::route53(&text, &"x".repeat(256));
    assert_eq!(long, format!("\"{}\" \"x\"", "x".repeat(255)));
    assert_eq!(escape::route53(&conflict("CAA", 60, &[]), "0 issue \"x\""), "0 issue \"x\"");
}

#[test]
fn terraform_offers_three_providers() {
    for deletes in [vec![], with_mail()] {
        let text = export(&subdomain(), ExportFormat::Terraform, &deletes);
        let (comments, resources) = hcl(&text);
        let [aws, cloudflare, google]: [Resource; 3] = resources.try_into().unwrap();
        assert_eq!(aws.0, "aws_route53_record");
        assert_resource(&aws, &[("zone_id", "var.zone_id"), ("records", "[sites.platform.example.]"), ("ttl", "3600")]);
        assert_eq!(cloudflare.0, "cloudflare_dns_record");
        assert_resource(&cloudflare, &[("content", "sites.platform.example"), ("proxied", "false"), ("type", "CNAME")]);
        assert_eq!(google.0, "google_dns_record_set");
        assert_resource(&google, &[("name", "docs.example.com."), ("rrdatas", "[sites.platform.example.]")]);
        if !deletes.is_empty() {
            assert_deletes_in(&comments, &subdomain());
        }
        let text = export(&apex(), ExportFormat::Terraform, &deletes);
        let (comments, resources) = hcl(&text);
        let [cloudflare, google]: [Resource; 2] = resources.try_into().unwrap();
        assert_resource(&cloudflare, &[("name", "example.com"), ("type", "CNAME"), ("zone_id", "var.zone_id")]);
        assert_resource(&google, &[("name", "example.com."), ("type", "ALIAS"), ("managed_zone", "var.managed_zone")]);
        assert!(comments.iter().any(|line| line.contains("ALIAS or ANAME")));
    }
}

fn assert_resource((kind, name, attributes): &Resource, expected: &[(&str, &str)]) {
    assert!(["docs_example_com", "example_com"].contains(&name.as_str()));
    for (key, value) in expected {
        let found = attributes.iter().find(|(found, _)| found == key);
        assert_eq!(found.map(|(_, value)| value.as_str()), Some(*value), "{kind} {key}");
    }
}

#[test]
fn strings_of_hcl_are_no_templates() {
    for text in ["${var.x}", "%{if x}", "$${x", "a\"b\\c", "%%{"] {
        assert_eq!(string(&escape::hcl(text)), text);
    }
}

#[test]
fn dnscontrol_is_one_call() {
    for (record, kind, name) in [(subdomain(), "CNAME", "docs"), (apex(), "ALIAS", "@")] {
        for deletes in [vec![], with_mail()] {
            let text = export(&record, ExportFormat::Dnscontrol, &deletes);
            let (comments, rest) = split(&text, "//");
            assert_eq!(rest.len(), 1);
            let strings = [name, "sites.platform.example."].map(str::to_owned);
            assert_eq!(js_call(rest[0]), (kind.to_owned(), strings, 3600));
            if !deletes.is_empty() {
                assert_deletes_in(&comments, &record);
            }
        }
    }
}

#[test]
fn octodns_has_sorted_keys_below_the_name_in_the_zone() {
    for (record, kind, name) in [(subdomain(), "CNAME", "docs"), (apex(), "ALIAS", "")] {
        for deletes in [vec![], with_mail()] {
            let text = export(&record, ExportFormat::Octodns, &deletes);
            let (comments, _) = split(&text, "#");
            let read: serde_yaml_ng::Mapping = serde_yaml_ng::from_str(&text).unwrap();
            assert_eq!(read.len(), 1);
            let entry = read[name].as_mapping().unwrap();
            assert_eq!(entry.keys().map(|key| key.as_str().unwrap()).collect::<Vec<_>>(), ["ttl", "type", "value"]);
            assert_eq!((entry["ttl"].as_u64(), entry["type"].as_str()), (Some(3600), Some(kind)));
            assert_eq!(entry["value"].as_str(), Some("sites.platform.example."));
            if !deletes.is_empty() {
                assert_deletes_in(&comments, &record);
            }
        }
    }
}

#[test]
fn octodns_names_that_look_like_other_types_stay_text() {
    for label in ["on", "no", "null", "123", "1e3", "*", "0x1", "true", "-", "y"] {
        let record = DnsRecord { name: DnsName::new(&format!("{label}.example.com")), ..subdomain() };
        let text = export(&record, ExportFormat::Octodns, &[]);
        assert_eq!(text.lines().next(), Some(format!("'{label}':").as_str()));
        assert!(serde_yaml_ng::from_str::<serde_yaml_ng::Mapping>(&text).unwrap().contains_key(label));
    }
}

#[test]
fn a_delegated_certificate_check_is_a_second_record_in_every_format() {
    let target = DnsName::new("docs.example.com.acme.platform.example");
    for format in ExportFormat::ALL {
        for record in [subdomain(), apex()] {
            let alone = export(&record, *format, &[]);
            let text = export(&DnsRecord { challenge: Some(target.clone()), ..record }, *format, &[]);
            assert!(text.contains(target.as_str()) && text.contains("_acme-challenge"), "{format}: {text}");
            assert!(text.len() > alone.len(), "{format}");
        }
    }
    let record = DnsRecord { challenge: Some(target), ..subdomain() };
    let json = |format| serde_json::from_str::<Value>(&export(&record, format, &with_mail())).unwrap();
    assert_eq!(json(ExportFormat::Json)["add"][1]["name"], "_acme-challenge.docs");
    assert_eq!(json(ExportFormat::Cloudflare)["posts"].as_array().unwrap().len(), 2);
    assert_eq!(json(ExportFormat::Route53)["Changes"].as_array().unwrap().len(), with_mail().len() + 2);
}
