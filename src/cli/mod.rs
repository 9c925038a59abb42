//! The command line: the one module that knows all others. It parses, finds the ground of a run, starts what the
//! subcommand needs and turns the outcome into an exit code.
//!
//! `args` is the tree, `start` the ground (folders, trust, settings), `run` the main program with its faces,
//! `print` the one for scripts and `plain` the one in lines; the rest is a file per subcommand. Errors are one message on standard error.

mod args;
mod attach;
mod completions;
mod config;
mod doctor;
mod extensions;
mod failure;
mod farewell;
mod faux;
mod handover;
mod host;
mod login;
mod lua;
mod models;
mod plain;
pub mod print;
mod prompts;
mod rocks;
mod run;
mod screen;
mod scripts;
mod serve;
pub mod sessions;
mod signals;
mod start;
mod stdin;
mod terminal;
mod theme;
mod threads;
mod types;

use crate::session::Store;
use args::{Args, Command};
use clap::Parser;
use failure::Failure;
use sessions::{SessionsCommand, SessionsError};
use start::{Ground, Start};
use std::{
    ffi::OsString,
    io,
    io::{BufWriter, IsTerminal, Write},
    process::ExitCode,
};

/// Commands that are to come: none of them may be taken for a prompt today.
const PLANNED: [&str; 1] = ["proxy"];

/// Runs the program with the process's arguments.
pub fn main() -> ExitCode {
    crate::util::crash::tell_panics();
    crate::util::memory::settle();
    match dispatch(std::env::args_os()) {
        Ok(code) => code,
        Err(failure) => {
            if !failure.message.is_empty() {
                let _ = writeln!(io::stderr(), "panto: {}", terminal::harmless(&failure.message));
            }
            ExitCode::from(failure.exit.code())
        }
    }
}

fn dispatch(words: impl Iterator<Item = OsString>) -> Result<ExitCode, Failure> {
    let words: Vec<OsString> = words.collect();
    // What follows belongs to Lua, `--` and `-h` too.
    if words.get(1).is_some_and(|word| word == "lua") {
        return lua::run(words[2..].to_vec());
    }
    if let Some(word) = words.get(1).and_then(|word| PLANNED.iter().find(|planned| word == **planned)) {
        let why = format!("there is no `panto {word}` in this version; `panto -- {word}` says it to the model");
        return Err(Failure::usage(why));
    }
    let mut args = match Args::try_parse_from(words) {
        Ok(args) => args,
        Err(error) => {
            let _ = error.print();
            return Ok(ExitCode::from(error.exit_code().clamp(0, 2) as u8));
        }
    };
    match args.command.take() {
        None => run::run(args),
        Some(Command::Lua { args: words }) => lua::run(words),
        Some(Command::Attach(flags)) => {
            start::refuse_flags(&args, "attach")?;
            attach::run(args, flags)
        }
        Some(Command::Serve { protocol: true, .. }) => {
            let mut out = io::stdout().lock();
            out.write_all(crate::server::PROTOCOL.as_bytes())?;
            Ok(ExitCode::SUCCESS)
        }
        Some(Command::Serve { socket, model, .. }) => {
            start::refuse_flags(&args, "serve")?;
            serve::serve(Args { model, ..args }, socket.as_deref())
        }
        Some(Command::Rpc { model, session }) => {
            start::refuse_flags(&args, "rpc")?;
            serve::rpc(Args { model, session, ..args })
        }
        Some(Command::Acp { model }) => {
            start::refuse_flags(&args, "acp")?;
            serve::acp(Args { model, ..args })
        }
        Some(command) => {
            start::refuse_prompt(&args)?;
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
        Command::Models { refresh } => models::run(args, &Start::find(args)?, refresh, out),
        Command::Login { provider, file, no_check } => {
            let how = login::How { check: !no_check, keyring: !file };
            login::login(args, provider.as_deref(), how, out)
        }
        Command::Logout { provider } => login::logout(args, provider.as_deref(), out),
        Command::Sessions(command) => list_sessions(&Ground::find(args)?, command, out),
        Command::Extensions => extensions::run(args, &Start::find(args)?, out),
        Command::Doctor { history } => doctor::run(args, history.as_deref(), out),
        Command::Config { show_origin } => Ok(config::run(&Start::find(args)?, show_origin, out)?),
        Command::Faux(command) => faux::run(command),
        Command::Bootstrap { force, unknown } => rocks::bootstrap(&Ground::find(args)?, args, force, &unknown, out),
        Command::Rocks(command) => rocks::run(&Ground::find(args)?, args, command, out),
        Command::Theme(command) => theme::run(args, &Start::find(args)?, command, out),
        Command::Types { install, dir } => types::run(&Ground::find(args)?, install, dir, out),
        // Taken by `dispatch`.
        Command::Lua { .. }
        | Command::Attach(_)
        | Command::Serve { .. }
        | Command::Rpc { .. }
        | Command::Acp { .. } => Ok(()),
    }
}

fn list_sessions(ground: &Ground, command: SessionsCommand, out: &mut dyn Write) -> Result<(), Failure> {
    let store = Store::new(&ground.paths.data);
    let mut note = |text: &str| eprintln!("panto: {}", terminal::harmless(text));
    let done = sessions::run(&store, &ground.cwd, command, &mut note);
    let (text, failed) = match done {
        Err(SessionsError::Partly { done, message }) => (done, Some(Failure::new(failure::Exit::Failed, message))),
        done => (done?, None),
    };
    let text = if io::stdout().is_terminal() { terminal::harmless(&text) } else { text.into() };
    out.write_all(text.as_bytes())?;
    out.flush()?;
    failed.map_or(Ok(()), Err)
}
