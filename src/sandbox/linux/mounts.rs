//! The same files at a second place: bind mounts, and file systems that are mounted more than once.

use crate::sandbox::places::{self, Resolver};
use std::{
    ffi::{OsStr, OsString},
    os::unix::ffi::{OsStrExt, OsStringExt},
    path::{Path, PathBuf},
};

/// A line of /proc/self/mountinfo.
struct Mount<'a> {
    device: &'a [u8],
    /// What of the file system is mounted.
    root: PathBuf,
    point: PathBuf,
}

/// Those that exist, without links, and wherever else the same files can be found.
pub fn everywhere<'a>(paths: impl Iterator<Item = &'a PathBuf>, resolver: &mut Resolver) -> Vec<PathBuf> {
    let all = places::outermost(paths.filter_map(|p| resolver.there(p)).collect());
    let again = also_at(&all);
    match again.is_empty() {
        true => all,
        false => places::outermost(all.into_iter().chain(again).collect()),
    }
}

fn also_at(paths: &[PathBuf]) -> Vec<PathBuf> {
    let table = std::fs::read("/proc/self/mountinfo").unwrap_or_default();
    let mounts = mounts(&table);
    paths.iter().flat_map(|path| others(path, &mounts)).filter(|other| other.symlink_metadata().is_ok()).collect()
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
