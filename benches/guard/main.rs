//! Counts what operations need, in instructions and bytes, and fails where it is more than what is committed.
//!
//! `cargo bench --bench guard`; with `-- --renew` they are counted again and written. See `benches/README.md`.
//!
//! Counts do not depend on what else a machine does, so they show a loss that is far below the noise of a clock.

#![allow(clippy::disallowed_methods, clippy::unwrap_used, clippy::print_stdout, reason = "it measures and reports")]

#[allow(dead_code, reason = "shared with the other measurements")]
#[path = "../common/mod.rs"]
mod common;
mod operations;

use std::collections::BTreeMap;
use std::fs;
use std::process::{Command, ExitCode, Stdio};

use common::{PETSTORE, asked};
use operations::{OPERATIONS, Operation, Way};
use serde::{Deserialize, Serialize};

const COUNTS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/benches/guard/counts.toml");
/// Says to a copy of this program which operation to do, and how often.
const COUNT: &str = "--count";
/// An operation is done so many times, and then its own number more often, so that what is needed before and after it is
/// left out.
const FEW: u64 = 10;
/// How much more than was committed is a failure.
const TOLERANCE: f64 = 1.03;
/// Threads take turns in another order each time, so one excess proves nothing.
const ATTEMPTS: usize = 3;

/// What is committed.
#[derive(Deserialize, Serialize)]
struct Counts {
    /// Another compiler makes other instructions, and libc chooses its functions by the processor.
    made_with: String,
    operations: BTreeMap<String, Cost>,
}

/// What one operation needs.
#[derive(Clone, Copy, Deserialize, Serialize)]
struct Cost {
    instructions: u64,
    /// Written to the terminal, the client or standard output.
    bytes: u64,
}

impl Cost {
    fn exceeds(self, committed: Self) -> bool {
        let more = |now: u64, before: u64| now as f64 > before as f64 * TOLERANCE;
        more(self.instructions, committed.instructions) || more(self.bytes, committed.bytes)
    }
}

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    if let [COUNT, name, times] = *arguments.iter().map(String::as_str).collect::<Vec<_>>() {
        count(name, times.parse().unwrap());
        return ExitCode::SUCCESS;
    }
    let Some((options, names)) = asked() else { return ExitCode::SUCCESS };
    if Command::new("valgrind").arg("--version").stdout(Stdio::null()).status().is_err() {
        println!("guard: skipped, valgrind is not installed");
        return ExitCode::SUCCESS;
    }
    let renew = options.iter().any(|option| option == "--renew");
    let compiler = output(Command::new("rustc").arg("--version"));
    let made_with = format!("{}, {}", compiler.trim(), processor());
    let mut counts = fs::read_to_string(COUNTS).map_or_else(
        |_| Counts { made_with: made_with.clone(), operations: BTreeMap::new() },
        |text| toml::from_str(&text).unwrap(),
    );
    let is_comparable = renew || counts.made_with == made_with;
    if !is_comparable {
        println!("They were counted with {}; this is {made_with}, so nothing fails.", counts.made_with);
    }
    println!("{:<44} {:>12} {:>12} {:>6} {:>7} {:>7}", "operation", "instructions", "committed", "", "bytes", "");
    let mut exceeded = Vec::new();
    for operation in OPERATIONS.iter().filter(|one| names.is_empty() || names.iter().any(|name| name == one.name)) {
        let committed = counts.operations.get(operation.name).copied().filter(|_| !renew);
        let mut cost = measure(operation);
        for _ in 1..ATTEMPTS {
            if committed.is_some_and(|committed| !cost.exceeds(committed)) {
                break;
            }
            let again = measure(operation);
            cost = if again.instructions < cost.instructions { again } else { cost };
        }
        let before = committed.unwrap_or(cost);
        let ratio = cost.instructions as f64 / before.instructions as f64;
        let (Cost { instructions, bytes }, name) = (cost, operation.name);
        println!(
            "{name:<44} {instructions:>12} {:>12} {ratio:>6.3} {bytes:>7} {:>7}",
            before.instructions, before.bytes
        );
        if cost.exceeds(before) {
            exceeded.push(name);
        }
        if renew {
            counts.operations.insert(name.to_owned(), cost);
        } else if committed.is_none() {
            exceeded.push(name);
            println!("  not in {COUNTS}: add it with `cargo bench --bench guard -- --renew {name:?}`");
        }
    }
    if renew {
        counts.operations.retain(|name, _| OPERATIONS.iter().any(|one| one.name == name));
        counts.made_with = made_with;
        let head = "# Made by `cargo bench --bench guard -- --renew`; see benches/README.md.\n\n";
        fs::write(COUNTS, format!("{head}{}", toml::to_string(&counts).unwrap())).unwrap();
    } else if is_comparable && !exceeded.is_empty() {
        println!("\nMore than 3 % above what is committed: {exceeded:?}.");
        println!("Find out why; if it is worth it, `cargo bench --bench guard -- --renew` writes the new numbers.");
        return ExitCode::FAILURE;
    }
    ExitCode::SUCCESS
}

fn processor() -> String {
    let all = fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let model = all.lines().find_map(|line| line.strip_prefix("model name")?.split_once(": "));
    model.map_or_else(|| std::env::consts::ARCH.to_owned(), |(_, model)| model.to_owned())
}

/// Does an operation so often, and prints how many bytes the last ones wrote.
fn count(name: &str, times: u64) {
    let operation = OPERATIONS.iter().find(|one| one.name == name).unwrap();
    let Way::Inside(prepare, _) = operation.way else { panic!("{name} is a program") };
    let mut once = prepare();
    println!("{}", (0..times).map(|_| once()).sum::<usize>());
}

fn measure(operation: &Operation) -> Cost {
    let home = common::directory();
    match operation.way {
        Way::Program(words, variables) => {
            let mut command = under_valgrind(PETSTORE);
            command.args(words).envs(variables.iter().copied()).env("HOME", home.path());
            let (instructions, out) = run(&mut command);
            Cost { instructions, bytes: out.len() as u64 }
        }
        Way::Inside(_, more) => {
            let this = std::env::current_exe().unwrap();
            let counted = |times: u64| {
                let mut command = under_valgrind(this.to_str().unwrap());
                let (instructions, out) = run(command.args([COUNT, operation.name, &times.to_string()]));
                (instructions, out.trim().parse::<u64>().unwrap())
            };
            let ((few, of_few), (many, of_many)) = (counted(FEW), counted(FEW + more));
            let each = |few: u64, many: u64| many.saturating_sub(few) / more;
            Cost { instructions: each(few, many), bytes: each(of_few, of_many) }
        }
    }
}

/// With few variables: the more there are, the more a program has to read, and cargo sets some with which libraries are
/// searched for longer.
fn under_valgrind(program: &str) -> Command {
    let mut command = Command::new("valgrind");
    command.env_clear().envs(std::env::var_os("PATH").map(|path| ("PATH", path)));
    command.args(["--tool=cachegrind", "--cache-sim=no", "--cachegrind-out-file=/dev/null", program]);
    command
}

/// The instructions that valgrind counted, and what the program printed.
fn run(command: &mut Command) -> (u64, String) {
    let output = command.stdin(Stdio::null()).output().unwrap();
    let report = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{report}");
    let refs = report.lines().find_map(|line| line.split_once(" refs:")).unwrap_or_else(|| panic!("{report}")).1;
    (refs.trim().replace(',', "").parse().unwrap(), String::from_utf8(output.stdout).unwrap())
}

fn output(command: &mut Command) -> String {
    String::from_utf8(command.output().unwrap().stdout).unwrap()
}
