//! A descriptor of somebody's event loop that gets a byte whenever there is something to read.

use std::{
    io,
    os::fd::{AsRawFd, FromRawFd, OwnedFd, RawFd},
};

/// A copy of the descriptor: its owner may close it at any time without another file being written to.
#[derive(Debug)]
pub struct Wake(OwnedFd);

impl Wake {
    /// Takes a pipe's or a socket's writing end; it stays the caller's. An error says what is wrong with the number.
    pub fn new(descriptor: RawFd) -> io::Result<Wake> {
        if descriptor < 0 {
            return Err(io::Error::from(io::ErrorKind::InvalidInput));
        }
        // SAFETY: fcntl looks the number up; one that is no open descriptor is an error.
        let copy = unsafe { libc::fcntl(descriptor, libc::F_DUPFD_CLOEXEC, 3) };
        if copy < 0 {
            return Err(io::Error::last_os_error());
        }
        // SAFETY: the number was made just now, and nobody else has it.
        let copy = unsafe { OwnedFd::from_raw_fd(copy) };
        // SAFETY: both commands take and give flags of a descriptor that is open.
        let flags = unsafe { libc::fcntl(copy.as_raw_fd(), libc::F_GETFL) };
        // SAFETY: as above.
        if flags < 0 || unsafe { libc::fcntl(copy.as_raw_fd(), libc::F_SETFL, flags | libc::O_NONBLOCK) } < 0 {
            return Err(io::Error::last_os_error());
        }
        Ok(Wake(copy))
    }

    /// Writes one byte. A full pipe wakes its reader anyway, and a closed one has none: both are no errors.
    pub fn ring(&self) {
        // SAFETY: one byte is read from a constant. SIGPIPE is ignored in Rust programs.
        let sent = unsafe { libc::write(self.0.as_raw_fd(), b"!".as_ptr().cast(), 1) };
        if sent < 0 {
            tracing::trace!("a job's reader was not woken: {}", io::Error::last_os_error());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Read;

    #[test]
    fn r76_a_byte_arrives_and_neither_a_full_nor_a_closed_pipe_hurts() {
        let (mut reader, writer) = io::pipe().expect("a pipe");
        let wake = Wake::new(writer.as_raw_fd()).expect("a pipe's end");
        drop(writer);
        wake.ring();
        let mut byte = [0];
        reader.read_exact(&mut byte).expect("a byte");
        assert_eq!(&byte, b"!");
        (0..100_000).for_each(|_| wake.ring());
        drop(reader);
        wake.ring();
        assert!(Wake::new(-1).is_err() && Wake::new(1_000_000).is_err());
    }
}
