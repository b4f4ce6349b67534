//! Programs of this machine, run without a shell. None of them gets the secrets of petstore.

use std::collections::BTreeSet;
use std::ffi::{OsStr, OsString};
use std::io;
use std::os::unix::process::CommandExt as _;
use std::path::Path;
use std::pin::pin;
use std::process::{ExitStatus, Stdio};
use std::thread::{self, sleep};
use std::time::Duration;

use parking_lot::Mutex;
use rustix::process::{Pid, Signal, WaitId, WaitIdOptions, kill_process_group, waitid};
use tokio::io::{AsyncRead, AsyncReadExt as _, AsyncWriteExt as _};
use tokio::process::{ChildStdin, Command};
use tokio::runtime::Builder;
use tokio::time::timeout;

use crate::model::text::without_keys;
use crate::model::{cut, display_safe};

/// The longest output that is read, in bytes.
const MOST: usize = 64 << 10;

/// How long to read on once a program has ended: another one that it left behind may keep its pipes open.
const AFTER_END: Duration = Duration::from_millis(500);

/// The variables that hold an API key, or an address of a database with a password.
pub const SECRETS: [&str; 4] = ["PETSTORE_API_KEY", "PETSTORE_DATABASE", "PETSTORE_COPY_FROM", "PETSTORE_COPY_TO"];

/// Further ones: the configuration names variables that hold API keys.
static NAMED: Mutex<BTreeSet<String>> = Mutex::new(BTreeSet::new());

/// From now on no program gets this variable.
pub fn hide(variable: &str) {
    NAMED.lock().insert(variable.to_owned());
}

/// A program to run, without the variables that hold secrets. All programs are started with it.
pub fn command(program: impl AsRef<OsStr>) -> Command {
    let mut command = Command::new(program);
    for variable in SECRETS.into_iter().chain(NAMED.lock().iter().map(String::as_str)) {
        command.env_remove(variable);
    }
    command
}

/// Starts a program in place of this one, with these arguments, the first of which is its name, and these variables
/// alone. Returns why it could not.
pub fn replace<'a>(
    program: &Path,
    arguments: &[OsString],
    variables: impl Iterator<Item = (&'a OsString, &'a OsString)>,
) -> io::Error {
    let mut command = command(program);
    let command = command.as_std_mut().env_clear().envs(variables);
    if let [name, arguments @ ..] = arguments {
        command.arg0(name).args(arguments);
    }
    command.exec()
}

/// Runs a program to its end. What it prints goes where `command` says, by default where that of this program goes. It is
/// ended with its children when this is dropped.
pub async fn feed(mut command: Command, input: &[u8]) -> io::Result<ExitStatus> {
    let mut child = command.stdin(Stdio::piped()).process_group(0).spawn()?;
    let group = ProcessGroup::of(child.id());
    give(child.stdin.take(), input).await;
    let status = child.wait().await;
    group.release();
    status
}

/// Runs a program to its end and returns what it printed, or why that failed, in one line that is safe to show. It is
/// killed with its children when it takes longer than `limit` or prints too much, and when this is dropped.
pub async fn output_of(mut command: Command, input: &[u8], limit: Duration) -> Result<String, String> {
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).process_group(0).kill_on_drop(true);
    let mut child = command.spawn().map_err(|error| {
        if error.kind() == io::ErrorKind::NotFound {
            return format!("{} was not found", shown(&command.as_std().get_program().to_string_lossy(), 60));
        }
        format!("it did not start: {error}")
    })?;
    let group = ProcessGroup::of(child.id());
    let (stdin, stdout, stderr) = (child.stdin.take(), child.stdout.take(), child.stderr.take());
    let (mut out, mut err) = (Vec::new(), Vec::new());
    let work = async {
        let fed = async {
            give(stdin, input).await;
            Ok(())
        };
        let mut pipes = pin!(async { tokio::try_join!(fed, read(stdout, &mut out), read(stderr, &mut err)) });
        tokio::select! {
            done = &mut pipes => {
                done?;
                child.wait().await
            }
            status = child.wait() => {
                timeout(AFTER_END, pipes).await.unwrap_or(Ok(((), (), ())))?;
                status
            }
        }
        .map_err(|error| error.to_string())
    };
    let ended = timeout(limit, work).await;
    let status = ended.map_err(|_| format!("it took longer than {} s and was stopped", limit.as_secs()))??;
    group.release();
    if status.success() {
        return Ok(String::from_utf8_lossy(&out).into_owned());
    }
    let err = String::from_utf8_lossy(&err);
    let why = shown(&Vec::from_iter(err.split_whitespace()).join(" "), 160);
    Err(if why.is_empty() { format!("it failed ({status})") } else { format!("it failed ({status}): {why}") })
}

/// The same without input, for callers that block.
pub fn output_of_blocking(command: Command, limit: Duration) -> Result<String, String> {
    // The caller may be inside a runtime, which must not wait for another one.
    let work = move || {
        let runtime = Builder::new_current_thread().enable_all().build().map_err(|error| error.to_string())?;
        runtime.block_on(output_of(command, b"", limit))
    };
    thread::spawn(work).join().unwrap_or_else(|_| Err("it could not be run".to_owned()))
}

/// Writes all of the input. A program may end without reading it.
async fn give(stdin: Option<ChildStdin>, input: &[u8]) {
    if let Some(mut stdin) = stdin {
        let _ = stdin.write_all(input).await;
    }
}

/// Reads what a program prints. What was read before an error, or before this is dropped, is in `bytes`.
async fn read(pipe: Option<impl AsyncRead + Unpin>, bytes: &mut Vec<u8>) -> Result<(), String> {
    let Some(mut pipe) = pipe else { return Ok(()) };
    while pipe.read_buf(bytes).await.is_ok_and(|count| count > 0) {
        if bytes.len() > MOST {
            return Err(format!("it printed more than {} KiB and was stopped", MOST >> 10));
        }
    }
    Ok(())
}

/// Foreign text in a sentence: safe, without keys, and no longer than that.
pub fn shown(text: &str, columns: usize) -> String {
    cut(&display_safe(&without_keys(text)), columns).trim_end_matches('.').to_owned()
}

/// How long a program that is to end may still work.
const LAST: Duration = Duration::from_millis(500);
const STEP: Duration = Duration::from_millis(10);

/// The process group of a program that was started as its leader. When this is dropped, unless it was released, it gets
/// SIGTERM, and once the leader has ended, SIGKILL.
#[derive(Debug)]
pub struct ProcessGroup(Option<Pid>);

impl ProcessGroup {
    /// That of the child with this id.
    pub fn of(child: Option<u32>) -> Self {
        Self(child.and_then(|id| i32::try_from(id).ok()).and_then(Pid::from_raw))
    }

    /// The program has ended; what it left behind may go on.
    pub fn release(mut self) {
        self.0 = None;
    }
}

impl Drop for ProcessGroup {
    fn drop(&mut self) {
        if let Some(group) = self.0 {
            // It may have ended meanwhile.
            let _ = kill_process_group(group, Signal::TERM);
            let ended =
                || waitid(WaitId::Pid(group), WaitIdOptions::EXITED | WaitIdOptions::NOHANG | WaitIdOptions::NOWAIT);
            let mut waited = Duration::ZERO;
            while matches!(ended(), Ok(None)) && waited < LAST {
                sleep(STEP);
                waited += STEP;
            }
            let _ = kill_process_group(group, Signal::KILL);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    async fn run(words: &[&str], input: &str) -> Result<String, String> {
        let mut command = command(words[0]);
        command.args(&words[1..]);
        output_of(command, input.as_bytes(), Duration::from_secs(10)).await
    }

    async fn shell(script: &str) -> Result<String, String> {
        run(&["/bin/sh", "-c", script], "").await
    }

    #[tokio::test]
    async fn a_program_gets_its_input_and_returns_what_it_prints() {
        // More than pipes hold, in both directions.
        let input = "x".repeat(60_000) + "\n";
        assert_eq!(run(&["cat"], &input).await, Ok(input));
        assert_eq!(run(&["true"], &"x".repeat(1 << 20)).await, Ok(String::new()), "it did not read");
    }

    #[tokio::test]
    async fn each_way_to_fail_is_one_safe_line() {
        assert_eq!(run(&["/nowhere/lp"], "").await, Err("/nowhere/lp was not found".into()));
        assert_eq!(shell("exit 3").await, Err("it failed (exit status: 3)".into()));
        let cleaned = "it failed (exit status: 1): out of ⟨U+001B⟩[2J labels";
        assert_eq!(shell("printf 'out of \\033[2J\\nlabels' >&2; exit 1").await, Err(cleaned.into()));
        let expected = Err("it printed more than 64 KiB and was stopped".into());
        assert_eq!(shell("trap '' PIPE; while :; do echo more; done 2>/dev/null").await, expected);
        let mut hangs = command("/bin/sh");
        hangs.args(["-c", "sleep 60 & wait"]);
        let ended = output_of(hangs, b"", Duration::from_millis(50)).await;
        assert_eq!(ended, Err("it took longer than 0 s and was stopped".into()));
    }

    #[tokio::test]
    async fn a_program_that_leaves_another_one_behind_is_not_waited_for() {
        // Both would hold the pipes for an hour.
        assert_eq!(shell("echo printed; sleep 3600 & echo more").await, Ok("printed\nmore\n".into()));
        let mut unread = command("/bin/sh");
        unread.args(["-c", "exec 3<&0; sleep 3600 <&3 & exit 3"]);
        let ended = output_of(unread, &[b'x'; 1 << 20], Duration::from_secs(60)).await;
        assert_eq!(ended, Err("it failed (exit status: 3)".into()), "what it was given was not read");
    }

    #[tokio::test]
    async fn a_program_that_is_ended_may_finish_what_it_does() {
        let directory = tempfile::tempdir().unwrap();
        let mut works = command("/bin/sh");
        works.args(["-c", "trap 'echo whole >label; exit' TERM; echo half >label; sleep 60 & wait"]);
        works.current_dir(directory.path());
        let label = directory.path().join("label");
        let begun = async {
            while std::fs::read(&label).is_ok_and(|text| text.is_empty()) || !label.exists() {
                tokio::task::yield_now().await;
            }
        };
        tokio::select! {
            status = feed(works, b"") => panic!("{status:?}"),
            () = begun => {}
        }
        assert_eq!(std::fs::read_to_string(label).unwrap(), "whole\n");
    }

    #[test]
    fn no_program_gets_a_variable_that_holds_a_secret() {
        hide("SHOP_KEY_OF_THIS_TEST");
        let command = command("env");
        let removed: BTreeSet<_> =
            command.as_std().get_envs().filter(|(_, value)| value.is_none()).map(|(name, _)| name).collect();
        for variable in SECRETS.into_iter().chain(["SHOP_KEY_OF_THIS_TEST"]) {
            assert!(removed.contains(OsStr::new(variable)), "{variable}");
        }
    }
}
