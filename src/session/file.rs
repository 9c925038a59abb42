//! A session file while it grows: appends that are either whole or not there.

use std::{
    fs::{self, DirBuilder, File, FileTimes, OpenOptions},
    io::{self, Read, Seek, SeekFrom, Write},
    path::{Path, PathBuf},
    time::SystemTime,
};
use tempfile::NamedTempFile;

/// A file open for appending.
pub struct Growing {
    file: File,
    /// Bytes after the last append of ours.
    length: u64,
    /// The last line lacks its LF.
    ragged: bool,
    /// What was appended since the disk was known to have all, with its place.
    loose: Vec<(u64, Vec<u8>)>,
    /// The disk failed to take it: nobody knows what of it is there.
    doubtful: bool,
    /// Its folder, until the disk is known to have its name in it.
    unnamed: Option<PathBuf>,
}

/// A place to go back to.
#[derive(Clone, Copy)]
pub struct Mark {
    length: u64,
    ragged: bool,
}

impl Growing {
    /// Makes a file that must not exist yet, mode 0600, with its folders, mode 0700. It appears with what `fill` has
    /// written, whole lines, or not at all: a crash leaves no file without its header.
    pub fn create(path: &Path, fill: impl FnOnce(&mut File) -> io::Result<()>) -> io::Result<Growing> {
        let draft = draft(path, fill)?;
        draft.persist_noclobber(path).map_err(|e| e.error)?;
        Ok(Growing { unnamed: path.parent().map(Path::to_owned), ..Growing::open(path)? })
    }

    pub fn open(path: &Path) -> io::Result<Growing> {
        let mut file = options().open(path)?;
        let length = file.metadata()?.len();
        let ragged = !ends_in_lf(&mut file, length)?;
        Ok(Growing { file, length, ragged, loose: vec![], doubtful: false, unnamed: None })
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
                self.loose.push((before.length, [line_end, lines].concat()));
                self.length += (line_end.len() + lines.len()) as u64;
                self.ragged = false;
            }
            Err(_) => self.cut(before),
        }
        written
    }

    /// Takes back what an append has written. Where that is not possible the next append starts on a fresh line.
    fn cut(&mut self, mark: Mark) {
        let length = self.file.metadata().map_or(mark.length, |m| m.len());
        if length > mark.length && self.file.set_len(mark.length).is_err() {
            (self.length, self.ragged) = (length, true);
        } else {
            (self.length, self.ragged) = (mark.length, mark.ragged);
        }
    }

    /// Brings all to the disk. Where that fails the bytes stay: they are acknowledged, and whoever reads the file finds
    /// them. But the system takes them for written from then on, so the next time they are written once more.
    pub fn sync(&mut self, path: &Path) -> io::Result<()> {
        if self.doubtful {
            self.write_again(path)?;
        }
        if let Err(error) = self.file.sync_data() {
            self.doubtful = true;
            return Err(error);
        }
        self.doubtful = false;
        self.loose.clear();
        if let Some(folder) = &self.unnamed {
            File::open(folder)?.sync_all()?;
            self.unnamed = None;
        }
        Ok(())
    }

    /// Writes what the disk may lack over itself: in no moment is anything of it missing, and nothing is there twice. A
    /// file that was moved away cannot be reached so, and is only flushed.
    fn write_again(&mut self, path: &Path) -> io::Result<()> {
        if !matches!(place(&self.file, path)?, Place::Here) {
            return Ok(());
        }
        let length = self.file.metadata()?.len();
        let mut over = OpenOptions::new().write(true).open(path)?;
        // What somebody has cut off meanwhile stays away.
        for (at, bytes) in self.loose.iter().filter(|(at, bytes)| at + bytes.len() as u64 <= length) {
            over.seek(SeekFrom::Start(*at))?;
            over.write_all(bytes)?;
        }
        Ok(())
    }

    /// Follows what others did to the file at the path: one that was deleted is put back, and where another took its
    /// place (an editor saves so) that one goes on. A file that was only moved away stays the one that is written.
    pub fn revive(&mut self, path: &Path) -> io::Result<()> {
        match place(&self.file, path)? {
            Place::Here | Place::Moved => Ok(()),
            Place::Replaced => {
                *self = Growing::open(path)?;
                Ok(())
            }
            Place::Deleted => self.put_back(path),
        }
    }

    fn put_back(&mut self, path: &Path) -> io::Result<()> {
        self.file.seek(SeekFrom::Start(0))?;
        *self = Growing::create(path, |copy| {
            io::copy(&mut self.file, copy)?;
            copy.sync_data()
        })?;
        Ok(())
    }
}

/// Writes a file whole, synced, in the place of one that may be there.
pub fn replace(path: &Path, fill: impl FnOnce(&mut File) -> io::Result<()>) -> io::Result<()> {
    let draft = draft(path, fill)?;
    draft.as_file().sync_all()?;
    draft.persist(path).map_err(|e| e.error)?;
    Ok(())
}

/// Gives a file back the time of its latest activity. Where that fails it only counts as newer than it is.
pub fn keep_time(path: &Path, at: io::Result<SystemTime>) {
    let times = at.map(|at| FileTimes::new().set_modified(at));
    let kept = times.and_then(|times| OpenOptions::new().append(true).open(path)?.set_times(times));
    if let Err(error) = kept {
        tracing::warn!(%error, "the time of a session's latest activity is not kept");
    }
}

/// What will be a file, under another name in its folder.
fn draft(path: &Path, fill: impl FnOnce(&mut File) -> io::Result<()>) -> io::Result<NamedTempFile> {
    make_folder(path)?;
    let folder = path.parent().unwrap_or(Path::new("."));
    let mut draft = tempfile::Builder::new().prefix(".new-").tempfile_in(folder)?;
    fill(draft.as_file_mut())?;
    Ok(draft)
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

/// Where an open file is, seen from the path that it had.
enum Place {
    Here,
    /// Another file is at the path.
    Replaced,
    /// Nothing is at the path, and the file has another name.
    Moved,
    Deleted,
}

#[cfg(unix)]
fn place(file: &File, path: &Path) -> io::Result<Place> {
    use std::os::unix::fs::MetadataExt;
    let ours = file.metadata()?;
    match fs::metadata(path) {
        Ok(there) if (there.dev(), there.ino()) == (ours.dev(), ours.ino()) => Ok(Place::Here),
        Ok(_) => Ok(Place::Replaced),
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
        Err(_) if ours.nlink() == 0 => Ok(Place::Deleted),
        Err(_) => Ok(Place::Moved),
    }
}

#[cfg(not(unix))]
fn place(_: &File, _: &Path) -> io::Result<Place> {
    Ok(Place::Here)
}

/// Opens a plain file for reading: a pipe or a device of that name would be waited for.
pub fn read(path: &Path) -> io::Result<File> {
    if !std::fs::metadata(path)?.is_file() {
        return Err(io::Error::new(io::ErrorKind::InvalidInput, "this is no plain file"));
    }
    File::open(path)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_failed_flush_leaves_in_doubt_is_written_over_itself() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("s.jsonl");
        let mut file = Growing::create(&path, |f| f.write_all(b"header\n")).expect("a file");
        file.append(b"one\n").expect("written");
        file.sync(&path).expect("flushed");
        file.append(b"two\n").expect("written");
        file.append(b"three\n").expect("written");
        // The flush fails, and the disk has lost what the system took for written.
        file.doubtful = true;
        let mut lost = OpenOptions::new().write(true).open(&path).expect("the file");
        lost.seek(SeekFrom::Start(11)).and_then(|_| lost.write_all(&[0; 10])).expect("zeros");
        file.append(b"four\n").expect("written");
        file.sync(&path).expect("flushed");
        assert_eq!(fs::read_to_string(&path).expect("text"), "header\none\ntwo\nthree\nfour\n");
        assert!(file.loose.is_empty() && !file.doubtful);
    }
}
