//! `petstore database backup`, `restore` and `check` on a database that is in use, and on one that is broken.

use crate::prelude::*;

use super::fixture::{Added, LONG, Service, Shop, Told, faults, pets, writers};

/// The pages of a SQLite file, in bytes.
const PAGE: usize = 4096;

#[test]
fn a_backup_has_all_that_was_acknowledged_before_it_began() {
    let shop = Shop::new();
    let service = shop.serve();
    let told = writers(8, &service, "herd");
    let copy = shop.home().join("copy.db");
    let before: Vec<_> = told.iter().take(200).map(Told::added).collect();
    let made = shop.run(&["database", "backup", "--database", &shop.url(), copy.to_str().unwrap()]);
    assert_eq!(made.status.code(), Some(0), "{}", String::from_utf8_lossy(&made.stderr));
    assert!(str::from_utf8(&made.stdout).unwrap().lines().count() <= 1);
    service.stop();

    let checked = shop.run(&["database", "check", "--database", &format!("sqlite:{}", copy.display())]);
    assert_eq!(checked.status.code(), Some(0), "{}", String::from_utf8_lossy(&checked.stderr));
    assert_eq!(faults(&before, &pets(&copy, Some(shop.key())).unwrap()), Vec::<String>::new());
    let added: Vec<_> = before.into_iter().chain(told.into_iter().map(Told::added)).collect();
    assert_eq!(faults(&added, &shop.pets()), Vec::<String>::new());
}

#[test]
fn a_backup_overwrites_nothing() {
    let shop = Shop::new();
    let taken = shop.home().join("taken.db");
    fs::write(&taken, "precious").unwrap();
    let refused = shop.run(&["database", "backup", "--database", &shop.url(), taken.to_str().unwrap()]);
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
    let check = || shop.run(&["database", "check", "--database", &shop.url()]);
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
    let copied = shop.run(&["database", "backup", "--database", &shop.url(), copy.to_str().unwrap()]);
    let said = str::from_utf8(&copied.stderr).unwrap();
    assert_eq!(copied.status.code(), Some(1), "{said}");
    assert!(said.contains("copy.db was not written, since the copy is damaged") && !said.contains("copied "), "{said}");
    assert_eq!(names(shop.home()), ["shop"], "no file is left");
}

#[test]
fn what_another_program_changed_is_no_damage() {
    let shop = Shop::new();
    shop.serve().stop();
    let changed = rusqlite::Connection::open(shop.database()).unwrap();
    changed.execute_batch("CREATE VIEW cheap AS SELECT * FROM pets").unwrap();
    changed.close().unwrap();
    let what = "the schema of the database was changed by another program (view cheap was added): undo that\n";
    let checked = shop.run(&["database", "check", "--database", &shop.url()]);
    let said = String::from_utf8(checked.stderr).unwrap();
    assert_eq!((checked.status.code(), said), (Some(1), format!("petstore: {} is intact, but {what}", shop.url())));
    backup(&shop);
    let (restored, said) = restore(&shop, &["--force"]);
    assert!(restored.status.success() && said.ends_with(what) && !said.contains("damaged"), "{said}");
}

/// What is in a directory, but not the program's own state.
fn names(directory: &Path) -> Vec<String> {
    let names = fs::read_dir(directory).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap());
    let mut names: Vec<_> = names.collect();
    names.sort();
    names
}

fn add(service: &Service, names: &[&str]) -> Vec<Added> {
    names.iter().map(|name| service.client().add(name).unwrap().added()).collect()
}

fn backup(shop: &Shop) {
    let made =
        shop.run(&["database", "backup", "--database", &shop.url(), shop.home().join("monday.db").to_str().unwrap()]);
    assert_eq!(made.status.code(), Some(0), "{}", String::from_utf8_lossy(&made.stderr));
}

fn restore(shop: &Shop, options: &[&str]) -> (Output, String) {
    let monday = shop.home().join("monday.db");
    let restore = ["database", "restore", monday.to_str().unwrap(), "--database", &shop.url()];
    let restored = shop.run(&[&restore, options].concat());
    let said = String::from_utf8(restored.stderr.clone()).unwrap();
    (restored, said)
}

#[test]
fn a_restored_database_has_what_the_backup_had_and_nothing_of_the_old_log() {
    let shop = Shop::new();
    let service = shop.serve();
    let kept = add(&service, &["Ada", "Bo"]);
    backup(&shop);
    add(&service, &["Cy", "Di"]);
    // The log with Cy and Di stays.
    service.kill_9();
    let shop_files = || names(shop.database().parent().unwrap());
    assert!(shop_files().contains(&"store.db-wal".to_owned()), "{:?}", shop_files());

    let (refused, said) = restore(&shop, &[]);
    assert!(refused.status.code() == Some(1) && said.contains("store.db already exists and was not changed"), "{said}");
    let (restored, said) = restore(&shop, &["--force"]);
    assert_eq!(restored.status.code(), Some(0), "{said}");
    assert!(said.contains("monday.db: 2 pets\nAPI keys are as they were in the backup; "), "{said}");
    assert_eq!(shop_files(), ["store.db"]);
    assert_eq!(shop.pets().len(), 2);
    assert_eq!(faults(&kept, &shop.pets()), Vec::<String>::new());
    // Ids that were given after the backup are given again: they are those of the backup now.
    let service = shop.serve();
    add(&service, &["Eve"]);
    service.stop();
    assert_eq!(shop.pets().len(), 3);
}

#[test]
fn a_database_that_was_lost_or_overwritten_is_restored() {
    let shop = Shop::new();
    let service = shop.serve();
    let kept = add(&service, &["Ada"]);
    backup(&shop);
    service.stop();
    let directory = shop.database().parent().unwrap().to_owned();
    for (lose, options) in [
        ((|path| fs::remove_dir_all(path.parent().unwrap()).unwrap()) as fn(&Path), &[][..]),
        (|path| fs::write(path, "rubbish").unwrap(), &["--force"]),
        (|path| fs::write(path, "").unwrap(), &["--force"]),
    ] {
        lose(&shop.database());
        let (restored, said) = restore(&shop, options);
        assert_eq!(restored.status.code(), Some(0), "{said}");
        assert_eq!(faults(&kept, &shop.pets()), Vec::<String>::new());
    }
    assert_eq!(fs::metadata(directory).unwrap().permissions().mode() & 0o777, 0o700);
    assert_eq!(fs::metadata(shop.database()).unwrap().permissions().mode() & 0o777, 0o600);
}

#[test]
fn a_database_in_use_is_not_restored_and_loses_nothing() {
    let shop = Shop::new();
    let service = shop.serve();
    let mut kept = add(&service, &["Ada"]);
    backup(&shop);
    kept.extend(add(&service, &["Bo"]));
    let (refused, said) = restore(&shop, &["--force"]);
    assert!(refused.status.code() == Some(1) && said.contains("is in use and was not changed: stop"), "{said}");
    kept.extend(add(&service, &["Cy"]));
    service.stop();
    assert_eq!(faults(&kept, &shop.pets()), Vec::<String>::new());
}

#[test]
fn a_backup_that_is_damaged_or_foreign_or_missing_is_not_restored() {
    let shop = Shop::new();
    let service = shop.serve();
    writers(8, &service, LONG).iter().take(200).for_each(drop);
    backup(&shop);
    service.stop();
    let monday = shop.home().join("monday.db");
    let (sound, before) = (fs::read(&monday).unwrap(), shop.pets());
    let mut damaged = sound.clone();
    let middle = sound.len() / PAGE / 2;
    damaged[middle * PAGE..][..PAGE].iter_mut().for_each(|byte| *byte = !*byte);
    for (backup, why) in
        [(damaged, "use an older backup"), (b"no database at all".to_vec(), "cannot open the database")]
    {
        fs::write(&monday, backup).unwrap();
        let (refused, said) = restore(&shop, &["--force"]);
        assert!(refused.status.code() == Some(1) && said.contains(why), "{said}");
    }
    fs::remove_file(&monday).unwrap();
    let (refused, said) = restore(&shop, &["--force"]);
    assert!(refused.status.code() == Some(1) && said.contains("there is no database"), "{said}");
    assert_eq!(shop.pets(), before);
}

/// Hidden files too.
fn all_names(directory: &Path) -> Vec<String> {
    names(directory).into_iter().filter(|name| name.starts_with(".petstore")).collect()
}

#[test]
fn a_backup_or_restore_that_is_ended_leaves_no_file_and_a_killed_one_none_after_the_next() {
    let shop = Shop::new();
    let service = shop.serve();
    writers(8, &service, LONG).iter().take(2000).for_each(drop);
    backup(&shop);
    service.stop();
    let monday = shop.home().join("monday.db");
    let (monday, copy, other) = (monday.to_str().unwrap(), shop.home().join("copy.db"), shop.home().join("other.db"));
    let (to_copy, to_other) = (copy.to_str().unwrap(), format!("sqlite:{}", other.display()));
    let url = shop.url();
    let commands = [
        vec!["database", "backup", "--database", &url, to_copy],
        vec!["database", "restore", monday, "--database", &to_other],
    ];
    for command in &commands {
        for signal in [Signal::TERM, Signal::HUP, Signal::INT, Signal::KILL] {
            let mut running = shop.start(command);
            // Where it is quicker than the signal, there is nothing to be left.
            while all_names(shop.home()).is_empty() && running.try_wait().unwrap().is_none() {}
            let _ = kill_process(Pid::from_child(&running), signal);
            running.wait().unwrap();
            if signal != Signal::KILL {
                assert_eq!(all_names(shop.home()), Vec::<String>::new(), "{command:?} {signal:?}");
            }
            let _ = fs::remove_file(&copy);
            let _ = fs::remove_file(&other);
        }
        // Killed before there was a file in it.
        fs::create_dir(shop.home().join(".petstore-backup-left")).unwrap();
        assert_eq!(shop.run(command).status.code(), Some(0));
        assert_eq!(all_names(shop.home()), Vec::<String>::new(), "{command:?}");
        let _ = fs::remove_file(&copy);
        let _ = fs::remove_file(&other);
    }
}
