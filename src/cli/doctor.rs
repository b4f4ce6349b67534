//! `petstore doctor`: checks everything that the program depends on, and says how to fix what is wrong: directories and
//! their permissions, the embedded database, the profiles and their keys, the connection to the service in use, and the
//! terminal.

use std::fmt::Display;
use std::fs;
use std::io::{self, Write};
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use jiff::SignedDuration;
use rustix::fs::{Access, access};
use rustls::crypto::ring;
use rustls_platform_verifier::Verifier;
use serde::Serialize;
use tokio::net::lookup_host;
use tokio::task::spawn_blocking;
use tokio::time::timeout;

use super::args::DATABASE_VARIABLE;
use super::output::is_terminal;
use super::render::FormatArg;
use super::service::{self, ask};
use super::{Exit, Failed, Result, configuration};
use crate::app::clipboard::{ClipboardBackend, ways};
use crate::clock;
use crate::config::paths::below_home;
use crate::config::{
    Choices, Clipboard, Depth, Env, KeyOrigin, KeySource, Origin, Paths, Profile, Remote, Service, Settings, file_path,
    settings_for,
};
use crate::model::text::without_keys;
use crate::model::{counted, safe_causes, safe_text, table};
use crate::store::{self, DatabaseUrl, Store};
use crate::terminal_size::terminal_size;

/// Runs all checks, and writes the results; the exit status says whether one fails. `least` is the smallest size of the
/// full screen.
pub async fn run(output: FormatArg, least: (u16, u16), choices: &Choices, env: &Env) -> Result<Exit> {
    let size = is_terminal().then(|| terminal_size().ok()).flatten();
    // The check of the configuration reports wrong settings.
    let choice = Settings::without_key(choices, env).map_or(Clipboard::Auto, |settings| settings.config.ui.clipboard);
    let terminal = terminal(size, least, env);
    let mut checks = vec![terminal, colours(env), characters(env), clipboard(choice, env), configured(choices, env)];
    checks.extend(directories(env));
    checks.extend(profiles(choices, env).await);
    checks.push(embedded(env).await);
    checks.extend(database(env).await);
    output.write(|out| lines(out, &checks), || &checks)?;
    let fails = checks.iter().any(|check| check.verdict == Verdict::Fail);
    Ok(if fails { Exit::Failure } else { Exit::Done })
}

fn configured(choices: &Choices, env: &Env) -> Check {
    const NAME: &str = "configuration";
    let path = match file_path(choices, env) {
        Ok(path) => path,
        Err(error) => return Check::fail(NAME, error, "set HOME"),
    };
    match configuration::check(&path, choices, env) {
        Ok(found) if found.is_empty() && path.exists() => Check::ok(NAME, path.display()),
        Ok(found) if found.is_empty() => Check::ok(NAME, "no file, so the defaults are used"),
        Ok(found) => Check::fail(NAME, found.join(" "), "correct the file there; petstore config path names it"),
        Err(failed) => Check::fail(NAME, failed.what, format!("check who may read it: ls -l {}", path.display())),
    }
}

fn lines(out: &mut impl Write, checks: &[Check]) -> io::Result<()> {
    let mut rows = Vec::new();
    for Check { name, verdict, found, remedy } in checks {
        rows.push([format!("{verdict:4}"), name.clone(), found.clone()]);
        rows.extend(remedy.as_ref().map(|remedy| [String::new(), String::new(), format!("fix: {remedy}")]));
    }
    table::write(out, rows)
}

/// How long a check may take by default.
const LIMIT: Duration = Duration::from_secs(10);

/// The verdict of a check.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, strum::Display)]
#[serde(rename_all = "lowercase")]
#[strum(serialize_all = "lowercase")]
enum Verdict {
    Ok,
    Warn,
    Fail,
}

/// A check and its result.
#[derive(Debug, PartialEq, Eq, Serialize)]
struct Check {
    name: String,
    verdict: Verdict,
    found: String,
    /// How to fix it, if it needs fixing.
    remedy: Option<String>,
}

impl Check {
    fn ok(name: &str, found: impl Display) -> Self {
        let found = safe_text(&without_keys(&found.to_string()));
        Self { name: safe_text(&name), verdict: Verdict::Ok, found, remedy: None }
    }

    fn warn(name: &str, found: impl Display, remedy: impl Display) -> Self {
        Self { verdict: Verdict::Warn, remedy: Some(safe_text(&remedy)), ..Self::ok(name, found) }
    }

    fn fail(name: &str, found: impl Display, remedy: impl Display) -> Self {
        Self { verdict: Verdict::Fail, ..Self::warn(name, found, remedy) }
    }
}

/// The most key files that are checked.
const MOST_KEYS: usize = 100;

fn directories(env: &Env) -> Vec<Check> {
    // The check of the configuration reports a missing home directory.
    let Ok(paths) = Paths::new(env) else { return Vec::new() };
    let mut checks = vec![
        directory("settings", &paths.config, "XDG_CONFIG_HOME", 0o022, env),
        directory("data", &paths.data, "XDG_DATA_HOME", 0o022, env),
        directory("state", &paths.state, "XDG_STATE_HOME", 0o022, env),
    ];
    let keys = paths.keys();
    if keys.exists() {
        checks.push(directory("keys", &keys, "XDG_CONFIG_HOME", 0o077, env));
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
fn directory(name: &str, path: &Path, variable: &str, not: u32, env: &Env) -> Check {
    let place = shown(path, env);
    let mode = match fs::metadata(path) {
        Ok(found) if found.is_dir() => found.permissions().mode() & 0o7777,
        Ok(_) => return Check::fail(name, format!("{place} is not a directory"), format!("move or rename {place}")),
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            // It is created below the first directory that exists.
            let above = path.ancestors().skip(1).find(|above| above.exists()).unwrap_or(path);
            if access(above, Access::WRITE_OK | Access::EXEC_OK).is_ok() {
                return Check::ok(name, format!("{place} (created when needed)"));
            }
            let above = shown(above, env);
            let remedy = format!("make {above} writable, or choose another directory with {variable}");
            return Check::fail(name, format!("{place} cannot be created: {above} is not writable"), remedy);
        }
        Err(error) => return Check::fail(name, format!("{place}: {error}"), format!("ls -ld {place}")),
    };
    if access(path, Access::READ_OK | Access::WRITE_OK | Access::EXEC_OK).is_err() {
        return Check::fail(name, format!("{place} is not writable (mode {mode:04o})"), format!("chmod u+rwx {place}"));
    }
    if mode & not != 0 {
        let (what, change) = if not == 0o077 { ("read", "go-rwx") } else { ("write to", "go-w") };
        let found = format!("others can {what} {place} (mode {mode:04o})");
        return Check::warn(name, found, format!("chmod {change} {place}"));
    }
    Check::ok(name, format!("{place} (mode {mode:04o})"))
}

/// A key that others can read.
fn open_key(path: &Path, env: &Env) -> Option<Check> {
    let mode = fs::metadata(path).ok()?.permissions().mode() & 0o7777;
    let place = shown(path, env);
    let found = format!("others can read {place} (mode {mode:04o})");
    (mode & 0o077 != 0).then(|| Check::fail("keys", &found, format!("chmod 600 {place}, then replace the key")))
}

/// The embedded database.
async fn embedded(env: &Env) -> Check {
    const NAME: &str = "database";
    let Ok(path) = Paths::new(env).map(|paths| paths.embedded_database()) else {
        return Check::ok(NAME, "none");
    };
    let place = shown(&path, env);
    if !path.exists() {
        return Check::ok(NAME, format!("{place} (created when needed)"));
    }
    file(NAME, &place, path).await
}

/// The database of the service, if the environment names one.
async fn database(env: &Env) -> Option<Check> {
    const NAME: &str = DATABASE_VARIABLE;
    const REMEDY: &str = "check the database server, and the address in PETSTORE_DATABASE";
    let url = match env.get(NAME)?.parse() {
        Ok(DatabaseUrl::Sqlite(path)) => return Some(file(NAME, &shown(&path, env), path).await),
        Ok(url) => url,
        Err(error) => return Some(Check::fail(NAME, safe_causes(&error), REMEDY)),
    };
    let answer = async {
        let store = Store::open_existing(&url).await.map_err(|error| safe_causes(&error))?;
        let ready = store.ping().await.map_err(|why| format!("{url}: no pets can be added: {}", why.in_short()));
        store.close().await;
        ready
    };
    Some(match timeout(LIMIT, answer).await {
        Ok(Ok(())) => Check::ok(NAME, format!("{url}: pets can be listed and added")),
        Ok(Err(why)) => Check::fail(NAME, &why, REMEDY),
        Err(_) => Check::fail(NAME, format!("{url} did not answer within {} s", LIMIT.as_secs()), REMEDY),
    })
}

async fn file(name: &str, place: &str, path: PathBuf) -> Check {
    let url = DatabaseUrl::Sqlite(path);
    let whole = format!("to check all of it: petstore database check --database {url}");
    let remedy = "move this file aside, and restore the last backup";
    match timeout(LIMIT, store::check(&url, true)).await {
        Err(_) => Check::warn(name, format!("{place} could not be checked within {} s", LIMIT.as_secs()), &whole),
        Ok(Err(error)) => Check::fail(name, format!("{place}: {}", safe_causes(&error)), remedy),
        Ok(Ok(quick)) => match (quick.problems.first(), quick.changed) {
            (Some(problem), _) => Check::fail(name, format!("{place} is damaged: {problem}"), remedy),
            (None, Some(changed)) => Check::fail(name, format!("{place}: {changed}"), &whole),
            (None, None) => Check::ok(name, format!("{place} is intact (schema {})", quick.schema)),
        },
    }
}

/// How long a name may take to resolve.
const NAMES: Duration = Duration::from_secs(3);

/// How long a key may take: a command gets ten seconds.
const KEYS: Duration = Duration::from_secs(15);

/// How far the clocks may be apart.
const APART: SignedDuration = SignedDuration::from_secs(30);

async fn profiles(choices: &Choices, env: &Env) -> Vec<Check> {
    let known = match Settings::without_key(choices, env) {
        Ok(known) => known,
        // An error of the configuration is reported by its own check; here it may also be a flag.
        Err(error) => return vec![Check::fail("profile", Failed::from(error).what, choices.command("config check"))],
    };
    let mut checks = others(&known, choices, env);
    let name = format!("profile {}", known.name);
    let resolved = {
        let (choices, env) = (choices.clone(), env.clone());
        timeout(KEYS, spawn_blocking(move || Settings::resolve(&choices, &env))).await
    };
    match resolved {
        Ok(Ok(Ok(settings))) => checks.extend(used(&name, &settings, env).await),
        Ok(Ok(Err(error))) => checks.push(Check::fail(&name, error, login(&known.name))),
        Ok(Err(error)) => checks.push(Check::fail(&name, error, "petstore status")),
        Err(_) => {
            let found = format!("reading its key took longer than {} s", KEYS.as_secs());
            checks.push(Check::fail(&name, &found, "run the key's command in a shell"));
        }
    }
    checks
}

/// The profile in use, and its service.
async fn used(name: &str, settings: &Settings, env: &Env) -> Vec<Check> {
    let Service::Remote(remote) = &settings.service else {
        return vec![Check::ok(name, "embedded store, no key needed"), trust(false)];
    };
    let needs_trust = remote.base_url.is_https() && remote.ca_file.is_none();
    let mut checks = vec![key(name, settings, remote, env), trust(needs_trust), names(remote).await];
    checks.extend(answers(settings).await);
    checks
}

/// The profiles that are not in use. Does not run their commands.
fn others(used: &Settings, choices: &Choices, env: &Env) -> Vec<Check> {
    let profiles = used.config.profiles.iter();
    let others = profiles.filter(|(name, profile)| **name != used.name && !profile.embedded);
    let check = |(name, profile): (&String, &Profile)| {
        let title = format!("profile {name}");
        if let Some(source @ KeySource::Command(_)) = &profile.key {
            return Check::ok(&title, format!("key {}, not tested", KeyOrigin::from(source)));
        }
        match settings_for(name, choices, env) {
            Ok(Settings { service: Service::Remote(Remote { key: None, .. }), .. }) => {
                Check::warn(&title, "no key", login(name))
            }
            Ok(settings) => Check::ok(&title, key_origin(&settings)),
            Err(error) => Check::warn(&title, error, login(name)),
        }
    };
    others.map(check).collect()
}

fn key(name: &str, settings: &Settings, remote: &Remote, env: &Env) -> Check {
    let named = settings.origins.iter().any(|one| one.name == "key" && matches!(one.origin, Origin::File { .. }));
    if remote.key.is_none() {
        return Check::fail(name, format!("no key for {}", remote.base_url), another_key(settings));
    }
    if named
        && env.get("PETSTORE_API_KEY").is_some()
        && remote.key_origin != KeyOrigin::Environment("PETSTORE_API_KEY".into())
    {
        let found = format!("{}; PETSTORE_API_KEY is set but not used for this profile", key_origin(settings));
        return Check::warn(name, &found, "unset PETSTORE_API_KEY unless another service needs it");
    }
    Check::ok(name, key_origin(settings))
}

fn key_origin(settings: &Settings) -> String {
    match &settings.service {
        Service::Remote(remote) => format!("key {}", remote.key_origin),
        Service::Demo | Service::Embedded { .. } => "no key needed".to_owned(),
    }
}

fn login(profile: &str) -> String {
    format!("petstore login -p {profile}")
}

/// How to give the service in use another key. An address without a profile has no place to save one.
fn another_key(settings: &Settings) -> String {
    match settings.origins.iter().find(|setting| setting.name == "address").map(|setting| &setting.origin) {
        Some(Origin::Flag(_) | Origin::Environment(_)) => "set PETSTORE_API_KEY to a key for this service".to_owned(),
        Some(Origin::File { .. } | Origin::ByHand | Origin::Default) | None => login(&settings.name),
    }
}

/// Whether the system's CA certificates can be read: without them no `https://` service is trusted.
fn trust(needed: bool) -> Check {
    let verifier = Verifier::new(Arc::new(ring::default_provider()));
    let remedy = "install the system's CA certificates (package ca-certificates), or set SSL_CERT_FILE to a PEM file";
    match verifier {
        Ok(_) => Check::ok("certificates", "the system's CA certificates can be read"),
        Err(error) if needed => Check::fail("certificates", error, remedy),
        Err(error) => Check::warn("certificates", error, remedy),
    }
}

async fn names(remote: &Remote) -> Check {
    if let Some(name) = remote.base_url.loopback_name() {
        return Check::ok("name", format!("{name}: this machine"));
    }
    let url = remote.base_url.join("");
    let host = url.host_str().unwrap_or_default().to_owned();
    let begun = clock::now().mono;
    let found =
        timeout(NAMES, lookup_host((host.trim_matches(['[', ']']), url.port_or_known_default().unwrap_or(443)))).await;
    let took = clock::now().mono.saturating_duration_since(begun).as_millis();
    let why = match found {
        Ok(Ok(addresses)) => {
            let addresses = counted(addresses.count(), "address");
            return Check::ok("name", format!("{host}: {addresses} in {took} ms"));
        }
        Ok(Err(error)) => error.to_string(),
        Err(_) => format!("no answer within {} s", NAMES.as_secs()),
    };
    Check::fail("name", format!("{host}: {why}"), "check the profile's address, the network, and /etc/resolv.conf")
}

/// Whether the service answers, and how far its clock is off.
async fn answers(settings: &Settings) -> Vec<Check> {
    const NAME: &str = "service";
    let service = settings.service.name();
    let Ok(answer) = timeout(LIMIT, ask(settings)).await else {
        let found = format!("{service} did not answer within {} s", LIMIT.as_secs());
        return vec![Check::fail(NAME, &found, "try again in a moment, or ask the service's operator")];
    };
    if let Some(Failed { exit, what, hint, .. }) = answer.failed {
        let remedy = match exit {
            Exit::Unauthorized => another_key(settings),
            _ => hint.unwrap_or_else(|| "petstore config show --origin".to_owned()),
        };
        return vec![Check::fail(NAME, what, remedy)];
    }
    let took = answer.took.unwrap_or_default().as_millis();
    let mut checks = vec![Check::ok(NAME, format!("{service} answers in {took} ms and accepts the key"))];
    if let Ok((client, _)) = service::connect(settings).await
        && let Ok(Ok(Some(there))) = timeout(LIMIT, client.date()).await
    {
        checks.push(clocks(there.duration_until(clock::now().wall)));
    }
    checks
}

/// Compares this machine's clock, which is `ahead` of the service's.
fn clocks(ahead: SignedDuration) -> Check {
    let seconds = ahead.as_secs().unsigned_abs();
    if ahead.abs() <= APART {
        return Check::ok("clock", format!("matches the service's, within {} s", APART.as_secs()));
    }
    let way = if ahead.is_negative() { "behind" } else { "ahead of" };
    Check::warn("clock", format!("{seconds} s {way} the service's"), "set this machine's clock: timedatectl status")
}

/// `least` is the smallest size of the full screen.
fn terminal(size: Option<(u16, u16)>, least: (u16, u16), env: &Env) -> Check {
    const NAME: &str = "terminal";
    let in_words = |(columns, rows)| format!("{columns}x{rows}");
    let mut found = size.map_or_else(|| "output is not a terminal".to_owned(), in_words);
    for (variable, words) in [("TMUX", ", inside tmux"), ("STY", ", inside screen")] {
        found.push_str(env.get(variable).map_or("", |_| words));
    }
    found.push_str(if env.is_over_ssh() { ", over SSH" } else { "" });
    match (size, env.get("TERM")) {
        (Some(_), None | Some("dumb")) => {
            found.push_str(", TERM is unset or dumb");
            Check::warn(NAME, found, "set TERM; petstore pets list works without it")
        }
        (Some((columns, rows)), Some(_)) if columns < least.0 || rows < least.1 => {
            Check::warn(NAME, &found, format!("enlarge the window to at least {}x{}", least.0, least.1))
        }
        (Some(_), Some(term)) => Check::ok(NAME, format!("{found}, {term}")),
        (None, _) => Check::ok(NAME, &found),
    }
}

fn colours(env: &Env) -> Check {
    let found = match (env.get("NO_COLOR"), env.depth()) {
        (Some(_), _) => "none (NO_COLOR is set)",
        (None, Depth::Mono) => "none",
        (None, Depth::Sixteen) => "16",
        (None, Depth::TwoFiftySix) => "256",
        (None, Depth::TrueColour) => "16 million",
    };
    Check::ok("colours", found)
}

fn characters(env: &Env) -> Check {
    if env.is_utf8() {
        return Check::ok("characters", "UTF-8");
    }
    Check::warn("characters", "ASCII only, because of the locale", "set LANG to a UTF-8 locale, such as C.UTF-8")
}

fn clipboard(choice: Clipboard, env: &Env) -> Check {
    let ways = ways(choice, env, Paths::new(env).ok().map(|paths| paths.copied_file()));
    let words: Vec<String> = ways.iter().map(|way| way_words(way, env)).collect();
    let found = words.join(", else ");
    let remedy = "to copy through the terminal, set clipboard = \"osc52\" in the configuration";
    match (choice, ways.as_slice()) {
        (Clipboard::Off, _) => Check::ok("clipboard", "off"),
        (_, []) => Check::warn("clipboard", "none", remedy),
        (Clipboard::Auto, [ClipboardBackend::File(_)]) => Check::warn("clipboard", &found, remedy),
        (_, _) => Check::ok("clipboard", &found),
    }
}

/// A way to copy, in words.
fn way_words(way: &ClipboardBackend, env: &Env) -> String {
    use ClipboardBackend::*;
    match way {
        Tmux => "through tmux".to_owned(),
        Desktop(program, _) => format!("by {program}"),
        Terminal => "through the terminal (OSC 52)".to_owned(),
        File(path) => format!("into {}", shown(path, env)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_check_is_a_line_with_its_remedy_below() {
        let checks = [Check::ok("terminal", "80x24"), Check::fail("key \u{1b}", "is lost", "petstore login")];
        let mut out = Vec::new();
        lines(&mut out, &checks).unwrap();
        let expected =
            "ok    terminal      80x24\nfail  key ⟨U+001B⟩  is lost\n                    fix: petstore login\n";
        assert_eq!(String::from_utf8(out).unwrap(), expected);
        let expected = serde_json::json!({"name": "key ⟨U+001B⟩", "verdict": "fail", "found": "is lost", "remedy": "petstore login"});
        assert_eq!(serde_json::to_value(&checks[1]).unwrap(), expected);
    }

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
            directories(&env),
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
                    format!("others can read {there}/keys/shop (mode 0644)"),
                    format!("chmod 600 {there}/keys/shop, then replace the key")
                ),
            ]
        );
        mode(keys.parent().unwrap(), 0o700);
        assert_eq!(directories(&env)[0], Check::ok("settings", format!("{there} (mode 0700)")));
    }

    #[test]
    fn a_clock_that_is_off_is_reported_with_the_difference() {
        assert_eq!(clocks(SignedDuration::from_secs(-30)).verdict, Verdict::Ok);
        let ahead = clocks(SignedDuration::from_secs(31));
        assert_eq!((ahead.verdict, ahead.found.as_str()), (Verdict::Warn, "31 s ahead of the service's"));
        assert_eq!(clocks(SignedDuration::from_secs(-3600)).found, "3600 s behind the service's");
    }

    const LEAST: (u16, u16) = (40, 8);

    #[test]
    fn what_a_terminal_lacks_has_a_remedy() {
        let env = |vars: &[(&str, &str)]| vars.iter().copied().collect::<Env>();
        let xterm = env(&[("TERM", "xterm-256color"), ("LANG", "C.UTF-8"), ("TMUX", "x"), ("SSH_TTY", "/dev/pts/1")]);
        let ok = Check::ok("terminal", "80x24, inside tmux, over SSH, xterm-256color");
        assert_eq!(terminal(Some((80, 24)), LEAST, &xterm), ok);
        assert_eq!(terminal(Some((39, 24)), LEAST, &xterm).verdict, Verdict::Warn);
        assert_eq!(terminal(Some((80, 24)), LEAST, &env(&[("TERM", "dumb")])).verdict, Verdict::Warn);
        assert_eq!(terminal(None, LEAST, &env(&[])), Check::ok("terminal", "output is not a terminal"));
        let expected = (Check::ok("colours", "256"), Check::ok("characters", "UTF-8"));
        assert_eq!((colours(&xterm), characters(&xterm)), expected);
        let expected = Check::ok("colours", "none (NO_COLOR is set)");
        assert_eq!(colours(&env(&[("TERM", "xterm"), ("NO_COLOR", "1")])), expected);
        assert_eq!(characters(&env(&[("LANG", "C")])).verdict, Verdict::Warn);
        assert_eq!(clipboard(Clipboard::Auto, &xterm).verdict, Verdict::Ok);
        let bare = env(&[("HOME", "/home/ada"), ("TERM", "linux")]);
        assert_eq!(clipboard(Clipboard::Auto, &bare).verdict, Verdict::Warn);
        assert_eq!(clipboard(Clipboard::File, &bare).verdict, Verdict::Ok);
        assert_eq!(clipboard(Clipboard::Off, &bare), Check::ok("clipboard", "off"));
    }
}
