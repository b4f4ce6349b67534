//! `petstore config themes`: lists the themes, shows one in its colours, and exports one as a file to start from.

use std::fs;
use std::io::Write as _;
use std::path::Path;

use clap::Args;

use crate::cli::colour::When;
use crate::cli::error::{Exit, Failed};
use crate::cli::launch::preview;
use crate::cli::output::{Content, is_terminal, note, write, write_as};
use crate::config::theme::BUILT_IN;
use crate::config::{Depth, Env, Themes};
use crate::model::display_safe;
use crate::model::suggest::did_you_mean;

#[derive(Debug, Args)]
pub struct ThemesArgs {
    /// Show this theme in its colours instead of the list.
    name: Option<String>,
    /// Print its file instead, to start your own theme from.
    #[arg(long, requires = "name")]
    export: bool,
}

/// Runs the command for the configuration at `path`.
pub fn run(args: &ThemesArgs, path: &Path, colour: Option<When>, env: &Env) -> Result<Exit, Failed> {
    let themes = Themes::beside(path);
    let Some(name) = &args.name else {
        warnings(&themes).iter().for_each(|warning| note(warning));
        write(|out| themes.all().try_for_each(|theme| writeln!(out, "{:14}{}", theme.name, theme.title)))?;
        return Ok(Exit::Done);
    };
    let Some(theme) = themes.all().find(|theme| theme.name == *name) else {
        let what = themes.why_not(name).unwrap_or_default();
        let names: Vec<_> = themes.all().map(|theme| theme.name).collect();
        let suggestion = did_you_mean(name, names.iter().map(String::as_str));
        return Err(Failed::new(Exit::Usage, display_safe(&format!("{what}{suggestion}"))));
    };
    if args.export {
        let text = text(name, path).map_err(Failed::because("cannot read the theme"))?;
        write(|out| out.write_all(text.as_bytes()))?;
        return Ok(Exit::Done);
    }
    let depth = When::resolve(colour, env).on(is_terminal(), env).then(|| match env.depth() {
        Depth::Mono if !is_terminal() => Depth::TrueColour,
        depth => depth,
    });
    write_as(Content::Painted, |out| out.write_all(preview(theme, depth).as_bytes()))?;
    Ok(Exit::Done)
}

/// The text of the file of a theme that exists.
fn text(name: &str, path: &Path) -> std::io::Result<String> {
    match BUILT_IN.iter().find(|(built_in, _)| *built_in == name) {
        Some((_, text)) => Ok((*text).to_owned()),
        None => fs::read_to_string(path.with_file_name("themes").join(format!("{name}.toml"))),
    }
}

/// The files that cannot be used.
pub fn warnings(themes: &Themes) -> Vec<String> {
    themes.broken.iter().map(|(_, why)| display_safe(why).into_owned()).collect()
}
