//! `petstore pets history`: what was done to a pet, and by whom.

use std::io::Write as _;

use super::args::HistoryArgs;
use super::context::Context;
use crate::api::retry::repeated;
use crate::cli::{Exit, Result};
use crate::clock::time_zone;
use crate::model::{PetHistoryEntry, PetMembers, safe_text, short};

pub async fn run(context: &Context<'_>, args: &HistoryArgs) -> Result<Exit> {
    let history = repeated(|| context.client.history(args.id)).await;
    let history = history.map_err(|error| context.failed_of(args.id, &error, false))?;
    let zone = time_zone();
    args.output.write(
        |out| {
            history.iter().try_for_each(|entry| {
                let at = entry.at.map(|at| at.to_zoned(zone.clone()).strftime("%Y-%m-%d %H:%M:%S").to_string());
                let at = at.unwrap_or_else(|| "not recorded".to_owned());
                writeln!(out, "{at:<19}  {:<20}  {}", by(entry), what(entry))
            })
        },
        || &history,
    )?;
    Ok(Exit::Done)
}

fn by(PetHistoryEntry { by, .. }: &PetHistoryEntry) -> String {
    let by = by.as_ref().map_or("-", |by| by.name.as_deref().unwrap_or(&by.key));
    short(by)
}

/// In words: what it became, and what it was.
fn what(PetHistoryEntry { from, to, .. }: &PetHistoryEntry) -> String {
    let [to, from] = [Some(to), from.as_ref()].map(|members| members.map(words).unwrap_or_default());
    if from.is_empty() { format!("added: {to}") } else { format!("{to} (was {from})") }
}

fn words(PetMembers { name, category_id, status }: &PetMembers) -> String {
    let name = name.as_ref().map(|name| format!("name {}", safe_text(name)));
    let category = category_id.map(|id| format!("category {id}"));
    let status = status.as_ref().map(|status| safe_text(&status.as_str()));
    Vec::from_iter([name, category, status].into_iter().flatten()).join(", ")
}
