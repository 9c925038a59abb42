//! Rows broken to a width, by grapheme cluster, with their styles.
//!
//! Blanks at a break are dropped, as in a book; a word that is longer than the row is broken anywhere, and so is text of
//! wide characters, which has no blanks. Each row fits, whatever the width: a character that is wider than the whole
//! page is left out.

use super::width::clusters;
use super::{Ambiguous, Row};
use ratatui::style::Style;
use std::ops::Range;

/// Where a row may be broken.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Break {
    /// Between words; a word that is too long is broken anywhere.
    Words,
    /// Anywhere: code, tool output.
    Anywhere,
}

/// What stands before the first and before each further row. A margin that leaves no room for text is left out.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Margin {
    pub first: Row,
    pub rest: Row,
}

impl Margin {
    /// The same before all rows.
    pub fn all(row: Row) -> Self {
        Margin { first: row.clone(), rest: row }
    }

    /// Blanks before all rows.
    pub fn blank(columns: usize) -> Self {
        Margin::all(Row::styled(&" ".repeat(columns), Style::new()))
    }

    /// `inner` after this one.
    pub fn then(&self, inner: &Margin) -> Self {
        let join = |outer: &Row, inner: &Row| {
            let mut row = outer.clone();
            row.append(inner);
            row
        };
        Margin { first: join(&self.first, &inner.first), rest: join(&self.rest, &inner.rest) }
    }
}

/// Appends `row` to `out` in rows of at most `width` columns; at least one.
pub fn wrap(row: &Row, width: usize, ambiguous: Ambiguous, at: Break, margin: &Margin, out: &mut Vec<Row>) {
    let (first, first_room) = fitting(&margin.first, width, ambiguous);
    let (rest, rest_room) = fitting(&margin.rest, width, ambiguous);
    let lines = Lines { text: row.text(), room: [first_room, rest_room], ambiguous, at }.ranges();
    for (index, range) in lines.into_iter().enumerate() {
        let mut line = if index == 0 { first.clone() } else { rest.clone() };
        line.append_part(row, range);
        out.push(line);
    }
}

/// The margin and the columns it leaves; without it if those are none.
fn fitting(margin: &Row, width: usize, ambiguous: Ambiguous) -> (Row, usize) {
    let columns = margin.width(ambiguous);
    if columns < width { (margin.clone(), width - columns) } else { (Row::new(), width) }
}

/// A text to be broken.
struct Lines<'a> {
    text: &'a str,
    /// Columns of the first and of each further line.
    room: [usize; 2],
    ambiguous: Ambiguous,
    at: Break,
}

/// A place where the line may be broken.
#[derive(Clone, Copy)]
struct Pause {
    /// Where the line ends, before the blanks.
    before: usize,
    /// Where the next one begins, after them.
    after: usize,
    /// Columns of the line up to `after`.
    columns: usize,
}

impl Lines<'_> {
    /// The lines as ranges of bytes, at least one.
    fn ranges(&self) -> Vec<Range<usize>> {
        let mut out = vec![];
        let (mut start, mut used, mut pause, mut wide_before) = (0, 0, None::<Pause>, false);
        for (at, cluster) in clusters(self.text) {
            let columns = self.ambiguous.grapheme(cluster);
            let room = self.room[out.len().min(1)];
            if columns > room {
                out.push(self.line(start..at));
                (start, used, pause) = (at + cluster.len(), 0, None);
                continue;
            }
            if self.at == Break::Words && cluster == " " {
                pause = blank(pause, at, used, room);
                used = (used + 1).min(room);
                wide_before = false;
                continue;
            }
            let wide = columns == 2;
            if (wide || wide_before) && at > start && !closes(cluster) {
                pause = pause.filter(|p| p.after == at).or(Some(Pause { before: at, after: at, columns: used }));
            }
            wide_before = wide;
            if used + columns > room {
                let next = self.room[1];
                let turn = pause.filter(|p| self.at == Break::Words && used - p.columns + columns <= next);
                let turn = turn.unwrap_or(Pause { before: at, after: at, columns: used });
                out.push(self.line(start..turn.before));
                (start, used, pause) = (turn.after, used - turn.columns, None);
            }
            used += columns;
        }
        out.push(self.line(start..self.text.len()));
        drop_empty(&mut out);
        out
    }

    /// The range without the blanks that hang over its end.
    fn line(&self, range: Range<usize>) -> Range<usize> {
        match self.at {
            Break::Words => range.start..range.start + self.text[range].trim_end_matches(' ').len(),
            Break::Anywhere => range,
        }
    }
}

/// Lines of which nothing is left go, but for one.
fn drop_empty(lines: &mut Vec<Range<usize>>) {
    let last = lines.last().cloned();
    lines.retain(|range| !range.is_empty());
    if lines.is_empty() {
        lines.extend(last);
    }
}

/// The pause at a blank: it goes on with the one before if that is a blank too.
fn blank(pause: Option<Pause>, at: usize, used: usize, room: usize) -> Option<Pause> {
    let columns = (used + 1).min(room);
    match pause {
        Some(p) if p.after == at && p.before < at => Some(Pause { after: at + 1, columns, ..p }),
        _ => Some(Pause { before: at, after: at + 1, columns }),
    }
}

/// True for what must not begin a line of wide characters.
fn closes(cluster: &str) -> bool {
    cluster.chars().next().is_some_and(|c| "，。、；：？！）」』】》〉…,.;:?!)]}".contains(c))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(text: &str, width: usize) -> Vec<String> {
        wrapped(text, width, Break::Words, &Margin::default())
    }

    fn wrapped(text: &str, width: usize, at: Break, margin: &Margin) -> Vec<String> {
        let mut out = vec![];
        wrap(&Row::styled(text, Style::new()), width, Ambiguous::Narrow, at, margin, &mut out);
        out.iter().map(|r| r.text().to_owned()).collect()
    }

    #[test]
    fn words_are_kept_whole_and_blanks_at_breaks_dropped() {
        assert_eq!(words("the quick  brown fox", 9), ["the quick", "brown fox"]);
        assert_eq!(words("the quick brown", 10), ["the quick", "brown"]);
        assert_eq!(words("a b", 80), ["a b"]);
        assert_eq!(words("", 80), [""]);
        assert_eq!(words("ab cd, ef", 5), ["ab", "cd,", "ef"]);
        assert_eq!(words("end  ", 80), ["end"]);
    }

    #[test]
    fn long_words_are_broken() {
        assert_eq!(words("see abcdefghijk x", 5), ["see", "abcde", "fghij", "k x"]);
        assert_eq!(wrapped("ab cd ef", 3, Break::Anywhere, &Margin::default()), ["ab ", "cd ", "ef"]);
    }

    #[test]
    fn t07_wide_characters_break_anywhere_but_not_before_a_stop() {
        assert_eq!(words("击击击击", 5), ["击击", "击击"]);
        assert_eq!(words("ab击击。", 6), ["ab击", "击。"]);
        assert_eq!(words("击击", 1), [""]);
    }

    #[test]
    fn margins_stand_before_each_row() {
        let style = Style::new();
        let margin = Margin { first: Row::styled("• ", style), rest: Row::styled("  ", style) };
        assert_eq!(wrapped("one two three", 8, Break::Words, &margin), ["• one", "  two", "  three"]);
        assert_eq!(wrapped("one two", 2, Break::Words, &margin), ["on", "e", "tw", "o"]);
    }

    #[test]
    fn styles_survive_a_break() {
        let bold = Style::new().add_modifier(ratatui::style::Modifier::BOLD);
        let mut row = Row::styled("plain ", Style::new());
        row.push("bold words", bold);
        let mut out = vec![];
        wrap(&row, 10, Ambiguous::Narrow, Break::Words, &Margin::default(), &mut out);
        assert_eq!(out[0].spans().last(), Some(("bold", bold)));
        assert_eq!(out[1].spans().collect::<Vec<_>>(), [("words", bold)]);
    }
}
