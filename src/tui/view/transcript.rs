//! Paints the transcript: the rows that `prepare` laid out, and how many lines came below.

use crate::tui::{
    app::transcript::{Look, Mark, Transcript},
    beside::{Anchor, Beside, Stamp},
    text::{Ambiguous, Row},
    theme::{Role, Theme},
};
use ratatui::{
    buffer::Buffer,
    layout::Rect,
    style::{Color, Modifier},
};

/// Draws into `area`, whose size is the one given to `prepare`. Cells that no row covers stay as they are, and so do lines of
/// the screen that are `kept`.
pub fn draw(transcript: &Transcript, area: Rect, buffer: &mut Buffer, theme: &Theme, kept: &[bool]) {
    let area = area.intersection(buffer.area);
    let ambiguous = Ambiguous::columns(transcript.settings().ambiguous_width);
    let mut y = area.top();
    transcript.visit(|row| {
        let is_kept = kept.get(usize::from(y)).is_some_and(|kept| *kept);
        if let Some(row) = row.filter(|_| y < area.bottom() && !is_kept) {
            row.paint(buffer, area.left(), y, area.width, ambiguous);
        }
        y = y.saturating_add(1);
    });
    transcript.marks().iter().for_each(|mark| lay_over(mark, area, buffer, theme));
    hint(transcript, area, buffer, theme, ambiguous);
}

/// The links and pictures of what is drawn there.
pub fn beside(transcript: &Transcript, area: Rect, beside: &mut Beside) {
    let ambiguous = Ambiguous::columns(transcript.settings().ambiguous_width);
    let mut y = area.top();
    transcript.visit(|row| {
        if let Some(row) = row.filter(|_| y < area.bottom()) {
            beside.links.extend(anchors(row, area, y, ambiguous));
            beside.stamps.extend(stamp(row, area, y));
        }
        y = y.saturating_add(1);
    });
}

fn stamp(row: &Row, area: Rect, y: u16) -> Option<Stamp> {
    let (column, art) = row.art()?;
    let fits = column.saturating_add(art.columns) <= area.width;
    fits.then(|| Stamp { x: area.left() + column, y, art: art.clone() })
}

fn anchors(row: &Row, area: Rect, y: u16, ambiguous: Ambiguous) -> impl Iterator<Item = Anchor> {
    row.links().iter().filter_map(move |link| {
        let (start, end) = (link.bytes.start as usize, link.bytes.end as usize);
        let before = ambiguous.width(row.text().get(..start)?);
        let room = usize::from(area.width).checked_sub(before)?;
        let (text, wide) = ambiguous.fit(row.text().get(start..end)?, room);
        let from = area.left().saturating_add(before as u16);
        let columns = from..from.saturating_add(wide as u16);
        (!columns.is_empty()).then(|| Anchor { y, columns, text: text.to_owned(), target: link.target.clone() })
    })
}

/// A match, a selection, the marked block.
fn lay_over(mark: &Mark, area: Rect, buffer: &mut Buffer, theme: &Theme) {
    let style = match mark.look {
        Look::Found => theme.style(Role::SearchMatch),
        // Another ground than the others have; without colours the others have none.
        Look::AtHand => theme.style(Role::Accent).bg(Color::Reset).add_modifier(Modifier::REVERSED),
        Look::Selected | Look::Cursor => theme.style(Role::Selection),
    };
    let (from, to) = (mark.columns.start.min(area.width), mark.columns.end.min(area.width));
    if mark.row < area.height && from < to {
        buffer.set_style(Rect::new(area.x + from, area.y + mark.row, to - from, 1), style);
    }
}

/// `↓ 42 new lines`, over the last row.
fn hint(transcript: &Transcript, area: Rect, buffer: &mut Buffer, theme: &Theme, ambiguous: Ambiguous) {
    let lines = transcript.new_lines();
    if lines == 0 || area.is_empty() {
        return;
    }
    let words = if lines == 1 { " ↓ 1 new line ".to_owned() } else { format!(" ↓ {lines} new lines ") };
    let mut row = Row::styled(&words, theme.style(Role::Selection));
    row.truncate(usize::from(area.width), ambiguous);
    let left = area.right().saturating_sub(row.width(ambiguous) as u16).max(area.left());
    row.paint(buffer, left, area.bottom() - 1, area.width, ambiguous);
}
