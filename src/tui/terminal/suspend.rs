//! Ctrl-Z: the terminal is given back, the job stops, and what the shell does next decides.
//!
//! The stop signal for ourselves goes to the calling thread, because only then it has been obeyed when the call returns:
//! whatever comes next happens after the shell has continued us. Sent to the process, another thread may take it later.

use super::Terminal;
use std::io;

impl Terminal {
    /// Stops the job until it is continued in the foreground.
    pub fn suspend(&mut self) -> io::Result<()> {
        self.leave();
        stop_job();
        self.come_back()
    }

    /// After SIGCONT: takes the terminal over again, once it is ours. In the background (`bg`) the program stops again
    /// rather than write to a terminal that the shell has.
    pub fn come_back(&mut self) -> io::Result<()> {
        while !self.guard.is_foreground() {
            // SAFETY: raise only sends a signal.
            unsafe { libc::raise(libc::SIGSTOP) };
        }
        self.take_back()
    }
}

/// The whole job: what runs us (cargo, a script) stops first, then we do. Without a shell that could continue us the
/// system discards the signal, and nothing happens.
fn stop_job() {
    // SAFETY: these calls change how a signal is taken and send it; the handlers are the system's own.
    unsafe {
        let before = libc::signal(libc::SIGTSTP, libc::SIG_IGN);
        libc::kill(0, libc::SIGTSTP);
        libc::signal(libc::SIGTSTP, before);
        libc::raise(libc::SIGTSTP);
    }
}
