//! Commands that only read or print text: `explain` and `records`.

use std::io::{self, Read, Write as _};
use std::path::Path;

use serde_json::json;

use crate::cli::{Exit, Failed};
use crate::domains::record_export::{plain, zone_file};
use crate::domains::{Code, DnsRecord, ProbeCache, explain};
use crate::model::short;

use super::super::output::Out;
use super::super::render::print;
use super::args::{ExplainArgs, RecordFormat, RecordsArgs};
use super::settings::Project;

/// The most bytes that are read; the lint reports a larger text.
const MAX_TEXT: u64 = (1 << 20) + 1;

/// What comes before several causes.
const LIKELY: &str = "Likely causes, the most likely first. To find out which: petstore domains check DOMAIN";

/// The text of a file, or of standard input for `-`.
pub(super) fn read_text(path: &Path) -> Result<String, Failed> {
    let failed =
        |why: &dyn std::fmt::Display| Failed::new(Exit::Failure, format!("cannot read {}: {why}", path.display()));
    let file: Box<dyn Read> = match path == Path::new("-") {
        true => Box::new(io::stdin()),
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
    let words =
        |code: &Code| format!("{code}: {}\n  Cause: {}\n  Fix:   {}\n", code.title(), code.cause(), code.cure());
    let lines = |out: &mut Out<io::Stdout>| {
        if causes.len() > 1 {
            writeln!(out, "{LIKELY}\n")?;
        }
        write!(out, "{}", causes.iter().map(words).collect::<Vec<_>>().join("\n"))
    };
    let each = |code: &Code| json!({ "code": code, "title": code.title(), "cause": code.cause(), "fix": code.cure() });
    let object = || json!({ "code": causes.first(), "causes": causes.iter().map(each).collect::<Vec<_>>() });
    args.output.write(lines, object).map(|()| Exit::Done)
}

/// `petstore domains records`.
pub async fn records(args: RecordsArgs, project: &Project<'_>) -> Result<Exit, Failed> {
    let subject = project.subject(&args.name, &args.probe)?;
    let domain = &subject.domain;
    let Some(value) = subject.reported.value.clone() else {
        return Err(Failed::new(Exit::Usage, format!("{} has no value yet", domain.unicode)).hint(format!(
            "copy it from the dashboard: use --platform-host HOST, or petstore domains add {} --platform-host HOST",
            domain.name
        )));
    };
    let (record, conflicts) = if args.with_deletes {
        project.announce(&subject.options);
        let checked = subject.check(&ProbeCache::default(), None).await;
        (checked.record(value), checked.conflicts)
    } else {
        (DnsRecord::new(domain, value), Vec::new())
    };
    let text = match args.format {
        RecordFormat::Plain => plain(&record, &conflicts),
        RecordFormat::Bind => zone_file(&record, &conflicts),
    };
    print(|out| write!(out, "{text}")).map(|()| Exit::Done)
}
