//! Spill files: output that does not fit into memory, or that goes on after the result was given.

use std::{
    fs::File,
    io::{self, Write},
    path::{Path, PathBuf},
    time::{Duration, SystemTime},
};

/// Bytes of one file; later ones are dropped.
const MAX_BYTES: u64 = 1 << 30;
/// Files of earlier runs are deleted after this time.
const KEEP: Duration = Duration::from_secs(7 * 24 * 3600);

/// A file below the spill folder that only the user may read.
pub struct Spill {
    path: PathBuf,
    file: File,
    written: u64,
    full: bool,
}

impl Spill {
    /// Makes the folder where needed, and deletes what is too old in it.
    pub fn create(folder: &Path) -> io::Result<Spill> {
        private_folder(folder)?;
        let file = tempfile::Builder::new().prefix("output-").suffix(".txt").tempfile_in(folder)?;
        let (file, path) = file.keep().map_err(|e| e.error)?;
        sweep(folder, SystemTime::now());
        Ok(Spill { path, file, written: 0, full: false })
    }

    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The file lacks what came after its limit, or after the disk was full.
    pub fn is_full(&self) -> bool {
        self.full
    }

    pub fn write(&mut self, bytes: &[u8]) {
        if self.full {
            return;
        }
        let room = usize::try_from(MAX_BYTES - self.written).unwrap_or(usize::MAX);
        let part = &bytes[..bytes.len().min(room)];
        self.full = part.len() < bytes.len() || self.file.write_all(part).is_err();
        self.written += part.len() as u64;
    }
}

#[cfg(unix)]
fn private_folder(folder: &Path) -> io::Result<()> {
    use std::os::unix::fs::DirBuilderExt;
    std::fs::DirBuilder::new().recursive(true).mode(0o700).create(folder)
}

/// Errors are of no interest: the next spill file tries again.
fn sweep(folder: &Path, now: SystemTime) {
    let old = |entry: &std::fs::DirEntry| {
        let modified = entry.metadata().and_then(|m| m.modified()).ok();
        modified.and_then(|m| now.duration_since(m).ok()).is_some_and(|age| age > KEEP)
    };
    for entry in std::fs::read_dir(folder).into_iter().flatten().flatten().filter(old) {
        _ = std::fs::remove_file(entry.path());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn private_and_swept() {
        use std::os::unix::fs::PermissionsExt;
        let dir = tempfile::tempdir().unwrap();
        let folder = dir.path().join("a/spill");
        let mut first = Spill::create(&folder).unwrap();
        first.write(b"text");
        assert_eq!(std::fs::metadata(first.path()).unwrap().permissions().mode() & 0o777, 0o600);
        assert_eq!(std::fs::read(first.path()).unwrap(), b"text");
        let old = SystemTime::now() - KEEP - Duration::from_secs(60);
        filetime::set_file_mtime(first.path(), old.into()).unwrap();
        let second = Spill::create(&folder).unwrap();
        assert!(!first.path().exists() && second.path().exists());
    }
}
