//! The good lines of a session, for a fork and for a repaired copy.
//!
//! Lines are copied as they are, so that unknown types and fields survive; only lone surrogates are mended, and NUL
//! bytes before a line are left out.

use super::lines::{self, Record};
use std::{
    collections::HashSet,
    fs::File,
    io::{self, Seek, SeekFrom},
    path::Path,
};

/// Where lines come from. The file is held open: it may be moved or deleted before it is copied.
#[derive(Debug)]
pub struct Seed {
    file: File,
    /// Ids of the entries to take; all of them without.
    only: Option<HashSet<String>>,
}

impl Seed {
    pub fn new(path: &Path, only: Option<HashSet<String>>) -> io::Result<Seed> {
        Ok(Seed { file: File::open(path)?, only })
    }

    /// Appends the entries, without header, to `out`.
    pub fn copy(&mut self, out: &mut Vec<u8>) -> io::Result<()> {
        self.file.seek(SeekFrom::Start(0))?;
        let mut first = true;
        lines::each(&self.file, |line| {
            let record = lines::record(line.bytes, first);
            first &= !matches!(record, Record::Header(_) | Record::Entry(_) | Record::Misfit(_));
            if let Record::Entry(entry) | Record::Misfit(entry) = record
                && self.only.as_ref().is_none_or(|ids| ids.contains(&entry.id))
            {
                out.extend_from_slice(lines::mend(line.bytes).trim_ascii_end());
                out.push(b'\n');
            }
            true
        })
    }
}
