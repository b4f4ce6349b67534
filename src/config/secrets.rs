//! Where keys are saved: private files, and programs that print them, such as a password manager. These may take ten
//! seconds.

use std::error::Error;
use std::fs::{self, File, Metadata};
use std::io::Read as _;
use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _};
use std::path::{Path, PathBuf};
use std::time::Duration;

use rustix::process::geteuid;

use super::{ConfigError, Result};
use crate::local::atomic_file;
use crate::local::program::{command, output_of_blocking, shown};
use crate::model::ApiKey;

/// The longest key file that is read, in bytes.
const MAX_BYTES: u64 = 4096;

/// The key on the first line of a private file.
pub fn read_key_file(path: &Path) -> Result<ApiKey> {
    read(path).map_err(|why| ConfigError::Key(format!("cannot read the API key from {}: {why}", path.display())))
}

fn read(path: &Path) -> Result<ApiKey, Box<dyn Error>> {
    let file = File::open(path)?;
    let found = file.metadata()?;
    if found.is_dir() {
        return Err("it is a directory, not a file".into());
    }
    let mode = found.permissions().mode() & 0o7777;
    if mode & 0o077 != 0 {
        return Err(format!("others can read it (mode {mode:04o}). Run: chmod 600 {}", path.display()).into());
    }
    let mut text = String::new();
    file.take(MAX_BYTES).read_to_string(&mut text)?;
    Ok(ApiKey::new(text.lines().next().unwrap_or_default())?)
}

/// Saves a key in the private file at `path`, completely or not at all. A missing directory is created, private too.
pub fn write_key_file(path: &Path, key: &ApiKey) -> Result<()> {
    let write = || atomic_file::replace_private(&atomic_file::target(path)?, format!("{}\n", key.expose()));
    let path = path.display();
    write().map_err(|why| ConfigError::Unusable(format!("the API key was not saved: cannot write {path}: {why}.")))
}

/// How long the program may take.
const LIMIT: Duration = Duration::from_secs(10);
/// The most symbolic links that Linux follows. Further ones make reading the file fail.
const MOST_LINKS: u32 = 40;

/// The key on the first line that a program prints. It is run without a shell and without input, and killed after ten
/// seconds.
pub fn run_key_command(words: &[String]) -> Result<ApiKey> {
    run(words, LIMIT).map_err(|why| {
        let command = shown(&words.join(" "), 60);
        ConfigError::Key(format!("the command {command} did not print an API key: {why}. Try it in a shell."))
    })
}

/// Refuses to run the command in the configuration file at `path` if others can write or replace that file, or anything
/// on the way to it, since they could choose the command.
pub fn refuse_where_others_write(path: &Path) -> Result<()> {
    let parts = |path: &Path| Vec::from_iter(path.components().rev().map(|part| part.as_os_str().to_owned()));
    let mut left = std::path::absolute(path).map(|path| parts(&path)).unwrap_or_default();
    let (mut at, mut links) = (PathBuf::new(), 0);
    while let Some(part) = left.pop() {
        if part == ".." {
            at.pop();
            continue;
        }
        at.push(part);
        // A missing file names no command.
        let Ok(found) = fs::symlink_metadata(&at) else { return Ok(()) };
        refuse_if_others_change(&at, &found)?;
        if let Ok(to) = fs::read_link(&at) {
            links += 1;
            if links > MOST_LINKS {
                return Ok(());
            }
            at.pop();
            left.extend(parts(&to));
        }
    }
    Ok(())
}

fn refuse_if_others_change(path: &Path, found: &Metadata) -> Result<()> {
    let (mode, owner, own) = (found.mode() & 0o7777, found.uid(), geteuid().as_raw());
    // In a directory with the sticky bit, such as /tmp, only its owner can replace a file. Links have no mode.
    let is_kept = found.is_dir() && mode & 0o1000 != 0 || found.is_symlink();
    let (why, remedy) = match () {
        () if owner != own && owner != 0 => (format!("it belongs to user {owner}"), format!("chown -h {own}")),
        () if mode & 0o022 != 0 && !is_kept => (format!("mode {mode:04o}"), "chmod go-w".to_owned()),
        () => return Ok(()),
    };
    let path = path.display();
    Err(ConfigError::Key(format!(
        "commands of the configuration were not run, because others can change {path} ({why}). Run: {remedy} {path}"
    )))
}

fn run(words: &[String], limit: Duration) -> Result<ApiKey, String> {
    let (program, arguments) = words.split_first().ok_or("no program is named")?;
    let mut command = command(program);
    command.args(arguments);
    let printed = output_of_blocking(command, limit)?;
    let Some(line) = printed.lines().next().filter(|line| !line.trim().is_empty()) else {
        return Err("the first line of its output is empty".to_owned());
    };
    ApiKey::new(line).map_err(|error| error.to_string().trim_end_matches('.').to_owned())
}

#[cfg(test)]
mod tests {
    use std::fs::{self, File};
    use std::io::Read as _;
    use std::os::unix::fs::{OpenOptionsExt as _, PermissionsExt as _, symlink};

    use rustix::fs::{OFlags, fcntl_setfl};

    use super::*;
    use crate::clock;

    fn mode(path: &Path) -> u32 {
        fs::metadata(path).unwrap().permissions().mode() & 0o777
    }

    #[test]
    fn a_file_that_others_can_read_is_refused_with_the_command_that_fixes_it() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("key");
        fs::write(&path, "petk_0123456789\nnot this\n").unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(0o640)).unwrap();
        let remedy = format!("others can read it (mode 0640). Run: chmod 600 {}", path.display());
        let error = read_key_file(&path).unwrap_err().to_string();
        assert_eq!(error, format!("cannot read the API key from {}: {remedy}", path.display()));
        fs::set_permissions(&path, fs::Permissions::from_mode(0o600)).unwrap();
        assert_eq!(read_key_file(&path).unwrap(), ApiKey::new("petk_0123456789").unwrap());
    }

    #[test]
    fn a_key_is_written_to_a_private_file_and_read_again() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("petstore/keys/staging");
        for text in ["petk_0123456789", "petk_another_one"] {
            let key = ApiKey::new(text).unwrap();
            write_key_file(&path, &key).unwrap();
            assert_eq!(read_key_file(&path).unwrap(), key);
            assert_eq!((mode(&path), mode(path.parent().unwrap())), (0o600, 0o700));
        }
        assert_eq!(fs::read_dir(path.parent().unwrap()).unwrap().count(), 1, "no temporary file is left");
    }

    #[test]
    fn an_existing_file_becomes_private_and_a_link_stays_a_link() {
        let directory = tempfile::tempdir().unwrap();
        let (real, link) = (directory.path().join("real"), directory.path().join("link"));
        fs::write(&real, "old").unwrap();
        fs::set_permissions(&real, fs::Permissions::from_mode(0o644)).unwrap();
        symlink(&real, &link).unwrap();
        write_key_file(&link, &ApiKey::new("petk_0123456789").unwrap()).unwrap();
        assert!(fs::symlink_metadata(&link).unwrap().is_symlink());
        assert_eq!((mode(&real), fs::read_to_string(&real).unwrap().as_str()), (0o600, "petk_0123456789\n"));
    }

    #[test]
    fn a_key_that_cannot_be_written_names_the_file() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("file/key");
        fs::write(directory.path().join("file"), "").unwrap();
        let error = write_key_file(&path, &ApiKey::new("petk_0123456789").unwrap()).unwrap_err().to_string();
        let begin = format!("the API key was not saved: cannot write {}: ", path.display());
        assert!(error.starts_with(&begin) && !error.contains("petk_"), "{error}");
    }

    fn key(words: &[&str]) -> Result<ApiKey, String> {
        run(&words.iter().map(|word| (*word).to_owned()).collect::<Vec<_>>(), LIMIT)
    }

    fn shell(script: &str) -> Result<ApiKey, String> {
        key(&["/bin/sh", "-c", script])
    }

    #[test]
    fn the_first_line_is_the_key_and_no_shell_is_used() {
        let expected = ApiKey::new("petk_$HOME_0123456789").unwrap();
        assert_eq!(key(&["/bin/echo", "petk_$HOME_0123456789"]), Ok(expected));
        let expected = ApiKey::new("petk_0123456789").unwrap();
        assert_eq!(shell("echo 'Bearer petk_0123456789'; echo 'user: ada'; echo warning >&2"), Ok(expected));
    }

    #[test]
    fn a_failing_program_is_reported_and_its_message_is_cleaned() {
        assert_eq!(shell("exit 3"), Err("it failed (exit status: 3)".into()));
        let cleaned = "it failed (exit status: 1): not ⟨U+001B⟩[2J signed in";
        assert_eq!(shell("printf 'not \\033[2J\\nsigned in' >&2; exit 1"), Err(cleaned.into()));
        assert_eq!(shell("echo; echo petk_0123456789"), Err("the first line of its output is empty".into()));
        assert_eq!(shell("exec cat"), Err("the first line of its output is empty".into()), "there is no input");
        assert!(shell("echo 'two words'").unwrap_err().starts_with("The API key may contain only visible ASCII"));
        assert_eq!(shell("yes petk_0123456789"), Err("it printed more than 64 KiB and was stopped".into()));
        let long = shell("yes wrong | head -c 4000 >&2; exit 1").unwrap_err();
        assert!(long.len() < 200, "{long}");
        let words = ["/nowhere/op".to_owned(), "read".to_owned()];
        let error = run_key_command(&words).unwrap_err().to_string();
        let begin = "the command /nowhere/op read did not print an API key: /nowhere/op was not found";
        assert!(error.starts_with(begin) && error.ends_with(". Try it in a shell."), "{error}");
    }

    #[test]
    fn no_command_is_run_from_a_configuration_that_others_can_change() {
        let directory = tempfile::tempdir().unwrap();
        let [above, between] = ["above", "between"].map(|name| directory.path().join(name));
        let [real, links] = ["real", "links"].map(|name| above.join(name));
        [&above, &between, &real, &links].into_iter().for_each(|path| fs::create_dir(path).unwrap());
        let (file, link) = (real.join("config.toml"), links.join("config.toml"));
        fs::write(&file, "").unwrap();
        symlink("../../between/link", &link).unwrap();
        symlink(&file, between.join("link")).unwrap();
        let mode = |path: &Path, mode| fs::set_permissions(path, fs::Permissions::from_mode(mode)).unwrap();
        [&above, &between, &real, &links].into_iter().for_each(|path| mode(path, 0o755));
        mode(&file, 0o644);
        refuse_where_others_write(&link).unwrap();
        refuse_where_others_write(&real.join("absent.toml")).unwrap();
        for (path, wrong, right) in [
            (&file, 0o664, 0o644),
            (&file, 0o606, 0o600),
            (&real, 0o775, 0o755),
            (&links, 0o757, 0o755),
            (&above, 0o777, 0o755),
            (&between, 0o777, 0o755),
        ] {
            mode(path, wrong);
            let error = refuse_where_others_write(&link).unwrap_err().to_string();
            let path_and_remedy = format!("{} (mode {wrong:04o}). Run: chmod go-w {}", path.display(), path.display());
            assert!(error.ends_with(&path_and_remedy), "{error}");
            mode(path, right);
            refuse_where_others_write(&link).unwrap();
        }
        mode(&real, 0o1777);
        refuse_where_others_write(&link).unwrap();
    }

    #[test]
    fn a_program_that_hangs_is_killed_with_its_children() {
        let directory = tempfile::tempdir().unwrap();
        let fifo = directory.path().join("fifo");
        assert!(command("mkfifo").as_std_mut().arg(&fifo).status().unwrap().success());
        let mut reader = File::options().read(true).custom_flags(OFlags::NONBLOCK.bits() as i32).open(&fifo).unwrap();
        fcntl_setfl(&reader, OFlags::empty()).unwrap();
        let begun = clock::now().mono;
        let script = format!("sleep 60 > {} & wait", fifo.display());
        let words = ["/bin/sh".to_owned(), "-c".to_owned(), script];
        assert_eq!(run(&words, Duration::from_secs(1)), Err("it took longer than 1 s and was stopped".into()));
        // This waits while a process has the file open for writing.
        assert_eq!(reader.read_to_end(&mut Vec::new()).unwrap(), 0);
        let plain = ["/bin/sleep".to_owned(), "60".to_owned()];
        assert_eq!(run(&plain, Duration::from_millis(100)), Err("it took longer than 0 s and was stopped".into()));
        assert!(clock::now().mono - begun < Duration::from_secs(30));
    }
}
