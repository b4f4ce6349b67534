//! The entry point: the process, reports of panics, and the exit status.

use std::process::ExitCode;

fn main() -> ExitCode {
    // A core file, or another program of the same user, would get the API keys in memory.
    #[cfg(target_os = "linux")]
    let _ = rustix::process::set_dumpable_behavior(rustix::process::DumpableBehavior::NotDumpable);
    petstore::cli::report_panics();
    petstore::cli::main()
}
