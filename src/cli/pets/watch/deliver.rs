//! What is done with changes: each becomes a line, or a command is run for each new pet.

use std::ffi::OsString;
use std::io;

use jiff::tz::TimeZone;

use super::lines::write_change;
use crate::app::inventory::changes::{Change, ChangeKind};
use crate::cli::error::{Exit, Failed};
use crate::cli::output::{note, write_as};
use crate::cli::pets::args::{WatchArgs, WatchFormat};
use crate::clock::time_zone;
use crate::local::log::line;
use crate::local::program::{command, feed};
use crate::model::search::Query;
use crate::model::text::short;
use crate::model::{Pet, display_safe};

/// What becomes of the changes of the pets that are searched for.
pub(super) struct Delivery<'a> {
    search: Option<Query>,
    way: Way<'a>,
}

enum Way<'a> {
    Lines { format: WatchFormat, zone: TimeZone, coloured: bool },
    Command { program: &'a OsString, args: &'a [OsString] },
}

impl<'a> Delivery<'a> {
    pub(super) fn new(args: &'a WatchArgs, search: Option<Query>, coloured: bool) -> Self {
        let way = match args.exec.split_first() {
            Some((program, args)) => Way::Command { program, args },
            None => Way::Lines { format: args.format, zone: time_zone(), coloured },
        };
        Self { search, way }
    }

    /// Whether a change is about a pet that is, or was, searched for.
    fn wants(&self, change: &Change) -> bool {
        let fits = |search: &Query| {
            [Some(&change.pet), change.before.as_ref()].into_iter().flatten().any(|pet| search.fits(pet))
        };
        self.search.as_ref().is_none_or(fits)
    }

    /// Delivers these changes; returns `false` if the reader of the output has gone.
    pub(super) async fn deliver(&self, changes: &[Change]) -> Result<bool, Failed> {
        let mut wanted = changes.iter().filter(|change| self.wants(change));
        match &self.way {
            Way::Lines { format, zone, coloured } => write_as(format.content(), |out| {
                wanted.try_for_each(|change| write_change(out, change, zone, *format, *coloured))
            }),
            Way::Command { program, args } => {
                for Change { pet, .. } in wanted.filter(|change| change.kind == ChangeKind::New) {
                    let name = short(&program.to_string_lossy());
                    let status = run(program, args, pet).await.map_err(|error| {
                        let what = format!("cannot run {name} for pet {}: {error}", pet.id);
                        Failed::new(Exit::Usage, display_safe(&what))
                    })?;
                    if !status.success() {
                        note(&format!("pet {}: {name} failed ({status})", pet.id));
                    }
                }
                Ok(true)
            }
        }
    }
}

/// Runs a command to its end, without a shell. A command that cannot be started is an error.
async fn run(program: &OsString, args: &[OsString], pet: &Pet) -> io::Result<std::process::ExitStatus> {
    let mut command = command(program);
    command.args(args);
    feed(command, line(pet)?.as_bytes()).await
}
