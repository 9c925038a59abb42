//! Where output goes: into bounded memory, into the spill file when that is not enough, and out as news while it comes.

use super::{Captured, Limits, capture::Capture, pipes::Stream, spill::Spill};
use crate::lua::native::text::unfinished;
use std::{
    path::{Path, PathBuf},
    time::Duration,
};
use tokio::{
    sync::mpsc,
    time::{Instant, sleep_until},
};

enum Overflow {
    NotNeeded,
    Open(Spill),
    /// There is no room for a spill file; the captures are all there is.
    Failed,
}

pub struct Sink {
    folder: PathBuf,
    output: Capture,
    apart: Option<(Capture, Capture)>,
    overflow: Overflow,
    news: Option<News>,
}

impl Sink {
    pub fn new(folder: &Path, limits: Limits, merge: bool, news: Option<mpsc::UnboundedSender<Vec<u8>>>) -> Self {
        let apart = (!merge).then(|| (Capture::new(limits), Capture::new(limits)));
        let news = news.map(News::new);
        Sink { folder: folder.into(), output: Capture::new(limits), apart, overflow: Overflow::NotNeeded, news }
    }

    pub fn take(&mut self, stream: Stream, chunk: &[u8]) {
        if self.output.exceeds_with(chunk) {
            self.open_spill();
        }
        self.output.push(chunk);
        match (&mut self.apart, stream) {
            (Some((out, _)), Stream::Out) => out.push(chunk),
            (Some((_, err)), Stream::Err) => err.push(chunk),
            (None, _) => {}
        }
        self.log(chunk);
        if let Some(news) = &mut self.news {
            news.push(chunk);
        }
    }

    /// Writes to the spill file only.
    pub fn log(&mut self, bytes: &[u8]) {
        if let Overflow::Open(spill) = &mut self.overflow {
            spill.write(bytes);
        }
    }

    /// Starts the spill file with everything so far, unless there is one.
    pub fn open_spill(&mut self) {
        if !matches!(self.overflow, Overflow::NotNeeded) {
            return;
        }
        self.overflow = match Spill::create(&self.folder) {
            Ok(mut spill) => {
                spill.write(&self.output.whole().unwrap_or_default());
                Overflow::Open(spill)
            }
            Err(_) => Overflow::Failed,
        };
    }

    pub fn spill(&self) -> Option<&Path> {
        match &self.overflow {
            Overflow::Open(spill) => Some(spill.path()),
            _ => None,
        }
    }

    pub fn spill_is_full(&self) -> bool {
        matches!(&self.overflow, Overflow::Open(spill) if spill.is_full())
    }

    /// Standard output, standard error and both. When they shared a pipe all is standard output.
    pub fn captured(&self) -> (Captured, Captured, Captured) {
        let output = self.output.finish();
        match &self.apart {
            Some((out, err)) => (out.finish(), err.finish(), output),
            None => (output.clone(), Captured::default(), output),
        }
    }

    /// Resolves when there is news to be told; never without anybody who listens.
    pub async fn news_due(&self) {
        match self.news.as_ref().and_then(|n| n.due) {
            Some(due) => sleep_until(due).await,
            None => std::future::pending().await,
        }
    }

    pub fn tell(&mut self) {
        if let Some(news) = &mut self.news {
            news.flush();
        }
    }

    /// From here on nobody is told and only the spill file grows.
    pub fn only_log(&mut self) {
        self.news = None;
        self.apart = None;
        self.output = Capture::new(Limits { bytes: 0, lines: 0 });
    }
}

/// The first chunk of news waits a moment: a command that is done by then has its result to tell.
const FIRST: Duration = Duration::from_millis(16);
/// Chunks are this far apart, so that endless output costs its reader little.
const APART: Duration = Duration::from_millis(50);
/// Bytes of a chunk; of a flood between two chunks only the end is told.
const CHUNK: usize = 1 << 14;

struct News {
    sender: mpsc::UnboundedSender<Vec<u8>>,
    pending: Vec<u8>,
    due: Option<Instant>,
    next: Instant,
}

impl News {
    fn new(sender: mpsc::UnboundedSender<Vec<u8>>) -> Self {
        News { sender, pending: Vec::new(), due: None, next: Instant::now() + FIRST }
    }

    fn push(&mut self, chunk: &[u8]) {
        self.pending.extend_from_slice(&chunk[chunk.len().saturating_sub(CHUNK)..]);
        if self.pending.len() > 2 * CHUNK {
            let from = self.pending.len() - CHUNK;
            let line = memchr::memchr(b'\n', &self.pending[from..]).map_or(0, |i| i + 1);
            self.pending.drain(..from + line);
        }
        self.due.get_or_insert(self.next);
    }

    fn flush(&mut self) {
        let hold = unfinished(&self.pending);
        let rest = self.pending.split_off(self.pending.len() - hold);
        let chunk = std::mem::replace(&mut self.pending, rest);
        if !chunk.is_empty() {
            _ = self.sender.send(chunk);
        }
        self.next = Instant::now() + APART;
        self.due = None;
    }
}
