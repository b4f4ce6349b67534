//! Requests made by chance from `assets/openapi.yaml`, right and wrong ones; every answer is held against it.

use crate::prelude::*;

use percent_encoding::{NON_ALPHANUMERIC, utf8_percent_encode};
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::select;
use proptest::test_runner::TestRunner;
use serde_json::{Map, json};
use tokio::runtime::Runtime;

use super::contract::{DESCRIPTION, resolve};
use super::fixture::Service;

/// How many requests of each operation.
const CASES: u32 = 100;

/// A value that was chosen, and what the description says about it.
#[derive(Clone, Debug)]
struct Chosen {
    text: String,
    verdict: Verdict,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Verdict {
    /// Made from its schema: must be taken.
    Right,
    /// The schema allows it, but the description may have a rule in words against it.
    Allowed,
    /// The schema forbids it: must be refused.
    Wrong,
}

/// A request, with everything that may be wrong about it.
#[derive(Clone, Debug)]
struct Request {
    target: String,
    headers: Vec<(String, String)>,
    body: String,
    verdict: Verdict,
}

#[test]
fn requests_made_from_the_description_are_answered_as_it_says() {
    let runtime = Runtime::new().unwrap();
    let service = runtime.block_on(Service::start());
    for (path, item) in DESCRIPTION["paths"].as_object().unwrap() {
        for (method, operation) in
            item.as_object().unwrap().iter().filter(|(_, value)| value["operationId"].is_string())
        {
            let method = method.to_ascii_uppercase();
            if operation["responses"]["200"]["content"]["text/event-stream"].is_object() {
                // Such an answer does not end.
                continue;
            }
            let requests = requests(path, item, operation);
            let mut runner = TestRunner::new(ProptestConfig {
                cases: CASES,
                failure_persistence: None,
                ..ProptestConfig::default()
            });
            let held = runner.run(&requests, |request| {
                let headers: Vec<_> = request.headers.iter().map(|(name, value)| (&**name, &**value)).collect();
                // Panics where the description does not know the answer.
                let answer = runtime.block_on(service.call(&method, &request.target, &headers, &request.body));
                prop_assert!(answer.status < 500, "{answer:?}");
                match request.verdict {
                    Verdict::Right => {
                        // A pet of any id need not be there, nor be as it is expected.
                        let may_differ = [404, 409].contains(&answer.status) && path.starts_with("/v1/pets/{petId}");
                        let taken = answer.status < 400 || may_differ;
                        prop_assert!(taken, "{answer:?}");
                    }
                    Verdict::Allowed => {}
                    // It asks about the path as such.
                    Verdict::Wrong if method == "OPTIONS" => {}
                    Verdict::Wrong => prop_assert!(answer.status >= 400, "{answer:?}"),
                }
                Ok(())
            });
            held.unwrap_or_else(|error| panic!("{method} {path}: {error}"));
        }
    }
}

fn requests(path: &str, item: &Value, operation: &Value) -> impl Strategy<Value = Request> + use<> {
    // An operation may describe a parameter of its path in its own way.
    let lists = [&item["parameters"], &operation["parameters"]].into_iter().filter_map(Value::as_array);
    let parameters: BTreeMap<_, _> =
        lists.flatten().map(|parameter| (parameter["name"].to_string(), parameter.clone())).collect();
    let parameters: Vec<Value> = parameters.into_values().collect();
    let chosen: Vec<_> = parameters.iter().map(parameter).collect();
    let content = operation["requestBody"]["content"].as_object().and_then(|content| content.iter().next());
    let media_type = content.map(|(media_type, _)| media_type.clone()).unwrap_or_default();
    let body = content.map_or(Just(None).boxed(), |(_, content)| body(&content["schema"]).prop_map(Some).boxed());
    let path = path.to_owned();
    (chosen, body).prop_map(move |(chosen, body)| {
        let (mut target, mut query, mut headers) = (path.clone(), Vec::new(), Vec::new());
        let mut verdict = body.as_ref().map_or(Verdict::Right, |body| body.verdict);
        for (parameter, chosen) in parameters.iter().zip(chosen) {
            let Some(Chosen { text, verdict: of_this }) = chosen else { continue };
            verdict = verdict.max(of_this);
            let name = parameter["name"].as_str().unwrap();
            let encoded = utf8_percent_encode(&text, NON_ALPHANUMERIC);
            match parameter["in"].as_str().unwrap() {
                "path" => target = target.replace(&format!("{{{name}}}"), &encoded.to_string()),
                "query" => query.push(format!("{name}={encoded}")),
                _ => headers.push((name.to_owned(), text)),
            }
        }
        // A rule in words: each of the two belongs to one order.
        let has = |start: &str| query.iter().any(|parameter| parameter.starts_with(start));
        let is_descending = query.iter().any(|parameter| parameter == "order=desc");
        if has("after=") && is_descending || has("before=") && !is_descending {
            verdict = Verdict::Wrong;
        }
        if !query.is_empty() {
            target = format!("{target}?{}", query.join("&"));
        }
        if body.is_some() {
            headers.push(("Content-Type".to_owned(), media_type.clone()));
        }
        Request { target, headers, body: body.map_or(String::new(), |body| body.text), verdict }
    })
}

/// A value of a parameter, or none where it may be left out.
fn parameter(parameter: &Value) -> BoxedStrategy<Option<Chosen>> {
    let place = parameter["in"].as_str().unwrap();
    let schema = resolve(&parameter["schema"]).clone();
    let text = |value: Value| value.as_str().map_or_else(|| value.to_string(), str::to_owned);
    let right = match place {
        "header" => "[!-~]{8,40}".prop_map(|text| Chosen { text, verdict: Verdict::Right }).boxed(),
        _ => of_schema(&schema).prop_map(move |value| Chosen { text: text(value), verdict: Verdict::Right }).boxed(),
    };
    let garbage = match place {
        "path" => "[0-9a-z.+-]{1,25}".boxed(),
        "query" => prop_oneof![".{0,20}", "[-+]?[0-9]{1,25}", "[a-zA-Z]{0,10}"].boxed(),
        _ => "[ -~]{0,300}".boxed(),
    };
    let validator = jsonschema::validator_for(&schema).unwrap();
    let garbage = garbage.prop_map(move |text| {
        // HTTP takes the blanks around a header away, and a number is written without quotes.
        let trimmed = if schema["pattern"].is_string() { text.trim() } else { &text };
        let read = match schema["type"].as_str() {
            Some("integer") => trimmed.parse::<i64>().map_or_else(|_| json!(trimmed), |number| json!(number)),
            _ => json!(trimmed),
        };
        let verdict = if validator.is_valid(&read) { Verdict::Allowed } else { Verdict::Wrong };
        Chosen { text, verdict }
    });
    let chosen = prop_oneof![3 => right, 1 => garbage];
    if parameter["required"] == true {
        return chosen.prop_map(Some).boxed();
    }
    proptest::option::of(chosen).boxed()
}

/// A body from its schema; or one with members taken away, exchanged and added; or anything.
fn body(schema: &Value) -> BoxedStrategy<Chosen> {
    let mut whole = resolve(schema).clone();
    whole["components"] = DESCRIPTION["components"].clone();
    let validator = jsonschema::validator_for(&whole).unwrap();
    let names: Vec<String> = whole["properties"].as_object().into_iter().flat_map(Map::keys).cloned().collect();
    let right = of_schema(&whole);
    let names = if names.is_empty() { vec!["op".to_owned()] } else { names };
    let member = prop_oneof![select(names).boxed(), "[a-z]{1,8}".boxed()];
    let changed =
        (right.clone(), vec((member, proptest::option::of(anything())), 1..3)).prop_map(|(value, changes)| {
            let mut members = value.as_object().or(value[0].as_object()).cloned().unwrap_or_default();
            for (name, value) in changes {
                match value {
                    Some(value) => drop(members.insert(name, value)),
                    None => drop(members.remove(&name)),
                }
            }
            if value.is_array() { json!([members]) } else { Value::Object(members) }
        });
    let judge = move |value: Value| {
        let verdict = if validator.is_valid(&value) { Verdict::Allowed } else { Verdict::Wrong };
        Chosen { text: value.to_string(), verdict }
    };
    let right = right.prop_map(|value| Chosen { text: value.to_string(), verdict: Verdict::Right });
    let no_json = "[^\"{}0-9\\[]{0,30}".prop_map(|text| Chosen { text, verdict: Verdict::Wrong });
    prop_oneof![
        4 => right,
        4 => prop_oneof![changed.boxed(), anything()].prop_map(judge),
        1 => no_json
    ]
    .boxed()
}

/// A value that the schema allows, and no rule in words forbids.
fn of_schema(schema: &Value) -> BoxedStrategy<Value> {
    let schema = resolve(schema);
    if let Some(words) = schema["enum"].as_array() {
        return select(words.clone()).boxed();
    }
    if let Some(kinds) = schema["oneOf"].as_array() {
        return proptest::strategy::Union::new(kinds.iter().map(of_schema)).boxed();
    }
    match schema["type"].as_str().unwrap() {
        "array" => vec(of_schema(&schema["items"]), 0..4).prop_map(Value::from).boxed(),
        "integer" => {
            let bound = |name: &str, otherwise| schema[name].as_i64().unwrap_or(otherwise);
            let (least, most) = (bound("minimum", i64::MIN), bound("maximum", i64::MAX));
            let near = least.max(-5)..=most.min(200);
            prop_oneof![near, least..=most, Just(least), Just(most)].prop_map(Value::from).boxed()
        }
        "string" => {
            let most = schema["maxLength"].as_u64().unwrap_or(40);
            let pattern = format!("[\\p{{Alphabetic}}0-9'=&<>🐕]{{1,{most}}}");
            proptest::string::string_regex(&pattern).unwrap().prop_map(Value::from).boxed()
        }
        "object" => {
            let required = schema["required"].as_array().cloned().unwrap_or_default();
            let members = schema["properties"].as_object().unwrap().iter();
            let members: Vec<_> = members
                .map(|(name, schema)| {
                    let value = of_schema(schema).prop_map(Some).boxed();
                    let maybe =
                        if required.contains(&json!(name)) { value } else { prop_oneof![value, Just(None)].boxed() };
                    (Just(name.clone()), maybe)
                })
                .collect();
            members.prop_map(object).boxed()
        }
        other => panic!("no values of the type {other}"),
    }
}

fn object(members: Vec<(String, Option<Value>)>) -> Value {
    Value::Object(members.into_iter().filter_map(|(name, value)| Some((name, value?))).collect::<Map<_, _>>())
}

fn anything() -> BoxedStrategy<Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        any::<u64>().prop_map(Value::from),
        any::<f64>().prop_map(Value::from),
        any::<String>().prop_map(Value::from),
        "[a-z]{0,300}".prop_map(Value::from),
    ];
    leaf.prop_recursive(3, 16, 4, |inner| {
        let members = proptest::collection::btree_map("[a-z]{0,8}", inner.clone(), 0..4);
        prop_oneof![
            vec(inner, 0..4).prop_map(Value::from),
            members.prop_map(|members: BTreeMap<String, Value>| Value::Object(members.into_iter().collect())),
        ]
    })
    .boxed()
}
