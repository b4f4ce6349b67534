//! `petstore pets export`.

use std::io;

use tokio::sync::watch;
use tokio_util::sync::CancellationToken;

use super::args::ExportArgs;
use super::progress::TransferProgress;
use crate::cli::output::{is_there, out};
use crate::cli::pets::context::Context;
use crate::cli::signals::Signals;
use crate::cli::{Exit, Failed, Result};
use crate::model::export::{Column, Kind};
use crate::model::short;
use crate::transfer::TransferError;
use crate::transfer::export::{self as writing, ExportOptions, to_file};

/// Writes the inventory of the service to the file in `args`, and reports on stderr how many pets that is.
pub async fn run(context: &Context<'_>, args: &ExportArgs) -> Result<Exit> {
    let Context { client, service, settings, verbosity, .. } = *context;
    let kind = args.kind().ok_or_else(|| {
        let known = Kind::ENDINGS.map(|ending| format!(".{ending}")).join(", ");
        let why = format!("the ending of {} is not a known format ({known})", short(&args.file.to_string_lossy()));
        Failed::config(why).hint("choose another name, or set the format, for example --format csv")
    })?;
    let view = context.view(args.view.as_deref())?;
    let wanted = context.wanted(args.status.as_slice(), None, view);
    let of_status = wanted.status().is_some();
    let how = ExportOptions::of(kind, view, wanted);
    let columns = if args.provenance { Column::TRACED.to_vec() } else { how.columns };
    let how = ExportOptions { raw: args.raw, require_complete: args.require_complete, columns, ..how };
    if args.is_stdout() {
        is_there()?;
    }
    let (count, counted) = watch::channel(0);
    let stop = CancellationToken::new();
    let mut ends = Signals::new()?;
    let bar = TransferProgress::new(None, verbosity, settings);
    let now = || (*counted.borrow(), "pets".to_owned());
    let mut ended_by = None;
    let exported = async {
        if args.is_stdout() {
            writing::export(client, how, out(kind.content()), count, &stop).await.map(|(_, seen)| seen)
        } else {
            to_file(client, how, (&args.file, args.force), count, &stop).await
        }
    };
    let end = |exit| {
        ended_by = Some(exit);
        stop.cancel();
    };
    let exported = bar.during(exported, &mut ends, now, end).await;
    let seen = usize::try_from(*counted.borrow()).unwrap_or(usize::MAX);
    match exported {
        // The reader closed the pipe, which is not a failure.
        Err(TransferError::Write { source, .. }) if source.kind() == io::ErrorKind::BrokenPipe => Ok(Exit::Done),
        Err(error @ TransferError::NoFile { .. }) => {
            Err(Failed::transfer(&error, service).hint("to write to standard output: petstore pets export -"))
        }
        Err(error) => Err(Failed::transfer(&error, service)),
        Ok(None) => Ok(ended_by.unwrap_or(Exit::Failure)),
        Ok(Some(coverage)) => {
            verbosity.note(&coverage.honest_word(seen, of_status));
            if args.require_complete && !coverage.complete {
                let why = "the export may be incomplete, and --require-complete is set";
                return Err(Failed::new(Exit::Partly, why));
            }
            Ok(Exit::Done)
        }
    }
}
