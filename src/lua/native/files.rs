//! Files and folders as scripts see them. Blocking; the callers see to a thread for it.

use super::places::Places;
use super::readable::{Readable, no_file, wanted};
use crate::util::atomic;
use std::{
    fs::{self, FileType, Metadata, OpenOptions},
    io::{self, Read, Seek, SeekFrom, Write},
    os::unix::fs::{FileTypeExt, MetadataExt},
    path::{Path, PathBuf},
};
use tokio_util::sync::CancellationToken;

/// More than this is not read at once.
const MAX_READ: u64 = 256 << 20;

/// What is at a path.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Entry {
    pub name: PathBuf,
    /// `file dir symlink fifo socket device`
    pub kind: &'static str,
    pub size: u64,
    /// Seconds since 1970.
    pub modified: i64,
    pub mode: u32,
    /// Names that it has on this file system (hard links).
    pub links: u64,
    /// Where a symlink points to.
    pub target: Option<PathBuf>,
}

impl Entry {
    fn new(path: &Path, name: PathBuf, meta: &Metadata) -> Self {
        let target = if meta.is_symlink() { fs::read_link(path).ok() } else { None };
        let (size, modified, mode) = (meta.len(), meta.mtime(), meta.mode() & 0o7777);
        Entry { name, kind: kind(meta.file_type()), size, modified, mode, links: meta.nlink(), target }
    }
}

pub fn kind(file_type: FileType) -> &'static str {
    match file_type {
        t if t.is_file() => "file",
        t if t.is_dir() => "dir",
        t if t.is_symlink() => "symlink",
        t if t.is_fifo() => "fifo",
        t if t.is_socket() => "socket",
        _ => "device",
    }
}

/// An error as people read it: what was tried with which path, and why it failed.
pub fn told(action: &str, path: &Path, error: &io::Error) -> String {
    format!("{action} {}: {}", path.display(), reason(error))
}

/// The message without the number that Rust puts behind it.
pub fn reason(error: &io::Error) -> String {
    let text = error.to_string();
    match text.rfind(" (os error ") {
        Some(end) => text[..end].to_owned(),
        None => text,
    }
}

/// The bytes of a file, or `limit` of them from `offset` on. More than 256 MiB are an error, not a part of them.
pub fn read(
    path: &Path,
    (offset, limit): (u64, Option<u64>),
    skip: &Places,
    stop: &CancellationToken,
) -> io::Result<Vec<u8>> {
    let (mut file, meta) = Readable::open(path, limit.is_some(), skip, stop)?;
    let there = if meta.is_file() { meta.len().saturating_sub(offset) } else { u64::MAX };
    let limit = match limit {
        Some(limit) if limit.min(there) > MAX_READ => {
            return Err(io::Error::other(format!("`limit` is at most {MAX_READ} bytes, got {limit}")));
        }
        None if meta.is_file() && there > MAX_READ => {
            let text = format!("it has {} bytes: read it in parts, with offset and limit", meta.len());
            return Err(io::Error::other(text));
        }
        limit => limit.unwrap_or(MAX_READ).min(MAX_READ),
    };
    if offset > 0 {
        file.seek(SeekFrom::Start(offset))?;
    }
    let mut bytes = Vec::with_capacity(meta.len().min(limit) as usize);
    file.take(limit).read_to_end(&mut bytes)?;
    Ok(bytes)
}

/// Writes a file, making its folders. A symlink is followed; the file behind it keeps its mode. It is replaced as a
/// whole, unless that would break a hard link or change its owner. Tells whether it is new.
pub fn write(path: &Path, bytes: &[u8], mode: Option<u32>) -> io::Result<bool> {
    let target = follow(path)?;
    match fs::metadata(&target) {
        Ok(meta) if meta.is_dir() => Err(io::Error::from(io::ErrorKind::IsADirectory)),
        Ok(meta) => {
            overwrite(&target, bytes, mode, &meta)?;
            Ok(false)
        }
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            create(&target, bytes, mode)?;
            Ok(true)
        }
        Err(error) => Err(error),
    }
}

fn overwrite(target: &Path, bytes: &[u8], mode: Option<u32>, meta: &Metadata) -> io::Result<()> {
    // SAFETY: these take nothing and only return numbers.
    let us = unsafe { (libc::geteuid(), libc::getegid()) };
    let replaceable = meta.is_file() && meta.nlink() == 1 && (meta.uid(), meta.gid()) == us;
    if meta.permissions().readonly() {
        return Err(io::Error::from(io::ErrorKind::PermissionDenied));
    }
    if replaceable && atomic::replace(target, bytes, mode).is_ok() {
        return Ok(());
    }
    // A folder that can't be written to may hold a file that can.
    fs::write(target, bytes)?;
    chmod(target, mode)
}

/// Plainly, so that the user's umask counts; what can't be written to its end doesn't stay.
fn create(target: &Path, bytes: &[u8], mode: Option<u32>) -> io::Result<()> {
    if let Some(folder) = target.parent() {
        fs::create_dir_all(folder)?;
    }
    let mut file = OpenOptions::new().write(true).create_new(true).open(target)?;
    if let Err(error) = file.write_all(bytes) {
        _ = fs::remove_file(target);
        return Err(error);
    }
    chmod(target, mode)
}

pub fn chmod(path: &Path, mode: Option<u32>) -> io::Result<()> {
    use std::os::unix::fs::PermissionsExt;
    mode.map_or(Ok(()), |mode| fs::set_permissions(path, fs::Permissions::from_mode(mode)))
}

/// The path behind symlinks, also where nothing is there yet.
fn follow(path: &Path) -> io::Result<PathBuf> {
    let mut path = path.to_owned();
    for _ in 0..40 {
        match fs::read_link(&path) {
            Ok(target) => path = path.parent().unwrap_or(Path::new("/")).join(target),
            Err(_) => return Ok(path),
        }
    }
    Err(io::Error::other("too many levels of symbolic links"))
}

/// Where a path leads, which may be nowhere yet: all links are followed, also those to what isn't there. `..` is taken
/// behind the links, as the system takes it.
pub fn leads_to(path: &Path) -> io::Result<PathBuf> {
    let mut todo: Vec<std::ffi::OsString> = parts(path);
    let (mut reached, mut links) = (PathBuf::from("/"), 0);
    while let Some(part) = todo.pop() {
        if part == ".." {
            reached.pop();
            continue;
        }
        let next = reached.join(&part);
        match fs::read_link(&next) {
            Ok(target) => {
                links += 1;
                if links > 40 {
                    return Err(io::Error::other("too many levels of symbolic links"));
                }
                if target.is_absolute() {
                    reached = PathBuf::from("/");
                }
                todo.extend(parts(&target));
            }
            Err(_) => reached = next,
        }
    }
    Ok(reached)
}

/// The names on the way, the last one first.
fn parts(path: &Path) -> Vec<std::ffi::OsString> {
    use std::path::Component;
    let name = |c: Component<'_>| match c {
        Component::Normal(name) => Some(name.to_owned()),
        Component::ParentDir => Some("..".into()),
        _ => None,
    };
    path.components().rev().filter_map(name).collect()
}

/// A fresh empty file in the system's folder for such, readable by the user only. It stays until it is removed.
pub fn temporary(prefix: &str, suffix: &str) -> io::Result<PathBuf> {
    let file = tempfile::Builder::new().prefix(prefix).suffix(suffix).tempfile()?;
    file.into_temp_path().keep().map_err(|e| e.error)
}

pub fn append(path: &Path, bytes: &[u8]) -> io::Result<()> {
    if let Some(folder) = path.parent() {
        fs::create_dir_all(folder)?;
    }
    OpenOptions::new().append(true).create(true).open(path)?.write_all(bytes)
}

/// What is there; none if nothing is. A symlink is described as what it points to, unless `link`.
pub fn stat(path: &Path, link: bool) -> io::Result<Option<Entry>> {
    let meta = if link { fs::symlink_metadata(path) } else { fs::metadata(path) };
    match meta {
        Ok(meta) => Ok(Some(Entry::new(path, path.to_owned(), &meta))),
        Err(e) if matches!(e.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory) => Ok(None),
        Err(e) => Err(e),
    }
}

/// What a folder holds, by name.
pub fn list(path: &Path) -> io::Result<Vec<Entry>> {
    let mut entries = Vec::new();
    for entry in fs::read_dir(path)? {
        let entry = entry?;
        // One that has gone since is not there.
        if let Ok(meta) = entry.metadata() {
            entries.push(Entry::new(&entry.path(), entry.file_name().into(), &meta));
        }
    }
    entries.sort_by(|a, b| a.name.cmp(&b.name));
    Ok(entries)
}

/// Removes a file, a symlink or an empty folder; with `recursive` a folder with all that is in it. It can be stopped
/// between two things that are directly in the folder.
pub fn remove(path: &Path, recursive: bool, stop: &CancellationToken) -> io::Result<()> {
    match fs::symlink_metadata(path)?.is_dir() {
        true if recursive => {
            for entry in fs::read_dir(path)? {
                wanted(stop)?;
                let entry = entry?;
                match entry.file_type()?.is_dir() {
                    // Not by a recursion of our own: this one can't be led astray by links that appear meanwhile.
                    true => fs::remove_dir_all(entry.path())?,
                    false => fs::remove_file(entry.path())?,
                }
            }
            fs::remove_dir(path)
        }
        true => fs::remove_dir(path),
        false => fs::remove_file(path),
    }
}

/// Copies a file, or a folder with all that is in it. It can be stopped between two files.
pub fn copy(from: &Path, to: &Path, stop: &CancellationToken) -> io::Result<()> {
    wanted(stop)?;
    let meta = fs::metadata(from)?;
    if !meta.is_dir() {
        return if meta.is_file() { fs::copy(from, to).map(drop) } else { Err(no_file(&meta)) };
    }
    if absolute(to)?.starts_with(absolute(from)?) {
        return Err(io::Error::other("a folder can't be copied into itself"));
    }
    fs::create_dir_all(to)?;
    for entry in list(from)? {
        let (from, to) = (from.join(&entry.name), to.join(&entry.name));
        match entry.target {
            Some(target) => std::os::unix::fs::symlink(target, to)?,
            None => copy(&from, &to, stop)?,
        }
    }
    Ok(())
}

fn absolute(path: &Path) -> io::Result<PathBuf> {
    path.canonicalize().or_else(|_| std::path::absolute(path))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::{PermissionsExt, symlink};

    fn on() -> CancellationToken {
        CancellationToken::new()
    }

    fn mode(path: &Path) -> u32 {
        fs::metadata(path).unwrap().permissions().mode() & 0o777
    }

    #[test]
    fn x14_mode_and_links_stay() {
        let dir = tempfile::tempdir().unwrap();
        let (script, link) = (dir.path().join("run.sh"), dir.path().join("link"));
        fs::write(&script, "a").unwrap();
        fs::set_permissions(&script, fs::Permissions::from_mode(0o750)).unwrap();
        symlink("run.sh", &link).unwrap();
        assert!(!write(&link, b"b", None).unwrap());
        assert_eq!((fs::read(&script).unwrap(), mode(&script)), (b"b".to_vec(), 0o750));
        assert!(fs::symlink_metadata(&link).unwrap().is_symlink());
        let hard = dir.path().join("hard");
        fs::hard_link(&script, &hard).unwrap();
        write(&script, b"c", None).unwrap();
        assert_eq!(fs::read(&hard).unwrap(), b"c");
    }

    #[test]
    fn new_files_and_dangling_links_are_made() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("a/b/c");
        assert!(write(&path, b"\xff\0", Some(0o600)).unwrap());
        assert_eq!(
            (read(&path, (0, None), &Places::default(), &on()).unwrap(), mode(&path)),
            (b"\xff\0".to_vec(), 0o600)
        );
        assert_eq!(read(&path, (1, Some(10)), &Places::default(), &on()).unwrap(), b"\0");
        symlink("later", dir.path().join("dangling")).unwrap();
        write(&dir.path().join("dangling"), b"x", None).unwrap();
        assert_eq!(fs::read(dir.path().join("later")).unwrap(), b"x");
    }

    #[test]
    fn folders_are_no_files() {
        let dir = tempfile::tempdir().unwrap();
        let error = write(dir.path(), b"", None).unwrap_err();
        assert_eq!(told("write", Path::new("/x"), &error), "write /x: is a directory");
        let error = read(&dir.path().join("none"), (0, None), &Places::default(), &on()).unwrap_err();
        assert_eq!(told("read", Path::new("/x"), &error), "read /x: No such file or directory");
        assert!(read(Path::new("/dev/zero"), (0, None), &Places::default(), &on()).is_err());
        assert_eq!(stat(&dir.path().join("none"), false).unwrap(), None);
    }

    #[test]
    fn trees_are_copied_and_removed() {
        let dir = tempfile::tempdir().unwrap();
        let at = |p: &str| dir.path().join(p);
        write(&at("a/b/c"), b"1", None).unwrap();
        symlink("b/c", at("a/l")).unwrap();
        copy(&at("a"), &at("z"), &on()).unwrap();
        assert_eq!(fs::read(at("z/l")).unwrap(), b"1");
        assert!(copy(&at("a"), &at("a/inner"), &on()).is_err());
        assert!(remove(&at("z"), false, &on()).is_err());
        remove(&at("z"), true, &on()).unwrap();
        assert_eq!(list(dir.path()).unwrap().len(), 1);
    }

    #[test]
    fn what_nobody_waits_for_is_given_up() {
        let dir = tempfile::tempdir().unwrap();
        let at = |p: &str| dir.path().join(p);
        write(&at("a/b"), b"1", None).unwrap();
        let off = on();
        off.cancel();
        assert!(
            read(&at("a/b"), (0, None), &Places::default(), &off).is_err()
                && read(&at("a/b"), (0, None), &Places::default(), &on()).is_ok()
        );
        assert!(remove(&at("a"), true, &off).is_err() && copy(&at("a"), &at("z"), &off).is_err());
        assert!(at("a/b").exists() && !at("z").exists());
    }

    #[test]
    fn where_a_path_leads_is_known_before_it_is_there() {
        use std::os::unix::fs::symlink;
        let dir = tempfile::tempdir().unwrap();
        let root = dir.path().canonicalize().unwrap();
        fs::create_dir_all(root.join("a/b")).unwrap();
        symlink("/nowhere/new", root.join("a/dangling")).unwrap();
        symlink("b", root.join("a/folder")).unwrap();
        symlink("loop", root.join("loop")).unwrap();
        for (path, there) in [
            ("a/b/new/deep", root.join("a/b/new/deep")),
            ("a/dangling", "/nowhere/new".into()),
            ("a/folder/../x", root.join("a/x")),
            ("a/folder/x", root.join("a/b/x")),
            ("missing/../a/dangling/y", "/nowhere/new/y".into()),
        ] {
            assert_eq!(leads_to(&root.join(path)).unwrap(), there, "{path}");
        }
        assert!(leads_to(&root.join("loop/x")).is_err());
    }

    #[test]
    fn a_part_is_bounded_and_comes_from_a_file() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("big");
        fs::File::create(&path).unwrap().set_len(MAX_READ + 1).unwrap();
        let error = read(&path, (0, Some(u64::MAX)), &Places::default(), &on()).unwrap_err().to_string();
        assert!(error.contains("at most 268435456 bytes"), "{error}");
        assert_eq!(read(&path, (MAX_READ, Some(u64::MAX)), &Places::default(), &on()).unwrap(), b"\0");
        assert!(read(Path::new("/dev/zero"), (0, Some(u64::MAX)), &Places::default(), &on()).is_err());
        assert_eq!(read(Path::new("/dev/zero"), (0, Some(3)), &Places::default(), &on()).unwrap(), b"\0\0\0");
        assert_eq!(read(Path::new("/dev/null"), (0, None), &Places::default(), &on()).unwrap(), b"");
        assert!(
            read(Path::new("/dev/tty"), (0, Some(1)), &Places::default(), &on())
                .unwrap_err()
                .to_string()
                .contains("a device, not a file")
        );
    }
}
