//! Opening what can be read to its end, and giving up on it when nobody wants it any more.
//!
//! Work on the disk runs on threads that can't be ended from outside: it looks at a token between two steps. What may
//! never give a byte, a FIFO or a terminal, isn't opened at all.

use super::files::kind;
use std::fs::{self, File, Metadata};
use std::io::{self, Read, Seek, SeekFrom};
use std::path::Path;
use tokio_util::sync::CancellationToken;

/// Devices that answer at once; all but the first for ever.
const DEVICES: [&str; 5] = ["/dev/null", "/dev/zero", "/dev/full", "/dev/random", "/dev/urandom"];

/// A file whose reads fail once the token is cancelled.
pub struct Readable<'a> {
    file: File,
    stop: &'a CancellationToken,
}

impl<'a> Readable<'a> {
    /// `bounded`: no more than some bytes are wanted, so that an endless device will do.
    pub fn open(path: &Path, bounded: bool, stop: &'a CancellationToken) -> io::Result<(Self, Metadata)> {
        let meta = fs::metadata(path)?;
        if meta.is_dir() {
            return Err(io::Error::from(io::ErrorKind::IsADirectory));
        }
        let known = if bounded { &DEVICES[..] } else { &DEVICES[..1] };
        if !meta.is_file() && !known.iter().any(|device| path == Path::new(device)) {
            return Err(no_file(&meta));
        }
        Ok((Readable { file: File::open(path)?, stop }, meta))
    }
}

/// What is said of a FIFO, a socket or a device where a file is wanted.
pub fn no_file(meta: &Metadata) -> io::Error {
    io::Error::other(format!("it is a {}, not a file", kind(meta.file_type())))
}

/// An error once nobody waits for the work any more.
pub fn wanted(stop: &CancellationToken) -> io::Result<()> {
    // Not `Interrupted`: that is tried again.
    if stop.is_cancelled() { Err(io::Error::other("nobody waits for it any more")) } else { Ok(()) }
}

impl Read for Readable<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        wanted(self.stop)?;
        self.file.read(buffer)
    }
}

impl Seek for Readable<'_> {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        self.file.seek(to)
    }
}
