//! The picker: query, rows, and for sessions a preview beside them.

use super::pen::Pen;
use super::{frame, tree};
use crate::tui::app::App;
use crate::tui::app::picker::{Hit, Item, Kind, Mode, Pick, Picker, Sessions, details};
use crate::tui::app::words::broken;
use crate::tui::text::Row;
use crate::tui::theme::Role;
use ratatui::layout::{Position, Rect};

/// Draws the picker; says where the caret is.
pub fn draw(app: &App, picker: &Picker, free: Rect, pen: &mut Pen) -> Option<Position> {
    let area = frame::place(free, 120, 40);
    let inside = frame::draw(area, &picker.title(), pen);
    let caret = question(picker, inside, pen);
    let keys = Rect { y: inside.bottom().saturating_sub(1), height: u16::from(inside.height > 4), ..inside };
    let body = Rect { y: inside.y + 1, height: inside.height.saturating_sub(1 + keys.height), ..inside };
    // What an action in the picker did is said here, since the picker may hide the line for that.
    let said = app.open.hint.as_ref().filter(|_| matches!(picker.kind, Kind::Extensions { .. }));
    pen.words(keys, 0, &[(said.map_or(keys_of(&picker.kind), |hint| &hint.text), Role::Dim)]);
    match picker.sessions().filter(|s| s.with_preview && body.width >= 70) {
        Some(sessions) => {
            let left = Rect { width: body.width * 3 / 5, ..body };
            let right = Rect { x: left.right() + 2, width: body.width.saturating_sub(left.width + 2), ..body };
            rows(picker, left, pen);
            preview(app, picker, sessions, right, pen);
        }
        None if matches!(picker.kind, Kind::Extensions { .. }) => extensions(app, picker, body, pen),
        None => match picker.tree().filter(|_| !picker.list.is_empty()) {
            Some(tree) => tree::draw(app, picker, tree, body, pen),
            None => rows(picker, body, pen),
        },
    }
    caret
}

/// The rows above, and below them all that is known of the marked extension.
fn extensions(app: &App, picker: &Picker, area: Rect, pen: &mut Pen) {
    let wanted = u16::try_from(picker.list.len()).unwrap_or(u16::MAX);
    let above = Rect { height: wanted.clamp(1, (area.height / 2).max(1)), ..area };
    rows(picker, above, pen);
    let Some(extension) = picker.extension() else { return };
    let indent = 10;
    let below = Rect { y: above.bottom() + 1, height: area.height.saturating_sub(above.height + 1), ..area };
    let width = usize::from(below.width.saturating_sub(indent));
    let mut line = 0;
    for (word, text) in details(extension) {
        pen.words(below, line, &[(word, if word == "error" { Role::Error } else { Role::Dim })]);
        let beside = Rect { x: below.x + indent, width: below.width.saturating_sub(indent), ..below };
        for text in broken(&text, width.max(1), app) {
            pen.words(beside, line, &[(&text, Role::Text)]);
            line += 1;
        }
    }
}

/// The query, the new name, or the question whether to delete.
fn question(picker: &Picker, area: Rect, pen: &mut Pen) -> Option<Position> {
    let (sign, line) = match &picker.mode {
        Mode::Filter => ("> ", &picker.query),
        Mode::Rename(line) if picker.tree().is_some() => ("label: ", line),
        Mode::Rename(line) => ("new name: ", line),
        Mode::Delete => {
            pen.words(area, 0, &[("delete it? y: move it to the trash, any other key: no", Role::Warning)]);
            return None;
        }
    };
    pen.words(area, 0, &[(sign, Role::Prompt), (line.text(), Role::Text)]);
    let column = pen.width(sign) + pen.width(line.before_caret());
    let x = area.x.saturating_add(u16::try_from(column).unwrap_or(u16::MAX));
    Some(Position::new(x.min(area.right().saturating_sub(1)), area.y))
}

fn keys_of(kind: &Kind) -> &'static str {
    match kind {
        Kind::Tree(tree) => tree::keys_of(tree),
        Kind::Sessions(_) => {
            "Enter open · ^O read-only · ^F fork · ^R rename · ^D delete · ^S sort · Tab scope · preview ^T"
        }
        Kind::Extensions { .. } => "Alt-S on or off · Alt-R reload · Alt-C copy the path · Esc closes",
        Kind::Tools => "type to filter · Esc closes",
        _ => "type to filter · Enter takes · Esc closes",
    }
}

fn rows(picker: &Picker, area: Rect, pen: &mut Pen) {
    if picker.list.is_empty() {
        let words = if picker.loading { "…" } else { "nothing" };
        pen.words(area, 0, &[(words, Role::Dim)]);
        return;
    }
    let window = picker.list.window(usize::from(area.height));
    let seen: Vec<_> = picker.list.rows().skip(window.start).take(window.len()).collect();
    let widest = seen.iter().map(|(item, _)| pen.width(&item.label)).max().unwrap_or(0);
    let column = widest.min(usize::from(area.width) * 3 / 5);
    for (line, (item, hit)) in seen.iter().enumerate() {
        let row = row(item, hit, column, usize::from(area.width), pen);
        pen.paint(area, line, &row);
        if window.start + line == picker.list.selected() {
            pen.highlight(area, line, Role::Selection);
        }
    }
}

/// The label with its matched letters, then the detail, dim.
fn row(item: &Item<Pick>, hit: &Hit, column: usize, width: usize, pen: &Pen) -> Row {
    let mut label = Row::new();
    for (at, c) in item.label.chars().enumerate() {
        let matched = u32::try_from(at).is_ok_and(|at| hit.letters.binary_search(&at).is_ok());
        let role = if matched { Role::PickerMatch } else { Role::Text };
        label.append(&pen.row(&[(c.encode_utf8(&mut [0; 4]), role)]));
    }
    let mut label = pen.fit(label, column);
    let gap = " ".repeat(column.saturating_sub(pen.width(label.text())) + 2);
    label.append(&pen.row(&[(&gap, Role::Text), (&item.detail, Role::Dim)]));
    pen.fit(label, width)
}

/// The last exchange of the selected session.
fn preview(app: &App, picker: &Picker, sessions: &Sessions, area: Rect, pen: &mut Pen) {
    let Some(exchange) = picker.session().and_then(|s| sessions.preview_of(&s.path)).map(|p| &p.exchange) else {
        return;
    };
    let mut line = 0;
    for (who, text) in exchange {
        pen.words(area, line, &[(who, Role::Accent)]);
        line += 1;
        for text in broken(text, usize::from(area.width), app) {
            pen.words(area, line, &[(&text, Role::Text)]);
            line += 1;
        }
    }
}
