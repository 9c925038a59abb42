//! Between fork and exec: system calls on what `Plan` has laid ready. Nothing here may allocate, lock or panic.

use super::{Prepared, plan::Hold, plan::Plan, sys};
use std::{ffi::CStr, io, os::fd::AsRawFd, sync::atomic::Ordering::Relaxed};

/// What was being done when it failed. The number travels through the pipe that `Command` has for the error code.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(i32)]
pub enum Stage {
    Unshare = 1,
    Maps,
    Slave,
    Copy,
    ReadOnly,
    Writable,
    Hold,
    CoverFolder,
    CoverFile,
    Loopback,
    Abilities,
    Folder,
    Rules,
}

const STAGES: [Stage; 13] = [
    Stage::Unshare,
    Stage::Maps,
    Stage::Slave,
    Stage::Copy,
    Stage::ReadOnly,
    Stage::Writable,
    Stage::Hold,
    Stage::CoverFolder,
    Stage::CoverFile,
    Stage::Loopback,
    Stage::Abilities,
    Stage::Folder,
    Stage::Rules,
];

impl Stage {
    /// What was being done, as "… failed" would have it.
    pub fn describe(self) -> &'static str {
        match self {
            Stage::Unshare => "making namespaces",
            Stage::Maps => "mapping the user into a namespace",
            Stage::Slave => "parting from the mounts outside",
            Stage::Copy | Stage::Writable => "keeping a place writable:",
            Stage::ReadOnly => "making the file system read-only",
            Stage::Hold => "protecting",
            Stage::CoverFolder | Stage::CoverFile => "covering",
            Stage::Loopback => "making a network without a way out",
            Stage::Abilities => "giving up abilities of root",
            Stage::Folder => "entering the working directory inside of the sandbox",
            Stage::Rules => "restricting the process by Landlock",
        }
    }
}

trait At<T> {
    fn at(self, stage: Stage, index: usize) -> io::Result<T>;
}

impl<T> At<T> for io::Result<T> {
    fn at(self, stage: Stage, index: usize) -> io::Result<T> {
        self.map_err(|e| {
            let errno = e.raw_os_error().unwrap_or(libc::EINVAL);
            io::Error::from_raw_os_error((stage as i32) << 24 | (index.min(0xfff) as i32) << 12 | errno & 0xfff)
        })
    }
}

/// Stage, index and error number of an error that `enter` gave.
pub fn decode(error: &io::Error) -> Option<(Stage, usize, i32)> {
    let code = error.raw_os_error()?;
    let stage = STAGES.into_iter().find(|s| *s as i32 == code >> 24)?;
    Some((stage, (code >> 12 & 0xfff) as usize, code & 0xfff))
}

pub fn enter(prepared: &Prepared) -> io::Result<()> {
    let rules = prepared.rules.as_raw_fd();
    if let Some(plan) = &prepared.plan {
        look_anew(plan)?;
        own_terminals(rules, prepared.terminal);
        // The folder that was entered before is the one underneath.
        // SAFETY: the path is a C string that outlives the call.
        sys::checked(unsafe { libc::chdir(prepared.cwd.as_ptr()) }.into()).at(Stage::Folder, 0)?;
    }
    sys::drop_abilities().at(Stage::Abilities, 0)?;
    sys::restrict(rules).at(Stage::Rules, 0)
}

/// A view of the file system of its own. Leaves root's abilities, which the probe of it ends with anyway.
pub fn look_anew(plan: &Plan) -> io::Result<()> {
    // SAFETY: plain system call on integers; a forked child has one thread.
    sys::checked(unsafe { libc::unshare(plan.flags) }.into()).at(Stage::Unshare, 0)?;
    if let Some((users, groups)) = &plan.maps {
        sys::write_file(c"/proc/self/setgroups", b"deny").at(Stage::Maps, 0)?;
        sys::write_file(c"/proc/self/uid_map", users).at(Stage::Maps, 1)?;
        sys::write_file(c"/proc/self/gid_map", groups).at(Stage::Maps, 2)?;
    }
    sys::make_slave().at(Stage::Slave, 0)?;
    if plan.read_only {
        part_by_writing(plan)?;
    }
    for (index, (hold, path)) in plan.places.iter().enumerate() {
        unless_gone(keep(*hold, path)).at(Stage::Hold, index)?;
    }
    cover(plan)?;
    if plan.loopback {
        sys::raise_loopback().at(Stage::Loopback, 0)?;
    }
    Ok(())
}

/// All is read-only but for copies of the writable places, which were made before and come on top.
fn part_by_writing(plan: &Plan) -> io::Result<()> {
    for (index, (path, slot)) in plan.writable.iter().zip(&plan.copies).enumerate() {
        match sys::copy(path) {
            Ok(copy) => slot.store(copy, Relaxed),
            Err(e) => unless_gone(Err(e)).at(Stage::Copy, index)?,
        }
    }
    sys::set_below(c"/", sys::READ_ONLY).at(Stage::ReadOnly, 0)?;
    for (index, (path, slot)) in plan.writable.iter().zip(&plan.copies).enumerate() {
        if slot.load(Relaxed) >= 0 {
            sys::put(slot.load(Relaxed), path).at(Stage::Writable, index)?;
        }
    }
    Ok(())
}

fn keep(hold: Hold, path: &CStr) -> io::Result<()> {
    let copy = sys::copy(path)?;
    if hold == Hold::ReadOnly {
        sys::set(copy, sys::READ_ONLY)?;
    }
    sys::put(copy, path)
}

/// One cover for all folders and one for all files. A device on a mount without devices cannot be opened, by root either.
fn cover(plan: &Plan) -> io::Result<()> {
    let mut first: Option<&CStr> = None;
    for (index, path) in plan.folders.iter().enumerate() {
        let made = match first {
            Some(covered) => sys::copy(covered).and_then(|copy| sys::put(copy, path)),
            None => nothing_at(path).map(|()| first = Some(path)),
        };
        unless_gone(made).at(Stage::CoverFolder, index)?;
    }
    let mut first: Option<&CStr> = None;
    for (index, path) in plan.files.iter().enumerate() {
        let copy = sys::copy(first.unwrap_or(c"/dev/null")).at(Stage::CoverFile, index)?;
        if first.is_none() {
            sys::set(copy, sys::READ_ONLY | sys::NO_DEVICES).at(Stage::CoverFile, index)?;
        }
        let made = sys::put(copy, path).map(|()| first = Some(first.unwrap_or(path)));
        unless_gone(made).at(Stage::CoverFile, index)?;
    }
    Ok(())
}

fn nothing_at(path: &CStr) -> io::Result<()> {
    let flags = libc::MS_RDONLY | libc::MS_NOSUID | libc::MS_NODEV | libc::MS_NOEXEC;
    sys::mount(c"tmpfs", path, flags, c"mode=000,size=4k,nr_inodes=2")
}

/// Terminals that the command opens are none of the user's. Where that cannot be, it gets the use of all that it may
/// open anyway.
fn own_terminals(rules: i32, access: u64) {
    let flags = libc::MS_NOSUID | libc::MS_NOEXEC;
    _ = sys::mount(c"devpts", c"/dev/pts", flags, c"newinstance,ptmxmode=0666,mode=620");
    _ = sys::add_rule(rules, c"/dev/pts", access);
}

/// What has gone since it was looked at needs no protection.
fn unless_gone(result: io::Result<()>) -> io::Result<()> {
    match result {
        Err(e) if matches!(e.raw_os_error(), Some(libc::ENOENT | libc::ENOTDIR)) => Ok(()),
        other => other,
    }
}
