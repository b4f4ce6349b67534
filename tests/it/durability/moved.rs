//! A file that is taken away from the service: what it went on writing to, nobody would find.

use crate::prelude::*;

use super::fixture::Shop;

fn with(path: &Path, suffix: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(suffix);
    name.into()
}

/// What somebody does to the files of a database.
type Trouble = fn(&Path);

const TROUBLES: [(&str, Trouble); 6] = [
    ("removed", |path| fs::remove_file(path).unwrap()),
    ("renamed", |path| fs::rename(path, with(path, ".old")).unwrap()),
    ("replaced by its copy", |path| {
        fs::copy(path, with(path, ".new")).unwrap();
        fs::rename(with(path, ".new"), path).unwrap();
    }),
    ("without its log", |path| fs::remove_file(with(path, "-wal")).unwrap()),
    ("without its shared memory", |path| fs::remove_file(with(path, "-shm")).unwrap()),
    ("in a directory of another name", |path| {
        let directory = path.parent().unwrap();
        fs::rename(directory, with(directory, ".old")).unwrap();
    }),
];

#[test]
fn a_file_that_was_removed_renamed_or_replaced_takes_no_more_pets_until_a_restart() {
    for (trouble, make) in TROUBLES {
        let shop = Shop::new();
        let (service, mut stderr) = shop.serve_and_listen();
        let before = service.client().add("before").unwrap().added();
        // Which is also what a connection for reading is opened for.
        assert!(service.client().get("/v1/pets").body.contains("before"), "{trouble}");
        assert_eq!(service.client().get("/readyz").status, 204, "{trouble}");

        make(&shop.database());
        for name in ["first", "second"] {
            service.client().add(name).unwrap().answer.is_unavailable();
        }
        let ready = service.client().get("/readyz");
        ready.is_unavailable();
        assert!(ready.body.contains("removed, renamed or replaced"), "{trouble}: {ready:?}");
        let listed = service.client().get("/v1/pets");
        assert!(listed.body.contains(&before.name) && !listed.body.contains("first"), "{trouble}: {listed:?}");

        service.stop();
        let mut log = String::new();
        stderr.read_to_string(&mut log).unwrap();
        let said = log.lines().filter(|line| !line.contains("request_id") && line.contains("replaced")).count();
        assert_eq!(said, 1, "{trouble}: {log}");
    }
}

#[test]
fn the_end_of_a_service_leaves_alone_what_has_the_name_of_its_file_now() {
    let (shop, other) = (Shop::new(), Shop::new());
    let service = shop.serve();
    service.client().add("ours").unwrap().added();
    let theirs = other.serve();
    theirs.client().add("theirs").unwrap().added();
    let files = ["", "-wal", "-shm"];
    for suffix in files {
        fs::rename(with(&other.database(), suffix), with(&shop.database(), suffix)).unwrap();
    }
    service.client().add("refused").unwrap().answer.is_unavailable();
    let contents = || files.map(|suffix| fs::read(with(&shop.database(), suffix)).unwrap());
    let before = contents();
    service.stop();
    assert!(contents()[..2] == before[..2]);
    drop(theirs);
}
