//! A program with its children: they end together.

use std::thread::sleep;
use std::time::Duration;

use rustix::process::{Pid, Signal, WaitId, WaitIdOptions, kill_process_group, waitid};

/// How long a program that is to end may still work.
const LAST: Duration = Duration::from_millis(500);
const STEP: Duration = Duration::from_millis(10);

/// The process group of a program that was started as its leader. When this is dropped, unless it was released, it gets
/// SIGTERM, and once the leader has ended, SIGKILL.
#[derive(Debug)]
pub struct ProcessGroup(Option<Pid>);

impl ProcessGroup {
    /// That of the child with this id.
    pub fn of(child: Option<u32>) -> Self {
        Self(child.and_then(|id| i32::try_from(id).ok()).and_then(Pid::from_raw))
    }

    /// The program has ended; what it left behind may go on.
    pub fn release(mut self) {
        self.0 = None;
    }
}

impl Drop for ProcessGroup {
    fn drop(&mut self) {
        if let Some(group) = self.0 {
            // It may have ended meanwhile.
            let _ = kill_process_group(group, Signal::TERM);
            let ended =
                || waitid(WaitId::Pid(group), WaitIdOptions::EXITED | WaitIdOptions::NOHANG | WaitIdOptions::NOWAIT);
            let mut waited = Duration::ZERO;
            while matches!(ended(), Ok(None)) && waited < LAST {
                sleep(STEP);
                waited += STEP;
            }
            let _ = kill_process_group(group, Signal::KILL);
        }
    }
}
