//! Places that are not to be read, whoever asks: folders and files, absolute and without links.
//!
//! They are compared with each entry of a walk and with each file that is searched, and there are a hundred of them: a
//! path is looked up by its parts, whatever their number.

use std::{
    collections::HashSet,
    path::{Path, PathBuf},
    sync::Arc,
};

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Places(Arc<HashSet<PathBuf>>);

impl Places {
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Whether the path, which has no links, is one of them or lies in one.
    pub fn hold(&self, path: &Path) -> bool {
        !self.is_empty() && path.ancestors().any(|part| self.are(part))
    }

    /// Whether the path is one of them.
    pub fn are(&self, path: &Path) -> bool {
        self.0.contains(path)
    }

    /// Those in a folder, by their paths from there.
    pub fn below(&self, folder: &Path) -> Places {
        self.0.iter().filter_map(|place| place.strip_prefix(folder).ok()).map(Path::to_owned).collect()
    }
}

impl FromIterator<PathBuf> for Places {
    fn from_iter<I: IntoIterator<Item = PathBuf>>(paths: I) -> Self {
        Places(Arc::new(paths.into_iter().collect()))
    }
}
