//! The formats that programs and support read: JSON held against its schema, monitoring, and the HTML report.

use petstore::domains::Code;
use petstore::domains::simulator::{Plan, ZoneData};
use serde_json::Value;

use super::commands::{Room, ends_with, text};
use super::fixture::now;

const DOMAIN: &str = Plan::DOMAIN;

/// A world in which one domain is right and another is not.
fn mixed() -> Room {
    Room::new(Plan::healthy(now()).with(|plan| {
        plan.zone(Plan::ZONE).set("bad.acme-pets.com", 300, ZoneData::address(Plan::OLD_ADDRESS));
    }))
}

#[test]
fn one_domain_and_several_have_one_shape_and_it_matches_the_schema() {
    let schema = serde_json::from_str(include_str!("../../../assets/domains-check.schema.json")).unwrap();
    let validator = jsonschema::validator_for(&schema).unwrap();
    let mixed = mixed();
    let waiting = Room::of(Code::TtlWait);
    let watched = |words: &[&str]| text(&mixed.run(words).stdout).lines().next().unwrap().to_owned();
    let answers = [
        mixed.check(&[DOMAIN]).1,
        mixed.check(&[DOMAIN, "bad.acme-pets.com", "not a name"]).1,
        mixed.check(&["192.0.2.1"]).1,
        mixed.check(&["--from", Plan::REDIRECTED, "--to", DOMAIN]).1,
        waiting.check(&[DOMAIN, "--saved-at", "2026-11-21T11:00:00Z"]).1,
        serde_json::from_slice(&mixed.run(&["report", DOMAIN, "--format", "json"]).stdout).unwrap(),
        serde_json::from_str(&watched(&["watch", DOMAIN, "--json"])).unwrap(),
    ];
    for answer in &answers {
        let errors: Vec<String> = validator.iter_errors(answer).map(|error| format!("{error}")).collect();
        assert!(errors.is_empty(), "{errors:?}\n{answer:#}");
        let domains = answer["domains"].as_array().unwrap();
        assert!(domains.iter().any(|domain| domain["domain"] == answer["domain"]), "{answer:#}");
        for domain in domains {
            assert_eq!(domain["code"], domain["findings"][0]["code"], "the first finding decides");
        }
    }
    let domain = |answer: &Value, at: usize| answer["domains"][at]["domain"].as_str().unwrap().to_owned();
    assert_eq!([0, 1, 2].map(|at| domain(&answers[1], at)), [DOMAIN, "bad.acme-pets.com", "not a name"]);
    assert_eq!(answers[4]["until"], answers[4]["next"]["until"]);
    assert!(answers[4]["until"].is_string() && answers[0]["until"].is_null());
    assert!(answers[0]["certificateExpires"].is_string());
    let lookups = answers[5]["lookups"].as_array().unwrap().len();
    assert_eq!(answers[5]["questions"], lookups);
}

#[test]
fn findings_come_in_the_same_order_each_time() {
    let room = Room::of(Code::DnsABlocks);
    let codes = || -> Vec<Value> {
        let findings = room.check(&[DOMAIN]).1["findings"].as_array().unwrap().clone();
        findings.into_iter().map(|finding| finding["code"].clone()).collect()
    };
    let first = codes();
    assert!(first.len() > 1 && (0..3).all(|_| codes() == first), "{first:?}");
}

#[test]
fn warnings_fail_on_request_and_so_does_the_list() {
    let room = Room::of(Code::DnsADirect);
    for (words, status) in [(&[][..], 0), (&["--fail-on", "fail"], 0), (&["--fail-on", "warn"], 8)] {
        assert_eq!(room.check(&[&[DOMAIN], words].concat()).0, status, "{words:?}");
        ends_with(&room.run(&[&["check", DOMAIN], words].concat()), status);
    }
    let room = Room::today(Code::DnsABlocks);
    ends_with(&room.petstore(&["add", DOMAIN, "--platform-host", Plan::PLATFORM_HOST]).output().unwrap(), 0);
    room.check(&[DOMAIN]);
    for (words, status) in
        [(&["list"][..], 0), (&["list", "--fail-on", "fail"], 8), (&["list", "--json", "--fail-on", "warn"], 8)]
    {
        ends_with(&room.petstore(words).output().unwrap(), status);
    }
}

#[test]
fn monitoring_gets_its_formats_from_a_real_check() {
    let room = mixed();
    let nagios = room.run(&["check", DOMAIN, "bad.acme-pets.com", "--format", "nagios"]);
    ends_with(&nagios, 2);
    let line = text(&nagios.stdout);
    let begin =
        "DOMAINS CRITICAL - 1 to fix, 1 fine: bad.acme-pets.com: An A record blocks the CNAME [DNS-A-BLOCKS] | ";
    assert!(line.starts_with(begin) && line.contains("'certificate days of docs.acme-pets.com'="), "{line}");
    assert_eq!(line.lines().count(), 1);
    ends_with(&room.run(&["check", DOMAIN, "--format", "nagios"]), 0);
    let metrics = text(&room.run(&["check", DOMAIN, "--format", "prometheus"]).stdout);
    for metric in [
        "petstore_domain_verdict{domain=\"docs.acme-pets.com\",verdict=\"ok\",code=\"DNS-OK\"} 1\n",
        "petstore_domain_certificate_expiry_timestamp_seconds{domain=\"docs.acme-pets.com\"} ",
    ] {
        assert!(metrics.contains(metric), "{metric} is missing in\n{metrics}");
    }
}

#[test]
fn the_html_report_is_one_file_without_script_and_hostile_records_stay_text() {
    let script = "<script>alert(1)</script>";
    let room = Room::new(Plan::healthy(now()).with(|plan| {
        plan.zone(Plan::ZONE).clear(DOMAIN).add(DOMAIN, 60, ZoneData::txt(script));
    }));
    let file = room.home.path().join("ticket.html");
    let output = room.run(&["report", DOMAIN, "--html", file.to_str().unwrap()]);
    ends_with(&output, 9);
    assert!(output.stdout.is_empty() && text(&output.stderr).contains("report written to"));
    let html = std::fs::read_to_string(file).unwrap();
    for part in ["<!doctype html>", "docs.acme-pets.com", "DNS-NODATA", "All questions", "&lt;script&gt;"] {
        assert!(html.contains(part), "{part} is missing in\n{html}");
    }
    for loaded in ["<script", "http-equiv=\"refresh\"", "src=", "href=", "url(", "@import", " on"] {
        let found = html.match_indices(loaded).find(|(at, _)| html[..*at].rfind('<') > html[..*at].rfind('>'));
        assert!(!html.contains("<script") && found.is_none(), "{loaded} is in a tag of\n{html}");
    }
}
