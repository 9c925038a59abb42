//! A command from its start to its end, on the worker's thread.

use super::{
    Detached, Ended, Exit, ProcessError, Spec,
    capture::Captured,
    command::{self, Started},
    group::GRACE,
    held::{self, Before, Held},
    pipes::{Chunk, Pipes},
    sink::Sink,
    worker::Shared,
};
use std::{sync::Arc, time::Duration};
use tokio::{
    io::AsyncWriteExt,
    process::{Child, ChildStdin},
    sync::{mpsc, oneshot},
    time::{Instant, sleep_until, timeout},
};
use tokio_util::sync::CancellationToken;

/// How long the pipes are read on after the process has exited, when somebody still holds them.
const DRAIN: Duration = Duration::from_millis(100);

/// A process, its output, and what is done with it.
struct Run {
    shared: Arc<Shared>,
    child: Child,
    pid: u32,
    pipes: Pipes,
    sink: Sink,
    before: Option<Arc<Before>>,
}

/// What a run waited for.
enum Stop {
    Exited,
    TimedOut,
    Cancelled,
}

pub async fn run(
    shared: Arc<Shared>,
    spec: Spec,
    news: Option<mpsc::UnboundedSender<Vec<u8>>>,
    cancel: CancellationToken,
    answer: oneshot::Sender<Result<Ended, ProcessError>>,
) {
    let sink = Sink::new(&shared.spills, spec.limits, spec.merge, news);
    let limit = spec.timeout;
    let started = tokio::select! {
        started = Run::start(shared, spec, sink) => started,
        // It has not begun, and nobody waits for it any more.
        () = cancel.cancelled() => return,
    };
    let mut run = match started {
        Ok(run) => run,
        Err(error) => return drop(answer.send(Err(error))),
    };
    let stop = run.wait(limit, &cancel).await;
    let exit = match stop {
        Stop::Exited => run.exit().await,
        Stop::TimedOut | Stop::Cancelled => run.terminate().await,
    };
    run.drain().await;
    let background = run.survivors();
    if background.is_some() {
        run.keep_watching();
    }
    let ended = run.ended(exit, matches!(stop, Stop::TimedOut), background).await;
    if cancel.is_cancelled() {
        // Given up while the places were compared: what it has left behind goes, too.
        run.shared.groups.signal(run.pid, libc::SIGKILL);
    }
    // A listener must have the last news before the result; both go through channels that keep their order.
    _ = answer.send(ended);
    if background.is_some() {
        run.follow().await;
    }
}

pub async fn detach(shared: Arc<Shared>, spec: Spec, mut answer: oneshot::Sender<Result<Detached, ProcessError>>) {
    let mut sink = Sink::new(&shared.spills, spec.limits, true, None);
    sink.open_spill();
    let Some(log) = sink.spill().map(ToOwned::to_owned) else {
        let error = std::io::Error::other("the file for the output cannot be made");
        return drop(answer.send(Err(ProcessError::Log(shared.spills.clone(), error))));
    };
    let started = tokio::select! {
        started = Run::start(shared, Spec { merge: true, ..spec }, sink) => started,
        () = answer.closed() => Err(ProcessError::Ending),
    };
    let mut run = match started {
        Ok(run) => run,
        Err(error) => {
            _ = std::fs::remove_file(log);
            return drop(answer.send(Err(error)));
        }
    };
    run.keep_watching();
    _ = answer.send(Ok(Detached { pid: run.pid, log }));
    run.wait(None, &CancellationToken::new()).await;
    let exit = run.exit().await;
    run.drain().await;
    run.sink.log(format!("\n[{exit}]\n").as_bytes());
    run.log_changes().await;
    if run.survivors().is_some() {
        run.follow().await;
    }
}

impl Run {
    async fn start(shared: Arc<Shared>, spec: Spec, sink: Sink) -> Result<Run, ProcessError> {
        let (sandbox, before) = held::ready(&shared, &spec).await?.map(|r| (r.sandbox, r.before)).unzip();
        let Started { child, pid, stdin, out, err } = command::start(&shared, &spec, sandbox, false)?;
        if let (Some(stdin), Some(bytes)) = (stdin, spec.stdin) {
            tokio::spawn(feed(stdin, bytes));
        }
        Ok(Run { pipes: Pipes::new(out, err)?, shared, child, pid, sink, before })
    }

    fn take(&mut self, chunk: Chunk) {
        self.sink.take(chunk.stream, self.pipes.bytes(chunk));
    }

    /// Reads output until the process has exited, its time is up, or nobody wants it any more.
    async fn wait(&mut self, limit: Option<Duration>, cancel: &CancellationToken) -> Stop {
        let deadline = limit.and_then(|l| Instant::now().checked_add(l));
        loop {
            tokio::select! {
                chunk = self.pipes.next() => self.take(chunk),
                _ = self.child.wait() => return Stop::Exited,
                () = at(deadline) => return Stop::TimedOut,
                () = cancel.cancelled() => return Stop::Cancelled,
                () = self.sink.news_due() => self.sink.tell(),
            }
        }
    }

    /// Kills the session, politely first; the process may still say something.
    async fn terminate(&mut self) -> Exit {
        self.shared.groups.signal(self.pid, libc::SIGTERM);
        let deadline = Instant::now() + GRACE;
        loop {
            tokio::select! {
                chunk = self.pipes.next() => self.take(chunk),
                _ = self.child.wait() => break,
                () = sleep_until(deadline) => break,
            }
        }
        self.shared.groups.signal(self.pid, libc::SIGKILL);
        self.exit().await
    }

    /// Waits for a process that has exited or was killed.
    async fn exit(&mut self) -> Exit {
        // One that hangs in the kernel cannot be waited for.
        let status = timeout(Duration::from_secs(2), self.child.wait()).await;
        match status {
            Ok(Ok(status)) => command::exit(status),
            _ => Exit { code: None, signal: Some(libc::SIGKILL) },
        }
    }

    /// Reads what is left in the pipes: to their end, or for a moment if others hold them.
    async fn drain(&mut self) {
        let deadline = Instant::now() + DRAIN;
        while !self.pipes.at_end() {
            tokio::select! {
                chunk = self.pipes.next() => self.take(chunk),
                () = sleep_until(deadline) => break,
            }
        }
        self.sink.tell();
    }

    /// The session, if processes of it go on or hold the pipes.
    fn survivors(&mut self) -> Option<u32> {
        let alive = self.shared.groups.reaped(self.pid);
        if !alive {
            self.shared.look_soon();
        }
        (alive || !self.pipes.at_end()).then_some(self.pid)
    }

    async fn ended(&mut self, exit: Exit, timed_out: bool, background: Option<u32>) -> Result<Ended, ProcessError> {
        if !self.pipes.at_end() {
            self.sink.open_spill();
        }
        let (stdout, stderr, output) = self.sink.captured();
        let (spill, spill_full) = (self.sink.spill().map(ToOwned::to_owned), self.sink.spill_is_full());
        let held = self.held(exit, &output).await?;
        Ok(Ended { exit, stdout, stderr, output, spill, spill_full, timed_out, background, held })
    }

    /// For what goes on without anybody waiting for its end.
    fn keep_watching(&self) {
        if let Some(before) = &self.before {
            self.shared.kept.follow(before);
        }
    }

    /// What the sandbox, if there is one, has to say about the command.
    async fn held(&self, exit: Exit, said: &Captured) -> Result<Option<Held>, ProcessError> {
        let Some(before) = self.before.clone() else { return Ok(None) };
        let said = (exit.code != Some(0)).then(|| said.clone());
        before.after(self.shared.clone(), said).await.map(Some)
    }

    /// Nobody else would be told what a command has changed that was left to itself.
    async fn log_changes(&mut self) {
        let Some(before) = self.before.clone() else { return };
        let lines = match before.changes().await {
            Ok(changes) => changes
                .iter()
                .map(|change| format!("[protected place {}: {}]\n", change.what.name(), change.path.display()))
                .collect(),
            Err(error) => format!("[{error}]\n"),
        };
        self.sink.log(lines.as_bytes());
    }

    /// Goes on reading for survivors, lest they block or die of a broken pipe.
    async fn follow(mut self) {
        self.sink.only_log();
        while !self.pipes.at_end() {
            let chunk = self.pipes.next().await;
            self.sink.log(self.pipes.bytes(chunk));
        }
        self.shared.groups.reaped(self.pid);
        self.shared.look_soon();
    }
}

async fn at(deadline: Option<Instant>) {
    match deadline {
        Some(deadline) => sleep_until(deadline).await,
        None => std::future::pending().await,
    }
}

/// A process that doesn't read its input to the end is no error.
async fn feed(mut stdin: ChildStdin, bytes: Vec<u8>) {
    _ = stdin.write_all(&bytes).await;
    _ = stdin.shutdown().await;
}
