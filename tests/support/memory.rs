//! An allocator that counts, a thread at a time: how much memory something takes at its highest.

use std::{
    alloc::{GlobalAlloc, Layout, System},
    cell::Cell,
};

#[global_allocator]
static COUNTING: Counting = Counting;

struct Counting;

thread_local! {
    /// Bytes of this thread now and at the most, since `peak` began. What another thread frees is not seen.
    static NOW: Cell<isize> = const { Cell::new(0) };
    static MOST: Cell<isize> = const { Cell::new(0) };
}

fn count(by: isize) {
    // A thread that ends has no cells any more.
    let _ = NOW.try_with(|now| {
        now.set(now.get() + by);
        let _ = MOST.try_with(|most| most.set(most.get().max(now.get())));
    });
}

fn size(layout: Layout) -> isize {
    isize::try_from(layout.size()).unwrap_or(isize::MAX)
}

// SAFETY: everything is the system allocator's; only sizes are counted, without allocating.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        count(size(layout));
        // SAFETY: as the caller promises.
        unsafe { System.alloc(layout) }
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        count(size(layout));
        // SAFETY: as the caller promises.
        unsafe { System.alloc_zeroed(layout) }
    }

    unsafe fn dealloc(&self, at: *mut u8, layout: Layout) {
        count(-size(layout));
        // SAFETY: as the caller promises.
        unsafe { System.dealloc(at, layout) }
    }

    unsafe fn realloc(&self, at: *mut u8, layout: Layout, new: usize) -> *mut u8 {
        count(isize::try_from(new).unwrap_or(isize::MAX) - size(layout));
        // SAFETY: as the caller promises.
        unsafe { System.realloc(at, layout, new) }
    }
}

/// What it gives, and how many bytes it had at the most at a time, those of other threads left out.
pub fn peak<T>(of: impl FnOnce() -> T) -> (T, usize) {
    let before = NOW.with(Cell::get);
    MOST.with(|most| most.set(before));
    let given = of();
    let most = MOST.with(Cell::get) - before;
    (given, usize::try_from(most).unwrap_or(0))
}
