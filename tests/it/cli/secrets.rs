//! API keys in the wrong place: refused, never repeated; and what may choose the command that gives one.

use crate::prelude::*;

use super::fixture::*;
use crate::stub::{always, json};

const SECRET: &str = "0123456789abcdef";

/// The directories below `directory`.
fn directories(directory: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(directory).unwrap().map(|entry| entry.unwrap().path());
    let within = entries.filter(|entry| entry.is_dir());
    within.flat_map(|directory| [vec![directory.clone()], directories(&directory)].concat()).collect()
}

#[track_caller]
fn with_umask(home: &TempDir, umask: &str, words: &[&str]) {
    let mut command = Command::new("sh");
    command.args(["-c", &format!("umask {umask}; exec \"$0\" \"$@\""), PETSTORE]).args(words);
    command.current_dir(home.path()).env_clear().env("HOME", home.path()).stdin(Stdio::null());
    let output = command.output().unwrap();
    assert_eq!(output.status.code(), Some(0), "{words:?}: {}", stderr(&output));
}

#[test]
fn every_directory_that_a_command_makes_is_for_its_owner_only() {
    for words in [
        &["config", "init"][..],
        &["profiles", "add", "shop", "--base-url", "https://api.shop.example/v1"],
        &["profiles", "use", "embedded"],
        &["domains", "add", "docs.acme.com", "--platform-host", "sites.platform.example"],
        &["pets", "add", "--name", "Rex", "--category-id", "1"],
        &["keys", "create", "--database", "sqlite:deep/er/store.db", "--name", "till"],
    ] {
        let home = home();
        // As of most people; 0 would be the umask of a careless service manager.
        with_umask(&home, "002", words);
        let made = directories(home.path());
        assert!(!made.is_empty(), "{words:?}");
        for directory in made {
            let mode = fs::metadata(&directory).unwrap().permissions().mode() & 0o777;
            assert_eq!(mode, 0o700, "{words:?}: {}", directory.display());
        }
    }
}

#[test]
fn nothing_beside_the_configuration_can_be_written_by_others_under_any_umask() {
    let home = home();
    for words in [
        &["profiles", "add", "shop", "--base-url", "https://api.shop.example/v1"][..],
        &["profiles", "use", "embedded"],
    ] {
        with_umask(&home, "000", words);
    }
    for name in ["config.toml", "config.schema.json"] {
        let mode = fs::metadata(home.path().join(".config/petstore").join(name)).unwrap().permissions().mode();
        assert_eq!(mode & 0o022, 0, "{name}: {mode:o}");
    }
}

#[track_caller]
fn says_no_key(output: &Output) {
    let said = format!("{}{}", stdout(output), stderr(output));
    assert!(!said.contains(SECRET), "{said}");
}

#[test]
fn a_key_in_the_configuration_is_refused_by_every_command_and_never_printed() {
    let written = [
        format!("[profiles.x]\nbase_url = \"http://127.0.0.1:1/v1\"\nkey = \"{KEY}\"\n"),
        format!("[profiles.x]\nbase_url = \"http://127.0.0.1:1/v1\"\nkey = \"of_another_service_{SECRET}\"\n"),
        format!("profile = \"x\"\n[profiles.x]\nkey = {KEY}\n"),
        format!("[profiles.x]\nkey = {{ env = \"{KEY}\" }}\n"),
        format!("[profiles.x]\nkey = {{ command = [\"echo\", \"{KEY}\"] }}\n"),
        format!("[profiles.x]\nbase_url = \"https://{KEY}@shop.example/v1\"\n"),
        format!("[profiles.x]\nbase_url = \"https://shop.example/v1?key={KEY}\"\n"),
        format!("[profiles.x]\nbase_url = \"{KEY}\"\n"),
        format!("[profiles.x]\naccent = \"{KEY}\"\n"),
        format!("[profiles.{KEY}]\nprotect = true\n"),
        format!("{KEY} = 1\n"),
        format!("[[[ \"{KEY}\n"),
    ];
    for (at, text) in written.iter().enumerate() {
        let home = configured(text);
        let commands = [
            &["pets", "list"][..],
            &["config", "check"],
            &["config", "show"],
            &["profiles", "list"],
            &["profiles", "use", "x"],
            &["pets", "add", "--name", "Rex", "--category-id", "1"],
            &["-p", "x", "pets", "export", "-"],
            &["status"],
            &["-p", "x", "login", "--with-token"],
            &["-p", "x", "logout"],
            &["domains", "list"],
            &["--accessible"],
            &[],
        ];
        for words in commands.into_iter().take(if at < 2 { 13 } else { 4 }) {
            let output = run(&home, words);
            let remedy = "an API key must not be in the configuration itself. Remove it, then run petstore login";
            fails_cleanly(&output, 2, remedy);
            assert!(stderr(&output).contains("config.toml:"), "{}", stderr(&output));
            says_no_key(&output);
        }
        let doctor = run(&home, &["doctor"]);
        assert!(doctor.status.code() == Some(1) && stdout(&doctor).contains("must not be in the configuration"));
        says_no_key(&doctor);
    }
}

#[test]
fn a_key_where_a_name_an_address_or_a_path_belongs_is_refused_and_not_repeated() {
    let home = home();
    let host = format!("https://{KEY}.example/v1");
    for words in [
        &["--base-url", KEY, "pets", "list"][..],
        &["--base-url", &host, "doctor"],
        &["-p", KEY, "status"],
        &["--config", KEY, "config", "path"],
        &["--ca-file", KEY, "config", "show"],
        &["pets", "list", KEY],
        &["pets", "list", "--status", KEY],
        &["keys", "revoke", "--database", "sqlite:x.db", KEY],
        &["domains", "add", KEY],
        &["login", KEY],
        &["login", "--key", KEY],
        &["login", "--token", KEY],
        &["login", "--with-token", KEY],
        &["login", "-p", "branch", "--key=petk_0123456789abcdef77d0"],
        &[KEY],
    ] {
        let output = run(&home, words);
        fails_cleanly(&output, 2, "an API key cannot be an argument: other users see it in the list of processes");
        says_no_key(&output);
    }
    for name in ["PETSTORE_BASE_URL", "PETSTORE_PROFILE", "PETSTORE_CONFIG", "PETSTORE_API_KEY_FILE"] {
        for words in [&["doctor"][..], &["config", "path"], &["pets", "list"]] {
            let output = petstore(&home, words).env(name, KEY).output().unwrap();
            let remedy = format!("{name} contains an API key\nhint: save one for a profile: petstore login");
            fails_cleanly(&output, 2, &remedy);
            says_no_key(&output);
        }
    }
}

#[test]
fn a_key_in_the_key_map_is_not_repeated() {
    let home = home();
    let file = configure(&home, "").with_file_name("keymap.toml");
    fs::write(file, format!("[pets]\n{KEY} = \"R\"\n")).unwrap();
    for (words, status) in [(&["config", "check"][..], 2), (&["doctor"], 1), (&["config", "keys"], 0)] {
        let output = run(&home, words);
        assert_eq!(output.status.code(), Some(status), "{}", stderr(&output));
        assert!(format!("{}{}", stdout(&output), stderr(&output)).contains("petk_..."), "{}", stderr(&output));
        says_no_key(&output);
    }
}

#[tokio::test]
async fn a_service_that_repeats_the_key_is_not_quoted_with_it() {
    let body = format!("{{\"code\":\"unauthorized\",\"message\":\"no {KEY} here\",\"status\":401}}");
    for words in [&["pets", "list", "-v", "-o", "json"][..], &["status"], &["doctor"]] {
        let output = against_answer(json("401 Unauthorized", &body), words).await;
        assert!(!output.status.success());
        says_no_key(&output);
    }
    let told = against_answer(json("401 Unauthorized", &body), &["pets", "list"]).await;
    assert!(stderr(&told).contains("API key: \"no petk_... here\""), "{}", stderr(&told));
}

#[test]
fn a_configuration_that_others_may_write_runs_no_command() {
    let served = Served::start();
    let above = served.home.path().join("open");
    let directory = above.join("shared");
    let (file, ran) = (directory.join("config.toml"), directory.join("ran"));
    fs::create_dir_all(&directory).unwrap();
    let text = format!(
        "profile = \"x\"\n[profiles.x]\nbase_url = \"{}\"\nkey = {{ command = [\"/bin/sh\", \"-c\", \"touch {}; echo $K\"] }}\n",
        served.base_url,
        ran.display()
    );
    fs::write(&file, text).unwrap();
    let mode = |path: &Path, mode| fs::set_permissions(path, Permissions::from_mode(mode)).unwrap();
    let with = |words: &[&str]| {
        let mut command = petstore(&served.home, &[&["--config", file.to_str().unwrap()], words].concat());
        command.env("K", &served.key).env("PATH", "/usr/bin:/bin").output().unwrap()
    };
    for (path, wrong, right) in
        [(&file, 0o666, 0o644), (&file, 0o620, 0o600), (&directory, 0o777, 0o755), (&above, 0o777, 0o755)]
    {
        [(&above, 0o755), (&directory, 0o755), (&file, 0o644)].into_iter().for_each(|(path, right)| mode(path, right));
        mode(path, wrong);
        let remedy = format!("Run: chmod go-w {}", path.display());
        for (words, status) in
            [(&["pets", "list"][..], 4), (&["status"], 4), (&["config", "check"], 2), (&["doctor"], 1)]
        {
            let (code, out, said) = all(&with(words));
            assert_eq!(code, Some(status), "{words:?}: {out}{said}");
            assert!(format!("{out}{said}").contains(&remedy), "{words:?}: {out}{said}");
        }
        assert!(!ran.exists(), "{path:?} {wrong:o}");
        mode(path, right);
        let listed = with(&["pets", "list"]);
        assert!(listed.status.success() && ran.exists(), "{}", stderr(&listed));
        fs::remove_file(&ran).unwrap();
    }
}

#[test]
fn a_program_gets_no_key_and_no_password() {
    let home = home();
    let printed = home.path().join("environment");
    let text = format!(
        "profile = \"x\"\n[profiles.x]\nbase_url = \"http://127.0.0.1:1/v1\"\n\
         key = {{ command = [\"/bin/sh\", \"-c\", \"env > {}; echo $KEY\"] }}\n\
         [profiles.y]\nbase_url = \"http://127.0.0.1:1/v1\"\nkey = {{ env = \"KEY_OF_Y\" }}\n",
        printed.display()
    );
    configure(&home, &text);
    let secrets = ["PETSTORE_API_KEY", "PETSTORE_DATABASE", "PETSTORE_COPY_FROM", "PETSTORE_COPY_TO", "KEY_OF_Y"];
    let mut list = petstore(&home, &["pets", "list"]);
    let listed = list.envs(secrets.map(|name| (name, "of_a_secret"))).env("KEY", KEY).output().unwrap();
    let environment = fs::read_to_string(printed).unwrap_or_else(|_| panic!("{}", stderr(&listed)));
    assert!(environment.contains(KEY) && !environment.contains("of_a_secret"), "{environment}");
}

#[tokio::test]
async fn a_name_below_localhost_leads_to_this_machine_and_is_asked_of_nobody() {
    let service = always(json("200 OK", r#"[{"id":7,"name":"Rex","categoryId":1}]"#)).await;
    let address = service.base_url.replace("127.0.0.1", "no-such-till.localhost");
    let listed = against(&address, KEY, &["pets", "list", "-o", "ids"]).await;
    assert_eq!(all(&listed), (Some(0), "7\n".to_owned(), String::new()));
    let doctor = stdout(&against(&address, KEY, &["doctor"]).await);
    assert!(doctor.contains("no-such-till.localhost: this machine"), "{doctor}");
}
