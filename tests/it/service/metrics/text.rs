//! Reads the OpenMetrics text format, and panics where Prometheus would be right to refuse it.

use crate::prelude::*;

/// Every series with its value, for example `http_requests_total{method="GET",route="/healthz",status="204"}`.
#[derive(Clone, Debug, PartialEq)]
pub struct Figures(pub BTreeMap<String, f64>);

impl Figures {
    pub fn parse(text: &str) -> Self {
        let body = text.strip_suffix("# EOF\n").expect("the end is marked");
        let (mut figures, mut families) = (BTreeMap::new(), BTreeSet::new());
        let (mut family, mut kind) = (String::new(), String::new());
        for line in body.lines() {
            let words: Vec<_> = line.splitn(4, ' ').collect();
            match words[..] {
                ["#", "HELP", name, help] => {
                    assert!(families.insert(name.to_owned()), "{name} comes twice");
                    assert!(help.ends_with('.') && !help.ends_with(".."), "{line}");
                    family = name.to_owned();
                }
                ["#", "TYPE", name, word] => {
                    assert_eq!(name, family, "{line}");
                    kind = word.to_owned();
                }
                ["#", "UNIT", name, unit] => assert!(name == family && name.ends_with(&format!("_{unit}")), "{line}"),
                _ => {
                    let (series, value) = line.rsplit_once(' ').expect(line);
                    check_series(series, &family, &kind);
                    let value: f64 = value.parse().expect(line);
                    assert!(value.is_finite() && value >= 0.0, "{line}");
                    assert!(figures.insert(series.to_owned(), value).is_none(), "{series} comes twice");
                }
            }
        }
        let figures = Self(figures);
        figures.check_histograms();
        figures
    }

    /// Nothing was counted where there is no such series.
    pub fn get(&self, series: &str) -> f64 {
        self.0.get(series).copied().unwrap_or_default()
    }

    pub fn of<'a>(&'a self, name: &'a str) -> impl Iterator<Item = (&'a str, f64)> {
        let is_of = move |series: &str| series.split('{').next() == Some(name);
        self.0.iter().filter(move |(series, _)| is_of(series)).map(|(series, value)| (series.as_str(), *value))
    }

    /// What has grown since `before`, and by how much.
    pub fn growth<'a>(&'a self, name: &'a str, before: &Self) -> Vec<(&'a str, f64)> {
        self.of(name).map(|(series, value)| (series, value - before.get(series))).filter(|(_, by)| *by != 0.0).collect()
    }

    /// Buckets contain those before them, and the last one contains all.
    fn check_histograms(&self) {
        for (count, all) in self.0.iter().filter(|(series, _)| series.contains("_count")) {
            let labels = count.split_once('{').unwrap().1.trim_end_matches('}');
            let name = count.split("_count").next().unwrap();
            let name = format!("{name}_bucket");
            let buckets = self.of(&name).filter(|(series, _)| series.contains(labels));
            let bound = |series: &str| series.split("le=\"").nth(1).unwrap().split('"').next().unwrap().to_owned();
            let mut buckets: Vec<(f64, f64)> =
                buckets.map(|(series, value)| (bound(series).parse().unwrap(), value)).collect();
            buckets.sort_by(|a, b| a.0.total_cmp(&b.0));
            assert!(buckets.is_sorted_by_key(|(_, count)| *count), "{buckets:?}");
            assert_eq!(buckets.last(), Some(&(f64::INFINITY, *all)), "{count}");
            assert!(self.0.contains_key(&count.replace("_count", "_sum")), "{count}");
        }
    }
}

fn check_series(series: &str, family: &str, kind: &str) {
    let (name, labels) = match series.split_once('{') {
        Some((name, labels)) => (name, labels.strip_suffix('}').expect(series)),
        None => (series, ""),
    };
    let suffixes: &[&str] = match kind {
        "counter" => &["_total"],
        "gauge" => &[""],
        "histogram" => &["_bucket", "_count", "_sum"],
        "info" => &["_info"],
        _ => panic!("{series} is of the unknown type {kind}"),
    };
    assert!(name.strip_prefix(family).is_some_and(|suffix| suffixes.contains(&suffix)), "{series} is not of {family}");
    for label in labels.split(',').filter(|label| !label.is_empty()) {
        let (key, value) = label.split_once('=').expect(series);
        assert!(key.chars().all(|c| c.is_ascii_lowercase()), "{series}");
        let value = value.strip_prefix('"').and_then(|value| value.strip_suffix('"')).expect(series);
        assert!(!value.contains(['"', '\\', '\n']), "{series}");
    }
}
