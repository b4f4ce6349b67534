//! What the formats say with their own syntax: JSON and HCL.

use serde_json::{Value, json};

use super::super::{ExportFormat, escape, export};
use super::parse::{Resource, hcl, string};
use super::{apex, assert_deletes_in, subdomain, with_mail};
use crate::domains::RecordType;

#[test]
fn json_names_what_to_delete_and_what_to_add() {
    for (record, kind, name) in [(subdomain(), "CNAME", "docs"), (apex(), "ALIAS", "@")] {
        let value: Value = serde_json::from_str(&export(&record, ExportFormat::Json, &with_mail())).unwrap();
        assert_eq!((&value["schemaVersion"], value["add"].as_array().unwrap().len()), (&json!(1), 1));
        let expected = json!({"type": kind, "name": name, "fullName": record.name.as_str(), "zone": "example.com",
            "ttl": 3600, "values": ["sites.platform.example"]});
        assert_eq!(value["add"][0], expected);
        for (entry, conflict) in value["delete"].as_array().unwrap().iter().zip(with_mail()) {
            let expected = (&json!(conflict.kind.to_string()), &json!(conflict.ttl), &json!(conflict.values));
            assert_eq!((&entry["type"], &entry["ttl"], &entry["values"]), expected);
        }
        let alone: Value = serde_json::from_str(&export(&record, ExportFormat::Json, &[])).unwrap();
        assert_eq!((&alone["delete"], &alone["add"]), (&Value::Null, &value["add"]));
    }
}

#[test]
fn text_has_quotes_and_its_escapes_in_decimal() {
    assert_eq!(escape::rdata(RecordType::TXT, "v=spf1 -all"), r#""v=spf1 -all""#);
    assert_eq!(escape::rdata(RecordType::TXT, "a\"b\\c\né"), r#""a\"b\\c\010\195\169""#);
    assert_eq!(escape::rdata(RecordType::TXT, &"x".repeat(256)), format!("\"{}\" \"x\"", "x".repeat(255)));
    assert_eq!(escape::rdata(RecordType::CAA, "0 issue \"x\""), "0 issue \"x\"");
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
