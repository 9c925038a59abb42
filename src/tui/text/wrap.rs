//! Rows broken to a width, by grapheme cluster, with their styles.
//!
//! Blanks at a break are dropped, as in a book; a word that is longer than the row is broken anywhere, and so is text of
//! wide characters, which has no blanks. Each row fits, whatever the width: a character that is wider than the whole
//! page is left out.

use super::row::Joint;
use super::width::clusters;
use super::{Ambiguous, Row};
use ratatui::style::Style;
use std::ops::Range;

/// Bytes of a line after which the rest is only counted: no frame waits for a line of megabytes, which nobody reads.
pub const LONGEST: usize = 256 << 10;

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
        Margin::all(Row::lead_in(&" ".repeat(columns), Style::new()))
    }

    /// Blanks before all rows but the first.
    pub fn hanging(columns: usize) -> Self {
        Margin { first: Row::new(), ..Margin::blank(columns) }
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

/// As much of a text as is shown of it, and how many bytes are not.
pub fn cut(text: &str) -> (&str, usize) {
    let end = text.floor_char_boundary(LONGEST);
    (&text[..end], text.len() - end)
}

/// What stands for bytes that are not shown.
pub fn rest(hidden: usize) -> String {
    let size = match hidden {
        0..1_000 => format!("{hidden} bytes"),
        1_000..1_000_000 => format!("{} KB", hidden.div_ceil(1_000)),
        _ => format!("{:.1} MB", hidden as f64 / 1e6),
    };
    format!("… {size} more, too long to be shown here")
}

/// Appends `row` to `out` in rows of at most `width` columns; at least one. Says which bytes of it each of them shows.
/// Of a very long one the rest is counted in a row of its own.
pub fn wrap(
    row: &Row,
    width: usize,
    ambiguous: Ambiguous,
    at: Break,
    margin: &Margin,
    out: &mut Vec<Row>,
) -> Vec<Range<usize>> {
    let (first, first_room) = fitting(&margin.first, width, ambiguous);
    let (rest, rest_room) = fitting(&margin.rest, width, ambiguous);
    let (text, hidden) = cut(row.text());
    let lines = breaks(text, [first_room, rest_room], ambiguous, at);
    for (index, range) in lines.iter().enumerate() {
        let mut line = if index == 0 { first.clone() } else { rest.clone() };
        line.append_part(row, range.clone());
        line.join(match lines.get(index + 1) {
            Some(next) if next.start > range.end => Joint::Blank,
            Some(_) => Joint::Word,
            None => Joint::End,
        });
        out.push(line);
    }
    if hidden > 0 {
        out.push(counted(hidden, width, ambiguous, row.spans().last().map_or(Style::new(), |(_, style)| style)));
    }
    lines
}

/// The row that stands for bytes that are not shown.
pub fn counted(hidden: usize, width: usize, ambiguous: Ambiguous, style: Style) -> Row {
    let mut row = Row::lead_in(&rest(hidden), style);
    row.truncate(width, ambiguous);
    row
}

/// How many bytes were broken into rows on this thread: what a frame costs, for tests.
#[cfg(test)]
pub mod work {
    use std::cell::Cell;

    thread_local! { static BYTES: Cell<usize> = const { Cell::new(0) } }

    pub fn add(bytes: usize) {
        BYTES.set(BYTES.get() + bytes);
    }

    /// The work of a piece of code.
    pub fn of(code: impl FnOnce()) -> usize {
        let before = BYTES.get();
        code();
        BYTES.get() - before
    }
}

/// The lines of a text as ranges of bytes, at least one; `room`: columns of the first and of each further line.
fn breaks(text: &str, room: [usize; 2], ambiguous: Ambiguous, at: Break) -> Vec<Range<usize>> {
    #[cfg(test)]
    work::add(text.len());
    if text.is_ascii() && text.len() <= room[0] && (at == Break::Anywhere || !text.ends_with(' ')) {
        return std::iter::once(0..text.len()).collect();
    }
    let (lines, pause, last) = (vec![], None, Last::Margin);
    Breaker { text, room, ambiguous, at, lines, start: 0, used: 0, pause, last }.ranges()
}

/// The margin and the columns it leaves; without it if those are none.
fn fitting(margin: &Row, width: usize, ambiguous: Ambiguous) -> (Row, usize) {
    let columns = margin.width(ambiguous);
    if columns < width { (margin.clone(), width - columns) } else { (Row::new(), width) }
}

/// A text being broken.
struct Breaker<'a> {
    text: &'a str,
    /// Columns of the first and of each further line.
    room: [usize; 2],
    ambiguous: Ambiguous,
    at: Break,
    lines: Vec<Range<usize>>,
    /// First byte of the line, and its columns so far.
    start: usize,
    used: usize,
    pause: Option<Pause>,
    last: Last,
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

/// What stands before the next cluster in its line.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Last {
    /// Nothing, or blanks only.
    Margin,
    Blank,
    Wide,
    Other,
}

impl Breaker<'_> {
    /// The lines as ranges of bytes, at least one.
    fn ranges(mut self) -> Vec<Range<usize>> {
        for (at, cluster) in clusters(self.text) {
            self.cluster(at, cluster);
        }
        self.end_line(self.text.len());
        if self.lines.is_empty() {
            self.lines.push(0..0);
        }
        self.lines
    }

    fn room(&self) -> usize {
        self.room[self.lines.len().min(1)]
    }

    fn cluster(&mut self, at: usize, cluster: &str) {
        let columns = self.ambiguous.grapheme(cluster);
        if columns > self.room() {
            self.end_line(at);
            return self.begin_line(at + cluster.len(), 0);
        }
        if self.at == Break::Words && cluster == " " {
            return self.blank(at);
        }
        if (columns == 2 || self.last == Last::Wide) && self.last != Last::Blank && at > self.start && !closes(cluster)
        {
            self.pause = Some(Pause { before: at, after: at, columns: self.used });
        }
        if self.used + columns > self.room() {
            self.turn(at, columns);
        }
        self.used += columns;
        self.last = if columns == 2 { Last::Wide } else { Last::Other };
    }

    /// A blank is a place to break, but at the beginning of a line, and may hang over the end.
    fn blank(&mut self, at: usize) {
        self.used = (self.used + 1).min(self.room());
        if self.last == Last::Margin {
            return;
        }
        let before = self.pause.filter(|_| self.last == Last::Blank).map_or(at, |pause| pause.before);
        self.pause = Some(Pause { before, after: at + 1, columns: self.used });
        self.last = Last::Blank;
    }

    /// Breaks before byte `at`, at the last pause if what follows it fits into a line with `columns` more.
    fn turn(&mut self, at: usize, columns: usize) {
        let fits = |p: &Pause| self.at == Break::Words && self.used - p.columns + columns <= self.room[1];
        let pause = self.pause.filter(fits).unwrap_or(Pause { before: at, after: at, columns: self.used });
        self.end_line(pause.before);
        self.begin_line(pause.after, self.used - pause.columns);
    }

    fn begin_line(&mut self, start: usize, used: usize) {
        (self.start, self.used, self.pause, self.last) = (start, used, None, Last::Margin);
    }

    /// The line without the blanks that hang over its end, if anything is left of it.
    fn end_line(&mut self, end: usize) {
        let line = &self.text[self.start..end];
        let line = if self.at == Break::Words { line.trim_end_matches(' ') } else { line };
        if !line.is_empty() {
            self.lines.push(self.start..self.start + line.len());
        }
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
    fn rows_know_what_is_said_and_how_they_go_on() {
        let margin = Margin::all(Row::lead_in("│ ", Style::new()));
        let mut out = vec![];
        wrap(&Row::styled("the abcdefgh", Style::new()), 6, Ambiguous::Narrow, Break::Words, &margin, &mut out);
        let told: Vec<_> = out.iter().map(|row| (row.body(), row.joint())).collect();
        assert_eq!(told, [("the", Joint::Blank), ("abcd", Joint::Word), ("efgh", Joint::End)]);
        let mut outer = Row::lead_in("  ", Style::new());
        outer.append(&out[1]);
        assert_eq!((outer.text(), outer.body(), outer.joint()), ("  │ abcd", "abcd", Joint::Word));
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
