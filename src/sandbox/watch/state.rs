//! What lies at a place: files with their contents, in bounds.

use crate::util::small;
use std::{
    collections::BTreeMap,
    fs,
    ops::Bound,
    os::unix::fs::MetadataExt,
    path::{Path, PathBuf},
};

/// What a path is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum State {
    File {
        bytes: Content,
        mode: u32,
    },
    Folder {
        mode: u32,
    },
    Link(PathBuf),
    /// A pipe, a socket, a device.
    Other,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Content {
    Kept(Vec<u8>),
    /// Too large to keep: length, time of the last change, number of the file.
    Known {
        length: u64,
        changed: (i64, i64),
        file: u64,
    },
}

/// Path → what is there; nothing for what does not exist.
pub type Tree = BTreeMap<PathBuf, State>;

/// How much is looked at and kept of all places together.
pub struct Bounds {
    entries: usize,
    bytes: u64,
}

impl Default for Bounds {
    fn default() -> Self {
        Bounds { entries: 4000, bytes: 8 << 20 }
    }
}

/// Of a single file.
const FILE: u64 = small::LIMIT;

/// The place and everything in it; links are not followed.
pub fn tree(place: &Path, bounds: &mut Bounds) -> Tree {
    let (mut tree, mut open) = (Tree::new(), vec![place.to_owned()]);
    while let Some(path) = open.pop() {
        let Ok(meta) = path.symlink_metadata() else { continue };
        if bounds.entries == 0 {
            break;
        }
        bounds.entries -= 1;
        if meta.is_dir() {
            let mut inside: Vec<PathBuf> =
                fs::read_dir(&path).into_iter().flatten().flatten().map(|e| e.path()).collect();
            // The same ones are looked at each time, if there are too many.
            inside.sort_by(|a, b| b.cmp(a));
            open.extend(inside);
        }
        tree.insert(path.clone(), state(&path, &meta, bounds));
    }
    tree
}

/// A place of the tree and all that is in it.
pub fn below<'a>(tree: &'a Tree, place: &'a Path) -> impl Iterator<Item = (&'a PathBuf, &'a State)> {
    // Paths are sorted by their parts, so what lies in a folder comes right after it.
    tree.range::<Path, _>((Bound::Included(place), Bound::Unbounded))
        .take_while(move |(path, _)| path.starts_with(place))
}

/// What a path leads to, without its contents; none if that does not exist.
pub fn outline(path: &Path) -> Option<State> {
    let meta = fs::metadata(path).ok()?;
    Some(state(path, &meta, &mut Bounds { entries: 0, bytes: 0 }))
}

fn state(path: &Path, meta: &fs::Metadata, bounds: &mut Bounds) -> State {
    let mode = meta.mode() & 0o7777;
    match meta.file_type() {
        kind if kind.is_dir() => State::Folder { mode },
        kind if kind.is_symlink() => State::Link(fs::read_link(path).unwrap_or_default()),
        kind if kind.is_file() => State::File { bytes: content(path, meta, bounds), mode },
        _ => State::Other,
    }
}

fn content(path: &Path, meta: &fs::Metadata, bounds: &mut Bounds) -> Content {
    let kept = (meta.len() <= FILE.min(bounds.bytes)).then(|| small::read_itself(path).ok()).flatten();
    match kept {
        Some(bytes) => {
            bounds.bytes = bounds.bytes.saturating_sub(bytes.len() as u64);
            Content::Kept(bytes)
        }
        None => Content::Known { length: meta.len(), changed: (meta.ctime(), meta.ctime_nsec()), file: meta.ino() },
    }
}
