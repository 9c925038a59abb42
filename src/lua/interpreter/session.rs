//! One run of the interpreter, in the order that `lua` has: options, LUA_INIT, `-e` and `-l`, the script, the prompt.

use super::call::call;
use super::options::{self, Parsed, Step};
use super::{Interpreter, library, repl, state};
use crate::lua::{embedded, rocks};
use mlua::{Function, IntoLua, Lua, LuaString, MultiValue, Table, Value};
use std::ffi::OsString;
use std::io::{self, IsTerminal, Write};
use std::os::unix::ffi::OsStrExt;
use std::path::PathBuf;

/// What messages begin with.
pub(super) const PROGRAM: &str = "lua";

pub(super) fn run(interpreter: Interpreter) -> bool {
    let parsed = match options::parse(&interpreter.args) {
        Ok(parsed) => parsed,
        Err(problem) => {
            eprintln!("{PROGRAM}: {problem}\n{}", options::usage(PROGRAM));
            return false;
        }
    };
    // Host functions need a runtime around them; it costs little, and nothing runs in it before `require "panto"`.
    let Ok(ground) = library::Ground::new() else {
        eprintln!("{PROGRAM}: cannot start: the system gives no event loop");
        return false;
    };
    let _entered = ground.enter();
    state::die_of_broken_pipes();
    let history = interpreter.paths.data.join("lua_history");
    let session = Session::new(&parsed, &interpreter, &ground);
    let session = match session {
        Ok(session) => session,
        Err(error) => {
            eprintln!("{PROGRAM}: {error}");
            return false;
        }
    };
    session.follow(&parsed, &interpreter.args, interpreter.init, history)
}

pub(super) struct Session {
    pub lua: Lua,
    /// As the state had them at its start, whatever scripts do to the globals.
    loadfile: Function,
    pub stdout: Table,
}

impl Session {
    fn new(parsed: &Parsed, interpreter: &Interpreter, ground: &library::Ground) -> mlua::Result<Self> {
        let lua = state::make(parsed.no_environment)?;
        rocks::extend_search_paths(&lua, &interpreter.tree)?;
        embedded::install(&lua)?;
        library::offer(&lua, interpreter, ground)?;
        state::warn(&lua);
        state::set_arguments(&lua, parsed, &interpreter.args)?;
        // Through a table with methods of its own: what scripts do to `io` is their affair.
        let stdout = lua
            .load(
                "local out = io.stdout
                local write, flush = out.write, out.flush
                return { write = function(text) write(out, text) flush(out) end }",
            )
            .eval()?;
        Ok(Session { loadfile: lua.globals().get("loadfile")?, stdout, lua })
    }

    fn follow(&self, parsed: &Parsed, args: &[OsString], init: Option<OsString>, history: PathBuf) -> bool {
        if parsed.version {
            self.print_version();
        }
        if !parsed.no_environment && init.is_some_and(|init| !self.run_init(init.as_bytes())) {
            return false;
        }
        if !parsed.steps.iter().all(|step| self.take(step)) {
            return false;
        }
        if let Some(index) = parsed.script
            && !self.run_script(&args[index], parsed.literal)
        {
            return false;
        }
        if parsed.interactive {
            repl::run(self, history);
        } else if parsed.script.is_none() && !parsed.did_something() {
            if io::stdin().is_terminal() {
                self.print_version();
                repl::run(self, history);
            } else {
                self.run_file(None, MultiValue::new()); // its failure is told, and is none of the interpreter's
            }
        }
        true
    }

    fn print_version(&self) {
        self.print(format!("Lua {} (panto {})\n", rocks::pins::LUA, env!("CARGO_PKG_VERSION")).as_bytes());
    }

    /// Writes through Lua's own stream, so that the order is kept.
    pub fn print(&self, text: &[u8]) {
        let write = self.stdout.get::<Function>("write").and_then(|w| w.call::<()>(self.lua.create_string(text)?));
        drop(write); // a closed stream is no reason to end
    }

    fn run_init(&self, init: &[u8]) -> bool {
        match init.strip_prefix(b"@") {
            Some(file) => self.run_file(Some(file), MultiValue::new()),
            None => self.run_text(init, "=LUA_INIT"),
        }
    }

    fn take(&self, step: &Step) -> bool {
        match step {
            Step::Execute(code) => self.run_text(code, "=(command line)"),
            Step::Require(what) => self.require(what),
            Step::Warn => {
                self.lua.warning("@on", false);
                true
            }
        }
    }

    fn require(&self, what: &[u8]) -> bool {
        let (global, module) = match what.iter().position(|b| *b == b'=') {
            Some(at) => (&what[..at], &what[at + 1..]),
            None => (what.split(|b| *b == b'-').next().unwrap_or(what), what),
        };
        let done = (|| {
            let require: Function = self.lua.globals().get("require")?;
            let args = MultiValue::from_iter([self.lua.create_string(module)?.into_lua(&self.lua)?]);
            let Some(mut results) = self.call(require, args, true) else { return Ok(false) };
            let value = results.pop_front().unwrap_or(Value::Nil);
            self.lua.globals().raw_set(self.lua.create_string(global)?, value)?;
            Ok(true)
        })();
        self.told(done)
    }

    fn run_script(&self, name: &OsString, literal: bool) -> bool {
        let name = name.as_bytes();
        let file = if name == b"-" && !literal { None } else { Some(name) };
        let args: mlua::Result<MultiValue> = (|| {
            let arg: Value = self.lua.globals().get("arg")?;
            let Value::Table(arg) = arg else { return Err(mlua::Error::runtime("'arg' is not a table")) };
            arg.sequence_values::<Value>().collect()
        })();
        match args {
            Ok(args) => self.run_file(file, args),
            Err(error) => self.told(Err(error)),
        }
    }

    /// Runs a file, or standard input.
    fn run_file(&self, path: Option<&[u8]>, args: MultiValue) -> bool {
        let done = (|| {
            let path = path.map(|p| self.lua.create_string(p)).transpose()?;
            let loaded: (Option<Function>, Option<LuaString>) = self.loadfile.call(path)?;
            Ok(match loaded {
                (Some(main), _) => self.call(main, args, true).is_some(),
                (None, message) => {
                    self.complain(&message.map(|m| m.as_bytes().to_vec()).unwrap_or_default(), true);
                    false
                }
            })
        })();
        self.told(done)
    }

    fn run_text(&self, code: &[u8], name: &str) -> bool {
        match self.load(code, name) {
            Ok(main) => self.call(main, MultiValue::new(), true).is_some(),
            Err(message) => {
                self.complain(message.as_bytes(), true);
                false
            }
        }
    }

    /// Compiles; the error is Lua's message.
    pub fn load(&self, code: &[u8], name: &str) -> Result<Function, String> {
        self.lua.load(code).set_name(name).into_function().map_err(|error| crate::lua::message_of(&error))
    }

    /// Calls, and tells what goes wrong; `named`: the message begins with the program's name.
    pub fn call(&self, function: Function, args: MultiValue, named: bool) -> Option<MultiValue> {
        match call(&self.lua, function, args) {
            Ok(results) => Some(results),
            Err(message) => {
                if let Some(message) = message {
                    self.complain(&message, named);
                }
                None
            }
        }
    }

    pub fn complain(&self, message: &[u8], named: bool) {
        let mut text = if named { format!("{PROGRAM}: ").into_bytes() } else { Vec::new() };
        text.extend_from_slice(message);
        text.push(b'\n');
        let _ = io::stderr().write_all(&text);
    }

    fn told(&self, done: mlua::Result<bool>) -> bool {
        done.unwrap_or_else(|error| {
            self.complain(crate::lua::message_of(&error).as_bytes(), true);
            false
        })
    }
}
