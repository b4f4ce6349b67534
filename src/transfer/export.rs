//! Exports the inventory to a file; the next page is requested while this one is written.

use std::io::{self, BufWriter, Write};
use std::path::Path;

use tokio::sync::{mpsc, watch};
use tokio::task::spawn_blocking;
use tokio_util::sync::CancellationToken;

use super::dedicated_thread::alone;
use super::output_file::Destination;
use super::{Result, TransferError};
use crate::api::inventory::{Part, Selection, inventory};
use crate::api::{Client, Coverage, Failure};
use crate::clock;
use crate::config::View;
use crate::model::export::{Column, Kind, PetWriter, Recorded};

/// Pages read ahead of writing.
const AHEAD: usize = 2;

/// The size of the write buffer, in bytes.
const BUFFER: usize = 64 << 10;

/// The options of an export.
#[derive(Clone, Debug)]
pub struct ExportOptions {
    /// The format.
    pub kind: Kind,
    /// Write CSV cells as they are, even those that a spreadsheet would run.
    pub raw: bool,
    /// Only these pets.
    pub wanted: Selection,
    /// Fail unless the export is known to be complete.
    pub require_complete: bool,
    /// Only these columns, in this order; empty for the whole pets as they come.
    pub columns: Vec<Column>,
}

impl ExportOptions {
    /// These pets in this format, with the columns of the view.
    pub fn of(kind: Kind, view: Option<&View>, wanted: Selection) -> Self {
        let columns = view.map_or_else(Vec::new, |view| view.columns.iter().map(|shown| shown.column).collect());
        Self { kind, raw: false, wanted, require_complete: false, columns }
    }
}

/// Writes the pets to `out`, which it returns with how much was seen, and their number so far to `count`. If it fails or
/// is stopped, the output is incomplete, and it is not known how much was seen.
pub async fn export<W: Write + Send + 'static>(
    client: &Client,
    mut how: ExportOptions,
    out: W,
    count: watch::Sender<u64>,
    stop: &CancellationToken,
) -> Result<(W, Option<Coverage>)> {
    let client = client.keeping_connections().map_err(|error| Failure::not_sent(&error))?.called("export");
    let (parts, taken) = mpsc::channel(AHEAD);
    let mut wanted = std::mem::take(&mut how.wanted);
    wanted.asks_who |= how.columns.iter().any(|column| column.is_about_addition());
    let written = spawn_blocking(move || write_parts(how, out, taken, &count));
    let stop = stop.child_token();
    let _stop = stop.clone().drop_guard();
    let fetch = move || async move { stop.run_until_cancelled(inventory(&client, wanted, parts)).await };
    let fetched = alone("fetch", fetch).await?;
    let written = written.await.unwrap_or_else(|error| Err(error.into()));
    let coverage = fetched.transpose()?;
    // The service is not to blame for this.
    let out = written.map_err(|source| TransferError::Write { name: "the pets".to_owned(), source })?;
    Ok((out, coverage))
}

/// Exports to a file readable only by its owner, which may replace an existing one. It appears once it is complete, and not
/// at all if all pets were required and may not have been seen.
pub async fn to_file(
    client: &Client,
    how: ExportOptions,
    to: (&Path, bool),
    count: watch::Sender<u64>,
    stop: &CancellationToken,
) -> Result<Option<Coverage>> {
    let destination = Destination::new(to)?;
    let file = destination.begin()?;
    let require_complete = how.require_complete;
    let (out, seen) = export(client, how, BufWriter::with_capacity(BUFFER, file), count, stop).await?;
    if seen.as_ref().is_some_and(|coverage| coverage.complete || !require_complete) {
        let file = out.into_inner().map_err(|error| destination.failed(error.into_error()))?;
        destination.finish(file)?;
    }
    Ok(seen)
}

fn write_parts<W: Write>(
    ExportOptions { kind, raw, columns, .. }: ExportOptions,
    mut out: W,
    mut parts: mpsc::Receiver<Part>,
    count: &watch::Sender<u64>,
) -> io::Result<W> {
    // A page is formatted in memory, because many small writes are slower than one.
    let mut text = Vec::new();
    let now = clock::now().wall;
    let mut writer = PetWriter::new(kind, raw, columns);
    writer.begin(&mut text)?;
    while let Some(Part { pets, provenances, .. }) = parts.blocking_recv() {
        writer.write(&pets, Recorded { provenances: &provenances, now }, &mut text)?;
        out.write_all(&text)?;
        text.clear();
        count.send_modify(|count| *count += pets.len() as u64);
    }
    writer.end(&mut text)?;
    out.write_all(&text)?;
    out.flush()?;
    Ok(out)
}
