//! `panto bootstrap` and `panto rocks`: Lua packages from the command line.

use super::args::{Args, Rocks};
use super::failure::{Exit, Failure};
use super::start::Ground;
use super::terminal::harmless;
use crate::lua::rocks::{self, RocksError, Setup};
use crate::util::paths::{Paths, process_env};
use std::io::Write;
use std::path::{Path, PathBuf};

/// What rocks of this program stand on.
pub fn setup(paths: &Paths, cwd: &Path, server: &str) -> Setup {
    let program = std::env::current_exe().unwrap_or_else(|_| PathBuf::from("panto"));
    Setup::find(paths, cwd.to_owned(), program, server, &process_env)
}

fn setup_of(ground: &Ground, args: &Args) -> Result<Setup, Failure> {
    let config = ground.config(args, &process_env)?;
    Ok(setup(&ground.paths, &ground.cwd, &config.options.extensions.rocks_server))
}

/// Whether C rocks can be built here; the error names what is missing.
pub fn can_build(setup: &Setup) -> Result<(), RocksError> {
    rocks::check_tools("building C rocks", &["make"], &setup.search)
}

impl From<RocksError> for Failure {
    fn from(error: RocksError) -> Self {
        Failure::new(Exit::Failed, error.to_string())
    }
}

/// Makes the tree, installs what is missing and says where all that is. A battery that can't be had is told; the tree is
/// ready all the same.
pub fn bootstrap(
    ground: &Ground,
    args: &Args,
    force: bool,
    unknown: &[String],
    out: &mut dyn Write,
) -> Result<(), Failure> {
    if let Some(flag) = unknown.first() {
        eprintln!("panto bootstrap: unknown flag '{}'", harmless(flag));
        return Err(Failure::silent(Exit::Usage));
    }
    let setup = setup_of(ground, args)?;
    let tree = setup.tree.root().display();
    if force {
        rocks::renew(&setup)?;
        writeln!(out, "panto bootstrap --force: removed {tree}")?;
    }
    let outcome = rocks::bootstrap(&setup, &mut told)?;
    for (what, error) in outcome.failed {
        eprintln!("panto: warning: {what}: {}", harmless(&error.to_string()));
    }
    Ok(writeln!(out, "panto bootstrap: tree ready at {tree}")?)
}

/// What luarocks says on the way.
fn told(line: &str) {
    eprintln!("{}", harmless(line));
}

pub fn run(ground: &Ground, args: &Args, command: Rocks, out: &mut dyn Write) -> Result<(), Failure> {
    let setup = setup_of(ground, args)?;
    let (verb, name, version) = match command {
        Rocks::Install { name, version } => ("install", Some(name), version),
        Rocks::Remove { name, version } => ("remove", Some(name), version),
        Rocks::List { name, version } => ("list", name, version),
        Rocks::Search { name, version } => ("search", Some(name), version),
    };
    let words: Vec<&str> = [verb].into_iter().chain(name.as_deref()).chain(version.as_deref()).collect();
    let mut written = Ok(());
    let mut say = |line: &str| {
        if written.is_ok() {
            written = writeln!(out, "{}", harmless(line)).and_then(|()| out.flush());
        }
    };
    match verb {
        "install" | "remove" => rocks::change(&setup, &words, &mut say)?,
        _ => rocks::luarocks(&setup, &words, &mut say)?,
    }
    Ok(written?)
}
