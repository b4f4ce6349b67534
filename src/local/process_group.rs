//! A program with its children: they end together.

use rustix::process::{Pid, Signal, kill_process_group};

/// The process group of a program that was started as its leader. Killed when this is dropped, unless it was released.
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
            let _ = kill_process_group(group, Signal::KILL);
        }
    }
}
