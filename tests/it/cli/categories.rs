//! Names of categories on the command line.

use crate::prelude::*;

use super::fixture::*;

/// A home whose configuration has names.
fn named() -> TempDir {
    configured("[categories]\n3 = \"dog\"\n12 = \"guinea pig\"\n")
}

#[test]
fn a_category_is_added_and_searched_by_its_name_and_only_the_number_is_sent() {
    let home = named();
    let add = |category: &str, more: &[&str]| {
        let fixed = ["pets", "add", "--name", "Rex", "--category", category];
        all(&run(&home, &[&fixed[..], more].concat()))
    };
    let (status, curl, _) = add("Guinea Pig", &["--dry-run"]);
    assert!(status == Some(0) && curl.contains("\"categoryId\":12") && !curl.contains("uinea"), "{curl}");
    let (status, _, said) = add("cat", &[]);
    let why = "petstore: --category-id: \"cat\" is not a category. Type its number, or a name: dog, guinea pig.";
    assert!(status == Some(2) && said.starts_with(why), "{said}");
    assert_eq!(add("dog", &[]).0, Some(0));
    let list = |more: &[&str]| stdout(&run(&home, &[&["pets", "list", "--search", "cat:dog"][..], more].concat()));
    assert!(list(&["--format", "table"]).contains("3 dog"), "{}", list(&["--format", "table"]));
    for format in ["json", "csv"] {
        assert!(list(&["--format", format]).contains('3') && !list(&["--format", format]).contains("dog"));
    }
}

#[test]
fn an_import_understands_names_also_when_it_goes_on_with_a_corrected_file() {
    let home = named();
    let file = home.path().join("weekly.csv");
    let file = file.to_str().unwrap();
    fs::write(file, "name,category\nRex,dog\nTom,cat\nZoe,3\n").unwrap();
    let (status, _, said) = all(&run(&home, &["pets", "import", file, "--dry-run"]));
    assert!(said.contains("\"cat\" is not a category. Type its number, or a name: dog"), "{status:?} {said}");
    let (status, _, said) = all(&run(&home, &["pets", "import", file, "--yes"]));
    assert_eq!(status, Some(3), "{said}");
    fs::write(file, "name,category\nRex,dog\nTom,guinea pig\nZoe,3\n").unwrap();
    let (status, _, said) = all(&run(&home, &["pets", "import", file, "--resume"]));
    assert_eq!(status, Some(0), "{said}");
    let list = stdout(&run(&home, &["pets", "list", "--all", "--columns", "name,categoryId", "--format", "csv"]));
    let mut rows: Vec<_> = list.lines().skip(1).map(str::trim).collect();
    rows.sort_unstable();
    assert_eq!(rows, ["Rex,3", "Tom,12", "Zoe,3"]);
}
