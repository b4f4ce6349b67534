//! `--ca-file` and `ca_file`: who may vouch for a service over TLS.

use crate::prelude::*;

use super::fixture::*;

#[test]
fn only_the_authorities_that_are_named_vouch_for_a_service() {
    let home = home();
    let write = |name: &str, text: &str| {
        fs::write(home.path().join(name), text).unwrap();
        fs::set_permissions(home.path().join(name), Permissions::from_mode(0o600)).unwrap();
        home.path().join(name).display().to_string()
    };
    let made = rcgen::generate_simple_self_signed(["localhost".to_owned()]).unwrap();
    let other = rcgen::generate_simple_self_signed(["localhost".to_owned()]).unwrap();
    let (own, other) = (write("own.pem", &made.cert.pem()), write("other.pem", &other.cert.pem()));
    let (key_file, empty) = (write("key.pem", &made.signing_key.serialize_pem()), write("empty.pem", "no certificate"));
    let key = new_key(&home, &[]);
    let (_running, mut said) = serve(&home, &["--tls-cert", &own, "--tls-key", &key_file]);
    let address = listening(&mut said);
    let address = address.replace("127.0.0.1", "localhost");
    let list = |options: &[&str]| {
        let words = [options, &["pets", "list"]].concat();
        petstore(&home, &words).env("PETSTORE_BASE_URL", &address).env("PETSTORE_API_KEY", &key).output().unwrap()
    };
    for (options, status, says) in [
        // Nobody vouches for it on this machine.
        (&[][..], 6, "--ca-file FILE"),
        (&["--ca-file", &other], 6, "--ca-file FILE"),
        (&["--ca-file", &empty], 2, "empty.pem: it contains no certificate"),
        (&["--ca-file", "/nowhere/ca.pem"], 2, "/nowhere/ca.pem: No such file"),
    ] {
        fails_cleanly(&list(options), status, says);
    }
    let listed = list(&["--ca-file", &own]);
    assert!(listed.status.success(), "{}", stderr(&listed));

    // The same for a profile, and for its key when that is tested.
    configure(&home, &format!("[profiles.shop]\nbase_url = \"{address}\"\nca_file = \"~/own.pem\"\n"));
    let mut login = petstore(&home, &["login", "-p", "shop", "--with-token"]);
    login.stdin(fs::File::open(write("key", &key)).unwrap());
    let login = login.output().unwrap();
    assert!(login.status.success(), "{}", stderr(&login));
    let status = run(&home, &["status", "-p", "shop"]);
    assert!(status.status.success(), "{}", stderr(&status));

    // A profile that is made keeps the authorities that it was tested with.
    let new = ["login", "-p", "lab", "--base-url", &address, "--ca-file", "own.pem", "--with-token"];
    let mut login = petstore(&home, &new);
    login.current_dir(home.path()).stdin(fs::File::open(home.path().join("key")).unwrap());
    let login = login.output().unwrap();
    assert!(login.status.success(), "{}", stderr(&login));
    let status = run(&home, &["status", "-p", "lab"]);
    assert!(status.status.success(), "{}", stderr(&status));
}
