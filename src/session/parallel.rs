//! Reading many files on all cores for a moment.

use std::thread;

/// More threads than this gain nothing: the disk is what they wait for.
const THREADS: usize = 4;

/// `work` of every item, in order. Fewer items than `worth` are done on this thread.
pub fn map<T: Sync, R: Send>(items: &[T], worth: usize, work: impl Fn(&T) -> R + Sync) -> Vec<R> {
    let width = thread::available_parallelism().map_or(1, |n| n.get()).min(THREADS);
    if width == 1 || items.len() < worth.max(2) {
        return items.iter().map(work).collect();
    }
    thread::scope(|scope| {
        let mut shares = items.chunks(items.len().div_ceil(width));
        let own = shares.next().unwrap_or_default();
        let work = &work;
        let others: Vec<_> = shares.map(|s| scope.spawn(move || s.iter().map(work).collect::<Vec<R>>())).collect();
        let mut done: Vec<R> = own.iter().map(work).collect();
        for other in others {
            match other.join() {
                Ok(results) => done.extend(results),
                Err(panic) => std::panic::resume_unwind(panic),
            }
        }
        done
    })
}

#[cfg(test)]
mod tests {
    #[test]
    fn the_order_is_that_of_the_items() {
        let items: Vec<usize> = (0..101).collect();
        let doubled: Vec<usize> = items.iter().map(|i| i * 2).collect();
        assert_eq!(super::map(&items, 2, |i| i * 2), doubled);
        assert_eq!(super::map(&items, 1000, |i| i * 2), doubled);
        assert_eq!(super::map(&[] as &[usize], 0, |i| i * 2), Vec::<usize>::new());
    }
}
