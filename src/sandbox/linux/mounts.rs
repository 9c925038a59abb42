//! The same files at a second place: bind mounts, and file systems that are mounted more than once.

use crate::sandbox::places::{self, Resolver};
use std::path::{Path, PathBuf};

/// A line of /proc/self/mountinfo.
struct Mount {
    device: String,
    /// What of the file system is mounted.
    root: PathBuf,
    point: PathBuf,
}

/// Those that exist, without links, and wherever else the same files can be found.
pub fn everywhere<'a>(paths: impl Iterator<Item = &'a PathBuf>, resolver: &mut Resolver) -> Vec<PathBuf> {
    let all = places::outermost(paths.filter_map(|p| resolver.there(p)).collect());
    let again = also_at(&all);
    places::outermost(all.into_iter().chain(again).collect())
}

fn also_at(paths: &[PathBuf]) -> Vec<PathBuf> {
    let table = std::fs::read_to_string("/proc/self/mountinfo").unwrap_or_default();
    let mounts: Vec<Mount> = table.lines().filter_map(parse).collect();
    paths.iter().flat_map(|path| others(path, &mounts)).filter(|other| other.symlink_metadata().is_ok()).collect()
}

fn others(path: &Path, mounts: &[Mount]) -> Vec<PathBuf> {
    // Of mounts on top of each other the last one counts.
    let Some(own) =
        mounts.iter().rev().filter(|m| path.starts_with(&m.point)).max_by_key(|m| m.point.as_os_str().len())
    else {
        return vec![];
    };
    let Ok(rest) = path.strip_prefix(&own.point) else { return vec![] };
    let inside = own.root.join(rest);
    let at = |m: &Mount| Some(m.point.join(inside.strip_prefix(&m.root).ok()?));
    mounts.iter().filter(|m| m.device == own.device).filter_map(at).filter(|other| other != path).collect()
}

/// `36 35 98:0 /root /point options … - type source options`.
fn parse(line: &str) -> Option<Mount> {
    let mut fields = line.split(' ').skip(2);
    let device = fields.next()?.to_owned();
    Some(Mount { device, root: unescape(fields.next()?), point: unescape(fields.next()?) })
}

/// A blank is `\040`.
fn unescape(text: &str) -> PathBuf {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
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
    PathBuf::from(<std::ffi::OsString as std::os::unix::ffi::OsStringExt>::from_vec(bytes))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_place_is_found_under_every_mount_of_its_file_system() {
        let table = "22 1 8:1 / / rw - ext4 /dev/a rw\n\
                     30 22 8:2 /@home /home rw - btrfs /dev/b rw\n\
                     31 22 8:2 / /mnt/all\\040disk rw - btrfs /dev/b rw\n\
                     32 22 8:2 /@home/me/work /srv rw - btrfs /dev/b rw\n";
        let mounts: Vec<Mount> = table.lines().filter_map(parse).collect();
        assert_eq!(others(Path::new("/home/me/.ssh"), &mounts), [Path::new("/mnt/all disk/@home/me/.ssh")]);
        assert_eq!(
            others(Path::new("/srv/x"), &mounts),
            [Path::new("/home/me/work/x"), Path::new("/mnt/all disk/@home/me/work/x")]
        );
        assert!(others(Path::new("/etc"), &mounts).is_empty());
    }
}
