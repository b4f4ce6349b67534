//! API keys in the wrong place: refused, never repeated; and what may choose the command that gives one.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;

use super::fixture::{KEY, Served, against, all, petstore, stderr, stdout};
use crate::stub::{always, json};

#[test]
fn a_configuration_that_others_may_write_runs_no_command() {
    let served = Served::start();
    let directory = served.home.path().join("shared");
    let (file, ran) = (directory.join("config.toml"), directory.join("ran"));
    fs::create_dir(&directory).unwrap();
    let text = format!(
        "profile = \"x\"\n[profiles.x]\nbase_url = \"{}\"\nkey = {{ command = [\"/bin/sh\", \"-c\", \"touch {}; echo $K\"] }}\n",
        served.base_url,
        ran.display()
    );
    fs::write(&file, text).unwrap();
    let mode = |path: &Path, mode| fs::set_permissions(path, fs::Permissions::from_mode(mode)).unwrap();
    let with = |words: &[&str]| {
        let mut command = petstore(&served.home, &[&["--config", file.to_str().unwrap()], words].concat());
        command.env("K", &served.key).env("PATH", "/usr/bin:/bin").output().unwrap()
    };
    for (path, wrong, right) in [(&file, 0o666, 0o644), (&file, 0o620, 0o600), (&directory, 0o777, 0o755)] {
        [(&directory, 0o755), (&file, 0o644)].into_iter().for_each(|(path, right)| mode(path, right));
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

#[tokio::test]
async fn a_name_below_localhost_leads_to_this_machine_and_is_asked_of_nobody() {
    let service = always(json("200 OK", r#"[{"id":7,"name":"Rex","categoryId":1}]"#)).await;
    let address = service.base_url.replace("127.0.0.1", "no-such-till.localhost");
    let listed = against(&address, KEY, &["pets", "list", "-o", "ids"]).await;
    assert_eq!(all(&listed), (Some(0), "7\n".to_owned(), String::new()));
    let doctor = stdout(&against(&address, KEY, &["doctor"]).await);
    assert!(doctor.contains("no-such-till.localhost: this machine"), "{doctor}");
}
