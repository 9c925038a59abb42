//! `os.execute` and `io.popen` of luarocks: compilers, make and the like, in its own folder, without a terminal.

use super::state::Cwd;
use super::{Said, Voice};
use crate::lua::rocks::setup::GUARD;
use mlua::{Lua, LuaString, Table};
use std::ffi::OsString;
use std::io::{BufRead, BufReader};
use std::os::unix::ffi::OsStringExt;
use std::process::{Command, Stdio};

/// Binds `host.execute` (the exit code; output is told line by line) and `host.capture` (the output).
pub(super) fn install(lua: &Lua, host: &Table, cwd: &Cwd, voice: &Voice) -> mlua::Result<()> {
    let (of, tell) = (cwd.clone(), voice.clone());
    let execute = move |_: &Lua, command: LuaString| {
        let script = [b"{ ", &*command.as_bytes(), b"\n} 2>&1"].concat();
        let mut child = shell(script, &of).stdout(Stdio::piped()).spawn()?;
        if let Some(output) = child.stdout.take() {
            for line in BufReader::new(output).split(b'\n').map_while(Result::ok) {
                let _ = tell.send(Said::Line(String::from_utf8_lossy(&line).into_owned()));
            }
        }
        Ok(child.wait()?.code().unwrap_or(1))
    };
    host.set("execute", lua.create_function(execute)?)?;
    let of = cwd.clone();
    let capture = move |lua: &Lua, command: LuaString| {
        let output = shell(command.as_bytes().to_vec(), &of).stderr(Stdio::null()).output()?;
        lua.create_string(output.stdout)
    };
    host.set("capture", lua.create_function(capture)?)
}

fn shell(script: Vec<u8>, cwd: &Cwd) -> Command {
    let mut command = Command::new("/bin/sh");
    command.arg("-c").arg(OsString::from_vec(script)).current_dir(&*cwd.borrow());
    // A panto that a build runs must not begin to install, too.
    command.env(GUARD, "1").stdin(Stdio::null());
    command
}
