//! Error reports, the process's exit status; nothing else.

use std::process::ExitCode;

fn main() -> ExitCode {
    // Only panics are reported by it: every expected failure is a sentence and an exit status of its own.
    if let Err(error) = color_eyre::config::HookBuilder::default().display_env_section(false).install() {
        petstore::cli::complain(&error);
    }
    petstore::cli::main()
}
