//! A shorter unified diff: the changed lines and one line around each, as many as there is room for.

/// Lines of context that stay around a change.
const CONTEXT: usize = 1;

/// A line of a hunk with its numbers on both sides.
struct Line<'t> {
    text: &'t str,
    old: usize,
    new: usize,
}

impl Line<'_> {
    fn is_change(&self) -> bool {
        self.text.starts_with(['+', '-'])
    }

    /// Whether the other one is the next line of the same place.
    fn precedes(&self, next: &Line) -> bool {
        let old = self.old + usize::from(!self.text.starts_with('+'));
        let new = self.new + usize::from(!self.text.starts_with('-'));
        (old, new) == (next.old, next.new)
    }
}

/// The excerpt and how many lines of the hunks it leaves out; none when the whole is no longer than `limit` lines.
pub fn excerpt(unified: &str, limit: usize) -> Option<(String, usize)> {
    let lines = lines(unified);
    if lines.len() <= limit {
        return None;
    }
    let near = |i: usize| {
        let from = i.saturating_sub(CONTEXT);
        (from..=i + CONTEXT).any(|j| lines.get(j).is_some_and(|l| l.is_change() && touches(&lines, i, j)))
    };
    let kept: Vec<&Line> = (0..lines.len()).filter(|i| near(*i)).take(limit).map(|i| &lines[i]).collect();
    let mut out = String::new();
    for run in kept.chunk_by(|a, b| a.precedes(b)) {
        let count = |sign: char| run.iter().filter(|l| !l.text.starts_with(sign)).count();
        out += &format!("@@ -{},{} +{},{} @@\n", run[0].old, count('+'), run[0].new, count('-'));
        run.iter().for_each(|l| {
            out.push_str(l.text);
            out.push('\n');
        });
    }
    Some((out, lines.len() - kept.len()))
}

/// Whether the lines from one to the other lie without a break.
fn touches(lines: &[Line], a: usize, b: usize) -> bool {
    lines[a.min(b)..=a.max(b)].windows(2).all(|pair| pair[0].precedes(&pair[1]))
}

/// The lines of all hunks.
fn lines(unified: &str) -> Vec<Line<'_>> {
    let (mut out, mut at) = (vec![], None);
    for text in unified.split('\n') {
        if let Some(begin) = text.strip_prefix("@@ -").and_then(numbers) {
            at = Some(begin);
        } else if let Some((old, new)) = &mut at
            && text.starts_with(['+', '-', ' '])
        {
            out.push(Line { text, old: *old, new: *new });
            *old += usize::from(!text.starts_with('+'));
            *new += usize::from(!text.starts_with('-'));
        }
    }
    out
}

/// `12,3 +14,5 @@` → (12, 14).
fn numbers(text: &str) -> Option<(usize, usize)> {
    let (old, rest) = text.split_once(" +")?;
    let number = |t: &str| t.split([',', ' ']).next()?.parse().ok();
    Some((number(old)?, number(rest)?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_short_diff_stays_as_it_is() {
        assert_eq!(excerpt("@@ -1,2 +1,2 @@\n a\n-b\n+c\n", 3), None);
    }

    #[test]
    fn changes_stay_with_their_numbers_and_far_context_goes() {
        let diff = "--- a\n+++ b\n@@ -17,7 +17,7 @@\n 17\n 18\n 19\n-20\n+XX\n 21\n 22\n 23\n@@ -40,3 +40,2 @@\n 40\n-41\n 42\n";
        let (text, hidden) = excerpt(diff, 7).unwrap();
        assert_eq!(text, "@@ -19,3 +19,3 @@\n 19\n-20\n+XX\n 21\n@@ -40,3 +40,2 @@\n 40\n-41\n 42\n");
        assert_eq!(hidden, 4);
    }

    #[test]
    fn what_finds_no_room_is_counted() {
        let many: String = (0..50).map(|i| format!("+{i}\n")).collect();
        let (text, hidden) = excerpt(&format!("@@ -0,0 +1,50 @@\n{many}"), 5).unwrap();
        assert_eq!(text, "@@ -0,0 +1,5 @@\n+0\n+1\n+2\n+3\n+4\n");
        assert_eq!(hidden, 45);
    }

    #[test]
    fn what_is_no_diff_gives_nothing_and_no_panic() {
        assert_eq!(excerpt("@@ -x +y @@\n+a\n@@ nonsense\n", 1), None);
    }
}
