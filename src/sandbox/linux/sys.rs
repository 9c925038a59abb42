//! The system calls for mounts and Landlock that libc has no functions for. All are safe to make after a fork.

use std::{
    ffi::{CStr, c_int, c_uint},
    io,
};

#[repr(C)]
struct MountAttr {
    set: u64,
    clear: u64,
    propagation: u64,
    userns: u64,
}

#[repr(C, packed)]
struct PathBeneath {
    access: u64,
    parent: c_int,
}

pub const READ_ONLY: u64 = 0x1;
pub const NO_DEVICES: u64 = 0x4;
const EMPTY_PATH: c_uint = 0x1000;
const RECURSIVE: c_uint = 0x8000;
const NO_FOLLOW: c_uint = 0x100;
const CLONE: c_uint = 1;
const MOVE_FROM_EMPTY: c_uint = 4;
const RULE_PATH_BENEATH: c_int = 1;
const EMPTY: &CStr = c"";

pub fn checked(result: libc::c_long) -> io::Result<c_int> {
    if result < 0 { Err(io::Error::last_os_error()) } else { Ok(result as c_int) }
}

/// A copy of the mounts at a path, which is mounted nowhere yet.
pub fn copy(path: &CStr) -> io::Result<c_int> {
    let flags = CLONE | RECURSIVE | NO_FOLLOW | libc::O_CLOEXEC as c_uint;
    // SAFETY: the path is a C string that outlives the call.
    checked(unsafe { libc::syscall(libc::SYS_open_tree, libc::AT_FDCWD, path.as_ptr(), flags) })
}

/// Changes flags of a copy and all mounts in it.
pub fn set(copy: c_int, flags: u64) -> io::Result<()> {
    set_at(copy, EMPTY, EMPTY_PATH | RECURSIVE, flags)
}

/// Changes flags of the mount at a path and of all mounts below it.
pub fn set_below(path: &CStr, flags: u64) -> io::Result<()> {
    set_at(libc::AT_FDCWD, path, RECURSIVE, flags)
}

fn set_at(at: c_int, path: &CStr, how: c_uint, flags: u64) -> io::Result<()> {
    let attr = MountAttr { set: flags, clear: 0, propagation: 0, userns: 0 };
    // SAFETY: path and structure outlive the call, which is told the structure's size.
    let made = unsafe {
        libc::syscall(libc::SYS_mount_setattr, at, path.as_ptr(), how, &raw const attr, size_of::<MountAttr>())
    };
    checked(made).map(drop)
}

/// Mounts a copy at a path, and closes it either way.
pub fn put(copy: c_int, path: &CStr) -> io::Result<()> {
    // SAFETY: the strings outlive the calls; the descriptor is ours.
    unsafe {
        let made =
            libc::syscall(libc::SYS_move_mount, copy, EMPTY.as_ptr(), libc::AT_FDCWD, path.as_ptr(), MOVE_FROM_EMPTY);
        let made = checked(made);
        libc::close(copy);
        made.map(drop)
    }
}

/// Mounts a file system of the kernel's own.
pub fn mount(kind: &CStr, path: &CStr, flags: libc::c_ulong, options: &CStr) -> io::Result<()> {
    // SAFETY: all strings outlive the call.
    let made = unsafe { libc::mount(kind.as_ptr(), path.as_ptr(), kind.as_ptr(), flags, options.as_ptr().cast()) };
    checked(made.into()).map(drop)
}

/// What happens to mounts outside still happens here, but never the other way round.
pub fn make_slave() -> io::Result<()> {
    let flags = libc::MS_REC | libc::MS_SLAVE;
    // SAFETY: null is allowed for what the call does not look at.
    let made = unsafe { libc::mount(std::ptr::null(), c"/".as_ptr(), std::ptr::null(), flags, std::ptr::null()) };
    checked(made.into()).map(drop)
}

/// Adds a rule for what is at a path now.
pub fn add_rule(rules: c_int, path: &CStr, access: u64) -> io::Result<()> {
    // SAFETY: the structure outlives the call; the descriptor is opened and closed here.
    unsafe {
        let parent = checked(libc::open(path.as_ptr(), libc::O_PATH | libc::O_CLOEXEC).into())?;
        let rule = PathBeneath { access, parent };
        let made = checked(libc::syscall(libc::SYS_landlock_add_rule, rules, RULE_PATH_BENEATH, &raw const rule, 0));
        libc::close(parent);
        made.map(drop)
    }
}

/// From here on the rules hold for this process and all that come of it; no program gains rights when it is started.
pub fn restrict(rules: c_int) -> io::Result<()> {
    // SAFETY: plain system calls on integers.
    unsafe {
        checked(libc::prctl(libc::PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0).into())?;
        checked(libc::syscall(libc::SYS_landlock_restrict_self, rules, 0)).map(drop)
    }
}

/// Writes a short file of /proc in one go.
pub fn write_file(path: &CStr, bytes: &[u8]) -> io::Result<()> {
    // SAFETY: path and bytes outlive the calls; the descriptor is opened and closed here.
    unsafe {
        let file = checked(libc::open(path.as_ptr(), libc::O_WRONLY | libc::O_CLOEXEC).into())?;
        let written = checked(libc::write(file, bytes.as_ptr().cast(), bytes.len()) as libc::c_long);
        libc::close(file);
        written.map(drop)
    }
}

/// Switches on the loopback of a new network.
pub fn raise_loopback() -> io::Result<()> {
    // SAFETY: a structure of plain bytes, filled as the calls want it; the descriptor is opened and closed here.
    unsafe {
        let socket = checked(libc::socket(libc::AF_INET, libc::SOCK_DGRAM | libc::SOCK_CLOEXEC, 0).into())?;
        let mut request: libc::ifreq = std::mem::zeroed();
        request.ifr_name[0] = b'l' as libc::c_char;
        request.ifr_name[1] = b'o' as libc::c_char;
        request.ifr_ifru.ifru_flags = (libc::IFF_UP | libc::IFF_RUNNING) as libc::c_short;
        let made = checked(libc::ioctl(socket, libc::SIOCSIFFLAGS as _, &raw const request).into());
        libc::close(socket);
        made.map(drop)
    }
}

/// Abilities of root that a sandboxed command keeps; all others are gone for good, for it and what it starts. None of
/// these reaches beyond what Landlock and mounts hold: chown, files of others, owner's rights, set-id bits, kill, setgid,
/// setuid, low ports, ping.
const KEPT: u64 = bits(&[0, 1, 3, 4, 5, 6, 7, 10, 13]);

const fn bits(abilities: &[u32]) -> u64 {
    let (mut all, mut at) = (0, 0);
    while at < abilities.len() {
        all |= 1 << abilities[at];
        at += 1;
    }
    all
}

#[repr(C)]
struct CapHeader {
    version: u32,
    pid: c_int,
}

/// One half of the sets; 64 abilities take two of them.
#[repr(C)]
#[derive(Clone, Copy, Default)]
struct CapHalf {
    effective: u32,
    permitted: u32,
    inheritable: u32,
}

const CAP_VERSION_3: u32 = 0x2008_0522;

/// Takes them from the permitted set. With no_new_privs, which `restrict` sets, no program that is started ever gets an
/// ability that is not in it, not even as root: that is as good as to empty the bounding set, which takes a call for each.
pub fn drop_abilities() -> io::Result<()> {
    let mut header = CapHeader { version: CAP_VERSION_3, pid: 0 };
    let mut halves = [CapHalf::default(); 2];
    // SAFETY: the structures outlive the calls, and are as large as this version of them says.
    unsafe {
        libc::prctl(libc::PR_CAP_AMBIENT, libc::PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0);
        checked(libc::syscall(libc::SYS_capget, &raw mut header, halves.as_mut_ptr()))?;
        for (half, kept) in halves.iter_mut().zip([KEPT as u32, (KEPT >> 32) as u32]) {
            let permitted = half.permitted & kept;
            *half = CapHalf { effective: permitted, permitted, inheritable: 0 };
        }
        checked(libc::syscall(libc::SYS_capset, &raw mut header, halves.as_ptr())).map(drop)
    }
}
