//! A selection: what a mouse was drawn over, by characters, words or lines. It stays with its words when the view moves.

use super::{At, Transcript};
use crate::tui::{
    app::transcript::block::Block,
    text::{Ambiguous, Joint, Row},
};
use std::ops::Range;
use unicode_segmentation::UnicodeSegmentation;

/// What a selection goes by.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Unit {
    Character,
    Word,
    Line,
}

/// A cell of the transcript, in the order of reading.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Point {
    at: At,
    /// Line of the block.
    line: usize,
    column: u16,
}

#[derive(Debug, Clone)]
pub struct Selection {
    unit: Unit,
    /// What was selected where it began; it stays in.
    began: Range<Point>,
    all: Range<Point>,
}

impl Selection {
    pub fn touches(&self, at: At) -> bool {
        (self.all.start.at..=self.all.end.at).contains(&at)
    }

    /// The selected columns of a line.
    pub fn columns(&self, at: At, line: usize) -> Option<Range<u16>> {
        let Range { start, end } = self.all;
        if !((start.at, start.line)..=(end.at, end.line)).contains(&(at, line)) {
            return None;
        }
        let from = if (start.at, start.line) == (at, line) { start.column } else { 0 };
        let to = if (end.at, end.line) == (at, line) { end.column } else { u16::MAX };
        (from < to).then_some(from..to)
    }

    pub fn renumbered(self, number: &dyn Fn(usize) -> Option<usize>) -> Option<Selection> {
        let point = |p: Point| Some(Point { at: (number(p.at.0)?, p.at.1), ..p });
        let range = |r: Range<Point>| Some(point(r.start)?..point(r.end)?);
        Some(Selection { began: range(self.began)?, all: range(self.all)?, ..self })
    }
}

impl Transcript {
    /// Begins a selection at a cell of the pane.
    pub fn select(&mut self, column: u16, row: u16, unit: Unit) {
        self.reading.selection = self.span(column, row, unit).map(|all| Selection { unit, began: all.clone(), all });
    }

    /// The selection goes to another cell.
    pub fn select_to(&mut self, column: u16, row: u16) {
        let Some(unit) = self.reading.selection.as_ref().map(|s| s.unit) else { return };
        let Some(here) = self.span(column, row, unit) else { return };
        if let Some(selection) = &mut self.reading.selection {
            let began = &selection.began;
            selection.all = began.start.min(here.start)..began.end.max(here.end);
        }
    }

    pub fn unselect(&mut self) {
        self.reading.selection = None;
    }

    /// The words of the selection, without bars and indents; wrapped lines are whole again.
    pub fn selected_text(&mut self) -> Option<String> {
        let selection = self.reading.selection.clone()?;
        let ambiguous = Ambiguous::columns(self.setter.settings.ambiguous_width);
        let (first, last) = (selection.all.start.at.0, selection.all.end.at.0);
        let mut out = String::new();
        for entry in first..=last.min(self.list.len().saturating_sub(1)) {
            self.setter.draw(&mut self.list, entry);
            let blocks = self.list.entry(entry).blocks.iter().enumerate();
            for (at, block) in blocks.filter(|(b, _)| selection.touches((entry, *b))) {
                take(block, |line| selection.columns((entry, at), line), ambiguous, &mut out);
            }
        }
        let text = out.trim_matches('\n');
        (!text.trim().is_empty()).then(|| text.to_owned())
    }

    /// The unit at a cell of the pane; below the last row it is the end.
    fn span(&self, column: u16, row: u16, unit: Unit) -> Option<Range<Point>> {
        let Some((strip, line)) = self.window.strip_at(row) else {
            let strip = self.window.strips.last()?;
            let line = strip.from + strip.lines - 1;
            let point = Point { at: (strip.entry, strip.block), line, column: u16::MAX };
            return Some(point..point);
        };
        let point = |line, column| Point { at: (strip.entry, strip.block), line, column };
        let block = &self.list.entry(strip.entry).blocks[strip.block];
        Some(match unit {
            Unit::Character => point(line, column)..point(line, column + 1),
            Unit::Word => {
                let columns = word(block, line, column, Ambiguous::columns(self.setter.settings.ambiguous_width));
                point(line, columns.start)..point(line, columns.end)
            }
            Unit::Line => {
                let lines = whole_line(block, line);
                point(lines.start, 0)..point(lines.end - 1, u16::MAX)
            }
        })
    }
}

/// Appends the selected columns of a block's lines.
fn take(block: &Block, columns: impl Fn(usize) -> Option<Range<u16>>, ambiguous: Ambiguous, out: &mut String) {
    let mut line = 0;
    block.visit(0..block.height(), |row| {
        match (columns(line), row) {
            (Some(_), None) => out.push('\n'),
            (Some(columns), Some(row)) => {
                let bytes = bytes(row, &columns, ambiguous);
                let whole = bytes.end == row.text().len();
                let text = &row.text()[bytes];
                match (whole, row.joint()) {
                    (true, Joint::Blank) => out.extend([text, " "]),
                    (true, Joint::Word) => out.push_str(text),
                    _ => out.extend([text.trim_end(), "\n"]),
                }
            }
            (None, _) => {}
        }
        line += 1;
    });
}

/// The bytes of what is said in these columns of a row; a wide character belongs to both of its columns.
fn bytes(row: &Row, columns: &Range<u16>, ambiguous: Ambiguous) -> Range<usize> {
    let (mut column, mut range) = (0, None::<Range<usize>>);
    for (at, cluster) in row.text().grapheme_indices(true) {
        let next = column + ambiguous.grapheme(cluster);
        if next > usize::from(columns.start) && column < usize::from(columns.end) && at >= row.lead() {
            range = Some(range.map_or(at, |r| r.start)..at + cluster.len());
        }
        column = next;
    }
    range.unwrap_or(row.text().len()..row.text().len())
}

/// The columns of the word at a column; of a single sign between words.
fn word(block: &Block, line: usize, column: u16, ambiguous: Ambiguous) -> Range<u16> {
    let mut found = column..column + 1;
    block.visit(line..line + 1, |row| {
        let (mut at, mut run) = (0, None);
        let clusters = row.map_or("", Row::text).graphemes(true).chain([" "]);
        for cluster in clusters {
            run = match (is_word(cluster), run) {
                (true, None) => Some(at),
                (false, Some(start)) => {
                    if (start..at).contains(&column) {
                        found = start..at;
                    }
                    None
                }
                (_, run) => run,
            };
            at += ambiguous.grapheme(cluster) as u16;
        }
    });
    found
}

/// What belongs to one word: letters, and what stands in paths, options and addresses.
fn is_word(cluster: &str) -> bool {
    cluster.chars().next().is_some_and(|c| c.is_alphanumeric() || "-_./~:?&=%+#@$".contains(c))
}

/// The lines of a block that are one line of the text.
fn whole_line(block: &Block, line: usize) -> Range<usize> {
    let goes_on = |line: usize| {
        let mut goes_on = false;
        block.visit(line..line + 1, |row| goes_on = row.is_some_and(|r| r.joint() != Joint::End));
        goes_on
    };
    let mut lines = line..line + 1;
    while lines.start > 0 && goes_on(lines.start - 1) {
        lines.start -= 1;
    }
    while goes_on(lines.end - 1) {
        lines.end += 1;
    }
    lines
}
