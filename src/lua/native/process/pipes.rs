//! Our ends of a child's output pipes.

use super::ProcessError;
use std::{io::PipeReader, os::fd::OwnedFd};
use tokio::{io::AsyncReadExt, net::unix::pipe::Receiver};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stream {
    Out,
    Err,
}

/// News of a pipe: so many bytes of it are in its buffer; none: it has ended.
#[derive(Debug, Clone, Copy)]
pub struct Chunk {
    pub stream: Stream,
    len: usize,
}

struct Pipe {
    receiver: Receiver,
    buffer: Vec<u8>,
}

/// Standard output and error of a child.
pub struct Pipes {
    out: Option<Pipe>,
    err: Option<Pipe>,
}

impl Pipes {
    pub fn new(out: PipeReader, err: Option<PipeReader>) -> Result<Self, ProcessError> {
        let err = err.map(open).transpose()?;
        Ok(Pipes { out: Some(open(out)?), err })
    }

    pub fn at_end(&self) -> bool {
        self.out.is_none() && self.err.is_none()
    }

    /// Waits for a chunk, and for ever when both pipes are at their end. Dropping the future loses nothing.
    pub async fn next(&mut self) -> Chunk {
        let (stream, len) = tokio::select! {
            len = read(&mut self.out) => (Stream::Out, len),
            len = read(&mut self.err) => (Stream::Err, len),
        };
        if len == 0 {
            *self.pipe(stream) = None;
        }
        Chunk { stream, len }
    }

    /// The bytes of the chunk that came last.
    pub fn bytes(&mut self, chunk: Chunk) -> &[u8] {
        self.pipe(chunk.stream).as_ref().map_or(&[], |p| &p.buffer[..chunk.len])
    }

    fn pipe(&mut self, stream: Stream) -> &mut Option<Pipe> {
        match stream {
            Stream::Out => &mut self.out,
            Stream::Err => &mut self.err,
        }
    }
}

fn open(reader: PipeReader) -> Result<Pipe, ProcessError> {
    let receiver = Receiver::from_owned_fd(OwnedFd::from(reader)).map_err(ProcessError::Pipe)?;
    Ok(Pipe { receiver, buffer: vec![0; 1 << 16] })
}

/// 0 at the end; a read error is an end, too.
async fn read(pipe: &mut Option<Pipe>) -> usize {
    match pipe {
        Some(pipe) => pipe.receiver.read(&mut pipe.buffer).await.unwrap_or(0),
        None => std::future::pending().await,
    }
}
