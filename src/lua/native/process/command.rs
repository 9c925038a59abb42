//! From a `Spec` to a started child: own session, no terminal, scrubbed environment, pipes.

use super::{Exit, ProcessError, Spec, worker::Shared};
use crate::sandbox::Prepared;
use std::{
    ffi::OsString,
    io::{self, PipeReader},
    os::unix::process::ExitStatusExt,
    path::{Path, PathBuf},
    process::{ExitStatus, Stdio},
    sync::Arc,
};
use tokio::process::{Child, ChildStdin, Command};

/// A running child and our ends of its pipes.
pub struct Started {
    pub child: Child,
    pub pid: u32,
    pub stdin: Option<ChildStdin>,
    pub out: PipeReader,
    /// Absent when both streams share a pipe.
    pub err: Option<PipeReader>,
}

/// Starts the child in its sandbox, if it has one; `keep_stdin` gives it a pipe instead of /dev/null even without anything
/// to feed.
pub fn start(
    shared: &Shared,
    spec: &Spec,
    sandbox: Option<Arc<Prepared>>,
    keep_stdin: bool,
) -> Result<Started, ProcessError> {
    if !spec.cwd.is_dir() {
        return Err(ProcessError::NoFolder(spec.cwd.clone()));
    }
    let (out, out_end) = io::pipe().map_err(ProcessError::Pipe)?;
    let (err, err_end) = match spec.merge {
        true => (None, out_end.try_clone().map_err(ProcessError::Pipe)?),
        false => io::pipe().map(|(r, w)| (Some(r), w)).map_err(ProcessError::Pipe)?,
    };
    let mut command = command(shared, spec, sandbox.clone());
    let piped = keep_stdin || spec.stdin.is_some();
    command.stdin(if piped { Stdio::piped() } else { Stdio::null() }).stdout(out_end).stderr(err_end);
    let mut child = command.spawn().map_err(|e| not_started(spec, sandbox.as_deref(), e))?;
    let pid = child.id().unwrap_or_default();
    shared.groups.started(pid);
    Ok(Started { pid, stdin: child.stdin.take(), child, out, err })
}

fn command(shared: &Shared, spec: &Spec, sandbox: Option<Arc<Prepared>>) -> Command {
    let argv = std::iter::once(program(spec).into_os_string()).chain(spec.argv[1..].iter().cloned()).collect();
    let argv: Vec<OsString> = match &sandbox {
        Some(sandbox) => sandbox.argv(argv),
        None => argv,
    };
    let mut command = Command::new(&argv[0]);
    command.args(&argv[1..]).current_dir(&spec.cwd).env_clear().envs(shared.scrub.apply(std::env::vars_os()));
    command.env("PWD", &spec.cwd);
    for (name, value) in &spec.env {
        match value {
            Some(value) => command.env(name, value),
            None => command.env_remove(name),
        };
    }
    // SAFETY: between fork and exec only async-signal-safe calls are made, and nothing is allocated.
    unsafe {
        if let Some(sandbox) = sandbox {
            command.pre_exec(move || sandbox.enter());
        }
        command.pre_exec(own_session);
    }
    command
}

/// A relative path to a program is meant from the working directory of the command.
fn program(spec: &Spec) -> PathBuf {
    let program = Path::new(&spec.argv[0]);
    match program.is_relative() && program.components().count() > 1 {
        true => spec.cwd.join(program),
        false => program.to_owned(),
    }
}

fn own_session() -> io::Result<()> {
    // SAFETY: plain system calls on integers.
    unsafe {
        if libc::setsid() < 0 {
            return Err(io::Error::last_os_error());
        }
        // Should panto be killed outright, its commands go with it.
        #[cfg(target_os = "linux")]
        libc::prctl(libc::PR_SET_PDEATHSIG, libc::SIGKILL);
    }
    Ok(())
}

fn not_started(spec: &Spec, sandbox: Option<&Prepared>, error: io::Error) -> ProcessError {
    if let Some(why) = sandbox.and_then(|sandbox| sandbox.explain(&error)) {
        return ProcessError::Sandbox(why);
    }
    match spec.cwd.is_dir() {
        true => ProcessError::NotStarted(PathBuf::from(OsString::clone(&spec.argv[0])), error),
        false => ProcessError::NoFolder(spec.cwd.clone()),
    }
}

pub fn exit(status: ExitStatus) -> Exit {
    Exit { code: status.code(), signal: status.signal() }
}
