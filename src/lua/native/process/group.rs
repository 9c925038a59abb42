//! Sessions of child processes and how they are killed: all of their members, also those that made a group of their own.

use std::{
    collections::HashMap,
    sync::Mutex,
    time::{Duration, Instant},
};

/// How long a process may take to clean up after SIGTERM.
pub const GRACE: Duration = Duration::from_millis(150);

/// What is known of a session.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Known {
    /// Its leader has not been waited for.
    Running,
    /// The leader is gone, others go on.
    Survives,
    /// The leader is gone and its group, too; but who made a group of his own may go on. To find out takes a look at all
    /// processes, which is not worth the time of a command that has just ended.
    Unsure,
}

/// The sessions that may have living members.
#[derive(Default)]
pub struct Groups {
    sessions: Mutex<HashMap<u32, Known>>,
}

impl Groups {
    pub fn started(&self, session: u32) {
        self.lock().insert(session, Known::Running);
    }

    /// The leader has been waited for; tells whether others of its group go on. `look` again some time, if not.
    pub fn reaped(&self, session: u32) -> bool {
        let alive = !taken_over(session) && kill(-(session as i32), 0);
        self.lock().insert(session, if alive { Known::Survives } else { Known::Unsure });
        alive
    }

    /// Finds out about sessions that are unsure.
    pub fn look(&self) {
        let running = running();
        let alive = |session: u32| !taken_over(session) && running.iter().any(|&(_, s)| s == session);
        self.lock().retain(|&session, known| match known {
            Known::Unsure if alive(session) => {
                *known = Known::Survives;
                true
            }
            Known::Unsure => false,
            Known::Running | Known::Survives => true,
        });
    }

    /// Whether a process belongs to one of the sessions, or, with a negative number, the leader of a process group does.
    pub fn own(&self, number: i32) -> bool {
        // SAFETY: getsid takes an integer and touches no memory of ours.
        let of_process = unsafe { libc::getsid(number.saturating_abs()) };
        // The leader of a session may be gone while its group goes on.
        let session = u32::try_from(if of_process < 0 { number.saturating_abs() } else { of_process });
        session.is_ok_and(|session| {
            session > 0 && self.lock().get(&session).is_some_and(|known| of_process > 0 || *known != Known::Running)
        })
    }

    /// Sends a signal to all of a session.
    pub fn signal(&self, session: u32, signal: i32) {
        let known = self.lock().get(&session).copied();
        if let Some(known) = known {
            signal_session(session, known, signal, &running());
        }
    }

    /// SIGTERM to everything, SIGKILL to what is left after a moment. Returns at once when nothing runs.
    pub fn kill_all(&self) {
        let sessions = std::mem::take(&mut *self.lock());
        if sessions.is_empty() {
            return;
        }
        let strike = |signal| {
            let running = running();
            sessions.iter().for_each(|(&session, &known)| signal_session(session, known, signal, &running));
        };
        let alive = || match cfg!(target_os = "linux") {
            true => running().iter().any(|(_, s)| sessions.contains_key(s)),
            false => sessions.keys().any(|&s| kill(-(s as i32), 0)),
        };
        strike(libc::SIGTERM);
        let deadline = Instant::now() + GRACE;
        // At the very end of the program there is no event left to wait for: nobody reaps these processes but init.
        while alive() {
            if Instant::now() >= deadline {
                return strike(libc::SIGKILL);
            }
            std::thread::sleep(Duration::from_millis(5));
        }
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, HashMap<u32, Known>> {
        self.sessions.lock().unwrap_or_else(|e| e.into_inner())
    }
}

/// After the leader was reaped its number stays reserved while the session has members. So if a process has that number
/// again, the session is gone and the process is a stranger.
fn taken_over(session: u32) -> bool {
    kill(session as i32, 0)
}

fn signal_session(session: u32, known: Known, signal: i32, running: &[(i32, u32)]) {
    if known != Known::Running && taken_over(session) {
        return;
    }
    kill(-(session as i32), signal);
    for (pid, _) in running.iter().filter(|(_, s)| *s == session) {
        kill(*pid, signal);
    }
}

fn kill(pid: i32, signal: i32) -> bool {
    // SAFETY: kill takes two integers and touches no memory of ours.
    unsafe { libc::kill(pid, signal) == 0 }
}

/// All processes but zombies, with their sessions, as /proc has them: `timeout` and job-control shells leave the group of
/// a command, never its session.
#[cfg(target_os = "linux")]
fn running() -> Vec<(i32, u32)> {
    let names = std::fs::read_dir("/proc").into_iter().flatten().flatten();
    let of = |entry: std::fs::DirEntry| {
        let pid: i32 = entry.file_name().to_str()?.parse().ok()?;
        let stat = std::fs::read_to_string(entry.path().join("stat")).ok()?;
        // pid (name) state ppid pgrp session …; the name may hold anything.
        let mut fields = stat[stat.rfind(')')? + 1..].split_ascii_whitespace();
        let alive = fields.next()? != "Z";
        let session = fields.nth(2)?.parse().ok()?;
        alive.then_some((pid, session))
    };
    names.filter_map(of).collect()
}

#[cfg(not(target_os = "linux"))]
fn running() -> Vec<(i32, u32)> {
    Vec::new()
}
