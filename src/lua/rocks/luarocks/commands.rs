//! `os.execute` and `io.popen` of luarocks: compilers, make and the like, in its own folder, without a terminal.

use super::state::Cwd;
use super::{Said, Voice};
use crate::lua::rocks::setup::GUARD;
use mlua::{Lua, LuaString, Table};
use std::ffi::OsString;
use std::io::{BufRead, BufReader};
use std::os::unix::ffi::OsStringExt;
#[cfg(target_os = "linux")]
use std::os::unix::process::CommandExt;
use std::process::{Command, Stdio};

/// Binds `host.execute` (the exit code; output is told line by line) and `host.capture` (the output).
pub(super) fn install(lua: &Lua, host: &Table, cwd: &Cwd, voice: &Voice) -> mlua::Result<()> {
    let (of, tell) = (cwd.clone(), voice.clone());
    let execute = move |_: &Lua, command: LuaString| {
        let script = [&*command.as_bytes(), b"\n"].concat();
        let mut child = shell(&script, "2>&1", &of).stdout(Stdio::piped()).spawn()?;
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
        let output = shell(&command.as_bytes(), "", &of).stderr(Stdio::null()).output()?;
        lua.create_string(output.stdout)
    };
    host.set("capture", lua.create_function(capture)?)
}

/// A build is many processes: in a session of their own they end together, when panto does. A trap runs at once only
/// while the shell waits for what runs in the background.
#[cfg(target_os = "linux")]
const BEGIN: &[u8] = b"trap 'kill -KILL 0' TERM; { ";
#[cfg(target_os = "linux")]
const END: &[u8] = b" & wait $!";

/// Elsewhere nothing tells them of panto's end but the terminal that they share.
#[cfg(not(target_os = "linux"))]
const BEGIN: &[u8] = b"{ ";
#[cfg(not(target_os = "linux"))]
const END: &[u8] = b"";

fn shell(script: &[u8], redirection: &str, cwd: &Cwd) -> Command {
    let script = [BEGIN, script, b"\n} ", redirection.as_bytes(), END].concat();
    let mut command = Command::new("/bin/sh");
    command.arg("-c").arg(OsString::from_vec(script)).current_dir(&*cwd.borrow());
    // SAFETY: between fork and exec only async-signal-safe calls are made, and nothing is allocated.
    #[cfg(target_os = "linux")]
    unsafe {
        command.pre_exec(own_session)
    };
    // A panto that a build runs must not begin to install, too.
    command.env(GUARD, "1").env_remove("PANTO_SERVER_TOKEN").stdin(Stdio::null());
    command
}

/// The signal comes when the thread of luarocks ends, which waits for each of its commands.
#[cfg(target_os = "linux")]
fn own_session() -> std::io::Result<()> {
    // SAFETY: plain system calls on integers.
    unsafe {
        if libc::setsid() < 0 || libc::prctl(libc::PR_SET_PDEATHSIG, libc::SIGTERM) < 0 {
            return Err(std::io::Error::last_os_error());
        }
    }
    Ok(())
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::*;
    use std::cell::RefCell;
    use std::io::Read;
    use std::rc::Rc;

    fn run(script: &'static [u8]) -> Command {
        shell(script, "2>&1", &Rc::new(RefCell::new(std::env::temp_dir())))
    }

    #[test]
    fn results_and_output_are_those_of_the_command() {
        let output = run(b"cat; echo one >&2; exit 3").output().unwrap();
        assert_eq!((output.status.code(), &output.stdout[..]), (Some(3), &b"one\n"[..]));
    }

    #[test]
    fn a_build_ends_with_the_thread_that_runs_it() {
        // The thread ends without waiting, as all do when panto is killed.
        let build = || run(b"sleep 1000 | sleep 1000").stdout(Stdio::piped()).spawn().unwrap();
        let mut child = std::thread::spawn(build).join().unwrap();
        let mut rest = String::new();
        // The pipe ends with the last process that holds it.
        child.stdout.take().unwrap().read_to_string(&mut rest).unwrap();
        assert!(!child.wait().unwrap().success());
    }
}
