//! A session file while it grows: appends that are either whole or not there.

use std::{
    fs::{self, DirBuilder, File, OpenOptions},
    io::{self, Read, Seek, SeekFrom, Write},
    path::Path,
};

/// A file open for appending.
pub struct Growing {
    file: File,
    /// Bytes after the last append of ours.
    length: u64,
    /// The last line lacks its LF.
    ragged: bool,
}

/// A place to go back to.
#[derive(Clone, Copy)]
pub struct Mark {
    length: u64,
    ragged: bool,
}

impl Growing {
    /// Makes a file that must not exist yet, mode 0600, with its folders, mode 0700.
    pub fn create(path: &Path) -> io::Result<Growing> {
        make_folder(path)?;
        let file = options().create_new(true).open(path)?;
        Ok(Growing { file, length: 0, ragged: false })
    }

    pub fn open(path: &Path) -> io::Result<Growing> {
        let mut file = options().open(path)?;
        let length = file.metadata()?.len();
        let ragged = !ends_in_lf(&mut file, length)?;
        Ok(Growing { file, length, ragged })
    }

    /// Where the file ends now.
    pub fn mark(&mut self) -> io::Result<Mark> {
        let length = self.file.metadata()?.len();
        if length != self.length {
            // Somebody else changed the file: no reason to trust its end.
            self.ragged = !ends_in_lf(&mut self.file, length)?;
            self.length = length;
        }
        Ok(Mark { length, ragged: self.ragged })
    }

    /// Appends whole lines, on a line of their own. After an error nothing of them is in the file.
    pub fn append(&mut self, lines: &[u8]) -> io::Result<()> {
        if lines.is_empty() {
            return Ok(());
        }
        let before = self.mark()?;
        let line_end: &[u8] = if self.ragged { b"\n" } else { b"" };
        let written = self.file.write_all(line_end).and_then(|()| self.file.write_all(lines));
        match written {
            Ok(()) => {
                self.length += (line_end.len() + lines.len()) as u64;
                self.ragged = false;
            }
            Err(_) => self.cut(before),
        }
        written
    }

    /// Takes back what was written since. Where that is not possible the next append starts on a fresh line.
    pub fn cut(&mut self, mark: Mark) {
        let length = self.file.metadata().map_or(mark.length, |m| m.len());
        if length > mark.length && self.file.set_len(mark.length).is_err() {
            (self.length, self.ragged) = (length, true);
        } else {
            (self.length, self.ragged) = (mark.length, mark.ragged);
        }
    }

    pub fn sync(&self) -> io::Result<()> {
        self.file.sync_data()
    }

    /// Puts the file back in its place when somebody has deleted it.
    pub fn revive(&mut self, path: &Path) -> io::Result<()> {
        if !is_deleted(&self.file)? || path.try_exists()? {
            return Ok(());
        }
        let mut copy = Growing::create(path)?;
        self.file.seek(SeekFrom::Start(0))?;
        let copied = io::copy(&mut self.file, &mut copy.file).and_then(|_| copy.file.sync_data());
        if let Err(error) = copied {
            fs::remove_file(path)?;
            return Err(error);
        }
        copy.ragged = self.ragged;
        copy.length = copy.file.metadata()?.len();
        *self = copy;
        Ok(())
    }

    /// Removes a file that nothing was ever written to.
    pub fn discard_empty(&self, path: &Path) {
        if self.file.metadata().is_ok_and(|m| m.len() == 0)
            && let Err(error) = fs::remove_file(path)
        {
            tracing::debug!(%error, "an empty session file stays");
        }
    }
}

/// Makes the folder of a file, and those above it that don't exist, for this user only.
pub fn make_folder(path: &Path) -> io::Result<()> {
    let Some(folder) = path.parent() else { return Ok(()) };
    let mut builder = DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(folder)
}

fn options() -> OpenOptions {
    let mut options = OpenOptions::new();
    options.read(true).append(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options
}

/// Whether a file of that length ends in LF, or is empty. Moves its position.
pub fn ends_in_lf(file: &mut File, length: u64) -> io::Result<bool> {
    if length == 0 {
        return Ok(true);
    }
    let mut last = [0];
    file.seek(SeekFrom::Start(length - 1))?;
    file.read_exact(&mut last)?;
    Ok(last == *b"\n")
}

#[cfg(unix)]
fn is_deleted(file: &File) -> io::Result<bool> {
    Ok(std::os::unix::fs::MetadataExt::nlink(&file.metadata()?) == 0)
}

#[cfg(not(unix))]
fn is_deleted(_: &File) -> io::Result<bool> {
    Ok(false)
}
