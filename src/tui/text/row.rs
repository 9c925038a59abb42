//! A row: one line of text with the styles of its parts, compact because a transcript keeps many of them.

use super::{Ambiguous, Art, Ink, link::Link, width::clusters};
use ratatui::{
    buffer::{Buffer, Cell, CellDiffOption},
    style::Style,
    text::{Line, Span},
};
use std::{num::NonZeroU16, ops::Range, sync::Arc};

/// One line of clean text and its styles.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Row {
    text: String,
    runs: Vec<Run>,
    /// Bytes at the beginning that are no part of what is said: a bar, an indent.
    lead: u16,
    joint: Joint,
    links: Vec<Link>,
    /// Of a picture, and the column where it begins.
    art: Option<(u16, Arc<Art>)>,
}

/// How a row goes on in the next one, where both are one line of the text that was wrapped.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Joint {
    /// The line ends.
    #[default]
    End,
    /// At a blank, which is not drawn.
    Blank,
    /// Amid a word.
    Word,
}

/// A stretch of one style, from the end of the run before it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Run {
    /// Byte after the last one.
    end: u32,
    style: Style,
}

impl Row {
    pub fn new() -> Self {
        Row::default()
    }

    /// A row of one style. The text must be clean (see `sanitize`).
    pub fn styled(text: &str, style: Style) -> Self {
        let mut row = Row::new();
        row.push(text, style);
        row
    }

    /// The beginning of a row that is no part of what is said. The text must be clean.
    pub fn lead_in(text: &str, style: Style) -> Self {
        let mut row = Row::styled(text, style);
        row.lead = u16::try_from(text.len()).unwrap_or(0);
        row
    }

    /// Appends clean text.
    pub fn push(&mut self, text: &str, style: Style) {
        debug_assert!(!text.contains(char::is_control), "a row takes clean text only: {text:?}");
        if text.is_empty() {
            return;
        }
        self.text.push_str(text);
        let end = u32::try_from(self.text.len()).unwrap_or(u32::MAX);
        match self.runs.last_mut() {
            Some(run) if run.style == style => run.end = end,
            _ => self.runs.push(Run { end, style }),
        }
    }

    /// Says where some of its bytes lead to. The target comes from [`super::link::target`].
    pub fn link(&mut self, bytes: Range<usize>, target: Arc<str>) {
        let byte = |at: usize| u32::try_from(at).unwrap_or(u32::MAX);
        if !bytes.is_empty() {
            self.links.push(Link { bytes: byte(bytes.start)..byte(bytes.end), target });
        }
    }

    /// Whether its cells are the same.
    pub fn looks_like(&self, other: &Row) -> bool {
        self.text == other.text && self.runs == other.runs
    }

    pub fn links(&self) -> &[Link] {
        &self.links
    }

    /// Says what the terminal needs for what it shows from a column on. It is not handed on to rows that this one becomes a
    /// part of.
    pub fn adorn(&mut self, column: u16, art: Arc<Art>) {
        self.art = Some((column, art));
    }

    pub fn art(&self) -> Option<(u16, &Arc<Art>)> {
        self.art.as_ref().map(|(column, art)| (*column, art))
    }

    /// Roughly what it takes of memory.
    pub fn bytes(&self) -> usize {
        let art = self.art.as_ref().map_or(0, |(_, art)| match &art.ink {
            Ink::Upload { bytes, .. } => bytes.len() / 8,
            Ink::Paint(bytes) => bytes.len(),
        });
        size_of::<Row>() + self.text.len() + self.runs.len() * size_of::<Run>() + art
    }

    /// Takes over the links of a part of another row that comes to stand at byte `at`.
    fn take_links(&mut self, other: &Row, part: Range<usize>, at: usize) {
        for link in &other.links {
            let (from, to) = ((link.bytes.start as usize).max(part.start), (link.bytes.end as usize).min(part.end));
            if from < to {
                self.link(at + from - part.start..at + to - part.start, link.target.clone());
            }
        }
    }

    /// Appends the parts of another row.
    pub fn append(&mut self, other: &Row) {
        self.take_links(other, 0..other.text.len(), self.text.len());
        if usize::from(self.lead) == self.text.len() {
            self.lead = self.lead.saturating_add(other.lead);
        }
        self.joint = other.joint;
        other.spans().for_each(|(text, style)| self.push(text, style));
    }

    /// Appends a part of another row, by bytes; both ends must be character boundaries.
    pub fn append_part(&mut self, other: &Row, range: Range<usize>) {
        self.take_links(other, range.clone(), self.text.len());
        let mut end = 0;
        for (text, style) in other.spans() {
            let start = end;
            end += text.len();
            let (from, to) = (range.start.max(start), range.end.min(end));
            if from < to {
                self.push(&text[from - start..to - start], style);
            }
        }
    }

    /// Appends blanks until the row has `columns`.
    pub fn pad(&mut self, columns: usize, ambiguous: Ambiguous, style: Style) {
        let missing = columns.saturating_sub(self.width(ambiguous));
        self.push(&" ".repeat(missing), style);
    }

    pub fn text(&self) -> &str {
        &self.text
    }

    /// Bytes that stand before what is said.
    pub fn lead(&self) -> usize {
        usize::from(self.lead).min(self.text.len())
    }

    /// What is said, without bars and indents.
    pub fn body(&self) -> &str {
        &self.text[self.lead()..]
    }

    pub fn joint(&self) -> Joint {
        self.joint
    }

    /// Says how the row goes on in the next one.
    pub fn join(&mut self, joint: Joint) {
        self.joint = joint;
    }

    pub fn is_empty(&self) -> bool {
        self.text.is_empty()
    }

    /// Empties the row and keeps its memory.
    pub fn clear(&mut self) {
        self.text.clear();
        self.runs.clear();
        self.links.clear();
        self.art = None;
        (self.lead, self.joint) = (0, Joint::End);
    }

    pub fn width(&self, ambiguous: Ambiguous) -> usize {
        self.spans().map(|(text, _)| ambiguous.width(text)).sum()
    }

    /// The parts in order, each with its style.
    pub fn spans(&self) -> impl Iterator<Item = (&str, Style)> {
        let starts = std::iter::once(0).chain(self.runs.iter().map(|r| r.end as usize));
        starts.zip(&self.runs).map(|(start, run)| (&self.text[start..run.end as usize], run.style))
    }

    /// Lays `style` under all parts: what a part says itself wins.
    pub fn underlay(&mut self, style: Style) {
        self.runs.iter_mut().for_each(|run| run.style = style.patch(run.style));
    }

    /// Lays `style` over all parts.
    pub fn overlay(&mut self, style: Style) {
        self.runs.iter_mut().for_each(|run| run.style = run.style.patch(style));
    }

    /// Removes text from byte `at` on. `at` must be a character boundary.
    pub fn cut(&mut self, at: usize) {
        self.art = self.art.take().filter(|_| at >= self.text.len());
        self.text.truncate(at);
        let keep = self.runs.iter().take_while(|r| (r.end as usize) < at).count();
        self.runs.truncate(if at == 0 { 0 } else { keep + 1 });
        if let Some(last) = self.runs.last_mut() {
            last.end = last.end.min(at as u32);
        }
        self.links.retain(|link| (link.bytes.start as usize) < at);
        self.links.iter_mut().for_each(|link| link.bytes.end = link.bytes.end.min(at as u32));
    }

    /// The row in at most `columns`, with an ellipsis where something was cut.
    pub fn truncate(&mut self, columns: usize, ambiguous: Ambiguous) {
        if self.width(ambiguous) <= columns {
            return;
        }
        let dots = ambiguous.width("…");
        let mut room = columns.saturating_sub(dots);
        let (mut at, mut style) = (0, Style::new());
        for (text, of) in self.spans() {
            let (fits, used) = ambiguous.fit(text, room);
            at += fits.len();
            style = of;
            if fits.len() < text.len() {
                break;
            }
            room -= used;
        }
        self.cut(at);
        if dots <= columns {
            self.push("…", style);
        }
    }

    /// The same as ratatui's line, borrowed. With [`Ambiguous::Wide`] use [`Row::paint`] instead.
    pub fn line(&self) -> Line<'_> {
        Line::from_iter(self.spans().map(|(text, style)| Span::styled(text, style)))
    }

    /// Writes the row into the buffer at (`x`, `y`), clipped to `columns` and to the buffer; says how many columns it
    /// took. Cells keep what lies under them where the row has no colour of its own.
    pub fn paint(&self, buffer: &mut Buffer, x: u16, y: u16, columns: u16, ambiguous: Ambiguous) -> u16 {
        let area = buffer.area;
        if y < area.top() || y >= area.bottom() || x < area.left() {
            return 0;
        }
        let end = x.saturating_add(columns).min(area.right());
        let mut at = x;
        for (text, style) in self.spans() {
            if text.is_ascii() {
                let fits = text.len().min(usize::from(end.saturating_sub(at)));
                letters(buffer, at, y, &text[..fits], style);
                at += fits as u16;
                if fits < text.len() {
                    return at.saturating_sub(x);
                }
                continue;
            }
            for (_, cluster) in clusters(text) {
                let wide = ambiguous.grapheme(cluster) as u16;
                if wide == 0 {
                    continue;
                }
                if at.saturating_add(wide) > end {
                    return at.saturating_sub(x);
                }
                place(buffer, at, y, cluster, wide, style);
                at += wide;
            }
        }
        at.saturating_sub(x)
    }
}

/// Puts ASCII letters, all of which there is room for, into their cells.
fn letters(buffer: &mut Buffer, x: u16, y: u16, text: &str, style: Style) {
    if text.is_empty() {
        return;
    }
    let first = buffer.index_of(x, y);
    for (at, cell) in buffer.content[first..first + text.len()].iter_mut().enumerate() {
        cell.set_style(style).set_symbol(&text[at..at + 1]).set_diff_option(CellDiffOption::None);
    }
}

/// Puts one cluster into its cells. What ratatui takes for narrower than the terminal does gets an empty filler, which
/// keeps the two in step.
fn place(buffer: &mut Buffer, x: u16, y: u16, cluster: &str, wide: u16, style: Style) {
    let known = Ambiguous::Narrow.grapheme(cluster) as u16;
    for offset in 1..wide {
        let cell = &mut buffer[(x + offset, y)];
        cell.reset();
        if offset >= known {
            cell.set_symbol("");
        }
        cell.set_style(style);
    }
    let cell = &mut buffer[(x, y)];
    cell.set_style(style).set_symbol(cluster).set_diff_option(CellDiffOption::None);
    if cluster.contains(EMOJI_SELECTOR) {
        select(cell, cluster, wide);
    }
}

/// Asks for the coloured form of a character that has a plain one too.
const EMOJI_SELECTOR: char = '\u{fe0f}';

/// Terminals do not agree on the width of `⚠️`, and ratatui writes a blank behind it that lands in the wrong place. So the
/// plain form is shown, with its own blank; a sequence that has none stands for its columns without more ado.
fn select(cell: &mut Cell, cluster: &str, wide: u16) {
    let plain = cluster.replace(EMOJI_SELECTOR, "");
    if Ambiguous::Narrow.grapheme(&plain) == 1 {
        cell.set_symbol(&plain);
    } else if let Some(wide) = NonZeroU16::new(wide) {
        cell.set_diff_option(CellDiffOption::ForcedWidth(wide));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ratatui::{layout::Rect, style::Color};

    const RED: Style = Style::new().fg(Color::Red);

    fn row() -> Row {
        let mut row = Row::styled("ab", Style::new());
        row.push("你好", RED);
        row.push("c", Style::new());
        row
    }

    fn spans(row: &Row) -> Vec<(String, Style)> {
        row.spans().map(|(t, s)| (t.to_owned(), s)).collect()
    }

    #[test]
    fn cutting_keeps_the_styles() {
        let mut cut = row();
        cut.cut(5);
        assert_eq!(spans(&cut), [("ab".into(), Style::new()), ("你".into(), RED)]);
        cut.cut(2);
        assert_eq!(spans(&cut), [("ab".into(), Style::new())]);
        cut.cut(0);
        assert_eq!(cut, Row::new());
    }

    #[test]
    fn truncation_has_an_ellipsis_and_never_overflows() {
        for columns in 0..9 {
            let mut cut = row();
            cut.truncate(columns, Ambiguous::Narrow);
            assert!(cut.width(Ambiguous::Narrow) <= columns, "{columns}: {cut:?}");
            assert_eq!(cut.text().ends_with('…'), (1..7).contains(&columns), "{columns}: {cut:?}");
        }
    }

    #[test]
    fn t09_painting_outside_of_the_buffer_does_nothing() {
        let mut buffer = Buffer::empty(Rect::new(2, 2, 4, 1));
        for (x, y) in [(0, 0), (2, 3), (6, 2), (u16::MAX, 2), (2, u16::MAX)] {
            assert_eq!(row().paint(&mut buffer, x, y, u16::MAX, Ambiguous::Narrow), 0);
        }
        assert_eq!(row().paint(&mut buffer, 2, 2, u16::MAX, Ambiguous::Narrow), 4);
        assert_eq!(buffer[(4, 2)].symbol(), "你");
    }

    #[test]
    fn t06_a_wide_ambiguous_character_gets_a_filler() {
        let mut buffer = Buffer::empty(Rect::new(0, 0, 4, 1));
        assert_eq!(Row::styled("①x", RED).paint(&mut buffer, 0, 0, 4, Ambiguous::Wide), 3);
        let cells: Vec<_> = buffer.content().iter().map(|c| c.symbol()).collect();
        assert_eq!(cells, ["①", "", "x", " "]);
    }
}
