//! What programs read: JSON compared with its schema, and the recipes for monitoring systems.

use crate::prelude::*;

use crate::simulator::{Plan, ZoneData};

use super::commands::{Room, ends_with, text};
use super::fixture::now;
use crate::skipped::skipped;

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

/// The scripts of `docs/recipes.md` for domains, by their headings.
fn recipe(heading: &str) -> String {
    let page = include_str!("../../../docs/recipes.md");
    let (_, rest) = page.split_once(&format!("### {heading}\n")).unwrap();
    let (_, rest) = rest.split_once("```bash\n").unwrap();
    rest.split_once("```").unwrap().0.to_owned()
}

/// Runs a recipe, in which `petstore domains check` checks these domains of the world.
fn run_recipe(room: &Room, heading: &str, domains: &[&str]) -> Option<Output> {
    for program in ["bash", "jq"] {
        let command = format!("command -v {program}");
        if !Command::new("sh").args(["-c", &command]).stdout(Stdio::null()).status().unwrap().success() {
            skipped(&format!("{program} is not installed: {heading}"));
            return None;
        }
    }
    let check = room.command(&[&["check"], domains].concat());
    let words = [check.get_program()].into_iter().chain(check.get_args());
    let words: Vec<String> = words.map(|word| format!("'{}'", word.to_str().unwrap())).collect();
    let script = recipe(heading).replace("petstore domains check", &words.join(" "));
    let mut command = Command::new("bash");
    Some(command.args(["-c", &script]).env("HOME", room.home.path()).output().unwrap())
}

#[test]
fn the_recipe_for_nagios_ends_with_the_statuses_of_a_plugin() {
    let room = mixed();
    let heading = "A plugin for Nagios and Icinga";
    for (domains, status, line) in [
        (&[DOMAIN][..], 0, "DOMAINS ok: docs.acme-pets.com DNS-OK, 1 checked\n"),
        (&[DOMAIN, "bad.acme-pets.com"], 2, "DOMAINS fail: bad.acme-pets.com DNS-A-BLOCKS, 2 checked\n"),
        (&["new.acme-pets.com"], 1, "DOMAINS you: new.acme-pets.com DNS-MISSING, 1 checked\n"),
    ] {
        let Some(output) = run_recipe(&room, heading, domains) else { return };
        ends_with(&output, status);
        assert_eq!(text(&output.stdout), line);
    }
}

#[test]
fn the_recipe_for_prometheus_gives_a_metric_a_line() {
    let room = mixed();
    let Some(output) = run_recipe(&room, "Metrics for Prometheus", &[DOMAIN, "bad.acme-pets.com", "a\"b"]) else {
        return;
    };
    let metrics = text(&output.stdout);
    let expiry = "petstore_domain_certificate_expiry_timestamp_seconds{domain=\"docs.acme-pets.com\"} ";
    assert!(
        metrics.lines().any(|line| line.strip_prefix(expiry).is_some_and(|at| at.parse::<u64>().is_ok())),
        "{metrics}"
    );
    for line in ["{domain=\"docs.acme-pets.com\"} 1", "{domain=\"bad.acme-pets.com\"} 4", "{domain=\"a\\\"b\"} 4"] {
        assert!(metrics.lines().any(|found| found == format!("petstore_domain_verdict{line}")), "{line}\n{metrics}");
    }
    assert_eq!(metrics.lines().count(), 4, "{metrics}");
}
