//! Checks directories, their permissions, and the embedded database.

use std::fs;
use std::io;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};

use rustix::fs::{Access, access};

use crate::config::paths::below_home;
use crate::config::{Env, Paths};
use crate::model::text::safe_causes;
use crate::store::{self, DatabaseUrl, Store};

use super::check::{Check, LIMIT};
use crate::cli::args::DATABASE_VARIABLE;

/// The most key files that are checked.
const MOST_KEYS: usize = 100;

pub fn checks(env: &Env) -> Vec<Check> {
    // The check of the configuration reports a missing home directory.
    let Ok(paths) = Paths::new(env) else { return Vec::new() };
    let mut checks = vec![
        directory("settings", &paths.config, 0o022, env),
        directory("data", &paths.data, 0o022, env),
        directory("state", &paths.state, 0o022, env),
    ];
    let keys = paths.keys();
    if keys.exists() {
        checks.push(directory("keys", &keys, 0o077, env));
        let files = fs::read_dir(&keys).into_iter().flatten().flatten().take(MOST_KEYS);
        checks.extend(files.filter_map(|file| open_key(&file.path(), env)));
    }
    checks
}

/// A path as it is shown.
fn shown(path: &Path, env: &Env) -> String {
    below_home(path, env).display().to_string()
}

/// A directory that the program must be able to write to, and in which others must not have the permissions `not`.
fn directory(name: &str, path: &Path, not: u32, env: &Env) -> Check {
    let place = shown(path, env);
    let mode = match fs::metadata(path) {
        Ok(found) if found.is_dir() => found.permissions().mode() & 0o7777,
        Ok(_) => return Check::fail(name, &format!("{place} is not a directory"), &format!("move or rename {place}")),
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            // It is created below the first directory that exists.
            let above = path.ancestors().skip(1).find(|above| above.exists()).unwrap_or(path);
            if access(above, Access::WRITE_OK | Access::EXEC_OK).is_ok() {
                return Check::ok(name, &format!("{place} (created when needed)"));
            }
            let above = shown(above, env);
            let found = format!("{place} cannot be created: {above} is not writable");
            let remedy = format!("make {above} writable, or choose another directory, such as with XDG_DATA_HOME");
            return Check::fail(name, &found, &remedy);
        }
        Err(error) => return Check::fail(name, &format!("{place}: {error}"), &format!("ls -ld {place}")),
    };
    if access(path, Access::READ_OK | Access::WRITE_OK | Access::EXEC_OK).is_err() {
        return Check::fail(
            name,
            &format!("{place} is not writable (mode {mode:04o})"),
            &format!("chmod u+rwx {place}"),
        );
    }
    if mode & not != 0 {
        let (what, remedy) = if not == 0o077 { ("read", "go-rwx") } else { ("write to", "go-w") };
        return Check::warn(
            name,
            &format!("others can {what} {place} (mode {mode:04o})"),
            &format!("chmod {remedy} {place}"),
        );
    }
    Check::ok(name, &format!("{place} (mode {mode:04o})"))
}

/// A key that others can read.
fn open_key(path: &Path, env: &Env) -> Option<Check> {
    let mode = fs::metadata(path).ok()?.permissions().mode() & 0o7777;
    let place = shown(path, env);
    let found = format!("others can read {place} (mode {mode:04o})");
    (mode & 0o077 != 0).then(|| Check::fail("keys", &found, &format!("chmod 600 {place}, then replace the key")))
}

/// The embedded database.
pub async fn embedded(env: &Env) -> Check {
    const NAME: &str = "database";
    let Ok(path) = Paths::new(env).map(|paths| paths.embedded_database()) else {
        return Check::ok(NAME, "none");
    };
    let place = shown(&path, env);
    if !path.exists() {
        return Check::ok(NAME, &format!("{place} (created when needed)"));
    }
    file(NAME, &place, path).await
}

/// The database of the service, if the environment names one.
pub async fn database(env: &Env) -> Option<Check> {
    const NAME: &str = DATABASE_VARIABLE;
    const REMEDY: &str = "check the database server, and the address in PETSTORE_DATABASE";
    let url = match env.get(NAME)?.parse() {
        Ok(DatabaseUrl::Sqlite(path)) => return Some(file(NAME, &shown(&path, env), path).await),
        Ok(url) => url,
        Err(error) => return Some(Check::fail(NAME, &safe_causes(&error), REMEDY)),
    };
    let answer = async {
        let store = Store::open_existing(&url).await.map_err(|error| safe_causes(&error))?;
        let ready = store.ping().await.map_err(|why| format!("{url}: no pets can be added: {}", why.in_short()));
        store.close().await;
        ready
    };
    Some(match tokio::time::timeout(LIMIT, answer).await {
        Ok(Ok(())) => Check::ok(NAME, &format!("{url}: pets can be listed and added")),
        Ok(Err(why)) => Check::fail(NAME, &why, REMEDY),
        Err(_) => Check::fail(NAME, &format!("{url} did not answer within {} s", LIMIT.as_secs()), REMEDY),
    })
}

async fn file(name: &str, place: &str, path: PathBuf) -> Check {
    let url = DatabaseUrl::Sqlite(path);
    let whole = format!("to check all of it: petstore check --database {url}");
    let remedy = "move this file aside, and restore the last backup";
    match tokio::time::timeout(LIMIT, store::quick_check(&url)).await {
        Err(_) => Check::warn(name, &format!("{place} could not be checked within {} s", LIMIT.as_secs()), &whole),
        Ok(Err(error)) => Check::fail(name, &format!("{place}: {}", safe_causes(&error)), remedy),
        Ok(Ok(quick)) => match (quick.problems.first(), quick.changed) {
            (Some(problem), _) => Check::fail(name, &format!("{place} is damaged: {problem}"), remedy),
            (None, Some(changed)) => Check::fail(name, &format!("{place}: {changed}"), &whole),
            (None, None) => Check::ok(name, &format!("{place} is intact (schema {})", quick.schema)),
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn permissions_that_are_too_wide_are_found_with_the_command_that_fixes_them() {
        let home = tempfile::tempdir().unwrap();
        let env = Env::from_iter([("HOME", home.path()), ("XDG_DATA_HOME", &home.path().join("data"))]);
        let keys = home.path().join(".config/petstore/keys");
        fs::create_dir_all(&keys).unwrap();
        fs::create_dir_all(home.path().join("data")).unwrap();
        fs::write(home.path().join("data/petstore"), "").unwrap();
        fs::write(keys.join("shop"), "").unwrap();
        let mode = |path: &Path, mode| fs::set_permissions(path, fs::Permissions::from_mode(mode)).unwrap();
        mode(keys.parent().unwrap(), 0o777);
        mode(&keys, 0o750);
        mode(&keys.join("shop"), 0o644);
        let warn = |name, found, remedy| Check::warn(name, found, remedy);
        let there = "~/.config/petstore";
        assert_eq!(
            checks(&env),
            [
                warn("settings", &format!("others can write to {there} (mode 0777)"), &format!("chmod go-w {there}")),
                Check::fail("data", "~/data/petstore is not a directory", "move or rename ~/data/petstore"),
                Check::ok("state", "~/.local/state/petstore (created when needed)"),
                warn(
                    "keys",
                    &format!("others can read {there}/keys (mode 0750)"),
                    &format!("chmod go-rwx {there}/keys")
                ),
                Check::fail(
                    "keys",
                    &format!("others can read {there}/keys/shop (mode 0644)"),
                    &format!("chmod 600 {there}/keys/shop, then replace the key")
                ),
            ]
        );
        mode(keys.parent().unwrap(), 0o700);
        assert_eq!(checks(&env)[0], Check::ok("settings", &format!("{there} (mode 0700)")));
    }
}
