use super::*;

/// Codes and what was seen, for a text.
fn lines(text: &str) -> Vec<(String, String)> {
    lint(text, &[DnsName::new("docs.acme.com")]).findings.into_iter().map(|f| (f.code.to_string(), f.seen)).collect()
}

fn codes(text: &str) -> Vec<String> {
    lines(text).into_iter().map(|(code, _)| code).collect()
}

/// A configuration with one redirect list, in both formats.
fn both(primary: &str, redirects: &[(&str, &str, i64)]) -> [String; 2] {
    let json: Vec<_> = redirects
        .iter()
        .map(|(from, to, status)| serde_json::json!({ "from": from, "to": to, "status": status }))
        .collect();
    let toml: Vec<_> = redirects
        .iter()
        .map(|(from, to, status)| format!("[[domains.redirects]]\nfrom = {from:?}\nto = {to:?}\nstatus = {status}\n"))
        .collect();
    [
        serde_json::json!({ "domains": { "primary": primary, "redirects": json } }).to_string(),
        format!("[domains]\nprimary = {primary:?}\n{}", toml.concat()),
    ]
}

/// A primary domain, its redirects, and the codes that are found.
type Case<'a> = (&'a str, &'a [(&'a str, &'a str, i64)], &'a [&'a str]);

#[test]
fn every_rule_is_found_in_both_formats() {
    let main = "docs.acme.com";
    let cases: &[Case] = &[
        (main, &[("old.acme.com", main, 301)], &["CFG-OK"]),
        ("Docs.Acme.com.", &[("OLD.acme.com", "docs.acme.com.", 301)], &["CFG-OK"]),
        (main, &[], &["CFG-OK"]),
        ("", &[("old.acme.com", main, 301)], &["CFG-NO-PRIMARY"]),
        ("docs", &[], &["CFG-NAME"]),
        (main, &[("old_name.acme.com", main, 301)], &["CFG-NAME"]),
        ("https://docs.acme.com/", &[], &["CFG-URL"]),
        (main, &[("https://old.acme.com/x", main, 301)], &["CFG-URL"]),
        (main, &[("old.acme.com", "OLD.acme.com.", 301)], &["CFG-SELF"]),
        (main, &[("a.acme.com", "b.acme.com", 301), ("b.acme.com", "a.acme.com", 301)], &["CFG-LOOP"]),
        (main, &[("a.acme.com", "b.acme.com", 301), ("b.acme.com", main, 301)], &["CFG-CHAIN"]),
        (main, &[("a.acme.com", main, 301), ("A.acme.com.", main, 301)], &["CFG-DUPLICATE"]),
        (main, &[(main, "x.acme.com", 301)], &["CFG-PRIMARY-REDIRECTS", "CFG-TO-ELSEWHERE"]),
        (main, &[("a.acme.com", "www.other.com", 301)], &["CFG-TO-ELSEWHERE"]),
        (main, &[("a.acme.com", main, 302)], &["CFG-STATUS"]),
        (main, &[("a.acme.com", main, 303)], &["CFG-STATUS"]),
        (main, &[("a.acme.com", main, 307)], &["CFG-STATUS"]),
        (main, &[("a.acme.com", main, 308)], &["CFG-STATUS"]),
        (main, &[("a.acme.com", main, 200)], &["CFG-STATUS"]),
        (main, &[("a.acme.com", main, -1)], &["CFG-STATUS"]),
    ];
    for (primary, redirects, expected) in cases {
        for text in both(primary, redirects) {
            assert_eq!(codes(&text), *expected, "{text}");
        }
    }
}

#[test]
fn verdicts_tell_what_stops_a_configuration_from_what_is_only_worth_a_look() {
    let verdict = |redirects: &[(&str, &str, i64)]| {
        let [json, _] = both("docs.acme.com", redirects);
        let linted = lint(&json, &[]);
        (linted.findings[0].verdict, linted.configuration.is_some())
    };
    assert_eq!(verdict(&[("a.acme.com", "docs.acme.com", 308)]), (Verdict::Warn, true));
    assert_eq!(verdict(&[("a.acme.com", "docs.acme.com", 404)]), (Verdict::Fail, false));
    assert_eq!(verdict(&[("a.acme.com", "www.other.com", 301)]), (Verdict::Warn, true));
    assert_eq!(verdict(&[("docs.acme.com", "www.other.com", 301)]), (Verdict::Fail, false));
}

#[test]
fn redirects_are_named_by_their_place_also_behind_one_that_is_none() {
    let text = r#"{"primary": "docs.acme.com", "redirects": [
        {"from": "a.acme.com", "to": "docs.acme.com", "status": "301"},
        {"from": "b.acme.com", "to": "b.acme.com", "status": 301}]}"#;
    let seen: Vec<String> = lines(text).into_iter().map(|(_, seen)| seen).collect();
    assert_eq!(seen[0], "domains.redirects[0].status is text");
    assert!(seen[1].starts_with("domains.redirects[1]"), "{seen:?}");
    assert_eq!(lines("[]"), [("CFG-TYPE".to_owned(), "the whole file is a list".to_owned())]);
}

#[test]
fn wrong_types_and_keys_are_named_with_their_place() {
    for (text, expected) in [
        (r#"{"domains": []}"#, "domains is a list"),
        (r#"{"domains": {"primary": 5}}"#, "domains.primary is a number"),
        (r#"{"domains": {"primary": "docs.acme.com", "redirects": {}}}"#, "domains.redirects is an object"),
        (r#"{"domains": {"primary": "docs.acme.com", "redirects": ["x"]}}"#, "domains.redirects[0] is text"),
        (
            r#"{"domains": {"primary": "docs.acme.com", "redirects": [{"from": "a.acme.com", "to": "docs.acme.com", "status": "301"}]}}"#,
            "domains.redirects[0].status is text",
        ),
        (
            r#"{"domains": {"primary": "docs.acme.com", "redirects": [{"from": "a.acme.com", "to": null, "status": 301}]}}"#,
            "domains.redirects[0].to is nothing (null)",
        ),
        (
            r#"{"domains": {"primary": "docs.acme.com", "redirects": [{"from": "a.acme.com", "to": "docs.acme.com"}]}}"#,
            "domains.redirects[0].status is missing",
        ),
        ("[domains]\nprimary = 1979-05-27T07:32:00Z\n", "domains.primary is a date"),
        ("[domains]\nprimary = true\n", "domains.primary is true or false"),
        ("[domains]\nprimary = \"docs.acme.com\"\nredirects = 1.5\n", "domains.redirects is a number with a fraction"),
    ] {
        assert_eq!(lines(text), [("CFG-TYPE".to_owned(), expected.to_owned())], "{text}");
    }
    let linted = lint("[domains]\nprimary = \"docs.acme.com\"\nredirect = []\nsomething = 1\n", &[]);
    let found: Vec<_> = linted.findings.iter().map(|f| (f.code, f.seen.as_str(), f.fix.as_str())).collect();
    assert_eq!(
        found,
        [
            (Code::CfgUnknownKey, "domains.redirect", "did you mean redirects?"),
            (Code::CfgUnknownKey, "domains.something", "remove it; known keys: primary, redirects"),
        ]
    );
}

#[test]
fn other_keys_of_the_configuration_file_are_allowed_in_toml_but_not_in_json() {
    let schema: Value = serde_json::from_str(include_str!("../../../assets/config.schema.json")).unwrap();
    let keys: Vec<&String> = schema["properties"]["domains"]["properties"].as_object().unwrap().keys().collect();
    let own: Vec<&String> = keys.into_iter().filter(|key| !matches!(key.as_str(), "primary" | "redirects")).collect();
    assert!(own.len() > 5, "{own:?}");
    for key in own {
        let toml = lines(&format!("[domains]\nprimary = \"docs.acme.com\"\n{key} = 1\n"));
        assert!(toml.iter().all(|(code, _)| code != "CFG-UNKNOWN-KEY"), "{toml:?}");
        let json = lines(&format!(r#"{{"domains": {{"primary": "docs.acme.com", "{key}": 1}}}}"#));
        assert_eq!(json, [("CFG-UNKNOWN-KEY".to_owned(), format!("domains.{key}"))]);
    }
}

#[test]
fn a_text_that_cannot_be_read_is_named_by_line_and_column() {
    for (text, place) in [
        ("{\"domains\": {\n  \"primary\": docs\n}}", "line 2, column 14"),
        ("[domains]\nprimary = docs\n", "line 2, column 11"),
        ("[domains]\nprimary = \"a\"\nprimary = \"b\"\n", "line 3, column 1"),
        ("{\"domains\": {\"primary\": \"docs.acme.com\"", "line 1, column"),
    ] {
        let found = lines(text);
        assert_eq!(found.len(), 1);
        assert_eq!(found[0].0, "CFG-SYNTAX", "{text}");
        assert!(found[0].1.starts_with(place), "{text}: {}", found[0].1);
    }
    let deep = format!("{}{}", "{\"domains\":".repeat(50_000), "}".repeat(50_000));
    assert_eq!(codes(&deep), ["CFG-SYNTAX"]);
    assert_eq!(codes(&"[".repeat(50_000)), ["CFG-SYNTAX"]);
    assert_eq!(codes(&"#".repeat(MAX_TEXT + 1)), ["CFG-SYNTAX"]);
}

#[test]
fn the_part_that_is_ours_is_found_where_people_put_it() {
    let redirects = r#"[{"from": "a.acme.com", "to": "docs.acme.com", "status": 301}]"#;
    for text in [
        format!(r#"{{"name": "x", "domains": {{"primary": "docs.acme.com", "redirects": {redirects}}}}}"#),
        format!(r#"{{"domains.primary": "docs.acme.com", "domains.redirects": {redirects}, "theme": 1}}"#),
        format!(r#"{{"primary": "docs.acme.com", "redirects": {redirects}}}"#),
    ] {
        let configuration = lint(&text, &[]).configuration.unwrap();
        assert_eq!((configuration.primary.as_str(), configuration.redirects.len()), ("docs.acme.com", 1), "{text}");
    }
}

#[test]
fn what_is_written_reads_back() {
    let configuration = DomainsConfiguration {
        primary: DnsName::new("docs.acme.com"),
        redirects: vec![Redirect { from: DnsName::new("a.acme.com"), to: DnsName::new("docs.acme.com"), status: 308 }],
    };
    let text = configuration.to_json();
    assert_eq!(lint(&text, &[]).configuration.as_ref(), Some(&configuration), "{text}");
}

proptest::proptest! {
    #[test]
    fn no_text_panics(text in "[\\[\\]{}\",:=. a-z0-9\n_\\\\-]{0,200}|.{0,60}") {
        let linted = lint(&text, &[]);
        proptest::prop_assert!(!linted.findings.is_empty());
    }

    #[test]
    fn no_configuration_panics_and_every_failure_has_a_remedy(
        primary in "[a-z.:/@ ]{0,12}",
        redirects in proptest::collection::vec(("[a-c]\\.(com|de)", "[a-c]\\.(com|de)", 299_i64..310), 0..6),
    ) {
        let redirects: Vec<_> = redirects.iter().map(|(from, to, status)| (from.as_str(), to.as_str(), *status)).collect();
        for text in both(&primary, &redirects) {
            for finding in lint(&text, &[]).findings {
                proptest::prop_assert!(finding.verdict == Verdict::Ok || !finding.fix.is_empty());
            }
        }
    }
}
