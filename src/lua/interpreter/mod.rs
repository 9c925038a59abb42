//! `panto lua`: the embedded Lua as the stand-alone interpreter that everybody knows, with rocks and panto's library on
//! its path.
//!
//! Options, `arg`, LUA_INIT, messages, tracebacks and exit codes are those of `lua` 5.4; standard streams are handed over
//! as they are. Until `require "panto"` nothing differs from a stock state. From then on host functions may wait: the
//! main chunk can't be parked, so the scheduler is driven in place (`library`).

mod call;
mod interrupt;
mod library;
mod lines;
mod options;
mod repl;
mod session;
mod state;

use super::rocks::Tree;
use crate::config::Options;
use crate::util::paths::Paths;
use std::ffi::OsString;
use std::path::PathBuf;
use std::sync::Arc;

/// What an interpreter is started with.
pub struct Interpreter {
    /// What stands behind `panto lua`.
    pub args: Vec<OsString>,
    /// LUA_INIT_5_4, else LUA_INIT.
    pub init: Option<OsString>,
    pub tree: Tree,
    pub paths: Paths,
    pub options: Arc<Options>,
    pub cwd: PathBuf,
}

impl Interpreter {
    /// The value for an environment: LUA_INIT_5_4 before LUA_INIT.
    pub fn init_of(env: impl Fn(&str) -> Option<OsString>) -> Option<OsString> {
        env("LUA_INIT_5_4").or_else(|| env("LUA_INIT"))
    }

    /// Runs it to its end; true if all went well.
    pub fn run(self) -> bool {
        session::run(self)
    }
}
