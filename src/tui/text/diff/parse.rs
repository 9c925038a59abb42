//! The lines of a unified diff and their numbers.

/// What a line says.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Sign {
    Added,
    Removed,
    Same,
    /// `@@ … @@`
    Hunk,
    /// File names and everything else outside of hunks, and `\ No newline at end of file`.
    Head,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Line<'a> {
    pub sign: Sign,
    /// Without the sign.
    pub text: &'a str,
    /// In the new file; of removed lines in the old one.
    pub number: Option<usize>,
    /// In the old file, of what is in both.
    pub old: Option<usize>,
}

/// How many lines of this sign follow one another.
pub(super) fn run(lines: &[Line], from: usize, sign: Sign) -> usize {
    lines[from..].iter().take_while(|line| line.sign == sign).count()
}

/// What is still to come in the hunk, and the numbers of the next lines.
#[derive(Default)]
struct Hunk {
    old: usize,
    new: usize,
    old_left: usize,
    new_left: usize,
}

pub(super) fn parse(unified: &str) -> Vec<Line<'_>> {
    let mut hunk = Hunk::default();
    unified.lines().map(|line| hunk.line(line)).collect()
}

impl Hunk {
    fn line<'a>(&mut self, line: &'a str) -> Line<'a> {
        let rest = line.get(1..).unwrap_or_default();
        let inside = self.old_left + self.new_left > 0;
        match line.as_bytes().first() {
            Some(b'+') if inside && self.new_left > 0 => self.take(Sign::Added, rest),
            Some(b'-') if inside && self.old_left > 0 => self.take(Sign::Removed, rest),
            Some(b' ') if inside => self.take(Sign::Same, rest),
            // editors strip the blank of an empty line
            None if inside => self.take(Sign::Same, ""),
            Some(b'@') => match header(line) {
                Some(next) => {
                    *self = next;
                    Line { sign: Sign::Hunk, text: line, number: None, old: None }
                }
                None => Line { sign: Sign::Head, text: line, number: None, old: None },
            },
            _ => Line { sign: Sign::Head, text: line, number: None, old: None },
        }
    }

    fn take<'a>(&mut self, sign: Sign, text: &'a str) -> Line<'a> {
        let number = if sign == Sign::Removed { self.old } else { self.new };
        let old = (sign == Sign::Same).then_some(self.old);
        if sign != Sign::Added {
            self.old = self.old.saturating_add(1);
            self.old_left = self.old_left.saturating_sub(1);
        }
        if sign != Sign::Removed {
            self.new = self.new.saturating_add(1);
            self.new_left = self.new_left.saturating_sub(1);
        }
        Line { sign, text, number: Some(number), old }
    }
}

/// `@@ -1,2 +3,4 @@ …`; a length that isn't there is 1.
fn header(line: &str) -> Option<Hunk> {
    let (ranges, _) = line.strip_prefix("@@ -")?.split_once(" @@")?;
    let (old, new) = ranges.split_once(" +")?;
    let range = |text: &str| -> Option<(usize, usize)> {
        let (start, length) = text.split_once(',').unwrap_or((text, "1"));
        Some((start.parse().ok()?, length.parse().ok()?))
    };
    let ((old, old_left), (new, new_left)) = (range(old)?, range(new)?);
    Some(Hunk { old, new, old_left, new_left })
}
