//! Tells the program from which commit it was built, where that is known.
//!
//! Known from `PETSTORE_COMMIT`, the repository around it, or the note that `cargo package` leaves in a package. It is
//! read again only when something else was given, checked out or committed.

use std::env;
use std::fs;
use std::io::{self, Write as _};
use std::path::Path;
use std::process::Command;

#[expect(clippy::disallowed_methods, reason = "cargo reads it")]
fn main() -> io::Result<()> {
    let mut out = io::stdout();
    writeln!(out, "cargo:rerun-if-changed=src/build.rs")?;
    writeln!(out, "cargo:rerun-if-env-changed=PETSTORE_COMMIT")?;
    for file in watched() {
        writeln!(out, "cargo:rerun-if-changed={file}")?;
    }
    let commit = given()
        .or_else(of_repository)
        .or_else(of_package)
        .map_or_else(String::new, |commit| format!(", commit {commit}"));
    writeln!(out, "cargo:rustc-env=PETSTORE_COMMIT={commit}")
}

/// What git says; nothing for a package that lies somewhere in another repository.
fn git(arguments: &[&str]) -> Option<String> {
    let manifest = env!("CARGO_MANIFEST_DIR");
    let output = Command::new("git").arg("-C").arg(manifest).args(arguments).output().ok()?;
    output.status.success().then(|| String::from_utf8_lossy(&output.stdout).trim().to_owned())
}

fn is_own_repository() -> bool {
    git(&["rev-parse", "--show-prefix"]).is_some_and(|prefix| prefix.is_empty())
}

fn of_repository() -> Option<String> {
    is_own_repository().then(|| git(&["rev-parse", "--short=12", "HEAD"])).flatten()
}

/// A source without its history, such as an archive of a release, is built with this.
#[expect(clippy::disallowed_methods, reason = "a build script reads the environment of the build")]
fn given() -> Option<String> {
    env::var("PETSTORE_COMMIT").ok().filter(|commit| !commit.is_empty()).map(|commit| commit.chars().take(12).collect())
}

/// `.cargo_vcs_info.json` has one hash in it.
fn of_package() -> Option<String> {
    let text = fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join(".cargo_vcs_info.json")).ok()?;
    let hash = text.split('"').find(|word| word.len() == 40 && word.bytes().all(|byte| byte.is_ascii_hexdigit()))?;
    Some(hash[..12].to_owned())
}

/// The files that change with the commit. One that is not there would make it run each time.
fn watched() -> Vec<String> {
    if !is_own_repository() {
        return Vec::new();
    }
    let branch = git(&["symbolic-ref", "--quiet", "HEAD"]);
    let names = ["HEAD", "logs/HEAD"].into_iter().chain(branch.as_deref());
    let files = names.filter_map(|name| git(&["rev-parse", "--git-path", name]));
    let absolute = files.map(|file| Path::new(env!("CARGO_MANIFEST_DIR")).join(file));
    absolute.filter(|file| file.exists()).map(|file| file.display().to_string()).collect()
}
