//! What counts as a change, and that it can be undone.

use super::*;
use crate::sandbox::{NetworkControl, Policy, Support};
use std::fs;

struct Place {
    folder: tempfile::TempDir,
    policy: Policy,
}

fn support(namespaces: Namespaces) -> Support {
    Support { available: true, why: None, landlock: 7, namespaces, network: NetworkControl::None }
}

impl Place {
    fn new() -> Place {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let root = folder.path().canonicalize().expect("it exists");
        let mut policy = Policy::of(&root);
        policy.protect = [".git/hooks", ".panto", ".bashrc"].map(|n| root.join(n)).to_vec();
        policy.git_config = vec![root.join(".git/config")];
        Place { folder, policy }
    }

    fn at(&self, name: &str) -> PathBuf {
        self.folder.path().canonicalize().expect("it exists").join(name)
    }

    fn put(&self, name: &str, text: &str) {
        fs::create_dir_all(self.at(name).parent().expect("a folder")).expect("folders");
        fs::write(self.at(name), text).expect("a file");
    }

    /// What `change` changes, without namespaces.
    fn changes(&self, change: impl FnOnce(&Place)) -> Vec<Change> {
        let watch = self.policy.look(&support(Namespaces::None)).watch();
        change(self);
        watch.changes()
    }
}

fn told(changes: &[Change]) -> Vec<(String, &'static str)> {
    let name = |c: &Change| c.path.file_name().unwrap_or_default().to_string_lossy().into_owned();
    changes.iter().map(|c| (name(c), c.what.name())).collect()
}

#[test]
fn created_changed_and_removed_files_are_told_and_undone() {
    let p = Place::new();
    p.put(".git/hooks/pre-commit", "old\n");
    p.put(".bashrc", "alias a=b\n");
    let changes = p.changes(|p| {
        p.put(".git/hooks/pre-commit", "new\n");
        p.put(".git/hooks/post-merge", "evil\n");
        p.put(".panto/extensions/evil.lua", "evil\n");
        fs::remove_file(p.at(".bashrc")).expect("removed");
    });
    let expected =
        [(".bashrc", "removed"), ("post-merge", "created"), ("pre-commit", "changed"), (".panto", "created")];
    assert_eq!(told(&changes), expected.map(|(n, w)| (n.to_owned(), w)));
    assert!(changes[2].diff.as_deref().is_some_and(|d| d.contains("-old\n+new")), "{changes:?}");
    assert!(changes[3].diff.as_deref().is_some_and(|d| d.contains("evil.lua")), "{changes:?}");
    changes.iter().for_each(|c| c.undo().expect("undone"));
    assert!(!p.at(".panto").exists() && !p.at(".git/hooks/post-merge").exists());
    assert_eq!(fs::read_to_string(p.at(".git/hooks/pre-commit")).expect("a file"), "old\n");
    assert_eq!(fs::read_to_string(p.at(".bashrc")).expect("a file"), "alias a=b\n");
}

#[test]
fn a_fresh_repository_is_no_change() {
    let p = Place::new();
    let changes = p.changes(|p| {
        p.put(".git/hooks/pre-commit.sample", "sample");
        p.put(".git/config", "[core]\n\tbare = false\n");
    });
    assert!(changes.is_empty(), "{changes:?}");
}

#[test]
fn settings_of_git_that_start_programs_are_taken_out_and_others_stay() {
    let p = Place::new();
    p.put(".git/config", "[core]\n\tbare = false\n\tpager = less\n");
    let evil = "[core]\n\tbare = false\n\tpager = less\n\thooksPath = evil\n[user]\n\tname = A\n";
    let changes = p.changes(|p| p.put(".git/config", evil));
    assert_eq!(told(&changes), [("config".to_owned(), "changed")]);
    changes[0].undo().expect("undone");
    let left = fs::read_to_string(p.at(".git/config")).expect("a file");
    assert_eq!(left, evil.replace("\thooksPath = evil\n", ""));
}

#[test]
fn settings_that_cannot_be_looked_at_are_a_change_and_hang_nothing() {
    let p = Place::new();
    let fine = "[core]\n\tbare = false\n";
    let make = |name: &str, p: &Place| {
        fs::remove_file(p.at(".git/config")).expect("removed");
        match name {
            "pipe" => assert!(
                std::process::Command::new("mkfifo").arg(p.at(".git/config")).status().is_ok_and(|s| s.success())
            ),
            "device" => std::os::unix::fs::symlink("/dev/zero", p.at(".git/config")).expect("a link"),
            _ => p.put(".git/config", &format!("[core]\n\thooksPath = evil\n{}", "#".repeat(1 << 20))),
        }
    };
    for name in ["pipe", "device", "large"] {
        p.put(".git/config", fine);
        let changes = p.changes(|p| make(name, p));
        assert_eq!(told(&changes), [("config".to_owned(), "changed")], "{name}");
        changes[0].undo().unwrap_or_else(|e| panic!("{name}: {e}"));
        assert_eq!(fs::read_to_string(p.at(".git/config")).expect("a file"), fine, "{name}");
    }
}

#[test]
fn bytes_that_are_no_text_hide_no_setting() {
    let p = Place::new();
    let fine = b"[user]\n\tname = \xff\n";
    fs::create_dir_all(p.at(".git")).expect("a folder");
    let evil = [&fine[..], b"[core]\n\thooksPath = evil\n"].concat();
    let changes = p.changes(|p| fs::write(p.at(".git/config"), evil).expect("a file"));
    assert_eq!(told(&changes), [("config".to_owned(), "created")]);
    changes[0].undo().expect("undone");
    assert_eq!(fs::read(p.at(".git/config")).expect("a file"), [&fine[..], b"[core]\n"].concat());
}

#[test]
fn a_link_in_place_of_a_folder_is_a_change_and_undoing_does_not_follow_it() {
    let p = Place::new();
    p.put(".panto/config.toml", "mode = \"ask\"\n");
    p.put("other/config.toml", "mine\n");
    let changes = p.changes(|p| {
        fs::remove_dir_all(p.at(".panto")).expect("removed");
        std::os::unix::fs::symlink(p.at("other"), p.at(".panto")).expect("a link");
    });
    assert_eq!(told(&changes), [(".panto".to_owned(), "changed"), ("config.toml".to_owned(), "removed")]);
    assert!(changes[1].undo().is_err_and(|e| e.to_string().contains("link")));
    changes.iter().for_each(|c| c.undo().expect("undone"));
    assert_eq!(fs::read_to_string(p.at(".panto/config.toml")).expect("a file"), "mode = \"ask\"\n");
    assert_eq!(fs::read_to_string(p.at("other/config.toml")).expect("a file"), "mine\n");
}

#[test]
fn what_is_held_by_a_mount_is_not_looked_at() {
    let p = Place::new();
    p.put(".git/hooks/pre-commit", "old\n");
    let watch = p.policy.look(&support(Namespaces::User)).watch();
    p.put(".git/hooks/pre-commit", "new\n");
    p.put(".panto/config.toml", "");
    assert_eq!(told(&watch.changes()), [(".panto".to_owned(), "created")]);
}
