//! Programs of this machine, run without a shell, with a text on their standard input.

use std::io;
use std::process::{ExitStatus, Stdio};
use std::time::Duration;

use tokio::io::{AsyncRead, AsyncReadExt as _, AsyncWriteExt as _};
use tokio::process::{ChildStdin, Command};
use tokio::time::timeout;

use crate::local::process_group::ProcessGroup;
use crate::model::display_safe;
use crate::model::text::{cut, without_keys};

/// The longest output that is read, in bytes.
const MOST: u64 = 64 << 10;

/// Runs a program to its end. What it prints goes where `command` says, by default where that of this program goes.
pub async fn feed(mut command: Command, input: &[u8]) -> io::Result<ExitStatus> {
    let mut child = command.stdin(Stdio::piped()).spawn()?;
    give(child.stdin.take(), input).await;
    child.wait().await
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
    let (stdin, out, err) = (child.stdin.take(), child.stdout.take(), child.stderr.take());
    let work = async {
        let fed = async {
            give(stdin, input).await;
            Ok(())
        };
        let ended = async { child.wait().await.map_err(|error| error.to_string()) };
        tokio::try_join!(fed, printed(out), printed(err), ended)
    };
    let ended = timeout(limit, work).await;
    let late = |_| format!("it took longer than {} s and was stopped", limit.as_secs());
    let ((), out, err, status) = ended.map_err(late)??;
    group.release();
    if status.success() {
        return Ok(String::from_utf8_lossy(&out).into_owned());
    }
    let err = String::from_utf8_lossy(&err);
    let why = shown(&err.split_whitespace().collect::<Vec<_>>().join(" "), 160);
    Err(if why.is_empty() { format!("it failed ({status})") } else { format!("it failed ({status}): {why}") })
}

/// Writes all of the input. A program may end without reading it.
async fn give(stdin: Option<ChildStdin>, input: &[u8]) {
    if let Some(mut stdin) = stdin {
        let _ = stdin.write_all(input).await;
    }
}

async fn printed(pipe: Option<impl AsyncRead + Unpin>) -> Result<Vec<u8>, String> {
    let mut bytes = Vec::new();
    if let Some(pipe) = pipe {
        // What was read before an error is used.
        let _ = pipe.take(MOST + 1).read_to_end(&mut bytes).await;
    }
    let fits = bytes.len() as u64 <= MOST;
    fits.then_some(bytes).ok_or_else(|| format!("it printed more than {} KiB and was stopped", MOST >> 10))
}

fn shown(text: &str, columns: usize) -> String {
    cut(&display_safe(&without_keys(text)), columns).trim_end_matches('.').to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    async fn run(words: &[&str], input: &str) -> Result<String, String> {
        let mut command = Command::new(words[0]);
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
        assert_eq!(
            shell("trap '' PIPE; while :; do echo more; done 2>/dev/null").await,
            Err("it printed more than 64 KiB and was stopped".into())
        );
        let mut hangs = Command::new("/bin/sh");
        hangs.args(["-c", "sleep 60 & wait"]);
        let ended = output_of(hangs, b"", Duration::from_millis(50)).await;
        assert_eq!(ended, Err("it took longer than 0 s and was stopped".into()));
    }
}
