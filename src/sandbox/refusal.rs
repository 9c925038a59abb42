//! Whether it was the sandbox that made a command fail, by what it says.
//!
//! A guess, and a careful one: a message counts if it names a place that the sandbox holds and that we could use
//! ourselves, or none at all.

use super::Policy;
use std::{
    ffi::CString,
    os::unix::ffi::OsStrExt,
    path::{Path, PathBuf},
};

/// What the system says of files and processes that may not be touched, in lower case.
const DENIED: [&str; 8] = [
    "read-only file system",
    "permission denied",
    "operation not permitted",
    "erofs",
    "eacces",
    "eperm",
    "no new privileges",
    "errno 30",
];

/// What programs say without a network.
const OFFLINE: [&str; 9] = [
    "could not resolve",
    "name or service not known",
    "temporary failure in name resolution",
    "network is unreachable",
    "no address associated",
    "enotfound",
    "eai_again",
    "enetunreach",
    "failed to lookup address",
];

/// Bytes of the output's end that are looked at.
const TAIL: usize = 16 << 10;

impl Policy {
    /// The line in which a failed command tells of what the sandbox has refused.
    pub fn refusal(&self, cwd: &Path, output: &[u8]) -> Option<String> {
        let tail = String::from_utf8_lossy(&output[output.len().saturating_sub(TAIL)..]);
        tail.lines().rev().find(|line| self.refused(cwd, line)).map(|line| line.trim().to_owned())
    }

    fn refused(&self, cwd: &Path, line: &str) -> bool {
        let lower = line.to_lowercase();
        let says = |words: &[&str]| words.iter().any(|word| lower.contains(word));
        if !self.network && says(&OFFLINE) {
            return true;
        }
        if !says(&DENIED) {
            return false;
        }
        let named = paths(line, cwd);
        named.is_empty() || named.iter().any(|path| self.holds(path))
    }

    /// Whether the sandbox keeps from a path what the user could do with it.
    fn holds(&self, path: &Path) -> bool {
        let writable = || may(path, libc::W_OK) || !path.exists() && path.parent().is_some_and(|p| may(p, libc::W_OK));
        !self.lets_read(path) && may(path, libc::R_OK) || !self.lets_write(path) && writable()
    }
}

fn may(path: &Path, what: i32) -> bool {
    let Ok(path) = CString::new(path.as_os_str().as_bytes()) else { return false };
    // SAFETY: the path is a C string that outlives the call.
    unsafe { libc::access(path.as_ptr(), what) == 0 }
}

/// The paths in a message that lead somewhere: absolute ones, and relative ones that exist or lie in a folder that does.
fn paths(line: &str, cwd: &Path) -> Vec<PathBuf> {
    let quotes = |c: char| matches!(c, '\'' | '"' | '`' | '‘' | '’' | '“' | '”');
    let apart =
        |c: char| quotes(c) || c.is_whitespace() || matches!(c, ':' | ',' | '(' | ')' | '[' | ']' | '=' | '>' | '<');
    let words = line.split(apart).chain(line.split(quotes).skip(1).step_by(2));
    let leads = |path: &PathBuf| path.exists() || path.parent().is_some_and(Path::is_dir);
    let path = |word: &str| match word.starts_with('/') {
        true => Some(PathBuf::from(word)).filter(|p| p.parent().is_some()),
        false if word.contains('/') => Some(cwd.join(word)).filter(leads),
        false => Some(cwd.join(word)).filter(|p| !word.is_empty() && p.symlink_metadata().is_ok()),
    };
    words.filter(|word| word.len() < 4096).filter_map(path).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_the_sandbox_holds_counts() {
        let root = tempfile::tempdir().expect("a temporary folder");
        let root = root.path().canonicalize().expect("it exists");
        for folder in ["work", "elsewhere", "secret"] {
            std::fs::create_dir(root.join(folder)).expect("a folder");
        }
        std::fs::write(root.join("work/script"), "").expect("a file");
        let policy = Policy { read_deny: vec![root.join("secret")], ..Policy::of(&root.join("work")) };
        let told = |line: &str| policy.refusal(&root.join("work"), line.as_bytes()).is_some();
        let shown = root.display();
        assert!(told(&format!("bash: line 1: {shown}/elsewhere/new: Read-only file system")));
        assert!(told(&format!(
            "error: cannot open '{shown}/elsewhere/a': Permission denied (os error 13)\nmore words\n"
        )));
        assert!(told(&format!("cat: {shown}/secret: Permission denied")));
        assert!(told("touch: cannot touch '../elsewhere/new': Read-only file system"));
        assert!(told("kill: (1) - Operation not permitted"));
        assert!(!told("bash: ./script: Permission denied"), "a file of the workspace that is not executable");
        assert!(!told("error[E0308]: mismatched types"));
        assert!(!told("curl: (6) Could not resolve host: example.org"), "the network is on");
        let off = Policy { network: false, ..policy.clone() };
        assert!(off.refusal(&root, b"curl: (6) Could not resolve host: example.org").is_some());
    }
}
