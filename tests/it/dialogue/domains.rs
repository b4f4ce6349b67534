//! Domains in practice: a check, and setting up a new one.

use crate::prelude::*;

use std::sync::atomic::AtomicI64;

use super::{NOW, Person};
use crate::stub::impatient;

fn nobody() -> Person {
    Person::at("http://127.0.0.1:9/v1", "petk_0123456789abcdef77d0", impatient(), "")
}

fn noon() -> Now {
    *NOW
}

/// Without what differs from run to run and from machine to machine: ports, and times of day in the zone of the machine.
fn without_places_and_times(transcript: &str) -> String {
    let lines = transcript.lines().map(|line| match line.split_once("ait until ") {
        Some((before, _)) => format!("{before}ait until TIME"),
        // Whichever name server was quicker.
        None => without_ports(line).replace("ns2.", "ns1."),
    });
    lines.collect::<Vec<_>>().join("\n")
}

fn without_ports(line: &str) -> String {
    let mut parts = line.split("127.0.0.");
    let mut masked = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let (host, rest) = part.split_at(1);
        let port = rest.strip_prefix(':').map(|port| port.trim_start_matches(|c: char| c.is_ascii_digit()));
        masked += &match port {
            Some(rest) => format!("127.0.0.{host}:PORT{rest}"),
            None => format!("127.0.0.{host}{rest}"),
        };
    }
    masked
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_domain_is_checked_by_its_number_or_by_its_name() {
    let person = nobody().practising(noon);
    let lines = ["9", "localhost", "1", "check a domain", "https://docs.acme-cats.com/guide", "sites.petplatform.net"];
    insta::assert_snapshot!(without_places_and_times(&person.says(&lines).await));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_wizard_reads_the_record_and_what_is_in_its_way() {
    let person = nobody().practising(noon);
    let lines = ["10", "other.acme-cats.com", "", "", "3", "back", "10", "2", "quit"];
    insta::assert_snapshot!(without_places_and_times(&person.says(&lines).await));
}

/// Later each time it is read: an hour of practice for each minute.
fn hurrying() -> Now {
    static SECONDS: AtomicI64 = AtomicI64::new(0);
    let second = SECONDS.fetch_add(10, Ordering::Relaxed);
    Now { wall: NOW.wall + Duration::from_secs(second.try_into().unwrap()), ..*NOW }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_domain_becomes_live_by_following_the_steps() {
    let person = nobody().practising(hurrying);
    let practise = |act: &'static str| ["6", act];
    let acts = ["at your DNS provider: delete A", "at your DNS provider: add CNAME", "at your DNS provider: add CAA"];
    let mut lines = vec!["10", "", ""];
    lines.extend(acts.iter().flat_map(|act| practise(act)));
    lines.extend(practise("in the dashboard: choose Verify"));
    lines.push("5");
    lines.extend(["1"; 8]);
    lines.extend(practise("in the dashboard: choose Re-verify"));
    lines.push("5");
    lines.extend(["1", "1", "1", "quit"]);
    let transcript = person.says(&lines).await;
    for said in [
        "Done in the dashboard: add docs.acme-cats.com; the value: sites.petplatform.net.",
        "In the way: A ",
        "Then record it: in \"set up a domain\", choose \"I chose Verify in the dashboard\".",
        "Recorded. The certificate usually follows within a couple of minutes.",
        "docs.acme-cats.com is all right.",
        "Step: live. Nothing to do.",
    ] {
        assert!(transcript.contains(said), "{said}:\n{transcript}");
    }
}
