//! What a sandboxed command may do, as plain data.

use super::places::{self, Resolver};
use std::path::{Path, PathBuf};

/// Devices that every program may write to. Terminals are a folder of their own.
pub(super) const DEVICES: [&str; 7] =
    ["/dev/null", "/dev/zero", "/dev/full", "/dev/random", "/dev/urandom", "/dev/tty", "/dev/ptmx"];

/// All paths are absolute. Devices like /dev/null and terminals of the command's own are always writable.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Policy {
    /// The folder that the command works in; writable.
    pub workspace: PathBuf,
    /// What else is writable: folders, or single files. What does not exist counts as absent.
    pub write: Vec<PathBuf>,
    /// Folders and files that cannot be read, although all else can.
    pub read_deny: Vec<PathBuf>,
    /// Places inside of writable folders that are not writable, whether they exist yet or not.
    pub protect: Vec<PathBuf>,
    /// Files of git settings: writable, but not with keys that start programs.
    pub git_config: Vec<PathBuf>,
    /// Sockets through which a command could have others run something for it outside of the sandbox.
    pub sockets: Vec<PathBuf>,
    /// Whether the network may be used.
    pub network: bool,
}

impl Policy {
    /// A policy that lets write the workspace and nothing else.
    pub fn of(workspace: &Path) -> Policy {
        Policy {
            workspace: workspace.to_owned(),
            write: vec![],
            read_deny: vec![],
            protect: vec![],
            git_config: vec![],
            sockets: vec![],
            network: true,
        }
    }

    /// Whether the sandbox lets this path be written, wherever links lead.
    pub fn lets_write(&self, path: &Path) -> bool {
        let mut resolver = Resolver::default();
        let path = resolver.real(path);
        if DEVICES.iter().any(|device| path == Path::new(device)) {
            return true;
        }
        let held = self.protect.iter().chain(&self.read_deny).any(|p| path.starts_with(resolver.real(p)));
        !held && places::under_any(&path, &self.roots(&mut resolver))
    }

    /// Whether the sandbox lets this path be read, wherever links lead.
    pub fn lets_read(&self, path: &Path) -> bool {
        let mut resolver = Resolver::default();
        let path = resolver.real(path);
        !self.read_deny.iter().any(|p| path.starts_with(resolver.real(p)))
    }

    /// Whether it is the same to the byte. That paths can be spelled in two ways does not matter here, and to take them
    /// apart is slow.
    pub(super) fn says_the_same(&self, other: &Policy) -> bool {
        fn lists(policy: &Policy) -> [&[PathBuf]; 5] {
            [&policy.write, &policy.read_deny, &policy.protect, &policy.git_config, &policy.sockets]
        }
        let same = |a: &Path, b: &Path| a.as_os_str() == b.as_os_str();
        let mut both = lists(self).into_iter().zip(lists(other));
        self.network == other.network
            && same(&self.workspace, &other.workspace)
            && both.all(|(a, b)| a.len() == b.len() && a.iter().zip(b).all(|(a, b)| same(a, b)))
    }

    /// What is writable and exists, without links, and without what lies inside of another.
    pub(super) fn roots(&self, resolver: &mut Resolver) -> Vec<PathBuf> {
        let all = std::iter::once(&self.workspace).chain(&self.write);
        places::outermost(all.filter_map(|p| resolver.there(p)).collect())
    }
}
