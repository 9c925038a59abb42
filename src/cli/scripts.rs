//! The Lua side of a run.

use super::args::Args;
use super::failure::{Exit, Failure};
use super::rocks;
use super::start::Start;
use crate::backend::{Diagnostic, Extensions};
use crate::lua::{self, Config, Face, Handle, Sources};
use crate::tui::{command::Builtin, keymap, theme};
use std::sync::Arc;

/// Starts the runtime; its thread works while the rest of the program starts. Nothing is loaded yet.
///
/// `installs`: what is missing of Lua packages may be installed meanwhile.
pub fn start(args: &Args, start: &Start, installs: bool) -> Handle {
    let mut rocks = rocks::setup(&start.paths, &start.cwd, &start.config.options.extensions.rocks_server);
    rocks.reconciles &= installs;
    lua::start(Config {
        options: Arc::new(start.config.options.clone()),
        paths: start.paths.clone(),
        cwd: start.cwd.clone(),
        sources: Sources {
            shipped: true,
            no_extensions: args.extensions.no_extensions,
            extra: args.extensions.extension.clone(),
            rocks: Some(rocks),
        },
        builtin_commands: Builtin::ALL.iter().map(|c| c.name().to_owned()).collect(),
        face: Face { check_key: keymap::check, check_theme: theme::check },
    })
}

/// Loads everything, for subcommands that only look. Gives what failed.
pub fn load(handle: &Handle, trusted: bool) -> Result<Vec<Diagnostic>, Failure> {
    wait(handle.load(trusted))
}

/// Waits for an answer of the runtime.
pub fn wait<T>(answer: impl Future<Output = T>) -> Result<T, Failure> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    let runtime = runtime.map_err(|e| Failure::new(Exit::Failed, format!("cannot start: {e}")))?;
    Ok(runtime.block_on(answer))
}
