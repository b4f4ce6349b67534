//! Practice in the sandbox: the steps at the DNS provider and in the dashboard.

use super::prompt::Asked;
use super::session::Session;
use crate::domains::sandbox::SandboxStep;

impl Session {
    /// Offers the possible steps, and does one.
    pub(super) async fn practise(&mut self) -> Asked<()> {
        let now = self.wall();
        let Some(sandbox) = &self.setup.domains.sandbox else { return Ok(()) };
        let acts = sandbox.acts(now);
        let ways: Vec<String> = acts.iter().map(|act| format!("{}: {}", act.place().at(), act.words())).collect();
        self.talk.say("Practice: one second is a minute here.")?;
        let at = self.talk.choose("Which", &ways, None).await?;
        self.act(acts[at])
    }

    /// Does a step, and says so.
    pub(super) fn act(&mut self, act: SandboxStep) -> Asked<()> {
        let now = self.wall();
        if let Some(sandbox) = &mut self.setup.domains.sandbox {
            sandbox.act(act, now);
        }
        self.talk.say(format!("Done {}: {}.", act.place().at(), act.words()))
    }
}
