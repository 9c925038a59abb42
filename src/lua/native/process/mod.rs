//! Child processes: a command runs in a session of its own, without a terminal, and nothing of it outlives panto.
//!
//! One thread (`worker`) owns all children, so neither forking nor endless output ever holds up Lua. A run resolves when
//! the process itself has exited, even if a background process still holds its pipes; such survivors may go on, their
//! output goes on into the spill file, and they are killed when the last `Processes` is dropped. Dropping the future of a
//! run kills everything that the command started.

mod capture;
mod command;
mod env;
mod group;
mod held;
mod live;
mod pipes;
mod run;
mod shell;
mod sink;
mod spill;
#[cfg(test)]
mod tests;
mod worker;

pub use capture::{Captured, Limits};
pub use env::Scrub;
pub use held::Held;
pub use live::Live;
pub use shell::Shell;

use crate::sandbox::{Policy, Support};
use std::{ffi::OsString, io, path::PathBuf, sync::Arc, time::Duration};
use tokio::sync::{mpsc, oneshot};
use tokio_util::sync::{CancellationToken, DropGuard};

/// What to run.
#[derive(Debug, Clone)]
pub struct Spec {
    /// Program and arguments; never empty.
    pub argv: Vec<OsString>,
    pub cwd: PathBuf,
    /// Variables on top of the scrubbed environment; none removes one.
    pub env: Vec<(OsString, Option<OsString>)>,
    /// Fed to standard input; without it that is /dev/null.
    pub stdin: Option<Vec<u8>>,
    pub timeout: Option<Duration>,
    pub limits: Limits,
    /// Standard error goes into the same pipe as standard output: exact order, but no telling apart.
    pub merge: bool,
    /// What the operating system holds the command in; without it, nothing does.
    pub sandbox: Option<Policy>,
}

/// How a process ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Exit {
    pub code: Option<i32>,
    pub signal: Option<i32>,
}

impl std::fmt::Display for Exit {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match (self.code, self.signal) {
            (_, Some(signal)) => match self.signal_name() {
                Some(name) => write!(f, "killed by {name} ({signal})"),
                None => write!(f, "killed by signal {signal}"),
            },
            (code, None) => write!(f, "exit code {}", code.unwrap_or_default()),
        }
    }
}

impl Exit {
    /// `SIGKILL` and so on.
    pub fn signal_name(&self) -> Option<&'static str> {
        const NAMES: [(i32, &str); 15] = [
            (libc::SIGHUP, "SIGHUP"),
            (libc::SIGINT, "SIGINT"),
            (libc::SIGQUIT, "SIGQUIT"),
            (libc::SIGILL, "SIGILL"),
            (libc::SIGTRAP, "SIGTRAP"),
            (libc::SIGABRT, "SIGABRT"),
            (libc::SIGBUS, "SIGBUS"),
            (libc::SIGFPE, "SIGFPE"),
            (libc::SIGKILL, "SIGKILL"),
            (libc::SIGUSR1, "SIGUSR1"),
            (libc::SIGSEGV, "SIGSEGV"),
            (libc::SIGUSR2, "SIGUSR2"),
            (libc::SIGPIPE, "SIGPIPE"),
            (libc::SIGALRM, "SIGALRM"),
            (libc::SIGTERM, "SIGTERM"),
        ];
        NAMES.iter().find(|(number, _)| Some(*number) == self.signal).map(|(_, name)| *name)
    }
}

/// What came of a run.
#[derive(Debug, Clone)]
pub struct Ended {
    pub exit: Exit,
    pub stdout: Captured,
    pub stderr: Captured,
    /// Both, in the order of arrival.
    pub output: Captured,
    /// The file with all of the output, if it exceeded the limits or goes on.
    pub spill: Option<PathBuf>,
    /// The spill file has reached its own limit and lacks what came later.
    pub spill_full: bool,
    pub timed_out: bool,
    /// The process group of background processes that are still running.
    pub background: Option<u32>,
    /// Of a command with a sandbox.
    pub held: Option<Held>,
}

/// A command that goes on by itself.
#[derive(Debug, Clone)]
pub struct Detached {
    pub pid: u32,
    /// Where its output goes.
    pub log: PathBuf,
}

/// Why nothing was run.
#[derive(Debug, thiserror::Error)]
pub enum ProcessError {
    #[error("the working directory {} is gone, or never was there", .0.display())]
    NoFolder(PathBuf),
    #[error("{path}: {1}", path = .0.display())]
    NotStarted(PathBuf, io::Error),
    #[error("cannot make pipes: {0}")]
    Pipe(io::Error),
    #[error("{path}: {1}", path = .0.display())]
    Log(PathBuf, io::Error),
    #[error("{0}")]
    Sandbox(String),
    #[error("there is no thread to run commands on")]
    NoThread,
    #[error("panto is ending")]
    Ending,
}

/// All children of this program. Cheap to clone; the drop of the last clone kills what still runs.
#[derive(Clone)]
pub struct Processes {
    inner: Arc<worker::Worker>,
}

impl Processes {
    /// `spills`: the folder for output that does not fit into memory; made when it is needed.
    pub fn new(spills: PathBuf, scrub: Scrub) -> Self {
        Processes { inner: Arc::new(worker::Worker::new(spills, scrub)) }
    }

    /// Runs a command to its end. `news` gets its output while it runs, in chunks that are whole UTF-8 sequences.
    pub fn run(
        &self,
        spec: Spec,
        news: Option<mpsc::UnboundedSender<Vec<u8>>>,
    ) -> impl Future<Output = Result<Ended, ProcessError>> + use<> {
        let (answer, result) = oneshot::channel();
        let cancel = CancellationToken::new();
        let guard: DropGuard = cancel.clone().drop_guard();
        let sent = self.inner.send(move |shared| run::run(shared, spec, news, cancel, answer));
        async move {
            let _guard = guard;
            sent?;
            result.await.unwrap_or(Err(ProcessError::Ending))
        }
    }

    /// Whether the process with this number was started here, or by what was; a negative number is a process group's.
    pub fn own(&self, number: i32) -> bool {
        self.inner.shared().groups.own(number)
    }

    /// Starts a command and leaves it to itself: its output goes to a log, with a last line that says how it ended.
    pub fn detach(&self, spec: Spec) -> impl Future<Output = Result<Detached, ProcessError>> + use<> {
        let (answer, result) = oneshot::channel();
        let sent = self.inner.send(move |shared| run::detach(shared, spec, answer));
        async move {
            sent?;
            result.await.unwrap_or(Err(ProcessError::Ending))
        }
    }

    /// Starts a long-lived command to talk with. Dropping the `Live` kills it, and so does `cancel`.
    pub fn spawn(
        &self,
        spec: Spec,
        cancel: CancellationToken,
    ) -> impl Future<Output = Result<Live, ProcessError>> + use<> {
        let (answer, result) = oneshot::channel();
        let sent = self.inner.send(move |shared| live::run(shared, spec, cancel, answer));
        async move {
            sent?;
            result.await.unwrap_or(Err(ProcessError::Ending))
        }
    }

    /// What a sandbox holds on this system. The first time, it is tried out.
    pub fn support(&self) -> &Support {
        self.inner.shared().kept.support()
    }

    /// Makes a protected place as it was before the command that changed it.
    pub fn undo(&self, change: u64) -> Result<(), String> {
        self.inner.shared().kept.undo(change)
    }

    /// Kills everything that still runs, background processes too. For the end of the program.
    pub fn kill_all(&self) {
        self.inner.shared().groups.kill_all();
    }
}
