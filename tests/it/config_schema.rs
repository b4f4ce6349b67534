//! Holds the schema of the configuration file, which is for editors, against what is really read.

use crate::prelude::*;
use petstore::config::File;

fn schema() -> Value {
    serde_json::from_str(include_str!("../../assets/config.schema.json")).unwrap()
}

fn errors(text: &str) -> Vec<String> {
    let instance = serde_json::to_value(text.parse::<toml::Table>().unwrap()).unwrap();
    let validator = jsonschema::validator_for(&schema()).unwrap();
    validator.iter_errors(&instance).map(|error| format!("{}: {error}", error.instance_path())).collect()
}

fn refusal(text: &str) -> String {
    File::parse(text, Path::new("c.toml")).unwrap_err().to_string()
}

/// The words that a refusal names as known.
fn known(refusal: &str) -> Vec<String> {
    let mut known: Vec<_> = refusal.split('`').skip(1).step_by(2).skip(1).map(str::to_owned).collect();
    known.sort();
    known
}

/// The tables of the file, as the schema and as a line of the file name them.
const TABLES: [(&str, &str); 10] = [
    ("", ""),
    ("/properties/profiles/additionalProperties", "[profiles.x]\n"),
    ("/properties/pets", "[pets]\n"),
    ("/properties/views/items", "[[views]]\n"),
    ("/properties/add", "[add]\n"),
    ("/properties/ui", "[ui]\n"),
    ("/properties/ssh", "[ssh]\n"),
    ("/properties/domains", "[domains]\n"),
    ("/properties/actions/items", "[[actions]]\nname = \"x\"\ncommand = [\"x\"]\n"),
    ("/properties/domains/properties/redirects/items", "[[domains.redirects]]\n"),
];

#[test]
fn the_schema_and_the_parser_know_the_same_keys_and_words() {
    let schema = schema();
    for (place, head) in TABLES {
        let table = schema.pointer(place).unwrap();
        assert_eq!(table["additionalProperties"], false, "{place}");
        let properties = table["properties"].as_object().unwrap();
        let mut names: Vec<_> = properties.keys().cloned().collect();
        names.sort();
        assert_eq!(names, known(&refusal(&format!("{head}zzz = 1\n"))), "{place}");
        for (name, property) in properties {
            let Some(words) = property["enum"].as_array() else { continue };
            let mut words: Vec<_> = words.iter().map(|word| word.as_str().unwrap().to_owned()).collect();
            words.sort();
            assert_eq!(words, known(&refusal(&format!("{head}{name} = \"zzz\"\n"))), "{place} {name}");
        }
    }
    let sources = schema.pointer("/properties/profiles/additionalProperties/properties/key/oneOf").unwrap();
    let mut sources: Vec<_> =
        sources.as_array().unwrap().iter().map(|source| source["required"][0].as_str().unwrap().to_owned()).collect();
    sources.sort();
    assert_eq!(sources, known(&refusal("[profiles.x]\nkey = { zzz = 1 }\n")));
}

#[test]
fn the_example_fits_the_schema_whose_defaults_it_says() {
    let example = include_str!("../../config.example.toml");
    for text in [example.to_owned(), example.replace("\n#:", "\n"), String::new()] {
        assert_eq!(errors(&text), Vec::<String>::new());
    }
    assert!(example.starts_with("#:schema config.schema.json\n"));
    let (schema, example) = (schema(), serde_json::to_value(example.parse::<toml::Table>().unwrap()).unwrap());
    for section in ["pets", "add", "ui", "domains"] {
        let properties = schema["properties"][section]["properties"].as_object().unwrap();
        for (name, property) in properties {
            assert_eq!(property["default"], example[section][name], "{section}.{name}");
        }
    }
    assert_eq!(schema["properties"]["profile"]["default"], example["profile"]);
}

#[test]
fn what_the_parser_refuses_the_schema_refuses_too() {
    for text in [
        "[pets]\nlimitt = 5\n",
        "[pets]\nlimit = 0\n",
        "[pets]\nlimit = 101\n",
        "[pets]\nlive = -1\n",
        "[[views]]\nsearch = \"cat:3\"\n",
        "[[views]]\nname = \"cats\"\nsort = \"price\"\n",
        "[[views]]\nname = \"cats\"\ncolumns = [\"price\"]\n",
        "[categories]\nthree = \"dog\"\n",
        "[categories]\n3 = \"\"\n",
        "[add]\nconcurrency = 9\n",
        "[ui]\ntheme = 3\n",
        "[domains]\nhttp_port = 65536\n",
        "[profiles.x]\nkey = { keyring = true }\n",
        "[profiles.x]\nkey = { command = [] }\n",
        "[profiles.x]\nkey = { env = \"A\", file = \"b\" }\n",
        "[[actions]]\nname = \"x\"\ncommand = []\n",
        "[[actions]]\nname = \"x\"\ncommand = [\"lp\"]\nkeys = \"P\"\n",
        "[[domains.redirects]]\nfrom = \"a.example\"\nto = \"b.example\"\n",
    ] {
        let _ = refusal(text);
        assert_eq!(errors(text).len(), 1, "{text}: {:?}", errors(text));
    }
}
