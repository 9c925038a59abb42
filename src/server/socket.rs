//! Where the server listens: a unix socket that only the user may open, in a folder that only the user may enter.
//!
//! A socket that a dead server left is replaced, and nothing else: whoever listens holds a lock beside it, and a socket
//! counts as dead only when the lock is free and nobody answers.

use std::{
    fs::{self, File, TryLockError},
    io,
    os::unix::fs::{DirBuilderExt, FileTypeExt, MetadataExt, PermissionsExt},
    os::unix::net::UnixStream,
    path::{Path, PathBuf},
};
use tokio::net::UnixListener;

/// Bytes of a path that the system takes for a socket.
pub const MOST: usize = 107;

/// Why nobody can listen there.
#[derive(Debug, thiserror::Error)]
pub enum SocketError {
    #[error(
        "the path of the socket has {0} bytes and may have {MOST}: choose another with --socket or [server] socket"
    )]
    TooLong(usize),
    #[error("{0} is something else than a socket and stays as it is: choose another path with --socket")]
    NotASocket(PathBuf),
    #[error("a server listens at {0} already: `panto attach` uses it")]
    InUse(PathBuf),
    #[error("a server holds {0}.lock, but its socket is gone, so nobody reaches it: end that server first")]
    Gone(PathBuf),
    #[error("cannot listen at {path}: {error}")]
    Io { path: PathBuf, error: io::Error },
}

/// A socket that is listened at. Dropping it removes it, if it still is this one.
pub struct Socket {
    pub listener: UnixListener,
    path: PathBuf,
    /// Device and inode.
    own: (u64, u64),
    _lock: File,
}

/// A folder that only the user may enter; one that is there keeps its mode.
pub fn make_private(folder: &Path) -> io::Result<()> {
    fs::DirBuilder::new().recursive(true).mode(0o700).create(folder)
}

pub fn check_length(path: &Path) -> Result<(), SocketError> {
    match path.as_os_str().len() {
        0..=MOST => Ok(()),
        longer => Err(SocketError::TooLong(longer)),
    }
}

impl Socket {
    /// Listens. Needs a tokio runtime with I/O.
    pub fn bind(path: &Path) -> Result<Socket, SocketError> {
        check_length(path)?;
        let failed = |error| SocketError::Io { path: path.to_owned(), error };
        if let Some(folder) = path.parent().filter(|folder| !folder.as_os_str().is_empty()) {
            make_private(folder).map_err(failed)?;
        }
        let lock = lock(path)?;
        clear(path)?;
        let listener = listen(path).map_err(failed)?;
        let own = identity(path).map_err(failed)?;
        Ok(Socket { listener, path: path.to_owned(), own, _lock: lock })
    }
}

/// The socket comes to its path when it is private and listened at, so that nobody finds it before.
fn listen(path: &Path) -> io::Result<UnixListener> {
    let early = path.with_file_name(format!(".{:x}", std::process::id()));
    let early = if early.as_os_str().len() <= MOST { early } else { path.to_owned() };
    if early != path && fs::symlink_metadata(&early).is_ok_and(|meta| meta.file_type().is_socket()) {
        // A process that had this number before was killed in the midst of it.
        fs::remove_file(&early)?;
    }
    let listener = UnixListener::bind(&early)?;
    let private = fs::set_permissions(&early, fs::Permissions::from_mode(0o600));
    let placed = private.and_then(|()| fs::rename(&early, path));
    if placed.is_err() {
        let _ = fs::remove_file(&early);
    }
    placed.map(|()| listener)
}

impl Drop for Socket {
    fn drop(&mut self) {
        if identity(&self.path).is_ok_and(|at| at == self.own) {
            let _ = fs::remove_file(&self.path);
            let _ = fs::remove_file(lock_path(&self.path));
        }
    }
}

fn identity(path: &Path) -> io::Result<(u64, u64)> {
    fs::symlink_metadata(path).map(|meta| (meta.dev(), meta.ino()))
}

fn lock_path(path: &Path) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(".lock");
    name.into()
}

/// Nobody else clears or binds meanwhile, and as long as the server lives.
fn lock(path: &Path) -> Result<File, SocketError> {
    let failed = |error| SocketError::Io { path: path.to_owned(), error };
    let at = lock_path(path);
    loop {
        let file = File::options().create(true).truncate(false).write(true).open(&at).map_err(failed)?;
        match file.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) if path.exists() => return Err(SocketError::InUse(path.to_owned())),
            Err(TryLockError::WouldBlock) => return Err(SocketError::Gone(path.to_owned())),
            Err(TryLockError::Error(error)) => return Err(failed(error)),
        }
        // Its last holder may have removed it between our opening and locking it.
        let here = file.metadata().map(|meta| (meta.dev(), meta.ino())).map_err(failed)?;
        if identity(&at).is_ok_and(|there| there == here) {
            return Ok(file);
        }
    }
}

/// Takes away a socket that nobody listens at.
fn clear(path: &Path) -> Result<(), SocketError> {
    let failed = |error| SocketError::Io { path: path.to_owned(), error };
    match fs::symlink_metadata(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
        Err(error) => return Err(failed(error)),
        Ok(meta) if !meta.file_type().is_socket() => return Err(SocketError::NotASocket(path.to_owned())),
        Ok(_) => {}
    }
    match UnixStream::connect(path) {
        Err(error) if error.kind() == io::ErrorKind::ConnectionRefused => fs::remove_file(path).map_err(failed),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
        Ok(_) => Err(SocketError::InUse(path.to_owned())),
        Err(error) => Err(failed(error)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn only_a_socket_that_is_proved_stale_is_replaced() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("new").join("s.sock");
        let first = Socket::bind(&path).unwrap();
        let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
        assert_eq!((mode(&path), mode(path.parent().unwrap())), (0o600, 0o700));
        assert!(matches!(Socket::bind(&path), Err(SocketError::InUse(_))));
        drop(first);
        assert!(!path.exists());

        drop(std::os::unix::net::UnixListener::bind(&path).unwrap());
        let again = Socket::bind(&path).expect("a dead one is replaced");
        drop(again);

        let living = std::os::unix::net::UnixListener::bind(&path).unwrap();
        assert!(matches!(Socket::bind(&path), Err(SocketError::InUse(_))), "somebody answers, whatever the lock says");
        drop(living);

        fs::remove_file(&path).unwrap();
        fs::write(&path, "PRECIOUS").unwrap();
        assert!(matches!(Socket::bind(&path), Err(SocketError::NotASocket(_))));
        assert_eq!(fs::read(&path).unwrap(), b"PRECIOUS");
    }

    #[tokio::test]
    async fn a_newer_socket_is_not_removed() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("s.sock");
        let first = Socket::bind(&path).unwrap();
        fs::rename(&path, folder.path().join("moved")).unwrap();
        let newer = std::os::unix::net::UnixListener::bind(&path).unwrap();
        drop(first);
        assert!(path.exists());
        drop(newer);
    }

    #[tokio::test]
    async fn a_path_of_more_than_107_bytes_is_named() {
        let long = Path::new("/tmp").join("x".repeat(MOST));
        assert!(Socket::bind(&long).err().expect("refused").to_string().contains("107"));
    }
}
