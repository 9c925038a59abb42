//! The advisory lock of a session: `<file>.lock`, held by the process that has it open for writing.
//!
//! The operating system holds the lock, so it ends with its process and a file left behind means nothing; what is
//! written in it (pid and host) is only for the message. The holder removes the file before it lets go, and whoever
//! gets a lock makes sure that the file still is the one at that path. The same comparison tells a holder that its
//! lock file was replaced or removed.

use serde::{Deserialize, Serialize};
use std::{
    fmt,
    fs::{self, File, OpenOptions, TryLockError},
    io::{self, Read, Write},
    path::{Path, PathBuf},
    thread,
    time::Duration,
};

/// Who holds a lock. A pid of 0 is unknown.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Holder {
    pub pid: u32,
    pub host: String,
}

impl fmt::Display for Holder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.pid {
            0 => f.write_str("another process"),
            pid => write!(f, "process {pid} on {}", self.host),
        }
    }
}

#[derive(Debug, thiserror::Error)]
pub enum LockError {
    #[error("the session is open in {0}")]
    Locked(Holder),
    #[error(transparent)]
    Io(#[from] io::Error),
}

/// A held lock. Dropping it releases it as far as possible; `release` says whether it was.
#[derive(Debug)]
pub struct Lock {
    path: PathBuf,
    /// None once released.
    file: Option<File>,
}

/// A listing looks at locks by trying them for a moment, so one refusal is not believed.
const ATTEMPTS: u32 = 4;
const PAUSE: Duration = Duration::from_millis(4);

impl Lock {
    /// Takes the lock of a session file. A lock file that a dead process left is taken over. Waits a few milliseconds
    /// at the most.
    pub fn acquire(session: &Path) -> Result<Lock, LockError> {
        let path = path_of(session);
        let mut refused = Err(LockError::Io(io::Error::other("the lock file is no plain file")));
        for _ in 0..ATTEMPTS {
            let file = open(&path)?;
            match file.try_lock() {
                Ok(()) if is_at(&file, &path)? => {
                    let lock = Lock { path, file: Some(file) };
                    lock.sign();
                    return Ok(lock);
                }
                // Its last holder removed it between our opening and locking it.
                Ok(()) => {}
                Err(TryLockError::WouldBlock) => {
                    refused = Err(LockError::Locked(signature(&path)));
                    thread::sleep(PAUSE);
                }
                Err(TryLockError::Error(error)) => return Err(error.into()),
            }
        }
        refused
    }

    /// Whether the lock file still is ours.
    pub fn is_held(&self) -> io::Result<bool> {
        self.file.as_ref().map_or(Ok(false), |file| is_at(file, &self.path))
    }

    /// Removes the lock file, then lets go. After an error the lock is still held and it can be called again. A file
    /// that somebody put in its place is left alone.
    pub fn release(&mut self) -> io::Result<()> {
        if self.is_held()? {
            match fs::remove_file(&self.path) {
                Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
                _ => {}
            }
        }
        self.file = None;
        Ok(())
    }

    /// Writes who holds it. On a full disk it stays unsigned, and still is a lock.
    fn sign(&self) {
        let Some(mut file) = self.file.as_ref() else { return };
        let holder = Holder { pid: std::process::id(), host: host() };
        let text = serde_json::to_vec(&holder).unwrap_or_default();
        let signed = file.set_len(0).and_then(|()| file.write_all(&text));
        if let Err(error) = signed {
            tracing::debug!(%error, "a lock file stays unsigned");
        }
    }
}

impl Drop for Lock {
    fn drop(&mut self) {
        if let Err(error) = self.release() {
            tracing::warn!(%error, path = %self.path.display(), "cannot remove a lock file");
        }
    }
}

/// `<file>.lock`.
pub fn path_of(session: &Path) -> PathBuf {
    let mut path = session.as_os_str().to_owned();
    path.push(".lock");
    path.into()
}

/// Who has the session open, if anybody.
pub fn holder(session: &Path) -> Option<Holder> {
    let path = path_of(session);
    let file = File::open(&path).ok()?;
    match file.try_lock_shared() {
        Err(TryLockError::WouldBlock) => Some(signature(&path)),
        _ => None,
    }
}

fn open(path: &Path) -> io::Result<File> {
    let mut options = OpenOptions::new();
    options.read(true).write(true).create(true).truncate(false);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options.open(path)
}

#[cfg(unix)]
fn is_at(file: &File, path: &Path) -> io::Result<bool> {
    use std::os::unix::fs::MetadataExt;
    let ours = file.metadata()?;
    match fs::symlink_metadata(path) {
        Ok(there) => Ok((there.dev(), there.ino()) == (ours.dev(), ours.ino())),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(false),
        Err(error) => Err(error),
    }
}

#[cfg(not(unix))]
fn is_at(_: &File, path: &Path) -> io::Result<bool> {
    path.try_exists()
}

/// What a lock file says. Its holder may be about to write it.
fn signature(path: &Path) -> Holder {
    for _ in 0..ATTEMPTS {
        let mut text = Vec::new();
        let read = File::open(path).and_then(|file| file.take(4096).read_to_end(&mut text));
        if let (Ok(_), Ok(holder)) = (read, serde_json::from_slice(&text)) {
            return holder;
        }
        thread::sleep(PAUSE);
    }
    Holder::default()
}

#[cfg(unix)]
fn host() -> String {
    let mut name = [0u8; 256];
    // SAFETY: the buffer is ours and its length is told; the last byte stays 0 whatever is written.
    let failed = unsafe { libc::gethostname(name.as_mut_ptr().cast(), name.len() - 1) } != 0;
    let end = name.iter().position(|b| *b == 0).unwrap_or(0);
    if failed { "this host".into() } else { String::from_utf8_lossy(&name[..end]).into_owned() }
}

#[cfg(not(unix))]
fn host() -> String {
    "this host".into()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn session() -> (tempfile::TempDir, PathBuf) {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("s.jsonl");
        (folder, path)
    }

    #[test]
    fn a_second_opener_hears_who_has_it() {
        let (_folder, path) = session();
        let mut lock = Lock::acquire(&path).unwrap();
        let Err(LockError::Locked(holder)) = Lock::acquire(&path) else { panic!("not refused") };
        assert_eq!(holder.pid, std::process::id());
        assert!(!holder.host.is_empty());
        assert_eq!(super::holder(&path), Some(holder));
        lock.release().unwrap();
        assert!(!path_of(&path).exists());
        assert_eq!(super::holder(&path), None);
        Lock::acquire(&path).unwrap();
    }

    #[test]
    fn r06_a_lock_of_a_dead_process_is_recovered() {
        let (_folder, path) = session();
        fs::write(path_of(&path), r#"{"pid":4194303,"host":"x","and a longer":"text than ours will ever be, by far"}"#)
            .unwrap();
        assert_eq!(holder(&path), None);
        let lock = Lock::acquire(&path).unwrap();
        assert!(lock.is_held().unwrap());
        assert_eq!(signature(&path_of(&path)).pid, std::process::id());
    }

    #[test]
    fn a_removed_or_replaced_lock_file_is_noticed_and_left_alone() {
        let (_folder, path) = session();
        let mut lock = Lock::acquire(&path).unwrap();
        fs::remove_file(path_of(&path)).unwrap();
        assert!(!lock.is_held().unwrap());
        fs::write(path_of(&path), "somebody else's").unwrap();
        assert!(!lock.is_held().unwrap());
        lock.release().unwrap();
        assert!(path_of(&path).exists());
    }
}
