//! Checks what this terminal supports.

use crate::app::clipboard::{ClipboardBackend, ways};
use crate::config::paths::below_home;
use crate::config::{Choices, Clipboard, Depth, Env, Paths, Settings};
use crate::terminal_size::terminal_size;

use super::super::output::is_terminal;
use super::check::Check;

/// `least` is the smallest size of the full screen.
pub fn checks(least: (u16, u16), choices: &Choices, env: &Env) -> Vec<Check> {
    let size = is_terminal().then(|| terminal_size().ok()).flatten();
    // The check of the configuration reports wrong settings.
    let choice = Settings::without_key(choices, env).map_or(Clipboard::Auto, |settings| settings.clipboard);
    vec![terminal(size, least, env), colours(env), characters(env), clipboard(choice, env)]
}

fn terminal(size: Option<(u16, u16)>, least: (u16, u16), env: &Env) -> Check {
    const NAME: &str = "terminal";
    let mut found = match size {
        Some((columns, rows)) => format!("{columns}x{rows}"),
        None => "output is not a terminal".to_owned(),
    };
    for (variable, words) in [("TMUX", ", inside tmux"), ("STY", ", inside screen")] {
        found.push_str(env.get(variable).map_or("", |_| words));
    }
    found.push_str(if env.is_over_ssh() { ", over SSH" } else { "" });
    match (size, env.get("TERM")) {
        (Some(_), None | Some("dumb")) => Check::warn(
            NAME,
            &format!("{found}, TERM is unset or dumb"),
            "set TERM; petstore pets list works without it",
        ),
        (Some((columns, rows)), Some(_)) if columns < least.0 || rows < least.1 => {
            Check::warn(NAME, &found, &format!("enlarge the window to at least {}x{}", least.0, least.1))
        }
        (Some(_), Some(term)) => Check::ok(NAME, &format!("{found}, {term}")),
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
    match way {
        ClipboardBackend::Tmux => "through tmux".to_owned(),
        ClipboardBackend::Desktop(program, _) => format!("by {program}"),
        ClipboardBackend::Terminal => "through the terminal (OSC 52)".to_owned(),
        ClipboardBackend::File(path) => format!("into {}", below_home(path, env).display()),
    }
}

#[cfg(test)]
mod tests {
    use super::super::check::Verdict;
    use super::*;

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
        assert_eq!(
            (colours(&xterm), characters(&xterm)),
            (Check::ok("colours", "256"), Check::ok("characters", "UTF-8"))
        );
        assert_eq!(
            colours(&env(&[("TERM", "xterm"), ("NO_COLOR", "1")])),
            Check::ok("colours", "none (NO_COLOR is set)")
        );
        assert_eq!(characters(&env(&[("LANG", "C")])).verdict, Verdict::Warn);
        assert_eq!(clipboard(Clipboard::Auto, &xterm).verdict, Verdict::Ok);
        let bare = env(&[("HOME", "/home/ada"), ("TERM", "linux")]);
        assert_eq!(clipboard(Clipboard::Auto, &bare).verdict, Verdict::Warn);
        assert_eq!(clipboard(Clipboard::File, &bare).verdict, Verdict::Ok);
        assert_eq!(clipboard(Clipboard::Off, &bare), Check::ok("clipboard", "off"));
    }
}
