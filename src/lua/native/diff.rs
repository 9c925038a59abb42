//! Differences of two texts, for people and for the screen.

use similar::{ChangeTag, TextDiff};
use std::time::Duration;

/// After this time a diff becomes coarse instead of minimal.
const PATIENCE: Duration = Duration::from_millis(500);

/// A unified diff with `context` lines around each change; empty when nothing differs. Bytes that are no UTF-8 are shown
/// as replacement characters, carriage returns at line ends not at all unless the line ends are what differs.
pub fn unified(old: &[u8], new: &[u8], path: &str, context: usize) -> String {
    let (with_old, with_new) = (String::from_utf8_lossy(old), String::from_utf8_lossy(new));
    let (bare_old, bare_new) = (with_old.replace("\r\n", "\n"), with_new.replace("\r\n", "\n"));
    match bare_old == bare_new {
        true => render(&with_old, &with_new, path, context),
        false => render(&bare_old, &bare_new, path, context),
    }
}

fn render(old: &str, new: &str, path: &str, context: usize) -> String {
    let diff = TextDiff::configure().timeout(PATIENCE).diff_lines(old, new);
    diff.unified_diff().context_radius(context).header(path, path).to_string()
}

/// Runs of words: what both have (`=`), what only the old (`-`) and what only the new text has (`+`).
pub fn words(old: &str, new: &str) -> Vec<(char, String)> {
    let diff = TextDiff::configure().timeout(PATIENCE).diff_words(old, new);
    let mut runs: Vec<(char, String)> = Vec::new();
    for change in diff.iter_all_changes() {
        let sign = match change.tag() {
            ChangeTag::Equal => '=',
            ChangeTag::Delete => '-',
            ChangeTag::Insert => '+',
        };
        match runs.last_mut() {
            Some((last, text)) if *last == sign => text.push_str(change.value()),
            _ => runs.push((sign, change.value().to_owned())),
        }
    }
    runs
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn headers_carry_line_numbers() {
        let diff = unified(b"1\n2\n3\n4\n", b"1\n2\nthree\n4\n", "a.txt", 1);
        assert_eq!(diff, "--- a.txt\n+++ a.txt\n@@ -2,3 +2,3 @@\n 2\n-3\n+three\n 4\n");
        assert_eq!(unified(b"a\n", b"a\n", "a", 3), "");
    }

    #[test]
    fn carriage_returns_show_only_when_they_differ() {
        assert!(!unified(b"a\r\nb\r\n", b"a\r\nc\r\n", "f", 3).contains('\r'));
        assert!(unified(b"a\r\n", b"a\n", "f", 3).contains("-a\r\n+a\n"));
    }

    #[test]
    fn words_apart() {
        let runs = words("the old cat", "the new cat");
        let runs: Vec<(char, &str)> = runs.iter().map(|(c, t)| (*c, t.as_str())).collect();
        assert_eq!(runs, [('=', "the "), ('-', "old"), ('+', "new"), ('=', " cat")]);
    }
}
