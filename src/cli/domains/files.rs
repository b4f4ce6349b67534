//! Commands that only read or print text: `parse`, `lint`, `explain` and `records`.

use std::io::{Read, Write as _};
use std::path::Path;

use serde_json::{Value, json};

use crate::clock;
use crate::config::file::Domains as Configured;
use crate::domains::probe::cache::ProbeCache;
use crate::domains::record_export::{DnsRecord, export};
use crate::domains::registry::RegistryFile;
use crate::domains::{Code, Domain, explain, parse_name, redirect_config};
use crate::model::text::short;

use super::super::error::{Exit, Failed};
use super::super::render::{ResultFormat, print, print_json};
use super::answer::Answer;
use super::args::{ExplainArgs, LintArgs, ParseArgs, RecordsArgs};
use super::json;
use super::settings::{platform_host, prepare};

/// The most bytes that are read; the lint reports a larger text.
const MAX_TEXT: u64 = (1 << 20) + 1;

/// `petstore domains parse`.
pub fn parse(args: &ParseArgs, configured: &Configured) -> Result<Exit, Failed> {
    let host = platform_host(args.platform_host.as_deref(), configured)?;
    // The list matters only to `add`.
    let reading =
        parse_name::read(&args.name, &parse_name::ExistingDomains { platform_host: host, listed: Vec::new() });
    let domain = reading.domain.as_ref();
    let head = domain.map_or_else(String::new, |domain| format!("{}{}\n", domain.name, also(domain)));
    let (at, about) = (clock::now().wall, json::domain(domain));
    Answer { findings: &reading.findings, at, about, head }.print(args.output.chosen())
}

fn also(domain: &Domain) -> String {
    let unicode = if domain.unicode == domain.name.as_str() { String::new() } else { format!(" ({})", domain.unicode) };
    let kind = if domain.is_apex() {
        ", an apex domain".to_owned()
    } else {
        format!(", {} in {}", domain.name.relative_to(&domain.registrable), domain.registrable)
    };
    format!("{unicode}{kind}")
}

/// `petstore domains lint`.
pub fn lint(args: &LintArgs, file: &RegistryFile) -> Result<Exit, Failed> {
    let text = read_text(&args.file)?;
    let listed: Vec<_> = file.read()?.domains.into_iter().map(|entry| entry.name).collect();
    let linted = redirect_config::lint(&text, &listed);
    let (at, head) = (clock::now().wall, String::new());
    Answer { findings: &linted.findings, at, about: Value::Null, head }.print(args.output.chosen())
}

/// The text of a file, or of standard input for `-`.
pub(super) fn read_text(path: &Path) -> Result<String, Failed> {
    let failed =
        |why: &dyn std::fmt::Display| Failed::new(Exit::Failure, format!("cannot read {}: {why}", path.display()));
    let file: Box<dyn Read> = match path == Path::new("-") {
        true => Box::new(std::io::stdin()),
        false => Box::new(std::fs::File::open(path).map_err(|error| failed(&error))?),
    };
    let mut bytes = Vec::new();
    file.take(MAX_TEXT).read_to_end(&mut bytes).map_err(|error| failed(&error))?;
    String::from_utf8(bytes).map_err(|_| failed(&"it is not UTF-8 text"))
}

/// `petstore domains explain`.
pub fn explain(args: &ExplainArgs) -> Result<Exit, Failed> {
    let message = args.message.join(" ");
    let causes = explain::causes(&message);
    if causes.is_empty() {
        let failed = Failed::new(Exit::NotFound, format!("unknown code or message \"{}\"", short(&message)));
        return Err(match explain::nearest(&message) {
            Some(word) => failed.hint(format!("did you mean {word}?")),
            None => failed.hint(
                "use a code from petstore such as DNS-A-BLOCKS, or a browser message such as ERR_CERT_DATE_INVALID",
            ),
        });
    }
    match args.output.chosen() {
        ResultFormat::Json => {
            let each =
                |code: &Code| json!({ "code": code, "title": code.title(), "cause": code.cause(), "fix": code.cure() });
            let all: Vec<_> = causes.iter().map(each).collect();
            print_json(&json!({ "code": causes.first(), "causes": all }))?;
        }
        ResultFormat::Table => print(|out| {
            if causes.len() > 1 {
                writeln!(
                    out,
                    "Likely causes, the most likely first. To find out which: petstore domains check DOMAIN\n"
                )?;
            }
            for (index, code) in causes.iter().enumerate() {
                let gap = if index == 0 { "" } else { "\n" };
                writeln!(out, "{gap}{code}: {}", code.title())?;
                writeln!(out, "  Cause: {}", code.cause())?;
                writeln!(out, "  Fix:   {}", code.cure())?;
            }
            Ok(())
        })?,
    }
    Ok(Exit::Done)
}

/// `petstore domains records`.
pub async fn records(args: RecordsArgs, configured: &Configured, file: &RegistryFile) -> Result<Exit, Failed> {
    let (subject, _) = prepare(&args.name, &args.probe, configured, file)?;
    let domain = &subject.domain;
    let Some(value) = subject.reported.value.clone() else {
        return Err(Failed::new(Exit::Usage, format!("{} has no value yet", domain.unicode)).hint(format!(
            "copy it from the dashboard: use --platform-host HOST, or petstore domains add {} --platform-host HOST",
            domain.name
        )));
    };
    let (mut zone, mut conflicts) = (domain.registrable.clone(), Vec::new());
    if args.with_deletes {
        let checked = subject.check(&ProbeCache::default(), None).await;
        (zone, conflicts) = (checked.zone(), checked.conflicts());
    }
    let record = DnsRecord::new(domain, zone, value);
    print(|out| write!(out, "{}", export(&record, args.format, &conflicts)))?;
    Ok(Exit::Done)
}
