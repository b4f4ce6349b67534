//! `petstore pets list`.

use crate::prelude::*;

use std::fs::File;

use super::fixture::*;
use crate::client::scripted::rows;
use crate::stub::{json, serve};

#[test]
fn the_demo_lists_in_every_format() {
    let home = home();
    let list = |format: &str| {
        let output = run(&home, &["--demo", "pets", "list", "-n", "3", "-s", "available", "--format", format]);
        assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
        assert_eq!(stderr(&output), "Showing 3 of 175. Use --limit (max 100) or --all.\n");
        stdout(&output)
    };
    assert_eq!(list("table").lines().next(), Some("ID  NAME           CATEGORY  STATUS"));
    let pets: Vec<Value> = serde_json::from_str(&list("json")).unwrap();
    assert_eq!(pets.len(), 3);
    let lines: Vec<Value> = list("ndjson").lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(lines, pets);
    let ids: Vec<String> = pets.iter().map(|pet| pet["id"].to_string()).collect();
    assert_eq!(list("ids").lines().collect::<Vec<_>>(), ids);
    assert_eq!(list("csv").lines().next(), Some("id,name,categoryId,status"));
    assert_eq!(list("tsv").lines().next(), Some("id\tname\tcategoryId\tstatus"));
    assert!(fs::read_dir(home.path()).unwrap().next().is_none(), "the demo leaves nothing behind");
}

#[test]
fn with_a_total_the_list_is_in_an_object() {
    let home = home();
    let list = |more: &[&str]| run(&home, &[&["--demo", "pets", "list", "--with-total"], more].concat());
    for (more, total, pets) in [
        (&["-n", "3", "-s", "available"][..], 175.into(), 3),
        (&["--all"], 250.into(), 250),
        (&["--search", "id:7"], 1.into(), 1),
        (&["--search", "is:sold", "-n", "2"], Value::Null, 2),
    ] {
        let listed: Value = serde_json::from_str(&stdout(&list(&[more, &["--json"]].concat()))).unwrap();
        assert_eq!((&listed["total"], listed["pets"].as_array().unwrap().len()), (&total, pets), "{more:?}");
    }
    fails_cleanly(&list(&["--format", "csv"]), 2, "--with-total is for JSON\nhint: add --json");
}

#[tokio::test]
async fn a_list_is_asked_for_again_when_the_service_was_busy() {
    let busy_once = serve(|number, _, mut socket| async move {
        let answer = match number {
            0 => json("503 Service Unavailable", r#"{"code":"busy","message":"not now","status":503}"#),
            _ => json("200 OK", r#"[{"id":7,"name":"Rex","categoryId":3}]"#),
        };
        let _ = socket.write_all(&answer).await;
    })
    .await;
    let listed = against(&busy_once.base_url, KEY, &["pets", "list", "-o", "ids"]).await;
    assert_eq!((stdout(&listed).as_str(), listed.status.code()), ("7\n", Some(0)), "{}", stderr(&listed));
    assert_eq!(busy_once.requests(), 2);
}

#[test]
fn columns_header_order_and_format_are_chosen() {
    let home = home();
    let list = |words: &str| {
        let line = format!("--demo pets list -n 4 -q {words}");
        prints(&run(&home, &line.split(' ').collect::<Vec<_>>()))
    };
    assert_eq!(list("--columns name,id -o tsv"), "name\tid\nRex\t1\nMr. Whiskers\t2\nThumper\t3\nCaptain Beaky\t4\n");
    assert_eq!(list("--columns name --no-header --sort -name"), "Thumper\nRex\nMr. Whiskers\nCaptain Beaky\n");
    assert_eq!(list("--sort id:desc -o ids"), "250\n249\n248\n247\n", "the newest of all");
    assert_eq!(list("--json --columns id"), "[{\"id\":1},{\"id\":2},{\"id\":3},{\"id\":4}]\n");
    let by_variable =
        petstore(&home, &["--demo", "pets", "list", "-n", "1", "-q"]).env("PETSTORE_OUTPUT", "ids").output();
    assert_eq!(stdout(&by_variable.unwrap()), "1\n");
    let wrong = petstore(&home, &["--demo", "pets", "list"]).env("PETSTORE_OUTPUT", "jsno").output().unwrap();
    let formats = "PETSTORE_OUTPUT: \"jsno\" is not a format. Did you mean json?\nhint: the formats are table, json,";
    fails_cleanly(&wrong, 2, formats);
    fails_cleanly(&run(&home, &["--demo", "pets", "list", "-o", "ids", "--columns", "id"]), 2, "--columns");
}

#[test]
fn a_view_is_listed_counted_and_exported_and_options_go_before_it() {
    let home = home();
    let config = home.path().join("views.toml");
    let view = "[[views]]\nname = \"cats to go\"\nsearch = \"cat:1\"\nstatus = \"pending\"\nsort = \"-name\"\n\
                columns = [\"name:8\", \"id\"]\nlimit = 3\n";
    fs::write(&config, view).unwrap();
    let view = |words: &[&str]| {
        let view = ["--view", "cats to go", "--config", config.to_str().unwrap()];
        prints(&run(&home, &[&["--demo", "-q", "pets"], words, &view].concat()))
    };
    let expected = run(&home, &["--demo", "-q", "pets", "list", "--search", "cat:1", "-s", "pending", "-o", "ids"]);
    let expected = stdout(&expected);
    let all: Vec<&str> = expected.lines().collect();
    assert!(all.len() > 3, "{all:?}");
    assert_eq!(view(&["list"]).lines().next(), Some("NAME      ID"));
    assert_eq!(view(&["list"]).lines().count(), 1 + 3);
    assert_eq!(view(&["list", "-o", "ids", "--limit", "100", "--sort", "id"]), expected);
    assert!(view(&["list", "-s", "sold", "--columns", "status", "--no-header"]).lines().all(|line| line == "sold"));
    assert_eq!(view(&["count"]).trim(), all.len().to_string());
    let exported = view(&["export", "-"]);
    let mut lines = exported.lines();
    assert_eq!(lines.next(), Some("name,id"));
    assert!(lines.map(|line| line.rsplit(',').next().unwrap()).eq(all), "{exported}");
    let missing = run(&home, &["--demo", "pets", "list", "--view", "cat", "--config", config.to_str().unwrap()]);
    fails_cleanly(&missing, 2, "there is no view \"cat\".\nhint: the views are cats to go");
}

#[test]
fn all_lists_every_pet_once_in_every_format_and_says_nothing_where_that_is_certain() {
    let home = home();
    let list = |words: &[&str]| prints(&run(&home, &[&["--demo", "pets", "list", "--all"], words].concat()));
    let ids: String = (1..=250).map(|id| format!("{id}\n")).collect();
    assert_eq!(list(&["-o", "ids"]), ids);
    assert_eq!(list(&["-o", "table"]).lines().count(), 251);
    assert_eq!(list(&["-o", "csv"]).lines().count(), 251);
    assert_eq!(list(&["-o", "csv"]), list(&["-o", "csv", "--sort", "id"]));
    let pets: Vec<Value> = serde_json::from_str(&list(&["-o", "json", "--require-complete"])).unwrap();
    let lines: Vec<Value> = list(&["-o", "ndjson"]).lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!((pets.len(), &pets), (250, &lines));
    let sold = list(&["-o", "ids", "-s", "sold", "--sort", "-id"]);
    let mut ids: Vec<i64> = sold.lines().map(|id| id.parse().unwrap()).collect();
    assert!(ids.len() == 25 && ids.is_sorted_by(|a, b| a > b), "{ids:?}");
    ids.dedup();
    assert_eq!(ids.len(), 25);
}

/// A list of a hundred pets, and no way to more of them.
fn cut_list() -> Vec<u8> {
    json("200 OK", &rows(1..=100))
}

#[tokio::test]
async fn what_may_be_missing_is_reported_and_is_an_error_where_all_were_required() {
    let all_of = |words: &'static [&'static str]| {
        let words = [&["pets", "list", "--all", "-o", "ids"], words].concat();
        async move { all(&against_answer(cut_list(), &words).await) }
    };
    let ids: String = (1..=100).map(|id| format!("{id}\n")).collect();
    let word = "100 pets from 4 requests. There may be more: only 100 of each status are listed, and pets without a status \
                may be missing.";
    assert_eq!(all_of(&[]).await, (Some(0), ids.clone(), format!("{word}\n")));
    assert_eq!(all_of(&["--quiet"]).await, (Some(0), ids, String::new()));
    let required = format!(
        "petstore: the list is not known to be complete, so nothing is listed: {word}\nhint: to list what there is, omit \
         --require-complete\n"
    );
    assert_eq!(all_of(&["--require-complete"]).await, (Some(3), String::new(), required));
    let sold = against_answer(cut_list(), &["pets", "list", "--all", "-s", "sold", "-o", "ids"]).await;
    assert_eq!(stderr(&sold), "100 pets from 1 request. There may be more: the service lists only 100.\n");
}

#[tokio::test]
async fn an_inventory_that_breaks_off_is_never_shown_as_whole() {
    let breaking = serve(|_, request, mut socket| async move {
        let rows = "[{\"id\":1,\"name\":\"a\",\"categoryId\":1}]";
        let length = rows.len();
        let page = format!(
            "HTTP/1.1 200 OK\r\nlink: </v1/pets?after=1>; rel=\"next\"\r\ncontent-length: {length}\r\nconnection: \
             close\r\n\r\n{rows}"
        );
        let answer = if !request.contains("after=1") { page.into_bytes() } else { json("401 Unauthorized", "{}") };
        let _ = socket.write_all(&answer).await;
    })
    .await;
    for (format, shown) in [("table", ""), ("json", ""), ("ids", "1\n"), ("csv", "id,name,categoryId,status\n1,a,1,\n")]
    {
        let (status, out, said) =
            all(&against(&breaking.base_url, KEY, &["pets", "list", "--all", "-o", format]).await);
        assert_eq!((status, out.as_str()), (Some(4), shown), "{format}: {said}");
    }
}

#[test]
fn verbose_says_each_request_and_never_the_key() {
    let served = Served::start();
    let (status, _, said) = all(&served.run(&["pets", "list", "--all", "-o", "ids", "-v"]));
    assert_eq!(status, Some(0));
    let [request] = said.lines().collect::<Vec<_>>()[..] else { panic!("{said}") };
    let milliseconds = request.strip_prefix("GET /v1/pets?limit=100: 200, ").unwrap().split(' ').nth(2).unwrap();
    assert!(milliseconds.parse::<u64>().is_ok() && request.ends_with(" ms"), "{request}");
    let mut refused = served.petstore(&["pets", "-v", "list"]);
    let said = stderr(&refused.env("PETSTORE_API_KEY", KEY).output().unwrap());
    assert!(said.starts_with("GET /v1/pets?limit=20: 401, ") && !said.contains("petk_"), "{said}");
}

#[test]
fn colours_are_asked_for_or_left_away() {
    let home = home();
    let list = |words: &[&str], variable: (&str, &str)| {
        let mut command = petstore(&home, &[&["--demo", "pets", "list", "-n", "2", "-q"], words].concat());
        stdout(&command.env(variable.0, variable.1).output().unwrap())
    };
    let plain = list(&[], ("LANG", "C.UTF-8"));
    assert!(!plain.contains('\u{1b}'));
    let coloured = list(&["--color", "always"], ("NO_COLOR", "1"));
    assert!(
        coloured.starts_with("\u{1b}[1mID\u{1b}[0m") && coloured.contains("\u{1b}[32mavailable\u{1b}[0m"),
        "{coloured}"
    );
    assert_eq!(list(&[], ("CLICOLOR_FORCE", "1")), coloured);
    assert_eq!(list(&["--color=never"], ("CLICOLOR_FORCE", "1")), plain);
    assert_eq!(list(&["--color=always", "-o", "json"], ("LANG", "C")), list(&["-o", "json"], ("LANG", "C")));
}

#[test]
fn a_stream_to_a_reader_that_goes_or_a_full_disk_ends_the_same_way() {
    let home = home();
    for format in ["table", "csv", "json", "ndjson"] {
        let list = ["--demo", "pets", "list", "--all", "-o", format];
        let mut child = petstore(&home, &list).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        drop(child.stdout.take());
        let mut said = String::new();
        child.stderr.take().unwrap().read_to_string(&mut said).unwrap();
        assert_eq!((child.wait().unwrap().code(), said.as_str()), (Some(0), ""), "{format}");
        let full = File::options().write(true).open("/dev/full").unwrap();
        let output = petstore(&home, &list).stdout(full).stderr(Stdio::piped()).output().unwrap();
        fails_cleanly(&output, 1, "cannot write to standard output");
    }
}

#[tokio::test]
async fn names_and_numbers_are_given_exactly_and_an_unknown_status_is_usable() {
    let rows = "[{\"id\":9223372036854775807,\"name\":\"=\\u001b[2J\u{202e}ポチ\",\"categoryId\":-9223372036854775808,\
                \"status\":\"reserved\"},{\"id\":-1,\"name\":\"\",\"categoryId\":0,\"colour\":[1]}]";
    let list = |format: &'static str| async move {
        let output = against_answer(json("200 OK", rows), &["pets", "list", "-o", format]).await;
        assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
        stdout(&output)
    };
    let exact = rows.replace(",\"colour\":[1]", "");
    assert_eq!(list("json").await, exact.clone() + "\n");
    assert_eq!(list("ndjson").await, exact.trim_matches(['[', ']']).replace("},{", "}\n{") + "\n");
    assert_eq!(list("ids").await, "9223372036854775807\n-1\n");
    let table = list("table").await;
    assert!(table.contains("=⟨U+001B⟩[2J⟨U+202E⟩ポチ") && table.contains("reserved (unknown)"), "{table}");
}

#[test]
fn a_search_and_several_statuses_go_through_the_whole_inventory() {
    let home = home();
    let list = |words: &[&str]| {
        let output = run(&home, &[&["--demo", "pets", "list", "-o", "csv", "--no-header"], words].concat());
        assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
        stdout(&output)
    };
    let lines = |text: String| text.lines().map(str::to_owned).collect::<Vec<_>>();
    let all = lines(list(&["--all"]));
    let of = |words: &[&str]| {
        all.iter().filter(|line| words.iter().any(|word| line.ends_with(word))).cloned().collect::<Vec<_>>()
    };
    assert_eq!(lines(list(&["--search", "is:sold"])), of(&["sold"]));
    assert_eq!(lines(list(&["--all", "-s", "sold", "-s", "pending"])), of(&["sold", "pending"]));
    assert_eq!(lines(list(&["-s", "sold,pending", "-n", "7"])), of(&["sold", "pending"])[..7]);
    assert_eq!(list(&["--search", "id:250"]).lines().count(), 1, "beyond the first 100");
    assert_eq!(list(&["--search", "nobody is called this"]), "");
}

#[test]
fn pets_are_counted_and_by_status() {
    let home = home();
    let counted = |words: &[&str]| prints(&run(&home, &[&["--demo", "pets"], words].concat()));
    assert_eq!(counted(&["count"]), "250\n");
    let of = |status: &str| counted(&["count", "--status", status]).trim().parse::<u64>().unwrap();
    let (available, pending, sold) = (of("available"), of("pending"), of("sold"));
    let none: u64 = counted(&["count", "--search", "status:none"]).trim().parse().unwrap();
    assert_eq!(available + pending + sold + none, 250);
    let stats = counted(&["stats"]);
    let cells: Vec<Vec<&str>> =
        stats.lines().map(|line| line.split("  ").filter(|cell| !cell.is_empty()).collect()).collect();
    assert_eq!(cells.last().unwrap()[0].trim(), "total");
    assert!(stats.contains(&available.to_string()) && stats.contains(&sold.to_string()), "{stats}");
    let json: Value = serde_json::from_str(&counted(&["stats", "--json"])).unwrap();
    assert_eq!(
        (&json["count"], &json["complete"], &json["byStatus"]["sold"]),
        (&250.into(), &true.into(), &sold.into())
    );
}

#[tokio::test]
async fn a_count_that_may_be_too_small_says_so() {
    let counted = against_answer(cut_list(), &["pets", "count"]).await;
    assert_eq!((counted.status.code(), stdout(&counted).as_str()), (Some(0), "100\n"));
    assert!(stderr(&counted).contains("There may be more"), "{}", stderr(&counted));
    let exact = against_answer(cut_list(), &["pets", "count", "--require-complete"]).await;
    fails_cleanly(&exact, 3, "not known to be exact");
}

#[tokio::test]
async fn the_wait_for_an_answer_is_limited_by_timeout() {
    let silent = serve(|_, _, socket| async move {
        let _open = socket;
        std::future::pending::<()>().await;
    })
    .await;
    let listed = against(&silent.base_url, KEY, &["pets", "list", "--timeout", "1s"]).await;
    fails_cleanly(&listed, 6, "within 1 s");
}

#[test]
fn who_added_pets_is_a_column_and_a_search_for_keys_that_may_see_it() {
    let served = Served::start();
    let create =
        ["keys", "create", "--database", &served.database(), "--name", "till 2", "--scopes", "read,write,audit"];
    let key = stdout(&run(&served.home, &create)).trim().to_owned();
    let as_till = |arguments: &[&str]| {
        let output = served.petstore(arguments).env("PETSTORE_API_KEY", &key).output().unwrap();
        assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
        stdout(&output)
    };
    as_till(&["pets", "add", "--name", "Rex", "--category-id", "3"]);
    served.run(&["pets", "add", "--name", "=Mochi", "--category-id", "3"]);
    let list = ["pets", "list", "--all", "--columns", "id,name,by,at"];
    let table = as_till(&[&list[..], &["--sort=-id"]].concat());
    let mut rows = table.lines();
    assert_eq!(rows.next().unwrap().split_whitespace().collect::<Vec<_>>().join(" "), "ID NAME ADDED BY ADDED AT");
    assert!(rows.next().unwrap().starts_with("32  =Mochi ") && rows.next().unwrap().contains("  till 2  "), "{table}");
    assert!(rows.next().unwrap().contains("  not recorded  "), "{table}");
    let found = as_till(&["pets", "list", "--search", "by:till", "--columns", "name,by", "-o", "ndjson"]);
    assert_eq!(found, "{\"name\":\"Rex\",\"by\":\"till 2\"}\n");
    assert_eq!(as_till(&["pets", "count", "--search", "-by:t"]), "30\n");
    let one = as_till(&["pets", "get", "1", "--columns", "id,by", "--json"]);
    assert_eq!(one.split_whitespace().collect::<String>(), "{\"id\":1,\"by\":null}");
    let exported = as_till(&["pets", "export", "--provenance", "-q"]);
    let lines: Vec<_> = exported.lines().collect();
    assert_eq!((lines.len(), lines[0]), (33, "id,name,categoryId,status,by,at"));
    assert!(
        lines[31].starts_with("31,Rex,3,available,till 2,20")
            && lines[32].starts_with("32,'=Mochi,3,available,test,20")
    );
    let lines = as_till(&["pets", "export", "--provenance", "-q", "-o", "ndjson"]);
    assert!(
        lines.lines().nth(30).unwrap().contains("\"status\":\"available\",\"by\":\"till 2\",\"at\":\"20"),
        "{lines}"
    );
    let file = served.home.path().join("pets.csv");
    let export = ["pets", "export", "--provenance", file.to_str().unwrap()];
    for refused in [&list[..], &export, &["pets", "list", "--search", "by:till"]] {
        fails_cleanly(&served.run(refused), 4, "this key may not see who added the pets of 127.0.0.1");
    }
    assert!(!file.exists());
    let added = served.run(&["pets", "add", "--name", "Rex", "--category-id", "3", "--columns", "id,by"]);
    fails_cleanly(&added, 2, "are not known when a pet is added");
}

#[tokio::test]
async fn a_service_that_does_not_report_who_added_pets_is_named() {
    let listed = against_answer(json("200 OK", "[]"), &["pets", "list", "--columns", "id,by"]).await;
    assert_eq!(all(&listed).0, Some(0), "of no pet nothing is asked");
    let row = json("200 OK", "[{\"id\":1,\"name\":\"a\",\"categoryId\":1}]");
    let listed = against_answer(row, &["pets", "list", "--columns", "id,by"]).await;
    fails_cleanly(&listed, 2, "does not report who added pets");
}
