//! The thread that reads the terminal. It blocks in `poll`, so an idle program costs nothing; what it reads goes to the
//! loop with the time of reading. It ends when its `Reader` is dropped, and its channel closes when the terminal is gone.

use std::io::{self, PipeWriter, Read};
use std::os::fd::{AsRawFd, RawFd};
use std::thread::JoinHandle;
use std::time::Instant;
use tokio::sync::mpsc;

/// Bytes as one read gave them.
#[derive(Debug)]
pub struct Chunk {
    pub bytes: Vec<u8>,
    pub at: Instant,
}

#[derive(Debug)]
pub struct Reader {
    chunks: mpsc::UnboundedReceiver<Chunk>,
    terminal: RawFd,
    /// None while another program reads the terminal.
    thread: Option<Thread>,
}

#[derive(Debug)]
struct Thread {
    /// The thread polls the other end; closing it ends the thread.
    alive: PipeWriter,
    handle: JoinHandle<()>,
}

impl Reader {
    /// Reads `terminal`, which must stay open as long as the reader lives.
    pub fn start(terminal: RawFd) -> io::Result<Reader> {
        let (quit, alive) = io::pipe()?;
        let (sender, chunks) = mpsc::unbounded_channel();
        let read = move || {
            while readable(terminal, quit.as_raw_fd()) {
                let Some(bytes) = read(terminal) else { break };
                if sender.send(Chunk { bytes, at: Instant::now() }).is_err() {
                    break;
                }
            }
        };
        let handle = std::thread::Builder::new().name("terminal".into()).spawn(read)?;
        Ok(Reader { chunks, terminal, thread: Some(Thread { alive, handle }) })
    }

    /// Reads nothing any more once it returns; what was typed ahead is dropped.
    pub fn pause(&mut self) {
        if let Some(Thread { alive, handle }) = self.thread.take() {
            drop(alive);
            // It cannot panic, and if it did there would be nobody who reads.
            let _ = handle.join();
        }
    }

    /// Reads again after `pause`.
    pub fn resume(&mut self) -> io::Result<()> {
        *self = Reader::start(self.terminal)?;
        Ok(())
    }

    /// The next bytes; none when the terminal is gone.
    pub async fn next(&mut self) -> Option<Chunk> {
        self.chunks.recv().await
    }

    /// What has come already.
    pub fn waiting(&mut self) -> Option<Chunk> {
        self.chunks.try_recv().ok()
    }
}

/// Waits for bytes or the end of the terminal; false when the reader is not wanted any more.
fn readable(terminal: RawFd, quit: RawFd) -> bool {
    let poll = |fd| libc::pollfd { fd, events: libc::POLLIN, revents: 0 };
    loop {
        let mut fds = [poll(terminal), poll(quit)];
        // SAFETY: the array outlives the call and its length is given.
        let ready = unsafe { libc::poll(fds.as_mut_ptr(), 2, -1) };
        match ready {
            _ if ready < 0 && io::Error::last_os_error().kind() == io::ErrorKind::Interrupted => {}
            _ if ready < 0 || fds[1].revents != 0 => return false,
            _ if fds[0].revents != 0 => return true,
            _ => {}
        }
    }
}

fn read(terminal: RawFd) -> Option<Vec<u8>> {
    let mut bytes = vec![0; 1 << 16];
    let mut source = Borrowed(terminal);
    loop {
        match source.read(&mut bytes) {
            Ok(0) => return None,
            Ok(n) => {
                bytes.truncate(n);
                bytes.shrink_to_fit();
                return Some(bytes);
            }
            Err(e) if matches!(e.kind(), io::ErrorKind::Interrupted | io::ErrorKind::WouldBlock) => {}
            Err(_) => return None,
        }
    }
}

/// A descriptor that somebody else closes.
struct Borrowed(RawFd);

impl Read for Borrowed {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        // SAFETY: the slice is valid for writes of its length.
        let n = unsafe { libc::read(self.0, into.as_mut_ptr().cast(), into.len()) };
        usize::try_from(n).map_err(|_| io::Error::last_os_error())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Write;

    #[tokio::test]
    async fn reads_until_the_end() {
        let (source, mut sink) = io::pipe().expect("a pipe");
        let mut reader = Reader::start(source.as_raw_fd()).expect("a thread");
        sink.write_all(b"abc").expect("room");
        assert_eq!(reader.next().await.map(|c| c.bytes), Some(b"abc".to_vec()));
        reader.pause();
        sink.write_all(b"for somebody else").expect("room");
        reader.resume().expect("a thread");
        assert_eq!(reader.next().await.map(|c| c.bytes), Some(b"for somebody else".to_vec()), "it was left alone");
        drop(sink);
        assert!(reader.next().await.is_none());
    }
}
