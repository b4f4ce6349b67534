//! Draws how petstore grows, as docs/performance.md shows it, from the committed results: `cargo bench --bench charts`.
//!
//! A measurement "WHAT at 1000 rows, ms" of `benches/results` is a point of the chart of rows in milliseconds; the newest
//! one counts. The chart of columns is drawn from the counts of the bench `guard`.

#![allow(clippy::disallowed_methods, clippy::unwrap_used, clippy::print_stdout, reason = "it draws and reports")]

#[allow(dead_code, reason = "shared with the measurements")]
mod common;

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use plotters::prelude::*;

/// What grows.
const AXES: [&str; 5] = ["rows", "columns", "connections", "listeners", "domains"];
/// Distinct also for colour-blind readers (Wong 2011).
const COLOURS: [RGBColor; 6] = [
    RGBColor(0, 114, 178),
    RGBColor(213, 94, 0),
    RGBColor(0, 158, 115),
    RGBColor(204, 121, 167),
    RGBColor(86, 180, 233),
    RGBColor(120, 120, 120),
];
const SIZE: (u32, u32) = (860, 360);
/// Of it, the chart; the rest has the names of the lines.
const CHART: u32 = 600;
/// How much wider than its points the axis is.
const MARGIN: f64 = 1.5;

/// Values by how much there is of what grows.
type Points = BTreeMap<u64, f64>;

/// The lines of one chart by their names.
#[derive(Default)]
struct Chart {
    lines: BTreeMap<String, Points>,
    /// By the limit as it was written.
    limits: BTreeMap<String, Points>,
}

/// By what grows, and the unit.
type Charts = BTreeMap<(String, String), Chart>;

fn main() {
    if common::asked().is_none() {
        return;
    }
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut charts = Charts::new();
    let mut results: Vec<_> =
        fs::read_dir(root.join("benches/results")).unwrap().map(|one| one.unwrap().path()).collect();
    results.sort();
    for file in results {
        fs::read_to_string(file).unwrap().lines().filter_map(|line| take(line, &mut charts)).for_each(drop);
    }
    let counts: toml::Table = fs::read_to_string(root.join("benches/guard/counts.toml")).unwrap().parse().unwrap();
    for (operation, cost) in counts["operations"].as_table().unwrap() {
        let Some((what, (columns, _))) =
            operation.rsplit_once(", ").and_then(|(what, size)| Some((what, size.split_once('x')?)))
        else {
            continue;
        };
        let count = cost["instructions"].as_integer().unwrap();
        take(&format!("| {what} at {columns} columns, instructions | - | {count} | |"), &mut charts);
    }
    for ((axis, unit), chart) in charts.iter_mut() {
        chart.lines.retain(|_, points| points.len() > 1);
        if !chart.lines.is_empty() {
            let name = format!("scale-{axis}-{}.svg", unit.replace('/', "-per-"));
            draw(&root.join("assets/img").join(&name), axis, unit, chart);
            println!("assets/img/{name}: {} lines", chart.lines.len());
        }
    }
}

/// A line of a table of results, if it is about something that grows.
fn take(line: &str, charts: &mut Charts) -> Option<()> {
    let mut cells = line.trim().strip_prefix('|')?.split('|').map(str::trim);
    let (name, limit, median) = (cells.next()?, cells.next()?, cells.next()?);
    let (name, unit) = name.rsplit_once(", ")?;
    let (what, size) = name.rsplit_once(" at ")?;
    let (count, axis) = size.split_once(' ')?;
    let (count, axis) = (count.parse().ok()?, AXES.into_iter().find(|known| *known == axis)?);
    let value = median.split(' ').next()?.parse().ok()?;
    let chart = charts.entry((axis.to_owned(), unit.to_owned())).or_default();
    chart.lines.entry(what.to_owned()).or_default().insert(count, value);
    if let Ok(value) = limit.parse() {
        chart.limits.entry(limit.to_owned()).or_default().insert(count, value);
    }
    Some(())
}

fn draw(path: &Path, axis: &str, unit: &str, chart: &Chart) {
    // Nothing is free, but some things are too small for two decimal places.
    let at = |points: &Points| -> Vec<(f64, f64)> {
        points.iter().map(|(count, value)| (*count as f64, value.max(0.01))).collect()
    };
    let all: Vec<_> = chart.lines.values().chain(chart.limits.values()).flat_map(at).collect();
    let ends = |values: Vec<f64>| {
        let least = values.iter().copied().fold(f64::INFINITY, f64::min);
        (least, values.iter().copied().fold(least, f64::max))
    };
    let across = ends(all.iter().map(|(count, _)| *count).collect());
    let up = ends(all.iter().map(|(_, value)| *value).collect());
    // Whole powers of ten, which are what is written at the axis.
    let up = 10_f64.powf(up.0.log10().floor())..10_f64.powf(up.1.log10().ceil());
    let root = SVGBackend::new(path, SIZE).into_drawing_area();
    root.fill(&WHITE).unwrap();
    let (left, names) = root.split_horizontally(CHART);
    let mut canvas = ChartBuilder::on(&left)
        .margin(12)
        .x_label_area_size(40)
        .y_label_area_size(80)
        .build_cartesian_2d((across.0 / MARGIN..across.1 * MARGIN).log_scale(), up.log_scale())
        .unwrap();
    canvas
        .configure_mesh()
        .light_line_style(WHITE)
        .x_desc(axis)
        .y_desc(unit)
        .x_label_formatter(&|count| grouped(*count))
        .y_label_formatter(&|value| grouped(*value))
        .draw()
        .unwrap();
    for limit in chart.limits.values() {
        canvas.draw_series(DashedLineSeries::new(at(limit), 6, 4, BLACK.stroke_width(1))).unwrap();
    }
    for (number, ((what, points), colour)) in (0..).zip(chart.lines.iter().zip(COLOURS)) {
        canvas.draw_series(LineSeries::new(at(points), colour.stroke_width(2)).point_size(3)).unwrap();
        let y = 24 + 22 * number;
        names.draw(&PathElement::new([(0, y), (18, y)], colour.stroke_width(2))).unwrap();
        names.draw(&Text::new(what.as_str(), (26, y - 5), ("sans-serif", 12))).unwrap();
    }
    root.present().unwrap();
}

/// A number with commas between thousands.
fn grouped(value: f64) -> String {
    if value < 1_000.0 {
        return value.to_string();
    }
    let digits = format!("{value:.0}");
    let parts: Vec<_> = digits.as_bytes().rchunks(3).rev().map(String::from_utf8_lossy).collect();
    parts.join(",")
}
