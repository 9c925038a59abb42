//! Tries out what this kernel and its settings allow, in processes that end at once.

use super::{
    enter::{self, Stage},
    plan::Plan,
    sys,
};
use crate::sandbox::{Namespaces, NetworkControl, Policy, Support, places::Resolver};
use std::{io, path::Path};

pub fn probe() -> Support {
    let landlock = match version() {
        Ok(version) => version,
        Err(why) => return Support::none(why),
    };
    let (namespaces, why) = match (attempt(Namespaces::Mount, true), attempt(Namespaces::User, true)) {
        (Ok(()), _) => (Namespaces::Mount, None),
        (_, Ok(())) => (Namespaces::User, None),
        (_, Err(why)) => (Namespaces::None, Some(why)),
    };
    let network = match namespaces {
        Namespaces::None if landlock >= 4 => NetworkControl::Tcp,
        Namespaces::None => NetworkControl::None,
        kind => match attempt(kind, false) {
            Ok(()) => NetworkControl::Namespace,
            Err(_) if landlock >= 4 => NetworkControl::Tcp,
            Err(_) => NetworkControl::None,
        },
    };
    Support { available: true, why, landlock, namespaces, network }
}

/// The version of Landlock's interface.
fn version() -> Result<u32, &'static str> {
    const VERSION: u32 = 1;
    // SAFETY: asks for the version; no structure is passed.
    let asked = unsafe { libc::syscall(libc::SYS_landlock_create_ruleset, std::ptr::null::<u8>(), 0, VERSION) };
    match sys::checked(asked) {
        Ok(version) => Ok(version as u32),
        Err(e) if e.raw_os_error() == Some(libc::EOPNOTSUPP) => {
            Err("Landlock is built into this kernel, but not switched on (add it to the kernel's option `lsm=`)")
        }
        Err(e) if e.raw_os_error() == Some(libc::ENOSYS) => {
            Err("this kernel has no Landlock (it needs Linux 5.13 or later, built with it)")
        }
        Err(_) => Err("Landlock is forbidden here, as some containers do"),
    }
}

/// Whether a child can have a view of its own; why not, in words.
fn attempt(kind: Namespaces, network: bool) -> Result<(), String> {
    // A workspace that is not there: everything is read-only.
    let policy = Policy { network, ..Policy::of(Path::new("/nonexistent")) };
    let plan = Plan::new(&policy, &[], Path::new("/"), kind, &mut Resolver::default()).map_err(|e| e.to_string())?;
    let error = io::Error::from_raw_os_error(in_child(&plan).map_err(|e| e.to_string())?);
    match enter::decode(&error) {
        None if error.raw_os_error() == Some(0) => Ok(()),
        None => Err(error.to_string()),
        Some((stage, _, errno)) => Err(explain(stage, errno)),
    }
}

fn explain(stage: Stage, errno: i32) -> String {
    let hint = match (stage, errno) {
        (Stage::Unshare, libc::ENOSPC) => "; user.max_user_namespaces is used up or 0",
        (Stage::Unshare | Stage::Maps | Stage::Slave, libc::EPERM | libc::EACCES) => {
            "; this system or container forbids user namespaces"
        }
        _ => "",
    };
    format!("{}: {}{hint}", stage.describe(), io::Error::from_raw_os_error(errno))
}

/// Carries out the plan in a child and gives its error code; 0 is none.
fn in_child(plan: &Plan) -> io::Result<i32> {
    let mut code = [0u8; 4];
    let (mut reader, writer) = io::pipe()?;
    // SAFETY: the child makes system calls only, and ends without running anything of this program.
    unsafe {
        let child = sys::checked(libc::fork().into())?;
        if child == 0 {
            let made = enter::look_anew(plan);
            let code = made.err().and_then(|e| e.raw_os_error()).unwrap_or(0).to_ne_bytes();
            libc::write(std::os::fd::AsRawFd::as_raw_fd(&writer), code.as_ptr().cast(), code.len());
            libc::_exit(0);
        }
        drop(writer);
        let read = io::Read::read_exact(&mut reader, &mut code);
        while libc::waitpid(child, std::ptr::null_mut(), 0) < 0 && *libc::__errno_location() == libc::EINTR {}
        read?;
    }
    Ok(i32::from_ne_bytes(code))
}
