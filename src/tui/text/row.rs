//! A row: one line of text with the styles of its parts, compact because a transcript keeps many of them.

use super::Ambiguous;
use ratatui::{
    buffer::Buffer,
    style::Style,
    text::{Line, Span},
};
use unicode_segmentation::UnicodeSegmentation;

/// One line of clean text and its styles.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Row {
    text: String,
    runs: Vec<Run>,
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

    /// Appends the parts of another row.
    pub fn append(&mut self, other: &Row) {
        other.spans().for_each(|(text, style)| self.push(text, style));
    }

    /// Appends blanks until the row has `columns`.
    pub fn pad(&mut self, columns: usize, ambiguous: Ambiguous, style: Style) {
        let missing = columns.saturating_sub(self.width(ambiguous));
        self.push(&" ".repeat(missing), style);
    }

    pub fn text(&self) -> &str {
        &self.text
    }

    pub fn is_empty(&self) -> bool {
        self.text.is_empty()
    }

    /// Empties the row and keeps its memory.
    pub fn clear(&mut self) {
        self.text.clear();
        self.runs.clear();
    }

    pub fn width(&self, ambiguous: Ambiguous) -> usize {
        ambiguous.width(&self.text)
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
        self.text.truncate(at);
        let keep = self.runs.iter().take_while(|r| (r.end as usize) < at).count();
        self.runs.truncate(if at == 0 { 0 } else { keep + 1 });
        if let Some(last) = self.runs.last_mut() {
            last.end = last.end.min(at as u32);
        }
    }

    /// The row in at most `columns`, with an ellipsis where something was cut.
    pub fn truncate(&mut self, columns: usize, ambiguous: Ambiguous) {
        if self.width(ambiguous) <= columns {
            return;
        }
        let dots = ambiguous.width("…");
        let at = ambiguous.fit(&self.text, columns.saturating_sub(dots)).0.len();
        let style = self.spans().map(|(t, s)| (t.len(), s)).scan(0, |end, (len, s)| {
            *end += len;
            Some((*end, s))
        });
        let style = style.into_iter().find(|(end, _)| *end > at).map(|(_, s)| s).unwrap_or_default();
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
            for cluster in text.graphemes(true) {
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

/// Puts one cluster into its cells. What ratatui takes for narrower than the terminal does gets an empty filler, which
/// keeps the two in step.
fn place(buffer: &mut Buffer, x: u16, y: u16, cluster: &str, wide: u16, style: Style) {
    let known = Ambiguous::Narrow.grapheme(cluster) as u16;
    buffer[(x, y)].set_symbol(cluster).set_style(style);
    for offset in 1..wide {
        let cell = &mut buffer[(x + offset, y)];
        if offset < known {
            cell.reset();
        } else {
            cell.set_symbol("");
        }
        cell.set_style(style);
    }
}
