//! How the allocator gives memory back: large pieces at once, and the rest when somebody says that much was let go of.
//!
//! glibc keeps an arena for each thread and, once it has freed a large piece, serves others of that size from the heap as
//! well; a program that has had fifty outputs of a megabyte in its hands then stays as large as it was at its largest.
//! Other allocators need none of this, and nothing is done there.
//!
//! The rest of what a resident program holds is its own file, which the system maps in pieces around whatever runs. Most of
//! those are needed once, to start.

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

/// To be called when all is loaded: gives back what only starting needed, once for the process. Not for threads that draw.
pub fn started() {
    static ONCE: std::sync::Once = std::sync::Once::new();
    ONCE.call_once(|| {
        trim();
        // A debugger's breakpoints are changes of such pages.
        if !cfg!(debug_assertions) {
            let_go_of_code();
        }
    });
}

/// Gives free pages back to the system. Takes a few milliseconds; not for threads that draw.
pub fn trim() {
    #[cfg(all(target_os = "linux", target_env = "gnu"))]
    // SAFETY: it walks the free lists under the allocator's own locks.
    unsafe {
        libc::malloc_trim(0);
    }
}

/// Unmaps code and constants, all of which are in the file as they are in memory: whatever runs next is mapped again from
/// the system's cache, at a microsecond a piece.
fn let_go_of_code() {
    #[cfg(target_os = "linux")]
    // SAFETY: the function is called before this returns, and needs no data.
    unsafe {
        libc::dl_iterate_phdr(Some(let_go_of_segments), std::ptr::null_mut());
    }
}

/// For the first of the loaded objects, which is the program.
#[cfg(target_os = "linux")]
unsafe extern "C" fn let_go_of_segments(
    object: *mut libc::dl_phdr_info,
    _: libc::size_t,
    _: *mut libc::c_void,
) -> libc::c_int {
    const LAST: libc::c_int = 1;
    // SAFETY: the loader gives a valid structure, and headers that stay as long as the object is loaded.
    let (base, headers) = unsafe {
        let object = &*object;
        if object.dlpi_phdr.is_null() {
            return LAST;
        }
        (object.dlpi_addr as usize, std::slice::from_raw_parts(object.dlpi_phdr, usize::from(object.dlpi_phnum)))
    };
    // SAFETY: it only returns a number.
    let Ok(page) = usize::try_from(unsafe { libc::sysconf(libc::_SC_PAGESIZE) }) else { return LAST };
    for header in headers.iter().filter(|h| h.p_type == libc::PT_LOAD && h.p_flags & libc::PF_W == 0) {
        let start = (base + header.p_vaddr as usize).next_multiple_of(page);
        let end = (base + header.p_vaddr as usize + header.p_filesz as usize) / page * page;
        if start < end {
            // SAFETY: whole pages of a segment that is mapped from a file and that nothing can have written to: they come
            // back as they were.
            unsafe { libc::madvise(start as *mut libc::c_void, end - start, libc::MADV_DONTNEED) };
        }
    }
    LAST
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::*;

    #[test]
    fn code_that_was_let_go_of_runs() {
        let sum = |text: &str| text.bytes().map(u64::from).sum::<u64>();
        let before = sum(include_str!("memory.rs"));
        let resident = || {
            let status = std::fs::read_to_string("/proc/self/status").expect("a status");
            let line = status.lines().find_map(|line| line.strip_prefix("RssFile:")).expect("its line").to_owned();
            line.trim().trim_end_matches("kB").trim().parse::<u64>().expect("a number")
        };
        let held = resident();
        let_go_of_code();
        // Tests that share the process map their code meanwhile.
        if std::env::var("NEXTEST_EXECUTION_MODE").is_ok_and(|mode| mode == "process-per-test") {
            assert!(resident() < held, "{held} kB before");
        }
        assert_eq!(sum(include_str!("memory.rs")), before);
    }
}
