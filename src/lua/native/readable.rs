//! Opening what can be read to its end, and giving up on it when nobody wants it any more.
//!
//! Work on the disk runs on threads that can't be ended from outside: it looks at a token between two steps. What may
//! never give a byte, a FIFO or a terminal, isn't opened at all.

use super::{files::kind, places::Places};
use std::fs::{self, File, Metadata, OpenOptions};
use std::io::{self, Read, Seek, SeekFrom};
use std::os::{fd::AsRawFd, unix::fs::OpenOptionsExt};
use std::path::{Path, PathBuf};
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
    /// `skip`: folders and files that are not to be read, without links.
    pub fn open(
        path: &Path,
        bounded: bool,
        skip: &Places,
        stop: &'a CancellationToken,
    ) -> io::Result<(Self, Metadata)> {
        check(path, &fs::metadata(path)?, bounded)?;
        let file = at_once(path)?;
        // A moment ago it may have been another.
        let meta = file.metadata()?;
        check(path, &meta, bounded)?;
        outside(&file, skip)?;
        Ok((Readable { file, stop }, meta))
    }
}

/// Opens a file; a FIFO that has taken its place in the meantime is no reason to wait.
pub fn at_once(path: &Path) -> io::Result<File> {
    OpenOptions::new().read(true).custom_flags(libc::O_NONBLOCK | libc::O_NOCTTY).open(path)
}

fn check(path: &Path, meta: &Metadata, bounded: bool) -> io::Result<()> {
    if meta.is_dir() {
        return Err(io::Error::from(io::ErrorKind::IsADirectory));
    }
    let known = if bounded { &DEVICES[..] } else { &DEVICES[..1] };
    match meta.is_file() || known.iter().any(|device| path == Path::new(device)) {
        true => Ok(()),
        false => Err(no_file(meta)),
    }
}

/// An error for an open file that lies in one of the places. Whatever the path was that led to it, it may have led
/// elsewhere a moment ago.
pub fn outside(file: &File, skip: &Places) -> io::Result<()> {
    if skip.is_empty() {
        return Ok(());
    }
    let real = place(file)?;
    match skip.hold(&real) {
        true => Err(io::Error::other(format!("it leads to {}, which is not to be read", real.display()))),
        false => Ok(()),
    }
}

#[cfg(not(target_os = "macos"))]
fn place(file: &File) -> io::Result<PathBuf> {
    fs::read_link(format!("/proc/self/fd/{}", file.as_raw_fd()))
}

#[cfg(target_os = "macos")]
fn place(file: &File) -> io::Result<PathBuf> {
    use std::os::unix::ffi::OsStrExt;
    let mut path = [0u8; libc::PATH_MAX as usize];
    // SAFETY: the call writes a C string of at most PATH_MAX bytes.
    if unsafe { libc::fcntl(file.as_raw_fd(), libc::F_GETPATH, path.as_mut_ptr()) } < 0 {
        return Err(io::Error::last_os_error());
    }
    let end = path.iter().position(|b| *b == 0).unwrap_or(path.len());
    Ok(PathBuf::from(std::ffi::OsStr::from_bytes(&path[..end])))
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_link_that_leads_elsewhere_by_now_is_not_read() {
        let folder = tempfile::tempdir().expect("a folder");
        let folder = folder.path().canonicalize().expect("it exists");
        fs::create_dir_all(folder.join("secret")).expect("a folder");
        fs::write(folder.join("secret/key"), "SECRET").expect("a file");
        fs::write(folder.join("plain"), "x").expect("a file");
        std::os::unix::fs::symlink("secret", folder.join("link")).expect("a link");
        let (skip, on) = (Places::from_iter([folder.join("secret")]), CancellationToken::new());
        let open = |name: &str| Readable::open(&folder.join(name), false, &skip, &on).map(drop);
        assert!(open("plain").is_ok());
        for name in ["secret/key", "link/key"] {
            let error = open(name).expect_err("it is not to be read").to_string();
            assert!(error.contains("/secret/key, which is not to be read"), "{error}");
        }
    }
}
