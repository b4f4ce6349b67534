//! What the Debian package consists of, and what it does to a system when it is installed and upgraded.

use crate::prelude::*;

use crate::documents::{documents, text};

/// `package.metadata.deb` of the manifest.
fn metadata() -> toml::Table {
    let manifest: toml::Table = text("Cargo.toml").parse().unwrap();
    manifest["package"]["metadata"]["deb"].as_table().unwrap().clone()
}

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
    let units = &metadata()["systemd-units"];
    assert_eq!((units["enable"].as_bool(), units["start"].as_bool()), (Some(false), Some(false)));
}

#[test]
fn removing_and_purging_keep_the_data_and_say_where_it_is() {
    let root = tempfile::tempdir().unwrap();
    let data = root.path().join("var/lib/private/petstore");
    let said = |action: &str| {
        let script = concat!(env!("CARGO_MANIFEST_DIR"), "/assets/debian/postrm");
        let output = Command::new("/bin/sh").args([script, action]).env("DPKG_ROOT", root.path()).output().unwrap();
        assert!(output.status.success());
        String::from_utf8(output.stdout).unwrap()
    };
    assert_eq!(said("purge"), "");
    fs::create_dir_all(&data).unwrap();
    for action in ["remove", "purge"] {
        assert!(said(action).starts_with(&format!("petstore: {} is kept.", data.display())), "{action}");
    }
    assert_eq!(said("upgrade"), "");
    assert!(data.exists());
}

#[test]
fn the_licence_holds_both_texts() {
    let licence = text("LICENSE");
    for part in ["MIT License", "THE SOFTWARE IS PROVIDED", "Version 2.0, January 2004", "END OF TERMS AND CONDITIONS"]
    {
        assert!(licence.contains(part), "{part}");
    }
}

#[test]
fn everything_in_the_package_is_in_the_repository_or_made_with_it() {
    // A package of the crate has no such folder.
    let Ok(made) = fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/.ci/package")) else { return };
    let metadata = metadata();
    for asset in metadata["assets"].as_array().unwrap() {
        let source = asset[0].as_str().unwrap();
        let made_as =
            source.strip_prefix("target/package/").map(|name| name.trim_end_matches(".1").trim_end_matches(['*', '/']));
        match made_as {
            Some(name) => {
                let name = name.trim_end_matches(".gz");
                assert!(made.contains(name) || text(".ci/third-party").contains(name), "nothing makes {source}");
            }
            None if source == "target/release/petstore" => {}
            None => assert!(!text(source).is_empty()),
        }
    }
}

/// The name on crates.io belongs to another program: `cargo install petstore` would install that one.
#[test]
fn the_crate_has_a_name_of_its_own_and_the_program_is_petstore() {
    let manifest: toml::Table = text("Cargo.toml").parse().unwrap();
    assert_ne!(manifest["package"]["name"].as_str(), Some("petstore"));
    assert_eq!(manifest["lib"]["name"].as_str(), Some("petstore"));
    assert_eq!(manifest["bin"][0]["name"].as_str(), Some("petstore"));
    assert_eq!(metadata()["name"].as_str(), Some("petstore"));
    for page in documents() {
        assert!(!text(&page).contains("cargo install petstore"), "{page}");
    }
}

/// A newer compiler than `rust-version` hides it when a crate needs one; cargo knows from the manifests.
#[test]
fn no_crate_needs_a_newer_rust_than_ours() {
    let compiler = Command::new("rustc").arg("-vV").output().unwrap();
    let compiler = String::from_utf8(compiler.stdout).unwrap();
    let host = compiler.lines().find_map(|line| line.strip_prefix("host: ")).unwrap();
    // Crates for other platforms may not have been downloaded.
    let output = Command::new(env!("CARGO"))
        .args(["metadata", "--format-version=1", "--locked", "--offline", "--filter-platform", host])
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .output()
        .unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let metadata: Value = serde_json::from_slice(&output.stdout).unwrap();
    let version = |text: &str| -> Vec<u32> { text.split('.').map(|part| part.parse().unwrap()).collect() };
    let ours = env!("CARGO_PKG_RUST_VERSION");
    for package in metadata["packages"].as_array().unwrap() {
        let Some(needed) = package["rust_version"].as_str() else { continue };
        assert!(version(needed) <= version(&format!("{ours}.0")), "{} needs Rust {needed}", package["name"]);
    }
}
