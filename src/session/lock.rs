//! The advisory lock of a session: `<file>.lock`, held by the process that has it open for writing.
//!
//! The operating system holds the lock, so it ends with its process and a file left behind means nothing; what is
//! written in it (pid, host, and where the holder takes requests) is only for whoever is refused. The holder removes the
//! file before it lets go, and whoever gets a lock makes sure that the file still is the one at that path. The same
//! comparison tells a holder that its lock file was replaced or removed. A look that fails is an error: it means neither
//! that the lock is held nor that it is lost.

use serde::{Deserialize, Serialize};
use std::{
    fmt,
    fs::{self, File, OpenOptions, TryLockError},
    io::{self, Read, Write},
    path::{Path, PathBuf},
    thread,
    time::Duration,
};

/// Who holds a lock, as the holder wrote it down. A pid of 0 is unknown.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Holder {
    pub pid: u32,
    pub host: String,
    /// The unix socket at which the holder takes requests (also the one to hand the session over), if it has one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub socket: Option<PathBuf>,
}

impl Holder {
    /// This process.
    fn own(socket: Option<&Path>) -> Holder {
        Holder { pid: std::process::id(), host: host(), socket: socket.map(Path::to_owned) }
    }

    /// Whether it runs on this machine, so that its pid means something here.
    pub fn is_here(&self) -> bool {
        self.host == host()
    }

    /// Surely not alive. What cannot be told is taken for alive.
    #[cfg(unix)]
    fn is_dead(&self) -> bool {
        let Some(pid) = libc::pid_t::try_from(self.pid).ok().filter(|pid| *pid > 0 && self.is_here()) else {
            return false;
        };
        // SAFETY: signal 0 asks only whether there is such a process.
        let gone = unsafe { libc::kill(pid, 0) } != 0;
        gone && io::Error::last_os_error().raw_os_error() == Some(libc::ESRCH)
    }

    #[cfg(not(unix))]
    fn is_dead(&self) -> bool {
        false
    }
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
    spot: Spot,
    /// None once released.
    file: Option<File>,
}

/// Where a held lock lies: enough to see from another thread whether its file still is there.
#[derive(Debug, Clone)]
pub struct Spot {
    path: PathBuf,
    /// Device and inode.
    #[cfg(unix)]
    file: (u64, u64),
}

/// A listing looks at locks by trying them for a moment, so one refusal is not believed.
const ATTEMPTS: u32 = 4;
const PAUSE: Duration = Duration::from_millis(4);
/// A process that was killed while it started another leaves its lock to that one for a moment.
const LAST_BREATHS: u32 = 250;

impl Lock {
    /// Takes the lock of a session file. A lock file that a dead process left is taken over. Waits a few milliseconds,
    /// or a second where the holder has died and its lock is about to go. `socket`: where this process takes requests, for whoever is refused.
    pub fn acquire(session: &Path, socket: Option<&Path>) -> Result<Lock, LockError> {
        let path = path_of(session);
        for attempt in 1.. {
            let file = open(&path)?;
            match file.try_lock() {
                Ok(()) => {
                    let lock = Lock { spot: Spot::of(&file, &path)?, file: Some(file) };
                    // Else its last holder removed it between our opening and locking it.
                    if lock.is_held()? {
                        lock.sign(&Holder::own(socket));
                        return Ok(lock);
                    }
                }
                Err(TryLockError::WouldBlock) => {
                    let holder = signature(&path);
                    if attempt >= if holder.is_dead() { LAST_BREATHS } else { ATTEMPTS } {
                        return Err(LockError::Locked(holder));
                    }
                    thread::sleep(PAUSE);
                }
                Err(TryLockError::Error(error)) => return Err(error.into()),
            }
            if attempt >= LAST_BREATHS {
                break;
            }
        }
        Err(LockError::Io(io::Error::other("the lock file changes all the time")))
    }

    /// Whether the lock file still is ours.
    pub fn is_held(&self) -> io::Result<bool> {
        self.file.as_ref().map_or(Ok(false), |_| self.spot.is_ours())
    }

    pub fn spot(&self) -> Spot {
        self.spot.clone()
    }

    /// Removes the lock file, then lets go. After an error the lock is still held and it can be called again. A file
    /// that somebody put in its place is left alone.
    pub fn release(&mut self) -> io::Result<()> {
        if self.is_held()? {
            match fs::remove_file(&self.spot.path) {
                Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
                _ => {}
            }
        }
        self.file = None;
        Ok(())
    }

    /// Writes who holds it. On a full disk it stays unsigned, and still is a lock.
    fn sign(&self, holder: &Holder) {
        let Some(mut file) = self.file.as_ref() else { return };
        let text = serde_json::to_vec(holder).unwrap_or_default();
        let signed = file.set_len(0).and_then(|()| file.write_all(&text));
        if let Err(error) = signed {
            tracing::debug!(%error, "a lock file stays unsigned");
        }
    }
}

impl Drop for Lock {
    fn drop(&mut self) {
        if let Err(error) = self.release() {
            tracing::warn!(%error, path = %self.spot.path.display(), "cannot remove a lock file");
        }
    }
}

/// `<file>.lock`.
pub fn path_of(session: &Path) -> PathBuf {
    let mut path = session.as_os_str().to_owned();
    path.push(".lock");
    path.into()
}

/// Who has the session open, if anybody. An error: that cannot be told.
pub fn holder(session: &Path) -> io::Result<Option<Holder>> {
    let path = path_of(session);
    let file = match File::open(&path) {
        Ok(file) => file,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(error),
    };
    match file.try_lock_shared() {
        Ok(()) => Ok(None),
        Err(TryLockError::WouldBlock) => Ok(Some(signature(&path))),
        Err(TryLockError::Error(error)) => Err(error),
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
impl Spot {
    fn of(file: &File, path: &Path) -> io::Result<Spot> {
        use std::os::unix::fs::MetadataExt;
        let ours = file.metadata()?;
        Ok(Spot { path: path.to_owned(), file: (ours.dev(), ours.ino()) })
    }

    /// Whether the file at the path still is the locked one.
    pub fn is_ours(&self) -> io::Result<bool> {
        use std::os::unix::fs::MetadataExt;
        match fs::symlink_metadata(&self.path) {
            Ok(there) => Ok((there.dev(), there.ino()) == self.file),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(false),
            Err(error) => Err(error),
        }
    }
}

#[cfg(not(unix))]
impl Spot {
    fn of(_: &File, path: &Path) -> io::Result<Spot> {
        Ok(Spot { path: path.to_owned() })
    }

    pub fn is_ours(&self) -> io::Result<bool> {
        self.path.try_exists()
    }
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
        let mut lock = Lock::acquire(&path, None).unwrap();
        let Err(LockError::Locked(holder)) = Lock::acquire(&path, None) else { panic!("not refused") };
        assert_eq!(holder.pid, std::process::id());
        assert!(!holder.host.is_empty());
        assert_eq!(super::holder(&path).unwrap(), Some(holder));
        lock.release().unwrap();
        assert!(!path_of(&path).exists());
        assert_eq!(super::holder(&path).unwrap(), None);
        Lock::acquire(&path, None).unwrap();
    }

    #[test]
    fn r06_a_lock_of_a_dead_process_is_recovered() {
        let (_folder, path) = session();
        fs::write(path_of(&path), r#"{"pid":4194303,"host":"x","and a longer":"text than ours will ever be, by far"}"#)
            .unwrap();
        assert_eq!(holder(&path).unwrap(), None);
        let lock = Lock::acquire(&path, None).unwrap();
        assert!(lock.is_held().unwrap());
        assert_eq!(signature(&path_of(&path)).pid, std::process::id());
    }

    #[test]
    fn a_removed_or_replaced_lock_file_is_noticed_and_left_alone() {
        let (_folder, path) = session();
        let mut lock = Lock::acquire(&path, None).unwrap();
        fs::remove_file(path_of(&path)).unwrap();
        assert!(!lock.is_held().unwrap());
        fs::write(path_of(&path), "somebody else's").unwrap();
        assert!(!lock.is_held().unwrap());
        lock.release().unwrap();
        assert!(path_of(&path).exists());
    }

    #[test]
    fn the_second_opener_reads_where_the_holder_takes_requests() {
        let (_folder, path) = session();
        let socket = Path::new("/run/panto/1.sock");
        let _lock = Lock::acquire(&path, Some(socket)).unwrap();
        let holder = holder(&path).unwrap().unwrap();
        assert_eq!((holder.socket.as_deref(), holder.is_here()), (Some(socket), true));
    }

    #[test]
    fn a_holder_on_another_host_is_named_with_it() {
        let (_folder, path) = session();
        let far = Holder { pid: std::process::id(), host: "build-7".into(), socket: None };
        let _held = Lock::acquire(&path, None).unwrap();
        fs::write(path_of(&path), serde_json::to_vec(&far).unwrap()).unwrap();
        let Err(LockError::Locked(holder)) = Lock::acquire(&path, None) else { panic!("not refused") };
        assert_eq!(holder.to_string(), format!("process {} on build-7", std::process::id()));
        assert!(!holder.is_here());
    }

    #[cfg(unix)]
    #[test]
    fn a_look_that_fails_is_an_error_and_a_failed_release_can_be_tried_again() {
        let (folder, _) = session();
        let inner = folder.path().join("inner");
        fs::create_dir(&inner).unwrap();
        let path = inner.join("s.jsonl");
        let mut lock = Lock::acquire(&path, None).unwrap();
        // A folder that leads nowhere stands for a disk that does not answer.
        fs::rename(&inner, folder.path().join("away")).unwrap();
        std::os::unix::fs::symlink("inner", &inner).unwrap();
        assert!(lock.is_held().is_err() && holder(&path).is_err());
        assert!(matches!(Lock::acquire(&path, None), Err(LockError::Io(_))));
        assert!(lock.release().is_err());
        fs::remove_file(&inner).unwrap();
        fs::rename(folder.path().join("away"), &inner).unwrap();
        assert!(lock.is_held().unwrap());
        lock.release().unwrap();
        assert!(!path_of(&path).exists());
    }
}
