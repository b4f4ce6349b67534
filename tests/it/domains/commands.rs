//! `petstore domains` as people and scripts use it: the real binary against a world.

use crate::prelude::*;

use crate::simulator::{Plan, Simulator, ZoneData};

use super::fixture::{NOW, now};
use super::worlds;

/// A world, and a home whose configuration points at nothing else.
pub struct Room {
    pub world: Simulator,
    /// The time of the checks; none for that of the day.
    now: Option<&'static str>,
    pub home: TempDir,
    runtime: tokio::runtime::Runtime,
}

impl Room {
    pub fn new(plan: Plan) -> Self {
        let runtime = tokio::runtime::Runtime::new().unwrap();
        let world = runtime.block_on(Simulator::start(plan)).unwrap();
        let home = tempfile::tempdir().unwrap();
        fs::write(home.path().join("roots.pem"), world.trust_pem()).unwrap();
        Self { world, now: Some(NOW), home, runtime }
    }

    /// A world of this very day.
    pub fn today(code: Code) -> Self {
        let mut room = Self::new(worlds::showing(clock::now().wall, code).unwrap());
        room.now = None;
        room
    }

    pub fn of(code: Code) -> Self {
        Self::new(worlds::showing(now(), code).unwrap())
    }

    fn roots(&self) -> PathBuf {
        self.home.path().join("roots.pem")
    }

    /// `petstore domains` with these words, and nothing of this machine.
    pub fn petstore(&self, words: &[&str]) -> Command {
        petstore(&self.home, words)
    }

    /// The same, pointed at the world, at the time of the tests.
    pub fn command(&self, words: &[&str]) -> Command {
        let mut command = self.petstore(words);
        command.args(worlds::arguments(&self.world, &self.roots()));
        command.args(self.now.iter().flat_map(|now| ["--now", now]));
        command
    }

    pub fn run(&self, words: &[&str]) -> Output {
        self.command(words).output().unwrap()
    }

    /// The same without the world.
    pub fn plainly(&self, words: &[&str]) -> Output {
        plainly(&self.home, words)
    }

    /// What `check` prints as JSON, with its exit status.
    pub fn check(&self, words: &[&str]) -> (i32, Value) {
        let output = self.run(&[&["check", "--format", "json"], words].concat());
        let value = serde_json::from_slice(&output.stdout)
            .unwrap_or_else(|error| panic!("{error}: {}{}", text(&output.stdout), text(&output.stderr)));
        (output.status.code().unwrap(), value)
    }
}

impl Drop for Room {
    fn drop(&mut self) {
        // The tasks of the world end with it, inside their runtime.
        let _inside = self.runtime.enter();
    }
}

fn petstore(home: &TempDir, words: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_petstore"));
    command.arg("domains").args(words).env_clear().env("HOME", home.path()).env("TZ", "UTC").stdin(Stdio::null());
    command
}

fn plainly(home: &TempDir, words: &[&str]) -> Output {
    petstore(home, words).output().unwrap()
}

pub fn text(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).unwrap()
}

fn home() -> TempDir {
    tempfile::tempdir().unwrap()
}

#[track_caller]
pub fn ends_with(output: &Output, status: i32) {
    assert_eq!(output.status.code(), Some(status), "{}{}", text(&output.stdout), text(&output.stderr));
}

/// How it ended, and that all of this is on stdout; gives that.
#[track_caller]
pub fn shows(output: &Output, status: i32, parts: &[&str]) -> String {
    ends_with(output, status);
    says(&output.stdout, parts)
}

/// The same for stderr.
#[track_caller]
pub fn tells(output: &Output, status: i32, parts: &[&str]) -> String {
    ends_with(output, status);
    says(&output.stderr, parts)
}

#[track_caller]
fn says(bytes: &[u8], parts: &[&str]) -> String {
    let said = text(bytes);
    parts.iter().for_each(|part| assert!(said.contains(part), "{part} is missing in\n{said}"));
    said
}

const DOMAIN: &str = Plan::DOMAIN;
/// Puts it on the list, with its value.
const ADD: [&str; 4] = ["add", DOMAIN, "--platform-host", Plan::PLATFORM_HOST];

#[test]
fn a_healthy_domain_is_ok_with_at_most_forty_questions() {
    let room = Room::new(Plan::healthy(now()));
    let (status, value) = room.check(&[DOMAIN]);
    assert_eq!((status, &value["verdict"], &value["code"]), (0, &"ok".into(), &"DNS-OK".into()));
    assert_eq!((&value["domain"], &value["state"]), (&DOMAIN.into(), &"live".into()));
    assert_eq!(value["record"]["name"], "docs");
    assert_eq!(value["record"]["value"], Plan::PLATFORM_HOST);
    let codes: Vec<&str> = value["findings"].as_array().unwrap().iter().map(|f| f["code"].as_str().unwrap()).collect();
    assert_eq!(codes, ["DNS-OK", "CAA-NONE", "TLS-OK", "HTTP-OK"]);
    for finding in value["findings"].as_array().unwrap() {
        for member in ["code", "verdict", "who", "title", "seen", "expected", "fix", "until", "evidence"] {
            assert!(finding.get(member).is_some(), "{member} is missing: {finding}");
        }
        let proof = &finding["evidence"][0];
        assert!(["question", "server", "answer", "at"].iter().all(|member| proof[member].is_string()), "{finding}");
    }
    assert_eq!(value["servers"].as_array().unwrap().len(), 6);
    let asked = room.world.questions().len();
    assert!(asked <= 40, "{asked} questions");
    let methods: Vec<String> = room.world.requests().into_iter().map(|request| request.method).collect();
    assert!(!methods.is_empty() && methods.iter().all(|method| method == "HEAD"), "{methods:?}");
}

#[test]
fn a_failure_gives_the_fix_with_the_operators_names() {
    let room = Room::of(Code::DnsABlocks);
    let output = room.run(&["check", DOMAIN]);
    let parts = [
        "FAIL docs.acme-pets.com: an A record blocks the CNAME [DNS-A-BLOCKS]\n",
        "You, at the DNS provider: delete the A record 127.0.0.2 of docs, then add CNAME docs ->",
        "docs.acme-pets.com has A 127.0.0.2",
        "with -e.",
    ];
    let shown = shows(&output, 8, &parts);
    let parts =
        ["should be a CNAME to ", "FAIL    An A record blocks the CNAME", "OK      ", "What each server sees at"];
    let whole = shows(&room.run(&["check", DOMAIN, "-e"]), 8, &parts);
    let cause_and_act: String = shown.split_inclusive('\n').take(2).collect();
    assert!(whole.contains(&cause_and_act), "{whole}");
    assert!(text(&output.stderr).is_empty());
}

#[test]
fn a_certificate_is_waited_for_half_an_hour_after_verify() {
    let room = Room::of(Code::TlsPending);
    for (verified, status, verdict, state) in [
        ("2026-11-21T11:58:00Z", 9, "wait", "certificate-pending"),
        ("2026-11-21T11:31:00Z", 9, "wait", "certificate-pending"),
        ("2026-11-21T11:29:00Z", 8, "fail", "certificate-late"),
    ] {
        let (ended, value) = room.check(&[DOMAIN, "--verified-at", verified]);
        assert_eq!((ended, &value["verdict"], &value["state"]), (status, &verdict.into(), &state.into()), "{verified}");
        assert_eq!(value["code"], "TLS-PENDING");
    }
    let (ended, value) = room.check(&[DOMAIN]);
    assert_eq!((ended, &value["verdict"], &value["state"]), (11, &"you".into(), &"ready-to-verify".into()));
    for words in [&["check", DOMAIN][..], &["watch", DOMAIN, "--timeout", "0s"]] {
        let shown = text(&room.run(words).stdout).split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(shown.contains("then run: petstore domains verified docs.acme-pets.com"), "{shown}");
    }
}

#[test]
fn nothing_measured_is_unknown_and_does_not_judge_the_domain() {
    let home = home();
    // However well formed the name is.
    for name in [DOMAIN, Plan::ZONE, "docs.münchen.de", "docs.acme.example"] {
        let words =
            ["check", name, "--format", "json", "--platform-host", Plan::PLATFORM_HOST, "--resolver", "127.0.0.1:1"];
        let output = plainly(&home, &words);
        ends_with(&output, 1);
        let value: Value = serde_json::from_slice(&output.stdout).unwrap();
        assert_eq!((&value["verdict"], &value["code"]), (&"unknown".into(), &"OFFLINE".into()), "{name}");
        assert_eq!(value["state"], "waiting-for-dns");
    }
}

#[test]
fn several_domains_are_summed_up_and_the_worst_gives_the_status() {
    let room = Room::new(Plan::healthy(now()).with(|plan| {
        plan.zone(Plan::ZONE).set("bad.acme-pets.com", 300, ZoneData::address(Plan::OLD_ADDRESS));
    }));
    let (status, value) = room.check(&[DOMAIN, "bad.acme-pets.com"]);
    assert_eq!((status, &value["verdict"], &value["code"]), (8, &"fail".into(), &"DNS-A-BLOCKS".into()));
    assert_eq!(value["domain"], "bad.acme-pets.com", "the top is the domain that decides");
    let verdicts: Vec<&Value> = value["domains"].as_array().unwrap().iter().map(|domain| &domain["verdict"]).collect();
    assert_eq!(verdicts, ["ok", "fail"]);
    let output = room.run(&["check", DOMAIN, "bad.acme-pets.com"]);
    let shown = text(&output.stdout);
    assert!(shown.starts_with("FAIL     bad.acme-pets.com"), "the worst is first:\n{shown}");
    assert!(shown.ends_with("1 to fix, 1 fine\n"), "{shown}");
    let (status, _) = room.check(&["bad.acme-pets.com", "bad.acme-pets.com"]);
    assert_eq!(status, 8);
    let (status, _) = room.check(&[DOMAIN, "new.acme-pets.com"]);
    assert_eq!(status, 11, "one waits for the operator");
}

#[test]
fn one_redirect_is_checked_by_flags() {
    let room = Room::new(Plan::healthy(now()));
    let (status, value) = room.check(&["--from", Plan::REDIRECTED, "--to", DOMAIN, "--status", "301"]);
    assert_eq!((status, &value["verdict"], &value["code"]), (0, &"ok".into(), &"RD-OK".into()));
    let methods: Vec<String> = room.world.requests().into_iter().map(|request| request.method).collect();
    assert!(!methods.is_empty() && methods.iter().all(|method| method == "HEAD"), "{methods:?}");
    let (status, value) = room.check(&["--from", Plan::REDIRECTED, "--to", DOMAIN, "--status", "308"]);
    assert_eq!((status, &value["code"]), (0, &"RD-STATUS".into()));
    let (status, value) = room.check(&["--from", Plan::REDIRECTED, "--to", "www.acme-pets.com"]);
    assert_eq!((status, &value["code"]), (8, &"RD-TARGET".into()));
}

#[test]
fn addresses_that_are_not_public_are_reported_and_never_connected_to() {
    let room = Room::new(Plan::healthy(now()));
    let mut arguments = worlds::arguments(&room.world, &room.roots());
    arguments.retain(|argument| argument != "--allow-private");
    let output = room.petstore(&["check", DOMAIN, "--format", "json"]).args(arguments).output().unwrap();
    ends_with(&output, 8);
    let value: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(value["code"], "DNS-PRIVATE");
    assert!(room.world.requests().is_empty(), "{:?}", room.world.requests());
}

#[test]
fn every_setting_has_its_key_in_the_configuration() {
    let room = Room::new(Plan::healthy(now()));
    let list = |items: Vec<String>| format!("[{}]", items.join(", "));
    let resolvers = list(room.world.resolvers().iter().map(|address| format!("\"{address}\"")).collect());
    let servers = room.world.name_servers().into_iter().map(|(host, address)| format!("\"{host}\" = \"{address}\"\n"));
    let configuration = format!(
        "[domains]\nplatform_host = \"{}\"\nca_identities = [\"{}\"]\nresolvers = {resolvers}\nhttp_port = {}\n\
         https_port = {}\ntrust = \"{}\"\nallow_private = true\n[domains.name_servers]\n{}",
        Plan::PLATFORM_HOST,
        Plan::CA,
        room.world.http_port(),
        room.world.https_port(),
        room.roots().display(),
        servers.collect::<String>()
    );
    let file = room.home.path().join("config.toml");
    fs::write(&file, configuration).unwrap();
    let output = room.plainly(&["check", DOMAIN, "--now", NOW, "--config", file.to_str().unwrap()]);
    ends_with(&output, 0);
    assert!(text(&output.stdout).starts_with("OK docs.acme-pets.com: live\n"), "{}", text(&output.stdout));
    fs::write(&file, "[domains]\nresolvers = [\"nonsense\"]\n").unwrap();
    tells(
        &room.plainly(&["check", DOMAIN, "--config", file.to_str().unwrap()]),
        2,
        &["domains.resolvers: \"nonsense\""],
    );
}

#[test]
fn the_way_of_a_domain_is_kept_in_the_list() {
    let room = Room::today(Code::DnsMissing);
    let add = ["add", "https://Docs.Acme-Pets.com/guide", "--platform-host", Plan::PLATFORM_HOST];
    let output = room.plainly(&add);
    ends_with(&output, 0);
    assert!(text(&output.stdout).contains("IN-URL") && text(&output.stderr).contains("is on the list"));
    shows(&room.plainly(&["add", DOMAIN]), 8, &["IN-DUPLICATE"]);
    let state = || {
        let output = room.plainly(&["list", "--format", "json"]);
        let value: Value = serde_json::from_slice(&output.stdout).unwrap();
        value["domains"][0]["state"].as_str().unwrap().to_owned()
    };
    assert_eq!(state(), "waiting-for-dns");
    assert_eq!(room.check(&[]).0, 11, "without a name all of the list is checked");
    ends_with(&room.plainly(&["saved", DOMAIN]), 0);
    let (status, value) = room.check(&[DOMAIN, "--saved-at", "2026-11-21T11:00:00Z"]);
    assert_eq!((status, &value["code"]), (8, &"DNS-MISSING".into()));
    room.world.change(|plan| {
        plan.zone(Plan::ZONE).set(DOMAIN, 3600, ZoneData::cname(Plan::PLATFORM_HOST));
    });
    assert_eq!(room.check(&[DOMAIN]).1["state"], "live");
    let listed = text(&room.plainly(&["list"]).stdout);
    assert!(listed.contains("docs.acme-pets.com") && listed.contains("live"), "{listed}");
    // Without its value first; it takes it later.
    let other = "help.acme-pets.com";
    let output = room.plainly(&["add", other]);
    assert!(text(&output.stderr).contains("petstore domains add help.acme-pets.com --platform-host VALUE"));
    ends_with(&room.plainly(&["saved", other]), 2);
    ends_with(&room.plainly(&["add", other, "--platform-host", Plan::PLATFORM_HOST]), 0);
    ends_with(&room.plainly(&["saved", other]), 0);
    tells(&room.plainly(&["saved", "other.acme-pets.com"]), 5, &["petstore domains add other.acme-pets.com"]);
}

#[test]
fn rehearsals_and_samples_change_nothing_in_the_list() {
    let room = Room::today(Code::TlsPending);
    let add = ["add", DOMAIN, "--platform-host", Plan::PLATFORM_HOST];
    let mut demo = room.petstore(&add);
    let demo = demo.arg("--demo").output().unwrap();
    ends_with(&demo, 0);
    assert!(text(&demo.stderr).ends_with("with --demo, the list of domains is not kept\n"), "{}", text(&demo.stderr));
    for words in
        [&["check", DOMAIN][..], &["report", DOMAIN], &["watch", DOMAIN], &["records", DOMAIN, "--with-deletes"]]
    {
        let asked = room.petstore(words).arg("--demo").output().unwrap();
        ends_with(&asked, 2);
        assert!(text(&asked.stderr).contains("the demo asks no name servers"), "{}", text(&asked.stderr));
    }
    let listed = room.plainly(&["list"]);
    assert!(text(&listed.stderr).contains("no domains yet"), "{}", text(&listed.stderr));
    ends_with(&room.plainly(&add), 0);
    let list = || fs::read_to_string(room.home.path().join(".local/share/petstore/domains.json")).unwrap();
    let before = list();
    for rehearsal in [["--now", "2030-01-01T00:00:00Z"], ["--verified-at", "2026-01-01T00:00:00Z"]] {
        room.check(&[&[DOMAIN], &rehearsal[..]].concat());
        assert_eq!(list(), before, "{rehearsal:?}");
    }
    room.check(&[DOMAIN]);
    assert_ne!(list(), before);
}

#[test]
fn records_are_written_in_both_formats_with_conflicts() {
    let room = Room::of(Code::DnsABlocks);
    let plain = text(&room.run(&["records", DOMAIN]).stdout);
    assert!(plain.contains("CNAME") && plain.contains("3600") && plain.contains(Plan::PLATFORM_HOST), "{plain}");
    let bind = text(&room.run(&["records", DOMAIN, "--format", "bind"]).stdout);
    assert_eq!(bind, "docs.acme-pets.com. 3600 IN CNAME sites.petplatform.net.\n");
    let deletes = text(&room.run(&["records", DOMAIN, "--format", "bind", "--with-deletes"]).stdout);
    assert!(deletes.contains(" IN A 127.0.0.2\n") && deletes.ends_with(&format!("\n{bind}")), "{deletes}");
    tells(&room.plainly(&["records", DOMAIN, "--format", "route53"]), 2, &["plain, bind"]);
    tells(&room.plainly(&["records", DOMAIN]), 2, &["--platform-host"]);
}

#[test]
fn names_configurations_and_messages_are_judged_without_a_network() {
    let home = home();
    let json = |words: &[&str]| {
        let output = plainly(&home, &[words, &["--format", "json"]].concat());
        let value: Value = serde_json::from_slice(&output.stdout).unwrap_or_default();
        (output.status.code().unwrap(), value)
    };
    let (status, value) = json(&["add", "--dry-run", "https://Docs.Example.com/guide"]);
    assert_eq!((status, &value["verdict"], &value["code"]), (0, &"ok".into(), &"IN-URL".into()));
    assert_eq!(value["domain"], "docs.example.com");
    let (status, value) = json(&["add", "--dry-run", "-docs.example.com"]);
    assert_eq!((status, &value["verdict"], &value["code"]), (8, &"fail".into(), &"IN-HYPHEN".into()));
    let (status, value) = json(&["explain", "NET::ERR_CERT_COMMON_NAME_INVALID"]);
    assert_eq!((status, &value["code"]), (0, &"TLS-PENDING".into()));
    let (status, value) = json(&["explain", "Your", "connection", "is", "not", "private"]);
    assert_eq!((status, &value["code"]), (0, &"TLS-PENDING".into()));
    tells(&plainly(&home, &["explain", "DNS-A-BLOKS"]), 5, &["did you mean DNS-A-BLOCKS?"]);
    let file = home.path().join("domains.toml");
    fs::write(&file, "[domains]\nprimary = \"docs.example.com\"\nredirect = []\n").unwrap();
    let (status, value) = json(&["redirects", "--offline", "--file", file.to_str().unwrap()]);
    assert_eq!((status, &value["verdict"], &value["code"]), (0, &"warn".into(), &"CFG-UNKNOWN-KEY".into()));
    let mut child = petstore(&home, &["redirects", "--offline", "--file", "-"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    child.stdin.take().unwrap().write_all(b"{\"domains\": {").unwrap();
    shows(&child.wait_with_output().unwrap(), 8, &["CFG-SYNTAX"]);
}

#[test]
fn watching_ends_when_the_domain_is_live_or_the_time_is_up() {
    let room = Room::new(Plan::healthy(now()));
    shows(&room.run(&["watch", DOMAIN]), 0, &["OK     live: "]);
    let room = Room::of(Code::DnsMissing);
    tells(&room.run(&["watch", DOMAIN, "--timeout", "0s"]), 9, &["time is up; last verdict: you"]);
    let room = Room::of(Code::TlsPending);
    ends_with(&room.run(&["watch", DOMAIN, "--until", "dns"]), 0);
}

#[test]
fn a_removal_goes_in_order_and_finds_the_record_that_was_left() {
    let mut room = Room::new(Plan::healthy(clock::now().wall));
    room.now = None;
    ends_with(&room.plainly(&ADD), 0);
    let shown = shows(&room.run(&["remove", DOMAIN]), 0, &[]);
    assert!(
        shown.contains("1 [ ] a redirect to another domain") && shown.contains("the site goes offline at once"),
        "{shown}"
    );
    assert!(shown.contains("The removal of docs.acme-pets.com has begun. To call it off:"), "{shown}");
    let listed = || text(&room.plainly(&["list"]).stdout);
    assert!(listed().contains("removal-planned"), "{}", listed());
    ends_with(&room.plainly(&["remove", DOMAIN, "--keep"]), 0);
    assert!(!listed().contains("removal-planned"), "{}", listed());
    ends_with(&room.run(&["remove", DOMAIN]), 0);
    shows(&room.run(&["remove", DOMAIN, "--done"]), 8, &["delete it now"]);
    // The panel says the same of it.
    let shown =
        shows(&room.plainly(&["list", "--fail-on", "fail"]), 8, &["FAIL     delete the CNAME at your DNS provider"]);
    assert!(shown.ends_with("\n1 to fix\n"), "{shown}");
    room.world.change(|plan| {
        plan.zone(Plan::ZONE).clear(DOMAIN);
    });
    ends_with(&room.run(&["remove", DOMAIN, "--done"]), 0);
    ends_with(&room.plainly(&["remove", DOMAIN, "--forget", "--resolver", "127.0.0.1:1"]), 0);
    let listed = room.plainly(&["list"]);
    assert!(text(&listed.stderr).contains("no domains yet"));
}

#[test]
fn a_removal_that_could_not_be_checked_is_not_called_clean() {
    let home = home();
    ends_with(&plainly(&home, &ADD), 0);
    let done = plainly(&home, &["remove", DOMAIN, "--done", "--resolver", "127.0.0.1:1"]);
    ends_with(&done, 1);
    assert!(text(&done.stdout).contains("[OFFLINE]"), "{}", text(&done.stdout));
    let shown = text(&done.stderr);
    for part in ["the check failed", "it stays on the list", "petstore domains remove docs.acme-pets.com --done"] {
        assert!(shown.contains(part), "{part} is missing in\n{shown}");
    }
    let listed = text(&plainly(&home, &["list"]).stdout);
    assert!(listed.contains(DOMAIN), "{listed}");
}

#[test]
fn a_command_that_asks_nobody_announces_no_resolver() {
    let home = home();
    ends_with(&plainly(&home, &ADD), 0);
    for line in [&["records", DOMAIN][..], &["remove", DOMAIN, "--keep"], &["remove", DOMAIN, "--forget"]] {
        // A public one, at a port where nothing answers.
        let said = petstore(&home, line).args(["--resolver", "192.0.2.1:1"]).output().unwrap();
        ends_with(&said, 0);
        assert!(!text(&said.stderr).contains("public resolvers"), "{line:?}: {}", text(&said.stderr));
    }
}

#[test]
fn a_domain_that_redirects_can_be_added() {
    let home = home();
    let file = home.path().join("config.toml");
    let redirect = format!("from = \"{DOMAIN}\"\nto = \"www.acme-pets.com\"\nstatus = 301\n");
    fs::write(&file, format!("[[domains.redirects]]\n{redirect}")).unwrap();
    let add = || petstore(&home, &["add", DOMAIN]).arg("--config").arg(&file).output().unwrap();
    ends_with(&add(), 0);
    shows(&add(), 8, &["The domain is already listed"]);
}

#[test]
fn a_command_that_is_offered_has_all_its_words() {
    let home = home();
    ends_with(&plainly(&home, &ADD), 0);
    for (reported, offered) in [
        ("saved", "petstore domains check docs.acme-pets.com\n"),
        ("verified", "petstore domains watch docs.acme-pets.com\n"),
    ] {
        let shown = text(&plainly(&home, &[reported, DOMAIN]).stderr);
        assert!(shown.ends_with(offered), "{shown}");
    }
}

#[test]
fn verified_asks_first_if_the_record_was_never_saved_or_is_wrong() {
    let room = Room::today(Code::DnsABlocks);
    let verified = |more: &[&str]| room.plainly(&[&["verified", DOMAIN], more].concat());
    ends_with(&room.plainly(&ADD), 0);
    tells(&verified(&[]), 2, &["was never saved or checked", "to record it anyway: --yes"]);
    room.check(&[DOMAIN]);
    tells(&verified(&[]), 2, &["Verify would fail for docs.acme-pets.com: An A record"]);
    ends_with(&verified(&["--yes"]), 0);
    let right = Room::today(Code::DnsOk);
    ends_with(&right.plainly(&ADD), 0);
    ends_with(&right.plainly(&["saved", DOMAIN]), 0);
    ends_with(&right.plainly(&["verified", DOMAIN]), 0);
}

#[test]
fn a_domain_that_is_removed_and_added_again_or_gets_another_value_is_not_live_unseen() {
    let room = Room::today(Code::DnsOk);
    let petstore = |words: &[&str]| ends_with(&room.plainly(words), 0);
    let state = || {
        let shown = room.plainly(&["list", "--format", "json"]);
        serde_json::from_slice::<Value>(&shown.stdout).unwrap()["domains"][0]["state"].clone()
    };
    petstore(&ADD);
    room.check(&[DOMAIN]);
    assert_eq!(state(), "live");
    petstore(&["add", DOMAIN, "--platform-host", "other.petplatform.net"]);
    assert_eq!(state(), "waiting-for-dns");
    petstore(&ADD);
    room.check(&[DOMAIN]);
    assert_eq!(state(), "live");
    room.run(&["remove", DOMAIN, "--done"]);
    petstore(&ADD);
    assert_eq!(state(), "waiting-for-dns");
}

#[test]
fn a_character_that_no_name_has_is_named_with_its_place() {
    let home = home();
    tells(&plainly(&home, &["check", DOMAIN, "--platform-host", "x y"]), 2, &["U+0020 at position 2"]);
}

#[test]
fn a_report_has_every_question_and_what_was_reported() {
    let room = Room::of(Code::CaaBlocked);
    shows(
        &room.run(&["report", DOMAIN, "--saved-at", "2026-11-21T10:00:00Z"]),
        8,
        &["Record saved:  2026-11-21T10:00:00Z", "CAA-BLOCKED", "All questions:", "acme-pets.com CAA at "],
    );
}

#[test]
fn hostile_records_leave_no_control_character_on_the_screen() {
    let escape = "\u{1b}[2J\u{202e}\u{7}";
    let room = Room::new(Plan::healthy(now()).with(|plan| {
        plan.zone(Plan::ZONE).clear(DOMAIN).add(DOMAIN, 60, ZoneData::txt(escape)).add(
            DOMAIN,
            60,
            ZoneData::caa("issue", escape),
        );
        plan.zone(Plan::ZONE).add(Plan::ZONE, 60, ZoneData::caa("issue", escape));
    }));
    for words in [&["check", DOMAIN, "--evidence"][..], &["report", DOMAIN], &["records", DOMAIN, "--with-deletes"]] {
        let output = room.run(words);
        let shown = text(&output.stdout) + &text(&output.stderr);
        assert!(!shown.is_empty());
        let harmful = |c: char| (c.is_control() && c != '\n') || c == '\u{202e}';
        assert!(!shown.contains(harmful), "{words:?}: {shown:?}");
    }
    let (_, value) = room.check(&[DOMAIN]);
    let all = value.to_string();
    assert!(!all.contains("\\u001b") && !all.contains('\u{202e}'), "{all}");
}

#[test]
fn a_domain_that_is_not_on_the_list_and_has_no_value_is_not_called_a_draft() {
    let room = Room::new(Plan::healthy(now()));
    let without_value = |words: &[&str]| {
        let mut arguments = worlds::arguments(&room.world, &room.roots());
        let at = arguments.iter().position(|argument| argument == "--platform-host").unwrap();
        arguments.drain(at..at + 2);
        room.petstore(words).args(arguments).args(["--now", NOW]).output().unwrap()
    };
    let output = without_value(&["check", DOMAIN]);
    let shown = text(&output.stdout);
    assert!(shown.contains("it is not on your list") && !shown.contains("draft"), "{shown}");
    let json: Value = serde_json::from_slice(&without_value(&["check", DOMAIN, "--format", "json"]).stdout).unwrap();
    assert_eq!(json["state"], Value::Null, "{json}");
    assert!(json["next"]["then"].as_str().unwrap().contains("petstore domains add"), "{json}");
    ends_with(&room.plainly(&["add", DOMAIN]), 0);
    assert!(text(&without_value(&["check", DOMAIN]).stdout).contains("draft"));
}

#[test]
fn how_a_name_was_typed_is_in_the_json_too() {
    let room = Room::new(Plan::healthy(now()));
    let (status, value) = room.check(&["https://docs.acme-pets.com:8443/guide"]);
    let found = value["findings"].as_array().unwrap();
    let of = |code: &str| found.iter().find(|finding| finding["code"] == code).unwrap_or_else(|| panic!("{code}"));
    assert_eq!(of("IN-URL")["verdict"], "ok");
    assert_eq!((&of("IN-PORT")["verdict"], status), (&"warn".into(), 0));
    let shown = text(&room.run(&["check", "https://docs.acme-pets.com:8443/guide", "-e"]).stdout);
    assert!(["[IN-URL]", "The port was dropped [IN-PORT]"].iter().all(|code| shown.contains(code)), "{shown}");
    assert!(shown.contains("the port was dropped [IN-PORT]"), "{shown}");
}

#[test]
fn two_programs_keep_each_others_changes_and_a_killed_one_leaves_a_list() {
    let home = home();
    let add = |number: usize| {
        let name = format!("d{number}.acme-pets.com");
        petstore(&home, &["add", &name]).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap()
    };
    let mut children: Vec<_> = (0..12).map(add).collect();
    // Killed wherever they are.
    for child in children.iter_mut().skip(8) {
        child.kill().unwrap();
    }
    let kept: Vec<bool> = children.iter_mut().map(|child| child.wait().unwrap().success()).collect();
    let output = plainly(&home, &["list", "--format", "json"]);
    ends_with(&output, 0);
    let value: Value = serde_json::from_slice(&output.stdout).unwrap();
    let names: Vec<&str> =
        value["domains"].as_array().unwrap().iter().map(|row| row["domain"].as_str().unwrap()).collect();
    for (number, kept) in kept.iter().enumerate() {
        assert!(!kept || names.contains(&format!("d{number}.acme-pets.com").as_str()), "{number} is lost: {names:?}");
    }
    assert!(kept.iter().take(8).all(|kept| *kept));
}
