//! The threads of a program with a face: the main one draws and waits for keys, another works for the backend.
//!
//! Each has a clock of its own. On one clock, each frame would wake the other thread twice: to hear of the deadline, and to
//! tell that it has come.

use super::failure::{Exit, Failure};
use crate::tui::Clock;
use std::io;
use tokio::runtime::{Builder, Runtime};

pub struct Threads {
    main: Runtime,
    workers: Runtime,
}

impl Threads {
    pub fn start() -> Result<Threads, Failure> {
        let cannot = |e: io::Error| Failure::new(Exit::Failed, format!("cannot start: {e}"));
        let workers = Builder::new_multi_thread().worker_threads(1).enable_all().build().map_err(cannot)?;
        let main = Builder::new_current_thread().enable_time().build().map_err(cannot)?;
        Ok(Threads { main, workers })
    }

    /// Runs on the main thread what is given its clock; whatever that spawns runs on the other.
    pub fn run<F: Future>(self, run: impl FnOnce(Clock) -> F) -> F::Output {
        let Threads { main, workers } = self;
        let clock = Clock::of(main.handle());
        let ended = main.block_on(async {
            let _spawned = workers.enter();
            run(clock).await
        });
        // Whatever still reads or waits must not hold up the end.
        workers.shutdown_background();
        ended
    }
}
