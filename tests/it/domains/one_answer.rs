//! The list, the page, the commands and the report give the same verdict and the same first cause for one measurement.

use crate::prelude::*;

use crate::simulator::{Plan, Simulator};
use petstore::domains::{DomainProgress, Subject, deciding, overall, report};

use super::fixture::{ago, now, reported, settings};
use super::worlds::Trouble;

/// What is different in two places for one trouble and one history, if anything is.
async fn compare(trouble: Trouble, reported: &Reported) -> Option<String> {
    let world = Simulator::start(Plan::healthy(now()).with(trouble.make)).await.unwrap();
    let domain = parse_name::domain(trouble.domain).unwrap();
    let subject = Subject::new(&settings(&world), None, domain.clone(), reported.clone());
    let checked = subject.check(&ProbeCache::default(), None).await;
    let decides = deciding(&checked.findings)?;
    let progress = DomainProgress::of(std::slice::from_ref(&checked.measurement), reported, None, checked.at);
    let (verdict, code) = (overall(&checked.findings), decides.code);
    let here = format!("{code} at {}", checked.progress.stage);
    let mut wrong = Vec::new();
    if (checked.measurement.verdict, checked.measurement.code.as_str()) != (verdict, code.as_str()) {
        wrong.push(format!("the kept measurement is {:?} {}", checked.measurement.verdict, checked.measurement.code));
    }
    if progress.verdict.is_some_and(|listed| listed != verdict) {
        wrong.push(format!("the list is {:?}, the check {verdict:?}", progress.verdict));
    }
    // A stage that waits as planned is named by its stage.
    let names_cause =
        matches!(verdict, Verdict::Fail | Verdict::Warn) && checked.progress.stage != Stage::CertificateLate;
    if names_cause && progress.summary != decides.title {
        wrong.push(format!("the list says \"{}\", the check \"{}\"", progress.summary, decides.title));
    }
    let text = checked.support_report();
    if !text.contains(&report::headline(&domain, decides)) && !text.contains(&format!("[{code}]")) {
        wrong.push("the report does not name the cause".to_owned());
    }
    (!wrong.is_empty()).then(|| format!("{here}: {}", wrong.join("; ")))
}

#[tokio::test(flavor = "multi_thread")]
async fn every_place_gives_the_same_verdict_and_the_same_first_cause() {
    let fresh = Reported { verified: None, verified_times: 0, ..reported() };
    let late = Reported { verified: ago(31), saved: ago(60), ..reported() };
    let histories = [fresh, reported(), late];
    let all = Trouble::all().flat_map(|trouble| histories.iter().map(move |reported| (trouble, reported)));
    let looks = all.map(|(trouble, reported)| compare(trouble, reported));
    let wrong: Vec<String> =
        stream::iter(looks).buffer_unordered(24).filter_map(|wrong| async { wrong }).collect().await;
    assert!(wrong.is_empty(), "{} differ:\n{}", wrong.len(), wrong.join("\n"));
}
