//! Who holds a session, as it is written in the lock: for the message, and for whoever wants to ask the holder.
//!
//! Nothing here decides whether a lock is held; that does the operating system (`lock`). A pid means something on its own
//! machine only, and a process of another pid namespace looks dead: being dead only makes a second opener wait longer.

use serde::{Deserialize, Serialize};
use std::{
    fmt, io,
    path::{Path, PathBuf},
};

/// Who holds a lock, as the holder wrote it down. A pid of 0 is unknown.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Holder {
    pub pid: u32,
    pub host: String,
    /// The unix socket at which the holder takes requests (also the one to hand the session over), if it has one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub socket: Option<PathBuf>,
}

impl Holder {
    /// This process.
    pub(super) fn own(socket: Option<&Path>) -> Holder {
        Holder { pid: std::process::id(), host: host(), socket: socket.map(Path::to_owned) }
    }

    /// Whether it runs on this machine, so that its pid means something here.
    pub fn is_here(&self) -> bool {
        self.host == host()
    }

    /// Surely not alive. What cannot be told is taken for alive.
    #[cfg(unix)]
    pub(super) fn is_dead(&self) -> bool {
        let Some(pid) = libc::pid_t::try_from(self.pid).ok().filter(|pid| *pid > 0 && self.is_here()) else {
            return false;
        };
        // SAFETY: signal 0 asks only whether there is such a process.
        let gone = unsafe { libc::kill(pid, 0) } != 0;
        gone && io::Error::last_os_error().raw_os_error() == Some(libc::ESRCH)
    }

    #[cfg(not(unix))]
    pub(super) fn is_dead(&self) -> bool {
        false
    }
}

impl fmt::Display for Holder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.pid {
            0 => f.write_str("another process"),
            pid => write!(f, "process {pid} on {}", self.host),
        }
    }
}

#[cfg(unix)]
fn host() -> String {
    let mut name = [0u8; 256];
    // SAFETY: the buffer is ours and its length is told; the last byte stays 0 whatever is written.
    let failed = unsafe { libc::gethostname(name.as_mut_ptr().cast(), name.len() - 1) } != 0;
    let end = name.iter().position(|b| *b == 0).unwrap_or(0);
    if failed { "this host".into() } else { String::from_utf8_lossy(&name[..end]).into_owned() }
}

#[cfg(not(unix))]
fn host() -> String {
    "this host".into()
}
