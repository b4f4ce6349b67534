//! `petstore man`: a manual page for each command, from the same text as its help.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use clap::{Args, Command};
use clap_mangen::Man;

use crate::model::text::short;

use super::error::{Exit, Failed};
use super::output::{note, write};
use super::suggest::did_you_mean;

/// Print the manual page of a command, or write all pages to a directory.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  petstore man > petstore.1
  petstore man pets list > petstore-pets-list.1
  petstore man --dir man1

To read one: petstore man pets list | man -l -")]
pub struct ManArgs {
    /// The command. [default: petstore itself]
    #[arg(conflicts_with = "dir")]
    pub command: Vec<String>,
    /// Write the pages of all commands to this directory, which is created if needed.
    #[arg(long)]
    pub dir: Option<PathBuf>,
}

/// Prints the page of a command below `root`, or writes them all.
pub fn run(root: Command, args: &ManArgs) -> Result<Exit, Failed> {
    let mut all = root.disable_help_subcommand(true);
    all.build();
    if let Some(directory) = &args.dir {
        let wrong = format!("cannot write to {}", directory.display());
        let count = pages(&all, directory).map_err(Failed::because(wrong))?;
        note(&format!("wrote {count} pages to {}", directory.display()));
        return Ok(Exit::Done);
    }
    let mut command = &all;
    for word in &args.command {
        command = command.find_subcommand(word).ok_or_else(|| {
            let suggestion = did_you_mean(word, command.get_subcommands().map(Command::get_name));
            let what = format!("there is no command \"{}\".{suggestion}", short(word));
            Failed::new(Exit::Usage, what).hint("for all commands: petstore --help")
        })?;
    }
    let page = Man::new(command.clone());
    write(|out| page.render(out))?;
    Ok(Exit::Done)
}

/// Writes the pages of a command and its subcommands, and returns their number.
fn pages(command: &Command, directory: &Path) -> io::Result<usize> {
    fs::create_dir_all(directory)?;
    let mut count = 1;
    for below in command.get_subcommands().filter(|command| !command.is_hide_set()) {
        count += pages(below, directory)?;
    }
    Man::new(command.clone()).generate_to(directory)?;
    Ok(count)
}
