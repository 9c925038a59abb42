//! A unified diff as the passages that an editor shows side by side.

/// A passage before and after.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Passage {
    /// None: the file was not there.
    pub old: Option<String>,
    pub new: String,
    /// Where it begins in the new text, from 1.
    pub line: u32,
}

/// The hunks of a diff of one file. What is no diff has none.
pub fn passages(diff: &str) -> Vec<Passage> {
    let mut found: Vec<Passage> = vec![];
    let mut last = None;
    for line in diff.lines() {
        if let Some((created, line)) = hunk(line) {
            found.push(Passage { old: (!created).then(String::new), new: String::new(), line });
            last = None;
        } else if let Some(passage) = found.last_mut() {
            last = take(passage, line, last);
        }
    }
    found
}

/// Whether there was nothing before, and where the hunk begins in the new text.
fn hunk(line: &str) -> Option<(bool, u32)> {
    let (old, new) = line.strip_prefix("@@ -")?.split_once(" +")?;
    let at: u32 = new.split([',', ' ']).next()?.parse().ok()?;
    Some((old == "0,0", at.max(1)))
}

fn take(passage: &mut Passage, line: &str, last: Option<char>) -> Option<char> {
    let mark = line.chars().next();
    let text = line.get(1..).unwrap_or_default();
    if mark == Some('\\') {
        // The line before it ends the file without a newline.
        if matches!(last, Some('-' | ' ')) {
            passage.old.as_mut().map(String::pop);
        }
        if matches!(last, Some('+' | ' ')) {
            passage.new.pop();
        }
        return mark;
    }
    if matches!(mark, Some('-' | ' ') | None) {
        passage.old.iter_mut().for_each(|old| *old += &format!("{text}\n"));
    }
    if matches!(mark, Some('+' | ' ') | None) {
        passage.new += &format!("{text}\n");
    }
    mark.or(Some(' '))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hunks_become_passages_with_their_places() {
        let diff = "--- a/x.rs\n+++ b/x.rs\n@@ -1,2 +1,2 @@\n-one\n+ONE\n two\n@@ -10 +10,2 @@ fn f()\n ten\n+eleven\n\\ No newline at end of file\n";
        let passage = |old: &str, new: &str, line| Passage { old: Some(old.into()), new: new.into(), line };
        assert_eq!(passages(diff), [passage("one\ntwo\n", "ONE\ntwo\n", 1), passage("ten\n", "ten\neleven", 10)]);
        assert_eq!(passages("no diff\n-at all\n"), []);
    }

    #[test]
    fn a_file_that_was_not_there_has_no_old_text() {
        let made = passages("--- x\n+++ x\n@@ -0,0 +1 @@\n+new\n");
        assert_eq!(made, [Passage { old: None, new: "new\n".into(), line: 1 }]);
    }
}
