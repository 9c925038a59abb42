//! How the allocator gives memory back: large pieces at once, and the rest when somebody says that much was let go of.
//!
//! glibc keeps an arena for each thread and, once it has freed a large piece, serves others of that size from the heap as
//! well; a program that has had fifty outputs of a megabyte in its hands then stays as large as it was at its largest.
//! Other allocators need none of this, and nothing is done there.

/// Pieces of this size on are pages of their own, which the system gets back when they are freed.
#[cfg(all(target_os = "linux", target_env = "gnu"))]
const LARGE: libc::c_int = 256 << 10;
/// Threads share so many arenas: those of the runtime, of Lua, of the terminal.
#[cfg(all(target_os = "linux", target_env = "gnu"))]
const ARENAS: libc::c_int = 4;

/// To be called first of all, by the program and not by a library.
pub fn settle() {
    #[cfg(all(target_os = "linux", target_env = "gnu"))]
    // SAFETY: both set a number within the allocator, which takes its own lock; one that it refuses changes nothing.
    unsafe {
        libc::mallopt(libc::M_MMAP_THRESHOLD, LARGE);
        libc::mallopt(libc::M_ARENA_MAX, ARENAS);
    }
}

/// Gives free pages back to the system. Takes a few milliseconds; not for threads that draw.
pub fn trim() {
    #[cfg(all(target_os = "linux", target_env = "gnu"))]
    // SAFETY: it walks the free lists under the allocator's own locks.
    unsafe {
        libc::malloc_trim(0);
    }
}
