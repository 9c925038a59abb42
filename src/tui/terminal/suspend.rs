//! Ctrl-Z: the terminal is given back, the job stops, and what the shell does next decides.

use super::Terminal;
use std::{io, time::Duration};
use tokio::signal::unix::Signal;

/// A stop signal takes effect within this time, or it was discarded (a process without a shell cannot be stopped).
const STOPS_WITHIN: Duration = Duration::from_millis(200);

impl Terminal {
    /// Stops the job until it is continued in the foreground. `continued` receives SIGCONT.
    pub async fn suspend(&mut self, continued: &mut Signal) -> io::Result<()> {
        self.leave();
        stop(libc::SIGTSTP);
        wait(continued).await;
        self.come_back(continued).await
    }

    /// After SIGCONT: takes the terminal over again, once it is ours. In the background (`bg`) the job stops again
    /// rather than write to a terminal that the shell has.
    pub async fn come_back(&mut self, continued: &mut Signal) -> io::Result<()> {
        while !self.guard.is_foreground() {
            stop(libc::SIGSTOP);
            wait(continued).await;
        }
        self.reenter()
    }
}

async fn wait(continued: &mut Signal) {
    tokio::select! {
        _ = continued.recv() => {}
        () = tokio::time::sleep(STOPS_WITHIN) => {}
    }
}

/// The whole job: what runs us (cargo, a script) stops as well.
fn stop(signal: libc::c_int) {
    // SAFETY: kill only sends a signal.
    unsafe { libc::kill(0, signal) };
}
