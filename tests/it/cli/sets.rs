//! `petstore pets set` and `petstore pets history`.

use crate::prelude::*;

use std::net::TcpListener;

use super::fixture::*;
use crate::stub::{json, serve};

impl Served {
    /// A pet that is available; its id.
    fn with(&self, name: &str) -> String {
        let added = self.run(&["pets", "add", "--name", name, "--category-id", "3", "-o", "ids"]);
        assert_eq!(added.status.code(), Some(0), "{}", stderr(&added));
        stdout(&added).trim().to_owned()
    }

    fn csv(&self, ids: &[&str]) -> Vec<String> {
        let got = self.run(&[&["pets", "get", "-q", "-o", "csv", "--no-header"], ids].concat());
        stdout(&got).lines().map(str::to_owned).collect()
    }

    /// A key that may read histories.
    fn auditor(&self) -> String {
        new_key(&self.home, &["--scopes", "read,audit"])
    }
}

#[test]
fn one_pet_is_changed_and_shown_as_it_is_then() {
    let served = Served::start();
    let id = served.with("Rex");
    let sold = served.run(&["pets", "set", &id, "--status", "sold", "--if-status", "available", "-o", "json"]);
    let pet = "{\"id\":31,\"name\":\"Rex\",\"categoryId\":3,\"status\":\"sold\"}\n";
    assert_eq!(all(&sold), (Some(0), pet.to_owned(), String::new()));
    let renamed = served.run(&["pets", "set", &id, "--name", "=Max", "--category-id", "-4", "-o", "csv"]);
    assert_eq!(stdout(&renamed).lines().nth(1), Some("31,'=Max,-4,sold"));
    assert_eq!(served.csv(&[&id]), ["31,'=Max,-4,sold"]);
}

#[test]
fn of_many_pets_those_that_somebody_else_has_changed_are_named() {
    let served = Served::start();
    let ids = ["Rex", "Max", "Bo"].map(|name| served.with(name));
    let [rex, max, bo] = ids.each_ref().map(String::as_str);
    served.run(&["pets", "set", max, "--status", "pending"]);
    let sell = |ids: &[&str]| {
        let sell = ["pets", "set", "--status", "sold", "--if-status", "available", "-o", "ids"];
        served.run(&[&sell, ids].concat())
    };
    let (status, out, said) = all(&sell(&[rex, max, "4711", bo]));
    assert_eq!((status, out.as_str()), (Some(3), "31\n33\n"), "{said}");
    let conflict = "petstore: pet 32 is pending by now: nothing was changed";
    let lines: Vec<_> = said.lines().collect();
    assert!(lines[0] == conflict && lines[1].ends_with(" has no pet 4711") && lines.len() == 2, "{said}");
    assert_eq!(served.csv(&[rex, max, bo]), ["31,Rex,3,sold", "32,Max,3,pending", "33,Bo,3,sold"]);
    fails_cleanly(&sell(&[max]), 7, "pet 32 is pending by now: nothing was changed");
    let none = sell(&[rex, max]);
    assert_eq!((none.status.code(), stdout(&none).as_str()), (Some(7), ""), "{}", stderr(&none));
}

#[test]
fn a_dry_run_shows_what_would_become_of_them_and_changes_nothing() {
    let served = Served::start();
    let ids = [served.with("Rex"), served.with("Max")];
    let [rex, max] = ids.each_ref().map(String::as_str);
    let set = ["pets", "set", rex, max, "--status", "sold", "--name", "Bo", "--dry-run", "-o", "csv", "--no-header"];
    let (status, out, said) = all(&served.run(&set));
    assert_eq!((status, out.as_str()), (Some(0), "31,Bo,3,sold\n32,Bo,3,sold\n"), "{said}");
    assert_eq!(served.csv(&[rex, max]), ["31,Rex,3,available", "32,Max,3,available"]);
    fails_cleanly(&served.run(&["pets", "set", "99", "--status", "sold", "--dry-run", "-q"]), 5, " has no pet 99");
    let tested = ["pets", "set", max, "--status", "sold", "--if-status", "pending", "--dry-run", "-o", "ids"];
    let (status, _, said) = all(&served.run(&tested));
    assert!(status == Some(7) && said.contains("pet 32 is available: nothing would be changed"), "{said}");
}

#[test]
fn every_wrong_value_is_named_with_its_flag() {
    let set = |words: &[&str]| run(&home(), &[&["--demo", "pets", "set", "1"], words].concat());
    let wrong = set(&["--name", " ", "--category-id", "three"]);
    fails_cleanly(&wrong, 2, "--name: Name is required");
    let said = stderr(&wrong);
    assert!(said.contains("--category-id: \"three\" is not a category"), "{said}");
    assert!(said.contains("for all options: petstore --demo pets set --help"), "{said}");
    fails_cleanly(&set(&["--status", "gone"]), 2, "--status");
    fails_cleanly(&set(&[]), 2, "");
}

#[test]
fn a_pet_that_is_not_there_is_named() {
    let served = Served::start();
    let missing = served.run(&["pets", "set", "99", "--status", "sold"]);
    fails_cleanly(&missing, 5, " has no pet 99\nhint: to see all pets: petstore pets list --all");
    let mut history = served.petstore(&["pets", "history", "99"]);
    let missing = history.env("PETSTORE_API_KEY", served.auditor()).output().unwrap();
    fails_cleanly(&missing, 5, " has no pet 99\nhint: to see all pets: petstore pets list --all");
}

#[test]
fn a_read_only_profile_is_not_changed_and_a_protected_one_only_with_a_confirmation() {
    let served = Served::start();
    let id = served.with("Rex");
    let sell = ["set", &id, "--status", "sold", "-o", "ids"];
    let yes = [&sell[..], &["--yes"]].concat();
    let why = "nothing was sent: shop is read-only (read_only = true in its profile)";
    fails_cleanly(&served.run_in_shop("read_only = true", &yes), 2, why);
    let dry = served.run_in_shop("read_only = true", &[&sell[..], &["--dry-run"]].concat());
    assert_eq!(dry.status.code(), Some(0), "{}", stderr(&dry));
    let protected = "protect = true\nlabel = \"SHOP\"";
    let asked = "SHOP is protected and needs a confirmation\nhint: to confirm: --yes";
    fails_cleanly(&served.run_in_shop(protected, &sell), 2, asked);
    assert_eq!(served.csv(&[&id]), ["31,Rex,3,available"]);
    assert_eq!(all(&served.run_in_shop(protected, &yes)), (Some(0), "31\n".to_owned(), String::new()));
    assert_eq!(served.csv(&[&id]), ["31,Rex,3,sold"]);
}

#[test]
fn a_file_changes_the_pets_with_the_ids_of_its_rows_and_says_first_from_what_to_what() {
    let served = Served::start();
    for name in ["Rex", "Max", "Bo"] {
        served.with(name);
    }
    let file = served.home.path().join("stock.csv");
    fs::write(&file, "id;state;notes\n31;Sold;x\n32;available;\n33;pending;\n").unwrap();
    let set = |words: &[&str]| {
        let words = [&["pets", "set", "--file", file.to_str().unwrap(), "-o", "csv", "--no-header"], words].concat();
        all(&served.run(&words))
    };
    let preview = "Rex (#31): status available -> sold\nBo (#33): status available -> pending\n\
                   2 to change, 1 right already\n";
    let out = "31,Rex,3,sold\n33,Bo,3,pending\n";
    assert_eq!(set(&["--dry-run"]), (Some(0), out.to_owned(), preview.to_owned()));
    let (status, printed, said) = set(&[]);
    assert_eq!((status, printed.as_str()), (Some(2), ""), "{said}");
    assert!(said.starts_with(preview) && said.contains(" needs a confirmation\nhint: to confirm: --yes"), "{said}");
    assert_eq!(served.csv(&["31", "33"]), ["31,Rex,3,available", "33,Bo,3,available"]);
    assert_eq!(set(&["--yes"]), (Some(0), out.to_owned(), preview.to_owned()));
    assert_eq!(set(&["--yes"]), (Some(0), String::new(), "3 right already\n".to_owned()));
    fs::write(&file, "id,name,cat\n31,Rexy,\n4711,Mia,4\n").unwrap();
    let (status, printed, said) = set(&["--yes", "-q"]);
    assert_eq!((status, printed.as_str()), (Some(3), "31,Rexy,3,sold\n"), "{said}");
    assert!(said.ends_with(" has no pet 4711\n") && said.lines().count() == 1, "{said}");
}

#[test]
fn of_a_file_with_a_row_to_fix_nothing_is_changed_and_an_export_changes_nothing() {
    let served = Served::start();
    let file = served.home.path().join("stock.ndjson");
    let name = file.to_str().unwrap();
    fs::write(&file, "{\"id\":1,\"status\":\"sold\"}\n{\"id\":2,\"status\":\"gone\"}\n").unwrap();
    let wrong = served.run(&["pets", "set", "--file", name, "--yes"]);
    let why = "nothing was changed because some rows need fixing";
    assert!(wrong.status.code() == Some(7) && stderr(&wrong).contains(why), "{}", stderr(&wrong));
    assert!(stderr(&wrong).starts_with("line 2: column status: "), "{}", stderr(&wrong));
    let export = served.home.path().join("all.json");
    let export = export.to_str().unwrap();
    served.run(&["pets", "export", export]);
    let same = served.run(&["pets", "set", "--file", export, "--yes", "-o", "json"]);
    assert_eq!(all(&same), (Some(0), "[]\n".to_owned(), "30 right already\n".to_owned()));
    let both = served.run(&["pets", "set", "7", "--file", name]);
    fails_cleanly(&both, 2, "cannot be used with");
    let stdin = served.petstore(&["pets", "set", "--file", "-", "--yes", "-o", "ids"]);
    let mut running = Running({ stdin }.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap());
    running.0.stdin.take().unwrap().write_all(b"id\tname\n1\tZoe\n").unwrap();
    let mut out = String::new();
    running.0.stdout.take().unwrap().read_to_string(&mut out).unwrap();
    assert_eq!((running.0.wait().unwrap().code(), out.as_str()), (Some(0), "1\n"));
}

#[tokio::test]
async fn a_pet_of_a_file_that_somebody_else_changes_meanwhile_stays_as_it_is() {
    let service = serve(|number, request, mut socket| async move {
        let pet = "{\"id\":7,\"name\":\"Rex\",\"categoryId\":3,\"status\":\"available\"}";
        let answer = match number {
            0 | 1 => json("200 OK", &format!("[{pet}]")),
            _ => {
                let test = "[{\"op\":\"test\",\"path\":\"/name\",\"value\":\"Rex\"},";
                assert!(request.contains(test), "{request}");
                let body = format!("{{\"code\":\"changed\",\"message\":\"\",\"status\":409,\"pet\":{pet}}}");
                json("409 Conflict", &body)
            }
        };
        let answer = String::from_utf8(answer).unwrap();
        let offers = answer.replace("content-type", "accept-patch: application/json-patch+json\r\ncontent-type");
        let _ = socket.write_all(offers.as_bytes()).await;
    })
    .await;
    let file = tempfile::NamedTempFile::new().unwrap();
    fs::write(&file, "id,name\n7,Max\n").unwrap();
    let set = ["pets", "set", "--yes", "-q", "--file", file.path().to_str().unwrap()];
    let refused = against(&service.base_url, KEY, &set).await;
    assert_eq!(refused.status.code(), Some(7), "{}", stderr(&refused));
    assert!(
        stderr(&refused).contains("pet 7 was changed by somebody else: nothing was changed"),
        "{}",
        stderr(&refused)
    );
}

#[tokio::test]
async fn a_service_that_does_not_offer_changes_is_named() {
    let set = ["pets", "set", "1", "--status", "sold"];
    let refused = against_answer(json("200 OK", "[]"), &set).await;
    fails_cleanly(&refused, 2, "petstore: 127.0.0.1");
    assert!(stderr(&refused).contains(" does not offer to change pets"), "{}", stderr(&refused));
}

#[test]
fn a_hanging_change_that_a_signal_ends_says_what_is_known_of_it() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = format!("http://{}/v1", listener.local_addr().unwrap());
    let set = ["--base-url", &address, "pets", "set", "7", "9", "--status", "sold"];
    let mut command = petstore(&home(), &set);
    command.env("PETSTORE_API_KEY", KEY).stderr(Stdio::piped());
    let mut running = Running(command.spawn().unwrap());
    let asked = || {
        let (mut socket, mut request) = (listener.accept().unwrap().0, [0; 4096]);
        let read = socket.read(&mut request).unwrap();
        (socket, String::from_utf8_lossy(&request[..read]).into_owned())
    };
    let list = String::from_utf8(json("200 OK", "[]")).unwrap();
    let offers = list.replace("content-type", "accept-patch: application/json-patch+json\r\ncontent-type");
    asked().0.write_all(offers.as_bytes()).unwrap();
    let (_socket, request) = asked();
    assert!(request.starts_with("PATCH /v1/pets/7 "), "{request}");
    signal(&running.0, Signal::INT);
    assert_eq!(running.0.wait().unwrap().code(), Some(130));
    let mut told = String::new();
    running.0.stderr.take().unwrap().read_to_string(&mut told).unwrap();
    let check = format!("check with: petstore --base-url {address} pets get 7 9");
    assert_eq!(told, format!("stopped waiting: pets may or may not have been changed; {check}\n"));
}

#[test]
fn a_history_is_one_line_for_each_change_with_who_made_it() {
    let served = Served::start();
    let id = served.with("Rex");
    for words in [&["--status", "sold"][..], &["--name", "Max", "--category-id", "5"]] {
        assert_eq!(served.run(&[&["pets", "set", &id], words].concat()).status.code(), Some(0));
    }
    let auditor = served.auditor();
    let history = |words: &[&str]| {
        let mut command = served.petstore(&[&["pets", "history", &id], words].concat());
        stdout(&command.env("PETSTORE_API_KEY", &auditor).output().unwrap())
    };
    let lines = history(&[]);
    let told: Vec<_> = lines.lines().map(|line| line.split_at(19).1).collect();
    let by = format!("  {:<20}  ", "test");
    let expected = [
        "added: name Rex, category 3, available",
        "sold (was available)",
        "name Max, category 5 (was name Rex, category 3)",
    ];
    assert_eq!(told, expected.map(|what| format!("{by}{what}")));
    let entries: Vec<Value> = serde_json::from_str(&history(&["--json"])).unwrap();
    assert_eq!(entries.len(), 3);
    assert_eq!((&entries[1]["from"]["status"], &entries[1]["to"]["status"]), (&"available".into(), &"sold".into()));
    assert_eq!(entries[2]["by"]["name"], "test");
    assert_eq!(entries[0].get("from"), None);
    fails_cleanly(&served.run(&["pets", "history", &id]), 4, "(forbidden)");
    assert!(!lines.contains(KEY) && !lines.contains(&auditor));
}
