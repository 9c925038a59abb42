//! What a call would change, in a question: the file and its hunks. Lines are told apart by the lengths that hunks have, so
//! that no line of a file passes for the name of another.

use crate::tui::text::diff;
use crate::tui::theme::Role;

/// What is shown of a unified diff.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Changes<'a> {
    /// The file, where it is one and `said` does not name it.
    pub name: Option<&'a str>,
    /// The hunks; of several files all lines.
    pub lines: Vec<(Role, &'a str)>,
}

/// `said`: what stands above it.
pub fn changes<'a>(unified: &'a str, said: &str) -> Changes<'a> {
    let lines: Vec<_> = unified.lines().zip(diff::roles(unified)).map(|(line, role)| (role, line)).collect();
    let heads = |sign: &'static str| {
        lines.iter().filter(|(role, _)| *role == Role::Accent).filter_map(move |(_, line)| line.strip_prefix(sign))
    };
    let (Some(old), Some(new), 1) = (heads("--- ").next(), heads("+++ ").next(), heads("+++ ").count()) else {
        return Changes { name: None, lines };
    };
    let name = name_of(old, new);
    let name = (!is_named(said, name)).then_some(name);
    let hunks = lines.into_iter().skip_while(|(role, _)| *role != Role::DiffHunk);
    Changes { name, lines: hunks.collect() }
}

/// Without the dates of `diff`, and without the `a/` and `b/` of Git.
fn name_of<'a>(old: &'a str, new: &'a str) -> &'a str {
    let [old, new] = [old, new].map(|name| name.split('\t').next().unwrap_or_default());
    let name = if new == "/dev/null" { old } else { new };
    let git = |name: &str, sign| name == "/dev/null" || name.starts_with(sign);
    match git(old, "a/") && git(new, "b/") {
        true => name.get(2..).unwrap_or(name),
        false => name,
    }
}

/// Whether a text has the path as a word, or as the end of a longer one.
fn is_named(text: &str, path: &str) -> bool {
    let mut words = text.split(|c: char| c.is_whitespace() || "\"'`,:;()".contains(c));
    words.any(|word| word.strip_suffix(path).is_some_and(|before| before.is_empty() || before.ends_with('/')))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_file_is_named_whoever_wrote_the_diff() {
        for (names, want) in [
            ("--- a/src/x.rs\n+++ b/src/x.rs\n", "src/x.rs"),
            ("--- src/x.rs\n+++ src/x.rs\n", "src/x.rs"),
            ("--- b/x.rs\n+++ b/x.rs\n", "b/x.rs"),
            ("--- /dev/null\n+++ b/x.rs\n", "x.rs"),
            ("--- a/x.rs\n+++ /dev/null\n", "x.rs"),
            ("--- x.rs\t2026-01-01\n+++ /dev/null\t1970-01-01\n", "x.rs"),
        ] {
            let diff = format!("{names}@@ -1 +1 @@\n-old\n+new\n");
            assert_eq!(changes(&diff, "mode ask").name, Some(want), "{names}");
            assert_eq!(changes(&diff, &format!("/work/{want}: mode ask")).name, None, "{names}");
            assert_eq!(changes(&diff, "mode ask").lines[0], (Role::DiffHunk, "@@ -1 +1 @@"));
        }
    }

    #[test]
    fn no_line_of_a_file_passes_for_the_name_of_another() {
        let diff = "--- a/real.rs\n+++ b/real.rs\n@@ -1,2 +1,2 @@\n a\n--- ok.rs\n+++ ok.rs\n@@ -9 +9 @@\n-b\n+c\n";
        let told = changes(diff, "");
        assert_eq!(told.name, Some("real.rs"));
        assert!(
            told.lines.contains(&(Role::DiffRemoved, "--- ok.rs"))
                && told.lines.contains(&(Role::DiffAdded, "+++ ok.rs"))
        );
        let two = format!("{diff}--- a/y\n+++ b/y\n@@ -1 +1 @@\n-b\n+c\n");
        let told = changes(&two, "");
        assert_eq!((told.name, told.lines[0], told.lines.len()), (None, (Role::Accent, "--- a/real.rs"), 14));
    }
}
