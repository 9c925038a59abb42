use super::*;

struct World {
    _root: tempfile::TempDir,
    project: PathBuf,
    file: TrustFile,
}

fn world() -> World {
    let root = tempfile::tempdir().expect("a temporary folder");
    let project = root.path().join("project");
    fs::create_dir(&project).expect("a folder");
    let file = TrustFile::of(&root.path().join("data"));
    World { project, file, _root: root }
}

impl World {
    fn write(&self, path: &str, text: &str) {
        let path = self.project.join(path);
        fs::create_dir_all(path.parent().expect("a parent")).expect("a folder");
        fs::write(path, text).expect("a file");
    }

    fn state(&self) -> Trust {
        self.file.state(&self.project).0
    }

    fn question(&self) -> Question {
        match self.state() {
            Trust::Untrusted(question) => question,
            other => panic!("a question was expected, not {other:?}"),
        }
    }
}

#[test]
fn a_plain_folder_asks_nothing() {
    let w = world();
    w.write("src/main.rs", "");
    assert_eq!(w.state(), Trust::Nothing);
    assert!(!w.file.0.exists());
}

#[test]
fn asked_once_and_kept() {
    let w = world();
    w.write(".panto/extensions/one.lua", "x");
    w.write("AGENTS.md", "say so");
    let question = w.question();
    assert_eq!((question.brings, question.changed), (vec![".panto/extensions".into(), "AGENTS.md".into()], false));
    w.file.decide(&w.project, true).expect("written");
    assert_eq!(w.state(), Trust::Trusted);
}

#[test]
fn new_code_and_changed_code_ask_again() {
    let w = world();
    w.write(".panto/extensions/one.lua", "x");
    w.file.decide(&w.project, true).expect("written");
    w.write(".panto/prompts/hello.md", "no code");
    assert_eq!(w.state(), Trust::Trusted);
    w.write(".panto/extensions/two.lua", "y");
    assert!(w.question().changed);
    w.file.decide(&w.project, true).expect("written");
    assert_eq!(w.state(), Trust::Trusted);
    w.write(".panto/extensions/two.lua", "z");
    assert!(w.question().changed);
}

#[test]
fn not_now_leaves_what_was_trusted_before() {
    let w = world();
    w.write(".panto/tools/t.lua", "old");
    w.file.decide(&w.project, true).expect("written");
    w.write(".panto/tools/t.lua", "new");
    w.file.decide(&w.project, false).expect("nothing to do");
    assert!(w.question().changed);
    w.write(".panto/tools/t.lua", "old");
    assert_eq!(w.state(), Trust::Trusted);
}

#[test]
fn trust_is_taken_back_and_not_now_leaves_no_file() {
    let w = world();
    w.write(".panto/config.toml", "");
    w.file.decide(&w.project, false).expect("nothing to do");
    assert!(!w.file.0.exists());
    w.file.decide(&w.project, true).expect("written");
    w.file.decide(&w.project, false).expect("written");
    assert!(!w.question().changed);
}

#[test]
fn a_worktree_shares_the_trust_of_its_repository() {
    let w = world();
    let tree = w.project.with_file_name("tree");
    w.write(".git/worktrees/tree/commondir", "../..\n");
    for folder in [&w.project, &tree] {
        fs::create_dir_all(folder.join(".panto/tools")).expect("a folder");
        fs::write(folder.join(".panto/tools/t.lua"), "same").expect("a file");
    }
    fs::write(tree.join(".git"), format!("gitdir: {}\n", w.project.join(".git/worktrees/tree").display()))
        .expect("a file");
    w.file.decide(&w.project, true).expect("written");
    assert_eq!(w.file.state(&tree).0, Trust::Trusted);
    fs::write(tree.join(".panto/tools/t.lua"), "other").expect("a file");
    assert!(!w.file.state(&tree).0.allows());
    assert_eq!(w.state(), Trust::Trusted);
}

#[test]
fn a_cut_file_counts_as_empty_and_is_kept() {
    let w = world();
    w.write(".panto/config.toml", "");
    w.file.decide(&w.project, true).expect("written");
    let whole = fs::read(&w.file.0).expect("a file");
    fs::write(&w.file.0, &whole[..whole.len() / 2]).expect("cut");
    let (state, message) = w.file.state(&w.project);
    assert!(!state.allows() && message.is_some_and(|m| m.contains("trust.json")));
    w.file.decide(&w.project, true).expect("written");
    assert_eq!(w.state(), Trust::Trusted);
    assert!(w.file.0.with_extension("json.damaged").exists());
}

#[cfg(unix)]
#[test]
fn only_the_owner_may_read_it() {
    use std::os::unix::fs::PermissionsExt;
    let w = world();
    w.file.decide(&w.project, true).expect("written");
    assert_eq!(fs::metadata(&w.file.0).expect("a file").permissions().mode() & 0o777, 0o600);
}
