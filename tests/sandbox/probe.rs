//! That there is a sandbox where the kernel has one. All other tests of it are left out where `probe` finds none, so this
//! one asks the kernel by itself.

use panto::sandbox::{Namespaces, probe};

#[cfg(target_os = "linux")]
#[test]
fn a_sandbox_is_found_where_the_kernel_has_one() {
    let support = probe();
    let version = kernel::landlock();
    assert_eq!(i64::from(support.landlock), version.max(0), "{}", support.describe());
    assert_eq!(support.available, version > 0, "{}", support.describe());
    if version > 0 {
        let (root, user) = (kernel::mounts(libc::CLONE_NEWNS), kernel::mounts(libc::CLONE_NEWNS | libc::CLONE_NEWUSER));
        let found = support.namespaces != Namespaces::None;
        assert_eq!(found, root || user, "{}", support.describe());
    }
}

#[cfg(target_os = "macos")]
#[test]
fn a_sandbox_is_found_where_the_system_has_one() {
    let there = std::path::Path::new("/usr/bin/sandbox-exec").exists();
    assert_eq!(probe().available, there, "{}", probe().describe());
    assert_eq!(probe().namespaces, Namespaces::None);
}

#[cfg(target_os = "linux")]
mod kernel {
    use std::{fs, io, os::unix::process::CommandExt, process::Command, ptr};

    /// The version of Landlock's interface; negative without it.
    pub fn landlock() -> i64 {
        // SAFETY: asks for the version; no structure is passed.
        unsafe { libc::syscall(libc::SYS_landlock_create_ruleset, ptr::null::<u8>(), 0, 1) }
    }

    /// Whether a child in namespaces of its own can mount something.
    pub fn mounts(flags: i32) -> bool {
        // SAFETY: reads a number of the process.
        let user = unsafe { libc::geteuid() };
        let map = format!("{user} {user} 1");
        let mut command = Command::new("true");
        let enter = move || {
            let call = |result: i32| if result < 0 { Err(io::Error::last_os_error()) } else { Ok(()) };
            // SAFETY: plain system calls, with strings that outlive them.
            unsafe {
                call(libc::unshare(flags))?;
                if flags & libc::CLONE_NEWUSER != 0 {
                    fs::write("/proc/self/uid_map", &map)?;
                }
                let below = libc::MS_REC | libc::MS_PRIVATE;
                call(libc::mount(ptr::null(), c"/".as_ptr(), ptr::null(), below, ptr::null()))?;
                call(libc::mount(c"tmpfs".as_ptr(), c"/tmp".as_ptr(), c"tmpfs".as_ptr(), 0, ptr::null()))
            }
        };
        // SAFETY: makes system calls only; `fs::write` of a short path allocates nothing.
        unsafe { command.pre_exec(enter) };
        command.status().is_ok_and(|status| status.success())
    }
}
