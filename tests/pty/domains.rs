//! The domains panel in practice, where one second is one minute.

use crate::prelude::*;

use crate::harness::restored;

#[test]
fn a_sandbox_domain_goes_live_and_is_removed() {
    let home = tempfile::tempdir().unwrap();
    let mut app = Start::petstore(&["--demo"]).env("XDG_DATA_HOME", home.path().to_str().unwrap()).open();
    app.shows(&["> 1 "]);
    app.send("3").shows(&["SANDBOX", "help.acme-pets.com", "FAIL", "www.acme-pets.com"]);
    app.send("ahttps://docs.acme-cats.com/guide\t");
    app.shows(&["Before you start: a paid plan", "subdomain \"docs\" of acme-cats.com"]);
    app.send("\x0f").shows(&["add docs.acme-cats.com; the value: sites.petplatform.net"]);
    // A paste never submits, and its line end is dropped.
    app.send("\r\x1b[200~sites.petplatform.net\r\n\x1b[201~").shows(&["Value       [sites.petplatform.net_"]);
    app.send("\x1bOQ").shows(&["Type    CNAME", "has A 203.0.113.2"]);
    // Copied by the terminal: OSC 52 with the value.
    app.send("v").shows(&["Copied \"sites.petplatform.net\""]);
    app.wait_until("the clipboard", |_, bytes| {
        let wanted = b"\x1b]52;c;c2l0ZXMucGV0cGxhdGZvcm0ubmV0";
        bytes.windows(wanted.len()).any(|window| window == wanted)
    });
    app.send("o\r").shows(&["Sandbox: delete A"]);
    app.send("o\r");
    // That it is there is seen.
    app.shows(&["FAIL CAA forbids the platform's CA"]);
    app.send("o\r").shows(&["WAIT propagating", "WAIT until"]);
    app.shows(&["YOU ready to verify"]);
    app.send("o\rV").shows(&["WAIT certificate"]);
    app.shows(&["FAIL no certificate"]);
    app.send("t").shows(&["Choose Re-verify in the dashboard", "yours to do"]);
    app.send("o\rV");
    app.send("\x1b").shows(&["OK live"]);
    // The removal: the redirect, Remove, the record.
    app.send("q").shows(&["docs.acme-cats.com", "live"]);
    app.send("U").shows(&["Remove docs.acme-cats.com"]);
    app.send("o").shows(&["> dashboard redirect docs.acme-cats.com to www.acme-pets.com"]);
    app.send("\r").shows(&["1 [x] A redirect to another domain"]);
    app.send(" ").shows(&["[ Call it off ]"]);
    app.send("o\r").shows(&["3 [x] In the dashboard", "still there: anyone"]);
    app.send("o\r").shows(&["nothing points to the platform"]);
    app.send("\tdocs.acme-cats.com\r").shows(&["Watching.", "help.acme-pets.com"]);
    app.send("q");
    let (status, bytes) = app.ended();
    assert_eq!(status, 0);
    assert!(restored(&bytes));
    assert_eq!(fs::read_dir(home.path()).unwrap().count(), 0, "the sandbox writes nothing to the home directory");
}

#[test]
fn a_bell_rings_on_another_screen_when_a_domain_is_live() {
    let mut app = Start::petstore(&["--demo"]).open();
    app.shows(&["> 1 "]);
    app.send("3").shows(&["help.acme-pets.com", "FAIL"]);
    // Fixed outside while another screen is shown: the automatic check notices.
    app.send("a\x0f").shows(&["redirect help.acme-pets.com to"]);
    app.send("\x1b[B\x1b[B\x1b[B\r").shows(&["Sandbox: redirect help.acme-pets.com"]);
    let before = app.bytes().len();
    app.send("1");
    app.wait_until("the bell", |screen, bytes| {
        screen.contents().contains("help.acme-pets.com is live") && bytes[before..].contains(&7)
    });
}
