//! The entry point: reports of panics, and the exit status.

use std::process::ExitCode;

fn main() -> ExitCode {
    // It reports only panics: every expected failure has its own message and exit status.
    if let Err(error) = color_eyre::config::HookBuilder::default().display_env_section(false).install() {
        petstore::cli::complain(&error);
    }
    petstore::cli::main()
}
