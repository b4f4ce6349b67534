//! The inventory as a file, part by part: the next page is asked for while this one is written.

use std::io::{self, BufWriter, Write};
use std::path::Path;

use tokio::sync::{mpsc, oneshot, watch};
use tokio_util::sync::CancellationToken;

use super::TransferError;
use super::dedicated_thread::{alone, thread};
use super::output_file::Destination;
use crate::api::inventory::{Coverage, inventory};
use crate::api::{ApiError, Client};
use crate::model::export::{Kind, PetWriter};
use crate::model::{Pet, PetStatus};

/// Pages that are there before they are written.
const AHEAD: usize = 2;

/// What is written to a file at once, in octets.
const BUFFER: usize = 64 << 10;

/// What is written, and how.
#[derive(Clone, Copy, Debug)]
pub struct ExportOptions {
    /// How.
    pub kind: Kind,
    /// Leave cells of CSV that a spreadsheet would run as they are.
    pub raw: bool,
    /// Only animals of this status.
    pub status: Option<PetStatus>,
    /// What may not be everything is not to be had.
    pub require_complete: bool,
}

/// How an export has ended.
#[derive(Debug)]
pub enum ExportEnded {
    /// With all that the service gives.
    Done(Coverage),
    /// With all that the service gives, which may not be all that it has, though that was required.
    Incomplete(Coverage),
    /// It was told to.
    Stopped,
}

/// Writes the animals to `out`, which is given back, and how many there were in `count` as it goes on. Fails where the
/// service does or `out` cannot be written; then what was written is not whole.
pub async fn export<W: Write + Send + 'static>(
    client: &Client,
    how: ExportOptions,
    out: W,
    count: watch::Sender<u64>,
    stop: &CancellationToken,
) -> Result<(W, ExportEnded), TransferError> {
    let client = client.keeping_connections().map_err(ApiError::NotSent)?.called("export");
    let (parts, taken) = mpsc::channel(AHEAD);
    let (told, written) = oneshot::channel();
    let write = move || {
        // Nobody listens any more only where the export was given up.
        let _ = told.send(write_parts(how, out, taken, &count));
    };
    thread("export", write)?;
    let stop = stop.child_token();
    let _stop = stop.clone().drop_guard();
    let fetched =
        alone("fetch", move || async move { stop.run_until_cancelled(inventory(&client, how.status, parts)).await });
    let fetched = fetched.await?;
    let failed = |source| TransferError::Write { name: "the animals".to_owned(), source };
    let written = written.await.unwrap_or_else(|_| Err(io::ErrorKind::Other.into()));
    match (fetched, written) {
        // What was not taken any more is no failure of the service.
        (Some(Ok(_)) | None, Err(source)) => Err(failed(source)),
        (Some(Err(error)), _) => Err(error.into()),
        (Some(Ok(coverage)), Ok(out)) if how.require_complete && !coverage.complete => {
            Ok((out, ExportEnded::Incomplete(coverage)))
        }
        (Some(Ok(coverage)), Ok(out)) => Ok((out, ExportEnded::Done(coverage))),
        (None, Ok(out)) => Ok((out, ExportEnded::Stopped)),
    }
}

/// The same into a file for its owner alone, which is there once it is whole; with `replace`, also where there is one.
pub async fn to_file(
    client: &Client,
    how: ExportOptions,
    to: (&Path, bool),
    count: watch::Sender<u64>,
    stop: &CancellationToken,
) -> Result<ExportEnded, TransferError> {
    let destination = Destination::new(to)?;
    let file = destination.begin()?;
    let (out, ended) = export(client, how, BufWriter::with_capacity(BUFFER, file), count, stop).await?;
    if matches!(ended, ExportEnded::Done(_)) {
        let file = out.into_inner().map_err(|error| destination.failed(error.into_error()))?;
        destination.finish(file)?;
    }
    Ok(ended)
}

fn write_parts<W: Write>(
    ExportOptions { kind, raw, .. }: ExportOptions,
    mut out: W,
    mut parts: mpsc::Receiver<Vec<Pet>>,
    count: &watch::Sender<u64>,
) -> io::Result<W> {
    // A part is put together in memory: many small writes take longer than one.
    let mut text = Vec::new();
    let mut pen = PetWriter::begin(kind, raw, &mut text)?;
    while let Some(pets) = parts.blocking_recv() {
        pen.write(&pets, &mut text)?;
        out.write_all(&text)?;
        text.clear();
        count.send_modify(|count| *count += pets.len() as u64);
    }
    pen.end(&mut text)?;
    out.write_all(&text)?;
    out.flush()?;
    Ok(out)
}
