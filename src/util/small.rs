//! Small files that somebody else may have put there: git's, settings, instructions.
//!
//! A sandboxed command can leave a pipe, a link to a device or a disk full of zeros where the program expects a few lines.
//! Opening never waits for another process, nothing but a plain file is read, and of that no more than `LIMIT`.

use std::{
    fs::{File, OpenOptions},
    io::{self, Read},
    os::unix::fs::OpenOptionsExt,
    path::Path,
};

/// Bytes of a file that counts as small.
pub const LIMIT: u64 = 1 << 20;

/// All of it. A larger file is an error (`FileTooLarge`), and so is what is no file (`InvalidInput`).
pub fn read(path: &Path) -> io::Result<Vec<u8>> {
    all(open(path, 0)?)
}

/// The same, of the path itself: a link is an error.
pub fn read_itself(path: &Path) -> io::Result<Vec<u8>> {
    all(open(path, libc::O_NOFOLLOW)?)
}

/// `read` as text; other bytes than UTF-8 are an error (`InvalidData`).
pub fn text(path: &Path) -> io::Result<String> {
    String::from_utf8(read(path)?).map_err(|e| io::Error::new(io::ErrorKind::InvalidData, e.utf8_error()))
}

/// The beginning of a file of any size: at most so many bytes.
pub fn beginning(path: &Path, most: u64) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    open(path, 0)?.take(most).read_to_end(&mut bytes)?;
    Ok(bytes)
}

/// A descriptor of a plain file. What it is gets asked of the descriptor: the path may lead elsewhere a moment later.
fn open(path: &Path, flags: i32) -> io::Result<File> {
    let flags = flags | libc::O_NONBLOCK | libc::O_NOCTTY;
    let file = OpenOptions::new().read(true).custom_flags(flags).open(path)?;
    match file.metadata()?.is_file() {
        true => Ok(file),
        false => Err(io::Error::new(io::ErrorKind::InvalidInput, "it is no plain file")),
    }
}

fn all(file: File) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    file.take(LIMIT + 1).read_to_end(&mut bytes)?;
    match bytes.len() as u64 > LIMIT {
        true => Err(io::Error::new(io::ErrorKind::FileTooLarge, format!("it has more than {LIMIT} bytes"))),
        false => Ok(bytes),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::{ffi::CString, os::unix::ffi::OsStrExt, os::unix::fs::symlink};

    #[test]
    fn pipes_devices_and_large_files_are_errors_at_once() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let at = |name: &str| folder.path().join(name);
        let pipe = CString::new(at("pipe").as_os_str().as_bytes()).expect("no zero");
        // SAFETY: the path is a C string that outlives the call.
        assert_eq!(unsafe { libc::mkfifo(pipe.as_ptr(), 0o600) }, 0);
        symlink("/dev/zero", at("endless")).expect("a link");
        symlink("fine", at("link")).expect("a link");
        std::fs::write(at("fine"), "text").expect("a file");
        std::fs::write(at("bytes"), b"\xff").expect("a file");
        File::create(at("large")).and_then(|f| f.set_len(LIMIT + 1)).expect("a file");
        let kind = |result: io::Result<Vec<u8>>| result.map_err(|e| e.kind());
        assert_eq!(kind(read(&at("pipe"))), Err(io::ErrorKind::InvalidInput));
        assert_eq!(kind(read(&at("endless"))), Err(io::ErrorKind::InvalidInput));
        assert_eq!(kind(read(folder.path())), Err(io::ErrorKind::InvalidInput));
        assert_eq!(kind(read(&at("large"))), Err(io::ErrorKind::FileTooLarge));
        assert_eq!(kind(read(&at("link"))), Ok(b"text".to_vec()));
        assert!(read_itself(&at("link")).is_err());
        assert_eq!(text(&at("bytes")).map_err(|e| e.kind()), Err(io::ErrorKind::InvalidData));
        assert_eq!(beginning(&at("large"), 3).expect("bytes"), [0; 3]);
        assert!(beginning(&at("pipe"), 3).is_err());
    }
}
