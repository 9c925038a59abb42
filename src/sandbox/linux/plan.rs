//! What the view of the file system is made of, worked out in the parent.

use super::{enter::Stage, mounts::Mounts};
use crate::sandbox::{
    Namespaces, Policy,
    places::{self, Resolver},
};
use std::{
    ffi::{CStr, CString, c_int},
    io,
    path::{Path, PathBuf},
    sync::atomic::AtomicI32,
};

pub struct Plan {
    /// Of `unshare`.
    pub flags: c_int,
    /// Lines of the id maps; none where root makes do without a user namespace.
    pub maps: Option<(Vec<u8>, Vec<u8>)>,
    /// Everything but the writable places is read-only; not if all is writable.
    pub read_only: bool,
    pub writable: Vec<CString>,
    /// Room for the copies of the writable places.
    pub copies: Vec<AtomicI32>,
    /// In the order in which they are mounted: what lies inside of another comes after it.
    pub places: Vec<(Hold, CString)>,
    /// Covered with nothing.
    pub folders: Vec<CString>,
    pub files: Vec<CString>,
    pub loopback: bool,
    /// As they were when this was worked out.
    pub mounts: Mounts,
}

/// What is done with a place inside of a writable folder.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Hold {
    /// It cannot be renamed or removed: it leads to a protected place.
    Pinned,
    ReadOnly,
}

impl Plan {
    /// `roots`: what is writable.
    pub fn new(
        policy: &Policy,
        roots: &[PathBuf],
        cwd: &Path,
        kind: Namespaces,
        resolver: &mut Resolver,
    ) -> io::Result<Plan> {
        let writable = c_strings(roots)?;
        let (covered, mounts) = covered(policy, cwd, resolver)?;
        let (folders, files): (Vec<PathBuf>, Vec<PathBuf>) = covered.into_iter().partition(|p| resolver.is_folder(p));
        let network = if policy.network { 0 } else { libc::CLONE_NEWNET };
        let user = if kind == Namespaces::User { libc::CLONE_NEWUSER } else { 0 };
        Ok(Plan {
            flags: libc::CLONE_NEWNS | network | user,
            maps: (kind == Namespaces::User).then(maps),
            read_only: !roots.iter().any(|root| root == Path::new("/")),
            copies: writable.iter().map(|_| AtomicI32::new(-1)).collect(),
            writable,
            places: held(policy, roots, resolver)?,
            folders: c_strings(&folders)?,
            files: c_strings(&files)?,
            loopback: !policy.network,
            mounts,
        })
    }

    /// The path that the so-manieth step of a stage is about.
    pub fn place(&self, stage: Stage, index: usize) -> Option<&CStr> {
        match stage {
            Stage::Copy | Stage::Writable => self.writable.get(index),
            Stage::Hold => self.places.get(index).map(|(_, path)| path),
            Stage::CoverFolder => self.folders.get(index),
            Stage::CoverFile => self.files.get(index),
            _ => None,
        }
        .map(CString::as_c_str)
    }
}

pub fn c_string(path: &Path) -> io::Result<CString> {
    places::c_string(path).ok_or_else(|| io::ErrorKind::InvalidInput.into())
}

fn c_strings(paths: &[PathBuf]) -> io::Result<Vec<CString>> {
    paths.iter().map(|path| c_string(path)).collect()
}

/// The user and his group as themselves: files that he makes are his outside, too.
fn maps() -> (Vec<u8>, Vec<u8>) {
    // SAFETY: reads numbers of the process.
    let (user, group) = unsafe { (libc::geteuid(), libc::getegid()) };
    (format!("{user} {user} 1\n").into_bytes(), format!("{group} {group} 1\n").into_bytes())
}

/// Protected places that exist, and what leads to them, as far as it could be renamed.
fn held(policy: &Policy, roots: &[PathBuf], resolver: &mut Resolver) -> io::Result<Vec<(Hold, CString)>> {
    let mut found: Vec<(PathBuf, Hold)> = Vec::new();
    let beneath = policy.protect.iter().filter_map(|p| resolver.there(p)).filter(|p| places::under_any(p, roots));
    for place in beneath {
        found.extend(movable(&place, roots).map(|folder| (folder.to_owned(), Hold::Pinned)));
        found.push((place, Hold::ReadOnly));
    }
    for place in policy.git_config.iter().map(|p| resolver.itself(p)).collect::<Vec<_>>() {
        if places::under_any(&place, roots) {
            let above = movable(&place, roots).filter(|folder| resolver.is_folder(folder));
            found.extend(above.map(|folder| (folder.to_owned(), Hold::Pinned)));
        }
    }
    found.sort_unstable_by(|a, b| places::order(&a.0, &b.0));
    // Both pinned and protected: protected is more, and comes last.
    found.dedup_by(|later, earlier| {
        let same = later.0.as_os_str() == earlier.0.as_os_str();
        if same {
            earlier.1 = earlier.1.max(later.1);
        }
        same
    });
    found.into_iter().map(|(path, hold)| Ok((hold, c_string(&path)?))).collect()
}

/// Folders above a place whose own parent is writable. A root may lie in a folder that another one makes writable, but
/// `roots` has outermost ones only, and those cannot be renamed: what they lie in is not writable.
fn movable<'a>(place: &'a Path, roots: &'a [PathBuf]) -> impl Iterator<Item = &'a Path> {
    place
        .ancestors()
        .skip(1)
        .take_while(move |folder| folder.parent().is_some_and(|parent| places::under_any(parent, roots)))
}

/// What exists of the credentials and sockets, without links, also where it is mounted a second time.
fn covered(policy: &Policy, cwd: &Path, resolver: &mut Resolver) -> io::Result<(Vec<PathBuf>, Mounts)> {
    let (all, mounts) = super::mounts::everywhere(policy.read_deny.iter().chain(&policy.sockets), resolver);
    match all.iter().find(|p| cwd.starts_with(p)) {
        Some(place) => {
            Err(io::Error::other(format!("the working directory lies in {}, which may not be read", place.display())))
        }
        None => Ok((all, mounts)),
    }
}
