//! The end of a person's access: `petstore keys revoke` marks the person, and open and new sessions find the mark.

use std::future::pending;
use std::io::Write;
use std::time::Duration;

use tokio::time::sleep;

use crate::cli::error::{Exit, Failed};
use crate::cli::output::note;
use crate::config::{Env, SshSession};
use crate::model::text::short;
use crate::store::KeyId;

use super::person::People;

/// How soon an open session notices it.
const WITHIN: Duration = Duration::from_secs(2);

/// Where a person in a session turns to.
pub const ASK: &str = "ask who runs the store";

/// Marks the people who log in with the API key `id`, whatever their other files say: they may not any more, also while
/// the database is away. A file that cannot be read is named and left out.
pub fn revoke(id: KeyId, env: &Env, err: &mut impl Write) -> Result<(), Failed> {
    // Without a home directory there are none.
    let Ok(people) = People::new(env) else { return Ok(()) };
    for name in people.names()? {
        match people.key_id(&name) {
            Ok(theirs) if theirs.as_deref() == Some(id.as_str()) => {
                people.revoke(&name)?;
                let _ = writeln!(err, "{name} may not log in over SSH any more");
            }
            Ok(_) => {}
            Err(why) => drop(writeln!(err, "skipped {name}: {why}")),
        }
    }
    Ok(())
}

/// The failure of a person who was revoked.
pub fn may_not_log_in(name: &str) -> Failed {
    Failed::new(Exit::Unauthorized, format!("{} may not log in any more", short(name))).hint(ASK)
}

/// Waits until the person of an open session is revoked; for ever where there is no session. One that `sends` pets is
/// dropped meanwhile, which is reported.
pub async fn revoked(session: Option<SshSession>, sends: bool) -> Failed {
    let Some(SshSession { name, mark, read_only, .. }) = session else { return pending().await };
    while !mark.exists() {
        sleep(WITHIN).await;
    }
    if sends && !read_only {
        note("a pet that was being sent may or may not have been added");
    }
    may_not_log_in(&name)
}
