//! Unified diffs in the colours of the transcript.

use super::page::Page;

pub fn write(page: &mut Page, unified: &str) {
    page.raw("<pre class=\"diff\">");
    let mut at = Numbers::default();
    for line in without_names(unified).lines() {
        let (class, number) = at.line(line);
        let (sign, rest) = match line.chars().next() {
            Some(sign @ ('+' | '-' | ' ')) => (sign, &line[1..]),
            _ => (' ', line),
        };
        page.raw("<span class=\"").raw(class).raw("\"><i>").text(&number).raw("</i>");
        page.text(&format!("{sign} {rest}")).raw("</span>\n");
    }
    page.raw("</pre>\n");
}

/// Lines added and removed.
pub fn counts(unified: &str) -> (usize, usize) {
    let count = |sign: char| without_names(unified).lines().filter(|line| line.starts_with(sign)).count();
    (count('+'), count('-'))
}

/// The names of the files stand in the title already.
fn without_names(unified: &str) -> &str {
    let mut rest = unified;
    for prefix in ["--- ", "+++ "] {
        if rest.starts_with(prefix) {
            rest = rest.split_once('\n').map_or("", |(_, rest)| rest);
        }
    }
    rest
}

/// The lines that come next in the old file and in the new one.
#[derive(Default)]
struct Numbers {
    old: u64,
    new: u64,
}

impl Numbers {
    fn line(&mut self, line: &str) -> (&'static str, String) {
        let next = |n: &mut u64| {
            let now = n.to_string();
            *n = n.saturating_add(1);
            now
        };
        match line.as_bytes().first() {
            Some(b'@') => {
                (self.old, self.new) = begins(line).unwrap_or((self.old, self.new));
                ("hunk", String::new())
            }
            Some(b'+') => ("add", next(&mut self.new)),
            Some(b'-') => ("del", next(&mut self.old)),
            Some(b'\\') => ("hunk", String::new()),
            _ => {
                next(&mut self.old);
                ("same", next(&mut self.new))
            }
        }
    }
}

/// The first lines of `@@ -1,2 +3,4 @@`.
fn begins(hunk: &str) -> Option<(u64, u64)> {
    let mut words = hunk.split(' ');
    let mut number = |sign: char| {
        let word = words.find(|w| w.starts_with(sign))?;
        word[1..].split(',').next()?.parse().ok()
    };
    Some((number('-')?, number('+')?))
}
