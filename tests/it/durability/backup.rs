//! `petstore backup` and `petstore check` on a database that is in use, and on one that is broken.

use std::fs;

use super::fixture::{LONG, Shop, Told, animals, faults, writers};

/// The pages of a SQLite file, in bytes.
const PAGE: usize = 4096;

#[test]
fn a_backup_has_all_that_was_acknowledged_before_it_began() {
    let shop = Shop::new();
    let service = shop.serve();
    let told = writers(8, &service, "herd");
    let copy = shop.home().join("copy.db");
    let before: Vec<_> = told.iter().take(200).map(Told::added).collect();
    let made = shop.run(&["backup", "--database", &shop.url(), copy.to_str().unwrap()]);
    assert_eq!(made.status.code(), Some(0), "{}", String::from_utf8_lossy(&made.stderr));
    assert!(str::from_utf8(&made.stdout).unwrap().lines().count() <= 1);
    service.stop();

    let checked = shop.run(&["check", "--database", &format!("sqlite:{}", copy.display())]);
    assert_eq!(checked.status.code(), Some(0), "{}", String::from_utf8_lossy(&checked.stderr));
    assert_eq!(faults(&before, &animals(&copy, Some(shop.key())).unwrap()), Vec::<String>::new());
    let added: Vec<_> = before.into_iter().chain(told.into_iter().map(Told::added)).collect();
    assert_eq!(faults(&added, &shop.animals()), Vec::<String>::new());
}

#[test]
fn a_backup_overwrites_nothing() {
    let shop = Shop::new();
    let taken = shop.home().join("taken.db");
    fs::write(&taken, "precious").unwrap();
    let refused = shop.run(&["backup", "--database", &shop.url(), taken.to_str().unwrap()]);
    let said = str::from_utf8(&refused.stderr).unwrap();
    assert!(!refused.status.success());
    assert!(said.contains(taken.to_str().unwrap()), "{said}");
    assert_eq!(fs::read(&taken).unwrap(), b"precious");
}

#[test]
fn a_check_tells_a_sound_database_from_one_with_a_broken_page() {
    let shop = Shop::new();
    let service = shop.serve();
    writers(8, &service, LONG).iter().take(200).for_each(drop);
    service.stop();
    let check = || shop.run(&["check", "--database", &shop.url()]);
    let sound = check();
    assert_eq!(sound.status.code(), Some(0), "{}", String::from_utf8_lossy(&sound.stderr));

    let mut bytes = fs::read(shop.database()).unwrap();
    let middle = bytes.len() / PAGE / 2;
    bytes[middle * PAGE..][..PAGE].iter_mut().for_each(|byte| *byte = !*byte);
    fs::write(shop.database(), bytes).unwrap();
    let broken = check();
    let said = str::from_utf8(&broken.stderr).unwrap();
    assert!(!broken.status.success());
    // SQLite counts pages from 1.
    assert!(said.contains(&format!("page {}", middle + 1)), "{said}");

    let copy = shop.home().join("copy.db");
    let copied = shop.run(&["backup", "--database", &shop.url(), copy.to_str().unwrap()]);
    let said = str::from_utf8(&copied.stderr).unwrap();
    assert_eq!(copied.status.code(), Some(1), "{said}");
    assert!(said.contains("copy.db was written but is damaged") && !said.contains("copied "), "{said}");
    assert!(copy.is_file());
}
