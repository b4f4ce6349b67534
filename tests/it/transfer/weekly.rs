//! The same file name week after week, and the same file after a row in it was corrected: no row is added twice, and none
//! is left out without a word, whatever hint is followed.

use crate::prelude::*;

use std::os::unix::fs::symlink;

use super::commands::{home_with, run, said};

const REPORT: &str = "week.csv.petstore-import.ndjson";

fn week(rows: &[&str]) -> String {
    format!("name,category\n{}", rows.iter().map(|row| format!("{row}\n")).collect::<String>())
}

fn write(home: &TempDir, rows: &[&str]) {
    fs::write(home.path().join("week.csv"), week(rows)).unwrap();
}

fn import(home: &TempDir, more: &[&str]) -> (Option<i32>, String) {
    said(&run(home, &[&["pets", "import", "week.csv"], more].concat()))
}

/// Every name in the store, in order.
fn names(home: &TempDir) -> Vec<String> {
    let csv = String::from_utf8(run(home, &["pets", "export"]).stdout).unwrap();
    let mut names: Vec<_> = csv.lines().skip(1).map(|line| line.split(',').nth(1).unwrap().to_owned()).collect();
    names.sort();
    names
}

/// The reports beside the file, other than the newest.
fn kept(home: &TempDir) -> usize {
    let names = fs::read_dir(home.path()).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap());
    names.filter(|name| name.starts_with("week.csv.petstore-import.") && name != REPORT).count()
}

const WITH_A_WRONG_ONE: [&str; 5] = ["Ada,1", "Ben,2", "Cleo,three", "Dot,4", "Eli,5"];
const CORRECTED: [&str; 5] = ["Ada,1", "Ben,2", "Cleo,3", "Dot,4", "Eli,5"];

#[test]
fn a_row_that_is_corrected_in_the_file_is_sent_alone_by_whatever_command() {
    for more in [&[][..], &["--resume"]] {
        let home = home_with("week.csv", &week(&WITH_A_WRONG_ONE));
        let (status, text) = import(&home, &[]);
        assert!(
            status == Some(3) && text.contains("4 added") && text.contains("to fix the others: edit week.csv"),
            "{text}"
        );
        write(&home, &CORRECTED);
        let (status, text) = import(&home, more);
        assert!(status == Some(0) && text.contains("1 added, 4 added before\n"), "{more:?} {text}");
        assert_eq!(names(&home), ["Ada", "Ben", "Cleo", "Dot", "Eli"]);
        // Once more, by each of them: nothing is left to send.
        for more in [&[][..], &["--resume"]] {
            let (status, text) = import(&home, more);
            assert_eq!(status, Some(0), "{text}");
        }
        assert_eq!((names(&home).len(), kept(&home)), (5, 0), "the report only grows");
    }
}

#[test]
fn rows_that_are_still_wrong_after_the_file_was_edited_can_be_written_to_another_file() {
    let home = home_with("week.csv", &week(&["Ada,1", "Ben,two", "Cleo,three"]));
    assert_eq!(import(&home, &[]).0, Some(3));
    write(&home, &["Ada,1", "Ben,2", "Cleo,four"]);
    let (status, text) = import(&home, &["--rejects", "bad.csv"]);
    assert!(status == Some(3) && text.contains("1 row to fix: bad.csv"), "{text}");
    assert!(fs::read_to_string(home.path().join("bad.csv")).unwrap().contains("Cleo,four"));
    let (status, text) = import(&home, &["--resume", "--rejects", "bad.csv", "--force"]);
    assert!(status == Some(3) && text.contains("2 added before") && text.contains("1 row to fix"), "{text}");
    assert_eq!(names(&home), ["Ada", "Ben"]);
}

#[test]
fn a_corrected_file_may_have_more_rows_in_another_order_and_equal_ones() {
    let home = home_with("week.csv", &week(&["Guppy,7", "Guppy,7", "Cleo,three"]));
    assert_eq!(import(&home, &[]).0, Some(3));
    write(&home, &["Cleo,3", "Guppy,7", "New,1", "Guppy,7", "Guppy,7"]);
    let (status, text) = import(&home, &[]);
    assert!(status == Some(2) && text.contains("The file has 2 rows more than when its import began"), "{text}");
    assert!(text.contains("--resume (sends the other 3)"), "{text}");
    assert_eq!(names(&home).len(), 2, "rows that are new are asked about");
    let (status, text) = import(&home, &["--resume"]);
    assert!(status == Some(0) && text.contains("3 added, 2 added before"), "{text}");
    assert_eq!(names(&home), ["Cleo", "Guppy", "Guppy", "Guppy", "New"]);
}

#[test]
fn the_same_file_says_that_it_is_done_and_again_adds_it_once_more() {
    let home = home_with("week.csv", &week(&CORRECTED));
    assert_eq!(import(&home, &[]).0, Some(0));
    let (status, text) = import(&home, &[]);
    assert!(status == Some(0) && text.contains("every row was added. Nothing was sent; --again adds all 5"), "{text}");
    // Saved anew by a spreadsheet, it is the same.
    let quoted = week(&CORRECTED).replace("Ada", "\"Ada\"").replace('\n', "\r\n");
    fs::write(home.path().join("week.csv"), quoted).unwrap();
    let (status, text) = import(&home, &[]);
    assert!(status == Some(0) && text.contains("Nothing was sent; --again"), "{text}");
    assert_eq!((names(&home).len(), kept(&home)), (5, 0));
    let (status, text) = import(&home, &["--again"]);
    assert!(status == Some(0) && text.contains("5 added"), "{text}");
    assert_eq!((names(&home).len(), kept(&home)), (10, 1));
}

#[test]
fn the_file_of_the_next_week_starts_over_and_the_report_before_is_kept() {
    let home = home_with("week.csv", &week(&CORRECTED));
    assert_eq!(import(&home, &[]).0, Some(0));
    let before = fs::read(home.path().join(REPORT)).unwrap();
    for (count, week) in [["Fay,1", "Gus,2"], ["Hal,1", "Ida,2"]].into_iter().enumerate() {
        write(&home, &week);
        let (status, text) = import(&home, &[]);
        assert!(status == Some(0) && text.contains("2 added") && text.contains("Its report is kept"), "{text}");
        assert_eq!((names(&home).len(), kept(&home)), (7 + 2 * count, 1 + count));
    }
    let reports = fs::read_dir(home.path()).unwrap().map(|entry| fs::read(entry.unwrap().path()).unwrap_or_default());
    assert!(reports.into_iter().any(|report| report == before), "the first one is as it was");
    // The first list is there again by mistake.
    write(&home, &CORRECTED);
    let (status, text) = import(&home, &[]);
    assert!(status == Some(2) && text.contains("5 of 5 rows match rows that the import"), "{text}");
    assert_eq!(names(&home).len(), 9);
}

#[test]
fn equal_rows_in_the_next_list_are_a_question_that_only_people_answer() {
    let next = ["Ada,1", "Fay,1", "Ben,2"];
    for (more, added, all) in [("--resume", "1 added, 2 added before", 6), ("--again", "3 added", 8)] {
        let home = home_with("week.csv", &week(&CORRECTED));
        assert_eq!(import(&home, &[]).0, Some(0));
        write(&home, &next);
        let (status, text) = import(&home, &[]);
        assert!(
            status == Some(2)
                && text.contains("2 of 3 rows match")
                && text.contains("it also added 3 rows not in the file"),
            "{text}"
        );
        assert!(text.contains("--resume (sends the other 1)") && text.contains("add all 3: --again"), "{text}");
        assert_eq!(names(&home).len(), 5, "nothing is sent before");
        let (status, text) = import(&home, &[more]);
        assert!(status == Some(0) && text.contains(added), "{more}: {text}");
        assert_eq!(names(&home).len(), all);
        // Chosen once, the file is done.
        let (status, text) = import(&home, &[]);
        assert!(status == Some(0), "{text}");
        assert_eq!(names(&home).len(), all);
    }
}

#[test]
fn a_row_that_was_added_and_is_changed_since_is_not_sent_unasked() {
    let home = home_with("week.csv", &week(&WITH_A_WRONG_ONE));
    assert_eq!(import(&home, &[]).0, Some(3));
    write(&home, &["Ada,1", "Benny,2", "Cleo,3", "Dot,4", "Eli,5"]);
    let (status, text) = import(&home, &[]);
    assert!(status == Some(2) && text.contains("it also added 1 row not in the file unchanged"), "{text}");
    assert_eq!(names(&home).len(), 4);
}

#[test]
fn a_list_that_is_changed_in_each_row_is_not_taken_for_another_one() {
    let home = home_with("week.csv", &week(&WITH_A_WRONG_ONE));
    assert_eq!(import(&home, &[]).0, Some(3));
    let corrected: String = CORRECTED.map(|row| format!("{row},sold\n")).concat();
    fs::write(home.path().join("week.csv"), format!("name,category,status\n{corrected}")).unwrap();
    let (status, text) = import(&home, &[]);
    assert!(status == Some(2) && text.contains("None of the 4 rows that the import"), "{text}");
    assert!(text.contains("change only the rows that were not added") && text.contains("add all 5: --again"), "{text}");
    assert_eq!(names(&home).len(), 4);
    // Next week's is of another length.
    write(&home, &["Fay,1", "Gus,2"]);
    let (status, text) = import(&home, &[]);
    assert!(status == Some(0) && text.contains("2 added"), "{text}");
}

#[test]
fn other_columns_for_the_same_file_add_nothing_unasked() {
    let home = home_with("week.csv", &week(&WITH_A_WRONG_ONE));
    assert_eq!(import(&home, &["--set", "status=sold"]).0, Some(3));
    // As they were chosen at the beginning, without saying so again.
    write(&home, &CORRECTED);
    let (status, text) = import(&home, &[]);
    assert!(status == Some(0) && text.contains("1 added, 4 added before"), "{text}");
    let (status, text) = import(&home, &["--set", "status=pending"]);
    assert!(status == Some(2) && text.contains("omit those options") && !text.contains("--report"), "{text}");
    assert_eq!(names(&home).len(), 5);
    // Another file has nothing to do with them.
    write(&home, &["Fay,1"]);
    assert_eq!(import(&home, &[]).0, Some(0));
    let csv = String::from_utf8(run(&home, &["pets", "export"]).stdout).unwrap();
    assert!(csv.contains("Fay,1,available") && csv.contains("Cleo,3,sold"), "{csv}");
    // Where nothing could be added, nothing can be there twice.
    let home = home_with("week.csv", "name,kind\nAda,cat\n");
    assert_eq!(import(&home, &["--map", "category=kind"]).0, Some(7));
    let (status, text) = import(&home, &["--set", "category=4"]);
    assert!(status == Some(0) && text.contains("1 added"), "{text}");
}

#[test]
fn no_hint_after_a_report_that_cannot_be_used_leads_to_rows_that_are_there_twice() {
    let home = home_with("week.csv", &week(&CORRECTED));
    assert_eq!(import(&home, &[]).0, Some(0));
    let report = home.path().join(REPORT);
    let whole = fs::read_to_string(&report).unwrap();
    // Damaged in the middle.
    fs::write(&report, whole.replacen("\"outcome\":\"added\"", "\"outcome\":\"a", 1)).unwrap();
    for more in [&[][..], &["--resume"]] {
        let (status, text) = import(&home, more);
        assert!(status == Some(2) && text.contains("is damaged in line") && !text.contains("--report"), "{text}");
        assert!(!text.contains("--again"), "{text}");
    }
    // As an older version without hashes might have written it: by number while the file is the same, else not at all.
    let plain: String =
        whole.lines().filter(|line| !line.contains("\"hash\"")).map(|line| format!("{line}\n")).collect();
    let plain = plain.replacen("\"petstore_import\":3", "\"petstore_import\":1", 1);
    fs::write(&report, &plain).unwrap();
    let (status, text) = import(&home, &[]);
    assert!(status == Some(0) && text.contains("Nothing was sent"), "{text}");
    write(&home, &["Ada,1", "Fay,2"]);
    for more in [&[][..], &["--resume"]] {
        let (status, text) = import(&home, more);
        assert!(
            status == Some(2) && text.contains("the file has changed since") && !text.contains("--report"),
            "{text}"
        );
    }
    assert_eq!(names(&home).len(), 5);
    // Of a newer version.
    fs::write(&report, whole.replacen("\"petstore_import\":3", "\"petstore_import\":4", 1)).unwrap();
    let (status, text) = import(&home, &["--again"]);
    assert!(status == Some(2) && text.contains("use a newer petstore"), "{text}");
    // Of another store: that one is named first.
    fs::write(&report, whole.replacen("\"service\":\"", "\"service\":\"other ", 1)).unwrap();
    let (status, text) = import(&home, &[]);
    assert!(status == Some(2) && text.contains("If this is another store"), "{text}");
    assert_eq!(names(&home).len(), 5);
}

#[test]
fn a_report_behind_a_link_stays_there() {
    let home = home_with("week.csv", &week(&["Ada,1"]));
    fs::create_dir(home.path().join("reports")).unwrap();
    assert_eq!(import(&home, &["--report", "reports/week.ndjson"]).0, Some(0));
    symlink("reports/week.ndjson", home.path().join("link.ndjson")).unwrap();
    write(&home, &["Ben,1"]);
    let (status, text) = import(&home, &["--report", "link.ndjson"]);
    assert!(status == Some(0) && text.contains("1 added"), "{text}");
    assert!(fs::symlink_metadata(home.path().join("link.ndjson")).unwrap().is_symlink());
    assert_eq!(fs::read_dir(home.path().join("reports")).unwrap().count(), 2);
}
