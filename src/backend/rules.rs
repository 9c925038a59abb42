//! Rules that the user has agreed to for good: for the session, or for the project.
//!
//! Those of projects lie in `<data>/approvals.json`, outside of any project, by its path. What a rule means is the business
//! of the extension that asked; here it is a text.

use crate::util::atomic;
use std::{
    collections::BTreeMap,
    io,
    path::{Path, PathBuf},
    sync::{Mutex, PoisonError},
};

type Projects = BTreeMap<String, Vec<String>>;

#[derive(Debug, Default)]
pub struct Rules {
    file: PathBuf,
    project: String,
    allowed: Mutex<Vec<String>>,
}

impl Rules {
    /// Those of a project. A damaged file holds none; then there is a message for the user.
    pub fn load(file: PathBuf, project: &Path) -> (Self, Option<String>) {
        let project = project.display().to_string();
        let (mut all, problem) = match read(&file) {
            Ok(all) => (all, None),
            Err(e) => {
                (Projects::new(), Some(format!("{} is unreadable; nothing is allowed by it: {e}", file.display())))
            }
        };
        let allowed = all.remove(&project).unwrap_or_default();
        (Rules { file, project, allowed: Mutex::new(allowed) }, problem)
    }

    /// All of them, in the order in which they came.
    pub fn granted(&self) -> Vec<String> {
        self.allowed.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Whether all of these were agreed to, word for word.
    pub fn allow(&self, rules: &[String]) -> bool {
        let allowed = self.allowed.lock().unwrap_or_else(PoisonError::into_inner);
        !rules.is_empty() && rules.iter().all(|rule| allowed.contains(rule))
    }

    /// Adds rules; for the project they are also written down. An error is for the user: they hold for the session.
    pub fn add(&self, rules: &[String], for_project: bool) -> io::Result<()> {
        append(&mut self.allowed.lock().unwrap_or_else(PoisonError::into_inner), rules);
        if !for_project {
            return Ok(());
        }
        let mut all = match read(&self.file) {
            Ok(all) => all,
            // A damaged file is kept under another name.
            Err(e) if e.kind() == io::ErrorKind::InvalidData => {
                std::fs::rename(&self.file, self.file.with_extension("json.damaged"))?;
                Projects::new()
            }
            Err(e) => return Err(e),
        };
        append(all.entry(self.project.clone()).or_default(), rules);
        atomic::write(&self.file, &serde_json::to_vec_pretty(&all)?, Some(0o600))
    }
}

fn append(to: &mut Vec<String>, rules: &[String]) {
    for rule in rules {
        if !to.contains(rule) {
            to.push(rule.clone());
        }
    }
}

fn read(file: &Path) -> io::Result<Projects> {
    match std::fs::read(file) {
        Ok(bytes) => serde_json::from_slice(&bytes).map_err(|e| io::Error::new(io::ErrorKind::InvalidData, e)),
        Err(e) if e.kind() == io::ErrorKind::NotFound => Ok(Projects::new()),
        Err(e) => Err(e),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rule(text: &str) -> Vec<String> {
        vec![text.to_owned()]
    }

    #[test]
    fn a_projects_rules_outlive_the_session_and_others_do_not() {
        let folder = tempfile::tempdir().expect("a folder");
        let file = folder.path().join("approvals.json");
        let of = |project: &str| Rules::load(file.clone(), Path::new(project)).0;
        let rules = of("/a");
        rules.add(&rule("std.shell(ls)"), false).expect("no file is needed");
        rules.add(&rule("std.shell(make *)"), true).expect("written");
        assert!(rules.allow(&rule("std.shell(ls)")) && rules.allow(&rule("std.shell(make *)")));
        assert!(!rules.allow(&[]), "an ask without a rule is always asked");
        let again = of("/a");
        assert!(!again.allow(&rule("std.shell(ls)")) && again.allow(&rule("std.shell(make *)")));
        assert!(!of("/b").allow(&rule("std.shell(make *)")));
    }

    #[test]
    fn a_cut_file_allows_nothing_is_told_of_and_is_kept() {
        let folder = tempfile::tempdir().expect("a folder");
        let file = folder.path().join("approvals.json");
        std::fs::write(&file, "{cut").expect("written");
        let (rules, problem) = Rules::load(file.clone(), Path::new("/a"));
        assert!(problem.expect("told").contains("approvals.json") && rules.granted().is_empty());
        rules.add(&rule("x"), true).expect("written");
        assert_eq!(std::fs::read_to_string(folder.path().join("approvals.json.damaged")).expect("kept"), "{cut");
        assert_eq!(Rules::load(file, Path::new("/a")).0.granted(), ["x"]);
    }
}
