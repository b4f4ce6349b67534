//! `petstore config`: where the file is, what is in force, what is wrong with it, and changing it.

use crate::prelude::*;

use super::fixture::*;

const EXAMPLE: &str = include_str!("../../../config.example.toml");

fn file(home: &TempDir) -> PathBuf {
    home.path().join(".config/petstore/config.toml")
}

#[test]
fn the_path_is_that_of_the_file_that_is_read() {
    let home = home();
    let path = |words: &[&str]| run(&home, words);
    let (status, out, said) = all(&path(&["config", "path"]));
    assert_eq!((status, out), (Some(0), format!("{}\n", file(&home).display())));
    assert_eq!(said, "the file does not exist yet; to create it: petstore config init\n");
    assert_eq!(stdout(&path(&["--config", "/x/my.toml", "config", "path"])), "/x/my.toml\n");
    let mut command = petstore(&home, &["config", "path"]);
    assert_eq!(stdout(&command.env("PETSTORE_CONFIG", "/y/my.toml").output().unwrap()), "/y/my.toml\n");
}

#[test]
fn init_writes_the_example_once() {
    let home = home();
    let wrote = format!("wrote {}\n", file(&home).display());
    assert_eq!(all(&run(&home, &["config", "init"])), (Some(0), String::new(), wrote));
    assert_eq!(fs::read_to_string(file(&home)).unwrap(), EXAMPLE);
    let directory = fs::metadata(file(&home).parent().unwrap()).unwrap();
    assert_eq!(directory.permissions().mode() & 0o777, 0o700);
    fs::write(file(&home), "# mine\n").unwrap();
    fails_cleanly(&run(&home, &["config", "init"]), 1, "already exists and was not changed");
    assert_eq!(fs::read_to_string(file(&home)).unwrap(), "# mine\n");
    let nowhere = home.path().join("no/such/config.toml");
    fails_cleanly(&run(&home, &["--config", nowhere.to_str().unwrap(), "config", "init"]), 1, "there is no directory");
}

#[test]
fn editors_find_the_schema_of_every_configuration_file_that_petstore_writes() {
    for write in [
        &["config", "init"][..],
        &["profiles", "add", "shop", "--base-url", "https://api.shop.example/v1"],
        &["profiles", "use", "embedded"],
    ] {
        let home = home();
        assert_eq!(run(&home, write).status.code(), Some(0), "{write:?}");
        let text = fs::read_to_string(file(&home)).unwrap();
        // What taplo and the editors with it look for: a path relative to the file.
        let schema = text.lines().next().unwrap().strip_prefix("#:schema ").unwrap();
        let schema = fs::read_to_string(file(&home).with_file_name(schema)).unwrap();
        assert_eq!(schema, stdout(&run(&home, &["config", "schema"])));
        let schema: Value = serde_json::from_str(&schema).unwrap();
        let written = serde_json::to_value(text.parse::<toml::Table>().unwrap()).unwrap();
        jsonschema::validate(&schema, &written).unwrap();
    }
}

#[test]
fn show_prints_what_is_in_force_and_where_it_comes_from_but_no_key() {
    let home = configured(
        "profile = \"a\"\n[profiles.a]\nbase_url = \"https://a.example/v1\"\naccent = \"red\"\n[pets]\nlimit = 7\n",
    );
    let show = |words: &[&str]| {
        let mut command = petstore(&home, words);
        let output = prints(&command.env("PETSTORE_API_KEY", "petk_0123456789abcdef").output().unwrap());
        assert!(!output.contains("0123456789"));
        output
    };
    let plain = show(&["config", "show"]);
    assert!(plain.contains("pets.limit             7\n"), "{plain}");
    let origins = show(&["config", "show", "--origin"]);
    let line = |name: &str| {
        let line = origins.lines().find(|line| line.split(' ').next() == Some(name)).unwrap();
        line.split_whitespace().collect::<Vec<_>>().join(" ")
    };
    assert_eq!(line("pets.limit"), "pets.limit 7 config.toml, line 6");
    assert_eq!(line("key"), "key from environment PETSTORE_API_KEY from environment PETSTORE_API_KEY");
    assert_eq!(line("add.concurrency"), "add.concurrency 8 default");
    assert_eq!(line("accent"), "accent red config.toml, line 4");
    let trusting = show(&["--ca-file", "/lab.pem", "config", "show", "--origin"]);
    assert!(trusting.lines().any(|line| line.starts_with("ca_file") && line.contains("/lab.pem")), "{trusting}");
    let objects: Value = serde_json::from_str(&show(&["-p", "embedded", "config", "show", "-o", "json"])).unwrap();
    let object = |name: &str| objects.as_array().unwrap().iter().find(|one| one["name"] == name).unwrap().clone();
    let limit = serde_json::json!({
        "name": "pets.limit", "value": "7", "origin": "config.toml, line 6", "file": file(&home), "line": 6
    });
    assert_eq!(object("pets.limit"), limit);
    assert_eq!(object("profile")["origin"], "from --profile");
    let named = configured("[profiles.demo]\nbase_url = \"https://a.example/v1\"\nlabel = \"mine\"\nprotect = true\n");
    let demo = stdout(&run(&named, &["--demo", "config", "show", "--origin"]));
    for line in demo.lines().filter(|line| ["label", "protect"].contains(&line.split(' ').next().unwrap())) {
        assert!(line.ends_with("default"), "the demo is not the profile of this name: {line}");
    }
    let lost =
        configured("profile = \"a\"\n[profiles.a]\nbase_url = \"https://a.example/v1\"\nkey = { file = \"/no\" }\n");
    assert!(stdout(&run(&lost, &["config", "show"])).contains("from the file /no"), "the key is not read");
}

#[test]
fn show_names_every_key_of_the_example() {
    let shown = stdout(&run(&home(), &["config", "show"]));
    let example: toml::Table = EXAMPLE.parse().unwrap();
    for (section, keys) in example.iter().filter(|(name, _)| !["profile", "profiles"].contains(&name.as_str())) {
        for key in keys.as_table().unwrap().keys() {
            let name = format!("{section}.{key}");
            assert!(shown.lines().any(|line| line.split(' ').next() == Some(&name)), "{name}: {shown}");
        }
    }
}

#[test]
fn a_wrong_word_stops_every_command_with_its_place_and_the_word_that_is_closest() {
    for (text, place, meant) in [
        ("[pets]\nlimitt = 5\n", "config.toml:2:1: unknown field `limitt`", "Did you mean limit?"),
        ("[pets]\nstatus = \"slod\"\n", "config.toml:2:10: unknown variant `slod`", "Did you mean sold?"),
        ("[ui]\ntheme = \"darc\"\n", "config.toml:2:9: unknown theme `darc`", "Did you mean dark?"),
        ("[profiles.a]\nbase-url = \"x\"\n", "config.toml:2:1: unknown field `base-url`", "Did you mean base_url?"),
        ("[pest]\n", "config.toml:1:2: unknown field `pest`", "Did you mean pets?"),
        ("profile = \"embeded\"\n", "there is no profile \"embeded\"", "Did you mean embedded?"),
        ("[pets\n", "config.toml:1:6: ", ""),
        ("[pets]\nlimit = 500\n", "config.toml:2:9: limit must be a whole number from 1 to 100", ""),
        ("\"\\u001b[2J\" = 1\n", "config.toml:1:1: unknown field `⟨U+001B⟩[2J`", ""),
    ] {
        let home = configured(text);
        for words in [&["config", "check"][..], &["pets", "list"], &["config", "show"], &["status"]] {
            let output = run(&home, words);
            fails_cleanly(&output, 2, place);
            assert!(stderr(&output).contains(meant), "{}", stderr(&output));
        }
    }
}

#[test]
fn check_finds_what_the_start_does_not_see() {
    let right = configured(EXAMPLE);
    let said = format!("{} is valid\n", file(&right).display());
    assert_eq!(all(&run(&right, &["config", "check"])), (Some(0), said, String::new()));
    let none = run(&home(), &["config", "check"]);
    assert!(none.status.success() && stdout(&none).ends_with("the defaults are used\n"));
    fails_cleanly(&run(&right, &["--config", "/no/such.toml", "config", "check"]), 2, "cannot read the configuration");
    for (text, says) in [
        ("[profiles.a]\nbase_url = \"http://shop.example/v1\"\n", "config.toml:2: profile a, base_url: http://"),
        ("[profiles.a]\nlabel = \"A\"\n", "config.toml:1: profile \"a\" needs either"),
        ("[add]\ncodes = \"no.csv\"\n", "config.toml:2:1: there is no barcode file any more. Remove codes"),
        ("[domains]\nresolvers = [\"nobody\"]\n", "nobody"),
    ] {
        fails_cleanly(&run(&configured(text), &["config", "check"]), 2, says);
    }
    fs::write(file(&right).with_file_name("keymap.toml"), "[pets]\nrefersh = \"R\"\n").unwrap();
    fails_cleanly(&run(&right, &["config", "check"]), 2, "keymap.toml:2: pets has no action \"refersh\"");
    let all = configured(
        "[pets]\nlimitt = 5\nstatus = \"slod\"\n[[views]]\nname = \"a\"\n[[views]]\nname = \"a\"\nsort = \"x\"\n\
         [pest]\nlimit = 5\n[ui]\n\"m\u{fc}\" = 1\n[profiles.a]\nlabel = \"A\"\n[profiles.b]\nlabel = \"B\"\n",
    );
    let said = stderr(&run(&all, &["config", "check"]));
    let places: Vec<_> = said.lines().filter_map(|line| line.split("config.toml:").nth(1)).collect();
    let expected =
        ["2:1: unknown field", "3:10: unknown variant", "8:8: \"x\"", "9:2: unknown field", "12:1: unknown field"];
    assert!(expected.iter().all(|place| places.iter().any(|found| found.starts_with(place))), "{said}");
    assert_eq!(places.len(), 7, "{said}");
    assert!(said.contains("profile \"a\"") && said.contains("profile \"b\""), "{said}");
}

#[test]
fn the_keys_are_printed_as_the_file_that_changes_them() {
    let home = configured("");
    let keymap = file(&home).with_file_name("keymap.toml");
    let keys = run(&home, &["config", "keys"]);
    assert_eq!((keys.status.code(), stderr(&keys)), (Some(0), String::new()));
    assert!(stdout(&keys).contains("\n[pets]\n"), "{}", stdout(&keys));
    fs::write(&keymap, stdout(&keys)).unwrap();
    assert_eq!(all(&run(&home, &["config", "keys"])), (Some(0), stdout(&keys), String::new()));
    fs::write(&keymap, "[pest]\n").unwrap();
    assert!(stderr(&run(&home, &["config", "keys"])).starts_with("keymap.toml:1: unknown place \"pest\""));
}

#[test]
fn an_action_that_cannot_work_is_refused_with_its_place() {
    let action = "[[actions]]\nname = \"label\"\ncommand = [\"lp\"]\nkey = \"x\"\n";
    let home = configured(action);
    let taken = "config.toml:4:7: key: x is taken by \"export rows to a file\"";
    fails_cleanly(&run(&home, &["config", "check"]), 2, taken);
    let home = configured(&action.replace("\"x\"", "\"Z\""));
    assert_eq!(all(&run(&home, &["config", "check"])).0, Some(0));
    let shown = stdout(&run(&home, &["config", "show"]));
    assert!(shown.lines().any(|line| line.starts_with("actions ") && line.ends_with("label")), "{shown}");
    fs::set_permissions(file(&home), Permissions::from_mode(0o666)).unwrap();
    let not_run = "commands of the configuration were not run, because others can";
    fails_cleanly(&run(&home, &["config", "check"]), 2, not_run);
}

#[test]
fn a_theme_of_the_user_is_chosen_and_its_faults_are_named() {
    let home = configured("[ui]\ntheme = \"mine\"\n");
    fails_cleanly(&run(&home, &["config", "check"]), 2, "config.toml:2:9: unknown theme `mine`");
    let own = file(&home).with_file_name("themes");
    fs::create_dir(&own).unwrap();
    fs::write(own.join("mine.toml"), "quiet = \"#30343b\"\n").unwrap();
    assert_eq!(run(&home, &["config", "check"]).status.code(), Some(0));
    fs::write(own.join("mine.toml"), "text = \"white\"\n\n  pendign = \"red\"\n").unwrap();
    fails_cleanly(&run(&home, &["config", "check"]), 2, "themes/mine.toml:3:3: unknown field `pendign`");
}

#[test]
fn profiles_are_listed_and_one_is_chosen_for_good() {
    let home = configured(
        "# mine\n[profiles.branch]\nbase_url = \"https://branch.example/v1\" # ours\nkey = { env = \"BRANCH\" }\n\
         [profiles.till]\nbase_url = \"https://ada:secret@till.example/v1\"\n",
    );
    let listed = |words: &[&str]| stdout(&run(&home, words));
    let table = listed(&["profiles", "list"]);
    assert!(table.starts_with("* embedded  embedded store ") && !table.contains("secret"), "{table}");
    assert!(table.contains("\n  branch    https://branch.example/v1"), "{table}");
    let (status, out, said) = all(&run(&home, &["profiles", "use", "branch"]));
    assert_eq!((status, out.as_str(), said.as_str()), (Some(0), "", "branch is now the default\n"));
    let text = fs::read_to_string(file(&home)).unwrap();
    assert!(text.contains("profile = \"branch\"") && text.contains("# mine") && text.contains("# ours"), "{text}");
    let json: Value = serde_json::from_str(&listed(&["profiles", "list", "--format", "json"])).unwrap();
    let meant: Vec<_> = json.as_array().unwrap().iter().filter(|one| one["meant"] == true).collect();
    assert_eq!((meant.len(), meant[0]["name"].as_str()), (1, Some("branch")));
    assert_eq!(
        (meant[0]["baseUrl"].as_str(), meant[0]["embedded"].as_bool()),
        (Some("https://branch.example/v1"), Some(false))
    );
    let mut command = petstore(&home, &["profiles", "use", "till"]);
    let said = stderr(&command.env("PETSTORE_PROFILE", "branch").output().unwrap());
    assert!(
        said.ends_with("not in this shell, though: PETSTORE_PROFILE is set and overrides the configuration\n"),
        "{said}"
    );
    fails_cleanly(&run(&home, &["profiles", "use", "branhc"]), 2, "Did you mean branch?");
    // What is meant need not be there for the others to be shown.
    let mut command = petstore(&home, &["profiles", "list"]);
    let listed = command.env("PETSTORE_PROFILE", "brnach").output().unwrap();
    assert!(stdout(&listed).contains("\n  till ") && !stdout(&listed).contains('*'), "{}", stderr(&listed));
}
