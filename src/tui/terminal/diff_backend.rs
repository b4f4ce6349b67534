//! A backend that writes as little as it can: lines may be slow, and each byte of a frame is waited for.
//!
//! It keeps a copy of what the terminal shows. At the end of a frame it moves blocks of rows that are only elsewhere,
//! writes the cells that differ in the order that is shortest, and all of it in one piece. It asks the terminal nothing,
//! and uses nothing that a VT220, the Linux console, screen or tmux would not know.

mod encoder;
mod grid;
mod runs;

use std::io::{self, Write};
use std::ops::Range;

use ratatui::backend::{Backend, ClearType, WindowSize};
use ratatui::buffer::{Cell, CellWidth as _};
use ratatui::layout::{Position, Size};

use encoder::Encoder;
use grid::{Grid, find_scroll};
use runs::{Run, Sgr, What, differences};

/// From this many bytes on a frame takes so long that a part of it could be seen.
const LONG: usize = 1024;

/// The backend. `S` tells how large the terminal is.
#[derive(Debug)]
pub struct DiffBackend<W, S> {
    out: W,
    size: S,
    /// Whether the terminal shows a frame at once that says where it begins and ends.
    synchronized: bool,
    shown: Grid,
    next: Grid,
    /// The columns of each row that may differ.
    touched: Vec<Range<usize>>,
    /// It is unknown what the terminal shows.
    unknown: bool,
    encoder: Encoder,
    /// Where the cursor should be.
    cursor: Cursor,
    /// Whether it is visible, if that is known.
    cursor_is_shown: Option<bool>,
}

#[derive(Clone, Copy, Debug, Default)]
struct Cursor {
    shown: bool,
    position: Position,
}

impl<W: Write, S: Fn() -> io::Result<Size>> DiffBackend<W, S> {
    /// Writes to `out`. With `synchronized` long frames are marked for terminals that then show them at once.
    pub fn new(out: W, size: S, synchronized: bool) -> io::Result<Self> {
        let blank = Grid::blank(size()?);
        let touched = vec![0..0; blank.rows];
        Ok(Self {
            out,
            size,
            synchronized,
            shown: blank.clone(),
            next: blank,
            touched,
            unknown: true,
            encoder: Encoder::default(),
            cursor: Cursor::default(),
            cursor_is_shown: None,
        })
    }

    /// Writes the changes from the frame shown to the next one.
    fn compose(&mut self) -> Encoder {
        let mut begun = Encoder::after(&self.encoder);
        if self.cursor_is_shown != Some(false) && !self.cursor.shown {
            begun.say("\x1b[?25l");
        }
        if self.unknown {
            begun.clear();
        }
        let changed: Vec<bool> = self.touched.iter().map(|columns| !columns.is_empty()).collect();
        if let Some(scroll) = find_scroll(&self.shown, &self.next, &changed) {
            begun.scroll(&scroll, self.shown.rows);
            self.shown.scroll(&scroll);
            self.touched[scroll.top..=scroll.bottom].fill(0..self.next.columns);
        }
        let mut runs = Vec::new();
        for (y, columns) in self.touched.iter_mut().map(std::mem::take).enumerate() {
            differences(y, columns.clone(), self.shown.row(y), self.next.row(y), &mut runs);
            self.shown.copy(y, columns, &self.next);
        }
        let mut ended = self.shortest(&begun, runs);
        if self.cursor_is_shown != Some(true) && self.cursor.shown {
            ended.say("\x1b[?25h");
        }
        (self.unknown, self.cursor_is_shown) = (false, Some(self.cursor.shown));
        ended
    }

    /// Row by row is short where a row is one text; look by look and column by column in tables with marks.
    fn shortest(&self, begun: &Encoder, mut runs: Vec<Run>) -> Encoder {
        let written = |runs: &[Run]| {
            let mut encoder = begun.clone();
            runs.iter().for_each(|run| encoder.write(run, &self.next));
            let (x, y) = (usize::from(self.cursor.position.x), usize::from(self.cursor.position.y));
            if self.cursor.shown && x < self.next.columns && y < self.next.rows {
                encoder.go(x, y, &self.next);
            }
            encoder
        };
        let by_rows = written(&runs);
        // A sign of doubtful width may cover what is right of it, which must be written after it.
        if runs.len() < 3 || runs.iter().any(|run| run.what == What::Doubtful) {
            return by_rows;
        }
        let mut looks: Vec<Sgr> = Vec::new();
        for run in &runs {
            if !looks.contains(&run.look) {
                looks.push(run.look);
            }
        }
        let at = |run: &Run| looks.iter().position(|look| *look == run.look);
        runs.sort_by_key(at);
        let by_looks = written(&runs);
        runs.sort_by_key(|run| (at(run), run.start));
        [by_rows, by_looks, written(&runs)].into_iter().min_by_key(|encoder| encoder.written.len()).unwrap_or_default()
    }
}

impl<W: Write, S: Fn() -> io::Result<Size>> Backend for DiffBackend<W, S> {
    type Error = io::Error;

    fn draw<'a, I: Iterator<Item = (u16, u16, &'a Cell)>>(&mut self, content: I) -> io::Result<()> {
        let mut covered = (0, 0..0);
        for (x, y, cell) in content {
            // The cell behind a wide sign is part of it.
            if covered.0 == y && covered.1.contains(&x) {
                continue;
            }
            covered = (y, x..x.saturating_add(if cell.symbol().len() == 1 { 1 } else { cell.cell_width() }));
            if self.next.holds(x.into(), y.into(), cell) {
                continue;
            }
            let put = self.next.put(x.into(), y.into(), cell);
            if let Some(touched) = self.touched.get_mut(usize::from(y)).filter(|_| !put.is_empty()) {
                let first = if touched.end == 0 { put.start } else { touched.start.min(put.start) };
                *touched = first..touched.end.max(put.end);
            }
        }
        Ok(())
    }

    fn hide_cursor(&mut self) -> io::Result<()> {
        self.cursor.shown = false;
        Ok(())
    }

    fn show_cursor(&mut self) -> io::Result<()> {
        self.cursor.shown = true;
        Ok(())
    }

    fn get_cursor_position(&mut self) -> io::Result<Position> {
        // Asking the terminal would block where none answers, and its answer could be taken for keys.
        Ok(self.cursor.position)
    }

    fn set_cursor_position<P: Into<Position>>(&mut self, position: P) -> io::Result<()> {
        self.cursor.position = position.into();
        Ok(())
    }

    fn clear(&mut self) -> io::Result<()> {
        self.next = Grid::blank((self.size)()?);
        self.shown = self.next.clone();
        self.touched = vec![0..0; self.next.rows];
        (self.unknown, self.cursor_is_shown) = (true, None);
        Ok(())
    }

    fn clear_region(&mut self, region: ClearType) -> io::Result<()> {
        match region {
            ClearType::All => self.clear(),
            ClearType::AfterCursor | ClearType::BeforeCursor | ClearType::CurrentLine | ClearType::UntilNewLine => {
                Err(io::Error::new(io::ErrorKind::Unsupported, "only the whole screen can be cleared"))
            }
        }
    }

    fn size(&self) -> io::Result<Size> {
        (self.size)()
    }

    fn window_size(&mut self) -> io::Result<WindowSize> {
        Ok(WindowSize { columns_rows: (self.size)()?, pixels: Size::default() })
    }

    fn flush(&mut self) -> io::Result<()> {
        self.encoder = self.compose();
        let frame = &mut self.encoder.written;
        if frame.is_empty() {
            return Ok(());
        }
        if self.synchronized && frame.len() > LONG {
            frame.splice(..0, *b"\x1b[?2026h");
            frame.extend_from_slice(b"\x1b[?2026l");
        }
        self.out.write_all(frame)?;
        self.out.flush()
    }
}

#[cfg(test)]
mod tests;
