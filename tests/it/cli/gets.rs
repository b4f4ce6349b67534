//! `petstore pets get`.

use super::fixture::*;

#[test]
fn the_deprecated_operation_is_used_and_named_only_where_it_is_needed() {
    let served = Served::start();
    let get = |words: &[&str]| all(&served.run(&[&["pets", "get", "-o", "ids"], words].concat()));
    assert_eq!(get(&["7"]), (Some(0), "7\n".to_owned(), String::new()));
    let used = "used GET /pets/{petId}, which will be removed on 5 December 2030\n";
    let (status, _, told) = get(&["4711", "--verbose"]);
    assert_eq!((status, told.contains(used)), (Some(5), true), "{told}");
    assert!(!get(&["4711"]).2.contains("used GET"));
}

#[test]
fn several_pets_are_one_list_and_those_that_are_not_there_are_named() {
    let served = Served::start();
    let ids = |text: &str| -> Vec<i64> {
        let pets: Vec<serde_json::Value> = serde_json::from_str(text).unwrap();
        pets.iter().map(|pet| pet["id"].as_i64().unwrap()).collect()
    };
    let both = served.run(&["pets", "get", "3", "1", "--json"]);
    assert_eq!((both.status.code(), ids(&stdout(&both))), (Some(0), vec![3, 1]));
    let (status, out, said) = all(&served.run(&["pets", "get", "3", "-4", "4711", "--json", "-q"]));
    assert_eq!((status, ids(&out)), (Some(3), vec![3]));
    assert!(said.starts_with("petstore: 127.0.0.1") && said.ends_with(" has no pets -4, 4711\n"), "{said}");
    let asked = stderr(&served.run(&["-v", "pets", "get", "-4", "4711", "4712"]));
    assert_eq!(asked.matches("GET /v1/pets?").count(), 3, "one request for each status: {asked}");
    let none = served.run(&["pets", "get", "4711", "-q"]);
    fails_cleanly(&none, 5, " has no pet 4711\nhint: to see all pets: petstore pets list --all");
}
