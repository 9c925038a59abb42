//! The system prompt: the shipped one (`assets/prompts/system.md`, or the user's), then what files of instructions say.
//!
//! Those are `<config>/panto/AGENTS.md` and, from the root of the repository down to the working directory, the
//! `AGENTS.md` (else `CLAUDE.md`) of each folder: the nearer, the later and the stronger. They are words to the model,
//! not code, so they are read in folders that are not trusted, too. The text of a session is assembled once, when it is
//! opened, and stays as it is, so that prompt caches hold.

use super::trust::INSTRUCTIONS;
use crate::util::{git, paths::Paths, small};
use std::path::{Path, PathBuf};

/// Bytes that one file of instructions may bring.
const LIMIT: u64 = 64 * 1024;

const TEMPLATE: &str = include_str!("../../assets/prompts/system.md");

/// What a system prompt is made of.
#[derive(Debug, Clone)]
pub struct SystemPrompt<'a> {
    pub paths: &'a Paths,
    pub cwd: &'a Path,
    /// `2026-11-29`.
    pub date: &'a str,
    /// Instead of the shipped text.
    pub text: Option<&'a str>,
    /// After everything else.
    pub append: &'a [String],
}

impl SystemPrompt<'_> {
    /// The parts, in order: the prompt itself, the files of instructions, what is appended.
    pub fn assemble(&self) -> Vec<String> {
        let mut parts = vec![self.fill(self.text.unwrap_or(TEMPLATE))];
        let files: Vec<String> = instruction_files(self.paths, self.cwd).iter().filter_map(|f| quote(f)).collect();
        if !files.is_empty() {
            let head = "# Instructions of the user and of this project\n\nFollow them; later ones go before earlier \
                        ones, and what the user says in the conversation goes before all of them.";
            parts.push(format!("{head}\n\n{}", files.join("\n\n")));
        }
        parts.extend(self.append.iter().map(|text| self.fill(text)));
        parts.retain(|part| !part.trim().is_empty());
        parts
    }

    fn fill(&self, text: &str) -> String {
        let git = match git::branch(self.cwd) {
            Some(branch) => format!("on {branch} when the session began"),
            None => "not a repository".into(),
        };
        let platform = format!("{} ({})", std::env::consts::OS, std::env::consts::ARCH);
        let cwd = self.cwd.display().to_string();
        let values = [("{cwd}", cwd.as_str()), ("{date}", self.date), ("{platform}", &platform), ("{git}", &git)];
        fill(text.trim(), &values)
    }
}

/// Puts values in, each place once: what a value contains is not looked at again.
fn fill(text: &str, values: &[(&str, &str)]) -> String {
    let mut out = String::with_capacity(text.len() + 128);
    let mut rest = text;
    while let Some(at) = rest.find('{') {
        out.push_str(&rest[..at]);
        rest = &rest[at..];
        let (name, value) = values.iter().find(|(name, _)| rest.starts_with(name)).copied().unwrap_or(("{", "{"));
        out.push_str(value);
        rest = &rest[name.len()..];
    }
    out + rest
}

/// The files whose text goes to the model, the weakest first.
pub fn instruction_files(paths: &Paths, cwd: &Path) -> Vec<PathBuf> {
    let top = cwd.ancestors().find(|folder| folder.join(".git").exists()).unwrap_or(cwd);
    let mut folders: Vec<&Path> = cwd.ancestors().take_while(|folder| folder.starts_with(top)).collect();
    folders.push(&paths.config);
    folders.reverse();
    let pick = |folder: &Path| INSTRUCTIONS.iter().map(|name| folder.join(name)).find(|file| file.is_file());
    folders.into_iter().filter_map(pick).collect()
}

fn quote(path: &Path) -> Option<String> {
    let mut bytes = small::beginning(path, LIMIT + 1).ok()?;
    let cut = bytes.len() as u64 > LIMIT;
    bytes.truncate(LIMIT as usize);
    let text = String::from_utf8_lossy(&bytes);
    let note = if cut { "\n\n(cut after 64 KiB; read the file for the rest)" } else { "" };
    let text = text.trim();
    (!text.is_empty()).then(|| format!("From {}:\n\n{text}{note}", path.display()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    struct World {
        root: tempfile::TempDir,
        paths: Paths,
    }

    fn world(files: &[(&str, &str)]) -> World {
        let root = tempfile::tempdir().expect("a temporary folder");
        for (path, text) in files {
            let path = root.path().join(path);
            fs::create_dir_all(path.parent().expect("a parent")).expect("a folder");
            fs::write(path, text).expect("a file");
        }
        let paths = Paths { data: root.path().join("data"), config: root.path().join("config"), home: None };
        World { root, paths }
    }

    impl World {
        fn parts(&self, cwd: &str, text: Option<&str>, append: &[String]) -> Vec<String> {
            let cwd = self.root.path().join(cwd);
            SystemPrompt { paths: &self.paths, cwd: &cwd, date: "2026-11-29", text, append }.assemble()
        }
    }

    #[test]
    fn the_shipped_prompt_is_filled_in() {
        let w = world(&[("repo/.git/HEAD", "ref: refs/heads/feature/x\n")]);
        let parts = w.parts("repo", None, &[]);
        assert_eq!(parts.len(), 1);
        let cwd = w.root.path().join("repo").display().to_string();
        for part in [cwd.as_str(), "2026-11-29", "on feature/x", std::env::consts::OS] {
            assert!(parts[0].contains(part), "no {part:?}");
        }
        assert!(!parts[0].contains("{cwd}") && !parts[0].contains("{git}"));
    }

    #[test]
    fn instructions_come_from_the_user_and_from_the_repository_down() {
        let w = world(&[
            ("AGENTS.md", "OUTSIDE"),
            ("config/AGENTS.md", "MINE"),
            ("repo/.git/HEAD", "0123456789abcdef\n"),
            ("repo/CLAUDE.md", "TOP"),
            ("repo/a/AGENTS.md", "NEAR"),
            ("repo/a/CLAUDE.md", "TWIN"),
        ]);
        let parts = w.parts("repo/a/b", None, &["LAST in {cwd}".into()]);
        let places: Vec<_> = ["MINE", "TOP", "NEAR"].iter().map(|word| parts[1].find(word)).collect();
        assert!(places.iter().all(Option::is_some) && places.is_sorted(), "{places:?} in {}", parts[1]);
        assert!(!parts[1].contains("OUTSIDE") && !parts[1].contains("TWIN"));
        assert!(parts[0].contains("on 0123456789 when"));
        assert!(parts[2].starts_with("LAST in /"));
    }

    #[test]
    fn without_a_repository_only_the_folder_itself_counts() {
        let w = world(&[("AGENTS.md", "ABOVE"), ("plain/AGENTS.md", "HERE")]);
        let parts = w.parts("plain", Some("short"), &[]);
        assert_eq!(parts[0], "short");
        assert!(parts[1].contains("HERE") && !parts[1].contains("ABOVE"));
    }

    #[test]
    fn values_are_not_filled_in_again_and_other_braces_stay() {
        assert_eq!(fill("a {x} {y} { {z}", &[("{x}", "{y}"), ("{y}", "1")]), "a {y} 1 { {z}");
    }

    #[test]
    fn a_long_file_is_cut() {
        let long = "x".repeat(LIMIT as usize + 5);
        let w = world(&[("plain/AGENTS.md", &long)]);
        let part = &w.parts("plain", None, &[])[1];
        assert!(part.len() < long.len() + 500 && part.contains("cut after 64 KiB"));
    }
}
