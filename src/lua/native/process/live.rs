//! A long-lived command to talk with: lines in, lines out, until it ends or is dropped.

use super::{
    Exit, ProcessError, Spec,
    capture::Capture,
    command::{self, Started},
    group::GRACE,
    held,
    worker::Shared,
};
use crate::sandbox::Prepared;
use std::sync::{Arc, Mutex as StdMutex};
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::unix::pipe::Receiver,
    process::{Child, ChildStdin},
    sync::{Mutex, oneshot, watch},
    time::timeout,
};
use tokio_util::sync::{CancellationToken, DropGuard};

/// Bytes of a line; a longer one comes in pieces.
const MAX_LINE: usize = 1 << 24;

/// Our side of it. Dropped, the command and what it started are killed.
pub struct Live {
    pub pid: u32,
    stdin: Mutex<Option<ChildStdin>>,
    lines: Mutex<Lines>,
    errors: Arc<StdMutex<Capture>>,
    ended: watch::Receiver<Option<Exit>>,
    shared: Arc<Shared>,
    _guard: DropGuard,
}

impl Live {
    /// Errors when the command has closed its input or ended.
    pub async fn write(&self, bytes: &[u8]) -> std::io::Result<()> {
        match self.stdin.lock().await.as_mut() {
            Some(stdin) => {
                stdin.write_all(bytes).await?;
                stdin.flush().await
            }
            None => Err(std::io::Error::from(std::io::ErrorKind::BrokenPipe)),
        }
    }

    pub async fn close_stdin(&self) {
        self.stdin.lock().await.take();
    }

    /// The next line without its end; none after the last. Dropping the future loses nothing.
    pub async fn read_line(&self) -> Option<Vec<u8>> {
        self.lines.lock().await.next().await
    }

    /// Both ends of what came on standard error so far.
    pub fn errors(&self) -> Vec<u8> {
        let errors = self.errors.lock().unwrap_or_else(|e| e.into_inner());
        errors.finish().join(b"\n[...]\n")
    }

    /// Sends a signal to the command and what it started.
    pub fn kill(&self, signal: i32) {
        self.shared.groups.signal(self.pid, signal);
    }

    pub async fn wait(&self) -> Exit {
        let mut ended = self.ended.clone();
        match ended.wait_for(Option::is_some).await.map(|exit| *exit) {
            Ok(Some(exit)) => exit,
            _ => Exit { code: None, signal: Some(libc::SIGKILL) },
        }
    }
}

struct Lines {
    pipe: Option<Receiver>,
    buffer: Vec<u8>,
    seen: usize,
}

impl Lines {
    async fn next(&mut self) -> Option<Vec<u8>> {
        loop {
            if let Some(end) = memchr::memchr(b'\n', &self.buffer[self.seen..]) {
                let mut line: Vec<u8> = self.buffer.drain(..=self.seen + end).collect();
                line.truncate(line.len() - 1);
                self.seen = 0;
                return Some(line);
            }
            self.seen = self.buffer.len();
            let read = match &mut self.pipe {
                Some(pipe) if self.seen < MAX_LINE => pipe.read_buf(&mut self.buffer).await.unwrap_or(0),
                _ => 0,
            };
            if read == 0 {
                if self.seen < MAX_LINE {
                    self.pipe = None;
                }
                let rest = std::mem::take(&mut self.buffer);
                self.seen = 0;
                return (!rest.is_empty()).then_some(rest);
            }
        }
    }
}

/// `cancel` ends it as the drop of the `Live` does, which cancels it.
pub async fn run(
    shared: Arc<Shared>,
    spec: Spec,
    cancel: CancellationToken,
    answer: oneshot::Sender<Result<Live, ProcessError>>,
) {
    let (tell, ended) = watch::channel(None);
    let ready = tokio::select! {
        ready = held::ready(&shared, &spec) => ready,
        // Nobody waits for it any more.
        () = cancel.cancelled() => return,
    };
    let sandbox = ready.map(|ready| ready.map(|ready| ready.sandbox));
    let (child, live) = match sandbox.and_then(|sandbox| start(&shared, &spec, sandbox, &cancel, ended)) {
        Ok(started) => started,
        Err(error) => {
            cancel.cancel();
            return drop(answer.send(Err(error)));
        }
    };
    let pid = live.pid;
    // If nobody takes the answer, its drop cancels.
    _ = answer.send(Ok(live));
    let exit = supervise(&shared, child, pid, &cancel).await;
    shared.groups.reaped(pid);
    shared.look_soon();
    _ = tell.send(Some(exit));
    cancel.cancelled().await;
    shared.groups.signal(pid, libc::SIGKILL);
}

fn start(
    shared: &Arc<Shared>,
    spec: &Spec,
    sandbox: Option<Arc<Prepared>>,
    cancel: &CancellationToken,
    ended: watch::Receiver<Option<Exit>>,
) -> Result<(Child, Live), ProcessError> {
    let Started { child, pid, stdin, out, err } = command::start(shared, spec, sandbox, true)?;
    let receiver = |pipe| Receiver::from_owned_fd(std::os::fd::OwnedFd::from(pipe)).map_err(ProcessError::Pipe);
    let errors = Arc::new(StdMutex::new(Capture::new(spec.limits)));
    if let Some(err) = err {
        tokio::spawn(keep(receiver(err)?, errors.clone()));
    }
    let lines = Mutex::new(Lines { pipe: Some(receiver(out)?), buffer: Vec::new(), seen: 0 });
    let _guard = cancel.clone().drop_guard();
    let live = Live { pid, stdin: Mutex::new(stdin), lines, errors, ended, shared: shared.clone(), _guard };
    Ok((child, live))
}

/// Reads standard error, so that the command never waits for somebody to do so.
async fn keep(mut pipe: Receiver, errors: Arc<StdMutex<Capture>>) {
    let mut buffer = vec![0; 1 << 13];
    while let Ok(read @ 1..) = pipe.read(&mut buffer).await {
        errors.lock().unwrap_or_else(|e| e.into_inner()).push(&buffer[..read]);
    }
}

async fn supervise(shared: &Shared, mut child: Child, pid: u32, cancel: &CancellationToken) -> Exit {
    let status = tokio::select! {
        status = child.wait() => status,
        () = cancel.cancelled() => {
            shared.groups.signal(pid, libc::SIGTERM);
            _ = timeout(GRACE, child.wait()).await;
            shared.groups.signal(pid, libc::SIGKILL);
            child.wait().await
        }
    };
    status.map_or(Exit { code: None, signal: None }, command::exit)
}
