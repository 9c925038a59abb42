//! The command line: the one module that knows all others. It parses, finds the ground of a run, starts what the
//! subcommand needs and turns the outcome into an exit code.
//!
//! `args` is the tree, `start` the ground (folders, trust, settings), `run` the main program with its two faces,
//! `print` the face without a screen; the rest is a file per subcommand. Errors are one message on standard error.

mod args;
mod completions;
mod config;
mod failure;
pub mod print;
pub mod sessions;
mod signals;
mod start;
mod terminal;

use args::{Args, Command};
use clap::Parser;
use failure::Failure;
use start::Start;
use std::{
    ffi::OsString,
    io,
    io::{BufWriter, Write},
    process::ExitCode,
};

/// Runs the program with the process's arguments.
pub fn main() -> ExitCode {
    match run(std::env::args_os()) {
        Ok(code) => code,
        Err(failure) => {
            if !failure.message.is_empty() {
                let _ = writeln!(io::stderr(), "panto: {}", terminal::harmless(&failure.message));
            }
            ExitCode::from(failure.exit.code())
        }
    }
}

fn run(words: impl Iterator<Item = OsString>) -> Result<ExitCode, Failure> {
    let mut args = match Args::try_parse_from(words) {
        Ok(args) => args,
        Err(error) => {
            let _ = error.print();
            return Ok(ExitCode::from(error.exit_code().clamp(0, 2) as u8));
        }
    };
    match args.command.take() {
        None => Err(Failure::usage("not yet")),
        Some(command) => {
            start::refuse_mixture(&args, &command)?;
            let mut out = BufWriter::new(io::stdout().lock());
            subcommand(&args, command, &mut out)?;
            out.flush()?;
            Ok(ExitCode::SUCCESS)
        }
    }
}

fn subcommand(args: &Args, command: Command, out: &mut dyn Write) -> Result<(), Failure> {
    match command {
        Command::Completions { shell } => Ok(completions::completions(shell, out)?),
        Command::Man => Ok(completions::man(out)?),
        Command::Config { show_origin } => Ok(config::run(&Start::find(args)?, show_origin, out)?),
        _ => Err(Failure::usage("not yet")),
    }
}
