//! The same files at a second place: bind mounts, and file systems that are mounted more than once.

use crate::sandbox::places::{self, Resolver};
use std::{
    ffi::{OsStr, OsString},
    fs::File,
    io::{Read, Seek},
    os::{
        fd::AsRawFd,
        unix::ffi::{OsStrExt, OsStringExt},
    },
    path::{Path, PathBuf},
};

/// What is mounted.
pub struct Mounts {
    /// Open: it can be asked whether something has been mounted or unmounted since it was opened.
    file: Option<File>,
    /// Its text, if places are somewhere else, too: a folder above a mount that gets another name is no such change.
    table: Option<Vec<u8>>,
}

impl Mounts {
    fn read() -> (Mounts, Vec<u8>) {
        let (mut file, mut table) = (File::open("/proc/self/mountinfo").ok(), Vec::with_capacity(16 << 10));
        if file.as_mut().is_some_and(|file| file.read_to_end(&mut table).is_err()) {
            file = None;
        }
        (Mounts { file, table: None }, table)
    }

    /// Says "no" once, and only to the first who asks.
    pub fn are_the_same(&self) -> bool {
        let Some(mut file) = self.file.as_ref() else { return false };
        let mut asked = libc::pollfd { fd: file.as_raw_fd(), events: libc::POLLPRI, revents: 0 };
        // SAFETY: one structure, which outlives the call.
        if unsafe { libc::poll(&raw mut asked, 1, 0) } != 0 {
            return false;
        }
        let Some(table) = &self.table else { return true };
        let mut now = Vec::with_capacity(table.len() + 1024);
        file.rewind().and_then(|()| file.read_to_end(&mut now)).is_ok_and(|_| now == *table)
    }
}

/// A line of /proc/self/mountinfo.
struct Mount<'a> {
    device: &'a [u8],
    /// What of the file system is mounted.
    root: PathBuf,
    point: PathBuf,
}

/// Those that exist, without links, and wherever else the same files can be found.
pub fn everywhere<'a>(paths: impl Iterator<Item = &'a PathBuf>, resolver: &mut Resolver) -> (Vec<PathBuf>, Mounts) {
    let all = places::outermost(paths.filter_map(|p| resolver.there(p)).collect());
    let (mut mounted, table) = Mounts::read();
    let mounts = mounts(&table);
    let again: Vec<PathBuf> = all.iter().flat_map(|path| others(path, &mounts)).collect();
    if again.is_empty() {
        return (all, mounted);
    }
    mounted.table = Some(table);
    let again: Vec<PathBuf> = again.into_iter().filter(|other| resolver.is_there(other)).collect();
    (places::outermost(all.into_iter().chain(again).collect()), mounted)
}

fn others(path: &Path, mounts: &[Mount]) -> Vec<PathBuf> {
    // Of mounts on top of each other the last one counts.
    let around = mounts.iter().filter(|m| places::under(path, &m.point));
    let Some(own) = around.max_by_key(|m| m.point.as_os_str().len()) else { return vec![] };
    let twins = mounts.iter().filter(|m| m.device == own.device && !std::ptr::eq(*m, own));
    let Ok(rest) = path.strip_prefix(&own.point) else { return vec![] };
    let at = |m: &Mount| {
        let inside = own.root.join(rest);
        Some(m.point.join(inside.strip_prefix(&m.root).ok()?))
    };
    twins.filter_map(at).filter(|other| other != path).collect()
}

/// A path of the table need not be UTF-8.
fn mounts(table: &[u8]) -> Vec<Mount<'_>> {
    table.split(|byte| *byte == b'\n').filter_map(parse).collect()
}

/// `36 35 98:0 /root /point options … - type source options`.
fn parse(line: &[u8]) -> Option<Mount<'_>> {
    let mut fields = line.split(|byte| *byte == b' ').skip(2);
    Some(Mount { device: fields.next()?, root: unescape(fields.next()?), point: unescape(fields.next()?) })
}

/// A blank is `\040`.
fn unescape(text: &[u8]) -> PathBuf {
    if !text.contains(&b'\\') {
        return OsStr::from_bytes(text).into();
    }
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text;
    while let [first, tail @ ..] = rest {
        let code = tail.get(..3).filter(|_| *first == b'\\').and_then(|c| std::str::from_utf8(c).ok());
        match code.and_then(|c| u8::from_str_radix(c, 8).ok()) {
            Some(byte) => {
                bytes.push(byte);
                rest = &tail[3..];
            }
            None => {
                bytes.push(*first);
                rest = tail;
            }
        }
    }
    OsString::from_vec(bytes).into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_place_is_found_under_every_mount_of_its_file_system() {
        let table = b"22 1 8:1 / / rw - ext4 /dev/a rw\n\
                     30 22 8:2 /@home /home rw - btrfs /dev/b rw\n\
                     31 22 8:2 / /mnt/all\\040disk rw - btrfs /dev/b rw\n\
                     32 22 8:2 /@home/me/work /srv rw - btrfs /dev/b rw\n";
        let mounts = mounts(table);
        assert_eq!(others(Path::new("/home/me/.ssh"), &mounts), [Path::new("/mnt/all disk/@home/me/.ssh")]);
        assert_eq!(
            others(Path::new("/srv/x"), &mounts),
            [Path::new("/home/me/work/x"), Path::new("/mnt/all disk/@home/me/work/x")]
        );
        assert!(others(Path::new("/etc"), &mounts).is_empty());
    }

    #[test]
    fn of_mounts_on_top_of_each_other_the_last_one_counts() {
        let table = b"22 1 8:1 / / rw - ext4 /dev/a rw\n\
                      30 22 8:2 / /home rw - ext4 /dev/b rw\n\
                      31 30 8:3 / /home rw - ext4 /dev/c rw\n\
                      32 22 8:3 / /mnt/\xff rw - ext4 /dev/c rw\n";
        let there = PathBuf::from(OsString::from_vec(b"/mnt/\xff/me".to_vec()));
        assert_eq!(others(Path::new("/home/me"), &mounts(table)), [there]);
    }
}
