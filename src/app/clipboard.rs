//! Copying text with the first clipboard of this machine that accepts it.

use std::path::PathBuf;
use std::process::{ExitStatus, Stdio};
use std::time::Duration;

use crate::config::{Clipboard, Env};
use crate::local::atomic_file;
use crate::local::program::{command, feed};

/// A clipboard.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ClipboardBackend {
    /// To tmux, which passes it on to its terminal.
    Tmux,
    /// To the desktop's clipboard, by this program and these arguments.
    Desktop(&'static str, &'static [&'static str]),
    /// Through the terminal (OSC 52), which does not confirm it.
    Terminal,
    /// Into this file.
    File(PathBuf),
}

/// The error when nothing accepted the text.
const NO_WAY: &str = "no clipboard is available, or it is turned off (`clipboard` in the configuration).";

/// How long a program may take.
const LIMIT: Duration = Duration::from_secs(2);

/// The ways that are chosen; with [`Clipboard::Auto`] those of these surroundings, the best first, and `file` if
/// nothing else can be.
pub fn ways(choice: Clipboard, env: &Env, file: Option<PathBuf>) -> Vec<ClipboardBackend> {
    match choice {
        Clipboard::Auto => by_surroundings(env, file),
        Clipboard::Tmux => vec![ClipboardBackend::Tmux],
        Clipboard::Native => desktops(env),
        Clipboard::Osc52 => vec![ClipboardBackend::Terminal],
        Clipboard::File => file.map(ClipboardBackend::File).into_iter().collect(),
        Clipboard::Off => Vec::new(),
    }
}

/// The programs that reach the desktop's clipboard.
fn desktops(env: &Env) -> Vec<ClipboardBackend> {
    let ways = [
        (cfg!(target_os = "macos"), ClipboardBackend::Desktop("pbcopy", &[])),
        (env.get("WAYLAND_DISPLAY").is_some(), ClipboardBackend::Desktop("wl-copy", &[])),
        (env.get("DISPLAY").is_some(), ClipboardBackend::Desktop("xclip", &["-selection", "clipboard"])),
    ];
    ways.into_iter().filter_map(|(is_there, way)| is_there.then_some(way)).collect()
}

fn by_surroundings(env: &Env, file: Option<PathBuf>) -> Vec<ClipboardBackend> {
    let tmux = env.get("TMUX").map(|_| ClipboardBackend::Tmux);
    let desktops = if env.is_over_ssh() { Vec::new() } else { desktops(env) };
    // These have no clipboard, and show the letters of a sequence that they do not know.
    let bare = matches!(env.get("TERM"), None | Some("linux" | "dumb" | "ansi" | "vt52" | "vt100" | "vt102" | "vt220"));
    let terminal = (!bare).then_some(ClipboardBackend::Terminal);
    tmux.into_iter().chain(desktops).chain(terminal).chain(file.map(ClipboardBackend::File)).collect()
}

/// Copies `text` by the first of `ways` that takes it, and gives that one, or why there is none. The terminal takes it
/// from the caller.
pub async fn copy(text: &str, ways: &[ClipboardBackend]) -> Result<ClipboardBackend, String> {
    let mut why = NO_WAY.to_owned();
    for way in ways {
        let takes = match way {
            ClipboardBackend::Tmux => gives("tmux", &["load-buffer", "-w", "-"], text).await,
            ClipboardBackend::Desktop(program, arguments) => gives(program, arguments, text).await,
            ClipboardBackend::Terminal => true,
            ClipboardBackend::File(path) => {
                let written = atomic_file::replace_private(path, text);
                written.map_err(|error| why = format!("{} cannot be written: {error}.", path.display())).is_ok()
            }
        };
        if takes {
            return Ok(way.clone());
        }
    }
    Err(why)
}

/// Whether `program` took the text from its standard input, in time.
async fn gives(program: &str, arguments: &[&str], text: &str) -> bool {
    let give = async {
        let mut command = command(program);
        command.args(arguments).stdout(Stdio::null()).stderr(Stdio::null()).kill_on_drop(true);
        feed(command, text.as_bytes()).await.ok().filter(ExitStatus::success)
    };
    tokio::time::timeout(LIMIT, give).await.is_ok_and(|done| done.is_some())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ways_of(vars: &[(&str, &str)]) -> Vec<ClipboardBackend> {
        let vars = vars.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned()));
        ways(Clipboard::Auto, &vars.collect(), Some("copied.txt".into()))
    }

    #[test]
    fn the_surroundings_choose_the_way() {
        let file = ClipboardBackend::File("copied.txt".into());
        let xterm = ("TERM", "xterm-256color");
        assert_eq!(ways_of(&[xterm]), [ClipboardBackend::Terminal, file.clone()]);
        assert_eq!(ways_of(&[("TERM", "linux")]), std::slice::from_ref(&file));
        let expected = [ClipboardBackend::Tmux, ClipboardBackend::Terminal, file.clone()];
        assert_eq!(ways_of(&[xterm, ("TMUX", "1"), ("SSH_TTY", "x"), ("DISPLAY", ":0")]), expected);
        let desktop = ways_of(&[xterm, ("WAYLAND_DISPLAY", "wayland-0"), ("DISPLAY", ":0")]);
        let x11 = ClipboardBackend::Desktop("xclip", &["-selection", "clipboard"]);
        assert_eq!(desktop, [ClipboardBackend::Desktop("wl-copy", &[]), x11, ClipboardBackend::Terminal, file]);
        let env = Env::from_iter([("TERM", "linux")]);
        assert_eq!(ways(Clipboard::Osc52, &env, None), [ClipboardBackend::Terminal]);
        assert_eq!(ways(Clipboard::Off, &env, Some("copied.txt".into())), []);
    }

    #[tokio::test]
    async fn a_way_that_is_not_there_leaves_it_to_the_next_and_the_file_is_private() {
        use std::os::unix::fs::PermissionsExt as _;
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("deep/copied.txt");
        let none = ClipboardBackend::Desktop("/nonexistent/clipboard", &[]);
        let copied = copy("docs", &[none.clone(), ClipboardBackend::File(path.clone())]).await;
        assert_eq!(copied, Ok(ClipboardBackend::File(path.clone())));
        assert_eq!(std::fs::read_to_string(&path).unwrap(), "docs");
        assert_eq!(std::fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o600);
        let cat = ClipboardBackend::Desktop("cat", &[]);
        assert_eq!(copy("docs", std::slice::from_ref(&cat)).await, Ok(cat.clone()));
        assert_eq!(copy("docs", &[none]).await, Err(NO_WAY.into()));
    }
}
