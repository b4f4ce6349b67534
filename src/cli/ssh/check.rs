//! `petstore ssh check`: what keeps people out, or lets others in.

use std::collections::BTreeSet;
use std::fs;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};
use std::process::Stdio;

use crate::cli::doctor;
use crate::cli::doctor::check::Check;
use crate::cli::error::{Exit, Failed};
use crate::cli::render::FormatArg;
use crate::config::Env;
use crate::config::secrets::read_key_file;
use crate::local::program::command;
use crate::model::words::counted;

use super::authorized_keys::AuthorizedKeys;
use super::person::People;

/// Runs all checks.
pub fn run(output: FormatArg, file: &Path, people: &People, env: &Env) -> Result<Exit, Failed> {
    let mut checks = lines(file, people)?;
    checks.push(modes(file, env));
    checks.extend(server(file, env));
    doctor::write(output, &checks)
}

/// Lines without a person, people without a line or a key.
fn lines(file: &Path, people: &People) -> Result<Vec<Check>, Failed> {
    let (lines, all) = (AuthorizedKeys::read(file)?, people.all()?);
    let known: BTreeSet<_> = all.iter().map(|(name, _)| name.as_str()).collect();
    let mut checks = Vec::new();
    for (number, name) in lines.ours().filter(|(_, name)| !known.contains(name)) {
        let found = format!("{}:{number} is for {name}, who is not authorized", file.display());
        checks.push(Check::fail("line", &found, &format!("petstore ssh revoke {name}")));
    }
    let with_line: BTreeSet<_> = lines.ours().map(|(_, name)| name).collect();
    for (name, _) in all.iter().filter(|(name, _)| !with_line.contains(name.as_str())) {
        let found = format!("{name} has no line in {}", file.display());
        let remedy = "add it with petstore ssh authorize, or use AuthorizedKeysCommand: petstore ssh keys --help";
        checks.push(Check::warn("line", &found, remedy));
    }
    for (name, _) in &all {
        if let Err(why) = read_key_file(&people.key_file(name)) {
            let remedy = format!("petstore ssh revoke {name}, then authorize again");
            checks.push(Check::fail("API key", &format!("{name}: {why}"), &remedy));
        }
    }
    if checks.is_empty() {
        checks.push(Check::ok("people", &format!("{}, each with a line and an API key", counted(all.len(), "person"))));
    }
    Ok(checks)
}

/// With StrictModes, sshd ignores a file that others than its owner could change (sshd_config(5)).
fn modes(file: &Path, env: &Env) -> Check {
    const NAME: &str = "modes";
    let uid = rustix::process::getuid().as_raw();
    let home = env.path("HOME").unwrap_or_else(|| PathBuf::from("/"));
    let above = file.ancestors().take_while(|path| path.starts_with(&home));
    for path in std::iter::once(file).chain(above.skip(1)) {
        let metadata = match fs::metadata(path) {
            Ok(metadata) => metadata,
            Err(error) => {
                return Check::fail(NAME, &format!("{}: {error}", path.display()), "petstore ssh authorize NAME KEY");
            }
        };
        let shown = path.display();
        if metadata.mode() & 0o022 != 0 {
            return Check::fail(
                NAME,
                &format!("others may change {shown}, so sshd ignores it"),
                &format!("chmod go-w {shown}"),
            );
        }
        if ![0, uid].contains(&metadata.uid()) {
            return Check::fail(NAME, &format!("{shown} belongs to another account"), &format!("chown {uid} {shown}"));
        }
    }
    Check::ok(NAME, &format!("only this account can change {}", file.display()))
}

/// What the server on this machine says of its configuration.
fn server(file: &Path, env: &Env) -> Vec<Check> {
    const NAME: &str = "sshd";
    let account = env.get("LOGNAME").or_else(|| env.get("USER")).unwrap_or("root");
    let connection = format!("user={account},host=localhost,addr=127.0.0.1");
    let output = ["sshd", "/usr/sbin/sshd"].into_iter().find_map(|program| {
        let mut command = command(program);
        let command = command.as_std_mut();
        command.args(["-T", "-C", &connection]).stdin(Stdio::null()).stderr(Stdio::null());
        command.output().ok().filter(|output| output.status.success())
    });
    let Some(output) = output else {
        return vec![Check::warn(
            NAME,
            "its configuration was not checked",
            "run this as root: sshd -T needs its keys",
        )];
    };
    let text = String::from_utf8_lossy(&output.stdout);
    let setting = |name: &str| text.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(' '));
    let wrong = |name: &str, remedy: &str| {
        let value = setting(name).unwrap_or_default();
        Check::fail(NAME, &format!("{name} is {value} for {account}"), remedy)
    };
    let mut checks = Vec::new();
    if setting("pubkeyauthentication") == Some("no") {
        checks.push(wrong("pubkeyauthentication", "set PubkeyAuthentication yes in sshd_config"));
    }
    if setting("permittty") == Some("no") {
        checks.push(wrong("permittty", "set PermitTTY yes in sshd_config"));
    }
    if setting("forcecommand").is_some_and(|command| command != "none") {
        checks.push(wrong("forcecommand", "remove ForceCommand for this account: it runs instead of petstore"));
    }
    let home = env.path("HOME").unwrap_or_default();
    let reads = |pattern: &str| {
        let pattern = pattern.replace("%h", &home.display().to_string()).replace("%u", account);
        home.join(pattern) == file
    };
    if !setting("authorizedkeysfile").unwrap_or_default().split(' ').any(reads) {
        checks.push(wrong("authorizedkeysfile", &format!("name {} there, or use --authorized-keys", file.display())));
    }
    if checks.is_empty() {
        checks.push(Check::ok(NAME, &format!("it reads {} for {account}", file.display())));
    }
    checks
}
