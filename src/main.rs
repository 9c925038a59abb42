//! The binary: calls `cli::main` and turns its outcome into an exit code.
use std::process::ExitCode;

fn main() -> ExitCode {
    panto::cli::main()
}
