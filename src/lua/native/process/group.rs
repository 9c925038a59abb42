//! Sessions of child processes and how they are killed: all of their members, also those that made a group of their own.

use std::{
    collections::HashMap,
    sync::Mutex,
    time::{Duration, Instant},
};

/// How long a process may take to clean up after SIGTERM.
pub const GRACE: Duration = Duration::from_millis(150);

/// Whether the process that leads the session has been waited for. Only then can the kernel give its number away.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Leader {
    Running,
    Reaped,
}

/// The sessions that may have living members.
#[derive(Default)]
pub struct Groups {
    sessions: Mutex<HashMap<u32, Leader>>,
}

impl Groups {
    pub fn started(&self, session: u32) {
        self.lock().insert(session, Leader::Running);
    }

    /// The leader has been waited for; tells whether others of its session go on.
    pub fn reaped(&self, session: u32) -> bool {
        let alive = !taken_over(session) && group_alive(session);
        match alive {
            true => self.lock().insert(session, Leader::Reaped),
            false => self.lock().remove(&session),
        };
        alive
    }

    /// Sends a signal to all of a session.
    pub fn signal(&self, session: u32, signal: i32) {
        let leader = self.lock().get(&session).copied();
        match leader {
            Some(Leader::Reaped) if taken_over(session) => _ = self.lock().remove(&session),
            Some(_) => signal_session(session, signal),
            None => {}
        }
    }

    /// SIGTERM to everything, SIGKILL to what is left after a moment. Returns at once when nothing runs.
    pub fn kill_all(&self) {
        let sessions: Vec<u32> = self.lock().keys().copied().collect();
        for &session in &sessions {
            self.signal(session, libc::SIGTERM);
        }
        let deadline = Instant::now() + GRACE;
        // At the very end of the program there is no event left to wait for: nobody reaps these processes but init.
        while sessions.iter().any(|&s| group_running(s)) && Instant::now() < deadline {
            std::thread::sleep(Duration::from_millis(5));
        }
        for &session in &sessions {
            self.signal(session, libc::SIGKILL);
        }
        self.lock().clear();
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, HashMap<u32, Leader>> {
        self.sessions.lock().unwrap_or_else(|e| e.into_inner())
    }
}

/// After the leader was reaped its number stays reserved while the session has members. So if a process has that number
/// again, the session is gone and the process is a stranger.
fn taken_over(session: u32) -> bool {
    kill(session as i32, 0)
}

fn group_alive(session: u32) -> bool {
    kill(-(session as i32), 0) || members(session).next().is_some()
}

/// Whether anything but zombies is left.
fn group_running(session: u32) -> bool {
    match cfg!(target_os = "linux") {
        true => members(session).next().is_some(),
        false => kill(-(session as i32), 0),
    }
}

fn signal_session(session: u32, signal: i32) {
    kill(-(session as i32), signal);
    for pid in members(session) {
        kill(pid, signal);
    }
}

fn kill(pid: i32, signal: i32) -> bool {
    // SAFETY: kill takes two integers and touches no memory of ours.
    unsafe { libc::kill(pid, signal) == 0 }
}

/// The running processes of a session, read from /proc: `timeout` and job-control shells leave the group, never the session.
#[cfg(target_os = "linux")]
fn members(session: u32) -> impl Iterator<Item = i32> {
    let names = std::fs::read_dir("/proc").into_iter().flatten().flatten();
    names.filter_map(move |entry| {
        let pid: i32 = entry.file_name().to_str()?.parse().ok()?;
        let stat = std::fs::read_to_string(entry.path().join("stat")).ok()?;
        // pid (name) state ppid pgrp session …; the name may hold anything.
        let mut fields = stat[stat.rfind(')')? + 1..].split_ascii_whitespace();
        let running = fields.next()? != "Z";
        (running && fields.nth(2)?.parse() == Ok(session)).then_some(pid)
    })
}

#[cfg(not(target_os = "linux"))]
fn members(_: u32) -> impl Iterator<Item = i32> {
    std::iter::empty()
}
