//! Checks the README and `docs`: length, links, pictures, and what they repeat from the code.

use crate::prelude::*;

/// The most words of each page that has to be read in one go.
const ONE_PAGE: [(&str, usize); 4] =
    [("README.md", 600), ("docs/agents.md", 700), ("docs/ssh.md", 700), ("benches/README.md", 700)];

/// A file of the project, by its path from the root.
pub fn text(path: &str) -> String {
    fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join(path))
        .unwrap_or_else(|error| panic!("{path}: {error}"))
}

/// The README and every page of `docs`.
pub fn documents() -> Vec<String> {
    let docs = Path::new(env!("CARGO_MANIFEST_DIR")).join("docs");
    let pages = fs::read_dir(docs).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap());
    let mut all: Vec<_> = pages.map(|page| format!("docs/{page}")).collect();
    all.push("README.md".to_owned());
    all.sort();
    all
}

/// The lines of a Markdown text outside of its fenced blocks.
fn prose(text: &str) -> impl Iterator<Item = &str> {
    let mut fenced = false;
    text.lines().filter(move |line| {
        let fence = line.trim_start().starts_with("```");
        fenced ^= fence;
        !fenced && !fence
    })
}

/// The targets of the links and pictures of a Markdown text.
fn targets(text: &str) -> Vec<String> {
    let ends = prose(text).flat_map(|line| line.split("](").skip(1));
    ends.filter_map(|rest| rest.split_once(')')).map(|(target, _)| target.to_owned()).collect()
}

/// The anchors of the headings of a Markdown text, as GitHub makes them.
fn anchors(text: &str) -> Vec<String> {
    let headings = prose(text).filter(|line| line.starts_with('#')).map(|line| line.trim_start_matches('#').trim());
    let kept = |c: &char| c.is_alphanumeric() || matches!(c, ' ' | '-' | '_');
    headings.map(|heading| heading.to_lowercase().chars().filter(kept).collect::<String>().replace(' ', "-")).collect()
}

/// The contents of the blocks that begin with this fence.
fn blocks(text: &str, fence: &str) -> Vec<String> {
    let fence = format!("{fence}\n");
    let rests = text.split(&fence).skip(1);
    rests.filter_map(|rest| rest.split_once("\n```")).map(|(block, _)| block.to_owned()).collect()
}

#[test]
fn what_has_to_be_read_in_one_go_is_one_page() {
    for (page, most) in ONE_PAGE {
        let words = text(page).split_whitespace().count();
        assert!(words <= most, "{page} has {words} words, more than {most}");
    }
}

#[test]
fn the_page_for_programs_has_the_formats_and_exit_statuses_of_the_page_on_scripting() {
    let rows = |page: &str, heading: &str| -> BTreeSet<String> {
        let text = text(page);
        let section =
            text.split_once(&format!("\n## {heading}\n")).unwrap().1.split("\n## ").next().unwrap().to_owned();
        let cells = section.lines().filter_map(|line| line.strip_prefix("| ")?.split(" | ").next());
        cells.map(str::to_owned).collect()
    };
    for heading in ["Formats", "Exit statuses"] {
        let (programs, all) = (rows("docs/agents.md", heading), rows("docs/scripting.md", heading));
        assert!(programs.len() > 5 && programs == all, "{programs:?} {all:?}");
    }
}

#[test]
fn every_link_leads_somewhere() {
    let mut wrong = Vec::new();
    let others = ["CHANGELOG.md", "benches/README.md"].map(str::to_owned);
    for page in documents().into_iter().chain(others) {
        for target in targets(&text(&page)) {
            if target.starts_with("https://") {
                continue;
            }
            let (file, anchor) = target.split_once('#').unwrap_or((&target, ""));
            let linked = if file.is_empty() { PathBuf::from(&page) } else { Path::new(&page).with_file_name(file) };
            if !Path::new(env!("CARGO_MANIFEST_DIR")).join(&linked).exists() {
                wrong.push(format!("{page}: there is no file {file}"));
            } else if !anchor.is_empty() && !anchors(&text(linked.to_str().unwrap())).contains(&anchor.to_owned()) {
                wrong.push(format!("{page}: {} has no heading #{anchor}", linked.display()));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// Pictures are made by `PETSTORE_PICTURES=write cargo test --lib pictures`, which also checks that they are up to date;
/// the film is made by `cargo test --test pty the_tour -- --ignored`, and the charts of docs/performance.md by
/// `cargo bench --bench charts`.
#[test]
fn every_picture_is_made_by_a_command_and_shown_in_a_document() {
    let (stills, film) = (text("src/tui/testing/pictures.rs"), text("tests/pty/tour.rs"));
    let shown = documents().iter().flat_map(|page| targets(&text(page))).collect::<Vec<_>>();
    let shown: BTreeSet<_> = shown.iter().filter(|target| target.ends_with(".svg")).collect();
    let names: BTreeSet<_> = shown.iter().map(|target| target.rsplit('/').next().unwrap().to_owned()).collect();
    for name in &names {
        let still = format!("\"{}\"", name.trim_end_matches(".svg"));
        let is_made =
            stills.contains(&still) || film.contains(&format!("assets/img/{name}")) || name.starts_with("scale-");
        assert!(is_made, "no command makes {name}");
    }
    let pictures = fs::read_dir(Path::new(env!("CARGO_MANIFEST_DIR")).join("assets/img")).unwrap();
    let pictures: BTreeSet<_> = pictures.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    assert_eq!(names, pictures, "left: shown in a document; right: in assets/img");
}

#[test]
fn the_page_on_architecture_has_the_diagrams_of_the_crate_documentation() {
    let documentation = text("src/lib.rs");
    let lines = documentation.lines().filter_map(|line| line.strip_prefix("//!"));
    let documentation = lines.map(|line| line.strip_prefix(' ').unwrap_or(line)).collect::<Vec<_>>().join("\n");
    let of = |text: &str| blocks(text, "```text").into_iter().collect::<BTreeSet<_>>();
    let diagrams = of(&documentation);
    assert!(diagrams.len() >= 2, "{diagrams:?}");
    assert_eq!(of(&text("docs/architecture.md")), diagrams, "left: docs/architecture.md; right: src/lib.rs");
}

#[test]
fn the_page_on_architecture_describes_every_room() {
    let library = text("src/lib.rs");
    let rooms = library.lines().filter_map(|line| line.strip_prefix("pub mod ")?.strip_suffix(';'));
    let page = text("docs/architecture.md");
    let missing: Vec<_> = rooms.filter(|room| !page.contains(&format!("`{room}`"))).collect();
    assert!(missing.is_empty(), "docs/architecture.md does not describe {missing:?}");
}

#[test]
fn each_promise_has_a_test_that_runs() {
    let page = text("docs/promises.md");
    let tests: Vec<_> = page.split('`').filter(|part| part.starts_with("it::") || part.starts_with("pty::")).collect();
    assert_eq!(tests.len(), 22, "{tests:?}");
    for test in tests {
        let (module, name) = test.rsplit_once("::").unwrap();
        let source = text(&format!("tests/{}.rs", module.replace("::", "/")));
        let (before, _) = source.split_once(&format!("fn {name}(")).unwrap_or_else(|| panic!("{test} does not exist"));
        let attributes = before.rsplit("\n\n").next().unwrap();
        let is_test = attributes.contains("#[test]") || attributes.contains("#[tokio::test");
        assert!(is_test && !attributes.contains("#[ignore"), "{test} does not run: {attributes}");
    }
}

/// The rows of the table of a section: each key with its default.
fn settings(page: &str, heading: &str) -> Vec<(String, String)> {
    let section = page.split_once(&format!("\n{heading}\n")).unwrap_or_else(|| panic!("no heading {heading}")).1;
    let rows = section.lines().take_while(|line| !line.starts_with('#')).filter(|line| line.starts_with("| `"));
    let cells = rows.map(|row| row.split(" | ").map(|cell| cell.trim_matches(['|', ' ', '`']).to_owned()));
    cells.map(|mut cells| (cells.next().unwrap(), cells.next().unwrap())).collect()
}

#[test]
fn the_page_on_configuration_lists_every_setting_with_its_default() {
    let schema: Value = serde_json::from_str(include_str!("../../assets/config.schema.json")).unwrap();
    let page = text("docs/configuration.md");
    for section in ["pets", "add", "ui", "domains"] {
        let mut properties = schema["properties"][section]["properties"].as_object().unwrap().clone();
        properties.retain(|_, property| property["deprecated"] != true);
        let listed = settings(&page, &format!("### `[{section}]`"));
        let names: BTreeSet<_> = listed.iter().map(|(key, _)| key).collect();
        assert_eq!(names, properties.keys().collect(), "left: docs/configuration.md, [{section}]");
        for (key, default) in listed {
            let value = format!("default = {default}").parse::<toml::Table>().unwrap();
            assert_eq!(
                serde_json::to_value(&value["default"]).unwrap(),
                properties[&key]["default"],
                "{section}.{key}"
            );
        }
    }
    let profile = &schema["properties"]["profiles"]["additionalProperties"]["properties"];
    let listed: BTreeSet<_> = settings(&page, "## Profiles").into_iter().map(|(key, _)| key).collect();
    for key in profile.as_object().unwrap().keys() {
        assert!(listed.contains(key), "docs/configuration.md does not list `{key}` of profiles");
    }
}
