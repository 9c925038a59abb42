//! The form of a question: a list with a filter, a line, a text.

use super::pen::Pen;
use crate::tui::action::Action;
use crate::tui::app::App;
use crate::tui::app::editor::{Editor, shown};
use crate::tui::app::form::{Form, Unseen};
use crate::tui::app::line::Line;
use crate::tui::app::picker::List;
use crate::tui::keymap::{Context, spoken};
use crate::tui::theme::Role;
use ratatui::layout::{Position, Rect};
use std::collections::BTreeSet;
use std::ops::Range;
use unicode_segmentation::UnicodeSegmentation;

/// Draws the form; says where the caret is.
pub fn draw(app: &App, form: &Form, area: Rect, pen: &mut Pen) -> Option<Position> {
    let least = if matches!(form, Form::Line { .. } | Form::Unseen(_)) { 2 } else { 3 };
    let keys = Rect { y: area.bottom().saturating_sub(1), height: u16::from(area.height >= least), ..area };
    let body = Rect { height: area.height.saturating_sub(keys.height), ..area };
    pen.words(keys, 0, &[(&keys_of(app, form), Role::Dim)]);
    match form {
        Form::List { list, query, taken } => {
            let rows = Rect { y: body.y + 1, height: body.height.saturating_sub(1), ..body };
            let seen = items(list, taken.as_ref(), rows, pen);
            if let Some(taken) = taken.as_ref().filter(|taken| !taken.is_empty()) {
                pen.at_the_right(body, &format!("{} marked", taken.len()), usize::MAX);
            }
            if keys.height > 0 {
                pen.rest(keys, 0, &seen, list.len());
            }
            line(query, "type to filter", body, pen)
        }
        Form::Line { line: text, placeholder } => line(text, placeholder, body, pen),
        Form::Unseen(Unseen(text)) => line(&dots(text), "type or paste the key", body, pen),
        Form::Text(editor) => text(editor, body, pen),
    }
}

/// What the keys do, with those that the keymap has.
fn keys_of(app: &App, form: &Form) -> String {
    let enter = |does| (app.key_in(Context::Picker, Action::Accept), does);
    let escape = |does| (app.key_in(Context::Picker, Action::Close), does);
    // Not every terminal tells Shift-Enter from Enter.
    let newlines = app.keys.map.keys_in(Context::Form, Action::Newline);
    let newline = newlines.iter().find(|keys| !keys.starts_with("shift-")).or(newlines.first());
    let newline = (newline.map(|keys| spoken(keys)).unwrap_or_default(), "new line");
    let marks = (app.key_in(Context::Form, Action::ToggleChoice), "marks");
    let keys = match form {
        Form::List { taken: Some(_), .. } => vec![marks, enter("answers with the marked"), escape("no answer")],
        Form::List { .. } | Form::Line { .. } => vec![enter("answers"), escape("no answer")],
        Form::Unseen(_) => vec![enter("checks and keeps it"), escape("cancels")],
        Form::Text(_) => vec![enter("answers"), newline, escape("no answer")],
    };
    let bound = keys.iter().filter(|(key, _)| !key.is_empty());
    bound.map(|(key, does)| format!("{key} {does}")).collect::<Vec<_>>().join(" · ")
}

/// A dot for each character up to the caret, where it is typed.
fn dots(line: &Line) -> Line {
    Line::new("•".repeat(line.before_caret().graphemes(true).count()))
}

/// One line, scrolled so that the caret is seen.
pub fn line(line: &Line, placeholder: &str, area: Rect, pen: &mut Pen) -> Option<Position> {
    signed("> ", line, placeholder, area, pen)
}

/// The same behind another sign.
pub fn signed(sign: &str, line: &Line, placeholder: &str, area: Rect, pen: &mut Pen) -> Option<Position> {
    let before = pen.width(sign);
    let room = usize::from(area.width).saturating_sub(before + 1);
    if line.text().is_empty() {
        pen.words(area, 0, &[(sign, Role::Prompt), (placeholder, Role::Placeholder)]);
        return at(area, before, 0);
    }
    let mut hidden = 0;
    for cluster in line.before_caret().graphemes(true) {
        if pen.width(&line.before_caret()[hidden..]) <= room {
            break;
        }
        hidden += cluster.len();
    }
    pen.words(area, 0, &[(sign, Role::Prompt), (&line.text()[hidden..], Role::Text)]);
    at(area, before + pen.width(&line.before_caret()[hidden..]), 0)
}

fn at(area: Rect, column: usize, row: usize) -> Option<Position> {
    let column = u16::try_from(column).unwrap_or(u16::MAX).min(area.width.saturating_sub(1));
    let row = u16::try_from(row).unwrap_or(u16::MAX);
    (row < area.height).then(|| Position::new(area.x + column, area.y + row))
}

/// Says which of them are seen.
fn items(list: &List<usize>, taken: Option<&BTreeSet<usize>>, area: Rect, pen: &mut Pen) -> Range<usize> {
    if list.is_empty() {
        pen.words(area, 0, &[("nothing", Role::Dim)]);
        return 0..0;
    }
    let window = list.window(usize::from(area.height));
    let seen: Vec<_> = list.rows().skip(window.start).take(window.len()).collect();
    let widest = seen.iter().map(|(item, _)| pen.width(&item.label)).max().unwrap_or(0);
    let column = widest.min(usize::from(area.width) * 3 / 5);
    for (row, (item, _)) in seen.iter().enumerate() {
        let box_ = match taken {
            Some(taken) if taken.contains(&item.pick) => "[x] ",
            Some(_) => "[ ] ",
            None => "",
        };
        let label =
            pen.fit(pen.row(&[(&item.label, Role::Text)]), if item.detail.is_empty() { usize::MAX } else { column });
        let gap = " ".repeat(column.saturating_sub(pen.width(label.text())) + 2);
        let mut whole = pen.row(&[(box_, Role::Accent)]);
        whole.append(&label);
        whole.append(&pen.row(&[(&gap, Role::Text), (&item.detail, Role::Dim)]));
        let whole = pen.fit(whole, usize::from(area.width));
        pen.paint(area, row, &whole);
        if window.start + row == list.selected() {
            pen.highlight(area, row, Role::Selection);
        }
    }
    window
}

/// Several lines, scrolled so that the caret is seen.
fn text(editor: &Editor, area: Rect, pen: &mut Pen) -> Option<Position> {
    let (layout, height) = (editor.layout(), usize::from(area.height));
    let top = layout.top(height);
    for (line, row) in layout.rows.iter().skip(top).take(height).enumerate() {
        let text: String = editor.lines()[row.line][row.bytes.clone()].graphemes(true).map(shown).collect();
        pen.words(area, line, &[(&text, Role::Text)]);
    }
    at(area, layout.caret.1, layout.caret.0.saturating_sub(top))
}
