//! `petstore pets count` and `stats`: how many pets there are, by reading the whole inventory.

use std::io::{self, Write as _};

use serde_json::json;

use super::args::CountArgs;
use super::context::PetsContext;
use super::list::{Filter, search, word};
use crate::cli::error::{Exit, Failed};
use crate::cli::output::Out;
use crate::model::{ObservedStatus, Pet, PetStatus, Provenances, table};

/// Prints the number of pets; with `by_status` also that of each status.
pub async fn run(context: &PetsContext<'_>, args: &CountArgs, by_status: bool) -> Result<Exit, Failed> {
    let filter = args.filter.with_view(context.settings)?;
    let mut of_statuses = [0_u64; 3];
    let take = |pets: Vec<Pet>, _: Provenances| {
        for (status, count) in PetStatus::ALL.into_iter().zip(&mut of_statuses) {
            let has = |pet: &&Pet| pet.status == Some(ObservedStatus::Known(status));
            *count += pets.iter().filter(has).count() as u64;
        }
        Ok(true)
    };
    let (found, coverage) =
        search(context, &Filter::new(&filter, &context.settings.categories, usize::MAX), take).await?;
    let all = found.count as u64;
    if !coverage.complete {
        let word = word(&coverage, &filter, found.count);
        if args.require_complete {
            return Err(Failed::new(Exit::Partly, format!("the number is not known to be exact: {word}"))
                .hint("to print what was counted, omit --require-complete"));
        }
        context.verbosity.note(&word);
    }
    let counts = PetStatus::ALL.iter().map(|status| status.as_str()).zip(of_statuses);
    let none = all.saturating_sub(of_statuses.iter().sum());
    let rows: Vec<(&str, u64)> = counts.chain([("no status", none)]).filter(|(_, count)| *count > 0).collect();
    let lines = |out: &mut Out<io::Stdout>| {
        if !by_status {
            return writeln!(out, "{all}");
        }
        let total = [("total", all)];
        let cells = rows.iter().chain(&total).map(|(word, count)| [(*word).to_owned(), count.to_string()]);
        table::write(out, &cells.collect::<Vec<_>>())
    };
    let object = || {
        let mut object = json!({ "count": all, "complete": coverage.complete });
        if by_status {
            object["byStatus"] = rows.iter().copied().collect();
        }
        object
    };
    args.output.write(lines, object)?;
    Ok(Exit::Done)
}
