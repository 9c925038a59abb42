//! Walking a folder in a fixed order, leaving out what ignore files name.

use super::places::Places;
use ignore::{WalkBuilder, types::TypesBuilder};
use std::path::{Path, PathBuf};
use tokio_util::sync::CancellationToken;

/// What a walk visits.
#[derive(Debug, Clone, Default)]
pub struct Walk {
    /// Patterns of files; one with a slash is matched against the path below the root, else against the name. A leading
    /// `!` excludes. Braces and `**` are understood.
    pub globs: Vec<String>,
    /// A file type by name (`rust`, `py`), as ripgrep knows them.
    pub file_type: Option<String>,
    /// What ignore files name, too.
    pub ignored: bool,
    /// Leave out names that begin with a dot. `.git` is never visited, unless it is the root or `ignored`.
    pub no_hidden: bool,
    pub depth: Option<usize>,
    pub follow: bool,
    /// Look up the sizes of files, too.
    pub sizes: bool,
    /// What is there or below is left out; all of it, if the root lies there.
    pub skip: Places,
}

/// Something that was found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Found {
    /// Below the root.
    pub path: PathBuf,
    pub is_dir: bool,
    pub is_symlink: bool,
    pub depth: usize,
    /// If it was asked for.
    pub size: Option<u64>,
}

impl Walk {
    /// Everything below `root` (or `root` itself if it is a file), folders before what is in them, by name.
    /// It ends early when `stop` is cancelled.
    pub fn run(&self, root: &Path, stop: &CancellationToken) -> Result<impl Iterator<Item = Found> + use<>, String> {
        let globs = Globs::new(&self.globs)?;
        let (base, sizes, stop) = (root.to_owned(), self.sizes, stop.clone());
        let all = !self.skip.is_empty() && self.skip.hold(&real(root));
        let entries =
            self.builder(root)?.build().take_while(move |_| !all && !stop.is_cancelled()).filter_map(Result::ok);
        Ok(entries.filter_map(move |entry| {
            let file_type = entry.file_type()?;
            let below = entry.path().strip_prefix(&base).unwrap_or(entry.path());
            let is_root = below.as_os_str().is_empty();
            if is_root && (file_type.is_dir() || entry.path().is_dir()) {
                return None;
            }
            let path = if is_root { PathBuf::from(entry.file_name()) } else { below.to_owned() };
            let (is_dir, is_symlink) = (file_type.is_dir(), entry.path_is_symlink());
            let size = || sizes.then(|| entry.metadata().map(|m| m.len()).unwrap_or_default());
            globs.admit(&path).then(|| Found { path, is_dir, is_symlink, depth: entry.depth(), size: size() })
        }))
    }

    fn builder(&self, root: &Path) -> Result<WalkBuilder, String> {
        let mut builder = WalkBuilder::new(root);
        let all = self.ignored;
        builder.standard_filters(!all).hidden(self.no_hidden).require_git(false).follow_links(self.follow);
        builder.max_depth(self.depth).sort_by_file_name(|a, b| a.cmp(b));
        let (skip, base) = (Skip::new(&self.skip, root, self.follow), root.to_owned());
        builder.filter_entry(move |entry| {
            let wanted = all || entry.depth() == 0 || entry.file_name() != ".git";
            wanted && !skip.leaves_out(entry.path(), &base)
        });
        if let Some(name) = &self.file_type {
            let mut types = TypesBuilder::new();
            types.add_defaults().select(name);
            builder.types(types.build().map_err(|_| format!("no file type `{name}`; use a glob instead"))?);
        }
        Ok(builder)
    }
}

/// What a walk leaves out. Each entry is looked at, so no more is compared than can matter below the root.
enum Skip {
    Nothing,
    /// By their paths below the root: without following links nothing else is met.
    Below(Places),
    /// Links may lead anywhere.
    Anywhere {
        places: Places,
        real_root: PathBuf,
    },
}

impl Skip {
    fn new(places: &Places, root: &Path, follow: bool) -> Skip {
        if places.is_empty() {
            return Skip::Nothing;
        }
        let real_root = real(root);
        match places.below(&real_root) {
            _ if follow => Skip::Anywhere { places: places.clone(), real_root },
            none if none.is_empty() => Skip::Nothing,
            below => Skip::Below(below),
        }
    }

    /// `path` is met on a walk from `root`; what it lies in was not left out.
    fn leaves_out(&self, path: &Path, root: &Path) -> bool {
        match self {
            Skip::Nothing => false,
            Skip::Below(places) => path.strip_prefix(root).is_ok_and(|below| places.are(below)),
            Skip::Anywhere { places, real_root } => {
                let below = || real_root.join(path.strip_prefix(root).unwrap_or(path));
                places.hold(&path.canonicalize().unwrap_or_else(|_| below()))
            }
        }
    }
}

fn real(path: &Path) -> PathBuf {
    path.canonicalize().unwrap_or_else(|_| path.to_owned())
}

/// Compiled patterns.
struct Globs {
    only: globset::GlobSet,
    never: globset::GlobSet,
}

impl Globs {
    fn new(patterns: &[String]) -> Result<Globs, String> {
        let (mut only, mut never) = (globset::GlobSetBuilder::new(), globset::GlobSetBuilder::new());
        for pattern in patterns {
            let (set, pattern) = match pattern.strip_prefix('!') {
                Some(rest) => (&mut never, rest),
                None => (&mut only, pattern.as_str()),
            };
            set.add(compile(pattern)?);
        }
        let build = |set: globset::GlobSetBuilder| set.build().map_err(|e| e.to_string());
        Ok(Globs { only: build(only)?, never: build(never)? })
    }

    fn admit(&self, path: &Path) -> bool {
        (self.only.is_empty() || self.only.is_match(path)) && !self.never.is_match(path)
    }
}

fn compile(pattern: &str) -> Result<globset::Glob, String> {
    let pattern = pattern.strip_prefix("./").unwrap_or(pattern);
    let anywhere = match pattern.strip_prefix('/') {
        Some(rest) => rest.to_owned(),
        None if pattern.contains('/') => pattern.to_owned(),
        None => format!("**/{pattern}"),
    };
    let glob = globset::GlobBuilder::new(&anywhere).literal_separator(true).build();
    glob.map_err(|e| format!("the pattern `{pattern}` is malformed: {}", e.kind()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tree() -> tempfile::TempDir {
        let dir = tempfile::tempdir().unwrap();
        for path in ["src/a.rs", "src/deep/b.rs", "c.txt", "out/d.rs", ".github/e.yml", ".git/config", ".gitignore"] {
            let path = dir.path().join(path);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, "out/\n").unwrap();
        }
        dir
    }

    fn found(walk: Walk) -> Vec<String> {
        let dir = tree();
        let files = walk.run(dir.path(), &CancellationToken::new()).unwrap().filter(|f| !f.is_dir);
        files.map(|f| f.path.display().to_string()).collect()
    }

    fn globs(patterns: &[&str]) -> Walk {
        Walk { globs: patterns.iter().map(|p| p.to_string()).collect(), ..Walk::default() }
    }

    #[test]
    fn ignore_files_count_and_hidden_ones_are_there() {
        assert_eq!(found(Walk::default()), [".github/e.yml", ".gitignore", "c.txt", "src/a.rs", "src/deep/b.rs"]);
        assert!(found(Walk { ignored: true, ..Walk::default() }).contains(&"out/d.rs".to_owned()));
        assert_eq!(found(Walk { no_hidden: true, depth: Some(1), ..Walk::default() }), ["c.txt"]);
    }

    #[test]
    fn patterns() {
        assert_eq!(found(globs(&["*.rs"])), ["src/a.rs", "src/deep/b.rs"]);
        assert_eq!(found(globs(&["src/*.rs"])), ["src/a.rs"]);
        assert_eq!(found(globs(&["**/b.rs"])), ["src/deep/b.rs"]);
        assert_eq!(found(globs(&["/c.*"])), ["c.txt"]);
        assert_eq!(found(globs(&["*.{txt,yml}", "!.github/**"])), ["c.txt"]);
        assert!(globs(&["[z"]).run(Path::new("/"), &CancellationToken::new()).err().unwrap().contains("[z"));
    }

    #[test]
    fn what_is_skipped_is_not_seen_by_any_way() {
        let dir = tree();
        let real = dir.path().canonicalize().unwrap();
        let link = tempfile::tempdir().unwrap();
        std::os::unix::fs::symlink(&real, link.path().join("there")).unwrap();
        let skip: Places = [real.join("src"), real.join("c.txt"), "/elsewhere".into()].into_iter().collect();
        let walk = |root: &Path, follow| {
            let walk = Walk { skip: skip.clone(), follow, ..Walk::default() };
            let files = walk.run(root, &CancellationToken::new()).unwrap().filter(|f| !f.is_dir);
            files.filter_map(|f| f.path.file_name()?.to_str().map(str::to_owned)).collect::<Vec<_>>()
        };
        assert_eq!(walk(dir.path(), false), ["e.yml", ".gitignore"]);
        assert_eq!(walk(&link.path().join("there"), false), ["e.yml", ".gitignore"]);
        assert_eq!(walk(link.path(), true), ["e.yml", ".gitignore"]);
        for inside in ["src", "src/deep", "c.txt"] {
            assert!(walk(&dir.path().join(inside), false).is_empty(), "{inside}");
            assert!(walk(&link.path().join("there").join(inside), true).is_empty(), "{inside}");
        }
    }

    #[test]
    fn types_by_name() {
        assert_eq!(found(Walk { file_type: Some("rust".into()), ..Walk::default() }), ["src/a.rs", "src/deep/b.rs"]);
        let walk = Walk { file_type: Some("nope".into()), ..Walk::default() };
        assert!(walk.run(Path::new("/"), &CancellationToken::new()).err().unwrap().contains("nope"));
    }

    #[test]
    fn a_file_is_its_own_walk() {
        let dir = tree();
        let found: Vec<_> =
            Walk::default().run(&dir.path().join("c.txt"), &CancellationToken::new()).unwrap().collect();
        assert_eq!(found[0].path, Path::new("c.txt"));
    }

    #[test]
    fn it_ends_when_nobody_waits() {
        let stop = CancellationToken::new();
        let mut walk = globs(&["*.none"]).run(Path::new("/"), &stop).unwrap();
        stop.cancel();
        assert_eq!(walk.next(), None);
    }
}
