//! `panto lua`: hands its words over to the embedded interpreter, after the bootstrap that everything with rocks has.

use super::failure::Failure;
use super::rocks;
use crate::config::{self, Flags, Layers, Options};
use crate::lua::interpreter::Interpreter;
use crate::lua::rocks::{reconcile, tried_lately};
use crate::util::paths::{Paths, process_env};
use std::ffi::OsString;
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Arc;

pub fn run(words: Vec<OsString>) -> Result<ExitCode, Failure> {
    let paths = Paths::find(&process_env)?;
    // A script may run where the folder has been removed.
    let cwd = std::env::current_dir().unwrap_or_else(|_| PathBuf::from("/"));
    let options = settings(&paths, &cwd);
    let mut setup = rocks::setup(&paths, &cwd, &options.extensions.rocks_server);
    setup.reconciles &= !tried_lately(&setup);
    // Standard output is the script's alone.
    let outcome = reconcile(&setup, &[], &mut |line| eprintln!("{line}"));
    for (what, error) in outcome.failed {
        eprintln!("panto: {what}: {error}; `panto bootstrap` tries again");
    }
    let interpreter = Interpreter {
        args: words,
        init: Interpreter::init_of(|name| std::env::var_os(name)),
        tree: setup.tree,
        paths,
        options: Arc::new(options),
        cwd,
    };
    Ok(if interpreter.run() { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// The user's settings. A mistake in them is no reason for a script not to run.
fn settings(paths: &Paths, cwd: &std::path::Path) -> Options {
    let flags = Flags::default();
    let layers = Layers { paths, cwd, trusted: false, file: None, env: &process_env, flags };
    match config::load(layers) {
        Ok(resolved) => resolved.options,
        Err(error) => {
            eprintln!("panto: {error}");
            Options::default()
        }
    }
}
