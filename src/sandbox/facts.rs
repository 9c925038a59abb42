//! What the disk has answered while something was worked out, so that it can be asked whether that still holds.
//!
//! Every name is asked for again, or else the folder that it is in: one that is the same and has not changed since has the
//! same names in it. That is believed of file systems only that date each change by the clock of this system, and of
//! folders whose last change is so long ago that a later one cannot bear the same date.

use super::places;
use rustc_hash::FxHashMap;
use std::{
    ffi::{CStr, CString, OsStr, OsString},
    io,
    os::unix::ffi::{OsStrExt, OsStringExt},
    path::{Path, PathBuf},
};

/// What is at a path whose folder has no links on its way.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Entry {
    Absent,
    /// No link.
    Itself,
    /// A link, and where it leads in the end.
    Link(Option<PathBuf>),
}

impl Entry {
    /// Reading a link is the cheapest question: what is none is there, and its size, its owner and its times do not matter.
    pub fn at(path: &CStr) -> Entry {
        let mut byte = 0u8;
        // SAFETY: path and buffer outlive the call.
        match unsafe { libc::readlink(path.as_ptr(), (&raw mut byte).cast(), 1) } {
            0.. => Entry::Link(path_of(path).canonicalize().ok()),
            _ if io::Error::last_os_error().raw_os_error() == Some(libc::EINVAL) => Entry::Itself,
            _ => Entry::Absent,
        }
    }
}

fn path_of(path: &CStr) -> &Path {
    Path::new(OsStr::from_bytes(path.to_bytes()))
}

/// Answers, by the folder that they are about.
#[derive(Debug, Default)]
pub struct Facts {
    folders: Vec<Folder>,
    /// Whether they are folders, links followed.
    kinds: Vec<(PathBuf, bool)>,
}

#[derive(Debug)]
struct Folder {
    path: PathBuf,
    names: Vec<(CString, Entry)>,
    /// When all names were as they were noted.
    stamp: Option<Stamp>,
}

/// As many names are asked for one by one: to ask for the folder costs as much.
const FEW: usize = 3;

impl Facts {
    pub fn new(entries: Vec<(CString, Entry)>, mut kinds: Vec<(PathBuf, bool)>) -> Facts {
        kinds.sort_unstable_by(|(a, _), (b, _)| places::order(a, b));
        kinds.dedup();
        let mut folders: FxHashMap<Vec<u8>, Vec<(CString, Entry)>> = FxHashMap::default();
        for (path, entry) in entries {
            let parent = path_of(&path).parent().unwrap_or(Path::new("/")).as_os_str().as_bytes().to_owned();
            folders.entry(parent).or_default().push((path, entry));
        }
        let folder = |(path, names): (Vec<u8>, _)| {
            let path = PathBuf::from(OsString::from_vec(path));
            Folder { path, names, stamp: None }
        };
        Facts { folders: folders.into_iter().map(folder).collect(), kinds }
    }

    /// Whether the disk would answer the same today.
    pub fn hold(&mut self) -> bool {
        self.folders.iter_mut().all(Folder::holds) && self.kinds.iter().all(|(path, is)| path.is_dir() == *is)
    }
}

impl Folder {
    fn holds(&mut self) -> bool {
        // Before the names: what changes meanwhile changes the next stamp.
        let stamp = (self.names.len() > FEW).then(|| Stamp::of(&self.path)).flatten();
        if stamp.is_some() && stamp == self.stamp {
            // Where a link leads is decided elsewhere.
            let mut links = self.names.iter().filter(|(_, entry)| matches!(entry, Entry::Link(_)));
            return links.all(|(path, entry)| Entry::at(path) == *entry);
        }
        self.stamp = stamp.filter(|stamp| stamp.is_settled() && dates_changes(&self.path));
        self.names.iter().all(|(path, entry)| Entry::at(path) == *entry)
    }
}

/// Which folder it is, and when its names have changed last.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Stamp {
    device: u64,
    file: u64,
    changed: (i64, i64),
    names_changed: (i64, i64),
}

/// Seconds after which a change gets another date, however coarse the dates of the file system are.
const SETTLED: i64 = 3;

impl Stamp {
    fn of(folder: &Path) -> Option<Stamp> {
        use std::os::unix::fs::MetadataExt;
        let meta = folder.symlink_metadata().ok().filter(|m| m.is_dir())?;
        Some(Stamp {
            device: meta.dev(),
            file: meta.ino(),
            changed: (meta.ctime(), meta.ctime_nsec()),
            names_changed: (meta.mtime(), meta.mtime_nsec()),
        })
    }

    fn is_settled(&self) -> bool {
        let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH);
        now.is_ok_and(|now| self.changed.0 + SETTLED < now.as_secs() as i64)
    }
}

/// File systems of this machine alone, which give a folder a new date with every change of a name in it: ext, XFS, Btrfs,
/// tmpfs, overlay, ZFS, F2FS, bcachefs.
#[cfg(target_os = "linux")]
fn dates_changes(folder: &Path) -> bool {
    const KINDS: [u32; 8] =
        [0xef53, 0x5846_5342, 0x9123_683e, 0x0102_1994, 0x794c_7630, 0x2fc1_2fc1, 0xf2f5_2010, 0xca45_1a4e];
    let Some(path) = places::c_string(folder) else { return false };
    // SAFETY: a structure of plain numbers, which the call fills; the path outlives it.
    let (asked, about) = unsafe {
        let mut about: libc::statfs = std::mem::zeroed();
        (libc::statfs(path.as_ptr(), &raw mut about), about)
    };
    asked == 0 && KINDS.contains(&(about.f_type as u32))
}

#[cfg(not(target_os = "linux"))]
fn dates_changes(_: &Path) -> bool {
    false
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::{fs, os::unix::fs::symlink};

    /// A folder with a file and a link, and what is known of it.
    fn known() -> (tempfile::TempDir, PathBuf, Facts) {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let root = folder.path().canonicalize().expect("it exists");
        fs::create_dir(root.join("inside")).expect("a folder");
        fs::write(root.join("file"), "").expect("a file");
        symlink("inside", root.join("link")).expect("a link");
        let mut resolver = places::Resolver::default();
        for name in ["file", "link", "absent", "also absent"] {
            resolver.there(&root.join(name));
        }
        resolver.is_folder(&root.join("link"));
        (folder, root, resolver.facts())
    }

    fn folder<'a>(facts: &'a mut Facts, path: &Path) -> &'a mut Folder {
        facts.folders.iter_mut().find(|f| f.path == path).expect("it was asked")
    }

    #[test]
    fn facts_hold_until_a_name_comes_goes_or_leads_elsewhere() {
        type Change = fn(&Path);
        let changes: [(&str, Change); 6] = [
            ("a name comes", |root| fs::write(root.join("absent"), "").expect("a file")),
            ("a name goes", |root| fs::remove_file(root.join("file")).expect("it goes")),
            ("a file becomes a link", |root| {
                fs::remove_file(root.join("file")).expect("it goes");
                symlink("absent", root.join("file")).expect("a link");
            }),
            ("a link leads elsewhere", |root| {
                fs::remove_file(root.join("link")).expect("it goes");
                symlink(".", root.join("link")).expect("a link");
            }),
            ("what a link leads to goes", |root| fs::remove_dir(root.join("inside")).expect("it goes")),
            ("what a link leads to becomes a file", |root| {
                fs::remove_dir(root.join("inside")).expect("it goes");
                fs::write(root.join("inside"), "").expect("a file");
            }),
        ];
        for (what, change) in changes {
            let (_folder, root, mut facts) = known();
            assert!(facts.hold() && facts.hold(), "before {what}");
            change(&root);
            assert!(!facts.hold(), "{what}");
        }
    }

    #[test]
    fn names_are_not_believed_to_stay_in_a_folder_that_has_just_changed() {
        let (_folder, root, mut facts) = known();
        assert!(facts.hold());
        assert_eq!(folder(&mut facts, &root).stamp, None);
        let stamp = Stamp::of(&root).expect("a folder");
        assert!(!stamp.is_settled());
        assert!(Stamp { changed: (stamp.changed.0 - SETTLED - 1, 0), ..stamp }.is_settled());
        assert!(!Stamp { changed: (stamp.changed.0 + 3600, 0), ..stamp }.is_settled(), "the clock was set back");
    }

    #[test]
    fn a_change_in_a_settled_folder_is_noticed() {
        let (_folder, root, mut facts) = known();
        let stamp = Stamp::of(&root);
        folder(&mut facts, &root).stamp = stamp;
        assert!(facts.hold());
        // Other names come and go, until that has another date.
        while Stamp::of(&root) == stamp {
            fs::write(root.join("other"), "").expect("a file");
            fs::remove_file(root.join("other")).expect("it goes");
        }
        assert!(facts.hold(), "none of the names is concerned");
        folder(&mut facts, &root).stamp = stamp;
        fs::write(root.join("absent"), "").expect("a file");
        assert!(!facts.hold());
    }
}
