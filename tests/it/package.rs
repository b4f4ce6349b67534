//! What the Debian package does to a system when it is installed and upgraded.

use std::fs::{self, Permissions};
use std::os::unix::fs::PermissionsExt as _;
use std::process::Command;

/// What our part of the script asks of systemd.
fn asked_of_systemd(arguments: &[&str], systemd_runs: bool) -> String {
    let root = tempfile::tempdir().unwrap();
    let calls = root.path().join("calls");
    for program in ["systemctl", "deb-systemd-invoke"] {
        let path = root.path().join(program);
        fs::write(&path, format!("#!/bin/sh\necho {program} \"$@\" >> '{}'\n", calls.display())).unwrap();
        fs::set_permissions(&path, Permissions::from_mode(0o755)).unwrap();
    }
    if systemd_runs {
        fs::create_dir_all(root.path().join("run/systemd/system")).unwrap();
    }
    let script = concat!(env!("CARGO_MANIFEST_DIR"), "/assets/debian/postinst");
    let mut postinst = Command::new("/bin/sh");
    postinst.arg(script).args(arguments).env("PATH", root.path()).env("DPKG_ROOT", root.path());
    assert!(postinst.status().unwrap().success());
    fs::read_to_string(calls).unwrap_or_default()
}

#[test]
fn an_upgrade_makes_a_running_service_the_new_program() {
    let asked = "systemctl --system daemon-reload\ndeb-systemd-invoke try-restart petstore.service\n";
    assert_eq!(asked_of_systemd(&["configure", "0.1.0-1"], true), asked);
    assert_eq!(asked_of_systemd(&["configure", "0.1.0-1"], false), "");
}

#[test]
fn an_installation_starts_nothing() {
    assert_eq!(asked_of_systemd(&["configure", ""], true), "");
    assert_eq!(asked_of_systemd(&["abort-upgrade", "0.2.0-1"], true), "");
    let manifest = concat!(env!("CARGO_MANIFEST_DIR"), "/Cargo.toml");
    let manifest: toml::Table = fs::read_to_string(manifest).unwrap().parse().unwrap();
    let units = &manifest["package"]["metadata"]["deb"]["systemd-units"];
    assert_eq!((units["enable"].as_bool(), units["start"].as_bool()), (Some(false), Some(false)));
}
