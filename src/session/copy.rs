//! The good lines of a session, for a fork and for a repaired copy.
//!
//! Lines are copied as they are, so that unknown types and fields survive; only lone surrogates are mended, and NUL
//! bytes before a line are left out.

use super::{
    Header,
    lines::{self, Record},
};
use std::{
    borrow::Cow,
    collections::HashSet,
    fs::File,
    io::{self, Read, Seek, SeekFrom, Write},
    path::Path,
};

/// Where lines come from. The file is held open: it may be moved or deleted before it is copied.
#[derive(Debug)]
pub struct Seed {
    file: File,
    /// Ids of the entries to take; all of them without.
    only: Option<HashSet<String>>,
}

/// What became of the lines of a file when they were copied; numbers count from 1.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Copied {
    /// Entries in the copy.
    pub entries: usize,
    /// Lines that are no entries, or nothing but NUL bytes.
    pub left_out: Vec<usize>,
    /// Lines that were freed of NUL bytes or lone surrogates.
    pub mended: Vec<usize>,
    /// The last line, if it was cut off.
    pub cut: Option<usize>,
}

impl Seed {
    pub fn new(path: &Path, only: Option<HashSet<String>>) -> io::Result<Seed> {
        Ok(Seed { file: super::file::read(path)?, only })
    }

    /// Writes the entries, without header, to `out`.
    pub fn copy(&mut self, out: &mut impl Write) -> io::Result<Copied> {
        self.file.seek(SeekFrom::Start(0))?;
        let (mut copied, mut first, mut written) = (Copied::default(), true, Ok(()));
        lines::each(&self.file, |line| {
            let record = lines::record(line.bytes, first);
            first &= !matches!(record, Record::Header(_) | Record::Entry(_) | Record::Misfit(_));
            match record {
                Record::Entry(entry) | Record::Misfit(entry) => {
                    if self.only.as_ref().is_none_or(|ids| ids.contains(&entry.id)) {
                        let mended = lines::mend(line.bytes);
                        if line.clipped || matches!(mended, Cow::Owned(_)) {
                            copied.mended.push(line.number);
                        }
                        copied.entries += 1;
                        written = out.write_all(mended.trim_ascii_end()).and_then(|()| out.write_all(b"\n"));
                    }
                }
                Record::Header(_) | Record::Blank if !line.clipped => {}
                Record::Bad if !line.ended => copied.cut = Some(line.number),
                Record::Header(_) => copied.mended.push(line.number),
                Record::Bad | Record::Blank => copied.left_out.push(line.number),
            }
            written.is_ok()
        })?;
        written.map(|()| copied)
    }
}

/// Writes the first line of a file.
pub fn header(header: &Header, out: &mut impl Write) -> io::Result<()> {
    serde_json::to_writer(&mut *out, header)?;
    out.write_all(b"\n")
}

/// The longest first line that is looked at for a header, in bytes.
const HEADER: u64 = 64 << 10;

/// Writes everything behind the header as it lies in the file; all of a file without one.
pub fn rest(path: &Path, out: &mut impl Write) -> io::Result<()> {
    let mut file = super::file::read(path)?;
    let mut start = Vec::new();
    (&mut file).take(HEADER).read_to_end(&mut start)?;
    let end = memchr::memchr(b'\n', &start).map_or(start.len(), |at| at + 1);
    let headed = matches!(lines::record(&start[..end], true), Record::Header(_));
    file.seek(SeekFrom::Start(if headed { end as u64 } else { 0 }))?;
    io::copy(&mut file, out)?;
    Ok(())
}
